"""`memstore search --bisect`: which commit made an answer what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.memories.bisect import Bisected, State


def show_change(session: CliSession, query: str | None, refs: tuple[str, ...]) -> None:
    """Find the commit that made an answer appear or change, by searching the vault as it was.

    Like `git bisect`, it halves the history again and again; unlike it, it changes no file. If the answer changed
    several times, it finds one of these changes.
    """
    from memstore.memories.bisect import bisect as find

    found = find(session.view(), query, refs)
    session.emit("bisect", found, lambda: _lines(session, found))
    states = "state" if found.looked_at == 1 else "states"
    session.say(f"looked at {found.looked_at} {states} of {found.of:,}")


def _lines(session: CliSession, found: Bisected) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint, commit = session.paint, found.commit
    if not found.before and not found.since:
        yield "there is no answer now, and there was none at any commit that was looked at"
        return
    if commit is None:
        yield paint("warning", "by changes that are not committed yet")
    else:
        subject = safe_line(commit.message.partition("\n")[0])
        yield f"{paint('ref', commit.short)}  {commit.at:%Y-%m-%d}  {subject}  {paint('dim', safe_line(commit.author))}"
    yield from _state(session, "before", found.before)
    yield from _state(session, "since", found.since)


def _state(session: CliSession, name: str, state: State) -> Iterator[str]:
    from memstore.cli.output import safe, safe_line
    from memstore.core.quotation import quoted

    paint = session.paint
    head = paint("removed" if name == "before" else "added", f"{name}:")
    if not state:
        yield f"{head} nothing"
    for one in state:
        place = f"{paint.place(one.path, one.line)} " if one.path else ""
        yield f"{head} {place}{paint('ref', safe_line(one.name))}"
        if one.external is not None:
            yield f"    [{one.external.origin}] {quoted(one.text)}"
        else:
            yield from (f"    {line}" for line in safe(one.text).split("\n") if one.text)
