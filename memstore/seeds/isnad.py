"""The calls of the document on trust (004): memories with witnesses and anchors, in the shape of its schema."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Unpack

from memstore.access import RIGHTS
from memstore.core.errors import UsageError
from memstore.core.ids import is_entity_id
from memstore.core.named import ref_of
from memstore.face.given import items, opened
from memstore.memories import create
from memstore.trust.formats import memory_v01
from memstore.trust.reputation import Reputations
from memstore.trust.verification import Voucher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.access.audit import Registered
    from memstore.core.named import Named
    from memstore.face.vault import Vault
    from memstore.memories.create import About


class SeedMemory(SimpleNamespace):
    """A memory with the members of the document's schema: `content`, `provenance`, `witnesses`, `anchors`, `trust`.

    It is a snapshot from the time of the call; `anchors` is a list of its own.
    """

    @property
    def ref(self) -> str:
        """Its ref, which every method of a vault accepts."""
        return f"{self.content.type}:{self.id}"


class Isnad:
    """The document's functions on an opened vault; `create_memory = Isnad(vault).create_memory` allows its exact calls.

    Args:
        vault: the vault.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = opened(vault)

    def create_memory(
        self,
        *,
        type: str = "insight",  # noqa: A002 -- the document's name
        summary: str,
        body: str,
        confidence: float | None = None,
        **about: Unpack[About],
    ) -> SeedMemory:
        """Write a memory with author and time, signed if the user's settings name a key."""
        made = create.create_memory(
            self.vault.view(), type=type, summary=summary, body=body, confidence=confidence, **about
        )
        return self.memory(str(made.ref))

    def request_witness(self, memory: Named, agent_ids: Sequence[str], notes: str | None = None) -> Registered:
        """Ask agents, by id or handle, to attest to a memory that they may see; this writes a file to send to them."""
        asked = [self._entity(agent) for agent in items("agent_ids", agent_ids)]
        return self.vault.trust.request_witness(memory, asked=asked, notes=notes)

    def create_anchor(
        self,
        memory: Named,
        *,
        type: str,  # noqa: A002 -- likewise
        reference: str,
        page: bytes | None = None,
        proof: bytes | None = None,
    ) -> SimpleNamespace:
        """Record a place outside the file that shows what a memory says; the file then has the anchor.

        Args:
            memory: the memory.
            type: git_commit, url, moltbook_post, opentimestamps or blockchain.
            reference: the commit, page or transaction.
            page: the page's content, of which the vault keeps a copy; without it nothing can be verified.
            proof: for opentimestamps: the bytes of the `.ots` file.
        """
        self.vault.trust.anchor(memory, type=type, reference=reference, page=page, proof=proof)
        anchor: SimpleNamespace = self.memory(ref_of(memory)).anchors[-1]
        return anchor

    def query_memories(self, *, tags: Sequence[str] = (), min_trust: float = 0.0) -> list[SeedMemory]:
        """Return the memories that have all of these tags and at least this trust, newest first."""
        found = create.query_memories(self.vault.view(), tags=items("tags", tags), min_trust=min_trust)
        return [self.memory(str(memory.ref)) for memory in found]

    # -- its algorithm -----------------------------------------------------------------------------

    def compute_trust_score(self, memory: Named) -> float:
        """Return how far others vouch for a memory, from 0 to 1, as verified now."""
        return self.vault.trust.of(memory).trust.score

    def verify_signature(self, author: SimpleNamespace) -> bool:
        """Return whether the author's signature was valid when the memory was requested."""
        return bool(author.verified)

    def verify_anchor(self, anchor: SimpleNamespace) -> bool:
        """Return whether an anchor was valid when the memory was requested."""
        return bool(anchor.verified)

    def get_reputation(self, agent_id: str) -> float:
        """Return how often an agent's statements turned out right, from 0 to 1; 0.5 if nothing was decided yet."""
        view = self.vault.view()
        return Reputations(view, Voucher(view)).of(self._entity(agent_id)).value

    def memory(self, ref: str) -> SeedMemory:
        """Return a memory in the shape of the document's schema, with the current results of verification."""
        document = dict(self.vault.trust.export(ref)[0])
        found = SeedMemory(**json.loads(json.dumps(document), object_hook=lambda one: SimpleNamespace(**one)).__dict__)
        vouched = self.vault.trust.of(ref).vouched
        found.provenance.author.verified = vouched.signature.counts
        for anchor, seen in zip(found.anchors, vouched.anchors, strict=True):
            anchor.verified = seen.counts
        return found

    def _entity(self, handle: str) -> str:
        """Return the entity that an id or a handle names."""
        if is_entity_id(handle):
            return handle
        known = self.vault.view().of(RIGHTS).registries.entities
        named = [name for name, one in known.items() if handle.casefold() in map(str.casefold, one.aliases)]
        found = named[0] if len(named) == 1 else None if named else memory_v01.folded(handle)
        if found is None:
            raise UsageError(f"it is unknown whom {handle!r} names", hint="give an id, like si:pith")
        return found
