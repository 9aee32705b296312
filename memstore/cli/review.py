"""`memstore review`: what a branch changes in terms of memories, for people and for build servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import command
from memstore.core.errors import Exit
from memstore.core.memory import EVERYBODY
from memstore.history import HISTORY, WORK_TREE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstore.access.sight import Seer
    from memstore.cli.session import CliSession
    from memstore.core.conflict import Conflict
    from memstore.core.finding import Finding
    from memstore.history.own_changes import OwnChange
    from memstore.memories.review import NumberMoved, Review, Reviewed, SightMoved

FORMATS = ("text", "json", "github")
_SHORT = 10


@command(
    "review",
    examples=(
        "memstore review                            # this branch, since it left the default one",
        "memstore review vet-notes                  # another branch, since it left this one",
        "memstore review --against origin/main --output-format github",
    ),
)
@click.argument("branch", metavar="[BRANCH]", required=False)
@click.option("--against", metavar="REV", help="Compare with this commit itself instead of where the branch began.")
@click.option("--output-format", type=click.Choice(FORMATS), default="text", help="The output format.")
def review(session: CliSession, *, branch: str | None, against: str | None, output_format: str) -> None:
    """Show what a branch changes, memory by memory; exit 1 if it brings errors.

    It shows memories and notes that were added, changed, removed or moved; numbers that moved, and why; conflicts that
    were raised; who can see more or less, and consents and entities that changed; what is wrong with the branch; and
    lines that memories cite and the branch changes.
    Without BRANCH it reviews the current branch, since it left the default one: origin/HEAD, else main or master.
    Uncommitted changes are not part of it: see memstore status.
    """
    from memstore.documents.findings import review_lines
    from memstore.memories.review import review as compare

    session.choices.json = session.choices.json or output_format == "json"
    view = session.view()
    found = compare(view, branch, against=against)
    if output_format == "github" and not session.as_json:
        session.write(review_lines(found, view.of(HISTORY).require().prefix))
    else:
        session.emit("review", found, lambda: _lines(session, found))
        if not _counts(found):
            session.say(_nothing(found))
        _say_uncommitted(session, found)
    if found.errors:
        session.exit(Exit.FOUND_ERRORS)


def _say_uncommitted(session: CliSession, found: Review) -> None:
    """Report uncommitted changes when the checked-out branch was reviewed: they could be mistaken for a part of it."""
    view = session.view()
    if session.as_json or session.choices.quiet or found.branching.head != view.of(HISTORY).head():
        return
    waiting = view.of(WORK_TREE).pending().changes
    if count := len(waiting.memories) + len(waiting.broken) + len(view.of(WORK_TREE).own_pending()):
        what = (
            "file is not committed, and not part of this"
            if count == 1
            else "files are not committed, and not part of this"
        )
        session.say(f"{count} {what}; see memstore status")


def _nothing(found: Review) -> str:
    from memstore.cli.output import safe_line

    between = found.branching
    head, base = safe_line(between.head_name), safe_line(between.base_name)
    if between.is_default and between.head == between.base:
        return f"nothing to review: {head} is the default branch; memstore review BRANCH reviews another"
    if between.head == between.base:
        return f"nothing to review: {base} has all that is committed on {head}"
    return f"nothing to review: no commit on {head} changes a memory or one of the vault's own files"


# -- counts ----------------------------------------------------------------------------------------


def _counts(found: Review) -> str:
    """Return the review in a few words: "2 memories added, 1 changed; 1 note added; 1 conflict raised; 1 error"."""
    told = [
        ", ".join(_of_kind(found, "memory", "memories")),
        ", ".join(_of_kind(found, "note", "notes")),
        _counted(len(found.numbers), "number moved", "numbers moved"),
        _counted(len(found.conflicts), "conflict raised", "conflicts raised"),
        _counted(sum(len(one.change.gained) for one in found.sight), "case of wider access", "cases of wider access"),
        _counted(sum(len(one.change.lost) for one in found.sight), "loss of access", "losses of access"),
        _counted(len(found.own), "of the vault's own files", "of the vault's own files"),
        _counted(found.errors, "error", "errors"),
        _counted(len(found.findings) - found.errors, "warning", "warnings"),
        _counted(len(found.notices), "citation outdated", "citations outdated"),
    ]
    return "; ".join(filter(None, told))


def _of_kind(found: Review, kind: str, several: str) -> Iterator[str]:
    parts = {"added": found.added, "changed": found.changed, "removed": found.removed, "moved": found.moved}
    named = False
    for done, items in parts.items():
        if count := sum(one.kind == kind for one in items):
            what = "" if named else f" {kind if count == 1 else several}"
            yield f"{count}{what} {done}"
            named = True


def _counted(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}" if count else ""


# -- as lines --------------------------------------------------------------------------------------


def _lines(session: CliSession, found: Review) -> Iterator[str]:
    from memstore.cli.output import safe_line

    counts = _counts(found)
    if not counts:
        return
    between = found.branching
    names = f"{safe_line(between.head_name)} against {safe_line(between.base_name)}"
    yield f"{session.paint('heading', names)} ({between.base[:_SHORT]}): {counts}"
    for heading, lines in (
        ("added", (_item(session, one) for one in found.added)),
        ("changed", (line for one in found.changed for line in _changed(session, one))),
        ("removed", (_item(session, one) for one in found.removed)),
        ("moved", (_moved(session, one) for one in found.moved)),
        ("numbers moved", (line for one in found.numbers for line in _number(session, one))),
        ("conflicts raised", (line for one in found.conflicts for line in _conflict(session, one))),
        ("who sees more or less", _sight(session, found.sight)),
        ("consents, entities, settings", (_own(session, one) for one in found.own)),
        ("what is wrong", (line for one in found.findings for line in _finding(session, one))),
        ("cited lines that change", (line for one in found.notices for line in _finding(session, one))),
    ):
        yield from _section(session, heading, lines)


def _section(session: CliSession, heading: str, lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == 0:
            yield ""
            yield session.paint("heading", heading)
        yield f"  {line}"


def _item(session: CliSession, one: Reviewed) -> str:
    return _named(session, one.title, one.ref if one.kind == "memory" else "plain note", one.path)


def _named(session: CliSession, title: str, ref: str | None, path: str, line: int | None = None) -> str:
    from memstore.cli.output import safe_line

    paint = session.paint
    at = f":{paint('line', str(line))}" if line else ""
    words = (paint("title", safe_line(title)), paint("ref", safe_line(ref or "")), f"{paint.path(path)}{at}")
    return "  ".join(filter(None, words))


def _changed(session: CliSession, one: Reviewed) -> Iterator[str]:
    from memstore.cli.output import safe_line

    yield _item(session, one)
    yield from (f"  {safe_line(change)}" for change in one.changes)


def _moved(session: CliSession, one: Reviewed) -> str:
    return f"{_item(session, one)} (from {session.paint.path(one.path_before or '')})"


def _number(session: CliSession, one: NumberMoved) -> Iterator[str]:
    from memstore.cli.output import safe_line

    yield _named(session, one.title, one.ref, one.path, one.line)
    yield f"  {safe_line(str(one))}"


def _conflict(session: CliSession, one: Conflict) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint = session.paint
    kind = paint("warning", one.conflict_type.value)
    yield f"{kind} between {paint('ref', one.refs[0])} and {paint('ref', one.refs[1])} [{one.rule}]"
    for side in one.lines:
        said = paint("title", safe_line(" ".join(side.said.split())))
        yield f"  {paint.place(side.path, side.line_start)}: {said}"


def _sight(session: CliSession, moved: Sequence[SightMoved]) -> Iterator[str]:
    """Yield each entity that gains or loses sight, with its memories; everybody comes first."""
    yield from _sight_of(session, moved, gains=True)
    yield from _sight_of(session, moved, gains=False)


def _sight_of(session: CliSession, moved: Sequence[SightMoved], *, gains: bool) -> Iterator[str]:
    from memstore.access.sight import in_words
    from memstore.cli.output import safe_line

    by_seer: dict[Seer, list[SightMoved]] = {}
    for one in moved:
        for seer in one.change.gained if gains else one.change.lost:
            by_seer.setdefault(seer, []).append(one)
    role, does, rest = ("added", "can now see", "not") if gains else ("removed", "can no longer see", "but for")
    for seer in sorted(by_seer, key=lambda one: (one.entity, one.context or "")):
        yield session.paint(role, f"{safe_line(in_words([seer]))} {does}")
        for one in by_seer[seer]:
            others = one.change.but if gains else one.change.still
            meant = [other for other in others if seer.entity in (EVERYBODY, other.entity)]
            told = f"; {rest} {safe_line(in_words(meant))}" if meant else ""
            yield f"  {_named(session, one.title, one.change.ref, one.change.path, one.line)}{told}"


def _own(session: CliSession, one: OwnChange) -> str:
    from memstore.cli.output import safe_line

    text = f": {safe_line(one.text)}" if one.text else ""
    return f"{one.done} {session.paint.path(one.path)}{text}"


def _finding(session: CliSession, one: Finding) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint, word = session.paint, one.severity.value
    at = paint("line", f"{one.at.line}:{one.at.column}")
    yield f"{paint.path(one.path)}:{at}: {paint(word, word)}: {safe_line(one.text)} {paint('dim', f'[{one.code}]')}"
    if one.hint:
        yield f"  hint: {safe_line(one.hint)}"
