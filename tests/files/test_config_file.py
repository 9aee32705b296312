from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.config import CONFIG_PATH, USER_SETTINGS, VAULT_SETTINGS, Config, UserConfig
from memstore.core.errors import FormatError, UsageError, VaultError
from memstore.files.config_file import ConfigFile, read_user_config, read_vault_config
from memstore.vault.init import config_text

if TYPE_CHECKING:
    from pathlib import Path

OWNER = 'format = 1\nowner = "human:sean"\n'


def _vault(tmp_path: Path, text: str) -> Path:
    file = tmp_path / CONFIG_PATH
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    return tmp_path


def test_a_configuration_is_read(tmp_path: Path) -> None:
    vault = _vault(tmp_path, OWNER + 'filenames = "id"\nauto_commit = true\n')
    assert read_vault_config(vault, default_owner="human:x") == Config(
        owner="human:sean", filenames="id", auto_commit=True
    )


def test_what_is_not_set_has_its_default(tmp_path: Path) -> None:
    assert read_vault_config(tmp_path, default_owner="human:x") == Config(owner="human:x")
    assert read_user_config(tmp_path / "none.toml") == UserConfig()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ownr = 1", "config.toml:3: there is no setting 'ownr'"),
        ('"my key" = 1', "config.toml:3: there is no setting 'my key'"),
        ("[extra]\nx = 1", "config.toml:3: there is no setting 'extra'"),
        ("auto_commit = 1", "config.toml:3: 'auto_commit' must be true or false, and is 1"),
        ('auto_commit = "true"', "must be true or false"),
        ('filenames = "name"', '"slug-id" or "id"'),
        ("owner = 1", "config.toml:3:10: not readable as TOML: cannot overwrite a value"),  # a key twice
        ('extensions = ["sealed"]', "needs sealed"),
        ("extensions = 1", "must be a list of words"),
        ("[", "config.toml:3:2: not readable as TOML"),
    ],
)
def test_a_configuration_that_cannot_be_used_names_the_line(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(FormatError) as raised:
        read_vault_config(_vault(tmp_path, OWNER + line + "\n"), default_owner="human:x")
    assert told in str(raised.value)
    assert raised.value.hint


@pytest.mark.parametrize("text", ["format = 2", "format = 2\nnew_key = 1\nowner = 3"])
def test_a_newer_format_is_refused_before_anything_in_it_is_judged(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match="format 2") as raised:
        read_vault_config(_vault(tmp_path, text), default_owner="human:x")
    assert "knows format 2" in str(raised.value.hint)


@pytest.mark.parametrize("text", ['owner = "sean"', "format = true", 'format = "1"', "owner = []"])
def test_values_of_another_shape_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError):
        read_vault_config(_vault(tmp_path, text), default_owner="human:x")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("owner = human:sean", 'it should probably read: owner = "human:sean"'),
        ("owner = sean", "'owner' must be an entity id, like human:sean"),
        ("owner = 'si:a'\nowner = 'si:b'", "it is already set above: remove one of the two"),
        ("\ufeffowner = 'si:a'", "save it without a byte order mark"),
        ("owner", 'write lines like owner = "human:sean"'),
    ],
)
def test_a_slip_of_the_hand_is_told_with_what_to_write(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(FormatError) as raised:
        read_vault_config(_vault(tmp_path, text), default_owner="human:x")
    assert raised.value.hint == hint


def test_a_setting_below_a_table_is_told_to_go_above_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[pins]\n"/home/notes" = "{"a" * 40}"\n\nentity = "si:ash"\n')
    with pytest.raises(FormatError, match=r"config.toml:4: 'entity' is below \[pins\]") as raised:
        read_user_config(file)
    assert raised.value.hint == "put that line above [pins]"


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    _vault(tmp_path, "")
    (tmp_path / CONFIG_PATH).write_bytes(b'format = 1\nowner = "\xff"')
    with pytest.raises(FormatError, match=r"config\.toml:2: not UTF-8"):
        read_vault_config(tmp_path, default_owner="human:x")
    (tmp_path / CONFIG_PATH).unlink()
    (tmp_path / CONFIG_PATH).mkdir()
    with pytest.raises(VaultError, match="can't read"):
        read_vault_config(tmp_path, default_owner="human:x")


# -- writing -------------------------------------------------------------------------------------


def _file(tmp_path: Path, text: str) -> ConfigFile:
    return ConfigFile(_vault(tmp_path, text) / CONFIG_PATH, VAULT_SETTINGS)


def test_setting_changes_one_line(tmp_path: Path) -> None:
    text = "# mine\r\nformat = 1   # don't\r\n\r\nowner   =   'human:sean' # me\r\nfilenames = \"id\""
    file = _file(tmp_path, text)
    file.set("owner", "si:ash")
    assert file.path.read_bytes().decode() == text.replace("'human:sean'", '"si:ash"')


def test_a_setting_takes_the_place_that_was_kept_for_it(tmp_path: Path) -> None:
    file = _file(tmp_path, config_text("human:sean"))
    file.set("auto_commit", "true")
    assert "# commit every change at once\nauto_commit = true\n" in file.path.read_text()
    file.unset("auto_commit")
    assert "auto_commit" not in file.values()


def test_setting_the_same_again_leaves_the_bytes_alone(tmp_path: Path) -> None:
    file = _file(tmp_path, OWNER + "auto_commit=true")
    before = file.path.stat()
    file.set("auto_commit", "true")
    file.unset("filenames")
    assert file.path.stat() == before


@pytest.mark.parametrize(
    ("name", "text"),
    [("auto_commit", "yes"), ("owner", "Sean"), ("filenames", "x"), ("format", "1"), ("extensions", "x"), ("nme", "x")],
)
def test_what_does_not_fit_is_not_written(tmp_path: Path, name: str, text: str) -> None:
    file = _file(tmp_path, OWNER)
    with pytest.raises(UsageError):
        file.set(name, text)
    assert file.path.read_text() == OWNER


def test_a_setting_of_the_other_file_is_told_where_it_belongs(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        _file(tmp_path, OWNER).set("embedder", "/x")
    assert str(raised.value.hint).endswith("memstore config --user embedder")
    with pytest.raises(UsageError) as raised:
        ConfigFile(tmp_path / "mine.toml", USER_SETTINGS).set("auto_commit", "true")
    assert str(raised.value.hint).endswith("memstore config auto_commit")


@pytest.mark.parametrize(
    "written",
    ['search.languages = ["de", "en"]\n', '[search]\nlanguages = ["de", "en"]\n', 'search = {languages=["de", "en"]}'],
)
def test_a_setting_in_a_section_is_read_and_changed_however_it_is_written(tmp_path: Path, written: str) -> None:
    file = _file(tmp_path, OWNER + written)
    assert read_vault_config(tmp_path, default_owner="human:x").languages == ("de", "en")
    file.set("search.languages", "fr")
    assert file.values()["search.languages"] == ["fr"]
    file.set("auto_commit", "true")
    assert read_vault_config(tmp_path, default_owner="human:x").languages == ("fr",)
    file.unset("search.languages")
    assert "search" not in tomllib.loads(file.path.read_text())
    assert file.values()["auto_commit"] is True


def test_a_setting_in_a_section_is_written_where_it_was_offered_or_below_its_section(tmp_path: Path) -> None:
    offered = _file(tmp_path, config_text("human:sean"))
    offered.set("search.languages", "de en")
    assert '\nsearch.languages = ["de", "en"]\n' in offered.path.read_text()
    mine = ConfigFile(tmp_path / "mine.toml", USER_SETTINGS)
    mine.path.write_text('[pins]\n"/home/v" = "' + 40 * "a" + '"\n')
    mine.set("semantic.pooling", "cls")
    mine.set("semantic.query_prefix", "query: ")
    mine.set("vault", "~/notes")
    found = read_user_config(mine.path)
    assert (found.pooling, found.query_prefix, found.passage_prefix) == ("cls", "query: ", "")
    assert (found.vault, len(found.pins)) == ("~/notes", 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[search]\nlanguages = ["de", "tlh"]\n',
            r"toml:4: 'search\.languages' must be a list of some of en, da",
        ),
        ('search.languages = "de"\n', r"config\.toml:3: 'search\.languages' must be a list"),
        ('[search]\nlangs = ["de"]\n', r"config\.toml:4: there is no setting 'search\.langs'"),
        ("search = 1\n", r"config\.toml:3: there is no setting 'search'"),
    ],
)
def test_what_is_wrong_in_a_section_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        _file(tmp_path, OWNER + text).values()


