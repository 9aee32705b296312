"""Vaults of many people's memories, and what one of them is told: with the memories hidden from them, and without."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from memstore.cli.ref_completion import complete_refs
from memstore.cli.session import CliSession
from memstore.conflicts.verdicts import digest
from memstore.core.places import kind_of
from memstore.files.local_state import Environment
from memstore.vault.composition import open_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.whole.program import InProcess

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OWNER = "si:ash"
VIEWERS = ("human:bob", "human:dave", "si:max", "anon:unknown", "dog:bella", OWNER)
CONTEXTS = (None, None, "ctx:park", "ctx:lobby", "ctx:unknown")
PAGES = ("https://tea.example", "https://tea.example/a", "https://tee.example")
GRANTS = ("*", "*", "*", "human:bob", "group:club", "ctx:park", "role:friend", "org:zoo")
WORDS = tuple(
    "tea teapot teacup heart hearts murmur bella lake lakes river boat boats walk walking vet".split()  # noqa: SIM905
)
TYPES = ("note", "belief", "episode", "raw")
REGISTRY = {
    "entities/dog/bella.md": "---\ntype: entity\nid: dog:bella\nguardians: ['human:bob']\n---\n",
    "entities/si/max.md": "---\ntype: entity\nid: si:max\nroles: ['role:friend']\n---\n",
    "groups/club.yaml": "id: group:club\nmembers: [{id: 'human:dave', until: '2026-04-01'}, {id: 'group:inner'}]\n",
    "groups/inner.yaml": "id: group:inner\nmembers: [{id: 'human:bob', from: '2026-01-01'}]\n",
    "contexts/park.yaml": "id: ctx:park\nroster: ['human:bob', 'si:max', 'si:ash']\n",
    "contexts/lobby.yaml": "id: ctx:lobby\nopen: true\n",
}


@dataclass(frozen=True)
class Told:
    """What one command says, how it ends, and what it wrote: bytes by path, None where a file is gone.

    Ids of commits are left out, since what else was committed changes them.
    """

    words: tuple[str, ...]
    code: int
    out: str
    err: str
    wrote: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(frozen=True)
class Case:
    """A vault and who looks at it: the files as they were first indexed, and as they are now."""

    before: dict[str, bytes]
    files: dict[str, bytes]
    viewer: str
    context: str | None
    alone: bool = False

    @property
    def who(self) -> tuple[str, ...]:
        listening = ("--context", self.context) if self.context else ("--self",) if self.alone else ()
        return ("--as", self.viewer, *listening)


def drawn(random: Random) -> Case:
    """Return a vault of memories that were edited and deleted, and somebody who looks at it."""
    count = random.randint(6, 16)
    ids = [f"m_{random.choice(('aaa', 'aab', 'abc'))}{number:07d}" for number in range(count)]
    files = {f"{'ab'[number % 2]}/{memory_id}.md": _memory(random, ids, number) for number, memory_id in enumerate(ids)}
    if random.random() < 0.5:
        files["a/copy.md"] = _memory(random, ids, 0)
    files["broken.md"] = b"---\ntype: note\nid: m_aaabroken1\nid: m_aaabroken1\naccess_grants: ['*']\n---\ntea broken\n"
    files["plain.md"] = b"tea plain\n"
    registry = {path: text.encode() for path, text in REGISTRY.items() if random.random() < 0.9}
    registry |= {
        f"consents/2026/con_{number}.md": _consent(random, ids, number) for number in range(random.randint(0, 3))
    }
    edited = {
        path: _memory(random, ids, number)
        for number, path in enumerate(sorted(files))
        if number % 4 == 0 and path != "plain.md"
    }
    gone = {f"a/gone{number}.md": _memory(random, ["m_abcgone000", "m_aaagone001"], number) for number in range(2)}
    verdicts = dict(_verdicts(files, ids))
    return Case(files | edited | gone, files | registry | verdicts, *_who(random))


def _verdicts(files: dict[str, bytes], ids: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield verdicts on pairs of the memories; drawn apart, so that all else is drawn as before."""
    random = Random(repr(sorted(files)))  # noqa: S311 - chance, not secrecy
    places = {name: data for name in ids for path, data in files.items() if path.endswith(f"/{name}.md")}
    for number in range(6):
        verdict_id, pair = f"ver_{number:04}", sorted(random.sample(sorted(places), 2))
        judged = []
        for name in pair:
            lines = places[name].decode().split("\n")
            line = lines.index("---", 1) + 1
            line += next(at for at, text in enumerate(lines[line:]) if text)
            kind = next(text.partition(" ")[2] for text in lines if text.startswith("type:"))
            mark = digest(verdict_id, lines[line])
            judged.append(f'{{ref: "{kind}:{name}", lines: "{line + 1}", digest: "{mark}"}}')
        said = random.choice(("contradicts", "supersedes", "unrelated"))
        by = random.choice(VIEWERS)
        text = (
            f"---\ntype: verdict\nid: {verdict_id}\nverdict: {said}\njudged: [{', '.join(judged)}]\n"
            f'judged_by: "{by}"\njudged_at: "2026-02-01T00:00:00Z"\nreason: tea lake\n---\n'
        )
        yield f".memstore/verdicts/2026/{'+'.join((*pair, verdict_id))}.md", text.encode()


