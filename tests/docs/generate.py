"""Write the parts of docs/ that say what the code says: findings, exit codes, commands, keys, settings.

A part stands between `<!-- NAME: written by poe docs -->` and `<!-- end -->`; everything else is written by people. Run
`poe docs` after a change; a test fails while a part is out of date.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memstore.access.registry import CONSENT_KEYS, CONTEXT_KEYS, ENTITY_KEYS, GROUP_KEYS, VERDICT_KEYS
from memstore.cli.commands import SECTIONS
from memstore.cli.group import GLOBAL_OPTIONS, PROGRAM, Command, Group
from memstore.cli.help import EXIT_MEANINGS
from memstore.cli.key_options import KEY_MEANINGS
from memstore.core.config import USER_SETTINGS, VAULT_SETTINGS, Setting
from memstore.core.finding_codes import CODES
from memstore.core.keys import KEYS, Key
from memstore.mcp import tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

DOCS = Path(__file__).parents[2] / "docs"
_PART = re.compile(r"(<!-- ([a-z-]+): written by poe docs -->\n).*?(<!-- end -->)", re.DOTALL)


def written(text: str) -> str:
    """Return a document with its generated parts as the code has them now."""
    return _PART.sub(lambda match: f"{match[1]}\n{PARTS[match[2]]()}\n\n{match[3]}", text)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(heads)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _findings() -> str:
    return "\n\n".join(
        f"### `{code.name}`\n\n{code.severity.value.capitalize()}: {code.meaning}. {code.explanation}"
        for code in CODES.values()
    )


def _exit_codes() -> str:
    return _table(("code", "name", "meaning"), ((str(int(e)), e.name, text) for e, text in EXIT_MEANINGS.items()))


def _keys() -> str:
    return _table(
        ("key", "value", "what for"),
        ((f"`{key.name}`", _value(key), KEY_MEANINGS.get(key.name, "")) for key in KEYS),
    )


def _entries() -> str:
    return "\n".join(f"- `{key.name}`: {_names(key.entry)}" for key in KEYS if key.entry)


def _registry() -> str:
    tables = {
        "entities/KIND/NAME.md": ENTITY_KEYS,
        "groups/NAME.yaml": GROUP_KEYS,
        "contexts/NAME.yaml": CONTEXT_KEYS,
        "consents/YEAR/ID.md": CONSENT_KEYS,
        ".memstore/verdicts/YEAR/ID+ID+ID.md": VERDICT_KEYS,
    }
    return "\n".join(f"- `{path}`: {_names(keys)}" for path, keys in tables.items())


def _names(keys: tuple[Key, ...]) -> str:
    """Return keys with what they hold; those that have to be there are bold."""
    return ", ".join(f"{f'**{key.name}**' if key.required else key.name} ({_value(key)})" for key in keys)


def _value(key: Key) -> str:
    return ", ".join(key.choices) if key.choices else key.shape.value


def _settings(settings: tuple[Setting, ...]) -> str:
    return _table(
        ("key", "value", "meaning"),
        ((f"`{s.name}`", ", ".join(s.choices) or s.kind.value, s.meaning) for s in settings),
    )


# -- commands ------------------------------------------------------------------------------------


def commands() -> Iterator[tuple[str, str, click.Command]]:
    """Yield section, name and command for every command, those of groups after their group."""
    context = click.Context(PROGRAM)
    for section, table in SECTIONS.items():
        for name in table:
            command = PROGRAM.get_command(context, name)
            if command is None:
                raise LookupError(name)
            yield section, name, command
            if isinstance(command, Group):
                yield from ((section, *below) for below in _below(name, command))


def _below(name: str, group: Group) -> Iterator[tuple[str, click.Command]]:
    """Yield the verbs of a group, and theirs."""
    for verb in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), verb)
        if command is None:
            raise LookupError(verb)
        yield f"{name} {verb}", command
        if isinstance(command, Group):
            yield from _below(f"{name} {verb}", command)


def _commands() -> str:
    parts, last = [], ""
    for section, name, command in commands():
        if section != last:
            parts.append(f"## {section.capitalize()}")
            last = section
        parts += _command(name, command)
    return "\n\n".join(parts)


def _command(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command)
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    words = [piece for argument in arguments for piece in argument.get_usage_pieces(context)]
    yield f"### `memstore {' '.join([name, *words])}`"
    yield " ".join((command.help or "").split())
    if isinstance(command, Command | Group) and command.examples:
        yield "\n".join(["```", *command.examples, "```"])
    options = [_option(param) for param in command.params if isinstance(param, click.Option)]
    if options:
        yield "\n".join(options)


def _option(option: click.Option) -> str:
    record = option.get_help_record(click.Context(PROGRAM))
    names, text = record or (", ".join(option.opts), "")
    return f"- `{names}`: {' '.join(text.split())}"


def _global_options() -> str:
    return "\n".join(_option(option) for option in GLOBAL_OPTIONS)


def _tools() -> str:
    """Return what each tool does, and by which commands."""

    def commands(tool: tools.Tool) -> str:
        named = [(f"{action}: " if action else "", verb.command) for action, verb in tool.verbs.items()]
        return ", ".join(f"{action}`memstore {command}`" for action, command in named)

    return _table(
        ("tool", "commands", "what for"), ((f"`{one.name}`", commands(one), one.about) for one in tools.USUAL)
    )


PARTS: dict[str, Callable[[], str]] = {
    "findings": _findings,
    "exit-codes": _exit_codes,
    "keys": _keys,
    "entries": _entries,
    "registry": _registry,
    "vault-settings": lambda: _settings(VAULT_SETTINGS),
    "user-settings": lambda: _settings(USER_SETTINGS),
    "commands": _commands,
    "global-options": _global_options,
    "tools": _tools,
}

if __name__ == "__main__":
    for path in sorted(DOCS.glob("*.md")):
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
