"""Optional formats of others: certificates, stamps of time, rotation statements, seed 004's JSON."""
