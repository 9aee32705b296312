"""What a hand changed since the last commit stands: a number gets its line, a ledger its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.beliefs.next_lines import held_now
from memstore.beliefs.recompute import check_confidences, fold, recompute
from memstore.beliefs.reinforce import reinforce
from memstore.core.errors import NotFoundError, RefusedError
from memstore.memories.show import show_memory
from memstore.vault.check import check, check_against, check_staged_files, fix
from tests.git_repositories import git, vault_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.core.finding import Finding
    from memstore.vault.workspace import Workspace
    from tests.git_repositories import Written

STATED = '  - {timestamp: "2026-02-01T10:00:00Z", op: assert, old: null, new: 0.8}\n'
SEEN = '  - {timestamp: "2026-02-01T11:00:00Z", op: support, old: 0.8, new: 0.8286, evidence_source: "raw:m_r", '
SEEN += "weight: 1.0}\n"
RAW = "---\ntype: raw\nid: m_r\nsource: a walk\n---\nSeen.\n"
SEAN = "---\ntype: entity\nid: human:sean\nemail: {mail}\n---\n"


def belief(confidence: str, history: str = STATED + SEEN) -> str:
    line = f"confidence: {confidence}\n" if confidence else ""
    return f"---\ntype: belief\nid: m_b\nsource: a walk\n{line}confidence_history:\n{history}---\nHeld.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Written:
    made = vault_in(tmp_path / "vault")
    made.write("b.md", belief("0.8286"))
    made.write("r.md", RAW)
    made.commit("first")
    return made


def text(vault: Written) -> str:
    return (vault.root / "b.md").read_text()


def drifts(ws: Workspace) -> list[Finding]:
    return [finding for finding in check(ws.view()).findings if finding.code == "confidence-drift"]


def mended_by_check(ws: Workspace) -> None:
    assert [finding.code for finding in fix(ws.view()).fixed] == ["confidence-drift"]


def mended_by_recompute(ws: Workspace) -> None:
    (unequal,) = recompute(ws.view()).unequal
    assert unequal.ref == "belief:m_b"


MENDERS = pytest.mark.parametrize("mend", [mended_by_check, mended_by_recompute])


def test_a_number_that_follows_from_its_history_is_no_finding(vault: Written) -> None:
    assert drifts(vault.open()) == []


@MENDERS
def test_a_number_changed_by_hand_stands_and_is_recorded(vault: Written, mend: Callable[[Workspace], None]) -> None:
    vault.write("b.md", belief("0.6"))
    ws = vault.open()
    (finding,) = drifts(ws)
    assert (finding.text, finding.at.line) == ("the confidence is 0.6, and its history amounts to 0.8286", 5)
    assert not finding.is_error
    mend(ws)
    edited = '  - {timestamp: "2026-02-01T12:0'
    assert text(vault).startswith(belief("0.6").partition("---\nHeld")[0] + edited)
    assert ':00Z", op: edit, old: 0.8286, new: 0.6, by: "human:unknown"}\n---\nHeld.\n' in text(vault)
    assert drifts(ws) == []
    assert check_confidences(ws.view()).unequal == ()


def test_the_hand_is_the_entity_whose_file_lists_the_address(vault: Written) -> None:
    mail = vault.open().history.identity().rpartition("<")[2].rstrip(">")
    vault.write("entities/human/claire.md", SEAN.format(mail="claire@example.org").replace("sean", "claire"))
    vault.write("entities/human/sean.md", SEAN.format(mail=mail.upper()))
    vault.write("b.md", belief("0.6"))
    recompute(vault.open().view())
    assert 'op: edit, old: 0.8286, new: 0.6, by: "human:sean"}' in text(vault)


def test_a_number_follows_a_history_that_was_changed_by_hand(vault: Written) -> None:
    vault.write("b.md", belief("0.8286", STATED))
    mended_by_recompute(vault.open())
    assert text(vault) == belief("0.8", STATED)


@MENDERS
def test_a_number_that_was_taken_out_is_put_back(vault: Written, mend: Callable[[Workspace], None]) -> None:
    vault.write("b.md", belief(""))
    ws = vault.open()
    assert [finding.text for finding in drifts(ws)] == ["there is no confidence, and its history amounts to 0.8286"]
    mend(ws)
    assert "confidence: 0.8286\n" in text(vault)
    assert drifts(ws) == []


def test_what_was_committed_so_is_left_to_judgement(vault: Written) -> None:
    vault.write("b.md", belief("0.6"))
    vault.commit("by hand, without the hook")
    ws = vault.open()
    assert fix(ws.view()).fixed == ()
    assert text(vault) == belief("0.6")
    assert [one.by_hand for one in recompute(ws.view()).unequal] == [False]
    assert text(vault) == belief("0.8286")


def test_a_file_that_no_commit_has_stands_as_it_is(vault: Written) -> None:
    vault.write("b.md", belief("0.8286"))
    vault.write("new.md", belief("0.3").replace("m_b", "m_new"))
    (unequal,) = recompute(vault.open().view()).unequal
    assert (unequal.path, unequal.by_hand) == ("new.md", True)
    assert "confidence: 0.3\n" in (vault.root / "new.md").read_text()


def test_evidence_that_a_hand_took_out_is_recorded_as_retracted(vault: Written) -> None:
    vault.write("b.md", belief("0.8286", STATED))
    ws = vault.open()
    assert sorted(finding.code for finding in fix(ws.view()).fixed) == ["confidence-drift", "history-lost"]
    assert "confidence: 0.8\n" in text(vault)
    assert (
        ':00Z", op: retract, old: null, new: null, evidence_source: "raw:m_r", reason: "Taken out by hand", '
        in text(vault)
    )
    assert fix(ws.view()).fixed == ()
    assert check_staged_of(ws, vault) == []
    vault.write("b.md", belief("0.8286", STATED))
    assert check_staged_of(ws, vault) == ["history-lost"]


def test_a_number_whose_whole_history_a_hand_took_out_is_stated_anew(vault: Written) -> None:
    vault.write("b.md", belief("0.8286", "").replace("confidence_history:\n", ""))
    ws = vault.open()
    fix(ws.view())
    assert [word for word in ("op: assert, old: null, new: 0.8286", "op: retract") if word not in text(vault)] == []
    assert "confidence: 0.8286\n" in text(vault)
    assert fix(ws.view()).fixed == ()
    assert drifts(ws) == []


def check_staged_of(ws: Workspace, vault: Written) -> list[str]:
    git(vault.root, "add", "-A")
    return [finding.code for finding in check_staged_files(ws.view()).findings if finding.code == "history-lost"]


def test_a_number_and_its_evidence_changed_at_once_are_both_recorded(vault: Written) -> None:
    vault.write("b.md", belief("0.4", STATED))
    ws = vault.open()
    fix(ws.view())
    assert [word for word in ("op: retract", "op: edit", "confidence: 0.4\n") if word not in text(vault)] == []
    assert drifts(ws) == []


@pytest.mark.parametrize("number", ["1.2", "-0.1", "true", ".nan", "high"])
def test_what_is_no_confidence_is_an_error_with_its_line_and_never_mended(vault: Written, number: str) -> None:
    vault.write("b.md", belief(number))
    ws = vault.open()
    (finding,) = [found for found in fix(ws.view()).findings if found.path == "b.md"]
    assert (finding.is_error, finding.at.line) == (True, 5)
    assert text(vault) == belief(number)


def test_a_confidence_in_percent_is_written_as_a_share(vault: Written) -> None:
    vault.write("b.md", belief('"80%"'))
    fixed = fix(vault.open().view()).fixed
    assert [finding.mended for finding in fixed] == ["confidence: 0.8"]
    assert text(vault) == belief("0.8")


def test_a_folded_history_is_one_line_that_git_keeps_the_others_of(vault: Written) -> None:
    ws = vault.open()
    vault.write("b.md", belief("0.8", STATED + SEEN.replace("support", "contradict").replace("0.8286", "0.7")))
    with pytest.raises(RefusedError, match="which are not committed"):
        fold(ws.view(), "m_b")
    vault.write("b.md", belief("0.8286"))
    before = held_now(show_memory(ws.view(), "m_b").memory, ws.clock.now())
    fold(ws.view(), "m_b")
    assert (
        '  - {timestamp: "2026-02-01T11:00:01Z", op: checkpoint, old: 0.8286, new: 0.8286, reason: "Folded 2 lines", '
        'by: "human:tester", precision: 7.0, counted: ["raw:m_r"]}\n---\n'
    ) in text(vault)
    assert text(vault).count("timestamp") == 1
    assert check_staged_of(ws, vault) == []
    assert check_confidences(ws.view()).unequal == ()
    assert held_now(show_memory(ws.view(), "m_b").memory, ws.clock.now()) == before
    assert not reinforce(ws.view(), "m_b", "raw:m_r").saved.changed
    assert not fold(ws.view(), "m_b").changed


# -- against an earlier revision -----------------------------------------------------------------


def against(ws: Workspace, *, mend: bool = False) -> list[str]:
    return [finding.code for finding in check_against(ws.view(), "HEAD~1", mend=mend).findings]


def test_evidence_that_was_taken_out_and_committed_is_lost_until_it_is_retracted(vault: Written) -> None:
    vault.write("b.md", belief("0.8", STATED))
    vault.commit("without its evidence")
    ws = vault.open()
    assert fix(ws.view()).fixed == ()  # the last commit has nothing that is missing now
    assert against(ws) == ["history-lost"]
    done = check_against(ws.view(), "HEAD~1", mend=True)
    assert ([finding.code for finding in done.fixed], done.findings) == (["history-lost"], ())
    assert 'op: retract, old: null, new: null, evidence_source: "raw:m_r"' in text(vault)
    vault.commit("and so it is retracted")
    assert check_against(vault.open().view(), "HEAD~2").findings == ()
    assert check_confidences(ws.view()).unequal == ()


def test_all_that_changed_since_is_checked_and_nothing_else(vault: Written) -> None:
    vault.write("old.md", "---\ntype: note\nid: m_old\nconfidence: 7\n---\nBroken before.\n")
    vault.write("consents/2026/con_0000000000.md", "---\nid: con_0000000000\n---\n")
    vault.commit("as it begins")
    vault.write("b.md", belief("0.8286").replace("id: m_b", "id: m_other"))
    (vault.root / "consents" / "2026" / "con_0000000000.md").unlink()
    vault.commit("another id, and a consent gone")
    vault.write("new.md", "---\ntype: note\nconfidence: 80%\n---\nNot committed.\n")
    found = check_against(vault.open().view(), "HEAD~1")
    assert sorted((one.path, one.code) for one in found.findings if one.is_error) == [
        ("b.md", "id-changed"), ("consents/2026/con_0000000000.md", "consent-deleted"), ("new.md", "value-shape"),
    ]  # fmt: skip
    assert (found.files, check_against(vault.open().view(), "HEAD~2").files) == (2, 3)
    with pytest.raises(NotFoundError):
        check_against(vault.open().view(), "nowhere")
    with pytest.raises(RefusedError):
        check_against(vault.open()._replace(actor="si:ash").view(), "HEAD")
