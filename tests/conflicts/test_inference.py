"""What an NLI model is asked, and what becomes of its answers; the model is `ListedContradictions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from memstore.conflicts import INFERENCE
from memstore.conflicts.compare import conflicts
from memstore.conflicts.inference import MOST_ASKED, MOST_KEPT, Inference
from memstore.conflicts.resolve import resolve_conflict
from memstore.core.errors import UsageError
from memstore.memories.search import search
from memstore.memories.show import show_memory
from memstore.search import DERIVED
from memstore.search.index import GISTS
from memstore.search.reranker import Wish
from tests.memory_workspace import memory_workspace
from tests.nli_models import SURE, UNSURE, ListedContradictions
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.search.local_state import DerivedCache, Kept
    from memstore.vault.workspace import Workspace

DAY, LATER = "2026-03-01T10:00:00Z", "2026-05-01T10:00:00Z"


class Dict:
    """Keeps what is computed, in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Kept] = {}

    def last(self, name: str, state: str) -> Kept:
        return self.kept.get((name, state), {})

    def keep(self, name: str, state: str, found: Kept) -> None:
        self.kept[name, state] = found


class BrokenNli(ListedContradictions):
    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        super().contradictions(pairs)
        raise UsageError("the NLI model m can't be run: no")


def note(name: str, text: str, **keys: str) -> bytes:
    return memory_text(f"{text}\n", id=f"m_{name}", created_at=keys.pop("created_at", DAY), **keys)


def asked_by(ws: Workspace, model: ListedContradictions, *, least: float = 0.9) -> Workspace:
    return ws.having(INFERENCE, Inference(model, least=least)).having(DERIVED, cast("DerivedCache", Dict()))


BOAT = {
    "a.md": note("diesel", "The blue boat runs on diesel."),
    "b.md": note("battery", "The blue boat runs on a battery."),
    "c.md": note("green", "The blue boat lies in the old harbour."),
}
ONE, OTHER = "The blue boat runs on diesel.", "The blue boat runs on a battery."


def test_what_the_model_is_sure_of_in_both_directions_is_a_conflict_that_says_who_found_it() -> None:
    model = ListedContradictions()
    (found,) = conflicts(asked_by(memory_workspace(BOAT), model).view())

    assert (found.conflict_type.value, found.rule, found.penalty) == ("contradiction", "model", 0.0)
    assert [lines.excerpt for lines in found.lines] == [ONE, OTHER]
    assert found.command.startswith("memstore conflicts resolve note:m_diesel note:m_battery --keep note:")
    assert {(ONE, OTHER), (OTHER, ONE)} <= {*model.asked}
    assert conflicts(memory_workspace(BOAT).view()) == ()  # by rules alone


def test_one_direction_is_not_enough() -> None:
    class OneWay(ListedContradictions):
        def contradictions(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            super().contradictions(pairs)
            return [SURE if "diesel" in one else UNSURE for one, _ in pairs]

    assert conflicts(asked_by(memory_workspace(BOAT), OneWay()).view()) == ()


@pytest.mark.parametrize(("least", "count"), [(0.0, 1), (SURE, 1), (SURE + 0.001, 0)])
def test_the_threshold_is_the_users(least: float, count: int) -> None:
    files = {path: BOAT[path] for path in ("a.md", "b.md")}
    assert len(conflicts(asked_by(memory_workspace(files), ListedContradictions(), least=least).view())) == count


def test_a_search_and_a_card_ask_too() -> None:
    ws = asked_by(memory_workspace(BOAT), ListedContradictions())
    hits = {hit.path: hit for hit in search(ws.view(), "blue boat").hits}
    assert [one.rule for one in hits["a.md"].conflicts] == [one.rule for one in hits["b.md"].conflicts] == ["model"]
    assert [one.refs for one in hits["b.md"].conflicts] == [("note:m_battery", "note:m_diesel")]
    assert not hits["c.md"].conflicts
    assert [one.rule for one in show_memory(ws.view(), "m_diesel").conflicts] == ["model"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tea is nice in the blue boat on diesel.", "A republic is a monarchy."),  # nothing in common
        ("The blue boat runs on diesel.", "Does the blue boat run on a battery?"),  # a question states nothing
        ("The blue boat runs on diesel.", "The old car runs on a battery."),  # another subject
        ("Pia drives to the harbour on diesel.", "Jon drives to the harbour on a battery."),  # another person
        ("Pia says the boat runs on diesel.", "Jon says the boat runs on a battery."),  # two people may be of two minds
        ("In 2024 the boat ran on diesel.", "In 2025 the boat ran on a battery."),  # another time
    ],
)
def test_what_leaves_room_for_both_is_not_asked(one: str, other: str) -> None:
    model = ListedContradictions()
    ws = asked_by(memory_workspace({"a.md": note("one", one), "b.md": note("other", other)}), model)
    assert (conflicts(ws.view()), model.asked) == ((), [])


