"""`memstore.Vault` on vaults of this machine: every method at least once, and what each promises."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import memstore
from memstore import seeds
from memstore.access import QUOTED
from memstore.adapters.memory_tool import MemoryTool
from memstore.core.short_repr import LONGEST_LINE
from memstore.face.access import VaultAccess, VaultConsents, VaultContexts, VaultEntities
from memstore.face.beliefs import VaultBeliefs, VaultConflicts
from memstore.face.exchange import VaultExchange
from memstore.face.forward import CHECKS, Forward, arguments_of
from memstore.face.lineage import VaultHistory, VaultLineage
from memstore.face.stacks import VaultStacks
from memstore.face.trust import VaultTrust
from tests.installed import MEMSTORE

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore import Vault

SEAN, CLAIRE = "human:sean", "human:claire"
FACES = [
    memstore.Vault, memstore.Batch, VaultAccess, VaultBeliefs, VaultConflicts, VaultConsents, VaultContexts,
    VaultEntities, VaultExchange, VaultHistory, VaultLineage, VaultStacks, VaultTrust,
]  # fmt: skip


# -- opened and closed -----------------------------------------------------------------------------


def test_a_vault_is_opened_as_somebody_and_closed(home: Path) -> None:
    with memstore.open_vault(home / "notes", entity=SEAN) as vault:
        assert (vault.path, vault.entity, vault.closed) == (home / "notes", SEAN, False)
        assert repr(vault) == f"<Vault {home / 'notes'} as {SEAN}>"
    assert vault.closed
    assert repr(vault).endswith(", closed>")
    for call in (vault.list, vault.beliefs.suggestions, vault.contexts.present, lambda: vault.search("tea")):
        with pytest.raises(memstore.UsageError, match="was closed"):
            call()
    vault.close()


def test_what_is_no_vault_is_said(home: Path) -> None:
    with pytest.raises(memstore.VaultError) as caught:
        memstore.open_vault(home / "nowhere")
    assert caught.value.hint == f"memstore init {home / 'nowhere'}"
    with pytest.raises(memstore.UsageError, match="not an entity id"):
        memstore.open_vault(home / "notes", entity="sean")


def test_a_vault_that_is_gone_is_not_an_empty_one(home: Path) -> None:
    away = home / "elsewhere"
    with memstore.open_vault(home / "notes", entity=SEAN) as vault:
        note = vault.add("Bella eats at eight.")
        (home / "notes").rename(away)
        before = sorted(away.rglob("*"))
        calls: list[Callable[[], object]] = [
            lambda: vault.search("Bella"),
            vault.list,
            lambda: vault.get(note),
            lambda: vault.add("Bella eats at nine."),
            vault.undo,
            vault.contexts.present,
            lambda: vault.contexts.enter("ctx:park"),
            vault.contexts.leave,
        ]
        for call in calls:
            with pytest.raises(memstore.VaultError, match="is no longer there") as caught:
                call()
            assert caught.value.hint
        assert not (home / "notes").exists()
        assert sorted(away.rglob("*")) == before
        (home / "notes").mkdir()  # as the place is left where a disk was mounted
        with pytest.raises(memstore.VaultError, match="is no longer there"):
            vault.add("Bella eats at nine.")
        (home / "notes").rmdir()
        away.rename(home / "notes")
        assert len(vault.list()) == 1


def test_a_batch_does_not_make_a_vault_that_went_meanwhile(home: Path) -> None:
    vault = memstore.open_vault(home / "notes", entity=SEAN)

    def write() -> None:
        with vault.batch() as batch:
            batch.add("Bella eats at eight.")
            (home / "notes").rename(home / "elsewhere")

    with pytest.raises(memstore.VaultError, match="is no longer there"):
        write()
    assert not (home / "notes").exists()


def test_every_call_sees_the_files_as_they_are(vault: Vault) -> None:
    note = vault.add("Bella eats at eight.")
    path = vault.path / note.path
    path.write_text(path.read_text().replace("eight", "nine"))
    assert vault.get(note).body.strip() == "Bella eats at nine."
    assert [hit.content for hit in vault.search("when does Bella eat")] == ["Bella eats at nine."]
    path.unlink()
    assert len(vault.list()) == 0


def test_a_context_that_ends_stops_the_next_call(home: Path) -> None:
    before = memstore.open_vault(home / "notes", entity=SEAN)
    with (home / "notes/.memstore/config.toml").open("a") as settings:
        settings.write("require_context = true\n")
    with pytest.raises(memstore.RefusedError, match="only in a context"):
        memstore.open_vault(home / "notes", entity=CLAIRE)
    with memstore.open_vault(home / "notes", entity=SEAN, context="ctx:care") as vault:
        assert vault.list().total == 0
    before.contexts.enter("ctx:care")
    with memstore.open_vault(home / "notes", entity=SEAN) as vault:
        assert vault.list().total == 0
        vault.contexts.leave()
        with pytest.raises(memstore.RefusedError, match="only in a context"):
            vault.list()


# -- finding and reading ---------------------------------------------------------------------------


def test_search_gives_hits_to_go_through(vault: Vault) -> None:
    vault.add("Bella eats at eight.", tags=["dog"], source="Sean", confidence=0.9)
    vault.add("Bella sleeps at nine.", type="episode", tags=["dog", "night"])
    hits = vault.search("Bella", limit=5, facets=["tags"])
    assert len(hits) == hits.total == 2
    assert hits[0] in list(hits)
    assert len(hits[:1]) == 1
    assert hits.facets == {"tags": {"dog": 2, "night": 1}}
    assert (hits.fallback, hits.left_out, hits.suggestion) == (None, 0, None)
    assert repr(hits) == "<2 of 2 hits for 'Bella'>"
    one = vault.search("Bella", type="note", min_confidence=0.7)
    assert [hit.content for hit in one] == ["Bella eats at eight."]
    assert vault.search("Bella", type="note", min_confidence=1.0).fallback
    assert [hit.type for hit in vault.search("Bella", type=["note", "episode"], sort="title", by="passage")] == [
        "note", "episode",
    ]  # fmt: skip
    assert not vault.search("unicorn")
    cited = one[0].citation
    assert (vault.path / cited.path).read_text().split("\n")[cited.line_start - 1] == cited.excerpt


def test_search_explains_its_scores_and_what_it_did_not_find(vault: Vault) -> None:
    note = vault.add("Bella eats at eight.")
    (hit,) = vault.search("eats", explain=True)
    assert hit.explanation is not None
    assert sum(part.points for part in hit.explanation.parts) == pytest.approx(hit.relevance, abs=1e-4)
    hits = vault.search("unicorn", explain=note)
    assert hits.why_not is not None
    assert [reason.code for reason in hits.why_not.reasons] == ["no_words"]
    assert vault.search("eats").why_not is None
    with pytest.raises(memstore.NotFoundError):
        vault.search("eats", explain="m_nowhere")


def test_filters_are_those_of_the_command_line(vault: Vault) -> None:
    old = vault.add("Old.", created_at="2020-01-01T00:00:00Z", confidence=0.2, subject_ids=["dog:bella"])
    new = vault.add("New.", type="belief", confidence=0.9, tags=["a"])

    def titles(**which: Any) -> list[str]:
        return [entry.title for entry in vault.list(**which)]

    assert titles() == ["New.", "Old."]
    listed = vault.list()
    assert ([listed[0].title, listed[-1].title], len(listed[:1])) == (["New.", "Old."], 1)
    assert titles(sort="title", limit=1) == ["New."]
    assert titles(until="2020") == titles(until=datetime(2021, 1, 1, tzinfo=UTC)) == ["Old."]
    assert titles(since="2021") == titles(tag="a") == titles(type=["belief"]) == titles(min_confidence=0.5) == ["New."]
    assert titles(subject="dog:bella") == titles(where="confidence < 0.5") == ["Old."]
    where = memstore.Where("confidence", memstore.Operator.AT_LEAST, "0.5")
    assert titles(where=[where, "type = belief"]) == ["New."]
    assert titles(level="attested") == titles(min_trust=0.9) == []
    assert vault.stats(type="belief").total == 1
    vault.archive([old, new])
    assert titles() == []
    assert titles(status="archived") == ["New.", "Old."]


def test_a_memory_is_read_shown_explained_and_cited(vault: Vault) -> None:
    note = vault.add("Bella eats at eight.", type="belief", confidence=0.8)
    memory = vault.get(note)
    assert (memory.body.strip(), memory.confidence, str(memory.ref)) == ("Bella eats at eight.", 0.8, note.ref)
    shown = vault.show(memory)
    assert (shown.ref, shown.memory) == (note.ref, memory)
    assert next(number.name for number in vault.why(shown).numbers) == "confidence"
    cited = vault.cite(note)
    assert vault.cite(cited.text).now == cited.now
    line = cited.now.line_start if cited.now else 0
    assert vault.cite(note, line_start=line).text == cited.text
    recalled = vault.recall("what does Bella eat?", budget=200, profile="memory-recall")
    assert recalled.profile.value == "memory-recall"
    for name in (note.ref, note.path, (note.ref or "")[7:14], memory.ref):
        assert vault.get(name or "") == memory


# -- writing ---------------------------------------------------------------------------------------


def test_a_memory_says_all_that_it_is_given(vault: Vault) -> None:
    seen = vault.add(objective="Breakfast", outcome="eaten", lessons=["be early"], type="episode", session_id="7")
    note = vault.add(
        "Bella eats at eight.", type="belief", title="Breakfast time", tags=["dog"], source="Sean",
        derived_from=[seen], relates_to=[vault.show(seen)], subject_ids=["dog:bella"], context_tags=["care"],
        aliases=["meal"], confidence=0.6, importance="high", keys={"mood": "calm"},
    )  # fmt: skip
    memory = vault.get(note)
    assert (memory.title, memory.tags, memory.aliases) == ("Breakfast time", ("dog",), ("meal",))
    assert (memory.derived_from, memory.relates_to) == ((seen.ref,), (seen.ref,))
    assert (memory.subject_ids, memory.confidence, memory.importance) == (("dog:bella",), 0.6, "high")
    assert dict(vault.show(note).values)["mood"] == "calm"
    assert "- be early" in vault.get(seen).body
    assert vault.get(seen).origin is not None
    assert vault.add("Not written.", dry_run=True).diff
    assert len(vault.list()) == 2


def test_conflicts_come_with_what_is_written(vault: Vault) -> None:
    old = vault.add("Sean likes tea.")
    new = vault.add("Sean dislikes tea.")
    assert [conflict.refs for conflict in new.conflicts] == [(new.ref, old.ref)]
    assert [conflict.conflict_type for conflict in vault.conflicts.open(type="note")] == [
        memstore.ConflictType.CONTRADICTION
    ]
    assert len(vault.conflicts.open(old)) == 1
    assert vault.conflicts.resolve(old, new, keep=new, reason="asked him").kept == new.ref
    assert vault.conflicts.open() == ()
    copies = [vault.add("The vet is in Elm Street."), vault.add("The vet is in Elm Street")]
    assert [(found.ref, found.why) for found in vault.conflicts.candidates(copies[0], limit=2)] == []
    moved = vault.add("The vet moved to Oak Street.")
    found_for = vault.conflicts.candidates(moved, limit=1)
    assert [(one.concerns.ref, one.why) for one in found_for] == [(moved.ref, ("street", "vet"))]
    (found,) = vault.conflicts.duplicates()
    assert {copy.ref for copy in found.copies} == {copy.ref for copy in copies}


def test_a_memory_is_changed_in_place(vault: Vault) -> None:
    note = vault.add("Bella eats at eight-ish.", tags=["dog"])
    assert vault.edit(note, "Bella eats at eight.", title="Breakfast").ref == note.ref
    assert vault.tag(note, add=["food", "a, b"], remove=["dog"]).changed
    assert vault.set(note, confidence=0.8, importance="high", aliases=["a, b", 'say "c"'], foundational=None).changed
    memory = vault.get(note)
    assert (memory.title, memory.body.strip()) == ("Breakfast", "Bella eats at eight.")
    assert memory.tags == ("food", "a, b")
    assert (memory.confidence, memory.importance, memory.aliases) == (0.8, "high", ("a, b", 'say "c"'))
    assert vault.set(note, importance=None).changed
    assert vault.get(note).importance is None
    moved = vault.move(note, "kitchen/breakfast.md")
    assert (vault.get(moved).body.strip(), moved.path) == ("Bella eats at eight.", "kitchen/breakfast.md")
    assert vault.get(moved).path == "kitchen/breakfast.md"


def test_links_are_followed_both_ways_and_names_read(vault: Vault) -> None:
    tea = vault.add("Steep for two minutes.", title="Green tea")
    pot = vault.add("For [[green tea]] and [[Nowhere]].", title="The small pot")
    found = vault.links("The small pot")
    assert [link.target and link.target.ref for link in found.outgoing] == [tea.ref, None]
    assert [(link.source.ref, link.written) for link in vault.links(tea).incoming] == [(pot.ref, "[[green tea]]")]
    assert vault.get("green tea").title == "Green tea"
    with pytest.raises(memstore.NotFoundError):
        vault.access.grant("Green tea", to="*")


def test_memories_are_made_of_memories(vault: Vault) -> None:
    raw = vault.add("Claire yawned at four.", type="raw")
    made = vault.promote(raw, "belief", text="Claire tires early.", confidence=0.5, tags=["claire"])
    assert vault.get(made).derived_from == (raw.ref,)
    told = vault.promote(vault.add("We merged.", type="raw"), "episode", objective="Merge", lessons=["ask early"])
    assert vault.get(told).title == "Merge"
    heir = vault.supersede(made, "Claire tires after lunch.", reason="it was lunch", since="2026-02-01", tags=["x"])
    assert (vault.get(made).status, vault.get(heir).supersedes) == ("superseded", (made.ref,))
    assert [saved.changed for saved in vault.archive(heir, reason="old")] == [True]
    assert [saved.changed for saved in vault.restore(heir)] == [True]


def test_what_may_go_is_let_out_and_what_must_go_is_forgotten(vault: Vault, tmp_path: Path) -> None:
    secret = vault.add("Bella has a heart murmur.", subject_ids=["dog:bella"])
    learnt = "Small breeds with a murmur tire early."
    assert vault.access.check_generalization(secret, learnt).verdict.safe
    assert not vault.access.check_generalization([secret], "Bella tires early.").verdict.safe
    with pytest.raises(memstore.RefusedError, match="subject entity name"):
        vault.access.generalize(secret, "Bella tires early.", access="human:claire")
    general = vault.access.generalize(secret, learnt, access="human:claire", commit=True).saved
    folder = tmp_path / "for-claire"
    assert vault.stacks.share(folder, to="human:claire", dry_run=True).commit is None
    assert vault.stacks.share(folder, to="human:claire").new == (general.path,)
    assert [one.is_current for one in vault.stacks.shared()] == [True]
    vault.add("The gate is broken.", access_grants=["human:claire"])
    assert len(vault.stacks.update("for-claire").new) == 1
    subprocess.run([MEMSTORE, "init", tmp_path / "claires", "--owner", "human:claire"], check=True, capture_output=True)
    with memstore.open_vault(tmp_path / "claires", entity="human:claire") as claires:
        assert claires.stacks.load(folder).name == "for-claire"
        assert [one.name for one in claires.stacks.loaded()] == ["for-claire"]
        assert [hit.content for hit in claires.search("murmur")] == [learnt]
        assert [entry.title for entry in seeds.Kernle(claires).load_shared_stack("for-claire", "human:claire")]
        claires.stacks.unload("for-claire")
        assert len(claires.search("murmur")) == 0
    with pytest.raises(memstore.RefusedError, match="1 memory rests on"):
        vault.forget(secret)
    done = vault.forget(secret, detach=True, commit=True)
    assert ([one.ref for one in done.tombstones], done.detached[0].ref) == ([secret.ref], general.ref)
    purged = vault.history.purge(secret, tmp_path / "clean")
    assert (purged.folder, purged.still) == (tmp_path / "clean", ())


def test_the_vault_as_a_whole(vault: Vault) -> None:
    (vault.path / "loose.md").write_text("A note of nobody's.\n")
    assert [one.path for one in vault.status().uncommitted] == ["loose.md"]
    assert [saved.path for saved in vault.adopt(["loose.md"], type="observation").saved] == ["loose.md"]
    note = vault.add("Bella barks.")
    assert vault.check().files == 2
    assert vault.check([note.path], fix=True).findings == ()
    first = vault.commit(note, message="Bella barks")
    assert (first.refs, first.message.splitlines()[0]) == ((note.ref,), "Bella barks")
    assert vault.commit().commit
    assert vault.commit().commit is None
    assert [line.commit is not None for line in vault.history.log(note, limit=1).lines] == [True]
    assert vault.history.blame(note).body[-1].commit
    vault.tag(note, add=["loud"])
    assert [one.verb for one in vault.history.diff(note).memories] == ["edit"]
    assert vault.history.diff(old="HEAD~1", new="HEAD").memories
    assert vault.undo().verb == "tag"
    assert vault.get(note).tags == ()


def test_a_commit_is_made_where_it_is_asked_for(vault: Vault) -> None:
    assert vault.add("Bella barks.", commit=True).commit
    assert vault.status().uncommitted == ()


# -- the capabilities ------------------------------------------------------------------------------


def test_beliefs(vault: Vault) -> None:
    held = vault.add("Bella limps on stairs and in the cold.", type="belief", confidence=0.7)
    seen, other = (vault.add(f"She limped, {i}.", type="episode", session_id=str(i)) for i in range(2))
    done = vault.beliefs.reinforce(held, evidence=[seen, other], reason="twice")
    assert done.new > done.old == 0.7
    assert vault.beliefs.reinforce(held, evidence=seen.ref or "").counted_before == (seen.ref,)
    against = vault.add("She ran.", type="episode")
    assert vault.beliefs.contradict(held, evidence=against).new < done.new
    assert vault.beliefs.calibrate().predictions
    assert vault.beliefs.recompute(held, check=True).unequal == vault.beliefs.recompute().unequal == ()
    assert vault.beliefs.rebuild().differing == ()
    assert vault.beliefs.propagate(held).plan.steps == ()
    assert vault.beliefs.revise_from(seen) == ()
    parts = vault.beliefs.split(
        held, ("Stairs make Bella limp.", "Cold makes Bella limp."), first=seen, second=[other, against]
    )
    joined = vault.beliefs.merge([parts, parts.others[0]], reason="it is one thing")
    assert joined.saved.changed
    vault.commit()
    assert vault.beliefs.fold(joined).changed
    assert not vault.beliefs.consolidate().suggestions
    assert vault.beliefs.suggestions() == ()
    for decide in (vault.beliefs.accept, vault.beliefs.reject):
        with pytest.raises(memstore.NotFoundError):
            decide("belief:m_nothing00")
    assert vault.beliefs.graduate() == ()
    assert vault.beliefs.compress().saved == ()


def test_lineage(vault: Vault) -> None:
    raw = vault.add("Claire yawned.", type="raw")
    held = vault.add("Claire tires early.", type="belief", derived_from=[raw])
    assert [node.key for node in vault.lineage.trace(held, depth=1).nodes] == [held.ref, raw.ref]
    assert held.ref in [node.key for node in vault.lineage.trace(raw, reverse=True, limit=5).nodes]
    assert [harmed.node.key for harmed in vault.lineage.impact(raw).lost] == [held.ref]
    assert [link.ref for link in vault.lineage.expand(held, full=True).links] == [raw.ref]
    assert vault.lineage.orphans(limit=3).dangling == ()
    assert vault.lineage.fix(dry_run=True).dry_run


def test_access_consents_contexts_and_entities(vault: Vault) -> None:
    vault.entities.add("dog:bella", aliases=["Bella"], guardians=[CLAIRE])
    vault.entities.alias("dog:bella", "Bells")
    vault.entities.guardian("dog:bella", SEAN)
    assert vault.entities.list()[0].guardians == (CLAIRE, SEAN)
    vault.entities.add_members("group:vets", ["vet:smith", "vet:jones"])
    vault.entities.remove_members("group:vets", "vet:jones")
    assert [group.id for group in vault.entities.groups()] == ["group:vets"]

    note = vault.add("Bella has a murmur.", subject_ids=["dog:bella"])
    with pytest.raises(memstore.RefusedError, match="consent"):
        vault.access.grant(note, to="si:vet")
    shared = vault.access.grant(note, to="si:vet", consent=SEAN)
    assert (shared.grants, shared.ref) == (("si:vet",), note.ref)
    assert vault.access.explain(note, "si:vet").allowed
    assert [one.ref for one in vault.access.audit(entity="si:vet")] == [note.ref]
    assert [seer.entity for one in vault.access.audit(memory=note) for seer in one.seen_by] == ["si:vet"]
    assert [one.ref for one in vault.access.audit(subject="dog:bella")] == [note.ref]
    assert "si:vet" in vault.access.report()
    vault.commit()
    assert vault.access.revoke(note, whom="si:vet").grants == ()
    assert [change.ref for change in vault.access.diff()] == [note.ref]
    assert "privacy revoke" in [event.event for event in vault.access.trail(limit=9)]
    assert vault.access.verify_trail().findings == ()

    given = vault.consents.grant(SEAN, "si:luna", "subject:dog:bella", reason="asked", expires="30d")
    vault.consents.refuse(SEAN, "si:max", "subject:dog:bella")
    vault.consents.delegate(SEAN, CLAIRE, "source:human:sean", expires="30d")
    vault.consents.request("human:dana", "si:b", "ctx:school", note="May we?")
    vault.consents.revoke(given.id, by=SEAN)
    assert {one.kind for one in vault.consents.list()} == {"consent", "refusal", "delegation", "request"}

    vault.contexts.add("ctx:care", roster=[SEAN, "si:vet"], roles={"si:vet": ["care_agent"]})
    assert [context.id for context in vault.contexts.list()] == ["ctx:care"]
    assert vault.contexts.enter("ctx:care", participants=[SEAN]).registered
    present = vault.contexts.present()
    assert present.context is not None
    assert vault.contexts.leave() == "ctx:care"
    assert [one.context for one in vault.contexts.suggest("si:vet says care")] == ["ctx:care"]


def test_trust(vault: Vault, key: Path) -> None:
    vault.trust.add_key(SEAN, str(key) + ".pub")
    note = vault.add("Claire answers in the evening.", access_grants=["si:pith"])
    signed = vault.trust.sign(note, key=str(key))
    assert signed.verdict.state is memstore.State.VALID
    assert vault.trust.of(signed, profile="isnad-0.1").trust.score == 0.3
    vault.commit()
    assert vault.trust.anchor(note).anchored
    assert vault.trust.anchor(note, type="url", reference="https://example.org/1").saved.changed
    with pytest.raises(memstore.UsageError, match="a reference is needed"):
        vault.trust.anchor(note, type="url")
    request = vault.trust.request_witness(note, asked="si:pith", notes="did you see it?")
    assert (vault.path / request.path).is_file()
    with pytest.raises(memstore.RefusedError):
        vault.trust.witness(note, "confirm", key=str(key))
    with pytest.raises(memstore.MemstoreError):
        vault.trust.resolve(note, "upheld", key=str(key))
    with pytest.raises(memstore.FormatError):
        vault.trust.accept_answer(note, b"{}")
    assert [one["id"] for one in vault.trust.export(note)] == [one["id"] for one in vault.trust.export()]
    (known,) = vault.trust.keys().keys
    assert vault.trust.pin(dry_run=True).commit
    with pytest.raises(memstore.MemstoreError):
        vault.trust.rotate_key(SEAN, str(key) + ".pub")
    assert vault.trust.revoke_key(SEAN).entity == SEAN
    assert vault.trust.unpin().commit is None
    assert known.signer


# -- what a program gets wrong ---------------------------------------------------------------------

WRONG: list[Callable[[Any, Any], object]] = [
    lambda v, _: v.add("x", tags="dog"),
    lambda v, n: v.add("x", derived_from=n.ref),
    lambda v, _: v.add("x", type="episode", lessons="one"),
    lambda v, _: v.add("x", tag=["dog"]),
    lambda v, _: v.add("x", author="human:x"),
    lambda v, n: v.tag(n, add="dog"),
    lambda v, _: v.search("x", facets="tags"),
    lambda v, _: v.search("x", tags="dog"),
    lambda v, _: v.list(tipe="note"),
    lambda v, _: v.list(since=datetime(2026, 1, 1)),  # noqa: DTZ001 -- the point of it
    lambda v, _: v.check("notes"),
    lambda v, _: v.get(7),
    lambda v, _: v.archive([7]),
    lambda v, n: v.edit(n, "y", comit=True),
    lambda v, n: v.set(n, tags="dog"),
    lambda v, n: v.beliefs.split(n, "ab"),
    lambda v, _: v.contexts.enter("ctx:x", participants=SEAN),
    lambda v, _: v.contexts.add("ctx:x", roster=SEAN),
    lambda v, _: v.entities.add("dog:x", aliases="X"),
    lambda v, _: v.consents.grant("a", "b", "c", why="x"),
    lambda v, n: v.trust.witness(n, "confirm", aspects="title"),
]


def test_a_slip_of_the_program_is_a_type_error_and_writes_nothing(vault: Vault) -> None:
    note = vault.add("Bella barks.")
    before = {path: path.read_bytes() for path in vault.path.rglob("*.md")}
    for wrong in WRONG:
        with pytest.raises(TypeError):
            wrong(vault, note)
    assert {path: path.read_bytes() for path in vault.path.rglob("*.md")} == before


@pytest.mark.parametrize(
    ("named", "call"),
    [
        ("text", lambda v, wrong: v.add(wrong)),
        ("query", lambda v, wrong: v.search(wrong)),
        ("prompt", lambda v, wrong: v.recall(wrong)),
        ("text", lambda v, wrong: v.edit(v.add("Bella barks."), wrong)),
        ("text", lambda v, wrong: v.supersede(v.add("Bella barks."), wrong)),
        ("text", lambda v, wrong: v.access.generalize(v.add("Bella barks."), wrong, access="*")),
    ],
)
def test_what_is_no_text_is_named(vault: Vault, named: str, call: Callable[[Vault, Any], object]) -> None:
    for wrong in (1, 2.5, b"Bella", ["Bella"]):
        with pytest.raises(TypeError, match=rf"^{named} is a text, not {type(wrong).__name__}"):
            call(vault, wrong)


def test_none_is_no_text(vault: Vault) -> None:
    calls: list[Callable[[Any], object]] = [vault.add, vault.search, vault.recall]
    for call in calls:
        with pytest.raises(TypeError, match="is a text, not None"):
            call(None)


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("named", "call"),
    [
        ("limit", lambda v, _, wrong: v.search("Bella", limit=wrong)),
        ("limit", lambda v, _, wrong: v.list(limit=wrong)),
        ("budget", lambda v, _, wrong: v.recall("Bella", budget=wrong)),
        ("depth", lambda v, n, wrong: v.lineage.trace(n, depth=wrong)),
        ("limit", lambda v, n, wrong: v.lineage.trace(n, limit=wrong)),
        ("limit", lambda v, n, wrong: v.lineage.impact(n, limit=wrong)),
        ("limit", lambda v, _, wrong: v.lineage.orphans(limit=wrong)),
        ("limit", lambda v, _, wrong: v.history.log(limit=wrong)),
        ("limit", lambda v, _, wrong: v.access.trail(limit=wrong)),
        ("depth", lambda v, n, wrong: v.beliefs.propagate(n, depth=wrong)),
        ("line_start", lambda v, n, wrong: v.cite(n, line_start=wrong)),
        ("line_end", lambda v, n, wrong: v.cite(n, line_start=1, line_end=wrong)),
    ],
)
def test_what_is_no_whole_number_is_named(vault: Vault, named: str, call: Callable[[Vault, Any, Any], object]) -> None:
    note = vault.add("Bella barks.")
    for wrong in ("x", 2.5, True, -1, b"5"):
        expected = rf"^{named} is {re.escape(repr(wrong))}, not a whole number"
        with pytest.raises(memstore.UsageError, match=expected) as caught:
            call(vault, note, wrong)
        assert named in (caught.value.hint or "")


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("named", "call"),
    [
        ("since is 5", lambda v: v.search("Bella", since=5)),
        ("until is 5", lambda v: v.list(until=5)),
        ("at is 5", lambda v: v.search("Bella", at=5)),
        ("at is 5", lambda v: v.list(at=5)),
        ("at is 5", lambda v: v.stats(at=5)),
        ("at is 5", lambda v: v.show(v.add("x"), at=5)),
        ("tag has 5", lambda v: v.list(tag=5)),
        ("tag has 5", lambda v: v.list(tag=["a", 5])),
        ("where has 5", lambda v: v.list(where=5)),
        ("there is no prompt", lambda v: v.recall("")),
        ("there is no prompt", lambda v: v.recall(" \n")),
    ],
)
def test_what_can_be_neither_filter_nor_prompt_is_named(
    vault: Vault, named: str, call: Callable[[Vault], object]
) -> None:
    with pytest.raises(memstore.UsageError, match=f"^{named}") as caught:
        call(vault)
    assert caught.value.hint


@pytest.mark.soak(3)
@pytest.mark.parametrize("key", ["created_at", "valid_from", "valid_until"])
@pytest.mark.parametrize("wrong", [datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC).date()])
def test_a_time_in_a_file_is_a_text(vault: Vault, key: str, wrong: Any) -> None:
    note = vault.add("Bella eats at eight.")
    keys: Any = {key: wrong}
    calls: list[Callable[[], object]] = [
        lambda: vault.add("Bella eats at nine.", **keys),
        lambda: vault.promote(note, "belief", **keys),
        lambda: vault.set(note, **keys),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=rf"^{key} is a text like '2026-02-01T00:00:00Z', not a date"):
            call()
    assert len(vault.list()) == 1


def test_an_unknown_name_says_what_may_be_meant(vault: Vault) -> None:
    with pytest.raises(TypeError, match=r"add\(\) got an unexpected keyword argument 'tag'; did you mean tags\?"):
        vault.add("x", tag=["dog"])  # type: ignore[call-arg]


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("method", "named"),
    [("search", {"sort": "best"}), ("search", {"by": "line"}), ("search", {"limit": 0}), ("search", {"level": "good"}),
     ("search", {"type": "nothing"}), ("recall", {"profile": "x"})],
)  # fmt: skip
def test_a_word_that_means_nothing_is_a_usage_error(vault: Vault, method: str, named: dict[str, Any]) -> None:
    with pytest.raises(memstore.UsageError):
        getattr(vault, method)("tea", **named)


# -- privacy ---------------------------------------------------------------------------------------


def test_somebody_else_sees_and_alters_nothing_that_is_hidden(home: Path, vault: Vault) -> None:
    own = vault.add("Bella has a murmur.", tags=["secret"])
    vault.add("Bella should rest.", derived_from=[own])
    seen = vault.add("Dogs love fetch.", access_grants=["*"])
    claires = memstore.open_vault(home / "notes", entity=CLAIRE)
    before = (vault.path / own.path).read_bytes()
    assert [entry.ref for entry in claires.list()] == [seen.ref]
    assert not claires.search("murmur")
    hidden: list[Callable[[Any], object]] = [
        claires.get, claires.why, claires.cite, claires.beliefs.fold, claires.lineage.trace, claires.trust.of,
        claires.conflicts.open, lambda ref: claires.tag(ref, add=["x"]), lambda ref: claires.access.grant(ref, to="*"),
        lambda ref: claires.add("x", derived_from=[ref]), claires.archive,
    ]  # fmt: skip
    for call in hidden:
        with pytest.raises(memstore.NotFoundError) as there:
            call(own)
        with pytest.raises(memstore.NotFoundError) as nowhere:
            call("note:m_nowhere000")
        assert str(there.value).replace(own.ref or "", "X") == str(nowhere.value).replace("note:m_nowhere000", "X")
    with pytest.raises(memstore.NotFoundError), claires.batch() as batch:
        batch.add("x", derived_from=[own])
    refused: list[Callable[[], object]] = [
        lambda: claires.tag(seen, add=["x"]), claires.history.log, lambda: claires.list(at="HEAD"),
    ]  # fmt: skip
    for deed in refused:
        with pytest.raises(memstore.RefusedError):
            deed()
    assert (vault.path / own.path).read_bytes() == before


# -- what is imported, and how it looks -------------------------------------------------------------


def test_importing_costs_nothing_before_something_is_asked_for() -> None:
    code = "import sys, memstore; print(*[m for m in sys.modules if m.startswith('memstore')])"
    done = subprocess.run([str(Path(_python())), "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["memstore"]


def _python() -> str:
    import sys

    return sys.executable


def methods_of(kind: type) -> dict[str, Callable[..., object]]:
    """Return the public methods of a class, as `help` finds them."""
    found = {name: getattr(kind, name) for name in vars(kind) if not name.startswith("_")}
    return {name: method for name, method in found.items() if inspect.isfunction(method)}


@pytest.mark.parametrize("kind", FACES, ids=lambda kind: kind.__name__)
def test_every_type_of_the_face_is_importable_from_memstore(kind: type) -> None:
    builtin = {"Any", "Path", "Sequence", "Iterator", "Self", "Callable", "None", "View", "VaultView", "Workspace"}
    typing = {"Mapping", "Unpack", "Document"}
    for name, method in methods_of(kind).items():
        signature = inspect.signature(method)
        written = " ".join(map(str, (one.annotation for one in signature.parameters.values())))
        named = set(re.findall(r"\b[A-Z]\w+", f"{written} {signature.return_annotation}"))
        assert named <= {*memstore.__all__} | builtin | typing, name


@pytest.mark.parametrize("kind", FACES, ids=lambda kind: kind.__name__)
def test_help_says_what_every_method_is_for(kind: type) -> None:
    for name, method in methods_of(kind).items():
        told = inspect.getdoc(method) or ""
        assert told.split("\n")[0].endswith((".", "`.", ":")), name
        assert not re.search(r"\n *view: |>>>|Args:\s*(Raises|$)", told), name
        assert "view" not in inspect.signature(method).parameters
        assert (method.__name__, method.__qualname__) == (name, f"{kind.__name__}.{name}")


def test_help_shows_a_forwarded_method_as_one_of_its_class() -> None:
    shown = pydoc.plain(pydoc.render_doc(VaultAccess))
    assert "grant(self, memory: 'Named', to: 'OneOrMore', consent: 'OneOrMore' = (), *, acknowledge: " in shown
    assert "consent: who is said to consent; recorded for this memory and these grantees." in shown


def test_each_argument_of_a_forwarded_method_is_checked_by_its_annotation_or_needs_no_check() -> None:
    forwarded = [one for kind in FACES for one in vars(kind).values() if isinstance(one, Forward)]
    assert len(forwarded) > 60
    written = {annotation for one in forwarded for annotation in arguments_of(one.use_case).values()}
    assert written - set(CHECKS) == {
        "Named", "Named | None", "Names", "Names | None", "bool", "bytes", "bytes | None", "float | None",
        "datetime | None", "Synthesizer | None", "Mapping[str, Sequence[str]]", "str | Sequence[str]", "str | datetime",
        "str | float", "str | Where | Sequence[str | Where]",
    }  # fmt: skip


def test_a_repr_fits_on_a_line(vault: Vault) -> None:
    saved = vault.add("Bella eats at eight and " * 30, type="belief", confidence=0.7, tags=["dog"] * 20)
    seen = vault.add("Bella ate. " * 20, type="episode", title="T" * 300)
    vault.commit()
    values = [
        saved, vault, vault.search("Bella"), vault.search("Bella")[0], vault.search("Bella").answer, vault.list(),
        vault.list().entries[0], vault.get(saved), vault.show(saved), vault.why(saved), vault.cite(saved),
        vault.recall("Bella"), vault.status(), vault.stats(), vault.check(), vault.batch(),
        vault.beliefs.reinforce(saved, evidence=seen), vault.lineage.trace(saved), vault.lineage.orphans(),
        vault.lineage.expand(saved), vault.trust.of(saved), vault.history.log(), vault.history.diff(),
        vault.access.grant(saved, to="*"), vault.access.report(), vault.undo(), vault.commit(),
        vault.contexts.present(), vault.trust.keys(), vault.supersede(saved, "x"), seeds.Isnad,
    ]  # fmt: skip
    for value in values:
        line = repr(value)
        assert "\n" not in line
        assert len(line) <= max(LONGEST_LINE, len(str(vault.path)) + 40) or isinstance(value, dict), line


LONG = 5000 * "n"


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "call",
    [
        lambda vault: vault.get(LONG),
        lambda vault: vault.get(f"note:{LONG}"),
        lambda vault: vault.list(type=LONG),
        lambda vault: vault.list(since=LONG),
        lambda vault: vault.search("Bella", where=[f"{LONG} ! x"]),
        lambda vault: vault.add("Tea.", derived_from=[f"note:{LONG}"]),
        lambda vault: vault.set(LONG, tags=["dog"]),
        lambda vault: vault.beliefs.reinforce(LONG, evidence=[LONG]),
        lambda vault: vault.lineage.trace(LONG),
        lambda vault: vault.lineage.impact([LONG]),
        lambda vault: vault.access.explain(LONG, LONG),
        lambda vault: vault.conflicts.resolve(LONG, LONG, keep=LONG),
        lambda vault: vault.history.log(LONG),
        lambda vault: vault.trust.of(LONG),
        lambda vault: vault.exchange.import_from(LONG, "x.json"),
        lambda vault: vault.contexts.enter(LONG),
        lambda vault: memstore.open_vault(vault.path / LONG[:200] / LONG[:200], entity=LONG),
    ],
)
def test_no_error_repeats_a_long_argument(vault: Vault, call: Callable[[Vault], object]) -> None:
    with pytest.raises(memstore.MemstoreError) as caught:
        call(vault)
    told = f"{caught.value}{caught.value.message}{caught.value.args}{caught.value.hint}"
    assert len(told) < 2000
    assert LONG[:300] not in told


@pytest.mark.parametrize("kind", [memstore.Vault, seeds.Kernle, MemoryTool])
def test_what_takes_a_vault_says_how_one_is_opened(kind: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r"memstore\.open_vault\("):
        kind(".")


def test_python_writes_no_nul_either(vault: Vault) -> None:
    note = vault.add("Bella eats at eight.")
    for call in (
        lambda: vault.add("Bella\0"),
        lambda: vault.edit(note, "Bella\0"),
        lambda: vault.supersede(note, "Bella\0"),
        lambda: vault.promote(vault.add("Bella", type="raw"), "note", text="Bella\0"),
    ):
        with pytest.raises(memstore.MemstoreError, match=r"U\+0000") as caught:
            call()
        assert "U+0000" in (caught.value.hint or "")


def test_settings_that_decide_who_sees_what_count_from_the_next_call_on(home: Path) -> None:
    settings = home / "notes/.memstore/config.toml"
    with memstore.open_vault(home / "notes", entity=SEAN, alone=True) as vault:
        vault.add("Bella eats at eight.")
        (home / "notes/loose.md").write_text("Bella is loose.\n")
        assert len(vault.search("Bella")) == 2
        before = settings.read_text()
        settings.write_text(before.replace(SEAN, CLAIRE))
        assert (vault.entity, len(vault.search("Bella"))) == (SEAN, 0)
        settings.write_text(f"{before}require_context = true\n".replace(SEAN, CLAIRE))
        for call in (vault.list, lambda: vault.search("Bella"), vault.signing().list):
            with pytest.raises(memstore.RefusedError, match="only in a context"):
                call()
        settings.write_text("owner = [\n")
        for _ in range(2):
            with pytest.raises(memstore.FormatError):
                vault.list()
        settings.write_text(before)
        assert len(vault.search("Bella")) == 2


def test_a_roster_that_somebody_else_changes_counts_from_the_next_call_on(vault: Vault) -> None:
    vault.contexts.add("ctx:care", roster=[SEAN, CLAIRE])
    vault.add("Bella eats at eight.", access_grants=["ctx:care"])
    with memstore.open_vault(vault.path, entity=CLAIRE, context="ctx:care") as claires:
        assert len(claires.search("Bella")) == 1
        registered = next((vault.path / "contexts").iterdir())
        registered.write_text(
            "".join(line for line in registered.read_text().splitlines(keepends=True) if CLAIRE not in line)
        )
        assert len(claires.search("Bella")) == 0


def test_who_acts_stays_who_it_was_when_the_owner_changes(home: Path) -> None:
    settings = home / "notes/.memstore/config.toml"
    with memstore.open_vault(home / "notes") as vault:
        note = vault.add("Bella eats at eight.", owner=SEAN)
        settings.write_text(settings.read_text().replace(SEAN, CLAIRE))
        vault.list()
        assert vault.view().actor == vault.entity == SEAN
        assert vault.get(note).body.strip() == "Bella eats at eight."


def test_the_users_own_settings_count_from_the_next_call_on(home: Path) -> None:
    own = home / "config/memstore/config.toml"
    with memstore.open_vault(home / "notes", entity=SEAN) as vault:
        note = vault.add("Bella eats at eight.")
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text('entity = "human:claire"\nvault = "/nowhere"\n')
        assert vault.get(note).body.strip() == "Bella eats at eight."
        own.write_text("entity = \n")
        with pytest.raises(memstore.FormatError, match="your settings are needed"):
            vault.list()


def test_what_a_vault_has_shown_is_remembered_when_settings_change(home: Path) -> None:
    settings = home / "notes/.memstore/config.toml"
    with memstore.open_vault(home / "notes", entity=SEAN) as vault:
        shown = vault.view().of(QUOTED)
        settings.write_text(settings.read_text() + "auto_commit = false\n")
        vault.list()
        assert vault.view().of(QUOTED) is shown
