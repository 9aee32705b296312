"""Forgetting: what is left, what becomes of what rests on it, and what else of the vault goes."""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs import ledger
from memstore.beliefs.propagation import propagate
from memstore.beliefs.recompute import check_confidences
from memstore.core.errors import RefusedError, UsageError
from memstore.core.memory import LedgerLine
from memstore.files.render import entry_of
from memstore.memories.add import add_memory
from memstore.memories.edit import set_keys, tag
from memstore.memories.forget import forget
from memstore.vault.status import undo
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.core.memory import Memory

SECRET = memory_text("Canary text.\n", type="note", id="m_secret", title="Canary title", tags="[canary]")
MADE = memory_text(
    "It follows.\n", type="belief", id="m_made", confidence="0.9", derived_from='["note:m_secret"]',
    access_grants='["*"]',
    confidence_history='[{timestamp: "2026-01-01T00:00:00Z", op: assert, new: 0.9}]',
)  # fmt: skip


def test_a_tombstone_says_nothing() -> None:
    ws = memory_workspace({"notes/2026/canary-secret.md": SECRET})
    done = forget(ws.view(), ["m_secret"], reason="private")
    files = files_of(ws)
    (tomb,) = done.tombstones
    assert (tomb.ref, tomb.was) == ("note:m_secret", "notes/2026/canary-secret.md")
    assert tomb.was not in files
    assert files[tomb.path].decode().splitlines()[:5] == [
        "---", "type: note", "id: m_secret", "status: forgotten", "status_reason: private",
    ]  # fmt: skip
    assert not [path for path, data in files.items() if b"anary" in data or "anary" in path]


def test_nothing_is_written_into_a_tombstone() -> None:
    ws = memory_workspace({"a.md": SECRET})
    forget(ws.view(), ["m_secret"])
    before = dict(files_of(ws))
    with pytest.raises(RefusedError, match="was forgotten"):
        tag(ws.view(), "m_secret", add=["canary"])
    with pytest.raises(RefusedError, match="was forgotten"):
        set_keys(ws.view(), "m_secret", {"title": ["Canary"]})
    assert files_of(ws) == before


def test_with_dependents_it_is_refused_and_they_are_listed() -> None:
    ws = memory_workspace({"a.md": SECRET, "b.md": MADE})
    before = dict(files_of(ws))
    with pytest.raises(RefusedError, match=r"1 memory rests on what is to be forgotten.*\n  belief:m_made"):
        forget(ws.view(), ["m_secret"])
    assert files_of(ws) == before
    with pytest.raises(UsageError):
        forget(ws.view(), ["m_secret"], detach=True, cascade=True)


def test_what_rests_on_them_goes_too_if_asked() -> None:
    ws = memory_workspace({"a.md": SECRET, "b.md": MADE, "c.md": memory_text("Other.\n", id="m_other")})
    done = forget(ws.view(), ["m_secret"], cascade=True)
    assert [tomb.ref for tomb in done.tombstones] == ["note:m_secret", "belief:m_made"]
    assert files_of(ws)["c.md"] == memory_text("Other.\n", id="m_other")
    assert forget(ws.view(), ["m_secret"]).tombstones == ()


def test_the_refusal_says_how_much_a_cascade_would_take() -> None:
    last = memory_text("Last.\n", type="belief", id="m_last", derived_from='["belief:m_made"]')
    ws = memory_workspace({"a.md": SECRET, "b.md": MADE, "c.md": last})
    with pytest.raises(RefusedError) as refused:
        forget(ws.view(), ["m_secret"])
    assert refused.value.hint == (
        "--detach keeps them without it, --cascade forgets them, too, and 1 more that rests on those"
    )
    assert len(forget(ws.view(), ["m_secret"], cascade=True).tombstones) == 3


