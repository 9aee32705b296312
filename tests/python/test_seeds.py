"""Every call that the five documents show, in the documents' own words and shapes."""

from __future__ import annotations

import inspect
import subprocess
from typing import TYPE_CHECKING

import pytest

import memstore
from memstore import seeds
from memstore.lineage.descent import note_shown

if TYPE_CHECKING:
    from pathlib import Path

    from memstore import Vault

HONESTY = "Authentic relationships require honesty about my nature."


# -- 000: provenance -------------------------------------------------------------------------------


def test_the_calls_of_000(vault: Vault) -> None:
    k = seeds.Kernle(vault)
    raw_id = k.raw("First memory capture! I'm Ash, and this is the first thing I write down.")
    raw_ref = f"raw:{raw_id}"

    # 3.1: creation methods, by the arguments that the document adds
    belief_id = k.belief(
        statement=HONESTY, type="fact", confidence=0.85, foundational=False, context="kernle_seed",
        context_tags=["honesty"], source="raw-processing", derived_from=[raw_ref],
    )  # fmt: skip
    assert vault.get(f"belief:{belief_id}").derived_from == (raw_ref,)
    episode_id = k.episode(
        objective="First collab with Claire on PR #24", outcome="merged", lessons=None, tags=None, relates_to=None,
        source="conversation with Sean", context=None, context_tags=None,
    )  # fmt: skip
    assert vault.get(f"episode:{episode_id}").derived_from == ("context:conversation with Sean",)
    note_id = k.note(content="blob", type="note", tags=["promoted"], source="cli-promote", derived_from=[raw_ref])
    assert vault.get(f"note:{note_id}").tags == ("promoted",)

    # 3.2: process_raw
    for as_type in ("episode", "belief", "note"):
        other = k.raw(f"Worth a {as_type}, and a sentence of its own for {as_type}s.")
        memory_id = k.process_raw(other, as_type, tags=["day-one"])
        made = vault.get(f"{as_type}:{memory_id}")
        assert (made.source, made.derived_from) == ("raw-processing", (f"raw:{other}",))
        assert "day-one" in made.tags
        assert k.get_raw(other)["processed_into"] == [f"{as_type}:{memory_id}"]

    other = k.raw("Worth a decision, which is a note with a purpose.")
    memory_id = k.process_raw(other, "note", tags=["day-one"], note_type="decision")
    assert k.get_raw(other)["processed_into"] == [f"decision:{memory_id}"]

    # 3.3: raw promote
    full_id = seeds.resolve_raw_id(k, raw_id[:7])
    entry = k.get_raw(full_id)
    blob = entry.get("blob") or entry.get("content") or ""
    result_id = k.belief(statement=blob, confidence=0.7, source="cli-promote", derived_from=[f"raw:{full_id}"])
    k._storage.mark_raw_processed(full_id, [f"belief:{result_id}"])  # as the document's program calls it
    assert k.get_raw(full_id)["processed_into"] == [f"belief:{result_id}"]
    with pytest.raises(memstore.RefusedError, match="derived from"):
        k.mark_raw_processed(full_id, [f"episode:{episode_id}"])
    with pytest.raises(memstore.UsageError, match="not a raw memory"):
        k.get_raw(belief_id)

    # 3.4, 3.8: reinforcement
    assert k.reinforce_belief(belief_id, evidence_source=f"episode:{episode_id}", reason="Confirmed by a merge")
    assert not k.reinforce_belief(belief_id, evidence_source=f"episode:{episode_id}")
    k.reinforce_belief(belief_id, evidence_source="consolidation:2026-02-01", reason="Confirmed by day one experiences")
    line = vault.get(belief_id).confidence_history[-1]
    assert (line.evidence_source, line.reason) == ("consolidation:2026-02-01", "Confirmed by day one experiences")
    with pytest.raises(memstore.UsageError, match="the evidence is missing"):
        k.reinforce_belief(belief_id)

    # 3.5: revision from an episode
    likes = k.belief("Sean likes tea.")
    says_no = k.episode("Breakfast", "Sean dislikes tea.")
    assert k.revise_beliefs_from_episode(says_no) == {"reinforced": [], "contradicted": [likes]}
    assert vault.get(likes).confidence_history[-1].evidence_source == f"episode:{says_no}"

    # 3.7: seed beliefs
    seed = k.belief(
        statement="Truth is rarely binary.", confidence=0.65, type="foundational", foundational=True,
        context="kernle_seed", context_tags=["truth"], source="seed-initialization",
        derived_from=["kernle:seed-beliefs"],
    )  # fmt: skip
    assert (vault.get(seed).source_type, vault.get(seed).foundational) == ("seed", True)

    # 2.1: what there is already
    heir = k.supersede_belief(likes, "Sean likes green tea.", confidence=0.6, reason="asked him")
    assert vault.get(heir).supersedes == (f"belief:{likes}",)
    assert k.set_memory_source("note", note_id, "told_by_human", source_episodes=[f"episode:{episode_id}"])
    lineage = k.get_memory_lineage("belief", belief_id)
    assert (lineage["derived_from"], raw_ref in lineage["lineage"]) == ([raw_ref], True)
    assert k.propagate_confidence("belief", likes)["updated"] == []


