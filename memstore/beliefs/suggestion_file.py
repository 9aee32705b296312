"""The file of a suggestion: a draft with the proposed change and its evidence, quoted and cited.

Changes by hand in the block of a MEMORY.md become suggestions too, which a person decides on.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access.world import ABOUT
from memstore.beliefs.archive import edit_of_archiving
from memstore.beliefs.calibration import ground_of
from memstore.beliefs.consolidation import Action, proposal_id
from memstore.beliefs.evidence import as_evidence
from memstore.beliefs.next_lines import Stance, held, weigh
from memstore.beliefs.pool import deleted_suggestions, quotable
from memstore.beliefs.reinforce import edit_of_evidence
from memstore.beliefs.wording import (
    MOST_WORDS,
    QuotedSource,
    SynthesisFailedError,
    closest,
    content_terms,
    located,
    objection,
    said_by,
)
from memstore.core import digests
from memstore.core.change import Edit
from memstore.core.errors import RefusedError
from memstore.core.ids import ID_OF_PROPOSAL
from memstore.core.places import SUGGESTIONS
from memstore.core.terms import term_of, words
from memstore.core.times import instant
from memstore.core.titles import default_title, in_a_key, title_of
from memstore.core.transaction import unified_diff
from memstore.files import splice
from memstore.files.draft import new_file
from memstore.files.memory_file import MemoryFile
from memstore.files.render import entry_of
from memstore.search import citations

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from memstore.beliefs.consolidation import ConsolidationProposal
    from memstore.beliefs.pool import Gathered
    from memstore.beliefs.pooled import Pooled
    from memstore.beliefs.wording import Synthesizer
    from memstore.core.memory import Memory
    from memstore.core.view import View


SOURCE = "consolidation"
MOST_TERMS_SHOWN = 6
MOST_LISTED = 12
LONGEST_TITLE = 120  # characters
# The part of a suggestion that only serves the decision begins here.
EVIDENCE = "## Evidence"
_WRITTEN = re.compile(r"\w[\w'’.-]*\w|\w")
_FENCE = "~~~~"
STANCES = {Action.SUPPORT: Stance.SUPPORT, Action.CONTRADICT: Stance.CONTRADICT}
_WOULD = {Action.SUPPORT: "supports", Action.CONTRADICT: "contradicts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionFile:
    """A proposal as a file; `old` and `new` are the confidence before and after, in [0, 1].

    `change` is the edit of its target, None for a new belief; `note` says why a synthesizer's answer was not used.
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
        proposal: the proposal.
        gathered: the input of consolidation that it follows from.
        now: UTC.
        synthesizer: words a new belief; without one, its most general member is quoted.
    """
    if proposal.target is None or proposal.action is Action.SUPERSEDE:
        return _of_new_belief(view, proposal, gathered, now=now, synthesizer=synthesizer)
    if proposal.general is None:
        return _of_archiving(view, proposal, proposal.target, gathered, now=now)
    return _of_evidence(view, proposal, proposal.target, gathered, now=now)


def _of_evidence(
    view: View, proposal: ConsolidationProposal, target: Memory, gathered: Gathered, *, now: datetime
) -> SuggestionFile:
    file, stance = gathered.files[str(target.ref)], STANCES[proposal.action]
    evidence = [as_evidence(member.memory, gathered.load) for member in proposal.members]
    weighed = weigh(file.memory, evidence, stance, now=now, by=view.actor, reason=f"Consolidated as {proposal.id}")
    change = edit_of_evidence(file, evidence, stance, weighed)
    step = f"{weighed.old:g} → {weighed.new:g}"
    review = _review(proposal, gathered, f"It {_WOULD[proposal.action]} [[{target.ref}]], {step}: {title_of(target)}")
    return _about(view, proposal, change, review, now=now, old=weighed.old, new=weighed.new)


def _of_archiving(
    view: View, proposal: ConsolidationProposal, target: Memory, gathered: Gathered, *, now: datetime
) -> SuggestionFile:
    file, number = gathered.files[str(target.ref)], held(target)
    change = edit_of_archiving(file, f"Accepted belief:{proposal.id}")
    why, figures = proposal.terms
    told = f"[[{target.ref}]] is {why} ({figures}), and would be put out of sight: {title_of(target)}\n"
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
    """Return a suggestion to change a belief, with a diff of the change."""
    file = change.before
    if not isinstance(file, MemoryFile):
        raise TypeError(f"{change.path} is not a memory")
    title = in_a_key(f"{proposal.action.value.capitalize()}: {title_of(file.memory)}")
    values = {**_common(view, proposal, now), "title": title, "relates_to": [str(file.memory.ref)]}
    body = f"{told}\n{diff_of(change)}"
    edit = _edit(proposal.id, values, body)
    return SuggestionFile(proposal=proposal, edit=edit, title=title, old=old, new=new, change=change)


def diff_of(change: Edit) -> str:
    """Return the diff of a change as a Markdown code block."""
    diff = unified_diff(change.path, change.before.data if change.before else None, change.after)
    return f"{_FENCE}diff\n{diff}{_FENCE}\n"


def _of_new_belief(
    view: View, proposal: ConsolidationProposal, gathered: Gathered, *, now: datetime, synthesizer: Synthesizer | None
) -> SuggestionFile:
    worded, note = _synthesized_text(proposal, synthesizer)
    ground = ground_of(proposal, gathered.load, now=now, by=view.actor)
    title = in_a_key(_title(worded or proposal.text))
    values = {
        **_common(view, proposal, now),
        "title": title,
        "relates_to": [*_replaced(proposal), *(one.ref for one in proposal.members if one.memory.type == "episode")],
        **({"valid_from": _day(proposal.members[0])} if proposal.action is Action.SUPERSEDE else {}),
        "confidence": ground.confidence,
        "confidence_history": [entry_of(line) for line in ground.ledger],
    }
    edit = _edit(proposal.id, values, _review(proposal, gathered, _effect(proposal, ground.confidence), worded))
    old = held(proposal.target) if proposal.target else None
    return SuggestionFile(proposal=proposal, edit=edit, title=title, old=old, new=ground.confidence, note=note)


def _title(said: str) -> str:
    """Return the title of a suggestion: all that it says if that is short, as one sentence may say too little."""
    first = default_title(said)
    return said if len(said) <= LONGEST_TITLE and said.startswith(first) else first


def _replaced(proposal: ConsolidationProposal) -> list[str]:
    return [str(proposal.target.ref)] if proposal.target else []


def _day(member: Pooled) -> str:
    return (member.memory.created_at or "")[:10]


def _common(view: View, proposal: ConsolidationProposal, now: datetime) -> dict[str, Any]:
    """Return the keys of every suggestion, which hide it from anybody who may not see all of its evidence."""
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
        **({"origin": {"trigger": proposal.rule, "likeness": proposal.likeness}} if proposal.rule else {}),
        "derived_from": [*members, f"{SOURCE}:{now:%Y-%m-%d}"],
        **labels(_common_labels(proposal)),
    }


def labels(memory: Memory) -> dict[str, Any]:
    """Return the keys that say whom a memory is about and who may see it."""
    return {name: _plain(value) for name in ABOUT if (value := getattr(memory, name)) not in ((), None, "global")}


def _common_labels(proposal: ConsolidationProposal) -> Memory:
    """Return a memory that has the same labels as all of the evidence and the target."""
    if proposal.target is not None:
        return proposal.target
    return proposal.members[0].memory


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _edit(suggestion_id: str, values: dict[str, Any], body: str) -> Edit:
    return Edit(path=f"{SUGGESTIONS}{suggestion_id}.md", before=None, after=new_file(values, body))


# -- words ---------------------------------------------------------------------------------------


def _review(proposal: ConsolidationProposal, gathered: Gathered, effect: str, worded: str = "") -> str:
    """Return what a person needs to decide: the suggestion, the reasons, the evidence, and the effect of accepting."""
    why = _why(proposal, gathered)
    told = f"{proposal.text}\n\n{why}"
    if worded:
        told = f'{worded}\n\nWorded after "{proposal.text}" ({why[0].lower()}{why[1:-1]}).'
    parts = [told, f"{EVIDENCE}\n\n{_evidence_list(proposal, proposal.members, gathered)}"]
    if proposal.against:
        above = "Until then" if proposal.action is Action.SUPERSEDE else "Against it"
        parts.append(f"{above}:\n\n{_evidence_list(proposal, proposal.against, gathered)}")
    return "\n\n".join([*parts, f"## Effect\n\n{effect}\n"])


def _why(proposal: ConsolidationProposal, gathered: Gathered) -> str:
    """Return the source of the quotation, the numbers of memories and roots, and what they have in common."""
    roots = {root for one in proposal.members for root in one.roots}
    told = f"{_counted(proposal.members, 'memory', 'memories')} from {_counted(roots, 'independent root')}"
    if proposal.stated:
        of_all = f"{len(proposal.members)} of {len(proposal.members)}"
        differing = "; ".join(f"*{one}*" for one in proposal.differing)
        apart = f"differ in {differing} and" if differing else "each say more, and"
        return f"Stated by {of_all}: {told}. They {apart}{_in_common(proposal)}."
    cited = _citation(gathered, proposal.general or proposal.members[0], proposal.quote)
    return f"Quoted from {cited}; {told}{_in_common(proposal)}."


def _citation(gathered: Gathered, member: Pooled, quote: str) -> str:
    """Return the citation of a sentence of a memory; of its title, if that is where it stands."""
    file = gathered.files[member.ref]
    found = located(quotable(file), quote)
    line = file.front.position("title").line if found is None else 0
    lines = (found.line_start, found.line_end) if found else (line, line)
    return citations.citation_text(member.ref, lines, digests.blob_id(file.data, "sha1"))


def _in_common(proposal: ConsolidationProposal) -> str:
    """Return what the members of a proposal have in common, and how many memories contradict them."""
    if proposal.once is not None:
        before = _counted(proposal.against, "memory", "memories")
        verb = "speaks" if len(proposal.members) == 1 else "speak"
        since = f" {verb} of *{_topic(proposal)}* since {_day(proposal.members[0])}"
        return f'{since}, and {before} before that otherwise, as in "{proposal.once.text.rstrip(".")}"'
    against = f", {len(proposal.against)} against" if proposal.against else ""
    said = ", ".join(f"*{word}*" for word in spelt(proposal))
    if proposal.topic:
        return f"{against} speak of *{_topic(proposal)}*: {said}"
    return f"{against} share {said}" if said else f"{against} are alike in meaning"


def _counted(things: Collection[object], one: str, many: str = "") -> str:
    return f"{len(things)} {one if len(things) == 1 else many or f'{one}s'}"


def _evidence_list(proposal: ConsolidationProposal, members: Sequence[Pooled], gathered: Gathered) -> str:
    """Return memories as a list, oldest first, each with its most telling sentence; cited if all state it in common."""

    def named(one: Pooled) -> str:
        return _citation(gathered, one, _telling_sentence(proposal, one)) if proposal.stated else f"[[{one.ref}]]"

    by_time = sorted(members, key=lambda one: (one.memory.created_at or "", one.ref))
    lines = [f'- {_day(one)} {named(one)}: "{_telling_sentence(proposal, one)}"' for one in by_time[:MOST_LISTED]]
    more = len(by_time) - MOST_LISTED
    return "\n".join([*lines, *([f"- and {more} more"] if more > 0 else [])])


def _telling_sentence(proposal: ConsolidationProposal, member: Pooled) -> str:
    if member is proposal.general:
        return proposal.quote
    if proposal.once and member is proposal.once.memory:
        return proposal.once.text
    terms = proposal.terms or content_terms(proposal.quote)
    if proposal.stated:
        return closest(member.text, terms)
    whole = " ".join(member.text.split())
    return whole if len(whole.split()) <= MOST_WORDS else closest(member.text, terms) or default_title(member.text)


def _effect(proposal: ConsolidationProposal, confidence: float) -> str:
    """Return the effect of accepting a new belief."""
    count = len(proposal.counted)
    who = "the memory that says" if count == 1 else f"the {count} memories that say"
    written = f"Accepting it writes this as a belief with the confidence {confidence:g}, counted from {who} so"
    if proposal.action is not Action.SUPERSEDE:
        return f"{written}."
    since = f"{written}, which holds from {_day(proposal.members[0])} on"
    if proposal.target is None:
        return f"{since}; the earlier memories stay as they are."
    place = f"[[{proposal.target.ref}]], which stays as superseded: {title_of(proposal.target)}"
    return f"{since}. It takes the place of {place}"


def _topic(proposal: ConsolidationProposal) -> str:
    """Return a topic as people write it: the name of its family, or the term as the members spell it."""
    return _spelling(proposal).get(proposal.topic, proposal.topic)


def spelt(proposal: ConsolidationProposal) -> list[str]:
    """Return the shared terms as the members write them."""
    spelling = _spelling(proposal)
    return [spelling.get(term, term) for term in proposal.terms[:MOST_TERMS_SHOWN]]


def _spelling(proposal: ConsolidationProposal) -> dict[str, str]:
    """Return the members' words by their terms, in the first spelling that occurs."""
    found: dict[str, str] = {}
    for member in proposal.members:
        for word in _WRITTEN.findall(member.text):
            for folded in words(word):
                found.setdefault(term_of(folded), word)
    return found


