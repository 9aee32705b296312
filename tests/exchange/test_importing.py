"""What holds for the import of every format."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memstore.core.digests import blob_id
from memstore.exchange import importing
from memstore.exchange.formats import IMPORTERS
from tests.exchange.sources import FICUS_TALK, MANGLED, PROJECTS, SOURCES
from tests.installed import validated
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMATS = sorted(SOURCES)
_MARK = re.compile(r"file:(imports/\S+\.original)#L(\d+)(?:-L(\d+))?@([0-9a-f]+)")


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    """Return a vault with a memory of its own."""
    program = InProcess(tmp_path)
    program.init()
    program.add("The ficus needs water on Mondays.")
    return program


def files(program: InProcess) -> dict[str, bytes]:
    """Return the files of a vault, except git's."""
    return {
        path.relative_to(program.vault).as_posix(): path.read_bytes()
        for path in program.vault.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(program.vault).parts
    }


def summary(program: InProcess) -> tuple[int, int]:
    """Return how many errors and warnings `check` finds."""
    found = [finding["severity"] for finding in program.json("check")["findings"]]
    return found.count("error"), found.count("warning")


def laid_out(program: InProcess, name: str) -> str:
    """Write the source of a format, and return what is named."""
    return str(SOURCES[name].lay_out(program.home / "source"))


def test_every_format_has_a_source() -> None:
    assert {*FORMATS} == {*IMPORTERS}


@pytest.mark.soak(3)
@pytest.mark.parametrize("name", FORMATS)
def test_a_source_becomes_memories_that_check_finds_sound(vault: InProcess, name: str) -> None:
    before = files(vault)
    done = validated(vault.ok("--json", "import", name, laid_out(vault, name)))
    shown = [vault.json("show", memory["ref"]) for memory in done["memories"]]
    assert sorted(memory["title"] for memory in shown) == sorted(SOURCES[name].titles)
    assert all(memory["source"] and memory["source_type"] for memory in shown)
    assert {memory["title"] for memory in shown if not memory["created_at"]} == SOURCES[name].undated
    assert summary(vault) == (0, 0)
    assert {path: data for path, data in files(vault).items() if path in before} == before


@pytest.mark.parametrize("name", FORMATS)
def test_a_second_import_adds_nothing(vault: InProcess, name: str) -> None:
    place = laid_out(vault, name)
    first = vault.json("import", name, place)
    before = files(vault)
    again = validated(vault.ok("--json", "import", name, place, "-c"))
    assert (again["memories"], again["different"], again["originals"]) == ([], [], [])
    assert sorted(again["known"]) == sorted(memory["ref"] for memory in first["memories"])
    assert files(vault) == before


@pytest.mark.parametrize("name", FORMATS)
def test_a_dry_run_writes_nothing_and_shows_what_would_be_written(vault: InProcess, name: str) -> None:
    place = laid_out(vault, name)
    before = files(vault)
    told = vault.json("import", name, place, "--dry-run")
    assert files(vault) == before
    done = vault.json("import", name, place)
    assert [memory["path"] for memory in told["memories"]] == [memory["path"] for memory in done["memories"]]
    assert all(memory["diff"].startswith("--- /dev/null\n") for memory in told["memories"])


def citations(program: InProcess, name: str) -> Iterator[tuple[str, int, int, str]]:
    """Import a source; yield the citations of all memories."""
    for memory in program.json("import", name, laid_out(program, name))["memories"]:
        found = _MARK.findall((program.vault / memory["path"]).read_text(encoding="utf-8"))
        assert found, memory
        yield from ((path, int(first), int(last or first), blob) for path, first, last, blob in found)


@pytest.mark.parametrize("name", FORMATS)
def test_each_memory_cites_lines_of_a_kept_original(vault: InProcess, name: str) -> None:
    cited = list(citations(vault, name))
    kept = files(vault)
    for path, first, last, blob in cited:
        assert blob_id(kept[path]).startswith(blob)
        assert blob in path
        assert 1 <= first <= last <= max(len(kept[path].splitlines()), 1)
    assert {path for path in kept if path.startswith("imports/")} == {path for path, *_ in cited}


@pytest.mark.parametrize("name", FORMATS)
def test_undo_takes_all_of_an_import_back(vault: InProcess, name: str) -> None:
    before = files(vault)
    vault.ok("import", name, laid_out(vault, name))
    vault.ok("undo")
    assert files(vault) == before


