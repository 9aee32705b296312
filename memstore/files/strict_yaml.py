"""The strict reader of frontmatter: uses libyaml's events, and refuses whatever two readers may understand differently.

YAML can give one text several meanings: `no` is a word or a boolean, `12:30` a time or a number, a repeated key wins or
loses. In a file that says who may see what, each of these is refused, with its line and a corrected line.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memstore.core.finding import Extent, Position, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

KeyPath = tuple[str | int, ...]

DEEPEST = 16
MOST_NODES = 20_000
# More would help nobody, and a hostile file could produce any number of them.
MOST_PROBLEMS = 50
# Longer than any number that a person would write; beyond 4,300 digits Python itself refuses.
LONGEST_NUMBER = 100

_CONTROL_IN_VALUE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+][0-9]+)?")
# Texts that YAML 1.1 and 1.2 read differently (yaml.org/type against the core schema of YAML 1.2.2, section 10.3).
_AMBIGUOUS = re.compile(
    r"""(?ix)
      y | yes | n | no | on | off               # booleans in 1.1, words in 1.2
    | [-+]?0[0-9_]+                             # octal in 1.1, decimal in 1.2
    | [-+]?0[box][0-9a-f_]+
    | (?=[^_]*_)([-+]?[.0-9]|[-+]_)[0-9_.:]*(e[-+]?[0-9_]*)?  # 1_000, 1.5_0: numbers in 1.1
    | [-+]\.[0-9]+(e[-+]?[0-9]+)?                # -.5 is a number in 1.2
    | [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?  # 12:30 is a number in base 60
    | [-+]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)e[0-9]+  # 1e3
    | [-+]?[0-9]+e[-+][0-9]+
    | [-+]?\.inf | \.nan
    | = | <<
    """,
)

_LONG_NUMBER = re.compile(r"[-+.0-9_:xob]+(?:[eE][-+]?[0-9]*)?")
# YAML 1.1 reads a key that begins like a date as a date.
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")


@dataclass
class Frontmatter:
    """The content of a frontmatter: plain values by key, and the position of every key and list item in the file.

    `head` is its text, which begins on file line `first_line`. `is_plain` says that it has plain lines only
    (`files.plain_lines`).
    """

    head: str = ""
    first_line: int = 1
    values: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    is_plain: bool = False

    @cached_property
    def _strictly(self) -> Frontmatter:
        return read(self.head, first_line=self.first_line)

    @cached_property
    def positions(self) -> dict[KeyPath, Position]:
        """The positions; for plain lines they are computed on first use."""
        return self._strictly.positions

    @cached_property
    def marks(self) -> dict[KeyPath, tuple[Any, Any]]:
        """YAML's marks where values begin and end, but for lists and maps in lines of their own."""
        return self._strictly.marks

    @cached_property
    def lines(self) -> list[str]:
        """The lines of `head`."""
        return self.head.split("\n")

    def position(self, *path: str | int) -> Position:
        """Return the position of `path`, or of the nearest key around it."""
        while path and path not in self.positions:
            path = path[:-1]
        return self.positions.get(path, Position(1))

    def extent(self, *path: str | int, of_key: bool = False) -> Extent | None:
        """Return where the value at `path` is, or the nearest one around it; with `of_key`, where the key is.

        None for a list or a map in lines of its own, and for a key that is spelt with escapes.
        """
        if of_key:
            at, line = self.position(*path), self.line(path)
            shown = next(
                (key for q in ("", "'", '"') if line.startswith(key := f"{q}{path[-1]}{q}", at.column - 1)), ""
            )
            return Extent(at, at._replace(column=at.column + len(shown))) if shown else None
        while path and path not in self.marks:
            path = path[:-1]
        if path not in self.marks:
            return None
        return _extent(*self.marks[path], self.first_line)

    def line_of(self, key: str, item: int | None = None) -> int:
        """Return the line of a key, or of an item in its list, from 0; plain lines need no parser for this."""
        if not self.is_plain:
            return self.position(key, *(() if item is None else (item,))).line
        start = next((at for at, line in enumerate(self.lines, self.first_line) if line.startswith(f"{key}:")), None)
        if start is None:
            return 1
        items_are_below = item is not None and self.lines[start - self.first_line] == f"{key}:"
        return start + 1 + item if items_are_below and item is not None else start

    @property
    def lines_of_keys(self) -> list[int]:
        """The line on which each key begins; several keys may have one, as in a map in {}."""
        if not self.is_plain:
            return [position.line for path, position in self.positions.items() if len(path) == 1]
        return [at for at, line in enumerate(self.lines, self.first_line) if line[:1] not in ("", " ", "-", "#")]

    def line(self, path: KeyPath) -> str:
        """Return the text of the line that has `path`; empty if that line is not in the frontmatter."""
        number = self.position(*path).line - self.first_line
        return self.lines[number].rstrip("\r") if 0 <= number < len(self.lines) else ""


