"""Who vouches for a memory: signatures, witnesses, anchors, each verified now and never believed from a file.

Enter at `trust` for one memory, `score.TrustReader` for many, `sign`, `witness_request`, `anchor` and `keys` to
vouch; formats that not every vault uses are in `formats`.

A call runs like this: `read_keyring` says whose keys count, `statement` what of a memory is signed, `signatures`
whether the bytes hold, `vouching` what each word is worth, `verify_anchors` when it was there; `verification` puts
these together, and `score` makes a number and a level of them.
"""
