"""Write memories from Python with the arguments of the seeds; `add_memory` takes any key of any type.

Seed 000 writes notes and beliefs; seed 004 creates a memory, and finds memories that others vouch for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from memstore.core.errors import FormatError, UsageError
from memstore.core.transaction import again_where_changed, save
from memstore.core.write_terms import Signing
from memstore.files import memory_file
from memstore.files.draft import Account
from memstore.files.memory_file import MemoryFile
from memstore.lineage.descent import descended
from memstore.memories.add import DEFAULT_TYPE, add_memory, prepared, refuse_by_hand
from memstore.memories.listing import list_memories
from memstore.search.clauses import Filters
from memstore.search.filters import is_tagged
from memstore.trust import SIGNATURES
from memstore.trust.reader import TrustReader
from memstore.trust.sign_written import WrittenSigner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.change import Saved
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.render import Plain


class OptionalKeys(TypedDict, total=False):
    """The optional keys of any new memory.

    They are named as in the frontmatter, except that `session_id` and `trigger` become its `origin`; a `context` in
    free words becomes the first of `context_tags`, and one like `ctx:vet` is the privacy context. Refs may be
    abbreviated.
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


class About(OptionalKeys, total=False):
    """The optional keys of a new memory, and how it is written: `dry_run` only shows it, `commit` commits it, too."""

    derived_from: Sequence[str]
    relates_to: Sequence[str]
    dry_run: bool
    commit: bool


def raw(view: View, content: str, **about: Unpack[About]) -> Saved:
    """Write something down verbatim, to be processed later (`promote`, `process_raw`).

    >>> raw(ws.view(), "First memory capture!", source="human:sean", trigger="greeting").path
    'raw/2026/first-memory-capture-0000.md'
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
        outcome: how it turned out.
        lessons: what was learnt.
        about: other keys.
    """
    account = Account(objective=objective, outcome=outcome, lessons=tuple(lessons))
    return _add(view, {"type": "episode", "title": account.title}, account.as_text(), about)


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
    """Write down a belief.

    >>> first = raw(ws.view(), "Three witnesses, three stories.")
    >>> held = belief(ws.view(), "Truth is rarely binary.", confidence=0.65, derived_from=[first.ref])
    >>> show_memory(ws.view(), held.ref).memory.source_type
    'direct_experience'

    Args:
        view: the vault.
        statement: what is believed.
        type: fact, rule, preference, constraint, learned or value.
        confidence: in [0, 1]; by default 0.8, or less if its sources are held with less.
        foundational: whether it stays, whatever the evidence.
        about: other keys.
    """
    keys: dict[str, Plain] = {"type": "belief", "belief_type": None if type == "fact" else type}
    return _add(view, {**keys, "confidence": confidence, "foundational": foundational or None}, statement, about)


def _add(view: View, keys: dict[str, Plain], body: str, about: About) -> Saved:
    dry_run, commit = about.pop("dry_run", False), about.pop("commit", False)
    return add_memory(view, {**keys, **values_of(about)}, body, dry_run=dry_run, commit=commit)


def values_of(about: OptionalKeys) -> dict[str, Plain]:
    """Return the keys of a frontmatter for the optional keys of a memory."""
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


# -- as in seed 004 --------------------------------------------------------------------------------


@again_where_changed
def create_memory(
    view: View,
    *,
    type: str = "insight",  # noqa: A002 - the seed's name
    summary: str,
    body: str,
    confidence: float | None = None,
    **about: Unpack[About],
) -> Memory:
    """Write a memory with author and time, signed if the user's settings name a key.

    >>> memory = create_memory(
    ...     ws.view(),
    ...     type="insight",
    ...     summary="Synthesis is harder than storage",
    ...     body="It's knowing what to remember.",
    ...     tags=["synthesis"],
    ...     confidence=0.8,
    ... )
    >>> str(memory.ref), memory.author, memory.created_at, memory.signature.by
    ('insight:m_0000000001', 'human:sean', '2026-02-01T12:00:00Z', 'human:sean')

    Args:
        view: the vault.
        type: the memory's type.
        summary: one line; its title.
        body: the text.
        confidence: in [0, 1].
        about: other keys.

    Raises:
        UsageError: a value does not have the shape of its key, or there is no text.
        VaultError: the key can't be used; nothing was written.
    """
    dry_run, commit = about.pop("dry_run", False), about.pop("commit", False)
    values: dict[str, Plain] = {"type": type, "confidence": confidence, **values_of(about), "title": summary}
    for name, value in values.items():
        refuse_by_hand(name, value)
    edit = prepared(view, values, body)[0]
    if view.of(SIGNATURES).own_key is not None:
        edit = WrittenSigner(view.on_terms(signing=Signing.ALWAYS)).signed(descended(view, edit)).edit
    save(view, edit, verb="add", dry_run=dry_run, commit=commit)
    return _read(edit.path, edit.after).memory


def query_memories(view: View, *, tags: Sequence[str] = (), min_trust: float = 0.0) -> tuple[Memory, ...]:
    """Return the memories that have all of these tags and at least this trust, newest first.

    >>> memory = create_memory(ws.view(), summary="Synthesis is hard", body="It is.", tags=["synthesis"])
    >>> [str(found.ref) for found in query_memories(ws.view(), tags=["synthesis"])]
    ['insight:m_0000000001']
    >>> query_memories(ws.view(), tags=["synthesis"], min_trust=0.6)
    ()

    Args:
        view: the vault.
        tags: the tags.
        min_trust: in [0, 1]; as `trust_of` computes it now.
    """
    if not 0.0 <= min_trust <= 1.0:
        raise UsageError(f"trust is a number from 0 to 1, not {min_trust}")
    # Tags of a filter are alternatives; here all of them are required.
    entries = list_memories(view, Filters(tag=tuple(tags[:1]))).entries
    files = [file for entry in entries if (file := view.read(entry.path)) is not None]
    tagged = [file for file in files if all(any(is_tagged(own, [tag]) for own in file.memory.tags) for tag in tags)]
    reader = TrustReader(view)
    return tuple(file.memory for file in tagged if reader.of(file.memory).score >= min_trust)


def _read(path: str, data: bytes) -> MemoryFile:
    file = memory_file.read(path, data)
    if not isinstance(file, MemoryFile):
        raise FormatError(f"{path} could not be read again")
    return file
