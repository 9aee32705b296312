"""Which pairs of memories are in conflict, of which kind, and what it costs them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memstore.conflicts.conflict import conflict, penalty
from memstore.conflicts.sides import Side, side_of
from memstore.core.conflict import Conflict, ConflictType
from memstore.files.memory_file import MemoryFile, read
from tests.support import memory_text

CONTRADICTION, TEMPORAL, SEMANTIC = ConflictType.CONTRADICTION, ConflictType.TEMPORAL, ConflictType.SEMANTIC
GATE = '[{subject: "place:park", attribute: "%s", value: "%s"%s}]'


def side(body: str, number: int, **keys: str) -> Side:
    path = f"n{number}.md"
    file = read(path, memory_text(f"{body}\n", **{"id": f"m_{number}", **keys}))
    assert isinstance(file, MemoryFile), file
    return side_of(file)


def between(
    one: str, other: str, keys: dict[str, str] | None = None, others: dict[str, str] | None = None
) -> Conflict | None:
    return conflict(side(one, 1, **(keys or {})), side(other, 2, **(keys if others is None else others) or {}))


@pytest.mark.parametrize(
    ("one", "other", "kind", "cost"),
    [
        ("Bo likes tea", "Bo dislikes tea", CONTRADICTION, 0.30),
        ("python is not good", "python is good", CONTRADICTION, 0.30),
        ("In 2023 Sean lived in Paris", "In 2024 Sean lives in Rome", TEMPORAL, 0.15),
        ("Favorite color is blue", "Favorite color is green", SEMANTIC, 0.10),
    ],
)
def test_kinds_and_penalties(one: str, other: str, kind: ConflictType, cost: float) -> None:
    found = between(one, other)

    assert found
    assert (found.conflict_type, found.penalty, found.refs) == (kind, cost, ("note:m_1", "note:m_2"))


def test_another_value_on_another_day_is_a_matter_of_time() -> None:
    days = {"created_at": '"2026-01-02T10:00:00Z"'}, {"created_at": '"2026-05-02T10:00:00Z"'}
    found = between("Sean lives in Paris", "Sean lives in Rome", *days)

    assert found
    assert found.conflict_type is TEMPORAL
    assert found.suggested_resolution == "timestamp_priority"
    assert found.current == "note:m_2"
    assert found.command == "memstore conflicts resolve note:m_1 note:m_2 --keep note:m_2"


@pytest.mark.parametrize(
    ("one", "other", "current"),
    [
        ("The kiosk now charges 3 euros for a postcard.", "The kiosk charges 2 euros for a postcard.", "note:m_1"),
        ("In 2024 the kiosk charges 3 euros.", "In 2021 the kiosk charges 2 euros.", "note:m_1"),
        ("In 2019 the ward had 20 beds.", "In 2021 the ward had 24 beds.", None),
        ("The kiosk is open.", "The kiosk is closed.", None),
    ],
)
def test_what_is_current_is_said_by_the_text_or_by_the_day(one: str, other: str, current: str | None) -> None:
    found = between(one, other)

    assert found
    assert found.current == current
    if found.conflict_type is TEMPORAL:
        assert found.command.endswith(f"--keep {current or 'both'}")


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("The kiosk charges 3 euros for a postcard.", "A postcard at the kiosk costs 4 euros now.", "units"),
        ("Nele lives in Bremen.", "Nele has moved to Kiel.", "names"),
        ("Our supplier is Hartmann.", "Ludlow has been our supplier since the spring.", "names"),
        ("The choir sings on Mondays and Fridays.", "On Mondays and Tuesdays the choir sings now.", "weekdays"),
    ],
)
def test_what_has_changed_is_settled_by_time(one: str, other: str, rule: str) -> None:
    days = {"created_at": '"2026-01-02T10:00:00Z"'}, {"created_at": '"2026-05-02T10:00:00Z"'}
    found = between(one, other, *days)

    assert found
    assert (found.conflict_type, found.rule) == (TEMPORAL, rule)
    assert found.command == "memstore conflicts resolve note:m_1 note:m_2 --keep note:m_2"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ran 8 km along the dyke.", "Ran 5 km along the dyke."),
        ("The post came at ten.", "The post came at noon."),
        ("Otto rang in the evening.", "Otto did not ring."),
        ("Reading: 14 bar.", "Reading: 12 bar."),
    ],
)
def test_what_happened_on_two_days_is_no_conflict(one: str, other: str) -> None:
    days = {"created_at": '"2026-01-02T10:00:00Z"'}, {"created_at": '"2026-01-03T10:00:00Z"'}

    assert between(one, other, *days) is None


@pytest.mark.parametrize(("day", "current"), [("01", "note:m_2"), ("02", "correction:m_1"), ("03", "correction:m_1")])
def test_a_correction_is_current_beside_what_is_not_newer(day: str, current: str) -> None:
    corrected = {"type": "correction", "created_at": f'"2026-05-{day}T10:00:00Z"'}
    found = between(
        "The gate closes at eight.", "The gate closes at nine.", corrected, {"created_at": '"2026-05-02T11:00:00Z"'}
    )

    assert found
    assert (found.conflict_type, found.current) == (TEMPORAL, current)


def test_she_is_whom_the_sentence_before_names() -> None:
    assert between("Gisela works at the mill. She has a daughter.", "Gisela has no children.")
    assert between("Gisela works at the mill. She has a daughter.", "Renate has no children.") is None
    assert between("Gisela works with Nele. She has a daughter.", "Gisela has no children.") is None
    assert between("The lift is in the hall. It is not open.", "The lift is open.")


@pytest.mark.parametrize(
    ("one", "other", "keys", "others"),
    [
        ("We favor swimming", "We oppose cycling", {}, {}),
        ("Bo likes tea", "Bo likes  TEA", {}, {}),
        ("Bo likes tea", "Bo dislikes tea", {}, {"status": "superseded"}),
        ("Bo likes tea", "Bo dislikes tea", {"status": "archived"}, {}),
        ("Bo likes tea", "Bo dislikes tea", {}, {"status": "draft"}),
        ("Bo likes tea", "Bo dislikes tea", {"source": "memory/2024-01-01.md"}, {"source": "memory/2024-01-01.md"}),
        ("Bo likes tea", "Bo dislikes tea", {"derived_from": '["file:a/b.md#L1-L2@0123456789"]'}, {"source": "a/b.md"}),
        ("Bo likes tea", "Bo dislikes tea", {"subject_ids": "[human:sean]"}, {"subject_ids": "[dog:bella]"}),
        ("Bo uses tabs", "Bo uses spaces", {"scope": "project:a"}, {"scope": "project:b"}),
        ("Bo likes tea", "Bo dislikes tea", {}, {"supersedes": "[note:m_1, note:m_2]"}),
        ("I like tea", "I dislike tea", {"author": "human:sean"}, {"author": "human:claire"}),
        ("Bo lives in Rome", "Bo lives in Paris", {"valid_until": '"2026-01-01"'}, {"valid_from": '"2026-01-01"'}),
    ],
)  # fmt: skip
def test_no_conflict(one: str, other: str, keys: dict[str, str], others: dict[str, str]) -> None:
    assert between(one, other, keys, others) is None
    assert between(other, one, others, keys) is None


@pytest.mark.parametrize("which", [0, 1])
def test_what_was_decided_is_not_raised_again(which: int) -> None:
    sides: list[dict[str, str]] = [{}, {}]
    sides[which] = {
        "resolved_conflicts": f"[{{with: 'note:m_{2 - which}', conflict_type: contradiction, decision: keep}}]"
    }

    assert between("Bo likes tea", "Bo dislikes tea", *sides) is None


@pytest.mark.parametrize(
    ("values", "since", "kind"),
    [
        (("21:00", "20:00"), ("", ""), SEMANTIC),
        (("21:00", "20:00"), (', since: "2026-05-01"', ', since: "2026-07-02"'), TEMPORAL),
        (("open", "closed"), ("", ""), CONTRADICTION),
        (("yes", "no"), ("", ""), CONTRADICTION),
        (("21:00", "9 pm"), (', since: "2026-05-01"', ', since: "2026-07-02"'), None),
        (("grade 2 of 6", "Grade 2 of 6"), ("", ""), None),
        (("the park", "Park"), ("", ""), None),
        (("-5", "5"), ("", ""), SEMANTIC),
        (("the", "a"), ("", ""), SEMANTIC),
    ],
)
def test_claims_go_first(values: tuple[str, str], since: tuple[str, str], kind: ConflictType | None) -> None:
    names = "gate closes", "Gate  Closes"
    keys = [{"claims": GATE % each} for each in zip(names, values, since, strict=True)]
    found = between("The sign said so.", "Somebody else said it.", *keys)

    assert (found.conflict_type if found else None) is kind
    if found:
        assert found.rule == "claims"
        assert "claims:" in found.lines[0].excerpt


def test_lines_are_those_of_the_files() -> None:
    found = conflict(side("Rain.\n\nSean likes\ntea.", 1), side("Sean dislikes tea.", 2, title='"What Sean drinks"'))

    assert found
    mine, theirs = found.lines
    assert (mine.excerpt, mine.line_end - mine.line_start) == ("Sean likes\ntea.", 1)
    assert (theirs.path, theirs.excerpt) == ("n2.md", "Sean dislikes tea.")


def test_the_surer_side_pays_half() -> None:
    assert penalty(CONTRADICTION, 0.9, 0.5) == 0.15
    assert penalty(CONTRADICTION, 0.5, 0.9) == 0.30
    assert penalty(SEMANTIC, 0.5, 0.5) == penalty(SEMANTIC, None, None) == 0.10


def test_a_memory_is_in_no_conflict_with_itself() -> None:
    one = side("Sean likes tea. Sean dislikes tea.", 1)

    assert conflict(one, one) is None
    assert conflict(one, one._replace(memory=replace(one.memory, body="Sean dislikes tea."))) is None
