"""How answers look: harmless text, colours, tables, JSON; longer answers a screen at a time."""

from __future__ import annotations

import codecs
import os
import re
import sys
from contextlib import suppress
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any, TextIO, cast

from memstore.core import harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


# In JSON the C0 characters are already escaped; lone surrogates stand for bytes of a path that are not UTF-8.
_ESCAPED_IN_JSON = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"

_SYMBOLS = str.maketrans({"·": "-", "…": "...", "→": "->", "✓": "ok", "×": "x", "±": "+-"})


safe, safe_line = harmless.safe, harmless.safe_line


def harmless_path(path: str) -> str:
    """Return a path unchanged for a program; for a terminal without characters that could control it."""
    return safe_line(path) if sys.stdout is not None and sys.stdout.isatty() else path


# -- writing -------------------------------------------------------------------------------------

_ERRORS = "memstore.output"


def _encode_anyhow(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode what an output's encoding lacks: a path's invalid byte as that byte, a symbol as a similar one."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    if "\udc80" <= character <= "\udcff":
        return bytes([ord(character) - 0xDC00]), error.start + 1
    alike = character.translate(_SYMBOLS)
    return (alike if alike.isascii() else f"\\u{ord(character):04x}"), error.start + 1


def prepare_streams() -> None:
    """Make standard output and error accept any text, whatever their encoding is."""
    codecs.register_error(_ERRORS, _encode_anyhow)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_ERRORS)


class Verbatim(str):
    """A line of a file, which no terminal may break."""

    __slots__ = ()


def write_lines(lines: Iterable[str], *, at_once: bool = False) -> None:
    """Write lines to standard output; with `at_once` each line is flushed as soon as it is made."""
    for line in lines:
        write_text(line + "\n")
        if at_once:
            flush()


def write_text(text: str) -> None:
    """Write text to standard output unchanged.

    Raises:
        OSError: it can't be written; the error names standard output.
    """
    stream = _open(sys.stdout)
    try:
        stream.write(text)
    except OSError as error:
        raise _unwritten(error) from error


def write_pieces(pieces: Iterable[bytes]) -> None:
    """Write bytes to standard output; raises as `write_text`."""
    stream = _open(sys.stdout)
    try:
        stream.flush()
        for piece in pieces:
            stream.buffer.write(piece)
    except OSError as error:
        raise _unwritten(error) from error


def flush() -> None:
    """Flush standard output; only then has the text been delivered."""
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError as error:
            raise _unwritten(error) from error


def discard() -> None:
    """Discard what is still buffered, so that Python does not fail on it at exit."""
    _discard(sys.stdout, sys.stderr)


def _discard(*streams: TextIO | None) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _unwritten(error: OSError) -> OSError:
    """Return the error with the name of the stream that could not be written; the number keeps its class."""
    return OSError(error.errno, error.strerror, "standard output")


def write_message(message: str, *, end: str = "\n") -> None:
    """Write a line to standard error, in place of the progress that is shown there; at a terminal, broken at blanks.

    Control characters are spelt out, wherever they come from; a line end begins a new line. If there is no standard
    error, or it takes no text, nobody reads it, and what the program does goes on.
    """
    message = safe(message)
    if sys.stderr is not None and sys.stderr.isatty():
        from memstore.core.columns import hanging

        message = "\n".join(part for line in message.split("\n") for part in hanging(line, room()))
    _write_beside(_PROGRESS.erased() + message + end)


def show_progress(work: str, done: int, total: int) -> None:
    """Show on the terminal how much of a long task is done, on one line that is erased at the end."""
    if done < total:
        _PROGRESS.is_shown = True
        write = f"\r{work}: {done:,} of {total:,}"
    else:
        write = _PROGRESS.erased()
    _write_beside(write)


def _write_beside(text: str) -> None:
    try:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


class _Progress:
    """Whether the last line on the terminal is one that tells of progress."""

    is_shown = False

    def erased(self) -> str:
        """Return what erases the line; nothing if there is none."""
        was_shown, self.is_shown = self.is_shown, False
        return "\r\x1b[K" if was_shown else ""


_PROGRESS = _Progress()


def _open(stream: TextIO | None) -> TextIO:
    """Return the stream; a program started with standard output closed must not claim that it answered."""
    if stream is None:
        import errno

        raise OSError(errno.EBADF, "it is closed", "standard output")
    return stream


def document(value: Mapping[str, Any]) -> str:
    """Return one JSON document, indented if a person reads it."""
    return _json(value, indent=2 if sys.stdout is not None and sys.stdout.isatty() else None)


def one_line(value: Mapping[str, Any]) -> str:
    """Return one JSON document on one line."""
    return _json(value, indent=None)


def _json(value: Mapping[str, Any], *, indent: int | None) -> str:
    import json

    text = json.dumps(value, ensure_ascii=not _is_unicode(sys.stdout), indent=indent, allow_nan=False)
    return re.sub(_ESCAPED_IN_JSON, lambda match: json.dumps(match.group())[1:-1], text)


