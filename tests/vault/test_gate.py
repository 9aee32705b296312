"""The gate before anything is written: secrets, what was forgotten, and exact copies, at every door."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from memstore.access import FORGOTTEN
from memstore.access.forgotten import ForgottenTexts
from memstore.agents.capture import CaptureInput, capture, capture_input
from memstore.beliefs.recompute import rebuild_from_episodes
from memstore.beliefs.reinforce import reinforce
from memstore.core.errors import Exit, RefusedError
from memstore.core.write_terms import WriteTerms
from memstore.memories.add import add_draft, add_memory, composed
from memstore.memories.edit import move, set_keys
from memstore.memories.forget import forget
from memstore.memories.promote import supersede
from memstore.vault.check import check
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.core.change import Saved
    from memstore.vault.workspace import Workspace

TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"  # noqa: S105 -- nobody's
SAID = "My sister Ines is being treated at the Lindenhof clinic for a burn."
SHORT = "Her room is 12."


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    """Return an empty vault of Sean's that can note what was forgotten."""
    return memory_workspace().having(FORGOTTEN, ForgottenTexts(tmp_path / "state", lambda: "5a" * 32))


def texts(ws: Workspace) -> str:
    """Return all that a vault says, in files and their names."""
    return "\n".join(f"{path}\n{data.decode()}" for path, data in files_of(ws).items())


def no_file(path: str) -> io.BytesIO:
    """Open nothing."""
    return io.BytesIO(path[:0].encode())


def turns(*said: tuple[str, str, str]) -> CaptureInput:
    """Return a session's transcript: role, text and id of each turn."""
    lines = [{"type": role, "uuid": name, "message": {"role": role, "content": text}} for role, text, name in said]
    given = {"session_id": "s1", "hook_event_name": "SessionEnd", "transcript_path": "t"}
    return capture_input(json.dumps(given), lambda _: io.BytesIO("\n".join(map(json.dumps, lines)).encode()))


# -- secrets ---------------------------------------------------------------------------------------


def test_a_capture_masks_secrets_everywhere(ws: Workspace) -> None:
    said = turns(("user", f"Use {TOKEN} from now on.", "1"), ("assistant", f"I exported {TOKEN}.", "2"))
    saved = capture(ws.view(), said, {})
    assert [finding.code for one in saved for finding in one.findings].count("secret-masked") == 2
    assert TOKEN not in texts(ws)
    assert TOKEN[:12] not in texts(ws)
    assert "[secret: github token]" in texts(ws)
    assert capture(ws.view(), said, {}) == ()  # the next capture of the session knows the masked words


@pytest.mark.parametrize("where", ["text", "title", "file"])
def test_commands_refuse_secrets_and_do_not_repeat_them(ws: Workspace, where: str) -> None:
    files = {
        "text": f"---\ntype: note\n---\nIt is {TOKEN}.\n",
        "title": f"---\ntype: note\ntitle: It is {TOKEN}\n---\nTea.\n",
        "file": f"---\ntype: note\nhint: {TOKEN}\n---\nTea.\n",
    }
    with pytest.raises(RefusedError, match="github token") as refused:
        add_draft(ws.view(), files[where].encode(), {})
    assert TOKEN[4:16] not in str(refused.value)
    assert "--keep-secret" in (refused.value.hint or "")
    with pytest.raises(RefusedError) as refused:
        add_memory(ws._replace(actor="si:ash").view(), {}, f"It is {TOKEN}.")
    assert "--keep-secret" not in (refused.value.hint or "")
    assert files_of(ws) == {}


def test_a_commit_message_has_no_secret(ws: Workspace) -> None:
    edit = composed(ws.view(), {}, "Tea.").edit
    change = ws.view().transaction("add", message=f"with {TOKEN}")
    change.edit(edit)
    with pytest.raises(RefusedError, match="the commit message has what looks like a secret: github token"):
        change.__exit__(None, None, None)