def test_what_a_memory_spoke_against_does_not_rest_on_it() -> None:
    line = (
        '{timestamp: "2026-01-02T00:00:00Z", op: contradict, old: 0.7, new: 0.6, '
        'evidence_source: "note:m_secret", weight: 0.3}'
    )
    start = '{timestamp: "2026-01-01T00:00:00Z", op: assert, new: 0.7}'
    runs = memory_text(
        "It runs.\n", type="belief", id="m_runs", confidence="0.6", confidence_history=f"[{start}, {line}]"
    )
    for cascade in (False, True):
        ws = memory_workspace({"a.md": SECRET, "b.md": runs})
        done = forget(ws.view(), ["m_secret"], cascade=cascade)
        assert [tomb.ref for tomb in done.tombstones] == ["note:m_secret"]
        assert (done.detached, done.mentions) == ((), ("belief:m_runs",))
        assert files_of(ws)["b.md"] == runs


def test_a_detached_memory_takes_over_the_label() -> None:
    root = memory_text("Root.\n", id="m_root", access_grants='["human:alice"]')
    label = {
        "derived_from": '["note:m_root"]', "subject_ids": '["dog:bella"]', "source_entity": "human:bob",
        "access_grants": '["human:alice", "human:bob"]', "access_denies": '["human:eve"]',
    }  # fmt: skip
    ws = memory_workspace({"r.md": root, "a.md": memory_text("Secret.\n", id="m_secret", **label), "b.md": MADE})
    (made,) = forget(ws.view(), ["m_secret"], detach=True).detached
    assert (made.ref, made.is_own) == ("belief:m_made", True)
    memory = ws.view().original("m_made").memory
    assert memory.derived_from == ("note:m_root",)
    assert memory.relates_to == ("note:m_secret",)
    assert (memory.subject_ids, memory.source_chain) == (("dog:bella",), ("human:bob",))
    assert (memory.access_denies, memory.upstream_grants) == (("human:eve",), (("human:alice", "human:bob"),))
    assert memory.access_grants == ("*",)


def test_a_dry_run_writes_nothing() -> None:
    ws = memory_workspace({"a.md": SECRET, "b.md": MADE})
    before = dict(files_of(ws))
    done = forget(ws.view(), ["m_secret"], detach=True, dry_run=True)
    assert (len(done.tombstones), len(done.detached), files_of(ws)) == (1, 1, before)


def test_only_its_owner_forgets_it_and_others_dependents_stay() -> None:
    files = {"a.md": SECRET.replace(b"type:", b'access_grants: ["si:claire"]\ntype:', 1)}
    files["b.md"] = MADE.replace(b"type:", b"owner: si:claire\ntype:", 1)
    with pytest.raises(RefusedError, match="is human:sean's"):
        forget(memory_workspace(files, actor="si:claire").view(), ["m_secret"])
    ws = memory_workspace(files)
    forget(ws.view(), ["m_secret"])
    assert files_of(ws)["b.md"] == files["b.md"]


def test_pages_suggestions_and_requests_lose_its_text() -> None:
    page = (
        b"# Mine\n\n<!-- memstore:begin what has graduated; memstore beliefs graduate writes this -->\n- Canary title"
        b" [[note:m_secret]]\n- Other [[note:m_other]]\n<!-- memstore:end m_secret=8c1d2f m_other=123456 -->\n"
    )
    request = (
        b'---\ntype: witness-request\nid: req_1\nref: "note:m_secret"\ncontent: "canary"\nrequested_at:'
        b' "2026-01-01T00:00:00Z"\n---\n'
    )
    suggestion = memory_text("Canary again.\n", id="m_draft", status="draft", derived_from='["note:m_secret"]')
    ws = memory_workspace(
        {"a.md": SECRET, "MEMORY.md": page, "requests/req_1.md": request, "suggestions/s.md": suggestion}
    )
    done = forget(ws.view(), ["m_secret"])
    assert (set(done.removed), done.cleaned) == ({"requests/req_1.md", "suggestions/s.md"}, ("MEMORY.md",))
    files = files_of(ws)
    assert b"- Other [[note:m_other]]\n<!-- memstore:end m_other=123456 -->" in files["MEMORY.md"]
    assert not [path for path, data in files.items() if b"anary" in data]


