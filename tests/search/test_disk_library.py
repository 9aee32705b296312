from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memstore.core.catalog import Field
from memstore.core.config import LANGUAGES
from memstore.core.digests import blob_id
from memstore.core.errors import OutOfTimeError
from memstore.lineage.edges import BITS, HOP_SHIFT, Rows, edges_of
from memstore.search import disk_library
from memstore.search.disk_library import DiskLibrary
from memstore.search.embedder import DiskVectors
from memstore.search.index import GISTS
from memstore.search.library import Refreshed
from memstore.search.local_state import DerivedCache
from memstore.search.memory_snapshot import COLUMNS, snapshot_of_files
from tests.support import disk_vault, examples, memory_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.files.disk_vault import DiskVault
    from memstore.search.library import Snapshot

# What a snapshot says, without its row numbers.
Said = dict[str, Any]


@contextmanager
def running_out_of_time(lib: DiskLibrary, done: int) -> Iterator[list[OutOfTimeError]]:
    """Give a library the time to read so many files, or to wait until then; yield what it raised."""

    def stop(now: int, count: int) -> None:
        if done <= now < count:
            raise OutOfTimeError("indexing files", now / count)

    stopped: list[OutOfTimeError] = []
    lib.on_progress = stop
    with patch("memstore.files.local_state.FIRST_SECONDS", 0), patch("memstore.files.local_state.NEXT_SECONDS", 0):
        try:
            yield stopped
        except OutOfTimeError as error:
            stopped.append(error)
        finally:
            lib.on_progress = None


def said(snapshot: Snapshot) -> Said:
    catalog, index = snapshot.catalog, snapshot.index
    columns = {name: catalog.column(name) for name in COLUMNS}
    paths = columns["path"]
    live = [*catalog.memories, *catalog.broken, *catalog.plain]
    postings = {}
    for field in Field:
        for term in index.terms(""):
            rows, counts = index.postings(field, term)
            assert list(rows) == sorted(rows)
            places = index.positions(field, term, rows)
            for row, count, positions in zip(rows, counts, places, strict=True):
                assert len(positions) == count
                postings[field, term, paths[row]] = list(positions)
    return {
        "edges": edges_said(snapshot),
        "entries": {paths[row]: catalog.entry(row) for row in live},
        "columns": {paths[row]: {name: column[row] for name, column in columns.items()} for row in live},
        "kinds": [sorted(paths[row] for row in rows) for rows in (catalog.memories, catalog.broken, catalog.plain)],
        "postings": postings,
        "lengths": {(of, paths[row]): index.lengths(of)[row] for of in Field for row in live},
    }


def edges_said(snapshot: Snapshot) -> list[dict[str, list[tuple[str, int]]]]:
    """Return the edges of lineage both ways, in their order: as they are kept, or as the fields say."""
    catalog = snapshot.catalog
    rows = Rows.of(catalog.column, catalog.memories)
    table = catalog.edges()
    if table is None:
        known = {rows.ids[row] for row in catalog.memories}
        table = edges_of(catalog.column, catalog.memories, is_missing=lambda memory_id: memory_id not in known)

    def name(node: int) -> str:
        return rows.name(node) if node >= 0 else table.texts[~node]

    return [
        {
            name(node): [(name(hop >> HOP_SHIFT), hop & BITS) for hop in side.near(node)]
            for node in (*catalog.memories, *range(-len(table.texts), 0))
            if side.near(node)
        }
        for side in (table.above, table.below)
    ]


def scanned(vault: DiskVault) -> Said:
    """Return what a scan of all files says, without any index."""
    files = sorted((stat.path, vault.read(stat.path)) for stat in vault.memory_files())
    return said(snapshot_of_files(files, blob_id=lambda data: blob_id(data, "sha1")))


def library(tmp_path: Path, vault: DiskVault) -> DiskLibrary:
    return DiskLibrary(vault, cache=tmp_path / "cache")


def fill(vault: DiskVault, count: int, word: str = "tea") -> None:
    for i in range(count):
        vault.create(f"notes/{i % 7}/{word}{i}.md", memory_text(f"{word} number {i}\n", title=f"{word} {i}"))


