"""Record every JSON document that a fixed run of the program prints, in a file a run beside this one.

Time, ids and keys are the run's own, so that each document is the same on every machine; what still belongs to the
machine is taken out. A long text or list stands with its beginning and the digest of all of it. `poe documents` records
anew after a change that is meant; the diff shows what it means to others.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from memstore.core.clock import RandomIds, SystemClock
from tests import broken_vault
from tests.installed import ROOT, validated, verb_of
from tests.support import CountingIds
from tests.whole.program import InProcess
from tests.whole.test_outputs import COMMANDS, REF

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONGEST_TEXT = 160
MOST_ITEMS = 4
# What these say differs from machine to machine, or is a page of help with tests of its own.
_TAKEN_OUT = {
    "doctor": ("verdict", "text", "hint", "well"),
    "help": ("text",),
    "completion": ("script",),
    "index-status": ("path", "bytes", "written_at"),
    "index-path": ("path",),
    "index-rebuild": ("path",),
    "init": ("owner",),
    "agent": ("path", "added"),
    "editor": ("path", "added"),
}
Words = tuple[str, ...]

# Beside the commands of `test_outputs`, in a copy of the sample vault as it begins.
_SAMPLE: tuple[Words, ...] = (
    ("--jsonl", "list"), ("--jsonl", "search", "Bella"), ("--jsonl", "check"), ("--jsonl", "show", REF),
    ("list", "--at", "2026-02", "-n", "2"), ("show", REF, "--trace"), ("show", "m_enqj11r5df", "--verified"),
    ("search", "Bella", "--by", "passage"), ("search", "Bella", "--facets", "type"), ("search", "type:"),
    ("list", "--stats", "--tag", "dog"), ("trace", REF, "--reverse"), ("trace", REF, "-n", "1"),
    ("trace", "--impact", "m_x1t13naa35"),
    ("check", "orphans", "-n", "1"), ("conflicts",), ("conflicts", "--duplicates"), ("--jsonl", "conflicts"),
    ("trust", REF),
    ("trust", "m_enqj11r5df", "--profile", "beta-1"), ("trust", REF, "--literal"), ("beliefs", "recompute"),
    ("beliefs", "propagate"), ("--jsonl", "check", "orphans"), ("config", "--unset", "auto_commit"),
    ("privacy", "log", "show", "--local"),
    ("--as", "human:claire", "list"), ("--as", "human:claire", "show", REF), ("privacy", "log", "show", "--local"),
    ("beliefs", "suggestions", "list"), ("--jsonl", "privacy", "audit", "--subject", "dog:bella"),
    ("privacy", "diff", "HEAD", "HEAD"), ("context", "enter", "ctx:nowhere"), ("context", "show"), ("show", REF),
    ("context", "leave"),
    ("raw", "promote", "m_x1t13naa35", "--dry-run"), ("conflicts", "merge", "m_dg8aa2g0zt", "m_kwydexdack", "-c"),
    ("conflicts", "split", "m_vm62wnm5kq", "One", "Two", "-c"),
    ("reinforce", "m_enqj11r5df", "--evidence", REF, "--dry-run"),
    ("contradict", "m_enqj11r5df", "--evidence", REF, "-c"), ("beliefs", "propagate"),
    ("beliefs", "propagate", "--apply", "-c"),
    ("set", REF, "importance=high", "--dry-run"), ("set", REF, "importance=high", "-c"), ("log", "-n", "3"),
    ("archive", "m_e3zjy28q8r", "--dry-run"), ("check", "fmt", "--dry-run"), ("adopt", "--all", "--dry-run"),
    ("adopt", "--all", "-c"), ("undo", "--dry-run"), ("beliefs", "consolidate", "--apply", "-c"),
    ("beliefs", "compress", "-c"),
    ("beliefs", "graduate", "-c"), ("beliefs", "suggestions", "list"), ("check", "fix-provenance"),
    ("check", "--strict"), ("diff", REF, "HEAD~1"),
    ("privacy", "entity", "add", "dog:rex", "-c"), ("privacy", "entity", "list"), ("beliefs", "recompute", "--check"),
    ("--jsonl", "list", "-t", "raw"),
    ("privacy", "grant", REF, "--to", "human:claire"), ("show", "Bella"), ("list", "--type", "diary"), ("nothing",),
    ("review",), ("review", "--against", "HEAD~6"), ("review", "nowhere"),
    ("search", "Bella", "-n", "1", "--explain", REF),
)  # fmt: skip
_CONFLICTING: tuple[Words, ...] = (
    ("add", "The kettle in the kitchen is blue.", "--tag", "kettle"),
    ("add", "The kettle in the kitchen is not blue.", "--tag", "kettle"),
    ("conflicts",), ("--jsonl", "conflicts"), ("search", "kettle"), ("show", "m_0000000002"),
    ("add", "The kettle in the kitchen is blue!", "--tag", "kettle"), ("conflicts", "--duplicates"),
    ("--jsonl", "conflicts", "--duplicates"), ("conflicts", "--candidates"),
    ("--jsonl", "conflicts", "m_0000000002", "--candidates", "-k", "1"),
    ("conflicts", "judge", "m_0000000002", "m_0000000001", "contradicts", "--reason", "one kettle", "--dry-run"),
    ("conflicts", "judge", "m_0000000002", "m_0000000001", "contradicts", "--reason", "one kettle", "-c"),
    ("conflicts",), ("show", "m_0000000002"), ("why", "m_0000000002"), ("trace", "m_0000000001"),
    ("conflicts", "withdraw", "human:tester"),
    ("conflicts", "resolve", "m_0000000001", "m_0000000002", "--keep", "m_0000000002", "--dry-run"),
    ("conflicts", "resolve", "m_0000000001", "m_0000000002", "--keep", "both", "--reason", "two kettles", "-c"),
    ("conflicts",), ("search", "--jsonl", "--queries", "@queries"), ("check", "fix-provenance", "--dry-run"),
    ("import", "seeds", "@seeds.md", "--dry-run"), ("import", "seeds", "@seeds.md", "-c"),
)  # fmt: skip
_BROKEN: tuple[Words, ...] = (
    ("check",), ("--jsonl", "check"), ("status",), ("list",), ("check", "orphans"), ("check", "fmt", "--check"),
    ("list", "--stats"),
    ("adopt",), ("adopt", "--all"), ("add", "A kettle", "--source", "si:nobody"), ("commit",), ("check", "--fix"),
    ("check", "--against", "HEAD"), ("set", "sound.md", "colour=blue"), ("show", "tabs.md"), ("diff",),
    ("review",),
)  # fmt: skip
_VOUCHED: tuple[Words, ...] = (
    ("add", "Synthesis is the hard problem, not storage."), ("commit",), ("trust", "keys", "list"),
    ("trust", "keys", "pin", "--remove"),
    ("trust", "keys", "add", "human:tester", "@sean.pub", "--keeper", "-c"),
    ("trust", "keys", "add", "si:pith", "@pith.pub", "-c"),
    ("trust", "keys", "add", "si:pith", "@pith.pub"), ("trust", "keys", "list"),
    ("trust", "keys", "pin", "--dry-run"), ("trust", "keys", "pin"),
    ("--jsonl", "trust", "keys", "list"), ("trust", "sign", "m_0000000001", "--key", "@pith", "--dry-run"),
    ("trust", "sign", "m_0000000001", "--key", "@sean", "-c"), ("trust", "sign", "m_0000000001", "--key", "@sean"),
    ("trust", "anchor", "m_0000000001"), ("trust", "anchor", "m_0000000001"),
    ("trust", "anchor", "m_0000000001", "--type", "url", "--reference", "https://example.org/p", "--snapshot",
    "@queries"),
    ("privacy", "grant", "m_0000000001", "--to", "si:pith", "human:claire", "-c"),
    ("trust", "request-witness", "m_0000000001", "--from", "si:pith"), ("trust", "witness", "--request", "@request"),
    ("--as", "si:pith", "trust", "witness", "--request", "@request", "--attest", "confirm", "--key", "@pith"),
    ("--as", "si:pith", "trust", "witness", "m_0000000001", "--attest", "dispute", "--notes", "Storage is hard",
     "--key", "@pith"),
    ("trust", "m_0000000001"), ("trust", "m_0000000001", "--profile", "beta-1"), ("show", "m_0000000001", "--verified"),
    ("trust", "resolve", "m_0000000001", "--outcome", "upheld", "--key", "@sean"),
    ("trust", "m_0000000001"), ("--jsonl", "privacy", "log", "show"),
    ("trust", "attest", "digest", "m_0000000001"), ("trust", "attest", "export", "m_0000000001"),
    ("trust", "attest", "export", "m_0000000001", "--format", "sshsig"), ("set", "m_0000000001", "title=Otherwise"),
    ("trust", "m_0000000001"), ("show", "m_0000000001", "--verified"), ("check",),
    ("export", "memory-v0.1", "m_0000000001"),
    ("trust", "keys", "rotate", "si:pith", "@new.pub", "--old", "@pith", "--print"),
    ("trust", "keys", "rotate", "si:pith", "@new.pub", "--old", "@pith", "--dry-run"),
    ("trust", "keys", "rotate", "si:pith", "@new.pub", "--old", "@pith"), ("trust", "keys", "list"),
    ("trust", "keys", "revoke", "si:pith", "--dry-run"), ("trust", "keys", "revoke", "si:pith", "-c"),
    ("trust", "keys", "list"),
    ("trust", "m_0000000001"), ("privacy", "log", "verify"),
)  # fmt: skip


RUNS: dict[str, Sequence[Words]] = {
    "outputs": [tuple(words) for words in COMMANDS],
    "sample": _SAMPLE,
    "conflicting": _CONFLICTING,
    "broken": _BROKEN,
    "vouched": _VOUCHED,
}


def recording(run: str) -> Iterator[str]:
    """Yield a line of JSON for each command of a run: its words, and the documents that it printed."""
    ids = CountingIds()
    with tempfile.TemporaryDirectory() as home:
        program = _vault(run, Path(home).resolve(), ids)
        for minute, words in enumerate(RUNS[run]):
            documents = _answer(program, words, ids, at=NOON + timedelta(minutes=minute))
            line = json.dumps({"words": words, "documents": documents}, ensure_ascii=False)
            yield line.replace(str(ROOT), "%root%")


def recorded(run: str) -> Path:
    """Return the file that holds a run's recording."""
    return Path(__file__).parent / f"{run}.jsonl"


