"""The forms of conflicts, candidates and duplicates."""

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
Form("""OwnStatement
    ref path
    line_start[1..]: from 1
    line_end[1..]: the last of them
    text
""")
Form("""Candidate
    external?
    ref path
    line_start[1..]: from 1
    line_end[1..]: the last of them
    created_at: of the memory; null if it has none
    text: the statement, cut after 200 characters
    why: the words that both statements have, the rarest first
    alike[.2 0..1]: how much of their words these are
    concerns: the statement of the memory that was asked about
""")
Form("Concern", "ref place day text why concerns")
Form("""Iterable[Candidate]
    @candidates: memstore conflicts --candidates --json
    candidates=.
""")
Form("""Resolved
    @resolve-conflict: memstore conflicts resolve --json
    conflict_type
    decision[keep|supersede|merge|both-true]
    kept: a ref, or both
    memories=saved[2..2]
""")
Form("""Judgement
    @judge: memstore conflicts judge --json
    @withdraw: memstore conflicts withdraw --json
    verdicts
    written: how many files were written; the rest had been judged so before
    diff?dry_run: the unified diff, in a dry run
    commit?: the commit that contains them
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
