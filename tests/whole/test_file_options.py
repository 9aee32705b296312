"""Every option and argument that takes a file or a folder: what lies in a vault and may not be seen is not there."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from memstore.cli.group import PROGRAM
from memstore.cli.options import RefType
from memstore.exchange.formats import IMPORTERS
from memstore.files.local_state import Environment, cache_folder, state_folder
from memstore.vault.composition import open_workspace
from memstore.vault.view import VaultView
from tests.support import memory_text
from tests.whole.hidden import NOW
from tests.whole.program import Program
from tests.whole.test_non_interference import FILTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


OWNER, BOB = "si:ash", "human:bob"
AS_BOB, OVERHEARD, ALONE = ("--as", BOB), ("--as", OWNER, "--context", "ctx:park"), ("--as", OWNER)
CANARY = "quetzalcoatl"

# -- a command line for every option that takes a file: FILE stands for it, MINE for a memory of one's own ---------

# What a file that somebody names is read by, whatever it is; each key is a command and its option.
READING: dict[str, str] = {
    "add --file": "add -F FILE",
    "add --cite": "add tea --cite FILE:L1",
    "raw add --file": "raw -F FILE",
    "raw --hook": "raw --hook",
    "supersede --file": "supersede MINE -F FILE",
    "edit --file": "edit MINE -F FILE",
    "import memory-v0.1 file": "import memory-v0.1 FILE",
    "import seeds file": "import seeds FILE",
    "search --queries": "search --queries FILE",
    "trust sign --key": "trust sign MINE --key FILE",
    "trust witness --request": "trust witness --request FILE",
    "trust witness --answer": "trust witness MINE --answer FILE",
    "trust witness --key": "trust witness THEIRS --attest confirm --key FILE",
    "trust resolve --key": "trust resolve THEIRS --outcome upheld --key FILE",
    "trust anchor --snapshot": "trust anchor MINE --type url --reference https://e.org --snapshot FILE",
    "trust anchor --proof": "trust anchor MINE --type opentimestamps --snapshot SEEN --proof FILE",
    "trust keys rotate file": "trust keys rotate human:bob FILE --old OLD --print",
    "trust keys rotate --old": "trust keys rotate human:bob KEY.pub --old FILE --print",
    "trust keys rotate --signed": "trust keys rotate human:bob KEY --signed FILE",
    "trust keys add file": "trust keys add human:bob FILE",
}
# For the vault's owner alone, who has all files; anybody else is told that before the file is looked for.
OWNERS: dict[str, str] = {
    **{f"import {name} path": f"import {name} FILE" for name in sorted(IMPORTERS)},
    "import jsonl file": "import jsonl FILE",
    "adopt paths": "adopt FILE",
    "hooks install --pre-receive": "hooks install --pre-receive FILE",
    "check files paths": "check FILE",
    "hooks merge-driver base": "hooks merge-driver FILE SEEN SEEN x.md",
    "hooks merge-driver ours": "hooks merge-driver SEEN FILE SEEN x.md",
    "hooks merge-driver theirs": "hooks merge-driver SEEN SEEN FILE x.md",
}
# A place in a vault, or a vault; nothing is read there. Nor is a key where keys of others count.
PLACES: dict[str, str] = {
    "trust keys init file": "trust keys init FILE",
    "init folder": "init FILE",
    "init --from": "init ../new --owner group:ops --from FILE",
    "hooks merge-driver path": "hooks merge-driver SEEN SEEN SEEN FILE",
    "forget --purge": "forget MINE --purge FILE",
    "mv path": "mv MINE FILE/",
    "trust quarantine name": "trust quarantine FILE",
    "index semantic setup folder": "index semantic setup FILE",
    "index semantic setup --nli": "index semantic setup --nli FILE",
    "export html --output": "export html -o FILE",
    "share load folder": "share load FILE",
    "share copy folder": "share --to human:eve FILE",
    "share copy --update": "share --update FILE",
    "engine serve folders": "engine serve FILE",
    "privacy audit --stack": "privacy audit --subject dog:bella --stack FILE",
    "--vault": "--vault FILE list",
}
# A memory, by its path among others.
REFS: dict[str, str] = {
    **{f"{command} ref": f"{command} FILE" for command in (
        "show", "trace", "why", "trust show", "trust sign", "trust anchor", "trust attest export",
        "trust attest payload", "links", "log", "blame", "diff", "beliefs propagate", "edit",
        "beliefs suggestions accept", "beliefs suggestions reject", "beliefs suggestions show",
    )},
    **{f"{command} refs": f"{command} FILE" for command in (
        "export jsonl", "export markdown", "export memory-v0.1", "export okf", "export prov",
        "trust attest digest", "archive", "forget", "privacy seal", "privacy unseal", "beliefs recompute", "commit",
        "check fmt", "beliefs compress",
    )},
    **{f"{command} --{key}": f"{line} --{key} FILE" for key in ("derived-from", "relates-to") for command, line in (
        ("add", "add tea"), ("raw add", "raw tea"), ("raw promote", "raw promote RAW --to note"),
        ("supersede", "supersede MINE tea"),
    )},
    "privacy generalize refs": "privacy generalize FILE --text tea --access human:eve",
    "show --cite": "show --cite FILE:L1",
    "show --path": "show --path FILE",
    "trace --impact": "trace --impact FILE",
    "archive --restore": "archive --restore FILE",
    "search --ref": "search --bisect tea --ref FILE",
    "search --explain": "search tea --explain FILE",
    "why --without": "why BELIEF --without FILE:L1",
    "beliefs revise-from episode": "beliefs revise-from FILE",
    "trust witness ref": "trust witness FILE --attest confirm --key KEY",
    "trust request-witness ref": "trust request-witness FILE --from human:eve",
    "trust resolve ref": "trust resolve FILE --outcome upheld --key KEY",
    "privacy audit --id": "privacy audit --id FILE",
    "privacy explain ref": "privacy explain FILE --for human:eve",
    "privacy grant ref": "privacy grant FILE --to human:eve",
    "privacy plan ref": "privacy plan FILE --to human:eve",
    "privacy revoke ref": "privacy revoke FILE --from human:eve",
    "conflicts list refs": "conflicts list FILE",
    "conflicts judge ref": "conflicts judge FILE MINE same",
    "conflicts judge others": "conflicts judge MINE FILE same",
    "conflicts resolve ref": "conflicts resolve FILE MINE --keep both",
    "conflicts resolve other": "conflicts resolve MINE FILE --keep both",
    "conflicts resolve --keep": "conflicts resolve MINE THEIRS --keep FILE",
    "set ref": "set FILE scope=project:x",
    "tag ref": "tag FILE +x",
    "mv ref": "mv FILE b/",
    "raw promote raw": "raw promote FILE --to note",
    "supersede ref": "supersede FILE tea",
    "conflicts split ref": "conflicts split FILE one two",
    "conflicts split --first": "conflicts split MINE one two --first FILE",
    "conflicts split --second": "conflicts split MINE one two --second FILE",
    "conflicts merge refs": "conflicts merge MINE FILE",
    "reinforce ref": "reinforce FILE --evidence EPISODE",
    "reinforce --evidence": "reinforce BELIEF --evidence FILE",
    "contradict ref": "contradict FILE --evidence EPISODE",
    "contradict --evidence": "contradict BELIEF --evidence FILE",
}  # fmt: skip
TABLE = {**READING, **OWNERS, **PLACES, **REFS}

# What else is named as a file or a memory is, and what the table has beside the options.
METAVARS = frozenset({"FILE", "FOLDER", "PATH", "DIR", "REF", "RAW", "EPISODE", "OTHER", "KEPT"})
NAMES = frozenset({"file", "folder", "path", "paths", "ref", "refs"})
# The path stands in the document on standard input, or in an argument.
NO_OPTIONS = frozenset({"raw --hook", "show --cite", "trace --impact", "archive --restore"})


class Placed(NamedTuple):
    """An option or argument, and the command that has it, in words."""

    words: tuple[str, ...]
    param: click.Parameter
    context: click.Context

    @property
    def name(self) -> str:
        return " ".join((*self.words, self.param.opts[-1]))


def options() -> Iterator[Placed]:
    """Yield all options and arguments; commands are loaded as they are asked for."""

    def walked(command: click.Command, context: click.Context, *words: str) -> Iterator[Placed]:
        for param in command.get_params(context) if not words else command.params:
            yield Placed(words, param, context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                yield from walked(below, click.Context(below, info_name=name, parent=context), *words, name)

    return walked(PROGRAM, click.Context(PROGRAM, info_name="memstore"))


def options_of_files() -> Iterator[str]:
    """Yield the options and arguments that take a file, a folder or a memory, with their commands."""
    for one in options():
        said = {*re.findall("[A-Z]+", one.param.make_metavar(one.context))}
        if isinstance(one.param.type, click.Path | RefType) or said & METAVARS or one.param.name in NAMES:
            yield one.name


def test_the_table_has_every_option_that_takes_a_file() -> None:
    assert sorted({*TABLE} - NO_OPTIONS) == sorted(options_of_files())


# -- the vault ------------------------------------------------------------------------------------

PUBLIC = {"access_grants": '["*"]'}
MEMORIES = {
    "a/hidden.md": memory_text(f"- {CANARY} tea\n", id="m_hidden0001"),
    "a/copy.md": memory_text(f"- {CANARY} copy\n", id="m_bobs000005"),
    "secret/only.md": memory_text(f"- {CANARY} alone\n", id="m_hidden0002"),
    "plain.md": f"- {CANARY} plain\n".encode(),
    "broken.md": f"---\ntype: note\nid: m_b\nid: m_b\n---\n- {CANARY}\n".encode(),
    "a/open.md": memory_text("- open tea\n", id="m_open000001", author=OWNER, **PUBLIC),
    "b/m_bobs000001.md": memory_text("- bobs tea\n", id="m_bobs000001", owner=BOB, author=BOB, **PUBLIC),
    "b/m_bobs000005.md": memory_text("- bobs copy\n", id="m_bobs000005", owner=BOB),
    **{
        f"{'ab'[owner == BOB]}/m_{kind}{owner[-3:]}.md": memory_text(
            f"- {kind} told\n", id=f"m_{kind}{owner[-3:]}0001", type=kind, owner=owner, confidence="0.6", **PUBLIC
        )
        for kind in ("raw", "belief", "episode")
        for owner in (OWNER, BOB)
    },
}
CONSENT = (
    'type: consent\nid: con_1\neffect: permit\ngrantor: "human:bob"\ngrantee: "human:eve"\n'
    'scope: "subject:dog:bella"\ngranted_at: "2026-01-01T00:00:00Z"\n'
)
OWN = {
    "consents/2026/con_1.md": f"---\n{CONSENT}---\n".encode(),
    "entities/dog/bella.md": b"---\ntype: entity\nid: dog:bella\nguardians: ['human:bob']\n---\n",
    "groups/club.yaml": b"id: group:club\nmembers: [{id: 'human:dave'}]\n",
    "contexts/park.yaml": b"id: ctx:park\nroster: ['human:bob', 'si:max', 'si:ash']\n",
    "requests/req_1.md": b"---\ntype: request\nid: req_1\n---\n",
    "audit/2026/03/e_1.json": b"{}\n",
    ".memstore/allowed_signers": b"human:eve ssh-ed25519 AAAA\n",
}

# Where what is named lies, from the vault's folder; GONE is what may be taken away without another meaning.
GONE = {
    "hidden": "a/hidden.md",
    "copy": "a/copy.md",
    "alone": "secret/only.md",
    "folder": "secret",
    "plain": "plain.md",
    "broken": "broken.md",
    "shown": "a/open.md",
}
KEPT = {
    "consent": "consents/2026/con_1.md",
    "entity": "entities/dog/bella.md",
    "group": "groups/club.yaml",
    "context": "contexts/park.yaml",
    "request": "requests/req_1.md",
    "event": "audit/2026/03/e_1.json",
    "events": "audit/2026",
    "settings": ".memstore/config.toml",
    "keyring": ".memstore/allowed_signers",
    "git config": ".git/config",
    "head": ".git/HEAD",
    "hook": ".git/hooks/pre-commit",
    "objects": ".git/objects/info",
    "journal": ".git/memstore/HASH/last-operation.json",
    "draft": ".git/memstore/HASH/drafts/new.md",
    "index": "../cache/memstore/HASH/manifest",
    "memory of another vault": "../other/x.md",
    "settings of another vault": "../other/.memstore/config.toml",
    "index of another vault": "../cache/memstore/OTHER/manifest",
    "folder of another vault": "../other/sub",
}
ABSENT = "zzabsent"


class Name(NamedTuple):
    """What a file is called, and one that is not there; `parts` are words of the latter's names and of the former's."""

    path: str
    absent: str
    parts: tuple[tuple[str, str], ...]

    def said_of_it(self, text: str) -> str:
        """Return what was said of the one that is not there as it would be said of the other."""
        for absent, there in self.parts:
            text = text.replace(absent, there)
        return text


def _absent(place: str) -> str:
    """Return a place that is not there, beside another."""
    folder, slash, _ = place.rpartition("/")
    return f"{folder}{slash}{ABSENT}"


FORMS: dict[str, Callable[[str, str, Path], str]] = {
    "relative": lambda place, _, __: place,
    "absolute": lambda place, _, home: f"{home}/vault/{place}",
    "dots": lambda place, _, __: f"b/../{place}",
    "dots from outside": lambda place, _, __: f"../vault/./{place}",
    "home": lambda place, _, __: f"~/vault/{place}",
    "a link in the vault": lambda _, link, __: f"links/{link}",
    "a link outside": lambda _, link, __: f"../out/{link}",
    "a linked folder": lambda place, _, __: f"../out/vault/{place}",
    "a linked folder in the vault": lambda place, _, __: f"links/vault/{place}",
    "kernel": lambda place, _, __: f"/proc/self/cwd/{place}",
    "slash": lambda place, _, __: f"{place}/",
    "below": lambda place, _, __: f"{place}/x",
    "through": lambda place, _, __: f"{place}/../{place.rpartition('/')[2]}",
    "case": lambda place, _, __: place.swapcase(),
}


class Told(NamedTuple):
    """What one command says, how it ends, and what it wrote."""

    code: int
    out: str
    err: str
    wrote: tuple[tuple[str, bytes | None], ...]


class Places:
    """A vault, two others beside it, and links into all of them."""

    def __init__(self, home: Path) -> None:
        program = Program(home)
        self.home, self.vault, self.run = home, program.vault, program.in_process()
        for name, owner in (("vault", OWNER), ("other", "human:eve"), ("bobs", BOB)):
            (home / name / "sub").mkdir(parents=True)
            self.run.ok("init", ".", "--owner", owner, cwd=home / name)
            _write(home / name / "x.md", memory_text(f"- {CANARY} tea\n", id="m_others0001"))
            self.run.ok("list", cwd=home / name)
        state = state_folder(self.vault, state_home=home / "state")
        for name in ("last-operation.json", "drafts/new.md"):
            _write(state / name, f"- {CANARY}\n".encode())
        folders = {"HASH": home / "vault", "OTHER": home / "other"}
        hashes = {word: cache_folder(folder, cache_home=home).name for word, folder in folders.items()}
        kept = {key: re.sub("HASH|OTHER", lambda found: hashes[found[0]], place) for key, place in KEPT.items()}
        self.places = {**GONE, **kept}
        _write(home / "out" / "page.html", b"- page\n")
        for name in ("key", "old"):
            key = Ed25519PrivateKey.generate()
            _write(home / "out" / name, key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
            public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
            _write(home / "out" / f"{name}.pub", public)
        self._link(home / "out")
        self.lay_out()
        assert all((self.vault / place).exists() for place in self.places.values())

    def _link(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "vault").symlink_to(self.vault)
        for key, place in self.places.items():
            link = key.replace(" ", "-")
            (folder / f"{link}-link").symlink_to(self.vault / place)
            (folder / f"{ABSENT}-{link}").symlink_to(self.vault / _absent(place))

    def lay_out(self, without: frozenset[str] = frozenset()) -> None:
        """Write the vault's files; without some, as if they had never been there."""
        for place in self.vault.iterdir():
            if place.name not in (".git", ".memstore", ".gitattributes", ".memstoreignore"):
                shutil.rmtree(place) if place.is_dir() else place.unlink()
        for path, data in {**MEMORIES, **OWN}.items():
            if path not in without:
                _write(self.vault / path, data)
        self._link(self.vault / "links")
        self.before = self.files()

    def hidden(self, who: tuple[str, ...]) -> frozenset[str]:
        """Return the paths of the memories that somebody may not see."""
        env = Environment(self.run.environment, self.vault, self.home, "tester")
        view = open_workspace(env, entity=who[1], context=who[3] if len(who) > 2 else None).view()
        paths = view.column("path")
        return frozenset({*MEMORIES} - {paths[row] for row in view.rows})

    def name(self, key: str, form: str) -> Name:
        """Return how something is named."""
        place, link = self.places[key], key.replace(" ", "-")
        write = FORMS[form]
        path, absent = write(place, f"{link}-link", self.home), write(_absent(place), f"{ABSENT}-{link}", self.home)
        last = place.rpartition("/")[2]
        parts = ((f"{ABSENT}-{link}", f"{link}-link"), (ABSENT, last), (ABSENT.swapcase(), last.swapcase()))
        return Name(path, absent, parts)

    def told(self, who: tuple[str, ...], row: str, path: str) -> Told:
        """Return what somebody is told who names a path; what the command writes is taken back."""
        whose, others = ("bob", "ash") if who == AS_BOB else ("ash", "bob")
        own = {"bob": "m_bobs000001", "ash": "m_open000001"}
        words = {
            "FILE": path, "MINE": own[whose], "THEIRS": own[others], "RAW": f"m_raw{whose}0001",
            "BELIEF": f"m_belief{whose}0001", "EPISODE": f"m_episode{whose}0001",
            "KEY": f"{self.home}/out/key", "OLD": f"{self.home}/out/old", "SEEN": f"{self.home}/out/page.html",
        }  # fmt: skip
        line = [re.sub("|".join(words), lambda found: words[found[0]], word) for word in TABLE[row].split()]
        stdin = json.dumps({"transcript_path": path})
        done = self.run.run(*who, *line, "-v", stdin=stdin, EDITOR="true", MEMSTORE_NO_USAGE="1")
        after = self.files()
        changed = [name for name in sorted({*self.before, *after}) if self.before.get(name) != after.get(name)]
        for name in changed:
            self._take_back(name)
        return Told(done.returncode, done.stdout, done.stderr, tuple((name, after.get(name)) for name in changed))

    def _take_back(self, name: str) -> None:
        place = self.vault / name
        if name in self.before:
            _write(place, self.before[name])
            return
        place.unlink()
        for folder in place.parents:
            if any(folder.iterdir()):
                break
            folder.rmdir()

    def files(self) -> dict[str, bytes]:
        """Return all files of the vault as they are."""
        found: dict[str, bytes] = {}
        for folder, folders, names in os.walk(self.vault):
            folders[:] = [name for name in folders if name != ".git"]
            places = (place for name in names if not (place := Path(folder, name)).is_symlink())
            found |= {str(place.relative_to(self.vault)): place.read_bytes() for place in places if place.is_file()}
        return found


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memstore.core.clock.SystemClock.now", lambda _: NOW)
        patched.setattr("memstore.core.clock.RandomIds.memory_id", lambda _: "m_0000000000")
        yield Places(tmp_path_factory.mktemp("named"))