ORIGINAL = "imports/mem0/list-0123456789.original"


@pytest.mark.parametrize(
    ("secret", "other", "after", "left"),
    [
        ("#L2-L3", None, None, ()),  # nothing else needs any of it
        ("#L2-L3", "#L4", b"[\n\n\nother\n]\n", ()),
        ("#L2-L3", "#L3-L4", b"[\n\ncanary two\nother\n]\n", (f"{ORIGINAL}, line 3, ",)),
        ("#L2-L999999999", "#L4-L5", b"[\n\n\nother\n]\n", (f"{ORIGINAL}, lines 4, 5, ",)),
        ("", "#L4", b"\n\n\nother\n\n", (f"{ORIGINAL}, line 4, ",)),
        ("#L2-L3", "", b"[\ncanary one\ncanary two\nother\n]\n", (f"{ORIGINAL}, lines 2, 3, ",)),
    ],
)
def test_an_original_of_an_import_loses_its_lines_and_no_others(
    secret: str, other: str | None, after: bytes | None, left: tuple[str, ...]
) -> None:
    files = {
        "a.md": memory_text("Canary.\n", id="m_secret", derived_from=f'["file:{ORIGINAL}{secret}@0123456789"]'),
        ORIGINAL: b"[\ncanary one\ncanary two\nother\n]\n",
    }
    if other is not None:
        files["b.md"] = memory_text("Other.\n", id="m_other", derived_from=f'["file:{ORIGINAL}{other}@0123456789"]')
    ws = memory_workspace(files)
    plan = forget(ws.view(), ["m_secret"], dry_run=True)
    assert files_of(ws)[ORIGINAL] == files[ORIGINAL]
    done = forget(ws.view(), ["m_secret"])
    assert (done.removed, done.cleaned) == (plan.removed, plan.cleaned)
    assert files_of(ws).get(ORIGINAL) == after
    assert (ORIGINAL in done.removed) == (after is None)
    assert len(done.left) == len(left)
    assert all(said.startswith(begin) for said, begin in zip(done.left, left, strict=True))


def test_an_original_is_the_vaults_owners_to_change() -> None:
    mark = f'["file:{ORIGINAL}#L1@0123456789"]'
    ws = memory_workspace(
        {"a.md": memory_text("C.\n", id="m_secret", owner="si:claire", derived_from=mark), ORIGINAL: b"canary\n"},
        actor="si:claire",
    )
    done = forget(ws.view(), ["m_secret"])
    assert done.left == (f"{ORIGINAL}, from which it was imported: only the vault's owner can change it",)
    assert files_of(ws)[ORIGINAL] == b"canary\n"


def test_it_can_not_be_undone_and_neither_can_what_held_its_text() -> None:
    ws = memory_workspace()
    made = add_memory(ws.view(), {"type": "note"}, "Canary.\n")
    forget(ws.view(), [made.ref or ""])
    with pytest.raises(RefusedError, match="forget was the last thing"):
        undo(ws.view())
    add_memory(ws.view(), {"type": "note"}, "Another.\n")
    assert undo(ws.view()).verb == "add"


# -- nothing is held more surely ---------------------------------------------------------------------