def _synthesized_text(proposal: ConsolidationProposal, synthesizer: Synthesizer | None) -> tuple[str, str | None]:
    """Return a synthesizer's words and None, or an empty text and a note why its answer was not used."""
    if synthesizer is None:
        return "", None
    against = () if proposal.action is Action.SUPERSEDE else proposal.against
    sources = {member.ref: member.text for member in (*proposal.members, *against)}
    try:
        answer = synthesizer.answer([QuotedSource(ref, text) for ref, text in sources.items()], spelt(proposal))
    except SynthesisFailedError as error:
        return "", f"quoted instead: {error}"
    wording = said_by(answer)
    problem = wording if isinstance(wording, str) else objection(wording, sources, against={one.ref for one in against})
    if problem or isinstance(wording, str):
        return "", f"quoted instead: the answer can't be used: {problem}"
    return wording.text, None


# -- lines of a page that were changed by hand -----------------------------------------------------


SOURCE_TYPE = "told_by_human"


class ByHand(NamedTuple):
    """A change by hand: a line that was added (no `target`), reworded, or removed (no `text`)."""

    page: str
    text: str
    target: MemoryFile | None

    @property
    def action(self) -> Action:
        """The action that would make the memories say the same."""
        if self.target is None:
            return Action.CREATE
        return Action.REVISE if self.text else Action.ARCHIVE

    @property
    def id(self) -> str:
        """The id of the suggestion, the same for the same change."""
        memory = self.target.memory if self.target else None
        if self.action is Action.ARCHIVE:
            return proposal_id(self.action, memory, ())  # the same id as if consolidation suggests it
        said = "\n".join([self.page, str(memory.ref) if memory else "", self.text])
        return f"{ID_OF_PROPOSAL}{hashlib.sha256(said.encode(errors='surrogateescape')).hexdigest()[:12]}"

    @property
    def ref(self) -> str:
        """The suggestion's ref, with the type of the memory that it is about."""
        return f"{self.target.memory.type if self.target else 'note'}:{self.id}"