@pytest.fixture(autouse=True)
def _laid_out(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leave the vault as it was to the next test."""
    yield
    if "places" in request.fixturenames:
        request.getfixturevalue("places").lay_out()


# -- who may not see it ---------------------------------------------------------------------------

Case = tuple[str, str, str]
# One that reads is enough for all there is to be read, by every name: all read in one way.
READS = "search --queries"
NEAR = ("absolute", "below", "a link outside")
# One for each of the places in which files lie that are the vault's own, git's, this machine's and another vault's.
BY_EVERY_NAME = ("consent", "settings", "git config", "journal", "index", "settings of another vault")


def differences(places: Places, who: tuple[str, ...], cases: list[Case]) -> list[Case]:
    """Return the cases, a row with what is named and how, that differ where what is hidden is gone."""
    hidden = places.hidden(who)
    with_all = [places.told(who, row, places.name(key, form).path) for row, key, form in cases]
    places.lay_out(hidden)
    without = [places.told(who, row, places.name(key, form).path) for row, key, form in cases]
    places.lay_out()
    return [case for case, one, other in zip(cases, with_all, without, strict=True) if one != other]


@pytest.mark.soak
@pytest.mark.parametrize("who", [AS_BOB, OVERHEARD], ids=["somebody else", "the owner who is overheard"])
def test_a_hidden_memory_is_as_one_that_is_gone(places: Places, who: tuple[str, ...]) -> None:
    cases = [(row, "hidden", "relative") for row in TABLE]
    cases += [(row, "hidden", form) for row in {**READING, **PLACES} for form in NEAR]
    cases += [(row, "folder", "relative") for row in {**READING, **PLACES}]
    cases += [(READS, key, form) for key in GONE for form in (FORMS if who == AS_BOB else NEAR)]
    assert differences(places, who, cases) == []


@pytest.mark.soak
@pytest.mark.parametrize("who", [AS_BOB, OVERHEARD], ids=["somebody else", "the owner who is overheard"])
def test_no_other_file_of_a_vault_is_there(places: Places, who: tuple[str, ...]) -> None:
    cases = [(row, key, "relative") for row in READING for key in ("consent", "head", "settings of another vault")]
    cases += [(row, "consent", form) for row in PLACES for form in NEAR]
    cases += [(READS, key, form) for key in KEPT for form in NEAR]
    cases += [(READS, key, form) for key in BY_EVERY_NAME if who == AS_BOB for form in {*FORMS} - {*NEAR}]
    for row, key, form in cases:
        name = places.name(key, form)
        there, absent = (places.told(who, row, path) for path in (name.path, name.absent))
        wrote = tuple((name.said_of_it(path), data) for path, data in absent.wrote)
        said = Told(absent.code, name.said_of_it(absent.out), name.said_of_it(absent.err), wrote)
        assert there == said, (row, key, form)


@pytest.mark.parametrize(
    ("path", "absent"),
    [("a/hidden.md", "a/none.md"), ("secret", "none"), (".git/HEAD", ".git/none"), ("a/hidden.md/x", "a/none.md/x"),
     ("../cache/memstore", "../cache/memstore/x")],
)  # fmt: skip
@pytest.mark.parametrize("who", [AS_BOB, OVERHEARD], ids=["somebody else", "the owner who is overheard"])
def test_nor_where_no_vault_is_around(places: Places, who: tuple[str, ...], path: str, absent: str) -> None:
    there, not_there = (
        places.run.run(*who, "witness", "--request", f"vault/{one}", cwd=places.home) for one in (path, absent)
    )
    assert (there.returncode, there.stdout) == (not_there.returncode, not_there.stdout) == (5, "")
    assert there.stderr == not_there.stderr.replace(absent, path)


@pytest.mark.parametrize("form", ["{}/../a/open.md", "{}/./../b/../a/open.md"])
@pytest.mark.parametrize("folder", ["secret", "a/hidden.md/..", "consents/2026/..", "none"])
def test_the_way_there_tells_of_no_folder(places: Places, folder: str, form: str) -> None:
    assert "==> - open tea" in places.told(AS_BOB, READS, form.format(folder)).out
    assert places.told(AS_BOB, "--vault", f"{folder}/..").out == places.told(AS_BOB, "--vault", ".").out


def test_a_key_beside_another_file_is_there_if_it_may_be_seen(places: Places) -> None:
    place = places.home / "out"
    shutil.copy(place / "key", place / "mine")
    (place / "mine.pub").symlink_to(places.vault / "a" / "hidden.md")
    cases = [("trust keys rotate file", "hidden", "relative")]
    told = [places.told(AS_BOB, row, str(place / "mine")) for row, *_ in cases]
    places.lay_out(places.hidden(AS_BOB))
    assert told == [places.told(AS_BOB, row, str(place / "mine")) for row, *_ in cases]
    assert told[0].code == 0


def test_a_shell_is_told_to_look_for_files_itself(places: Places) -> None:
    place = str(places.vault / "a")
    paths = {one.name: one for one in options() if isinstance(one.param.type, click.Path)}
    offered = {
        name: [(item.value, item.type) for item in one.param.shell_complete(one.context, place)]
        for name, one in paths.items()
    }
    assert {"check files paths", "raw add --file"} <= offered.keys()
    assert [name for name, found in offered.items() if found not in ([(place, "file")], [(place, "dir")])] == []


# -- who may ---------------------------------------------------------------------------------------


def test_the_owner_alone_reads_whatever_lies_in_the_vault(places: Places) -> None:
    for row in READING:
        there, absent = (places.told(ALONE, row, path) for path in ("a/hidden.md", "a/none.md"))
        assert (there.code, there.out, there.err) != (absent.code, absent.out, absent.err.replace("none", "hidden")), (
            row
        )
    for key in places.places:
        forms = {*FORMS} if key in (*BY_EVERY_NAME, "hidden") else {*NEAR}
        for form in sorted(forms - {"below", "case"}):
            said = places.told(ALONE, READS, places.name(key, form).path)
            is_others = key.endswith("of another vault") and not key.startswith("index")
            assert ("No such file" in said.err) == is_others, (key, form, said)


@pytest.mark.parametrize("form", sorted({*FORMS} - {"below", "case"}))
def test_what_somebody_sees_they_read_by_any_name(places: Places, form: str) -> None:
    assert "==> - open tea" in places.told(AS_BOB, READS, places.name("shown", form).path).out


@pytest.mark.parametrize(
    "path", ["../out/page.html", "{home}/out/page.html", "~/out/page.html", "links/../../out/page.html"]
)
@pytest.mark.parametrize("who", [AS_BOB, OVERHEARD, ALONE], ids=["somebody else", "overheard", "the owner"])
def test_what_lies_in_no_vault_is_anybodys(places: Places, who: tuple[str, ...], path: str) -> None:
    assert "==> - page" in places.told(who, READS, path.format(home=places.home)).out


def test_ones_own_vault_beside_this_one_is_read(places: Places) -> None:
    assert CANARY in places.told(AS_BOB, READS, "../bobs/x.md").out
    assert "No such file" in places.told(ALONE, READS, "../bobs/x.md").err
    assert "No such file" in places.told((*AS_BOB, "--context", "ctx:park"), READS, "../bobs/x.md").err


def _write_and_close(handle: int, data: bytes) -> None:
    os.write(handle, data)
    os.close(handle)


@pytest.mark.parametrize("who", [AS_BOB, ALONE], ids=["somebody else", "the owner"])
def test_a_pipe_is_read_until_its_end(places: Places, who: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    late = threading.Timer(0.2, _write_and_close, (writing, b"open\n"))
    late.start()
    assert "==> open" in places.told(who, READS, f"/dev/fd/{reading}").out
    late.join()
    os.close(reading)


def test_a_folder_is_told_to_be_one(places: Places) -> None:
    for who, path in ((ALONE, "secret"), (AS_BOB, "../out")):
        told = places.told(who, READS, path)
        assert told.err == f"memstore: {places.vault / path}: Is a directory\nhint: name a file in it\n"
    handles = Path("/proc/self/fd")
    gc.collect()
    before = len(list(handles.iterdir()))
    places.told(AS_BOB, READS, "secret")
    assert len(list(handles.iterdir())) <= before


def test_a_hard_link_outside_is_a_file_outside(places: Places) -> None:
    """What is given away by a link of that kind is another file to the system: nobody can tell where else it lies."""
    link = places.home / "out" / "hard.md"
    link.hardlink_to(places.vault / "a" / "hidden.md")
    assert CANARY in places.told(AS_BOB, READS, str(link)).out


# -- a leak put in on purpose is seen -------------------------------------------------------------


def yes(*_: object) -> bool:
    return True


@pytest.mark.soak(3)
@pytest.mark.parametrize("row", READING)
def test_where_everything_is_read_every_row_leaks(places: Places, monkeypatch: pytest.MonkeyPatch, row: str) -> None:
    who = OVERHEARD if row == "trust keys add file" else AS_BOB  # only the owner gets as far as to read that
    case = (row, "hidden", "relative")
    assert differences(places, who, [case]) == []
    hidden = places.hidden(who)
    monkeypatch.setattr("memstore.vault.named_files._may_be_read", yes)
    monkeypatch.setattr(places, "hidden", lambda _: hidden)
    assert differences(places, who, [case]) == [case]


def test_without_the_filter_every_other_row_leaks(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = places.hidden(AS_BOB)
    monkeypatch.setattr(places, "hidden", lambda _: hidden)
    for name, gone in FILTER.items():
        monkeypatch.setattr(VaultView, name, gone)
    monkeypatch.setattr(VaultView, "require_owner", yes)
    rows = {**REFS, **OWNERS, "mv path": ""}
    cases = [(row, "folder" if "pre-receive" in row else "hidden", "relative") for row in rows]
    assert differences(places, AS_BOB, cases) == cases