@pytest.mark.soak(3)
@pytest.mark.parametrize("name", FORMATS)
def test_an_import_is_committed_with_its_originals(vault: InProcess, name: str) -> None:
    vault.ok("commit")
    vault.ok("import", name, laid_out(vault, name), "-c")
    assert vault.git("status", "--short") == ""
    assert "imports/" in vault.git("show", "--name-only", "HEAD")


@pytest.mark.parametrize("case", sorted(MANGLED))
def test_what_is_mangled_is_named_with_its_place_and_the_rest_comes_in(vault: InProcess, case: str) -> None:
    made, said, has_more = MANGLED[case]
    place = made.lay_out(vault.home / "source")
    before = files(vault)
    for strict in (["--strict"], *([] if has_more else [[]])):
        done = vault.run("import", case.partition(",")[0], str(place), *strict)
        assert (done.returncode, done.stdout) == (5, "")
        assert said in done.stderr
        assert files(vault) == before
    if has_more:
        done = vault.run("import", case.partition(",")[0], str(place))
        assert done.returncode == 1
        assert said in done.stderr.replace(": left out: ", ": ")
        assert summary(vault) == (0, 0)
        assert len(files(vault)) > len(before)


# -- whose originals are -------------------------------------------------------------------------


def test_only_the_vaults_owner_imports(vault: InProcess) -> None:
    place = laid_out(vault, "okf")
    for who in (["--as", "human:bob"], ["--context", "ctx:park"]):
        there, absent = (vault.run(*who, "import", "okf", path) for path in (place, f"{place}-not"))
        assert (there.returncode, there.stdout, there.stderr) == (absent.returncode, absent.stdout, absent.stderr)
        assert there.returncode == 4


def test_originals_are_neither_indexed_nor_there_for_others(vault: InProcess) -> None:
    vault.ok("import", "markdown", laid_out(vault, "markdown"))
    original = next(path for path in files(vault) if path.startswith("imports/"))
    assert all(not path.startswith("imports/") for path in vault.found("tea OR notes OR gardener"))
    assert {memory["path"] for memory in vault.json("list")["memories"]} & {original} == set()
    for words in (
        ["raw", "-F", original],
        ["add", "tea", "--cite", f"{original}:L1"],
        ["show", "--cite", f"{original}:L1"],
    ):
        there = vault.run("--as", "human:bob", *words)
        absent = vault.run("--as", "human:bob", *(word.replace(original, "imports/none.original") for word in words))
        assert there.returncode == absent.returncode != 0
        assert there.stderr.replace(original, "imports/none.original") == absent.stderr


