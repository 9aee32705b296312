"""Verdicts that are in force: what somebody judged of two statements, as one file each without any text of a memory.

A verdict advises. It counts as long as both statements stand as they were judged, it is seen by whoever sees both
memories, and it closes the question for its judge alone. It is never changed: another one takes it back, or its place
(`conflicts.judging`).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from memstore.access import RIGHTS
from memstore.core.conflict import WITHDRAWN, Judged, Lines, PairVerdict, is_judging_model
from memstore.core.errors import changed_while_read
from memstore.core.ids import MemoryRef
from memstore.core.keys import EXTERNAL
from memstore.core.named import refs_of
from memstore.core.places import RegistryKind
from memstore.core.quotation import quoted
from memstore.files.passages import LineMap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memstore.access.registry import RegistryFile
    from memstore.core.conflict import Conflict
    from memstore.core.named import Names
    from memstore.core.view import View

# Lines that moved are looked for so many lines around, unless there are more of them.
MOST_MOVED, FARTHEST = 20, 1000
_BOTH = 2


def verdicts_on(view: View, memories: Names = (), *, stands: bool = True) -> tuple[PairVerdict, ...]:
    """Return the verdicts in force on memories, or all, on memories that the viewer may see; the oldest first.

    Those are left out that were taken back, those whose lines were changed since, and those whose judge has judged the
    same lines again: two who judge at once don't know of each other.

    Args:
        view: the vault.
        memories: the memories; none for all.
        stands: whether to leave out those whose lines were changed, which have the lines that were judged, and those
            that were judged again.

    Raises:
        NotFoundError: the viewer may not see such a memory.
    """
    ids = {view.named(name).id for name in refs_of(memories)} - {None, ""}
    if memories and not ids:
        return ()
    read = view.of(RIGHTS).registry(RegistryKind.VERDICT, naming=ids)
    files = sorted(filter(None, read.values()), key=lambda file: (file.values["judged_at"], file.values["id"]))
    back = {(file.values.get("withdraws"), file.values["judged_by"]) for file in files}
    anybodys = {view.config.owner, *view.of(RIGHTS).registries.keepers} if files else set()
    found: list[PairVerdict] = []
    for file in reversed(files):
        name, judge = file.values["id"], file.values["judged_by"]
        if file.values["verdict"] == WITHDRAWN or any((name, by) in back for by in (judge, *anybodys)):
            continue
        places = [*_places(view, file, stands=stands)]
        if len(places) == _BOTH == len(file.values["judged"]):
            found.append(verdict_of(file.path, file.values, (places[0], places[1])))
    return tuple(reversed([*_latest(found)] if stands else found))


def _latest(verdicts: Iterable[PairVerdict]) -> Iterator[PairVerdict]:
    """Yield the verdicts but those whose judge judged the same lines later; the latest come first."""
    of_judge: defaultdict[tuple[str, str, frozenset[str]], list[PairVerdict]] = defaultdict(list)
    for one in verdicts:
        later = of_judge[one.judge, one.judged_by, frozenset(place.path for place in one.judged)]
        if not any(one.is_about(*other.judged) for other in later):
            later.append(one)
            yield one


def by_path(verdicts: Iterable[PairVerdict]) -> Mapping[str, Sequence[PairVerdict]]:
    """Return verdicts by the paths of both memories."""
    found: defaultdict[str, list[PairVerdict]] = defaultdict(list)
    for verdict in verdicts:
        for place in verdict.judged:
            found[place.path].append(verdict)
    return found


def lines_of(view: View, place: Judged) -> Lines:
    """Return the lines of a place as a side of a conflict; those of an external memory are quoted."""
    file = view.read(place.path)
    if file is None:
        raise changed_while_read(place.path)
    excerpt = LineMap(file.data).excerpt(place.line_start, place.line_end)
    shown = quoted(excerpt) if file.memory.source_type == EXTERNAL else excerpt
    return Lines(place.path, place.line_start, place.line_end, shown, " ".join(shown.split()))


def about(conflict: Conflict, verdicts: Iterable[PairVerdict]) -> tuple[PairVerdict, ...]:
    """Return the verdicts on what a conflict is about."""
    refs = zip(conflict.refs, conflict.lines, strict=True)
    places = [Judged(ref, lines.path, lines.line_start, lines.line_end) for ref, lines in refs]
    return tuple(one for one in verdicts if one.is_about(*places))


def _places(view: View, file: RegistryFile, *, stands: bool) -> Iterator[Judged]:
    """Yield the judged lines of the memories that the viewer may see, if it `stands` only where they say the same."""
    for side in file.values["judged"]:
        ref = MemoryRef.parse(side["ref"])
        rows = view.rows_of_id(ref.id) if ref else ()
        memory = view.read(view.entry(rows[0]).path) if len(rows) == 1 else None
        lines = re.fullmatch(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?", side.get("lines") or "")
        if memory is None or lines is None:
            return
        first, last = int(lines[1]), int(lines[2] or lines[1])
        now = _start_now(LineMap(memory.data), first, last - first, file.values["id"], side.get("digest"))
        if (start := now if stands else now or first) is None:
            return
        yield Judged(str(memory.memory.ref), memory.path, start, start + last - first)


def _start_now(lines: LineMap, first: int, more: int, salt: str, mark: str | None) -> int | None:
    """Return the line at which what was judged begins now; None if it no longer stands there as it was."""
    last = lines.line_count - more
    around = range(max(1, first - FARTHEST), min(last, first + FARTHEST) + 1) if more < MOST_MOVED else ()
    for start in chain([first] if first <= last else (), around) if more >= 0 else ():
        if digest(salt, lines.excerpt(start, start + more)) == mark:
            return start
    return None


def verdict_of(path: str, values: dict[str, Any], places: tuple[Judged, Judged]) -> PairVerdict:
    """Return the verdict in a file, on these places."""
    return PairVerdict(
        id=values["id"],
        path=path,
        verdict=values["verdict"],
        judged=places,
        judged_by=values["judged_by"],
        judged_at=values["judged_at"],
        model=model if (model := values.get("model")) and is_judging_model(model) else None,
        reason=values.get("reason"),
    )


def digest(salt: str, text: str) -> str:
    """Return what tells whether lines still say the same; the salt, a verdict's id, keeps equal ones apart."""
    return hashlib.sha256(f"{salt}\n{text}".encode()).hexdigest()[:32]
