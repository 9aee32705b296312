"""The one implementation of `core.transaction.Transaction`: every write to a vault goes through here."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from memstore.access import FORGOTTEN, RIGHTS
from memstore.access.grants import gained
from memstore.access.policy import id_in
from memstore.core.change import Edit, Operation, Saved, Written, joined
from memstore.core.errors import (
    ChangedMeanwhileError,
    FormatError,
    GitError,
    MemstoreError,
    NoFileError,
    RefusedError,
    TooLargeError,
    VaultError,
)
from memstore.core.finding_codes import finding_of
from memstore.core.ids import is_group
from memstore.core.places import (
    FOLDER_OF_TYPE,
    IGNORE_FILE,
    MEMORY_SUFFIX,
    id_endings,
    is_audit_path,
    is_sealed_path,
    kind_of,
    longer_names,
)
from memstore.core.quotation import shown_title
from memstore.core.times import instant
from memstore.core.titles import title_of
from memstore.core.transaction import hint, refuse_as_not_owner, shown, unified_diff
from memstore.files import memory_file
from memstore.files.age_file import is_sealed
from memstore.files.memory_file import BrokenFile, MemoryFile
from memstore.history.filters import may_be_filtered
from memstore.lineage.descent import descended, is_reworded
from memstore.vault import GATE
from memstore.vault.look import LOOK
from memstore.vault.transitions import findings_between
from memstore.vault.workspace import Moment
from memstore.vault.writing import write_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.core.change import Act, Committed
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.trust.sign_written import WrittenSigner
    from memstore.vault.workspace import Workspace

FOLDERS_OF_TYPES = frozenset(FOLDER_OF_TYPE.values())
# Witnesses, and those who decide disputes, write into other people's memories; the vault's owner can fix every file.
_BY_OTHERS = frozenset({"witness", "resolve", "check --fix", "adopt"})
# What these write is put into words by rules, from texts whose descent is recorded, not by whoever runs them.
_BY_RULE = frozenset({"adopt", "check --fix", "compress", "consolidate", "mv"})
# Whoever runs one has not read it all, so they don't sign it.
_IMPORT = "import "
# It tells the same in its own result.
_GRANT = "privacy grant"
# With more memories at once, as in an import, nobody waits for the comparison: `memstore conflicts` does it.
MOST_COMPARED = 5


class VaultTransaction:
    """One operation of a view's actor.

    Args:
        view: what the actor saw when the operation was decided.
        ws: the vault.
        verb: the command, for `undo`.
        dry_run: write nothing.
        commit: commit the files as well; the vault's configuration may ask for that, too.
        message: the commit message; without one, or if it is blank, one is computed from the changes.
        compares: whether new statements are compared with existing ones; False if the caller does so afterwards.
    """

    def __init__(
        self,
        view: View,
        ws: Workspace,
        verb: str,
        *,
        dry_run: bool = False,
        commit: bool = False,
        message: str | None = None,
        compares: bool = True,
    ) -> None:
        self._view, self._ws, self._verb = view, ws, verb
        self._dry_run, self._message = dry_run, message if message and message.strip() else None
        self._commits = commit or view.config.auto_commit
        self._compares = compares
        self._edits: list[Edit] = []
        self._paths: set[str] = set()
        self._checked: dict[str, tuple[MemoryFile, Saved]] = {}
        self._own: list[Written] = []
        self._moved: list[tuple[MemoryFile, Written]] = []
        self._contexts: dict[str, str] = {}
        self._going_keys: set[str] = set()
        self._act: Act | None = None
        self._stays: set[str] = set()
        self._forgets: dict[str, Memory] = {}
        self._signer: WrittenSigner | None = None
        self._told: dict[str, tuple[Finding, ...]] = {}
        self._dropped: set[str] = set()
        self._gate = view.of(GATE)
        self.left: tuple[str, ...] = ()
        self.saved: tuple[Saved, ...] = ()
        self.commit: str | None = None

    def __enter__(self) -> Self:
        """Begin to collect changes."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: object) -> None:
        """Write everything that was collected, unless an error occurred."""
        if kind is None and (self._edits or self._own or self._moved or self._forgets):
            self._finish()

    def edit(self, *edits: Edit) -> None:
        """Change files of memories; files whose bytes stay the same are left alone."""
        for edit in edits:
            self._collect(self._ready(edit))

    def check(self, edit: Edit) -> tuple[MemoryFile, Saved]:
        """Change a file; it is checked at once, and not again at the end.

        Raises:
            FormatError: the new bytes could not be read as a memory.
            RefusedError: the change is not allowed for a memory.
        """
        edit = self._ready(edit)
        checked = self._checked[edit.path] = _checked(edit, mixed=self._view.config.mixed)
        self._collect(edit)
        return checked

    def _ready(self, edit: Edit) -> Edit:
        """Return an edit as the gate lets it through, with what its writer has to say about its sources.

        If it is new, it goes where it can be found.
        """
        passed = self._gate.passed(edit, self._verb)
        edit = self._gate.as_repeated(passed.edit, self._view)
        if self._verb not in _BY_RULE:
            edit = descended(self._view, edit)
        if edit.before is None:
            edit = self._with_free_name(self._untitled(self._where_it_is_found(edit)))
        if passed.is_dropped:
            self._dropped.add(edit.path)
        if passed.findings:
            self._told[edit.path] = tuple(found._replace(path=edit.path) for found in passed.findings)
        return edit if self._verb in _BY_RULE or self._verb.startswith(_IMPORT) else self._signed(edit)

    def _signed(self, edit: Edit) -> Edit:
        """Return an edit with its writer's signature, if that is wanted here; what to tell about it is kept."""
        before = edit.before
        was_signed = isinstance(before, MemoryFile) and before.memory.signature is not None
        if not was_signed and (before is not None or self._view.terms.signing is None):
            return edit
        if self._signer is None:
            from memstore.trust.sign_written import WrittenSigner

            self._signer = WrittenSigner(self._view)
        edit, finding = self._signer.signed(edit)
        if finding is not None:
            self._told[edit.path] = (*self._told.get(edit.path, ()), finding)
        return edit

    def _collect(self, edit: Edit) -> None:
        self._edits.append(edit)
        self._paths.add(edit.path)

    def _where_it_is_found(self, edit: Edit) -> Edit:
        """Return a new memory's edit in a folder that is not excluded, as `raw/` is in many projects.

        Raises:
            RefusedError: all folders where it could go are excluded, so that nothing would find it again.
        """
        leaves_out = self._ws.vault.leaves_out
        folder, _, rest = edit.path.partition("/")
        if folder not in FOLDERS_OF_TYPES or not leaves_out(edit.path):
            return edit
        if leaves_out(path := f"memories/{rest}"):
            raise RefusedError(
                f"{edit.path} would not be found again: {IGNORE_FILE} or .gitignore excludes it; nothing was written",
                hint=f"add a line !/{folder}/ to {IGNORE_FILE}",
            )
        return _edit_at(edit, path)

    def _untitled(self, edit: Edit) -> Edit:
        """Return a new memory's edit under its id and not its title, where a filter hides its text: git shows names."""
        folder, _, name = edit.path.rpartition("/")
        stem, _, ending = name.removesuffix(MEMORY_SUFFIX).rpartition("-")
        if not stem or not may_be_filtered(self._view.root, edit.path) or not self._ws.history.hidden([edit.path]):
            return edit
        made = _file_after(edit, mixed=self._view.config.mixed)
        memory_id = (made.memory.id or "") if isinstance(made, MemoryFile) else ""
        if ending not in (memory_id, id_endings(memory_id)[0]):  # somebody chose the name
            return edit
        return _edit_at(edit, f"{folder}/{memory_id}{MEMORY_SUFFIX}")

    def _with_free_name(self, edit: Edit) -> Edit:
        """Return a new memory's edit under the first of its names that is not taken."""
        if not self._is_taken(edit.path):
            return edit
        made = _file_after(edit, mixed=self._view.config.mixed)
        memory_id = made.memory.id if isinstance(made, MemoryFile) else None
        free = (path for path in longer_names(edit.path, memory_id or "") if not self._is_taken(path))
        return _edit_at(edit, next(free, edit.path))

    def _is_taken(self, path: str) -> bool:
        """Whether a new file can't have this name, as far as the actor may know.

        To anybody but the owner, a longer name would reveal that a hidden file has the short one. If a hidden file is
        in their way, nothing is written, and the use case runs again with another id.
        """
        if path in self._paths or self._ws.vault.saved_at(path) is None:
            return path in self._paths
        return self._view.is_owners or self._view.text(path) is not None

    def put(self, *files: Written, undoable: bool = True) -> None:
        """Change files of the vault itself: registries, consents, its keyring, pages, audit events."""
        self._own += files
        if not undoable:
            self._stays.update(file.path for file in files)

    # -- memories and own files --------------------------------------------------------------------

    def _finish(self) -> None:
        """Check everything, write everything, and commit if required."""
        self._refuse_others()
        done = [self._checked.get(edit.path) or _checked(edit, mixed=self._view.config.mixed) for edit in self._edits]
        for file in self._own:
            _check_own(file)
        files, saved = [file for file, _ in done], tuple(saved for _, saved in done)
        # Before anything is written, so that a failure here changes nothing. If a file moves, only links change.
        self.saved = self._with_conflicts(files, saved) if self._compares and not self._moved else saved
        self.saved = tuple(
            self._with_plain_copy(edit, file, each)
            for edit, file, each in zip(self._edits, files, self.saved, strict=True)
        )
        self.saved = tuple(self._with_unknown(files))
        self.saved = tuple(
            replace(each, findings=(*each.findings, *told)) if (told := self._told.get(each.path)) else each
            for each in self.saved
        )
        everything = [*map(_written_file, self._edits), *self._own, *self._moved_files()]
        self._gate.refuse_secrets(everything, self._verb, self._message)
        self._refuse_private_names(everything)
        if self._dropped and any(edit.before is not None for edit in self._edits):
            # The others name it: as a whole it would be half done.
            self._dropped, self._own = self._paths, []
        if self._dry_run:
            self._answer_with_firsts(files)
            return
        with self._view.locked():
            said = self._answer_with_firsts(files)
            self._own = [*map(self._rechained, self._own), *self._granted(files)]
            changed = [
                *self._moved_files(),
                *(
                    _written_file(edit)
                    for edit in self._edits
                    if edit.path not in self._dropped and (edit.before is None or edit.before.data != edit.after)
                ),
            ]
            written = self._stored([*changed, *self._own])
            if written or self._forgets:
                self._write(*written)
        if self._commits:
            self._commit([file.path for file in written], said)

    def _refuse_private_names(self, files: Sequence[Written]) -> None:
        """Raise if what is written to a shared vault would name a memory of the actor's own, and did not before."""
        if self._ws.open_own is None:
            return
        from memstore.vault.references import stop_private_names

        message = (self._message or "").encode()
        stop_private_names(self._view, [message, *(file.after for file in files)], (file.before for file in files))

    def _answer_with_firsts(self, files: Sequence[MemoryFile]) -> list[str]:
        """Answer copies of what is there with the first of them, and return the paths of those; the lock is held."""
        firsts = self._gate.firsts(self._edits, files, self._verb)
        answers = [firsts.get(edit.path) for edit in self._edits]
        self._dropped.update(firsts)
        self.saved = tuple(first or saved for first, saved in zip(answers, self.saved, strict=True))
        return [first.path for first in answers if first]

    def _commit(self, written: Sequence[str], said: Sequence[str]) -> None:
        """Commit what was written, and the memories that said it before, unless they are committed."""
        if written or said:
            adopted = self._ws.terms.adoption.files if self._ws.terms.adoption else ()
            self.commit = self._committed([*written, *said, *(file.path for file in adopted)])
        elif self._dropped:
            self.commit = self._ws.history.head()  # as if it had been written: whoever asked is not told
        if written or said or self._dropped:
            self.saved = tuple(replace(each, commit=self.commit, stays_out=self.commit is None) for each in self.saved)

    def _with_plain_copy(self, edit: Edit, file: MemoryFile, saved: Saved) -> Saved:
        """Return a result with a warning if a new memory in plain text was made from a sealed one."""
        if edit.before is not None or is_sealed_path(edit.path):
            return saved
        memory, view = file.memory, self._view
        named = (id_in(ref) for ref in (*memory.supersedes, *memory.derived_from))
        rows = (row for memory_id in named if memory_id for row in view.rows_of_id(memory_id))
        source = next((view.entry(row) for row in rows if is_sealed_path(view.entry(row).path)), None)
        if source is None:
            return saved
        text, hint = f"it is plain text, made from {source.ref}, which is sealed", f"memstore privacy seal {memory.id}"
        return replace(saved, findings=(*saved.findings, finding_of("sealed-source", file.path, text, hint)))

    def _with_unknown(self, files: Sequence[MemoryFile]) -> Iterator[Saved]:
        """Yield the results, with a notice where a grant may be a mistake.

        Somebody unknown is granted something, a grant opens nothing, or it rests on what anybody may say.
        """
        told: set[str] = set()
        for edit, file, saved in zip(self._edits, files, self.saved, strict=True):
            gained = self._gained(edit, file) if self._verb != _GRANT else ()
            names = [name for name in gained if name not in told]
            told.update(names)
            found = (
                (*self._about_grants(file, names, gained), *self._outside_context(edit, file), *self._unguarded(file))
                if gained
                else ()
            )
            yield replace(saved, findings=(*saved.findings, *found)) if found else saved

    def _about_grants(self, file: MemoryFile, new: Sequence[str], gained: Sequence[str]) -> Iterator[Finding]:
        """Yield who of those named for the `new` time nobody knows, and to whom of those `gained` it stays closed."""
        from memstore.access.privacy import closed_grants, unknown_grantees

        key = "access_grants"
        for note in unknown_grantees(self._view, self._view.of(RIGHTS).policy, new) if new else ():
            yield finding_of("grantee-unknown", file.path, *note, file.front.position(key), key=key)
        for text, advice in closed_grants(self._view, file, gained):
            yield finding_of("grant-closed", file.path, text, advice, file.front.position(key), key=key)

    def _outside_context(self, edit: Edit, file: MemoryFile) -> Iterator[Finding]:
        """Yield to whom of those outside of its context a memory is granted by hand; commands refuse that."""
        before = edit.before.memory if isinstance(edit.before, MemoryFile) else None
        if before is None:
            return
        from memstore.access.grants import leaves_context

        key = "access_grants"
        for name in leaves_context(self._view, before, file.memory.access_grants):
            text = f"it was said in {before.context}, and {name} is outside of it"
            advice = f"memstore privacy revoke {file.memory.id} --from '{name}'"
            yield finding_of("grant-leaves-context", file.path, text, advice, file.front.position(key), key=key)

    def _unguarded(self, file: MemoryFile) -> Iterator[Finding]:
        from memstore.access.consents import without_guardian

        spoken_for = file.memory.subject_ids if file.memory.consent_grants else ()
        for note in without_guardian(self._view, self._view.of(RIGHTS).policy, spoken_for):
            place = file.front.position("consent_grants")
            yield finding_of("guardian-missing", file.path, *note, place, key="consent_grants")

    def _stored(self, files: list[Written]) -> list[Written]:
        """Return files as they are written: what is sealed, sealed; so that a refusal changes nothing."""
        if not any(is_sealed_path(file.path) for file in files):
            return files
        from memstore.vault.sealing import stored_files

        return stored_files(self._view, self._ws, files, self._contexts)

    def _rechained(self, file: Written) -> Written:
        from memstore.access.audit import rechained

        return rechained(self._view, file) if file.before is None and is_audit_path(file.path) else file

    def _granted(self, files: Sequence[MemoryFile]) -> Iterator[Written]:
        """Yield events for grants in this transaction that have none yet; a mended file grants what it did before."""
        if self._dry_run or any(is_audit_path(file.path) for file in self._own):
            return
        to: dict[tuple[str, ...], list[str]] = {}
        for edit, file in zip(self._edits, files, strict=True):
            if edit.path not in self._dropped and (names := self._gained(edit, file)):
                to.setdefault(names, []).append(file.memory.id or file.path)
        if not to:
            return
        from memstore.access.audit import recorded

        if is_group(self._view.config.owner):
            self._stop_at_outsiders({name for names in to for name in names})
        for names, memories in to.items():
            yield recorded(self._view, self._verb, memory=memories, to=[*names])

    def _stop_at_outsiders(self, names: set[str]) -> None:
        """Raise if a member of a shared vault would show its memories to somebody else: its keepers may."""
        from memstore.access.audience import outsiders
        from memstore.access.audit import stop_unless_owner

        world = self._view.of(RIGHTS).registries
        if world.keepers and outsiders(world, names, self._view.clock.now()):
            stop_unless_owner(self._view, "share its memories with others")

    def _gained(self, edit: Edit, file: MemoryFile) -> tuple[str, ...]:
        before = file.memory if edit.mends else edit.before.memory if isinstance(edit.before, MemoryFile) else None
        return gained(before, file.memory, self._view.config.owner)

    def _refuse_others(self) -> None:
        """Raise if somebody else's memory would be changed: being able to see it does not allow writing it."""
        for edit in self._edits if self._verb not in _BY_OTHERS else ():
            before = edit.before
            if isinstance(before, MemoryFile) and edit.after != before.data and not self._view.owns(before.memory):
                refuse_as_not_owner(self._view, before)

    def _write(self, *files: Written) -> None:
        """Write files, and commit them if that was asked for."""
        if self._commits:
            can_commit(self._ws)
            self._ws.history.store({file.path: file.after for file in files if file.after is not None})
        # Audit events stay: undoing an act is another act. A file that is only to be committed has nothing to undo.
        changed = () if self._forgets else (file for file in files if file.before != file.after)
        undoable = tuple(file for file in changed if not (is_audit_path(file.path) or file.path in self._stays))
        operation = Operation(self._verb, instant(self._ws.clock.now()), undoable, self._view.actor)
        adoption = self._ws.terms.adoption
        with self._ws.vault.lock():
            if adoption and undoable and self._ws.journal.last(self._view.actor) == adoption:
                operation = joined(adoption, operation)
            names = [*self._forgets, *(file.path for file in files if is_sealed_path(file.path))]
            with self._outside(files, names):
                if self._forgets:
                    self._ws.of(FORGOTTEN).add(self._forgets.values())
                write_all(self._ws.vault, self._ws.journal, operation, files)
                if self._forgets:
                    from memstore.vault.outside import scrub

                    self.left = scrub(self._ws, [*self._forgets], operation, names=names)

    @contextmanager
    def _outside(self, files: Sequence[Written], names: Sequence[str]) -> Iterator[None]:
        """Do what belongs to the files outside of the tree: the keys of contexts, an act, what is kept of texts."""
        if not (self._contexts or self._going_keys or self._act or self._forgets):
            yield
            return
        from memstore.vault.outside import with_act, with_forgetting
        from memstore.vault.sealing import settle_keys

        with ExitStack() as outside:
            if self._contexts or self._going_keys:
                outside.enter_context(settle_keys(self._ws, new={*self._contexts.values()}, going=self._going_keys))
            if self._act:
                outside.enter_context(with_act(self._ws, self._act, files))
            if self._forgets:
                outside.enter_context(with_forgetting(self._ws, [*self._forgets], names, files))
            yield

    def _committed(self, paths: Sequence[str]) -> str | None:
        """Commit what has just been written, and return the commit; None if git ignores all of it."""
        from memstore.vault.committing import commit_paths

        what = f"{paths[0]} is" if len(paths) == 1 else f"{len(paths)} files are"
        # The files are already written and must not be written again.
        so_far = f"{what} written, but not committed"
        try:
            return commit_paths(self._ws, paths, self._message).commit
        except ChangedMeanwhileError as error:
            # Somebody else commits at the same time.
            raise GitError(error.message, hint=error.hint, outcome=f"{error.outcome}\n{so_far}") from error
        except MemstoreError as error:
            error.outcome += f"\n{so_far}"
            raise
        except OSError as error:
            hint = "memstore commit tries again"
            raise VaultError(f"can't commit: {error}", hint=hint, outcome=f"\n{so_far}") from error

    def _with_conflicts(self, files: Sequence[MemoryFile], saved: tuple[Saved, ...]) -> tuple[Saved, ...]:
        """Return the results with the conflicts that new statements raise."""
        anew = {file.path for edit, file in zip(self._edits, files, strict=True) if _may_contradict(edit.before, file)}
        if not anew or len(anew) > MOST_COMPARED:
            return saved
        from memstore.conflicts.compare import Comparer

        view = self._glance()
        is_certain = view.of(LOOK).snapshot.is_certain
        comparer = Comparer(view)
        paths = [file.path for file in files]

        def compared(each: Saved, file: MemoryFile) -> Saved:
            before = comparer.left_out
            found = tuple(comparer.conflicts(comparer.side_of(file), but=paths))
            return replace(each, conflicts=found, compared_in_part=not is_certain or comparer.left_out > before)

        return tuple(
            compared(each, file) if file.path in anew else each for each, file in zip(saved, files, strict=True)
        )

    def _glance(self) -> View:
        """Return a view from the folders alone if no file has been looked at yet, else the view (docs/adr/0019).

        It costs next to nothing, and may miss files that were rewritten in place. What others may see depends on these.
        """
        look = self._view.of(LOOK)
        if look.is_taken or look.actor != look.config.owner:
            return self._view
        return look.ws.view_at(Moment(look.ws.library.glance()))

    def move(self, file: MemoryFile, to: str, after: bytes) -> None:
        """Move a memory's file to another path, with the bytes that its links need there."""
        if not self._view.owns(file.memory):
            refuse_as_not_owner(self._view, file)
        self._must_be_free(to)
        if after != file.data:
            _checked(Edit(path=file.path, before=file, after=after), mixed=self._view.config.mixed)
        self._moved.append((file, Written(to, None, after)))

    def _moved_files(self) -> list[Written]:
        return [each for file, written in self._moved for each in (Written(file.path, file.data, None), written)]

    def seal_for(self, path: str, context_key: str) -> None:
        """Seal the memory that is written to a path for the key of a context alone, given by its public part."""
        self._contexts[path] = context_key

    def do(self, act: Act) -> None:
        """Do something outside of the vault's tree, once its event, the only change, is written."""
        self._act = act

    def destroy_key(self, context_key: str) -> None:
        """Destroy the key of a context, given by its public part, once everything is written that names it no more."""
        self._going_keys.add(context_key)

    def forget(self, memories: Sequence[Memory]) -> None:
        """Have this machine forget memories, too, once everything is written; the operation can't be undone."""
        self._forgets |= {memory.id or "": memory for memory in memories}

    def _must_be_free(self, path: str) -> None:
        try:
            self._ws.vault.stored(path)
        except NoFileError:
            return
        except TooLargeError:
            pass
        raise ChangedMeanwhileError(f"{path} already exists; nothing was moved", hint="choose another name")

    # -- the only change of its transaction --------------------------------------------------------

    def take_back(self, last: Operation) -> str:
        """Undo an operation, the only change of its transaction; return the diff of a dry run, else nothing."""
        from memstore.vault.undoing import taking_back

        vault, journal = self._ws.vault, self._ws.journal
        with self._view.locked():
            done = self._taken_back_by_hand(last)
            back, events = taking_back(self._view, last, instant(self._ws.clock.now()))
            if not self._dry_run:
                write_all(vault, journal, back, [*events, *(file for file in back.files if file.path not in done)])
                return ""
        return "".join(
            unified_diff(path, self._readable(path, before), self._readable(path, after))
            for path, before, after in ((file.path, file.before, file.after) for file in back.files)
        )

    def drop(self, last: Operation, mark: Callable[[], None]) -> None:
        """Undo an operation as if it had never been done, the only change of its transaction."""
        vault, journal = self._ws.vault, self._ws.journal
        with self._view.locked():
            done = self._taken_back_by_hand(last)
            back = [Written(file.path, file.after, file.before) for file in last.files if file.path not in done]
            # A crash in between leaves a last operation that is taken back already, as if somebody had done it by hand.
            write_all(vault, journal, last._replace(files=()), back)
            mark()

    def _taken_back_by_hand(self, last: Operation) -> frozenset[str]:
        """Return which files of the last operation are already as before it; raise if it is not the last any more."""
        from memstore.vault.undoing import taken_back_by_hand

        if last not in (self._ws.journal.last(), self._ws.journal.last(self._view.actor)):
            raise ChangedMeanwhileError("something else was written in the meantime; nothing was undone")
        return taken_back_by_hand(self._ws.vault, last)

    def _readable(self, path: str, data: bytes | None) -> bytes | None:
        """Return bytes of a file as a person can read them: opened, if they were sealed."""
        opened = None if data is None else self._view.of(LOOK).opened_bytes(path, data)
        if opened is None or not is_sealed_path(path) or not is_sealed(opened):
            return opened
        return f"{path} is sealed, and no key here opens it\n".encode()

    def commit_pending(self, refs: Sequence[str]) -> Committed:
        """Commit the pending changes of the memories that `refs` name, or all of them if empty; writes no file."""
        from memstore.vault.committing import commit_pending

        return commit_pending(self._ws, refs, self._message)


