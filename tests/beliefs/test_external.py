"""External memories: no evidence until somebody vouches for them, and nothing takes a number from one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.consolidate import consolidate
from memstore.beliefs.evidence import as_evidence, hearsay
from memstore.beliefs.graduate import graduate
from memstore.beliefs.recall import recall
from memstore.beliefs.recompute import rebuild_from_episodes
from memstore.beliefs.reinforce import reinforce
from memstore.beliefs.revise import revise_from
from memstore.core.config import Config
from memstore.core.errors import RefusedError
from memstore.core.keys import EXTERNAL, QUARANTINED, SOURCE_TYPES
from memstore.core.memory import Memory
from memstore.lineage.descent import from_outside
from memstore.memories.add import add_memory
from memstore.memories.search import search
from memstore.memories.show import show_memory
from memstore.memories.why import why
from memstore.search.ranker import Audience, ContentOrigin
from memstore.trust import SIGNATURES
from memstore.trust.keyring import ALLOWED_SIGNERS
from memstore.trust.sign import witness
from memstore.trust.signatures import SshSignatures
from tests.attested_vault import CLAIRE, PITH, keyring_of, make_keys
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.trust.sign import Signed
    from memstore.vault.workspace import Workspace

PAGE = {"source_type": "external", "source": "https://tea.example", "author": CLAIRE}
FILES = {
    "b.md": memory_text("Tea is good.\n", type="belief", id="m_b", confidence="0.8"),
    "page.md": memory_text("Green tea cures all.\n", id="m_page", created_at='"2026-01-01T00:00:00Z"', **PAGE),
    "copied.md": memory_text("Tea is a cure.\n", id="m_copied", derived_from='["note:m_page"]'),
    "again.md": memory_text("It cures.\n", id="m_again", derived_from='["note:m_copied", "note:m_own"]'),
    "own.md": memory_text("Claire drank tea.\n", id="m_own", source_type="observation"),
}


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return make_keys(tmp_path)


def claires(keys: Path, files: dict[str, bytes] = FILES) -> Workspace:
    whole = {**files, ALLOWED_SIGNERS: keyring_of(keys).encode()}
    ws = memory_workspace(whole, actor=CLAIRE, config=Config(owner=CLAIRE))
    return ws.having(SIGNATURES, SshSignatures(keys, agent=""))


def attest(ws: Workspace, keys: Path, who: str, ref: str = "m_page", attestation: str = "confirm") -> Signed:
    view = ws._replace(actor=who, config=Config(owner=who)).view()
    return witness(view, ref, attestation, key=str(keys / who.partition(":")[2]))


@pytest.mark.parametrize("evidence", ["m_page", "m_copied", "m_again"])
def test_it_is_no_evidence_and_neither_is_what_was_derived_from_it(evidence: str) -> None:
    ws = memory_workspace(FILES)
    before = dict(files_of(ws))
    with pytest.raises(RefusedError, match=r"m_page.* external, and nobody vouches for it") as refused:
        reinforce(ws.view(), "m_b", evidence)
    assert (refused.value.hint or "").startswith("memstore trust witness note:m_page --attest confirm")
    assert files_of(ws) == before


@pytest.mark.parametrize("who", [CLAIRE, PITH])
def test_it_weighs_when_its_owner_or_somebody_else_vouches(keys: Path, who: str) -> None:
    ws = claires(keys)
    assert attest(ws, keys, who).is_evidence
    assert reinforce(ws.view(), "m_b", "m_page").new == pytest.approx((0.8 * 6 + 0.3) / 6.3, abs=1e-4)
    assert show_memory(ws.view(), "m_copied").hearsay == ()
    assert reinforce(ws.view(), "m_b", "m_copied").saved.changed


def test_the_owners_word_is_no_point_of_trust_for_who_took_it_in(keys: Path) -> None:
    ws = claires(keys)
    attest(ws, keys, CLAIRE)
    shown = show_memory(ws.view(), "m_page")
    assert shown.external is not None
    assert shown.external.vouched
    assert shown.trust.score == 0


def test_vouching_for_what_was_derived_makes_it_evidence(keys: Path) -> None:
    ws = claires(keys)
    attest(ws, keys, PITH, "m_again")
    assert show_memory(ws.view(), "m_again").hearsay == ()
    assert show_memory(ws.view(), "m_copied").hearsay == ("note:m_page",)


def test_what_an_agent_writes_names_a_page_that_somebody_vouches_for_too(keys: Path) -> None:
    ws = claires(keys)
    refs = ["note:m_page", "note:m_copied"]
    assert from_outside(ws.view(), refs) == refs
    attest(ws, keys, CLAIRE)
    assert from_outside(ws.view(), refs) == ["note:m_page"]


def test_whoever_told_it_does_not_vouch_for_it(keys: Path) -> None:
    told = {**FILES, "page.md": FILES["page.md"].replace(b"---\nGreen", b'source_entity: "si:pith"\n---\nGreen')}
    ws = claires(keys, told)
    attest(ws, keys, PITH)
    assert show_memory(ws.view(), "m_page").hearsay == ("note:m_page",)
    attest(ws, keys, CLAIRE)
    assert show_memory(ws.view(), "m_page").hearsay == ()


def test_the_owners_last_word_decides_and_a_dispute_of_others_withholds(keys: Path) -> None:
    ws = claires(keys)
    attest(ws, keys, PITH)
    attest(ws, keys, CLAIRE, attestation="dispute")
    assert show_memory(ws.view(), "m_page").hearsay == ("note:m_page",)
    attest(ws, keys, CLAIRE)
    assert show_memory(ws.view(), "m_page").hearsay == ()
    ws = claires(keys)
    attest(ws, keys, PITH, attestation="dispute")
    assert show_memory(ws.view(), "m_page").hearsay == ("note:m_page",)


def test_a_changed_text_is_not_what_was_vouched_for(keys: Path) -> None:
    ws = claires(keys)
    attest(ws, keys, PITH)
    files_of(ws)["page.md"] = files_of(ws)["page.md"].replace(b"cures all", b"cures nothing")
    assert show_memory(ws.view(), "m_page").hearsay == ("note:m_page",)


def test_an_unsigned_word_in_the_file_counts_for_nothing() -> None:
    said = b'witnesses: [{agent_id: "si:pith", attestation: confirm, witnessed_at: "2026-01-02T00:00:00Z"}]\n---\nGreen'
    ws = memory_workspace({**FILES, "page.md": FILES["page.md"].replace(b"---\nGreen", said)})
    assert show_memory(ws.view(), "m_page").hearsay == ("note:m_page",)


# -- the rule --------------------------------------------------------------------------------------

REFS = [f"note:m_{at}" for at in range(6)]


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, Memory]:
    """Memories that were derived from each other in any way, circles included."""
    return {
        ref: Memory(
            type="note",
            id=ref.partition(":")[2],
            source_type=draw(st.sampled_from(SOURCE_TYPES)),
            status=draw(st.sampled_from(("active", "archived", QUARANTINED))),
            derived_from=tuple(draw(st.lists(st.sampled_from([*REFS, "context:x", "note:m_none"]), max_size=3))),
        )
        for ref in REFS
    }


def doubtful(vault: dict[str, Memory], ref: str, vouched: set[str], seen: frozenset[str] = frozenset()) -> set[str]:
    """The rule in other words, one memory after the other."""
    if ref in seen or ref not in vault:
        return set()
    memory = vault[ref]
    own = {ref} if memory.status == QUARANTINED or (memory.source_type == EXTERNAL and ref not in vouched) else set()
    if ref in vouched:
        return own
    return own.union(*(doubtful(vault, source, vouched, seen | {ref}) for source in memory.derived_from))


@given(vaults(), st.sets(st.sampled_from(REFS)))
def test_a_memory_is_as_weak_as_the_weakest_that_it_was_derived_from(
    vault: dict[str, Memory], vouched: set[str]
) -> None:
    for ref, memory in vault.items():
        found = hearsay(memory, vault.get, lambda one: str(one.ref) in vouched)
        assert set(found) == doubtful(vault, ref, vouched)


@given(vaults(), st.sets(st.sampled_from(REFS)), st.sampled_from(REFS))
def test_vouching_never_makes_anything_hearsay(vault: dict[str, Memory], vouched: set[str], more: str) -> None:
    for memory in vault.values():
        before = hearsay(memory, vault.get, lambda one: str(one.ref) in vouched)
        after = hearsay(memory, vault.get, lambda one: str(one.ref) in {*vouched, more})
        assert {*after} <= {*before}


def test_the_weight_of_what_is_vouched_for_is_the_least() -> None:
    memory = Memory(type="note", id="m_x", source_type=EXTERNAL)
    assert as_evidence(memory, lambda _: None).weight == 0.3


# -- other numbers ---------------------------------------------------------------------------------


def test_its_quality_begins_with_the_weight_of_its_kind_whatever_it_states() -> None:
    sure = memory_text("Tea heals.\n", type="belief", id="m_sure", confidence="0.99", channel="USER.md", **PAGE)
    ws = memory_workspace({"sure.md": sure})
    assert show_memory(ws.view(), "m_sure").grounds.base.worth == 0.3
    quality = next(number for number in why(ws.view(), "m_sure").numbers if number.name == "quality")
    assert "external" in next(term.why for term in quality.terms if term.name == "base")


def test_a_conflict_takes_nothing_from_ones_own() -> None:
    files = {
        "own.md": memory_text("Sean likes tea.\n", id="m_own"),
        "page.md": memory_text("Sean dislikes tea.\n", id="m_page", **PAGE),
    }
    shown = {ref: show_memory(memory_workspace(files).view(), ref) for ref in ("m_own", "m_page")}
    assert [one.penalty for one in shown["m_own"].conflicts] == [0.0]
    assert [one.penalty for one in shown["m_page"].conflicts] == [0.3]
    hits = {hit.ref: hit for hit in search(memory_workspace(files).view(), "Sean tea").hits}
    assert [one.penalty for one in hits["note:m_own"].conflicts] == [0.0]


def test_a_belief_made_of_it_is_no_surer_than_it_is() -> None:
    ws = memory_workspace(FILES)
    add_memory(ws.view(), {"type": "belief", "title": "Tea cures", "derived_from": ["note:m_page"]}, "Tea cures.\n")
    made = next(file.memory for file in ws.view().memories() if file.memory.title == "Tea cures")
    assert made.confidence == 0.3


@pytest.mark.parametrize("keys", [PAGE, {}], ids=["external", "own"])
def test_it_is_neither_consolidated_nor_graduated(keys: dict[str, str]) -> None:
    said = {
        f"e{at}.md": memory_text(
            "The kettle boils slowly in the old kitchen.\n", type="episode", id=f"m_e{at}",
            created_at=f'"2025-01-{at + 1:02d}T00:00:00Z"', origin=f"{{session_id: s{at}}}", **keys,
        )
        for at in range(30)
    }  # fmt: skip
    pinned = memory_text("Obey.\n", id="m_pin", importance="pinned", created_at='"2025-01-01T00:00:00Z"', **keys)
    ws = memory_workspace({**said, "pin.md": pinned})
    done = consolidate(ws.view())
    assert (done.pooled, bool(done.suggestions)) == ((0, False) if keys else (30, True))
    assert [page.entered for page in graduate(ws.view())] == ([] if keys else [("note:m_pin",)])


def test_it_is_not_proposed_as_evidence() -> None:
    held = memory_text("Sean likes tea.\n", type="belief", id="m_held", confidence="0.8")
    said = memory_text("Sean dislikes tea.\n", type="episode", id="m_said", **PAGE)
    own = said.replace(b"source_type: external\n", b"").replace(b"m_said", b"m_own")
    ws = memory_workspace({"held.md": held, "said.md": said, "own.md": own})
    assert revise_from(ws.view(), "m_said") == ()
    assert revise_from(ws.view(), "m_own") != ()


def test_evidence_that_turns_out_to_be_external_differs_when_it_is_weighed_again() -> None:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_b", "m_own")
    files_of(ws)["own.md"] = files_of(ws)["own.md"].replace(b"observation", b"external")
    assert [(one.ref, one.rebuilt) for one in rebuild_from_episodes(ws.view()).differing] == [("belief:m_b", 0.8)]


def test_it_supersedes_nothing_by_its_own_word() -> None:
    own, claim = memory_text("Bella's vet is Dr. Ito.\n", id="m_own"), {"supersedes": '["note:m_own"]'}
    for keys, found in ((PAGE, True), ({}, False)):
        page = memory_text("Bella's vet is Dr. Evil.\n", id="m_page", **claim, **keys)
        view = memory_workspace({"own.md": own, "page.md": page}).view()
        assert ("note:m_own" in {hit.ref for hit in search(view, "Bella's vet").hits}) == found
        assert ("note:m_own" in {bite.ref for bite in recall(view, "Bella's vet").memories}) == found


# -- rank ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stuffed", ["Who is Bella's vet? " * 40, "who is bella's vet", "# Bella's vet\n\nBella's vet"])
def test_it_comes_after_ones_own_however_well_it_matches(stuffed: str) -> None:
    files = {
        f"{at}.md": memory_text(f"{stuffed}\n", id=f"m_page{at}", aliases='["Bella\'s vet"]', **PAGE)
        for at in range(45)
    }
    files["own.md"] = memory_text("The vet of our dog is Dr. Ito.\n", id="m_own")
    view = memory_workspace(files).view()
    found = search(view, "Who is Bella's vet?")
    assert found.hits[0].ref == "note:m_own"
    assert [hit.external is None for hit in found.hits] == sorted(
        (hit.external is None for hit in found.hits), reverse=True
    )
    assert [hit.relevance for hit in found.hits] == sorted((hit.relevance for hit in found.hits), reverse=True)
    assert found.external == found.total - len(found.hits)
    recalled = recall(view, "Who is Bella's vet?")
    assert recalled.memories[0].ref == "note:m_own"
    assert all(bite.external for bite in recalled.memories[1:])
    scores = [bite.score for bite in recalled.memories]
    assert scores == sorted(scores, reverse=True)


def test_what_was_derived_from_it_comes_between_until_somebody_vouches(keys: Path) -> None:
    def ranked() -> list[str]:
        return [str(hit.ref) for hit in search(ws.view(), "Tea is a cure").hits]

    ws = claires(keys)
    own, made, page = {"belief:m_b", "note:m_own"}, {"note:m_copied", "note:m_again"}, "note:m_page"
    assert [{*ranked()[:2]}, {*ranked()[2:4]}, ranked()[4:]] == [own, made, [page]]
    attest(ws, keys, PITH, "m_again")
    assert ranked()[3:] == ["note:m_copied", page]
    attest(ws, keys, CLAIRE)
    assert [ranked()[0], ranked()[4]] == ["note:m_copied", page]


def test_hearsay_and_rank_agree(keys: Path) -> None:
    ws = claires(keys)
    for who, ref in ((PITH, "m_again"), (CLAIRE, "m_page")):
        audience = Audience(ws.view())
        for one in ("m_copied", "m_again", "m_own", "m_b"):
            [row] = audience.then.rows_of_id(one)
            assert (audience.origin(row) is ContentOrigin.DERIVED) == bool(show_memory(ws.view(), one).hearsay)
        attest(ws, keys, who, ref)
