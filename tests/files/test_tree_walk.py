from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from memstore.files.walk import GONE, UNSETTLED, KnownFolder, KnownTree, Rules, Walk, ignore_rules, walk
from tests.support import shut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def known_of(found: Walk, *, walked_at_ns: int) -> KnownTree:
    """Return what a walk found without knowing anything, as known to the next."""
    folders, start = {}, 0
    for path, times in found.folders.items():
        names = [new.path.rpartition("/")[2] for new in found.new if new.path.rpartition("/")[0] == path]
        inner = [other for other in found.folders if other and other.rpartition("/")[0] == path]
        folders[path] = KnownFolder(times, inner, names, start)
        start += len(names)
    return KnownTree(folders, start, walked_at_ns)


def make(root: Path) -> None:
    (root / "b").mkdir()
    for name in ("a.md", "b/c.md", "b/d.md"):
        (root / name).write_text("text")


def test_a_second_walk_finds_the_known_files_by_position(tmp_path: Path) -> None:
    make(tmp_path)
    first = walk(tmp_path, KnownTree(), Rules())
    later = max(max(times) for times in first.folders.values()) + 10**10
    second = walk(tmp_path, known_of(first, walked_at_ns=later), Rules())
    assert second.new == []
    assert second.folders == first.folders
    assert sorted(second.seen.inode) == sorted(new.inode for new in first.new)
    assert list(second.seen.size) == [4, 4, 4]


@pytest.mark.parametrize("year", [1, 1677, 2263, 9999])
def test_a_file_from_another_age_is_a_file_like_any_other(tmp_path: Path, year: int) -> None:
    make(tmp_path)
    ns = (datetime(year, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    for path in (tmp_path / "b" / "c.md", tmp_path / "b"):
        os.utime(path, ns=(ns, ns))
    first = walk(tmp_path, KnownTree(), Rules())
    second = walk(tmp_path, known_of(first, walked_at_ns=10**30), Rules())
    assert (second.new, second.folders) == ([], first.folders)
    assert sorted(second.seen.mtime_ns) == sorted(new.mtime_ns for new in first.new)


def test_an_inode_may_be_any_number_of_64_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path)
    stat = os.stat

    def large(name: Any, **where: Any) -> Any:
        found = stat(name, **where)
        times = {"st_mtime_ns": found.st_mtime_ns, "st_ctime_ns": found.st_ctime_ns}
        return SimpleNamespace(st_size=found.st_size, st_ino=found.st_ino + (1 << 63), **times)

    first = walk(tmp_path, KnownTree(), Rules())
    monkeypatch.setattr(os, "stat", large)
    second = walk(tmp_path, known_of(first, walked_at_ns=10**30), Rules())
    assert sorted(second.seen.inode) == sorted(new.inode - (1 << 63) for new in first.new)


def test_a_folder_that_is_not_older_than_the_walk_is_listed_again(tmp_path: Path) -> None:
    make(tmp_path)
    first = walk(tmp_path, KnownTree(), Rules())
    known = known_of(first, walked_at_ns=max(first.folders["b"]))
    known.folders["b"].names.pop()  # type: ignore[attr-defined]  # as if it had come in the same tick
    second = walk(tmp_path, known, Rules())
    assert [new.path.rpartition("/")[0] for new in second.new] == ["b"]


def test_lost_and_new_files(tmp_path: Path) -> None:
    make(tmp_path)
    first = walk(tmp_path, KnownTree(), Rules())
    known = known_of(first, walked_at_ns=10**30)
    (tmp_path / "b" / "c.md").unlink()
    (tmp_path / "b" / "e").mkdir()
    (tmp_path / "b" / "e" / "f.md").write_text("new")
    second = walk(tmp_path, known, Rules())
    assert [new.path for new in second.new] == ["b/e/f.md"]
    assert list(second.seen.size).count(GONE) == 1


def test_a_link_is_no_memory_wherever_it_leads(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "b" / "link.md").symlink_to("c.md")
    (tmp_path / "b" / "away.md").symlink_to("nowhere.md")
    assert sorted(new.path for new in walk(tmp_path, KnownTree(), Rules()).new) == ["a.md", "b/c.md", "b/d.md"]
    (tmp_path / "b" / "c.md").rename(tmp_path / "b" / "real.md")
    (tmp_path / "b" / "c.md").symlink_to("real.md")
    assert sorted(new.path for new in walk(tmp_path, KnownTree(), Rules()).new) == [
        "a.md",
        "b/d.md",
        "b/real.md",
    ]


def test_a_folder_that_is_shut_is_told_as_long_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path)
    first = walk(tmp_path, KnownTree(), Rules())
    with monkeypatch.context() as patch:
        shut(patch, tmp_path / "b")
        second = walk(tmp_path, known_of(first, walked_at_ns=10**30), Rules())
        assert ([new.path for new in second.new], list(second.seen.size).count(GONE)) == (["b"], 2)
        assert second.folders == {"": UNSETTLED, "b": UNSETTLED}
        alone = Walk(
            0, Rules(), second.seen, [new for new in first.new if new.path == "a.md"] + second.new, second.folders
        )
        known = known_of(alone, walked_at_ns=10**30)
        third = walk(tmp_path, known, Rules())
        assert (third.new, list(third.seen.size)) == ([], [4, 0])
    last = walk(tmp_path, known, Rules())
    assert (sorted(new.path for new in last.new), list(last.seen.size)) == (["b/c.md", "b/d.md"], [4, GONE])


