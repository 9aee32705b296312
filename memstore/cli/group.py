"""How memstore's commands parse and explain themselves: global options anywhere, lazy loading, examples first."""

from __future__ import annotations

from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from memstore.cli import output
from memstore.cli.commands import ALIASES, COMMANDS, EVERYDAY, FORMER
from memstore.cli.session import CliSession
from memstore.core.errors import NoIdError, PlainNoteError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from click.shell_completion import CompletionItem


def _record(ctx: click.Context, param: click.Parameter, value: object) -> None:
    """Keep the value of a global option in the session; an option that is absent does not override an earlier one."""
    # An empty value counts as given: `--context "$CTX"` with the variable unset must not mean no context.
    if value not in (None, False) and param.name:
        setattr(ctx.ensure_object(CliSession).choices, param.name, value)


def _record_once(ctx: click.Context, _: click.Parameter, value: tuple[str, ...]) -> None:
    """Keep who acts; if two are named, raise instead of guessing."""
    said = ctx.ensure_object(CliSession).choices.entity
    named = (*(() if said is None else (said,)), *value)
    if value and len(named) > 1:
        raise click.UsageError(f"--as can be given only once, but was given as {', '.join(named)}", ctx)
    if value:
        ctx.ensure_object(CliSession).choices.entity = value[0]