def _vault(name: str, home: Path, ids: CountingIds) -> InProcess:
    """Return the program with the vault of a run, and beside it the files that commands name with an `@`."""
    program = InProcess(home)
    (home / "request").symlink_to("vault/requests/req_0000000003.md")
    (home / "queries").write_text("kettle\ntype:\n")
    (home / "seeds.md").write_text("- Tea is best hot. (0.65) #tea\n- Kettles sing.\n")
    for number, key in enumerate(("sean", "pith", "new")):
        _write_key(home / key, number)
    if name in ("outputs", "sample"):
        shutil.copytree(ROOT / "sample-vault", program.vault)
    else:
        program.vault.mkdir()
    if name == "broken":
        for path, data in broken_vault.files().items():
            (program.vault / path).write_bytes(data)
            os.utime(program.vault / path, (NOON.timestamp(), NOON.timestamp()))
    if name != "outputs":
        with _fixed(NOON - timedelta(days=1), ids) as environment:
            program.ok(
                "init", ".", *(() if name == "sample" else ("--owner", "human:tester", "--notes", "own")), **environment
            )
            if name == "sample":
                program.ok("commit", **environment)
    return program


def _write_key(path: Path, number: int) -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    path.with_suffix(".pub").write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))


def _answer(program: InProcess, words: Words, ids: CountingIds, *, at: datetime) -> Any:
    """Return what a command answers, held against its schema; `@name` stands for a file of the run."""
    given = [str(program.home / word[1:]) if word.startswith("@") else word for word in words]
    as_lines = "--jsonl" in words
    with _fixed(at, ids) as environment:
        done = program.run(*([] if as_lines else ["--json"]), *given, MEMSTORE_EDITOR="true", **environment)
    documents = [json.loads(line) if as_lines else validated(line) for line in done.stdout.splitlines()]
    return _compact([_without_machine(document, program.home) for document in documents])


