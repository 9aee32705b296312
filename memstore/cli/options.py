"""The building blocks of command modules: the decorators `command` and `group`, shared arguments and options."""

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
    TextType = click.ParamType  # generic only for type checkers in older versions of click

P = ParamSpec("P")
F = TypeVar("F", bound="AnyCommand")


def command(
    name: str, *, examples: Sequence[str], **settings: Any
) -> Callable[[Callable[Concatenate[CliSession, P], None]], Command]:
    """Make a function a command; it gets the `CliSession` first, then its own arguments.

    Args:
        name: the verb.
        examples: command lines shown first in `--help`.
        settings: anything else that `click.command` takes.
    """

    def decorate(function: Callable[Concatenate[CliSession, P], None]) -> Command:
        return click.command(name, cls=Command, examples=examples, **settings)(click.pass_obj(function))

    return decorate


def group(name: str, *, examples: Sequence[str], **settings: Any) -> Callable[[Callable[[], None]], Group]:
    """Make a function, which does nothing itself, a command with subcommands: `@that.command("verb")`."""

    def decorate(function: Callable[[], None]) -> Group:
        return click.group(name, cls=Group, examples=examples, **settings)(function)

    return decorate


def subcommand(
    parent: Group, name: str, *, examples: Sequence[str], **settings: Any
) -> Callable[[Callable[Concatenate[CliSession, P], None]], Command]:
    """Make a function a subcommand of `parent`, like `index status`."""

    def decorate(function: Callable[Concatenate[CliSession, P], None]) -> Command:
        made = command(name, examples=examples, **settings)(function)
        parent.add_command(made)
        return made

    return decorate


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Join options into one decorator; `--help` shows them in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def several(*names: str, **settings: Any) -> Callable[[F], F]:
    """Add an option with any number of values up to the next option, `--tag a b --tag c`; the values are a tuple."""
    return click.option(*names, cls=SeveralOption, **settings)


OTHER_WORDS = "other words may find it: --also takes 2 to 12 in which a memory may have said it"


def also_option() -> Callable[[F], F]:
    """Add the option for other words in which a memory may have said what is asked for."""
    return click.option(
        "--also",
        multiple=True,
        metavar="WORD",
        help="Another word or short phrase in which a memory may have said it; give 2 to 12.",
    )


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"  # click calls it an integer range


class RealNumber(click.FloatRange):
    """A number within bounds."""

    name = "number"


class RefType(TextType):
    """The name of a memory: `type:id`, an id, a unique prefix of one, or a path. Use cases resolve it.

    Args:
        by_name: whether a title, an alias or a file stem is accepted, too, because it only reads or amends.
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
        """Complete the refs and names that the viewer may see."""
        from memstore.cli.ref_completion import complete_refs

        return complete_refs(ctx.ensure_object(CliSession), incomplete, by_name=self.by_name)


def complete_tag(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the tags of what the viewer may see."""
    from memstore.cli.ref_completion import complete_tags

    return complete_tags(ctx.ensure_object(CliSession), incomplete)


REF = RefType()
NAME = RefType(by_name=True)


def ref_argument(name: str = "ref", **settings: Any) -> Callable[[F], F]:
    """Add the argument that names a memory."""
    return click.argument(name, type=REF, metavar=settings.pop("metavar", name.upper()), **settings)


def named_argument(name: str = "ref", **settings: Any) -> Callable[[F], F]:
    """Add the argument that names a memory for a command that only reads or amends it, so that a title is accepted."""
    return click.argument(name, type=NAME, metavar=settings.pop("metavar", name.upper()), **settings)


def at_option() -> Callable[[F], F]:
    """Add `--at REV|DATE`: the vault as it was then."""
    return click.option("--at", metavar="REV|DATE", help="As of a commit or a date.")
