"""Who may see what: registries, consent, grants, contexts; the policy that decides, and the audit of what was done."""