class PageLines:
    """Which of the lines changed by hand wait for a decision, which are new, and which were decided on.

    Args:
        view: the vault.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        ids, statuses = view.column("id"), view.column("status")
        self._known = {ids[row]: statuses[row] for row in view.whole.rows if ids[row].startswith(ID_OF_PROPOSAL)}
        self._known |= {str(memory.id): "deleted" for memory in deleted_suggestions(view)}

    def is_decided(self, line: ByHand) -> bool:
        """Whether a suggestion was accepted or rejected; deleting its file rejects it."""
        return self._known.get(line.id, "draft") != "draft"

    def is_new(self, line: ByHand) -> bool:
        """Whether there is no suggestion for this change yet."""
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
            return _edit(line.id, {**values, **({"scope": scope} if scope else {})}, f"{line.text}\n")
        title = title_of(target.memory)
        values |= {**labels(target.memory), "relates_to": [str(target.memory.ref)]}
        values["title"] = in_a_key(line.text or f"Archive: {title}")
        what = "changed its wording" if line.text else "removed it, so that it would be put out of sight"
        told = f"[[{target.memory.ref}]] is listed in {line.page}, and somebody {what}: {title}\n\n"
        return _edit(line.id, values, told + diff_of(edit_of(line.action, target, values["title"], line.ref)))


def edit_of(action: Action, target: MemoryFile, title: str, suggested_as: str) -> Edit:
    """Return the edit that a suggestion makes in the memory that it is about.

    Args:
        action: revise or archive.
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


def _scope_of(page: str) -> str | None:
    folder, _, rest = page.partition("/")
    return f"project:{rest.partition('/')[0]}" if folder == "projects" and rest else None
