"""Words that were taken out of a memory, or turned back, in real repositories; every revision is a minute later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from memstore.core.config import Config
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.memories.show import show_memory
from memstore.search import DERIVED
from memstore.search.local_state import DerivedCache
from memstore.trust import SIGNATURES
from memstore.trust.keyring import ALLOWED_SIGNERS
from memstore.trust.score import Level
from memstore.trust.sign import resolve, sign, witness
from memstore.trust.signatures import SshSignatures
from memstore.trust.trust import trust_of
from memstore.vault.check import check
from tests.attested_vault import BABEL, CLAIRE, MEMORY, PATH, PITH, keyring_of, make_keys
from tests.git_repositories import git, vault_in

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.vault.workspace import Workspace
    from tests.git_repositories import Written


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys"))


@dataclass
class History:
    """A vault of Babel's in a repository: signed, and confirmed by Pith, each in a commit."""

    written: Written
    ws: Workspace
    keys: Path

    def text(self) -> str:
        return (self.written.root / PATH).read_text()

    def save(self, text: str) -> None:
        assert text != self.text()
        self.written.write(PATH, text)
        self.written.commit("by hand")

    def sign(self) -> None:
        sign(self.ws.view(), PATH, key=str(self.keys / "babel"))
        self.written.commit("signed")

    def attest(self, who: str, word: str) -> None:
        key = str(self.keys / who.partition(":")[2])
        witness(self.ws._replace(actor=who, config=Config(owner=who)).view(), PATH, word, key=key)
        self.written.commit(f"{who}: {word}")
        self.ws.library.refresh()  # the index has what is taken out later

    def decide(self, who: str, outcome: str) -> None:
        key = str(self.keys / who.partition(":")[2])
        resolve(self.ws._replace(actor=who, config=Config(owner=who)).view(), PATH, outcome, key=key)
        self.written.commit(f"{who}: {outcome}")

    def found(self) -> list[str]:
        found = trust_of(self.ws.view(), PATH)
        assert (found.trust.level is Level.UNVERIFIED) or not found.vouched.tampered
        kinds = [one.kind.value for one in found.vouched.tampered]
        codes = [one.code for one in check(self.ws.view()).findings if one.code.startswith("attestation-")]
        assert [f"attestation-{kind}" for kind in kinds] == [code for code in codes if "stale" not in code]
        return kinds


@pytest.fixture(params=["sha1", "sha256"])
def history(request: pytest.FixtureRequest, tmp_path: Path, keys: Path) -> History:
    written = vault_in(tmp_path / "vault", request.param)
    written.write(PATH, MEMORY)
    written.write(ALLOWED_SIGNERS, keyring_of(keys))
    cache = DerivedCache(tmp_path / "cache")
    signatures = SshSignatures(keys, agent="")
    ws = written.open(BABEL)._replace(config=Config(owner=BABEL)).having(SIGNATURES, signatures).having(DERIVED, cache)
    found = History(written, ws, keys)
    found.sign()
    found.attest(PITH, "confirm")
    return found


def test_nothing_is_missed_where_nothing_was_taken_out(history: History) -> None:
    history.attest(CLAIRE, "dispute")
    history.save(history.text().replace("confidence: 0.9", "confidence: 0.8\nmood: curious"))
    assert history.found() == []
    assert trust_of(history.ws.view(), PATH).trust.level is Level.ATTESTED


def test_a_dispute_that_was_taken_out_is_withheld_until_it_is_back(history: History) -> None:
    before = history.text()
    history.attest(CLAIRE, "dispute")
    disputed = history.text()
    history.written.write(PATH, before)
    assert history.found() == ["withheld"]  # before it is committed, too
    history.written.commit("by hand")
    assert history.found() == ["withheld"]
    history.save(disputed)
    assert history.found() == []


def test_a_dispute_is_missed_in_a_file_without_any_attestation_at_another_place(history: History) -> None:
    history.attest(CLAIRE, "dispute")
    git(history.written.root, "rm", "-q", PATH)
    history.written.write("elsewhere/moved.md", MEMORY)
    history.written.commit("moved")
    codes = [one.code for one in check(history.ws.view()).findings]
    assert "attestation-withheld" in codes


def test_a_dispute_of_other_words_is_not_missed(history: History) -> None:
    history.attest(CLAIRE, "dispute")
    kept = "\n".join(line for line in history.text().splitlines() if "attestation: dispute" not in line) + "\n"
    history.save(kept.replace("hard problem", "harder problem"))
    history.sign()
    assert history.found() == []


def test_a_dispute_that_its_witness_took_back_may_go(history: History) -> None:
    history.attest(CLAIRE, "dispute")
    history.attest(CLAIRE, "confirm")
    history.save("\n".join(line for line in history.text().splitlines() if "attestation: dispute" not in line) + "\n")
    assert history.found() == []