def test_a_folder_that_may_be_listed_and_not_entered_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path)

    class Listed:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name, self.is_dir = entry.name, entry.is_dir

        def stat(self, **_: object) -> os.stat_result:
            raise PermissionError(errno.EACCES, "Permission denied")

    @contextmanager
    def scandir(handle: int) -> Iterator[Iterator[object]]:
        with listed(handle) as entries:
            names = list(entries)
            yield iter(names if any(entry.name == "b" for entry in names) else map(Listed, names))

    listed = os.scandir
    monkeypatch.setattr(os, "scandir", scandir)
    assert sorted(new.path for new in walk(tmp_path, KnownTree(), Rules()).new) == ["a.md", "b"]


def test_ignore_rules_may_be_of_a_windows_editor(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / ".memstoreignore").write_bytes("\ufeffb/\r\n".encode())
    found = walk(tmp_path, KnownTree(), rules=ignore_rules(tmp_path, mixed=False))
    assert [new.path for new in found.new] == ["a.md"]


def test_ignore_rules_that_mean_nothing_are_passed_over(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / ".memstoreignore").write_bytes(b"!\n[\n\xff\nb/d.md\n")
    found = walk(tmp_path, KnownTree(), rules=ignore_rules(tmp_path, mixed=False))
    assert sorted(new.path for new in found.new) == ["a.md", "b/c.md"]


def test_files_may_be_believed_to_be_as_they_were_but_folders_never(tmp_path: Path) -> None:
    make(tmp_path)
    known = known_of(walk(tmp_path, KnownTree(), Rules()), walked_at_ns=10**30)
    before = walk(tmp_path, known, Rules()).seen
    (tmp_path / "a.md").write_text("written anew, in place")
    (tmp_path / "b" / "c.md").rename(tmp_path / "b" / "e.md")
    seen = walk(tmp_path, known, Rules(), before=before, only_folders=True)
    assert [new.path for new in seen.new] == ["b/e.md"]
    assert sorted(seen.seen.size) == [GONE, 4, 4]
    assert sorted(walk(tmp_path, known, Rules()).seen.size) == [GONE, 4, 22]


NESTED = {
    ".gitignore": "*.tmp.md\nvenv/\n",
    "a.md": "",
    "a.tmp.md": "",
    "venv/left.md": "",
    "sub/.gitignore": "private.md\n/top.md\n!kept.tmp.md\n[x].md\ninner/*\n!inner/b.md\n",
    "sub/private.md": "",
    "sub/top.md": "",
    "sub/x.md": "",
    "sub/kept.tmp.md": "",
    "sub/inner/private.md": "",
    "sub/inner/b.md": "",
    "sub/deep/top.md": "",
    "sub/deep/.gitignore": "!private.md\n",
    "sub/deep/private.md": "",
    "[odd] *name/.gitignore": "*\n",
    "[odd] *name/c.md": "",
    "other/private.md": "",
}


