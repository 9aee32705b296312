"""The Python face of a vault: `memstore.open_vault` returns a `Vault`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, Unpack

from memstore.core.errors import UsageError
from memstore.core.named import ref_of, refs_of
from memstore.core.places import SETTINGS_FOLDER
from memstore.core.transaction import Saving
from memstore.face import given
from memstore.face.batch import Batch
from memstore.face.brief import brief, briefly
from memstore.face.given import Hits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memstore.beliefs.recall import Recalled
    from memstore.core.change import Committed, Saved, Undone
    from memstore.core.memory import Memory
    from memstore.core.named import Named, Names
    from memstore.core.view import View
    from memstore.face.access import VaultAccess, VaultConsents, VaultContexts, VaultEntities
    from memstore.face.beliefs import VaultBeliefs, VaultConflicts
    from memstore.face.exchange import VaultExchange
    from memstore.face.given import Keys
    from memstore.face.lineage import VaultHistory, VaultLineage
    from memstore.face.stacks import VaultStacks
    from memstore.face.trust import VaultTrust
    from memstore.memories.adopt import Adopted
    from memstore.memories.cite import Cited
    from memstore.memories.edit import Moved
    from memstore.memories.forget import Forgotten
    from memstore.memories.links import NoteLinks
    from memstore.memories.listing import Listed
    from memstore.memories.promote import Linked
    from memstore.memories.show import Shown
    from memstore.memories.why import Why
    from memstore.search.facets import Embedder
    from memstore.search.filters import Which
    from memstore.vault.check import CheckResult
    from memstore.vault.stats import Stats
    from memstore.vault.status import Status
    from memstore.vault.workspace import Workspace


class OpenedVault:
    """A vault that is open until it is closed, for one entity."""

    def __init__(
        self,
        ws: Workspace,
        *,
        now: Callable[[], Workspace] | None = None,
        ready: Callable[[Workspace], None] = lambda _: None,
    ) -> None:
        if isinstance(ws, str | PathLike):
            raise TypeError(f"a vault is opened with memstore.open_vault({str(ws)!r})")
        self._ws: Workspace | None = ws
        self._now, self._ready = now, ready
        self._root, self._entity = ws.vault.root, ws.actor

    def __repr__(self) -> str:
        return f"<Vault {self._root} as {self._entity}{', closed' if self.closed else ''}>"

    # -- opening and closing -----------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """The vault's folder."""
        return self._root

    @property
    def entity(self) -> str:
        """Who looks and acts, like `human:sean`."""
        return self._entity

    @property
    def closed(self) -> bool:
        """Whether the vault was closed."""
        return self._ws is None

    def close(self) -> None:
        """Release what was read of the vault; every later call raises `UsageError`."""
        self._ws = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> None:
        self.close()

    def view(self) -> View:
        """Return what the entity may see now, for use cases that have no method here; each call takes a new view.

        A view is the only way to a vault's contents; see `memstore/core/view.py`.
        """
        ws = self._opened()
        view = ws.view()
        self._ready(ws)
        return view

    def _in_any_context(self) -> View:
        return self._opened().view()

    def _opened(self) -> Workspace:
        if self._ws is None:
            raise UsageError(f"the vault {self._root} was closed", hint="open it again")
        if not (self._root / SETTINGS_FOLDER).is_dir():
            from memstore.files.vault import gone

            raise gone(self._root)
        if self._now is not None:
            self._ws = self._now()
        return self._ws


