"""Entries are put into settings files and taken out again, and nothing else of a file changes."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.agents import json_text, settings
from memstore.agents.hosts import HOSTS, NAME, PinnedCommand, is_our_hook, pinned_in, wanted_hooks
from memstore.agents.settings import Wanted
from memstore.core.errors import FormatError, RefusedError

PINNED = PinnedCommand("/usr/bin/memstore", ("--vault", "/home/sam/my notes", "--as", "si:ash"))
CLAUDE = HOSTS["claude-code"]
BOTH = Wanted(("mcpServers",), PINNED.server(CLAUDE), wanted_hooks(CLAUDE, PINNED))
CODEX = Wanted(("mcp_servers",), PINNED.server(HOSTS["codex"]))
THEIRS = {"hooks": [{"type": "command", "command": "echo hello; memstore recall --hook"}]}

# Settings as people and programs write them.
SETTINGS = {
    "empty": "{}\n",
    "without a line end": "{}",
    "a blank in it": "{ }",
    "one line": '{"theme": "dark", "mcpServers": {"other": {"command": "x"}}}',
    "minified": '{"a":{"b":[1,2]},"hooks":{"Stop":[{"hooks":[]}]}}',
    "two spaces": json.dumps({"theme": "dark", "hooks": {"SessionStart": [THEIRS], "Stop": [THEIRS]}}, indent=2) + "\n",
    "four spaces": json.dumps({"mcpServers": {}, "hooks": {}}, indent=4),
    "tabs": json.dumps({"mcpServers": {"other": {"command": "x", "args": []}}, "a": [1]}, indent="\t") + "\n",
    "carriage returns": json.dumps({"a": 1, "hooks": {"PreCompact": []}}, indent=2).replace("\n", "\r\n"),
    "comments": (
        '// mine\n{ // settings\n  "a": 1, /* one */ // and more\n  "hooks": { // hooks: {"x": 1}\n'
        '    "SessionStart": [ /* none */\n    ]\n  }, // done\n}\n'
    ),
    "json5": (
        "{\n  theme: 'it\\'s \"dark\"', // mine\n  numbers: [.5, +1, 0x1F, -Infinity,],\n"
        "  mcpServers: { other: {}, },\n}\n"
    ),
    "unicode": '\ufeff{"name": "Zoë \\u00e9 🎈", "mcpServers": {"ö": {}}}',
    "brackets in texts": '{"a": "}{][,:\\"", "hooks": {"SessionEnd": [{"x": "]"}]}}',
}


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_what_is_put_in_can_be_taken_out_to_the_letter(text: str) -> None:
    done = settings.with_ours(text, "s.json", BOTH)
    assert settings.holds(done.text, "s.json", BOTH)
    assert not settings.holds(text, "s.json", BOTH)
    assert others(done.text) == others(text)
    assert settings.without_ours(done.text, "s.json", BOTH, done.pieces).text == text


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_what_a_program_has_written_anew_is_found(text: str) -> None:
    done = settings.with_ours(text, "s.json", BOTH)
    anew = json.dumps(json_text.read(done.text, "s.json").value, indent=1, ensure_ascii=False)
    left = settings.without_ours(anew, "s.json", BOTH, done.pieces)
    assert NAME not in json_text.read(left.text, "s.json").value.get("mcpServers", {})
    assert others(left.text) == others(text)
    assert not any(is_our_hook(hook) for hooks in others(left.text)["hooks"].values() for hook in hooks)


def others(text: str) -> dict[str, Any]:
    """Return all that is not memstore's; whether a list of nothing is there makes no difference."""
    value = dict(json_text.read(text, "s.json").value)
    servers = {name: one for name, one in value.pop("mcpServers", {}).items() if not pinned_in(one)}
    hooks = {
        event: kept
        for event, known in value.pop("hooks", {}).items()
        if (kept := [one for one in known if not is_our_hook(one)])
    }
    return {**value, "mcpServers": servers, "hooks": hooks}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
HOOKS = st.dictionaries(st.sampled_from(["SessionStart", "Stop", "PreCompact"]), st.lists(st.just(THEIRS), max_size=2))