def _who(random: Random) -> tuple[str, str | None]:
    """Return who looks, and in which context: anybody but the owner alone."""
    viewer, context = random.choice(VIEWERS), random.choice(CONTEXTS)
    return viewer, "ctx:park" if viewer == OWNER and context is None else context


def _memory(random: Random, ids: list[str], number: int) -> bytes:
    def some(values: tuple[str, ...], most: int) -> list[str]:
        return random.sample(values, random.randint(0, min(most, len(values))))

    refs = tuple(f"{random.choice(TYPES)}:{memory_id}" for memory_id in ids)
    keys: dict[str, object] = {
        "owner": random.choice((None, None, None, "human:bob")),
        "status": random.choice((None, None, None, None, "archived", "forgotten")),
        "subject_ids": random.choice(([], [], ["dog:bella"], ["human:dave"], ["topic:tea"])),
        "source_entity": random.choice((None, None, "human:dave", "vet:smith")),
        "context": random.choice((None, None, "ctx:park")),
        "access_grants": random.choice((["*"], ["*"], some(GRANTS, 2))),
        "access_denies": random.choice(([], [], [], ["human:dave"], ["group:inner"], ["group:gone"])),
        "consent_grants": random.choice(([], ["human:bob"], ["human:dave"])),
        "upstream_grants": random.choice(([], [], [["*"]], [["human:bob"], ["*"]])),
        "derived_from": some(refs, 2) if random.random() < 0.4 else [],
        "relates_to": some(refs, 2),
        "supersedes": some(refs, 1) if random.random() < 0.2 else [],
        "tags": some(("green", "hot", "calm"), 2),
        "aliases": random.choice(([], [], ["boat house"])),
        "confidence": random.choice((None, 0.4, 0.9)),
    }
    if keys["derived_from"] and random.random() < 0.3:
        keys |= {"generalized": True, "generalization": {"verdict": random.choice(("safe", "warn"))}}
    keys |= _from_outside(Random(repr((number, keys))), refs)  # noqa: S311 - chance, not secrecy
    said = {key: _flow(value) for key, value in keys.items() if value not in (None, [])}
    words = random.choices(WORDS, k=random.randint(3, 30))
    body = " ".join(words) + ".\n\n" + " ".join(random.choices(WORDS, k=6)) + f" [[{random.choice(refs)}]]\n"
    return memory_text(body, id=ids[number % len(ids)], type=random.choice(TYPES), **said)


def _from_outside(random: Random, refs: tuple[str, ...]) -> dict[str, object]:
    """Return how a memory is known, and whether it is quarantined; drawn apart, so that all else is drawn as before."""
    keys: dict[str, object] = {
        "source_type": random.choice((None, None, "external", "external", "observation")),
        "source": random.choice((None, None, *PAGES)),
    }
    if random.random() < 0.15:
        of = random.choice((*refs, *PAGES))
        keys |= {"status": "quarantined", "quarantine": {"of": of, "at": "2026-01-01T00:00:00Z", "reason": f"as {of}"}}
    return keys


def _consent(random: Random, ids: list[str], number: int) -> bytes:
    if random.random() < 0.1:
        return b"broken"
    scope = random.choice((f"mem:{random.choice(ids)}", "subject:dog:bella", "source:human:dave", "ctx:park"))
    values = {
        "type": "consent",
        "id": f"con_{number}",
        "effect": random.choice(("permit", "permit", "deny")),
        "grantor": random.choice(("human:bob", "human:dave")),
        "grantee": random.choice(("human:dave", "human:bob", "group:club", "*")),
        "scope": scope,
        "granted_at": "2026-01-01T00:00:00Z",
    }
    lines = "".join(f'{key}: "{value}"\n' for key, value in values.items())
    return f"---\n{lines}---\n".encode()