def test_a_broken_file_is_not_rewritten(tmp_path: Path) -> None:
    file = _file(tmp_path, "owner = [")
    with pytest.raises(FormatError):
        file.set("auto_commit", "true")
    assert file.path.read_text() == "owner = ["


def test_a_users_file_is_made_when_it_is_needed(tmp_path: Path) -> None:
    file = ConfigFile(tmp_path / "config/memstore/config.toml", USER_SETTINGS)
    assert file.values() == {}
    file.set("vault", "~/notes")
    file.set("entity", "si:ash")
    assert read_user_config(file.path) == UserConfig(vault="~/notes", entity="si:ash")
    with pytest.raises(UsageError, match="a folder"):
        file.set("vault", "notes")


_COMMENTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), max_size=20)


@given(comments=st.lists(_COMMENTS, min_size=4, max_size=4), newline=st.sampled_from(["\n", "\r\n"]))
def test_comments_and_layout_survive(
    tmp_path_factory: pytest.TempPathFactory, comments: list[str], newline: str
) -> None:
    first, second, third, fourth = (f"# {comment}" for comment in comments)
    lines = [first, f"format=1 {second}", "", f'owner = "human:sean"  {third}', fourth]
    text = newline.join(lines)
    file = _file(tmp_path_factory.mktemp("vault"), text)
    file.set("owner", "si:ash")
    after = file.path.read_bytes().decode()
    assert after == text.replace('"human:sean"', '"si:ash"', 1)
    assert tomllib.loads(after)["owner"] == "si:ash"


