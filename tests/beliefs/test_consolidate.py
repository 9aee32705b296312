"""Consolidation of a vault: proposals as files, again and again, and what people decide on them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from memstore.beliefs import RUNS
from memstore.beliefs.archive import restore
from memstore.beliefs.calibration import Decided, calibrate
from memstore.beliefs.consolidate import consolidate
from memstore.beliefs.next_lines import replayed
from memstore.beliefs.wording import SynthesisFailedError
from memstore.core.errors import NotFoundError, RefusedError
from memstore.core.finding import Severity
from memstore.core.transaction import unified_diff
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.memories.add import add_memory
from memstore.memories.edit import move
from memstore.memories.promote import promote, supersede
from memstore.memories.show import show_memory
from memstore.memories.suggestions import accept_suggestion, list_suggestions, reject_suggestion, show_suggestion
from memstore.search import EMBEDDER, USAGE
from tests.memory_state import LastRun
from tests.memory_workspace import files_of, memory_workspace
from tests.support import TickClock, memory_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.beliefs.consolidate import Consolidated
    from memstore.beliefs.wording import QuotedSource
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.memories.promote import Linked
    from memstore.vault.workspace import Workspace

WALKS = (
    "Bella was slow on her walk, it was the heat.",
    "A slow walk again. Was it the heat?",
    "The heat made every walk slow.",
    "Heat and a slow walk, as last week.",
)
WORDS = (
    "kettle lamp river mountain violin passport garden ladder museum harbour candle bicycle pepper winter library "
    "station blanket mirror compass anchor"
)


def episode(name: str, text: str, **keys: str) -> tuple[str, bytes]:
    keys = {"source": "x", "source_type": "direct_experience", "created_at": '"2026-01-02T10:00:00Z"'} | keys
    return f"e/{name}.md", memory_text(f"\n{text}\n", type="episode", id=f"m_{name}", **keys)


def alone(count: int) -> dict[str, bytes]:
    """Return episodes that have nothing in common."""
    return dict(episode(f"alone{i}", f"{word.capitalize()}.") for i, word in enumerate(WORDS.split()[:count]))


def walks(count: int = 4, *, prefix: str = "walk", **keys: str) -> dict[str, bytes]:
    texts = WALKS * 5
    return dict(episode(f"{prefix}{i}", texts[i], **keys) for i in range(count))


def vault(*parts: dict[str, bytes], actor: str = "human:sean") -> Workspace:
    return memory_workspace({path: data for part in parts for path, data in part.items()}, actor=actor)


def refs(done: Consolidated) -> list[str]:
    return [one.ref for one in done.suggestions]


def memory(ws: Workspace, ref: str) -> Memory:
    return show_memory(ws.view(), ref).memory


def test_19_episodes_say_not_yet_and_20_do_not() -> None:
    done = consolidate(vault(alone(15), walks()).view(), apply=True)
    assert (done.enough, done.pooled, done.suggestions) == (False, 19, ())
    assert len(consolidate(vault(alone(16), walks()).view(), apply=True).suggestions) == 1


def test_a_suggestion_quotes_cites_and_computes() -> None:
    ws = vault(alone(17), walks(3))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    made = memory(ws, one.ref)
    assert (made.status, made.proposes, made.source, made.source_type) == (
        "draft", "create", "consolidation", "consolidation"
    )  # fmt: skip
    assert made.derived_from == ("episode:m_walk0", "episode:m_walk1", "episode:m_walk2", "consolidation:2026-02-01")
    assert made.confidence == round((1 + 3 * 0.85) / (2 + 3 * 0.85), 4)
    assert [(line.op, line.evidence_source) for line in made.confidence_history] == [
        ("support", f"episode:m_walk{i}") for i in range(3)
    ]
    assert made.body.startswith("\nThe heat made every walk slow.\n\nQuoted from [[episode:m_walk2#L9@")
    assert "3 memories from 3 independent roots share *slow*, *walk*, *heat*." in made.body


def test_nothing_is_written_without_apply() -> None:
    ws = vault(alone(20), walks())
    before = dict(files_of(ws))
    done = consolidate(ws.view())
    assert [saved.path for saved in done.saved] == [f"suggestions/{ref.partition(':')[2]}.md" for ref in refs(done)]
    assert all(saved.diff.startswith("--- /dev/null\n+++ b/suggestions/prop_") for saved in done.saved)
    assert files_of(ws) == before


def test_a_second_run_gives_no_diff() -> None:
    ws = vault(alone(20), walks())
    consolidate(ws.view(), apply=True)
    before = dict(files_of(ws))
    done = consolidate(ws.view(), apply=True)
    assert (done.suggestions, done.saved, files_of(ws)) == ((), (), before)


def test_shuffled_files_give_the_same_proposals() -> None:
    files = {**alone(20), **walks(), **walks(prefix="other", scope="project:b")}
    first = consolidate(vault(files).view()).saved
    assert len(first) == 2
    assert consolidate(vault(dict(reversed(files.items()))).view()).saved == first


def test_three_episodes_of_two_sessions_form_nothing() -> None:
    one, two = '{session_id: "1"}', '{session_id: "2"}'
    part = {**walks(2, origin=one), **walks(3, prefix="x", origin=two)}
    assert refs(consolidate(vault(alone(20), part).view())) == []


def test_a_slow_pattern_spread_over_many_runs_is_found() -> None:
    ws = vault(alone(20))
    for count in range(3):
        assert refs(consolidate(ws.view(), apply=True)) == []
        add_memory(ws.view(), {"type": "episode", "source": "x"}, WALKS[count])
    assert len(refs(consolidate(ws.view(), apply=True))) == 1


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ({}, {"access_grants": '["*"]'}),
        ({"scope": "project:a"}, {"scope": "project:b"}),
        ({"subject_ids": "[human:tom]"}, {"subject_ids": "[human:lucia]"}),
        ({}, {"consent_grants": "[human:tom]"}),
    ],
    ids=["private and public", "project A and B", "subjects", "consents"],
)
def test_private_and_public_project_a_and_b_never_mix(here: dict[str, str], there: dict[str, str]) -> None:
    assert refs(consolidate(vault(alone(20), walks(2, **here), walks(2, prefix="there", **there)).view())) == []
    both = consolidate(vault(alone(20), walks(3, **here), walks(4, prefix="there", **there)).view())
    assert sorted(len(one.proposal.members) for one in both.suggestions) == [3, 4]
    for one in both.suggestions:
        (file,) = (saved for saved in both.saved if saved.ref == one.ref)
        wanted = there if len(one.proposal.members) == 4 else here
        assert all(f"+{key}: " in file.diff for key in wanted)


def test_subject_names_do_not_make_clusters() -> None:
    names = {
        "entities/human/lucia.md": b"---\ntype: entity\nid: human:lucia\naliases: [Lu, Professor Marchetti]\n---\n"
    }
    said = ("The professor Marchetti laughs.", "Then the professor Marchetti sneezed.", "Professor Marchetti paid Lu.")
    part = dict(episode(f"lu{i}", text, subject_ids="[human:lucia]") for i, text in enumerate(said))
    assert refs(consolidate(vault(names, alone(20), part).view())) == []
    assert len(refs(consolidate(vault(alone(20), part).view()))) == 1  # nobody's names


def test_a_raw_memory_is_there_once_as_the_episode_that_was_made_of_it() -> None:
    raw = memory_text("\nHeat, and a slow walk.\n", type="raw", id="m_raw", processed_into="[episode:m_walk0]")
    (one,) = consolidate(vault(alone(20), walks(), {"r.md": raw}).view()).suggestions
    assert len(one.proposal.members) == 4


def test_a_new_belief_is_never_surer_than_its_sources() -> None:
    ws = vault(alone(20), walks(3), walks(1, prefix="unsure", confidence="0.4"))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    assert one.new == 0.4
    assert [line.op for line in memory(ws, one.ref).confidence_history] == ["assert"]


def test_what_the_viewer_may_not_see_is_neither_pooled_nor_matched() -> None:
    hidden = walks(prefix="hers", owner="si:ash")
    belief = {
        "b.md": memory_text("\nHeat.\n", type="belief", id="m_b", derived_from="[episode:m_walk0]", owner="si:ash")
    }
    with_them = consolidate(vault(alone(20), walks(), hidden, belief).view())
    assert with_them == consolidate(vault(alone(20), walks()).view())
    assert consolidate(vault(alone(20), walks(), hidden).view(), apply=True).pooled == 24
    assert consolidate(vault(alone(20), walks(), hidden, actor="si:ash").view()).pooled == 4


def test_as_of_looks_at_what_had_been_written() -> None:
    ws = vault(alone(20), walks(2), walks(2, prefix="late", created_at='"2026-01-20T10:00:00Z"'))
    then = TickClock().now().replace(month=1, day=10)
    done = consolidate(ws.view(), as_of=then)
    assert (done.pooled, refs(done)) == (22, [])
    assert len(refs(consolidate(ws.view()))) == 1


def test_the_track_record_counts_what_was_decided_on_by_action_rule_and_roots() -> None:
    ws = vault(alone(20), walks(4), over_days(*PARKING))
    consolidate(ws.view(), apply=True)
    assert calibrate(ws.view()).suggestions == ()
    by_action = {one.action.value: one for one in list_suggestions(ws.view())}
    accept_suggestion(ws.view(), str(by_action["create"].memory.ref))
    assert calibrate(ws.view()).suggestions == (Decided("create", "words", 4, accepted=1, rejected=0),)
    reject_suggestion(ws.view(), str(by_action["supersede"].memory.ref))
    create, supersede = calibrate(ws.view()).suggestions
    assert (create.accepted, supersede) == (1, Decided("supersede", "change", 4, accepted=0, rejected=1))
    assert calibrate(ws._replace(actor="si:ash").view()).suggestions == ()


def test_a_suggestion_keeps_its_rule_and_likeness_whatever_is_decided() -> None:
    ws = vault(alone(20), walks(4))
    (suggested,) = refs(consolidate(ws.view(), apply=True))
    origin = memory(ws, suggested).origin
    assert origin
    assert (origin.trigger, origin.likeness) == ("words", 0.71)
    accepted = accept_suggestion(ws.view(), suggested).saved.ref
    assert memory(ws, suggested).origin == memory(ws, accepted or "").origin == origin


def test_thresholds_of_the_vaults_own_are_told_and_leave_out_new_beliefs_alone() -> None:
    ws = vault(alone(20), walks(4), over_days(*PARKING))
    both = consolidate(ws.view())
    assert ([one.proposal.action.value for one in both.suggestions], both.below) == (["create", "supersede"], 0)
    for least, new in (({"least_roots": 5}, []), ({"least_likeness": 0.8}, []), ({"least_likeness": 0.7}, ["create"])):
        strict = ws._replace(config=ws.config._replace(**least))
        done = consolidate(strict.view())
        assert [one.proposal.action.value for one in done.suggestions] == [*new, "supersede"]
        assert done.below == 1 - len(new)


def test_a_belief_that_time_faded_is_reported_and_not_written() -> None:
    old = memory_text("\nTea first.\n", type="belief", id="m_b", confidence="0.9", created_at='"2020-01-01T00:00:00Z"')
    ws = vault(alone(20), {"b.md": old})
    (faded,) = consolidate(ws.view(), apply=True).faded
    assert (faded.ref, faded.stored) == ("belief:m_b", 0.9)
    assert faded.now < 0.6
    assert files_of(ws)["b.md"] == old


# -- decisions -----------------------------------------------------------------------------------


def test_accepting_records_the_cluster_the_suggestion_and_the_computed_confidence() -> None:
    ws = vault(alone(20), walks(3))
    consolidate(ws.view(), apply=True)
    (waiting,) = list_suggestions(ws.view())
    linked = accept_suggestion(ws.view(), str(waiting.memory.ref))
    made = memory(ws, linked.saved.ref or "")
    assert made.status == "active"
    assert (made.source, made.source_type, made.confidence) == ("consolidation", "consolidation", 0.7802)
    assert set(made.derived_from) == {*waiting.memory.derived_from, str(waiting.memory.ref)}
    assert made.confidence_history == waiting.memory.confidence_history
    assert memory(ws, str(waiting.memory.ref)).status == "archived"
    assert list_suggestions(ws.view()) == ()
    add_memory(ws.view(), {"type": "episode", "source": "x"}, WALKS[3])
    assert consolidate(ws.view()).pooled == 21  # the cluster is spoken for
    with pytest.raises(RefusedError, match="was accepted: belief:"):
        accept_suggestion(ws.view(), str(waiting.memory.ref))


@pytest.mark.parametrize("accepting", [accept_suggestion, lambda view, ref: promote(view, ref, None)])
def test_whoever_accepts_is_told_which_sources_are_gone(accepting: Callable[[View, str], Linked]) -> None:
    ws = vault(alone(20), walks(3))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    ws.vault.delete("e/walk0.md", expected=files_of(ws)["e/walk0.md"])
    linked = accepting(ws.view(), one.ref)
    (finding,) = linked.saved.findings
    assert (finding.code, finding.severity) == ("ref-dangling", Severity.WARNING)
    assert finding.text == "it was suggested because of episode:m_walk0, which does not exist any more"
    assert finding.hint


@pytest.mark.parametrize("accepting", [accept_suggestion, lambda view, ref: promote(view, ref, None)])
def test_a_suggestion_without_any_source_left_is_not_accepted(accepting: Callable[[View, str], Linked]) -> None:
    ws = vault(alone(20), walks(3))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    for i in range(3):
        ws.vault.delete(f"e/walk{i}.md", expected=files_of(ws)[f"e/walk{i}.md"])
    with pytest.raises(RefusedError, match=r"the evidence of belief:prop_\w+ is gone") as caught:
        accepting(ws.view(), one.ref)
    assert caught.value.hint == f"memstore beliefs suggestions reject {one.ref}"
    assert memory(ws, one.ref).status == "draft"


def test_a_number_that_a_hand_gave_a_suggestion_stands_and_the_ledger_says_so() -> None:
    ws = vault(alone(20), walks(3))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    path = show_suggestion(ws.view(), one.ref).file.path
    files_of(ws)[path] = files_of(ws)[path].replace(b"confidence: 0.7802", b"confidence: 0.6")
    made = memory(ws, accept_suggestion(ws.view(), one.ref).saved.ref or "")
    assert (made.confidence, [line.op for line in made.confidence_history]) == (0.6, ["support"] * 3 + ["edit"])
    assert replayed(made.confidence_history) == 0.6


def test_rejected_stays_rejected_until_three_more_say_so() -> None:
    ws = vault(alone(20), walks(3))
    consolidate(ws.view(), apply=True)
    (waiting,) = list_suggestions(ws.view())
    reject_suggestion(ws.view(), str(waiting.memory.ref))
    assert "rejected" in memory(ws, str(waiting.memory.ref)).tags
    for text in (WALKS[3], WALKS[0], WALKS[1]):
        assert refs(consolidate(ws.view(), apply=True)) == []
        add_memory(ws.view(), {"type": "episode", "source": "x"}, text)
    (one,) = consolidate(ws.view(), apply=True).suggestions
    assert len(one.proposal.members) == 6
    with pytest.raises(RefusedError, match="was rejected"):
        accept_suggestion(ws.view(), str(waiting.memory.ref))


def test_moving_a_suggestion_out_accepts_it() -> None:
    ws = vault(alone(20), walks(3))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    move(ws.view(), one.ref, "beliefs/heat.md")
    assert list_suggestions(ws.view()) == ()
    done = consolidate(ws.view(), apply=True)
    assert (done.suggestions, [saved.path for saved in done.saved]) == ((), ["beliefs/heat.md"])
    assert (memory(ws, one.ref).status, memory(ws, one.ref).proposes) == ("active", None)
    assert consolidate(ws.view(), apply=True).saved == ()


def test_the_suggestions_of_others_are_nobodys() -> None:
    ws = vault(alone(20), walks(3))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    ash = ws._replace(actor="si:ash")
    assert list_suggestions(ash.view()) == ()
    with pytest.raises(NotFoundError):
        accept_suggestion(ash.view(), one.ref)


def test_what_is_no_suggestion_is_not_shown_as_one() -> None:
    ws = vault(alone(1))
    with pytest.raises(NotFoundError, match="episode:m_alone0 is not a suggestion"):
        show_suggestion(ws.view(), "m_alone0")


@pytest.mark.parametrize(("action", "op"), [("support", "support"), ("contradict", "contradict")])
def test_evidence_that_was_suggested_is_recorded_when_it_is_accepted(action: str, op: str) -> None:
    belief = memory_text("\nHeat slows walks.\n", type="belief", id="m_b", confidence="0.8")
    draft = memory_text(
        "\nHeat.\n", type="belief", id="prop_1", status="draft", proposes=action, relates_to="[belief:m_b]",
        derived_from='[episode:m_walk0, episode:m_walk1, "consolidation:2026-01-01"]',
    )  # fmt: skip
    ws = vault(walks(2), {"b.md": belief, "suggestions/prop_1.md": draft})
    linked = accept_suggestion(ws.view(), "prop_1")
    assert [linked.saved.path, *(saved.path for saved in linked.others)] == ["b.md", "suggestions/prop_1.md"]
    lines = memory(ws, "m_b").confidence_history[1:]
    assert [(line.op, line.evidence_source, line.reason) for line in lines] == [
        (op, f"episode:m_walk{i}", "Accepted belief:prop_1") for i in range(2)
    ]
    assert memory(ws, "prop_1").status == "archived"


def test_evidence_of_which_some_is_gone_is_recorded_with_a_warning() -> None:
    belief = memory_text("\nHeat slows walks.\n", type="belief", id="m_b", confidence="0.8")
    draft = memory_text(
        "\nHeat.\n", type="belief", id="prop_1", status="draft", proposes="support", relates_to="[belief:m_b]",
        derived_from='[episode:m_walk0, episode:m_gone, "consolidation:2026-01-01"]',
    )  # fmt: skip
    ws = vault(walks(1), {"b.md": belief, "suggestions/prop_1.md": draft})
    (finding,) = accept_suggestion(ws.view(), "prop_1").saved.findings
    assert "because of episode:m_gone, which does not exist any more" in finding.text
    assert [line.evidence_source for line in memory(ws, "m_b").confidence_history[1:]] == ["episode:m_walk0"]


def test_every_suggestion_is_a_memory_file() -> None:
    ws = vault(alone(20), walks(3))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    assert isinstance(memory_file.read(one.edit.path, files_of(ws)[one.edit.path]), MemoryFile)


# -- beliefs that are held -----------------------------------------------------------------------

SAYS = "The old bridge is closed to lorries."
DENIES = "The old bridge is not closed to lorries."


def bridge(text: str, count: int = 3, *, prefix: str = "bridge") -> dict[str, bytes]:
    days = (f'"2026-01-{day:02}T10:00:00Z"' for day in range(2, 2 + count))  # the same twice a day is one witness
    return dict(episode(f"{prefix}{i}", text, created_at=day) for i, day in enumerate(days))


def held(text: str = SAYS, **keys: str) -> dict[str, bytes]:
    keys = {"created_at": '"2026-01-01T00:00:00Z"', "confidence": "0.8"} | keys
    return {"b.md": memory_text(f"\n{text}\n", type="belief", id="m_b", **keys)}


def test_a_contradiction_with_cosine_097_is_proposed_as_one() -> None:
    ws = vault(alone(20), bridge(DENIES), held())
    (one,) = consolidate(ws.view(), apply=True).suggestions
    assert (one.proposal.action.value, one.old) == ("contradict", 0.8)
    assert (one.new or 1) < 0.8
    assert "-confidence: 0.8\n" in memory(ws, one.ref).body
    assert memory(ws, one.ref).relates_to == ("belief:m_b",)
    accept_suggestion(ws.view(), one.ref)
    assert memory(ws, "m_b").confidence == one.new


def test_what_says_the_same_is_proposed_as_support_of_the_belief() -> None:
    (one,) = consolidate(vault(alone(20), bridge(SAYS), held()).view()).suggestions
    assert (one.proposal.action.value, one.proposal.unanimous) == ("support", True)
    assert (one.new or 0) > 0.8


def test_apply_safe_records_unanimous_support_alone() -> None:
    ws = vault(alone(20), bridge(SAYS), held())
    done = consolidate(ws.view(), apply=True, apply_safe=True)
    assert [saved.path for saved in done.saved] == ["b.md"]
    assert memory(ws, "m_b").confidence == done.suggestions[0].new
    assert consolidate(ws.view(), apply=True, apply_safe=True).saved == ()
    for said in (DENIES, "To lorries the old bridge is mostly closed."):
        doubtful = vault(alone(20), bridge(said), held())
        (saved,) = consolidate(doubtful.view(), apply=True, apply_safe=True).saved
        assert saved.path.startswith("suggestions/")


def test_a_refuted_belief_is_proposed_for_the_archive_and_a_pinned_one_never() -> None:
    ws = vault(alone(20), held(confidence="0.2"))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    assert one.title == "Archive: The old bridge is closed to lorries."
    assert consolidate(ws.view(), apply=True).suggestions == ()
    (shown,) = (
        part for part in show_suggestion(ws.view(), one.ref).memory.body.split("~~~~") if part.startswith("diff")
    )
    assert "[[belief:m_b]] is refuted (confidence 0.2, " in show_suggestion(ws.view(), one.ref).memory.body
    before = files_of(ws)["b.md"]
    accept_suggestion(ws.view(), one.ref)
    assert memory(ws, "m_b").status_reason == f"Accepted {one.ref}"
    assert shown == f"diff\n{unified_diff('b.md', before, files_of(ws)['b.md'])}"
    restore(ws.view(), ["m_b"])
    assert files_of(ws)["b.md"] == before
    assert consolidate(ws.view()).suggestions == ()
    assert consolidate(vault(alone(20), held(confidence="0.2", importance="pinned")).view()).suggestions == ()


def test_what_was_superseded_meanwhile_is_not_archived() -> None:
    ws = vault(alone(20), held(confidence="0.2"))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    supersede(ws.view(), "m_b", "The old bridge is open.")
    with pytest.raises(RefusedError, match="superseded"):
        accept_suggestion(ws.view(), one.ref)


def test_accepting_is_a_use_and_a_dry_run_is_none() -> None:
    ws = vault(alone(20), bridge(DENIES), held())
    (one,) = consolidate(ws.view(), apply=True).suggestions
    accept_suggestion(ws.view(), one.ref, dry_run=True)
    assert list(ws.of(USAGE).uses(["m_b"])) == []
    accept_suggestion(ws.view(), one.ref)
    assert [use.how for use in ws.of(USAGE).uses(["m_b"])] == ["accept"]


# -- a synthesizer -------------------------------------------------------------------------------


class Answers:
    """Answers the same to whoever asks."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> Any:
        assert {source.ref for source in sources} == {"episode:m_walk0", "episode:m_walk1", "episode:m_walk2"}
        assert set(terms) == {"heat", "slow", "walk"}
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def test_a_synthesizer_words_it_and_the_number_stays_computed() -> None:
    answer = {"text": "Heat slows every walk.", "cites": ["episode:m_walk0"], "confidence": 1.0}
    ws = vault(alone(17), walks(3))
    (one,) = consolidate(ws.view(), apply=True, synthesizer=Answers(answer)).suggestions
    assert (one.note, one.new) == (None, 0.7802)
    made = memory(ws, one.ref)
    assert made.title == "Heat slows every walk."
    assert made.body.startswith('\nHeat slows every walk.\n\nWorded after "The heat made every walk slow."')
    assert "[[episode:m_walk2#L9@" in made.body