@brief
class Vault(OpenedVault):
    """A folder of memories, as one entity sees and changes it.

        vault = memstore.open_vault("~/notes", entity="si:ash")
        note = vault.add("Bella eats at eight", tags=["dog"], source="Sean")
        for hit in vault.search("when does Bella eat?", limit=5):
            print(hit.citation.path, hit.citation.line_start, hit.content)

    Everyday operations are methods: `search`, `recall`, `list`, `get`, `show`, `why`, `cite`, `links`; `add`, `batch`,
    `edit`, `set`, `tag`, `move`, `supersede`, `promote`, `archive`, `restore`, `forget`, `adopt`; `check`, `status`,
    `stats`, `report`, `commit` and `undo`. Everything else is grouped in attributes, one per capability: `beliefs`,
    `lineage`, `access`, `consents`, `contexts`, `entities`, `stacks`, `trust`, `conflicts`, `history`, `exchange`.

    A memory is named by its ref (`"note:m_7f3k9q2x1c"`), its id, a unique prefix of the id, its path, or any value that
    has a `ref`, such as a hit or the result of `add`. Arguments are named like the options of the command line. An
    option that can be repeated there takes one value or a list here. Keys of a memory that hold lists take lists; a
    string there is a `TypeError`. Every other error is a `memstore.MemstoreError`, with a `hint`.

    Every call sees the files and the settings as they are at that moment, including edits made in an editor. A vault
    belongs to the thread that opened it; other threads open their own. Processes and threads may write at the same
    time.
    """

    def signing(self) -> Vault:
        """Return this vault as an agent's: what is written through it is signed, if the entity has a key that counts.

        The key is the one that the user's settings name. An own memory that is changed is signed anew, if its signature
        counted before. The adapters for agents write in this way.
        """
        return _SigningVault(self)

    # -- the capabilities --------------------------------------------------------------------------

    @cached_property
    def beliefs(self) -> VaultBeliefs:
        """How sure a memory's holder is, and why."""
        from memstore.face.beliefs import VaultBeliefs

        return VaultBeliefs(self.view)

    @cached_property
    def lineage(self) -> VaultLineage:
        """What a memory was made from, and what was made from it."""
        from memstore.face.lineage import VaultLineage

        return VaultLineage(self.view)

    @cached_property
    def access(self) -> VaultAccess:
        """Who sees a memory."""
        from memstore.face.access import VaultAccess

        return VaultAccess(self.view)

    @cached_property
    def consents(self) -> VaultConsents:
        """Who said yes or no to what."""
        from memstore.face.access import VaultConsents

        return VaultConsents(self.view)

    @cached_property
    def contexts(self) -> VaultContexts:
        """The active context, and who listens in it."""
        from memstore.face.access import VaultContexts

        return VaultContexts(self._in_any_context)

    @cached_property
    def entities(self) -> VaultEntities:
        """People, animals, agents and groups."""
        from memstore.face.access import VaultEntities

        return VaultEntities(self.view)

    @cached_property
    def stacks(self) -> VaultStacks:
        """Shared stacks."""
        from memstore.face.stacks import VaultStacks

        return VaultStacks(self.view)

    @cached_property
    def trust(self) -> VaultTrust:
        """Signatures, witnesses and anchors."""
        from memstore.face.trust import VaultTrust

        return VaultTrust(self.view)

    @cached_property
    def conflicts(self) -> VaultConflicts:
        """Memories that can't both be right."""
        from memstore.face.beliefs import VaultConflicts

        return VaultConflicts(self.view)

    @cached_property
    def history(self) -> VaultHistory:
        """What happened, according to git."""
        from memstore.face.lineage import VaultHistory

        return VaultHistory(self.view)

    @cached_property
    def exchange(self) -> VaultExchange:
        """Memories of other programs, and for them."""
        from memstore.face.exchange import VaultExchange

        return VaultExchange(self.view)

    # -- finding and reading -----------------------------------------------------------------------

    def search(  # noqa: PLR0913 -- one for each option
        self,
        query: str,
        *,
        also: Sequence[str] = (),
        limit: int = 10,
        by: str = "memory",
        sort: str = "relevance",
        facets: Sequence[str] = (),
        profile: str | None = None,
        at: str | None = None,
        explain: bool | Named = False,
        **which: Unpack[Which],
    ) -> Hits:
        """Return what a query finds, best first, each hit with the lines that match; this is not a use of a memory.

        Args:
            query: words as you would ask a person, or the language of `memstore help query`.
            also: other words for it, 2 to 12 words or short phrases in which a memory may have said it; they count more
                than the query's.
            limit: how many hits at most.
            by: "memory" for one hit per memory, "passage" for one per passage.
            sort: "relevance", "quality", "created", "confidence", "title" or "path".
            facets: keys whose values are counted among all matches.
            profile: how quality is computed, "memstore" or "seed-003"; None is the vault's setting.
            at: a commit or a date: search the vault as it was then.
            explain: whether each hit's `explanation` says how its score was computed. If it is a memory, the answer's
                `why_not` also says why that memory is not among the hits.
            which: filters, `Which`. `min_confidence` is compared with the quality of a hit; if none reaches it, the
                best hits below it are returned, and `fallback` says so.

        Raises:
            UsageError: the query, `also` or a filter is invalid.
            NotFoundError: there is no such memory to explain.
        """
        from memstore.core.config import QualityProfile
        from memstore.memories.search import Wish, search
        from memstore.search.filters import Which, filters_of
        from memstore.search.retrieval import Sort, Unit

        given.only(which, Which.__annotations__, "search")
        given.text_of("query", query)
        given.count("limit", limit)
        given.when("at", at)
        view = self.view()
        wish = Wish(
            filters=filters_of(which, now=view.clock.here()),
            limit=limit,
            by=given.choice(Unit, by),
            sort=given.choice(Sort, sort),
            facets=tuple(given.items("facets", facets)),
            profile=None if profile is None else given.choice(QualityProfile, profile),
            explain=explain is not False,
        )
        about = None if isinstance(explain, bool) else ref_of(explain)
        return Hits(search(view, query, wish, also=given.items("also", also), at=at, about=about))

    def recall(
        self,
        prompt: str,
        *,
        also: Sequence[str] = (),
        scope: Sequence[str] = (),
        budget: int | None = None,
        profile: str = "default",
    ) -> Recalled:
        """Return what comes to mind for a prompt: at most 3 memories and 2 beliefs; this is not a use of them.

        Args:
            prompt: what is being talked about.
            also: other words for it, 2 to 12 words or short phrases in which a memory may have said it.
            scope: only in these scopes, like `global` and `project:acme`; empty for all.
            budget: how many tokens the bites may take, approximately; None is the default.
            profile: how results are ranked: "default", "seed-002" or "memory-recall".
        """
        from memstore.beliefs.recall import DEFAULT_BUDGET, RecallProfile, recall

        tokens = DEFAULT_BUDGET if budget is None else given.count("budget", budget)
        if not given.text_of("prompt", prompt).strip():
            raise UsageError("there is no prompt", hint="say what is being talked about")
        words, scopes = given.items("also", also), given.items("scope", scope)
        ranked = given.choice(RecallProfile, profile)
        return recall(self.view(), prompt, also=words, scope=scopes, budget=tokens, profile=ranked)

    def list(
        self, *, sort: str = "created", limit: int | None = None, at: str | None = None, **which: Unpack[Which]
    ) -> Listed:
        """Return the catalogue's entries of memories, for iteration with `for`; all active ones by default.

        Args:
            sort: "created", "confidence", "title" or "path"; newest, surest or alphabetically first comes first.
            limit: how many at most.
            at: a commit or a date: list the vault as it was then.
            which: filters, `Which`; `min_confidence` is compared with the author's confidence.
        """
        from memstore.memories.listing import list_memories
        from memstore.search.filters import Which, filters_of
        from memstore.search.retrieval import Sort

        given.only(which, Which.__annotations__, "list")
        view = self.view()
        filters = filters_of(which, now=view.clock.here())
        return list_memories(
            view, filters, sort=given.choice(Sort, sort), limit=given.most("limit", limit), at=given.when("at", at)
        )

    def get(self, memory: Named) -> Memory:
        """Return a memory, with its text in `body` and its file in `path`; this is a use of it.

        Raises:
            NotFoundError: there is no such memory, or the entity may not see it; the error is the same.
        """
        shown = self.show(memory)
        return replace(shown.memory, path=shown.path)

    def show(self, memory: Named, *, at: str | None = None) -> Shown:
        """Return a memory with its file, revision and numbers; this is a use of it, unless `at` names the past.

        Args:
            memory: the memory.
            at: a commit or a date: show the memory as it was then.
        """
        from memstore.memories.show import show_memory

        return show_memory(self.view(), ref_of(memory), at=given.when("at", at))

    def why(self, memory: Named, *, profile: str | None = None, at: str | None = None) -> Why:
        """Return how each number of a memory is derived, down to lines and commits; this is not a use of it.

        Args:
            memory: the memory.
            profile: how quality is computed.
            at: a commit or a date: what it would have said then.
        """
        from memstore.core.config import QualityProfile
        from memstore.memories.why import why

        chosen = None if profile is None else given.choice(QualityProfile, profile)
        return why(self.view(), ref_of(memory), profile=chosen, at=given.when("at", at))

    def cite(self, memory: Named, *, line_start: int | None = None, line_end: int | None = None) -> Cited:
        """Return the citation of a memory's lines, or of its whole text if no lines are named; this is a use of it.

        For an existing citation, `"[[note:…#L9@…]]"`, return where its lines are now.

        Args:
            memory: the memory, or a citation.
            line_start: the first line in the file, from 1.
            line_end: the last line; None means the first.
        """
        from memstore.memories.cite import cite

        name = ref_of(memory)
        lines = "" if line_start is None else f":L{given.count('line_start', line_start)}"
        lines += f"-L{given.count('line_end', line_end)}" if lines and line_end is not None else ""
        return cite(self.view(), f"{name}{lines}")

    def links(self, memory: Named) -> NoteLinks:
        """Return where a note's links lead, and which links lead to it; for navigation, not for lineage."""
        from memstore.memories.links import links

        return links(self.view(), ref_of(memory))

    # -- writing -----------------------------------------------------------------------------------

    def add(
        self,
        text: str = "",
        *,
        type: str = "note",  # noqa: A002 -- the key's name
        dry_run: bool = False,
        commit: bool = False,
        **keys: Unpack[Keys],
    ) -> Saved:
        """Write a new memory; the result has the conflicts that it raises.

        Args:
            text: what it says.
            type: note, raw, episode, belief, insight, decision, observation and so on.
            dry_run: write nothing; return what would be written.
            commit: commit it, too.
            keys: other keys, `Keys`: tags=["dog"], source="Sean", derived_from=[other], confidence=0.7 …

        Raises:
            UsageError: there is no text, or a value does not have the shape of its key.
            NotFoundError: a ref names no memory that the entity may see.
            RefusedError: a key may not be set by its writer.
        """
        from memstore.memories.add import add_memory

        values, body = given.new_memory(text, type, keys, function="add")
        return add_memory(self.view(), values, body, dry_run=dry_run, commit=commit)

    def batch(self, message: str | None = None) -> Batch:
        """Return a `with` block that collects new memories and writes them at its end, all of them or none.

            with vault.batch(message="Easter week") as batch:
                seen = batch.add("Bella ate at eight", type="episode", source="Sean")
                batch.add("Bella eats at eight", type="belief", derived_from=[seen])
            print(batch.saved, batch.conflicts)

        The batch takes one lock and is one entry of the journal, which one `undo` takes back. If the block fails,
        nothing is written.

        Args:
            message: commit the memories with this message; without one they are committed only if the vault's settings
                say so.
        """
        return Batch(self.view, message)

    def edit(
        self,
        memory: Named,
        text: str | None = None,
        *,
        title: str | None = None,
        reason: str | None = None,
        **saving: Unpack[Saving],
    ) -> Saved:
        """Reword a memory: it keeps its id and its history. For a new memory in its place, use `supersede`.

        Args:
            memory: the memory; it must be the entity's own.
            text: the new text; None keeps the current one.
            title: the new title; None keeps the current one.
            reason: why; it goes into the commit message, so it needs `commit`.
            saving: dry_run, commit.
        """
        from memstore.beliefs.revise import revise

        given.only(saving, Saving.__annotations__, "edit")
        if text is not None:
            given.text_of("text", text)
        return revise(self.view(), ref_of(memory), text, title=title, reason=reason, **saving)

    def set(self, memory: Named, *, dry_run: bool = False, commit: bool = False, **keys: Any) -> Saved:
        """Set keys of a memory's frontmatter: `vault.set(note, importance="high", confidence=0.8)`.

        None removes a key. Keys that have a command of their own are refused.

        Raises:
            RefusedError: the memory is not the entity's own, or a key can't be set by hand.
        """
        from memstore.memories.edit import set_keys

        return set_keys(self.view(), ref_of(memory), given.as_typed(keys), dry_run=dry_run, commit=commit)

    def tag(
        self, memory: Named, *, add: Sequence[str] = (), remove: Sequence[str] = (), **saving: Unpack[Saving]
    ) -> Saved:
        """Add tags to a memory, and remove others."""
        from memstore.memories.edit import tag

        given.only(saving, Saving.__annotations__, "tag")
        adding = [given.quoted(one) for one in given.items("add", add)]
        removing = [given.quoted(one) for one in given.items("remove", remove)]
        return tag(self.view(), ref_of(memory), add=adding, remove=removing, **saving)

    def move(self, memory: Named, path: str, **saving: Unpack[Saving]) -> Moved:
        """Move a memory's file to another path in the vault; its id and everything that names it stay the same."""
        from memstore.memories.edit import move

        given.only(saving, Saving.__annotations__, "move")
        return move(self.view(), ref_of(memory), path, **saving)

    def supersede(
        self,
        memory: Named,
        text: str,
        *,
        reason: str | None = None,
        since: str | None = None,
        dry_run: bool = False,
        commit: bool = False,
        **keys: Unpack[Keys],
    ) -> Linked:
        """Write a memory that replaces another of the same type; both name each other, and the old one stays.

        Args:
            memory: the memory to replace.
            text: what holds instead.
            reason: why, for the history.
            since: when the world changed: until when the old memory was true.
            dry_run: write nothing; return what would be written.
            commit: commit both, too.
            keys: other keys of the new memory, `Keys`.
        """
        from memstore.memories.promote import supersede

        values, body = given.new_memory(text, "", keys, function="supersede")
        del values["type"]
        ref = ref_of(memory)
        return supersede(self.view(), ref, body, values, reason=reason, since=since, dry_run=dry_run, commit=commit)

    def promote(
        self,
        memory: Named,
        to: str | None = None,
        *,
        text: str | None = None,
        dry_run: bool = False,
        commit: bool = False,
        **keys: Unpack[Keys],
    ) -> Linked:
        """Make a memory from a raw memory or a suggestion; both name each other. Each can be promoted once.

        Args:
            memory: the raw memory, or the suggestion.
            to: the new memory's type, like "note"; None gives a suggestion the type that it suggests.
            text: what it says; None keeps the words.
            dry_run: write nothing; return what would be written.
            commit: commit both, too.
            keys: other keys, `Keys`; how it is known, whom it is about and who may see it are taken over from the old
                memory.
        """
        from memstore.memories.promote import promote

        values, account = given.promoted(keys)
        ref = ref_of(memory)
        return promote(self.view(), ref, to, values, text=text, account=account, dry_run=dry_run, commit=commit)

    def archive(self, memories: Names, *, reason: str | None = None, **saving: Unpack[Saving]) -> tuple[Saved, ...]:
        """Archive one memory or several; nothing is deleted, and `status="archived"` finds them."""
        from memstore.beliefs.archive import archive

        given.only(saving, Saving.__annotations__, "archive")
        return archive(self.view(), refs_of(memories), reason=reason, **saving)

    def restore(self, memories: Names, *, reason: str | None = None, **saving: Unpack[Saving]) -> tuple[Saved, ...]:
        """Restore archived memories, byte for byte as they were; a `reason` needs `commit`."""
        from memstore.beliefs.archive import restore

        given.only(saving, Saving.__annotations__, "restore")
        return restore(self.view(), refs_of(memories), reason=reason, **saving)

    def forget(
        self,
        memories: Names,
        *,
        detach: bool = False,
        cascade: bool = False,
        reason: str = "requested",
        **saving: Unpack[Saving],
    ) -> Forgotten:
        """Forget memories for good; each leaves a tombstone without title and text. `undo` can't bring them back.

        Args:
            memories: one memory or several.
            detach: let what rests on them live on without them.
            cascade: forget what rests on them, too.
            reason: why, as a code: "requested", "consent", "wrong", "outdated", "private", "legal".
            saving: dry_run, commit. Earlier commits still have the text: `history.purge`.

        Raises:
            RefusedError: other memories rest on them, and neither `detach` nor `cascade` is given; or one is somebody
                else's.
        """
        from memstore.memories.forget import forget

        given.only(saving, Saving.__annotations__, "forget")
        return forget(self.view(), refs_of(memories), detach=detach, cascade=cascade, reason=reason, **saving)

    def adopt(self, paths: Sequence[str] = (), *, type: str = "note", **saving: Unpack[Saving]) -> Adopted:  # noqa: A002 -- the key's name
        """Make notes memories: add a fence if there is none, an id and the day they were made; by default all notes."""
        from memstore.memories.adopt import adopt

        given.only(saving, Saving.__annotations__, "adopt")
        return adopt(self.view(), given.items("paths", paths), kind=type, **saving)

    # -- the vault as a whole ----------------------------------------------------------------------

    def check(self, paths: Sequence[str] = (), *, fix: bool = False) -> CheckResult:
        """Return the problems in the files below `paths`, or in all; `fix` mends what needs no judgement."""
        from memstore.vault import check

        places = given.items("paths", paths)
        return check.fix(self.view(), places) if fix else check.check(self.view(), places)

    def status(self) -> Status:
        """Return the vault's status: memories, uncommitted changes, plain and broken files, hooks."""
        from memstore.vault.status import status

        return status(self.view())

    def stats(self, *, at: str | None = None, **which: Unpack[Which]) -> Stats:
        """Return counts of memories by type, status, month and author; of all of them without filters."""
        from memstore.search.filters import Which
        from memstore.vault.stats import stats

        given.only(which, Which.__annotations__, "stats")
        return stats(self.view(), at=given.when("at", at), **which)

    def report(self, *, base: str = "") -> bytes:
        """Return one HTML page of what the entity may see.

        Args:
            base: the way from where the page will be to the vault's folder, with a final slash, for its links.
        """
        from memstore.report.contents import report
        from memstore.report.page import page

        return page(report(self.view()), base=base)

    def commit(self, memories: Names = (), *, message: str | None = None) -> Committed:
        """Commit the pending changes of one memory, of several, or all; without a `message` one is computed.

        Raises:
            RefusedError: a change is not allowed for a memory.
            GitError: there is no repository, or git does not know who commits.
        """
        from memstore.vault.status import commit

        return commit(self.view(), refs_of(memories), message=message)

    def undo(self, *, dry_run: bool = False) -> Undone:
        """Take back what the entity wrote last, a batch as a whole; a second `undo` restores it.

        Raises:
            NotFoundError: nothing is recorded that could be taken back.
            ChangedMeanwhileError: a file was changed since; nothing was taken back.
        """
        from memstore.vault.status import undo

        return undo(self.view(), dry_run=dry_run)


