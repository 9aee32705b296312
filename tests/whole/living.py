"""A vault that lives: commands, hands, git, kills and full disks in any order; what it tells agrees with its files.

    python -m tests.whole.living [--examples 200] [--steps 30] [--seed 1]

After each step what is listed, found and traced is compared with a plain scan of the files, and what somebody else sees
with what they see in a copy of the vault from which the files that they may not see were taken out.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import memstore
from memstore.access.audit_events import consents_named
from memstore.access.own_files import events_in
from memstore.access.policy import Judge, labels_of
from memstore.access.registry_world import world_of
from memstore.access.world import Session
from memstore.core.places import RegistryKind, is_audit_path, is_memory_path, kind_of
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile, PlainFile
from tests.installed import ROOT
from tests.support import memory_text

sys.path.insert(0, str(ROOT / "benchmarks"))
from aftermath import BROKEN, FULL, KILL, KILLED
from sandbox import OTHER, OWNER, Sandbox
from warm import Strike, Warm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstore.files.memory_file import ReadFile

VIEWERS = (OTHER, "human:bob", "human:nobody")
# None of them is a stem, a beginning or a near spelling of another.
WORDS = ("zebra", "quartz", "violin", "glacier", "teapot", "marble")
IDS = tuple(f"m_{letter}000000000" for letter in "abcdef")
PLACES = ("h/one.md", "h/two.md", "three.md", "deep/er/four.md", "h/five.md")
BRANCHES = ("main", "side")
GRANTEES = ("*", "human:bob", OTHER, "group:club")
_BUG = re.compile(r"Traceback|this is a bug|^memstore: unexpected ", re.MULTILINE)


# -- what hands write ------------------------------------------------------------------------------


_SLIPS: dict[str, Callable[[bytes], bytes]] = {
    "cut off": lambda data: data[: len(data) // 2],
    "twice": lambda data: data.replace(b"type:", b"type: note\ntype:"),
    "conflict": lambda data: data.replace(b"type:", b"<<<<<<< ours\ntype: raw\n=======\ntype:"),
    "no UTF-8": lambda data: data.replace(b"Most", b"M\xf6st"),
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "empty": lambda _: b"",
    "tab": lambda data: data.replace(b"type: ", b"type:\t"),
    "no fence": lambda data: data.replace(b"\n---\n", b"\n"),
}


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """Return a file as somebody might leave it: a memory, a note, or something that was meant to be one."""
    words = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)))
    shape = draw(st.integers(0, 9))
    if shape == 0:
        return f"# {words.title()}\n\nJust {words}.\n".encode()
    keys = {"id": draw(st.sampled_from(IDS)), "type": draw(st.sampled_from(("note", "belief", "raw")))}
    keys |= {
        name: value
        for name, value in {
            "owner": draw(st.sampled_from(("", "", "", OTHER))),
            "access_grants": f"['{draw(st.sampled_from(GRANTEES))}']",
            "access_denies": draw(st.sampled_from(("", "", "", "[human:bob]"))),
            "subject_ids": draw(st.sampled_from(("", "", "[dog:bella]"))),
            "consent_grants": draw(st.sampled_from(("", "[human:claire]"))),
            "derived_from": f"[note:{draw(st.sampled_from(IDS))}]" if draw(st.booleans()) else "",
            "status": draw(st.sampled_from(("", "", "archived"))),
        }.items()
        if value
    }
    data = memory_text(f"\nMost of {words}.\n", **keys)
    return _SLIPS[draw(st.sampled_from(sorted(_SLIPS)))](data) if shape == 1 else data


# A call that writes is struck, seldom: the n-th of a command.
STRIKES = st.one_of(
    st.none(), st.none(), st.builds(Strike, st.integers(1, 40), st.sampled_from((KILL, KILL, FULL, FULL + "+", BROKEN)))
)


# -- a plain scan ----------------------------------------------------------------------------------


class Scan:
    """All files of a vault as they lie there, read one by one.

    Args:
        root: the vault.
        mixed: whether it holds notes of other programs.
    """

    def __init__(self, root: Path, *, mixed: bool) -> None:
        self.files: dict[str, ReadFile] = {}
        self.own: dict[str, bytes] = {}
        for place in sorted(root.rglob("*")):
            path = place.relative_to(root).as_posix()
            if path.startswith(".git/") or not place.is_file() or "/.memstore-tmp-" in f"/{path}":
                continue
            if kind_of(path) or is_audit_path(path):
                self.own[path] = place.read_bytes()
            elif is_memory_path(path, mixed=mixed):
                self.files[path] = memory_file.read(path, place.read_bytes(), mixed=mixed)

    @property
    def memories(self) -> dict[str, MemoryFile]:
        return {path: file for path, file in self.files.items() if isinstance(file, MemoryFile)}

    @property
    def has_copies(self) -> bool:
        return any(count > 1 for count in Counter(file.memory.id for file in self.memories.values()).values())

    def holding(self, word: str) -> set[str]:
        """Return the paths of memories and notes that hold a word, in their text, their title or their name."""
        return {path for path, file in self.files.items() if word in f"{path}\n{_text(file)}".lower()}

    def above(self, memory_id: str, seen_paths: set[str]) -> set[str]:
        """Return the ids of all that a memory was made of, as far as somebody who sees these files can follow."""
        made_of = {
            file.memory.id: [ref.partition(":")[2] for ref in (*file.memory.derived_from, *file.memory.supersedes)]
            for path, file in self.memories.items()
            if path in seen_paths
        }
        seen, waiting = set[str](), [memory_id]
        while waiting:
            name = waiting.pop()
            if name in made_of and name not in seen:
                seen.add(name)
                waiting += made_of[name]
        return seen

    def seen_by(self, viewer: str) -> set[str]:
        """Return the paths of the memories that somebody may see, by the rules of access alone."""
        registries = {
            path: data for path, data in self.own.items() if kind_of(path) not in (None, RegistryKind.REQUEST)
        }
        recorded = consents_named(events_in(self.own).values())
        labels = {path: labels_of(file.memory) for path, file in self.memories.items()}
        by_id = {one.id: one for one in labels.values() if one.id}
        world = world_of(OWNER, registries.items(), recorded=recorded)._replace(memories=by_id)
        judge = Judge(world, Session(viewer=viewer, at=datetime.now(UTC)))
        return {path for path, one in labels.items() if judge.admits(one)}


def _text(file: ReadFile) -> str:
    match file:
        case MemoryFile(memory=memory):
            return "\n".join((memory.title or "", memory.body, *memory.tags, *memory.aliases))
        case PlainFile(data=data):
            return data.decode(errors="replace")
        case _:
            return ""


# -- the machine -----------------------------------------------------------------------------------


class World:
    """A home, a loaded program and a vault that was just made, once for all examples; to be closed."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="memstore-living-"))
        (self.folder / "home").mkdir()
        self.sandbox = Sandbox(self.folder / "home")
        self.warm = Warm(self.sandbox)
        self.sandbox.furnish({})
        for kind in ("own", "mixed"):
            shutil.rmtree(self.sandbox.vault, ignore_errors=True)
            self.sandbox.vault.mkdir()
            self._ok("init", ".", "--owner", OWNER)
            if kind == "mixed":
                self._ok("config", "notes", "mixed")
            self._ok("privacy", "entity", "add", "dog:bella", "--guardian", "human:claire")
            self._ok("privacy", "group", "add", "group:club", "human:bob")
            self.sandbox.git("add", "-A")
            self.sandbox.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "made")
            self.sandbox.keep(kind)

    def _ok(self, *words: str) -> None:
        done = self.warm.run(*words)
        assert done.code == 0, done

    def close(self) -> None:
        self.warm.close()
        shutil.rmtree(self.folder)


