"""The forms of what comes from elsewhere and goes there: imports, exports, shared and loaded stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NotRequired, TypedDict

from memstore.documents.form import Form
from memstore.documents.parts import no_conflicts, no_findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.access.stack import Mount

# -- imports -------------------------------------------------------------------------------------

Form("""Skipped
    where why
    broken: whether it was meant to be a memory, and can't be read
""")
_undated = Form[object]("Skipped", "where why", definition="undated")
_unknown = Form[object]("Skipped", "where why", definition="unknown")
Form(
    """Imported
    @import: memories that were imported
    memories=saved
    known: refs of memories that are here already, and are not changed
    different: those of `known` that say something else here
    left_out: what was not imported: the place in the source, and the reason
    undated: memories without a date, because the time that the source states can't be read
    unknown: memories with members that the format does not have, which are kept and exported again
    users: whom the memories are about, as the source calls them
    originals: paths of the originals that the memories cite
    in_parts: whether it was too large for one transaction; if so, memories have no diff
    conflicts findings
""",
    undated=_undated,
    unknown=_unknown,
    conflicts=no_conflicts,
    findings=no_findings,
)

# -- exports -------------------------------------------------------------------------------------


class MemoryRecord(TypedDict):
    """A memory of `export jsonl`."""

    record: Literal["memstore.memory/1"]
    path: str
    frontmatter: dict[str, Any]
    body: str


class MemoryV01Content(TypedDict):
    """What a memory says, in seed 004's format."""

    type: str
    summary: str | None
    body: str
    tags: list[str]


class MemoryV01Witness(TypedDict):
    """Who vouched for it, or disputed it."""

    agent_id: str
    attestation: str
    witnessed_at: str
    content: NotRequired[str | None]
    provenance: NotRequired[str | None]
    aspects: NotRequired[list[str]]
    notes: NotRequired[str | None]
    signature: str | None


class MemoryV01Anchor(TypedDict):
    """Where something outside points at it."""

    type: str
    reference: str
    role: NotRequired[str | None]
    path: NotRequired[str | None]
    blob: NotRequired[str | None]
    hash: NotRequired[str | None]
    created_at: NotRequired[str | None]


class MemoryV01Author(TypedDict):
    """Who wrote it."""

    agent_id: str | None
    platform: str | None
    signature: str | None
    signed: NotRequired[dict[str, Any]]


class MemoryV01Context(TypedDict):
    """In which session, and how sure of it."""

    session_id: str | None
    trigger: str | None
    confidence: float | None


class MemoryV01Provenance(TypedDict):
    """Where it comes from."""

    author: MemoryV01Author
    created_at: str | None
    context: MemoryV01Context


class MemoryV01Lineage(TypedDict):
    """What it comes from, and what came from it."""

    supersedes: str | list[str] | None
    superseded_by: str | list[str] | None
    derived_from: list[str]
    chain_depth: int
    types: NotRequired[dict[str, str]]


class MemoryV01Trust(TypedDict):
    """How far others vouch for it."""

    score: float
    level: str
    contested: bool
    factors: dict[str, Any]
    computed_at: str


MemoryV01 = TypedDict(
    "MemoryV01",
    {
        "$schema": str,
        "id": str,
        "version": int,
        "content": MemoryV01Content,
        "provenance": MemoryV01Provenance,
        "witnesses": list[MemoryV01Witness],
        "anchors": list[MemoryV01Anchor],
        "lineage": MemoryV01Lineage,
        "trust": MemoryV01Trust,
        "memstore": NotRequired[dict[str, Any]],
    },
)
Form("""MemoryRecord
    record path
    frontmatter: as described in docs/format.md, without the keys that say who may see the memory
    body: the text below the frontmatter, unchanged
""")
Form("MemoryV01Content", "type summary body tags")
Form("""MemoryV01Author
    agent_id platform signature
    signed?: the content that memstore's own signature covers
""")
Form("""MemoryV01Witness
    agent_id attestation witnessed_at content? provenance? aspects? notes? signature
""")
Form("MemoryV01Anchor", "type reference role? path? blob? hash? created_at?")
Form("MemoryV01Context", "session_id trigger confidence")
Form("MemoryV01Provenance", "author created_at context")
Form("""MemoryV01Lineage
    supersedes superseded_by derived_from
    chain_depth: generations of sources and predecessors
    types?: the types of the memories whose ids are named, by id
""")
Form("""MemoryV01Trust
    score[0..1] level[unverified|attested|anchored|consensus] contested factors computed_at
""")
Form(
    """MemoryV01
    $schema id version content provenance witnesses anchors lineage
    trust: as computed now
    memstore?
""",
    meaning="in the format of seed 004; `memstore` has the keys that this format lacks",
)


class ExportedFile(NamedTuple):
    """A file of an archive, as text."""

    path: str
    text: str


def _files(found: Iterable[tuple[str, bytes]]) -> tuple[ExportedFile, ...]:
    return tuple(ExportedFile(path, data.decode()) for path, data in found)


exported_document: Form[Iterable[Mapping[str, Any]]] = Form("""Iterable[MemoryV01]
    @export-memory: memories in the memory-v0.1 format
    memories=.
""")
Form("""Iterable[MemoryRecord]
    @export-jsonl: memories with their frontmatter and text
    memories=.
""")
Form("ExportedFile", "path text")
Form(
    """Iterable[tuple[str, bytes]]
    @export-files: memories as files
    files
""",
    files=_files,
)

# -- shared stacks -------------------------------------------------------------------------------

Form(
    """SharedStack
    @share: a stack that was shared, or would be
    name=stack.name
    to=stack.to: An entity, a group, or * for everybody.
    folder
    commit: Its commit; null in a dry run, and if nothing changed.
    new: Paths that it did not have before.
    changed withdrawn
    rewritten: Whether its history began anew, because something was withdrawn.
    differs: False if nothing changed, not even who is in a group.
    nameless: Memories that were left out because they have no id.
    sealed: Sealed memories that were left out because they name hidden ones.
    dry_run
""",
    dry_run=bool,
)
Form("""SharedState
    name to at
    folder: Where it is, if that is known on this machine.
    current=is_current: Whether an update would change nothing.
    new: Ids of memories that its recipients may see by now.
    withdrawn: Ids of memories that they may see no longer.
    changed: Whether the same memories would be written differently.
""")
Form("""Iterable[SharedState]
    @share-list: the stacks that were shared, and what has changed since
    stacks=.
""")


Form("Joining", "id email until")
Form("LeftBehind", "path why")
Form(
    """SharedVault
    @init-from: a vault of a group that began with what the group may see of a private one, or would
    folder
    source: The folder of the private vault.
    group keepers
    members: Who is in the group now, with their git addresses.
    commit: Its commit; null in a dry run.
    taken: Paths of what it has.
    without: What some of these lack there.
    stays: What is left out, and why.
    obstacles: Why it can't begin like this.
    dry_run
""",
    dry_run=bool,
)


def _memories(one: Mount) -> int | None:
    return len(one.view.texts) if one.view else None


_mount = Form[object](
    """Mount
    name folder by=stack.by to=stack.to at=stack.at memories
    key: The fingerprint of the key that is pinned as its sender's and signed it; null: only it itself says who it is
        from.
    problem: Why it can't be read.
    replaced: The folder from which the name was loaded before, if there is no stack any more.
""",
    memories=_memories,
)
Form(
    """Sequence[Mount]
    @load: loaded stacks
    stacks=.
""",
    stacks=_mount,
)
Form("""str
    @unload: the stack that is loaded no longer
    unloaded=.
""")