def test_a_synthesizer_is_told_words_and_no_stems() -> None:
    class Listens:
        terms: Sequence[str] = ()

        def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> Any:
            del sources
            self.terms = terms

    parties = ("Noisy parties every Friday.", "Friday again, noisy parties.", "The parties are noisy.")
    listens = Listens()
    consolidate(vault(alone(20), over_days(*parties)).view(), synthesizer=listens)
    assert {term.lower() for term in listens.terms} == {"noisy", "parties"}


@pytest.mark.parametrize(
    "answer",
    [
        {"text": "Heat slows walks.", "cites": ["episode:m_alone1"]},
        {"text": "heat " * 31, "cites": ["episode:m_walk0"]},
        {"text": "Heat slows Max.", "cites": ["episode:m_walk0"]},
        {"text": "The heat did not make every walk slow.", "cites": ["episode:m_walk2"]},
        {"text": "Swimming is healthy.", "cites": ["episode:m_walk0"]},
        {"text": "Heat slows walks."},
        "Heat slows walks.",
        SynthesisFailedError("it took longer than 60 s"),
        SynthesisFailedError("it ended with exit code -9"),
        SynthesisFailedError("the answer is not JSON"),
    ],
    ids=[
        "cites outside",
        "rambles",
        "names a stranger",
        "contradicts",
        "shares no terms",
        "cites nothing",
        "no object",
        "hangs",
        "dies",
        "breaks its JSON",
    ],
)
def test_a_bad_synthesizer_falls_back_to_the_quotation(answer: Any) -> None:
    ws = vault(alone(17), walks(3))
    (quoted,) = consolidate(vault(alone(17), walks(3)).view()).suggestions
    (one,) = consolidate(ws.view(), synthesizer=Answers(answer)).suggestions
    assert (one.note or "").startswith("quoted instead: ")
    assert replace(one, note=None) == quoted


