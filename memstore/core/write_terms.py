"""The terms on which something is written."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypedDict

if TYPE_CHECKING:
    from memstore.core.change import Operation


class Signing(Enum):
    """Whether what is written is signed by its writer: always, or if the signature counts in the vault."""

    COUNTS = "counts"
    ALWAYS = "always"


class WriteTerms(NamedTuple):
    """The terms on which something is written: for the gate (docs/adr/0047), for signatures, and for `undo`.

    `keep_secret` lets what looks like a secret pass, `again` an exact copy, and `acknowledge` a grant to others than
    those in the context where it is said. `at_terminal` means that a person sits at one, `is_served` that a server
    answers a client. `signing` says whether what the actor writes is signed; for None it is not. `adoption` is what the
    same command wrote before, so that it has something to write to: both are one step, and one commit.
    """

    keep_secret: bool = False
    again: bool = False
    acknowledge: bool = False
    at_terminal: bool = False
    is_served: bool = False
    signing: Signing | None = None
    adoption: Operation | None = None


class OtherTerms(TypedDict, total=False):
    """Other terms, named as in `WriteTerms`."""

    keep_secret: bool
    again: bool
    acknowledge: bool
    signing: Signing | None
    adoption: Operation
