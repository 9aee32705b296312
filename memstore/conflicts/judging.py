"""Judge two statements, and take a judgement back: a file each, which changes neither memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from memstore.access import registry
from memstore.access.audit import may_decide, new_id
from memstore.access.registry import path_of
from memstore.conflicts.candidates import MOST_SHOWN, candidates_among, nearest
from memstore.conflicts.model_judges import SUPERSEDED
from memstore.conflicts.verdicts import by_path, digest, verdict_of, verdicts_on
from memstore.core import digests
from memstore.core.change import Written
from memstore.core.conflict import JUDGING_MODELS, VERDICTS, WITHDRAWN, Judged, PairVerdict, is_judging_model
from memstore.core.errors import NoIdError, NotFoundError, RefusedError, UsageError
from memstore.core.ids import ID_OF_VERDICT
from memstore.core.keys import EXTERNAL
from memstore.core.named import Named, refs_of
from memstore.core.places import BETWEEN_IDS, RegistryKind, is_sealed_path
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import Saving, save_own, unified_diff
from memstore.files.passages import LineMap
from memstore.files.render import stop_unless_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.model_judges import PairJudge
    from memstore.core.named import Names
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.search.filters import Which

SUPERSEDES, NARROWS = "supersedes", "narrows"
_AT_LINES = re.compile(r"(?P<name>.+):(?P<start>[1-9]\d{0,8})(?:-(?P<end>[1-9]\d{0,8}))?", re.DOTALL)


class Judgement(NamedTuple):
    """Verdicts, and how many of them were written now; the others had been given before.

    `diff` is a unified diff of the files that were written, or would be.
    """

    verdicts: tuple[PairVerdict, ...]
    written: int
    diff: str = ""
    commit: str | None = None

    def __repr__(self) -> str:
        return short_repr(self)


def judge(
    view: View,
    memory: Named,
    others: Names,
    verdict: str,
    *,
    reason: str | None = None,
    model: str | None = None,
    **saving: Unpack[Saving],
) -> Judgement:
    """Record what the actor judges of a memory's statement and those of others.

    >>> lamp, move = note(ws.view(), "The lamp is brass."), note(ws.view(), "The lamp is copper.")
    >>> judge(ws.view(), move.ref, lamp.ref, "supersedes", reason="I scratched it").written
    1
    >>> [one.verdict for one in judge(ws.view(), move.ref, lamp.ref, "supersedes").verdicts]
    ['supersedes']

    Args:
        view: the vault.
        memory: a memory, by itself or with lines: `m_7f3:9` or `m_7f3:9-10`. Without lines, those that are most alike
            are meant, or else all of the text.
        others: one or more other memories, named in the same way; all get the same verdict.
        verdict: one of `VERDICTS`: `contradicts`; `supersedes`, if the first is the newer state of things; `narrows`,
            if another time, place or scope makes both true; `same`; `unrelated`; `unsure`.
        reason: why, in one line.
        model: the model whose judgement it is, if it is not the actor's own.
        saving: dry_run, commit.

    Raises:
        NotFoundError: the actor may not see such a memory.
        NoIdError: a plain note is named.
        RefusedError: a memory is sealed, or comes from outside and is said to supersede another.
        UsageError: there is no such verdict or no such line, a memory is compared with itself, the reason has control
            characters, or the model somebody's name.
    """
    if verdict not in VERDICTS:
        raise UsageError(f"{verdict!r} is no verdict", hint=f"a verdict is one of {', '.join(VERDICTS)}")
    if model is not None and not is_judging_model(model):
        raise UsageError(f"{model} is no model's name", hint=f"name it {JUDGING_MODELS[0]}NAME, or judge as {model}")
    reason = " ".join((reason or "").split()) or None
    stop_unless_line("reason", reason or "")
    named = refs_of(others)
    if not named:
        raise UsageError("one memory alone can't be judged", hint="name the other, too")
    entries = [_Entry(_sides(view, memory, other), verdict, reason, model) for other in named]
    return _recorded(view, entries, saving)


def judge_with(
    view: View,
    judge: PairJudge,
    memory: Names | None = None,
    *,
    limit: int | None = MOST_SHOWN,
    which: Which | None = None,
    **saving: Unpack[Saving],
) -> Judgement:
    """Let a model judge the candidates of memories, and record its verdicts as its own.

    What comes from outside is not judged: its words could tell the model what to say.

    Args:
        view: the vault.
        judge: the model.
        memory: the memory, or several; without any, each that has changed since the last commit or passes filters.
        limit: at most this many candidates for each memory.
        which: filters.
        saving: dry_run, commit.

    Raises:
        NotFoundError, UsageError: as `candidates`, or the model can't be asked.
    """

    def is_fit(file: MemoryFile) -> bool:
        return file.memory.source_type != EXTERNAL and file.memory.ref is not None and not is_sealed_path(file.path)

    found = candidates_among(view, memory, is_fit, judge=judge.name, limit=limit, which=which or {})
    entries: list[_Entry] = []
    pairs = {frozenset({place[:4] for place in (one.concerns, one)}): one for one in reversed(found)}
    for one in view.with_progress("judging pairs", [*pairs.values()][::-1]):
        mine, theirs = (_file(view, place.path)[0] for place in (one.concerns, one))
        if said := judge.verdict(one, mine.memory.created_at):
            sides = tuple(_side(view, file, (place.line_start, place.line_end))
                          for file, place in ((mine, one.concerns), (theirs, one)))  # fmt: skip
            first, second = sides if said.verdict != SUPERSEDED else reversed(sides)
            verdict = SUPERSEDES if said.verdict == SUPERSEDED else said.verdict
            entries.append(_Entry((first, second), verdict, said.reason, judge.name))
    return _recorded(view, entries, saving)


class _Entry(NamedTuple):
    """What is to be recorded of two statements."""

    sides: tuple[_Side, _Side]
    verdict: str
    reason: str | None
    model: str | None


def _recorded(view: View, entries: Sequence[_Entry], saving: Saving) -> Judgement:
    given, files = list[PairVerdict](), list[Written]()
    known = by_path(verdicts_on(view, [entry.sides[0].place.path for entry in entries])) if entries else {}
    for entry in entries:
        sides = entry.sides
        _stop_where_unfit(sides, entry.verdict)
        others = (*known.get(sides[0].place.path, ()), *given)  # a batch may name a memory twice
        places = [side.place for side in sides]
        before = [one for one in others if one.is_again(entry.model or view.actor, view.actor, *places)]
        if before and _is_same(before[-1], entry):
            given.append(before[-1])
            continue
        values = _values(view, entry, before)
        files.append(_written(view, values))
        given.append(verdict_of(files[-1].path, values, (sides[0].place, sides[1].place)))
    commit = save_own(view, files, verb="judge", **saving) if files else None
    return Judgement(tuple(given), len(files), _diff(files), commit)


def withdraw(view: View, judge: str, **saving: Unpack[Saving]) -> Judgement:
    """Take back all verdicts of a judge, an entity or a model, or one by its id, though its lines were changed since.

    Everybody takes back their own, the vault's owner or a keeper of it anybody's.

    Raises:
        NotFoundError: the actor may take back no verdict of this judge.
    """
    may_all = may_decide(view)
    known = [one for one in verdicts_on(view, stands=False) if may_all or one.judged_by == view.actor]
    named = next((one for one in known if one.id == judge), None)
    going = [
        one
        for one in known
        if judge in (one.judged_by, one.model)
        or (named and one.is_again(named.judge, named.judged_by, *named.judged))  # an older one would come back
    ]
    if not going:
        raise NotFoundError(
            f"there is no verdict of {judge} that {view.actor} may take back",
            hint="name who judged, the model, or a verdict as memstore why shows it",
        )
    files = [_written(view, _withdrawal(view, one)) for one in going]
    commit = save_own(view, files, verb="withdraw", **saving)
    return Judgement(tuple(going), len(files), _diff(files), commit)


def _diff(files: Sequence[Written]) -> str:
    return "".join(unified_diff(one.path, one.before, one.after) for one in files)


class _Side(NamedTuple):
    file: MemoryFile
    place: Judged
    blob: str

    def digest(self, salt: str) -> str:
        """Return what tells whether the lines still say the same; the salt keeps equal lines apart."""
        return digest(salt, LineMap(self.file.data).excerpt(self.place.line_start, self.place.line_end))


def _sides(view: View, memory: Named, other: Named) -> tuple[_Side, _Side]:
    """Return the two memories with the lines that are to be judged."""
    (one, my_lines), (another, their_lines) = _file(view, memory), _file(view, other)
    if one.path == another.path:
        raise UsageError(f"{one.memory.ref} is named twice", hint="name the two memories that are to be judged")
    if my_lines is None or their_lines is None:
        found = nearest(view, one, another)
        mine, theirs = (found.concerns, found) if found else (None, None)
        my_lines = my_lines or ((mine.line_start, mine.line_end) if mine else _body(one))
        their_lines = their_lines or ((theirs.line_start, theirs.line_end) if theirs else _body(another))
    return _side(view, one, my_lines), _side(view, another, their_lines)


def _file(view: View, name: Named) -> tuple[MemoryFile, tuple[int, int] | None]:
    """Return the memory that a name means, and the lines in it that the name adds, if it does."""
    lines = None
    try:
        entry = view.named(name)
    except NotFoundError:
        said = _AT_LINES.fullmatch(name) if isinstance(name, str) else None
        if said is None:
            raise
        entry, lines = view.named(said["name"]), (int(said["start"]), int(said["end"] or said["start"]))
    file = view.read(entry.path)
    if file is None or file.memory.ref is None:
        raise NoIdError(entry.path)
    return file, lines


def _side(view: View, file: MemoryFile, lines: tuple[int, int]) -> _Side:
    try:
        LineMap(file.data).excerpt(*lines)
    except ValueError as error:
        raise UsageError(f"{file.path} has no {error}", hint="memstore show REF shows its lines") from error
    if lines[1] < file.text.body_line:
        raise UsageError(
            f"{file.path} says nothing up to line {lines[1]}: its text begins below", hint="name lines of its text"
        )
    known = view.find(file.path).blob
    blob = digests.blob_id(file.data, digests.format_of(known))
    return _Side(file, Judged(str(file.memory.ref), file.path, *lines), blob)


def _body(file: MemoryFile) -> tuple[int, int]:
    """Return the lines of a memory's text, without empty ones around it."""
    said = [at for at, line in enumerate(file.memory.body.split("\n"), file.text.body_line) if line.strip()]
    if not said:
        raise UsageError(f"{file.path} has no text to judge", hint="judge memories that say something")
    return said[0], said[-1]


