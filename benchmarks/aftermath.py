"""What an interrupted command left behind, and whether that is what was promised.

Once the next command has looked, the vault's files are as they were before, or as after a complete run; so they stay;
and what the command said of it is true.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from sandbox import OTHER, OTHERS_PATH, OTHERS_REF, but_for_chance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from acts import Prepared
    from sandbox import Done, Files, Sandbox

    T = TypeVar("T")
    Run = Callable[..., Done]

KILL, FULL, BROKEN, READ_ONLY, TOO_MANY = "KILL", "ENOSPC", "EIO", "EROFS", "EMFILE"
FOR_GOOD = "+"
# What can go wrong with a call: anybody may be killed at each, a disk be broken; and it be full, unless room is made.
_ALWAYS = (KILL, BROKEN)
_TAKING_ROOM = (FULL, FULL + FOR_GOOD)
_OF_HANDLES = re.compile("write|send|sync|trunc")
KILLED = -9
_NOTHING = re.compile(r"nothing (else )?was (written|undone|changed|taken back|imported|adopted|moved)")
_NOT_COMMITTED = re.compile(r"nothing was committed|but not committed")
_ALL_THE_SAME = "written, but not committed"
_LEFT_TO_GIT = "is left to git merge-file"
_SETTLED_LATER = "the next command in this vault"
_BUG = re.compile(r"Traceback|this is a bug|^memstore: unexpected ", re.MULTILINE)


class State(StrEnum):
    """How the vault's files stand to a command."""

    BEFORE = "as before"
    AFTER = "as after"
    HALF = "HALF"


class Known(NamedTuple):
    """What a vault is before a command and after a complete run of it; a `head` is a commit."""

    before: Files
    after: list[tuple[bytes, bytes]]
    head_before: str
    moves_head: bool

    @classmethod
    def of(cls, sandbox: Sandbox, act: Prepared, run: Run) -> Known:
        """Return it for an act, which is run for that; the vault is as after the run.

        Raises:
            AssertionError: the act fails, or does nothing, even if nobody interrupts it.
        """
        sandbox.restore(act.name)
        before, head = sandbox.files(), sandbox.head()
        done = run(*act.words)
        if done.code or (sandbox.files(), sandbox.head()) == (before, head):
            raise AssertionError(f"{act.name} fails by itself, or does nothing: {done}")
        return cls(before, but_for_chance(sandbox.files()), head, sandbox.head() != head)

    def state(self, files: Files) -> State:
        """Return how files stand to the command; where it changes none, they are as after it."""
        if but_for_chance(files) == self.after and files != self.before:
            return State.AFTER
        if files == self.before:
            return State.AFTER if but_for_chance(files) == self.after else State.BEFORE
        return State.HALF


class Aftermath(NamedTuple):
    """What is wrong after an interruption, empty where nothing is; `state` is how the files stood in the end."""

    state: State
    wrong: tuple[str, ...]


def kinds_of(call: str) -> tuple[str, ...]:
    """Return what may happen at a call: KILL, and the names of errors, with a "+" where all later calls fail, too."""
    if call.startswith("unlink"):
        return (*_ALWAYS, READ_ONLY)
    if call.startswith("open"):
        return (*_ALWAYS, *_TAKING_ROOM, READ_ONLY, TOO_MANY)
    return (*_ALWAYS, *_TAKING_ROOM) if _OF_HANDLES.search(call) else (*_ALWAYS, *_TAKING_ROOM, READ_ONLY)


def spread(things: Sequence[T], count: int, *, start: int = 0) -> Iterator[T]:
    """Yield so many of the things, far apart from each other; from the `start`-th on, so that others get others."""
    if things:
        step = max(1, len(things) // count)
        yield from islice(things[start % step :: step], count)


def look(sandbox: Sandbox, known: Known, done: Done, run: Run) -> Aftermath:
    """Return what an interrupted command left behind, after the next command and three of somebody else's."""
    head, left = sandbox.head(), known.state(sandbox.files())
    listed = run("list")
    files = sandbox.files()
    state = known.state(files)
    wrong = [*_files_wrong(known, files, done), *_said_wrong(known, state, done, head)]
    if done.code > 0 and left is not State.AFTER and state is State.AFTER and _SETTLED_LATER not in done.err:
        wrong.append(f"files are {left}, it fails, and the next command completes it: {_last(done)}")
    if listed.code:
        wrong.append(f"the next list fails: {_last(listed)}")
    return Aftermath(state, (*wrong, *_later_wrong(sandbox, files, run)))


def _files_wrong(known: Known, files: Files, done: Done) -> Iterator[str]:
    if known.state(files) is not State.HALF or _LEFT_TO_GIT in done.err:
        return
    changed = [path for path in {*files, *known.before} if files.get(path) != known.before.get(path)]
    yield f"half: changed {', '.join(sorted(changed))}"


def _said_wrong(known: Known, state: State, done: Done, head: str) -> Iterator[str]:
    """Yield what is not true of a command's exit code and words."""
    moved = head != known.head_before
    if _BUG.search(done.err):
        yield f"a bug is shown: {_last(done)}"
    if done.code > 0 and not done.err.strip():
        yield f"it exits with {done.code}, and says nothing"
    if done.code < 0 and done.code != KILLED:
        yield f"it ends by signal {-done.code}"
    if done.code == 0 and state is not State.AFTER:
        yield f"it exits with 0, and the files are {state}"
    if done.code == 0 and known.moves_head and not moved:
        yield "it exits with 0, and nothing is committed"
    if _NOTHING.search(done.err) and known.before and state is not State.BEFORE and not _changes_no_file(known):
        yield f"files are {state}, and it says: {_last(done)}"
    if _ALL_THE_SAME in done.err and state is not State.AFTER:
        yield f"files are {state}, and it says: {_last(done)}"
    if _NOT_COMMITTED.search(done.err) and moved:
        yield f"it is committed, and it says: {_last(done)}"


def _changes_no_file(known: Known) -> bool:
    return but_for_chance(known.before) == known.after


def _later_wrong(sandbox: Sandbox, files: Files, run: Run) -> Iterator[str]:
    """Yield what somebody else's commands changed of what they found, or could not do."""
    run("--as", OTHER, "search", "tea")
    run("--as", OTHER, "list")
    written = run("--as", OTHER, "tag", OTHERS_REF, "+written")
    if written.code:
        yield f"somebody else can't write: {_last(written)}"
    later = sandbox.files()
    changed = [path for path in {*files, *later} - {OTHERS_PATH} if files.get(path) != later.get(path)]
    if changed:
        yield f"somebody else's commands change {', '.join(sorted(changed))}"


def _last(done: Done) -> str:
    return " / ".join((done.err or done.out).strip().splitlines()[:3])
