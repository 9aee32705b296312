"""One tool call: runs a command and collects its answer instead of printing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from memstore.cli.output import Palette, safe
from memstore.cli.session import CliSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memstore.core.view import View
    from memstore.files.local_state import Environment


class ToolAnswer(NamedTuple):
    """The answer of a tool: the lines and the document that the command would print, and whether it failed.

    `notes` are the side messages that a person would see.
    """

    lines: tuple[str, ...]
    notes: tuple[str, ...]
    document: Mapping[str, Any]
    failed: bool = False

    @property
    def text(self) -> str:
        """The lines and the notes as one text."""
        return "\n".join((*self.lines, *self.notes))


class Call(CliSession):
    """The session of a command that answers a client, with text and document at once, instead of a terminal.

    Args:
        env: the process's environment, as it was when the server started.
        opened: returns the view at the moment of the call; with True, also in a context that has expired; with a
            folder, that of the stack there.
    """

    takes_folders = False

    def __init__(self, env: Environment, opened: Callable[[bool, str | None], View]) -> None:
        super().__init__()
        self.choices.no_input = True
        self._env = env
        self._opened = opened
        self._lines: list[str] = []
        self._notes: list[str] = []
        self._document: dict[str, Any] = {}
        self._palette = Palette(colours=False, signs=True)

    def view(self, *, any_context: bool = False) -> View:
        """Return the view, which is opened on the first call."""
        if self._view is None:
            self._view = self.on_its_terms(self._opened(any_context, self.choices.vault))
        return self._view

    def environment(self) -> Environment:
        """Return the environment of the server."""
        return self._env

    def bytes_of(self, file: str) -> bytes:
        """Return the bytes of a file; a dash is taken literally, because there is no standard input."""
        return b"-" if file == "-" else super().bytes_of(file)

    def emit(
        self,
        verb: str,
        value: object,
        lines: Callable[[], Iterable[str]],
        /,
        *,
        each: str | None = None,  # noqa: ARG002 - the whole document is one answer
        **said: Any,
    ) -> None:
        """Collect a command's answer, as a document and as text."""
        from memstore.documents.form import form_of_verb, published

        self._document = published(verb, form_of_verb(verb, value)(value, **said))
        self.write(lines())

    def write(self, lines: Iterable[str], *, verbatim: bool = False) -> None:  # noqa: ARG002 -- nobody sits there
        """Collect lines of text."""
        self._lines += lines

    def say(self, message: str) -> None:
        """Collect a side message, which a person would see apart from the answer."""
        self._notes.append(message)

    def from_here(self, path: str) -> str:
        """Return a path unchanged, relative to the vault's folder: the client's own folder is unknown."""
        return path

    @property
    def at_terminal(self) -> bool:
        """Always False: nobody watches the output."""
        return False

    def run(self, ctx: click.Context, words: list[str]) -> ToolAnswer:
        """Run a command and return its answer; an error becomes an answer too.

        Raises:
            KeyboardInterrupt: the server is asked to stop.
        """
        ctx.obj = self
        try:
            with ctx.scope():
                ctx.command.parse_args(ctx, words)
                ctx.command.invoke(ctx)
        except click.exceptions.Exit:
            pass  # the command has already reported everything, such as that it found errors
        except Exception as error:  # noqa: BLE001 - the outermost handler of a call
            return failed(error, *self._notes, given=words)
        return ToolAnswer(tuple(self._lines), tuple(self._notes), self._document)


def failed(error: Exception, *notes: str, given: Iterable[str] = ()) -> ToolAnswer:
    """Return what the command line reports for an error, as text and as a document; `given` are the arguments."""
    from memstore.cli.failures import failure_of
    from memstore.documents.form import published
    from memstore.documents.program import error_document

    failure = failure_of(error, given)
    hint = [f"hint: {safe(failure.hint)}"] if failure.hint else []
    lines = (f"memstore: {safe(failure.message)}", *hint)
    return ToolAnswer(lines, notes, published("error", error_document(*failure)), failed=True)