def _stop_where_unfit(sides: tuple[_Side, _Side], verdict: str) -> None:
    for side in sides:
        if is_sealed_path(side.place.path):
            raise RefusedError(
                f"{side.place.ref} is sealed, and a verdict is not", hint="memstore privacy unseal opens it for good"
            )
    if verdict == SUPERSEDES and sides[0].file.memory.source_type == EXTERNAL:
        raise RefusedError(
            f"{sides[0].place.ref} comes from outside, and takes the place of nothing here",
            hint="write what holds now as a memory of your own, or judge contradicts",
        )


def _is_same(one: PairVerdict, entry: _Entry) -> bool:
    places = tuple(side.place for side in entry.sides)
    is_directed = entry.verdict in (SUPERSEDES, NARROWS)
    return one.verdict == entry.verdict and (one.judged == places or (not is_directed and one.judged == places[::-1]))


def _values(view: View, entry: _Entry, before: Sequence[PairVerdict]) -> dict[str, Any]:
    verdict_id = new_id(view, ID_OF_VERDICT)
    judged = [
        {
            "ref": side.place.ref,
            "lines": _lines(side.place),
            "blob": side.blob,
            "digest": side.digest(verdict_id),
        }
        for side in entry.sides
    ]
    return {
        "type": "verdict",
        "id": verdict_id,
        "verdict": entry.verdict,
        "judged": judged,
        "judged_by": view.actor,
        "model": entry.model,
        "judged_at": instant(view.clock.now()),
        "reason": entry.reason,
        "withdraws": before[-1].id if before else None,
    }


def _withdrawal(view: View, verdict: PairVerdict) -> dict[str, Any]:
    return {
        "type": "verdict",
        "id": new_id(view, ID_OF_VERDICT),
        "verdict": WITHDRAWN,
        "judged": [{"ref": one.ref} for one in verdict.judged],
        "judged_by": view.actor,
        "judged_at": instant(view.clock.now()),
        "withdraws": verdict.id,
    }


def _lines(place: Judged) -> str:
    same = place.line_start == place.line_end
    return str(place.line_start) if same else f"{place.line_start}-{place.line_end}"


def _written(view: View, values: dict[str, Any]) -> Written:
    ids = sorted(side["ref"].partition(":")[2] for side in values["judged"])
    name = BETWEEN_IDS.join((*ids, values["id"]))
    path = path_of(name, RegistryKind.VERDICT, year=f"{view.clock.now():%Y}")
    return Written(path, None, registry.written(RegistryKind.VERDICT, values))
