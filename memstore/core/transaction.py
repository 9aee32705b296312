"""What use cases do with transactions: all of an operation is written or nothing, checked and compared under the lock.

`save` and `save_all` write memories through it. `again_where_changed` reruns a use case if somebody else changed in the
meantime what it had read.
"""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, NoReturn, ParamSpec, TypedDict, TypeVar, Unpack

from memstore.core.change import Edit, Saved
from memstore.core.errors import ChangedMeanwhileError, RefusedError, UsageError
from memstore.core.quotation import shown_title
from memstore.core.titles import title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.core.change import Written
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


# -- retrying a use case ---------------------------------------------------------------------------


P = ParamSpec("P")
T = TypeVar("T")

# Under the lock only an editor can interfere, and hardly ever twice.
MOST_TRIES = 4


def again_where_changed(use_case: Callable[Concatenate[View, P], T]) -> Callable[Concatenate[View, P], T]:
    """Wrap a use case that writes, so that it is retried under the vault's lock if its first try came too late.

    If two programs change one memory at once, both succeed: the second applies its change to the first one's result.
    The first try takes no lock while it reads, so writers of different files don't wait for each other.
    """

    @wraps(use_case)
    def tried(view: View, /, *args: P.args, **named: P.kwargs) -> T:
        try:
            return use_case(view, *args, **named)
        except ChangedMeanwhileError:
            pass
        with view.locked():
            for _ in range(MOST_TRIES - 2):
                with suppress(ChangedMeanwhileError):
                    return use_case(view.again(), *args, **named)
            return use_case(view.again(), *args, **named)

    return tried


# -- writing memories ------------------------------------------------------------------------------


class Saving(TypedDict, total=False):
    """How something is written: `dry_run` writes nothing and returns what would happen, `commit` also commits it.

    The vault's configuration may also ask for a commit.
    """

    dry_run: bool
    commit: bool


def save(view: View, edit: Edit, *, verb: str, message: str | None = None, **saving: Unpack[Saving]) -> Saved:
    """Write one memory; see `save_all`."""
    return save_all(view, [edit], verb=verb, message=message, **saving)[0]


def save_all(
    view: View,
    edits: Sequence[Edit],
    *,
    verb: str,
    own: Sequence[Written] = (),
    message: str | None = None,
    **saving: Unpack[Saving],
) -> tuple[Saved, ...]:
    """Write the memories of one operation after checking all of them.

    Args:
        view: the vault.
        edits: what is to be written; files whose bytes stay the same are left alone.
        verb: the command, for `undo`.
        own: files of the vault itself that belong to the operation: registries, consents, audit events.
        message: the commit message; None to derive it from the changes.
        saving: dry_run, commit.

    Raises:
        MemstoreError: as `Transaction.__exit__`.
    """
    with view.transaction(verb, message=message, **saving) as change:
        change.edit(*edits)
        change.put(*own)
    return change.saved


def save_own(view: View, files: Sequence[Written], *, verb: str, **saving: Unpack[Saving]) -> str | None:
    """Write files of the vault itself as one operation; return its commit, or None if there is none.

    Raises:
        MemstoreError: as `Transaction.__exit__`.
    """
    with view.transaction(verb, **saving) as change:
        change.put(*files)
    return change.commit


def refuse_as_not_owner(view: View, file: MemoryFile) -> NoReturn:
    """Refuse a change because only the owner may change a memory; the viewer already knows that it exists."""
    owner = file.memory.owner or view.config.owner
    raise RefusedError(
        f"{file.memory.ref or file.path} is {owner}'s, and only its owner may change it",
        hint="memstore add writes a memory of your own; --derived-from names what it was derived from",
    )


def message_of(view: View, reason: str | None, saving: Saving) -> str | None:
    """Return the commit message for a change that records its reason nowhere else.

    Raises:
        UsageError: there is a reason, but no commit that could keep it.
    """
    if reason and not (saving.get("commit") or view.config.auto_commit or saving.get("dry_run")):
        raise UsageError(
            "the reason goes into the commit message, and nothing is committed",
            hint="add -c, or leave it out and give it with memstore commit -m",
        )
    return reason


def shown(findings: Sequence[Finding]) -> str:
    """Return findings as lines that editors can jump from."""
    return "\n".join(finding.line for finding in findings)


def hint(findings: Sequence[Finding]) -> str | None:
    """Return the first hint among the findings."""
    return next((finding.hint for finding in findings if finding.hint), None)


def unified_diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """Return the difference between two states of a file as `git diff` shows it; empty if they are the same."""
    import difflib

    if before == after:
        return ""
    if before is None:
        return _all_new(path, _lines(after))
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if before is None else f"a/{path}",
        "/dev/null" if after is None else f"b/{path}",
    )
    return "".join(map(_ended, lines))


def _all_new(path: str, lines: list[str]) -> str:
    """Return the diff of a new file, without comparing anything."""
    if not lines:
        return ""
    count = "" if len(lines) == 1 else f",{len(lines)}"
    return "".join([f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1{count} @@\n", *(_ended(f"+{line}") for line in lines)])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes | None) -> list[str]:
    """Return a file's lines with their line ends; a carriage return is part of its line."""
    parts = (data or b"").decode(errors="replace").split("\n")
    return [f"{line}\n" for line in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def unchanged(file: MemoryFile) -> Saved:
    """Return the result for a memory that stays as it is."""
    ref = file.memory.ref
    title = shown_title(title_of(file.memory), file.memory.source_type)
    return Saved(ref=str(ref) if ref else None, path=file.path, title=title, diff="")
