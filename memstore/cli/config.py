"""`memstore config`: show and change settings."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import command
from memstore.core.errors import UsageError
from memstore.core.ids import is_group

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from click.shell_completion import CompletionItem

    from memstore.cli.session import CliSession
    from memstore.vault.status import SettingValue


def _complete_key(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer a shell the settings: the vault's, or with --user one's own."""
    from click.shell_completion import CompletionItem

    from memstore.core.config import USER_SETTINGS, VAULT_SETTINGS

    settings = USER_SETTINGS if ctx.params.get("user") else VAULT_SETTINGS
    return [CompletionItem(one.name, help=one.meaning) for one in settings if one.name.startswith(incomplete)]


@command(
    "config",
    examples=(
        "memstore config                         # all settings, and where each comes from",
        "memstore config auto_commit true        # in this vault",
        "memstore config remotes.origin owner    # who reads a git remote: the owner, public, or entity ids",
        "memstore config --user vault ~/notes    # for you, everywhere",
        "memstore config --user engine.token - < token    # from standard input, where nobody reads along",
    ),
)
@click.argument("key", required=False, shell_complete=_complete_key)
@click.argument("values", metavar="[VALUE]", nargs=-1)
@click.option("--user", is_flag=True, help="Your own settings instead of the vault's.")
@click.option("--unset", is_flag=True, help="Remove the key, so that its default applies.")
def config(session: CliSession, key: str | None, values: tuple[str, ...], *, user: bool, unset: bool) -> None:
    """Show and change settings: the vault's, or with --user your own. Comments in the file are kept."""
    from memstore.vault import composition
    from memstore.vault import status as flow

    value, *more = values or (None,)
    if more:
        as_list = shlex.join(("memstore", "config", str(key), ",".join(values)))
        raise UsageError(
            f"{key} takes one value, and {len(values)} are given",
            hint=f"quote a value with blanks; a list has commas: {as_list}",
        )
    if value == "-":
        value = session.bytes_of("-").decode(errors="replace").strip()
    env = session.environment()
    file, defaults = composition.settings_file(env, session.choices.vault, user=user)
    if not user and key is not None and (unset or value is not None):
        composition.stop_unless_settings_are_ones_own(env, file, defaults, session.choices.entity)
    if key is None and not unset:
        found: Sequence[SettingValue] = flow.settings(file, defaults)
    elif key is None or (unset and value is not None):
        raise UsageError("--unset takes one key and no value", hint="memstore config --unset KEY")
    elif unset or value is not None:
        vault = None if user else partial(session.view, any_context=True)
        owner = flow.setting(file, defaults, "owner").value if key == "owner" and not user else None
        found = (flow.change_setting(file, defaults, key, value, vault=vault),)
        if owner and value and is_group(value) and value != owner:
            session.say(
                f"{value} gets all of this vault and of its history, earlier versions and deleted texts, too\n"
                f"hint: memstore config owner {owner} takes that back; memstore init DIR --owner {value} --from . "
                "begins theirs with what is for them"
            )
    else:
        found = (flow.setting(file, defaults, key),)
    session.emit(
        "config",
        found,
        lambda: _lines(session, found) if key is None else (_value_text(item.value) for item in found),
        each="settings",
    )


def _lines(session: CliSession, found: Sequence[SettingValue]) -> Iterator[str]:
    paint = session.paint
    for item in found:
        yield f"{paint('ref', item.name)} = {paint('title', _value_text(item.value)) or paint('dim', '(not set)')}"
        yield f"  {item.meaning} {paint('dim', f'[{item.source}]')}"


def _value_text(value: Any) -> str:
    """Return a value as a person would type it."""
    from memstore.cli.output import safe_line

    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case Mapping():
            return safe_line(", ".join(f"{key}: {_value_text(item)}" for key, item in value.items()))
        case list() | tuple():
            return safe_line(", ".join(map(str, value)))
        case _:
            return safe_line(str(value))