# -- 001: privacy ----------------------------------------------------------------------------------


def test_the_calls_of_001(home: Path, vault: Vault) -> None:
    kernle = seeds.Kernle(vault)
    vault.entities.add("dog:bella", aliases=["Bella"])
    vault.contexts.add("ctx:bella_care", roster=["human:sean", "si:bella_agent"])

    # Contexts
    kernle.enter_context(
        "ctx:bella_care", participants=["human:sean", "si:bella_agent", "dog:bella"], role="role:care_agent"
    )
    murmur = kernle.raw(
        "Bella has grade 2 heart murmur", source_entity="vet:dr_smith",
        subject_ids=["dog:bella", "condition:cardiac"], access_grants=["human:sean", "ctx:bella_care"],
        consent_grants=["human:sean", "vet:dr_smith"],
    )  # fmt: skip
    kernle.enter_context("ctx:dog_park_social", participants=["si:max_agent", "si:luna_agent"])
    assert [entry.id for entry in vault.list()] == []
    assert kernle.leave_context() == "ctx:dog_park_social"
    assert [entry.id for entry in vault.list()] == [murmur]
    assert vault.get(murmur).context == "ctx:bella_care"

    # Consents
    consent = kernle.consent_grant(
        grantor="human:parent_456", grantee="si:reading_specialist", scope="ctx:student_123_academic"
    )
    assert [one.id for one in vault.consents.list()] == [consent]
    kernle.consent_revoke(consent, by="human:parent_456")

    # Generalization
    result = kernle.check_generalization_safety(
        source_memory=murmur, generalized_text="Heart murmurs in small breeds need monitoring", proposed_access=["*"]
    )
    assert (result.safe, result.warnings) == (True, [])
    result = kernle.check_generalization_safety(
        source_memory=murmur, generalized_text="Bella's breed often has heart issues", proposed_access=["*"]
    )
    assert result.safe is False
    assert result.blocked_reason == "Text contains subject entity name 'Bella'"
    assert kernle.check_generalization_safety(murmur, "Bella's breed often has heart issues").safe
    general = kernle.generalize(
        source=murmur, belief="Heart murmurs in small breeds need exercise monitoring", access_grants=["*"],
        confidence_note="Generalized from direct care experience",
    )  # fmt: skip
    memory = vault.get(general)
    assert (memory.generalized, memory.derived_from, memory.access_grants) == (True, (f"raw:{murmur}",), ("*",))
    assert memory.generalization is not None
    assert (memory.generalization.verdict, memory.generalization.note) == (
        "safe", "Generalized from direct care experience",
    )  # fmt: skip
    with pytest.raises(memstore.RefusedError, match="Text contains subject entity name 'Bella'"):
        kernle.generalize(murmur, "My patient Bella has common cardiac issues", ["*"])

    # Stacks
    vault.add("Dogs love fetch.", access_grants=["*"])
    vault.add("The club meets on Mondays.", access_grants=["si:tutor_b"])
    titles = [entry.title for entry in kernle.load_shared_stack(home / "notes", "si:tutor_b", access_grants=[])]
    learnt = "Heart murmurs in small breeds need exercise monitoring"
    assert sorted(titles) == ["Dogs love fetch.", learnt, "The club meets on Mondays."]
    assert len(kernle.load_shared_stack(home / "notes", "si:tutor_b", ["si:tutor_b"])) == 3
    titles = [one.title for one in kernle.load_shared_stack(home / "notes", "si:x", ["si:tutor_b"])]
    assert sorted(titles) == ["Dogs love fetch.", learnt]  # whoever says what is granted to them is not granted it


