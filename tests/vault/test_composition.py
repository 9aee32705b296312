from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import memstore
from memstore.access import CONTEXTS
from memstore.access.world import ActiveContext
from memstore.core.config import Config
from memstore.core.errors import FormatError, RefusedError, UsageError, VaultError
from memstore.files.local_state import Environment
from memstore.search import EMBEDDER
from memstore.vault import composition
from tests.embedders import HashedTrigrams

if TYPE_CHECKING:
    from collections.abc import Mapping


def _environment(tmp_path: Path, folder: Path | None = None, /, **variables: str) -> Environment:
    return Environment(variables=variables, folder=folder or tmp_path, home=tmp_path / "home", login="Sean O'Neil")


def _vault(folder: Path, text: str = 'format = 1\nowner = "human:sean"\n') -> Path:
    (folder / ".memstore").mkdir(parents=True)
    (folder / ".memstore/config.toml").write_text(text)
    return folder


def _user_config(tmp_path: Path, text: str) -> None:
    file = tmp_path / "home/.config/memstore/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)


# -- which vault ---------------------------------------------------------------------------------


def test_the_nearest_way_of_naming_a_vault_wins(tmp_path: Path) -> None:
    named, variable, around, default = (_vault(tmp_path / name) for name in ("a", "b", "c", "d"))
    _user_config(tmp_path, f'vault = "{default}"\n')
    inside = around / "deep/er"
    inside.mkdir(parents=True)
    env = _environment(tmp_path, inside, MEMSTORE_VAULT=str(variable))
    assert composition.find_vault(env, str(named)) == named
    assert composition.find_vault(env, None) == variable
    assert composition.find_vault(_environment(tmp_path, inside), None) == around
    assert composition.find_vault(_environment(tmp_path), None) == default


def test_a_default_may_lie_below_home(tmp_path: Path) -> None:
    vault = _vault(tmp_path / "home/notes")
    _user_config(tmp_path, 'vault = "~/notes"\n')
    assert composition.find_vault(_environment(tmp_path), None) == vault
    assert composition.find_vault(_environment(tmp_path), "~/notes") == vault


def test_an_empty_variable_names_nothing(tmp_path: Path) -> None:
    assert (
        composition.find_vault(_environment(tmp_path, _vault(tmp_path / "a"), MEMSTORE_VAULT=""), None)
        == tmp_path / "a"
    )


def test_no_vault_says_where_was_looked_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(VaultError) as raised:
        composition.find_vault(_environment(tmp_path), None)
    told = str(raised.value)
    assert all(word in told for word in ("--vault", "MEMSTORE_VAULT", str(tmp_path), ".config/memstore/config.toml"))
    assert "memstore init" in str(raised.value.hint)


@pytest.mark.parametrize("name", ["missing", "plain", "vault/below", "file"])
def test_what_is_named_must_be_a_vault(tmp_path: Path, name: str) -> None:
    _vault(tmp_path / "vault")
    (tmp_path / "vault/below").mkdir()
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(VaultError, match=f"--vault names {name}") as raised:
        composition.find_vault(_environment(tmp_path), name)
    assert raised.value.hint


# -- who acts ------------------------------------------------------------------------------------


def test_the_nearest_way_of_naming_an_entity_wins(tmp_path: Path) -> None:
    config = Config(owner="human:owner")
    plain = _environment(tmp_path)
    assert composition.find_actor(plain, None, config).value == "human:owner"
    _user_config(tmp_path, 'entity = "si:user"\n')
    assert composition.find_actor(plain, None, config).value == "si:user"
    env = _environment(tmp_path, MEMSTORE_ENTITY="si:variable")
    assert composition.find_actor(env, None, config).value == "si:variable"
    assert composition.find_actor(env, "si:named", config).value == "si:named"


@pytest.mark.parametrize(("named", "variables"), [("Sean", {}), ("", {}), (None, {"MEMSTORE_ENTITY": "sean"})])
def test_who_is_no_entity_is_refused(tmp_path: Path, named: str | None, variables: Mapping[str, str]) -> None:
    with pytest.raises(UsageError, match="not an entity id"):
        composition.find_actor(_environment(tmp_path, None, **variables), named, Config(owner="human:owner"))