class Vaults(RuleBasedStateMachine):
    """Anything may happen to the files and to the cache; every snapshot says what a scan says."""

    paths = st.sampled_from(["a.md", "b/a.md", "b/c.md", "b/d/e.md", "f.md", "b.md"])
    files = st.integers(0, 3)
    contents = st.one_of(
        st.builds(
            memory_text,
            st.sampled_from(["tea and milk\n", "hot tea\n", "milk, tea\n", "cold milk and water\n", ""]),
            title=st.sampled_from(["One", "Two"]),
        ),
        st.builds(
            memory_text,
            type=st.sampled_from(["note", "belief"]),
            id=st.sampled_from(["m_aaa", "m_bbb", "m_ccc"]),
            derived_from=st.sampled_from(["[]", "[note:m_aaa, belief:m_bbb]", "[context:a walk, note:m_gone]"]),
            processed_into=st.sampled_from(["[]", "[belief:m_bbb, note:m_ccc]"]),
        ),
        st.sampled_from([b"no fence", b"---\ntype: note\n", b"---\nno: 1\n---\n", b""]),
    )

    @initialize(folding=st.booleans())
    def start(self, *, folding: bool) -> None:
        self.place = Path(mkdtemp())
        self.vault = disk_vault(self.place)
        self.most = disk_library.MOST_LAID_OVER
        disk_library.MOST_LAID_OVER = 0 if folding else self.most
        self.library = library(self.place, self.vault)
        fill(self.vault, 3)
        self.tick = 0

    def teardown(self) -> None:
        if hasattr(self, "place"):
            disk_library.MOST_LAID_OVER = self.most
            shutil.rmtree(self.place)

    def existing(self, number: int) -> Path:
        files = sorted(self.vault.root.rglob("*.md")) or [self.free("a.md")]
        files[0].touch()
        return files[number % len(files)]

    def free(self, path: str) -> Path:
        """Return the place of a path, with its folder made and what is in the way removed."""
        place = self.vault.root / path
        if place.is_dir():
            shutil.rmtree(place)
        for parent in place.parents:
            if parent.is_file():
                parent.unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    @rule(path=paths, data=contents)
    def write(self, path: str, data: bytes) -> None:
        self.free(path).write_bytes(data)

    @rule(file=files, data=contents)
    def edit(self, file: int, data: bytes) -> None:
        self.existing(file).write_bytes(data)

    @rule(file=files)
    def edit_and_keep_size_and_time(self, file: int) -> None:
        place = self.existing(file)
        status = place.stat()
        place.write_bytes(place.read_bytes().swapcase().replace(b"TYPE: NOTE", b"type: note"))
        os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))

    @rule(file=files)
    def touch(self, file: int) -> None:
        self.tick += 1
        os.utime(self.existing(file), (self.tick, self.tick))

    @rule(file=files)
    def delete(self, file: int) -> None:
        self.existing(file).unlink()

    @rule(file=files, to=paths)
    def rename(self, file: int, to: str) -> None:
        data = self.existing(file).read_bytes()
        self.existing(file).unlink()
        self.free(to).write_bytes(data)

    @rule(file=files, to=paths)
    def copy(self, file: int, to: str) -> None:
        self.free(to).write_bytes(self.existing(file).read_bytes())

    @rule(folder=st.sampled_from(["b", "notes"]))
    def move_a_folder_away_and_back(self, folder: str) -> None:
        place = self.vault.root / folder
        if place.is_dir():
            place.rename(self.vault.root / "away")
            self.library.snapshot()
            (self.vault.root / "away").rename(place)

    @rule(rules=st.sampled_from(["", "b/d/\n", "*.md\n!a.md\n"]))
    def ignore(self, rules: str) -> None:
        (self.vault.root / ".memstoreignore").write_text(rules)

    @rule(which=st.integers(0, 20), how=st.sampled_from(["begin anew", "lose", "cut", "flip", "empty", "remove"]))
    def damage_the_cache(self, which: int, how: str) -> None:
        files = sorted(place for place in (self.place / "cache").rglob("*") if place.is_file())
        if how == "begin anew" or not files:
            self.library = library(self.place, self.vault)
        elif how == "lose":
            shutil.rmtree(self.place / "cache")
        else:
            damage(files[which % len(files)], how)

    @rule(edited=st.lists(files, max_size=3), path=paths, data=contents, done=st.integers(0, 4), cold=st.booleans())
    def run_out_of_time(self, edited: list[int], path: str, data: bytes, done: int, *, cold: bool) -> None:
        for file in edited:
            self.edit_and_keep_size_and_time(file)
        self.write(path, data)
        if cold:
            shutil.rmtree(self.place / "cache")
        with running_out_of_time(self.library, done):
            self.library.snapshot()

    @invariant()
    def the_snapshot_says_what_a_scan_says(self) -> None:
        if hasattr(self, "vault"):
            assert said(self.library.snapshot()) == scanned(self.vault)


