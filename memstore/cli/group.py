"""How memstore's commands parse and explain themselves: global options anywhere, lazy loading, examples first."""

from __future__ import annotations

from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from memstore.cli.commands import COMMANDS, EVERYDAY, FORMER
from memstore.cli.session import CliSession
from memstore.core.errors import PlainNoteError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem


def _record(ctx: click.Context, param: click.Parameter, value: object) -> None:
    """Keep the value of a global option in the session; one that was not given leaves an earlier one alone."""
    # An empty one was given too: `--context "$CTX"` without such a variable must not mean no context.
    if value not in (None, False) and param.name:
        setattr(ctx.ensure_object(CliSession).choices, param.name, value)


def _record_once(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> None:
    """Keep who acts; of two that are named, neither is guessed to be meant."""
    said = ctx.ensure_object(CliSession).choices.entity
    named = (*(() if said is None else (said,)), *value)
    if value and len(named) > 1:
        raise click.UsageError(f"--as can be given only once, but was given as {', '.join(named)}", ctx)
    _record(ctx, param, value[0] if value else None)


def _global(*names: str, **settings: Any) -> click.Option:
    return click.Option(names, expose_value=False, callback=_record, **settings)


def _flag(*names: str, **settings: Any) -> click.Option:
    return _global(*names, is_flag=True, **settings)


def _folders(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Have the shell complete folders. `click.Path` does, too, and looks for its translated name at every start."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


# They stand before or after the verb; the last one wins, but for `--as`, which is given once.
GLOBAL_OPTIONS: tuple[click.Option, ...] = (
    _global(
        "--vault",
        metavar="DIR",
        shell_complete=_folders,
        help="The vault to use, instead of the one around this folder.",
    ),
    click.Option(
        ("--as", "entity"),
        multiple=True,
        expose_value=False,
        callback=_record_once,
        metavar="ENTITY",
        help="Who acts and looks, like si:ash.",
    ),
    _global("--context", metavar="CTX", help="The privacy context of this command."),
    _flag("--self", "alone", help="Nobody else listens."),
    _flag("--json", "json", help="Answer with one JSON document."),
    _flag("--jsonl", "jsonl", help="Answer with one JSON document a line."),
    _global("--color", type=click.Choice(["auto", "always", "never"]), help="When to colour the output."),
    _flag("--no-input", help="Never ask; fail instead."),
    _flag("--no-track", help="Don't record that this was looked at."),
    _flag("-q", "--quiet", "quiet", help="Print only what was asked for."),
    _flag("-v", "--verbose", "verbose", help="Print more; show where an unexpected error came from."),
)


def _show_help(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:  # noqa: FBT001 - click's
    if is_asked and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


# As click makes one for every command, but that it first looks for a translation of the help.
HELP_OPTION = click.Option(
    ["--help", "_help"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_help,
    help="Show this message and exit.",
)


class SeveralOption(click.Option):
    """An option whose values follow it, up to the next option: `--tag a b` is `--tag a --tag b`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "multiple": True})


class GlobalOptionsMixin(click.Command):
    """A command that takes memstore's global options beside its own, and shows its examples first.

    Args:
        examples: command lines to show, without the leading `$`.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:  # noqa: ARG002 - click's
        """Return the option that all commands share."""
        return HELP_OPTION

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own parameters and the global ones whose names it does not use itself."""
        own = super().get_params(ctx)
        taken = {opt for param in own for opt in (*param.opts, *param.secondary_opts)}
        return [*own, *(option for option in GLOBAL_OPTIONS if taken.isdisjoint(option.opts))]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the name of a `SeveralOption` before each of the values that follow it, then parse."""
        names = {name for param in self.params if isinstance(param, SeveralOption) for name in param.opts}
        try:
            return super().parse_args(ctx, _spread(args, names) if names else args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # whose help explains it; click's parser does not say
            raise

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command is for, examples, how it is called, its options."""
        if today := _today(ctx):
            formatter.write_text(f"`{ctx.command_path}` is now `{today}`.")
            formatter.write_paragraph()
        self.format_help_text(ctx, formatter)
        self.format_examples(formatter)
        formatter.write_paragraph()
        self.format_usage(ctx, formatter)
        self.format_options(ctx, formatter)
        self.format_epilog(ctx, formatter)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the help flush left: here it is the first thing on the screen."""
        if self.help:
            formatter.write_text(cleandoc(self.help))

    def format_examples(self, formatter: click.HelpFormatter) -> None:
        """Write the examples, each on a line of its own."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options; of the global ones the names only."""
        records = [param.get_help_record(ctx) for param in self.params if isinstance(param, click.Option)]
        if rows := [record for record in records if record]:
            with formatter.section("Options"):
                formatter.write_dl(rows)
        formatter.write_paragraph()
        formatter.write_text(
            f"Everywhere: {' '.join(option.opts[0] for option in GLOBAL_OPTIONS)}; see memstore help options."
        )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; one that was called by a former name says first what it is called today."""
        if today := _today(ctx):
            ctx.ensure_object(CliSession).say_former(ctx.command_path, today)
        return super().invoke(ctx)


def _today(ctx: click.Context) -> str:
    """Return what is to be called where a command was called by a former name; empty for any other."""
    is_verb = ctx.parent is not None and isinstance(ctx.parent.command, Program)
    return FORMER[ctx.info_name or ""][1] if is_verb and ctx.info_name in FORMER else ""


def _spread(args: list[str], names: set[str]) -> list[str]:
    """Return `args` with an option's name from `names` before every value that follows it."""
    out: list[str] = []
    current, values = "", 0
    for at, arg in enumerate(args):
        if arg == "--":
            return [*out, *args[at:]]
        if arg.startswith("-") and arg != "-":
            current, values = (arg if arg in names else ""), 0
        elif current:
            values += 1
            if values > 1:
                out.append(current)
        out.append(arg)
    return out


class Command(GlobalOptionsMixin):
    """One verb."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a plain note that it is to change becomes a memory on the way, which is said."""
        try:
            return super().invoke(ctx)
        except PlainNoteError as note:
            # What came by a pipe has been read by now, and would be missing the second time.
            if ctx.params.get("dry_run", True) or ctx.params.get("only_check") or "-" in ctx.params.values():
                raise
            found = note
        return self._invoke_adopting(ctx, [found])

    def _invoke_adopting(self, ctx: click.Context, notes: Sequence[PlainNoteError]) -> Any:
        with ctx.ensure_object(CliSession).adopting(notes):
            try:
                return super().invoke(ctx)
            except PlainNoteError as note:
                another = note
        return self._invoke_adopting(ctx, [*notes, another])


class Group(GlobalOptionsMixin, click.Group):
    """A verb with verbs of its own, like `index status`."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("no_args_is_help", False)  # a missing verb is an error with a hint, not a page of help
        super().__init__(*args, **kwargs)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        GlobalOptionsMixin.format_options(self, ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; an unknown one names the nearest."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing and not name.startswith("-"):
            raise UnknownCommandError(name, self.list_commands(ctx), ctx)
        if command is None:
            return super().resolve_command(ctx, args)
        return command.name, command, args[1:]


class UnknownCommandError(click.UsageError):
    """No command of that name; `hint` names the one that does what it means, else the nearest, None for neither."""

    def __init__(self, name: str, commands: list[str], ctx: click.Context) -> None:
        from memstore.cli.meant import what_does
        from memstore.core.errors import nearest

        super().__init__(f"{name!r} is not a command of {ctx.command_path}", ctx)
        near = nearest(name, commands, similar=0.5)
        meant = what_does(name) if isinstance(ctx.command, Program) else None
        self.hint = meant or (f"did you mean `{ctx.command_path} {near}`?" if near else None)


class Program(Group):
    """The program itself: loads a command's module when that command is called, and not before."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Explain the program where it is called without any words."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of all commands, as they are called today."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return the command of that name, or of that former name, loading its module; or None."""
        home = COMMANDS.get(cmd_name) or FORMER.get(cmd_name)
        if home is None:
            return None
        module, _, attribute = home[0].partition(":")
        command: click.Command = getattr(import_module(f"memstore.cli.{module}"), attribute)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete command names from the table, loading none of them."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items() if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the commands of every day."""
        with formatter.section("Every day"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in EVERYDAY])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then where to read on: all of it has to fit one screen."""
        self.format_commands(ctx, formatter)
        with formatter.section("More"):
            formatter.write_dl(list(self.more))

    more = (
        ("memstore help --all", "all commands, by topic"),
        ("memstore help COMMAND", "one command, with examples and its options"),
        ("memstore help", "topics: how to write a query, exit codes, privacy …"),
        ("memstore help options", "options that work with every command"),
    )


PROGRAM = Program(
    name="memstore",
    help="Long-term memory in plain text: Markdown files in git, edited by hand, searched here, cited by line.",
    examples=(
        "memstore init ~/notes                          make a folder a vault",
        'memstore add "Bella eats at eight" --tag dog   write a memory',
        'memstore search "when does Bella eat"          find it, with the line',
    ),
)
