"""The strict reader: what it takes means the same to every reader, and what it refuses it explains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from memstore.core.finding import LONGEST_SHOWN, worth_showing
from memstore.files import strict_yaml
from tests.support import examples

FIRST_LINE = 2


@dataclass(frozen=True)
class Refusal:
    """A head and what is said of it; `mended` is None where the answer needs judgement."""

    head: str
    code: str
    line: int
    column: int
    mended: str | None = None


REFUSED = {
    "a tag": Refusal("a: !!str 1", "yaml-tag", 2, 4, "a: 1"),
    "a tag that runs code elsewhere": Refusal("a: !!python/object:os.system x", "yaml-tag", 2, 4, "a: x"),
    "a local tag": Refusal("title: !important x", "yaml-tag", 2, 8, "title: x"),
    "a tag in full": Refusal("a: !<tag:x> b", "yaml-tag", 2, 4),
    "a tag on a list": Refusal("a: !!set\n- b", "yaml-tag", 2, 4, "a:"),
    "an anchor": Refusal("a: &x b", "yaml-anchor", 2, 4, "a: b"),
    "an anchor on a map": Refusal("a: &x\n  b: 1", "yaml-anchor", 2, 4, "a:"),
    "an anchor on a key": Refusal("&x a: b", "yaml-anchor", 2, 1, "a: b"),
    "an alias": Refusal("a: *x", "yaml-alias", 2, 4),
    "an alias in a list": Refusal("a:\n  - *x", "yaml-alias", 3, 5),
    "a merge key": Refusal("<<: {a: 1}", "yaml-merge", 2, 1),
    "a key twice": Refusal("a: 1\nb: 2\na: 3", "yaml-duplicate-key", 4, 1),
    "a key twice in other letters": Refusal("tags: [a]\nTags: [b]", "yaml-duplicate-key", 3, 1),
    "a key twice in wide letters": Refusal("tags: [a]\nｔａｇｓ: [b]", "yaml-duplicate-key", 3, 1),
    "a key twice in an entry": Refusal("a: {b: 1, b: 2}", "yaml-duplicate-key", 2, 11),
    "a key that is a number": Refusal("1: a", "yaml-key", 2, 1, '"1": a'),
    "a key that is not a word": Refusal("no: a", "yaml-key", 2, 1, '"no": a'),
    "a key that is true": Refusal("true: a", "yaml-key", 2, 1, '"true": a'),
    "a key that is null": Refusal("~: a", "yaml-key", 2, 1, '"~": a'),
    "a key that is a date": Refusal("2026-01-01: a", "yaml-key", 2, 1, '"2026-01-01": a'),
    "a key that is a list": Refusal("? [a]\n: b", "yaml-key", 2, 3),
    "no key": Refusal(": a", "yaml-syntax", 2, 1),
    "a NUL": Refusal("a: b\0c", "yaml-control", 2, 5, "a: bc"),
    "an escape": Refusal("a: b\x1b[31mc", "yaml-control", 2, 5, "a: b[31mc"),
    "a DEL": Refusal("a: b\x7f", "yaml-control", 2, 5, "a: b"),
    "a next line": Refusal("a: b\x85c", "yaml-control", 2, 5, "a: bc"),
    "a line separator": Refusal("a: b\u2028c", "yaml-control", 2, 5, "a: bc"),
    "a paragraph separator": Refusal("a: b\u2029c", "yaml-control", 2, 5, "a: bc"),
    "a byte order mark inside": Refusal("a: 1\n\ufeffb: 2", "yaml-control", 3, 1, "b: 2"),
    "no character": Refusal("a: b\uffff", "yaml-control", 2, 5, "a: b"),
    "a lone carriage return": Refusal("a: b\rc: d", "yaml-control", 2, 5),
    "a control character by escape": Refusal('a: "b\\0"', "yaml-control", 2, 4),
    "a surrogate by escape": Refusal('a: "\\uD800"', "yaml-syntax", 2, 6, 'a: "\\\\uD800"'),
    "a control character by escape in a key": Refusal('"a\\e": b', "yaml-control", 2, 1),
    "a conflict": Refusal("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> b", "conflict-marker", 2, 1),
    "a quote that is not closed in a list": Refusal('tags: [a, "b, c]', "yaml-syntax", 2, 13, 'tags: [a, "b", c]'),
    "a quote that is not closed at its end": Refusal("tags: [a, 'b]", "yaml-syntax", 2, 13, "tags: [a, 'b']"),
    "quotes with one sign each": Refusal('a: [x", "y]', "yaml-syntax", 2, 5, 'a: ["x", "y"]'),
    "a quote beside a sound one": Refusal('a: ["x, y", "z', "yaml-syntax", 2, 15, 'a: ["x, y", "z"]'),
    "a list of nothing that is not closed": Refusal("id: [\na: 1", "yaml-syntax", 2, 6),
    "a list that is closed twice": Refusal("tags: [a, b]]", "yaml-syntax", 2, 13, "tags: [a, b]"),
    "a tab as indent": Refusal("a:\n\tb: 1", "yaml-tab", 3, 1, "  b: 1"),
    "a tab before a key that stands under none": Refusal("a: b\n\tc: 1", "yaml-tab", 3, 1, "c: 1"),
    "a tab before more of a text": Refusal("a: >\n\tc: 1", "yaml-tab", 3, 1, "  c: 1"),
    "a tab after spaces": Refusal("a:\n  \t- b", "yaml-tab", 3, 3, "    - b"),
    "a tab after the colon": Refusal("title:\tx", "yaml-tab", 2, 8, "title: x"),
    "a tab in a flow list": Refusal("tags: [a,\tb]", "yaml-tab", 2, 11, "tags: [a, b]"),
    "a tab before a comment": Refusal("title: x\t# c", "yaml-tab", 2, 8, "title: x # c"),
    "a tab in a plain text": Refusal("title: x\ty", "yaml-tab", 2, 8, "title: x y"),
    "a tab after a dash": Refusal("tags:\n  -\ta", "yaml-syntax", 3, 4, "  - a"),
    "a list for a root": Refusal("- a\n- b", "yaml-root", 2, 1),
    "a text for a root": Refusal("just a text", "yaml-root", 2, 1),
    "a document's end": Refusal("a: 1\n...", "yaml-document", 3, 1),
    "a directive": Refusal("%YAML 1.1\n--- \na: 1", "yaml-document", 2, 1),
    "a second document": Refusal("a: 1\n--- # more\nb: 2", "yaml-document", 3, 1),
    "a level too many": Refusal("a: " + "[" * 20 + "]" * 20, "yaml-depth", 2, 19),
    "a level too many in keys": Refusal("? " * 5000 + "a", "yaml-key", 2, 3),
    "a list within the text above": Refusal(
        "access_grants:\n  - human:sean\n    - si:bella", "yaml-indent", 4, 5, "  - si:bella"
    ),
    "a list within the text above, at the margin": Refusal("tags:\n- a\n - b", "yaml-indent", 4, 2, "- b"),
    "a list within a value": Refusal("title: a\n  - b", "yaml-indent", 3, 3),
    "a list that falls back": Refusal("tags:\n  - a\n - b", "yaml-syntax", 4, 2, "  - b"),
    "everybody": Refusal("access_grants: *", "yaml-syntax", 2, 16, 'access_grants: "*"'),
    "everybody in a list": Refusal("access_grants:\n  - *", "yaml-syntax", 3, 5, '  - "*"'),
    "everybody in a flow list": Refusal("access_grants: [*, a]", "yaml-syntax", 2, 17, 'access_grants: ["*", a]'),
    "a colon in a text": Refusal("title: tea: how to", "yaml-syntax", 2, 8, 'title: "tea: how to"'),
    "a colon in an item": Refusal("tags:\n  - a: b: c", "yaml-syntax", 3, 8, '  - a: "b: c"'),
    "a handle": Refusal("title: @ash", "yaml-syntax", 2, 8, 'title: "@ash"'),
    "a percentage sign": Refusal("title: %x", "yaml-syntax", 2, 8, 'title: "%x"'),
    "a backquote": Refusal("title: `x`", "yaml-syntax", 2, 8, 'title: "`x`"'),
    "a dash as a value": Refusal("title: - x", "yaml-syntax", 2, 8, 'title: "- x"'),
    "words after a bracket": Refusal("title: [draft] x", "yaml-syntax", 2, 8, 'title: "[draft] x"'),
    "words after a quote": Refusal('title: "a" b', "yaml-syntax", 2, 9, 'title: "\\"a\\" b"'),
    "an apostrophe in single quotes": Refusal("title: 'it's'", "yaml-syntax", 2, 8, 'title: "it\'s"'),
    "an open quote": Refusal('title: "abc\ntags: [a]', "yaml-syntax", 2, 12, 'title: "abc"'),
    "an open single quote": Refusal("title: 'abc", "yaml-syntax", 2, 12, "title: 'abc'"),
    "an open quote over two lines": Refusal('a: "b: c\n  d\ntags: [a]', "yaml-syntax", 3, 4, '  d"'),
    "an open quote over paragraphs": Refusal("a: 'b\n\n  it''s\n\ntags: [a]", "yaml-syntax", 4, 8, "  it''s'"),
    "an open quote over two lines before a quote": Refusal(
        'a: "b: c\n  d\ntags: [a]\nsource: "e"', "yaml-syntax", 3, 4, '  d"'
    ),
    "an open quote some lines before a quote": Refusal(
        'a: "b: c\ntags: [a]\nb: d\nsource: "e"', "yaml-syntax", 2, 9, 'a: "b: c"'
    ),
    "an open quote over two lines in an item": Refusal(
        'a:\n  - "b\n    c\n  - d', "yaml-syntax", 4, 6, '    c"'
    ),
    "an open list": Refusal("tags: [a, b\ntitle: c", "yaml-syntax", 2, 12, "tags: [a, b]"),
    "an open map": Refusal("origin: {trigger: a\ntitle: c", "yaml-syntax", 2, 20, "origin: {trigger: a}"),
    "no space after the colon": Refusal("type: note\ntitle:x", "yaml-syntax", 3, 7, "title: x"),
    "an indented key": Refusal("type: note\n title: x", "yaml-syntax", 3, 1, "title: x"),
    "words without a key": Refusal("type: note\njust words", "yaml-syntax", 3, 1),
    "words between keys": Refusal("type: note\njust words\ntitle: x", "yaml-syntax", 3, 1),
    "an item without its dash": Refusal("tags:\n  - a\n  b:c\ntype: note", "yaml-syntax", 4, 3, "  - b:c"),
    "an item without its dash, flush": Refusal("tags:\n- a\nb:c", "yaml-syntax", 4, 1, "- b:c"),
    "a key and a list": Refusal("type: note\n- x", "yaml-syntax", 3, 1),
}  # fmt: skip

AMBIGUOUS = [
    "yes", "Yes", "YES", "no", "No", "on", "off", "y", "N", "017", "0o17", "-0o17", "0x1F", "0b11", "1_000", "1_0.5",
    "1.5_0", "12:30", "1:2:3", "-1:30.5", "1e3", "1E5", "1.5e3", ".5e3", ".inf", "-.INF", ".nan", "=", "<<", "+.5",
    "-.5", "0123", "08", "1" * 500, "1" + "0" * 400 + ".0", "01.5", "0.", "1.", "+1", "1e+3", "._1",
]  # fmt: skip


def problems(head: str) -> list[tuple[str, int, int, str | None]]:
    found = strict_yaml.read(head, first_line=FIRST_LINE).problems
    return [(p.code, p.at.line, p.at.column, p.mended) for p in found]


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_refused_names_code_place_and_mended_line(case: Refusal) -> None:
    first = strict_yaml.read(case.head, first_line=FIRST_LINE).problems[0]
    assert (first.code, first.at.line, first.at.column, first.mended) == (
        case.code,
        case.line,
        case.column,
        case.mended,
    )
    assert first.hint


@pytest.mark.parametrize("head", [case.head for case in REFUSED.values() if case.mended], ids=str)
def test_the_mended_lines_mend(head: str) -> None:
    text = head
    for _ in range(3):
        found = strict_yaml.read(text, first_line=1).problems
        if not found:
            return
        lines = text.split("\n")
        for problem in found:
            if problem.mended is not None:
                lines[problem.at.line - 1] = problem.mended
        text = "\n".join(lines)
    assert not strict_yaml.read(text, first_line=1).problems


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_a_plain_text_that_readers_read_differently_is_refused_or_read_alike(text: str) -> None:
    for head in (f"a: {text}", f"a: [{text}]", f"a:\n  - {text} # said so"):
        found = problems(head)
        if not found:
            assert_read_alike(head)
            continue
        assert [code for code, *_ in found] == ["yaml-ambiguous"]
        if found[0][3] is not None:
            assert f'"{text}"' in found[0][3]


@pytest.mark.parametrize("text", ["yes", "no", "017", "0o17", "1_000", "12:30", "1e3", ".inf", "=", "<<", "0123", "y"])
def test_the_listed_ambiguous_texts_are_refused(text: str) -> None:
    assert problems(f"a: {text}") == [("yaml-ambiguous", 2, 4, f'a: "{text}"')]
    assert problems(f'a: "{text}"') == []


@pytest.mark.parametrize(
    ("head", "values"),
    [
        ("", {}),
        ("# nothing yet", {}),
        ("a: b", {"a": "b"}),
        ("a: ~\nb: null\nc:", {"a": None, "b": None, "c": None}),
        ("a: true\nb: FALSE", {"a": True, "b": False}),
        ("a: 12\nb: -3\nc: 0", {"a": 12, "b": -3, "c": 0}),
        ("a: 0.50\nb: 1.5e+3", {"a": 0.5, "b": 1500.0}),
        ("a: 2026-02-01", {"a": "2026-02-01"}),
        ("a: 2026-02-01T18:04:11Z", {"a": "2026-02-01T18:04:11Z"}),
        ("a: 'no'\nb: \"012\"", {"a": "no", "b": "012"}),
        ("a: >\n  folded\n  text\nb: |-\n  kept", {"a": "folded text\n", "b": "kept"}),
        ("a: one\n  two", {"a": "one two"}),
        ("a: x - y\n  z", {"a": "x - y z"}),
        ('a: "x\\ty"', {"a": "x\ty"}),
        ("a: 'x\ty'", {"a": "x\ty"}),
        ("a: [b, {c: d}]", {"a": ["b", {"c": "d"}]}),
        ("a: 😀 é", {"a": "😀 é"}),
        ("a: b # c\r\nd: e", {"a": "b", "d": "e"}),
    ],
)
def test_what_is_read(head: str, values: dict[str, Any]) -> None:
    front = strict_yaml.read(head, first_line=FIRST_LINE)
    assert (front.problems, front.values) == ([], values)


def test_every_value_has_its_place() -> None:
    front = strict_yaml.read("a: 1\nb:\n  - x\n  - {c: y}\n", first_line=2)
    places = {path: (at.line, at.column) for path, at in front.positions.items()}
    assert places == {("a",): (2, 1), ("b",): (3, 1), ("b", 0): (4, 5), ("b", 1): (5, 5), ("b", 1, "c"): (5, 6)}
    assert front.position("b", 1, "nowhere") == front.position("b", 1)
    assert front.line(("b", 1, "c")) == "  - {c: y}"
    assert front.line(("nowhere",)) == ""


def test_a_column_counts_characters() -> None:
    assert problems("a: [é😀, yes]") == [("yaml-ambiguous", 2, 9, 'a: [é😀, "yes"]')]


def test_too_many_values_end_the_reading() -> None:
    found = problems("a: [" + "b," * (strict_yaml.MOST_NODES + 1) + "]")
    assert [code for code, *_ in found] == ["yaml-size"]


@pytest.mark.parametrize(
    "unit", ["\0", "\t- a\n", "<<<<<<< a\n", "a: yes\n", "- ", "[", "{a: ", "? ", "a: &b\n", "é\x85"]
)
def test_any_number_of_problems_is_cut_short(unit: str) -> None:
    found = strict_yaml.read("x: 1\n" + unit * 50_000, first_line=2).problems
    assert 0 < len(found) <= strict_yaml.MOST_PROBLEMS


def test_a_mended_line_is_never_longer_than_a_screen() -> None:
    found = problems("a: [" + "yes, " * 2000 + "]")
    assert len(found) == strict_yaml.MOST_PROBLEMS
    assert {mended for *_, mended in found} == {None}
    assert worth_showing("x" * (LONGEST_SHOWN + 1)) is None


# -- laws ------------------------------------------------------------------------------------------------------------

plain_texts = st.one_of(
    st.text("0123456789_.:eExXoOb+-~", min_size=1, max_size=8),
    st.sampled_from(
        [*AMBIGUOUS, "null", "Null", "nULL", "True", "tRUE", "~", "1.5", "-0", "+0.5", "1e-3", "1.e+1", "0."]
    ),
    st.text("yesnoYESNOtruefalsinf.", min_size=1, max_size=5),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
)
yaml_noise = st.lists(
    st.sampled_from([*"ab:-#[]{},&*!|>'\"%@` \n~?=<01.", "\t", "\r\n", "- ", ": ", "\n  ", "é", "...", "a: ", "\nb: "]),
    max_size=25,
).map("".join)


def same(one: Any, other: Any) -> bool:
    """Whether two readers' values are the same; a date is its text to us."""
    if isinstance(other, (date, datetime)):
        return isinstance(one, str)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-15)
    return type(one) is type(other) and bool(one == other)