def _extent(begin: Any, end: Any, first_line: int) -> Extent | None:
    """Return what is between two of YAML's marks; None if that is nothing."""
    start, after = (Position(first_line + mark.line, mark.column + 1) for mark in (begin, end))
    return Extent(start, after) if start != after else None


def read(head: str, *, first_line: int) -> Frontmatter:
    """Read the YAML between two fences.

    Args:
        head: the text between the fences.
        first_line: the file line on which it begins, from 1.

    Returns:
        The values with their positions; if `problems` is not empty, there are no values.
    """
    return _read(head, first_line, advise=True)


def _read(head: str, first_line: int, *, advise: bool) -> Frontmatter:
    from memstore.files import fence_problems  # plain lines, which most files have alone, are read without

    out = Frontmatter(head, first_line)
    out.positions, out.marks, lines = {}, {}, out.lines
    out.problems += fence_problems.problems(head, lines, first_line)
    if not out.problems:
        reader = _EventReader(head, lines, first_line, out)
        try:
            reader.read_document()
        except reader.yaml.YAMLError as error:
            from memstore.files import advice

            trial = _first_problem_line if advise else None
            out.problems.append(advice.of_syntax_error(error, lines, first_line, trial))
    if out.problems:
        out.values = {}
    return out


def _first_problem_line(head: str) -> int | None:
    """Return the line of the first problem in `head`, from 0; None if there is none."""
    problems = _read(head, 0, advise=False).problems
    return min((problem.at.line for problem in problems), default=None)