def can_commit(ws: Workspace) -> None:
    """Raise `GitError` or `LockedError` if a commit would not be possible, before anything is written."""
    ws.history.require()
    ws.history.stop_if_busy()


def _written_file(edit: Edit) -> Written:
    return Written(edit.path, edit.before.data if edit.before else None, edit.after)


def _edit_at(edit: Edit, path: str) -> Edit:
    """Return an edit for a file at another path."""
    return replace(edit, path=path, made=edit.made._replace(path=path) if edit.made else None)


def _may_contradict(before: ReadFile | None, after: MemoryFile) -> bool:
    """Whether a file says something new that other memories may contradict."""
    if after.memory.status != "active":
        return False
    return is_reworded(before, after) or (isinstance(before, MemoryFile) and before.memory.status != "active")


def _checked(edit: Edit, *, mixed: bool) -> tuple[MemoryFile, Saved]:
    """Return the file with the new bytes, and the result; raise if it is not a valid successor of the old one."""
    if isinstance(edit.before, BrokenFile) and not (edit.mends or edit.before.lacks_only_its_type):
        findings = edit.before.findings
        raise FormatError(f"{edit.path} can't be read, so it was not changed:\n{shown(findings)}", hint=hint(findings))
    file = _file_after(edit, mixed=mixed)
    if not isinstance(file, MemoryFile):
        findings = file.findings if isinstance(file, BrokenFile) else ()
        raise FormatError(
            f"{edit.path} would not be readable; nothing was written:\n{shown(findings)}", hint=hint(findings)
        )
    errors = [finding for finding in findings_between(edit.before, file) if finding.is_error]
    if errors:
        raise RefusedError(f"nothing was written:\n{shown(errors)}", hint=hint(errors))
    return file, _saved(edit, file)


def _file_after(edit: Edit, *, mixed: bool) -> ReadFile:
    """Return the file with the new bytes; they are read only once."""
    made = edit.made
    if made is not None and made.data is edit.after and made.path == edit.path:
        return made
    return memory_file.read(edit.path, edit.after, mixed=mixed)


def _check_own(file: Written) -> None:
    """Raise if a registry file would not be readable."""
    from memstore.access import registry

    kind = kind_of(file.path)
    read = registry.read(file.path, kind, file.after) if kind and file.after is not None else None
    if isinstance(read, tuple):
        raise FormatError(f"{file.path} would not be readable; nothing was written:\n{shown(read)}", hint=hint(read))


def _saved(edit: Edit, file: MemoryFile) -> Saved:
    """Return the result of one edit."""
    return Saved(
        ref=str(file.memory.ref) if file.memory.ref else None,
        path=edit.path,
        title=shown_title(title_of(file.memory), file.memory.source_type),
        diff=unified_diff(edit.path, edit.before.data if edit.before else None, edit.after),
        findings=findings_between(edit.before, file),
    )