TestVaults = Vaults.TestCase
TestVaults.settings = settings(
    max_examples=examples(30), stateful_step_count=12, suppress_health_check=[HealthCheck.too_slow]
)


def damage(place: Path, how: str) -> None:
    data = bytearray(place.read_bytes())
    match how:
        case "cut":
            place.write_bytes(data[: len(data) // 2])
        case "flip":
            place.write_bytes(bytes(byte ^ 0x55 for byte in data))
        case "empty":
            place.write_bytes(b"")
        case _:
            place.unlink()


@pytest.mark.parametrize("how", ["cut", "flip", "empty", "remove"])
def test_any_damaged_file_of_the_cache_changes_nothing(tmp_path: Path, how: str) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 5)
    library(tmp_path, vault).snapshot()
    expected = scanned(vault)
    names = {place.suffix or place.name for place in (tmp_path / "cache").rglob("*") if place.is_file()}
    for name in names:
        [place, *_] = [p for p in (tmp_path / "cache").rglob("*") if p.is_file() and (p.suffix or p.name) == name]
        damage(place, how)
        assert said(library(tmp_path, vault).snapshot()) == expected, name
        assert said(library(tmp_path, vault).snapshot()) == expected, name


def test_bytes_that_rot_unseen_are_noticed_when_they_are_read(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 5)
    library(tmp_path, vault).snapshot()
    snapshot = library(tmp_path, vault).snapshot()
    [postings] = (tmp_path / "cache").rglob("*.pst")
    snapshot.index.terms("")  # opens the files
    data = bytearray(postings.read_bytes())
    with postings.open("r+b") as file:
        file.write(bytes(byte ^ 0x55 for byte in data))
    assert said(snapshot) == scanned(vault)
    assert said(library(tmp_path, vault).snapshot()) == scanned(vault)


def test_reading_after_a_few_edits_writes_nothing(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 40)
    library(tmp_path, vault).snapshot()
    before = {place: place.stat().st_mtime_ns for place in (tmp_path / "cache").rglob("*")}
    vault.create("new.md", memory_text("new\n"))
    assert said(library(tmp_path, vault).snapshot()) == scanned(vault)
    assert {place: place.stat().st_mtime_ns for place in (tmp_path / "cache").rglob("*")} == before


def test_many_edits_are_written_into_the_index_once(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 50)
    lib = library(tmp_path, vault)
    lib.snapshot()
    for round_ in range(6):  # enough for segments to be merged
        shutil.rmtree(vault.root / "notes" / str(round_ % 7))
        fill(vault, 40, word=f"round{round_}")
        assert said(lib.snapshot()) == scanned(vault)
        index = lib.store.open()
        assert index is not None
        assert index.row_count <= 50 + 40 * (round_ + 1)
        assert said(library(tmp_path, vault).snapshot()) == scanned(vault)
    segments = list((tmp_path / "cache").rglob("*.trm"))
    assert len(segments) <= 4
    assert [place.name for place in (tmp_path / "cache").rglob("*.tmp")] == []


def test_a_glance_sees_names_but_not_into_files_of_a_vast_vault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 9)
    # Folders whose times are older than the walk are proof; these would be as young as it.
    monkeypatch.setattr("memstore.files.walk.time.time_ns", lambda: 9 * 10**18)
    lib = library(tmp_path, vault)
    before = said(lib.snapshot())
    edited = vault.root / "notes/3/tea3.md"
    edited.write_bytes(edited.read_bytes().replace(b"tea number", b"milk number"))
    assert said(lib.glance()) == scanned(vault)  # nine files are looked at
    monkeypatch.setattr(disk_library, "MANY_TO_LOOK_AT", 9)
    glanced = lib.glance()
    assert said(glanced) == before
    assert glanced.state is None  # and nothing may be remembered of it
    vault.create("notes/3/new.md", memory_text("new\n"))
    (vault.root / "notes/4/tea4.md").unlink()
    assert said(lib.glance()) == scanned(vault)  # its folder was listed, so the edited file was looked at, too
    fill(vault, 40, word="milk")
    assert said(lib.glance()) == said(lib.snapshot()) == scanned(vault)


