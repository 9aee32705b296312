"""What hands changed in the block of a MEMORY.md, as suggestions on which a person decides."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.codec import splice
from memstore.codec.draft import new_file
from memstore.codec.titles import title_of
from memstore.core.change import Edit
from memstore.errors import RefusedError
from memstore.flows.archive import edit_of_archiving
from memstore.flows.consolidation_pool import ID_OF_PROPOSAL, deleted_suggestions
from memstore.flows.suggestion_file import diff_of, labels
from memstore.model.instants import instant
from memstore.rules.consolidation import Action, proposal_id
from memstore.rules.vault_places import SUGGESTIONS

if TYPE_CHECKING:
    from datetime import datetime

    from memstore.codec.memory_file import MemoryFile
    from memstore.core.view import View

SOURCE_TYPE = "told_by_human"


class ByHand(NamedTuple):
    """What a hand changed: a line that it wrote (no `target`), reworded, or took out (no `text`)."""

    page: str
    text: str
    target: MemoryFile | None

    @property
    def action(self) -> Action:
        """What would make the memories say the same."""
        if self.target is None:
            return Action.CREATE
        return Action.REVISE if self.text else Action.ARCHIVE

    @property
    def id(self) -> str:
        """The id of the suggestion, the same for the same change."""
        memory = self.target.memory if self.target else None
        if self.action is Action.ARCHIVE:
            return proposal_id(self.action, memory, ())  # whoever suggests it
        said = "\n".join([self.page, str(memory.ref) if memory else "", self.text])
        return f"{ID_OF_PROPOSAL}{hashlib.sha256(said.encode(errors='surrogateescape')).hexdigest()[:12]}"

    @property
    def ref(self) -> str:
        """The suggestion's ref: it is of the type of what it is about."""
        return f"{self.target.memory.type if self.target else 'note'}:{self.id}"


class Lines:
    """Which of the lines that hands changed wait for a decision, which are new, and which were decided on.

    Args:
        view: the vault.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        ids, statuses = view.column("id"), view.column("status")
        self._known = {ids[row]: statuses[row] for row in view.whole.rows if ids[row].startswith(ID_OF_PROPOSAL)}
        self._known |= {str(memory.id): "deleted" for memory in deleted_suggestions(view)}

    def is_decided(self, line: ByHand) -> bool:
        """Whether somebody said yes or no to a suggestion; a file that was deleted says no."""
        return self._known.get(line.id, "draft") != "draft"

    def is_new(self, line: ByHand) -> bool:
        """Whether there is no suggestion of it yet."""
        return line.id not in self._known

    def edit(self, line: ByHand, now: datetime) -> Edit:
        """Return the file of a suggestion."""
        target = line.target
        values: dict[str, Any] = {
            "type": target.memory.type if target else "note",
            "id": line.id,
            "status": "draft",
            "proposes": line.action.value,
            "created_at": instant(now),
            "author": self._view.actor,
            "source": line.page,
            "source_type": SOURCE_TYPE,
        }
        if target is None:
            scope = _scope_of(line.page)
            return _file(line, {**values, **({"scope": scope} if scope else {})}, f"{line.text}\n")
        title = title_of(target.memory)
        values |= {**labels(target.memory), "relates_to": [str(target.memory.ref)]}
        values["title"] = line.text or f"Archive: {title}"
        what = "words it otherwise" if line.text else "took it out, so that it would be put out of sight"
        told = f"[[{target.memory.ref}]] stands in {line.page}, and a hand {what}: {title}\n\n"
        return _file(line, values, told + diff_of(edit_of(line.action, target, values["title"], line.ref)))


def edit_of(action: Action, target: MemoryFile, title: str, suggested_as: str) -> Edit:
    """Return what a suggestion makes of the memory that it is about.

    Args:
        action: to revise or to archive it.
        target: the memory.
        title: its new title.
        suggested_as: the suggestion's ref.

    Raises:
        RefusedError: it is superseded or was forgotten.
    """
    if action is Action.ARCHIVE:
        return edit_of_archiving(target, f"Accepted {suggested_as}")
    if target.memory.status not in ("active", "archived", "draft"):
        raise RefusedError(f"{target.memory.ref} is {target.memory.status}, and keeps its words")
    return Edit(path=target.path, before=target, after=splice.apply(target, [splice.SetValue("title", title)]))


def _file(line: ByHand, values: dict[str, Any], body: str) -> Edit:
    return Edit(path=f"{SUGGESTIONS}{line.id}.md", before=None, after=new_file(values, body))


def _scope_of(page: str) -> str | None:
    folder, _, rest = page.partition("/")
    return f"project:{rest.partition('/')[0]}" if folder == "projects" and rest else None