def test_originals_are_no_notes_of_a_mixed_vault(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    (program.vault / "imports").mkdir()
    (program.vault / "imports" / "mine.md").write_text("My own note about tea.\n")
    program.ok("init", ".", "--owner", "human:tester")
    program.ok("import", "basic-memory", laid_out(program, "basic-memory"))
    found = {path for path in program.found("water OR note OR tea") if path.startswith("imports/")}
    assert found == {"imports/mine.md"}
    assert summary(program) == (0, 0)


# -- sources that change, or come otherwise --------------------------------------------------------


def test_what_changed_in_the_source_comes_in_beside_what_there_is(vault: InProcess) -> None:
    place = laid_out(vault, "basic-memory")
    vault.ok("import", "basic-memory", place)
    (vault.home / "source/main/garden.md").write_text("---\ntitle: Garden\n---\nNo trees.\n")
    before = files(vault)
    again = vault.json("import", "basic-memory", place)
    (memory,) = again["memories"]
    assert "No trees." in (vault.vault / memory["path"]).read_text()
    assert (again["different"], len(again["known"])) == ([], 1)
    assert {path: data for path, data in files(vault).items() if path in before} == before


def test_what_changed_here_stays_as_it_is(vault: InProcess) -> None:
    place = laid_out(vault, "mem0")
    (memory,) = vault.json("import", "mem0", place)["memories"]
    vault.ok("edit", memory["ref"], "Ada likes black tea")
    before = files(vault)
    again = vault.json("import", "mem0", place)
    assert (again["memories"], again["different"]) == ([], [memory["ref"]])
    assert files(vault) == before


def test_folders_of_the_same_name_are_not_taken_for_each_other(vault: InProcess) -> None:
    for number in range(2):
        (vault.home / f"{number}/workspace/memory").mkdir(parents=True)
        (vault.home / f"{number}/workspace/memory/2026-02-01.md").write_text(f"Day {number}.\n")
        assert len(vault.json("import", "openclaw", str(vault.home / f"{number}/workspace"))["memories"]) == 1


def test_a_taken_place_is_left_to_whoever_has_it(vault: InProcess) -> None:
    taken = vault.vault / "notes/main/garden.md"
    taken.parent.mkdir(parents=True)
    taken.write_text("---\ntype: note\n---\nSomebody's.\n")
    done = vault.json("import", "basic-memory", laid_out(vault, "basic-memory"))
    assert "Somebody's" in taken.read_text()
    assert len(done["memories"]) == 2


def test_a_zip_archive_is_a_folder(vault: InProcess) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in SOURCES["okf"].files.items():
            archive.writestr(name.removeprefix("bundle/"), text)
        archive.writestr("__MACOSX/._x.md", "x")
    (vault.home / "bundle.zip").write_bytes(buffer.getvalue())
    vault.ok("import", "okf", laid_out(vault, "okf"))
    again = vault.json("import", "okf", str(vault.home / "bundle.zip"))
    assert (again["memories"], len(again["known"]), again["different"]) == ([], 2, [])


def test_links_below_a_folder_still_lead_there(vault: InProcess) -> None:
    vault.ok("import", "basic-memory", laid_out(vault, "basic-memory"))
    links = vault.json("links", "notes/main/garden/ficus.md")["outgoing"]
    assert [link["to"]["path"] for link in links] == ["notes/main/garden.md", "notes/main/garden.md"]


def test_a_graph_of_logseq_keeps_its_names_and_links(vault: InProcess) -> None:
    done = vault.json("import", "markdown", laid_out(vault, "markdown"))
    left = {one["where"].partition("vault/")[2]: one["why"] for one in done["left_out"]}
    assert left == {
        "journals/2026_02_02.md": "it has no text",
        "logseq/bak/pages/Ada/2026-01-01.md": "it is a backup of Logseq's",
        "pages/Old.org": "it is not Markdown",
        "Plants.base": "it is not Markdown",
    }
    ficus = vault.json("show", "Fig tree")
    assert (ficus["title"], ficus["created_at"]) == ("The ficus", "2025-03-04T00:00:00Z")
    assert (ficus["tags"], ficus["aliases"]) == (["plants", "in-the-house"], ["Fig tree", "Ficus benjamina", "Ficus"])
    assert "watered-by:: [[Ada]]" in ficus["body"]
    led_to = [link["to"]["title"] for link in vault.json("links", "Garden/Beds")["outgoing"]]
    assert led_to == ["2026_02_01", "The ficus", "Plan"]


def test_a_canvas_of_obsidian_is_its_cards_and_what_its_arrows_connect(vault: InProcess) -> None:
    vault.ok("import", "markdown", laid_out(vault, "markdown"))
    body = vault.json("show", "Plan.canvas")["body"].strip()
    cards = ["## Spring\nBuy pots", "[[people/Ada.md]]", "<https://example.org/pots>", "This year"]
    assert body.split("\n\n") == [*cards, "- Spring → ask → [[people/Ada.md]]"]


def test_a_vault_is_not_imported_into_itself(vault: InProcess) -> None:
    for place in (".", "notes", ".."):
        done = vault.run("import", "markdown", place)
        assert (done.returncode, "memstore adopt" in done.stderr) == (2, True)
    (vault.vault / "mem0.json").write_text(str(SOURCES["mem0"].files["mem0.json"]))
    assert len(vault.json("import", "mem0", "mem0.json")["memories"]) == 1


def test_links_of_a_source_are_not_followed(vault: InProcess) -> None:
    place = laid_out(vault, "markdown")
    (vault.home / "secret.md").write_text("a secret\n")
    (vault.home / "source/vault/link.md").symlink_to(vault.home / "secret.md")
    assert "secret" not in str(vault.json("import", "markdown", place, "--dry-run"))


def test_what_other_programs_said_of_a_concept_is_kept(vault: InProcess) -> None:
    done = vault.json("import", "okf", laid_out(vault, "okf"))
    orders, customers = (
        next(
            one
            for one in (vault.json("show", memory["ref"], *more) for memory in done["memories"])
            if name in one["title"]
        )
        for name, more in (("Orders", ()), ("customers", ("--full",)))
    )
    assert (orders["author"], orders["source_type"], orders["status"]) == (None, "external", "active")
    assert all("/external-" in memory["path"] for memory in done["memories"])
    assert orders["source"] == "OKF: tables/orders.md, by human:ada"
    assert (orders["created_at"], orders["valid_until"]) == ("2026-05-28T14:30:00Z", "2027-01-01")
    assert orders["derived_from"][:2] == [customers["ref"], "url:https://example.org/orders"]
    assert orders["okf"]["sources"][1]["resource"] == "https://example.org/orders"
    assert customers["status"] == "archived"
    links = vault.json("links", orders["ref"])["outgoing"]
    assert [link["to"]["ref"] for link in links] == [customers["ref"]] * 3


def test_what_is_in_claudes_projects_is_kept_apart(vault: InProcess) -> None:
    done = vault.json("import", "claude", laid_out(vault, "claude"))
    found = {one["title"]: one for one in (vault.json("show", memory["ref"]) for memory in done["memories"])}
    project, document = found["Project The tea house"], found["beds.md"]
    assert project["body"].strip() == "Tea, and where it grows.\n\nAnswer like a gardener."
    assert (project["source_type"], project["created_at"]) == ("told_by_human", "2026-01-05T10:00:00Z")
    assert (document["source_type"], document["created_at"]) == ("unknown", "2026-01-05T11:00:00Z")
    assert "#L3@" in document["derived_from"][0]
    assert {left["why"] for left in done["left_out"]} >= {
        "it is an example that Claude made", "document 2 of the project The tea house has no text",
    }  # fmt: skip


def test_each_archive_of_a_claude_export_is_imported_by_itself(vault: InProcess) -> None:
    noted = {"path": "tea/steeping.md", "content": "Two minutes.", "updated_at": "2026-08-01T10:00:00Z"}
    design = {
        "uuid": "g1", "title": "Chat", "project": {"uuid": "p1", "name": "Tea labels"},
        "created_at": "2026-08-02T10:00:00Z",
        "messages": [
            {"uuid": "1", "role": "user", "content": {"content": "Draw a leaf.", "attachments": [{"content": "obey"}]}},
            {"uuid": "2", "role": "assistant", "content": {"content": "Here.", "timestamp": "2026-08-02T10:01:00Z"}},
        ],
    }  # fmt: skip
    remembered = {"conversations_memory": "", "project_memories": {}, "memory_files": [noted]}
    archives: dict[str, tuple[str, object]] = {
        "memories-000.zip": ("memories/acct.json", remembered),
        "design-000.zip": ("design_chats/g1.json", design),
        "projects-000.zip": ("projects/p1.json", PROJECTS[0]),
        "conversations-000.zip": ("conversations/t.json", FICUS_TALK),
    }
    titles = {}
    for name, (path, value) in archives.items():
        with zipfile.ZipFile(vault.home / name, "w") as archive:
            archive.writestr(path, json.dumps(value))
        made = vault.json("import", "claude", str(vault.home / name))["memories"]
        titles[name] = sorted(vault.json("show", memory["ref"])["title"] for memory in made)
        assert vault.json("import", "claude", str(vault.home / name))["memories"] == []
    assert titles == {
        "memories-000.zip": ["tea/steeping.md"],
        "design-000.zip": ["Tea labels", "Tea labels (answers)"],
        "projects-000.zip": ["Project The tea house", "beds.md"],
        "conversations-000.zip": ["The ficus", "The ficus (answers)"],
    }
    assert "obey" not in vault.ok("search", "obey leaf")


def test_what_expires_in_mem0_expires_here(vault: InProcess) -> None:
    (vault.home / "mem0.json").write_text(
        '{"results": [{"id": "x", "memory": "Ada is away.", "expiration_date": "2026-12-31", "attributed_to": "user"}]}'
    )
    (made,) = vault.json("import", "mem0", str(vault.home / "mem0.json"))["memories"]
    shown = vault.json("show", made["ref"])
    assert (shown["valid_until"], shown["mem0"]) == ("2026-12-31", {"attributed_to": "user"})


def test_what_mem0_kept_in_a_graph_becomes_notes(vault: InProcess) -> None:
    related = {"source": "ada", "relationship": "grows", "target": "tea"}
    whole = {"results": [{"id": "x", "memory": "Ada is away."}], "relations": [related, {"source": "ada"}, 3]}
    (vault.home / "mem0.json").write_text(json.dumps(whole))
    done = vault.json("import", "mem0", str(vault.home / "mem0.json"))
    found = [vault.json("show", memory["ref"]) for memory in done["memories"]]
    assert {one["title"]: one["entities"] for one in found} == {"ada grows tea": ["ada", "tea"], "Ada is away.": []}
    assert [left["why"] for left in done["left_out"]] == ["it is a relation that names nothing"] * 2
    (vault.home / "none.json").write_text('{"results": [], "relations": []}')
    assert vault.json("import", "mem0", str(vault.home / "none.json"))["memories"] == []


LONE = "\\ud83d"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("server-memory", f'{{"type":"entity","name":"a{LONE}","entityType":"{LONE}","observations":["b{LONE}"]}}\n'),
        ("mem0", f'[{{"id":"{LONE}","memory":"b{LONE}","user_id":"{LONE}","metadata":{{"{LONE}":"{LONE}"}}}}]'),
        ("mem0", '[{"id":"1","memory":"b","metadata":{"far": 1e999, "large": 1e300}}]'),
    ],
)
def test_halves_of_characters_and_endless_numbers_become_something_that_can_be_written(
    vault: InProcess, name: str, text: str
) -> None:
    place = vault.home / "memory.json"
    place.write_text(text)
    assert len(vault.json("import", name, str(place))["memories"]) == 1
    assert summary(vault) == (0, 0)
    assert vault.json("import", name, str(place))["memories"] == []