class Living(RuleBasedStateMachine):
    """What may happen to a vault, and what holds after each of it."""

    world: ClassVar[World]

    @initialize(kind=st.sampled_from(("own", "own", "mixed")))
    def begin(self, kind: str) -> None:
        self.sandbox, self.mixed = self.world.sandbox, kind == "mixed"
        self.sandbox.restore(kind)
        self.root = self.sandbox.vault

    # -- commands ----------------------------------------------------------------------------------

    def call(self, *words: str, strike: Strike | None = None) -> None:
        """Run a command, which may be struck; it may be refused, and never is at a loss."""
        done = self.world.warm.strike(words, strike)
        note(f"memstore {' '.join(words)} {strike or ''}: {done.code} {done.err[-300:]}")
        assert not _BUG.search(done.err), done
        assert done.code in ((KILLED, 0, 1, 2, 3, 4, 5, 6, 7, 8) if strike else (0, 1, 2, 3, 4, 5, 6, 7, 8)), done

    def some(self, number: int) -> str:
        """Return the path of one of the files, whatever it is."""
        paths = sorted(Scan(self.root, mixed=self.mixed).files) or ["none.md"]
        return paths[number % len(paths)]

    @rule(
        words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
        to=st.sampled_from(("", *GRANTEES)),
        who=st.sampled_from((OWNER, OWNER, OTHER)),
        source=st.sampled_from(("", *IDS)),
        strike=STRIKES,
        commit=st.booleans(),
    )
    def add(self, words: list[str], to: str, who: str, source: str, strike: Strike | None, *, commit: bool) -> None:
        options = [*(("--access", to) if to else ()), *(("--derived-from", source) if source else ())]
        self.call("--as", who, "add", f"About {' '.join(words)}.", *options, *["-c"] * commit, strike=strike)

    @rule(number=st.integers(0, 20), word=st.sampled_from(WORDS), strike=STRIKES, what=st.integers(0, 8))
    def change(self, number: int, word: str, strike: Strike | None, what: int) -> None:
        path = self.some(number)
        words = (
            ("edit", path, f"Rather {word}."),
            ("set", path, f"title={word} of all"),
            ("tag", path, f"+{word}"),
            ("archive", path),
            ("mv", path, f"moved/{word}.md"),
            ("adopt", path),
            ("supersede", path, f"Instead {word}."),
            ("privacy", "grant", path, "--to", "human:bob"),
            ("privacy", "revoke", path, "--from", "human:bob"),
        )
        self.call(*words[what], strike=strike)

    @rule(strike=STRIKES, what=st.sampled_from((("undo",), ("commit",), ("adopt", "--all"), ("check", "--fix"))))
    def of_all(self, strike: Strike | None, what: tuple[str, ...]) -> None:
        self.call(*what, strike=strike)

    # -- hands -------------------------------------------------------------------------------------

    @rule(place=st.sampled_from(PLACES), data=written())
    def write(self, place: str, data: bytes) -> None:
        (self.root / place).parent.mkdir(parents=True, exist_ok=True)
        (self.root / place).write_bytes(data)

    @rule(number=st.integers(0, 20), word=st.sampled_from(WORDS))
    def append(self, number: int, word: str) -> None:
        place = self.root / self.some(number)
        if place.exists():
            place.write_bytes(place.read_bytes() + f"\nAnd {word}.\n".encode())

    @rule(number=st.integers(0, 20), place=st.sampled_from(PLACES), copy=st.booleans())
    def rename(self, number: int, place: str, *, copy: bool) -> None:
        old, new = self.root / self.some(number), self.root / place
        if old.exists() and old != new:
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(old, new) if copy else old.replace(new)

    @rule(number=st.integers(0, 20))
    def delete(self, number: int) -> None:
        (self.root / self.some(number)).unlink(missing_ok=True)

    @rule(
        data=st.sampled_from((b"id: group:club\nmembers: []\n", b"id: group:club\nmembers: [{id: si:other}]\n", b"["))
    )
    def write_registry(self, data: bytes) -> None:
        (self.root / "groups" / "club.yaml").write_bytes(data)

    @rule()
    def lose_the_index(self) -> None:
        shutil.rmtree(self.sandbox.home / "cache", ignore_errors=True)

    @rule(number=st.integers(0, 5), size=st.integers(0, 200))
    def spoil_the_index(self, number: int, size: int) -> None:
        places = sorted(place for place in (self.sandbox.home / "cache").rglob("*") if place.is_file())
        if places:
            place = places[number % len(places)]
            place.write_bytes(place.read_bytes()[:size])

    # -- git ---------------------------------------------------------------------------------------

    def git(self, *words: str) -> int:
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=self.sandbox.environment, capture_output=True, text=True, check=False
        )
        note(f"git {' '.join(words)}: {done.returncode} {done.stderr[-200:]}")
        return done.returncode

    @rule()
    def commit_by_git(self) -> None:
        self.git("add", "-A")
        self.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "by hand")

    @rule(branch=st.sampled_from(BRANCHES))
    def checkout(self, branch: str) -> None:
        if self.git("checkout", "-q", branch):
            self.git("checkout", "-q", "-b", branch)

    @rule(branch=st.sampled_from(BRANCHES), hooks=st.booleans())
    def merge(self, branch: str, *, hooks: bool) -> None:
        self.git(*(() if hooks else ("-c", "core.hooksPath=/dev/null")), "merge", "-q", "--no-edit", branch)

    @rule(words=st.sampled_from((("merge", "--abort"), ("stash", "-u"), ("stash", "pop"), ("reset", "-q", "--hard"))))
    def go_back(self, words: tuple[str, ...]) -> None:
        self.git(*words)

    # -- what holds --------------------------------------------------------------------------------

    def opened(self, root: Path, viewer: str) -> memstore.Vault:
        return memstore.open_vault(root, entity=viewer, track=False)

    @invariant()
    def what_is_told_agrees_with_the_files(self) -> None:
        if not hasattr(self, "root"):
            return
        with patch.dict(os.environ, self.sandbox.environment, clear=True):
            with self.opened(self.root, OWNER) as vault:
                vault.list()  # who opens it next takes back what was begun
                scan = Scan(self.root, mixed=self.mixed)
                mine = scan.seen_by(OWNER) | {path for path, one in scan.files.items() if isinstance(one, PlainFile)}
                self._agrees(vault, scan, mine)
            for viewer in VIEWERS:
                with self.opened(self.root, viewer) as vault:
                    seen = {entry.path for entry in vault.list(status="all")}
                    assert scan.has_copies or seen == scan.seen_by(viewer), viewer
                    self._agrees(vault, scan, seen)
                    told = [*self._told(vault)]
                with self._copy(scan, seen) as copy, self.opened(copy, viewer) as vault:
                    assert [*self._told(vault)] == told, viewer

    def _agrees(self, vault: memstore.Vault, scan: Scan, seen: set[str]) -> None:
        """Compare lists, searches and traces with the scan, for all that somebody sees."""
        listed = {entry.path for entry in vault.list(status="all")}
        assert scan.has_copies or listed == seen
        for word in WORDS:
            found = {path for hit in vault.search(word, limit=100, status="all") for path in _paths_of(hit)}
            assert found == scan.holding(word) & listed, word
        if scan.has_copies or vault.entity != OWNER:
            return
        for file in scan.memories.values():
            if file.memory.id and file.path in listed:
                nodes = vault.lineage.trace(file.memory.id).nodes
                traced = {one.key.partition(":")[2] for one in nodes if one.state.value == "memory"}
                assert traced == scan.above(file.memory.id, listed), file.path

    def _told(self, vault: memstore.Vault) -> Iterator[object]:
        """Yield what somebody is told, to be compared."""
        yield [*vault.list(status="all")]
        yield [(hit.citation, hit.content, hit.quality) for hit in vault.search(" ".join(WORDS), limit=100)]
        for memory_id in IDS:
            try:
                trace = vault.lineage.trace(memory_id)
                yield [*trace.nodes], [*trace.edges], trace.chain, vault.get(memory_id)
                yield [*vault.lineage.trace(memory_id, reverse=True).nodes]
            except memstore.MemstoreError as error:
                yield str(error), error.hint

    def _copy(self, scan: Scan, seen: set[str]) -> _Copy:
        return _Copy(self.root, {path for path in scan.files if path not in seen})