# -- who reads what is pushed ----------------------------------------------------------------------


def test_the_audience_of_a_remote_is_written_under_its_name_or_url(tmp_path: Path) -> None:
    file = _file(tmp_path, 'format = 1\nowner = "human:sean"\n')
    file.set("remotes.origin", "human:bob, group:club")
    file.set("remotes.https://example.org/a.b.git", "public")
    config = read_vault_config(tmp_path, default_owner="human:x")
    assert config.remotes == {
        "origin": ("human:bob", "group:club"),
        "https://example.org/a.b.git": ("public",),
    }
    file.unset("remotes.https://example.org/a.b.git")
    file.unset("remotes.origin")
    assert file.path.read_text() == 'format = 1\nowner = "human:sean"\n\n'
    assert read_vault_config(tmp_path, default_owner="human:x").remotes == {}


@pytest.mark.parametrize("text", ["bob", "owner, human:bob", "public owner", "", "ctx:park", "role:vet", "*"])
def test_an_audience_is_of_entities_or_one_word(tmp_path: Path, text: str) -> None:
    file = _file(tmp_path, "format = 1\n")
    with pytest.raises(UsageError, match="must be owner, public, or the ids") as raised:
        file.set("remotes.origin", text)
    assert raised.value.hint == "memstore config remotes.origin human:bob,group:club, with commas between ids"
    assert file.path.read_text() == "format = 1\n"


@pytest.mark.parametrize("line", ['origin = "owner"', "origin = []", 'origin = ["owner", "human:bob"]', "origin = 1"])
def test_an_audience_in_another_form_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(FormatError, match="'remotes' must be a table of git remotes"):
        read_vault_config(_vault(tmp_path, f"[remotes]\n{line}"), default_owner="human:x")


def test_the_table_of_audiences_is_set_line_by_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        _file(tmp_path, "format = 1\n").set("remotes", "owner")
    assert raised.value.hint == "memstore config remotes.origin owner"


# -- the keys of others --------------------------------------------------------------------------------


def _own(tmp_path: Path, text: str) -> ConfigFile:
    file = tmp_path / "own.toml"
    file.write_text(text)
    return ConfigFile(file, USER_SETTINGS)


def test_each_entity_can_have_a_key_of_its_own(tmp_path: Path) -> None:
    file = _own(tmp_path, '# mine\nsigning_key = "~/.ssh/id"\n')
    file.set("signing_keys.si:ash", "~/ash/session-cert.pub")
    file.set("signing_keys.si:pith.2", "/keys/pith")
    file.set("vault", "/notes")
    known = read_user_config(file.path)
    assert known.vault == "/notes"
    assert [known.key_of(who) for who in ("si:ash", "si:pith.2", "human:sean", None)] == [
        "~/ash/session-cert.pub", "/keys/pith", "~/.ssh/id", "~/.ssh/id",
    ]  # fmt: skip
    file.unset("signing_keys.si:ash")
    assert read_user_config(file.path).key_of("si:ash") == "~/.ssh/id"
    file.unset("signing_keys.si:pith.2")
    assert file.path.read_text() == '# mine\nsigning_key = "~/.ssh/id"\nvault = "/notes"\n\n'


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("signing_keys", "/key", "'signing_keys' has a line for each entity"),
        ("scopes", "project:acme", "'scopes' has a line for each folder"),
        ("scopes.acme", "project:acme", "a folder, absolute, has the scope"),
        ("scopes./acme", "acme", "a folder, absolute, has the scope"),
        ("signing_keys.ash", "/key", "'ash' is not an entity id"),
        ("signing_keys.si:ash", "key", "'signing_keys.si:ash' must be a file, absolute or below ~, and not 'key'"),
        ("signing_keys.si:ash", "/k\ney", "must be a file"),
        ("signing_keys.si:ash", "", "must be a file"),
    ],
)
def test_a_key_of_an_entity_is_a_file(tmp_path: Path, name: str, text: str, told: str) -> None:
    file = _own(tmp_path, "")
    with pytest.raises(UsageError) as raised:
        file.set(name, text)
    assert told in raised.value.message
    assert file.path.read_text() == ""


@pytest.mark.parametrize("line", ['ash = "/key"', '"si:ash" = "key"', '"si:ash" = 1', '"si:ash" = "/k\\ny"'])
def test_a_table_of_keys_in_another_form_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(FormatError, match="'signing_keys' must be a table of entity ids and files"):
        read_user_config(_own(tmp_path, f"[signing_keys]\n{line}\n").path)


def test_an_entry_of_the_wrong_file_is_told_where_it_belongs(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        _file(tmp_path, "format = 1\n").set("signing_keys.si:ash", "/key")
    assert raised.value.hint == (
        "it is a setting of your own, for all vaults: memstore config --user signing_keys.si:ash"
    )
