"""The entry point of the installed program, and the one place that catches every error.

Until `main` is called nobody catches an interrupt, so slow imports are done inside it.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from memstore.core.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from sys import UnraisableHookArgs

    from memstore.cli.failures import Failure

# Python looks for garbage in cycles each time that so many more objects are there: most commands never make that many
# (docs/adr/0029).
MOST_UNSCANNED = 100_000
COMPLETION_VARIABLE = "_MEMSTORE_COMPLETE"


class _Interrupts:
    """Remembers that an interrupt came.

    If one comes while Python formats the text of another error, it is lost, and replaced by that error.
    """

    came = False

    def listen(self) -> None:
        """Handle interrupts, unless whoever started the program has them ignored."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._take)

    def _take(self, _: int, __: object) -> NoReturn:
        self.came = True
        raise KeyboardInterrupt


_INTERRUPTS = _Interrupts()


_OF_PYTHON = gc.get_threshold()


def stay() -> None:
    """Let Python collect garbage as it usually does, in a command that goes on: a server, or one that watches."""
    gc.set_threshold(*_OF_PYTHON)


def run() -> NoReturn:
    """Run the program as a process of its own, and end the process."""
    code: int = Exit.INTERRUPTED
    gc.set_threshold(MOST_UNSCANNED)
    try:
        _INTERRUPTS.listen()
        sys.unraisablehook = _end_if_interrupted
        code = main()
        _flush_streams()
    except KeyboardInterrupt:  # another interrupt, while the first was reported or everything was done
        pass
    gc.freeze()  # Python need not collect garbage in a process that ends
    sys.exit(code)


def _end_if_interrupted(lost: UnraisableHookArgs) -> None:
    """End at an interrupt where Python raises nothing but only shows a traceback, as while a module is loaded."""
    if lost.exc_type is KeyboardInterrupt:
        os._exit(_report(KeyboardInterrupt(), sys.argv[1:]))  # an exception raised here is lost
    sys.__unraisablehook__(lost)


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):  # closed, or nobody reads it: already handled
            pass


def main(args: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; only a `SystemExit` of a shell's completion escapes.

    Args:
        args: the words after the program's name; by default those of the process.
    """
    words = list(sys.argv[1:] if args is None else args)
    try:
        return _run(words)
    except BrokenPipeError:
        from memstore.cli import output

        output.discard()
        return 0  # the reader has read enough: `memstore list | head -1` is not a failure
    except BaseException as error:  # noqa: BLE001 - the outermost handler
        return _report(error, words)


def _run(words: list[str]) -> int:
    from memstore.cli import output

    output.prepare_streams()
    if words == ["--version"]:
        from memstore import __version__

        output.write_lines((f"memstore {__version__}",))
        return _flushed(0)

    import click

    from memstore.cli.group import PROGRAM
    from memstore.cli.session import CliSession

    if COMPLETION_VARIABLE in os.environ:
        _complete()
    try:
        with PROGRAM.make_context("memstore", list(words), obj=CliSession(), terminal_width=output.width()) as ctx:
            PROGRAM.invoke(ctx)
    except click.exceptions.Exit as done:
        return _flushed(done.exit_code)
    return _flushed(0)


def _flushed(code: int) -> int:
    """Return the exit code after everything is written: a full disk must not count as success."""
    from memstore.cli import output

    output.flush()
    return code


def _complete() -> None:
    """Answer a shell's request for completions, and exit."""
    from click.shell_completion import shell_complete

    from memstore.cli.group import PROGRAM

    sys.exit(shell_complete(PROGRAM, {}, "memstore", COMPLETION_VARIABLE, os.environ[COMPLETION_VARIABLE]))


# The commands that answer an agent's hooks.
_HOOKS = frozenset({"recall", "raw"})


def _report(error: BaseException, words: list[str]) -> int:
    """Report a failure, as text on standard error or as the one JSON document on standard output."""
    from memstore.cli import output
    from memstore.cli.failures import failure_of

    if isinstance(error, SystemExit):
        raise error
    was_stopped = _INTERRUPTS.came and not isinstance(error, KeyboardInterrupt)
    failure = failure_of(KeyboardInterrupt() if was_stopped else error, words)
    options = words[: words.index("--")] if "--" in words else words
    as_json = "--json" in options or "--jsonl" in options
    try:
        if failure.code == "bug" and not {"-v", "--verbose"}.isdisjoint(options):
            import traceback

            output.write_message("".join(traceback.format_exception(error)), end="")
        if as_json:
            from memstore.documents.form import published
            from memstore.documents.program import error_document

            output.write_lines((output.one_line(published("error", error_document(*failure))),))
        else:
            _tell(failure)
        output.flush()
    except OSError:
        if as_json:  # standard output takes no document
            _tell(failure)
        output.discard()  # there is nowhere else to report it
    is_hook = "--hook" in options and not _HOOKS.isdisjoint(options)
    return 0 if is_hook else int(failure.exit)  # a hook that fails stops the agent's program


def _tell(failure: Failure) -> None:
    from memstore.cli import output

    output.write_message(f"memstore: {failure.message}")
    if failure.hint:
        output.write_message(f"hint: {failure.hint}")