# -- changes ---------------------------------------------------------------------------------------

PARKING = (
    "Parked the van by the chapel.",
    "The van got a scratch by the chapel wall.",
    "From now on the van stands in the yard.",
    "Found the van in the yard under leaves.",
)


def over_days(*texts: str) -> dict[str, bytes]:
    days = (f'"2026-01-{at + 10}T10:00:00Z"' for at in range(len(texts)))
    return dict(
        episode(f"day{at}", text, created_at=day) for at, (text, day) in enumerate(zip(texts, days, strict=True))
    )


def test_a_change_is_suggested_with_both_sides_and_accepting_it_writes_what_holds_since() -> None:
    ws = vault(alone(20), over_days(*PARKING))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    draft = memory(ws, one.ref)
    assert (draft.proposes, draft.title, draft.valid_from) == ("supersede", PARKING[2], "2026-01-12")
    before, after = draft.body.partition("Until then:")[::2]
    assert all(f'"{text}"' in before for text in PARKING[2:])
    assert all(f'"{text}"' in after for text in PARKING[:2])
    (waiting,) = list_suggestions(ws.view())
    assert waiting.target is None
    made = memory(ws, accept_suggestion(ws.view(), one.ref).ref or "")
    assert (made.type, made.title, made.valid_from, made.status) == ("belief", PARKING[2], "2026-01-12", "active")
    assert {line.op for line in made.confidence_history} == {"support"}
    assert "## E" not in made.body
    assert (memory(ws, one.ref).status, memory(ws, one.ref).processed_into) == ("archived", (made_ref(made),))
    assert memory(ws, "m_day0").status == "active"
    assert refs(consolidate(ws.view(), apply=True)) == []