def _flow(value: object) -> str:
    match value:
        case list():
            return f"[{', '.join(map(_flow, value))}]"
        case dict():
            return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case _:
            return str(value)


def every_command(ids: list[str], paths: list[str]) -> list[tuple[str, ...]]:
    """Return commands that look at a vault in every way, at these memories above all, hidden ones among them."""
    named = [
        words
        for memory_id, path in zip(ids, paths, strict=False)
        for words in (
            ("show", memory_id, "--json"),
            ("show", f"note:{memory_id}", "--trace"),
            ("trace", memory_id, "--json"),
            ("trace", memory_id, "--reverse"),
            ("trace", "--impact", memory_id),
            ("show", "--path", path),
            ("links", memory_id, "--json"),
            ("links", path),
            ("show", path.rpartition("/")[2].removesuffix(".md")),
            ("trace", path.removesuffix(".md")),
            ("show", "--cite", f"{memory_id}:L1-L2"),
            ("set", memory_id, "scope=project:x", "--dry-run"),
            ("mv", path, "b/moved.md", "--dry-run"),
            ("add", "tea", "--derived-from", memory_id, "--dry-run"),
            ("add", "tea", "--title", memory_id, "--id", memory_id, "--dry-run"),
            ("reinforce", memory_id, "--evidence", ids[0], "--dry-run"),
            ("log", memory_id),
            ("why", memory_id),
            ("why", ids[0], "--without", memory_id, "--json"),
            ("why", ids[0], "--if", f"{memory_id}=0.4"),
            ("why", ids[-1], "--if", f"+{path}:L1-L5", "--if", f"-{memory_id} 0.8", "--json"),
            ("trust", memory_id),
            ("show", memory_id, "--full", "--json"),
            ("conflicts", memory_id),
            ("conflicts", "--candidates", memory_id, "--json"),
            ("conflicts", "judge", memory_id, ids[0], "same", "--dry-run"),
            ("conflicts", "judge", ids[0], memory_id, f"{memory_id}:9", "unrelated", "--dry-run"),
            ("show", "--cite", f"{path}:L1"),
            ("beliefs", "revise-from", memory_id),
            ("privacy", "explain", memory_id),
            ("privacy", "plan", memory_id, "--to", "human:eve"),
            ("privacy", "grant", memory_id, "--to", "human:eve", "--dry-run"),
            ("archive", memory_id, "--dry-run"),
            ("trust", "quarantine", memory_id, "--dry-run"),
            ("trust", "quarantine", memory_id, "--lift", "--json"),
            ("contradict", ids[-1], "--evidence", memory_id, "--dry-run"),
            ("log", path),
            ("blame", memory_id),
            ("search", "--bisect", "--ref", memory_id),
            ("show", memory_id, "--verified"),
            ("show", memory_id[:-2]),
            ("show", f"{memory_id[:-1]}x"),
            ("show", "--cite", memory_id),
            ("show", "--cite", f"[[note:{memory_id}#L1@abcdef1234]]"),
            ("show", memory_id, "--whole"),
            ("trace", memory_id, "--format", "dot", "--depth", "1"),
            ("trace", memory_id, "--format", "svg", "--reverse"),
            ("trace", "--impact", memory_id, "--json", "-n", "1"),
            ("why", memory_id, "--json"),
            ("trust", memory_id, "--profile", "beta-1", "--json"),
            *(("export", kind, memory_id) for kind in ("jsonl", "markdown", "memory-v0.1", "okf", "prov")),
            ("trust", "attest", "payload", memory_id),
            ("trust", "attest", "digest", memory_id),
            ("privacy", "audit", "--id", memory_id),
            ("privacy", "revoke", memory_id, "--from", "human:bob"),
            ("privacy", "grant", memory_id, "--to", "*", "--json"),
            ("privacy", "log", "show", memory_id),
            ("beliefs", "suggestions", "accept", memory_id),
            ("conflicts", "resolve", ids[-1], memory_id, "--keep", "both"),
            ("conflicts", "merge", ids[-1], memory_id),
            ("conflicts", "split", memory_id, "tea one", "tea two"),
            ("supersede", memory_id, "tea new"),
            ("edit", memory_id, "tea new"),
            ("raw", "promote", memory_id, "--to", "note"),
            ("archive", "--restore", memory_id),
            ("contradict", ids[-1], "--evidence", memory_id),
            ("add", f"see [[note:{memory_id}]]", "--relates-to", memory_id, "--json"),
            ("add", f"---\ntype: note\nid: {memory_id}\n---\ntea\n"),
            ("add", "tea", "--cite", f"{path}:L1-L99"),
            ("add", "tea", "--cite", f"{path}:L1"),
            ("add", "-F", path, "--dry-run"),
            ("import", "seeds", path, "--dry-run"),
            ("import", "memory-v0.1", path, "--dry-run"),
            ("add", "-F", f"{path}/x", "--dry-run"),
            ("raw", "-F", path),
            ("edit", ids[-1], "-F", path),
            ("supersede", ids[-1], "-F", path),
            ("search", "--queries", path),
            ("search", "--queries", f"a/../{path}/../{paths[-1].rpartition('/')[2]}"),
            ("trust", "witness", "--request", path),
            ("trust", "witness", ids[-1], "--answer", path),
            ("trust", "witness", ids[-1], "--attest", "confirm", "--key", path),
            ("trust", "resolve", ids[-1], "--outcome", "upheld", "--key", path),
            ("trust", "sign", ids[-1], "--key", path),
            ("trust", "anchor", ids[-1], "--type", "url", "--reference", "https://e.org", "--snapshot", path),
            ("trust", "anchor", ids[-1], "--type", "opentimestamps", "--snapshot", SEEDS, "--proof", path),
            ("trust", "keys", "add", "human:bob", path),
            ("trust", "keys", "rotate", "human:bob", path, "--old", SEEDS, "--print"),
            ("trust", "keys", "rotate", "human:bob", SEEDS, "--signed", path),
            ("check", path),
            ("privacy", "audit", "--subject", "dog:bella", "--stack", path),
            ("init", path),
            ("list", "--vault", path),
            ("show", "--path", ids[-1], "--vault", f"{path}/../.."),
            ("mv", ids[-1], f"{path}/"),
            ("raw", "tea", "--derived-from", memory_id),
            ("set", ids[-1], f"relates_to=note:{memory_id}"),
            ("tag", memory_id, "+x"),
            ("mv", ids[-1], path),
            ("adopt", path),
            ("check", "fmt", memory_id),
            ("beliefs", "propagate", memory_id),
            ("beliefs", "recompute", memory_id, "--check"),
            ("beliefs", "recompute", "--from-episodes"),
            ("trust", "request-witness", memory_id, "--from", "human:bob"),
            ("trust", "witness", "req_0000000001"),
            ("trust", "anchor", memory_id),
            ("commit", memory_id),
            ("edit", path),
            ("list", "--where", f"relates_to=note:{memory_id}", "--json"),
            ("search", "tea", "--where", f"derived_from~{memory_id}", "--facets", "relates_to"),
            ("search", memory_id),
            ("list", "--stats", "--where", f"supersedes~{memory_id}", "--json"),
            ("recall", f"tea {memory_id}"),
            (
                "privacy",
                "consent",
                "request",
                "--from",
                "human:bob",
                "--to",
                "human:eve",
                "--scope",
                f"mem:{memory_id}",
            ),
        )
    ]
    return [*LOOKING, *WRITING, *named]


