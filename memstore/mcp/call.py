"""One call of a tool: a command whose answer is collected instead of printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from memstore.cli.output import Palette, safe
from memstore.cli.session import CliSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memstore.core.view import View
    from memstore.files.local_state import Environment


class Answer(NamedTuple):
    """What a tool answers: the lines and the document that the command would print, and whether it failed.

    `notes` are what a person would be told on the side.
    """

    lines: tuple[str, ...]
    notes: tuple[str, ...]
    document: Mapping[str, Any]
    failed: bool = False

    @property
    def text(self) -> str:
        """All that the command would say."""
        return "\n".join((*self.lines, *self.notes))


class Call(CliSession):
    """What a command works with when no terminal is there, but a client that gets text and document at once.

    Args:
        env: the process's surroundings, as they were when the server started.
        opened: gives what may be seen, taken when it is called; with True also in a context that has expired.
    """

    def __init__(self, env: Environment, opened: Callable[[bool], View]) -> None:
        super().__init__()
        self.choices.no_input = True
        self._env = env
        self._opened = opened
        self._lines: list[str] = []
        self._notes: list[str] = []
        self._document: dict[str, Any] = {}
        self._palette = Palette(colours=False, signs=True)

    def view(self, *, any_context: bool = False) -> View:
        """Return what may be seen, taken on the first call."""
        if self._view is None:
            self._view = self._opened(any_context)
        return self._view

    def environment(self) -> Environment:
        """Return the surroundings of the server."""
        return self._env

    def bytes_of(self, file: str) -> bytes:
        """Return the bytes of a file; there is no standard input here, and so a dash is a dash."""
        return b"-" if file == "-" else super().bytes_of(file)

    def emit(
        self,
        verb: str,
        *,
        document: Callable[[], Mapping[str, Any]],
        lines: Callable[[], Iterable[str]],
        each: str | None = None,  # noqa: ARG002 - one document is one answer
    ) -> None:
        """Keep a command's answer, as document and as text."""
        from memstore.documents.parts import published

        self._document = published(verb, document())
        self.write(lines())

    def write(self, lines: Iterable[str]) -> None:
        """Keep lines of text."""
        self._lines += lines

    def say(self, message: str) -> None:
        """Keep what a person would be told on the side."""
        self._notes.append(message)

    def from_here(self, path: str) -> str:
        """Return a path as the document has it, from the vault's folder: where the client is, nobody knows."""
        return path

    @property
    def at_terminal(self) -> bool:
        """No: nobody reads as it comes."""
        return False

    def run(self, ctx: click.Context, words: list[str]) -> Answer:
        """Run a command; what stops it is an answer too.

        Raises:
            KeyboardInterrupt: whoever started the server wants it to end.
        """
        ctx.obj = self
        try:
            with ctx.scope():
                ctx.command.parse_args(ctx, words)
                ctx.command.invoke(ctx)
        except click.exceptions.Exit:
            pass  # all was said: that errors were found, say
        except Exception as error:  # noqa: BLE001 - the outermost handler of a call
            return failed(error, *self._notes)
        return Answer(tuple(self._lines), tuple(self._notes), self._document)


def failed(error: Exception, *notes: str) -> Answer:
    """Return what the command line says of an error, as text and as document."""
    from memstore.cli.failures import failure_of
    from memstore.documents.parts import published
    from memstore.documents.program import error_document

    failure = failure_of(error)
    hint = [f"hint: {safe(failure.hint)}"] if failure.hint else []
    lines = (f"memstore: {safe(failure.message)}", *hint)
    return Answer(lines, notes, published("error", error_document(*failure)), failed=True)