@pytest.mark.parametrize(
    ("login", "entity"),
    [
        ("sean", "human:sean"),
        ("Sean O'Neil", "human:sean-o-neil"),
        ("DOMAIN\\x", "human:domain-x"),
        ("-_-", "human:owner"),
    ],
)
def test_a_login_name_becomes_an_entity(tmp_path: Path, login: str, entity: str) -> None:
    env = Environment(variables={}, folder=tmp_path, home=tmp_path, login=login)
    assert env.login_entity == entity


def test_a_vault_without_configuration_belongs_to_whoever_opens_it(tmp_path: Path) -> None:
    (tmp_path / ".memstore").mkdir()
    ws = composition.open_workspace(_environment(tmp_path))
    assert ws.actor == ws.config.owner == "human:sean-o-neil"


# -- opening -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["entity = si:ash\n", 'entiti = "si:ash"\n', "pins = 1\n", "embedder = \n"])
def test_no_vault_is_opened_without_the_users_own_settings(tmp_path: Path, text: str) -> None:
    vault = _vault(tmp_path / "a")
    _user_config(tmp_path, text)
    for entity in (None, "human:sean"):  # without their embedder, too, another answer would come
        with pytest.raises(FormatError, match=r"config.toml:1.*; your settings are needed, so nothing was done"):
            composition.open_workspace(_environment(tmp_path), vault=str(vault), entity=entity)


def test_a_vault_that_was_just_made_needs_none_of_the_users_settings(tmp_path: Path) -> None:
    _user_config(tmp_path, "entity = si:ash\n")
    assert composition.open_made(_environment(tmp_path), _vault(tmp_path / "a")).actor == "human:sean"


def test_a_newer_format_is_not_opened(tmp_path: Path) -> None:
    _vault(tmp_path, "format = 2\n")
    with pytest.raises(FormatError, match="format 2"):
        composition.open_workspace(_environment(tmp_path))


@pytest.mark.parametrize("text", ["", "park", "human:sean", "ctx:", "ctx:a ctx:b", "CTX:park"])
def test_what_is_no_context_is_an_error_and_never_no_context(tmp_path: Path, text: str) -> None:
    _vault(tmp_path)
    with pytest.raises(UsageError, match="not a context"):
        composition.open_workspace(_environment(tmp_path), context=text)
    if text:
        with pytest.raises(UsageError, match="MEMSTORE_CONTEXT"):
            composition.open_workspace(_environment(tmp_path, MEMSTORE_CONTEXT=text))


def test_the_option_stands_before_the_variable_and_that_before_the_file(tmp_path: Path) -> None:
    _vault(tmp_path)
    composition.open_workspace(_environment(tmp_path)).of(CONTEXTS).enter(_context("ctx:kept"))

    def active(context: str | None = None, **variables: str) -> str | None:
        found = composition.open_workspace(_environment(tmp_path, **variables), context=context).of(CONTEXTS).current()
        return found.id if found else None

    assert active("ctx:option", MEMSTORE_CONTEXT="ctx:variable") == "ctx:option"
    assert active(MEMSTORE_CONTEXT="ctx:variable") == "ctx:variable"
    assert active() == "ctx:kept"
    assert active(MEMSTORE_SESSION="another") is None
    assert active(MEMSTORE_ENTITY="si:ash") is None


def test_a_context_that_can_not_be_relied_on_stops_all_but_leaving_it(tmp_path: Path) -> None:
    _vault(tmp_path)
    ws = composition.open_workspace(_environment(tmp_path))
    ws.of(CONTEXTS).enter(_context("ctx:park", hours=-1))
    with pytest.raises(RefusedError, match="ctx:park expired at"):
        composition.open_workspace(_environment(tmp_path))
    composition.open_workspace(_environment(tmp_path), any_context=True).of(CONTEXTS).leave()
    composition.open_workspace(_environment(tmp_path))


