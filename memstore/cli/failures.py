"""How a failure is shown to people and programs: the one place where errors become text and exit codes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.brevity import shortened
from memstore.core.errors import Exit, MemstoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

# difflib's similarity ratio of an option and what was typed for it, from 0 to 1.
_A_TYPING_ERROR = 0.7


class Failure(NamedTuple):
    """A failure as reported: `code` is a word for programs, `exit` the exit code."""

    code: str
    exit: int
    message: str
    hint: str | None


def failure_of(error: BaseException, given: Iterable[str] = ()) -> Failure:
    """Return how an error is reported; an unknown error is a bug, and is reported as one.

    Args:
        error: the error.
        given: the arguments of the call, of which long ones are shortened where the report quotes them.
    """
    failure, words = _reported(error), [*given]
    hint = failure.hint and shortened(failure.hint, words)
    return failure._replace(message=shortened(failure.message, words), hint=hint)


def _reported(error: BaseException) -> Failure:
    if isinstance(error, MemstoreError):
        return Failure(_code(error), error.exit_code, str(error), error.hint)
    if isinstance(error, OSError):
        return _of_the_system(error)
    import click

    if isinstance(error, click.Abort) or _comes_of_interrupt(error):
        return Failure("interrupted", Exit.INTERRUPTED, _said_of_interrupt(error), None)
    if isinstance(error, click.UsageError):
        return _of_usage(error)
    return Failure(
        "bug",
        Exit.BUG,
        f"unexpected {type(error).__name__}: {error}",
        "this is a bug in memstore; run the command again with -v to see where, and report it",
    )


def _comes_of_interrupt(error: BaseException) -> bool:
    """Whether an error is an interrupt, or was caused by one: in a class body Python turns it into a `RuntimeError`."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause is not None


def _said_of_interrupt(error: BaseException) -> str:
    """Return the text for an interrupt: if it came during a write, it says what happened to the files."""
    said = str(error) if isinstance(error, KeyboardInterrupt) else ""
    return f"interrupted: {said}" if said else "interrupted"


def _code(error: MemstoreError) -> str:
    """Return the error's class as a word: ChangedMeanwhileError is `changed-meanwhile`."""
    name = type(error).__name__.removesuffix("Error")
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


# A command that has written something doesn't take it back because its answer can't be written.
_DONE = "only the answer is missing: whatever the command changed is changed"


_HINTS = {
    PermissionError: "check the file's permissions",
    FileNotFoundError: "check the name; a relative one begins in the current folder",
    IsADirectoryError: "name a file in it",
}


def _of_the_system(error: OSError) -> Failure:
    from memstore.files.local_state import NO_ROOM

    what = error.strerror or str(error) or type(error).__name__
    names = [str(name) for name in (error.filename, error.filename2) if name is not None]
    message = f"{' -> '.join(names)}: {what}" if names else what
    hint = next((hint for kind, hint in _HINTS.items() if isinstance(error, kind)), None)
    if names == ["standard output"]:
        hint = _DONE
    elif error.errno in NO_ROOM:
        hint = "make room, and try again"
    return Failure("system", Exit.VAULT, message[:1].lower() + message[1:] if not names else message, hint)


def _of_usage(error: click.UsageError) -> Failure:
    import click

    if re.match(r"---|-\d|.*\s", getattr(error, "option_name", ""), re.DOTALL):  # meant as a text
        hint = "put a text that begins with a dash last, after all options and --"
        return Failure("usage", Exit.USAGE, _sentence(error.format_message()), hint)
    if isinstance(error, click.NoSuchOption):
        return Failure("usage", Exit.USAGE, _sentence(error.message), _near(error) or _see_help(error))
    hint = getattr(error, "hint", None) or _verbs(error) or _see_help(error)
    said = re.sub(r",\s*\n\s*", ", ", error.format_message()).replace(". Choose from:\n\t", ": one of ")
    return Failure("usage", Exit.USAGE, _sentence(said), hint)


def _near(error: click.NoSuchOption) -> str | None:
    """Return a hint with the option that was probably meant; compared without dashes, which all options share.

    An option with a word of what was typed comes first: `--entity` if it was `--source-entity`. Else typing errors are
    recognized, not words that merely have the same letters, as `text` and `context` do.
    """
    from memstore.cli.meant import OPTIONS
    from memstore.core.errors import nearest

    typed = error.option_name.lstrip("-")
    words = {one.lstrip("-"): one for one in error.possibilities or ()}
    if typed in OPTIONS:
        return OPTIONS[typed]
    parts = {*typed.split("-")}
    akin = [word for word in words if parts & {*word.split("-")}]
    swapped = [word for word in words if sorted(word) == sorted(typed)]
    whole = {word.replace("-", ""): word for word in words if word[:1] == typed[:1]}
    near = nearest(typed.replace("-", ""), whole, similar=_A_TYPING_ERROR)
    word = nearest(typed, akin) or nearest(typed, swapped) or (whole[near] if near else None)
    return f"did you mean {words[word]}?" if word else _without_option(error, typed)


def _without_option(error: click.NoSuchOption, typed: str) -> str | None:
    """Return how to write an argument that was typed as an option, like `--text`; None if there is no such argument."""
    command = error.ctx.command if error.ctx else None
    if error.ctx is None or command is None:
        return None
    if not any(one.param_type_name == "argument" and one.name == typed for one in command.params):
        return None
    usage = " ".join((error.ctx.command_path, *command.collect_usage_pieces(error.ctx)))
    return f"{typed.upper()} takes no option: {usage}"


def _verbs(error: click.UsageError) -> str | None:
    """Return the verbs of a command that was called without one of them; None for any other, and for the program."""
    import click

    command = error.ctx.command if error.ctx else None
    if error.ctx is None or error.ctx.parent is None or not isinstance(command, click.Group):
        return None
    return f"{error.ctx.command_path} {'|'.join(command.list_commands(error.ctx))}"


def _see_help(error: click.UsageError) -> str:
    return f"see `{error.ctx.command_path if error.ctx else 'memstore'} --help`"


def _sentence(text: str) -> str:
    """Return click's sentence in our form."""
    return text[:1].lower() + text[1:].rstrip(".")
