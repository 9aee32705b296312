"""The strict reader of frontmatter: libyaml's events, and a refusal of all that two readers may understand differently.

YAML lets one text mean several things: `no` is a word or a boolean, `12:30` a time or a number, a repeated key wins or
loses. In a file that says who may see what, each of these is refused with its line and the line that would be meant.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memstore.codec.problem import Problem
from memstore.model.finding import Position

if TYPE_CHECKING:
    from collections.abc import Mapping

KeyPath = tuple[str | int, ...]

DEEPEST = 16
MOST_NODES = 20_000

_CONFLICT_MARKER = re.compile(r"^(<{7}|={7}|>{7}|\|{7})(?= |\r?$)", re.MULTILINE)
# C0 but for tab and line ends, DEL, C1 with NEL, the line and paragraph separators, a byte order mark, lone CR.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]|\r(?!\n)")
_CONTROL_IN_VALUE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_TAB_INDENT = re.compile(r"^ *\t", re.MULTILINE)

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+][0-9]+)?")
# What YAML 1.1 and 1.2 read differently (yaml.org/type against the core schema of YAML 1.2.2, section 10.3).
_AMBIGUOUS = re.compile(
    r"""(?ix)
      y | yes | n | no | on | off               # booleans in 1.1, words in 1.2
    | [-+]?0[0-9_]+                             # octal in 1.1, decimal in 1.2
    | 0o[0-7]+ | [-+]?0b[01_]+ | [-+]?0x[0-9a-f_]+
    | [-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?     # 1_000
    | [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?  # 12:30 is a number in base 60
    | [-+]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)e[0-9]+  # 1e3
    | [-+]?[0-9]+e[-+][0-9]+
    | [-+]?\.inf | \.nan
    | = | <<
    """,
)


@dataclass(slots=True)
class Frontmatter:
    """What a frontmatter says: plain values by key, and for every key and list item its place in the file."""

    values: dict[str, Any] = field(default_factory=dict)
    positions: dict[KeyPath, Position] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def position(self, *path: str | int) -> Position:
        """Return where `path` stands, or where the nearest key around it does."""
        while path and path not in self.positions:
            path = path[:-1]
        return self.positions.get(path, Position(1))


def read(head: str, *, first_line: int) -> Frontmatter:
    """Read the YAML between two fences.

    Args:
        head: the text between the fences.
        first_line: the file line on which it begins, from 1.

    Returns:
        The values with their places; where `problems` is not empty, the values are incomplete and must not be used.
    """
    out = Frontmatter()
    lines = head.split("\n")
    out.problems += _problems_of_the_text(head, lines, first_line)
    if not out.problems:
        _EventReader(head, lines, first_line, out).read_document()
    return out


def _problems_of_the_text(head: str, lines: list[str], first_line: int) -> list[Problem]:
    """Return what is wrong before any YAML is looked at."""

    def place(offset: int) -> Position:
        line = head.count("\n", 0, offset)
        return Position(first_line + line, offset - (head.rfind("\n", 0, offset) + 1) + 1)

    markers = [
        Problem(
            "conflict-marker",
            place(m.start()),
            "a conflict marker of an unfinished merge",
            hint="keep one side, and delete the marker lines",
        )
        for m in _CONFLICT_MARKER.finditer(head)
    ]
    if markers:
        return markers
    controls = [
        Problem(
            "yaml-control",
            place(m.start()),
            f"the control character U+{ord(m.group()):04X}",
            hint="delete it, or write it as an escape in the text below",
            mended=_CONTROL.sub("", lines[head.count("\n", 0, m.start())]),
        )
        for m in _CONTROL.finditer(head)
    ]
    tabs = [
        Problem(
            "yaml-tab",
            place(m.end() - 1),
            "a tab as indent",
            hint="indent with spaces",
            mended=_untabbed(lines[head.count("\n", 0, m.end())]),
        )
        for m in _TAB_INDENT.finditer(head)
    ]
    return controls + tabs


def _untabbed(line: str) -> str:
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].replace("\t", "  ") + rest.rstrip("\r")


class _EventReader:
    """Turns libyaml's events into plain values; one use."""

    def __init__(self, head: str, lines: list[str], first_line: int, out: Frontmatter) -> None:
        self.head, self.lines, self.first_line, self.out = head, lines, first_line, out
        self.nodes = 0

    def read_document(self) -> None:
        import yaml

        # libyaml where it is there (every wheel has it), ten times faster than the parser in Python.
        loader = yaml.CLoader if yaml.__with_libyaml__ else yaml.Loader
        self.next_event = loader(self.head).get_event
        self.yaml = yaml
        try:
            self._read_root()
        except yaml.YAMLError as error:
            self._syntax_error(error)
        except _TooMuchError:
            pass  # already reported

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
        self.out.values = self._mapping(root, ())
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
            self._refuse(event, "yaml-alias", f"the alias *{event.anchor}", self._alias_hint(event))
            return None
        self._check_properties(event)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path)
        if len(path) >= DEEPEST:
            self._refuse(event, "yaml-depth", f"more than {DEEPEST} levels", "move it into the text")
            raise _TooMuchError
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        return self._mapping(event, path)

    def _check_properties(self, event: Any) -> None:
        if event.anchor is not None:
            self._refuse(
                event, "yaml-anchor", f"the anchor &{event.anchor}", "write the value out where it is needed",
                mended=self._line(event).replace(f"&{event.anchor} ", "", 1),
            )  # fmt: skip
        if event.tag is not None:
            shown = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._refuse(
                event, "yaml-tag", f"the tag {shown}", "write the plain value",
                mended=self._line(event).replace(f"{shown} ", "", 1),
            )  # fmt: skip

    def _alias_hint(self, event: Any) -> str:
        if event.anchor and f"*{event.anchor}" == "**":
            return 'quote it: "*"'
        return f'write the value out, or quote it: "*{event.anchor}"'

    def _scalar(self, event: Any, path: KeyPath) -> Any:
        text: str = event.value
        found = _CONTROL_IN_VALUE.search(text)
        if found:
            self._refuse(
                event, "yaml-control", f"the control character U+{ord(found.group()):04X}", "delete the escape"
            )
        if event.style not in (None, ""):
            return text
        if _AMBIGUOUS.fullmatch(text):
            self._refuse(
                event, "yaml-ambiguous", f"`{text}` means different things to different readers", f'quote it: "{text}"',
                mended=self._quoted(event),
            )  # fmt: skip
            return text
        return resolve_plain(text)

    def _sequence(self, path: KeyPath) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := self.next_event(), self.yaml.SequenceEndEvent):
            here = (*path, len(values))
            self.out.positions[here] = self._place(event)
            values.append(self._node(event, here))
        return values

    def _mapping(self, start: Any, path: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        seen: dict[str, str] = {}
        while not isinstance(event := self.next_event(), self.yaml.MappingEndEvent):
            key = self._key(event)
            value_event = self.next_event()
            if key is None:
                self._node(value_event, (*path, "?"))
                continue
            here = (*path, key)
            folded = unicodedata.normalize("NFKC", key).casefold()
            if folded in seen:
                self._repeated(event, key, seen[folded], (*path, seen[folded]))
            else:
                seen[folded] = key
                self.out.positions[here] = self._place(event)
            values[key] = self._node(value_event, here)
        return values

    def _key(self, event: Any) -> str | None:
        """Return the text of a key, or None where it is none; what was wrong is reported."""
        if not isinstance(event, self.yaml.ScalarEvent):
            self._refuse(event, "yaml-key", "a key that is no word", "write `key: value`")
            self._node(event, ("?",))
            return None
        self._check_properties(event)
        text: str = event.value
        if event.style not in (None, ""):
            return text
        if text == "<<":
            self._refuse(event, "yaml-merge", "a merge key <<", "write the keys out")
        elif _AMBIGUOUS.fullmatch(text) or not isinstance(resolve_plain(text), str):
            self._refuse(
                event, "yaml-key", f"the key `{text}` is no text to every reader", f'quote it: "{text}":',
                mended=self._quoted(event),
            )  # fmt: skip
        return text

    def _repeated(self, event: Any, key: str, first: str, first_path: KeyPath) -> None:
        line = self.out.position(*first_path).line
        how = "again" if key == first else f"as `{first}` in other letters"
        self._refuse(
            event, "yaml-duplicate-key", f"the key `{key}` stands {how} (first on line {line})", "keep one of the two",
        )  # fmt: skip

    # -- reports ---------------------------------------------------------------------------------

    def _place(self, event: Any) -> Position:
        mark = event.start_mark
        return Position(self.first_line + mark.line, mark.column + 1)

    def _line(self, event: Any) -> str:
        """Return the text of the line on which `event` begins, without its end."""
        at = event.start_mark.line
        return self.lines[at].rstrip("\r") if at < len(self.lines) else ""

    def _quoted(self, event: Any) -> str:
        """Return the line of a plain scalar with the scalar in double quotes."""
        line, at = self._line(event), event.start_mark.column
        return f'{line[:at]}"{event.value}"{line[at + len(event.value) :]}'

    def _refuse(self, event: Any, code: str, text: str, hint: str, *, mended: str | None = None) -> None:
        self.out.problems.append(Problem(code, self._place(event), text, hint, mended))

    def _syntax_error(self, error: Any) -> None:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        at = Position(self.first_line + (mark.line if mark else 0), (mark.column if mark else 0) + 1)
        problem = getattr(error, "problem", None) or str(error)
        line = self.lines[mark.line].rstrip("\r") if mark and mark.line < len(self.lines) else ""
        hint, mended = _advice(str(problem), line)
        self.out.problems.append(Problem("yaml-syntax", at, f"not readable as YAML: {problem}", hint, mended))


class _TooMuchError(Exception):
    """Reading stopped at a limit; the problem is recorded."""


_KEY_AND_REST = re.compile(r"(\s*(?:- )?[^\s:#\"'][^:#]*: )(.*\S)\s*")


def _advice(problem: str, line: str) -> tuple[str, str | None]:
    """Return a hint for a syntax error and, where it is plain what was meant, the mended line."""
    parts = _KEY_AND_REST.fullmatch(line)
    if parts and parts[2][0] not in "\"'[{|>" and (": " in parts[2] or parts[2][0] in "@`%*&!"):
        escaped = parts[2].replace("\\", "\\\\").replace('"', '\\"')
        return "a text with a colon or a sign in it needs quotes", f'{parts[1]}"{escaped}"'
    if "could not find expected ':'" in problem:
        return "write `key: value`; a text of several lines needs `key: |` and an indent", None
    return "look for a missing quote, bracket or indent on this line or the one before", None


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
    """Whether a plain scalar `text` is read as just that text by every reader."""
    return not _AMBIGUOUS.fullmatch(text) and isinstance(resolve_plain(text), str)


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the keys that say something: null, empty text and empty lists mean absent."""
    return {key: value for key, value in values.items() if value not in (None, "", [])}
