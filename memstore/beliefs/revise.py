"""Revise beliefs: reword them, or find what an episode says for and against them.

A reworded memory keeps its id, its ledger, and all references to it. What an episode supports or contradicts is
proposed, and recorded only on request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.beliefs.evidence import as_evidence, hearsay, rests_on
from memstore.beliefs.next_lines import Stance, held, weigh
from memstore.conflicts import LEXICON
from memstore.conflicts.compare import Comparer
from memstore.conflicts.contradiction import TextVerdict, compare_statements
from memstore.conflicts.habits import first_case
from memstore.conflicts.statements import statements
from memstore.core import digests
from memstore.core.change import Edit
from memstore.core.errors import ChangedMeanwhileError, NoIdError, RefusedError, UsageError, changed_while_read
from memstore.core.short_repr import short_repr
from memstore.core.transaction import Saving, again_where_changed, message_of, save
from memstore.files import splice
from memstore.lineage.refs import loader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.contradiction import Comparison
    from memstore.conflicts.sides import Side
    from memstore.conflicts.statements import Statement
    from memstore.core.change import Saved
    from memstore.core.conflict import Lines
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.fence import FencedText
    from memstore.files.memory_file import MemoryFile


@again_where_changed
def revise(
    view: View,
    memory: Named,
    text: str | None = None,
    *,
    old: str | None = None,
    version: str | None = None,
    title: str | None = None,
    reason: str | None = None,
    **saving: Unpack[Saving],
) -> Saved:
    """Reword a memory without changing its proposition; for a different proposition, use `supersede`.

    >>> held = belief(ws.view(), "Bella eats at nine-ish.")
    >>> revise(ws.view(), held.ref, "Bella eats at nine.").ref == held.ref
    True

    Args:
        view: the vault.
        memory: the memory.
        text: its new text; None keeps the old one.
        old: the part of its text that `text` replaces, which must occur exactly once; None for all of it.
        version: the revision that was read, or its first digits; if the file has another one, nothing is written.
        title: its new title; None keeps the old one, or the first words of the text if it has none.
        reason: why; it is kept in the commit's message.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory.
        RefusedError: it was forgotten.
        UsageError: there is neither text nor title; or a reason without a commit to keep it in; or `old` does not occur
            exactly once.
        ChangedMeanwhileError: the file is not the `version` that was read.
    """
    message = message_of(view, reason, saving)
    if old is None and not (text or "").strip() and not (title or "").strip():
        raise UsageError("there is no new text", hint='memstore edit REF "what holds, better said"')
    file = view.original(memory, by_name=True)
    name = file.memory.ref or file.path
    if version is not None and not _is_version(file, version):
        raise ChangedMeanwhileError(
            f"{name} is not version {version} any more: somebody changed it since it was read; nothing was written",
            hint=f"read it again: memstore show {name}",
        )
    if file.memory.status == "forgotten":
        raise RefusedError(f"{name} was forgotten: no text is left to change")
    if old is not None:
        text = _with_part(file, old, text or "")
    edits = [] if title is None else [splice.SetValue("title", title.strip())]
    data = splice.apply_to_text(file.path, reworded(file.text, text) if text else file.text, edits)
    edit = Edit(path=file.path, before=file, after=data)
    return save(view, edit, verb="revise", message=message, **saving)


# The number of digits that a person copies from `show`.
_LEAST_DIGITS = 7


def _is_version(file: MemoryFile, version: str) -> bool:
    """Whether a file is the revision that somebody read; its first digits suffice."""
    blobs = (digests.blob_id(file.data, name) for name in ("sha1", "sha256"))
    return len(version) >= _LEAST_DIGITS and any(blob.startswith(version) for blob in blobs)


def _with_part(file: MemoryFile, old: str, new: str) -> str:
    """Return a file's text with `old` replaced; raise `UsageError` unless it occurs exactly once."""
    name, words = file.memory.ref or file.path, file.text.body.replace("\r\n", "\n")
    part = old.replace("\r\n", "\n")
    times = words.count(part) if part else 0
    if times != 1:
        found = f"it stands there {times} times" if times else "it does not stand there"
        hint = "give more of what stands around it" if times else f"memstore show {name} prints the text"
        raise UsageError(f"can't replace that part of {name}: {found}", hint=hint)
    text = words.replace(part, new.replace("\r\n", "\n"))
    if not text.strip():
        raise UsageError(f"no text would be left in {name}", hint=f"memstore archive {name} puts it out of sight")
    return text


