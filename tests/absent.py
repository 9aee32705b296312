"""Adapters for a workspace that has none: nothing is kept, nothing is known, and what can't be done is refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from memstore.access import ACCESS_LOG, CONTEXTS, FORGOTTEN, QUOTED, SESSIONS_QUOTED, STACK_FOLDERS
from memstore.access.forgotten import ForgottenDigests
from memstore.access.local_state import Quoted
from memstore.beliefs import RUNS
from memstore.conflicts import INFERENCE, LEXICON
from memstore.core.errors import RefusedError, SealedError
from memstore.core.facet import Facet, Facets
from memstore.search import DERIVED, EMBEDDER, USAGE, VECTORS
from memstore.trust import PINS, SEAL_KEYS, SIGNATURES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.local_state import Access, AccessVerdict
    from memstore.access.world import ActiveContext
    from memstore.beliefs.run_record import Run
    from memstore.core.change import Operation
    from memstore.core.facet import Offer
    from memstore.core.memory import Memory
    from memstore.search.local_state import Kept
    from memstore.search.meaning import Vector
    from memstore.search.usage_log import Use
    from memstore.trust.keyring import PublicKey
    from memstore.trust.sshsig import SshSignature


class NoAccessLog:
    """Remembers nothing."""

    def record(self, access: Access) -> None:
        """Forget it."""

    def accesses(self) -> Iterator[Access]:
        """Yield nothing."""
        return iter(())


class NoContext:
    """Nobody is ever in a context."""

    declared = place = None

    def current(self) -> None:
        """Return None."""

    def enter(self, context: ActiveContext) -> NoReturn:
        """Refuse."""
        raise RefusedError(
            f"there is no place to keep that {context.id} was entered", hint="--context names it for one command"
        )

    def leave(self) -> None:
        """Do nothing."""


class NoDerived:
    """Keeps nothing."""

    def last(self, name: str, state: str) -> Kept:  # noqa: ARG002 - the port's
        """Return nothing."""
        return {}

    def keep(self, name: str, state: str, found: Kept) -> None:
        """Forget it."""


class NothingForgotten:
    """Nothing was forgotten, and nothing is noted."""

    places: tuple[Path, ...] = ()

    def note_turns(self, memory_id: str, turns: Sequence[str]) -> None:
        """Forget it."""

    def add(self, memories: Collection[Memory]) -> bytes:  # noqa: ARG002 - the real one's
        """Forget it."""
        return b""

    def restore(self, before: bytes) -> None:
        """Do nothing."""

    def drop(self, memory_ids: Collection[str]) -> int:  # noqa: ARG002 - the real one's
        """Return none."""
        return 0

    def count(self, memory_ids: Collection[str]) -> int:  # noqa: ARG002 - the real one's
        """Return none."""
        return 0

    def read(self) -> ForgottenDigests:
        """Return none."""
        return ForgottenDigests("00", {})


class NoSessionsQuoted:
    """No hook has shown anything."""

    def note(self, session: str | None, refs: Iterable[str], now: datetime) -> None:
        """Forget it."""

    def of(self, session: str | None) -> list[str]:  # noqa: ARG002 - the real one's
        """Return none."""
        return []

    def since(self, now: datetime) -> list[str]:  # noqa: ARG002 - the real one's
        """Return none."""
        return []

    def end(self, session: str | None) -> None:
        """Do nothing."""


class NoStacks:
    """No stack is mounted, and none was shared."""

    place = Path("/nonexistent/stacks.json")

    def mounted(self) -> dict[str, str]:
        """Return none."""
        return {}

    def shared(self) -> dict[str, str]:
        """Return none."""
        return {}

    def is_gone(self, name: str) -> bool:  # noqa: ARG002 - the real one's
        """Return False."""
        return False

    def share(self, name: str, folder: str) -> None:
        """Forget it."""


class NoVectors:
    """Keeps nothing."""

    def last(self, name: str) -> dict[str, Vector]:  # noqa: ARG002 - the port names it
        """Return none."""
        return {}

    def keep(self, name: str, vectors: Mapping[str, Vector]) -> None:
        """Forget them."""

    def tell(self, done: int, count: int) -> None:
        """Say nothing."""


class NoJournal:
    """Remembers nothing."""

    def begin(self, operation: Operation) -> None:
        """Forget it."""

    def begun(self) -> Operation | None:
        """Return None."""
        return None

    def record(self, operation: Operation) -> None:
        """Forget it."""

    def recorded(self) -> bool:
        """Return False."""
        return False

    def clear(self) -> None:
        """Do nothing."""

    def last(self, by: str | None = None) -> Operation | None:  # noqa: ARG002 - the port's
        """Return None."""
        return None


class NoLexicon:
    """The lexicon of who has none: the built-in list alone decides."""

    has_words = False

    def opposes(self, one: str, other: str) -> bool:  # noqa: ARG002 - the port's names
        """Whether two words are opposites: not known here."""
        return False


class NoPins:
    """Nothing is pinned, and nothing can be."""

    commit = None
    place = ""
    revocations: Mapping[str, str] = MappingProxyType({})

    def saw_revoked(self, fingerprint: str, commit: str) -> None:
        """Forget it."""

    def astray(self) -> Mapping[str, str]:
        """Return nothing."""
        return MappingProxyType({})

    def pin(self, commit: str | None) -> NoReturn:  # noqa: ARG002 - the port's
        """Refuse."""
        raise RefusedError("there is no configuration to pin anything in")

    def header(self, height: int) -> None:
        """Return None."""

    def host(self, name: str) -> None:
        """Return None."""

    def pin_host(self, name: str, entity: str) -> NoReturn:  # noqa: ARG002 - the port's
        """Refuse."""
        raise RefusedError("there is no configuration to pin anything in")

    def sender(self, entity: str) -> None:
        """Return None."""

    def pin_sender(self, entity: str, fingerprint: str | None) -> NoReturn:  # noqa: ARG002 - the port's
        """Refuse."""
        raise RefusedError("there is no configuration to pin anything in")

    def pin_header(self, height: int, header: bytes) -> NoReturn:  # noqa: ARG002 - the port's
        """Refuse."""
        raise RefusedError("there is no configuration to pin anything in")


class NoRuns:
    """Remembers nothing."""

    def last(self) -> Run | None:
        """Return None."""
        return None

    def record(self, run: Run) -> None:
        """Forget it."""


class NoSignatures:
    """No key, and nothing holds."""

    own_key = None

    def public_key(self, key: str) -> PublicKey:
        """Raise KeyError: there is none."""
        raise KeyError(key)

    def sign(self, message: bytes, *, namespace: str, key: str) -> str:  # noqa: ARG002 - the port's
        """Raise KeyError: there is none."""
        raise KeyError(key)

    def holds(self, signature: SshSignature, message: bytes) -> bool:  # noqa: ARG002 - the port's
        """Return False."""
        return False


class NoUsage:
    """Remembers nothing."""

    path = None

    def record(self, use: Use) -> None:
        """Forget it."""

    def uses(self, memory_ids: Collection[str] | None = None) -> Iterator[Use]:  # noqa: ARG002 - the port's
        """Yield nothing."""
        return iter(())


class NoVerdicts:
    """Keeps nothing."""

    def last(self, viewer: str) -> None:
        """Return None."""

    def keep(self, viewer: str, verdict: AccessVerdict) -> None:
        """Forget it."""


class NoSealKeys:
    """Opens nothing."""

    state = ""

    def opened(self, path: str, data: bytes) -> bytes:  # noqa: ARG002 -- as the protocol names it
        """Refuse."""
        raise SealedError(f"{path} is sealed")


def _same(one: object) -> object:
    return one


def absent(*offers: Offer) -> Facets:
    """Return the facets of a workspace that has none of what a flow may do without, but for what is offered."""
    none: dict[Facet[Any], object] = {
        USAGE: NoUsage(),
        ACCESS_LOG: NoAccessLog(),
        RUNS: NoRuns(),
        SIGNATURES: NoSignatures(),
        PINS: NoPins(),
        CONTEXTS: NoContext(),
        LEXICON: NoLexicon(),
        DERIVED: NoDerived(),
        EMBEDDER: None,
        INFERENCE: None,
        VECTORS: NoVectors(),
        SEAL_KEYS: NoSealKeys(),
        QUOTED: Quoted(),
        SESSIONS_QUOTED: NoSessionsQuoted(),
        FORGOTTEN: NothingForgotten(),
        STACK_FOLDERS: NoStacks(),
    }
    return Facets(*((facet, partial(_same, one)) for facet, one in none.items()), *offers)
