"""Shapes: every value is what the table of keys promises, or is refused with the line that would do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.keys import KEYS, Key, Shape
from memstore.files import shapes, strict_yaml

Found = tuple[str, int, int, str | None]


def problems(head: str) -> list[Found]:
    front = strict_yaml.read(f"type: note\n{head}", first_line=2)
    assert front.problems == []
    return [(p.code, p.at.line, p.at.column, p.mended) for p in shapes.check(front, KEYS)]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("title: 12 # tea", ("value-shape", 3, 1, 'title: "12" # tea')),
        ("title: true", ("value-shape", 3, 1, 'title: "true"')),
        ("title: [a]", ("value-shape", 3, 1, None)),
        ("title: {a: b}", ("value-shape", 3, 1, None)),
        ("title: |\n  a\n  b", ("line-break", 3, 1, None)),
        ("tags: green tea", ("value-shape", 3, 1, "tags: [green tea]")),
        ("tags: tea, milk  # drinks", ("value-shape", 3, 1, "tags: [tea, milk]  # drinks")),
        ("tags: {a: b}", ("value-shape", 3, 1, None)),
        ("tags:\n  - a\n  - 2024", ("value-shape", 5, 5, '  - "2024"')),
        ("tags: [a, 2024, b]", ("value-shape", 3, 11, 'tags: [a, "2024", b]')),
        ("tags: [a, [b]]", ("value-shape", 3, 11, None)),
        ("access_grants: human:sean", ("value-shape", 3, 1, "access_grants: [human:sean]")),
        ("access_grants: [Human:Sean]", ("entity-id", 3, 17, 'access_grants: ["human:sean"]')),
        ("access_grants:\n- dr smith", ("entity-id", 4, 3, None)),
        ("access_grants: [human:sean - si:bella]", ("entity-id", 3, 17, None)),
        ("upstream_grants: [human:sean]", ("value-shape", 3, 19, "upstream_grants: [[human:sean]]")),
        ("upstream_grants: [[sean]]", ("entity-id", 3, 20, None)),
        ("author: sean", ("entity-id", 3, 1, None)),
        ("author: si:Ash", ("entity-id", 3, 1, 'author: "si:ash"')),
        ("context: human:sean", ("entity-id", 3, 1, None)),
        ("scope: team", ("scope-form", 3, 1, None)),
        ("id: M_7F3K9Q2X1C", ("id-form", 3, 1, 'id: "m_7f3k9q2x1c"')),
        ("id: 12", ("value-shape", 3, 1, 'id: "12"')),
        ("status: Active", ("value-choice", 3, 1, "status: active")),
        ("status: actve", ("value-choice", 3, 1, None)),
        ("confidence: 1.5", ("value-range", 3, 1, None)),
        ("confidence: -0.1", ("value-range", 3, 1, None)),
        ('confidence: "0.8"', ("value-shape", 3, 1, "confidence: 0.8")),
        ("confidence: 0,8", ("value-shape", 3, 1, "confidence: 0.8")),
        ("confidence: 80%", ("value-shape", 3, 1, "confidence: 0.8")),
        ("confidence: high", ("value-shape", 3, 1, None)),
        ("confidence: true", ("value-shape", 3, 1, None)),
        ("confidence: [0.8]", ("value-shape", 3, 1, None)),
        ("generalized: 1", ("value-shape", 3, 1, None)),
        ('generalized: "yes"', ("value-shape", 3, 1, "generalized: true")),
        ("created_at: 2026-02-01", ("instant-form", 3, 1, None)),
        ("created_at: 2026-02-30T10:00:00Z", ("instant-form", 3, 1, None)),
        ("created_at: 2026-02-01T18:04:11+01:00", ("instant-form", 3, 1, 'created_at: "2026-02-01T17:04:11Z"')),
        ("created_at: 2026-02-01T18:04:11", ("instant-form", 3, 1, None)),
        ("valid_from: 2026-13-01", ("instant-form", 3, 1, None)),
        ("valid_from: 0000-01-01", ("instant-form", 3, 1, None)),
        ("relates_to: [m_7f3k9q2x1c]", ("ref-form", 3, 14, None)),
        ("relates_to: [Note:m_7f3k9q2x1c]", ("ref-form", 3, 14, 'relates_to: ["note:m_7f3k9q2x1c"]')),
        ("derived_from: [somewhere]", ("ref-form", 3, 16, None)),
        ("supersedes: [x]", ("ref-form", 3, 14, None)),
        ("supersedes: 1", ("value-shape", 3, 1, 'supersedes: "1"')),
        ("origin: x", ("value-shape", 3, 1, None)),
        ("origin: {sesion_id: x}", ("entry-key", 3, 10, None)),
        ("confidence_history: [x]", ("value-shape", 3, 22, None)),
        ("confidence_history: {op: edit}", ("value-shape", 3, 1, None)),
        ('confidence_history:\n  - {timestamp: "2026-02-01T18:04:11Z"}', ("value-missing", 4, 5, None)),
        ('confidence_history:\n  - {op: edit, timestamp: "2026-02-01T18:04:11Z", x: 1}', ("entry-key", 4, 51, None)),
        ("generalization: {verdict: pass, k: 1.5}", ("value-shape", 3, 33, None)),
        ("generalization: {verdict: pass, k: -1}", ("value-range", 3, 33, None)),
        (
            'confidence_history:\n  - {timestamp: "2026-02-01T18:04:11Z", op: support, weight: 1.0e+308}',
            ("value-range", 4, 54, None),
        ),
        (
            'confidence_history:\n  - {timestamp: "2026-02-01T18:04:11Z", op: edit, precision: 1000000.5}',
            ("value-range", 4, 51, None),
        ),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_refused(head: str, expected: Found) -> None:
    assert problems(head) == [expected]


@pytest.mark.parametrize(
    "head",
    [
        "title: x\ntags: [a]\nstatus: draft\nmood: [1, {a: 2}]",
        'access_grants: ["*"]\naccess_denies: [public, vet:dr_smith]',
        "supersedes: note:m_7f3k9q2x1c\nsuperseded_by: [note:m_7f3k9q2x1c]",
        "derived_from: [context:a b, kernle:seed, consolidation:2026-01-01, 'url:https://x', 'file:a.py#L1-L2@b']",
        "confidence: 1\ngeneralized: false\nvalid_from: 2026-02-28\nvalid_until: 2026-02-28T00:00:00Z",
        "scope: project:memstore\ncontext: ctx:bella_care\nsource_chain: [human:sean, vet:dr_smith]",
        "origin: {}\nclaims: []\nwitnesses: ~",
    ],
)
def test_the_right_shapes_are_taken(head: str) -> None:
    assert problems(head) == []


@pytest.mark.parametrize(
    ("value", "mended"),
    [
        ("human:sean", "[human:sean]"),
        ("public", "[public]"),
        ('"*"', '["*"]'),
        ('"&x"', '["&x"]'),
        ('"- human:sean"', '["- human:sean"]'),
        ("human:sean, si:max]", "[human:sean, si:max]"),
    ],
)
def test_a_line_that_is_shown_mended_can_be_read(value: str, mended: str) -> None:
    (problem,) = problems(f"access_grants: {value}")
    assert problem[3] == f"access_grants: {mended}"
    assert strict_yaml.read(f"type: note\n{problem[3]}", first_line=2).problems == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", ("type-missing", 1, 1, None)),
        ("Type: note", ("type-missing", 2, 1, "type: note")),
        ("type: Note", ("value-choice", 2, 1, "type: note")),
        ("type: diary", ("value-choice", 2, 1, None)),
        ("type: [note]", ("value-shape", 2, 1, None)),
    ],
)
def test_a_type_is_needed(head: str, expected: Found) -> None:
    front = strict_yaml.read(head, first_line=2)
    assert [(p.code, p.at.line, p.at.column, p.mended) for p in shapes.check(front, KEYS)] == [expected]


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("", "type"),
        ("Type: note", "type"),
        ("type: diary", "type"),
        ("type: note\ntags: [a, {b: c}]", "tags"),
        ("type: note\norigin: {x: 1}", "origin"),
        ("type: note\nwitnesses: [{agent_id: human:sean, witnessed_at: '2026-01-01T00:00:00Z'}]", "witnesses"),
        ("type: note\nroles: {}\ntags: [no]", "tags"),
        ("type: note\ntags: [a]\nTags: [b]", "Tags"),
        ("type: note\norigin: {device: !!str x}\n", "origin"),
        ("type: note\ntags:\n  - a\n   - b\n", "tags"),
        ("type: note\n&x tags: [a]", ""),
        ("type: note\ntags: [a", ""),
    ],
)
def test_a_problem_names_the_outermost_key_that_it_is_about(head: str, key: str) -> None:
    front = strict_yaml.read(head, first_line=2)
    assert {p.key for p in front.problems or shapes.check(front, KEYS)} == {key}


@pytest.mark.parametrize(
    ("scope", "holds"),
    [
        ("note:m_abc", True), ("mem:m_abc", True), ("m_abc", True), ("ctx:care", True), ("subject:dog:bella", True),
        ("source:human:sean", True), ("subject:bella", False), ("human:sean", False), ("mem:note:m_abc", False),
    ],
)  # fmt: skip
def test_what_a_consent_is_about_is_a_memory_a_context_or_somebodys_say(scope: str, *, holds: bool) -> None:
    front = strict_yaml.read(f'scope: "{scope}"', first_line=2)
    assert (shapes.check(front, (Key("scope", Shape.SAY_SCOPE),)) == []) is holds


def test_a_value_of_the_wrong_form_is_told_with_an_example() -> None:
    front = strict_yaml.read("type: note\nauthor: Sean", first_line=2)
    assert [p.hint for p in shapes.check(front, KEYS)] == ["write kind:name in lower case, like human:sean"]


@pytest.mark.parametrize("number", [".inf", "1.5", "-0.1"])
def test_a_fraction_is_none_beyond_its_ends(number: str) -> None:
    front = strict_yaml.read(f"type: note\nconfidence: {number}", first_line=2)
    assert front.problems or [p.code for p in shapes.check(front, KEYS)] == ["value-range"]


def test_every_problem_has_a_hint_and_short_words() -> None:
    front = strict_yaml.read(f"title: [a]\ntags: 1\nauthor: {'x' * 5000}\norigin: {{x: 1}}", first_line=2)
    found = shapes.check(front, KEYS)
    assert all(p.hint and len(p.text) < 400 for p in found)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(["*", "note:abc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([key.name for key in KEYS]), plain, max_size=6))
def test_any_values_are_judged(values: dict[str, Any]) -> None:
    front = strict_yaml.Frontmatter(values=values)
    for problem in shapes.check(front, KEYS):
        assert problem.code
        assert problem.hint


def test_a_list_of_grants_is_never_one_text() -> None:
    """A text where grants belong is never iterated: its letters would become grants."""
    grants = Key("access_grants", Shape.GRANTS)
    front = strict_yaml.Frontmatter(values={"access_grants": "*"})
    assert [p.code for p in shapes.check(front, (grants,))] == ["value-shape"]


@pytest.mark.parametrize(
    ("head", "line", "mended"),
    [("Type: note", 2, "type: note"), ("id: m_abc\ntpye: note", 3, "type: note"), ("title: x", 1, None)],
)
def test_a_type_under_another_name_is_found(head: str, line: int, mended: str | None) -> None:
    front = strict_yaml.read(head, first_line=2)
    (problem,) = [p for p in shapes.check(front, KEYS) if p.code == "type-missing"]
    assert (problem.at.line, problem.mended) == (line, mended)
