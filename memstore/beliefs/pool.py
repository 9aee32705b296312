"""What consolidation looks at, as far as the viewer may see it: the pool, the beliefs, and earlier suggestions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.access import RIGHTS
from memstore.beliefs.consolidation import MOST_POOLED, POOLED_TYPES, Action, Earlier, KnownBelief, depth_of, spoken_for
from memstore.beliefs.evidence import hearsay, roots
from memstore.beliefs.pooled import Pooled
from memstore.beliefs.wording import content_terms
from memstore.core.ids import ID_OF_PROPOSAL, MemoryRef
from memstore.core.keys import EXTERNAL
from memstore.core.places import SUGGESTIONS, RegistryKind, is_sealed_path
from memstore.core.terms import words
from memstore.core.titles import title_of
from memstore.files import memory_file
from memstore.files.draft import LESSONS, OUTCOME
from memstore.files.memory_file import MemoryFile
from memstore.files.passages import PassageKind, passages
from memstore.history import HISTORY
from memstore.lineage.copies import Copies
from memstore.lineage.refs import loader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memstore.beliefs.evidence import Load
    from memstore.core.memory import Memory
    from memstore.core.view import View

# Entities with proper names; other subjects, like a place or an illness, may well be the topic of a pattern.
_NAMED = ("human:", "si:", "dog:", "cat:", "pet:", "animal:")
_NO_WORDS = (PassageKind.HEADING, PassageKind.CODE, PassageKind.RULE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The input of consolidation; `files` has every pooled memory and belief by ref, `left_out` counts the others.

    `moved` are suggestions that somebody accepted by moving them out of their folder.
    """

    pool: tuple[Pooled, ...]
    beliefs: tuple[KnownBelief, ...]
    earlier: tuple[Earlier, ...]
    files: dict[str, MemoryFile]
    moved: tuple[MemoryFile, ...]
    load: Load
    left_out: int = 0


def gather(view: View, *, until: str) -> Gathered:
    """Return the input of consolidation.

    Args:
        view: the vault.
        until: an instant, as in files; memories written later are ignored.
    """
    files = list(_files(view))
    copies = Copies(view)
    files = [file._replace(memory=copies.marked(file.memory)) for file in files]
    load = _loader(view, files)
    moved = tuple(file for file in files if is_moved(file))
    beliefs = [file for file in files if file.memory.type == "belief" and _is_held(file) and _is_own(view, file)]
    taken = spoken_for([file.memory for file in beliefs], load)
    free = [
        file
        for file in files
        if _may_be_pooled(file.memory, taken, load, until=until) and not hearsay(file.memory, load, view.is_vouched)
    ]
    free.sort(key=lambda file: (file.memory.created_at or "", str(file.memory.ref)))
    pooled = free[-MOST_POOLED:]
    names = _names(view, [file.memory for file in (*pooled, *beliefs)])
    return Gathered(
        pool=tuple(_pooled(file, names, load) for file in pooled),
        beliefs=tuple(_known_belief(file, names) for file in beliefs),
        earlier=tuple(_earlier(view, files)),
        files={str(file.memory.ref): file for file in (*pooled, *beliefs)},
        moved=moved,
        load=load,
        left_out=len(free) - len(pooled),
    )


def is_moved(file: MemoryFile) -> bool:
    """Whether a file is a suggestion of a belief that was moved out of its folder."""
    memory = file.memory
    is_ours = (memory.id or "").startswith(ID_OF_PROPOSAL) and target_of(memory) is None
    return memory.status == "draft" and is_ours and not file.path.startswith(SUGGESTIONS)


def _files(view: View) -> Iterator[MemoryFile]:
    """Yield the relevant files by path: memories that can be pooled, beliefs, and suggestions."""
    types, statuses, paths = (view.column(name) for name in ("type", "status", "path"))
    wanted = {*POOLED_TYPES, "belief"}
    rows = [row for row in view.rows if types[row] in wanted or statuses[row] == "draft"]
    # A suggestion quotes its sources in plain text.
    rows = [row for row in rows if not is_sealed_path(paths[row])]
    for path in view.with_progress("reading memories", sorted(paths[row] for row in rows)):
        file = view.read(path)
        if file is not None and file.memory.ref is not None:
            yield file


def _loader(view: View, files: Iterable[MemoryFile]) -> Load:
    """Return a function that loads the memory of a ref: from the files that were read, else from the vault."""
    known = {file.memory.id: file.memory for file in files}
    elsewhere = loader(view)

    def load(text: str) -> Memory | None:
        ref = MemoryRef.parse(text)
        memory = known.get(ref.id) if ref else None
        return elsewhere(text) if memory is None else memory if memory.status != "forgotten" else None

    return load


def _is_own(view: View, file: MemoryFile) -> bool:
    return file.memory.source_type != EXTERNAL or view.is_vouched(file.memory)


def _is_held(file: MemoryFile) -> bool:
    return file.memory.status == "active" or is_moved(file)


