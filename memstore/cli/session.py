"""What a command works with: the options that hold everywhere, the vault, and where words go."""

from __future__ import annotations

import posixpath
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memstore.cli.output import Palette
    from memstore.core.errors import PlainNoteError
    from memstore.core.view import View
    from memstore.files.local_state import Environment


class Choices:
    """The global options as given; what was not given has the value here."""

    vault: str | None = None
    entity: str | None = None
    context: str | None = None
    alone: bool = False
    json: bool = False
    jsonl: bool = False
    color: str = "auto"
    no_input: bool = False
    no_track: bool = False
    quiet: bool = False
    verbose: bool = False


class CliSession:
    """One call of the program. A command gets it as its first argument, calls one use case, emits its value."""

    def __init__(self) -> None:
        self.choices = Choices()
        self._view: View | None = None
        self._palette: Palette | None = None
        # Where the person is: below the vault (`.` in it), or outside the vault's folder, which ends with a slash then.
        self._below: str | None = None

    @property
    def as_json(self) -> bool:
        """Whether the answer is JSON: one document, or with `--jsonl` one a line."""
        return self.choices.json or self.choices.jsonl

    def view(self, *, any_context: bool = False) -> View:
        """Return what the person may see of the vault, taken on the first call; `any_context` admits an expired one."""
        if self._view is None:
            from memstore.vault import composition

            choices = self.choices
            self._view = composition.open_workspace(
                self.environment(),
                vault=choices.vault,
                entity=choices.entity,
                context=choices.context,
                alone=choices.alone,
                any_context=any_context,
                track=not choices.no_track,
            ).view()
        return self._view

    @contextmanager
    def adopting(self, notes: Sequence[PlainNoteError]) -> Iterator[None]:
        """Have plain notes be memories for a command that is to change them; where it changes nothing, they stay notes.

        Raises:
            PlainNoteError: one of them can't be a memory.
        """
        from memstore.core.errors import MemstoreError
        from memstore.memories.adopt import adopt
        from memstore.vault.status import undo

        done = adopt(self.view(), [note.path for note in notes])
        adoption = self.view().last_operation() if done.saved else None
        self._view = self.view().again()
        try:
            if len(done.saved) < len(notes):
                raise notes[-1]
            yield
        except MemstoreError as error:
            for saved in done.saved:
                error.outcome += f"\n{self.from_here(saved.path)} stays a plain note; it would have been {saved.ref}"
            raise
        finally:
            if adoption and self.view().last_operation() == adoption:
                undo(self.view())
                self._view = self.view().again()
            else:
                for saved in done.saved:
                    self.say(f"adopted {self.from_here(saved.path)}: {saved.ref}")

    def environment(self) -> Environment:
        """Return the process's surroundings, for the few commands that work without a vault."""
        from memstore.files.local_state import Environment

        shows_progress = not self.choices.quiet and sys.stderr is not None and sys.stderr.isatty()
        return Environment.of_process(on_progress=_progress if shows_progress else None)

    def bytes_of(self, file: str) -> bytes:
        """Return what is in a file that the person named, `-` for standard input.

        One that lies in a vault must be theirs to see. No vault is needed for one that lies in none.

        Raises:
            FileNotFoundError: it is not there, or not theirs to see.
            UsageError: standard input is closed.
        """
        if file == "-":
            if sys.stdin is None:
                from memstore.core.errors import UsageError

                raise UsageError("standard input is closed")
            return sys.stdin.buffer.read()
        from memstore.core.errors import VaultError
        from memstore.vault import composition

        env = self.environment()
        path = env.expanded(file)
        try:
            view = self.view()
        except VaultError:
            if self.choices.vault is not None or env.get("MEMSTORE_VAULT"):
                raise
            return composition.bytes_without_vault(
                env, path, entity=self.choices.entity, context=self.choices.context, alone=self.choices.alone
            )
        return view.file(path)

    # -- what was asked for: standard output -----------------------------------------------------

    def emit(
        self,
        verb: str,
        *,
        document: Callable[[], Mapping[str, Any]],
        lines: Callable[[], Iterable[str]],
        each: str | None = None,
    ) -> None:
        """Print a command's answer: as JSON where that was asked for, else as lines of text.

        Args:
            verb: names the schema, `memstore.<verb>/1`.
            document: gives the JSON document without its `schema`; called only for JSON.
            lines: gives the text, one line each without line ends; called only for text. What comes from a memory
                goes through `output.safe` first.
            each: the key of the list in the document of which `--jsonl` prints one item a line.
        """
        from memstore.cli import output

        if not self.as_json:
            self.write(lines())
            return
        from memstore.documents.parts import published

        whole = document()
        if self.choices.jsonl and each is not None:
            output.write_lines(output.one_line(published(verb, item)) for item in whole[each])
        elif self.choices.jsonl:
            output.write_lines((output.one_line(published(verb, whole)),))
        else:
            output.write_lines((output.document(published(verb, whole)),))

    def write(self, lines: Iterable[str]) -> None:
        """Write text; a screen at a time where a person sits before one and may be asked for a key."""
        if self.at_terminal and not self.choices.no_input:
            from memstore.cli import output as pager

            pager.write_paged(lines)
        else:
            from memstore.cli import output

            output.write_lines(lines)

    def exit(self, code: int) -> NoReturn:
        """End with that exit code: everything has been said already."""
        import click

        raise click.exceptions.Exit(code)

    @property
    def paint(self) -> Palette:
        """Colours for text on standard output; without colours where nobody could see them."""
        from memstore.cli import output

        if self._palette is None:
            self._palette = output.palette(sys.stdout, self.choices.color, from_here=self.from_here)
        return self._palette

    def from_here(self, path: str) -> str:
        """Return a path of the vault as git would print it here: from the person's folder; whole outside the vault."""
        if self._below is None:
            root, folder = self.view().root, self.environment().folder.resolve()
            inside = folder.is_relative_to(root.resolve())
            self._below = folder.relative_to(root.resolve()).as_posix() if inside else f"{root}/"
        match self._below:
            case ".":
                return path
            case outside if outside.endswith("/"):
                return outside + path
            case below if path.startswith(f"{below}/"):
                return path[len(below) + 1 :]
            case below:
                return posixpath.relpath(path, below)

    @property
    def at_terminal(self) -> bool:
        """Whether a person reads standard output as it comes."""
        return sys.stdout is not None and sys.stdout.isatty()

    # -- what happened on the way: standard error ------------------------------------------------

    def say(self, message: str) -> None:
        """Tell the person something that is not the answer; silent with `--quiet` and for JSON."""
        if not self.choices.quiet and not self.as_json:
            from memstore.cli import output

            output.write_message(message)

    def say_former(self, called: str, today: str) -> None:
        """Tell what is called otherwise today; what was called goes with the next version."""
        self.say(f"memstore: `{called}` is now `{today}`; the next version drops the old name")

    def say_left_out(self, count: int) -> None:
        """Tell how many files an answer is without, since they can't be read."""
        if count:
            self.say(f"{count} {'file' if count == 1 else 'files'} left out; run memstore check")

    def say_unreadable(self) -> None:
        """Tell how many files can't be read, after an answer that means the whole vault."""
        if self.choices.quiet or self.as_json:
            return

        self.say_left_out(len(self.view().broken))

    def detail(self, message: str) -> None:
        """Tell what only `--verbose` wants to know."""
        if self.choices.verbose:
            self.say(message)

    def confirm(self, question: str, *, instead: str, enter: bool = False) -> bool:
        """Ask for a yes on the terminal; anything else is a no.

        Args:
            question: without question mark or choices.
            instead: what says yes without asking, like `--yes`; named where there is nobody to ask.
            enter: whether the return key alone is a yes.

        Raises:
            UsageError: `--no-input` was given, or standard input is no terminal.
        """
        if self.choices.no_input or self.as_json or sys.stdin is None or not sys.stdin.isatty():
            from memstore.core.errors import UsageError

            raise UsageError(f"this needs a yes, and there is nobody to ask: {question}", hint=f"do it with {instead}")
        from memstore.cli import output

        output.write_message(f"{question}? {'[Y/n]' if enter else '[y/N]'} ", end="")
        try:
            answer = sys.stdin.readline()
        except KeyboardInterrupt:
            output.write_message("")  # what is said of it begins a line of its own
            raise
        if not answer.endswith("\n"):
            output.write_message("")  # nothing was typed, or no return: the end of the input
        return answer.strip().lower() in ({"y", "yes", ""} if enter and answer else {"y", "yes"})


def _progress(work: str, done: int, total: int) -> None:
    """Show on the terminal how far a long work is, on one line that is wiped in the end."""
    line = f"\r{work}: {done:,} of {total:,}" if done < total else "\r\x1b[K"
    sys.stderr.write(line)
    sys.stderr.flush()
