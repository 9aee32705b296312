"""However much there is to say, an answer fits into an agent's context window, and says that it was shortened."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.mcp.fitting import MOST_ANSWERED, fitted_document, fitted_lines
from tests.installed import validated
from tests.mcp.serving import answered, sample, served

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=40) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=60,
)


@given(st.lists(st.text(max_size=60), max_size=60), st.integers(20, 400))
def test_lines_are_kept_from_the_beginning(lines: list[str], most: int) -> None:
    kept, said = fitted_lines(lines, most)
    text = "\n".join(lines)
    assert len("\n".join(kept)) <= most
    assert (said is None) == ("\n".join(kept) == text)
    assert text.startswith("\n".join(kept).removesuffix("…"))


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
def test_a_document_that_fits_is_the_same(document: dict[str, Any]) -> None:
    whole = len(json.dumps(document, ensure_ascii=False, separators=(",", ":")))
    assert fitted_document(document, whole) is document
    short = fitted_document({"a": [document] * 1_000}, 50)
    assert short["shortened"] is True


@pytest.mark.soak
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("vault", {"action": "diff"}),
        ("memory_get", {"ref": "m_b1gb1gb1gb"}),
        ("memory_search", {"query": "heather", "limit": 1_000}),
        ("memory_list", {"limit": 1_000}),
    ],
)
def test_an_answer_has_an_end(tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
    program = sample(tmp_path)
    words = "heather grows here and there\n\n"
    for i in range(400):
        path = program.vault / "many" / f"{i:03}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"---\ntype: note\nid: m_many{i:06}\nowner: si:ash\ntitle: {'heather ' * 40}{i}\n---\n\n{words * 30}"
        )
    (program.vault / "many" / "big.md").write_text(
        f"---\ntype: note\nid: m_b1gb1gb1gb\nowner: si:ash\n---\n\n{words * 5_000}", encoding="utf-8"
    )
    server = served(program, offered="all")
    answer = answered(server, tool, **arguments)
    assert len(answer.text) <= MOST_ANSWERED + 200
    written = json.dumps(answer.document, ensure_ascii=False, separators=(",", ":"))
    assert len(written) <= MOST_ANSWERED
    document = {**answer.document}
    assert document.pop("shortened") is True
    assert validated(json.dumps(document)) == document
    if tool in ("vault", "memory_get"):
        assert "… left out: " in answer.text


def test_what_fits_is_not_touched(tmp_path: Path) -> None:
    answer = answered(served(sample(tmp_path)), "memory_get", ref="note:m_4egv3sm7m4")
    assert "shortened" not in answer.document
    assert "left out" not in answer.text
