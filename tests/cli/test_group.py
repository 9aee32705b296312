from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from memstore.cli.commands import ALIASES, COMMANDS, EVERYDAY, FORMER, GROUPS
from memstore.cli.group import GLOBAL_OPTIONS, PROGRAM, Command, Group
from memstore.cli.help import TOPICS
from memstore.cli.main import main
from memstore.cli.meant import IMPORTS, MEANT
from memstore.cli.options import command, several
from memstore.cli.session import CliSession

if TYPE_CHECKING:
    from collections.abc import Iterator


def _all_commands(found: click.Command, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    ctx = click.Context(found)
    if isinstance(found, click.Group):
        for name in found.list_commands(ctx):
            below = found.get_command(ctx, name)
            assert below is not None
            yield (*words, name), below
            yield from _all_commands(below, (*words, name))


EVERY_COMMAND = dict(_all_commands(PROGRAM, ()))


@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_every_command_explains_itself(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    found = EVERY_COMMAND[words]
    assert isinstance(found, Command | Group)
    assert found.name == words[-1]
    assert found.examples, "a help begins with examples"
    assert main([*words, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("Examples:") < shown.index("Usage:")
    assert f"memstore {' '.join(words)}" in shown
    for option in found.params:
        if isinstance(option, click.Option) and not option.hidden:
            assert option.help, f"{option.opts} is not explained"


@pytest.mark.parametrize("words", [(), *EVERY_COMMAND], ids=" ".join)
def test_a_narrow_help_breaks_no_word(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = {}
    for width in ("40", "80"):
        monkeypatch.setenv("COLUMNS", width)
        assert main([*words, "--help"]) == 0
        # A line may end at a hyphen, and what is too long for the list of commands ends with an ellipsis.
        shown[width] = {
            part for word in capsys.readouterr().out.split() for part in word.removesuffix("...").split("-")
        }
    assert shown["40"] <= shown["80"]


@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_no_option_hides_a_global_one_by_chance(words: tuple[str, ...]) -> None:
    """A command that takes a global option's long name for itself would not be asked for what it says everywhere."""
    own = {name for param in EVERY_COMMAND[words].params for name in param.opts}
    meant = {"--context", "--self"}  # keys and acts of their own in some commands
    taken = own & {name for option in GLOBAL_OPTIONS for name in option.opts if name.startswith("--")}
    assert taken <= meant


def test_the_table_says_each_thing_once_and_briefly() -> None:
    for name, (home, text) in COMMANDS.items():
        assert ":" in home
        assert text[0].islower(), f"{name}: {text}"
        assert not text.endswith("."), f"{name}: {text}"
        assert len(text) <= 60, f"{name}: {text}"


@pytest.mark.parametrize("words", [["--help"], ["--version"], []])
def test_help_and_version_load_click_and_nothing_else(words: list[str]) -> None:
    code = f"import sys; from memstore.cli.main import main; main({words!r}); print('LOADED', *sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.rpartition("LOADED ")[2].split()
    ours = {name for name in loaded if name.startswith("memstore")}
    assert ours <= {
        "memstore", "memstore.cli", "memstore.cli.main", "memstore.cli.commands", "memstore.cli.group",
        "memstore.cli.session", "memstore.cli.output", "memstore.core", "memstore.core.errors",
        "memstore.core.harmless",
    }  # fmt: skip
    heavy = {"yaml", "git", "whoosh", "ruamel", "frontmatter", "tomlkit", "tomllib", "pathspec", "subprocess"}
    assert heavy.isdisjoint(loaded)


# -- options -------------------------------------------------------------------------------------


class _Told:
    """What a command of two options was given."""

    def __init__(self) -> None:
        self.values: list[object] = []

    def call(self, *words: str) -> CliSession:
        @command("try", examples=("memstore try",))
        @click.argument("text", required=False)
        @several("--tag")
        @click.option("--title")
        def attempt(session: CliSession, text: str | None, tag: tuple[str, ...], title: str | None) -> None:
            self.values = [text, tag, title]

        session = CliSession()
        with attempt.make_context("memstore", list(words), obj=session) as ctx:
            attempt.invoke(ctx)
        return session


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["text", "--tag", "a", "b", "--title", "T"], ["text", ("a", "b"), "T"]),
        (["text", "--tag", "a", "--tag", "b", "c"], ["text", ("a", "b", "c"), None]),
        (["--tag=a", "text"], ["text", ("a",), None]),
        (["--title", "T", "text"], ["text", (), "T"]),
        (["--tag", "a", "b", "--", "text"], ["text", ("a", "b"), None]),
        (["text", "--tag", "a", "--json", "--title", "--tag"], ["text", ("a",), "--tag"]),
        (["--tag", "-"], [None, ("-",), None]),
        ([], [None, (), None]),
    ],
)
def test_several_values_may_follow_one_option(words: list[str], values: list[object]) -> None:
    told = _Told()
    told.call(*words)
    assert told.values == values


def test_global_options_are_the_sessions() -> None:
    told = _Told()
    session = told.call("--vault", "v", "text", "--as", "si:ash", "--json", "-q", "--color", "never")
    assert told.values[0] == "text"
    chosen = session.choices
    assert (chosen.vault, chosen.entity, chosen.json, chosen.quiet, chosen.color) == (
        "v",
        "si:ash",
        True,
        True,
        "never",
    )
    assert not chosen.verbose
    assert _Told().call("--", "--json").choices.json is False


@pytest.mark.parametrize(
    "words",
    [
        ["--as", "si:ash", "list", "--as", "si:ash"],
        ["list", "--as", "si:ash", "--as", "human:bob"],
        ["--as", "si:ash", "--as", "human:bob", "list"],
        ["--as", "si:ash", "privacy", "consent", "list", "--as=human:bob"],
    ],
    ids=" ".join,
)
def test_who_acts_is_said_once(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "--as can be given only once, but was given as si:ash, " in capsys.readouterr().err


def test_a_word_that_is_no_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shwo"]) == 2
    assert "memstore show" in capsys.readouterr().err
    assert main(["xyzzy"]) == 2
    assert "--help" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tried", "answer"),
    [
        ("xyzzy", None),
        ("serach", "memstore search"),
        ("lst", "memstore list"),
        ("grep", "memstore search"),
        ("ls", "memstore list"),
        ("new", "memstore add"),
        ("remember", "memstore add"),
        ("open", "memstore edit"),
        ("rm", "memstore archive"),
        ("Delete", "memstore archive"),
        ("erase", "memstore forget"),
        ("rename", "memstore mv"),
        ("history", "memstore log"),
        ("permit", "memstore privacy grant"),
        ("belief", "memstore show"),
        ("meta", "memstore check orphans"),
        ("migrate", "memstore check fix-provenance"),
        ("lineage", "memstore trace"),
        ("provenance", "memstore trace"),
        ("derive", "--derived-from"),
        ("confidence", "memstore why"),
        ("reputation", "memstore trust"),
        ("rotate", "memstore trust keys rotate"),
    ],
)
def test_a_word_that_people_try_names_the_command_that_does_it(
    tried: str, answer: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([tried]) == 2
    told = capsys.readouterr().err
    assert f"{tried!r} is not a command of memstore" in told
    assert (answer or "memstore --help") in told
    if answer:
        assert main(["help", tried]) == 2
        assert answer.removeprefix("memstore ") in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("delte", "`memstore archive REF` puts"),
        ("renmae", "`memstore mv REF PATH`"),
        ("histroy", "`memstore log REF`"),
        ("statu", "did you mean `memstore status`?"),
        ("frobnicate", "see `memstore --help`"),
        ("garland", "see `memstore --help`"),  # no slip for `grant`
        ("sorcery", "see `memstore --help`"),  # nor for `sources`
    ],
)
def test_a_slip_in_such_a_word_names_what_it_means_and_no_other_command(
    word: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 2
    assert f"hint: {hint}" in capsys.readouterr().err
    if "REF" in hint:
        assert main(["help", word]) == 2
        assert f"hint: {hint}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["context", "add", "ctx:x", "--participants", "human:bob"], "--roster ENTITY…` says who belongs"),
        (["--agent", "ash", "list"], "`memstore --as ENTITY` says who acts, like --as si:ash"),
        (["add", "one", "two"], 'put a text of several words in quotes: "one two"'),
        (["raw", "one", "two", "--tag", "x"], 'put a text of several words in quotes: "one two"'),
        (["supersede", "m_7f3", "one", "two"], 'put a text of several words in quotes: "one two"'),
        (["supersede", "m_7f3", 'a "b"', "two"], "put a text of several words in quotes"),
        (["show", "m_7f3", "m_abc"], "see `memstore show --help`"),
        (["recall", "tea", "--budget", "much"], "'much' is not a valid whole number"),
        (["index", "watch", "--every", "often"], "'often' is not a valid number"),
    ],
)
def test_a_slip_in_a_command_line_names_what_to_write(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert hint in capsys.readouterr().err


def test_a_word_that_means_something_is_no_command() -> None:
    assert {*MEANT, *IMPORTS}.isdisjoint({*COMMANDS, *FORMER, *ALIASES})
    assert {*FORMER, *ALIASES}.isdisjoint(COMMANDS)


@pytest.mark.parametrize("words", [["obsidian"], ["import", "logseq"], ["import", "Zk", "notes"]])
def test_a_program_of_notes_is_imported_as_markdown(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "memstore import markdown DIR" in capsys.readouterr().err


def test_what_is_meant_elsewhere_is_not_meant_after_import(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "grep"]) == 2
    assert "memstore search" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--help"]])
def test_without_words_the_program_explains_itself_on_one_screen(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line.startswith("  ") and line.split()[0] in EVERYDAY] == [*EVERYDAY]
    assert "Examples:" in lines


def test_all_commands_are_listed_on_request_and_former_ones_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "--all"]) == 0
    named = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")}
    assert named == set(COMMANDS)
    assert named.isdisjoint(FORMER)


@pytest.mark.parametrize("name", FORMER)
def test_a_former_name_explains_itself_and_what_it_is_called_today(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = FORMER[name].split()
    today = tuple(word for word in words if not word.startswith("--"))
    assert today in EVERY_COMMAND
    options = {option for param in EVERY_COMMAND[today].params for option in param.opts}
    assert {*words} - {*today} <= options | {"--duplicates"}
    for called in ([name, "--help"], *([["help", name]] if name not in TOPICS else [])):
        assert main(called) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert f"Usage: memstore {' '.join(today)} " in told
        assert (f"`memstore {name}` is now `memstore {FORMER[name]}`" in told) == (called[0] != "help")


@pytest.mark.parametrize("name", [*FORMER, *(alias for alias in ALIASES if " " not in alias)])
def test_a_former_name_is_neither_listed_nor_completed(name: str) -> None:
    offered = {str(item.value) for item in PROGRAM.shell_complete(click.Context(PROGRAM), name)}
    assert name not in {*PROGRAM.list_commands(click.Context(PROGRAM)), *offered}


def test_a_slip_in_a_former_name_names_what_it_is_called_today(capsys: pytest.CaptureFixture[str]) -> None:
    for slip, today in (("witnes", "trust witness"), ("recompte", "beliefs recompute"), ("dedup", "conflicts --dup")):
        assert main([slip]) == 2
        assert f"memstore {today}" in capsys.readouterr().err


def test_there_are_few_first_words_and_one_screen_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(COMMANDS) <= 48
    assert main(["help", "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) <= 62


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_is_listed_and_completed_without_loading_what_is_in_it(name: str) -> None:
    group = PROGRAM.get_command(click.Context(PROGRAM), name)
    assert isinstance(group, Group)
    ctx = click.Context(group, info_name=name, parent=click.Context(PROGRAM, info_name="memstore"))
    for verb, (home, about) in GROUPS[name].items():
        assert about[0].islower(), verb
        assert len(about) <= 60, verb
        assert ":" in home
        assert verb in {str(item.value) for item in group.shell_complete(ctx, verb[:2])}


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["trust", "m_7f3"], "trust show"),
        (["trust", "--json", "--as", "si:ash", "m_7f3"], "trust show"),
        (["trust", "--online", "m_7f3"], "trust show"),
        (["--as=si:ash", "trust", "-qv", "sign", "m_7f3"], "trust sign"),
        (["--context", "sign", "trust", "show", "sign"], "trust show"),
        (["-a", "sign", "trust", "keys", "list"], "trust keys list"),
        (["check"], "check files"),
        (["check", "./orphans"], "check files"),
        (["check", "orphans"], "check orphans"),
        (["conflicts", "--duplicates"], "conflicts list"),
        (["raw", "--", "promote"], "raw add"),
        (["mcp", "--read-only"], "mcp serve"),
        (["privacy", "log"], "privacy log show"),
    ],
)
def test_where_no_verb_of_a_group_is_named_its_first_is_meant(words: list[str], path: str) -> None:
    ctx: click.Context = PROGRAM.make_context("memstore", [*words], obj=CliSession(), resilient_parsing=True)
    while isinstance(group := ctx.command, click.Group):
        name, command, rest = group.resolve_command(ctx, [*ctx._protected_args, *ctx.args])
        assert command is not None
        ctx = command.make_context(name, rest, parent=ctx, resilient_parsing=True)
    assert ctx.command_path == f"memstore {path}"


@pytest.mark.parametrize(("given", "entity"), [("ash", "si:ash"), ("human:bob", "human:bob"), ("si:ash", "si:ash")])
def test_an_agents_bare_name_is_that_of_a_synthetic_one(given: str, entity: str) -> None:
    for words in (["-a", given, "list"], ["list", "-a", given]):
        session = CliSession()
        ctx = PROGRAM.make_context("memstore", words, obj=session)
        name, command, rest = PROGRAM.resolve_command(ctx, [*ctx._protected_args, *ctx.args])
        assert command is not None
        command.make_context(name, rest, parent=ctx)
        assert session.choices.entity == entity


@pytest.mark.parametrize(("words", "meant"), [("mcp lst", "mcp list"), ("index statu", "index status")])
def test_a_slip_in_a_verb_of_a_group_whose_usual_verb_takes_no_words(
    words: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    assert f"did you mean `memstore {meant}`?" in capsys.readouterr().err
