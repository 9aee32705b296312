"""Every command of memstore that writes, each in a vault in which it has something to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from sandbox import OTHER, OTHERS_PATH, OTHERS_REF, OWNER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sandbox import Done, Sandbox

    Run = Callable[..., Done]

Words = tuple[str, ...]

# An experiment's words name files of the home by this sign.
HOME = "@"


class Act(NamedTuple):
    """A command that writes.

    `before` are commands that make something for it to do, `files` files that are put into the home before those; they
    are committed where `committed` says so. `commits` is whether it takes `-c`.
    """

    words: Words
    before: tuple[Words, ...] = ()
    files: Mapping[str, str] = {}
    committed: bool = False
    commits: bool = True


def memory(kind: str, key: str, body: str, **keys: str) -> str:
    """Return a memory file that somebody wrote a year ago; `keys` are written as they are given."""
    front = {"type": kind, "id": f"m_{key}", "created_at": '"2025-06-01T12:00:00Z"', "source": "diary", **keys}
    return "\n".join(["---", *(f"{name}: {value}" for name, value in front.items() if value), "---", "", body, ""])


def _history(*evidence: str) -> str:
    lines = ['{timestamp: "2025-06-01T12:00:00Z", op: assert, old: null, new: 0.6, reason: first, by: "human:tester"}']
    return "".join(f"\n  - {line}" for line in (*lines, *evidence))


_SESSION = {"source_type": "direct_experience"}
VAULT: Mapping[str, str] = {
    "vault/tea.md": memory("note", "tea", "User likes tea", confidence="0.9", importance="high", author=OWNER),
    "vault/coffee.md": memory("note", "coffee", "User dislikes tea", confidence="0.5"),
    "vault/rain.md": memory("raw", "rain", "It rained on the tram stop."),
    "vault/limps.md": memory("belief", "limps", "Bella limps in the cold.", confidence="0.8"),
    "vault/again.md": memory("belief", "again", "In the cold Bella limps.", confidence="0.7"),
    "vault/stairs.md": memory(
        "episode", "stairs", "Bella limped on the stairs.", origin="{session_id: s1}", **_SESSION
    ),
    "vault/cold.md": memory("episode", "cold", "Bella limps in the cold.", origin="{session_id: s2}", **_SESSION),
    "vault/call.md": memory("note", "call", f"Claire called at noon. She had rung before.\n\n{'Rain. ' * 60}"),
    "vault/coast.md": memory("note", "coast", f"The coast was wet. So was Claire.\n\n{'Wind. ' * 60}"),
    "vault/theirs.md": memory("note", "theirs", "Pith saw the tram.", owner=OTHER, author=OTHER, access_grants='["*"]'),
    f"vault/{OTHERS_PATH}": memory("note", OTHERS_REF[2:], "Pith has a garden.", owner=OTHER, author=OTHER),
    "vault/shown.md": memory("note", "shown", "Trams are yellow.", access_grants='["human:claire"]'),
}  # All of them are in the first commit.
LOOSE: Mapping[str, str] = {f"vault/loose{i}.md": f"A note number {i} of nobody's.\n" for i in range(3)}
NO_IDS: Mapping[str, str] = {
    f"vault/plain{i}.md": memory("note", "x", f"Plain {i}.").replace("id: m_x\n", "") for i in range(3)
}
UNEVEN: Mapping[str, str] = {
    f"vault/uneven{i}.md": memory("note", f"uneven{i}", f"Uneven {i}.", source="blanks  ") for i in range(3)
}
THEMES = ("slow walk heat", "stale cache build", "tabs spaces parser", "kettle limescale vinegar", "violin bow rosin")
EPISODES: Mapping[str, str] = {
    f"vault/e{i}.md": memory(
        "episode", f"ep{i}", theme, source="x", source_type="seed", created_at=f'"2025-06-{i + 1:02}T12:00:00Z"'
    )
    for i, theme in enumerate(THEMES * 5)
}
SEEDS = "- Green tea wants eighty degrees. (0.65) #tea\n- Trams are late in the rain. (0.7)\n- Bella is a dog. (0.9)\n"
FOREIGN = json.dumps([
    {
        "id": f"mem_from_{word}",
        "version": 1,
        "content": {"type": "insight", "summary": f"Of {word}", "body": f"What {word} say.", "tags": [word]},
        "provenance": {"author": {"agent_id": "Babel", "platform": "x"}, "created_at": "2025-02-04T16:00:00Z"},
    }
    for word in ("kettles", "trams", "dogs")
])  # fmt: skip
# A tells of what B does not tell back, and a belief lost ground on which another rests.
ONE_SIDED: Mapping[str, str] = {
    "vault/made.md": memory("note", "made", "Rain makes trams late.", derived_from='["raw:m_rain"]'),
    "vault/heard.md": memory("raw", "heard", "The stop was wet."),
    "vault/made2.md": memory("note", "made2", "Tram stops are wet.", derived_from='["raw:m_heard"]'),
}
CAPPED: Mapping[str, str] = {
    "vault/ground.md": memory("belief", "ground", "Claire knows the coast.", confidence="0.9"),
    "vault/rests0.md": memory(
        "belief", "rests0", "Boats go early.", confidence="0.8", derived_from='["belief:m_ground"]'
    ),
    "vault/rests1.md": memory(
        "belief", "rests1", "Boats go daily.", confidence="0.8", derived_from='["belief:m_ground"]'
    ),
}
DRIFTED: Mapping[str, str] = {
    f"vault/drifted{i}.md": memory(
        "belief", f"drifted{i}", f"Drifted {i}.", confidence="0.9", confidence_history=_history()
    )
    for i in range(2)
}
_WARD = ("privacy", "entity", "add", "dog:bella", "--alias", "Bella", "--guardian", "human:claire")
_CONSENT = ("--from", "human:claire", "--for", "dog:bella", "--to", "si:vet", "--scope", "subject:dog:bella")
_ABOUT_BELLA: Mapping[str, str] = {"vault/heart.md": memory("note", "heart", "Her heart.", subject_ids='["dog:bella"]')}
_KEYS = (("trust", "keys", "add", OWNER, "@own.pub"), ("trust", "keys", "add", OTHER, "@other.pub"))
_SEALS = (*_KEYS[:1], ("config", "--user", "signing_key", "@own"), ("context", "add", "ctx:care", "--roster", OWNER))
_SEALED_FOR_CARE = (*_SEALS, ("privacy", "seal", "m_tea", "m_coffee", "--context", "ctx:care", "-c"))
_OUT: Mapping[str, str] = {"out/about.txt": "What is handed out.\n"}
_SHARED = (("share", "--to", "human:claire", "@out/shared"),)
_THEIRS = ("--vault", "@theirs", "--as", "human:claire")
_HANDED_OVER = (
    ("init", "@theirs", "--owner", "human:claire"),
    (*_THEIRS, "add", "Claire grows figs", "--access", OWNER),
    (*_THEIRS, "share", "--to", OWNER, "@out/theirs"),
)
_FORGOTTEN = (("forget", "m_rain", "-c"),)
_MERGED: Mapping[str, str] = {
    f"out/{side}.md": memory("note", "tea", "User likes tea", confidence=confidence, tags=tags)
    for side, confidence, tags in (("base", "0.9", "[a]"), ("ours", "0.8", "[a]"), ("theirs", "0.9", "[a, b]"))
}

ACTS: Mapping[str, Act] = {
    "add": Act(("add", "Bella eats at nine", "--tag", "dog")),
    "raw": Act(("raw", "Claire called, she sounded tired")),
    "set": Act(("set", "m_tea", "title=Tea", "importance=low")),
    "tag": Act(("tag", "m_tea", "+kitchen")),
    "mv": Act(("mv", "m_tea", "kitchen/drinks/tea.md")),
    "edit": Act(("edit", "m_tea")),
    "reinforce": Act(("reinforce", "m_limps", "--evidence", "m_cold", "m_stairs")),
    "contradict": Act(("contradict", "m_limps", "--evidence", "m_stairs")),
    "revise": Act(("edit", "m_limps", "Bella limps when it is cold.")),
    "supersede": Act(("supersede", "m_tea", "User likes green tea", "--reason", "asked him")),
    "promote": Act(("raw", "promote", "m_rain", "--to", "note")),
    "split": Act(
        (
            "conflicts",
            "split",
            "m_limps",
            "Stairs make her limp",
            "Cold makes her limp",
            "--first",
            "m_stairs",
            "--second",
            "m_cold",
        ),
        before=(("reinforce", "m_limps", "--evidence", "m_cold", "m_stairs"),),
    ),
    "merge": Act(
        ("conflicts", "merge", "m_limps", "m_again"), before=(("reinforce", "m_again", "--evidence", "m_cold"),)
    ),
    "archive": Act(("archive", "m_tea", "m_coffee", "m_call", "--reason", "old")),
    "restore": Act(
        ("archive", "--restore", "m_tea", "m_coffee", "m_call"), before=(("archive", "m_tea", "m_coffee", "m_call"),)
    ),
    "adopt": Act(("adopt", "--all"), files=LOOSE),
    "fmt": Act(
        ("check", "fmt"),
        files=UNEVEN,
    ),
    "check --fix": Act(("check", "--fix"), files=NO_IDS, commits=False),
    "privacy grant": Act(
        ("privacy", "grant", "m_heart", "--to", "si:vet", "--consent", "human:claire"),
        before=(_WARD,),
        files=_ABOUT_BELLA,
    ),
    "privacy revoke": Act(("privacy", "revoke", "m_shown", "--from", "human:claire")),
    "consent grant": Act(("privacy", "consent", "grant", *_CONSENT), before=(_WARD,)),
    "consent refuse": Act(("privacy", "consent", "refuse", *_CONSENT), before=(_WARD,)),
    "consent request": Act(("privacy", "consent", "request", *_CONSENT), before=(_WARD,)),
    "consent revoke": Act(
        ("privacy", "consent", "revoke", "CONSENT", "--by", "human:claire"),
        before=(_WARD, ("privacy", "consent", "grant", *_CONSENT)),
    ),
    "delegate": Act(
        ("privacy", "delegate", "--from", OWNER, "--to", "si:luna", "--scope", "ctx:care", "--expires", "1y"),
        before=(("context", "add", "ctx:care", "--roster", OWNER),),
    ),
    "entity add": Act(("privacy", "entity", "add", "dog:rex", "--alias", "Rex")),
    "entity alias": Act(("privacy", "entity", "alias", "dog:bella", "Blue"), before=(_WARD,)),
    "group add": Act(("privacy", "group", "add", "group:dogs", "dog:rex", "dog:bella")),
    "group remove": Act(
        ("privacy", "group", "remove", "group:dogs", "dog:rex"),
        before=(("privacy", "group", "add", "group:dogs", "dog:rex"),),
    ),
    "context add": Act(("context", "add", "ctx:lobby", "--open")),
    "keys add": Act(("trust", "keys", "add", OWNER, "@own.pub")),
    "keys revoke": Act(("trust", "keys", "revoke", OTHER), before=_KEYS),
    "sign": Act(("trust", "sign", "m_tea", "--key", "@own"), before=_KEYS),
    "request-witness": Act(("trust", "request-witness", "m_shown", "--from", "human:claire")),
    "witness": Act(("trust", "witness", "m_theirs", "--attest", "confirm", "--key", "@own"), before=_KEYS),
    "anchor": Act(("trust", "anchor", "m_tea")),
    "anchor --snapshot": Act(
        (
            "trust",
            "anchor",
            "m_tea",
            "--type",
            "url",
            "--reference",
            "https://example.org/p/1",
            "--snapshot",
            "@page.html",
        ),
        files={"page.html": "<p>User likes tea</p>\n"},
    ),
    "resolve-conflict": Act(("conflicts", "resolve", "m_tea", "m_coffee", "--keep", "m_tea", "--reason", "asked him")),
    "compress": Act(("beliefs", "compress", "m_call", "m_coast")),
    "recompute": Act(
        ("beliefs", "recompute"),
        files=DRIFTED,
        committed=True,
    ),
    "propagate --apply": Act(
        ("beliefs", "propagate", "--apply"),
        files=CAPPED,
        committed=True,
        before=(("set", "m_ground", "confidence=0.3"),),
    ),
    "consolidate --apply": Act(("beliefs", "consolidate", "--apply"), files=EPISODES),
    "suggestions accept": Act(
        ("beliefs", "suggestions", "accept", "SUGGESTION"),
        files=EPISODES,
        before=(("beliefs", "consolidate", "--apply"),),
    ),
    "suggestions reject": Act(
        ("beliefs", "suggestions", "reject", "SUGGESTION"),
        files=EPISODES,
        before=(("beliefs", "consolidate", "--apply"),),
    ),
    "graduate": Act(("beliefs", "graduate")),
    "import seeds": Act(("import", "seeds", "@seeds.md"), files={"seeds.md": SEEDS}),
    "import memory-v0.1": Act(("import", "memory-v0.1", "@foreign.json"), files={"foreign.json": FOREIGN}),
    "fix-provenance": Act(
        ("check", "fix-provenance"),
        files=ONE_SIDED,
    ),
    "undo": Act(("undo",), before=(("archive", "m_tea", "m_coffee", "m_call"),), commits=False),
    "undo of a new file": Act(("undo",), before=(("supersede", "m_tea", "User likes green tea"),), commits=False),
    "undo of a grant": Act(
        ("undo",), before=(("privacy", "revoke", "m_shown", "--from", "human:claire"),), commits=False
    ),
    "share": Act(("share", "--to", "human:claire", "@out/claire"), files=_OUT, commits=False),
    "share --update": Act(
        ("share", "--update", "shared"),
        before=(*_SHARED, ("privacy", "grant", "m_tea", "--to", "human:claire")),
        files=_OUT,
        commits=False,
    ),
    "load": Act(("share", "load", "@out/theirs"), before=_HANDED_OVER, files=_OUT, commits=False),
    "unload": Act(
        ("share", "unload", "theirs"),
        before=(*_HANDED_OVER, ("share", "load", "@out/theirs")),
        files=_OUT,
        commits=False,
    ),
    "seal": Act(("privacy", "seal", "m_tea", "m_coffee"), before=_SEALS),
    "seal --context": Act(("privacy", "seal", "m_tea", "m_coffee", "--context", "ctx:care"), before=_SEALS),
    "unseal": Act(("privacy", "unseal", "m_tea", "m_coffee"), before=_SEALED_FOR_CARE),
    "forget": Act(("forget", "m_rain", "m_coast")),
    "forget --shred": Act(("forget", "--shred", "ctx:care"), before=_SEALED_FOR_CARE),
    "forget --purge": Act(("forget", "m_rain", "--purge", "@out/clean"), before=_FORGOTTEN, files=_OUT, commits=False),
    "quarantine": Act(
        ("trust", "quarantine", "m_cold", "--reason", "not checked"),
        before=(("reinforce", "m_limps", "--evidence", "m_cold"),),
    ),
    "generalize": Act(("privacy", "generalize", "m_stairs", "--text", "A dog was lame.", "--access", "human:claire")),
    "merge-driver": Act(
        ("hooks", "merge-driver", "@out/base.md", "@out/ours.md", "@out/theirs.md", "tea.md"),
        files=_MERGED,
        commits=False,
    ),
    "commit": Act(("commit", "-m", "all"), before=(("archive", "m_tea", "m_coffee"), _WARD), commits=False),
}


class Prepared(NamedTuple):
    """An act whose vault is kept under `name`, and the words to call it by."""

    name: str
    words: Words


def furnish(sandbox: Sandbox, run: Run) -> None:
    """Make the vault in which all acts begin, and keep it as "base"."""
    sandbox.vault.mkdir()
    sandbox.furnish({})
    _ok(run("init", ".", "--owner", OWNER), "init")
    sandbox.furnish(VAULT)
    for name in ("own", "other"):
        _make_key(sandbox.home / name)
    _ok(run("commit", "-q", "-m", "the first"), "commit")
    sandbox.keep("base")


def prepare(sandbox: Sandbox, run: Run, act: str, *, commit: bool) -> Prepared:
    """Put the vault into the state in which an act has something to do, and keep it under the act's name."""
    chosen = ACTS[act]
    sandbox.restore("base")
    sandbox.furnish(chosen.files)
    if chosen.committed:
        _ok(run("commit", "-q"), "commit")
    for words in chosen.before:
        _ok(run(*spelt(sandbox, words)), *words)
    words = spelt(sandbox, chosen.words)
    name = f"{act} -c" if commit else act
    sandbox.keep(name)
    return Prepared(name, (*words, "-c") if commit else words)


def spelt(sandbox: Sandbox, words: Words) -> Words:
    """Return words with the home's files, and what was made by chance, in the place of what stands for them."""
    return tuple(_spelt(sandbox, word) for word in words)


def _spelt(sandbox: Sandbox, word: str) -> str:
    if word.startswith(HOME):
        return str(sandbox.home / word.removeprefix(HOME))
    if word == "CONSENT":
        return next((sandbox.vault / "consents").rglob("con_*")).stem
    if word == "SUGGESTION":
        return min((sandbox.vault / "suggestions").glob("*.md")).stem
    return word


def _make_key(place: Path) -> None:
    key = Ed25519PrivateKey.generate()
    place.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    place.chmod(0o600)
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    place.with_name(f"{place.name}.pub").write_bytes(public)


def _ok(done: Done, *words: str) -> None:
    if done.code:
        raise AssertionError(f"{' '.join(words)}: {done}")
