"""Graduation: what earns a line, what loses it, and that the user's lines and edits stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.archive import restore
from memstore.beliefs.graduate import MOST_LINES, graduate, page_of
from memstore.core.errors import FormatError, RefusedError
from memstore.files import managed_block
from memstore.memories.listing import list_memories
from memstore.memories.show import show_memory
from memstore.memories.suggestions import accept_suggestion, list_suggestions, reject_suggestion
from memstore.search import USAGE
from memstore.search.usage_log import Use
from memstore.vault.status import undo
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import TickClock, memory_text

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace
    from tests.memory_vault import MemoryVault

OLD, NEW = '"2026-01-01T12:00:00Z"', '"2026-01-31T12:00:00Z"'


def note(text: str, memory_id: str, **keys: str) -> bytes:
    return memory_text(f"{text}\n", **{"id": memory_id, "importance": "high", "created_at": OLD, **keys})


def belief(text: str, memory_id: str, confidence: str, roots: int = 3) -> bytes:
    sources = ", ".join(f"episode:m_ep{n}" for n in range(roots))
    return memory_text(
        f"{text}\n", type="belief", id=memory_id, confidence=confidence, created_at=NEW, derived_from=f"[{sources}]"
    )


EPISODES = {f"e{n}.md": memory_text(f"So {n}.\n", type="episode", id=f"m_ep{n}", created_at=NEW) for n in range(3)}


def page(ws: Workspace, path: str = "MEMORY.md") -> list[str]:
    return files_of(ws)[path].decode().splitlines()


def entries(ws: Workspace, path: str = "MEMORY.md") -> list[str]:
    return [line for line in page(ws, path) if line.startswith("- ")]


def test_what_is_important_and_old_or_used_comes_in() -> None:
    files = {
        "old.md": note("Old.", "m_old"), "young.md": note("Young.", "m_young", created_at=NEW),
        "used.md": note("Used.", "m_used", created_at=NEW), "usual.md": note("Usual.", "m_usual", importance="normal"),
        "raw.md": note("Raw.", "m_raw", type="raw"), "gone.md": note("Gone.", "m_gone", status="archived"),
    }  # fmt: skip
    ws = memory_workspace(files)
    for _ in range(3):
        ws.of(USAGE).record(Use("m_used", ws.clock.now(), OWNER, "show"))
    (done,) = graduate(ws.view())
    assert done.entered == ("note:m_old", "note:m_used")
    assert entries(ws) == ["- Old. [[note:m_old]]", "- Used. [[note:m_used]]"]
    assert graduate(ws.view()) == ()
    undo(ws.view())
    assert "MEMORY.md" not in files_of(ws)


def test_a_belief_needs_three_roots_and_leaves_later_than_it_came() -> None:
    files = {
        **EPISODES, "sure.md": belief("Sure.", "m_sure", "0.75"), "alone.md": belief("Alone.", "m_alone", "0.9", 2),
        "half.md": belief("Half.", "m_half", "0.65"),
    }  # fmt: skip
    ws = memory_workspace(files)
    assert [done.entered for done in graduate(ws.view())] == [("belief:m_sure",)]
    files_of(ws)["sure.md"] = belief("Sure.", "m_sure", "0.65")
    assert graduate(ws.view()) == ()
    files_of(ws)["sure.md"] = belief("Sure.", "m_sure", "0.55")
    assert [done.left for done in graduate(ws.view())] == [("belief:m_sure",)]
    assert entries(ws) == []


def test_a_project_has_a_page_of_its_own_and_nothing_passes_from_it() -> None:
    ws = memory_workspace({"a.md": note("All.", "m_all"), "p.md": note("Ours.", "m_ours", scope="project:tides")})
    graduate(ws.view())
    assert entries(ws) == ["- All. [[note:m_all]]"]
    assert entries(ws, "projects/tides/MEMORY.md") == ["- Ours. [[note:m_ours]]"]
    assert page_of("project:tides") == "projects/tides/MEMORY.md"


@pytest.mark.parametrize(
    "keys",
    [{"context": "ctx:vet"}, {"access_denies": '["si:ash"]'}, {"owner": "si:ash"}, {"upstream_grants": "[[si:ash]]"}],
)
def test_what_is_kept_from_somebody_stays_out(keys: dict[str, str]) -> None:
    ws = memory_workspace({"a.md": note("Narrow.", "m_narrow", **keys), "b.md": note("Mine.", "m_mine")})
    graduate(ws.view())
    assert entries(ws) == ["- Mine. [[note:m_mine]]"]


def test_it_is_the_owners_page() -> None:
    ws = memory_workspace({"a.md": note("Mine.", "m_mine")})
    with pytest.raises(RefusedError):
        graduate(ws._replace(actor="si:ash").view())
    assert "MEMORY.md" not in files_of(ws)


def test_ten_a_run_and_two_hundred_lines() -> None:
    many = {f"{n}.md": note(f"Fact {n}.", f"m_fact{n:03}") for n in range(12)}
    ws = memory_workspace({**many, "MEMORY.md": b"mine\n" * (MOST_LINES - 14)})
    assert [len(done.entered) for done in graduate(ws.view())] == [10]
    assert [len(done.entered) for done in graduate(ws.view())] == [1]
    assert graduate(ws.view()) == ()
    assert len(page(ws)) == MOST_LINES


def test_hand_edits_in_the_block_stay_and_are_proposed() -> None:
    files = {name: note(f"Fact {name}.", f"m_{name * 3}") for name in "abc"}
    ws = memory_workspace({f"{name}.md": data for name, data in files.items()})
    graduate(ws.view())
    text = files_of(ws)["MEMORY.md"].decode()
    text = text.replace("- Fact a.", "- Fact A, really.").replace("- Fact b. [[note:m_bbb]]\n", "- my own\n")
    files_of(ws)["MEMORY.md"] = text.encode()
    (done,) = graduate(ws.view())
    told = [(one.line, one.ref, one.text) for one in done.proposals]
    assert told == [(2, "note:m_aaa", "Fact A, really."), (3, None, "my own"), (1, "note:m_bbb", "")]
    assert files_of(ws)["MEMORY.md"].decode() == text
    assert {saved.path for saved in done.suggested} == {path for path in files_of(ws) if path.startswith("suggestions")}
    assert [saved.ref for saved in done.suggested] == [one.suggestion for one in done.proposals]
    assert [page.suggested for page in graduate(ws.view())] == [()]
    files_of(ws)["c.md"] = note("Fact d.", "m_ccc")
    graduate(ws.view())
    assert entries(ws) == ["- Fact A, really. [[note:m_aaa]]", "- my own", "- Fact d. [[note:m_ccc]]"]
    # Where the memory says the same by now, the line is the program's again.
    files_of(ws)["a.md"] = note("Fact A, really.", "m_aaa", title="Fact A, really.")
    assert "note:m_aaa" not in [one.ref for done in graduate(ws.view()) for one in done.proposals]
    files_of(ws)["a.md"] = note("Other.", "m_aaa", title="Other.")
    graduate(ws.view())
    assert entries(ws)[0] == "- Other. [[note:m_aaa]]"


USER = st.text(st.characters(codec="utf-8", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), max_size=80)


@given(before=USER, eol=st.sampled_from(["\n", "\r\n"]))
def test_the_users_lines_are_never_touched(before: str, eol: str) -> None:
    own = before.replace("\n", eol).encode()
    ws = memory_workspace({"a.md": note("Fact.", "m_fact"), "MEMORY.md": own})
    ws = ws._replace(clock=TickClock())
    graduate(ws.view())
    assert files_of(ws)["MEMORY.md"].startswith(own)
    after = b"\nbelow, without an end"
    files_of(ws)["MEMORY.md"] += after
    files_of(ws)["a.md"] = note("Other fact.", "m_fact")
    graduate(ws.view())
    text = files_of(ws)["MEMORY.md"]
    assert text.startswith(own)
    assert text.endswith(after)
    assert b"- Other fact. [[note:m_fact]]" in text


def test_a_broken_block_is_left_alone() -> None:
    own = managed_block.BEGIN.encode() + b"\n- a\n"
    ws = memory_workspace({"a.md": note("Fact.", "m_fact"), "MEMORY.md": own})
    with pytest.raises(FormatError, match=r"MEMORY\.md:1"):
        graduate(ws.view())
    assert files_of(ws)["MEMORY.md"] == own


def test_a_title_cannot_end_the_block() -> None:
    ws = memory_workspace({"a.md": note("x", "m_fact", title="'<!-- memstore:end --> and on'")})
    graduate(ws.view())
    assert len(managed_block.read("MEMORY.md", files_of(ws)["MEMORY.md"]).lines) == 1


def test_a_dry_run_writes_nothing() -> None:
    ws = memory_workspace({"a.md": note("Fact.", "m_fact")})
    (done,) = graduate(ws.view(), dry_run=True)
    assert "+- Fact. [[note:m_fact]]" in done.diff
    assert "MEMORY.md" not in files_of(ws)


# -- what hands changed, as suggestions ----------------------------------------------------------


@pytest.fixture
def changed() -> Workspace:
    """Return a vault whose page had a line reworded, one taken out and one written by a hand."""
    files = {name: note(f"Fact {name}.", f"m_{name * 3}", owner=OWNER, tags="[x]") for name in "ab"}
    ws = memory_workspace({f"{name}.md": data for name, data in files.items()})
    graduate(ws.view())
    text = files_of(ws)["MEMORY.md"].decode()
    text = text.replace("- Fact a.", "- Fact A, really.").replace("- Fact b. [[note:m_bbb]]\n", "## Mine\n\n- my own\n")
    files_of(ws)["MEMORY.md"] = text.encode()
    graduate(ws.view())
    return ws


def waiting(ws: Workspace) -> dict[str, str]:
    return {one.action.value: str(one.memory.ref) for one in list_suggestions(ws.view())}


def test_accepting_makes_the_memories_say_what_the_hand_wrote(changed: Workspace) -> None:
    found = waiting(changed)
    assert set(found) == {"create", "revise", "archive"}
    for action, ref in found.items():
        (shown,) = (one for one in list_suggestions(changed.view()) if one.action.value == action)
        diff = accept_suggestion(changed.view(), ref, dry_run=True).saved.diff
        assert action == "create" or f"~~~~diff\n{diff}~~~~\n" in shown.memory.body
        accept_suggestion(changed.view(), ref)
    memories = {one.title: one for one in list_memories(changed.view()).entries}
    assert set(memories) == {"Fact A, really.", "my own"}
    made = show_memory(changed.view(), memories["my own"].ref or "").memory
    assert (made.type, made.source, made.source_type, made.body.strip()) == (
        "note", "MEMORY.md", "told_by_human", "my own",
    )  # fmt: skip
    assert [page.proposals for page in graduate(changed.view())] == [()]  # the line is the program's again
    assert graduate(changed.view()) == ()
    assert entries(changed) == ["- Fact A, really. [[note:m_aaa]]", "- my own"]
    restore(changed.view(), ["m_bbb"])
    assert files_of(changed)["b.md"] == note("Fact b.", "m_bbb", owner=OWNER, tags="[x]")


def test_what_was_rejected_is_neither_written_nor_told_again(changed: Workspace) -> None:
    before = {path: data for path, data in files_of(changed).items() if not path.startswith("suggestions")}
    for ref in waiting(changed).values():
        reject_suggestion(changed.view(), ref)
    assert graduate(changed.view()) == ()
    assert {path: data for path, data in files_of(changed).items() if not path.startswith("suggestions")} == before


def test_a_dry_run_suggests_nothing(changed: Workspace) -> None:
    for path in [path for path in files_of(changed) if path.startswith("suggestions")]:
        del files_of(changed)[path], cast("MemoryVault", changed.vault)._stats[path]
    (done,) = graduate(changed.view(), dry_run=True)
    assert len(done.suggested) == 3
    assert waiting(changed) == {}


def test_a_suggestion_is_of_the_scope_of_its_page_and_shown_to_nobody_else() -> None:
    ws = memory_workspace({"p.md": note("Ours.", "m_ours", scope="project:tides", access_grants='["si:ash"]')})
    graduate(ws.view())
    page = "projects/tides/MEMORY.md"
    files_of(ws)[page] = files_of(ws)[page].replace(b"- Ours.", b"- my own\n- Ours, all.")
    graduate(ws.view())
    own, reworded = sorted(list_suggestions(ws.view()), key=lambda one: one.action.value)
    assert (own.memory.scope, own.memory.access_grants) == ("project:tides", ())
    assert (reworded.memory.scope, reworded.memory.access_grants) == ("project:tides", ("si:ash",))
