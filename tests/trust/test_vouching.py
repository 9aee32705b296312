"""Signing, witnessing and trust, with real keys: what counts, and every attack that must not."""

from __future__ import annotations

import hashlib
import json
import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import pytest

from memstore.access.consents import consents
from memstore.core.config import Config
from memstore.core.errors import FormatError, NotFoundError, RefusedError, UsageError, VaultError
from memstore.core.keys import TRUST_LEVELS
from memstore.face.trust import VaultTrust
from memstore.history import HISTORY
from memstore.history.git_history import GitHistory
from memstore.memories.create import create_memory, query_memories
from memstore.memories.listing import list_memories
from memstore.memories.search import Wish, search
from memstore.memories.show import show_memory
from memstore.memories.why import why
from memstore.search import DERIVED
from memstore.search.clauses import Filters
from memstore.trust import PINS, SIGNATURES, witness_request
from memstore.trust.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE, REVOKED_KEYS
from memstore.trust.pages import WebPage
from memstore.trust.score import Level, Trust, TrustProfile
from memstore.trust.sign import digest_page, envelope, payload, resolve, sign, signature, witness
from memstore.trust.signatures import SshSignatures
from memstore.trust.trust import trust_of
from memstore.trust.verify_anchors import look_again
from memstore.trust.witness_request import accept_answer, answer_request, request_witness
from memstore.vault.check import check
from memstore.vault.status import undo
from tests import timestamps
from tests.absent import NoPins
from tests.attested_vault import (
    BABEL,
    CLAIRE,
    MEMORY,
    PATH,
    PITH,
    babels_vault,
    edit,
    make_keys,
    put,
    resolved,
    states,
    text,
    witnessed,
)  # fmt: skip
from tests.git_repositories import git, repository
from tests.memory_workspace import files_of
from tests.support import TickClock
from tests.trust.test_known_verdicts import KeptInMemory

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.core.memory import Anchor
    from memstore.core.view import View
    from memstore.search.local_state import DerivedCache
    from memstore.trust.pages import WebPages
    from memstore.trust.user_pins import UserPins
    from memstore.vault.workspace import Workspace


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def vault(keys: Path) -> Workspace:
    return babels_vault(keys)


# -- what counts ---------------------------------------------------------------------------------


def test_signature_and_witness_count_and_are_explained(vault: Workspace, keys: Path) -> None:
    assert sign(vault.view(), PATH, key=str(keys / "babel")).verdict.counts
    witnessed(vault, keys, PITH)
    found = trust_of(vault.view(), PATH)
    assert states(vault) == ["valid", "valid"]
    assert (found.trust.score, found.trust.level.word) == (0.5, "attested")
    assert [(term.name, term.points) for term in found.trust.terms] == [
        ("signature", 200),
        ("witness", 200),
        ("reputation", 100),
    ]
    assert found.unsigned == ("confidence",)
    edit(vault, "confidence: 0.9", "confidence: 0.9\nbody: not the text\ncontent: what I say")
    assert trust_of(vault.view(), PATH).unsigned == ("confidence", "body", "content")


