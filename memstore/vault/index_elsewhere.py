"""A view of files whose index is not on this machine: it shows only what was asked for, after access was decided."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from memstore.vault.look import Look
from memstore.vault.workspace import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager

    from memstore.core.view import View
    from memstore.search.library import Snapshot
    from memstore.vault.sight import LabelsById
    from memstore.vault.workspace import Workspace


@contextmanager
def viewed(
    ws: Workspace,
    labels: Snapshot,
    contents: Callable[[Collection[int]], AbstractContextManager[Snapshot]],
    by_id: LabelsById | None = None,
) -> Iterator[View]:
    """Yield what the actor may see of files that are indexed elsewhere; their bytes are read here.

    Args:
        ws: the opened vault.
        labels: the labels of all files: what decides who sees them; or those of files that stand for all others.
        contents: opens a snapshot of the files that these rows are, or stand for.
        by_id: the labels of all memories by id, if these rows stand for others.
    """
    look = Look(ws, Moment(labels))
    of_owner = (*look.broken, *labels.catalog.sealed) if look.is_owners else ()
    with contents([*look.rows, *look.plain, *of_owner]) as snapshot:
        yield ws.view_at(Moment(snapshot, labels=None if by_id else labels, decided=by_id))