@pytest.mark.parametrize("name", ["claude-code", "openclaw"])
def test_a_line_of_code_is_no_heading(vault: InProcess, name: str) -> None:
    place = vault.home / "memory"
    place.mkdir()
    deploy = f"## Deploy {' ' * 100_000}##"  # a pattern with a part for the blanks would take minutes
    (place / "MEMORY.md").write_text(f"## Build\n\n```sh\nmake\n## not a heading\n```\n\n{deploy}\n\nNever.\n")
    done = vault.json("import", name, str(place))
    shown = {one["title"]: one for one in (vault.json("show", memory["ref"]) for memory in done["memories"])}
    assert {*shown} == {"Build", "Deploy"}
    assert "## not a heading\n```" in shown["Build"]["body"]
    assert [one["derived_from"][0].partition("#")[2].partition("@")[0] for one in shown.values()] == ["L1-L6", "L8-L10"]


def test_memories_of_claude_code_may_lie_deeper_and_one_without_text_is_its_description(vault: InProcess) -> None:
    projects = vault.home / "projects"
    folder = projects / "-home-ada-tea" / "memory"
    (folder / "team").mkdir(parents=True)
    (folder / "team" / "MEMORY.md").write_text("- [Pots](pots.md)\n")
    (folder / "team" / "pots.md").write_text("---\nname: Pots\n---\nThe pots are blue.\n")
    (folder / "pots.md").write_text("---\nname: Our pots\ndescription: the pots are red\ntype: user\n---\n")
    (folder / "empty.md").write_text("---\ntype: user\n---\n")
    done = vault.json("import", "claude-code", str(projects))
    shown = {one["path"]: one for one in (vault.json("show", memory["ref"]) for memory in done["memories"])}
    base = "notes/claude-code-home-ada-tea"
    assert {path: one["body"].strip() for path, one in shown.items()} == {
        f"{base}/pots.md": "the pots are red", f"{base}/team/pots.md": "The pots are blue.",
    }  # fmt: skip
    assert {left["where"].rpartition("memory/")[2]: left["why"] for left in done["left_out"]} == {
        "empty.md": "it has no text", "team/MEMORY.md": "it lists the other files",
    }  # fmt: skip
    again = vault.json("import", "claude-code", str(folder))
    assert (again["memories"], len(again["known"])) == ([], 2)


