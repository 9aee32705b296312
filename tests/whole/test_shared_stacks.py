"""A shared stack holds what its recipient may see, finds it as the vault does, and not a byte of anything else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import memstore
from memstore import seeds
from memstore.access.stack import read as read_manifest
from memstore.access.stack import written
from memstore.core.errors import LockedError
from memstore.exchange.sharing import share
from memstore.files.local_state import Environment
from memstore.vault.composition import open_workspace
from memstore.vault.stack_place import StackPlace
from tests.installed import validated
from tests.mcp.serving import served
from tests.support import examples, memory_text
from tests.whole.hidden import NOW, OWNER, drawn
from tests.whole.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstore.mcp.call import ToolAnswer
    from memstore.vault.stack_place import UnfinishedStack
    from tests.whole.program import InProcess

pytestmark = pytest.mark.soak(14, together=True)

MAX, SEAN = "si:max", "human:sean"
HIDDEN = {
    "id": "m_quetzalcoat",
    "title": "Xylographic quandary",
    "alias": "Zephyrine",
    "words": "obfuscated marmalade",
    "path": "episodes/vexillology/umbrageous-tea.md",
}


@pytest.fixture(scope="session")
def with_a_hidden_memory(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return a vault in which one memory is hidden from Max, and the others are his to see."""
    made = Program(tmp_path_factory.mktemp("stack")).in_process()
    made.vault.mkdir()
    made.ok("init", ".", "--owner", OWNER)
    put(made, HIDDEN["path"], "obfuscated marmalade, and Bella's heart.\n", id=HIDDEN["id"], title=HIDDEN["title"],
        aliases=f"[{HIDDEN['alias']}]", access_grants="[human:sean]")  # fmt: skip
    put(made, "notes/fetch.md", "Dogs love fetch, in the morning above all.\n", id="m_fetch00001", title="Fetch",
        access_grants="['*']")  # fmt: skip
    put(made, "beliefs/walks.md", "# Walks\n\nTwo short walks are better than one long walk.\n", id="m_walks00001",
        type="belief", title="Walks", relates_to=f"\n- note:{HIDDEN['id']}\n- note:m_fetch00001",
        access_grants="[si:max]")  # fmt: skip
    return made


@pytest.fixture
def vault(with_a_hidden_memory: Program, tmp_path: Path) -> Program:
    return with_a_hidden_memory.copied(tmp_path)


def put(program: Program, path: str, body: str, **keys: str) -> None:
    place = program.vault / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(memory_text(body, **keys))


def everything_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield all bytes below a folder, its names, and git's objects, inflated here or by git."""
    for place, _, names in os.walk(folder):
        for name in names:
            data = (Path(place) / name).read_bytes()
            yield f"{place}/{name}", f"{place}/{name}".encode() + b"\n" + data
            if "/objects/" in place and re.fullmatch("[0-9a-f]{38,}", name):
                yield name, zlib.decompress(data)
    objects = ["git", "-C", str(folder), "cat-file", "--batch", "--batch-all-objects"]
    yield "objects", subprocess.run(objects, check=True, capture_output=True).stdout


def traces(folder: Path) -> list[tuple[str, str]]:
    """Return where anything of the hidden memory is below a folder."""
    parts = [*HIDDEN.values(), HIDDEN["path"].rpartition("/")[2], "vexillology", *HIDDEN["words"].split()]
    return [
        (part, where)
        for where, data in everything_in(folder)
        for part in parts
        if part.encode().lower() in data.lower() or part.encode("utf-16-le") in data
    ]


def answers(program: Program, folder: Path, viewer: str, *words: str) -> Any:
    """Return what a viewer finds: refs, order, relevance, citations; a changed file has another blob id."""
    done = program.run("--vault", str(folder), "--as", viewer, "--json", "search", *words)
    found = json.loads(done.stdout)["results"] if done.returncode == 0 else done.stderr
    if isinstance(found, str):
        return found
    return [
        [hit["ref"], hit["path"], hit["relevance_score"], hit["combined_score"], hit["content"], hit["also"]]
        + [{**one, "version_hash": ""} for one in (hit["citation"], *hit["more"])]
        for hit in found
    ]


def errors(program: Program, folder: Path) -> set[tuple[str, str]]:
    """Return what `check` finds wrong, without notices: the path and the code of each finding."""
    found = json.loads(program.run("--vault", str(folder), "--json", "check").stdout)["findings"]
    return {(one["path"], one["code"]) for one in found if one["severity"] == "error"}


# -- nothing hidden, everything visible ------------------------------------------------------------


def test_no_byte_of_what_is_hidden_is_in_a_stack(vault: Program, tmp_path: Path) -> None:
    vault.git("add", "-A")
    vault.git("commit", "-q", "-m", f"Add {HIDDEN['title']}", "--no-verify")
    done = validated(vault.ok("--json", "share", "--to", MAX, "../stack"))
    assert done["new"] == ["beliefs/walks.md", "notes/fetch.md"]
    assert traces(tmp_path / "stack") == []
    assert traces(vault.vault), "the search for traces finds some"
    subprocess.run(["git", "-C", str(tmp_path / "stack"), "gc", "-q", "--aggressive"], check=True)
    assert traces(tmp_path / "stack") == []
    assert vault.run("--vault", "../stack", "check").returncode == 0


@pytest.mark.parametrize("path", ["li\nne.md", '"quoted" \\name.md'])
def test_a_file_with_any_name_is_shared(vault: Program, tmp_path: Path, path: str) -> None:
    put(vault, path, "Cats sleep.\n", id="m_cats000001", access_grants="[si:max]")
    vault.ok("share", "--to", MAX, "../stack")
    assert (tmp_path / "stack" / path).read_bytes() == (vault.vault / path).read_bytes()