def test_a_dispute_is_shown_and_takes_away(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    witnessed(vault, keys, PITH)
    witnessed(vault, keys, CLAIRE, "dispute", notes="I was there, and it was storage.")
    found = trust_of(vault.view(), PATH).trust
    assert (found.score, found.level.word, found.contested) == (0.35, "attested", True)


def test_the_latest_word_of_a_witness_counts(vault: Workspace, keys: Path) -> None:
    witnessed(vault, keys, PITH, "dispute")
    witnessed(vault, keys, PITH, "confirm")
    assert states(vault) == ["unsigned", "excluded", "valid"]


def test_signing_twice_changes_nothing(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    before = text(vault)
    assert not sign(vault.view(), PATH, key=str(keys / "babel")).saved.changed
    assert text(vault) == before


def test_a_signature_adds_one_line_and_a_dry_run_none(vault: Workspace, keys: Path) -> None:
    assert sign(vault.view(), PATH, key=str(keys / "babel"), dry_run=True).saved.changed
    assert text(vault) == MEMORY
    sign(vault.view(), PATH, key=str(keys / "babel"))
    added = [line for line in text(vault).splitlines() if line not in MEMORY.splitlines()]
    assert len(added) == 1
    assert added[0].startswith('signature: {by: "si:babel", at: "2026-')


def test_what_a_signature_does_not_cover_may_change(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    edit(vault, "confidence: 0.9", "confidence: 0.2\nmood: curious\naccess_grants: [human:sean]  # he asked")
    edit(vault, "[synthesis, memory]", "\n  - memory\n  - synthesis")
    put(vault, text(vault).replace("\n", "\r\n"))
    assert states(vault) == ["valid"]


def test_what_changed_is_named(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    edit(vault, "source: deep thinking", "source: a dream")
    assert trust_of(vault.view(), PATH).vouched.signature.reason == "provenance changed since"
    edit(vault, "isn't", "is")
    assert trust_of(vault.view(), PATH).vouched.signature.reason == "content and provenance changed since"
    assert sign(vault.view(), PATH, key=str(keys / "babel")).verdict.counts


def test_attestations_can_be_taken_elsewhere(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    witnessed(vault, keys, PITH)
    assert payload(vault.view(), PATH).startswith(b"DSSEv1 28 application/vnd.in-toto+json ")
    assert payload(vault.view(), PATH, by=PITH) != payload(vault.view(), PATH)
    assert signature(vault.view(), PATH, by=PITH).startswith("-----BEGIN SSH SIGNATURE-----\n")
    assert envelope(vault.view(), PATH)["signatures"][0]["keyid"].startswith("SHA256:")


# -- attacks -------------------------------------------------------------------------------------


def moved(ws: Workspace) -> None:
    edit(ws, "platform: clawdbot\n", "")
    edit(ws, "source: deep thinking", "source: clawdbot")


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        (lambda ws: edit(ws, "isn't where", "is where"), ["stale", "stale"]),
        (moved, ["stale", "stale"]),
        (lambda ws: edit(ws, "id: m_1snad0000x", "id: m_st01en000x"), ["invalid", "invalid"]),
        (lambda ws: edit(ws, "attestation: confirm", "attestation: dispute"), ["valid", "invalid"]),
        (lambda ws: edit(ws, 'witnessed_at: "2026-02', 'witnessed_at: "2026-01'), ["valid", "invalid"]),
        (lambda ws: edit(ws, 'at: "2026-02', 'at: "2026-01'), ["invalid", "invalid"]),
        (lambda ws: edit(ws, 'agent_id: "si:pith"', 'agent_id: "human:claire"'), ["valid", "invalid"]),
        (lambda ws: edit(ws, 'agent_id: "si:pith"', 'agent_id: "si:p1th"'), ["valid", "invalid"]),
        (lambda ws: edit(ws, 'by: "si:babel"', 'by: "si:pith"'), ["invalid", "valid"]),
        (lambda ws: edit(ws, "author: si:babel", "author: si:pith"), ["invalid", "stale"]),
        (lambda ws: put(ws, re.sub(r'(agent_id.*)sig: "[^"]*"', r'\1sig: "U1NIU0lH"', text(ws))), ["valid", "invalid"]),
        (lambda ws: put(ws, re.sub(r'(agent_id.*), sig: "[^"]*"', r"\1", text(ws))), ["valid", "unsigned"]),
        (lambda ws: put(ws, re.sub(r"(  - \{agent_id.*\n)", r"\1\1", text(ws))), ["valid", "excluded", "valid"]),
    ],
)
def test_an_attack_adds_nothing(attack: object, expected: list[str], vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    witnessed(vault, keys, PITH)
    before = trust_of(vault.view(), PATH).trust
    assert callable(attack)
    attack(vault)
    assert sorted(states(vault)[1:]) == sorted(expected[1:])
    assert states(vault)[0] == expected[0]
    assert trust_of(vault.view(), PATH).trust.score <= before.score


def test_a_name_that_only_looks_like_anothers_is_nobody(vault: Workspace, keys: Path) -> None:
    witnessed(vault, keys, PITH)
    alike = "si:p\N{CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I}th"
    edit(vault, "si:pith namespaces", f"{alike} namespaces", ALLOWED_SIGNERS)
    assert states(vault) == ["unsigned", "untrusted"]
    assert "key-unusable" in [code for code, _ in findings(vault)]
    edit(vault, 'agent_id: "si:pith"', f'agent_id: "{alike}"')
    with pytest.raises(NotFoundError, match="can't be read as a memory"):
        trust_of(vault.view(), PATH)


def test_a_signature_of_another_memory_is_none_of_this(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    line = next(line for line in text(vault).splitlines() if line.startswith("signature:"))
    edit(vault, "platform: clawdbot\n", f"platform: clawdbot\n{line}\n", "other.md")
    assert states(vault, "other.md") == ["invalid"]


@pytest.mark.parametrize("name", ["mallory", "pith"])  # one is in no keyring, the other is somebody else's
def test_a_key_that_is_not_the_agents_in_the_keyring_vouches_for_nobody(
    vault: Workspace, keys: Path, name: str
) -> None:
    found = sign(vault.view(), PATH, key=str(keys / name))
    assert (found.verdict.state.value, found.verdict.reason) == (
        "untrusted",
        "it was not made with a key of si:babel",
    )


def test_a_key_that_was_swapped_or_revoked_no_longer_counts(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    key = vault.of(SIGNATURES).public_key(str(keys / "babel"))
    files_of(vault)[REVOKED_KEYS] = f"{key.type} {key.base64}\n".encode()
    assert states(vault) == ["untrusted"]
    files_of(vault)[REVOKED_KEYS] = b"SSHKRL\n\0"
    assert states(vault) == ["untrusted"]
    del files_of(vault)[REVOKED_KEYS]
    mallory = vault.of(SIGNATURES).public_key(str(keys / "mallory"))
    edit(vault, key.base64, mallory.base64, ALLOWED_SIGNERS)
    assert states(vault) == ["untrusted"]


def test_an_expired_key_proves_no_old_date(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    edit(
        vault,
        f'si:babel namespaces="{ATTEST_NAMESPACE}"',
        f'si:babel namespaces="{ATTEST_NAMESPACE}",valid-before="20260201130000Z"',
        ALLOWED_SIGNERS,
    )
    assert states(vault) == ["valid"]
    for _ in range(90):
        vault.clock.now()
    assert states(vault) == ["unproven-time"]


def test_nobody_is_a_witness_of_their_own_words(vault: Workspace, keys: Path) -> None:
    with pytest.raises(RefusedError, match="nobody can attest to their own words"):
        witness(vault.view(), PATH, "confirm", key=str(keys / "babel"))
    files_of(vault)["entities/si/pith.md"] = b"---\ntype: entity\nid: si:pith\ncontroller: si:babel\n---\n"
    with pytest.raises(RefusedError, match="nobody can attest"):
        witnessed(vault, keys, PITH)


def test_a_second_persona_of_the_author_is_no_witness(vault: Workspace, keys: Path) -> None:
    witnessed(vault, keys, PITH)
    files_of(vault)["entities/si/pith.md"] = b"---\ntype: entity\nid: si:pith\ncontroller: si:babel\n---\n"
    assert states(vault) == ["unsigned", "excluded"]
    files_of(vault)["entities/si/pith.md"] = b"---\nid: si:pith\ncontroller: [\n---\n"
    assert states(vault) == ["unsigned", "untrusted"]


def test_sybils_are_one_voice(vault: Workspace, keys: Path) -> None:
    witnessed(vault, keys, PITH)
    witnessed(vault, keys, CLAIRE)
    for name in ("si/pith", "human/claire"):
        entity = name.replace("/", ":")
        files_of(vault)[f"entities/{name}.md"] = f"---\ntype: entity\nid: {entity}\ncontroller: human:x\n---\n".encode()
    assert sorted(states(vault)) == ["excluded", "unsigned", "valid"]


def test_a_stored_trust_is_ignored(vault: Workspace) -> None:
    edit(vault, "confidence: 0.9", "confidence: 0.9\ntrust: {score: 1.0, level: consensus}")
    assert trust_of(vault.view(), PATH).trust.score == 0.0
    assert trust_of(vault.view(), PATH, profile=TrustProfile.LITERAL).trust.score == 0.0


def test_nobody_signs_for_others_or_without_a_key(vault: Workspace, keys: Path) -> None:
    with pytest.raises(UsageError, match="there is no key to sign with"):
        sign(vault.view(), PATH)
    edit(vault, "author: si:babel", "author: si:pith")
    with pytest.raises(RefusedError, match="can't sign for others"):
        sign(vault.view(), PATH, key=str(keys / "babel"))
    with pytest.raises(UsageError, match="a partial attestation needs an aspect"):
        witness(
            vault._replace(actor=CLAIRE, config=Config(owner=CLAIRE)).view(), PATH, "partial", key=str(keys / "claire")
        )


def test_who_owns_a_memory_that_names_no_author_signs_it_as_its_author(vault: Workspace, keys: Path) -> None:
    edit(vault, "author: si:babel", "access_grants: ['*']")
    others = vault._replace(actor=CLAIRE).view()
    with pytest.raises(RefusedError, match="can't sign for others"):
        sign(others, PATH, key=str(keys / "claire"))
    assert sign(vault.view(), PATH, key=str(keys / "babel")).verdict.state.value == "valid"
    assert b"\nauthor: si:babel\n" in files_of(vault)[PATH]


# -- check ---------------------------------------------------------------------------------------


def findings(ws: Workspace) -> list[tuple[str, int]]:
    return [
        (finding.code, finding.at.line) for finding in check(ws.view()).findings if finding.code in ATTESTATION_CODES
    ]


ATTESTATION_CODES = {
    "attestation-invalid", "attestation-stale", "attestation-untrusted", "anchor-lost", "key-unusable",
}  # fmt: skip


def test_check_reports_attestations_with_their_lines(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    witnessed(vault, keys, PITH)
    assert findings(vault) == []
    edit(vault, "attestation: confirm", "attestation: dispute")
    line = text(vault)[: text(vault).index("agent_id")].count("\n") + 1
    assert findings(vault) == [("attestation-invalid", line)]
    edit(vault, "isn't", "is")
    signature_line = text(vault)[: text(vault).index("signature:")].count("\n") + 1
    assert findings(vault) == [("attestation-stale", signature_line), ("attestation-invalid", line)]
    files_of(vault)[REVOKED_KEYS] = b"no key\n"
    assert set(findings(vault)) == {
        ("key-unusable", 1),
        ("attestation-untrusted", signature_line),
        ("attestation-invalid", line),
    }


# -- the seed's usage patterns -------------------------------------------------------------------


def test_create_memory_signs_by_itself_where_a_key_is_configured(vault: Workspace, keys: Path) -> None:
    ws = vault.having(SIGNATURES, SshSignatures(keys, agent="", own_key=str(keys / "babel")))
    memory = create_memory(
        ws.view(), summary="Isnad", body="A chain of witnesses.", tags=["isnad", "trust"], confidence=0.8
    )
    assert memory.signature is not None
    assert trust_of(ws.view(), str(memory.ref)).vouched.signature.counts
    undo(ws.view())  # one operation: memory and signature go together
    assert query_memories(ws.view(), tags=["isnad"]) == ()


def test_a_key_that_cannot_be_used_leaves_no_memory(vault: Workspace, keys: Path) -> None:
    before = dict(files_of(vault))
    with pytest.raises(VaultError):
        create_memory(
            vault.having(SIGNATURES, SshSignatures(keys, agent="", own_key=str(keys / "lost"))).view(),
            summary="Isnad",
            body="A chain.",
        )
    assert files_of(vault) == before


def test_memories_above_a_threshold_of_trust_are_found(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    found = [query_memories(vault.view(), tags=["memory", "synthesis"], min_trust=least) for least in (0.0, 0.3, 0.31)]
    assert [[memory.id for memory in memories] for memories in found] == [
        ["m_1snad0000x", "m_0ther0000x"],
        ["m_1snad0000x"],
        [],
    ]
    assert query_memories(vault.view(), tags=["memory", "tea"]) == ()
    with pytest.raises(UsageError):
        query_memories(vault.view(), min_trust=60)


class Site:
    """The web, where each page is answered by a host, or not at all."""

    def __init__(self, **pages: tuple[bytes, str]) -> None:
        self.pages = pages

    def get(self, url: str) -> WebPage:
        try:
            return WebPage(*self.pages[url.rpartition("/")[2]])
        except KeyError:
            raise VaultError("no such page") from None


class Hosts(NoPins):
    """A user who said whose some hosts are."""

    def __init__(self, **holders: str) -> None:
        self.holders = {name.replace("_", "."): entity for name, entity in holders.items()}

    def host(self, name: str) -> str | None:  # type: ignore[override]
        return self.holders.get(name)


def create_anchor(view: View, **about: Any) -> Anchor:
    VaultTrust(lambda: view).anchor(PATH, **about)
    return show_memory(view, PATH).memory.anchors[-1]


def paged(vault: Workspace, keys: Path, *names: str) -> tuple[Workspace, bytes]:
    """Return a vault whose memory is signed, and anchored in pages that hold its digest and signature."""
    sign(vault.view(), PATH, key=str(keys / "babel"))
    page = digest_page(vault.view(), [PATH]).encode()
    for name in names:
        anchored = create_anchor(vault.view(), type="url", reference=f"https://e.org/{name}", page=page)
        assert anchored.role == "commitment"
    hosts = Hosts(e_org=CLAIRE, f_org=PITH, babel_org=BABEL)
    return vault.having(PINS, cast("UserPins", hosts)).having(DERIVED, cast("DerivedCache", KeptInMemory())), page


def counting(vault: Workspace) -> list[bool]:
    return [anchor.counts for anchor in trust_of(vault.view(), PATH).vouched.anchors]


def test_a_page_that_nobody_fetched_proves_nothing(vault: Workspace, keys: Path) -> None:
    assert create_anchor(vault.view(), type="url", reference="https://e.org/2").hash is None
    vault, _ = paged(vault, keys, "1")
    assert counting(vault) == [False, False]
    found = trust_of(vault.view(), PATH)
    assert (found.trust.score, found.trust.level) == (0.3, Level.UNVERIFIED)
    assert "did not fetch" in found.vouched.anchors[1].reason


def test_a_page_that_this_verifier_fetched_from_anothers_host_proves_when(vault: Workspace, keys: Path) -> None:
    vault, page = paged(vault, keys, "a", "b", "c", "mine", "nobodys", "between", "changed", "gone")
    site = Site(
        a=(page, "e.org"), b=(page, "e.org"), c=(page, "f.org"), mine=(page, "babel.org"), nobodys=(page, "x.org"),
        between=(page, ""), changed=(page + b".", "e.org"),
    )  # fmt: skip
    found = trust_of(vault.view(), PATH).file.memory
    told = look_again(vault.view(), cast("WebPages", site), found)
    assert [one.status.value for one in told.values()] == ["fetched-same"] * 6 + ["changed", "unreachable"]
    assert counting(vault) == [True, True, True, False, False, False, False, False]
    trusted = trust_of(vault.view(), PATH)
    assert trusted.grounds.anchors == 2  # those of one host count once
    assert trusted.proven_at
    assert (trusted.trust.score, trusted.trust.level) == (0.6, Level.ANCHORED)
    other = vault.having(DERIVED, cast("DerivedCache", KeptInMemory()))
    assert not any(counting(other))  # another verifier fetches it themselves


def test_the_first_time_that_a_page_was_had_is_what_it_proves(vault: Workspace, keys: Path) -> None:
    vault, page = paged(vault, keys, "a")
    memory = trust_of(vault.view(), PATH).file.memory
    times = []
    for _ in range(2):
        look_again(vault.view(), cast("WebPages", Site(a=(page, "e.org"))), memory)
        times.append(trust_of(vault.view(), PATH).proven_at)
    assert times[0] == times[1]


def test_a_rewritten_memory_stays_unverified_whoever_vouches_for_it(vault: Workspace, keys: Path) -> None:
    vault, page = paged(vault, keys, "a")
    look_again(vault.view(), cast("WebPages", Site(a=(page, "e.org"))), trust_of(vault.view(), PATH).file.memory)
    edit(vault, "isn't where", "is where")
    page = digest_page(vault.view(), [PATH]).encode()
    create_anchor(vault.view(), type="url", reference="https://e.org/b", page=page)
    look_again(vault.view(), cast("WebPages", Site(b=(page, "e.org"))), trust_of(vault.view(), PATH).file.memory)
    witnessed(vault, keys, PITH)
    witnessed(vault, keys, CLAIRE)
    found = trust_of(vault.view(), PATH)
    assert (found.grounds.confirms, found.grounds.timed) == (2, True)
    assert (found.trust.level, found.trust.stale) == (Level.UNVERIFIED, True)
    assert show_memory(vault.view(), PATH).trust.word == "unverified, stale"
    assert {hit.path: hit.is_stale for hit in search(vault.view(), "memory").hits} == {PATH: True, "other.md": False}


def test_a_stamp_anchors_a_memory_and_waits_for_its_block(vault: Workspace) -> None:
    page = digest_page(vault.view(), [PATH]).encode()
    proof = timestamps.proof(hashlib.sha256(page).digest(), [("sha256",), ("bitcoin", 7)])
    made = create_anchor(vault.view(), type="opentimestamps", reference="a stamp", page=page, proof=proof)
    assert (made.role, made.reference) == ("commitment", "a stamp")
    (found,) = trust_of(vault.view(), PATH).vouched.anchors
    assert (found.counts, found.reason) == (False, "it is in block 7, whose header is needed")
    other = digest_page(vault.view(), ["other.md"]).encode()
    with pytest.raises(FormatError):
        create_anchor(vault.view(), type="opentimestamps", reference="another", page=other, proof=proof)


# -- requests ------------------------------------------------------------------------------------

AT = datetime(2026, 2, 1, 11, tzinfo=UTC)


def shared(vault: Workspace) -> Workspace:
    edit(vault, "confidence: 0.9", "confidence: 0.9\naccess_grants: [si:pith, human:claire]")
    return vault


def requested(vault: Workspace, *asked: str) -> bytes:
    return files_of(vault)[request_witness(vault.view(), PATH, asked, notes="You were there").path]


def answered(vault: Workspace, keys: Path, data: bytes) -> dict[str, Any]:
    request = witness_request.read("req.md", data)
    return answer_request(
        request, "confirm", by=None, at=AT, signatures=vault.of(SIGNATURES), key=str(keys / "pith"), notes="I was"
    )


def test_a_request_is_answered_without_the_vault(vault: Workspace, keys: Path) -> None:
    answer = json.dumps(answered(vault, keys, requested(shared(vault), PITH))).encode()
    assert accept_answer(vault.view(), PATH, answer).verdict.counts
    assert states(vault) == ["unsigned", "valid"]
    assert not accept_answer(vault.view(), PATH, answer).saved.changed
    assert not [finding for finding in check(vault.view()).findings if finding.path.startswith("requests/")]
    assert consents(vault.view()) == ()  # it asks for nobody's consent


def test_only_who_may_see_a_memory_is_asked_about_it(vault: Workspace) -> None:
    before = dict(files_of(vault))
    with pytest.raises(RefusedError, match="si:pith may not see"):
        request_witness(vault.view(), PATH, [PITH])
    with pytest.raises(RefusedError, match="their own words"):
        request_witness(vault.view(), PATH, [BABEL])
    with pytest.raises(UsageError):
        request_witness(vault.view(), PATH, [])
    assert files_of(vault) == before
    shared(vault)
    with pytest.raises(RefusedError, match="does not belong to si:pith"):
        request_witness(vault._replace(actor=PITH).view(), PATH, [CLAIRE])
    with pytest.raises(RefusedError, match="si:mallory may not see"):
        request_witness(vault.view(), PATH, [PITH, "si:mallory"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hard problem", "easy problem"),
        ("clawdbot", "moltbook"),
        ("insight:m_1snad0000x", "insight:m_0ther0000x"),
        ("type: witness-request", "type: request"),
        ("content_digest: sha256:", "content_digest: sha256:0"),
        ("\ncontent: ", "\ncontent: x"),
    ],
)
def test_a_request_that_was_changed_on_its_way_is_refused(vault: Workspace, old: str, new: str) -> None:
    data = requested(shared(vault), PITH).decode()
    assert old in data
    with pytest.raises(FormatError):
        witness_request.read("req.md", data.replace(old, new).encode())


@pytest.mark.parametrize(
    ("name", "value"),
    [("attestation", "dispute"), ("notes", "I was not"), ("agent_id", CLAIRE), ("sig", "U1NI"), ("sig", None)],
)
def test_an_answer_that_was_changed_on_its_way_is_refused(
    vault: Workspace, keys: Path, name: str, value: str | None
) -> None:
    answer = answered(vault, keys, requested(shared(vault), PITH))
    answer["witness"][name] = value
    before = text(vault)
    with pytest.raises(RefusedError):
        accept_answer(vault.view(), PATH, json.dumps(answer).encode())
    assert text(vault) == before


def test_an_answer_is_about_one_memory_as_it_is(vault: Workspace, keys: Path) -> None:
    answer = answered(vault, keys, requested(shared(vault), PITH))
    data = json.dumps(answer).encode()
    with pytest.raises(RefusedError, match="is about"):
        accept_answer(vault.view(), "other.md", data)
    for broken in (b"{", b"[]", b"{}", json.dumps({**answer, "witness": {"agent_id": 3}}).encode()):
        with pytest.raises(FormatError):
            accept_answer(vault.view(), PATH, broken)
    edit(vault, "hard problem", "easy problem")
    with pytest.raises(RefusedError, match="is no longer what"):
        accept_answer(vault.view(), PATH, data)


def test_of_several_who_are_asked_one_says_who_they_are(vault: Workspace, keys: Path) -> None:
    request = witness_request.read("req.md", requested(shared(vault), PITH, CLAIRE))
    for by in (None, "si:mallory"):
        with pytest.raises(UsageError, match="the request is to si:pith, human:claire"):
            answer_request(request, "confirm", by=by, at=AT, signatures=vault.of(SIGNATURES), key=str(keys / "pith"))
    with pytest.raises(UsageError, match="a partial attestation needs an aspect"):
        answer_request(request, "partial", by=PITH, at=AT, signatures=vault.of(SIGNATURES), key=str(keys / "pith"))


# -- resolutions ---------------------------------------------------------------------------------


def decided(vault: Workspace, path: str = PATH) -> list[str]:
    return [verdict.state.value for verdict in trust_of(vault.view(), path).vouched.resolutions]


def test_a_resolution_is_shown_and_changes_no_number(vault: Workspace, keys: Path) -> None:
    witnessed(vault, keys, PITH, "dispute")
    before = trust_of(vault.view(), PATH).trust
    resolved(vault, keys, CLAIRE)
    found = trust_of(vault.view(), PATH)
    assert (decided(vault), found.trust, found.trust.contested) == (["valid"], before, True)
    assert "resolutions" not in found.unsigned


@pytest.mark.parametrize(("old", "new"), [("outcome: upheld", "outcome: overturned"), ("The log", "No log")])
def test_a_resolution_that_was_changed_counts_for_nothing(vault: Workspace, keys: Path, old: str, new: str) -> None:
    resolved(vault, keys, CLAIRE)
    edit(vault, old, new)
    assert decided(vault) == ["invalid"]
    assert [finding.code for finding in check(vault.view()).findings if finding.path == PATH] == ["attestation-invalid"]


def test_a_resolution_is_of_one_memory_as_it_was(vault: Workspace, keys: Path) -> None:
    resolved(vault, keys, CLAIRE)
    (line,) = [line for line in text(vault).splitlines() if "outcome" in line]
    edit(vault, "confidence: 0.9", f"confidence: 0.9\nresolutions:\n{line}", "other.md")
    assert decided(vault, "other.md") == ["invalid"]
    edit(vault, "hard problem", "easy problem")
    assert decided(vault) == ["stale"]


def test_whoever_may_see_a_memory_of_somebody_elses_can_decide_on_it(vault: Workspace, keys: Path) -> None:
    edit(vault, "confidence: 0.9", 'confidence: 0.9\naccess_grants: ["*"]')
    witnessed(vault, keys, PITH, "dispute")
    resolve(vault._replace(actor=CLAIRE).view(), PATH, "overturned", key=str(keys / "claire"))
    assert decided(vault) == ["valid"]


def test_nobody_decides_on_their_own_words(vault: Workspace, keys: Path) -> None:
    with pytest.raises(RefusedError, match="own words"):
        resolve(vault.view(), PATH, "upheld", key=str(keys / "babel"))
    resolved(vault, keys, CLAIRE)
    files_of(vault)["entities/human/claire.md"] = b"---\ntype: entity\nid: human:claire\ncontroller: si:babel\n---\n"
    assert decided(vault) == ["excluded"]


# -- trust beside the other numbers, and as a filter -----------------------------------------------


def test_show_why_and_search_tell_the_trust_that_trust_explains(vault: Workspace, keys: Path) -> None:
    sign(vault.view(), "m_1snad0000x", key=str(keys / "babel"))
    witnessed(vault, keys, PITH)
    found = trust_of(vault.view(), "m_1snad0000x").trust
    shown = show_memory(vault.view(), "m_1snad0000x")
    assert shown.trust == found
    assert found.level is Level.ATTESTED
    told = why(vault.view(), "m_1snad0000x").numbers[-1]
    assert (told.name, told.value) == ("trust", found.score)
    assert sum(term.value for term in told.terms) == pytest.approx(found.score)
    assert told.meaning == "who vouches for it: attested"
    levels = {hit.path: hit.trust_level for hit in search(vault.view(), "memory").hits}
    assert levels == {PATH: "attested", "other.md": "unverified"}


def test_what_nobody_vouches_for_has_no_trust(vault: Workspace) -> None:
    edit(vault, "confidence: 0.9", "confidence: 0.9\ntrust: {score: 0.99, level: consensus}")
    assert show_memory(vault.view(), "m_1snad0000x").trust == Trust(0.0, Level.UNVERIFIED, contested=False, terms=())
    assert why(vault.view(), "m_1snad0000x").numbers[-1].terms == ()


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (Filters(min_trust=0.0), [PATH, "other.md"]),
        (Filters(min_trust=0.3), [PATH]),
        (Filters(min_trust=0.9), []),
        (Filters(level="unverified"), [PATH, "other.md"]),
        (Filters(level="attested"), [PATH]),
        (Filters(level="anchored"), []),
    ],
)
def test_lists_and_searches_keep_what_is_trusted(
    asked: Filters, found: list[str], vault: Workspace, keys: Path
) -> None:
    sign(vault.view(), "m_1snad0000x", key=str(keys / "babel"))
    witnessed(vault, keys, PITH)
    assert sorted(entry.path for entry in list_memories(vault.view(), asked).entries) == found
    assert sorted(hit.path for hit in search(vault.view(), "memory", Wish(asked)).hits) == found


def test_what_only_looks_like_an_attestation_is_not_verified(vault: Workspace) -> None:
    edit(vault, "The hard problem", "signature: mine, witnesses: all of you. The hard problem")
    assert [hit.trust_level for hit in search(vault.view(), "memory").hits] == ["unverified"] * 2


def test_the_words_for_levels_are_those_of_the_rules() -> None:
    assert [level.word for level in Level] == list(TRUST_LEVELS)


# -- compressed ----------------------------------------------------------------------------------


def compressed(ws: Workspace, root: Path, summary: str) -> Workspace:
    """Put a summary in the place of a memory's text, of which git keeps the whole."""
    whole = text(ws)
    blob = git(repository(root / "kept"), "hash-object", "-w", "--stdin", stdin=whole).strip()
    mark = f'compressed_from: {{commit: "{"c" * 40}", blob: "{blob}"}}\n'
    put(ws, whole.replace("---\n\n", f"{mark}---\n\n").partition("---\n\n")[0] + f"---\n\n{summary}\n")
    return ws.having(HISTORY, GitHistory(root / "kept", os.environ))


def test_a_signature_over_what_was_compressed_is_checked_against_the_whole(
    vault: Workspace, keys: Path, tmp_path: Path
) -> None:
    edit(vault, "put memories.", "put memories. It is what to make of them.")
    sign(vault.view(), PATH, key=str(keys / "babel"))
    ws = compressed(vault, tmp_path, "The hard problem isn't where to put memories.")
    assert states(ws) == ["valid"]
    edit(ws, "title: Memory", "title: Human memory")
    assert states(ws) == ["stale"]


def test_a_summary_that_quotes_nothing_of_it_is_not_what_was_signed(
    vault: Workspace, keys: Path, tmp_path: Path
) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    assert states(compressed(vault, tmp_path, "There is no hard problem.")) == ["stale"]


def test_without_the_whole_a_signature_can_not_be_checked(vault: Workspace, keys: Path, tmp_path: Path) -> None:
    edit(vault, "put memories.", "put memories. It is what to make of them.")
    sign(vault.view(), PATH, key=str(keys / "babel"))
    ws = compressed(vault, tmp_path, "The hard problem isn't where to put memories.")
    assert states(ws.having(HISTORY, vault.history)) == ["stale"]


# -- times that can't be ---------------------------------------------------------------------------


def said_at(vault: Workspace, keys: Path, at: datetime) -> None:
    """Have Pith confirm the memory at a time of their own choice."""
    request = witness_request.read("req.md", requested(shared(vault), PITH))
    answer = answer_request(request, "confirm", by=None, at=at, signatures=vault.of(SIGNATURES), key=str(keys / "pith"))
    accept_answer(vault.view(), PATH, json.dumps(answer).encode())


@pytest.mark.parametrize(
    ("at", "reason"),
    [
        (datetime(2026, 2, 2, tzinfo=UTC), "in the future"),
        (datetime(9999, 12, 31, tzinfo=UTC), "in the future"),
        (datetime(2026, 1, 4, 15, 59, 59, tzinfo=UTC), "before the memory was written"),
        (datetime(2026, 1, 4, 16, tzinfo=UTC), ""),
    ],
)
def test_a_word_of_the_future_or_older_than_the_memory_does_not_count(
    at: datetime, reason: str, vault: Workspace, keys: Path
) -> None:
    sign(vault.view(), PATH, key=str(keys / "babel"))
    said_at(vault, keys, at)
    (one,) = trust_of(vault.view(), PATH).vouched.witnesses
    assert one.verdict.state.value == ("unproven-time" if reason else "valid")
    assert reason in one.verdict.reason
    assert ("attestation-untrusted" in [code for code, _ in findings(vault)]) == bool(reason)


def test_a_word_of_the_future_hides_no_earlier_one_and_counts_once_its_time_has_come(
    vault: Workspace, keys: Path
) -> None:
    witnessed(vault, keys, PITH, "dispute")
    said_at(vault, keys, datetime(2026, 2, 2, tzinfo=UTC))
    list_memories(vault.view(), Filters(min_trust=0.0))  # what was verified is kept for the next time
    assert states(vault) == ["unsigned", "valid", "unproven-time"]
    later = vault._replace(clock=TickClock(datetime(2026, 2, 3, tzinfo=UTC)))
    assert states(later) == ["unsigned", "excluded", "valid"]


def test_a_decision_of_the_future_does_not_count(vault: Workspace, keys: Path) -> None:
    early = vault._replace(clock=TickClock(datetime(2026, 2, 2, tzinfo=UTC)))
    resolved(early, keys, CLAIRE)
    (verdict,) = trust_of(vault.view(), PATH).vouched.resolutions
    assert verdict.state.value == "unproven-time"
