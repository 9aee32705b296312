"""What a view has in the words of one package: asked for, and made, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Offer = tuple["Facet[Any]", Callable[[], object]]

_T = TypeVar("_T")


class Facet(Generic[_T]):
    """The name under which a view hands something out; the package that has words for it declares it.

    Args:
        name: for messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"Facet({self._name!r})"

    def made_by(self, make: Callable[[], _T]) -> Offer:
        """Return an offer of what `make` makes when it is first asked for."""
        return self, make


class Facets:
    """What was offered, each made when it is first asked for: a search, for example, needs no keys.

    Args:
        offers: from `Facet.made_by`; a later one counts.
    """

    def __init__(self, *offers: Offer) -> None:
        self._makers = dict(offers)
        self._made: dict[Facet[Any], object] = {}

    def __iter__(self) -> Iterator[Facet[Any]]:
        return iter(self._makers)

    def of(self, facet: Facet[_T]) -> _T:
        """Return what was offered; `KeyError` if nothing was."""
        if facet not in self._made:
            self._made[facet] = self._makers[facet]()
        return cast("_T", self._made[facet])

    def having(self, *offers: Offer) -> Facets:
        """Return the same with other offers; what isn't replaced is shared, made or not."""
        found = Facets(*offers)
        found._makers = {facet: self._from(facet) for facet in self._makers} | found._makers
        return found

    def _from(self, facet: Facet[Any]) -> Callable[[], object]:
        return lambda: self.of(facet)
