"""Who stands behind entities, and who introduced them: what the files of entities say, read once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.model.registry import expected_id, is_named
from memstore.rules import vouching
from memstore.rules.beta import sponsor_of
from memstore.rules.vault_places import RegistryKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.core.view import View


class _Known(NamedTuple):
    controllers: Mapping[str, str]
    sponsors: Mapping[str, str]


class Controllers:
    """Who controls whom, and who sponsors whom.

    Args:
        view: the vault.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    def of(self, entity: str) -> str:
        """Return who controls an entity in the end, itself where nobody does; "" where that can't be read."""
        return vouching.controller(entity, self._known.controllers)

    def sponsor_of(self, entity: str) -> str | None:
        """Return who sponsors an entity, if that one's own sponsors lead to the vault's owner; None where nobody does.

        The owner needs none, and sponsors themselves.
        """
        return sponsor_of(entity, self._sponsors, controller_of=self.of, owner=self._view.config.owner)

    @property
    def told(self) -> object:
        """All that the files of entities say of it, in a lasting order."""
        return sorted(self._known.controllers.items()), sorted(self._known.sponsors.items())

    @cached_property
    def _sponsors(self) -> Mapping[str, str]:
        """The sponsor of each controller; of several personas' the first by name."""
        found: dict[str, str] = {}
        for entity, sponsor in sorted(self._known.sponsors.items()):
            found.setdefault(self.of(entity), sponsor)
        return found

    @cached_property
    def _known(self) -> _Known:
        controllers: dict[str, str] = {}
        sponsors: dict[str, str] = {}
        known: set[str] = set()
        unknown: set[str] = set()
        for path, file in self._view.registry(RegistryKind.ENTITY).items():
            named = expected_id(path, RegistryKind.ENTITY)
            entity = named if file is None else file.values["id"]
            if file is None or entity in known or not is_named(entity, path, RegistryKind.ENTITY):
                unknown |= {named, entity}
                continue
            known.add(entity)
            controllers |= {entity: controller} if (controller := file.values.get("controller")) else {}
            sponsors |= {entity: sponsor} if (sponsor := file.values.get("sponsor")) else {}
        # Who controls one whose file can't be read is unknown; so it is where two files are about one, or one is about
        # somebody else than its name says.
        sponsors = {entity: sponsor for entity, sponsor in sponsors.items() if entity not in unknown}
        return _Known({**controllers, **dict.fromkeys(unknown, "")}, sponsors)
