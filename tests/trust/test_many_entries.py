"""A file with very many entries costs no more than a file with many, entry for entry."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING

import pytest

from memstore.history.git_process import GitProcess
from memstore.trust.anchor import anchor_commit
from memstore.trust.keyring import ROTATIONS
from memstore.trust.keys import list_keys
from memstore.trust.trust import trust_of
from memstore.trust.vouching import controller
from memstore.vault.check import check
from tests.attested_vault import PATH, babels_vault, make_keys, text
from tests.git_repositories import OWNER, memory, vault_in
from tests.memory_workspace import files_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.vault.workspace import Workspace
    from tests.git_repositories import Written

FEW, MANY = 100, 800
# Linear is 8; what grows with the square would be 64.
MOST_TIMES_AS_LONG = 24
DIGEST = f"sha256:{0:064x}"


def witnesses(count: int) -> str:
    said = f'witnessed_at: "2026-02-01T00:00:00Z", content: "{DIGEST}", provenance: "{DIGEST}"'
    sigs = (base64.b64encode(f"{i:0150}".encode()).decode() for i in range(count))
    return "".join(
        f'  - {{agent_id: "si:w{i}", attestation: confirm, {said}, notes: "[[m_0ther0000x]]", sig: "{sig}"}}\n'
        for i, sig in enumerate(sigs)
    )


def resolutions(count: int) -> str:
    said = f'outcome: upheld, at: "2026-02-01T00:00:00Z", content: "{DIGEST}", provenance: "{DIGEST}", sig: "U1NIU0lH"'
    return "".join(f'  - {{by: "si:w{i}", {said}}}\n' for i in range(count))


def pages(count: int) -> str:
    return "".join(
        f'  - {{type: url, reference: "https://e.org/{i}", role: commitment, hash: "sha256:{i:064x}"}}\n'
        for i in range(count)
    )


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of this processor that some work took, at best of three."""
    found = []
    for _ in range(3):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def is_linear(work: Callable[[int], Callable[[], object]]) -> bool:
    return seconds(work(MANY)) < MOST_TIMES_AS_LONG * (seconds(work(FEW)) + 0.002)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "entries"), [("witnesses", witnesses), ("resolutions", resolutions), ("anchors", pages)]
)
def test_many_entries_of_a_kind_cost_linear_time(name: str, entries: Callable[[int], str], keys: Path) -> None:
    def with_so_many(count: int) -> Callable[[], object]:
        ws = babels_vault(keys)
        files_of(ws)[PATH] = text(ws).replace("platform:", f"{name}:\n{entries(count)}platform:").encode()
        return lambda: (trust_of(ws.view(), PATH), check(ws.view()))

    assert is_linear(with_so_many)


def test_many_rotations_cost_linear_time(keys: Path) -> None:
    def with_so_many(count: int) -> Callable[[], object]:
        ws: Workspace = babels_vault(keys)
        files_of(ws)[ROTATIONS] = b'{"payload": "e30="}\n' * count
        return lambda: list_keys(ws.view())

    assert is_linear(with_so_many)


def test_a_long_chain_of_controllers_costs_linear_time() -> None:
    def of_length(count: int) -> Callable[[], object]:
        chain = {f"si:a{i}": f"si:a{i + 1}" for i in range(count)}
        return lambda: controller("si:a0", chain)

    assert is_linear(of_length)
    assert controller("si:a", {"si:a": "si:c", "si:c": "si:b", "si:b": "si:c"}) == "si:b"


def anchored(made: Written, count: int) -> Workspace:
    """Return a vault with a memory with so many witnesses, and as many anchors in the commit that has it."""
    said = memory("m_0000000tea", author=OWNER, created_at='"2026-02-01T10:00:00Z"')
    entries = witnesses(count).replace("m_0ther0000x", "m_0000000tea")
    made.write("tea.md", said.replace("created_at:", f"witnesses:\n{entries}created_at:", 1))
    made.commit("Tea", "2026-02-01T11:00:00Z")
    anchor_commit(made.open().view(), "m_0000000tea")
    file = made.root / "tea.md"
    line = next(line for line in file.read_text().splitlines(keepends=True) if "git_commit" in line)
    file.write_text(file.read_text().replace(line, line * count))
    return made.open()


def noted(ask: Callable[..., object], asked: list[object]) -> Callable[..., object]:
    def told(*words: object, **named: object) -> object:
        asked.append(words)
        return ask(*words, **named)

    return told


def test_many_anchors_cost_linear_time_and_ask_git_no_more_often_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    for name in ("run", "attempt"):
        monkeypatch.setattr(GitProcess, name, noted(getattr(GitProcess, name), asked))

    def questions(count: int) -> tuple[float, int]:
        ws = anchored(vault_in(tmp_path / str(count)), count)
        asked.clear()
        found = trust_of(ws.view(), "m_0000000tea")
        assert len(found.vouched.anchors) == count
        assert {one.status.value for one in found.vouched.anchors} == {"valid"}
        often = len(asked)
        return seconds(lambda: trust_of(ws.view(), "m_0000000tea")), often

    (few, asked_for_few), (many, asked_for_many) = questions(FEW // 2), questions(MANY // 2)
    assert asked_for_many == asked_for_few
    assert many < MOST_TIMES_AS_LONG * few