def reworded(old: FencedText, text: str) -> FencedText:
    """Return a file's text with a new body, with the old one's blank lines around it and the file's own line ends."""
    words = old.newline.join(text.replace("\r\n", "\n").strip("\n").split("\n"))
    has_text = bool(old.body.strip())
    lead = old.body[: len(old.body) - len(old.body.lstrip("\r\n"))] if has_text else old.newline
    tail = old.body[len(old.body.rstrip("\r\n")) :] if has_text else old.newline
    return old._replace(body=f"{lead}{words}{tail}")


# -- what an episode says of beliefs ---------------------------------------------------------------


_STANCES = {
    TextVerdict.AGREES: Stance.SUPPORT,
    TextVerdict.CONTRADICTS: Stance.CONTRADICT,
    TextVerdict.OTHER_VALUE: Stance.CONTRADICT,
}
_VERBS = {Stance.SUPPORT: "reinforce", Stance.PARTIAL: "reinforce", Stance.CONTRADICT: "contradict"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A belief, the line of its file that was compared, the episode's stance, and the confidence that would result.

    `why` says what one case says of a habit; a case against it weakens the habit, and counts as partial evidence.
    """

    ref: str
    path: str
    line: int
    title: str
    stance: Stance
    rule: str
    old: float
    new: float
    evidence: str
    why: str | None = None

    __repr__ = short_repr

    @property
    def command(self) -> str:
        """The command that records it."""
        command = f"memstore {_VERBS[self.stance]} {self.ref} --evidence {self.evidence}"
        command += " --partial" if self.stance is Stance.PARTIAL else ""
        return f'{command} --reason "{self.reason}"' if self.reason else command

    @property
    def reason(self) -> str | None:
        """What is recorded as the reason; None for the usual one."""
        return f"One case: {self.why}" if self.why else None


def revise_from(view: View, memory: Named) -> tuple[Proposal, ...]:
    """Return the beliefs that the sentences of an episode, or of any other memory, support or contradict.

    A belief that expects something is compared, as the outcome that it predicts, with memories that are not older; a
    habit is compared with one case of it: "jams often" with "jammed again today". A case against a habit weakens it.
    Evidence that was already counted, and beliefs that the memory rests on, are not proposed. Nothing is written.

    >>> held = belief(ws.view(), "Sean likes tea.")
    >>> seen = episode(ws.view(), "Breakfast", "Sean dislikes tea.")
    >>> [(one.ref == held.ref, one.stance.value) for one in revise_from(ws.view(), seen.ref)]
    [(True, 'contradict')]

    Raises:
        NotFoundError: there is no such memory.
        UsageError: it has no id to refer to it by.
    """
    comparer = Comparer(view)
    entry = view.find(memory)
    if entry.ref is None:
        raise NoIdError(entry.path)
    side = comparer.side_at(entry.path)
    if side is None:
        raise changed_while_read(entry.path)
    alike = (other for other in comparer.alike(side) if other.memory.type == "belief" and other.memory.ref)
    found = (_proposal(view, side, other) for other in alike)
    return tuple(sorted(filter(None, found), key=lambda one: (one.stance, one.ref)))


def _proposal(view: View, side: Side, other: Side) -> Proposal | None:
    """Return the proposal for one belief and an episode; None if they say nothing about each other."""
    found = _reading(view, side, other)
    if found is None or held(other.memory) is None:
        return None
    load = loader(view)
    if rests_on(side.memory, other.ref, load) or hearsay(side.memory, load, view.is_vouched):
        return None
    evidence = as_evidence(side.memory, load)
    weighed = weigh(other.memory, [evidence], found.stance, now=view.clock.now(), by=view.actor, reason=None)
    is_weaker = weighed.new < weighed.old
    if not weighed.lines or (found.stance is Stance.PARTIAL and not is_weaker):
        return None  # partial evidence would speak for what nobody believes
    return Proposal(
        ref=other.ref,
        path=other.path,
        line=found.lines.line_start if found.lines else 1,
        title=other.title,
        stance=found.stance,
        rule=found.rule,
        old=weighed.old,
        new=weighed.new,
        evidence=evidence.source,
        why=found.why,
    )


class _Reading(NamedTuple):
    """What an episode says of a belief: by which rule, at which lines of the belief, and why if it is one case."""

    stance: Stance
    rule: str
    lines: Lines | None
    why: str | None = None


def _reading(view: View, side: Side, other: Side) -> _Reading | None:
    ours, theirs = ([statement for statement, _ in one.statements] for one in (side, other))
    said = compare_statements(ours, theirs, opposes=view.of(LEXICON).opposes)
    lines = next((lines for statement, lines in other.statements if statement == said.right), None)
    comes_after = _comes_after(side.memory, other.memory)
    if said.verdict not in _STANCES and comes_after:
        said, lines = _outcome(view, ours, other)
    if said.verdict in _STANCES and not said.at_other_times:
        return _Reading(_STANCES[said.verdict], said.rule, lines)
    return _case(side, other) if said.verdict not in _STANCES and comes_after else None


def _case(side: Side, other: Side) -> _Reading | None:
    """Return what the episode says of a habit, by the first of its sentences that tells of a case of it."""
    found = first_case(*([statement.text for statement, _ in one.statements] for one in (other, side)))
    if found is None:
        return None
    at, _, case = found
    return _Reading(Stance.SUPPORT if case.is_for else Stance.PARTIAL, "habit", other.statements[at][1], case.why)


# The words that mark a sentence as an expectation: `I expect that`, `will`, `is going to`.
_EXPECTING = re.compile(
    r"^(?:\w+ ){1,3}?(?:expects?|predicts?|assumes?|supposes?)(?: that)? |\b(?:probably|likely) ", re.IGNORECASE
)
_TO_BE = re.compile(r"\b(?:will|shall)(?: not)? be\b", re.IGNORECASE)
_TO_COME = re.compile(r"\b(?:will|shall)(?: not)?\b|\b(?:is|are) (?:not )?(?:going|expected) to\b", re.IGNORECASE)


def as_outcome(sentence: str) -> str:
    """Return an expectation as the outcome that it predicts, and any other sentence unchanged.

    >>> as_outcome("I expect that Claire will not like the tea.")
    'Claire did not like the tea.'
    """
    said = _EXPECTING.sub(
        "", re.sub(r"\bwon['\u2019]t\b", "will not", re.sub(r"(?<=\w)['\u2019]ll\b", " will", sentence))
    )
    said = _TO_BE.sub(lambda found: "was not" if _denies(found[0]) else "was", said)
    said = _TO_COME.sub(lambda found: "did not" if _denies(found[0]) else "", said)
    return " ".join(said.split())


def _denies(verb: str) -> bool:
    return "not" in verb.lower().split()


def _comes_after(one: Memory, other: Memory) -> bool:
    """Whether a memory may report the outcome of another one's expectation; also True if either has no date."""
    return not (one.created_at and other.created_at) or one.created_at >= other.created_at


def _outcome(view: View, ours: Sequence[Statement], other: Side) -> tuple[Comparison, Lines | None]:
    """Return what sentences say about the outcome that a belief expects, and the lines that expect it."""
    said = compare_statements(ours, (), opposes=view.of(LEXICON).opposes)
    for statement, lines in other.statements:
        outcome = as_outcome(statement.text)
        if outcome != " ".join(statement.text.split()):
            said = compare_statements(ours, statements(outcome), opposes=view.of(LEXICON).opposes)
            if said.verdict in _STANCES:
                return said, lines
    return said, None


def record(view: View, proposal: Proposal, *, commit: bool = False) -> float:
    """Record a proposal that a person accepted; return the resulting confidence."""
    from memstore.beliefs.reinforce import contradict, reinforce

    done = contradict if proposal.stance is Stance.CONTRADICT else reinforce
    partial = proposal.stance is Stance.PARTIAL
    return done(view, proposal.ref, proposal.evidence, partial=partial, reason=proposal.reason, commit=commit).new
