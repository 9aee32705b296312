"""What a failure looks like to a person and to a program: the one place where errors become text and exit codes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memstore.errors import Exit, MemstoreError

if TYPE_CHECKING:
    import click


class Failure(NamedTuple):
    """A failure as it is told: `code` is a word for programs, `exit` the exit code."""

    code: str
    exit: int
    message: str
    hint: str | None


def failure_of(error: BaseException) -> Failure:
    """Return how an error is told; whatever is not known here is a bug, and says so."""
    if isinstance(error, MemstoreError):
        return Failure(_code(error), error.exit_code, str(error), error.hint)
    if isinstance(error, OSError):
        return _of_the_system(error)
    import click

    if isinstance(error, click.Abort) or _comes_of_interrupt(error):
        return Failure("interrupted", Exit.INTERRUPTED, "interrupted", None)
    if isinstance(error, click.UsageError):
        return _of_usage(error)
    return Failure(
        "bug",
        Exit.BUG,
        f"unexpected {type(error).__name__}: {error}",
        "this is a bug in memstore; run the command again with -v to see where, and report it",
    )


def _comes_of_interrupt(error: BaseException) -> bool:
    """Whether it is an interrupt, or what Python made of one: in a class body it becomes a `RuntimeError`."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause is not None


def _code(error: MemstoreError) -> str:
    """Return the error's class as a word: ChangedMeanwhileError is `changed-meanwhile`."""
    name = type(error).__name__.removesuffix("Error")
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def _of_the_system(error: OSError) -> Failure:
    what = error.strerror or str(error) or type(error).__name__
    names = [str(name) for name in (error.filename, error.filename2) if name is not None]
    message = f"{' -> '.join(names)}: {what}" if names else what
    hint = "look at the file's permissions" if isinstance(error, PermissionError) else None
    return Failure("system", Exit.VAULT, message[:1].lower() + message[1:] if not names else message, hint)


def _of_usage(error: click.UsageError) -> Failure:
    if re.match(r"---|-\d|.*\s", getattr(error, "option_name", ""), re.DOTALL):  # meant as a text
        hint = "a text that begins with a dash stands behind --, after all options"
        return Failure("usage", Exit.USAGE, _sentence(error.format_message()), hint)
    near = getattr(error, "possibilities", None)
    if near:
        return Failure("usage", Exit.USAGE, _sentence(error.message), f"did you mean {near[0]}?")
    hint = getattr(error, "hint", None) or f"see `{error.ctx.command_path if error.ctx else 'memstore'} --help`"
    return Failure("usage", Exit.USAGE, _sentence(error.format_message()), hint)


def _sentence(text: str) -> str:
    """Return click's sentence in the form of ours."""
    return text[:1].lower() + text[1:].rstrip(".")