def assert_read_alike(head: str) -> None:
    """Check that PyYAML (YAML 1.1) and ruamel (YAML 1.2) read what the strict reader reads, or say that they can't."""
    ours = strict_yaml.read(head, first_line=1)
    assert not ours.problems
    later = YAML(typ="safe", pure=True)
    later.version = (1, 2)
    for theirs in (yaml.safe_load, later.load):
        try:
            read = theirs(head) or {}
        except (yaml.YAMLError, YAMLError, ValueError):
            continue  # loud, so nobody is misled
        assert same(ours.values, read)


@given(plain_texts)
@settings(max_examples=examples(600))
def test_a_plain_value_that_is_taken_means_the_same_to_every_reader(text: str) -> None:
    for head in (f"a: {text}", f"{text}: a", f"a: [b, {text}]"):
        if not strict_yaml.read(head, first_line=1).problems:
            assert_read_alike(head)


@given(yaml_noise)
@settings(max_examples=examples(600))
def test_any_text_that_is_taken_means_the_same_to_every_reader(head: str) -> None:
    front = strict_yaml.read(head, first_line=1)
    if front.problems:
        assert front.values == {}
        assert all(p.hint and p.at.line >= 1 and p.at.column >= 1 for p in front.problems)
    else:
        assert_read_alike(head)


@given(st.text(st.characters(codec="utf-8"), max_size=20))
@example("a: b - c\n- d")
def test_is_plain_says_what_may_stand_without_quotes(text: str) -> None:
    if strict_yaml.is_plain(text):
        assert not strict_yaml.is_ambiguous(text)
        assert strict_yaml.resolve_plain(text) == text