def test_what_git_leaves_out_by_a_folders_own_rules_is_left_out(tmp_path: Path) -> None:
    lay_out(tmp_path, NESTED)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    listed = subprocess.run(
        ["git", "-C", str(tmp_path), "ls-files", "-z", "--others", "--exclude-standard", "*.md"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = walk(tmp_path, KnownTree(), ignore_rules(tmp_path, mixed=True))
    paths = {new.path for new in found.new}
    assert paths == set(listed.stdout.split("\0")) - {""}
    everything = [path for path in NESTED if path.endswith(".md")]
    rules = ignore_rules(tmp_path, mixed=True, paths=everything)
    assert {path for path in everything if not rules.leave_out(path)} == paths
    assert found.rules.git.keys() == {"", "sub", "sub/deep", "[odd] *name"}
    assert {new.path for new in walk(tmp_path, KnownTree(), ignore_rules(tmp_path, mixed=False)).new} == {*everything}


def test_rules_that_come_to_a_folder_hold_for_the_folders_in_it_that_have_not_changed(tmp_path: Path) -> None:
    lay_out(tmp_path, {"sub/deep/a.md": "", "sub/b.md": "", "c.md": ""})
    rules = ignore_rules(tmp_path, mixed=True)
    first = walk(tmp_path, KnownTree(), rules)
    (tmp_path / "sub" / ".gitignore").write_text("deep/\nb.md\n")
    second = walk(tmp_path, known_of(first, walked_at_ns=10**30), rules)
    assert (second.new, list(second.seen.size).count(GONE)) == ([], 2)
    assert second.rules.digest != rules.digest
    assert second.rules == ignore_rules(tmp_path, mixed=True, paths=["sub/"])


@pytest.mark.parametrize("odd", [os.mkdir, os.mkfifo, lambda path: path.symlink_to("nowhere")])
def test_a_file_of_rules_that_is_no_file_says_nothing(tmp_path: Path, odd: Callable[[Path], None]) -> None:
    lay_out(tmp_path, {"sub/a.md": ""})
    for name in (".gitignore", ".memstoreignore", "sub/.gitignore"):
        odd(tmp_path / name)
    assert [new.path for new in walk(tmp_path, KnownTree(), ignore_rules(tmp_path, mixed=True)).new] == ["sub/a.md"]


def lay_out(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def test_an_invalid_line_of_the_rules_is_skipped() -> None:
    rules = Rules(b"[z-a].md\ntea.md\n")
    assert rules.leave_out("tea.md")
    assert not rules.leave_out("z.md")


@pytest.mark.parametrize("line", [b"[[]", b"[[]x.md", b"[--]"])
def test_a_set_that_python_doubts_is_told_to_nobody(line: bytes) -> None:  # a warning is an error here
    assert Rules(line + b"\n").leave_out(line[1:2].decode() + ("x.md" if b"x" in line else ""))


patterns = st.text(alphabet="ab/*?[]!# \\-", max_size=9)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of `re`, for sets like `[[]` and `[--]`
@given(st.lists(patterns, max_size=4), st.lists(st.text(alphabet="ab -#!", min_size=1, max_size=4), min_size=1))
def test_rules_leave_out_what_pathspec_does(lines: list[str], parts: list[str]) -> None:
    spec = GitIgnoreSpec([])
    for line in lines:
        with suppress(ValueError, re.error):
            spec += GitIgnoreSpec.from_lines([line])
    rules = Rules("\n".join(lines).encode())
    for path in ("/".join(parts), "/".join(parts) + "/"):
        assert rules.leave_out(path) is bool(spec.check_file(path).include)


def test_a_walk_needs_no_pathspec_where_no_path_has_what_the_rules_name(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("Tea.\n")
    code = (
        "import sys; from pathlib import Path; from memstore.files.walk import KnownTree, Rules, walk;"
        "found = walk(Path(sys.argv[1]), KnownTree(), Rules(b'# none\\n**/logseq/bak/\\n*.template.md\\n')).new;"
        "print([each.path for each in found], 'pathspec' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "['notes/tea.md'] False\n"
