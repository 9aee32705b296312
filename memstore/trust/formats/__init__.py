"""Optional formats defined elsewhere: certificates, timestamps, rotation statements, seed 004's JSON."""
