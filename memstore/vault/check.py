"""Check the vault's files: unreadable files, probable mistakes, and references that don't match.

Files may also be checked as successors of an earlier revision: what a pull request, for instance, would change.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.access import SEALED, SHARED
from memstore.access import registry as registry_file
from memstore.access.audit import (
    consent_unrecorded,
    consents_lost,
    grant_unrecorded,
    is_hidden_from_member,
    recorded,
    unrecorded_consents,
    unrecorded_grants,
)
from memstore.access.grants import tellers
from memstore.access.registry import expected_id, is_named
from memstore.access.world import Session
from memstore.beliefs.recompute import HandEdits
from memstore.core.catalog import EdgeKind
from memstore.core.change import Edit
from memstore.core.config import CONFIG_PATH
from memstore.core.errors import FormatError, NotFoundError, VaultError
from memstore.core.finding import Finding, Position, Severity, in_order
from memstore.core.finding_codes import Checked, finding_of
from memstore.core.ids import MemoryRef, is_group
from memstore.core.places import NO_MEMORIES, RegistryKind, is_memory_path, is_own_path, is_sealed_path, kind_of
from memstore.core.short_repr import short_repr
from memstore.core.times import LATEST, instant
from memstore.core.transaction import again_where_changed, save_all
from memstore.files import catalog_entry, memory_file, plain_note, splice
from memstore.files.memory_file import BrokenFile, MemoryFile, PlainFile, SealedFile
from memstore.files.render import entry_of
from memstore.history import HISTORY, WORK_TREE
from memstore.history.revisions import wholes_of
from memstore.history.sparse import left_out
from memstore.lineage.graph import graph_of
from memstore.lineage.orphans import told_as_lived
from memstore.search import DERIVED
from memstore.trust.check_attestations import AttestationCheck
from memstore.vault import checks, references
from memstore.vault.cited_lines import changed_citations
from memstore.vault.comparison import findings_since, own_changed, remember_checked, widened_since_check
from memstore.vault.init import UNKEPT_HINT, unkept_text
from memstore.vault.note_names import LinkTable, names_of
from memstore.vault.references import directory_of
from memstore.vault.staged import check_staged, staged, vault_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from memstore.access.registry import RegistryFile
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.vault.note_names import NoteNames


# One's own notes seldom name a source: reported to everybody, these warnings would bury real problems.
ONLY_STRICT = frozenset({"source-missing", "citation-changed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What a check found, in how many files and plain notes; `fixed` has the findings that were fixed first.

    `notices` are worth knowing but are not problems, so they are not among the findings. For a dry run, `fixed` has the
    findings that would be fixed.
    """

    files: int
    findings: tuple[Finding, ...]
    notes: int = 0
    fixed: tuple[Finding, ...] = ()
    notices: tuple[Finding, ...] = ()
    dry_run: bool = False

    __repr__ = short_repr

    @property
    def errors(self) -> int:
        """How many of the findings are errors."""
        return sum(finding.is_error for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many of the findings are warnings."""
        return len(self.findings) - self.errors

    def without_strict(self) -> CheckResult:
        """Return the result without the findings and notices that only a strict check reports."""
        findings, notices = (
            tuple(one for one in found if one.code not in ONLY_STRICT) for found in (self.findings, self.notices)
        )
        return replace(self, findings=findings, notices=notices)


def check(view: View, paths: Sequence[str] = ()) -> CheckResult:
    """Return the problems in the vault's files; nothing is written into it.

    Changes that let somebody see more are reported until they are committed. Those of commits since the last check of
    the whole vault are reported once, by the next one.

    Args:
        view: the vault.
        paths: files or folders, relative to the vault, to which findings are limited; empty for all.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        NotFoundError: there is no memory or registry file at one of the paths.
    """
    view.require_owner()
    memories, registry = _chosen(view, paths)
    single = FileCheck(view)
    findings: list[Finding] = []
    notices: list[Finding] = []
    compressed: list[Checked] = []
    plain = 0
    for path in view.with_progress("checking files", memories):
        file = view.whole.any_file(path)
        findings += single.findings(file)
        notices += single.notices(file)
        plain += isinstance(file, PlainFile)
        if isinstance(file, MemoryFile) and file.memory.compressed_from:
            compressed += [] if is_hidden_from_member(view, file.memory) else [checks.as_checked(file)]
    findings += _unmerged(view, {*memories, *registry}, findings)
    findings += _lost_texts(view, compressed)
    wanted = set(registry)
    findings += [finding for finding in _registry_findings(view) if finding.path in wanted]
    for path in registry if is_group(view.config.owner) else ():
        findings += references.private_names(view, path, view.own_file(path) or b"")
    findings += () if paths else (*single.attestations.keyring(), *widened_since_check(view))
    findings += () if paths else (*consents_lost(view), *_vaults_inside(view, memories), *_unkept(view))
    sealed = [one for one in view.of(SEALED).findings() if one.path in {*memories} or not paths]
    findings += [one for one in sealed if one.severity is not Severity.NOTICE]
    single.attestations.keep()
    if not paths:
        remember_checked(view)
    return CheckResult(
        files=len(memories) - plain + len(registry),
        notes=plain,
        findings=in_order(findings),
        notices=in_order(
            [
                *(() if paths else _said_once(view)),
                *notices,
                *(() if paths else _left_out_files(view)),
                *(one for one in sealed if one.severity is Severity.NOTICE),
            ]
        ),
    )


class FileCheck:
    """What is wrong with single files among all others that a view has: in a check, and while somebody types.

    Whoever looks, nothing hidden is named. What concerns the vault as a whole, like its keyring, is none of it.

    Args:
        view: the vault.
        links: where links lead, if that is known already.
        attestations: what checks signatures, if it has been read already.
    """

    def __init__(
        self, view: View, links: LinkTable | None = None, attestations: AttestationCheck | None = None
    ) -> None:
        self._view, self._now = view, view.clock.now()
        self.attestations = attestations or AttestationCheck(view)
        if links is not None:
            self._links = links

    def findings(self, file: ReadFile) -> Iterator[Finding]:
        """Yield the errors and warnings of a file, as it was read."""
        view, path = self._view, file.path
        if isinstance(file, MemoryFile) and is_hidden_from_member(view, file.memory):
            yield from checks.unseen(checks.as_checked(file), view.config.owner)
            return
        yield from checks.secrets(file)
        yield from () if isinstance(file, SealedFile) else references.private_names(view, path, file.data)
        if isinstance(file, MemoryFile):
            checked = checks.as_checked(file)
            yield from checks.of_memory(checked, now=self._now)
            yield from checks.misspelt_type(file)
            yield from references.of_memory(checked, self._directory)
            yield from checks.narrower(checked, view.config.owner) if _is_members(view) else ()
            yield from _cited_in_vain(checked, file, self._directory)
            yield from self.attestations.of(checked, file.data)
        elif isinstance(file, BrokenFile):
            yield from _without_taken_id(view, file, self._directory)
        elif isinstance(file, PlainFile):
            yield from _unread_dates(path, file.data, first_commit=self._first_commits.get(path, ""))

    def notices(self, file: ReadFile) -> Iterator[Finding]:
        """Yield what is worth knowing of a file, as it was read, and no fault: links that lead nowhere, for one."""
        view = self._view
        if isinstance(file, MemoryFile) and is_hidden_from_member(view, file.memory):
            return
        yield from self._dangling(file.path)
        if isinstance(file, MemoryFile) and view.is_owners and view.of(HISTORY).repository:
            yield from changed_citations(view, file)
        elif isinstance(file, PlainFile):
            yield from _unread_parts(file.path, file.data)

    def _dangling(self, path: str) -> Iterator[Finding]:
        """Yield a finding for each link in a file that leads nowhere; a link with a memory's id is a ref."""
        row = self._links.row_of(path)
        for line, link in () if row is None else self._links.dangling(row):
            if MemoryRef.parse(link.target) is None and not self._left_names.led_to(link, of=path):
                what = "note" if link.must_name_note else "file"
                hint = f"{'write the note' if link.must_name_note else 'put the file there'}, or correct the link"
                yield finding_of("link-dangling", path, f"{link.written} leads to no {what}", hint, Position(line))

    @cached_property
    def _directory(self) -> references.Directory:
        return directory_of(self._view, _rows(self._view), self._left)

    @cached_property
    def _links(self) -> LinkTable:
        return LinkTable(self._view)

    @cached_property
    def _left(self) -> Collection[ReadFile]:
        return left_out(self._view)

    @cached_property
    def _left_names(self) -> NoteNames:
        return names_of(self._left)

    @cached_property
    def _first_commits(self) -> Mapping[str, str]:
        return dict(zip(self._view.column("path"), self._view.column("first_commit"), strict=True))


@again_where_changed
def fix(view: View, paths: Sequence[str] = (), *, since: str | None = None, dry_run: bool = False) -> CheckResult:
    """Fix what needs no judgement, such as a missing id, spaces in a title or repeated list items; then check.

    A confidence that was changed by hand is recorded in its history. If the history itself was changed, the confidence
    follows it, and removed evidence is recorded as retracted. Grants without an audit event get one.

    A file that can't be read gets the lines that its findings say it should have, if all of it can then be read.

    Args:
        view: the vault.
        paths: files or folders, relative to the vault; empty for all.
        since: the commit to compare with to see what was changed by hand; None for the last one.
        dry_run: only report what would be fixed and recorded.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        NotFoundError: there is no memory or registry file at one of the paths.
        ChangedMeanwhileError: somebody else saved a file at the same moment; nothing was written.
    """
    view.require_owner()
    fixed: list[Finding] = []
    edits = []
    broken: list[BrokenFile] = []
    by_hand = HandEdits(view, since)
    for path in _chosen(view, paths)[0]:
        file = view.whole.any_file(path)
        if isinstance(file, MemoryFile) and is_hidden_from_member(view, file.memory):
            continue
        if isinstance(file, MemoryFile) and (done := _fixed_bytes(view, file, by_hand)):
            edits.append(Edit(path=path, before=file, after=done[0]))
            fixed += done[1]
        elif isinstance(file, BrokenFile):
            broken.append(file)
    mended = _corrected_files(view, broken)
    for file, (right, done_there) in mended:
        edits.append(Edit(path=file.path, before=file, after=right.data, made=right, mends=True))
        fixed += done_there
    granted = [
        (file, names)
        for file, names in unrecorded_grants(view, {file.path: right for file, (right, _) in mended})
        if any(_is_below(file.path, path) for path in paths or ("",))
    ]
    fixed += [grant_unrecorded(file, names) for file, names in granted]
    to = {names: [file.memory.id or file.path for file, others in granted if others == names] for _, names in granted}
    consents = [path for path in unrecorded_consents(view) if any(_is_below(path, below) for below in paths or ("",))]
    fixed += map(consent_unrecorded, consents)
    events = [recorded(view, "check --fix", memory=memories, to=[*names]) for names, memories in to.items()]
    if consents:
        named = [expected_id(path, RegistryKind.CONSENT) for path in consents]
        events.append(recorded(view, "check --fix", consents=named))
    save_all(view, edits, verb="check --fix", own=events, dry_run=dry_run)
    found = check(view, paths)
    return replace(found, fixed=in_order(fixed), dry_run=dry_run)


def _rows(view: View) -> Sequence[int]:
    return view.rows if _is_members(view) or not view.is_owners else view.whole.rows


def _is_members(view: View) -> bool:
    """Whether a member of the group looks that owns a shared vault, and not somebody whose vault it is alone."""
    return is_group(view.config.owner) and view.acts_for_owner


def _unkept(view: View) -> Iterator[Finding]:
    """Yield a finding if no commit has the vault's settings, or the files that go with them."""
    own = view.of(WORK_TREE).unkept() if view.of(HISTORY).repository else {}
    if own:
        yield finding_of("vault-uncommitted", min(own), unkept_text(own), UNKEPT_HINT)


def check_staged_files(view: View) -> CheckResult:
    """Return what the pre-commit hook would report about the staged files.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        GitError: there is no repository.
    """
    view.require_owner()
    now = view.clock.now()
    session = Session(viewer=view.actor, at=now, alone=True) if _is_members(view) else None
    found = check_staged(view.of(HISTORY), owner=lambda: view.config.owner, now=now, session=session)
    return CheckResult(files=len(staged(view.of(HISTORY)).files), findings=found)


def _chosen(view: View, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the memory files and the registry files to check, sorted."""
    memories = sorted(file.path for file in view.whole.memory_files())
    registry = view.whole.registry_files()
    if not paths:
        return memories, registry
    for path in paths:
        if not any(_is_below(file, path) for file in (*memories, *registry)):
            raise NotFoundError(
                f"there is nothing to check at `{path}`", hint="name a memory's file or a folder, relative to the vault"
            )
    return (
        [file for file in memories if any(_is_below(file, path) for path in paths)],
        [file for file in registry if any(_is_below(file, path) for path in paths)],
    )


def _is_below(file: str, path: str) -> bool:
    folder = path.removeprefix("./").rstrip("/")
    return folder in ("", ".", file) or file.startswith(folder + "/")


def _without_taken_id(view: View, file: BrokenFile, directory: references.Directory) -> tuple[Finding, ...]:
    """Return the findings of a file that can't be read; none proposes a line with the id of another memory."""
    right = memory_file.mended(file, mixed=view.config.mixed)
    others = directory.named(right[0].memory.id or "") if right else None
    if right is None or not others:
        return file.findings
    line = right[0].front.position("id").line
    hint = f"{min(node.path for node in others)} has the id {right[0].memory.id}: delete this line, then memstore adopt"
    return tuple(
        one._replace(mended=None, meant=None, hint=hint) if one.at.line == line and one.mended else one
        for one in file.findings
    )


def _unread_dates(path: str, data: bytes, *, first_commit: str) -> Iterator[Finding]:
    """Yield a finding for each date of a plain note that can't be read, and for a first commit beyond the calendar."""
    if first_commit == instant(LATEST):
        hint = "state the note's date in its front matter, like `date: 2026-05-08`"
        yield finding_of("note-date", path, "its first commit is dated after the year 9999", hint)
    for key, text in plain_note.unread_dates(data):
        yield finding_of("note-date", path, f"`{key}` is no date: `{text}`", "write it like 2026-05-08")


_HOW_TO_READ = {
    "note-frontmatter": "put the value in quotes; until then it is searched as text",
    "note-encoding": "save it as UTF-8",
}


def _unread_parts(path: str, data: bytes) -> Iterator[Finding]:
    """Yield a finding for front matter and letters of a plain note that are only text, or not even that."""
    for code, line, why in plain_note.unread_parts(data):
        yield finding_of(code, path, why, _HOW_TO_READ[code], Position(line))


def _left_out_files(view: View) -> Iterator[Finding]:
    """Yield a finding for each file of a repository that looks like a note, and is none for its kind or its name."""
    mixed, history = view.config.mixed, view.of(HISTORY)
    if not history.repository:
        return
    pages = [
        path for path in sorted(history.kept_files()) if is_memory_path(path, mixed=True) and not is_own_path(path)
    ]
    named_so = {path for path in pages if is_memory_path(path, mixed=mixed)}
    ignored = history.left_out(pages)
    for path in pages:
        if path in ignored:
            continue
        if (view.root / path).is_symlink():
            yield finding_of("file-left-out", path, "it is a symbolic link", "put the file itself in its place")
        elif path not in named_so and path.rpartition("/")[2] not in NO_MEMORIES:
            yield finding_of("file-left-out", path, "its name doesn't end with .md", "rename it, if it is a memory")


def _cited_in_vain(checked: Checked, file: MemoryFile, directory: references.Directory) -> Iterator[Finding]:
    """Yield a finding for each citation in a text that leads to no memory."""
    for cited in catalog_entry.cited_refs(file.memory.body):
        ref = MemoryRef.parse(cited)
        if ref is not None and not directory.named(ref.id):
            for _, at in catalog_entry.places(file, EdgeKind.CITES, cited):
                text, hint = f"the text cites {cited}, which does not exist", "correct the citation, or remove it"
                yield checked.finding("ref-dangling", text, hint, line=at.line)._replace(at=at)


def _vaults_inside(view: View, memories: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding for each folder with memories that is a vault of its own."""
    folders = {
        "/".join(parts[:end]) for path in memories for parts in [path.split("/")] for end in range(1, len(parts))
    }
    for folder in sorted(folders):
        with suppress(VaultError):
            view.whole.read(f"{folder}/{CONFIG_PATH}")
            yield vault_inside(f"{folder}/{CONFIG_PATH}")


def _unmerged(view: View, paths: Collection[str], found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding for each file that git could not merge, unless conflict markers in it say so."""
    marked = {one.path for one in found if one.code == "conflict-marker"}
    for path in view.of(HISTORY).unmerged() if view.of(HISTORY).repository else ():
        if path in paths and path not in marked:
            hint = f"git add {path}, once it says what holds"
            if is_sealed_path(path):
                hint = f"git checkout --theirs {path} takes the other version; git add {path} keeps what is there then"
            yield finding_of("unmerged", path, "git could not merge it, and waits for a decision", hint)


def _lost_texts(view: View, compressed: Sequence[Checked]) -> Iterator[Finding]:
    """Yield a finding for each compressed memory whose full text is not in the history."""
    for checked, whole in zip(compressed, wholes_of(view, [one.memory for one in compressed]), strict=True):
        kept = checked.memory.compressed_from
        if kept and whole is None:
            text = f"the history does not have the blob {kept.blob[:10]} of this memory, which its text summarizes"
            hint = f"fetch the history with commit {kept.commit[:10]}"
            yield checked.finding("compressed-lost", text, hint, "compressed_from")


# -- registry files ------------------------------------------------------------------------------


def _registry_findings(view: View) -> Iterator[Finding]:
    files = {path: kind_of(path) for path in view.whole.registry_files()}
    yield from wrong_in_registries({path: _read_registry(view, path, kind) for path, kind in files.items() if kind})


def wrong_in_registries(files: Mapping[str, RegistryFile | tuple[Finding, ...]]) -> Iterator[Finding]:
    """Yield the problems of registry files, each alone and all together; `files` has the read files by path."""
    holders: dict[str, list[RegistryFile]] = defaultdict(list)
    for read in files.values():
        if isinstance(read, tuple):
            yield from read
        else:
            holders[read.values["id"]].append(read)
            yield from _registry_name(read)
            yield from _unread_registry_keys(read)
    for memory_id, copies in holders.items():
        for file in copies[1:]:
            yield _registry_finding(
                file, "registry-duplicate", f"{memory_id} already has a file: {copies[0].path}", "keep one of the two"
            )


def _read_registry(view: View, path: str, kind: RegistryKind) -> RegistryFile | tuple[Finding, ...]:
    try:
        return registry_file.read(path, kind, view.whole.read(path))
    except VaultError as error:
        return memory_file.unreadable(path, str(error)).findings


def _registry_name(file: RegistryFile) -> Iterator[Finding]:
    if not is_named(file.values["id"], file.path, file.kind):
        text = f"the id is {file.values['id']}, and the file's name says {expected_id(file.path, file.kind)}"
        yield _registry_finding(file, "registry-name", text, "rename the file, or correct the id")


def _unread_registry_keys(file: RegistryFile) -> Iterator[Finding]:
    """Yield a finding for each key that is read by nobody, and was probably meant to be another."""
    known = tuple(key.name for key in registry_file.FORMS[file.kind].keys)
    for name in file.values:
        meant = None if name in known else checks.nearly(name, known)
        if meant:
            text = f"memstore does not read a key `{name}` here"
            yield _registry_finding(file, "key-unknown", text, f"did you mean {meant}?", name)


def _registry_finding(file: RegistryFile, code: str, text: str, hint: str, key: str = "id") -> Finding:
    return finding_of(code, file.path, text, hint, file.front.position(key), key=key)


# -- fixing --------------------------------------------------------------------------------------


def _corrected_files(
    view: View, broken: Sequence[BrokenFile]
) -> list[tuple[BrokenFile, tuple[MemoryFile, tuple[Finding, ...]]]]:
    """Return each file that its findings correct, with what becomes of it, unless it would get another memory's id."""
    made = [(file, right) for file in broken if (right := memory_file.mended(file, mixed=view.config.mixed))]
    ids = view.column("id")
    holders = Counter([*(ids[row] for row in view.whole.rows), *(right[0].memory.id for _, right in made)])
    return [(file, right) for file, right in made if not right[0].memory.id or holders[right[0].memory.id] == 1]


def _fixed_bytes(view: View, file: MemoryFile, by_hand: HandEdits) -> tuple[bytes, list[Finding]] | None:
    """Return a file's bytes with everything fixed that needs no judgement, and the fixed findings; None for none."""
    checked = checks.as_checked(file)
    edits: list[splice.Edit] = []
    mended = []
    found = checks.of_memory(checked, now=view.clock.now())
    if any(finding.code == "conflict-marker" for finding in found):
        return None  # a person decides first
    for finding in found:
        edit = _edit(view, file, finding, by_hand)
        if edit is not None:
            mended.append(finding)
            edits += [edit] if edit not in edits else []
    for line in by_hand.retracted(file):
        if line.op == "retract":
            text = f"the evidence of {line.evidence_source} was removed from the history"
            mended.append(checked.finding("history-lost", text, "it is recorded as retracted", "confidence_history"))
        edits.append(splice.AppendEntry("confidence_history", entry_of(line)))
    try:
        return (splice.apply(file, edits), mended) if edits else None
    except FormatError:
        return None  # laid out so unusually that a person has to do it; the finding stays


def _edit(view: View, file: MemoryFile, finding: Finding, by_hand: HandEdits) -> splice.Edit | None:
    match finding.code:
        case "id-missing":
            return splice.SetValue("id", view.ids.memory_id())
        case "title-blanks":
            return splice.SetValue("title", " ".join((file.memory.title or "").split()))
        case "item-repeated":
            return splice.SetValue(finding.key, list(dict.fromkeys(getattr(file.memory, finding.key))))
        case "confidence-drift" if by_hand.is_of_the_number(file) or by_hand.is_of_the_ledger(file):
            return by_hand.settled(file)
        case _:
            return None


# -- as a successor of a revision ------------------------------------------------------------------


def check_against(view: View, revision: str, *, mend: bool = False) -> CheckResult:
    """Return the problems in everything that changed since a revision, committed or not, as the pre-commit hook does.

    Changed registry files are checked, too. A line of evidence may be missing from a ledger if the ledger says that it
    was retracted or folded.

    Args:
        view: the vault.
        revision: a commit, in git's own notation.
        mend: first fix what needs no judgement, as `fix` does, including changes by hand since that revision.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
        NotFoundError: there is no such commit.
        GitError: the vault has no history.
        ChangedMeanwhileError: somebody else saved a file at the same moment; nothing was fixed.
    """
    view.require_owner()
    view.of(HISTORY).require()
    commit = view.of(HISTORY).resolve(revision)
    fixed = fix(view, since=commit).fixed if mend else ()
    now = view.again() if mend else view
    changed, own = now.of(WORK_TREE).pending(since=commit), own_changed(now, commit)
    findings = findings_since(now, commit, changed, own)
    for file in changed.files.values():
        if isinstance(file, MemoryFile) and is_hidden_from_member(now, file.memory):
            findings += checks.unseen(checks.as_checked(file), now.config.owner)
    registry = {path for path in now.whole.registry_files() if path in own}
    findings += [finding for finding in _registry_findings(now) if finding.path in registry]
    return CheckResult(files=len(changed.files) + len(registry), findings=in_order(findings), fixed=fixed)


# -- what new rules mean for an older vault --------------------------------------------------------


# What was reported here, under this version of the rules; whoever changes what an old vault is worth adds a name.
_RULES = "1"


def _said_once(view: View) -> Iterator[Finding]:
    """Yield what is reported once per copy of a vault, as far as no check has reported it."""
    derived = view.of(DERIVED)
    for name, rules in _ONCE.items():
        if not derived.last(name, _RULES):
            found = [finding for rule in rules for finding in rule(view)]
            derived.keep(name, _RULES, {"codes": [one.code for one in found] or ["none"]})
            yield from found


def _lower_levels(view: View) -> Iterator[Finding]:
    """Yield how many memories have a lower level of trust than their number alone would give them."""
    from memstore.trust.reader import TrustReader

    attested = view.column("attested")
    reader = TrustReader(view)
    held = [row for row in _rows(view) if attested[row] and reader.of_row(row).is_held_back]
    if held:
        text = f"{_counted(len(held), 'memory has', 'memories have')} a lower level of trust than the number says"
        hint = "memstore trust REF says why; memstore trust sign, another's witness or a stamp gives it back"
        yield finding_of("level-held-back", view.entry(held[0]).path, text, hint)


def _lacking_events(view: View) -> Iterator[Finding]:
    """Yield how many grants and consents have no audit event; a shared stack has none, since they stay at home."""
    if view.of(SHARED).manifest:
        return
    granted, consents = unrecorded_grants(view), unrecorded_consents(view)
    if granted or consents:
        shown = [file.path for file, _ in granted] + consents
        parts = [_counted(len(granted), "memory is granted to somebody", "memories are granted to somebody")] * bool(
            granted
        )
        parts += [_counted(len(consents), "consent is there", "consents are there")] * bool(consents)
        text = f"{' and '.join(parts)}, and no audit event tells of it"
        hint = "memstore check --fix --dry-run lists what it would record; memstore check --fix records it"
        yield finding_of("audit-lacks-events", shown[0], text, hint)


def _told_as_lived(view: View) -> Iterator[Finding]:
    """Yield how many memories name who told them, and say that they were lived."""
    found = told_as_lived(graph_of(view), tellers(view))
    if found:
        text = f"direct_experience in spite of a teller: {_counted(len(found), 'memory', 'memories')}"
        hint = "memstore check fix-provenance --dry-run lists what memstore check fix-provenance would correct"
        yield finding_of("told-as-lived", found[0].path, text, hint)


_ONCE: Mapping[str, Sequence[Callable[[View], Iterator[Finding]]]] = {
    "said-once": (_lower_levels, _lacking_events),
    "said-once-of-tellers": (_told_as_lived,),
}


def _counted(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