def test_names_of_files_that_are_no_line_of_text_are_kept_as_one(vault: InProcess) -> None:
    folder = vault.home / "notes"
    folder.mkdir()
    (folder / "two\nlines.md").write_text("Green tea.\n")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text("Coffee.\n")
    for name in ("markdown", "basic-memory", "claude-code"):
        assert len(vault.json("import", name, str(folder))["memories"]) == 2
    assert summary(vault) == (0, 0)


def test_what_kernle_has_forgotten_does_not_come_back(vault: InProcess) -> None:
    place = vault.home / "memories.db"
    with closing(sqlite3.connect(place)) as database:
        database.executescript("""
            CREATE TABLE notes (id TEXT PRIMARY KEY, content TEXT, created_at TEXT, strength REAL, sentiment REAL,
                is_forgotten INTEGER, times_accessed INTEGER);
            INSERT INTO notes VALUES ('1', 'The red pot.', '2026-01-03T00:00:00+00:00', 0.0, 0.0, NULL, 0);
            INSERT INTO notes VALUES ('2', 'The old pot.', '2026-01-03T00:00:00+00:00', NULL, NULL, 1, 0);
            INSERT INTO notes VALUES ('3', 'The blue pot.', '2026-01-03T00:00:00+00:00', 0.3, 0.0, 0, 2);
        """)
    done = vault.json("import", "kernle", str(place))
    shown = {one["title"]: one for one in (vault.json("show", memory["ref"]) for memory in done["memories"])}
    assert {title: one["status"] for title, one in shown.items()} == {
        "The red pot.": "archived", "The old pot.": "archived", "The blue pot.": "active",
    }  # fmt: skip
    assert shown["The red pot."]["status_reason"] == "forgotten in Kernle"
    assert shown["The blue pot."]["kernle"] == {
        "table": "notes", "id": "3", "strength": 0.3, "sentiment": 0.0, "times_accessed": 2,
    }  # fmt: skip