def test_one_memory_speaks_and_two_speak() -> None:
    for texts, told in ((PARKING[:3], "1 memory from 1 independent root speaks of"), (PARKING, "roots speak of")):
        ws = vault(alone(20), over_days(*texts))
        (one,) = consolidate(ws.view(), apply=True).suggestions
        assert told in memory(ws, one.ref).body


def made_ref(made: Memory) -> str:
    return str(made.ref)


FEE = ("The fee for a tour is 55 euros now.", "The fee for a tour is 55 euros.")


def test_two_later_memories_with_another_value_would_supersede_what_is_held() -> None:
    ws = vault(alone(20), over_days(*FEE), held("The fee for a tour is 45 euros."))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    assert (one.proposal.action.value, one.old) == ("supersede", 0.8)
    draft = memory(ws, one.ref)
    assert draft.relates_to == ("belief:m_b", "episode:m_day0", "episode:m_day1")
    assert "takes the place of [[belief:m_b]]" in " ".join(draft.body.split())
    linked = accept_suggestion(ws.view(), one.ref)
    heir, old = memory(ws, linked.ref or ""), memory(ws, "m_b")
    assert (heir.supersedes, heir.title, heir.confidence) == (("belief:m_b",), draft.title, one.new)
    assert (old.status, old.superseded_by, old.valid_until) == ("superseded", (linked.ref,), "2026-01-10")
    assert (memory(ws, one.ref).status, memory(ws, one.ref).processed_into) == ("archived", (linked.ref,))
    assert refs(consolidate(ws.view(), apply=True)) == []


