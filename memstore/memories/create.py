"""Memories written from Python, with seed 000's arguments; `add_memory` takes any key of any type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from memstore.codec.episode import Account
from memstore.flows.add import DEFAULT_TYPE, add_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.render import Plain
    from memstore.core.change import Saved
    from memstore.core.view import View


class Said(TypedDict, total=False):
    """What may be said of any new memory; all of it is optional.

    The keys are those of the frontmatter, but for these: `session_id` and `trigger` are its `origin`; a `context` in
    free words is the first of `context_tags`, and one like `ctx:vet` is the privacy context. Refs may be abbreviated.
    """

    title: str
    tags: Sequence[str]
    source: str
    source_type: str
    source_entity: str
    source_chain: Sequence[str]
    channel: str
    session_id: str
    trigger: str
    context: str
    context_tags: Sequence[str]
    subject_ids: Sequence[str]
    access_grants: Sequence[str]
    consent_grants: Sequence[str]
    scope: str
    importance: str


class About(Said, total=False):
    """What may be said of a new memory, and how it is written: not at all but for show, or committed too."""

    derived_from: Sequence[str]
    relates_to: Sequence[str]
    dry_run: bool
    commit: bool


def raw(view: View, content: str, **about: Unpack[About]) -> Saved:
    """Write something down as it came, to be made more of later (`promote`, `process_raw`).

    >>> raw(ws.view(), "First memory capture!", source="human:sean", trigger="greeting").path
    'memories/raw/2026/02/first-memory-capture-m_0000000001.md'
    """
    return _add(view, {"type": "raw"}, content, about)


def episode(view: View, objective: str, outcome: str, lessons: Sequence[str] = (), **about: Unpack[About]) -> Saved:
    """Write down what happened.

    >>> saved = episode(ws.view(), "First collab with Claire on PR #24", "merged", lessons=["ask early"])
    >>> show_memory(ws.view(), saved.ref).memory.title
    'First collab with Claire on PR #24'

    Args:
        view: the vault.
        objective: what it was about; the memory's title.
        outcome: how it came out.
        lessons: what was learnt.
        about: what else is known of it.
    """
    account = Account(objective=objective, outcome=outcome, lessons=tuple(lessons))
    return _add(view, {"type": "episode", "title": account.title}, account.told(), about)


def note(view: View, content: str, type: str = DEFAULT_TYPE, **about: Unpack[About]) -> Saved:  # noqa: A002 - the seed's name
    """Write a note, or a note with a purpose: an insight, a decision, an observation and so on.

    >>> note(ws.view(), "Claire answers in the evening.", source="told by Sean").ref
    'note:m_0000000001'
    """
    return _add(view, {"type": type}, content, about)


def belief(
    view: View,
    statement: str,
    type: str = "fact",  # noqa: A002 - the seed's name
    confidence: float | None = None,
    *,
    foundational: bool = False,
    **about: Unpack[About],
) -> Saved:
    """Write down what is held to be true.

    >>> first = raw(ws.view(), "Three witnesses, three stories.")
    >>> held = belief(ws.view(), "Truth is rarely binary.", confidence=0.65, derived_from=[first.ref])
    >>> show_memory(ws.view(), held.ref).memory.source_type
    'direct_experience'

    Args:
        view: the vault.
        statement: what is held.
        type: fact, rule, preference, constraint, learned or value.
        confidence: in [0, 1]; 0.8 where nothing is stated, or less where what it is made of is held with less.
        foundational: whether it stays, whatever the evidence.
        about: what else is known of it.
    """
    keys: dict[str, Plain] = {"type": "belief", "belief_type": None if type == "fact" else type}
    return _add(view, {**keys, "confidence": confidence, "foundational": foundational or None}, statement, about)


def _add(view: View, keys: dict[str, Plain], body: str, about: About) -> Saved:
    dry_run, commit = about.pop("dry_run", False), about.pop("commit", False)
    return add_memory(view, {**keys, **values_of(about)}, body, dry_run=dry_run, commit=commit)


def values_of(about: Said) -> dict[str, Plain]:
    """Return the keys of a frontmatter for what is said of a memory."""
    said: dict[str, Any] = {**about}
    origin = {name: said.pop(name, None) for name in ("session_id", "trigger")}
    words = list(said.pop("context_tags", ()))
    context = said.pop("context", None)
    if context and not context.startswith("ctx:"):
        words.insert(0, context)
        context = None
    lists = {name: value if isinstance(value, str | int | float) else [*value] for name, value in said.items()}
    return {
        **lists,
        "origin": {name: value for name, value in origin.items() if value} or None,
        "context": context,
        "context_tags": list(dict.fromkeys(words)),
    }