class _EventReader:
    """Turns libyaml's events into plain values; for one use."""

    def __init__(self, head: str, lines: list[str], first_line: int, out: Frontmatter) -> None:
        import yaml

        self.head, self.lines, self.first_line, self.out = head, lines, first_line, out
        self.nodes = 0
        self.key = ""  # the outermost key being read
        self.ended: Any = None  # the last event of the list or map that was read last
        self.has_tabs = "\t" in head
        # Use libyaml if available (every wheel has it): it is ten times faster than the Python parser.
        loader = yaml.CLoader if yaml.__with_libyaml__ else yaml.Loader
        self.next_event: Callable[[], Any] = loader(head).get_event
        self.yaml = yaml

    def read_document(self) -> None:
        """Fill `out`; raises a YAMLError if the text is not YAML."""
        with suppress(_TooMuchError):  # already reported
            self._read_root()

    def _read_root(self) -> None:
        yaml = self.yaml
        self.next_event()  # the stream's start
        event = self.next_event()
        if isinstance(event, yaml.StreamEndEvent):
            return  # no keys at all: the shape check asks for a type
        if event.explicit or event.version or event.tags:
            self._refuse(event, "yaml-document", "a YAML directive or document start", "delete the line")
            return
        root = self.next_event()
        if not isinstance(root, yaml.MappingStartEvent):
            what = "a list" if isinstance(root, yaml.SequenceStartEvent) else "a text"
            self._refuse(
                root, "yaml-root", f"the frontmatter is {what}, not keys with values", "write `key: value` lines"
            )
            return
        self.out.values = self._mapping(())
        end = self.next_event()
        if end.explicit or not isinstance(self.next_event(), yaml.StreamEndEvent):
            self._refuse(end, "yaml-document", "a second YAML document", "keep one, and delete the `...` or `---` line")

    # -- nodes -----------------------------------------------------------------------------------

    def _node(self, event: Any, path: KeyPath) -> Any:
        """Return the value that begins with `event`."""
        yaml = self.yaml
        self.nodes += 1
        if self.nodes > MOST_NODES:
            self._refuse(event, "yaml-size", f"more than {MOST_NODES:,} values", "move the bulk of it into the text")
            raise _TooMuchError
        if isinstance(event, yaml.AliasEvent):
            quoted = f'"*{event.anchor}"'
            hint = f"write the value out, or quote it: {quoted}"
            self._refuse(event, "yaml-alias", f"the alias *{event.anchor}", hint, meant=quoted)
            return None
        self._check_properties(event)
        if self.has_tabs:
            self._check_tabs(event)
        if isinstance(event, yaml.ScalarEvent):
            self.out.marks[path] = (event.start_mark, event.end_mark)
            return self._scalar(event)
        if len(path) >= DEEPEST:
            self._refuse(event, "yaml-depth", f"more than {DEEPEST} levels", "move it into the text")
            raise _TooMuchError
        values = self._sequence(path) if isinstance(event, yaml.SequenceStartEvent) else self._mapping(path)
        if event.flow_style:
            self.out.marks[path] = (event.start_mark, self.ended.end_mark)
        return values

    def _check_properties(self, event: Any) -> None:
        if event.anchor is not None:
            self._refuse(
                event, "yaml-anchor", f"the anchor &{event.anchor}", "write the value out where it is needed",
                mended=self._without(f"&{event.anchor}", event),
            )  # fmt: skip
        if event.tag is not None:
            shown = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._refuse(
                event, "yaml-tag", f"the tag {shown}", "write the plain value, or quote all of it",
                mended=self._without(shown, event),
            )  # fmt: skip

    def _check_tabs(self, event: Any) -> None:
        """Refuse tabs between the parts of a line: libyaml accepts them, PyYAML's own parser does not."""
        line, at = self._line(event), event.start_mark.column
        end = event.end_mark.column if event.end_mark.line == event.start_mark.line else len(line)
        is_plain_text = isinstance(event, self.yaml.ScalarEvent) and event.style in (None, "")
        if line[at - 1 : at] == "\t" or (is_plain_text and "\t" in line[at : end + 1]):
            self._refuse(
                event, "yaml-tab", "a tab between the parts of a line", "use spaces, or quote the text",
                mended=line.replace("\t", " "),
            )  # fmt: skip

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        self._check_control(event, text)
        if event.style not in (None, ""):
            return text
        if is_ambiguous(text):
            self._refuse(
                event, "yaml-ambiguous", f"`{text[:40]}` means different things to different readers",
                f'quote it: "{text[:40]}"{_or_flag(text)}', mended=self._quoted(event),
            )  # fmt: skip
            return text
        if " - " in text and event.start_mark.line != event.end_mark.line:
            self._check_continuation(event)
        return resolve_plain(text)

    def _check_control(self, event: Any, text: str) -> None:
        found = _CONTROL_IN_VALUE.search(text)
        if found:
            self._refuse(
                event, "yaml-control", f"the control character U+{ord(found.group()):04X}", "delete the escape"
            )

    def _check_continuation(self, event: Any) -> None:
        """Refuse a list item that YAML reads as a continuation of the text above: two grants would become one."""
        start = event.start_mark.line
        above = self.lines[start]
        for number in range(start + 1, min(event.end_mark.line + 1, len(self.lines))):
            line = self.lines[number].rstrip("\r")
            text = line.lstrip(" ")
            if text.startswith("- "):
                indent = len(above) - len(above.lstrip(" ")) if above.lstrip(" ").startswith("- ") else None
                found = Problem(
                    "yaml-indent",
                    Position(self.first_line + number, len(line) - len(text) + 1),
                    "with this indent it is not a list item, but part of the text above",
                    "put the dash below the one above, or quote the text if a dash is meant",
                    key=self.key,
                )
                self.out.problems.append(found.with_line(line, None if indent is None else " " * indent + text))

    def _sequence(self, path: KeyPath) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := self.next_event(), self.yaml.SequenceEndEvent):
            here = (*path, len(values))
            self.out.positions[here] = self._place(event)
            values.append(self._node(event, here))
        self.ended = event
        return values

    def _mapping(self, path: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        seen: dict[str, str] = {}
        while not isinstance(event := self.next_event(), self.yaml.MappingEndEvent):
            key = self._key(event, path)
            if not path:
                self.key = key or ""
            value_event = self.next_event()
            if key is None:
                self._node(value_event, (*path, "?"))
                continue
            here = (*path, key)
            folded = folded_key(key)
            if folded in seen:
                self._repeated(event, key, seen[folded], (*path, seen[folded]))
            else:
                seen[folded] = key
                self.out.positions[here] = self._place(event)
            values[key] = self._node(value_event, here)
            if not path:
                self.key = ""
        self.ended = event
        return values

    def _key(self, event: Any, path: KeyPath) -> str | None:
        """Return the text of a key, or None if it is not a key; problems are reported."""
        if not isinstance(event, self.yaml.ScalarEvent):
            self._refuse(
                event, "yaml-key", "a key that is not a word",
                "write `key: value`; a text that begins with a brace or a bracket needs quotes",
            )  # fmt: skip
            self._node(event, (*path, "?"))
            return None
        self._check_properties(event)
        text: str = event.value
        self._check_control(event, text)
        if event.style not in (None, ""):
            return text
        if text == "<<":
            self._refuse(event, "yaml-merge", "a merge key <<", "write the keys out")
        elif not text:
            self._refuse(event, "yaml-key", "a colon without a key before it", "write `key: value`")
        elif not is_plain(text) or _DATE.match(text):
            self._refuse(
                event, "yaml-key", f"the key `{text[:40]}` is not text to every reader", f'quote it: "{text[:40]}":',
                mended=self._quoted(event),
            )  # fmt: skip
        return text

    def _repeated(self, event: Any, key: str, first: str, first_path: KeyPath) -> None:
        line = self.out.position(*first_path).line
        what = "appears again" if key == first else f"is `{first}` in other letters"
        self._refuse(
            event, "yaml-duplicate-key", f"the key `{key}` {what} (first on line {line})", "keep one of the two",
        )  # fmt: skip

    # -- reports ---------------------------------------------------------------------------------

    def _place(self, event: Any) -> Position:
        mark = event.start_mark
        return Position(self.first_line + mark.line, mark.column + 1)

    def _line(self, event: Any) -> str:
        """Return the text of the line on which `event` begins, without its line end."""
        at = event.start_mark.line
        return self.lines[at].rstrip("\r") if at < len(self.lines) else ""

    def _quoted(self, event: Any) -> str:
        """Return the line of a plain scalar with the scalar in double quotes."""
        line, at = self._line(event), event.start_mark.column
        return f'{line[:at]}"{event.value}"{line[at + len(event.value) :]}'

    def _without(self, mark: str, event: Any) -> str | None:
        """Return the event's line without a tag or an anchor; None if the line spells it differently."""
        line, at = self._line(event), event.start_mark.column
        if not line.startswith(mark, at):
            return None
        return (line[:at] + line[at + len(mark) :].lstrip(" ")).rstrip(" ")

    def _refuse(
        self, event: Any, code: str, text: str, hint: str, *, mended: str | None = None, meant: str | None = None
    ) -> None:
        extent = _extent(event.start_mark, event.end_mark, self.first_line)
        found = Problem(code, self._place(event), text, hint, key=self.key, extent=extent, meant=meant)
        self.out.problems.append(found.with_line(self._line(event), mended))
        if len(self.out.problems) >= MOST_PROBLEMS:
            raise _TooMuchError


def folded_key(key: str) -> str:
    """Return a key as it is compared with the others of its mapping: equal ones are taken for one another."""
    return unicodedata.normalize("NFKC", key).casefold()


class _TooMuchError(Exception):
    """Reading stopped at a limit; the problem has been recorded."""


def resolve_plain(text: str) -> str | int | float | bool | None:
    """Return the value of a plain scalar by the rules that YAML 1.1 and 1.2 share; dates stay text."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    return text


def is_plain(text: str) -> bool:
    """Return whether every reader reads the plain scalar `text` as just that text."""
    return not is_ambiguous(text) and isinstance(resolve_plain(text), str)


def _or_flag(text: str) -> str:
    if text.lower() in ("y", "yes", "on"):
        return ", or write true"
    return ", or write false" if text.lower() in ("n", "no", "off") else ""


def is_ambiguous(text: str) -> bool:
    """Return whether readers disagree on the plain scalar `text`, or it is a uselessly long number."""
    if len(text) > LONGEST_NUMBER:
        return _LONG_NUMBER.fullmatch(text) is not None
    return _AMBIGUOUS.fullmatch(text) is not None