def drawn(random: Random) -> dict[str, bytes]:
    """Return a vault of four sources, a belief that rests on some of them, and one that was made of the belief."""
    numbers = {f"m_s{i}": round(random.uniform(0.05, 1.0), 2) for i in range(4)}
    files = {
        f"{name}.md": memory_text(type="belief", id=name, confidence=str(number), access_grants='["*"]')
        for name, number in numbers.items()
    }
    lines = [LedgerLine(timestamp="2026-01-01T00:00:00Z", op=random.choice(("assert", "edit")), new=random.random())]
    for i in range(random.randint(0, 5)):
        source = random.choice([*numbers])
        lines.append(
            LedgerLine(
                timestamp=f"2026-01-0{i + 2}T00:00:00Z",
                op=random.choice(("support", "support", "partial", "contradict")),
                evidence_source=f"belief:{source}", weight=random.choice((0.3, 0.5, 0.9)), roots=(f"belief:{source}",),
                source_confidence=random.choice((None, numbers[source], 1.0)),
            )
        )  # fmt: skip
    premises = random.sample([*numbers], random.randint(0, 3))
    held = ledger.rounded(ledger.replay(lines).confidence)
    entries = ", ".join(json.dumps({k: v for k, v in entry_of(line).items() if v is not None}) for line in lines)
    files["held.md"] = memory_text(
        type="belief", id="m_held", confidence=str(held), confidence_history=f"[{entries}]",
        derived_from=json.dumps([f"belief:{one}" for one in premises]),
    )  # fmt: skip
    files["last.md"] = memory_text(
        type="belief", id="m_last", confidence=str(held), derived_from='["belief:m_held"]',
        confidence_history=f'[{{timestamp: "2026-02-01T00:00:00Z", op: assert, new: {held}}}]',
    )  # fmt: skip
    return files


def most(memory: Memory, numbers: Mapping[str, float], gone: set[str]) -> float:
    """Return the confidence that a belief's remaining grounds bear at most: an oracle that ignores propagation.

    What spoke for it and is gone counts for nothing; what spoke against it counts as little as its source is held.
    """
    choices: list[list[LedgerLine | None]] = []
    latest = {line.evidence_source: line for line in memory.confidence_history}  # of each source, only one counts
    for line in latest.values():
        source = line.evidence_source or ""
        if line.op == "assert":
            caps = [numbers[ref] for ref in memory.derived_from if ref in gone]
            choices.append([line._replace(new=min([line.new or 0.0, *caps]))])
        elif line.op == "support":
            choices.append([None if source in gone else line])
        elif line.op in ("partial", "contradict"):
            share = min(1.0, numbers[source] / line.source_confidence) if line.source_confidence else 1.0
            weaker = line._replace(weight=(line.weight or 0.0) * share)
            choices.append([line, weaker, *([None] if source in gone and line.op == "partial" else [])])
        else:
            choices.append([line])
    return max(ledger.replay(filter(None, lines)).confidence for lines in product(*choices))


@given(st.integers(0, 2**32))
def test_forgetting_never_leaves_a_belief_surer_than_its_grounds(seed: int) -> None:
    random = Random(seed)  # noqa: S311 (nothing secret)
    ws = memory_workspace(drawn(random))
    before = {name: ws.view().original(name).memory for name in ("m_held", "m_last")}
    going = random.sample([f"m_s{i}" for i in range(4)], random.randint(1, 3))
    numbers = {f"belief:m_s{i}": ws.view().original(f"m_s{i}").memory.confidence or 0.0 for i in range(4)}
    is_settled = not [step for step in propagate(ws.view()).plan.steps if step.ref == "belief:m_held"]
    forget(ws.view(), going, detach=True)

    bound = most(before["m_held"], numbers, {f"belief:{name}" for name in going})
    old = before["m_held"].confidence or 0.0
    held = ws.view().original("m_held").memory
    # If changes of other sources have not been carried on yet, they are now.
    assert (held.confidence or 0.0) <= (min(old, bound) if is_settled else bound) + 1e-4
    assert check_confidences(ws.view()).unequal == ()
    made = ws.view().original("m_last").memory.confidence or 0.0
    assert made <= (held.confidence or 0.0) + 1e-4 or made <= (before["m_last"].confidence or 0.0) == old

    # Whatever becomes of the other sources, and however often changes are carried on.
    left = [f"m_s{i}" for i in range(4) if f"m_s{i}" not in going]
    for name in left:
        set_keys(ws.view(), name, {"confidence": ["1.0"]})
    for _ in range(3):
        propagate(ws.view(), apply=True)
        assert (ws.view().original("m_held").memory.confidence or 0.0) <= bound + 1e-4
