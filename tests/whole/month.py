"""A month of two people in a shared vault: what they do in any order, and what holds after each of it.

    python -m tests.whole.month [--acts 500] [--seed 1]

Ann, who keeps the vault, and Ben have a home and a clone each, and one remote whose hook guards it. What was
acknowledged to one of them is known as signs: `said ID SIGN`, `granted ID NAME`, `revoked ID NAME`. A branch only gains
such signs, and a merge has those of both sides: nothing that is found later may lack one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.access.audit_events import texts_of
from memstore.access.own_files import events_in
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from tests.installed import ROOT, at_home
from tests.team import ANN, BEN, Team, begin

sys.path.insert(0, str(ROOT / "benchmarks"))
from aftermath import KILL, KILLED
from warm import Strike, Warm

if TYPE_CHECKING:
    from collections.abc import Sequence

PEOPLE = (ANN, BEN)
# How often each is drawn.
ACTS = {"add": 5, "edit": 8, "grant": 4, "revoke": 2, "branch": 3, "merge": 3, "rebase": 2, "sync": 5, "kill": 4}
MOST_BRANCHES = 4
LONGEST_SECONDS = 2.0
CHECKPOINT = 25
_SIGN = re.compile(r"\bsign\d+\b")
_MARKERS = re.compile(r"^(?:<{7}|={7}|>{7})(?: .*)?\n", re.MULTILINE)
_BASE = re.compile(r"^\|{7}.*?(?=^={7})", re.MULTILINE | re.DOTALL)
_HALF = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")


@dataclass
class TwoHomes(Team):
    """The team, each of whom has a home of their own."""

    def environment(self, who: str) -> dict[str, str]:
        home = self.home / f"home-{who.partition(':')[2]}"
        home.mkdir(exist_ok=True)
        return super().environment(who) | {name: text for name, text in at_home(home).items() if name != "PATH"}


class Desk(NamedTuple):
    """Where somebody works, as `Warm` asks for it."""

    vault: Path
    environment: dict[str, str]
    watched: tuple[str, ...]


class Month:
    """Two people, what is known of their branches, and what they do next; to be closed.

    Args:
        folder: an empty folder.
        seed: of chance.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - chance, not secrecy
        self.team = begin(folder, TwoHomes)
        self.done: list[str] = []
        self._count = 0
        self._known: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._remote: dict[str, set[str]] = defaultdict(set)
        self._fetched: dict[str, dict[str, set[str]]] = {who: {} for who in PEOPLE}
        self._warm: dict[str, Warm] = {}
        for who in PEOPLE:
            environment = self.team.environment(who)
            watched = (str(self.team.clone(who)), environment["XDG_STATE_HOME"])
            self._warm[who] = Warm(Desk(self.team.clone(who), environment, watched))  # type: ignore[arg-type]

    def close(self) -> None:
        for warm in self._warm.values():
            warm.close()

    # -- one person's programs ---------------------------------------------------------------------

    def memstore(self, who: str, *words: str) -> str:
        done = self._warm[who].run(*words)
        self._note(who, ("memstore", *words), done.code, done.out + done.err)
        assert done.code == 0, done
        return done.out

    def git(self, who: str, *words: str) -> int:
        done = self.team.run(who, "git", "-c", "core.editor=true", *words)
        self._note(who, ("git", *words), done.returncode, done.stdout + done.stderr)
        return done.returncode

    def ok(self, who: str, *words: str) -> str:
        return self.team.ok(who, "git", *words).strip()

    def killed(self, who: str, *words: str) -> bool:
        """Start something, and kill it and all that it started after a while; return whether it was done before."""
        seconds = self.random.uniform(0.05, LONGEST_SECONDS)
        child = subprocess.Popen(
            words, cwd=self.team.clone(who), env=self.team.environment(who), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            told, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            told, _ = child.communicate()
        self._note(who, words, child.returncode, f"killed after {seconds:.2f} s, if it wasn't done\n{told}")
        return child.returncode == 0

    def _note(self, who: str, words: Sequence[str], code: int, told: str) -> None:
        branch = self.team.run(who, "git", "branch", "--show-current").stdout.strip()
        tail = "".join(f"\n        {line}" for line in told.splitlines()[-8:])
        self.done.append(f"    {who} on {branch}: {' '.join(words)}: {code}{tail}")

    # -- what is there -----------------------------------------------------------------------------

    def current(self, who: str) -> str:
        return self.ok(who, "branch", "--show-current")

    def known(self, who: str) -> set[str]:
        """Return the signs that were acknowledged on the branch that is checked out."""
        return self._known[who, self.current(who)]

    def memories(self, who: str) -> dict[str, MemoryFile]:
        """Return the memories in a work tree by path, in the order in which they were first said."""
        root = self.team.clone(who)
        read = {path: memory_file.read(path, (root / path).read_bytes())
                for path in (one.relative_to(root).as_posix() for one in (root / "notes").rglob("*.md"))}  # fmt: skip
        files = {path: file for path, file in read.items() if isinstance(file, MemoryFile)}
        return {path: files[path] for path in sorted(files, key=lambda path: _first(files[path]))}

    def look(self, who: str) -> tuple[set[str], set[tuple[str, str]]]:
        """Return the signs in a work tree, and who is granted what there; grants and events must agree."""
        files = self.memories(who).values()
        signs = {
            f"said {file.memory.id} {sign}"
            for file in files
            for sign in _SIGN.findall(" ".join((*file.memory.tags, file.memory.body)))
        }
        granted = {(str(file.memory.id), name) for file in files for name in file.memory.access_grants}
        root = self.team.clone(who)
        own = {one.relative_to(root).as_posix(): one.read_bytes() for one in (root / "audit").rglob("*.json")}
        events = events_in(own).values()
        told = {key: {(memory, name) for event in events for memory in texts_of(event.about.get("memory"))
                      for name in texts_of(event.about.get(key))} for key in ("to", "whom")}  # fmt: skip
        signs |= {f"{word} {memory} {name}" for word, key in (("granted", "to"), ("revoked", "whom"))
                  for memory, name in told[key]}  # fmt: skip
        assert granted == told["to"] - told["whom"], "grants that nobody recorded, or records without a grant"
        return signs, granted

    def holds(self, who: str) -> None:
        """What must hold after each act: nothing is lost, half or unrecorded."""
        found, _ = self.look(who)
        assert not (lost := self.known(who) - found), f"{who} lost {sorted(lost)}"
        left = [name for name in _HALF if (self.team.clone(who) / ".git" / name).exists()]
        assert not left, f"half done: {left}"

    def is_sound(self, who: str) -> None:
        """What must hold at times."""
        self.memstore(who, "check")
        self.memstore(who, "privacy", "log", "verify")

    # -- acts --------------------------------------------------------------------------------------

    def live(self, acts: int) -> None:
        """Do so many acts, and bring both together in the end."""
        for number in range(1, acts + 1):
            who = self.random.choice(PEOPLE)
            name = self.random.choices([*ACTS], [*ACTS.values()])[0]
            self.done.append(f"{number}. {name}")
            getattr(self, name)(who)
            self.holds(who)
            if number % CHECKPOINT == 0:
                for one in PEOPLE:
                    self.is_sound(one)
        self.end()

    def end(self) -> None:
        """Bring all branches together; both must see the same."""
        self.done.append("end")
        for who in PEOPLE:
            self._clean(who)
            for branch in sorted({"main", *self._branches(who)} - {"main"}):
                self._go(who, "main")
                self._merge(who, branch, self._known[who, branch])
            self._go(who, "main")
        for who in (*PEOPLE, *PEOPLE):
            self.sync(who)
        everything = set().union(*self._known.values(), *self._remote.values())
        told = []
        for who in PEOPLE:
            assert not (lost := everything - self.look(who)[0]), f"{who} lost {sorted(lost)}"
            self.holds(who)
            self.is_sound(who)
            words = (("--json", "list", "--limit", "999"), ("--json", "search", "sign"), ("privacy", "log", "show"))
            told.append([self.memstore(who, *one) for one in words])
            assert "all committed" in self.memstore(who, "status"), "something is pending"
        assert told[0] == told[1], "they see different vaults"
        heads = {self.ok(who, "rev-parse", "HEAD") for who in PEOPLE}
        assert len(heads) == 1, heads

    def sign(self) -> str:
        self._count += 1
        return f"sign{self._count}"

    def some(self, who: str) -> str:
        """Return the id of a memory."""
        return str(self.random.choice([*self.memories(who).values()][:12]).memory.id)

    def add(self, who: str) -> None:
        sign = self.sign()
        told = self.memstore(who, "--json", "add", f"What the {sign} says.", *self._at_once())
        self.known(who).add(f"said {json.loads(told)['ref'].partition(':')[2]} {sign}")

    def edit(self, who: str) -> None:
        memory_id, sign, words = self._an_edit(who)
        if words:
            self.memstore(who, *words, *self._at_once())
        self.known(who).add(f"said {memory_id} {sign}")

    def _an_edit(self, who: str, *, by_hand: bool = True) -> tuple[str, str, tuple[str, ...]]:
        """Return a memory, a sign that it gains, and the command that gives it that; none if a hand did it already."""
        memory_id, sign = self.some(who), self.sign()
        [(path, file)] = [(path, file) for path, file in self.memories(who).items() if file.memory.id == memory_id]
        body = file.memory.body.strip()
        match self.random.randrange(4 if by_hand else 3):
            case 0:
                return memory_id, sign, ("tag", memory_id, f"+{sign}")
            case 1:
                return memory_id, sign, ("edit", memory_id, f"{body}\n\nThen {sign}.")
            case 2:
                first, _, rest = body.partition("\n")
                return memory_id, sign, ("edit", memory_id, f"{first} And {sign}.\n{rest}")
            case _:
                with (self.team.clone(who) / path).open("a") as place:
                    place.write(f"\nBy hand {sign}.\n")
                return memory_id, sign, ()

    def _at_once(self) -> tuple[str, ...]:
        return self.random.choice(((), ("-c",)))

    def grant(self, who: str) -> None:
        """Ann grants; Ben may not, and changes nothing."""
        memory_id, words = self._a_grant(who)
        if who == BEN:
            done = self._warm[who].run(*words)
            assert done.code == 4, done
            return
        self.memstore(who, *words, *self._at_once())
        self.known(who).add(f"granted {memory_id} {words[-1]}")

    def _a_grant(self, who: str) -> tuple[str, tuple[str, ...]]:
        memory_id = self.some(who)
        return memory_id, ("privacy", "grant", memory_id, "--to", f"human:guest{self.sign()}")

    def revoke(self, who: str) -> None:
        if words := self._a_revocation(who):
            self.memstore(ANN, *words, *self._at_once())
            self.known(ANN).add(f"revoked {words[2]} {words[-1]}")

    def _a_revocation(self, who: str) -> tuple[str, ...]:
        granted = sorted(self.look(who)[1], key=lambda one: one[1]) if who == ANN else ()
        memory_id, name = self.random.choice(granted) if granted else ("", "")
        return ("privacy", "revoke", memory_id, "--from", name) if memory_id else ()

    # -- branches ----------------------------------------------------------------------------------

    def _branches(self, who: str) -> list[str]:
        return self.ok(who, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def _clean(self, who: str) -> None:
        self.memstore(who, "commit")

    def _go(self, who: str, branch: str, *words: str) -> None:
        assert self.git(who, "switch", "-q", *words, branch) == 0

    def branch(self, who: str) -> None:
        """Begin a branch, or go to another one."""
        self._clean(who)
        names = self._branches(who)
        others = [name for name in names if name != self.current(who)]
        if len(names) >= MOST_BRANCHES or (others and self.random.random() < 0.5):
            self._go(who, self.random.choice(others))
            return
        signs = self.known(who)
        new = f"{who.partition(':')[2]}-{self.sign()}"
        self._go(who, new, "-c")
        self._known[who, new] = {*signs}

    def merge(self, who: str) -> None:
        """Merge another branch of one's own, or one that was fetched."""
        self._clean(who)
        chosen = self._another(who)
        if chosen:
            self._merge(who, *chosen)

    def _another(self, who: str) -> tuple[str, set[str]] | None:
        mine = {name: self._known[who, name] for name in self._branches(who) if name != self.current(who)}
        theirs = {f"origin/{name}": signs for name, signs in self._fetched[who].items()}
        named = mine | theirs
        return self.random.choice(sorted(named.items(), key=lambda one: one[0])) if named else None

    def _merge(self, who: str, branch: str, signs: set[str]) -> None:
        if self.git(who, "merge", "-q", "--no-edit", branch):
            self._resolve(who)
            assert self.git(who, "commit", "-q", "--no-edit") == 0
        self.known(who).update(signs)

    def _resolve(self, who: str) -> None:
        """Keep both sides of all lines that both changed."""
        unmerged = self.ok(who, "diff", "--name-only", "--diff-filter=U").splitlines()
        assert unmerged, "git merges nothing, and says of no file why"
        for path in unmerged:
            place = self.team.clone(who) / path
            place.write_text(_MARKERS.sub("", _BASE.sub("", place.read_text())))
        self.ok(who, "add", "-A")

    def rebase(self, who: str) -> None:
        """Put commits that nobody else has onto what was fetched of main."""
        self._clean(who)
        if not self._may_rebase(who):
            return
        signs = self._fetched[who].get("main", set())
        code = self.git(who, "rebase", "-q", "origin/main")
        for _ in range(99):
            if code == 0:
                break
            self._resolve(who)
            code = self.git(who, "rebase", "--continue")
        assert code == 0
        self.known(who).update(signs)

    def _may_rebase(self, who: str) -> bool:
        new = self.ok(who, "rev-list", "HEAD", "^origin/main").split()
        held = self.ok(who, "rev-list", "HEAD", "^origin/main", "--not", "--remotes").split()
        mine = f"{who.partition(':')[2]}@example.org"
        return new == held and {*self.ok(who, "log", "--format=%ce", "origin/main..HEAD").split()} <= {mine}

    def sync(self, who: str) -> None:
        for _ in range(9):
            done = self._warm[who].run("sync")
            self._note(who, ("memstore", "sync"), done.code, done.out + done.err)
            if done.code == 0:
                self._synced(who)
                return
            assert "stopped at merge: both sides changed the same lines" in done.err, done
            self.holds(who)
            branch = self.current(who)
            self._fetch(who)
            self._merge(who, f"origin/{branch}", self._fetched[who][branch])
        raise AssertionError("it stops again and again")

    def _fetch(self, who: str) -> None:
        self._fetched[who] = {name: {*signs} for name, signs in self._remote.items()}

    def _synced(self, who: str) -> None:
        branch = self.current(who)
        self._fetch(who)
        self.known(who).update(self._remote[branch])
        self._remote[branch] |= self.known(who)

    # -- killed ------------------------------------------------------------------------------------

    def kill(self, who: str) -> None:
        """Somebody's program is killed, and they go on."""
        what = self.random.choice(("add", "edit", "grant", "revoke", "commit", "sync", "sync", "merge", "rebase"))
        self.done.append(f"    kill {what}")
        match what:
            case "sync":
                if self.killed(who, "memstore", "sync"):
                    self._synced(who)
            case "merge" | "rebase":
                self._kill_git(who, what)
            case _:
                words, sign = self._to_kill(who, what)
                if words and self._is_done_before_it_is_killed(who, words) and sign:
                    self.known(who).add(sign)
        self._pick_up(who)

    def _kill_git(self, who: str, what: str) -> None:
        self._clean(who)
        if what == "merge" and (chosen := self._another(who)):
            words = ("git", "-c", "core.editor=true", "merge", "-q", "--no-edit", chosen[0])
            is_done = self.killed(who, *words)
            if is_done:
                self.known(who).update(chosen[1])
        elif what == "rebase" and self._may_rebase(who):
            is_done = self.killed(who, "git", "-c", "core.editor=true", "rebase", "-q", "origin/main")
            if is_done:
                self.known(who).update(self._fetched[who].get("main", set()))
        else:
            return
        if not is_done:
            self._unlock(who)
            for verb in ("rebase", "merge"):
                self.team.run(who, "git", verb, "--abort")
            self.git(who, "reset", "-q", "--hard")
            self.git(who, "clean", "-qfd")

    def _to_kill(self, who: str, what: str) -> tuple[tuple[str, ...], str]:
        """Return a command, and the sign that it would give."""
        if what == "commit":
            return ("commit",), ""
        if what == "edit":
            memory_id, sign, words = self._an_edit(who, by_hand=False)
            return (*words, *self._at_once()), f"said {memory_id} {sign}"
        if what == "grant" and who == ANN:
            memory_id, words = self._a_grant(who)
            return (*words, *self._at_once()), f"granted {memory_id} {words[-1]}"
        if what == "revoke" and (words := self._a_revocation(who)):
            return (*words, *self._at_once()), f"revoked {words[2]} {words[-1]}"
        return ("add", f"What the {self.sign()} says.", *self._at_once()), ""

    def _is_done_before_it_is_killed(self, who: str, words: tuple[str, ...]) -> bool:
        if self.random.random() < 0.3:
            return self.killed(who, "memstore", *words)
        strike = Strike(self.random.randint(1, 60), KILL)
        done = self._warm[who].strike(words, strike)
        self._note(who, ("memstore", *words), done.code, f"{strike}\n{done.err}")
        assert done.code in (0, KILLED), done
        return done.code == 0

    def _pick_up(self, who: str) -> None:
        """Go on after something was killed, as memstore and git say."""
        self._unlock(who)
        git = self.team.clone(who) / ".git"
        if (git / "MERGE_HEAD").exists():
            assert self.git(who, "merge", "--abort") == 0
        self.memstore(who, "status")

    def _unlock(self, who: str) -> None:
        """Delete what a killed git leaves, as git says."""
        for lock in (self.team.clone(who) / ".git").rglob("*.lock"):
            if lock.name == "write.lock":
                continue
            self.done.append(f"    {who} deletes {lock.name}")
            lock.unlink()


def _first(file: MemoryFile) -> tuple[int, str]:
    found = _SIGN.search(file.memory.body)
    return (int(found[0].removeprefix("sign")) if found else 0), file.path


def live(folder: Path, *, acts: int, seed: int) -> None:
    """Let a month pass; what fails says the seed and what was done."""
    month = Month(folder, seed)
    try:
        month.live(acts)
    except Exception as error:
        told = "\n".join(month.done)
        raise AssertionError(f"{error}\n\nseed {seed}\n{told}") from error
    finally:
        month.close()


def main() -> int:
    """Do what was asked for; what fails is raised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--acts", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))  # noqa: S311 - no secret
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)  # noqa: T201
    folder = Path(tempfile.mkdtemp(prefix="memstore-month-"))
    live(folder, acts=arguments.acts, seed=arguments.seed)
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
