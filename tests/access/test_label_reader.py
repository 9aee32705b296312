"""The reader of many versions says what the reader of whole files says, whatever it has read before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.access.label_reader import LabelReader
from memstore.access.policy import labels_of
from memstore.access.world import BlobLabels, Labels
from memstore.core.catalog import FileKind
from memstore.core.titles import title_of
from memstore.files import fence, memory_file
from memstore.files.memory_file import BrokenFile, PlainFile, SealedFile
from tests.fuzz.__main__ import CORPUS
from tests.installed import ROOT
from tests.strategies import hand_styled_files
from tests.support import examples

if TYPE_CHECKING:
    from tests.strategies import HandStyled

PATH = "notes/a.md"
FILES = [
    path.read_bytes()
    for folder in (ROOT / "sample-vault", *(CORPUS / name for name in ("reader", "adopted", "splicer", "merger")))
    for path in sorted(folder.rglob("*"))
    if path.is_file() and ".git" not in path.parts
]
LINES = sorted({line for data in FILES for line in data.split(b"\n")})


def whole(data: bytes, *, mixed: bool) -> BlobLabels:
    """Return what the reader of whole files says."""
    match memory_file.read(PATH, data, mixed=mixed):
        case BrokenFile():
            found = re.search(rb"^[\"']?id[\"']?[ \t]*:[ \t]*[\"']?([A-Za-z0-9_-]+)", fence.head_of(data), re.MULTILINE)
            return BlobLabels(FileKind.BROKEN, (), Labels(id=found[1].decode(), malformed=True) if found else None)
        case PlainFile():
            return BlobLabels(FileKind.PLAIN)
        case SealedFile():
            return BlobLabels(FileKind.SEALED)
        case file:
            return BlobLabels(FileKind.MEMORY, (title_of(file.memory), *file.memory.aliases), labels_of(file.memory))


@pytest.mark.parametrize("mixed", [False, True])
def test_every_known_file(mixed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    reader = LabelReader(mixed=mixed)
    for data in [*FILES, *reversed(FILES)]:
        assert reader.read(PATH, data) == whole(data, mixed=mixed), data
    assert sum(whole(data, mixed=mixed).kind is FileKind.MEMORY for data in FILES) > len(FILES) / 4


READERS = {mixed: LabelReader(mixed=mixed) for mixed in (False, True)}


@settings(max_examples=examples(30))  # the drawing of a file takes most of the time
@given(file=hand_styled_files(), mixed=st.booleans())
def test_every_style(file: HandStyled, mixed: bool) -> None:  # noqa: FBT001
    assert READERS[mixed].read(PATH, file.data) == whole(file.data, mixed=mixed)


@given(
    head=st.lists(
        st.one_of(
            st.sampled_from(LINES),
            st.sampled_from(
                [b"type: note", b"id: m_7f3k9q2x1c", b"title: Tea", b'access_grants: ["*"]', b"- a", b"  - b"]
            ),
        ),
        max_size=8,
    ),
    mixed=st.booleans(),
)
def test_lines_of_different_files_together(head: list[bytes], mixed: bool) -> None:  # noqa: FBT001
    data = b"---\n" + b"".join(line + b"\n" for line in head) + b"---\nSome text.\n"
    assert READERS[mixed].read(PATH, data) == whole(data, mixed=mixed)


@given(
    body=st.lists(
        st.one_of(
            st.sampled_from(LINES),
            st.sampled_from(
                [b"", b" ", b"\r", b"# Tea", b"   ## Tea ##", b"# Tea\r", b"#", b"# ", b"# #", b"#tea", b"## Outcome"]
            ),
            st.sampled_from([b"# *Tea* at 5", b"    # code", b"title:: Tea", b"- tags:: a", b"# T\xc3\xa9", b"# \xff"]),
        ),
        max_size=5,
    ),
    title=st.sampled_from([b"", b"title:\n", b'title: ""\n', b'title: "Tea"\n']),
    mixed=st.booleans(),
)
def test_titles_of_bodies(body: list[bytes], title: bytes, mixed: bool) -> None:  # noqa: FBT001
    head = b'---\ntype: note\nid: m_7f3k9q2x1c\ncreated_at: "2026-01-01T00:00:00Z"\n' + title + b"---\n"
    data = head + b"\n".join(body)
    assert READERS[mixed].read(PATH, data) == whole(data, mixed=mixed)


def test_lines_that_decide_are_told_apart() -> None:
    reader = LabelReader(mixed=False)
    head = b'---\ntype: note\nid: m_7f3k9q2x1c\ncreated_at: "2026-01-01T00:00:00Z"\n'
    lines = [f'{name}: "{value}"\n'.encode() for name in Labels._fields for value in ("human:bob", "human:eve", "")]
    for data in (head + line + b"---\nTea.\n" for line in [*lines, *reversed(lines)]):
        assert reader.read(PATH, data) == whole(data, mixed=False), data