def test_refreshing_writes_even_one_change_into_the_index(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    lib = library(tmp_path, vault)
    assert lib.refresh() == Refreshed(3, written=True)
    assert lib.refresh() == Refreshed(0, written=True)
    vault.create("new.md", memory_text("new\n"))
    (vault.root / "notes" / "0" / "tea0.md").unlink()
    assert lib.refresh() == Refreshed(2, written=True)
    assert lib.status().changed == 0
    assert said(lib.snapshot()) == said(library(tmp_path, vault).snapshot()) == scanned(vault)


@pytest.mark.parametrize("how", ["delete", "change", "delete all"])
def test_purging_leaves_nothing_of_a_deleted_text_in_the_cache(tmp_path: Path, how: str) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 0 if how == "delete all" else 9)
    vault.create(
        "secret.md", memory_text("the xyzzyword is out\n", title="Unheardof", derived_from="[context:unheardof]")
    )
    lib = library(tmp_path, vault)
    lib.snapshot()
    assert words_in_the_cache(tmp_path) == {b"xyzzyword", b"nheardof"}
    if how == "change":
        (vault.root / "secret.md").write_bytes(memory_text("nothing\n", title="Empty"))
    else:
        (vault.root / "secret.md").unlink()
    assert lib.refresh(purge=True) == Refreshed(1, written=True)
    assert words_in_the_cache(tmp_path) == set()
    assert said(lib.snapshot()) == said(library(tmp_path, vault).snapshot()) == scanned(vault)
    assert lib.refresh(purge=True) == Refreshed(0, written=True)


def words_in_the_cache(tmp_path: Path) -> set[bytes]:
    found: set[bytes] = set()
    for place in (tmp_path / "cache").rglob("*"):
        data = place.read_bytes() if place.is_file() else b""
        found |= {word for word in (b"xyzzyword", b"nheardof") if word in data}
    return found