def test_the_tools_of_001(vault: Vault) -> None:
    kernle = seeds.Kernle(vault)
    vault.contexts.add("ctx:care", roster=["human:sean"])
    kernle.context_enter("ctx:care")
    assert kernle.context_list() == ["ctx:care"]
    assert kernle.context_leave() == "ctx:care"
    made = kernle.memory_create_with_privacy("Dogs love fetch.", subject_ids=["dog:bella"])
    with pytest.raises(memstore.RefusedError):
        kernle.memory_set_privacy(made, access_grants=["si:max"])
    general = kernle.memory_create_with_privacy("Cats love sleep.")
    assert kernle.memory_set_privacy(general, access_grants=["si:luna"], consent_grants=[]) == ("si:luna",)
    assert kernle.memory_set_privacy(general, access_grants=["si:max"]) == ("si:max",)  # the list, not one more
    assert kernle.memory_set_privacy(general, consent_grants=["human:sean"]) == ("si:max",)
    assert kernle.privacy_audit(subject="dog:bella").keys() == {f"note:{made}"}
    assert kernle.privacy_audit(memory_id=made).keys() == {f"note:{made}"}
    assert kernle.privacy_audit(entity="si:max").keys() == {f"note:{general}"}
    with pytest.raises(memstore.UsageError):
        kernle.privacy_audit()
    assert kernle.memory_set_privacy(general, access_grants=[]) == ()


# -- 002: beliefs ----------------------------------------------------------------------------------


def test_the_calls_of_002(vault: Vault) -> None:
    engram = seeds.Engram(vault)
    tea = vault.add("Claire drinks green tea in the morning.", importance="high", type="episode", title="Green tea")
    vault.add("Green tea keeps Claire awake.", type="belief", confidence=0.75)
    flashes = engram.write_recollections("Should I offer Claire green tea?")
    assert flashes
    assert all(flash.startswith(("[Memory flash: ", "[Belief: ")) for flash in flashes)
    recalled = engram.memory_recall("Should I offer Claire green tea?")
    assert recalled.profile.value == "memory-recall"
    for _ in range(3):
        assert engram.memory_expand(tea.ref or "").shown.ref == tea.ref
    graduated, compressed = engram.run_consolidation()
    assert [tea.ref in page.entered for page in graduated] == [True]
    assert compressed == ()
    assert engram.graduate_episodes() == ()
    assert engram.compress_stale_episodes() == ()
    assert engram.run_belief_consolidation().enough is False
    assert seeds.retrieval_strength(0.0, stability_days=30) == 1.0
    assert seeds.destab_threshold(9, 100.0) > seeds.destab_threshold(1, 1.0)
    assert 0 < seeds.spacing_bonus(30.0) < 0.1


# -- 003: quality ----------------------------------------------------------------------------------