def test_the_memory_servers_relations_are_links(vault: InProcess) -> None:
    done = vault.json("import", "server-memory", laid_out(vault, "server-memory"))
    ada = next(one for one in (vault.json("show", m["ref"]) for m in done["memories"]) if one["title"] == "Ada")
    assert "- lives in\n  Kandy\n" in ada["body"]
    assert "- lives_in [[Kandy]]" in ada["body"]
    assert ada["tags"] == ["person"]
    assert [left["where"].rpartition(":")[2] for left in done["left_out"]] == ["5", "4"]


def test_rows_of_kernles_tables_keep_their_types_and_refs(vault: InProcess) -> None:
    done = vault.json("import", "kernle", laid_out(vault, "kernle"))
    found = {one["title"]: one for one in (vault.json("show", memory["ref"]) for memory in done["memories"])}
    belief, episode = found["The ficus likes water."], found["Repot the ficus"]
    assert {title: one["type"] for title, one in found.items()} == {
        "The ficus likes water.": "belief",
        "The ficus is dead.": "belief",
        "Repot the ficus": "episode",
        "Care": "value",
        "We chose the blue pot.": "decision",
        "pot?": "raw",
        "month": "reflection",
        "identity": "reflection",
        "Ada": "observation",
        "The greenhouse": "note",
    }
    assert episode["kernle"] == {
        "table": "episodes", "id": "e1", "outcome_type": "success", "confidence": 0.8, "subject_ids": ["Bella"],
        "repeat": ["Use rainwater"], "strength": 1.0,
    }  # fmt: skip
    assert found["month"]["kernle"]["period_start"] == "2026-01-01"
    assert (found["Ada"]["entities"], found["Ada"]["derived_from"][0]) == (["Ada"], episode["ref"])
    assert found["identity"]["status"] == "archived"
    assert found["The ficus is dead."]["source_type"] == "inference"
    assert belief["derived_from"][0] == episode["ref"]
    assert (belief["confidence"], belief["source_type"], belief["author"]) == (0.7235, "inference", "si:ash")
    assert found["The ficus is dead."]["status"] == "archived"
    assert (episode["subject_ids"], episode["access_grants"]) == (["human:ada"], [])
    assert "## Lessons\n\n- Water it first" in episode["body"]
    assert found["We chose the blue pot."]["source_type"] == "external"
    assert [left["why"] for left in done["left_out"]] == [
        "its rows are about memories, and are none", "it was deleted there",
    ]  # fmt: skip
    vault.ok("beliefs", "recompute", "--check")


def test_a_row_of_kernle_that_is_not_utf8_is_left_out_by_name(vault: InProcess) -> None:
    place = laid_out(vault, "kernle")
    count = len(vault.json("import", "kernle", place, "--dry-run")["memories"])
    with closing(sqlite3.connect(place)) as database, database:
        database.execute("UPDATE notes SET content = CAST(x'746561ff' AS TEXT)")
        changed = database.execute("SELECT count(*) FROM notes WHERE NOT coalesce(deleted, 0)").fetchone()[0]
    done = vault.run("--json", "import", "kernle", place)
    answer = json.loads(done.stdout)
    assert (done.returncode, len(answer["memories"])) == (1, count - changed)
    assert [left["why"] for left in answer["left_out"]].count("its text is not UTF-8") >= changed > 0


