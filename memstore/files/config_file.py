"""Settings of a vault or a user: a strict reader, and a writer that keeps the person's comments and layout."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memstore.core.config import (
    CONFIG_PATH,
    EXTENSIONS,
    FORMAT_VERSION,
    OWNER_ALONE,
    PUBLIC,
    USER_SETTINGS,
    VAULT_SETTINGS,
    Config,
    Setting,
    SettingKind,
    UserConfig,
)
from memstore.core.errors import FormatError, UsageError, VaultError
from memstore.core.ids import is_entity_id
from memstore.core.times import zone_named
from memstore.files.local_state import is_secret, regular_bytes, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

# For settings that are tables: the form of each key and value.
_TABLES = {
    SettingKind.PEOPLE: r"/.* [a-z][a-z0-9-]*:\S+",
    SettingKind.PINS: r"/.* ([0-9a-f]{40}|[0-9a-f]{64})",
    SettingKind.HEADERS: r"[0-9]{1,9} [0-9a-f]{160}",
    SettingKind.REVOCATIONS: r"/.* SHA256:[A-Za-z0-9+/]{43} ([0-9a-f]{40}|[0-9a-f]{64})",
    SettingKind.HOSTS: r"[^\s/]+ [a-z][a-z0-9-]*:\S+",
    SettingKind.SENDERS: r"[a-z][a-z0-9-]*:\S+ SHA256:[A-Za-z0-9+/]{43}",
    SettingKind.KEYS: r"[a-z][a-z0-9-]*:\S+ [/~].*",
    SettingKind.FILTERS: r"\S.* (?:clean|process|smudge): .+",
    SettingKind.SCOPES: r"/.* (?:global|project:[A-Za-z0-9][A-Za-z0-9._-]*)",
}
# Tables that people set entry by entry, like `remotes.origin`: what has an entry, and a command as an example.
_BY_ENTRY = {
    SettingKind.AUDIENCES: ("remote", "memstore config {}.origin owner"),
    SettingKind.KEYS: ("entity", "memstore config --user {}.si:ash FILE"),
    SettingKind.FILTERS: ("filter", "memstore config --user {}.git-crypt 'clean: COMMAND; smudge: COMMAND'"),
    SettingKind.SCOPES: ("folder", "memstore config --user {}./home/sam/acme project:acme"),
}


def read_vault_config(vault: Path, *, default_owner: str) -> Config:
    """Return a vault's configuration; `default_owner` applies if the file names no owner.

    Raises:
        FormatError: the file can't be read, has an unknown key or a bad value, or needs a newer memstore.
    """
    return _vault_config(ConfigFile(vault / CONFIG_PATH, VAULT_SETTINGS).values(), default_owner)


def parsed_vault_config(data: bytes, path: Path, *, default_owner: str) -> Config:
    """Return the configuration in these bytes, as `read_vault_config` does; `path` is for messages alone."""
    return _vault_config(_GivenFile(path, data).values(), default_owner)


def _vault_config(values: dict[str, Any], default_owner: str) -> Config:
    fields = {setting.field: values[setting.name] for setting in VAULT_SETTINGS if setting.name in values}
    fields |= {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    fields["remotes"] = {remote: tuple(words) for remote, words in fields.get("remotes", {}).items()}
    return Config(**{"owner": default_owner, **fields})


def read_user_config(path: Path) -> UserConfig:
    """Return the user's configuration; the file is optional.

    Raises:
        FormatError: the file can't be read, or has an unknown key or a bad value. Continuing without it would mean
            guessing who is looking and whose keys count.
    """
    try:
        file = ConfigFile(path, USER_SETTINGS)
        values = file.values()
        file.stop_if_told(values)
        return UserConfig(**{one.field: values[one.name] for one in USER_SETTINGS if one.name in values})
    except FormatError as error:
        raise FormatError(f"{error}; your settings are needed, so nothing was done", hint=error.hint) from error


class ConfigFile:
    """One TOML file with the settings of one table."""

    def __init__(self, path: Path, settings: tuple[Setting, ...]) -> None:
        self.path = path
        self.settings = {setting.name: setting for setting in settings}

    def values(self) -> dict[str, Any]:
        """Return the file's settings, checked; empty if there is no file.

        Raises:
            FormatError: the file can't be read, has an unknown key or a bad value, or needs a newer memstore.
        """
        text = self._text()
        values = self._flat(self._parsed(text))
        # Checked first: a newer format may have keys and values that look wrong to this version.
        self._check_version(values, text)
        for name, value in values.items():
            self._check(name, value, text)
        return values

    def stop_if_told(self, values: Iterable[str]) -> None:
        """Raise `FormatError` if a secret is among these settings, and others can read the file."""
        told = [name for name in values if self.settings[name].secret]
        if told and not is_secret(self.path.resolve()):
            raise FormatError(
                f"{self._place(told[0], self._text())}: others can read this file, and {told[0]!r} is a secret",
                hint=f"chmod 600 {self.path}",
            )

    def set(self, name: str, text: str) -> Any:
        """Write one setting and return its value; all other bytes stay as they are.

        Args:
            name: the key.
            text: the value as a person types it.

        Raises:
            UsageError: there is no such setting, it can't be changed, or the value does not fit.
            FormatError: the file is already broken.
        """
        value = self.typed(name, text)
        self._edit(name, value)
        return value

    def typed(self, name: str, text: str) -> bool | float | str | list[str]:
        """Return the value that `set` would write, and write nothing; raises what `set` raises."""
        value = _typed(self._setting(name), text, name)
        self.values()
        return value

    def unset(self, name: str) -> None:
        """Remove one setting from the file, so that its default applies."""
        self._setting(name)
        self._edit(name, None)

    def set_entry(self, name: str, key: str, value: str | None) -> None:
        """Write one entry of a table, which `set` can't do, or remove it for None; all other bytes stay as they are.

        Raises:
            FormatError: the file is already broken.
        """
        import tomlkit

        before = self._text()
        self.values()
        document = tomlkit.parse(before)
        if value is None:
            document.get(name, {}).pop(key, None)
        else:
            document.setdefault(name, tomlkit.table())[key] = value
        self._write(before, tomlkit.dumps(document))

    # -- reading ---------------------------------------------------------------------------------

    def _bytes(self) -> bytes:
        return regular_bytes(self.path)

    def _text(self) -> str:
        try:
            return self._bytes().decode()
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise FormatError(f"{self.path}:{line}: not UTF-8", hint="save it as UTF-8") from error
        except OSError as error:
            raise VaultError(f"can't read {self.path}: {error.strerror}", hint="check its permissions") from error

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise self._no_toml(error, text) from error

    def _flat(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return values with those of sections under their whole names, `search.languages`."""
        sections = {one.name.partition(".")[0] for one in (*VAULT_SETTINGS, *USER_SETTINGS) if "." in one.name}
        flat: dict[str, Any] = {}
        for name, value in values.items():
            if name in sections and isinstance(value, dict):
                flat |= {f"{name}.{key}": item for key, item in value.items()}
            else:
                flat[name] = value
        return flat

    def _no_toml(self, error: Exception, text: str) -> FormatError:
        """Return the error for a text that is not TOML, with the corrected line."""
        from memstore.files.toml_advice import of_syntax_error

        def fits(name: str, value: object) -> bool:
            return name not in self.settings or _fits(self.settings[name], value)

        slip = of_syntax_error(error, text, fits)
        hint = 'write lines like owner = "human:sean"'
        if text.startswith("\ufeff"):
            hint = "save it without a byte order mark"
        elif slip.mended is not None:
            hint = f"it should probably read: {slip.mended}"
        elif slip.is_again:
            hint = "it is already set above: remove one of the two"
        elif slip.name in self.settings:
            hint = f"{slip.name!r} must be {_wanted(self.settings[slip.name])}"
        return FormatError(f"{self.path}:{slip.line}:{slip.column}: not readable as TOML: {slip.said}", hint=hint)

    def _check_version(self, values: dict[str, Any], text: str) -> None:
        version = values.get("format", FORMAT_VERSION)
        if "format" in self.settings and type(version) is int and version != FORMAT_VERSION:
            raise FormatError(
                f"{self._place('format', text)}: the vault has format {version}, and this memstore knows "
                f"format {FORMAT_VERSION}",
                hint=f"use a memstore that knows format {version}",
            )
        unknown = sorted({*_words(values.get("extensions"))} - {*EXTENSIONS})
        if "extensions" in self.settings and unknown:
            raise FormatError(
                f"{self._place('extensions', text)}: the vault needs {', '.join(unknown)}, which this memstore "
                "does not know",
                hint=f"use a memstore that knows {', '.join(unknown)}",
            )

    def _check(self, name: str, value: object, text: str) -> None:
        setting = self.settings.get(name)
        if setting is None:
            raise FormatError(f"{self._place(name, text)}: there is no setting {name!r}", hint=self.advice(name))
        if setting.kind in _TABLES and isinstance(value, dict) and (strays := value.keys() & self.settings.keys()):
            stray = min(strays)
            raise FormatError(
                f"{self._place(stray, text)}: {stray!r} is below [{name}], so it is not one of your settings",
                hint=f"put that line above [{name}]",
            )
        if not _fits(setting, value):
            raise FormatError(
                f"{self._place(name, text)}: {name!r} must be {_wanted(setting)}, and is {value!r}",
                hint=f"meaning: {setting.meaning}",
            )

    def _place(self, name: str, text: str) -> str:
        """Return the file and line of a key."""
        section, _, key = name.rpartition(".")
        within = rf"(?:{re.escape(section)}[ \t]*\.[ \t]*)?" if section else ""
        form = rf"^[ \t]*\[?[ \t]*{within}[\"']?{re.escape(key)}[\"']?[ \t]*[=.\]]"
        found = re.search(form, text, re.MULTILINE)
        return f"{self.path}:{text.count(chr(10), 0, found.start()) + 1}" if found else str(self.path)

    def advice(self, name: str) -> str:
        """Return what to do if this file has no setting of that name."""
        from memstore.core.errors import did_you_mean

        if _has(VAULT_SETTINGS, name):
            return f"it is a setting of the vault: memstore config {name}"
        if _has(USER_SETTINGS, name):
            return f"it is a setting of your own, for all vaults: memstore config --user {name}"
        return did_you_mean(name, self.settings, otherwise=f"settings: {', '.join(self.settings)}")

    # -- writing ---------------------------------------------------------------------------------

    def is_entry(self, name: str) -> bool:
        """Return whether this is the name of an entry that can be set: `remotes.` and a remote's name or URL."""
        table, _, key = name.partition(".")
        return table in self.settings and self.settings[table].kind in _BY_ENTRY and bool(key)

    def _setting(self, name: str) -> Setting:
        setting = self.settings.get(name.partition(".")[0] if self.is_entry(name) else name)
        if setting is None:
            raise UsageError(f"there is no setting {name!r} in {self.path}", hint=self.advice(name))
        if setting.kind in _BY_ENTRY and not self.is_entry(name):
            what, example = _BY_ENTRY[setting.kind]
            raise UsageError(f"{name!r} has a line for each {what}", hint=example.format(name))
        if setting.fixed and not self.is_entry(name):
            raise UsageError(f"{name!r} can't be changed: {setting.meaning}", hint="leave it as it is")
        return setting

    def _edit(self, name: str, value: object) -> None:
        import tomlkit

        before = self._text()
        self.values()  # a broken file is not touched
        document = tomlkit.parse(before)
        section, dot, key = name.partition(".")  # the name of a remote may have dots, too
        section, key = (section, key) if dot else ("", name)
        table: Any = document.get(section, {}) if section else document
        if value is None:
            table.pop(key, None)
            if section and not table:
                document.pop(section, None)
        elif table.get(key) != value:
            # People look for a setting where `init` left it as a comment.
            offered = re.compile(rf"^# {re.escape(name)} = .*$", re.MULTILINE)
            line = f"{name} = {tomlkit.item(value).as_string()}"
            if key not in table and offered.search(before):
                document = tomlkit.parse(offered.sub(lambda _: line, before, count=1))
            else:
                (document.setdefault(section, tomlkit.table()) if section else document)[key] = value
        is_told = value is not None and name in self.settings and self.settings[name].secret
        self._write(before, tomlkit.dumps(document), mode=0o600 if is_told else None)

    def _write(self, before: str, after: str, *, mode: int | None = None) -> None:
        if after != before:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path.resolve(), after.encode(), mode=mode)  # often links into a person's dotfiles


