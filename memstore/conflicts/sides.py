"""A memory as one side of a comparison: its claims, and the statements that it makes, with their lines.

Reading what a memory says needs none of the rules of conflict.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts.prose import is_claim
from memstore.conflicts.statements import each_statement
from memstore.core.conflict import Lines
from memstore.core.keys import EXTERNAL
from memstore.core.quotation import quoted
from memstore.core.titles import title_of
from memstore.files.passages import LineMap, PassageKind, passages
from memstore.search.aliases import NO_ALIASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memstore.conflicts.statements import Statement
    from memstore.core.memory import Claim, Memory
    from memstore.files.memory_file import MemoryFile
    from memstore.files.passages import Passage
    from memstore.search.aliases import Aliases

# Only this many statements of a long text are compared: a memory should be about one thing.
MOST_STATEMENTS = 60


class Side(NamedTuple):
    """One of two memories: its claims and statements, each with its lines in the file."""

    ref: str
    path: str
    title: str
    memory: Memory
    claims: Sequence[tuple[Claim, Lines]] = ()
    statements: Sequence[tuple[Statement, Lines]] = ()


def side_of(
    file: MemoryFile, said: Iterable[tuple[Statement, int, int]] | None = None, *, aliases: Aliases = NO_ALIASES
) -> Side:
    """Return a memory as one side of a comparison: its claims and statements.

    Args:
        file: the memory.
        said: the statements to compare, with their lines in the file; None for all.
        aliases: the names that stand for one another.
    """
    lines = LineMap(file.data)
    memory = file.memory
    shown = quoted if memory.source_type == EXTERNAL else str

    def at(start: int, end: int, said: str) -> Lines:
        return Lines(file.path, start, end, shown(lines.excerpt(start, end)), shown(said))

    claim_lines = [file.front.line_of("claims", number) for number in range(len(memory.claims))]
    return Side(
        ref=str(memory.ref or file.path),
        path=file.path,
        title=shown(title_of(memory)),
        memory=memory,
        claims=[(claim, at(line, line, _told(claim))) for claim, line in zip(memory.claims, claim_lines, strict=True)],
        statements=[
            (statement, at(start, end, statement.written or statement.text))
            for statement, start, end in (said_in(file, aliases) if said is None else said)
        ],
    )


def _told(claim: Claim) -> str:
    """Return a claim as people read it: `place:park · gate closes: 20:00 (since 2026-02-01)`."""
    since = f" (since {claim.since})" if claim.since else ""
    return f"{claim.subject} · {claim.attribute}: {claim.value}{since}"


def said_in(file: MemoryFile, aliases: Aliases = NO_ALIASES) -> Iterator[tuple[Statement, int, int]]:
    """Yield a memory's statements with their lines in the file; at most `MOST_STATEMENTS`. A title names what it is."""
    found = passages(file.memory.body, first_line=file.text.body_line)
    yield from islice(chain.from_iterable(said_by(one, aliases=aliases) for one in found), MOST_STATEMENTS)


def said_by(
    passage: Passage,
    lines: range | None = None,
    *,
    says: Callable[[str], bool] = is_claim,
    aliases: Aliases = NO_ALIASES,
) -> Iterator[tuple[Statement, int, int]]:
    """Yield the statements of a passage, or of some of the file's lines in it, with their lines in the file.

    Only sentences count for which `says` holds: claims, or those that somebody asks for.
    """
    if passage.kind not in _PROSE:
        return
    first = passage.line_end - passage.text.count("\n")
    inside = lines and range(lines.start - first, lines.stop - first)
    for statement in each_statement(passage.text, inside, says, aliases):
        if not (passage.speaker and statement.of_speaker):
            yield statement, first + statement.line_start, first + statement.line_end


_PROSE = (PassageKind.PARAGRAPH, PassageKind.ITEM)