def test_two_agents_never_see_each_others_context(tmp_path: Path) -> None:
    _vault(tmp_path)
    agents = [("si:ash", ""), ("si:max", ""), ("si:ash", "2")]
    for turn in range(1000):
        entity, session = agents[turn % 3]
        contexts = composition.open_workspace(
            _environment(tmp_path, MEMSTORE_SESSION=session), entity=entity, any_context=True
        ).of(CONTEXTS)
        found = contexts.current()
        assert (found.id if found else None) == (f"ctx:c{turn - 3}" if turn % 30 > 2 else None)
        contexts.enter(_context(f"ctx:c{turn}"))
        if turn % 30 > 26:
            contexts.leave()


def _context(name: str, *, hours: int = 12) -> ActiveContext:
    return ActiveContext(id=name, expires_at=datetime.now(UTC) + timedelta(hours=hours))


def test_require_context_lets_only_the_owner_at_a_terminal_in(tmp_path: Path) -> None:
    _vault(tmp_path, 'owner = "human:sean"\nrequire_context = true\n')
    at_terminal = Environment(variables={}, folder=tmp_path, home=tmp_path / "home", login="x", at_terminal=True)
    assert composition.open_workspace(at_terminal).actor == "human:sean"
    with pytest.raises(RefusedError):
        composition.open_workspace(at_terminal, entity="si:ash")
    with pytest.raises(RefusedError):
        composition.open_workspace(_environment(tmp_path))
    assert composition.open_workspace(_environment(tmp_path), context="ctx:park").actor == "human:sean"


def test_derived_files_lie_where_the_user_keeps_them(tmp_path: Path) -> None:
    env = _environment(tmp_path, XDG_CACHE_HOME=str(tmp_path / "c"), XDG_CONFIG_HOME="relative")
    assert env.cache_home == tmp_path / "c"
    assert env.config_file == tmp_path / "home/.config/memstore/config.toml"
    assert env.state_home == tmp_path / "home/.local/state"


def test_the_process_has_surroundings() -> None:
    env = Environment.of_process()
    assert env.folder == Path.cwd()
    assert env.login


# -- from Python ---------------------------------------------------------------------------------


def test_a_vault_is_opened_from_python(tmp_path: Path) -> None:
    _vault(tmp_path)
    (tmp_path / "tea.md").write_text("---\ntype: note\nid: m_0tea00001x\ntitle: Tea\n---\n\nHot.\n")
    vault = memstore.open_vault(tmp_path, entity="human:sean")
    assert [entry.title for entry in vault.list()] == ["Tea"]
    assert vault.get("m_0tea").body == "\nHot.\n"


def test_an_embedder_is_the_users_choice_and_loaded_only_when_it_is_used(tmp_path: Path) -> None:
    vault = _vault(tmp_path / "a")
    assert composition.open_workspace(_environment(tmp_path), vault=str(vault)).of(EMBEDDER) is None
    _user_config(tmp_path, 'embedder = "~/none"\n')
    chosen = composition.open_workspace(_environment(tmp_path), vault=str(vault)).of(EMBEDDER)
    assert chosen is not None
    with pytest.raises(UsageError, match=f"the embedder {tmp_path}/home/none has no model"):
        chosen.embed(["a"])


def test_a_vault_never_chooses_an_embedder(tmp_path: Path) -> None:
    vault = _vault(tmp_path / "a", 'owner = "human:sean"\nembedder = "/tmp"\n')
    with pytest.raises(FormatError, match="no setting 'embedder'"):
        composition.open_workspace(_environment(tmp_path), vault=str(vault))


def test_from_python_any_object_embeds(tmp_path: Path) -> None:
    embedder = HashedTrigrams()
    vault = memstore.open_vault(_vault(tmp_path / "a"), entity="human:sean", embedder=embedder)
    assert vault.view().of(EMBEDDER) is embedder


def test_every_public_name_is_there() -> None:
    for name in memstore.__all__:
        assert getattr(memstore, name) is not None
        assert name in dir(memstore)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = memstore.no_such_name


# -- the Python names ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(memstore.__all__))
def test_every_name_of_the_package_is_there_and_documented(name: str) -> None:
    found = getattr(memstore, name)
    aliases = {"__version__", "Named", "Names", "OneOrMore"}
    assert name in aliases or (found.__doc__ and found.__module__.startswith("memstore."))