class _Copy:
    """A copy of a vault without some of its files, for as long as it is used."""

    def __init__(self, root: Path, without: set[str]) -> None:
        self._root, self._without = root, without

    def __enter__(self) -> Path:
        self._folder = tempfile.TemporaryDirectory()
        copy = Path(self._folder.name, "vault")
        shutil.copytree(self._root, copy, ignore=shutil.ignore_patterns("objects", "logs"), symlinks=True)
        (copy / ".git" / "objects").mkdir()
        for path in self._without:
            (copy / path).unlink()
        return copy

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def _paths_of(hit: Any) -> Iterator[str]:
    """Yield the paths that a hit stands for: its own, and those of what was folded into it."""
    yield hit.path


def run(*, examples: int, steps: int, like: settings) -> None:
    """Let vaults live, by so many examples of so many steps."""
    Living.world = World()
    try:
        chosen = settings(
            like, max_examples=examples, stateful_step_count=steps, deadline=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        run_state_machine_as_test(Living, settings=chosen)
    finally:
        Living.world.close()


def main() -> int:
    """Do what was asked for; what fails is raised, with the steps that led there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))  # noqa: S311 - no secret
    parser.add_argument("--shrink", action="store_true", help="look for fewer steps that fail, for minutes")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)  # noqa: T201
    seed(arguments.seed)(Living)
    phases = (Phase.generate, Phase.shrink) if arguments.shrink else (Phase.generate,)
    run(examples=arguments.examples, steps=arguments.steps, like=settings(database=None, phases=phases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