class _SigningVault(Vault):
    """A vault that signs what is written through it; `close` and `closed` are those of the one that it was made of."""

    def __init__(self, vault: Vault) -> None:
        super().__init__(vault._opened(), ready=vault._ready)  # noqa: SLF001 -- the argument is a Vault, too
        self._of = vault

    @property
    def closed(self) -> bool:
        """Whether the vault was closed."""
        return self._of.closed

    def close(self) -> None:
        """Release what was read of the vault."""
        self._of.close()

    def _opened(self) -> Workspace:
        from memstore.core.write_terms import Signing

        ws = self._of._opened()  # noqa: SLF001 -- as above
        return ws._replace(terms=ws.terms._replace(signing=Signing.COUNTS))


@briefly
def open_vault(
    path: str | Path | None = None,
    *,
    entity: str | None = None,
    context: str | None = None,
    alone: bool = False,
    track: bool = True,
    embedder: Embedder | None = None,
) -> Vault:
    """Open a vault for use from Python and return it; see `help(memstore.Vault)`.

    Args:
        path: the vault's folder; None finds it as the command line does.
        entity: who acts and looks; None finds it as the command line does.
        context: the privacy context, `ctx:…`; None finds it as the command line does.
        alone: the entity's assurance that nobody else is listening.
        track: whether uses of memories are recorded in a log on this machine.
        embedder: turns texts into vectors, for finding by meaning: any object with `name` and `embed(texts)`; None is
            the user's own choice.

    Raises:
        VaultError: there is no vault, or its configuration can't be used.
        UsageError: `entity` is not an entity id, or `context` not a context's.
        RefusedError: the context has expired or can't be read, or the vault's configuration demands one.
    """
    from memstore.files.local_state import Environment
    from memstore.vault.composition import find_vault, keep_open, make_ready

    env = Environment.of_process()
    root = find_vault(env, None if path is None else str(path))
    kept = keep_open(env, root, entity, context=context, alone=alone, track=track, embedder=embedder)
    return Vault(kept.now(), now=kept.now, ready=partial(make_ready, env))