def test_accepting_a_superseding_suggestion_as_a_trial_writes_nothing() -> None:
    ws = vault(alone(20), over_days(*FEE), held("The fee for a tour is 45 euros."))
    (one,) = consolidate(ws.view(), apply=True).suggestions
    before = dict(files_of(ws))
    linked = accept_suggestion(ws.view(), one.ref, dry_run=True)
    assert (files_of(ws), len(linked.others)) == (before, 2)


def test_two_later_memories_that_deny_what_is_held_are_evidence_against_it() -> None:
    ws = vault(alone(20), bridge(DENIES, 2), held())
    (one,) = consolidate(ws.view()).suggestions
    assert (one.proposal.action.value, len(one.proposal.members)) == ("contradict", 2)


@pytest.mark.parametrize("created_at", ['"2026-01-20T00:00:00Z"', '"2026-01-02T10:00:00Z"'])
def test_what_is_older_than_a_belief_does_not_answer_it(created_at: str) -> None:
    assert refs(consolidate(vault(alone(20), bridge(DENIES, 2), held(created_at=created_at)).view())) == []


def test_one_later_memory_is_too_few() -> None:
    assert refs(consolidate(vault(alone(20), bridge(DENIES, 1), held()).view())) == []


def test_a_number_counts_those_who_say_what_is_quoted() -> None:
    said = ("Sean's walk in the heat was slow.", "In the heat Bella's walk was slow.", "Heat and a slow walk for Tom.")
    ws = vault(alone(20), over_days(*said))
    (one,) = consolidate(ws.view()).suggestions
    assert [line.evidence_source for line in _ledger(one.edit.after)] == [one.ref for one in one.proposal.counted]