def _is_unicode(stream: TextIO | None) -> bool:
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "").startswith("utf")


def width() -> int:
    """Return how many columns help may use: those of the terminal, at most 100."""
    return max(min(room(), 100) - 2, 40)


def room() -> int:
    """Return how many columns the terminal has; 80 if nobody says."""
    try:
        # shutil has a function for this, but would import all of Python's compression modules.
        return int(os.environ.get("COLUMNS") or os.get_terminal_size().columns) or 80
    except (OSError, ValueError):
        return 80


# -- colours -------------------------------------------------------------------------------------

_ROLES = {
    "path": "35",
    "line": "32",
    "ref": "36",
    "title": "1",
    "type": "34",
    "dim": "2",
    "match": "1;31",
    "ok": "32",
    "warning": "33",
    "notice": "36",
    "error": "1;31",
    "heading": "1",
    "added": "32",
    "removed": "31",
}


class Palette:
    """Colours words by their role: `paint("title", "Green tea")`, `paint.path("notes/tea.md")`.

    Roles: path, line, ref, title, type, dim, match, ok, warning, notice, error, heading, added, removed.
    """

    def __init__(self, *, colours: bool, signs: bool, from_here: Callable[[str], str] = str) -> None:
        self.colours = colours
        self._from_here = from_here
        # Whether the output supports non-ASCII symbols, for bars and trees.
        self.signs = signs

    def __call__(self, role: str, text: str) -> str:
        """Return the text in the colour of that role."""
        code = _ROLES[role]
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and text else text

    def path(self, path: str) -> str:
        """Return a path of the vault relative to the person's folder, harmless and on one line."""
        return self("path", safe_line(self._from_here(path)))

    def place(self, path: str, line: int | str) -> str:
        """Return a path as `path` does, with a line or lines behind it: editors jump there."""
        return f"{self.path(path)}:{self('line', str(line))}"


def palette(stream: TextIO | None, choice: str, *, from_here: Callable[[str], str] = str) -> Palette:
    """Return the palette for a stream: `choice` (--color) decides first, then NO_COLOR, FORCE_COLOR, then the terminal.

    `from_here` converts paths of the vault for display.
    """
    return Palette(colours=_wants_colours(stream, choice), signs=_is_unicode(stream), from_here=from_here)


def _wants_colours(stream: TextIO | None, choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


# -- pager -----------------------------------------------------------------------------------------


VARIABLES = ("MEMSTORE_PAGER", "PAGER")
LAST_RESORT = "less"
# As git sets it: quit if everything fits on one screen (F), pass colours through (R), keep the text on the screen (X).
LESS = "FRX"


def write_paged(lines: Iterable[str]) -> None:
    """Write lines to the terminal on standard output: directly if they fit on it, else through a pager.

    The pager is the first that is set of MEMSTORE_PAGER, PAGER and `less`. A pager from a repository's configuration is
    never run, since it may come from anybody. No pager is used if it is empty, `cat` or missing, or if the terminal is
    dumb.
    """
    screen = os.get_terminal_size(sys.stdout.fileno())
    rest = iter(lines)
    first = list(islice(rest, screen.lines))
    pager = [] if _fit(first, screen) else _pager()
    if pager:
        _write_through(pager, chain(first, rest))
    else:
        write_lines(chain(first, rest))


def _fit(lines: Sequence[str], screen: os.terminal_size) -> bool:
    """Whether lines fit on one screen with the prompt below them; a long line takes several rows."""
    from memstore.core.columns import columns

    if not (screen.columns and screen.lines):  # nobody sits at a terminal that doesn't know its size
        return True
    return sum(max(columns(line) - 1, 0) // screen.columns + 1 for line in lines) < screen.lines


def _pager() -> list[str]:
    """Return the words that start the pager; empty for no pager."""
    import shlex
    import shutil

    named = next((os.environ[name] for name in VARIABLES if name in os.environ), LAST_RESORT)
    try:
        words = shlex.split(named)
    except ValueError:  # an unclosed quotation
        return []
    is_there = words and words != ["cat"] and shutil.which(words[0]) is not None
    return words if is_there and os.environ.get("TERM", "dumb") != "dumb" else []


def _write_through(pager: list[str], lines: Iterable[str]) -> None:
    """Write to the pager's input, and wait until the person has read enough.

    Meanwhile only the pager handles Ctrl-C: `less` then stops waiting for the rest.
    """
    import signal
    import subprocess

    flush()
    encoding, errors = sys.stdout.encoding, sys.stdout.errors or "strict"
    process = subprocess.Popen(pager, stdin=subprocess.PIPE, env={"LESS": LESS, "LESSCHARSET": "utf-8", **os.environ})
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # not before the start: the pager would inherit it
    pipe = cast("IO[bytes]", process.stdin)
    try:
        with suppress(BrokenPipeError), pipe:
            for line in lines:
                pipe.write(f"{line}\n".encode(encoding, errors))
    finally:
        process.wait()
        signal.signal(signal.SIGINT, before)
