"""What command modules are made with: the decorators `command` and `group`, arguments and options they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from memstore.cli.group import Command, Group, SeveralOption
from memstore.cli.session import CliSession

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.shell_completion import CompletionItem

    TextType = click.ParamType[str]
    AnyCommand = Callable[..., Any] | click.Command
else:
    TextType = click.ParamType  # generic for type checkers only in older clicks

P = ParamSpec("P")
F = TypeVar("F", bound="AnyCommand")


def command(
    name: str, *, examples: Sequence[str], **settings: Any
) -> Callable[[Callable[Concatenate[CliSession, P], None]], Command]:
    """Make a function a command; it gets the `Session` first, then its own arguments.

    Args:
        name: the verb.
        examples: command lines shown first in `--help`.
        settings: anything else that `click.command` takes.
    """

    def decorate(function: Callable[Concatenate[CliSession, P], None]) -> Command:
        return click.command(name, cls=Command, examples=examples, **settings)(click.pass_obj(function))

    return decorate


def group(name: str, *, examples: Sequence[str], **settings: Any) -> Callable[[Callable[[], None]], Group]:
    """Make a function, which does nothing itself, a command with commands of its own: `@that.command("verb")`."""

    def decorate(function: Callable[[], None]) -> Group:
        return click.group(name, cls=Group, examples=examples, **settings)(function)

    return decorate


def subcommand(
    parent: Group, name: str, *, examples: Sequence[str], **settings: Any
) -> Callable[[Callable[Concatenate[CliSession, P], None]], Command]:
    """Make a function a command below `parent`, like `index status`."""

    def decorate(function: Callable[Concatenate[CliSession, P], None]) -> Command:
        made = command(name, examples=examples, **settings)(function)
        parent.add_command(made)
        return made

    return decorate


def several(*names: str, **settings: Any) -> Callable[[F], F]:
    """Add an option with any number of values, `--tag a b --tag c`, up to the next option: a tuple."""
    return click.option(*names, cls=SeveralOption, **settings)


class RefType(TextType):
    """What names a memory: `type:id`, an id, a unique prefix of one, or a path. Use cases resolve it.

    Args:
        by_name: whether the command only reads, and so takes a title, an alias or a file stem as well.
    """

    name = "ref"

    def __init__(self, *, by_name: bool = False) -> None:
        self.by_name = by_name

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002 - click's signature
        incomplete: str,
    ) -> list[CompletionItem[Any]]:
        """Complete the refs, and the names, that the viewer may see."""
        from memstore.cli.completion import complete_refs

        return complete_refs(ctx.ensure_object(CliSession), incomplete, by_name=self.by_name)


REF = RefType()
NAME = RefType(by_name=True)


def ref_argument(name: str = "ref", **settings: Any) -> Callable[[F], F]:
    """Add the argument that names a memory."""
    return click.argument(name, type=REF, metavar=settings.pop("metavar", name.upper()), **settings)


def named_argument(name: str = "ref", **settings: Any) -> Callable[[F], F]:
    """Add the argument that names a memory of a command that only reads it: its title will do."""
    return click.argument(name, type=NAME, metavar=settings.pop("metavar", name.upper()), **settings)


def at_option() -> Callable[[F], F]:
    """Add `--at REV|DATE`: the vault as it was."""
    return click.option("--at", metavar="REV|DATE", help="As of a commit or a date.")