# Where a list of seed beliefs lies, beside the vault.
SEEDS = "../seeds.md"
PROMPT = '{"prompt": "tea lake"}'
_COMMIT = re.compile(r"\b[0-9a-f]{40}\b|^[0-9a-f]{10}(?= )", re.MULTILINE)
LOOKING: list[tuple[str, ...]] = [
    ("list",),
    ("list", "--json", "--status", "all", "--sort", "title", "-n", "3"),
    ("list", "--where", "relates_to~m_"),
    ("search", "tea", "--json"),
    ("search", "hea* +lake -boat", "--json", "-n", "2"),
    ("search", '"lake river" vet', "--by", "passage", "--json"),
    ("search", "haert", "--json"),
    ("search", "teapto", "--facets", "tags"),
    ("search", "tea*", "--facets", "subject_ids", "--json"),
    ("search", "boat house walking", "--sort", "quality", "--status", "all", "--json"),
    ("search", "gone"),
    ("status",),
    ("status", "--json"),
    *((verb, name) for verb in ("log", "diff", "blame") for name in ("plain.md", "plain")),
    ("list", "--stats", "--json"),
    ("doctor",),
    ("check", "orphans"),
    ("check", "orphans", "--json"),
    ("show", "m_aa"),
    ("show", "m_abc"),
    ("show", "m_aaabroken1"),
    ("show", "plain.md"),
    ("show", "m_aaa0000099"),
    ("show", "--path", "broken.md"),
    ("check",),
    ("check", "broken.md"),
    ("log",),
    ("diff",),
    ("review",),
    ("search", "--bisect", "tea"),
    ("index", "watch", "--citations"),
    ("review", "main", "--json"),
    ("undo", "--dry-run"),
    ("index", "status"),
    ("list", "--at", "now"),
    ("search", "tea", "--at", "1d"),
    ("check", "fmt", "--check"),
    ("check", "fix-provenance", "--dry-run"),
    ("beliefs", "recompute", "--check"),
    ("beliefs", "consolidate", "--dry-run"),
    ("beliefs", "suggestions", "list"),
    ("beliefs", "propagate", "--dry-run"),
    *(
        ("trust", "quarantine", name, "--dry-run")
        for name in (*PAGES, "human:dave", "vet:smith", "human:dav", "imports/okf")
    ),
    ("trust", "quarantine", "human:bob", "--json"),
    ("trust", "quarantine", "https://tea.example", "--lift"),
    ("list", "--status", "quarantined"),
    ("search", "tea lake", "--source-type", "external", "--status", "all", "--json"),
    ("add", "tea", "--derived-from", "m_aaa0000000", "--dry-run"),
    ("privacy", "entity", "list"),
    ("privacy", "group", "list"),
    ("privacy", "consent", "list"),
    ("context", "list"),
    ("context", "suggest", "tea lake river"),
    ("privacy", "audit", "--subject", "dog:bella"),
    ("conflicts",),
    ("conflicts", "--json"),
    ("conflicts", "--duplicates"),
    ("conflicts", "--duplicates", "--json"),
    ("conflicts", "--candidates"),
    ("conflicts", "--candidates", "--status", "all", "-k", "9", "--json"),
    ("conflicts", "withdraw", OWNER, "--dry-run"),
    ("conflicts", "withdraw", "ver_0001", "--dry-run"),
    ("export", "html"),
    ("recall", "tea lake boat"),
    ("recall", "tea lake boat", "--scope", "project:x"),
    ("recall", "walking hearts", "--scope", "global", "--json"),
    ("beliefs", "calibrate", "--json"),
    ("beliefs", "recompute", "--check"),
    ("import", "seeds", SEEDS, "--dry-run"),
]
WRITING: list[tuple[str, ...]] = [
    ("add", "Bella likes tea."),
    ("add", "tea boat lake river heart murmur", "--json"),
    ("add", "vet said tea", "-t", "belief", "--confidence", "0.9"),
    ("add", "tea lake", "--subject", "dog:bella", "--access", "*", "-c"),
    ("raw", "tea hearts murmur bella"),
    ("adopt", "--all"),
    ("check", "fmt"),
    ("commit",),
    ("commit", "--json"),
    ("commit", "plain.md"),
    ("undo",),
    ("doctor", "--fix"),
    ("index", "rebuild"),
    ("index", "watch", "--once"),
    ("beliefs", "consolidate", "--apply"),
    ("beliefs", "graduate", "--json"),
    ("beliefs", "propagate", "--apply"),
    ("beliefs", "recompute"),
    ("beliefs", "recompute"),
    ("check", "fix-provenance"),
    *(("export", kind, "--all") for kind in ("jsonl", "markdown", "memory-v0.1", "okf", "prov")),
    ("import", "seeds", SEEDS),
    ("privacy", "report"),
    ("privacy", "diff"),
    ("privacy", "log", "verify"),
    ("privacy", "log", "show", "--local"),
    ("trust", "keys", "list"),
    ("hooks", "status"),
    ("search", "tea", "--facets", "access_grants", "--status", "all"),
    ("recall", "boat house", "--profile", "seed-002", "--json"),
    ("recall", "--hook"),
    ("search", "tea", "--profile", "seed-003", "--sort", "quality", "--json"),
    ("list", "--level", "attested"),
    ("conflicts", "--duplicates", "--status", "all"),
    ("conflicts", "--status", "all", "--json"),
    ("context", "enter", "ctx:park"),
    ("context", "show", "--json"),
]


