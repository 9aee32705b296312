"""Two vaults of a group that differ in what a member may not see are the same to them, at all that git brings about.

A member has all files of their clone, and of those that are not for them the checks say the path alone. So the two
vaults have the same files: what differs is what is in those that are denied to the member, belong to somebody else,
were made from such, are sealed, or lie in a vault of somebody's own in a folder of this one.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

import pytest

from memstore.files.age_file import MAGIC
from memstore.files.local_state import Environment
from memstore.vault import check
from memstore.vault.composition import open_workspace
from tests.git_repositories import git
from tests.support import memory_text
from tests.whole.hidden import OWNER, REGISTRY, WORDS, drawn
from tests.whole.program import Done, InProcess, Program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MEMBER, EVE = "human:dave", "human:eve"
# What does not decide who sees a memory.
_SAID = ("type", "title", "tags", "aliases", "confidence", "relates_to", "source_type", "source")
_ID_OF_COMMIT = re.compile(r"\b[0-9a-f]{7,40}\b")
SHARED = {
    "groups/ops.yaml": (
        f"id: group:ops\nkeepers: ['{OWNER}']\n"
        f"members: [{{id: '{OWNER}'}}, {{id: '{MEMBER}'}}, {{id: 'group:inner'}}]\n"
    ),
    f"entities/{OWNER.replace(':', '/')}.md": f"---\ntype: entity\nid: {OWNER}\nemail: keeper@example.org\n---\n",
    f"entities/{MEMBER.replace(':', '/')}.md": f"---\ntype: entity\nid: {MEMBER}\nemail: member@example.org\n---\n",
    ".memstoreignore": "cellar/\n",
    "cellar/.memstore/config.toml": f'format = 1\nowner = "{OWNER}"\n\n[remotes]\norigin = ["group:ops"]\n',
}


def otherwise(random: Random, data: bytes) -> bytes:
    """Return a memory that says something else to the same people."""
    head, _, _ = data.decode().removeprefix("---\n").partition("\n---\n")
    kept = [line for line in head.split("\n") if line.partition(":")[0] not in _SAID]
    said = {
        "type": random.choice(("note", "belief", "episode")),
        "title": " ".join(random.choices(WORDS, k=3)),
        "tags": f"[{random.choice(('cold', 'hot'))}]",
        "relates_to": '["note:m_abc0000003"]',
    }
    lines = [*(f"{key}: {value}" for key, value in said.items()), *kept]
    return "\n".join(["---", *lines, "---", " ".join(random.choices(WORDS, k=9)) + ".", ""]).encode()


def sealed(random: Random) -> bytes:
    """Return a sealed file that no key here opens."""
    header = b"-> X25519 " + random.randbytes(32).hex().encode() + b"\n" + b"x" * 43
    return MAGIC + header + b"\n--- mac\n" + random.randbytes(80)


class Clones(InProcess):
    """A keeper's vault of a group, a remote that its hook guards, and the clone of a member."""

    @property
    def remote(self) -> Path:
        return self.home / "remote.git"

    def begin(self, files: Mapping[str, bytes]) -> None:
        """Lay out the vault, and clone it."""
        self.lay_out(files, "before")
        git(self.home, "clone", "-q", "--bare", str(self.vault), str(self.remote))
        self.ok("--as", OWNER, "hooks", "install", "--pre-receive", str(self.remote), "--own-settings")
        git(self.home, "clone", "-q", str(self.remote), "mine")
        self.git("remote", "add", "origin", str(self.remote))
        self.vault = self.home / "mine"
        self.environment |= {"MEMSTORE_ENTITY": MEMBER, "MEMSTORE_NO_USAGE": "1", "GIT_TERMINAL_PROMPT": "0"}
        self.environment |= {f"GIT_{role}_EMAIL": "member@example.org" for role in ("AUTHOR", "COMMITTER")}
        self.environment |= {f"GIT_{role}_DATE": "2026-02-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
        self.ok("--as", MEMBER, "init")

    def lay_out(self, files: Mapping[str, bytes], message: str) -> None:
        """Let the keeper write files, and commit them past all checks."""
        root = self.home / "vault"
        for path, data in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        git(root, "add", "-A", **self.environment)
        who = {"GIT_AUTHOR_EMAIL": "keeper@example.org", "GIT_COMMITTER_EMAIL": "keeper@example.org"}
        git(root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", message, **self.environment | who)

    def hidden(self) -> set[str]:
        """Return the paths of memories that the member may not see."""
        env = Environment(self.environment, self.vault, self.home, "tester")
        view = open_workspace(env, entity=MEMBER, alone=True).view()
        paths = view.column("path")
        seen = {paths[row] for row in view.rows}
        return {path for path in self.memories() if path not in seen}

    def memories(self) -> list[str]:
        return [path for path in self.git("ls-files", "a", "b").split() if path.endswith(".md")]


def told(program: Clones, edits: Mapping[str, bytes], more: Mapping[str, bytes]) -> dict[str, tuple[int, str]]:
    """Return what a member is told who commits edits, checks them, syncs, and pushes past the hooks of the clone.

    Args:
        program: whose clone it is.
        edits: what the member writes, by path.
        more: what the keeper pushes meanwhile.
    """
    said: dict[str, tuple[int, str]] = {}

    def keep(name: str, done: Done) -> None:
        text = (done.stdout + done.stderr).replace(str(program.home), "HOME")
        said[name] = done.returncode, _ID_OF_COMMIT.sub("COMMIT", text)

    for path, data in edits.items():
        (program.vault / path).parent.mkdir(parents=True, exist_ok=True)
        (program.vault / path).write_bytes(data)
    keep("sync before", program.run("sync", "--dry-run"))
    program.git("add", "-A")
    keep("check --staged", program.run("check", "--staged"))
    keep("commit", program.attempt_git("commit", "-q", "-m", "edited"))
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "edited past it")
    for form in ((), ("--json",)):
        keep(f"check --against {form}", program.run("check", "--against", "origin/main", *form))
    keep("push", program.attempt_git("push", "-q", "origin", "HEAD:main"))
    keep("pre-receive", program.attempt_git("push", "-q", "--no-verify", "origin", "HEAD:refs/heads/other"))
    program.lay_out(more, "meanwhile")
    git(program.remote, "fetch", "-q", "--force", str(program.home / "vault"), "HEAD:main")
    program.git("fetch", "-q")
    for name in ("sync", "sync again"):
        keep(f"{name} --dry-run", program.run("sync", "--dry-run"))
        keep(name, program.run("sync"))
    keep("pre-receive merged", program.attempt_git("push", "-q", "--no-verify", "origin", "HEAD:refs/heads/merged"))
    keep("check", program.run("check"))
    return said


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Clones:
    program = Program(tmp_path_factory.mktemp("members"))
    program.vault.mkdir()
    program.ok("--as", OWNER, "init", ".", "--owner", "group:ops")
    program.ok("--as", OWNER, "config", "remotes.origin", "group:ops")
    return Clones(program.home)


def differences(made: Clones, folder: Path, seed: int) -> list[tuple[str, object, object]]:
    """Return what the member is told otherwise, of two vaults that are drawn."""
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    case = drawn(random)
    registry = {path: text.encode() for path, text in {**REGISTRY, **SHARED}.items()}
    files = {path: data for path, data in case.files.items() if not path.startswith("groups/")} | registry
    cellar = "cellar/wine.md"
    files |= {"a/shut.md.age": sealed(random), cellar: memory_text("Wine.\n", id="m_cellar0001", title="Wine")}
    full = made.copied(folder / "full")
    full.begin(files)
    hidden = full.hidden()
    others = {path: otherwise(random, files[path]) for path in sorted(hidden) if path in files}
    others |= {"a/shut.md.age": sealed(random), cellar: memory_text("Beer.\n", id="m_cellar0001", title="Beer")}
    other = made.copied(folder / "other")
    other.begin({**files, **others})
    assert other.hidden() == hidden
    seen = {path: files[path] for path in full.memories() if path not in hidden}
    # What is generalized is compared with its sources, whoever changes it.
    edits = drawn_edits(random, {path: data for path, data in seen.items() if b"\ngeneralized: true" not in data})
    pushed = {
        path: data.replace(b"\n---\n", b"\n---\nMore.\n\n")
        for path, data in list(files.items())[:4]
        if path.startswith(("a/", "b/"))
    }
    news = (*sorted(hidden)[: random.choice((0, 2))], "a/shut.md.age", cellar)
    more = [
        {path: source[path] + b"Later.\n" for path in news if path in source} for source in (files, {**files, **others})
    ]
    one, two = (
        told(program, edits, {path: data for path, data in pushed.items() if path not in hidden} | news)
        for program, news in zip((full, other), more, strict=True)
    )
    return [(name, said, two[name]) for name, said in one.items() if said != two[name]]


def drawn_edits(random: Random, seen: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return what a member writes: a memory, changes of others that they see, at times a widening by hand."""
    edits = {"a/new.md": memory_text("Lake and tea.\n", id="m_new0000001", author=MEMBER)}
    for path in random.sample(sorted(seen), min(3, len(seen))):
        edits[path] = seen[path] + b"Walked on.\n"
    if random.random() < 0.5:
        path = random.choice(sorted(seen))
        edits[path] = re.sub(rb"access_grants: .*", b"access_grants: ['*', 'human:eve']", seen[path])
    if random.random() < 0.6:
        text = REGISTRY["groups/inner.yaml"]
        edits["groups/inner.yaml"] = text.replace("'human:bob'", f"'human:bob'}}, {{id: '{EVE}'").encode()
    if random.random() < 0.3:
        edits["groups/club.yaml"] = f"id: group:club\nmembers: [{{id: '{EVE}'}}]\n".encode()
    return edits


@pytest.mark.soak(1)
@pytest.mark.parametrize("seed", range(12))
def test_what_a_member_may_not_see_makes_no_difference_to_what_git_tells_them(
    made: Clones, tmp_path: Path, seed: int
) -> None:
    assert differences(made, tmp_path, seed) == []


@pytest.mark.parametrize("seed", [2])
def test_a_member_who_is_taken_for_the_owner_is_told_more(
    made: Clones, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(check, "_is_members", lambda _: False)
    assert "check --staged" in [name for name, *_ in differences(made, tmp_path, seed)]