def test_an_index_that_cannot_be_written_is_not_refreshed(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    (tmp_path / "file").write_text("in the way")
    lib = DiskLibrary(vault, cache=tmp_path / "file" / "cache")
    assert lib.refresh() == lib.refresh(purge=True) == Refreshed(0, written=False)


def test_a_cache_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    (tmp_path / "cache").mkdir(mode=0o777)
    (tmp_path / "cache").chmod(0o777)
    assert said(library(tmp_path, vault).snapshot()) == scanned(vault)
    assert not (tmp_path / "cache" / "manifest").exists()


def test_without_a_cache_everything_is_in_memory(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    (tmp_path / "file").write_text("in the way")
    lib = DiskLibrary(vault, cache=tmp_path / "file" / "cache")
    assert said(lib.snapshot()) == scanned(vault)
    vault.create("new.md", memory_text("new\n"))
    assert said(lib.snapshot()) == scanned(vault)


def test_the_cache_is_private(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    library(tmp_path, vault).snapshot()
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_another_version_is_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    library(tmp_path, vault).snapshot()
    monkeypatch.setattr("memstore.search.index_store.FORMAT", 99)
    lib = library(tmp_path, vault)
    assert lib.store.open() is None
    assert said(lib.snapshot()) == scanned(vault)
    assert lib.store.open() is not None


def test_an_index_of_other_languages_is_built_anew(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    vault.create("tea.md", memory_text("Tassen\n"))
    for languages, term in ((LANGUAGES, "tassen"), (("de",), "tass"), (("de", "en"), "tass"), (("en", "de"), "tassen")):
        lib = DiskLibrary(vault, cache=tmp_path / "cache", languages=languages)
        assert lib.store.open() is None
        files = len(lib.snapshot().index.postings(Field.TEXT, term)[0])
        assert files == len([*vault.memory_files()])
        again = DiskLibrary(vault, cache=tmp_path / "cache", languages=languages)
        assert again.store.open() is not None
        vault.create(f"{term}{len(languages)}.md", memory_text("Tassen\n"))
        assert len(again.snapshot().index.postings(Field.TEXT, term)[0]) == files + 1


def test_an_index_of_other_columns_is_built_anew(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    lib = library(tmp_path, vault)
    lib.store._versions["entry"] = "path moons"
    lib.snapshot()
    assert lib.store.open() is not None
    assert library(tmp_path, vault).store.open() is None
    assert said(library(tmp_path, vault).snapshot()) == scanned(vault)


def test_progress_is_told_of_files_that_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = disk_vault(tmp_path)
    for i in range(3):
        (vault.root / f"{i}.md").write_bytes(memory_text())
    told: list[tuple[int, int]] = []

    def library() -> DiskLibrary:
        return DiskLibrary(vault, cache=tmp_path / "cache", on_progress=lambda done, of: told.append((done, of)))

    library().snapshot()
    assert told == []  # it took no second
    shutil.rmtree(tmp_path / "cache")
    monkeypatch.setattr("memstore.files.local_state.FIRST_SECONDS", 0.0)
    monkeypatch.setattr("memstore.files.local_state.NEXT_SECONDS", 0.0)
    library().snapshot()
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_files_that_were_read_when_the_time_was_over_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 60)
    read: list[str] = []
    of_disk = vault.read

    def noted(path: str) -> bytes:
        read.append(path)
        return of_disk(path)

    monkeypatch.setattr(vault, "read", noted)
    monkeypatch.setattr(disk_library, "MOST_LAID_OVER", 0)
    monkeypatch.setattr("memstore.files.walk.time.time_ns", lambda: 9 * 10**18)  # else they are as young as the walk

    for kept in (0, 25, 50):
        lib = library(tmp_path, vault)
        index = lib.store.open()
        assert (len(index.rows) if index else 0) == kept
        with running_out_of_time(lib, 25) as stopped:
            lib.snapshot()
        assert bool(stopped) is (kept < 50)

    assert len(read) == 60 + 2  # each time one was being read
    assert said(library(tmp_path, vault).snapshot()) == scanned(vault)


def test_without_a_cache_no_snapshot_is_of_a_part(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    (tmp_path / "cache").write_text("in the way")
    lib = library(tmp_path, vault)
    with running_out_of_time(lib, 2) as stopped:
        lib.snapshot()
    assert stopped
    assert said(lib.snapshot()) == scanned(vault)


def test_who_waits_for_another_process_that_indexes_may_run_out_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    monkeypatch.setattr("memstore.files.write_lock.FIRST_SECONDS", 0.0)
    one, other = library(tmp_path, vault), library(tmp_path, vault)
    with one.store.locked(patience_seconds=0) as locked:
        assert locked
        with running_out_of_time(other, 0) as stopped:
            other.snapshot()
    assert [error.share for error in stopped] == [0]
    assert said(other.snapshot()) == scanned(vault)


def test_files_of_a_sha256_repository_are_named_as_git_names_them(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(vault.root)], check=True)
    vault.create("a.md", memory_text())
    expected = subprocess.run(
        ["git", "hash-object", "a.md"], cwd=vault.root, check=True, capture_output=True, text=True
    ).stdout.strip()
    assert library(tmp_path, vault).snapshot().catalog.column("blob") == [expected]


def test_unmodified_whoosh_reads_the_index(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    library(tmp_path, vault).snapshot()
    [folder] = (tmp_path / "cache").glob("whoosh-*")
    program = """
import sys, warnings
warnings.simplefilter("ignore")
from whoosh.index import open_dir
from whoosh.query import Phrase, Term
with open_dir(sys.argv[1]).searcher() as searcher:
    print(len(searcher.search(Term("text", "tea"))), len(searcher.search(Phrase("text", ["number", "1"]))))
assert not any(name.startswith("memstore") for name in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program, str(folder)], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["3", "1"]


INDEX = """
import sys
from pathlib import Path
from memstore.search import disk_library
from memstore.files.disk_vault import DiskVault
disk_library.MOST_LAID_OVER = 0
place = Path(sys.argv[1])
vault = DiskVault(place / "vault", state=place / "state")
print("ready", flush=True)
disk_library.DiskLibrary(vault, cache=place / "cache").snapshot()
"""


def test_nothing_is_heard_of_the_age_of_whooshs_source(tmp_path: Path) -> None:
    fill(disk_vault(tmp_path), 3)
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(tmp_path / "compiled anew")}
    done = subprocess.run(
        [sys.executable, "-c", INDEX, str(tmp_path)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_killed_at_any_moment_it_leaves_an_index_that_holds(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 60)
    chance = random.Random(7)  # noqa: S311
    for round_ in range(8):
        if round_ % 4 == 3:
            shutil.rmtree(tmp_path / "cache")
        path = f"notes/{round_ % 7}/tea{round_}.md"
        (vault.root / path).write_bytes(memory_text(f"round {round_}\n"))
        with subprocess.Popen([sys.executable, "-c", INDEX, str(tmp_path)], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(chance.uniform(0, 0.6))
            child.send_signal(signal.SIGKILL)
        assert said(library(tmp_path, vault).snapshot()) == scanned(vault)


def test_killed_before_the_manifest_names_it_a_state_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    library(tmp_path, vault).snapshot()
    monkeypatch.setattr(disk_library, "MOST_LAID_OVER", 0)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for path in ("a.md", "b.md"):
        vault.create(path, memory_text("more tea\n"))
        with monkeypatch.context() as patch:
            patch.setattr("memstore.search.manifest.write", killed)
            with pytest.raises(KeyboardInterrupt):
                library(tmp_path, vault).snapshot()
    assert said(library(tmp_path, vault).snapshot()) == scanned(vault)
    assert len(list((tmp_path / "cache").rglob("*.toc"))) == 1


def test_a_file_as_young_as_the_index_is_compared_by_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    library(tmp_path, vault).snapshot()  # in the tick in which the files were written, or nearly
    stats = list(vault.memory_files())
    index = library(tmp_path, vault).store.open()
    assert index is not None
    index.walked_at_ns, index.is_settled = max(stat.ctime_ns for stat in stats), False
    read: list[str] = []

    def changed(path: str) -> bytes:
        read.append(path)
        return memory_text("changed in the same tick\n")

    monkeypatch.setattr(vault, "read", changed)
    lib = library(tmp_path, vault)
    monkeypatch.setattr(lib.store, "open", lambda: index)
    snapshot = lib.snapshot()
    assert set(read) >= {max(stats, key=lambda stat: stat.ctime_ns).path}
    assert len(snapshot.index.postings(Field.TEXT, "tick")[0]) == len(read)


@pytest.mark.parametrize("seconds_later", [0, 60])
def test_the_index_knows_whether_its_files_were_old_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds_later: int
) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    youngest = max(stat.ctime_ns for stat in vault.memory_files())
    monkeypatch.setattr("memstore.files.walk.time.time_ns", lambda: youngest + seconds_later * 10**9)
    lib = library(tmp_path, vault)
    lib.snapshot()
    index = lib.store.open()
    assert index is not None
    assert index.is_settled is bool(seconds_later)


def test_a_file_that_cannot_be_read_is_left_out_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 2)
    (vault.root / "big.md").write_bytes(b"")
    os.truncate(vault.root / "big.md", 200_000_000)
    snapshot = library(tmp_path, vault).snapshot()
    assert [snapshot.catalog.entry(row).path for row in snapshot.catalog.broken] == ["big.md"]
    os.truncate(vault.root / "big.md", 0)
    (vault.root / "big.md").write_bytes(memory_text("small now\n"))
    assert said(library(tmp_path, vault).snapshot()) == scanned(vault)


def test_programs_that_build_at_the_same_time_agree(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 60)
    command = [sys.executable, "-c", INDEX, str(tmp_path)]
    for word in ("more", "most"):
        children = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(4)]
        assert [child.communicate()[1] for child in children] == [b""] * 4
        assert [child.returncode for child in children] == [0] * 4
        assert said(library(tmp_path, vault).snapshot()) == scanned(vault)
        fill(vault, 40, word=word)


def test_two_snapshots_of_one_state_say_so_and_any_change_makes_another(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    states = [library(tmp_path, vault).snapshot().state, library(tmp_path, vault).snapshot().state]
    assert states[0] == states[1] is not None
    path = min(stat.path for stat in vault.memory_files())
    vault.replace(path, memory_text("changed\n"), expected=vault.read(path))
    states.append(library(tmp_path, vault).snapshot().state)
    (vault.root / path).rename(vault.root / "moved.md")
    states.append(library(tmp_path, vault).snapshot().state)
    vault.delete("moved.md", expected=vault.read("moved.md"))
    states.append(library(tmp_path, vault).snapshot().state)
    assert len(set(states)) == len(states) - 1


@pytest.mark.parametrize("forget", [DiskLibrary.rebuild, lambda library: library.refresh(purge=True)])
def test_what_was_computed_of_what_was_deleted_leaves_the_disk(tmp_path: Path, forget: Any) -> None:
    vectors = DiskVectors(tmp_path / "cache")
    vectors.keep("one", {"a" * 40: [1.0]})
    DerivedCache(tmp_path / "cache").keep("past", "1", {"a" * 40: ["m_1"]})
    forget(DiskLibrary(disk_vault(tmp_path), cache=tmp_path / "cache"))
    assert vectors.last("one") == {}
    assert not (tmp_path / "cache/vectors").exists()
    assert not (tmp_path / "cache/derived").exists()


def test_gists_leave_with_what_the_index_no_longer_has(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    fill(vault, 3)
    known = library(tmp_path, vault)
    blobs = {stat.path: blob_id(vault.read(stat.path)) for stat in vault.memory_files()}
    known.snapshot()
    derived = DerivedCache(tmp_path / "cache")
    for blob in (*blobs.values(), "a" * 40):
        derived.keep(f"{GISTS}{blob}", "1", {"said": ["one"]})
    derived.keep("past", "1", {"a" * 40: ["m_1"]})
    del blobs[path := min(blobs)]
    vault.delete(path, expected=vault.read(path))
    assert known.refresh().written
    left = {place.name for place in (tmp_path / "cache/derived").iterdir()}
    assert left == {"past", *(f"{GISTS}{blob}" for blob in blobs.values())}


def test_the_latest_snapshot_is_the_one_that_was_handed_out(tmp_path: Path) -> None:
    vault = disk_vault(tmp_path)
    library = DiskLibrary(vault, cache=tmp_path / "cache")
    first = library.latest()
    vault.create("a.md", memory_text("Tea.\n"))
    assert library.latest() is first
    newer = library.snapshot()
    assert library.latest() is newer is not first


def test_texts_are_laid_over_a_vault_without_an_index(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"no folder")
    vault = disk_vault(tmp_path)
    vault.create("tea.md", memory_text("Hot tea.\n"))
    vault.create("sealed.md.age", b"age-encryption.org/v1\n--- MAC\n" + b"\0" * 48)
    library = DiskLibrary(vault, cache=tmp_path / "cache")
    over = library.laid_over(library.snapshot(), {"milk.md": memory_text("Cold milk.\n")})
    assert sorted(over.catalog.column("path")[row] for row in over.catalog.memories) == ["milk.md", "tea.md"]
    assert len(over.catalog.sealed) == 1