def test_the_calls_of_003(vault: Vault, capsys: pytest.CaptureFixture[str]) -> None:
    store = seeds.MemoryStore(vault)
    vault.add("User's favorite color is green", tags=["color"])
    entry, conflicts = store.add(
        content="User's favorite color is blue",
        path="memory/2024-02-20.md",
        source_type="MEMORY.md",
        line_start=45,
        line_end=47,
        excerpt="User mentioned they love blue...",
        tags=["preference", "color"],
    )
    for c in conflicts:
        print(f"Conflict: {c.conflict_type}")  # noqa: T201 -- the document's example
        print(f"Suggestion: {c.suggested_resolution}")  # noqa: T201
    assert "Suggestion: " in capsys.readouterr().out
    assert (entry.citation.path, entry.citation.line_start, entry.citation.excerpt) == (
        "memory/2024-02-20.md", 45, "User mentioned they love blue...",
    )  # fmt: skip
    assert (entry.source_type, entry.tags, entry.citation.version_hash) == ("MEMORY.md", ["preference", "color"], None)
    assert 0 <= entry.confidence <= 1
    assert vault.show(entry.ref).values["excerpt"] == "User mentioned they love blue..."

    result = store.search(query="user preferences favorite", min_confidence=0.7, max_results=5)
    assert result["fallback"]["used"] in (True, False)
    assert {item["content"] for item in result["results"]} >= {"User's favorite color is blue"}
    for item in result["results"]:
        assert f"[{item['confidence']:.2f}] {item['content']}".startswith("[0.")
        assert {"relevance_score", "combined_score", "citation", "source_type"} <= item.keys()
    assert store.search("color", min_confidence=1.0)["fallback"]["used"] is True
    nothing = store.search("query", min_confidence=0.8)
    assert (nothing["results"], nothing["fallback"]["used"]) == ([], True)
    assert store.search("query")["fallback"] == {"used": True, "reason": "nothing matches"}
    assert store.search("color")["fallback"] == {"used": False, "reason": None}
    assert store.memory_search("color")["citations"] == "auto"
    assert store.memory_get(entry.ref)["content"] == "User's favorite color is blue"

    (vault.path / "chat.txt").write_text("# Chat\n\nUser: tea, please.\n")
    cited, _ = store.add("User wants tea", path="chat.txt", source_type="session", line_start=3)
    assert cited.citation.excerpt == "User: tea, please."
    assert cited.citation.version_hash
    assert vault.get(cited.ref).derived_from[0].startswith("file:chat.txt#L3@")
    whole, _ = store.add("User wants milk", path="chat.txt", source_type="session")
    assert vault.get(whole.ref).derived_from == ("file:chat.txt",)
    with pytest.raises(memstore.UsageError, match="no lines 9"):
        store.add("User wants cake", path="chat.txt", source_type="session", line_start=9)
    with pytest.raises(memstore.UsageError):
        store.add("User wants cake", path="chat.txt", source_type="dream")

    for start, end in ((0, None), (-1, 2), (5, 4), (1, 10**10)):
        with pytest.raises(memstore.UsageError, match="no lines"):
            store.add("User wants cake", path="gone.txt", source_type="session", line_start=start, line_end=end)

    report = seeds.detect_contradiction("User likes tea", "User dislikes tea")
    assert report is not None
    assert (report.conflict_type, report.penalty, report.suggested_resolution) == (
        "contradiction", -0.3, "manual_review",
    )  # fmt: skip
    assert seeds.detect_contradiction("User likes tea", "It rained") is None


CHAT = "User: hello.\nUser: tea, please.\nUser: bye.\n"
GONE = "gone.txt is not in the vault, so nothing shows what it says"
CHANGED = "chat.txt has changed since, and these lines may be others now"
UNSAID = "nothing says which revision of gone.txt was cited"
LINE_2 = ("chat.txt", 2, 2, "User: tea, please.")


