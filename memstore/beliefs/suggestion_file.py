"""The file of a suggestion: a draft that says what would be, on what evidence, quoted and cited.

What hands changed in the block of a MEMORY.md becomes a suggestion too, on which a person decides.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access.world import ABOUT
from memstore.beliefs.archive import edit_of_archiving
from memstore.beliefs.calibration import ground_of
from memstore.beliefs.consolidation import Action, proposal_id
from memstore.beliefs.evidence import as_evidence
from memstore.beliefs.next_lines import Stance, held, weigh
from memstore.beliefs.pool import ID_OF_PROPOSAL, deleted_suggestions, quotable
from memstore.beliefs.reinforce import edit_of_evidence
from memstore.beliefs.wording import Quotation, QuotedSource, SynthesisFailedError, objection, quotation, said_by
from memstore.core import digests
from memstore.core.change import Edit
from memstore.core.errors import RefusedError
from memstore.core.memory import default_title, title_of
from memstore.core.places import SUGGESTIONS
from memstore.core.terms import term_of, words
from memstore.core.times import instant
from memstore.core.transaction import unified_diff
from memstore.files import splice
from memstore.files.draft import new_file
from memstore.files.memory_file import MemoryFile
from memstore.files.render import entry_of
from memstore.search import citations

if TYPE_CHECKING:
    from datetime import datetime

    from memstore.beliefs.consolidation import ConsolidationProposal
    from memstore.beliefs.pool import Gathered
    from memstore.beliefs.wording import Synthesizer
    from memstore.core.memory import Memory
    from memstore.core.view import View


SOURCE = "consolidation"
MOST_TERMS_SHOWN = 6
_FENCE = "~~~~"
STANCES = {Action.SUPPORT: Stance.SUPPORT, Action.CONTRADICT: Stance.CONTRADICT}
_WOULD = {Action.SUPPORT: "supports", Action.CONTRADICT: "contradicts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionFile:
    """A proposal as a file; `old` and `new` are the confidence before and after, in [0, 1].

    `change` is what it would do to its target, None for a new belief; `note` says why a synthesizer was not heard.
    """

    proposal: ConsolidationProposal
    edit: Edit
    title: str
    old: float | None
    new: float | None
    change: Edit | None = None
    note: str | None = None

    @property
    def ref(self) -> str:
        """The suggestion's ref."""
        return f"belief:{self.proposal.id}"


def suggestion_of(
    view: View,
    proposal: ConsolidationProposal,
    gathered: Gathered,
    *,
    now: datetime,
    synthesizer: Synthesizer | None = None,
) -> SuggestionFile:
    """Return the file of a proposal; nothing is written.

    Args:
        view: the vault.
        proposal: what is suggested.
        gathered: what it was made of.
        now: UTC.
        synthesizer: who words a new belief; else its most general member is quoted.
    """
    if proposal.target is None or proposal.general is None:
        return (
            _of_archiving(view, proposal, proposal.target, gathered, now=now)
            if proposal.target
            else _of_new_belief(view, proposal, gathered, now=now, synthesizer=synthesizer)
        )
    return _of_evidence(view, proposal, proposal.target, gathered, now=now)


def _of_evidence(
    view: View, proposal: ConsolidationProposal, target: Memory, gathered: Gathered, *, now: datetime
) -> SuggestionFile:
    file, stance = gathered.files[str(target.ref)], STANCES[proposal.action]
    evidence = [as_evidence(member.memory, gathered.load) for member in proposal.members]
    weighed = weigh(file.memory, evidence, stance, now=now, by=view.actor, reason=f"Consolidated as {proposal.id}")
    change = edit_of_evidence(file, evidence, stance, weighed)
    quoted, cited = _quoted(proposal, gathered)
    step = f"{weighed.old:g} → {weighed.new:g}"
    told = f"{quoted.text}\n\n{_quoted_from(cited, proposal)}\n\nIt {_WOULD[proposal.action]}"
    return _about(view, proposal, change, f"{told} [[{target.ref}]], {step}", now=now, old=weighed.old, new=weighed.new)


def _of_archiving(
    view: View, proposal: ConsolidationProposal, target: Memory, gathered: Gathered, *, now: datetime
) -> SuggestionFile:
    file, number = gathered.files[str(target.ref)], held(target)
    change = edit_of_archiving(file, f"Accepted belief:{proposal.id}")
    why, figures = proposal.terms
    told = f"[[{target.ref}]] is {why} ({figures}), and would be put out of sight"
    return _about(view, proposal, change, told, now=now, old=number, new=number)


def _about(
    view: View,
    proposal: ConsolidationProposal,
    change: Edit,
    told: str,
    *,
    now: datetime,
    old: float | None,
    new: float | None,
) -> SuggestionFile:
    """Return a suggestion of a change to a belief, which it shows."""
    file = change.before
    if not isinstance(file, MemoryFile):
        raise TypeError(f"{change.path} is not a memory")
    title = f"{proposal.action.value.capitalize()}: {title_of(file.memory)}"
    values = {**_common(view, proposal, now), "title": title, "relates_to": [str(file.memory.ref)]}
    body = f"{told}: {title_of(file.memory)}\n\n{diff_of(change)}"
    edit = _edit(proposal, values, body)
    return SuggestionFile(proposal=proposal, edit=edit, title=title, old=old, new=new, change=change)


def diff_of(change: Edit) -> str:
    """Return what a change makes of a file, as a block of Markdown."""
    diff = unified_diff(change.path, change.before.data if change.before else None, change.after)
    return f"{_FENCE}diff\n{diff}{_FENCE}\n"


