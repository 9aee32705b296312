"""An operation writes all of its files or none, wherever it fails or dies, and what it says of that is so."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.change import Operation, Written
from memstore.core.errors import ChangedMeanwhileError, LockedError, TooLargeError, VaultError
from memstore.core.places import TEMPORARY_PREFIX
from memstore.files import disk_vault
from memstore.files.disk_journal import DiskJournal
from memstore.files.disk_vault import DiskVault
from memstore.files.fence import MOST_BYTES
from memstore.files.vault import DONE_ALL_THE_SAME
from memstore.vault.writing import recover, write_all
from tests.memory_vault import MemoryVault
from tests.memory_workspace import LastOperation
from tests.support import examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memstore.core.change import Journal
    from memstore.files.vault import VaultFiles

Files = dict[str, bytes]
EARLIER = Operation("set", "2026-01-01T00:00:00Z", (Written("z.md", b"", b"z"),), "human:sean")
PATHS = ("a.md", "b.md", "deep/c.md", "deep/er/d.md")


class Killed(BaseException):
    """The program is no more: no handler may do anything about it."""


class Faults:
    """Lets the calls from the n-th on fail, all or a few of them, before or after they have done their work."""

    def __init__(self) -> None:
        self.calls = 0
        self.first, self.count, self.has_worked = 10**9, 0, False
        self.error: Callable[[], BaseException] = Killed

    def arm(self, first: int, error: Callable[[], BaseException], *, count: int = 1, has_worked: bool = False) -> None:
        self.calls, self.first, self.count = 0, first, count
        self.error, self.has_worked = error, has_worked

    def disarm(self) -> None:
        self.count = 0

    def call(self, work: Callable[[], Any]) -> Any:
        number, self.calls = self.calls, self.calls + 1
        if not self.first <= number < self.first + self.count:
            return work()
        if self.has_worked and number == self.first:
            work()
        raise self.error()


class FaultyVault(MemoryVault):
    def __init__(self, files: Files, faults: Faults) -> None:
        super().__init__(files)
        self.faults = faults

    def create(self, path: str, data: bytes, *, like: str | None = None) -> None:
        made = super().create
        self.faults.call(lambda: made(path, data, like=like))

    def replace(self, path: str, data: bytes, *, expected: bytes) -> None:
        replaced = super().replace
        self.faults.call(lambda: replaced(path, data, expected=expected))

    def delete(self, path: str, *, expected: bytes) -> None:
        deleted = super().delete
        self.faults.call(lambda: deleted(path, expected=expected))


class FaultyJournal(LastOperation):
    """Records in two steps, as the one on disk does."""

    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self.faults = faults
        self._is_recorded = False

    def begin(self, operation: Operation) -> None:
        begun = super().begin
        self._is_recorded = False
        self.faults.call(lambda: begun(operation))

    def record(self, operation: Operation) -> None:
        def keep() -> None:
            self._last[operation.by], self._is_recorded = operation, True

        self.faults.call(keep)
        with suppress(OSError, VaultError):
            self.clear()

    def recorded(self) -> bool:
        return self._begun is not None and self._is_recorded

    def clear(self) -> None:
        cleared = super().clear
        self.faults.call(cleared)


class Case(NamedTuple):
    before: Files
    files: tuple[Written, ...]
    operation: Operation

    @property
    def after(self) -> Files:
        made = {file.path: file.after for file in self.files if file.after is not None}
        return {path: data for path, data in self.before.items() if path not in [f.path for f in self.files]} | made


@st.composite
def cases(draw: st.DrawFn) -> Case:
    bytes_or_none = st.sampled_from([None, b"", b"one", b"two"])
    states = draw(st.lists(st.tuples(bytes_or_none, bytes_or_none), min_size=1, max_size=len(PATHS)))
    files = tuple(Written(path, *state) for path, state in zip(PATHS, states, strict=False))
    before = {"z.md": b"z"} | {file.path: file.before for file in files if file.before is not None}
    undoable = files[: draw(st.integers(0, len(files)))]
    return Case(before, draw(st.permutations(files).map(tuple)), Operation("grant", "", undoable, "si:ash"))


def no_room() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def odd() -> VaultError:
    return VaultError("the vault is odd", outcome="; nothing was written")


def failing(case: Case) -> tuple[FaultyVault, FaultyJournal, Faults]:
    faults = Faults()
    vault, journal = FaultyVault(case.before, faults), FaultyJournal(faults)
    journal.record(EARLIER)
    faults.calls = 0
    return vault, journal, faults


def outcome(vault: VaultFiles, journal: Journal, case: Case) -> str | None:
    """Return what the error said; None where there was none."""
    try:
        with vault.lock():
            write_all(vault, journal, case.operation, case.files)
    except BaseException as error:  # noqa: BLE001 -- the test is about any
        return "\n".join([str(error), *getattr(error, "__notes__", [])])
    return None


def must_be_true(said: str | None, now: Files, case: Case, journal: Journal) -> None:
    """What was said is so, also where files are half written: then it names them, and the journal knows."""
    last = case.operation if case.operation.files else EARLIER
    if said is None or said.endswith(DONE_ALL_THE_SAME):
        assert (now, journal.last()) == (case.after, last)
    elif "nothing was written" in said:
        assert (now, journal.last()) == (case.before, EARLIER)
        assert said.endswith("; nothing was written")
        assert said.count("nothing was written") == 1
    elif "everything is written" in said:
        assert now == case.after
        assert journal.begun()
    else:
        written = {path for path in {*now, *case.before} if now.get(path) != case.before.get(path)}
        assert all(path in said for path in written)
        assert journal.begun() or now in (case.before, case.after)


@settings(max_examples=examples(300), deadline=None)
@given(
    case=cases(),
    first=st.integers(0, 12),
    error=st.sampled_from([no_room, odd, KeyboardInterrupt]),
    has_worked=st.booleans(),
)
def test_one_failure_anywhere_leaves_all_or_nothing_and_says_which(
    case: Case, first: int, error: Callable[[], BaseException], *, has_worked: bool
) -> None:
    vault, journal, faults = failing(case)
    faults.arm(first, error, has_worked=has_worked)
    said = outcome(vault, journal, case)
    assert vault.files in (case.before, case.after)
    must_be_true(said, vault.files, case, journal)
    whole = dict(vault.files)
    faults.disarm()
    recover(vault, journal)
    assert (vault.files, journal.begun()) == (whole, None)


@settings(max_examples=examples(300), deadline=None)
@given(
    case=cases(),
    first=st.integers(0, 12),
    count=st.integers(2, 12),
    error=st.sampled_from([no_room, odd, KeyboardInterrupt]),
    has_worked=st.booleans(),
)
def test_what_cannot_be_taken_back_is_named_and_taken_back_by_the_next(
    case: Case, first: int, count: int, error: Callable[[], BaseException], *, has_worked: bool
) -> None:
    vault, journal, faults = failing(case)
    faults.arm(first, error, count=count, has_worked=has_worked)
    said = outcome(vault, journal, case)
    must_be_true(said, vault.files, case, journal)
    faults.disarm()
    recover(vault, journal)
    assert vault.files in (case.before, case.after)
    assert journal.begun() is None


@pytest.mark.parametrize("error", [no_room, odd, KeyboardInterrupt])
@pytest.mark.parametrize("count", range(1, 7))
def test_what_is_never_undone_has_happened_once_the_journal_forgot_it(
    error: Callable[[], BaseException], count: int
) -> None:
    files = tuple(Written(path, None, b"one") for path in PATHS)
    case = Case({"z.md": b"z"}, files, Operation("grant", "", (), "si:ash"))
    vault, journal, faults = failing(case)
    forgets = 2 + len(files)  # after what a program that died had begun was forgotten, and this was begun and written
    faults.arm(forgets, error, count=count, has_worked=True)
    said = outcome(vault, journal, case)
    assert vault.files == case.after
    assert said is None or said.endswith(DONE_ALL_THE_SAME)
    must_be_true(said, vault.files, case, journal)


@settings(max_examples=examples(300), deadline=None)
@given(case=cases(), first=st.integers(0, 12), has_worked=st.booleans(), again=st.lists(st.integers(0, 6), max_size=3))
def test_who_is_killed_leaves_all_or_nothing_to_the_next_even_if_those_are_killed_as_well(
    case: Case, first: int, again: list[int], *, has_worked: bool
) -> None:
    vault, journal, faults = failing(case)
    faults.arm(first, Killed, count=10**9, has_worked=has_worked)
    said = outcome(vault, journal, case)
    for number in again:
        faults.arm(number, Killed, count=10**9)
        with suppress(Killed):
            recover(vault, journal)
    faults.disarm()
    recover(vault, journal)
    is_recorded = journal.last() == case.operation
    changed = [file for file in case.files if file.before != file.after]
    if said is None or is_recorded:
        assert vault.files == case.after
    elif len(changed) > 1 and case.operation.files:
        assert vault.files == case.before
    assert vault.files in (case.before, case.after)
    assert not recover(vault, journal)


# The same on disk, at every system call.

CALLS = (
    "open",
    "fsync",
    "link",
    "rename",
    "replace",
    "unlink",
    "fchmod",
    "mkdir",
    "rmdir",
    "utime",
    "listdir",
    "stat",
    "fstat",
)
ON_DISK = Case(
    before={"a.md": b"a", "b.md": b"b", "c.md": b"c"},
    files=(
        Written("c.md", b"c", None),
        Written("a.md", b"a", b"A"),
        Written("new/folder/e.md", None, b"e"),
        Written("moved/c.md", None, b"c"),
        Written("b.md", b"b", None),
    ),
    operation=Operation("grant", "2026-02-02T00:00:00Z", (Written("a.md", b"a", b"A"),), "si:ash"),
)
ONE = Case(before={"a.md": b"a"}, files=(file := Written("a.md", b"a", b"A"),), operation=Operation("set", "", (file,)))


class Disk:
    """A vault on disk whose system calls fail; what is written is not waited for."""

    def __init__(self, place: Path, case: Case) -> None:
        place.mkdir()
        self.place, self.faults = place, Faults()
        (place / "vault").mkdir()
        for path, data in case.before.items():
            (place / "vault" / path).write_bytes(data)
        with self.failing():
            DiskJournal(place / "state").record(EARLIER)

    def opened(self) -> tuple[DiskVault, DiskJournal]:
        return DiskVault(self.place / "vault", state=self.place / "state"), DiskJournal(self.place / "state")

    @property
    def files(self) -> Files:
        root = self.place / "vault"
        files = [path for path in root.rglob("*") if path.is_file() and not path.name.startswith(TEMPORARY_PREFIX)]
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}

    @property
    def leftovers(self) -> list[Path]:
        return list((self.place / "vault").rglob(TEMPORARY_PREFIX + "*"))

    @contextmanager
    def failing(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, _faulty(self.faults, getattr(os, name) if name != "fsync" else lambda _: None))
            patch.setattr(disk_vault, "_renamed", _faulty(self.faults, disk_vault._renamed))
            patch.setattr(type(self.place), "read_bytes", _faulty(self.faults, type(self.place).read_bytes))
            yield

    def run(self, case: Case) -> str | None:
        vault, journal = self.opened()
        with vault.lock(), self.failing():
            return outcome(vault, journal, case)


def _faulty(faults: Faults, call: Callable[..., object]) -> Callable[..., object]:
    return lambda *args, **keys: faults.call(lambda: call(*args, **keys))


def every_fault(tmp_path: Path, case: Case) -> Iterator[tuple[Disk, int]]:
    """Yield a disk for each system call of an operation."""
    counting = Disk(tmp_path / "count", case)
    counting.faults.calls = 0
    assert counting.run(case) is None
    for number in range(counting.faults.calls):
        disk = Disk(tmp_path / str(number), case)
        yield disk, number


@pytest.mark.soak(2)
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("has_worked", [False, True])
@pytest.mark.parametrize("error", [no_room, KeyboardInterrupt])
@pytest.mark.parametrize("case", [ON_DISK, ONE], ids=["several", "one"])
def test_one_system_call_that_fails_leaves_all_or_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: Case,
    error: Callable[[], BaseException],
    *,
    has_worked: bool,
    plain: bool,
) -> None:
    if plain:
        monkeypatch.setattr(disk_vault, "_renameat2", lambda: None)
    for disk, number in every_fault(tmp_path, case):
        disk.faults.arm(number, error, has_worked=has_worked)
        said = disk.run(case)
        assert disk.files in (case.before, case.after), (number, said)
        must_be_true(said, disk.files, case, disk.opened()[1])
        assert len(disk.leftovers) <= 1, number  # of a call that failed when it was to remove it
        whole = disk.files
        recover(*disk.opened())
        assert disk.files == whole


@pytest.mark.parametrize("case", [ON_DISK, ONE], ids=["several", "one"])
def test_a_disk_that_stays_full_from_any_call_on_is_told_of_truly(tmp_path: Path, case: Case) -> None:
    for disk, number in every_fault(tmp_path, case):
        disk.faults.arm(number, no_room, count=10**9)
        said = disk.run(case)
        must_be_true(said, disk.files, case, disk.opened()[1])
        disk.faults.disarm()
        recover(*disk.opened())
        assert disk.files in (case.before, case.after), (number, said)


@pytest.mark.parametrize("has_worked", [False, True])
def test_killed_at_any_system_call_and_again_in_recover(tmp_path: Path, *, has_worked: bool) -> None:
    for disk, number in every_fault(tmp_path, ON_DISK):
        disk.faults.arm(number, Killed, count=10**9, has_worked=has_worked)
        disk.run(ON_DISK)
        for later in (2, 7):
            disk.faults.arm(later, Killed, count=10**9, has_worked=has_worked)
            with suppress(Killed), disk.failing():
                recover(*disk.opened())
        recover(*disk.opened())
        is_recorded = disk.opened()[1].last() == ON_DISK.operation
        assert disk.files == (ON_DISK.after if is_recorded else ON_DISK.before), number
        assert not (disk.place / "state" / "begun-operation.json").exists()


# What is not a fault of the system.


def test_nothing_is_written_where_a_file_is_not_as_it_was_read() -> None:
    vault, journal = MemoryVault({"a.md": b"by hand"}), LastOperation()
    said = outcome(vault, journal, ON_DISK)
    assert said == "c.md: somebody else saved it in the meantime; nothing was written"
    said = outcome(vault, journal, Case({}, (Written("a.md", None, b"x"), Written("b.md", None, b"y")), EARLIER))
    assert said == "a.md: the file already exists; nothing was written"
    assert (vault.files, journal.begun(), journal.last()) == ({"a.md": b"by hand"}, None, None)


def test_what_nobody_could_read_again_is_not_written() -> None:
    vault, big = MemoryVault(), Written("a.md", None, b"x" * (MOST_BYTES + 1))
    with pytest.raises(TooLargeError, match="nothing was written"):
        write_all(vault, LastOperation(), EARLIER, [Written("b.md", None, b""), big])
    with pytest.raises(ValueError, match="each file once"):
        write_all(vault, LastOperation(), EARLIER, [big, big])
    assert vault.files == {}


def test_a_file_that_is_somebody_elses_by_now_is_left_and_named() -> None:
    class Edited(MemoryVault):
        def delete(self, path: str, *, expected: bytes) -> None:
            self.files["a.md"] = b"by hand"
            super().delete(path, expected=b"other" if path == "c.md" else expected)

    vault, journal = Edited({"a.md": b"a", "b.md": b"b", "c.md": b"c"}), LastOperation()
    said = outcome(vault, journal, ON_DISK)
    left = "a.md changed in the meantime, and stays as it was saved, and nothing else was written"
    assert said == f"c.md changed in the meantime; {left}"
    assert (vault.files, journal.begun()) == (ON_DISK.before | {"a.md": b"by hand"}, None)


def test_a_file_that_came_first_is_not_taken_for_ours() -> None:
    class Raced(MemoryVault):
        def create(self, path: str, data: bytes, *, like: str | None = None) -> None:
            if path == "b.md":
                self._write(path, data)
            super().create(path, data, like=like)

    vault, journal = Raced(), LastOperation()
    files = (Written("a.md", None, b"a"), Written("b.md", None, b"b"))
    said = outcome(vault, journal, Case({}, files, EARLIER))
    assert said == "b.md already exists; nothing was written"
    assert vault.files == {"b.md": b"b"}


def test_what_was_begun_by_somebody_who_died_is_taken_back_first() -> None:
    vault, journal = MemoryVault({"a.md": b"A", "b.md": b"b"}), LastOperation()
    journal.begin(Operation("grant", "", (Written("a.md", b"a", b"A"), Written("b.md", b"b", b"B"))))
    assert outcome(vault, journal, Case({}, (Written("a.md", b"a", b"new"),), EARLIER)) is None
    assert vault.files == {"a.md": b"new", "b.md": b"b"}
    assert journal.begun() is None


def test_while_what_was_begun_cannot_be_taken_back_nothing_is_written_and_it_stays_known() -> None:
    faults = Faults()
    vault, journal = FaultyVault({"a.md": b"A"}, faults), LastOperation()
    begun = Operation("grant", "", (Written("a.md", b"a", b"A"), Written("b.md", None, b"B")))
    journal.begin(begun)
    faults.arm(0, no_room, count=10**9)
    said = outcome(vault, journal, Case({}, (Written("c.md", None, b"c"), Written("d.md", None, b"d")), EARLIER))
    assert said == (
        "`grant` was interrupted, and a.md can't be taken back: No space left on device; nothing was written"
    )
    assert not recover(vault, journal)
    assert (vault.files, journal.begun()) == ({"a.md": b"A"}, begun)


def test_what_somebody_changed_since_is_left_alone_and_a_living_writer_in_peace() -> None:
    vault, journal = MemoryVault({"b.md": b"by hand", "c.md": b"C"}), LastOperation()
    journal.begin(Operation("grant", "", (Written("b.md", b"b", b"B"), Written("c.md", None, b"C"))))
    vault.locked_by_another = True
    assert not recover(vault, journal)
    with pytest.raises(LockedError), vault.lock():
        pass
    vault.locked_by_another = False
    assert recover(vault, journal)
    assert (vault.files, journal.begun()) == ({"b.md": b"by hand"}, None)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"version": 1, "files": 3}'])
def test_a_garbled_journal_is_cleared(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "begun-operation.json").write_bytes(data)
    assert not recover(MemoryVault(), DiskJournal(tmp_path))
    assert not (tmp_path / "begun-operation.json").exists()


def test_a_file_in_whose_place_is_a_folder_now_is_left_alone(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "disk", ONE)
    vault, journal = disk.opened()
    journal.begin(Operation("grant", "", (Written("b.md", b"b", b"B"), Written("a.md", b"", b"a"))))
    (vault.root / "b.md").mkdir()
    assert recover(vault, journal)
    assert vault.read("a.md") == b""


def test_a_file_that_is_moved_keeps_its_permissions_and_its_time(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "disk", ON_DISK)
    vault, journal = disk.opened()
    (vault.root / "c.md").chmod(0o600)
    os.utime(vault.root / "c.md", (1_000_000, 1_000_000))
    with vault.lock():
        write_all(vault, journal, ON_DISK.operation, ON_DISK.files)
    moved = (vault.root / "moved/c.md").stat()
    assert (stat.S_IMODE(moved.st_mode), moved.st_mtime) == (0o600, 1_000_000)


def test_a_failed_operation_leaves_neither_folders_nor_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path / "disk", ONE)
    vault, _ = disk.opened()
    with monkeypatch.context() as patch:
        patch.setattr(os, "link", _faulty(disk.faults, os.link))
        patch.setattr(disk_vault, "_renamed", _faulty(disk.faults, disk_vault._renamed))
        disk.faults.arm(0, no_room, count=10**9)
        with pytest.raises(VaultError):
            vault.create("new/folder/e.md", b"e")
    assert [path.name for path in vault.root.iterdir()] == ["a.md"]
    with pytest.raises(ChangedMeanwhileError):
        vault.replace("a.md", b"", expected=b"other")
    assert disk.leftovers == []


# An editor that saves at the moment of the exchange.


def in_place(place: Path, data: bytes) -> None:
    place.write_bytes(data)


def by_rename(place: Path, data: bytes) -> None:
    draft = place.with_name("draft~")
    draft.write_bytes(data)
    draft.replace(place)


class Saving:
    """An editor that saves before some of the exchanges that a vault does."""

    def __init__(self, place: Path, saves: list[bytes], how: Callable[[Path, bytes], None]) -> None:
        self.place, self.saves, self.how = place, saves, how
        self.swap = disk_vault.swapped

    def __call__(self, one: Path, other: Path) -> bool:
        if self.saves and (data := self.saves.pop(0)):
            self.how(self.place, data)
        return self.swap(one, other)


@pytest.mark.parametrize("how", [in_place, by_rename])
@pytest.mark.parametrize(
    "saves", [[b"first"], [b"first", b"second"], [b"first", b"second", b"third"], [b"first", b"", b"late"]]
)
def test_what_an_editor_saves_last_during_a_write_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saves: list[bytes], how: Callable[[Path, bytes], None]
) -> None:
    disk = Disk(tmp_path / "disk", ONE)
    vault, _ = disk.opened()
    newest = [data for data in saves if data][-1] if b"" not in saves else b"first"
    monkeypatch.setattr(disk_vault, "swapped", Saving(vault.root / "a.md", list(saves), how))
    said = disk.run(ONE)
    assert said == "a.md changed in the meantime: its text has changed; nothing was written"
    assert disk.files == {"a.md": newest}
    assert disk.leftovers == []


def test_a_file_that_is_taken_away_during_a_write_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path / "disk", ONE)
    place = disk.place / "vault/a.md"
    monkeypatch.setattr(disk_vault, "swapped", Saving(place, [b"x"], lambda file, _: file.unlink()))
    assert disk.run(ONE) == "a.md changed in the meantime: it is gone; nothing was written"
    assert (disk.files, disk.leftovers) == ({}, [])


def test_an_editor_that_takes_the_file_away_before_it_saves_gets_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path / "disk", ONE)

    def save(file: Path, data: bytes) -> None:
        file.write_bytes(data) if data == b"first" else file.unlink()

    monkeypatch.setattr(disk_vault, "swapped", Saving(disk.place / "vault/a.md", [b"first", b"gone"], save))
    said = disk.run(ONE)
    assert said == "a.md changed in the meantime: its text has changed; nothing was written"
    assert (disk.files, disk.leftovers) == ({"a.md": b"first"}, [])


@pytest.mark.parametrize("saved_again", [False, True])
def test_what_an_editor_saves_while_a_file_is_deleted_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, saved_again: bool
) -> None:
    disk = Disk(tmp_path / "disk", ONE)
    vault, _ = disk.opened()
    place, renamed = vault.root / "a.md", os.rename

    def rename(old: Path, new: Path) -> None:
        place.write_bytes(b"first")
        renamed(old, new)
        if saved_again:
            place.write_bytes(b"second")

    with monkeypatch.context() as patch, vault.lock():
        patch.setattr(os, "rename", rename)
        with pytest.raises(ChangedMeanwhileError):
            vault.delete("a.md", expected=b"a")
    assert (disk.files, disk.leftovers) == ({"a.md": b"second" if saved_again else b"first"}, [])


def test_a_file_that_stays_written_says_so_and_where_the_other_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path / "disk", ONE)
    vault, _ = disk.opened()
    calls = iter([disk_vault.swapped])

    def swap(one: Path, other: Path) -> bool:
        if (call := next(calls, None)) is None:
            raise no_room()
        (vault.root / "a.md").write_bytes(b"by hand")
        return call(one, other)

    monkeypatch.setattr(disk_vault, "swapped", swap)
    with pytest.raises(VaultError, match=r"what was there is in \.memstore-tmp-.*; the change was made nevertheless"):
        vault.replace("a.md", b"A", expected=b"a")
    assert (disk.files, [path.read_bytes() for path in disk.leftovers]) == ({"a.md": b"A"}, [b"by hand"])
