"""What is found a moment after somebody stopped typing.

It is what takes longer than a keystroke may: conflicts with other memories, citations that drift, who gains sight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.access.policy import labels_of
from memstore.conflicts.compare import Comparer
from memstore.core.conflict import ConflictType
from memstore.core.finding import Extent, Position, Severity
from memstore.core.finding_codes import finding_of
from memstore.core.harmless import safe_line
from memstore.core.quotation import shown_title
from memstore.files.memory_file import MemoryFile
from memstore.history import HISTORY
from memstore.lsp.audience import gained, listeners_of
from memstore.vault.cited_lines import changed_citations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.core.conflict import Conflict, Lines
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile

# Of the memories that cite a file, so many are looked at.
MOST_CITING = 100


class Beside(NamedTuple):
    """Lines of another file that a finding is about, from 1, both inclusive, and whose they are."""

    path: str
    line_start: int
    line_end: int
    title: str


class LateFinding(NamedTuple):
    """A finding with the text of the lines that it is about: where they say something else by now, it is none."""

    finding: Finding
    said: Sequence[str]
    beside: Beside | None = None
    conflict: Conflict | None = None

    def is_on(self, first: int, last: int) -> bool:
        """Whether it is about any of these lines, from 1, both inclusive."""
        start = self.finding.at.line
        return start <= last and first < start + len(self.said)

    def holds(self, lines: Sequence[str]) -> bool:
        """Whether the lines of a text are still those that it is about."""
        first = self.finding.at.line
        return [*lines[first - 1 : first - 1 + len(self.said)]] == [*self.said]


def late_findings(
    saved: View, path: str, texts: Mapping[str, bytes], before: ReadFile | None = None
) -> list[LateFinding]:
    """Return what is found in a file when it is compared with others, and with what it was.

    Args:
        saved: the vault as it is saved.
        path: the file.
        texts: the texts that are not saved yet, by path.
        before: the file as it was committed.
    """
    view = saved.overlaid(texts) if texts else saved
    file = view.text(path)
    if file is None:
        return []
    lines = lines_of(file.data.decode("utf-8", "replace").removeprefix("\ufeff"))
    found = [*_conflicts(view, file, lines)] if isinstance(file, MemoryFile) and file.memory.id else []
    if isinstance(file, MemoryFile) and isinstance(before, MemoryFile):
        found += _wider(saved, before, file, lines)
    if view.is_owners and view.of(HISTORY).repository:
        found += _drifted(view, path, file.memory.id, lines, texts)
    return found


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, as findings count them."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def _conflicts(view: View, file: MemoryFile, lines: Sequence[str]) -> Iterator[LateFinding]:
    comparer = Comparer(view)
    for one in comparer.conflicts(comparer.side_of(file)):
        mine, theirs = one.lines
        at = Position(mine.line_start)
        title = _title(view, theirs, one.titles[1]) or one.refs[1]
        text = f"{one.conflict_type.value} with {title}: {safe_line(' '.join(theirs.said.split()))} [{one.rule}]"
        severity = Severity.NOTICE if one.conflict_type is ConflictType.SEMANTIC else Severity.WARNING
        found = finding_of("conflict", file.path, text, one.command, at)
        last = min(mine.line_end, len(lines))
        said = lines[mine.line_start - 1 : last]
        end = Position(last, len(said[-1]) + 1 if said else 1)
        yield LateFinding(
            found._replace(severity=severity, extent=Extent(at, end)),
            said,
            Beside(theirs.path, theirs.line_start, theirs.line_end, title),
            one,
        )


def _title(view: View, lines: Lines, title: str) -> str:
    file = view.read(lines.path)
    return safe_line(shown_title(title, file.memory.source_type if file else None)) if title else ""


def _wider(view: View, before: MemoryFile, after: MemoryFile, lines: Sequence[str]) -> Iterator[LateFinding]:
    """Yield a finding if more people see a memory than before, with their names."""
    if labels_of(before.memory) == labels_of(after.memory):
        return
    if names := gained(view, before.memory, after.memory, listeners_of(view)):
        at = after.front.position("access_grants")
        text = f"seen by {names} from now on, who did not see it at the last commit"
        finding = finding_of("audience-wider", after.path, text, at=Position(at.line))
        yield LateFinding(finding, lines[at.line - 1 : at.line])


def _drifted(
    view: View, path: str, memory_id: str | None, lines: Sequence[str], texts: Mapping[str, bytes]
) -> Iterator[LateFinding]:
    """Yield a finding for each place in a file that others cite as it was."""
    cites, sources, paths = (view.column(name) for name in ("cites", "derived_from", "path"))
    names = [name for name in (memory_id, path) if name]
    citing = [row for row in view.rows if any(name in cites[row] or name in sources[row] for name in names)]
    for row in citing[:MOST_CITING]:
        file = view.read(paths[row])
        for one in changed_citations(view, file, texts) if file else ():
            if file and one.path == path and file.path != path:
                title = safe_line(shown_title(file.memory.title or paths[row], file.memory.source_type))
                yield LateFinding(one, lines[one.at.line - 1 : one.at.line], Beside(file.path, 1, 1, title))