class _GivenFile(ConfigFile):
    """A vault's settings whose bytes are given; `path` is for messages alone."""

    def __init__(self, path: Path, data: bytes) -> None:
        super().__init__(path, VAULT_SETTINGS)
        self._data = data

    def _bytes(self) -> bytes:
        return self._data


def _has(settings: tuple[Setting, ...], name: str) -> bool:
    """Whether there is a setting of that name, or a table of which it names an entry."""
    tables = (f"{one.name}." for one in settings if one.kind in _BY_ENTRY)
    return any(name == one.name for one in settings) or name.startswith(tuple(tables))


def _words(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _wanted(setting: Setting) -> str:
    if setting.kind is SettingKind.WORDS and setting.choices:
        return f"a list of some of {', '.join(setting.choices)}"
    return " or ".join(f'"{word}"' for word in setting.choices) or setting.kind.value


def _fits(setting: Setting, value: object) -> bool:
    """Return whether a value from a file is valid for the setting."""
    match setting.kind:
        case SettingKind.FLAG:
            return isinstance(value, bool)
        case SettingKind.WHOLE | SettingKind.SHARE:
            return _is_number(setting.kind, value)
        case SettingKind.WORDS:
            words = _words(value)
            is_known = not setting.choices or {*words} <= {*setting.choices}
            return isinstance(value, list) and len(words) == len(value) and is_known
        case SettingKind.ENTITY | SettingKind.CHOICE:
            return isinstance(value, str) and (value in setting.choices if setting.choices else is_entity_id(value))
        case SettingKind.FOLDER | SettingKind.FILE | SettingKind.LINE | SettingKind.ZONE:
            return _is_line(setting.kind, value)
        case table:
            return isinstance(value, dict) and all(_is_entry(table, key, item) for key, item in value.items())


def _is_line(kind: SettingKind, value: object) -> bool:
    """Return whether a setting of this kind, a path, a line or a time zone, may have this value."""
    if kind is SettingKind.ZONE:
        return isinstance(value, str) and (value == "" or zone_named(value) is not None)
    begins = ("/", "~") if kind in (SettingKind.FOLDER, SettingKind.FILE) else ""
    return isinstance(value, str) and value.isprintable() and value.strip() != "" and value.startswith(begins)


def _is_number(kind: SettingKind, value: object) -> bool:
    """Return whether a setting of this kind, `WHOLE` or `SHARE`, may have this value."""
    if kind is SettingKind.WHOLE:
        return type(value) is int and value > 0
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_entry(kind: SettingKind, key: str, item: object) -> bool:
    """Return whether a table of this kind may have this entry."""
    return re.fullmatch(_TABLES[kind], f"{key} {item}") is not None if kind in _TABLES else is_audience(item)


def words_typed(text: str) -> list[str]:
    """Return the words of a list as a person types it, separated by commas or spaces."""
    return text.replace(",", " ").split()


def is_audience(value: object) -> bool:
    """Return whether a value names who reads a remote: entities or groups, or one word for the owner or the public."""
    words = _words(value)
    names = all(is_entity_id(word) and not word.startswith(("ctx:", "role:")) for word in words)
    return isinstance(value, list) and len(words) == len(value) > 0 and (names or words in ([OWNER_ALONE], [PUBLIC]))


def _typed(setting: Setting, text: str, name: str) -> bool | float | str | list[str]:
    """Return a setting's value from what a person typed."""
    value: bool | float | str | list[str] = text
    if setting.kind is SettingKind.AUDIENCES:
        if not is_audience(words_typed(text)):
            raise UsageError(
                f"{name!r} must be owner, public, or the ids of those who read it, and not {text!r}",
                hint=f"memstore config {name} human:bob,group:club, with commas between ids",
            )
        return words_typed(text)
    if typed_entry := _TYPED_ENTRIES.get(setting.kind):
        return typed_entry(name, text)
    if setting.kind is SettingKind.FLAG:
        value = {"true": True, "false": False}.get(text, text)
    elif setting.kind is SettingKind.WHOLE and text.isascii() and text.isdigit():
        value = int(text)
    elif setting.kind is SettingKind.SHARE and text.isascii() and text.replace(".", "", 1).isdigit():
        value = float(text)
    elif setting.kind is SettingKind.WORDS:
        value = words_typed(text)
    if not _fits(setting, value):
        raise UsageError(
            f"{setting.name!r} must be {_wanted(setting)}, and not {text!r}", hint=f"meaning: {setting.meaning}"
        )
    return value


def _typed_filter(name: str, text: str) -> str:
    """Return the command lines of a filter as a person typed them, all in one."""
    if not _is_entry(SettingKind.FILTERS, name.partition(".")[2], text):
        hint = f"memstore config --user {name} 'clean: COMMAND; smudge: COMMAND'"
        raise UsageError(f"{name!r} must be its command lines, and not {text!r}", hint=hint)
    return text


def _typed_key(name: str, text: str) -> str:
    """Return the file of an entity's key as a person typed it."""
    entity = name.partition(".")[2]
    if not is_entity_id(entity):
        raise UsageError(f"{entity!r} is not an entity id", hint="an entity id looks like si:ash")
    if not (_is_entry(SettingKind.KEYS, entity, text) and text.isprintable()):
        raise UsageError(
            f"{name!r} must be {SettingKind.FILE.value}, and not {text!r}", hint="the key, or its -cert.pub"
        )
    return text


def _typed_scope(name: str, text: str) -> str:
    """Return the scope of a folder as a person typed it."""
    folder = name.partition(".")[2]
    if not (_is_entry(SettingKind.SCOPES, folder, text) and folder.isprintable()):
        hint = "memstore config --user scopes./home/sam/acme project:acme"
        raise UsageError(
            f"a folder, absolute, has the scope global or project:NAME, and not {folder} {text!r}", hint=hint
        )
    return text


_TYPED_ENTRIES = {
    SettingKind.KEYS: _typed_key,
    SettingKind.FILTERS: _typed_filter,
    SettingKind.SCOPES: _typed_scope,
}


def named_in_settings(data: bytes, *, default_owner: str) -> frozenset[str]:
    """Return everybody whom a vault's settings name; `?` is among them if they can't be read."""
    try:
        config = parsed_vault_config(data, Path(CONFIG_PATH), default_owner=default_owner)
    except FormatError:
        return frozenset({NOBODY})
    return frozenset({config.owner, *config.notes_for, *(name for names in config.remotes.values() for name in names)})


# -- the owner of a vault, in any state of it ------------------------------------------------------


# Owns a vault whose configuration can't be trusted. No entity has this id, so nobody sees memories without an owner of
# their own.
NOBODY = "?"


def owner_of(config: bytes | None, *, default: str) -> str:
    """Return the owner that a vault's configuration names.

    Args:
        config: the bytes of `.memstore/config.toml` as of some state; None if there was no such file.
        default: the owner if there is no file, or it names none.

    Returns:
        An entity id; or `?`, which is nobody's id, if the file can't be read, has another format or names something
        else. Then nobody knows whose the vault was, and it is not assumed to be the default's.
    """
    if config is None:
        return default
    try:
        values: dict[str, Any] = tomllib.loads(config.decode())
    except ValueError:  # not UTF-8, or not TOML
        return NOBODY
    owner = values.get("owner", default)
    is_known = values.get("format", FORMAT_VERSION) == FORMAT_VERSION
    return owner if is_known and isinstance(owner, str) and is_entity_id(owner) else NOBODY