@contextmanager
def _fixed(at: datetime, ids: CountingIds) -> Iterator[dict[str, Any]]:
    """Hold the time still, for git too, and let ids count; yield what git is told of it."""
    committed = f"{at:%Y-%m-%dT%H:%M:%SZ}"
    with (
        patch.object(SystemClock, "now", lambda _self: at),
        patch.object(RandomIds, "memory_id", lambda _self: ids.memory_id()),
    ):
        yield {"GIT_AUTHOR_DATE": committed, "GIT_COMMITTER_DATE": committed}


def _without_machine(document: dict[str, Any], home: Path) -> Any:
    """Return a document without what belongs to the machine."""
    text = json.dumps(document, ensure_ascii=False).replace(str(home), "%home%").replace(str(ROOT), "%root%")
    taken_out = _TAKEN_OUT.get(verb_of(document), ())
    return json.loads(
        text, object_pairs_hook=lambda pairs: {key: "…" if key in taken_out else value for key, value in pairs}
    )


def _compact(value: Any) -> Any:
    """Return a value in which a long text or list stands with its beginning and its digest."""
    match value:
        case dict():
            return {key: _compact(item) for key, item in value.items()}
        case list() if len(value) > MOST_ITEMS:
            rest = f"… {len(value)} items {_digest(json.dumps(value))}"
            return [*map(_compact, value[: MOST_ITEMS - 1]), rest]
        case list():
            return [_compact(item) for item in value]
        case str() if len(value) > LONGEST_TEXT:
            return f"{value[: LONGEST_TEXT // 2]}… {len(value)} characters {_digest(value)}"
        case _:
            return value


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


if __name__ == "__main__":
    for name in RUNS:
        recorded(name).write_text("".join(f"{line}\n" for line in recording(name)), encoding="utf-8")