@given(
    rest=st.dictionaries(st.text(min_size=1, max_size=4), JSON, max_size=3),
    known=st.dictionaries(st.sampled_from(["hooks", "mcpServers"]), st.just({}) | HOOKS, max_size=2),
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
)
def test_any_settings_come_back(rest: dict[str, Any], known: dict[str, Any], indent: int | str | None) -> None:
    text = json.dumps({**rest, **known}, indent=indent, ensure_ascii=False)
    done = settings.with_ours(text, "s.json", BOTH)
    assert settings.holds(done.text, "s.json", BOTH)
    assert settings.without_ours(done.text, "s.json", BOTH, done.pieces).text == text
    assert others(settings.without_ours(done.text, "s.json", BOTH, ()).text) == others(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "1:1"), ("{", "1:2"), ('{\n  "a": 1\n  "b": 2\n}', "3:3"), ('{"a": }', "1:7"), ("[]", "1:1"),
        ('{"a": 1} x', "1:10"), ('{"a": "b\n"}', "1:7"), ('{"a" 1}', "1:6"), ('{"a": nul}', "1:7"),
        ('{"a": 1, "a": 2}', "1:10"), ('{"a":' * 300, "1:1001"), ('{"a": "\\q"}', "1:7"), ("{,}", "1:2"),
    ],
)  # fmt: skip
def test_broken_settings_are_refused_with_their_line(text: str, place: str) -> None:
    with pytest.raises(FormatError) as caught:
        settings.with_ours(text, "/home/sam/s.json", BOTH)
    assert str(caught.value).startswith(f"/home/sam/s.json:{place}: this is not JSON: ")


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"hooks": 1}', '{"hooks": {"SessionStart": {}}}'])
def test_where_there_is_no_place_nothing_is_written(text: str) -> None:
    with pytest.raises(RefusedError, match="nothing was written"):
        settings.with_ours(text, "s.json", BOTH)


@pytest.mark.parametrize(
    "entry",
    [{"command": "npx", "args": ["memstore-mcp"]}, {"command": "memstore", "args": ["mcp"]}, {"url": "https://x"}, 3],
)
def test_a_server_of_that_name_that_is_not_ours_stays(entry: object) -> None:
    text = json.dumps({"mcpServers": {"memstore": entry}})
    with pytest.raises(RefusedError, match="another server named memstore"):
        settings.with_ours(text, "s.json", BOTH)
    assert settings.without_ours(text, "s.json", BOTH, ()).text == text


def test_hooks_written_by_hand_stay() -> None:
    by_hand = {"hooks": {"SessionStart": [THEIRS, {"hooks": [{"command": "memstore recall --hook"}]}]}}
    text = json.dumps(by_hand)
    done = settings.with_ours(text, "s.json", BOTH)
    assert settings.without_ours(done.text, "s.json", BOTH, ()).text == text


TOML = {
    "empty": "",
    "a table at the end": '# mine\nmodel = "x" # fast\n\n[mcp_servers.other]\ncommand = "y"\n',
    "without a line end": "[a]\nb = 1",
    "an open table": "[mcp_servers]\n[mcp_servers.other]\ncommand = 'z'\n\n# the end\n",
    "carriage returns": "[a]\r\nb = 1\r\n",
    "dotted": 'mcp_servers.other.command = "x"\n',
    "a byte order mark": '\ufeffmodel = "x"\n',
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_toml_comes_back(text: str) -> None:
    done = settings.with_ours(text, "c.toml", CODEX)
    assert settings.holds(done.text, "c.toml", CODEX)
    assert done.text.startswith(text)
    assert settings.without_ours(done.text, "c.toml", CODEX, done.pieces).text == text
    moved = done.text + "\n[after]\nx = 1\n"
    left = settings.without_ours(moved, "c.toml", CODEX, ())
    left_of, before = (tomllib.loads(one.removeprefix("\ufeff")) for one in (left.text, text))
    assert left_of == {**before, "after": {"x": 1}}


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", "mcp_servers = 3\n", '[mcp_servers.memstore]\ncommand = "x"\n', "[[mcp_servers]]\n"]
)
def test_toml_without_a_place_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match="nothing was written"):
        settings.with_ours(text, "c.toml", CODEX)


def test_broken_toml_is_refused_with_its_line() -> None:
    with pytest.raises(FormatError, match=r"^/c\.toml: this is not TOML: .*at line 2"):
        settings.with_ours("a = 1\nb = = 2\n", "/c.toml", CODEX)


def test_every_program_has_what_it_documents() -> None:
    for name, host in HOSTS.items():
        hooks = wanted_hooks(host, PINNED)
        assert bool(hooks) == (host.hooks is not None), name
        assert all(is_our_hook(hook) for known in hooks.values() for hook in known)
        assert pinned_in(PINNED.server(host))
