"""Which facets of a view are about the vault's content, and what makes them; a view makes one each time it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from memstore.access import RIGHTS, SEALED, SHARED
from memstore.files import FILES
from memstore.history import WORK_TREE
from memstore.lineage import EDGES
from memstore.search import INDEX
from memstore.vault import GATE
from memstore.vault.look import LOOK, Look

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.access.facets import Rights, SealedFiles, SharedStacks
    from memstore.core.facet import Facet
    from memstore.core.view import View
    from memstore.files.facets import NamedFiles
    from memstore.history.facets import WorkTree
    from memstore.lineage.edges import EdgeTable
    from memstore.search.facets import VisibleIndex
    from memstore.vault.gate import Gate

_T = TypeVar("_T")


def _look(view: View) -> Look:
    if not isinstance(view, Look):
        raise TypeError(view)
    return view


def _rights(view: View) -> Rights:
    from memstore.vault.rights import VaultRights

    return VaultRights(view.of(LOOK))


def _shared(view: View) -> SharedStacks:
    from memstore.vault.rights import MountedStacks

    return MountedStacks(view)


def _sealed(view: View) -> SealedFiles:
    from memstore.vault.sealing import VaultSealed

    return VaultSealed(view)


def _files(view: View) -> NamedFiles:
    from memstore.vault.named_files import VaultNamedFiles

    return VaultNamedFiles(view)


def _work_tree(view: View) -> WorkTree:
    from memstore.vault.work_tree import VaultWorkTree

    return VaultWorkTree(view)


def _edges(view: View) -> EdgeTable | None:
    from memstore.lineage.edges import has_copies

    look = view.of(LOOK)
    catalog = look.snapshot.catalog
    if not look.sees_all and has_copies(catalog.column("id"), catalog.memories):
        return None  # of two memories with the same id, the one that refs lead to may be hidden
    return catalog.edges()


def _index(view: View) -> VisibleIndex:
    from memstore.vault.visible_index import VaultIndex

    return VaultIndex(view)


def _gate(view: View) -> Gate:
    from memstore.vault.gate import Gate

    return Gate(view.of(LOOK).ws)


PARTS: dict[Facet[Any], Callable[[View], object]] = {}


def _part(facet: Facet[_T], make: Callable[[View], _T]) -> None:
    PARTS[facet] = make


_part(LOOK, _look)
_part(RIGHTS, _rights)
_part(SHARED, _shared)
_part(SEALED, _sealed)
_part(FILES, _files)
_part(WORK_TREE, _work_tree)
_part(EDGES, _edges)
_part(INDEX, _index)
_part(GATE, _gate)