@pytest.mark.parametrize(
    ("path", "excerpt", "then", "expected"),
    [
        ("chat.txt", None, None, (*LINE_2, None)),
        ("chat.txt", "asked for tea", None, (*LINE_2, None)),
        ("gone.txt", "asked for tea", None, ("gone.txt", 2, 2, "asked for tea", GONE)),
        ("gone.txt", None, None, ("gone.txt", 2, 2, None, GONE)),
        ("gone.txt", "tea", {"gone.txt": CHAT}, ("gone.txt", 2, 2, "tea", UNSAID)),
        ("chat.txt", "asked for tea", {"chat.txt": "Other.\n"}, ("chat.txt", 2, 2, "asked for tea", CHANGED)),
        ("chat.txt", None, {"chat.txt": None}, ("chat.txt", 2, 2, None, GONE.replace("gone", "chat"))),
        ("/etc/hostname", None, None, ("/etc/hostname", 2, 2, None, GONE.replace("gone.txt", "/etc/hostname"))),
    ],
)  # fmt: skip
def test_a_memory_shows_the_lines_that_it_was_given(
    vault: Vault, path: str, excerpt: str | None, then: dict[str, str | None] | None, expected: tuple[object, ...]
) -> None:
    store = seeds.MemoryStore(vault)
    (vault.path / "chat.txt").write_text(CHAT)
    if path.startswith("/"):  # a mark that nobody made with `add`: no file of the machine is read for it
        ref = vault.add("User wants tea", derived_from=[f"file:{path}#L2@{40 * '0'}"]).ref
    else:
        ref = store.add("User wants tea", path, "session", line_start=2, excerpt=excerpt)[0].ref
    for name, text in (then or {}).items():
        (vault.path / name).write_text(text) if text else (vault.path / name).unlink()
    (result,) = store.search("User wants tea")["results"]
    shown = store.memory_get(ref or "")
    for found in (result, shown):
        cited = found["citation"]
        fields = ("path", "line_start", "line_end", "excerpt", "note")
        assert tuple(cited[name] for name in fields) == expected
        assert (cited["version_hash"] is None) == (cited["note"] is not None)
        assert found["stored"]["excerpt"] == "User wants tea"


def test_lines_that_moved_are_shown_where_they_are(home: Path, vault: Vault) -> None:
    store, file = seeds.MemoryStore(vault), vault.path / "chat.txt"
    file.write_text(CHAT)
    store.add("User wants tea", "chat.txt", "session", line_start=2)
    subprocess.run(["git", "add", "-A"], cwd=vault.path, check=True)
    subprocess.run(["git", "commit", "-qm", "chat"], cwd=vault.path, check=True)
    file.write_text(f"User: before.\n{CHAT}")
    (result,) = store.search("User wants tea")["results"]
    assert (result["citation"]["line_start"], result["citation"]["note"]) == (3, None)
    file.write_text("User: before.\n")
    (result,) = store.search("User wants tea")["results"]
    assert (result["citation"]["excerpt"], result["citation"]["note"]) == ("User: tea, please.", CHANGED)
    assert store.memory_get(result["ref"])["citation"]["excerpt"] == "User: tea, please."


# -- 004: trust ------------------------------------------------------------------------------------


