"""Verdicts: what somebody judged of two memories is seen where both are, while both say so; it changes neither."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.conflicts.candidates import candidates
from memstore.conflicts.judging import judge, withdraw
from memstore.conflicts.verdicts import verdicts_on
from memstore.core.conflict import VERDICTS
from memstore.core.errors import MemstoreError, NotFoundError, RefusedError, UsageError
from tests.memory_vault import MemoryVault
from tests.memory_workspace import memory_workspace
from tests.support import memory_text
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memstore.core.places import RegistryKind
    from memstore.vault.workspace import Workspace

BRASS, PAPER = "The lamp in the hall is made of brass.", "The lamp in the hall is made of paper."
KEYS = {"owner": "human:sean", "access_grants": '["si:ash"]'}


def vault(**more: bytes) -> Workspace:
    both = {
        "a.md": memory_text(f"One.\n{BRASS}\n", id="m_aaa", **KEYS),
        "b.md": memory_text(f"{PAPER}\n", id="m_bbb", **KEYS),
    }
    return memory_workspace(both | {f"{name}.md": data for name, data in more.items()}, actor="si:ash")


@settings(max_examples=40)
@given(
    st.sampled_from(VERDICTS),
    st.lists(st.sampled_from(["seen", "hidden", "edited", "moved", "tagged", "gone"]), max_size=2),
)
def test_a_verdict_is_seen_as_long_as_both_lines_stand_and_are_seen(verdict: str, changes: list[str]) -> None:
    ws = vault()
    judge(ws.view(), "m_aaa", "m_bbb", verdict)
    text = f"One.\n{BRASS}\n"
    keys = dict(KEYS)
    for change in changes:
        match change:
            case "hidden":
                keys["access_grants"] = "[]"
            case "edited":
                text = text.replace("brass", "gold")
            case "moved":
                text = f"First of all.\n\n{text}"
            case "tagged":
                keys["tags"] = "[lamp]"
    after = memory_text(text, id="m_aaa", **keys)
    disk = ws.vault
    assert isinstance(disk, MemoryVault)
    if "gone" in changes:
        disk.delete("a.md", expected=disk.read("a.md"))
    else:
        disk.replace("a.md", after, expected=disk.read("a.md"))

    found = verdicts_on(ws.view())
    stands = not {"hidden", "edited", "gone"} & {*changes}
    assert [one.verdict for one in found] == [verdict] * stands
    for one in found:
        lines = after.decode().split("\n")
        assert lines[one.judged[0].line_start - 1] == BRASS
        assert verdicts_on(ws.view(), "m_bbb") == (one,)


def test_it_closes_the_question_for_its_judge_alone() -> None:
    ws = vault()
    ash = ws.view()
    asked = candidates(ash, "m_aaa")
    assert [one.ref for one in asked] == ["note:m_bbb"]
    judge(ash, "m_aaa", "m_bbb", "unsure")
    assert candidates(ws.view(), "m_aaa") == candidates(ws.view(), "m_bbb") == ()
    assert candidates(ws.view(), "m_aaa", model="llm:small") == asked
    judge(ws.view(), "m_aaa", "m_bbb", "same", model="llm:small")
    assert candidates(ws.view(), "m_aaa", model="llm:small") == ()
    withdraw(ws.view(), "si:ash")
    assert candidates(ws.view(), "m_aaa") == asked


def test_the_same_again_writes_nothing_and_another_takes_its_place() -> None:
    ws = vault()
    first = judge(ws.view(), "m_bbb", "m_aaa", "contradicts")
    assert (first.written, judge(ws.view(), "m_aaa", "m_bbb", "contradicts").written) == (1, 0)
    assert judge(ws.view(), "m_aaa", "m_bbb", "supersedes").written == 1
    assert judge(ws.view(), "m_bbb", "m_aaa", "supersedes").written == 1  # the other way round
    (left,) = verdicts_on(ws.view())
    assert (left.verdict, left.judged[0].ref) == ("supersedes", "note:m_bbb")


def test_nobody_judges_in_anothers_name() -> None:
    ws = vault()
    for model in ("human:sean", "si:bot"):
        with pytest.raises(UsageError, match=f"{model} is no model's name"):
            judge(ws.view(), "m_aaa", "m_bbb", "contradicts", model=model)
    judge(ws.view(), "m_aaa", "m_bbb", "contradicts", model="llm:small")
    disk = ws.vault
    assert isinstance(disk, MemoryVault)
    (path,) = disk.registry_files()
    data = disk.read(path)
    disk.replace(path, data.replace(b"llm:small", b"human:sean"), expected=data)
    assert [(one.judge, one.judged_by) for one in verdicts_on(ws.view())] == [("si:ash", "si:ash")]


def test_of_one_judge_the_latest_verdict_counts_though_two_are_written_at_once() -> None:
    ws = vault()
    judge(ws.view(), "m_aaa", "m_bbb", "same")
    disk = ws.vault
    assert isinstance(disk, MemoryVault)
    (path,) = disk.registry_files()
    first = disk.read(path)
    disk.delete(path, expected=first)
    (later,) = judge(ws.view(), "m_aaa", "m_bbb", "unrelated").verdicts
    disk.create(path, first)  # as it comes with a merge
    assert verdicts_on(ws.view()) == (later,)
    assert judge(ws.view(), "m_aaa", "m_bbb", "same").written == 1
    withdraw(ws.view(), verdicts_on(ws.view())[0].id)
    assert verdicts_on(ws.view()) == ()


@pytest.mark.parametrize("reason", ["\x1b[31mred", "\ud800", "a\0b"])
def test_a_reason_is_in_plain_words(reason: str) -> None:
    ws = vault()
    with pytest.raises(UsageError, match="one line without control characters"):
        judge(ws.view(), "m_aaa", "m_bbb", "same", reason=reason)
    assert judge(ws.view(), "m_aaa", "m_bbb", "same", reason=" two\n\tlines ").verdicts[0].reason == "two lines"
    persian = "می\u200cخواهم"  # joiners are letters there
    assert judge(ws.view(), "m_aaa", "m_bbb", "narrows", reason=persian).verdicts[0].reason == persian


def test_lines_are_those_that_are_named_or_that_are_most_alike() -> None:
    ws = vault(c=memory_text("Rent is due in May.\n\nTom pays it.\n", id="m_ccc", **KEYS))
    body = ws.view().read("a.md").text.body_line  # type: ignore[union-attr]
    (alike,) = judge(ws.view(), "m_aaa", "m_bbb", "contradicts").verdicts
    (named,) = judge(ws.view(), f"m_aaa:{body}", f"b.md:{body}", "unrelated").verdicts
    (whole,) = judge(ws.view(), "m_bbb", "m_ccc", "unrelated").verdicts
    assert [one.line_start - body for one in alike.judged] == [1, 0]
    assert [one.line_start - body for one in named.judged] == [0, 0]
    assert [(one.line_start - body, one.line_end - body) for one in whole.judged] == [(0, 0), (0, 2)]


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        (("m_aaa", "m_bbb", "worse"), UsageError, "is no verdict"),
        (("m_aaa", "m_aaa", "same"), UsageError, "named twice"),
        (("m_aaa:99", "m_bbb", "same"), UsageError, "has no line 99 of"),
        (("m_aaa:1", "m_bbb", "same"), UsageError, "says nothing up to line 1: its text begins below"),
        (("m_empty", "m_bbb", "same"), UsageError, "has no text to judge"),
        (("m_aaa", "m_nowhere", "same"), NotFoundError, "no memory matches"),
        (("m_out", "m_bbb", "supersedes"), RefusedError, "comes from outside"),
    ],
)
def test_what_can_not_be_judged_is_refused(words: tuple[str, str, str], error: type[MemstoreError], says: str) -> None:
    ws = vault(
        out=memory_text("Gold.\n", id="m_out", source_type="external", **KEYS),
        empty=memory_text("", id="m_empty", **KEYS),
    )
    with pytest.raises(error, match=says):
        judge(ws.view(), *words)
    assert verdicts_on(ws.view()) == ()


def test_hidden_and_missing_are_refused_in_the_same_words() -> None:
    said = []
    hidden = {"c": memory_text(f"{BRASS}\n", id="m_ccc", owner="human:sean", access_grants="[]")}
    for more in (hidden, dict[str, bytes]()):
        with pytest.raises(NotFoundError) as refused:
            judge(vault(**more).view(), "m_aaa", "m_ccc", "same")
        said.append((refused.value.message, refused.value.hint))
    assert said[0] == said[1]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = InProcess(tmp_path)
    program.init()
    for name, text in (("a", BRASS), ("b", PAPER), ("c", "A lamp of paper hangs in the hall.")):
        data = memory_text(f"{text}\n", id=f"m_{name * 3}", access_grants='["*"]')
        (program.vault / f"{name}.md").write_bytes(data)
    program.ok("commit")
    return program


def verdict_files(program: Program) -> list[Path]:
    return sorted((program.vault / ".memstore" / "verdicts").rglob("*.md"))


def test_it_is_shown_wherever_the_memories_are_and_no_quality_changes(program: Program) -> None:
    program.ok("conflicts", "judge", "m_aaa", "m_bbb", "m_ccc", "contradicts", "--reason", "only one\nlamp", "-c")
    for words in (("show", "m_aaa"), ("why", "m_bbb"), ("trace", "m_aaa")):
        assert "contradicts note:m_bbb:6: only one lamp" in program.ok(*words)
        assert {"only one lamp"} == {one["reason"] for one in program.json(*words)["verdicts"]}
    assert "judged note:m_aaa and note:m_bbb: contradicts: only one lamp" in program.ok("review", "--against", "HEAD~1")
    assert "conflict" not in {term["name"] for term in program.json("why", "m_ccc")["numbers"][2]["terms"]}
    assert all(b"lamp in the hall" not in path.read_bytes() for path in verdict_files(program))
    assert "all committed" in program.ok("status")


def test_everybody_takes_back_their_own_and_the_owner_anybodys(program: Program) -> None:
    program.ok("--as", "si:bot", "conflicts", "judge", "m_aaa", "m_bbb", "same")
    assert "si:bot: note:m_aaa:6 says the same" in program.ok("--as", "si:eve", "show", "m_aaa")
    refused = program.run("--as", "si:eve", "conflicts", "withdraw", "si:bot")
    assert (refused.returncode, "no verdict of si:bot" in refused.stderr) == (3, True)
    (verdict,) = verdict_files(program)
    forged = verdict.with_name(verdict.name.replace("+ver_", "+ver_f"))
    said = re.sub(r"judged_by: .*", "judged_by: si:eve", verdict.read_text(encoding="utf-8"))
    said = said.replace("verdict: same", f"verdict: withdrawn\nwithdraws: {verdict.stem.rpartition('+')[2]}")
    forged.write_text(said.replace("id: ver_", "id: ver_f"), encoding="utf-8")
    assert "says the same" in program.ok("show", "m_aaa")
    program.ok("conflicts", "withdraw", "si:bot")
    assert "says the same" not in program.ok("show", "m_aaa")
    program.ok("undo")
    assert "says the same" in program.ok("show", "m_aaa")


def test_a_committed_verdict_is_never_changed_and_a_broken_one_says_nothing(program: Program) -> None:
    program.ok("conflicts", "judge", "m_aaa", "m_bbb", "same", "-c")
    (path,) = verdict_files(program)
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("verdict: same", "verdict: unrelated"), encoding="utf-8")
    program.git("add", "-A")
    assert "[verdict-changed]" in program.attempt_git("commit", "-qm", "x").stderr
    path.write_text(whole.replace("judged:", "jugded:"), encoding="utf-8")
    assert "verdict" not in program.ok("show", "m_aaa")
    assert path.name in program.run("check").stdout


def test_forgetting_a_memory_takes_its_verdicts_out_of_tree_and_history(program: Program) -> None:
    program.ok("conflicts", "judge", "m_aaa", "m_bbb", "same", "-c")
    program.ok("conflicts", "judge", "m_bbb", "m_ccc", "same", "-c")
    program.ok("forget", "m_aaa", "-c")
    assert [path.name.rpartition("+")[0] for path in verdict_files(program)] == ["m_bbb+m_ccc"]
    program.run("forget", "m_aaa", "--purge", str(program.home / "clean"))
    objects = program.attempt_git("-C", str(program.home / "clean"), "rev-list", "--objects", "--all").stdout
    assert "m_bbb+m_ccc" in objects
    assert "m_aaa+" not in objects


def test_a_command_line_of_mistakes(program: Program) -> None:
    for words, says in (
        (("judge", "m_aaa", "m_bbb", "supersede"), "'supersede' is not one of"),
        (("judge", "m_aaa", "same"), "missing argument"),
        (("judge", "m_aaa", "m_bbc", "same"), "no memory matches"),
        (("withdraw", "human:tester"), "no verdict of human:tester"),
    ):
        done = program.run("conflicts", *words)
        assert done.returncode in (2, 3)
        assert says in done.stderr
    assert "+verdict: narrows" in program.ok("conflicts", "judge", "m_aaa", "m_bbb", "narrows", "--dry-run")
    assert verdict_files(program) == []


def test_only_the_verdicts_of_named_judges_are_reported_and_they_lower_no_quality(program: Program) -> None:
    program.ok("conflicts", "judge", "m_aaa", "m_bbb", "contradicts")
    program.ok("--as", "si:bot", "conflicts", "judge", "m_ccc", "m_bbb", "supersedes")
    program.ok("--as", "si:bot", "conflicts", "judge", "m_aaa", "m_ccc", "unrelated")
    assert program.json("conflicts")["conflicts"] == []
    program.ok("config", "conflicts.judges", "human:tester,si:bot")
    found = {tuple(one["refs"]): one for one in program.json("conflicts")["conflicts"]}
    assert {refs: one["conflict_type"] for refs, one in found.items()} == {
        ("note:m_aaa", "note:m_bbb"): "contradiction",
        ("note:m_ccc", "note:m_bbb"): "temporal",
    }
    assert {(one["rule"], one["penalty"]) for one in found.values()} == {("verdict", 0.0)}
    assert found["note:m_ccc", "note:m_bbb"]["current"] == "note:m_ccc"
    (of_one,) = program.json("conflicts", "m_ccc")["conflicts"]
    assert (of_one["refs"], of_one["verdicts"][0]["judged_by"]) == (["note:m_ccc", "note:m_bbb"], "si:bot")
    assert "temporal with note:m_ccc" in program.ok("show", "m_bbb")
    place = program.vault / "c.md"
    before = place.read_bytes()
    place.write_bytes(before.replace(b"---\n", b"---\nsource_type: external\n", 1))
    (of_one,) = program.json("conflicts", "m_ccc")["conflicts"]
    assert (of_one["conflict_type"], of_one.get("current")) == ("contradiction", None)
    place.write_bytes(before)
    program.ok("conflicts", "resolve", "m_ccc", "m_bbb", "--keep", "m_ccc")
    assert program.json("conflicts")["conflicts"] == []


def test_what_is_withdrawn_does_not_come_back_with_the_lines(program: Program) -> None:
    program.ok("conflicts", "judge", "m_aaa", "m_bbb", "m_bbb", "note:m_bbb", "same")  # once, however it is named
    assert len(verdict_files(program)) == 1
    place = program.vault / "a.md"
    before = place.read_bytes()
    place.write_bytes(before.replace(b"brass", b"gold"))
    assert "says the same" not in program.ok("show", "m_bbb")
    assert "1 verdict taken back" in program.run("conflicts", "withdraw", "human:tester").stderr
    place.write_bytes(before)
    assert "says the same" not in program.ok("show", "m_bbb")


def test_the_lists_of_verdicts_are_read_once_for_many_memories(monkeypatch: pytest.MonkeyPatch) -> None:
    lamps = {
        f"l{at}": memory_text(f"The lamp number {at} hangs in the hall.\n", id=f"m_l{at:02}", **KEYS)
        for at in range(30)
    }
    ws = vault(**lamps)
    kept, listed = MemoryVault.registry_files, list[int]()

    def noted(self: MemoryVault, kinds: Iterable[RegistryKind] | None = None) -> Iterator[str]:
        listed.append(1)
        return kept(self, kinds)

    monkeypatch.setattr(MemoryVault, "registry_files", noted)
    candidates(ws.view(), ["m_l00", "m_l01"])
    few = len(listed)
    candidates(ws.view(), [f"m_l{at:02}" for at in range(30)])
    assert len(listed) == 2 * few