def test_a_decision_that_was_taken_out_is_withheld_until_another_one_or_it_is_there(history: History) -> None:
    history.attest(PITH, "dispute")
    disputed = history.text()
    history.decide(CLAIRE, "overturned")
    overturned = history.text()
    assert history.found() == []
    history.save(disputed)
    assert history.found() == ["withheld"]
    assert "human:claire decided it (overturned)" in trust_of(history.ws.view(), PATH).vouched.tampered[0].reason
    history.save(overturned)
    assert history.found() == []
    history.save(disputed)
    history.decide(CLAIRE, "upheld")
    assert history.found() == []


def test_a_decision_about_other_words_is_not_missed(history: History) -> None:
    history.attest(PITH, "dispute")
    before = history.text()
    history.decide(CLAIRE, "overturned")
    history.save(before.replace("hard problem", "harder problem"))
    history.sign()
    assert history.found() == []


def test_an_older_word_after_a_newer_one_is_a_rollback(history: History) -> None:
    before = history.text()
    history.attest(PITH, "dispute")
    assert history.found() == []
    history.save(before)
    assert history.found() == ["rollback"]
    history.attest(PITH, "confirm")
    assert history.found() == []


def test_an_older_version_after_the_author_signed_a_newer_one_is_a_rollback(history: History) -> None:
    before = history.text()
    history.save(before.replace("hard problem", "harder problem"))
    history.sign()
    assert history.found() == []
    history.save(before)
    assert history.found() == ["rollback"]
    then = show_memory(history.ws._replace(actor=BABEL).view(), PATH, at="HEAD~3")
    assert then.trust.level is Level.ATTESTED  # as it was then nothing had come later
    history.sign()  # the author stands by the older one
    assert history.found() == []


def test_a_dispute_that_a_merge_dropped_is_withheld(history: History) -> None:
    root = history.written.root
    git(root, "checkout", "-q", "-b", "side")
    history.attest(CLAIRE, "dispute")
    git(root, "checkout", "-q", "main")
    assert history.found() == []  # another branch has it, and nobody took it out of this one
    history.written.write("more.md", MEMORY.replace("m_1snad0000x", "m_m0re00000x"))
    history.written.commit("more")
    git(root, "-c", "core.hooksPath=/dev/null", "merge", "-q", "-s", "ours", "side", "-m", "ours")
    assert history.found() == ["withheld"]


def test_a_dispute_that_a_force_push_dropped_is_withheld_while_an_anchor_keeps_it(history: History) -> None:
    history.attest(CLAIRE, "dispute")
    history.ws.history.keep("anchors/m_1snad0000x/1", history.ws.history.head() or "")
    git(history.written.root, "reset", "-q", "--hard", "HEAD~1")
    assert history.found() == ["withheld"]
    git(history.written.root, "update-ref", "-d", "refs/memstore/anchors/m_1snad0000x/1")
    assert history.found() == []


@pytest.mark.parametrize("sig", ["", ', sig: "U1NIU0lH"'])
def test_a_dispute_that_nobody_signed_may_go(history: History, sig: str) -> None:
    before = history.text()
    forged = f'  - {{agent_id: "human:claire", attestation: dispute, witnessed_at: "2026-03-01T00:00:00Z"{sig}}}'
    history.save(before.replace("witnesses:", f"witnesses:\n{forged}"))
    history.save(before)
    assert history.found() == []


def test_others_learn_of_it_only_from_revisions_that_they_may_see(history: History) -> None:
    before = history.text()
    history.attest(CLAIRE, "dispute")
    history.save(before.replace("confidence: 0.9", "confidence: 0.9\naccess_grants: [si:pith]"))
    pith = history.ws._replace(actor=PITH)
    assert trust_of(history.ws.view(), PATH).vouched.tampered
    assert not trust_of(pith.view(), "insight:m_1snad0000x").vouched.tampered


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("plain", "odd"),
    [
        ("id: m_1snad0000x", '"\\x69d": m_1snad0000x'),
        ("id: m_1snad0000x", 'id: "m_\\x31snad0000x"'),
        ("id: m_1snad0000x", "id:\n  m_1snad0000x"),
        ("id: m_1snad0000x", "id   :   m_1snad0000x"),
        ("id: m_1snad0000x", '"id"  : "m_1snad0000x"'),
        ("id: m_1snad0000x", "'id': 'm_1snad0000x'"),
        (", sig:", ', "\\x73ig":'),
        (", sig:", ', "s\\u0069g" :'),
        (", sig:", ", 'sig' :"),
        (", sig:", ",\n     sig:\n      "),
    ],
)
def test_a_dispute_is_missed_in_whatever_form_of_yaml_it_stood(history: History, plain: str, odd: str) -> None:
    before = history.text()
    history.attest(CLAIRE, "dispute")
    disputed = history.text().replace(plain, odd)
    git(history.written.root, "reset", "-q", "--hard", "HEAD~1")
    git(history.written.root, "reflog", "expire", "--expire=now", "--all")
    history.save(disputed)
    read = memory_file.read(PATH, disputed.encode(), mixed=False)
    assert isinstance(read, MemoryFile) == (trust_of(history.ws.view(), PATH).trust.contested)
    assert isinstance(read, MemoryFile)
    history.save(before)
    assert history.found() == ["withheld"]