def test_a_database_of_kernle_that_was_upgraded_adds_nothing(vault: InProcess) -> None:
    place = vault.home / "memories.db"
    with closing(sqlite3.connect(place)) as database:
        database.executescript("""
            CREATE TABLE raw_entries (id TEXT PRIMARY KEY, agent_id TEXT, content TEXT, timestamp TEXT);
            CREATE TABLE notes (id TEXT PRIMARY KEY, agent_id TEXT, content TEXT, note_type TEXT, created_at TEXT);
            INSERT INTO raw_entries VALUES ('r1', 'Ash', 'pot? blue', '2026-01-03T00:00:00+00:00');
            INSERT INTO notes VALUES ('n1', 'Ash', 'The blue pot.', 'decision', '2026-01-03T00:00:00+00:00');
        """)
    first = vault.json("import", "kernle", str(place))
    with closing(sqlite3.connect(place)) as database:
        database.executescript("""
            ALTER TABLE raw_entries RENAME COLUMN agent_id TO stack_id;
            ALTER TABLE notes RENAME COLUMN agent_id TO stack_id;
            ALTER TABLE raw_entries ADD COLUMN blob TEXT;
            ALTER TABLE raw_entries ADD COLUMN captured_at TEXT;
            ALTER TABLE notes ADD COLUMN strength REAL DEFAULT 1.0;
            UPDATE raw_entries SET blob = content, captured_at = timestamp, content = NULL, timestamp = NULL;
        """)
    again = vault.json("import", "kernle", str(place))
    assert (again["memories"], again["different"]) == ([], [])
    assert sorted(again["known"]) == sorted(memory["ref"] for memory in first["memories"])


def test_rows_that_are_still_in_a_databases_log_are_read_and_it_stays_as_it_is(vault: InProcess) -> None:
    folder = vault.home / "kernle"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "memories.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, content TEXT)")
        database.execute("INSERT INTO notes VALUES ('n1', 'Still in the log.')")
        database.commit()
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert len(vault.json("import", "kernle", str(folder / "memories.db"))["memories"]) == 1
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# -- more than one transaction holds -------------------------------------------------------------


