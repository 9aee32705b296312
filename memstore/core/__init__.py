"""The shared vocabulary of all packages: ids, times, errors, findings, keys, a memory as a value, view and transaction.

Start with `memory.Memory`, `keys.KEYS`, `finding_codes.CODES` and `errors.MemstoreError`. Use cases are written against
`view.View` and `transaction.Transaction`, protocols that `memstore.vault` implements.

A use case reads through the view, decides, passes its edits to `transaction.save`, and returns a value. If somebody
else saved in the meantime, `transaction.again_where_changed` runs it again.
"""
