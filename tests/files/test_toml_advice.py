from __future__ import annotations

import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memstore.files.toml_advice import Slip, of_syntax_error


def _slip(text: str) -> Slip:
    def fits(name: str, value: object) -> bool:
        return name != "entity" or (isinstance(value, str) and ":" in value)

    with pytest.raises(tomllib.TOMLDecodeError) as raised:
        tomllib.loads(text)
    return of_syntax_error(raised.value, text, fits)


@pytest.mark.parametrize(
    ("text", "line", "mended"),
    [
        ("vault = ~/notes", 1, 'vault = "~/notes"'),
        ("vault: ~/notes", 1, 'vault = "~/notes"'),
        ('"vault": "~/notes",', 1, 'vault = "~/notes"'),
        ('# mine\n\nvault = "~/notes\nentity = "si:ash"\n', 3, 'vault = "~/notes"'),
        ("vault = “~/notes”  # mine", 1, 'vault = "~/notes"  # mine'),
        ("vault = '~/notes", 1, 'vault = "~/notes"'),
        ('vault = ~/a "b" c', 1, "vault = '~/a \"b\" c'"),
        ("vault=~/notes\nentity=si:ash", 1, 'vault = "~/notes"'),  # one slip at a time
        ('vault = "/x"\r\nentity = si:ash\r\n', 2, 'entity = "si:ash"'),
        ("auto_commit = True", 1, "auto_commit = true"),
        ("auto_commit: no", 1, "auto_commit = false"),
        ("every: 24", 1, "every = 24"),
        (f"[pins]\n/home/x = {'a' * 40}\n", 2, f'"/home/x" = "{"a" * 40}"'),
        ("entity = ash", 1, None),  # quotes alone would not help
        ("entity =", 1, None),
        ('entity = "si:ash"\nentity = "si:b"', 2, None),
        ("[pins", 1, None),
        ("vault", 1, None),
        ("vault = [\n\n", 1, None),
    ],
)
def test_a_slip_has_a_line_and_where_there_is_one_a_mended_line(text: str, line: int, mended: str | None) -> None:
    slip = _slip(text)
    assert (slip.line, slip.mended) == (line, mended)
    assert slip.column >= 1
    assert "(at" not in slip.said


@pytest.mark.parametrize(
    ("text", "is_again"),
    [
        ('entity = "si:ash"\nentity = "si:b"', True),
        ("every = 1\r\n\r\nevery = 2\r\n", True),
        ('[pins]\na = "x"\n[pins]\nb = "x"', True),
        ('entity = "si:ash"\nentity = si:b', False),
        ("vault = [\n1,", False),
    ],
)
def test_a_line_that_says_again_what_stands_above_is_told_from_others(text: str, *, is_again: bool) -> None:
    assert _slip(text).is_again is is_again


PIECES = (
    "vault",
    "entity",
    "=",
    " = ",
    ": ",
    '"',
    "'",
    "[",
    "]",
    "#",
    ",",
    "\n",
    "\r\n",
    "~/a",
    "si:ash",
    "True",
    "\\",
)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_a_mended_line_makes_it_toml_up_to_a_later_line(text: str) -> None:
    assume(not _is_toml(text))
    slip = _slip(text)
    lines = text.split("\n")
    assert 1 <= slip.line <= len(lines)
    if slip.mended is not None:
        lines[slip.line - 1] = slip.mended
        mended = "\n".join(lines)
        assert _is_toml(mended) or _slip(mended).line > slip.line


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True