def _ledger(data: bytes) -> Sequence[Any]:
    file = memory_file.read("suggestions/x.md", data)
    assert isinstance(file, MemoryFile)
    return file.memory.confidence_history


# -- when ----------------------------------------------------------------------------------------


def test_if_due_waits_for_20_new_or_for_the_hours_to_go_by() -> None:
    runs = LastRun()
    ws = vault(alone(20)).having(RUNS, runs)
    assert consolidate(ws.view(), if_due=True).due
    assert runs.run is None  # nothing was written
    assert consolidate(ws.view(), apply=True, if_due=True).due
    assert not consolidate(ws.view(), apply=True, if_due=True).due
    assert consolidate(ws.view(), apply=True).due
    seldom = ws._replace(config=ws.config._replace(every=1), clock=TickClock(datetime(2026, 2, 1, 14, tzinfo=UTC)))
    assert consolidate(seldom.view(), if_due=True).due
    for count in range(20):
        assert not consolidate(ws.view(), if_due=True).due
        add_memory(ws.view(), {"type": "episode", "source": "x"}, f"Something {count}.")
    assert consolidate(ws.view(), if_due=True).due


# -- by meaning ----------------------------------------------------------------------------------


class Topics:
    """An embedder to which memories of one topic are alike by `likeness`, and no others."""

    name = "topics"

    def __init__(self, likeness: float, of: str = "walk") -> None:
        self._likeness = likeness
        self._of = of
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        self.texts.append(text)
        own = [0.0] * 64
        own[len(self.texts)] = (1 - self._likeness) ** 0.5
        own[0] = self._likeness**0.5 if self._of in text else 0.0
        return own