def _of_new_belief(
    view: View, proposal: ConsolidationProposal, gathered: Gathered, *, now: datetime, synthesizer: Synthesizer | None
) -> SuggestionFile:
    quoted, cited = _quoted(proposal, gathered)
    worded, note = _worded(proposal, synthesizer)
    ground = ground_of(proposal, gathered.load, now=now, by=view.actor)
    told = f'{worded}\n\nWorded after "{quoted.text}" ' if worded else f"{quoted.text}\n\n"
    title = default_title(worded or quoted.text)
    values = {
        **_common(view, proposal, now),
        "title": title,
        "relates_to": [member.ref for member in proposal.members if member.memory.type == "episode"],
        "confidence": ground.confidence,
        "confidence_history": [entry_of(line) for line in ground.ledger],
    }
    from_ = _quoted_from(cited, proposal)
    body = f"{told}{f'({from_[0].lower()}{from_[1:-1]}).' if worded else from_}\n"
    edit = _edit(proposal, values, body)
    return SuggestionFile(proposal=proposal, edit=edit, title=title, old=None, new=ground.confidence, note=note)


def _common(view: View, proposal: ConsolidationProposal, now: datetime) -> dict[str, Any]:
    """Return the keys that every suggestion has: it is shown to nobody who does not see all of its evidence."""
    members = sorted(member.ref for member in (*proposal.members, *proposal.against))
    return {
        "type": "belief",
        "id": proposal.id,
        "status": "draft",
        "proposes": proposal.action.value,
        "created_at": instant(now),
        "author": view.actor,
        "source": SOURCE,
        "source_type": SOURCE,
        "derived_from": [*members, f"{SOURCE}:{now:%Y-%m-%d}"],
        **labels(_labelled(proposal)),
    }


def labels(memory: Memory) -> dict[str, Any]:
    """Return the keys that say whom a memory is about and who may see it."""
    return {name: _plain(value) for name in ABOUT if (value := getattr(memory, name)) not in ((), None, "global")}


def _labelled(proposal: ConsolidationProposal) -> Memory:
    """Return a memory whose labels are those of all of the evidence, and of the target."""
    if proposal.target is not None:
        return proposal.target
    return proposal.members[0].memory


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _edit(proposal: ConsolidationProposal, values: dict[str, Any], body: str) -> Edit:
    return Edit(path=f"{SUGGESTIONS}{proposal.id}.md", before=None, after=new_file(values, body))


# -- words ---------------------------------------------------------------------------------------


def _quoted(proposal: ConsolidationProposal, gathered: Gathered) -> tuple[Quotation, str]:
    """Return the words of the most general member that say most of what is shared, and their citation."""
    member = proposal.general or proposal.members[0]
    file = gathered.files[member.ref]
    found = quotation(quotable(file), frozenset(proposal.terms))
    if found is None:
        line = file.front.position("title").line
        found = Quotation(title_of(member.memory), line, line)
    return found, citations.written(member.ref, (found.line_start, found.line_end), _blob(file))


def _blob(file: MemoryFile) -> str:
    return digests.blob_id(file.data, "sha1")


def _quoted_from(cited: str, proposal: ConsolidationProposal) -> str:
    roots = {root for member in proposal.members for root in member.roots}
    against = f", {len(proposal.against)} against" if proposal.against else ""
    shared = ", ".join(f"*{word}*" for word in _spelt(proposal))
    return (
        f"Quoted from {cited}; {len(proposal.members)} memories from {len(roots)} independent roots{against} "
        f"share {shared}."
    )


def _spelt(proposal: ConsolidationProposal) -> list[str]:
    """Return the shared terms as the members write them."""
    spelt: dict[str, str] = {}
    for member in proposal.members:
        for word in words(member.text):
            spelt.setdefault(term_of(word), word)
    return [spelt.get(term, term) for term in proposal.terms[:MOST_TERMS_SHOWN]]


def _worded(proposal: ConsolidationProposal, synthesizer: Synthesizer | None) -> tuple[str, str | None]:
    """Return a synthesizer's words and no note, or none and the note why it was not heard."""
    if synthesizer is None:
        return "", None
    sources = {member.ref: member.text for member in (*proposal.members, *proposal.against)}
    try:
        answer = synthesizer.answer([QuotedSource(ref, text) for ref, text in sources.items()], proposal.terms)
    except SynthesisFailedError as error:
        return "", f"quoted instead: {error}"
    wording = said_by(answer)
    problem = wording if isinstance(wording, str) else objection(wording, sources)
    if problem or isinstance(wording, str):
        return "", f"quoted instead: the answer can't be used: {problem}"
    return wording.text, None


# -- lines of a page that hands changed ------------------------------------------------------------


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


class PageLines:
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
        what = "changed its wording" if line.text else "removed it, so that it would be put out of sight"
        told = f"[[{target.memory.ref}]] is listed in {line.page}, and somebody {what}: {title}\n\n"
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
        raise RefusedError(f"{target.memory.ref} is {target.memory.status}, so its text stays as it is")
    return Edit(path=target.path, before=target, after=splice.apply(target, [splice.SetValue("title", title)]))


def _file(line: ByHand, values: dict[str, Any], body: str) -> Edit:
    return Edit(path=f"{SUGGESTIONS}{line.id}.md", before=None, after=new_file(values, body))


def _scope_of(page: str) -> str | None:
    folder, _, rest = page.partition("/")
    return f"project:{rest.partition('/')[0]}" if folder == "projects" and rest else None