def test_events_of_different_days_are_not_asked_and_states_are() -> None:
    for one, other, count in (
        ("The blue boat came in on diesel.", "The blue boat came in on its battery.", 0),
        (ONE, OTHER, 1),
    ):
        files = {"a.md": note("one", one), "b.md": note("other", other, created_at=LATER)}
        assert len(conflicts(asked_by(memory_workspace(files), ListedContradictions()).view())) == count


@pytest.mark.parametrize(
    "keys",
    [{"subject_ids": "[boat:two]"}, {"scope": "project:x"}, {"supersedes": "note:m_one"}, {"status": "archived"}],
)
def test_memories_that_are_never_in_conflict_are_not_asked(keys: dict[str, str]) -> None:
    model = ListedContradictions()
    files = {"a.md": note("one", ONE, subject_ids="[boat:one]", scope="project:y"), "b.md": note("two", OTHER, **keys)}
    assert (conflicts(asked_by(memory_workspace(files), model).view()), model.asked) == ((), [])


def test_the_answers_of_rules_stay_as_they_are() -> None:
    files = {
        "a.md": note("one", "Sean likes tea in the boat with diesel"),
        "b.md": note("two", "Sean dislikes tea in the boat with diesel"),
    }
    model = ListedContradictions()
    by_rules = conflicts(memory_workspace(files).view())
    assert by_rules == conflicts(asked_by(memory_workspace(files), model).view())
    assert ([one.rule for one in by_rules], model.asked) == (["antonyms"], [])


def test_a_decision_is_recorded_with_its_kind_and_not_raised_again() -> None:
    ws = asked_by(memory_workspace(BOAT), ListedContradictions())
    done = resolve_conflict(ws.view(), "m_diesel", "m_battery", keep="both")
    assert (done.conflict_type, done.decision) == ("contradiction", "both-true")
    assert conflicts(ws.view()) == ()


def test_memories_that_may_not_be_seen_are_never_given_to_it() -> None:
    files = {**BOAT, "h.md": note("hidden", "The blue boat runs on diesel, says Zaphod.")}
    alone = {path: text.replace(b"owner: human:sean\n", b"") for path, text in BOAT.items()}
    mine = {path: text.replace(b"---\n", b"---\nowner: si:ash\n", 1) for path, text in alone.items()}
    asked = []
    for has in (mine, {**mine, "h.md": files["h.md"]}):
        model = ListedContradictions()
        ws = asked_by(memory_workspace(has, actor="si:ash"), model)
        found = conflicts(ws.view()), [hit.conflicts for hit in search(ws.view(), "blue boat").hits]
        asked.append((found, model.asked, ws.of(DERIVED).kept))  # type: ignore[attr-defined]
    assert asked[0] == asked[1]
    assert asked[0][1]


def test_answers_are_kept_by_digests_for_this_model_alone() -> None:
    model, kept = ListedContradictions(), Dict()
    ws = memory_workspace(BOAT).having(DERIVED, cast("DerivedCache", kept))

    def found_by(named: ListedContradictions) -> int:
        return len(conflicts(ws.having(INFERENCE, Inference(named, least=0.9)).view()))

    assert found_by(model) == 1
    count = len(model.asked)
    assert (found_by(model), len(model.asked)) == (1, count)
    answers = {name: found for name, found in kept.kept.items() if not name[0].startswith(GISTS)}
    assert answers
    assert not any(word in repr(answers) for word in ("boat", "diesel", "battery"))
    other = ListedContradictions("another")
    assert (found_by(other), len(other.asked)) == (1, count)
    assert found_by(model) == 1


def test_few_pairs_are_asked_at_once_the_closest_first() -> None:
    texts = [f"The blue boat of the harbour carries crate {chr(97 + at) * 4} aboard." for at in range(40)]
    files = {f"{at:02}.md": note(f"n{at:02}", text) for at, text in enumerate(texts)}
    model = ListedContradictions()
    search(asked_by(memory_workspace(files), model).view(), "blue boat harbour crate", wish=Wish(limit=40))
    assert 0 < len(model.asked) <= 3 * MOST_ASKED
    assert MOST_KEPT > 10 * MOST_ASKED


def test_a_model_that_fails_is_asked_once_and_everything_goes_on_without_it() -> None:
    model = BrokenNli()
    ws = asked_by(memory_workspace(BOAT), model)
    plain = memory_workspace(BOAT)
    assert [hit.path for hit in search(ws.view(), "boat").hits] == [
        hit.path for hit in search(plain.view(), "boat").hits
    ]
    assert conflicts(ws.view()) == conflicts(plain.view())
    inference = ws.of(INFERENCE)
    assert inference is not None
    assert inference.problem == "the NLI model m can't be run: no; conflicts are found by rules alone"
    assert len(model.asked) <= MOST_ASKED


def test_a_pronoun_stands_for_the_name_before_it() -> None:
    files = {
        "a.md": note("one", "Meridia is a small country. It is a republic by law and custom."),
        "b.md": note("two", "Meridia is a monarchy by law and custom."),
    }
    model = ListedContradictions()
    (found,) = conflicts(asked_by(memory_workspace(files), model).view())
    assert found.lines[0].excerpt.startswith("Meridia")
    assert any(text.startswith("Meridia is a republic") for pair in model.asked for text in pair)
