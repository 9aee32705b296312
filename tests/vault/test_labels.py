"""What the catalogue says of a memory decides as its file does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memstore.access.policy import Judge, labels_of
from memstore.access.world import Session, World
from memstore.core.digests import blob_id
from memstore.files.memory_file import MemoryFile, read
from memstore.search.memory_snapshot import snapshot_of_files
from memstore.vault.sight import CatalogLabels
from tests.access_cases import NOW, OWNER

LISTS = (
    '[""]', "[]", "~", '["human:bob"]', '["*"]', "[public]", '["human:bob", ""]', '["human:eve", "human:bob"]',
    '["note:m_hidden"]', '["note:m_here"]', '["context:a b  c"]', "[[]]", '[["*"], []]', '[[""]]', '[["human:bob"]]',
    '"human:bob"', '"ctx:park"', "archived",
)  # fmt: skip
VERDICTS = (
    "{verdict: safe}", '{verdict: "safe "}', '{verdict: " safe"}', '{verdict: "safe x"}', '{verdict: "safe\\u3000"}',
    '{verdict: "warn si:ash"}', '{verdict: warn, acknowledged_by: "si:ash"}', "{verdict: warn}", "{verdict: blocked}",
    '{verdict: "warn  si:ash", acknowledged_by: "si:ash"}',
)  # fmt: skip
KEYS = (
    "owner", "status", "source_entity", "source_chain", "subject_ids", "context", "access_grants", "access_denies",
    "consent_grants", "upstream_grants", "derived_from",
)  # fmt: skip
HIDDEN = b"---\ntype: note\nid: m_hidden\n---\nx\n"


@given(
    st.dictionaries(st.sampled_from(KEYS), st.sampled_from(LISTS), max_size=4),
    st.none() | st.sampled_from(VERDICTS),
)
def test_the_catalogue_decides_as_the_file_does(values: dict[str, str], verdict: str | None) -> None:
    said = {"access_grants": '["*"]', **values}
    said |= {"generalized": "true", "generalization": verdict, "derived_from": '["note:m_hidden"]'} if verdict else {}
    head = "".join(f"{key}: {value}\n" for key, value in said.items())
    data = f"---\ntype: note\nid: m_here\n{head}---\nx\n".encode()
    file = read("here.md", data)
    if not isinstance(file, MemoryFile):
        return
    snapshot = snapshot_of_files([("here.md", data), ("hidden.md", HIDDEN)], blob_id=blob_id)
    labels = CatalogLabels(snapshot.catalog)
    for viewer in ("human:bob", "human:dora", OWNER):
        judge = Judge(World(owner=OWNER, memories=labels), Session(viewer=viewer, at=NOW))
        assert judge.decide_on(labels["m_here"]).code == judge.decide_on(labels_of(file.memory)).code, head
