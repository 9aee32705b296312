"""What was done with access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.model.one_line import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One act: who did it (`by`), when, what (`event`), to which ids; `prev` are digests of the writer's latest events.

    `digest` is what the file says, `computed` what it should say.
    """

    path: str
    id: str
    at: str
    by: str
    event: str
    about: Mapping[str, Any]
    prev: tuple[str, ...]
    digest: str
    computed: str

    __repr__ = one_line

    @property
    def is_sound(self) -> bool:
        """Whether the file is as it was written."""
        return self.digest == self.computed
