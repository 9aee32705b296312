"""Our named tuples are `typing.NamedTuple`'s, but for the annotations, which stay text."""

from __future__ import annotations

import copy
import typing

import pytest

from memstore.records import NamedTuple


class Ours(NamedTuple):
    """A citation."""

    path: str
    lines: tuple[int, ...] = ()
    title: str = "none"

    @property
    def first(self) -> int:
        """The first line."""
        return self.lines[0]

    @classmethod
    def of(cls, path: str) -> Ours:
        return cls(path)

    def __str__(self) -> str:
        return self.path


class Theirs(typing.NamedTuple):
    """A citation."""

    path: str
    lines: tuple[int, ...] = ()
    title: str = "none"


def test_they_are_tuples_with_names() -> None:
    made = Ours("a.md", (3, 4))
    assert tuple(made) == Theirs("a.md", (3, 4))
    assert (made.path, made.lines, made.title) == tuple(made)
    assert (made.first, str(made), Ours.of("b").path) == (3, "a.md", "b")
    assert repr(made) == repr(Theirs("a.md", (3, 4))).replace("Theirs", "Ours")
    assert hash(made) == hash(tuple(made))
    assert made._replace(path="b.md") == ("b.md", (3, 4), "none")


def test_they_are_described_alike() -> None:
    for name in ("_fields", "_field_defaults", "__match_args__", "__doc__", "__module__", "__slots__"):
        assert getattr(Ours, name) == getattr(Theirs, name)
    assert (Ours.__name__, Ours.__qualname__) == ("Ours", "Ours")
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Theirs)


def test_they_are_copied() -> None:
    made = Ours("a.md")
    assert copy.copy(made) == copy.deepcopy(made) == made


def test_wrong_ones_are_refused() -> None:
    with pytest.raises(TypeError, match="path"):
        Ours()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected"):
        Ours("a", other=1)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Ours("a").path = "b"  # type: ignore[misc]
