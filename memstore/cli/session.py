"""The environment of a command: the global options, the vault, and output."""

from __future__ import annotations

import posixpath
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import tzinfo

    from memstore.cli.output import Palette
    from memstore.core.change import Operation
    from memstore.core.errors import NoIdError, PlainNoteError
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.local_state import Environment


class Choices:
    """The global options as given, with these defaults."""

    vault: str | None = None
    entity: str | None = None
    context: str | None = None
    alone: bool = False
    json: bool = False
    jsonl: bool = False
    color: str = "auto"
    no_input: bool = False
    no_track: bool = False
    keep_secret: bool = False
    again: bool = False
    acknowledge: bool = False
    private: bool = False
    quiet: bool = False
    verbose: bool = False


class CliSession:
    """One call of the program. A command gets it as its first argument, calls one use case and emits its value."""

    takes_folders = True  # whether whoever calls may name folders of this machine

    def __init__(self) -> None:
        self.choices = Choices()
        self.former: tuple[str, str] | None = None  # the former name by which the command was called, and today's
        self._view: View | None = None
        self._palette: Palette | None = None
        # The person's folder: relative to the vault (`.` is the vault's own), or if outside, the path from there to the
        # vault, with a slash.
        self._below: str | None = None
        self._zone: tzinfo | None = None

    @property
    def as_json(self) -> bool:
        """Whether the answer is JSON: one document, or with `--jsonl` one per line."""
        return self.choices.json or self.choices.jsonl

    def view(self, *, any_context: bool = False) -> View:
        """Return what the person may see of the vault, taken on the first call; `any_context` admits an expired one."""
        if self._view is None:
            self._view = self._workspace_view(any_context=any_context)
            self._view = self.on_its_terms(self._view)
            if not any_context:
                self._say_context()
        return self._view

    def _workspace_view(self, *, any_context: bool) -> View:
        """Return the vault; a person at a terminal is asked once who they are in that of a group."""
        from memstore.core.errors import UnknownActorError
        from memstore.vault import composition

        env = self.environment()
        try:
            return composition.open_workspace(env, **self._wanted(any_context=any_context)).view()
        except UnknownActorError as unknown:
            if self.choices.no_input or not env.at_terminal:
                raise
            import click

            from memstore.core.harmless import safe_line

            who = click.prompt(f"{safe_line(str(unknown)).capitalize()}. You are", default=unknown.supposed, err=True)
            composition.remember_actor(env, composition.find_vault(env, self.choices.vault), who)
        return composition.open_workspace(env, **self._wanted(any_context=any_context)).view()

    def _say_context(self) -> None:
        """Say in which context the person is, who listens there and how to leave it; beside a JSON answer, too."""
        from memstore.access import CONTEXTS

        contexts = self.view().of(CONTEXTS)
        if self.choices.quiet or contexts.current() is None:
            return
        from memstore.access.contexts import listening, present_context
        from memstore.cli.output import write_message
        from memstore.core.harmless import safe_line

        present = present_context(self.view())
        leaving = "memstore context leave"
        if contexts.declared is not None:
            leaving = "leave out --context" if self.choices.context else "unset MEMSTORE_CONTEXT"
        if present.context:
            write_message(safe_line(f"in {present.context.id} ({listening(present)}): {leaving}"))

    def on_its_terms(self, view: View) -> View:
        """Return a view on the terms that the options of this call state.

        Raises:
            RefusedError: somebody who is no person wants to keep a secret.
        """
        choices = self.choices
        keep, again, acknowledge = choices.keep_secret, choices.again, choices.acknowledge
        if keep and not view.actor.startswith("human:"):
            from memstore.core.errors import RefusedError

            raise RefusedError(f"{view.actor} can't keep secrets here", hint="only a person can: --as human:NAME")
        if not (keep or again or acknowledge):
            return view
        return view.on_terms(keep_secret=keep, again=again, acknowledge=acknowledge)

    def served_view(self, *, any_context: bool = False) -> View:
        """Return what an agent is shown for whom this call is made, and let it be the view from now on."""
        from memstore.vault.composition import open_to_serve

        env = self.environment()._replace(on_progress=None)
        self._view = open_to_serve(env, **self._wanted(any_context=any_context)).view()
        return self._view

    def sign_written(self, how: str) -> None:
        """Let what this call writes be signed with the actor's key: `never`, `always`, or only if it `counts` here."""
        from memstore.core.write_terms import Signing

        self._view = self.view().on_terms(signing=None if how == "never" else Signing(how))

    def stop_at_two_audiences(self) -> None:
        """Raise `UsageError` if both a context and `--self` say who will listen to what a server or a hook shows.

        For one command, `--self` says that nobody in the context is listening now. What is set up for later can't be
        both, and which one was meant is not guessed.
        """
        if not self.choices.alone:
            return
        from memstore.core.errors import UsageError
        from memstore.vault.composition import find_context

        if found := find_context(self.environment(), self.choices.context):
            raise UsageError(
                f"--self says that nobody else listens, and {found.value} that others do",
                hint=f"leave out --self if others may listen; else leave out {found.where}",
            )

    def _wanted(self, *, any_context: bool) -> dict[str, Any]:
        """Return the global options by which a vault is opened."""
        choices = self.choices
        return {
            "vault": choices.vault,
            "entity": choices.entity,
            "context": choices.context,
            "alone": choices.alone,
            "any_context": any_context,
            "track": not choices.no_track,
        }

    def move_to(self, vault: str) -> None:
        """Let the next view be of another vault, or of a shared stack."""
        self.choices.vault, self._view = vault, None

    @contextmanager
    def adopting(self, notes: Sequence[PlainNoteError | NoIdError]) -> Iterator[None]:
        """Adopt plain notes, and memories without an id, for a command; if it changes nothing, they stay as they are.

        Raises:
            PlainNoteError: one of the notes can't be a memory.
            NoIdError: one of the memories can't get an id.
        """
        from memstore.core.errors import MemstoreError, PlainNoteError
        from memstore.core.harmless import safe_line
        from memstore.history import WORK_TREE
        from memstore.memories.adopt import adopt

        with self.view().locked():
            mark = self.view().of(WORK_TREE).journal_mark()
            done = adopt(self.view().without_commits(), [note.path for note in notes])
            adoption = self.view().of(WORK_TREE).last_operation() if done.saved else None
        self._view = (self.view().on_terms(adoption=adoption) if adoption else self.view()).again()
        failed: MemstoreError | None = None
        try:
            if len(done.saved) < len(notes):
                raise _that_stays(notes[-1], done.left_alone)
            yield
        except MemstoreError as error:
            failed = error
            raise
        finally:
            is_undone = adoption is not None and self._is_dropped(adoption, mark)
            plain = {note.path for note in notes if isinstance(note, PlainNoteError)}
            for saved in done.saved:
                path = safe_line(self.from_here(saved.path))
                if not is_undone:
                    self.say(f"adopted {path}: {saved.ref}")
                elif failed:
                    stays = "a plain note" if saved.path in plain else "as it was"
                    failed.outcome += f"\n{path} stays {stays}; it would have been {saved.ref}"
                    failed.hint = failed.hint and failed.hint.replace(f"{saved.ref}", path)

    def _is_dropped(self, adoption: Operation, mark: Callable[[], None]) -> bool:
        """Drop an adoption and return whether it is as if it had never been; it stays if anything was written since."""
        from memstore.core.errors import ChangedMeanwhileError
        from memstore.history import WORK_TREE

        if self.view().of(WORK_TREE).last_operation() != adoption:
            return False
        try:
            with self.view().transaction("adopt") as change:
                change.drop(adoption, mark)
        except ChangedMeanwhileError:
            return False
        self._view = self.view().again()
        return True

    def environment(self) -> Environment:
        """Return the process's environment, for the few commands that work without a vault."""
        from memstore.cli import output
        from memstore.files.local_state import Environment

        shows_progress = not self.choices.quiet and sys.stderr is not None and sys.stderr.isatty()
        return Environment.of_process(
            on_progress=output.show_progress if shows_progress else None,
            on_notice=None if self.choices.quiet else output.write_message,
        )

    def bytes_of(self, file: str) -> bytes:
        """Return the content of a file that the person named, `-` for standard input.

        A file in a vault must be visible to them. A file outside of vaults needs no vault.

        Raises:
            FileNotFoundError: it does not exist, or they may not see it.
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
        from memstore.files import FILES

        return view.of(FILES).read(path)

    # -- the answer: standard output -------------------------------------------------------------

    def emit(
        self,
        verb: str,
        value: object,
        lines: Callable[[], Iterable[str]],
        /,
        *,
        each: str | None = None,
        verbatim: bool = False,
        **said: Any,
    ) -> None:
        """Print a command's answer: as JSON if requested, else as lines of text.

        Args:
            verb: names the schema, `memstore.<verb>/1`, and with the value's class the form of the document.
            value: what the use case returned.
            lines: returns the text, one line each without line ends; called only for text. Text from a memory must be
                passed through `output.safe` first.
            each: the key of the document's list from which `--jsonl` prints one item per line.
            verbatim: whether the text has lines of files or drawings, which no terminal may break.
            said: what the form needs besides the value.
        """
        from memstore.cli import output

        if not self.as_json:
            self.write(lines(), verbatim=verbatim)
            self._say_of_model()
            return
        from memstore.documents.form import form_of_verb, published

        whole = form_of_verb(verb, value)(value, **said)
        if self.choices.jsonl and each is not None:
            output.write_lines(output.one_line(published(verb, item)) for item in whole[each])
        elif self.choices.jsonl:
            output.write_lines((output.one_line(published(verb, whole)),))
        else:
            output.write_lines((output.document(published(verb, whole)),))

    def write(self, lines: Iterable[str], *, verbatim: bool = False) -> None:
        """Write text; a screen at a time if a person sits at the terminal and may be asked for a key.

        At a terminal, lines that are too long for it are broken at blanks, unless these are or all are verbatim.
        """
        from memstore.cli import output

        if self.at_terminal and not verbatim:
            from memstore.core.columns import hanging

            room = output.room()
            whole = output.Verbatim
            lines = (part for line in lines for part in ((line,) if isinstance(line, whole) else hanging(line, room)))
        is_read = self.at_terminal and not self.choices.no_input
        (output.write_paged if is_read else output.write_lines)(lines)

    def exit(self, code: int) -> NoReturn:
        """Exit with this code; everything has already been said."""
        import click

        raise click.exceptions.Exit(code)

    @property
    def paint(self) -> Palette:
        """Colours for text on standard output; without colours if nobody could see them."""
        from memstore.cli import output

        if self._palette is None:
            self._palette = output.palette(sys.stdout, self.choices.color, from_here=self.from_here)
        return self._palette

    def day_of(self, stored: str | None) -> str:
        """Return the day of a stored time as people here count days; empty for None."""
        from memstore.core.times import day_of

        if self._zone is None:
            self._zone = self.view().clock.here().tzinfo
        return day_of(stored or "", self._zone)

    def from_here(self, path: str) -> str:
        """Return a path from the person's folder, as git prints it; absolute if that is not in or around the vault."""
        if path.startswith(("/", "stack:")):  # no file of a vault, or in a loaded stack
            return path
        if self._below is None:
            named, folder = self.view().root, self.environment().folder.resolve()
            if folder.is_relative_to(root := named.resolve()):
                self._below = folder.relative_to(root).as_posix()
            else:
                # An agent is told a path that its tools find from any folder.
                is_around = root.is_relative_to(folder) and folder != folder.parent and not self.view().terms.is_served
                self._below = f"{root.relative_to(folder) if is_around else named}/"
        match self._below:
            case ".":
                return path
            case outside if outside.endswith("/"):
                return posixpath.normpath(outside + path) if path.startswith("../") else outside + path
            case below if path.startswith(f"{below}/"):
                return path[len(below) + 1 :]
            case below:
                return posixpath.relpath(path, below)

    @property
    def at_terminal(self) -> bool:
        """Whether a person reads standard output directly."""
        return sys.stdout is not None and sys.stdout.isatty()

    # -- messages: standard error ----------------------------------------------------------------

    def say(self, message: str) -> None:
        """Tell the person something that is not the answer; silent with `--quiet` and for JSON."""
        if not self.choices.quiet and not self.as_json:
            from memstore.cli import output

            output.write_message(message)

    def say_former(self) -> None:
        """Say what a command is called today, if it was called by a former name."""
        if self.former:
            self.say(f"memstore: {self.former[0]} is now memstore {self.former[1]}")

    def say_left_out(self, count: int) -> None:
        """Say how many files an answer leaves out because they can't be read."""
        if count:
            self.say(f"{count} {'file' if count == 1 else 'files'} left out; run memstore check")

    def say_not_compared(self, pairs: int) -> None:
        """Say that an answer does not compare some pairs of memories for conflicts, though they may concern each other.

        How many they are, JSON tells.
        """
        if pairs:
            self.say("many lines are alike: conflicts were looked for in the most telling ones only")

    def say_unreadable(self) -> None:
        """Say how many files can't be read, after an answer about the whole vault."""
        if not (self.choices.quiet or self.as_json):
            self.say_left_out(len(self.view().broken))

    def _say_of_model(self) -> None:
        """Say if the NLI model that the person chose could not be asked about conflicts."""
        if self._view is None:
            return
        from memstore.conflicts import INFERENCE

        model = self._view.of(INFERENCE)
        if model is not None and model.problem:
            self.say(model.problem)

    def detail(self, message: str) -> None:
        """Say something only with `--verbose`."""
        if self.choices.verbose:
            self.say(message)

    def confirm(self, question: str, *, instead: str, enter: bool = False) -> bool:
        """Ask for a yes on the terminal; anything else is a no.

        Args:
            question: the question without question mark or choices.
            instead: the hint if there is nobody to ask: what says yes, like `pass --all`.
            enter: whether the return key alone is a yes.

        Raises:
            UsageError: `--no-input` was given, or standard input is not a terminal.
        """
        if self.choices.no_input or self.as_json or sys.stdin is None or not sys.stdin.isatty():
            from memstore.core.errors import UsageError

            raise UsageError(f"this needs confirmation, and this is not a terminal: {question}", hint=instead)
        from memstore.cli import output

        output.write_message(f"{question}? {'[Y/n]' if enter else '[y/N]'} ", end="")
        try:
            answer = sys.stdin.readline()
        except KeyboardInterrupt:
            output.write_message("")  # its report begins on a new line
            raise
        if not answer.endswith("\n"):
            output.write_message("")  # nothing was typed, or no return: the end of the input
        return answer.strip().lower() in ({"y", "yes", ""} if enter and answer else {"y", "yes"})


def _that_stays(note: PlainNoteError | NoIdError, findings: Sequence[Finding]) -> PlainNoteError | NoIdError:
    """Return the error for a plain note that can't be adopted, with what the findings of an adoption say about it."""
    from memstore.core.errors import PlainNoteError
    from memstore.core.harmless import safe_line

    why = next((one for one in findings if one.path == note.path), None)
    if why is None or not isinstance(note, PlainNoteError):
        return note
    at = f"{why.path}:{why.at.line}:{why.at.column}"
    return PlainNoteError(
        safe_line(f"{note}, and can't become one: {at}: {why.text}"), path=note.path, hint=why.hint or note.hint
    )