def _may_be_pooled(memory: Memory, taken: frozenset[str], load: Load, *, until: str) -> bool:
    """Whether a memory could be part of a pattern; one that was processed into a pooled memory is not pooled itself."""
    is_free = memory.type in POOLED_TYPES and memory.status == "active" and str(memory.ref) not in taken
    heirs = [known for ref in memory.processed_into if (known := load(ref)) is not None]
    return is_free and (memory.created_at or "") <= until and not any(heir.type in POOLED_TYPES for heir in heirs)


# -- texts ---------------------------------------------------------------------------------------


def _pooled(file: MemoryFile, names: Callable[[Memory], frozenset[str]], load: Load) -> Pooled:
    text = text_of(file)
    memory = file.memory
    return Pooled(
        memory=memory,
        text=text,
        terms=tuple(content_terms(text, names(memory))),
        roots=roots(memory, load),
        depth=depth_of(memory, load),
    )


def _known_belief(file: MemoryFile, names: Callable[[Memory], frozenset[str]]) -> KnownBelief:
    return KnownBelief(
        memory=file.memory, text=title_of(file.memory), terms=tuple(content_terms(text_of(file), names(file.memory)))
    )


def text_of(file: MemoryFile) -> str:
    """Return the words of a memory: its own title and its text, without code or the standard headings of episodes."""
    said = [text for text, _, _ in quotable(file)]
    title = title_of(file.memory)
    is_news = f"## {title}" not in (OUTCOME, LESSONS) and not any(title.rstrip("…") in text for text in said)
    return "\n\n".join([title, *said] if is_news else said)


def quotable(file: MemoryFile) -> list[tuple[str, int, int]]:
    """Return the passages of a memory that can be quoted: text, first and last line of each."""
    found = passages(file.memory.body, first_line=file.text.body_line)
    return [(one.text, one.line_start, one.line_end) for one in found if one.kind not in _NO_WORDS]


def _names(view: View, memories: Sequence[Memory]) -> Callable[[Memory], frozenset[str]]:
    """Return a function from a memory to the words that are names: of all named entities, and of its own subjects."""
    aliases = dict(_aliases(view))
    ids = {*aliases, *(subject for memory in memories for subject in memory.subject_ids)}
    words_of = {one: frozenset(_words_of(one, aliases.get(one, ()))) for one in ids}
    everybody = frozenset(word for one, said in words_of.items() if one.startswith(_NAMED) for word in said)

    def names(memory: Memory) -> frozenset[str]:
        own = [words_of[subject] for subject in memory.subject_ids]
        return everybody.union(*own, words(" ".join(memory.entities)))

    return names


def _words_of(entity: str, aliases: Iterable[str]) -> Iterator[str]:
    for name in (entity.partition(":")[2].replace("_", " ").replace("-", " "), *aliases):
        yield from words(name)


def _aliases(view: View) -> Iterator[tuple[str, tuple[str, ...]]]:
    for file in filter(None, view.of(RIGHTS).registry(RegistryKind.ENTITY).values()):
        yield str(file.values["id"]), tuple(file.values.get("aliases") or ())


# -- what was suggested before -------------------------------------------------------------------


def _earlier(view: View, files: Iterable[MemoryFile]) -> Iterator[Earlier]:
    """Yield the existing suggestions and, from git's history, those whose files were deleted."""
    for file in files:
        if file.path.startswith(SUGGESTIONS) or (file.memory.id or "").startswith(ID_OF_PROPOSAL):
            yield _as_earlier(file.memory, is_open=file.memory.status == "draft" and not is_moved(file))
    for memory in deleted_suggestions(view):
        yield _as_earlier(memory, is_open=False)


def _as_earlier(memory: Memory, *, is_open: bool) -> Earlier:
    action = Action(memory.proposes or Action.CREATE)
    return Earlier(
        action=action,
        target=target_of(memory),
        members=frozenset(ref for ref in memory.derived_from if MemoryRef.parse(ref)),
        is_open=is_open,
    )


def target_of(memory: Memory) -> str | None:
    """Return the ref of the memory that a suggestion would change; None if it would only create a belief."""
    action = Action(memory.proposes or Action.CREATE)
    if action is Action.SUPERSEDE:
        return next((ref for ref in memory.relates_to if ref.startswith("belief:")), None)
    return None if action is Action.CREATE else next(iter(memory.relates_to), None)


def deleted_suggestions(view: View) -> Iterator[Memory]:
    """Yield the suggestions that were once committed and no longer exist anywhere."""
    if view.of(HISTORY).repository is None or view.of(HISTORY).head() is None:
        return
    commits = view.of(HISTORY).commits(path=SUGGESTIONS.rstrip("/"))
    changed = [file for change in view.of(HISTORY).changes(commits) for file in change.files]
    blobs = dict.fromkeys(
        blob for file in changed if file.path.startswith(SUGGESTIONS) for blob in (file.new, file.old) if blob
    )
    for data in view.blobs(blobs).values():
        file = memory_file.read(SUGGESTIONS, data)
        if not isinstance(file, MemoryFile) or not file.memory.id or not view.sees(file.memory):
            continue
        if not view.rows_of_id(file.memory.id):
            yield file.memory
