"""The forms of conflicts and duplicates."""

from __future__ import annotations

from memstore.documents.form import Form
from memstore.documents.parts import NOT_COMPARED

Form(
    f"""Iterable[Conflict]
    @conflicts: memstore conflicts --json
    conflicts=. left_out
    {NOT_COMPARED}
""",
    left_out=int,
    not_compared=int,
)
Form("""Resolved
    @resolve-conflict: memstore conflicts resolve --json
    conflict_type
    decision[keep|supersede|merge|both-true]
    kept: a ref, or both
    memories=saved[2..2]
""")
Form("Copy", "ref path title")
Form("""Duplicates
    similarity[.4 0..1]: the similarity of the two least similar ones
    memories=copies[2..]
    command: the command that merges them
""")
Form(
    """Iterable[Duplicates]
    @dedupe: memstore conflicts --duplicates --json
    duplicates=. left_out
""",
    left_out=int,
)
