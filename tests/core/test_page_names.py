"""What other programs call the page that a file holds."""

from __future__ import annotations

import pytest

from memstore.core.places import page_name, page_names
from memstore.core.titles import default_title


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("pages/Garden___Beds.md", ("Garden/Beds",)),
        ("pages/Garden%2FTools.md", ("Garden/Tools",)),
        ("journals/2026_02_01.md", ("2026-02-01", "Feb 1st, 2026")),
        ("graph/journals/2026_11_12.md", ("2026-11-12", "Nov 12th, 2026")),
        ("journals/2026_13_01.md", ()),
        ("notes/2026_02_01.md", ()),
        ("a1b2-green-tea.md", ("a1b2",)),
        ("202602011530 Tea.md", ("202602011530",)),
        ("2026-02-01.md", ()),
        ("2026 review.md", ()),
        ("green-tea.md", ()),
        ("50% off.md", ()),
        ("bad%FF.md", ()),
        ("line%0Aend.md", ()),
    ],
)
def test_names_of_pages_are_read_from_file_names(path: str, names: tuple[str, ...]) -> None:
    assert page_names(path) == names


def test_a_page_name_is_what_the_file_name_stands_for() -> None:
    assert (page_name("a/b.md"), page_name("100%25 sure.md")) == ("", "100% sure")


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("title:: The ficus\nalias:: Fig\n\n- Water it.\n", "The ficus"),
        ("alias:: Fig\n\n- Water it. Daily.\n", "Water it."),
        ("- id:: 65bd\n- Water it.\n", "Water it."),
        ("Reminder:: water it\n", "Reminder:: water it"),
        ("std::vector grows.\n", "std::vector grows."),
    ],
)
def test_properties_of_a_page_are_no_title(body: str, title: str) -> None:
    assert default_title(body) == title
