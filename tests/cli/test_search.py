from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from memstore.cli.main import main
from memstore.files import walk as tree_walk
from tests import forked
from tests.git_repositories import memory, vault_in
from tests.installed import validated, verb_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = vault_in(tmp_path_factory.mktemp("search") / "vault")
    evil = "\x1b]0;owned\x07red \x1b[31m heart \x1b[0m\u202eback\r\n"
    made.write("evil.md", memory("m_evil", evil + "long heart " + "and on " * 80 + "\n", title='"Plain"'))
    made.write("heart.md", memory("m_heart", "# Heart\n\nThe heart is sound.\n\n- Sean: her heart?\n"))
    made.write("noid.md", "---\ntype: note\n---\nA heart without a name.\n")
    made.write("broken.md", "---\ntype: note\n")
    made.commit("all")
    return made.root


def run(vault: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return forked.run(("--vault", str(vault), *words), vault, os.environ | {"MEMSTORE_ENTITY": "human:tester"}, stdin)


def checked(name: str, text: str) -> dict[str, Any]:
    document = validated(text)
    assert verb_of(document) == name
    return document


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "words",
    [("heart",), ("heart", "--by", "passage"), ("nothing",), ("hearr",), ("heart", "--facets", "type"),
     ("heart", "--min-confidence", "1"), ("type:note",), ("heart", "--explain"), ("type:note", "--explain"),
     ("heart", "sound", "--by", "passage", "--explain", "m_heart"), ("nothing", "--explain", "m_heart"),
     ("heart", "-t", "belief", "--explain", "heart.md"), ("heart", "-n", "1", "--explain", "m_evil")],
)  # fmt: skip
def test_search_answers_as_its_schema_says(vault: Path, words: tuple[str, ...]) -> None:
    checked("search", run(vault, "--json", "search", *words).stdout)


def test_cite_and_stats_answer_as_their_schemas_say(vault: Path) -> None:
    checked("cite", run(vault, "--json", "cite", "m_heart:L7").stdout)
    checked("cite", run(vault, "--json", "cite", "noid.md").stdout)
    checked("stats", run(vault, "--json", "stats").stdout)


def test_every_excerpt_is_what_sed_prints(vault: Path) -> None:
    for by in ("memory", "passage"):
        found = json.loads(run(vault, "--json", "search", "heart", "--by", by).stdout)
        cited = [one for hit in found["results"] for one in (hit["citation"], *hit["more"])]
        assert len(cited) > 2
        for one in cited:
            lines = f"{one['line_start']},{one['line_end']}p"
            printed = subprocess.run(["sed", "-n", lines, vault / one["path"]], capture_output=True, check=True).stdout
            assert printed.decode().removesuffix("\n") == one["excerpt"]


def test_a_memory_does_nothing_to_a_terminal(vault: Path) -> None:
    printed = run(vault, "search", "heart", "--by", "passage", "-n", "20", "--color", "never").stdout
    assert "red <U+001B>[31m heart" in printed
    assert not set(printed) & {"\x1b", "\x07", "\u202e", "\r"}
    assert all(len(line) < 250 for line in printed.splitlines())


def test_files_that_are_left_out_are_named_on_the_side(vault: Path) -> None:
    done = run(vault, "search", "heart")
    assert done.stderr == "1 file left out; run memstore check\n"
    assert done.returncode == 0


@pytest.mark.soak(2)
@pytest.mark.parametrize("verb", ["conflicts", "dedupe", "orphans", "consolidate", "recompute", "stats", "list"])
def test_whoever_means_the_whole_vault_says_what_is_left_out(vault: Path, verb: str) -> None:
    told = "1 file left out; run memstore check\n"
    assert run(vault, verb, *(["--dry-run"] if verb == "recompute" else [])).stderr.endswith(told)
    assert "left out; run" not in run(vault, verb, "--as", "human:eve").stderr


