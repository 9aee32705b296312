"""The forms of values that every package names: a finding, a conflict, a quotation, a memory that was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from memstore.documents.form import Form

if TYPE_CHECKING:
    from memstore.beliefs.recall import Bite
    from memstore.core.conflict import Conflict
    from memstore.core.finding import Finding
    from memstore.core.quotation import External
    from memstore.search.explanation import ScorePart
    from memstore.search.retrieval import Hit

Form("""Finding
    code severity path
    line=at.line[1..]: from 1
    column=at.column[1..]: in characters, from 1
    text
    hint: what to do
    mended: the line as it should read, if there is only one answer
    extent?: what it is about; absent if that is all from the column to the end of the line
    meant?extent: what was probably meant, as the text to put there
""")
Form("""Extent
    line=start.line[1..]: from 1
    column=start.column[1..]: in characters, from 1
    end_line=end.line[1..]: from 1
    end_column=end.column[1..]: of the character after it
""")

# -- conflicts and quotations --------------------------------------------------------------------


def _lowers(conflict: Conflict) -> float:
    return 0.0 - round(conflict.penalty, 4)


Form("""Lines
    path
    line_start[1..]: from 1
    line_end[1..]: the last of them
    excerpt
""")
Form("""Judged
    ref path
    line_start[1..]: from 1
    line_end[1..]: the last of them
""")
Form("""PairVerdict
    id
    path: its file
    verdict[contradicts|supersedes|narrows|same|unrelated|unsure]: of the first on the other
    judged[2..2]: the lines that it is about, where they are now
    judged_by: who judged, or let the model judge
    model~: the model; null for a judgement of their own
    judged_at
    reason~
""")
conflict_document: Form[Conflict] = Form(
    """Conflict
    conflict_type
    penalty[-0.3..0]: the amount that it adds to the first memory's quality
    suggested_resolution[manual_review|timestamp_priority|merge_or_clarify]
    refs[2..2]
    lines[2..2]: the lines of each side that are in conflict
    rule
    command: the command that resolves it as suggested
    current?: for a temporal conflict, the ref of the memory that probably holds now
    verdicts?: what was judged of these lines
""",
    penalty=_lowers,
)
NOT_COMPARED = (
    "not_compared?[1..]: How many pairs of memories were not compared for conflicts, or only in part; absent if none."
)


def by_also(found: Hit | Bite | ScorePart) -> Literal[True] | None:
    """Return whether something was found by other words alone; absent if not."""
    return True if found.by_also else None


def _notice(_: External) -> str:
    from memstore.core.quotation import NOTICE

    return NOTICE


_external: Form[External] = Form(
    """External
    notice: how to read these texts
    source~: where it says it comes from; itself quoted
    trust: vouched for, or not, in words
    vouched: whether its owner or another controller vouches for it
""",
    meaning="marks the texts beside it as a quotation of an external memory",
    notice=_notice,
)


def external_document(external: External | None) -> dict[str, Any]:
    """Return what marks the texts beside it as a quotation, for an external memory; nothing for any other."""
    return {"external": _external(external)} if external else {}


# -- written -------------------------------------------------------------------------------------


def no_conflicts(_: object) -> tuple[Conflict, ...]:
    """Return none, where other commands that write tell of some."""
    return ()


def no_findings(_: object) -> tuple[Finding, ...]:
    """Return none, where other commands that write tell of some."""
    return ()


Form(
    """Saved
    @add: a memory that was written
    @edit: a memory that was edited
    @raw: a raw memory that was written
    @recompute-fold: a memory whose history was folded into one line
    @revise: a memory that was reworded
    @set: a memory whose key was set
    @suggestions-reject: a suggestion that was rejected
    @tag: a memory whose tags were changed
    @today: today's daily note
    ref path conflicts findings is_first? compared_in_part?
    diff?dry_run: the unified diff, in a dry run
    commit?: the commit that contains it
    may_concern?may_concern: from a server: statements of others, to judge or to leave
""",
    may_concern="Sequence[Concern]",
)
Form(
    """None
    @add
    ref
    path: null if nothing was written because the draft had no text
    conflicts findings
""",
    conflicts=no_conflicts,
    findings=no_findings,
)