@pytest.mark.parametrize(("likeness", "suggested"), [(0.76, 1), (0.5, 1), (0.2, 0)])
def test_what_stands_out_for_an_embedder_is_alike(likeness: float, suggested: int) -> None:
    said = ("The zorb hums at noon.", "A zorb was on the lawn.", "Sean mended his zorb.")
    zorbs = dict(episode(f"zorb{i}", text) for i, text in enumerate(said))
    ws = vault(alone(20), zorbs).having(EMBEDDER, Topics(likeness, of="zorb"))
    assert len(consolidate(ws.view()).suggestions) == suggested
    assert consolidate(ws.having(EMBEDDER, None).view()).suggestions == ()


def test_what_is_hidden_is_not_embedded() -> None:
    embedder = Topics(0.8)
    consolidate(vault(alone(20), walks(owner="si:ash")).having(EMBEDDER, embedder).view())
    assert not any("walk" in text for text in embedder.texts)
    assert len(embedder.texts) == 20


def test_the_title_of_a_suggestion_says_all_that_is_quoted_if_it_is_short() -> None:
    said = (
        "Forgot the tomatoes for four days. All split by the evening.",
        "Split tomatoes again. The can had stood empty for days.",
        "Tomatoes split after a dry week without a can.",
    )
    ws = vault(alone(20), dict(episode(f"split{at}", text) for at, text in enumerate(said)))
    (found,) = consolidate(ws.view()).suggestions
    assert found.title == found.proposal.quote


JAMS = "The printer on floor two jams often."
JAMMED = ("The printer on floor two jammed again today.", "The printer on floor two jammed at noon.")
RAN = ("The printer on floor two printed all day without jamming.", "The printer on floor two did not jam today.")


@pytest.mark.parametrize(("said", "action"), [(JAMMED, "support"), (RAN, "contradict")])
def test_two_cases_of_a_habit_are_evidence_for_it_or_against_it(said: tuple[str, str], action: str) -> None:
    ws = vault(alone(20), over_days(*said), held(JAMS))
    (one,) = consolidate(ws.view()).suggestions
    assert (one.proposal.action.value, len(one.proposal.members)) == (action, 2)
    assert said[1] in one.edit.after.decode()


def test_one_case_of_a_habit_is_left_to_whoever_wrote_it_down() -> None:
    assert refs(consolidate(vault(alone(20), over_days(JAMMED[0], RAN[0]), held(JAMS)).view())) == []
