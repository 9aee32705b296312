"""What every package names: ids, times, errors, findings, keys, a memory as a value; view and transaction.

Enter at `memory.Memory`, `keys.KEYS`, `finding_codes.CODES`, `errors.MemstoreError`; a use case is written against
`view.View` and `transaction.Transaction`, protocols that `memstore.vault` implements.

A use case runs like this: read through the view, decide, hand edits to `transaction.save`, return a value. Where
somebody else saved in the meantime, `transaction.again_where_changed` runs it once more.
"""