def test_each_line_stays_where_it_was(vault: Program, tmp_path: Path) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    before = (vault.vault / "beliefs/walks.md").read_text().splitlines()
    after = (tmp_path / "stack/beliefs/walks.md").read_text().splitlines()
    assert len(before) == len(after)
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [old for old, _ in changed] == [f"- note:{HIDDEN['id']}"]
    assert (tmp_path / "stack/notes/fetch.md").read_bytes() == (vault.vault / "notes/fetch.md").read_bytes()


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"As told in [[note:{HIDDEN['id']}]].\n", "id"),
        (f"See ../{HIDDEN['path']} for more.\n", "path"),
        ("See [it](umbrageous-tea.md).\n", "path"),
        ("It is a xylographic\nQUANDARY.\n", "title"),
        ("Ask zephyrine.\n", "alias"),
        ("See xylographic_quandary_2.jpg.\n", "title"),
        ("It is my_zephyrine_x.\n", "alias"),
        ("See [[Umbrageous-Tea#Heart|this]].\n", "link"),
        ("See ![[vexillology/umbrageous-tea]].\n", "link"),
        ("See [it](../vexillology/umbrageous%2Dtea.md#x).\n", "path"),
        ("It is a xylo&shy;graphic **quan**dary.\n", "title"),
    ],
)
def test_a_copy_that_would_name_something_hidden_is_refused(
    vault: Program, tmp_path: Path, body: str, kind: str
) -> None:
    put(vault, "notes/told.md", body, id="m_told000001", access_grants="['*']")
    done = vault.run("share", "--to", MAX, "../stack")
    assert done.returncode == 4, done.stderr
    assert f"notes/told.md has the {kind} of" in done.stderr or f" has the {kind} of" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if "stack" in path.name or "unfinished" in path.name] == []
    assert "privacy share" not in vault.ok("privacy", "log", "show", "--json")
    acknowledged = vault.run("share", "--to", MAX, "../stack", "--acknowledge")
    assert (acknowledged.returncode == 0) == (kind in ("title", "alias", "link")), acknowledged.stderr
    if acknowledged.returncode == 0:  # the record says whose name went out
        assert HIDDEN["id"] in vault.ok("privacy", "log", "show", "--json")


def test_a_file_that_is_called_like_something_hidden_is_not_shared(vault: Program) -> None:
    put(vault, "notes/for_Zephyrine.md", "Tea at four.\n", id="m_told000001", access_grants="['*']")
    done = vault.run("share", "--to", MAX, "../stack")
    assert (done.returncode, f"the alias of {HIDDEN['path']}" in done.stderr) == (4, True), done.stderr


def test_a_word_that_several_shared_memories_have_tells_nothing(vault: Program) -> None:
    put(vault, "notes/bella.md", "Private.\n", id="m_bella00001", title="Bella")
    for number in range(3):
        put(vault, f"notes/o{number}.md", f"Bella runs {number}.\n", id=f"m_open00000{number}", access_grants="['*']")
    put(vault, "notes/umbrageous.md", "Umbrageous tea.\n", id="m_open000009", access_grants="['*']")
    vault.ok("share", "--to", MAX, "../stack")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    program = Program(tmp_path_factory.mktemp("many")).in_process()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memstore.core.clock.SystemClock.now", lambda _: NOW)
        yield program.in_process()


QUERIES = ("tea lake", "heart* +walking", "boat house", '"lake river" vet', "bella -tea", "tag:green walk", "vet")