@pytest.mark.parametrize("verb", ["conflicts", "dedupe", "consolidate", "recompute"])
def test_what_is_left_out_is_told_without_another_walk(
    vault: Path, verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    walked, walk = [], tree_walk.walk

    def counted(root: Path, *given: Any, **named: Any) -> tree_walk.Walk:
        walked.append(root)
        return walk(root, *given, **named)

    monkeypatch.setattr(tree_walk, "walk", counted)
    main(["--vault", str(vault), verb, *(["--check"] if verb == "recompute" else [])])
    assert "1 file left out; run memstore check" in capsys.readouterr().err
    assert len(walked) == 1


def test_queries_are_answered_line_by_line(vault: Path) -> None:
    done = run(vault, "--jsonl", "search", "--queries", "-", stdin="heart\ntype:nte\n\nname\n")
    answers = [checked("search", line) for line in done.stdout.splitlines()]
    assert [answer["query"] for answer in answers] == ["heart", "type:nte", "", "name"]
    assert [bool(answer["results"]) for answer in answers] == [True, False, False, True]
    assert ["error" in answer for answer in answers] == [False, True, True, False]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (("heart", "-name"), ["heart.md", "evil.md"]),
        (("-sean", "heart", "-n5"), ["evil.md", "noid.md"]),
        (("-type:note heart",), []),
        (("heart", "-tnote", "-n", "1", "-name"), ["heart.md"]),
    ],
)
def test_a_word_with_a_dash_is_one_that_must_not_be_there(
    vault: Path, words: tuple[str, ...], paths: list[str]
) -> None:
    done = run(vault, "--json", "search", *words)
    assert sorted(hit["path"] for hit in json.loads(done.stdout)["results"]) == sorted(paths)
    asked = json.loads(done.stdout)["query"]
    assert "-" in asked
    assert "\0" not in asked


def test_in_which_language_a_text_is_can_be_set_and_told_by_itself(tmp_path: Path) -> None:
    made = vault_in(tmp_path / "vault")
    made.write("short.md", memory("m_short", "Katzen um acht.\n"))
    made.write("long.md", memory("m_long", "Die Katzen haben nachts auf dem Sofa geschlafen.\n"))
    made.commit("all")

    def found(text: str) -> list[str]:
        return sorted(hit["path"] for hit in json.loads(run(made.root, "--json", "search", text).stdout)["results"])

    assert found("Katze") == ["long.md"]
    marked = run(made.root, "--color", "always", "search", "Katze").stdout
    assert "mKatzen\x1b" in marked
    for setting, expected in (("de", 2), ("de,en", 2), ("en", 0), ("en,de", 1)):
        changed = run(made.root, "config", "search.languages", setting)
        assert (changed.returncode, changed.stdout.strip()) == (0, setting.replace(",", ", "))
        assert len(found("Katze")) == expected
    settings = made.root / ".memstore/config.toml"
    settings.write_text(settings.read_text() + '[search]\nlanguages = ["de", "tlh"]\n')
    broken = run(made.root, "search", "Katze")
    assert broken.returncode == 5
    refused = run(vault_in(tmp_path / "other").root, "config", "search.languages", "de,klingon")
    assert refused.returncode == 2
    assert "search.languages" in refused.stderr
    assert "klingon" in refused.stderr


@pytest.mark.parametrize("words", [("heart", "sound"), ("her", "heart", "--by", "passage"), ("+nothing",)])
def test_an_explanation_fits_on_a_screen_of_80_columns(vault: Path, words: tuple[str, ...]) -> None:
    printed = run(vault, "search", *words, "--explain", "m_evil", "--color", "never").stdout.splitlines()
    explained = [line for line in printed if line.startswith("  ")]
    assert len(explained) > 1
    assert max(map(len, explained)) <= 80


def test_before_the_query_explain_names_no_memory(vault: Path) -> None:
    before = run(vault, "search", "-n", "1", "--explain", "heart", "sound")
    assert before.stdout == run(vault, "search", "heart", "sound", "-n", "1", "--explain").stdout
    assert "relevance, the sum of" in before.stdout
    after = run(vault, "search", "heart", "--explain", "sound")
    assert (after.returncode, after.stdout) == (3, "")
    assert "no memory matches `sound`" in after.stderr


def test_each_of_many_queries_is_explained(vault: Path) -> None:
    asked = run(vault, "--jsonl", "search", "--queries", "-", "--explain", "m_heart", stdin="heart\nnothing\n")
    first, second = (checked("search", line) for line in asked.stdout.splitlines())
    assert (first["why_not"]["place"], first["why_not"]["reasons"]) == (1, [])
    assert [reason["code"] for reason in second["why_not"]["reasons"]] == ["no_words"]


def test_a_hidden_memory_cannot_be_explained_and_reads_as_missing(vault: Path) -> None:
    hint = "memstore list shows what there is; memstore search finds by words"
    for asked in ("m_heart", "m_nowhr", "heart.md", "nowhr.md"):
        done = run(vault, "--as", "human:stranger", "search", "heart", "--explain", asked)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == f"memstore: no memory matches `{asked}`\nhint: {hint}\n"
