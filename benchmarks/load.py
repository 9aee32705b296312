"""Load a broker: people ask and push at once, while what indexes and what answers is killed.

    python benchmarks/load.py URL --clients 50 --seconds 300 --indexer-kills 10 --server-kills 2

URL is an empty database on this machine. One in five clients writes: a clone of its own, where it adds memories, lets
another see them or takes that back, and pushes; hooks/post-receive indexes each push. The others search and list by
HTTP, half of them as the vault's owner, half as who sees a part. Indexers, the broker, and PostgreSQL (by one of its
sessions, upon which it starts anew) are ended as by a crash.

Afterwards each answer is compared with git: that of the owner names its commit and must have exactly what that commit
has; others' must be what one commit has for them, of no earlier one than any answer that had arrived before. What was
pushed must be found in the end. Errors are counted by what they say; one without a hint is a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median, quantiles
from threading import Event, Lock
from typing import Any, NamedTuple

from memstore.broker.served import served_vaults
from memstore.engines import database
from memstore.files.local_state import Environment

MEMSTORE = Path(sys.executable).with_name("memstore")
HOOK = Path(__file__).parent.parent / "hooks" / "post-receive"
OWNER, OTHER = "human:sean", "human:tom"
WORDS = ("kettle", "tram", "coast", "violin", "lantern")
SECRET = "quetzalcoatl"  # noqa: S105 - a word in each memory that is hidden from OTHER when it is made


class Answer(NamedTuple):
    """What came back: who asked which word, when (by one clock), the ids, and the commit if it was named."""

    who: str
    word: str
    begun: float
    ended: float
    ids: frozenset[str]
    commit: str | None


class Wrong(NamedTuple):
    """An answer that no commit explains."""

    answer: Answer
    why: str


class Load:
    """A repository that is pushed to, its broker, and what came of it.

    Args:
        home: where everything is.
        url: the database.
        seed: of what is drawn.
    """

    def __init__(self, home: Path, url: str, seed: int) -> None:
        self.home, self.url, self.seed = home, url, seed
        self._chance = self.drawn("moments")
        self.repository = home / "notes.git"
        self.environment = {
            "HOME": str(home),
            "PATH": f"{MEMSTORE.parent}{os.pathsep}{os.environ['PATH']}",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "init.defaultBranch",
            "GIT_CONFIG_VALUE_0": "main",
        } | {f"GIT_{role}_{what}": said for role in ("AUTHOR", "COMMITTER") for what, said in _NAMES.items()}
        self.answers: list[Answer] = []
        self.errors: Counter[str] = Counter()
        self.without_hint: Counter[str] = Counter()
        self.pushed: dict[str, bool] = {}  # whether OTHER may see it, by id, of what was acknowledged
        self.pushes: list[float] = []
        self.over, self._lock = Event(), Lock()
        self.broker: subprocess.Popen[str] | None = None
        self.address = ""
        self.tokens: dict[str, str] = {}

    def drawn(self, what: str) -> Random:
        """Return the source of what is drawn for somebody."""
        return Random(f"{self.seed} {what}")  # noqa: S311 - nothing secret

    def git(self, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Run git in a folder."""
        whole = ["git", "-C", str(folder), *words]
        return subprocess.run(whole, env=self.environment, capture_output=True, text=True, check=False)

    def begin(self) -> None:
        """Make the repository, with a vault in it that is indexed, and serve it."""
        settings = self.home / ".config" / "memstore" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"[engine]\nurl = {json.dumps(self.url)}\n", encoding="utf-8")
        settings.chmod(0o600)
        database.init(self.url)
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(self.repository)], check=True)
        shutil.copy(HOOK, self.repository / "hooks" / "post-receive")
        clone = self.clone("first")
        (clone / ".memstore").mkdir()
        (clone / ".memstore" / "config.toml").write_text(f'format = 1\nowner = "{OWNER}"\n', encoding="utf-8")
        for number in range(200):
            write(clone, f"m_first{number:05}", WORDS[number % len(WORDS)], seen=number % 2 == 0)
        self.git(clone, "add", "-A")
        self.git(clone, "commit", "-qm", "first")
        done = self.git(clone, "push", "-q", "origin", "main")
        if done.returncode:
            raise SystemExit(done.stderr)
        env = Environment.of_process()._replace(variables=self.environment, home=self.home, folder=self.home)
        [served] = served_vaults(env, [str(self.repository)])
        for who in (OWNER, OTHER):
            words = ["--vault", str(served.folder), "--json", "mcp", "token", "add", who, "--self"]
            made = subprocess.run(
                [MEMSTORE, *words], env=self.environment, capture_output=True, text=True, check=True, cwd=self.home
            )
            self.tokens[who] = Path(json.loads(made.stdout)["tokens"][0]["file"]).read_text(encoding="utf-8").strip()
        self.serve()

    def clone(self, name: str) -> Path:
        """Return a new clone."""
        folder = self.home / name
        subprocess.run(
            ["git", "clone", "-q", str(self.repository), str(folder)], env=self.environment, check=True, stderr=-3
        )
        return folder

    def serve(self) -> None:
        """Start the broker, at a port that stays the same."""
        port = self.address.rpartition(":")[2] or "0"
        words = [str(MEMSTORE), "engine", "serve", str(self.repository), "--port", port]
        with (self.home / "broker.log").open("a") as log:
            self.broker = subprocess.Popen(
                words, env=self.environment, cwd=self.home, stdout=log, stderr=subprocess.PIPE, text=True
            )
        for line in self.broker.stderr or ():
            if found := re.search(r"http://[\d.]+:\d+", line):
                self.address = found[0]
                break
        else:
            raise SystemExit("the broker did not start")

    # -- clients -----------------------------------------------------------------------------

    def reads(self, number: int) -> None:
        """Search and list until it is over."""
        drawn = self.drawn(f"reader {number}")
        who = (OWNER, OTHER)[number % 2]
        while not self.over.is_set():
            self.ask(who, drawn.choice(WORDS))
            time.sleep(drawn.uniform(0, 0.5))

    def ask(self, who: str, word: str) -> Answer | None:
        """Search for a word, and note what comes."""
        asked = json.dumps({"query": word, "limit": 1000}).encode()
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        request = urllib.request.Request(f"{self.address}/v1/search", asked, headers)  # noqa: S310 - our own address
        begun = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=120) as told:  # noqa: S310 - our own address
                found, commit = json.loads(told.read()), told.headers["Memstore-Commit"]
        except urllib.error.HTTPError as error:
            with suppress(ValueError, OSError):
                self.note(json.loads(error.read())["error"])
            return None
        except (OSError, ValueError) as error:
            self.note({"message": f"no answer: {type(error).__name__}", "hint": "the broker is away"})
            return None
        ids = frozenset(one["ref"].partition(":")[2] for one in found["results"])
        answer = Answer(who, word, begun, time.monotonic(), ids, commit)
        with self._lock:
            self.answers.append(answer)
        return answer

    def note(self, error: dict[str, Any]) -> None:
        """Count an error by what it says."""
        said = re.sub(r"\b[0-9a-f]{7,}\b|\d+", "N", f"{error['message']} | {error.get('hint') or 'NO HINT'}")
        with self._lock:
            self.errors[said] += 1
            if not error.get("hint"):
                self.without_hint[said] += 1

    def writes(self, number: int) -> None:
        """Change memories and push until it is over."""
        drawn = self.drawn(f"writer {number}")
        clone = self.clone(f"writer{number}")
        own: dict[str, bool] = {}
        for made in range(10**6):
            if self.over.is_set():
                return
            which = drawn.choice([*sorted(own), *[f"m_w{number:03}n{made:05}"] * (len(own) + 1)])
            seen = drawn.choice([True, False])
            write(clone, which, WORDS[number % len(WORDS)], seen=seen)
            self.git(clone, "add", "-A")
            if self.git(clone, "commit", "-qm", which).returncode == 0 and self.push(clone):
                own[which] = seen
                with self._lock:
                    self.pushed[which] = seen
            time.sleep(drawn.uniform(0, 2))

    def push(self, clone: Path) -> bool:
        """Push a clone's commits, on top of those of others; say whether that was acknowledged."""
        for _ in range(20):
            begun = time.monotonic()
            done = self.git(clone, "push", "-q", "origin", "HEAD:main")
            if done.returncode == 0:
                told = [line.removeprefix("remote: ").strip() for line in done.stderr.splitlines()]
                for at, line in enumerate(told):
                    if line.startswith("memstore: pushed, but"):
                        hint = next((one for one in told[at : at + 3] if one.startswith("hint:")), None)
                        self.note({"message": line, "hint": hint})
                with self._lock:
                    self.pushes.append(time.monotonic() - begun)
                return True
            self.git(clone, "pull", "-q", "--rebase", "origin", "main")
        self.git(clone, "reset", "-q", "--hard", "origin/main")
        return False

    # -- crashes -----------------------------------------------------------------------------

    def crash(self, seconds: float, indexers: int, servers: int) -> Counter[str]:
        """End processes at drawn times, and say how many of which."""
        drawn = self.drawn("crashes")
        whats = ["indexer"] * indexers + ["broker", "PostgreSQL"] * servers
        drawn.shuffle(whats)
        began, done = time.monotonic(), Counter[str]()
        for number, what in enumerate(whats):
            self.over.wait(max(0, began + seconds * (number + 1) / (len(whats) + 1) - time.monotonic()))
            end = time.monotonic() + 30
            while time.monotonic() < end and not self.over.is_set():
                if {"indexer": self._kill_indexer, "broker": self._kill_broker, "PostgreSQL": self._kill_session}[
                    what
                ]():
                    done[what] += 1
                    break
                time.sleep(0.002)
        return done

    def _kill_indexer(self) -> bool:
        for pid in _pids_of("hooks\0run\0post-receive", str(self.home)):
            time.sleep(self._chance.uniform(0, 0.5))
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    def _kill_broker(self) -> bool:
        if self.broker:
            self.broker.kill()
            self.broker.wait()
            self.serve()
        return True

    def _kill_session(self) -> bool:
        with suppress(Exception), database.session(self.url) as opened:
            row = opened.execute(
                "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            ).fetchone()
            if row:
                os.kill(row[0], signal.SIGKILL)
                return True
        return False

    # -- what came of it ---------------------------------------------------------------------

    def wrong(self) -> list[Wrong]:
        """Return the answers that git does not explain."""
        order, states = self._states()
        position = {commit: at for at, commit in enumerate(order)}
        found, floor, arrived = [], 0, iter(sorted((one for one in self.answers if one.commit), key=_ended))
        coming = next(arrived, None)
        for one in sorted(self.answers, key=lambda one: one.begun):
            while coming and coming.ended <= one.begun:
                floor = max(floor, position.get(coming.commit or "", 0))
                coming = next(arrived, None)
            if one.who == OWNER:
                if one.commit not in position:
                    found.append(Wrong(one, "it names no commit of the branch"))
                elif one.ids != states[one.commit][one.word, OWNER]:
                    found.append(Wrong(one, "it is not what its commit has"))
                elif position[one.commit] < floor:
                    found.append(Wrong(one, "it is of an earlier commit than what was answered before"))
            elif one.commit:
                found.append(Wrong(one, "it names a commit to who sees a part"))
            elif one.ids not in (states[commit][one.word, OTHER] for commit in order[floor:]):
                found.append(Wrong(one, "no commit since has that for them"))
        return found

    def _states(self) -> tuple[list[str], dict[str, dict[tuple[str, str], frozenset[str]]]]:
        """Return the commits in order, and what is seen in each, by word and who looks."""
        log = self.git(self.repository, "log", "--reverse", "--format=%H", "main").stdout.split()
        states, files = {}, dict[str, tuple[str, bool]]()
        for at, commit in enumerate(log):
            wanted = ["diff-tree", "-r", "--root", "--name-only", "--no-commit-id", *log[max(0, at - 1) : at + 1]]
            for path in self.git(self.repository, *wanted).stdout.split():
                if path.endswith(".md"):
                    text = self.git(self.repository, "show", f"{commit}:{path}").stdout
                    files[Path(path).stem] = (text.split()[-2], OTHER in text)
            states[commit] = {
                (word, who): frozenset(
                    one for one, (of, seen) in files.items() if of == word and (seen or who == OWNER)
                )
                for word in WORDS
                for who in (OWNER, OTHER)
            }
        return log, states

    def lost(self) -> tuple[str, ...]:
        """Return what was pushed and is not found in the end, or is found by others than it should be."""
        clone = self.clone("last")
        write(clone, "m_thelast0000", WORDS[0], seen=True)
        self.git(clone, "add", "-A")
        self.git(clone, "commit", "-qm", "last")
        self.push(clone)
        found = {
            who: frozenset[str]().union(*(answer.ids for word in WORDS if (answer := self.ask(who, word))))
            for who in (OWNER, OTHER)
        }
        missing = {one for one in self.pushed if one not in found[OWNER]}
        return (*sorted(missing | {one for one, seen in self.pushed.items() if seen is not (one in found[OTHER])}),)


_NAMES = {"NAME": "Sean", "EMAIL": "sean@example.org"}


def _ended(one: Answer) -> float:
    return one.ended


def write(clone: Path, which: str, word: str, *, seen: bool) -> None:
    """Write a memory; who sees a part sees it, or has no idea of it."""
    grant = f"access_grants: [{OTHER}]\n" if seen else ""
    place = clone / "notes" / f"{which}.md"
    place.parent.mkdir(exist_ok=True)
    head = (
        f"---\ntype: note\nid: {which}\nowner: {OWNER}\nauthor: {OWNER}\ncreated_at: 2026-01-01T00:00:00Z\n{grant}---\n"
    )
    place.write_text(f"{head}{SECRET if not seen else 'open'} {word} {time.monotonic_ns()}\n", encoding="utf-8")


def _pids_of(words: str, folder: str) -> list[int]:
    """Return the processes whose command line has these words and whose home is a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (
                words.encode() in (place / "cmdline").read_bytes()
                and folder.encode() in (place / "environ").read_bytes()
            ):
                found.append(int(place.name))
    return found


def main() -> None:
    """Load what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--indexer-kills", type=int, default=10)
    parser.add_argument("--server-kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        load = Load(Path(folder), given.url, given.seed)
        load.begin()
        writers = given.clients // 5
        with ThreadPoolExecutor(given.clients + 1) as pool:
            crashes = pool.submit(load.crash, given.seconds, given.indexer_kills, given.server_kills)
            clients = [pool.submit(load.writes, number) for number in range(writers)]
            clients += [pool.submit(load.reads, number) for number in range(given.clients - writers)]
            time.sleep(given.seconds)
            load.over.set()
            killed = crashes.result()
            for client in clients:
                client.result()
        lost, wrong = load.lost(), load.wrong()
        if load.broker:
            load.broker.terminate()
            load.broker.wait()
    report(load, killed, lost, wrong)
    sys.exit(bool(lost or wrong or load.without_hint))


def report(load: Load, killed: Counter[str], lost: tuple[str, ...], wrong: list[Wrong]) -> None:
    """Print it."""
    times = [one.ended - one.begun for one in load.answers]
    print(f"killed: {', '.join(f'{what} {count}' for what, count in sorted(killed.items())) or 'nothing'}")
    for what, seconds in (("answers", times), ("pushes acknowledged", load.pushes)):
        some = (
            f"; median {median(seconds):.2f} s, 95 of 100 in {quantiles(seconds, n=20)[-1]:.2f} s"
            if seconds[1:]
            else ""
        )
        print(f"{what}: {len(seconds)}{some}")
    print(f"wrong answers: {len(wrong)}")
    for one in wrong[:10]:
        print(
            f"  {one.why}: {one.answer.who}, {one.answer.word}, {len(one.answer.ids)} found, commit {one.answer.commit}"
        )
    print(f"lost or shown wrongly in the end: {len(lost)} of {len(load.pushed)} {' '.join(lost[:10])}")
    for said, count in load.errors.most_common():
        print(f"{count:>6} x {said}")


if __name__ == "__main__":
    main()