def test_too_much_for_one_transaction_is_checked_first_and_written_in_several(
    vault: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MOST_AT_ONCE", 1000)
    place = SOURCES["openclaw"].lay_out(vault.home / "source")
    before = files(vault)
    told = vault.json("import", "openclaw", str(place), "--dry-run")
    assert files(vault) == before
    done = validated(vault.ok("--json", "import", "openclaw", str(place)))
    assert done["in_parts"]
    assert told["in_parts"]
    assert len(done["memories"]) == 4
    again = vault.json("import", "openclaw", str(place))
    assert (again["memories"], len(again["known"])) == ([], 4)


def test_an_import_that_stopped_between_two_parts_goes_on(vault: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_AT_ONCE", 1000)
    place = str(SOURCES["openclaw"].lay_out(vault.home / "source"))
    write, calls = importing._import_drafts, []

    def write_once(*args: object, **named: object) -> object:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return write(*args, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(importing, "_import_drafts", write_once)
        assert vault.run("import", "openclaw", place).returncode == 130
    first = len(vault.json("list")["memories"])
    done = vault.json("import", "openclaw", place)
    assert 1 < first < 5
    assert len(done["memories"]) == 5 - first
    assert summary(vault) == (0, 0)


# -- another vault as the source ---------------------------------------------------------------------

ENTITY, CONSENT = "entities/human/claire.md", "consents/2026/con_w9z1eer9xg.md"
REGISTRIES = {
    ENTITY: "---\ntype: entity\nid: human:claire\naliases: [Claire]\n---\n\nClaire is my sister.\n",
    CONSENT: "---\ntype: consent\nid: con_w9z1eer9xg\nscope: source:human:claire\ngrantor: human:claire\n"
    "grantee: human:bob\n---\n\nShe said so at dinner.\n",
    "groups/club.yaml": "id: group:club\nmembers: [human:claire]\n",
    "contexts/park.yaml": "id: ctx:park\n",
}
IN_A_VAULT = {
    "notes/2026/tea-4kyr.md": "---\ntype: note\nid: m_4kyr40kpzt\n---\n\nTea is ready.\n",
    "notes/2026/m_yhn78kp849.md": "---\ntype: note\nid: m_yhn78kp849\nstatus: forgotten\n"
    "status_reason: requested\n---\n\nForgotten 2026-11-26T01:37:15Z by human:sean.\n",
}
# A person's own notes about entities and groups are theirs, wherever they are.
LIKE_REGISTRIES = {
    "entities/shops.md": "---\ntype: note\ntags: [shops]\n---\n\nShops are entities, too.\n",
    "groups/README.md": "Groups that I am in.\n",
}


def a_vault(home: Path, below: str) -> Path:
    """Lay out a vault of somebody's in a folder, or further down in it."""
    for name, text in {**REGISTRIES, **IN_A_VAULT, **LIKE_REGISTRIES}.items():
        file = home / "other" / below / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (home / "other" / below / ".memstore").mkdir()
    (home / "other" / below / ".memstore" / "config.toml").write_text('format = 1\nowner = "human:tester"\n')
    return home / "other"


def bodies(program: InProcess) -> str:
    return "\n".join(path.read_text() for path in program.vault.rglob("*") if path.suffix in (".md", ".original"))


@pytest.mark.parametrize("below", ["", "backup/notes"])
@pytest.mark.parametrize("name", ["markdown", "basic-memory", "claude-code"])
def test_a_vaults_registries_are_no_memories_and_are_said_to_be_left_out(
    vault: InProcess, name: str, below: str
) -> None:
    """Who somebody is and who agreed to what is decided in each vault; what was forgotten there is nothing to say."""
    other = a_vault(vault.home, below)
    done = vault.json("import", name, str(other))
    left_out = {one["where"]: one["why"] for one in done["left_out"]}
    for registry in REGISTRIES:
        assert left_out[f"{other / below / registry}"] == "it is a vault's registry file, and no memory"
    assert "sister" not in bodies(vault)
    assert "at dinner" not in bodies(vault)
    for words in ("Tea is ready.", "Shops are entities, too.", "Groups that I am in."):
        assert words in bodies(vault)
    assert summary(vault) == (0, 0)


@pytest.mark.parametrize("own", [(), ("--own",)])
def test_what_was_forgotten_in_a_vault_does_not_come_in_as_a_note(vault: InProcess, own: tuple[str, ...]) -> None:
    """In one's own new vault it stays forgotten, so that an older copy doesn't bring it back."""
    other = a_vault(vault.home, "")
    done = vault.json("import", "markdown", str(other), *own)
    left_out = {one["where"]: one["why"] for one in done["left_out"]}
    place = f"{other}/notes/2026/m_yhn78kp849.md"
    if own:
        assert vault.json("show", "m_yhn78kp849")["status"] == "forgotten"
        assert place not in left_out
    else:
        assert left_out[place] == "it was forgotten in the vault that it is from"
        assert "Forgotten" not in bodies(vault)


@pytest.mark.parametrize(
    ("format_", "below"),
    [("claude-code", "-home-ada-tea/memory"), ("claude-code", ""), ("okf", ""), ("openclaw", "memory")],
)
def test_no_importer_makes_a_note_of_what_was_forgotten(vault: InProcess, format_: str, below: str) -> None:
    other = a_vault(vault.home, below)
    for file in other.rglob("*.md"):
        if format_ == "okf" and "type:" not in file.read_text():  # then it would be no bundle
            file.unlink()
    done = vault.json("import", format_, str(other))
    left_out = {one["where"]: one["why"] for one in done["left_out"]}
    place = "/".join(filter(None, (str(other), below, "notes/2026/m_yhn78kp849.md")))
    assert left_out[place] == "it was forgotten in the vault that it is from"
    assert "Forgotten" not in bodies(vault)


def test_a_vault_in_an_archive_is_told_like_one_in_a_folder(vault: InProcess) -> None:
    archive = vault.home / "vault.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for name, text in {**REGISTRIES, **IN_A_VAULT}.items():
            packed.writestr(f"vault/{name}", text)
    done = vault.json("import", "markdown", str(archive))
    reasons = [one["why"] for one in done["left_out"]]
    assert reasons.count("it is a vault's registry file, and no memory") == len(REGISTRIES)
    assert len(done["memories"]) == 1


def test_a_folder_with_nothing_but_registries_adds_nothing(vault: InProcess) -> None:
    other = a_vault(vault.home, "")
    done = vault.json("import", "okf", str(other / "entities" / "human"))  # not at the place of a registry
    assert len(done["memories"]) == 1
    (vault.home / "only" / "entities").mkdir(parents=True)
    (vault.home / "only" / "entities" / "claire.md").write_text(REGISTRIES[ENTITY])
    done = vault.json("import", "markdown", str(vault.home / "only"))
    assert (len(done["memories"]), len(done["left_out"])) == (0, 1)


def test_no_new_file_has_a_name_with_a_line_break(vault: InProcess) -> None:
    folder = vault.home / "source"
    folder.mkdir()
    (folder / "Bella\neats.md").write_text("# Bella\n\nBella eats at eight.\n")
    vault.ok("import", "markdown", str(folder))
    record = {
        "record": "memstore.memory/1",
        "path": "notes/Bella\nsits.md",
        "frontmatter": {"type": "note", "id": "m_7f3k9q2x1c"},
        "body": "Bella sits.\n",
    }
    (vault.home / "records.jsonl").write_text(json.dumps(record) + "\n")
    vault.ok("import", "jsonl", str(vault.home / "records.jsonl"))
    made = [path for path in files(vault) if "bella" in path.casefold() and path.endswith(".md")]
    assert len(made) == 2  # and their usual names
    assert all(path.isprintable() for path in made)
