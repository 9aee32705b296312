"""Edit a draft in the person's editor, repeatedly, until it is accepted or abandoned."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TypeVar

from memstore.core.errors import Exit, MemstoreError, UsageError, VaultError
from memstore.files.draft import NOTE, with_notes, without_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memstore.cli.session import CliSession
    from memstore.files.local_state import Environment
    from memstore.vault.editor import Editor

T = TypeVar("T")

# Nobody opens an editor, reads and closes it in less; `code` without `--wait` hands the file over and ends.
_SECONDS_OF_A_LOOK = 2.0

# Errors that further editing can fix.
_MENDABLE = frozenset({Exit.USAGE, Exit.NOT_FOUND, Exit.REFUSED, Exit.VAULT})


def edited(
    session: CliSession, name: str, data: bytes, accept: Callable[[bytes], T], *, notes: Sequence[str] = ()
) -> T | None:
    """Return what `accept` returned for the edited draft; None if the text was left unchanged.

    Args:
        session: the call.
        name: the name of the draft's file.
        data: the initial text.
        accept: takes the edited text; if it raises an error that editing can fix, the editor opens again with the error
            on top.
        notes: lines on top of the draft, for its writer.

    Raises:
        UsageError: there is nobody who could edit.
        VaultError: the editor failed, or the draft is not accepted and nobody can be asked; the text says where it is.
        MemstoreError: `accept` raised an error that editing can't fix; the draft is kept.
    """
    from memstore.vault import composition

    env = session.environment()
    root = session.view().root
    _stop_without_a_person(session, env, composition.editor(env))
    editor, drafts = composition.editor(env), composition.drafts(env, root)
    for left in drafts.left(name, data):
        session.say(f"an earlier edit left a draft in {left}: take what you need of it, and delete it")
    path = drafts.create(name, with_notes(data, notes))
    while True:
        began = time.monotonic()
        _open(editor, path)
        draft = without_notes(_draft_bytes(path))
        if draft == data:
            if time.monotonic() - began < _SECONDS_OF_A_LOOK:
                session.say(_if_it_is_still_open(editor, path))
            else:
                path.unlink()
            return None
        try:
            done = accept(draft)
        except MemstoreError as error:
            _reopen(session, path, draft, error)
        else:
            path.unlink()
            return done


def _stop_without_a_person(session: CliSession, env: Environment, editor: Editor) -> None:
    """Raise if an editor is forbidden, or if none was chosen and nobody sits at a terminal."""
    if session.choices.no_input:
        raise UsageError("this needs an editor, and --no-input forbids it", hint="memstore set REF KEY=VALUE")
    if not (env.at_terminal or editor.is_chosen):
        raise UsageError(
            "this needs an editor: none is set, and this is not a terminal",
            hint="set one with MEMSTORE_EDITOR or EDITOR",
        )


def _if_it_is_still_open(editor: Editor, path: Path) -> str:
    """Return what to do if a draft is still open in a window, since its editor did not wait; the draft stays."""
    return (
        f"the editor {editor.command!r} ended at once, and changed nothing. If the draft is still open there, what you "
        f"save goes to {path}, and memstore doctor lists it."
        "\nhint: an editor with windows must wait: MEMSTORE_EDITOR='code --wait'"
    )


def _draft_bytes(path: Path) -> bytes:
    """Return what the editor left of the draft."""
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise VaultError(f"the editor left no draft in {path}; nothing was changed", hint="try again") from error


def _open(editor: Editor, path: Path) -> None:
    """Open the draft; if the editor fails without changing it, it is not kept."""
    before = path.read_bytes()
    try:
        editor.open(path)
    except VaultError as error:
        if path.read_bytes() == before and not before.startswith(NOTE.encode()):
            path.unlink()
            raise
        raise VaultError(f"{error}; the draft is kept in {path}", hint=error.hint) from error


def _reopen(session: CliSession, path: Path, draft: bytes, error: MemstoreError) -> None:
    """Put an error on top of its draft and ask whether to continue; raise if not."""
    if error.exit_code not in _MENDABLE:
        raise type(error)(f"{error}; the draft is kept in {path}", hint=error.hint) from error
    path.write_bytes(with_notes(draft, [*str(error).splitlines(), *([f"hint: {error.hint}"] if error.hint else [])]))
    kept = VaultError(f"{error}\nthe draft is kept in {path}", hint=error.hint)
    if session.choices.no_input or session.as_json or sys.stdin is None or not sys.stdin.isatty():
        raise kept from error
    session.say(f"{error}\nhint: {error.hint}" if error.hint else str(error))
    if not session.confirm("open the draft again", instead="an editor that corrects it", enter=True):
        raise kept from error
