"""Say the same in better words: the memory keeps its id, its ledger and all that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.codec import splice
from memstore.core.again import again_where_changed
from memstore.core.change import Edit
from memstore.errors import RefusedError, UsageError
from memstore.flows.save import message_of, save

if TYPE_CHECKING:
    from memstore.codec.fence import FencedText
    from memstore.core.change import Saved
    from memstore.core.view import View


@again_where_changed
def revise(
    view: View,
    ref: str,
    text: str | None = None,
    *,
    title: str | None = None,
    reason: str | None = None,
    dry_run: bool = False,
    commit: bool = False,
) -> Saved:
    """Give a memory other words for the same proposition; for another one there is `supersede`.

    >>> held = belief(ws.view(), "Bella eats at nine-ish.")
    >>> revise(ws.view(), held.ref, "Bella eats at nine.").ref == held.ref
    True

    Args:
        view: the vault.
        ref: the memory.
        text: its new text; None keeps the old one.
        title: its new title; None keeps the old one, or the first words of the text where it has none.
        reason: why; the commit's message says it.
        dry_run: write nothing, and return what would be.
        commit: commit it, too.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: it was forgotten.
        UsageError: there is neither text nor title, or a reason and no commit to keep it.
    """
    message = message_of(view, reason, commit=commit, dry_run=dry_run)
    if not (text or "").strip() and not (title or "").strip():
        raise UsageError("there are no better words", hint='memstore revise REF "what holds, better said"')
    file = view.original(ref)
    if file.memory.status == "forgotten":
        raise RefusedError(f"{file.memory.ref or file.path} was forgotten: no words are left to better")
    edits = [] if title is None else [splice.SetValue("title", title.strip())]
    data = splice.apply_to_text(file.path, reworded(file.text, text) if text else file.text, edits)
    edit = Edit(path=file.path, before=file, after=data)
    return save(view, edit, verb="revise", dry_run=dry_run, commit=commit, message=message)


def reworded(old: FencedText, text: str) -> FencedText:
    """Return a file's text with another body, set off and ended as the old one was, in the file's own line ends."""
    words = old.newline.join(text.replace("\r\n", "\n").strip("\n").split("\n"))
    has_text = bool(old.body.strip())
    lead = old.body[: len(old.body) - len(old.body.lstrip("\r\n"))] if has_text else old.newline
    tail = old.body[len(old.body.rstrip("\r\n")) :] if has_text else old.newline
    return old._replace(body=f"{lead}{words}{tail}")