def test_the_calls_of_004(home: Path, vault: Vault, key: Path) -> None:
    vault.trust.add_key("human:sean", f"{key}.pub")
    (home / "config" / "memstore").mkdir(parents=True, exist_ok=True)
    (home / "config" / "memstore" / "config.toml").write_text(f'signing_key = "{key}"\n')
    isnad = seeds.Isnad(memstore.open_vault(vault.path, entity="human:sean"))
    create_memory, request_witness = isnad.create_memory, isnad.request_witness
    create_anchor, query_memories = isnad.create_anchor, isnad.query_memories

    memory = create_memory(
        type="insight", summary="Synthesis is harder than storage", body="It's knowing what to remember.",
        tags=["synthesis", "memory"], confidence=0.8, access_grants=["si:eudaemon_0", "si:pith"],
    )  # fmt: skip
    # "Automatically adds author, timestamp, signature"
    assert memory.provenance.author.agent_id == "human:sean"
    assert memory.provenance.author.signature
    assert memory.provenance.created_at
    assert isnad.verify_signature(memory.provenance.author)
    assert (memory.content.summary, memory.provenance.context.confidence) == ("Synthesis is harder than storage", 0.8)

    # The signature also covers the page that its writer was shown before.
    page = vault.add("Storage is solved.", source_type="external")
    opened = memstore.open_vault(vault.path, entity="human:sean")
    note_shown(opened.view(), [page.ref])
    later = seeds.Isnad(opened).create_memory(type="insight", summary="Storage is solved", body="Says a page.")
    assert vault.get(later.ref).derived_from == (page.ref,)
    assert isnad.verify_signature(later.provenance.author)

    request = request_witness(memory, agent_ids=["eudaemon_0", "Pith"])
    assert "si:eudaemon_0" in (vault.path / request.path).read_text()
    with pytest.raises(TypeError):
        request_witness(memory, agent_ids="Pith")
    with pytest.raises(memstore.UsageError, match="it is unknown"):
        request_witness(memory, agent_ids=["Пит"])

    digest = _digest_page(vault, memory.ref)
    anchor = create_anchor(memory, type="moltbook_post", reference="https://moltbook.com/p/1", page=digest)
    memory.anchors.append(anchor)
    assert [one.reference for one in memory.anchors] == ["https://moltbook.com/p/1"]

    bare = create_anchor(memory, type="moltbook_post", reference="https://moltbook.com/p/...")
    assert not isnad.verify_anchor(bare)  # it has no copy of the page

    before, after = memory.trust.score, isnad.compute_trust_score(memory)
    assert after == before  # a copy of a page proves nothing before one has fetched the page oneself
    assert after == compute_trust_score(isnad, isnad.memory(memory.ref))
    assert [found.id for found in query_memories(tags=["synthesis"], min_trust=0.3)] == [memory.id]
    assert query_memories(tags=["synthesis"], min_trust=0.4) == []
    assert query_memories(tags=["other"]) == []
    assert vault.get(memory).title == "Synthesis is harder than storage"


def _digest_page(vault: Vault, ref: str) -> bytes:
    from memstore.trust.sign import digest_page

    return digest_page(vault.view(), [ref]).encode()


def compute_trust_score(isnad: seeds.Isnad, memory: seeds.SeedMemory) -> float:
    """Return what the document's algorithm, copied from there, makes of a memory."""
    verify_signature, verify_anchor, get_reputation = isnad.verify_signature, isnad.verify_anchor, isnad.get_reputation
    score = 0.0
    if verify_signature(memory.provenance.author):
        score += 0.2
    confirmed = sum(1 for w in memory.witnesses if w.attestation == "confirm")
    if confirmed >= 1:
        score += 0.2
    if confirmed >= 3:
        score += 0.1
    valid_anchors = sum(1 for a in memory.anchors if verify_anchor(a))
    if valid_anchors >= 1:
        score += 0.2
    if valid_anchors >= 2:
        score += 0.1
    author_rep = get_reputation(memory.provenance.author.agent_id)
    score += author_rep * 0.2
    disputes = sum(1 for w in memory.witnesses if w.attestation == "dispute")
    score -= disputes * 0.15
    return max(0.0, min(1.0, round(score, 4)))


def test_without_a_key_a_memory_is_not_signed(vault: Vault) -> None:
    memory = seeds.Isnad(vault).create_memory(summary="Synthesis is hard", body="It is.")
    assert not memory.provenance.author.signature
    assert not seeds.Isnad(vault).verify_signature(memory.provenance.author)


def test_every_call_says_what_it_is() -> None:
    for name in seeds.__all__:
        found = getattr(seeds, name)
        assert found.__doc__
        for _, method in inspect.getmembers(found, inspect.isfunction):
            assert method.__name__.startswith("_") or method.__doc__