@settings(max_examples=examples(8), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
@example(5)
@example(16)
@example(750148)
def test_searching_a_stack_equals_searching_the_vault_as_its_recipient(many: InProcess, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    case = drawn(random)
    viewer = random.choice(("human:bob", "human:dave", "si:max", "human:dave"))
    for folder in ("vault", "stack"):
        shutil.rmtree(many.home / folder, ignore_errors=True)
    many.vault.mkdir()
    many.ok("init", ".", "--owner", OWNER)
    for path, data in case.files.items():
        place = many.vault / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(re.sub(rb" \[\[.*\]\]", b"", data))
    done = many.run("share", "--to", viewer, "../stack", "--acknowledge")
    if done.returncode:
        assert "may see nothing" in done.stderr
        return
    stack = many.home / "stack"
    for query in QUERIES:
        assert answers(many, stack, viewer, query) == answers(many, many.vault, viewer, query), query
    seen = many.json("--as", viewer, "list", "--status", "all", "-n", "100")["memories"]
    copied = many.json("--vault", str(stack), "--as", viewer, "list", "--status", "all", "-n", "100")["memories"]
    assert [one["path"] for one in copied] == [one["path"] for one in seen]
    before, found = errors(many, many.vault), errors(many, stack)
    # Of two files with one id, the recipient may see only the one that is not of the type that a ref says.
    has_twins = any(code == "id-duplicate" for _, code in before)
    assert {one for one in found - before if not (has_twins and one[1] == "ref-type")} == set()
    refs = b" ".join(data for _, data in everything_in(stack))
    assert {one.decode() for one in re.findall(rb"m_[a-z]{3}\d{7}", refs)} <= {
        one["ref"].partition(":")[2] for one in seen
    }


# -- where it may be written, and by whom ----------------------------------------------------------


def test_of_a_submodule_too_only_what_somebody_may_see_is_shared(vault: Program) -> None:
    library = vault.home / "library"
    library.mkdir()
    for name, text in (
        ("umbrageous-tea.md", memory_text("Obfuscated marmalade again.\n", id="m_shelf00001")),
        ("shelf.md", memory_text("Cups on every shelf.\n", id="m_shelf00002", access_grants="[si:max]")),
    ):
        (library / name).write_bytes(text)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Zephyrine")):
        subprocess.run(["git", "-C", str(library), *words], check=True, env=vault.environment)
    vault.git("init", "-q")
    vault.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "lib")
    vault.ok("share", "--to", MAX, "../for-max")
    copy = vault.home / "for-max"
    assert traces(copy) == []
    assert not (copy / ".gitmodules").exists()
    assert answers(vault, copy, MAX, "shelf") == answers(vault, vault.vault, MAX, "shelf") != []


def test_only_the_owner_shares_and_only_into_an_empty_folder_outside(vault: Program, tmp_path: Path) -> None:
    assert vault.run("--as", MAX, "share", "--to", "human:eve", "../stack").returncode == 4
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter.txt").write_text("dear\n")
    refused = vault.run("share", "--to", MAX, "../full")
    assert refused.returncode == 4
    assert "is not empty" in refused.stderr
    assert (tmp_path / "full/letter.txt").read_text() == "dear\n"
    assert vault.run("share", "--to", MAX, "inside").returncode == 4
    for nobody in (OWNER, "dog:bella", "group:none", "Max"):
        assert vault.run("share", "--to", nobody, "../stack").returncode == 2, nobody
    (tmp_path / "empty").mkdir()
    vault.ok("share", "--to", MAX, "../empty", "--dry-run")
    assert list((tmp_path / "empty").iterdir()) == []
    vault.ok("share", "--to", MAX, "../empty")
    assert vault.run("share", "--to", MAX, "../other", "--name", "empty").returncode == 2
    again = vault.run("share", "--to", MAX, "../empty")
    assert (again.returncode, "memstore share --update empty" in again.stderr) == (4, True)


def test_what_is_in_the_way_is_called_what_it_is(vault: Program, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear\n")
    refused = vault.run("share", "--to", MAX, "../letter")
    assert (refused.returncode, "is not a folder" in refused.stderr) == (4, True)
    named = vault.run("share", "--to", MAX, "../für-max")
    assert (named.returncode, "from a to z" in named.stderr) == (2, True)
    for words in (("share", "--update", "nothing"), ("privacy", "audit", "--stack", "nothing")):
        unknown = vault.run(*words)
        assert (unknown.returncode, "--list" in unknown.stderr, "--vault" in unknown.stderr) == (3, True, False), words


def test_a_recipient_whom_nothing_else_names_is_pointed_out(vault: Program) -> None:
    vault.ok("privacy", "entity", "add", MAX)
    assert "note: nothing else here names si:maxx" in vault.run("share", "--to", "si:maxx", "../typo").stderr
    assert "note:" not in vault.run("share", "--to", MAX, "../right").stderr
    assert "note:" not in vault.run("share", "--to", "public", "../all").stderr
    assert {one["name"]: one["to"] for one in vault.json("share", "--list")["stacks"]}["all"] == "*"


def test_of_two_who_share_under_one_name_one_is_refused(vault: Program, tmp_path: Path) -> None:
    class Overtaken(StackPlace):
        @contextmanager
        def draft(self, *, follows: bool = False) -> Iterator[UnfinishedStack]:
            with super().draft(follows=follows) as draft:
                vault.ok("share", "--to", MAX, "../twice")
                yield draft

    with patch.dict(os.environ, vault.environment):
        env = Environment.of_process()
        view = open_workspace(env, vault=str(vault.vault)).view()
        with pytest.raises(LockedError, match="somebody else"):
            share(view, Overtaken(tmp_path / "twice", env), to=MAX)
    held = read_manifest((tmp_path / "twice/.memstore/stack.json").read_bytes())
    events = [json.loads(path.read_bytes())["about"] for path in (vault.vault / "audit").rglob("*.json")]
    assert [about["stack"] for about in events if about.get("name") == "twice"] == [held.id]


def test_a_stack_whose_folder_is_gone_is_not_called_current(vault: Program, tmp_path: Path) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    shutil.rmtree(tmp_path / "stack")
    assert "is gone" in vault.ok("share", "--list")
    assert not vault.json("share", "--list")["stacks"][0]["current"]


@pytest.mark.parametrize(
    "words",
    [
        ("share", "--to", "maximilian", "../by-alias"),
        ("privacy", "grant", "m_fetch00001", "--to", "Maximilian"),
        ("privacy", "revoke", "m_fetch00001", "--from", "Maximilian"),
        ("privacy", "explain", "m_fetch00001", "--for", "Maximilian"),
        ("privacy", "audit", "--entity", "Maximilian"),
        ("privacy", "audit", "--subject", "Maximilian"),
        ("privacy", "consent", "grant", "--from", "Maximilian", "--to", SEAN, "--scope", "m_fetch00001"),
        ("privacy", "consent", "grant", "--from", SEAN, "--to", "Maximilian", "--scope", "m_fetch00001"),
        ("privacy", "entity", "guardian", SEAN, "Maximilian"),
        ("privacy", "entity", "guardian", "Maximilian", SEAN),
        ("privacy", "group", "add", "group:tutors", "Maximilian"),
        ("context", "add", "ctx:walks", "--roster", "Maximilian"),
        ("context", "enter", "ctx:open", "--participants", "Maximilian"),
        ("trust", "keys", "add", "Maximilian", "key.pub"),
    ],
    ids=" ".join,
)
def test_an_alias_is_not_an_id_but_the_hint_says_whose_it_is(vault: Program, words: tuple[str, ...]) -> None:
    vault.ok("privacy", "entity", "add", SEAN)
    vault.ok("privacy", "entity", "add", MAX, "--alias", "Max", "--alias", "Maximilian")
    vault.ok("context", "add", "ctx:open", "--open")
    for who, told in ((OWNER, True), (SEAN, False)):
        done = vault.run("--as", who, *words)
        assert done.returncode in (2, 4), done.stderr
        assert (f"hint: {MAX} has that name: write the id" in done.stderr) == told, (who, done.stderr)


def test_an_alias_of_two_is_said_to_be_both(vault: Program) -> None:
    vault.ok("privacy", "entity", "add", MAX, "--alias", "Max")
    vault.ok("privacy", "entity", "add", "human:max", "--alias", "max")
    assert "human:max and si:max have that name" in vault.run("share", "--to", "Max", "../by-alias").stderr
    assert "looks like human:sean" in vault.run("share", "--to", "Moritz", "../by-alias").stderr


def test_a_stack_is_only_read(vault: Program, tmp_path: Path) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    for who in (MAX, OWNER):
        refused = vault.run("--vault", "../stack", "--as", who, "add", "more")
        assert refused.returncode == 4, who
        assert "only read" in refused.stderr
    assert not [path for path in (tmp_path / "stack/notes").rglob("*.md") if "more" in path.name]


def test_nobody_else_sees_anything_in_it(vault: Program) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    for viewer in ("human:eve", "si:other", "human:sean"):
        assert vault.json("--vault", "../stack", "--as", viewer, "search", "fetch")["results"] == []
    inside = vault.json("--vault", "../stack", "--as", MAX, "--context", "ctx:park", "search", "fetch")
    assert inside["results"] == []  # who listens there is not known


# -- beside a vault of one's own -------------------------------------------------------------------


@pytest.fixture
def own(vault: Program, tmp_path: Path) -> Program:
    """Return the vault of Max, beside the stack that was shared with him."""
    vault.ok("share", "--to", MAX, "../stack")
    made = Program(tmp_path).in_process()
    made.vault = tmp_path / "own"
    made.vault.mkdir()
    made.ok("init", ".", "--owner", MAX)
    made.ok("add", "Luna prefers the ball to fetch")
    return made


def test_a_loaded_stack_is_searched_together_with_the_vault(own: Program, tmp_path: Path) -> None:
    before = dict(everything_in(tmp_path / "stack"))
    loaded = validated(own.ok("--json", "share", "load", "../stack", "--name", "bella"))
    assert loaded["stacks"][0]["memories"] == 2
    hits = validated(own.ok("--json", "search", "fetch"))["results"]
    assert {hit.get("stack") for hit in hits} == {None, "bella"}
    theirs = next(hit for hit in hits if "stack" in hit)
    before_twice = own.json("search", "fetch", "--facets", "type")["facets"]["type"]
    assert theirs["path"] == "stack:bella/notes/fetch.md"
    assert theirs["citation"]["path"] == theirs["path"]
    assert own.json("why", theirs["ref"])["path"] == theirs["path"]
    assert theirs["path"] in own.ok("why", theirs["ref"])
    assert (
        (tmp_path / "stack/notes/fetch.md")
        .read_text()
        .splitlines()[theirs["citation"]["line_start"] - 1]
        .startswith("Dogs love")
    )
    assert "[stack bella" in own.ok("search", "dogs love fetch")
    assert own.json("search", "fetch", "-n", "1")["total"] == 2
    shutil.copytree(tmp_path / "stack", tmp_path / "twice")
    own.ok("share", "load", "../twice", "--name", "twice")
    both = own.json("search", "fetch", "-n", "1", "--facets", "type")
    assert (both["total"], both["facets"]["type"]) == (2, before_twice)
    own.ok("share", "unload", "twice")
    assert own.json("--as", "human:eve", "search", "dogs")["results"] == []
    assert validated(own.ok("--json", "share", "load", "--list"))["stacks"][0]["name"] == "bella"
    assert validated(own.ok("--as", "human:eve", "--json", "share", "load", "--list"))["stacks"] == []
    asked = "stacks that are loaded here are not asked; --stack bella asks one"
    for told in (("--entity", MAX), ("--subject", "dog:bella")):
        assert asked in own.run("privacy", "audit", *told).stderr
    assert "--stack" not in own.run("privacy", "audit", "--entity", MAX, "--stack", "bella").stderr
    assert dict(everything_in(tmp_path / "stack")) == before
    assert [path for path in own.vault.rglob("*.md") if "fetch" in path.name and "luna" not in path.name] == []
    validated(own.ok("--json", "share", "unload", "bella"))
    assert {hit.get("stack") for hit in own.json("search", "fetch")["results"]} == {None}
    assert own.run("share", "unload", "bella").returncode == 3


def test_a_hit_of_a_loaded_stack_can_be_shown_as_it_was_printed(own: Program, tmp_path: Path) -> None:
    own.ok("share", "load", "../stack")
    printed = own.ok("search", "two short walks", "-n", "1").split(": ")[0]
    assert printed.startswith("stack:stack/beliefs/walks.md:")
    for named in (printed, f"{printed}:", printed.rpartition(":")[0], "../stack/beliefs/walks.md", "Walks", "m_walks"):
        shown = own.ok("show", named)
        assert "stack:stack/beliefs/walks.md" in shown, named
        assert "Two short walks" in shown
        assert "[stack stack]" in shown
        assert HIDDEN["id"] not in shown
    (own.vault / "sub").mkdir()
    assert "Two short walks" in own.ok("show", "../../stack/beliefs/walks.md", cwd=own.vault / "sub")
    assert own.ok("show", "--path", "Walks", cwd=own.vault / "sub").strip() == str(tmp_path / "stack/beliefs/walks.md")
    assert validated(own.ok("--json", "show", "m_walks00001"))["path"] == "stack:stack/beliefs/walks.md"
    for flag in ("--full", "--whole", "--trace", "--verified"):
        assert "walks" in own.ok("show", "m_walks00001", flag).lower(), flag

    for named in ("m_walks00001", printed.rpartition(":")[0], f"{printed.rpartition(':')[0]}:L9-L9"):
        cited = own.json("show", "--cite", named)
        assert cited["citation"]["path"] == "stack:stack/beliefs/walks.md", named
        assert own.json("show", "--cite", cited["text"])["status"] == "same", named
    assert (
        own.run("show", "--cite", HIDDEN["id"]).returncode == own.run("show", "--cite", "m_nothing00").returncode == 3
    )

    # What is hidden in the stack, or shared with somebody else, is not there; what would change it says where it is.
    unknown = own.run("show", "m_nothing00")
    for missing in (HIDDEN["id"], HIDDEN["title"], f"../stack/{HIDDEN['path']}"):
        done = own.run("show", missing)
        assert (done.returncode, done.stderr.replace(missing, "m_nothing00")) == (unknown.returncode, unknown.stderr)
    assert own.run("show", "m_walks00001", "--as", "human:eve").returncode == unknown.returncode
    refused = own.run("edit", printed, "Something else.")
    assert refused.returncode == unknown.returncode
    assert "is in the loaded stack stack, which is only read" in refused.stderr
    assert "hint: memstore show stack:stack/beliefs/walks.md" in refused.stderr
    refused = own.run("add", "A walk of one's own.", "--derived-from", "m_walks00001")
    assert refused.returncode == unknown.returncode
    assert "`derived_from` names memories of this vault, and `m_walks00001` is in the loaded stack" in refused.stderr
    assert "hint: derived_from takes stack:stack/m_walks00001" in refused.stderr
    own.ok("add", "A walk of one's own.", "--derived-from", "stack:stack/m_walks00001")
    own.ok("share", "unload", "stack")
    assert own.run("show", printed).returncode == unknown.returncode


def test_others_who_listen_are_not_told_what_was_shared_with_one(own: Program) -> None:
    own.ok("share", "load", "../stack")
    own.ok("context", "add", "ctx:park", "--roster", MAX, "si:luna_agent")
    own.ok("context", "add", "ctx:home", "--roster", MAX)
    assert own.json("search", "dogs love")["results"]
    assert own.json("--context", "ctx:park", "search", "dogs love")["results"] == []
    assert own.json("--context", "ctx:home", "search", "dogs love")["results"]


def test_a_stack_that_is_gone_is_told_and_stops_nothing(own: Program, tmp_path: Path) -> None:
    own.ok("share", "load", "../stack")
    (tmp_path / "stack").rename(tmp_path / "elsewhere")
    done = own.run("search", "luna ball")
    assert done.returncode == 0
    assert "is not a shared stack" in done.stderr


def test_a_stack_that_was_moved_is_loaded_under_its_name_again(own: Program, tmp_path: Path) -> None:
    own.ok("share", "load", "../stack")
    [before] = own.json("share", "load", "--list")["stacks"]
    (tmp_path / "stack").rename(tmp_path / "elsewhere")
    for words, options in (("../elsewhere",), ("--name", before["name"])), (("../elsewhere",), ()):
        done = own.run("share", "load", *words, *options)
        assert done.returncode == 0
        was_told = f"{before['name']} was loaded from {tmp_path / 'stack'}, where it is no longer" in done.stderr
        assert was_told == bool(options)  # the second time, it is where it was
    [after] = own.json("share", "load", "--list")["stacks"]
    assert after == before | {"folder": str(tmp_path / "elsewhere")}
    (tmp_path / "elsewhere/.memstore").rename(tmp_path / "elsewhere/gone")  # a folder is left, without a stack
    shutil.copytree(tmp_path / "elsewhere", tmp_path / "again")
    (tmp_path / "again/gone").rename(tmp_path / "again/.memstore")
    [third] = own.json("share", "load", "../again", "--name", before["name"])["stacks"]
    assert (third["folder"], third["replaced"]) == (str(tmp_path / "again"), str(tmp_path / "elsewhere"))


def test_a_stack_that_is_there_or_may_be_is_never_replaced(own: Program, tmp_path: Path) -> None:
    own.ok("share", "load", "../stack", "--name", "mine")
    shutil.copytree(tmp_path / "stack", tmp_path / "other")
    manifest = tmp_path / "stack/.memstore/stack.json"
    for spoil in (lambda: None, lambda: manifest.write_text("{"), lambda: (tmp_path / "stack").chmod(0)):
        spoil()
        done = own.run("share", "load", "../other", "--name", "mine")
        (tmp_path / "stack").chmod(0o755)
        assert done.returncode == 4
        assert f"another stack is loaded as mine: {tmp_path / 'stack'}" in done.stderr


def _manifest(folder: Path, **changes: Any) -> None:
    path = folder / ".memstore/stack.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def _linked(folder: Path, place: str) -> None:
    (folder / place).unlink()
    (folder / place).symlink_to("/etc/passwd")


def _listing(folder: Path, path: str) -> None:
    said = json.loads((folder / ".memstore/stack.json").read_text())
    _manifest(folder, memories=[{**said["memories"][0], "path": path}])


HOSTILE: dict[str, Callable[[Path], object]] = {
    "no manifest": lambda folder: (folder / ".memstore/stack.json").unlink(),
    "not JSON": lambda folder: (folder / ".memstore/stack.json").write_text("{"),
    "deep JSON": lambda folder: (folder / ".memstore/stack.json").write_text("[" * 100_000),
    "a list": lambda folder: (folder / ".memstore/stack.json").write_text("[]"),
    "another format": lambda folder: _manifest(folder, format="memstore.stack/9"),
    "for somebody else": lambda folder: _manifest(folder, to="human:eve"),
    "a wrong type": lambda folder: _manifest(folder, memories={"a": 1}),
    "a strange name": lambda folder: _manifest(folder, name="../x"),
    "a path outside": lambda folder: _listing(folder, "../own/secret.md"),
    "an absolute path": lambda folder: _listing(folder, "/etc/passwd"),
    "git's own path": lambda folder: _listing(folder, ".git/config"),
    "a link": lambda folder: _linked(folder, "notes/fetch.md"),
    "a linked manifest": lambda folder: _linked(folder, ".memstore/stack.json"),
    "a linked folder": lambda folder: (folder / "more").symlink_to("/etc"),
    "a linked .git": lambda folder: (folder / ".git").symlink_to((folder / ".git").rename(folder / "g")),
    "a huge file": lambda folder: os.truncate(folder / "notes/fetch.md", 1 << 40),
    "a pipe": lambda folder: os.mkfifo(folder / "pipe.md"),
    "a missing file": lambda folder: (folder / "notes/fetch.md").unlink(),
    "another text": lambda folder: (folder / "notes/fetch.md").write_bytes(b"---\ntype: note\n---\n"),
    "one file more": lambda folder: (folder / "notes/more.md").write_bytes(b"---\ntype: note\n---\n"),
}  # fmt: skip


def test_a_folder_that_is_not_what_it_says_is_refused(own: Program, tmp_path: Path) -> None:
    whole, place = tmp_path / "whole", tmp_path / "stack"
    place.rename(whole)
    for how, spoil in HOSTILE.items():
        shutil.copytree(whole, place, symlinks=True)
        spoil(place)
        done = own.run("share", "load", "../stack")
        assert done.returncode in (2, 3, 4, 5, 6), (how, done.returncode, done.stderr)
        assert "unexpected" not in done.stderr, how
        assert "hint:" in done.stderr, how
        shutil.rmtree(place)
    assert own.json("share", "load", "--list")["stacks"] == []


def test_nothing_in_a_stack_is_executed_or_decides(own: Program, tmp_path: Path) -> None:
    own.ok("share", "load", "../stack")
    stack, marker = tmp_path / "stack", tmp_path / "executed"
    script = stack / ".git/run"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    with (stack / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {script}\n\tsshCommand = {script}\n[gpg]\n\tprogram = {script}\n")
    (stack / ".git/hooks").mkdir()
    for hook in ("post-index-change", "reference-transaction", "pre-commit"):
        shutil.copy(script, stack / ".git/hooks" / hook)
    (stack / ".memstore/config.toml").write_text(f'format = 1\nowner = "{MAX}"\nrequire_context = true\n')
    (stack / "groups").mkdir()
    (stack / "groups/all.yaml").write_text("id: group:all\nmembers: [{id: 'human:eve'}]\n")
    put_into = stack / "notes/slipped.md"
    put_into.write_bytes(memory_text("Dogs slipped in.\n", id="m_slipped001", access_grants="['*', 'group:all']"))
    found = own.json("search", "dogs")["results"]
    assert [hit["ref"] for hit in found] == ["note:m_fetch00001"]
    assert own.json("--as", "human:eve", "search", "dogs")["results"] == []
    own.ok("trust", own.json("list")["memories"][0]["ref"])
    assert not marker.exists()


# -- later -----------------------------------------------------------------------------------------


def history(folder: Path) -> int:
    return int(
        subprocess.run(
            ["git", "-C", str(folder), "rev-list", "--count", "HEAD"], capture_output=True, check=True
        ).stdout
    )


def test_an_update_is_one_more_commit_and_only_the_difference(vault: Program, tmp_path: Path) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    assert vault.run("share", "--update", "stack").stderr == "nothing changed\n"
    assert history(tmp_path / "stack") == 1
    put(vault, "notes/new.md", "Luna swims.\n", id="m_new0000001", access_grants="[si:max]")
    listed = validated(vault.ok("--json", "share", "--list"))["stacks"][0]
    assert (listed["current"], listed["new"], listed["withdrawn"]) == (False, ["m_new0000001"], [])
    done = validated(vault.ok("--json", "share", "--update", str(tmp_path / "stack")))
    assert (done["new"], done["changed"], done["withdrawn"], done["rewritten"]) == (["notes/new.md"], [], [], False)
    assert history(tmp_path / "stack") == 2
    assert vault.json("--vault", "../stack", "--as", MAX, "search", "luna swims")["total"] == 1
    assert vault.json("share", "--list")["stacks"][0]["current"]
    status = ["git", "-C", str(tmp_path / "stack"), "status", "--porcelain"]
    assert subprocess.run(status, capture_output=True, check=True).stdout == b""


def test_what_is_withdrawn_leaves_the_history_too(vault: Program, tmp_path: Path) -> None:
    put(
        vault, "notes/later.md", "obfuscated again.\n", id="m_later00001", title="Perspicuous", access_grants="[si:max]"
    )
    vault.ok("share", "--to", MAX, "../stack")
    vault.ok("privacy", "revoke", "m_later00001", "--from", MAX)
    assert "may see it no longer" in vault.ok("share", "--list")
    done = vault.run("share", "--update", "stack")
    assert done.returncode == 0, done.stderr
    assert "can't be called back" in done.stderr
    assert "history began anew" in done.stderr
    assert history(tmp_path / "stack") == 1
    gone = [b"m_later00001", b"Perspicuous", b"obfuscated"]
    assert [word for _, data in everything_in(tmp_path / "stack") for word in gone if word in data] == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".memstore")] == []


def of_its_own(program: Program) -> Path:
    """Give a program a cache that it shares with nobody, and return the folder."""
    program.environment = {**program.environment, "XDG_CACHE_HOME": str(program.home / "cache of its own")}
    return program.home / "cache of its own"


def words_in(folder: Path, *words: str) -> set[str]:
    """Return the words that are in the files below a folder."""
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return {word for word in words if word.encode() in everything}


def test_what_is_withdrawn_leaves_the_cache_of_whoever_loaded_it(vault: Program, own: Program) -> None:
    put(vault, "notes/later.md", "obfuscated again, and otters.\n", id="m_later00001", access_grants="[si:max]")
    vault.ok("share", "--update", "stack")
    cache = of_its_own(own)
    own.ok("share", "load", "../stack")
    assert own.json("search", "otters")["total"] == 1
    own.ok("recall", "obfuscated otters")
    own.ok("conflicts")
    assert words_in(cache, "otter", "obfuscat") == {"otter", "obfuscat"}
    vault.ok("privacy", "revoke", "m_later00001", "--from", MAX)
    vault.ok("share", "--update", "stack")
    assert own.json("search", "otters")["total"] == 0
    assert words_in(cache, "otter", "obfuscat", "morn") == {"morn"}
    assert own.json("search", "fetch")["total"] == 2


def test_a_stack_that_is_loaded_no_longer_leaves_nothing_in_the_cache(own: Program) -> None:
    cache = of_its_own(own)
    own.ok("share", "load", "../stack")
    own.ok("search", "dogs love fetch")
    assert words_in(cache, "morn", "luna") == {"morn", "luna"}
    own.ok("share", "unload", "stack")
    assert words_in(cache, "morn", "luna") == {"luna"}
    assert own.json("search", "fetch")["total"] == 1


def test_status_tells_whose_copy_has_what_they_may_see_no_longer(vault: Program) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    assert "stack" not in vault.run("status").stderr
    vault.ok("privacy", "revoke", "m_walks00001", "--from", MAX)
    told = vault.run("status").stderr
    assert "the stack stack has 1 memory that its recipients may see no longer" in told
    assert "memstore share --update stack" in told
    vault.ok("share", "--update", "stack")
    assert "no longer" not in vault.run("status").stderr
    told = vault.run("forget", "m_fetch00001").stderr
    assert "the stack stack has 1 memory that its recipients may see no longer" in told


def test_a_stack_that_stopped_being_shared_by_time_is_told(vault: Program, tmp_path: Path) -> None:
    vault.ok("privacy", "group", "add", "group:care", MAX, SEAN, "--until", "2031-01-01")
    put(vault, "notes/care.md", "Bella naps at two.\n", id="m_care000001", access_grants="['group:care']")
    vault.ok("share", "--to", MAX, "../stack")
    said = read_manifest((tmp_path / "stack/.memstore/stack.json").read_bytes())
    assert [(one.id, one.until) for one in said.memories if one.until] == [("m_care000001", "2031-01-01T00:00:00Z")]
    past = vault.home / "stack/.memstore/stack.json"
    past.write_text(past.read_text().replace("2031-01-01", "2021-01-01"))
    seen = vault.json("--vault", "../stack", "--as", MAX, "list")["memories"]
    assert sorted(one["ref"] for one in seen) == ["belief:m_walks00001", "note:m_fetch00001"]


def test_killed_at_any_time_there_is_a_whole_stack_or_none(vault: Program, tmp_path: Path) -> None:
    began = time.monotonic()
    vault.ok("share", "--to", MAX, "../whole")
    took = time.monotonic() - began
    outcomes = set()
    for number in range(10):
        place = tmp_path / "stack"
        with vault.start("share", "--to", MAX, "../stack") as running:
            with suppress(subprocess.TimeoutExpired):
                running.wait(took * (0.3 + 0.08 * number))
            running.kill()
        outcomes.add(place.exists())
        if place.exists():
            manifest = read_manifest((place / ".memstore/stack.json").read_bytes())
            assert {one.path for one in manifest.memories} == {"beliefs/walks.md", "notes/fetch.md"}
            assert subprocess.run(["git", "-C", str(place), "fsck", "--strict"], check=False).returncode == 0
            assert vault.run("--vault", str(place), "check").returncode == 0
            vault.ok("share", "--update", str(place))
            shutil.rmtree(place)
        for left in tmp_path.glob(".memstore-unfinished-*"):
            assert not (left / ".memstore").exists()  # nobody takes it for a stack
            shutil.rmtree(left, ignore_errors=True)  # git may still write there
        kept = json.loads(next((vault.vault / ".git/memstore").rglob("stacks.json")).read_text())
        if "stack" in kept["shared"]:
            break
    vault.ok("share", "--to", MAX, "../stack", "--name", "again")


STRUCK = """
import os, sys
import memstore

target, commands = sys.argv[1], sys.argv[2:]
COUNTED = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "subprocess.Popen", "shutil.copytree", "shutil.rmtree"}


def update(strike):
    left = [strike]

    def struck(event, arguments):
        writes = event in COUNTED or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR))
        left[0] -= writes
        if writes and left[0] == 0:
            os.kill(os.getpid(), 9)

    sys.addaudithook(struck)
    with memstore.open_vault(".") as vault:
        vault.stacks.update(target)
    os._exit(0 if left[0] > 0 else 1)


with memstore.open_vault(".") as vault:
    vault.stacks.update(target, dry_run=True)  # loads what the forks need
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        update(int(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def test_an_update_that_is_killed_at_any_step_leaves_the_old_or_the_new_stack(vault: Program, tmp_path: Path) -> None:
    put(vault, "notes/later.md", "obfuscated again.\n", id="m_later00001", access_grants="[si:max]")
    vault.ok("share", "--to", MAX, "../stack")
    put(vault, "notes/later.md", "obfuscated again.\n", id="m_later00001")
    put(vault, "notes/new.md", "Luna swims.\n", id="m_new0000001", access_grants="[si:max]")
    place, kept = tmp_path / "stack", tmp_path / "kept"
    shutil.copytree(place, kept)
    old = (place / ".memstore/stack.json").read_bytes()
    paths = {True: {"beliefs/walks.md", "notes/fetch.md", "notes/later.md"},
             False: {"beliefs/walks.md", "notes/fetch.md", "notes/new.md"}}  # fmt: skip
    words = [sys.executable, "-c", STRUCK, "stack"]
    outcomes = set()
    with subprocess.Popen(words, cwd=vault.vault, env=vault.environment, stdin=-1, stdout=-1, text=True) as program:
        assert program.stdin
        assert program.stdout
        strikes = iter([1, 5, 12, 20, 30, 45, 70, 100, 140, 190, 250, 10_000])
        code = -9
        while code == -9:
            shutil.rmtree(place)
            shutil.copytree(kept, place)
            program.stdin.write(f"{next(strikes)}\n")
            program.stdin.flush()
            code = int(program.stdout.readline())
            is_old = (place / ".memstore/stack.json").read_bytes() == old
            outcomes.add((is_old, code))
            assert {str(path.relative_to(place)) for path in place.rglob("*.md")} == paths[is_old]
            assert subprocess.run(["git", "-C", str(place), "fsck", "--strict"], check=False).returncode == 0
    assert code == 0
    assert {(True, -9), (False, 0)} <= outcomes
    shutil.rmtree(place)
    shutil.copytree(kept, place)
    assert vault.run("share", "--update", "stack").returncode == 0  # whatever the killed ones had begun
    assert not [*tmp_path.glob(".memstore-unfinished-*")]
    assert {str(path.relative_to(place)) for path in place.rglob("*.md")} == paths[False]


def test_a_stack_whose_folder_is_gone_is_made_anew(vault: Program, tmp_path: Path) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    for target in ("stack", "../stack"):
        shutil.rmtree(tmp_path / "stack")
        assert vault.json("share", "--update", target, "--dry-run")["new"] == ["beliefs/walks.md", "notes/fetch.md"]
        assert not (tmp_path / "stack").exists()
        assert vault.json("share", "--update", target)["rewritten"]
        assert vault.json("share", "--list")["stacks"][0]["current"]
    assert vault.run("share", "--update", "../none").returncode != 0


def test_a_stack_that_was_moved_is_known_in_its_new_folder_after_an_update(vault: Program, tmp_path: Path) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    (tmp_path / "stack").rename(tmp_path / "moved")
    assert "is gone" in vault.ok("share", "--list")
    assert vault.run("share", "--update", "../moved", "--dry-run").stderr == "nothing changed\n"
    assert "is gone" in vault.ok("share", "--list")
    assert vault.run("share", "--update", "../moved").stderr == "nothing changed\n"
    told = vault.ok("share", "--list")
    assert str(tmp_path / "moved") in told
    assert "is gone" not in told


def test_a_stack_of_another_vault_is_not_updated(vault: Program, tmp_path: Path) -> None:
    vault.ok("share", "--to", MAX, "../stack")
    said = read_manifest((tmp_path / "stack/.memstore/stack.json").read_bytes())
    (tmp_path / "stack/.memstore/stack.json").write_bytes(written(said).replace(said.id.encode(), b"stk_0000000000"))
    assert vault.run("share", "--update", "stack").returncode == 4
    assert vault.run("share", "--update", "nowhere").returncode != 0


def test_a_group_hears_what_all_of_its_members_may_and_for_as_long_as_they_are_in_it(vault: Program) -> None:
    vault.ok("privacy", "group", "add", "group:care", "si:max", "human:sean")
    put(vault, "notes/care.md", "Bella naps at two.\n", id="m_care000001", access_grants="['group:care']")
    vault.ok("share", "--to", "group:care", "../care")
    for member in (MAX, SEAN):
        refs = [
            hit["ref"] for hit in vault.json("--vault", "../care", "--as", member, "search", "naps fetch")["results"]
        ]
        assert sorted(refs) == ["note:m_care000001", "note:m_fetch00001"]
    assert vault.json("--vault", "../care", "--as", "human:eve", "search", "naps")["results"] == []
    vault.ok("privacy", "group", "remove", "group:care", SEAN)
    assert not vault.json("share", "--list")["stacks"][0]["current"]
    vault.ok("share", "--update", "care")
    assert vault.json("--vault", "../care", "--as", SEAN, "search", "naps")["results"] == []
    assert vault.json("--vault", "../care", "--as", MAX, "search", "naps walks")["total"] == 2


# -- stacks by name --------------------------------------------------------------------------------


def test_a_stack_is_audited_by_its_name_by_who_shared_and_who_loaded_it(vault: Program, own: Program) -> None:
    own.ok("share", "load", "../stack", "--name", "bella")
    by_owner = validated(vault.ok("--json", "privacy", "audit", "--stack", "stack"))["memories"]
    assert [(one["ref"], [who["entity"] for who in one["seen_by"]]) for one in by_owner] == [
        ("belief:m_walks00001", [MAX]),
        ("note:m_fetch00001", [MAX]),
    ]
    loaded = own.json("privacy", "audit", "--stack", "bella", "--entity", MAX)["memories"]
    assert [one["ref"] for one in loaded] == ["belief:m_walks00001", "note:m_fetch00001"]
    assert own.json("--as", "human:eve", "privacy", "audit", "--stack", "../stack")["memories"] == []
    assert own.run("--as", "human:eve", "privacy", "audit", "--stack", "bella").returncode != 0


def test_an_agent_audits_a_stack_by_its_name_alone(vault: InProcess, own: InProcess) -> None:
    own.ok("share", "load", "../stack", "--name", "bella")

    def audited(program: InProcess, who: str, **arguments: str) -> ToolAnswer:
        server = served(program, entity=who, offered="seeds")
        return server.call("privacy_audit", arguments)

    for program, who, arguments in (
        (own, MAX, {"stack": "bella", "entity": MAX}),
        (own, MAX, {"stack": "bella", "subject": "dog:bella"}),
        (vault, OWNER, {"stack": "stack"}),
        (own, "human:eve", {"stack": "bella"}),
        (own, MAX, {"stack": "nowhere", "entity": MAX}),
    ):
        words = [word for name, value in arguments.items() for word in (f"--{name}", value)]
        said = program.run("--as", who, "--self", "--json", "privacy", "audit", *words)
        answer = audited(program, who, **arguments)
        assert answer.document == json.loads(said.stdout or said.stderr)
    # The folder is the person's to name, and isn't told from one that isn't there.
    folder, nothing = (str(own.home / name) for name in ("stack", "stock"))
    texts = [audited(own, MAX, stack=one, entity=MAX).text.replace(one, "-") for one in (folder, nothing)]
    assert texts[0] == texts[1]
    assert "no stack was shared or loaded" in texts[0]
    assert own.run("privacy", "audit", "--stack", folder, "--entity", MAX).returncode == 0


def test_the_documents_call_loads_a_stack_by_its_name(own: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in own.environment.items():
        monkeypatch.setenv(name, value)
    own.ok("share", "load", "../stack", "--name", "student_123")
    with memstore.open_vault(own.vault, entity=MAX) as opened:
        k = seeds.Kernle(opened)
        for stack in ("student_123", "stack:student_123", own.home / "stack"):
            assert sorted(one.title for one in k.load_shared_stack(stack, MAX)) == ["Fetch", "Walks"]
        assert k.load_shared_stack("student_123", "si:tutor_b") == []
        assert len(k.load_shared_stack("student_123", MAX, [MAX])) == 2


# -- who signed ------------------------------------------------------------------------------------


def test_a_signed_memory_without_some_of_its_refs_is_shown_as_such(vault: Program, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    vault.ok("trust", "keys", "add", OWNER, f"{key}.pub")
    ref = vault.json("add", "Short walks are better.", "--derived-from", f"note:{HIDDEN['id']}")["ref"]
    other = vault.json("add", "Long walks are worse.", "--access", MAX)["ref"]
    vault.ok("trust", "sign", ref, "--key", str(key))
    vault.ok("trust", "sign", other, "--key", str(key))
    path = vault.vault / vault.ok("show", "--path", ref).strip()
    opened = "access_grants: [si:max]\ngeneralized: true\ngeneralization: {verdict: safe}\n"
    path.write_text(path.read_text().replace("\n---\n", f"\n{opened}---\n", 1))
    assert vault.json("trust", ref)["signature"]["state"] == "valid"
    vault.ok("share", "--to", MAX, "../stack")
    states = {one: vault.ok("--vault", "../stack", "--as", MAX, "trust", one) for one in (ref, other)}
    assert "provenance-withheld" in states[ref], states[ref]
    assert "provenance-withheld" not in states[other]
    assert vault.run("--vault", "../stack", "check").returncode == 0
    assert withheld_provenance(tmp_path / "stack", ref) in vault.ok("trust", "attest", "digest", ref)

    # It is the same after a change and an update, and once it is out of date.
    path.write_text(path.read_text().replace("are better", "are much better"))
    vault.ok("trust", "sign", ref, "--key", str(key))
    vault.ok("share", "--update", "stack")
    assert "provenance-withheld" in vault.ok("--vault", "../stack", "--as", MAX, "trust", ref)
    assert withheld_provenance(tmp_path / "stack", ref) in vault.ok("trust", "attest", "digest", ref)
    path.write_text(path.read_text().replace("much better", "best"))
    vault.ok("share", "--update", "stack")
    told = vault.ok("--vault", "../stack", "--as", MAX, "trust", ref)
    assert "provenance-withheld" not in told
    assert "valid" not in told


def withheld_provenance(stack: Path, ref: str) -> str:
    """Return the digest of the provenance of which a stack has only a part."""
    withheld = read_manifest((stack / ".memstore/stack.json").read_bytes()).memory(ref.partition(":")[2])
    assert withheld
    assert withheld.withheld
    return str(withheld.provenance).removeprefix("sha256:")