def _record_agent(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> None:
    """Keep who acts, as the documents write it that memstore grew from: `-a ash` is `--as si:ash`."""
    _record_once(ctx, param, tuple(name if ":" in name else f"si:{name}" for name in value))


def _global(*names: str, **settings: Any) -> click.Option:
    return click.Option(names, expose_value=False, callback=_record, **settings)


def _flag(*names: str, **settings: Any) -> click.Option:
    return _global(*names, is_flag=True, **settings)


def _folders(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Have the shell complete folders. `click.Path` would, too, but looks up its translated name at every start."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


# They may come before or after the verb; the last one wins, except for `--as`, which may be given only once.
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
_AGENT = click.Option(("-a", "agent"), multiple=True, expose_value=False, callback=_record_agent, hidden=True)


def _show_help(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:  # noqa: FBT001 - click's
    if is_asked and not ctx.resilient_parsing:
        output.write_lines((ctx.get_help(),))
        ctx.exit()


# The same as click creates for every command, but without looking for a translation of the help first.
HELP_OPTION = click.Option(
    ["--help", "_help"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_help,
    help="Show this message and exit.",
)


class SeveralOption(click.Option):
    """An option followed by its values, up to the next option: `--tag a b` is `--tag a --tag b`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "multiple": True})


class GlobalOptionsMixin(click.Command):
    """A command that takes memstore's global options besides its own, and shows its examples first.

    Args:
        examples: command lines to show, without the leading `$`.
        usual: the names of the options that come first in the help, if not all are used alike.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), usual: Collection[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples, self.usual = tuple(examples), usual

    def get_help_option(self, ctx: click.Context) -> click.Option | None:  # noqa: ARG002 - click's
        """Return the option shared by all commands."""
        return HELP_OPTION

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own parameters, and the global ones whose names it does not use itself."""
        own = super().get_params(ctx)
        taken = {opt for param in own for opt in (*param.opts, *param.secondary_opts)}
        return [*own, *(option for option in (*GLOBAL_OPTIONS, _AGENT) if taken.isdisjoint(option.opts))]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the name of a `SeveralOption` before each of its values, then parse."""
        names = {name for param in self.params if isinstance(param, SeveralOption) for name in param.opts}
        try:
            return super().parse_args(ctx, _spread(args, names) if names else args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # the command whose help explains it; click's parser does not set it
            raise

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command is for, its examples, its usage, and its options."""
        if former := ctx.ensure_object(CliSession).former:
            formatter.write_text(f"`memstore {former[0]}` is now `memstore {former[1]}`.")
            formatter.write_paragraph()
        self.format_help_text(ctx, formatter)
        self.format_examples(formatter)
        formatter.write_paragraph()
        self.format_usage(ctx, formatter)
        self.format_options(ctx, formatter)
        self.format_epilog(ctx, formatter)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the help flush left, since it comes first on the screen."""
        if self.help:
            formatter.write_text(cleandoc(self.help))

    def format_examples(self, formatter: click.HelpFormatter) -> None:
        """Write the examples, each on a line of its own."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options; for the global ones only their names."""
        options = [param for param in self.params if isinstance(param, click.Option)]
        first = [option for option in options if not self.usual or option.name in self.usual]
        for title, shown in (("Options", first), ("More keys", [one for one in options if one not in first])):
            if rows := [record for option in shown if (record := option.get_help_record(ctx))]:
                with formatter.section(title):
                    _write_rows(formatter, rows)
        formatter.write_paragraph()
        formatter.write_text(
            f"Everywhere: {' '.join(option.opts[0] for option in GLOBAL_OPTIONS)}; see memstore help options."
        )


# In a narrower window, what a row says begins below its name: the rest of the line would be too short for a word.
_TWO_COLUMNS = 60


def _write_rows(formatter: click.HelpFormatter, rows: Sequence[tuple[str, str]]) -> None:
    formatter.write_dl(rows, col_max=30 if formatter.width >= _TWO_COLUMNS else 6)


def _verb_at(args: Sequence[str]) -> int:
    """Return how many arguments before the first word are global options and their values."""
    takes_value = {name: not option.is_flag for option in (*GLOBAL_OPTIONS, _AGENT) for name in option.opts}
    at = 0
    while at < len(args):
        name, is_whole, _ = args[at].partition("=")
        if name not in takes_value and not {*args[at][1:]} <= {*"qv"}:
            break
        at += 2 if takes_value.get(name) and not is_whole else 1
    return min(at, len(args))


def _brief(command: click.Command) -> str:
    """Return the first sentence of a command's help, without its full stop and its capital."""
    said = " ".join((command.help or "").partition("\n\n")[0].split()).removesuffix(".")
    return said[:1].lower() + said[1:]


def _spread(args: list[str], names: set[str]) -> list[str]:
    """Return `args` with an option's name from `names` inserted before each further value."""
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


class ExtraWordsError(click.UsageError):
    """More words were given than the command has arguments; `hint` says so if the last one is a text."""

    def __init__(self, words: Sequence[str], ctx: click.Context) -> None:
        super().__init__(f"got unexpected extra argument{'s' * (len(words) > 1)} ({' '.join(words)})", ctx)
        last = [param for param in ctx.command.params if isinstance(param, click.Argument)][-1:]
        text = [str(ctx.params.get(param.name or "")) for param in last if "TEXT" in (param.metavar or "")]
        whole = " ".join([*text, *words])
        self.hint = (
            "put a text of several words in quotes" + (f': "{whole}"' if '"' not in whole else "") if text else None
        )


class Command(GlobalOptionsMixin):
    """One verb."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words that no argument takes, and a text that was meant as a command."""
        wants_more, given = ctx.allow_extra_args, [*args]
        ctx.allow_extra_args = True  # otherwise click refuses them, without a hint
        self._stop_if_meant(given[0] if given else None, given, ctx)  # its options would be refused before it is
        more = super().parse_args(ctx, args)
        self._stop_if_meant(ctx.params.get("text"), given, ctx)
        if more and not wants_more and not ctx.resilient_parsing:
            raise ExtraWordsError(more, ctx)
        return more

    def _stop_if_meant(self, text: str | None, given: Sequence[str], ctx: click.Context) -> None:
        """Refuse a text that is one of the words that people try as a command there; behind `--` it is a text."""
        from memstore.cli.meant import WITHIN

        meant = WITHIN.get(ctx.command_path.partition(" ")[2], {}).get(text or "")
        if meant and "--" not in given and not ctx.resilient_parsing:
            raise WordMeantError(f"{ctx.command_path} {text}", meant, ctx)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if it names a plain note or a memory without an id, adopt that first, and say so."""
        ctx.ensure_object(CliSession).say_former()
        try:
            return super().invoke(ctx)
        except (PlainNoteError, NoIdError) as note:
            # Input from a pipe has already been read, and would be missing the second time.
            if ctx.params.get("dry_run", True) or ctx.params.get("only_check") or "-" in ctx.params.values():
                raise
            found = note
        return self._invoke_adopting(ctx, [found])

    def _invoke_adopting(self, ctx: click.Context, notes: Sequence[PlainNoteError | NoIdError]) -> Any:
        with ctx.ensure_object(CliSession).adopting(notes):
            try:
                return super().invoke(ctx)
            except (PlainNoteError, NoIdError) as note:
                another = note
        return self._invoke_adopting(ctx, [*notes, another])


class WordMeantError(click.UsageError):
    """A text that was probably meant as a command; `hint` names the command that does it, and how to write the text."""

    def __init__(self, words: str, meant: str, ctx: click.Context) -> None:
        super().__init__(f"`{words}` is not a command, and nothing was written", ctx)
        command, _, text = words.rpartition(" ")
        self.hint = f"{meant}; `{command} -- {text}` writes the word down"


class Group(GlobalOptionsMixin, click.Group):
    """A verb with verbs of its own, like `index status`.

    Args:
        table: verbs whose modules are loaded only when they are called, as in `commands.GROUPS`.
        default: the verb that is meant where none is named: `trust REF` is `trust show REF`.
    """

    command_class = Command

    def __init__(
        self, *args: Any, table: Mapping[str, tuple[str, str]] | None = None, default: str = "", **kwargs: Any
    ) -> None:
        kwargs.setdefault("no_args_is_help", False)  # a missing verb is an error with a hint, not a page of help
        super().__init__(*args, **kwargs)
        self.table, self.default = table or {}, default

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the current names of all verbs."""
        return [*super().list_commands(ctx), *self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb with this current name, after loading its module; or None."""
        if cmd_name not in self.table:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"memstore.cli.{module}"), attribute)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default verb before the arguments if none is named."""
        at = _verb_at(args)
        if self.default and args[at : at + 1] != ["--help"] and args[at : at + 1] not in self._verbs(ctx):
            meant = self.get_command(ctx, self.default)
            takes_words = meant and any(isinstance(param, click.Argument) for param in meant.params)
            if takes_words or not args[at:] or args[at].startswith("-"):  # else it is a slip in a verb
                args = [*args[:at], self.default, *args[at:]]
        return super().parse_args(ctx, args)

    def _verbs(self, ctx: click.Context) -> list[list[str]]:
        return [[name] for name in self.list_commands(ctx)]

    def _default(self, ctx: click.Context) -> click.Context | None:
        """Return the context of the default verb, under the name of the group."""
        command = self.get_command(ctx, self.default) if self.default else None
        return click.Context(command, parent=ctx.parent, info_name=ctx.info_name) if command else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete verbs, from the table without loading any of them, and what the default verb takes."""
        from click.shell_completion import CompletionItem

        meant = self._default(ctx)
        if incomplete.startswith("-"):
            return meant.command.shell_complete(meant, incomplete) if meant else super().shell_complete(ctx, incomplete)
        found = [CompletionItem(name, help=text) for name, text in self._rows() if name.startswith(incomplete)]
        words = [param for param in meant.command.params if isinstance(param, click.Argument)] if meant else []
        return [*found, *(item for word in words[:1] for item in word.shell_complete(ctx, incomplete))]

    def _rows(self) -> list[tuple[str, str]]:
        """Return each verb that is not hidden, with what it does in a few words."""
        own = [(name, command) for name, command in sorted(self.commands.items()) if not command.hidden]
        rows = [(name, _brief(command)) for name, command in own]
        return [*rows, *((name, about) for name, (_, about) in self.table.items())]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how the default verb is used, if there is one, and how the others are."""
        if meant := self._default(ctx):
            meant.command.format_usage(meant, formatter)
        super().format_usage(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the verbs."""
        with formatter.section("Commands"):
            _write_rows(formatter, self._rows())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options, among them those of the default verb."""
        self.format_commands(ctx, formatter)
        if meant := self._default(ctx):
            meant.command.format_options(meant, formatter)
        else:
            GlobalOptionsMixin.format_options(self, ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; raise with the nearest name for an unknown one."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing and not name.startswith("-"):
            raise UnknownCommandError(name, self.list_commands(ctx), ctx)
        if command is None:
            return super().resolve_command(ctx, args)
        return command.name, command, args[1:]


class UnknownCommandError(click.UsageError):
    """No command has this name; `hint` names the command with that meaning, else the nearest name, or is None."""

    def __init__(self, name: str, commands: list[str], ctx: click.Context) -> None:
        from memstore.cli.meant import IMPORTS, MEANT, nearest_name, what_does

        super().__init__(f"{name!r} is not a command of {ctx.command_path}", ctx)
        imports, former = ctx.command.name == "import", FORMER if isinstance(ctx.command, Program) else {}
        words = IMPORTS if imports else MEANT if isinstance(ctx.command, Program) else {}
        near = nearest_name(name, [*commands, *former], words, similar=0.65)
        meant = what_does(name, imports=imports) if words else None
        today = former.get(near or "", near)
        self.hint = meant or words.get(near or "") or (f"did you mean `{ctx.command_path} {today}`?" if near else None)


class Program(Group):
    """The program itself: loads a command's module only when that command is called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put current words in the place of former ones; show the help if the program is called without arguments."""
        if not args and not ctx.resilient_parsing:
            output.write_lines((ctx.get_help(),))
            ctx.exit()
        at = _verb_at(args)
        for end in (at + 2, at + 1):
            said = " ".join(args[at:end])
            if today := ALIASES.get(said) or FORMER.get(said):
                if said in FORMER:
                    ctx.ensure_object(CliSession).former = said, today
                return super().parse_args(ctx, [*args[:at], *today.split(), *args[end:]])
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the everyday commands."""
        with formatter.section("Every day"):
            _write_rows(formatter, [(name, COMMANDS[name][1]) for name in EVERYDAY])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then where to read on; everything must fit on one screen."""
        self.format_commands(ctx, formatter)
        with formatter.section("More"):
            _write_rows(formatter, self.more)

    more = (
        ("memstore help --all", "all commands, by topic"),
        ("memstore help COMMAND", "one command, with examples and its options"),
        ("memstore help", "topics: how to write a query, exit codes, privacy …"),
        ("memstore help options", "options that work with every command"),
    )


PROGRAM = Program(
    name="memstore",
    table=COMMANDS,
    help="Long-term memory in plain text: Markdown files in git, edited by hand, searched here, cited by line.",
    examples=(
        "memstore init ~/notes                          make a folder a vault",
        'memstore add "Bella eats at eight" --tag dog   write a memory',
        'memstore search "when does Bella eat"          find it, with the line',
    ),
)
