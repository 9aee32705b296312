from __future__ import annotations

import pytest

from memstore.files.plain_note import note


def created_at(data: bytes) -> str | None:
    return note("tea.md", data)[1].created_at


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("created: 2025-12-24", "2025-12-24T00:00:00Z"),
        ("date: 2025-12-24 10:30:00 +01:00", "2025-12-24T09:30:00Z"),
        ('created_at: "2025-12-24T10:30:00"', "2025-12-24T10:30:00Z"),
        ("date: yesterday\ncreation_date: 0987-01-02", "0987-01-02T00:00:00Z"),
        ("date: 7", None),
        ("title: x", None),
        ("date: [", None),
        ("\tdate: 2025-12-24", None),
        ("content: x\nhandler: y\n2020: z\ndate: !!timestamp 2025-12-24", "2025-12-24T00:00:00Z"),
        ("modified: 2025-12-25\ncreated: 2025-12-24", "2025-12-24T00:00:00Z"),
    ],
)
def test_when_another_program_says_a_note_was_made(head: str, expected: str | None) -> None:
    assert created_at(f"---\n{head}\n---\nText.\n".encode()) == expected


def test_bytes_that_are_no_text_say_nothing() -> None:
    assert created_at(b"---\ndate: \xff\n---\n\xff") is None
    assert created_at(b"\xef\xbb\xbf---\r\ndate: 2025-12-24\r\n---\r\n") == "2025-12-24T00:00:00Z"