class Vaults:
    """One folder that holds a case's files, or those of them that its viewer may see.

    Args:
        program: memstore, in this process.
    """

    def __init__(self, program: InProcess) -> None:
        self.program = program
        (program.home / "seeds.md").write_text("- Truth is rarely binary.\n- tea\n")

    def put(self, case: Case) -> None:
        """Lay out all files, indexed as they were before and edited since."""
        self._lay_out(case.before)
        self.program.run("list")  # the index of what was
        self._lay_out(case.files, keep=True)

    def put_what_is_seen(self, case: Case, hidden: set[str]) -> None:
        """Lay out what the viewer may see, as if there had never been anything else."""
        self._lay_out({path: data for path, data in case.files.items() if path not in hidden})

    def hidden(self, case: Case) -> set[str]:
        """Return the paths of files that the viewer may not see, of the vault that was laid out."""
        env = Environment(self.program.environment, self.program.vault, self.program.home, "tester")
        view = open_workspace(env, entity=case.viewer, context=case.context, alone=case.alone).view()
        paths = view.column("path")
        seen = {paths[row] for row in view.rows}
        return {path for path in case.files if path.endswith(".md") and kind_of(path) is None} - seen

    def told(self, case: Case, words: list[tuple[str, ...]], *, stdin: str = PROMPT) -> list[Told]:
        """Return what the viewer is told; what a command writes is taken back before the next."""
        told = []
        before = self.files()
        for command in words:
            done = self.program.run(*case.who, *command, MEMSTORE_NO_USAGE="1", EDITOR="true", stdin=stdin)
            after = self.files()
            wrote = tuple(
                (path, after.get(path)) for path in sorted({*before, *after}) if before.get(path) != after.get(path)
            )
            out = _COMMIT.sub("COMMIT", done.stdout)
            told.append(Told(command, done.returncode, out, done.stderr, wrote))
            self._take_back(before, wrote)
        return [*told, Told(("completion",), 0, self._completed(case), "")]

    def _take_back(self, before: dict[str, bytes], wrote: tuple[tuple[str, bytes | None], ...]) -> None:
        root = self.program.vault
        for path, data in wrote:
            if data is not None:
                (root / path).unlink()
        for path, _ in wrote:
            if path in before:
                _write(root / path, before[path])
        shutil.rmtree(root / ".git" / "memstore", ignore_errors=True)
        for place in (*(root / ".git" / "refs").rglob("*"), root / ".git" / "index"):
            if place.is_file():
                place.unlink()

    def _completed(self, case: Case) -> str:
        session = CliSession()
        session.choices.vault = str(self.program.vault)
        session.choices.entity, session.choices.context = case.viewer, case.context
        with patch.dict(os.environ, self.program.environment, clear=True):
            offered = [*complete_refs(session, ""), *complete_refs(session, "", by_name=True)]
        return "\n".join(f"{one.value} {one.help}" for one in offered)

    def files(self) -> dict[str, bytes]:
        """Return all files of the vault as they are."""
        root = self.program.vault
        return {
            str(place.relative_to(root)): place.read_bytes()
            for place in sorted(root.rglob("*"))
            if place.is_file() and ".git" not in place.relative_to(root).parts
        }

    def _lay_out(self, files: dict[str, bytes], *, keep: bool = False) -> None:
        root = self.program.vault
        if not keep:
            shutil.rmtree(self.program.home / "cache", ignore_errors=True)
            shutil.rmtree(root / ".git" / "memstore", ignore_errors=True)
        for place in root.iterdir():
            if place.name not in (".git", ".memstore", ".gitattributes"):
                shutil.rmtree(place) if place.is_dir() else place.unlink()
        for path, data in files.items():
            _write(root / path, data)


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def ids_and_paths(case: Case, hidden: set[str]) -> tuple[list[str], list[str]]:
    """Return two hidden memories and a visible one to be named, by id and by path."""
    memories = [path for path in case.files if path[:2] in ("a/", "b/") and "copy" not in path]
    named = [path for path in memories if path in hidden][:2] + [path for path in memories if path not in hidden][:1]
    return [path.rpartition("/")[2].removesuffix(".md") for path in named], named