def test_a_message_that_somebody_gives_a_commit_has_no_secret(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    before = program.git("rev-parse", "HEAD")
    program.ok("add", "Tea is at four.")
    done = program.run("commit", "-m", f"with {TOKEN}")
    assert done.returncode == Exit.REFUSED
    assert "the commit message has what looks like a secret: github token" in done.stderr
    assert program.git("rev-parse", "HEAD") == before
    assert TOKEN not in done.stderr


def test_the_name_of_a_file_gets_no_secret(ws: Workspace) -> None:
    tea = add_memory(ws.view(), {}, "Tea is at four.")
    for name in (f"notes/{TOKEN}.md", f"{TOKEN}/tea.md"):
        with pytest.raises(RefusedError, match="the file's name has what looks like a secret: github token"):
            move(ws.view(), str(tea.ref), name)
    assert TOKEN not in texts(ws)
    kept = move(ws._replace(terms=WriteTerms(keep_secret=True)).view(), str(tea.ref), f"notes/{TOKEN}.md")
    assert move(ws.view(), str(tea.ref), f"elsewhere/{TOKEN}.md").path != kept.path  # it had that name before


def test_a_change_that_brings_a_secret_is_refused_and_one_beside_it_is_not(ws: Workspace) -> None:
    old = add_memory(ws._replace(terms=WriteTerms(keep_secret=True)).view(), {}, f"It is {TOKEN}.")
    assert "keeps_secret: true" in texts(ws)
    assert set_keys(ws.view(), str(old.ref), {"tags": ["a"]}).changed
    tea = add_memory(ws.view(), {}, "Tea is at four.")
    with pytest.raises(RefusedError, match="github token"):
        supersede(ws.view(), str(tea.ref), f"Tea is {TOKEN}.")
    with pytest.raises(RefusedError, match="keeps_secret"):
        set_keys(ws.view(), str(tea.ref), {"keeps_secret": ["true"]})


def test_check_finds_secrets() -> None:
    files = {
        "a.md": memory_text(f"It is {TOKEN}.\n", id="m_aaaa"),
        "b.md": memory_text(f"It is {TOKEN}.\n", id="m_bbbb", keeps_secret="true"),  # noqa: S106
    }
    found = check(memory_workspace(files).view()).findings
    assert [(one.path, one.code) for one in found if one.code.startswith("secret")] == [
        ("a.md", "secret"),
        ("b.md", "secret-kept"),
    ]
    assert TOKEN not in str([one.line for one in found])


# -- what was forgotten ----------------------------------------------------------------------------


def forgotten(ws: Workspace) -> None:
    saved = capture(ws.view(), turns(("user", SAID, "1"), ("user", SHORT, "2")), {})
    forget(ws.view(), [str(saved[0].ref)])
    assert "Ines" not in texts(ws)


def test_the_next_capture_of_the_session_leaves_it_out(ws: Workspace) -> None:
    forgotten(ws)
    later = turns(("user", SAID, "1"), ("user", SHORT, "2"), ("user", "Please forget my sister.", "3"))
    capture(ws.view(), later, {})
    assert "Please forget my sister." in texts(ws)
    assert "Ines" not in texts(ws)
    assert SHORT not in texts(ws)


def test_a_turn_is_known_by_its_id_whatever_it_says(ws: Workspace) -> None:
    forgotten(ws)
    capture(ws.view(), turns(("user", f"{SHORT} It has a window.", "2")), {})
    assert "window" not in texts(ws)


@pytest.mark.parametrize(
    "said", [SAID, f"The person said: {SAID}", f'She wrote "{SAID}"', SAID.replace(" at ", "\nat "), SAID.upper()]
)
def test_a_summary_and_a_tool_leave_it_out_and_answer_as_ever(ws: Workspace, said: str) -> None:
    forgotten(ws)
    capture(
        ws.view(), capture_input(json.dumps({"session_id": "s2", "compact_summary": f"Summary. {said}"}), no_file), {}
    )
    served = ws._replace(terms=WriteTerms(is_served=True), actor="si:ash")
    answer = add_memory(served.view(), {}, f"{said} Bella is well.")
    other = add_memory(served.view(), {}, "Bella sleeps in the kitchen. Bella is well.")
    assert shape(answer) == shape(other)
    assert "lindenhof" not in texts(ws).casefold()
    assert "Bella is well." in texts(ws)


def shape(saved: Saved) -> tuple[object, ...]:
    return (saved.ref is not None, saved.changed, saved.findings, saved.is_first, saved.path.startswith("notes/"))


def test_nothing_is_left_of_a_memory_that_says_only_that(ws: Workspace) -> None:
    forgotten(ws)
    before = dict(files_of(ws))
    for said in (SAID, f"She said: {SAID}"):
        answer = add_memory(ws._replace(terms=WriteTerms(is_served=True)).view(), {}, said)
        assert shape(answer) == (True, True, (), False, True)
        assert files_of(ws) == before


def test_a_person_writes_it_on_purpose_and_only_at_a_terminal_is_told(ws: Workspace) -> None:
    forgotten(ws)
    told = add_memory(ws._replace(terms=WriteTerms(at_terminal=True)).view(), {}, SAID)
    assert [one.code for one in told.findings] == ["forgotten-again"]
    assert SAID in texts(ws)
    assert add_memory(ws.view(), {"title": "Again"}, SAID).findings == ()


def test_digests_are_private_and_can_be_dropped(ws: Workspace, tmp_path: Path) -> None:
    forgotten(ws)
    file = tmp_path / "state/forgotten.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "Ines" not in file.read_text()
    (memory_id,) = json.loads(file.read_text())["of"]
    assert ws.of(FORGOTTEN).drop([memory_id]) > 0
    capture(ws.view(), turns(("user", SAID, "1")), {})
    assert "Ines" in texts(ws)


# -- exact copies ----------------------------------------------------------------------------------


def test_a_copy_is_answered_with_the_first_one(ws: Workspace) -> None:
    first = add_memory(ws.view(), {"tags": ["a"]}, "The weir opened at six.")
    again = add_memory(ws.view(), {"tags": ["a"]}, "The weir  opened at six.\n")
    assert (again.ref, again.path, again.is_first, again.changed) == (first.ref, first.path, True, False)
    assert len(files_of(ws)) == 1


@pytest.mark.parametrize("kind", ["raw", "belief", "episode"])
def test_copies_of_every_type_are_answered(ws: Workspace, kind: str) -> None:
    text = "The weir opened at six in the morning, as it does on Mondays."
    values = {"type": kind, "source": "chat"}
    assert add_memory(ws.view(), values, text).ref == add_memory(ws.view(), values, text).ref
    assert add_memory(ws.view(), {"type": "raw"}, text).is_first is False
    assert add_memory(ws.view(), {"type": "raw"}, text).is_first is True


@pytest.mark.parametrize("before", [(), ("The ferry of Brock was late on the day of the fair.",)])
def test_a_copy_of_what_also_repeats_others_is_answered(ws: Workspace, before: tuple[str, ...]) -> None:
    said = (
        "The ferry of Brock was late on the day of the fair. Nobody on the pier had seen it, and it had no flax aboard."
    )
    for text in before:
        add_memory(ws.view(), {"type": "raw"}, text)
    first = add_memory(ws.view(), {"type": "raw"}, said)
    add_memory(ws.view(), {"type": "raw"}, f"{said} So they said.")
    again = add_memory(ws.view(), {"type": "raw"}, said)
    assert (again.ref, again.is_first) == (first.ref, True)


def test_what_differs_is_no_copy(ws: Workspace) -> None:
    first = add_memory(ws.view(), {"tags": ["a"]}, "The weir opened at six.")
    others = [
        add_memory(ws.view(), {"tags": ["b"]}, "The weir opened at six."),
        add_memory(ws.view(), {"tags": ["a"]}, "The weir opened at SIX."),
        add_memory(ws.view(), {"tags": ["a"], "created_at": "2026-01-01T00:00:00Z"}, "The weir opened at six."),
        add_memory(ws._replace(terms=WriteTerms(again=True)).view(), {"tags": ["a"]}, "The weir opened at six."),
    ]
    assert len({str(one.ref) for one in [first, *others]}) == 5
    assert not any(one.is_first for one in others)


def test_what_somebody_else_wrote_is_no_first_one() -> None:
    there = memory_text("Tea is at four.\n", id="m_tea", author="si:ash", created_at='"2026-02-01T08:00:00Z"')
    ws = memory_workspace({"a.md": there})
    assert not add_memory(ws.view(), {}, "Tea is at four.").is_first
    assert add_memory(ws.view(), {}, "Tea is at four.").is_first


def test_a_copy_of_what_is_out_of_sight_is_written(ws: Workspace) -> None:
    first = add_memory(ws.view(), {}, "The weir opened at six.")
    set_keys(ws.view(), str(first.ref), {"status": ["archived"]})
    assert not add_memory(ws.view(), {}, "The weir opened at six.").is_first


COPIES = {
    "w.md": memory_text(
        "The weir opens at six.\n", type="belief", id="m_weir", confidence="0.6",
        confidence_history='[{timestamp: "2026-01-01T00:00:00Z", op: assert, new: 0.6}]',
    ),
    "a.md": memory_text("It opened at six.\n", id="m_aaaa", author="human:sean", created_at='"2026-03-09T06:00:00Z"'),
    "b.md": memory_text("It opened at six.\n", id="m_bbbb", author="human:sean", created_at='"2026-03-09T07:00:00Z"'),
}  # fmt: skip


def test_copies_that_exist_have_one_root() -> None:
    ws = memory_workspace(dict(COPIES))
    once = reinforce(ws.view(), "m_weir", "m_aaaa").new
    assert reinforce(ws.view(), "m_weir", "m_bbbb").new == once
    repeated = COPIES["b.md"].replace(b"created_at", b"origin: {repeated: true}\ncreated_at")
    ws = memory_workspace({**COPIES, "b.md": repeated})
    assert reinforce(ws.view(), "m_weir", "m_aaaa").new < reinforce(ws.view(), "m_weir", "m_bbbb").new


def test_recompute_says_what_counted_twice() -> None:
    apart = COPIES["b.md"].replace(b"-09T", b"-10T")
    ws = memory_workspace({**COPIES, "b.md": apart})
    reinforce(ws.view(), "m_weir", "m_aaaa")
    twice = reinforce(ws.view(), "m_weir", "m_bbbb").new
    assert rebuild_from_episodes(ws.view()).differing == ()
    files_of(ws)["b.md"] = COPIES["b.md"]
    (differing,) = rebuild_from_episodes(ws.view()).differing
    assert differing.rebuilt < twice
    assert differing.because == ("note:m_bbbb",)
