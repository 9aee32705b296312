"""`vault.trust`: who vouches for a memory, with which key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from memstore.access.audit import Saving
from memstore.core.errors import UsageError
from memstore.face import given

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.access.audit import Registered
    from memstore.core.view import View
    from memstore.face.given import Named, Names
    from memstore.trust.anchor import Recorded
    from memstore.trust.keys import KeysChanged, KnownKeys
    from memstore.trust.pin import Pinned
    from memstore.trust.sign import Signed
    from memstore.trust.trust import Trusted


class VaultTrust:
    """Signatures, witnesses and anchors: `vault.trust.sign(note)`, `vault.trust.of(note).trust.score`.

    `of`; `sign`, `witness`, `resolve`, `request_witness`, `accept_answer`, `anchor`, `export`; `keys`, `add_key`,
    `rotate_key`, `revoke_key`, `pin`, `unpin`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def of(self, memory: Named, *, profile: str = "isnad-0.1") -> Trusted:
        """Return how far others vouch for a memory, by what was verified now.

        Args:
            memory: which.
            profile: "isnad-0.1"; "isnad-0.1-literal" takes the file at its word; "beta-1" weighs each word.
        """
        from memstore.trust.score import TrustProfile
        from memstore.trust.trust import trust_of

        return trust_of(self._view(), given.ref_of(memory), profile=given.choice(TrustProfile, profile))

    # -- what is said of a memory ------------------------------------------------------------------

    def sign(self, memory: Named, *, key: str | None = None, **saving: Unpack[Saving]) -> Signed:
        """Sign a memory as its author; one whose signature is valid stays as it is.

        Args:
            memory: which; the entity must be its author.
            key: the key's file; None is the one that the user's settings name.
            saving: dry_run, commit.
        """
        from memstore.trust.sign import sign

        given.only(saving, Saving, "sign")
        return sign(self._view(), given.ref_of(memory), key=key, **saving)

    def witness(
        self,
        memory: Named,
        attestation: str,
        *,
        aspects: Sequence[str] = (),
        notes: str | None = None,
        key: str | None = None,
        **saving: Unpack[Saving],
    ) -> Signed:
        """Say of somebody else's memory that it is so, or that it is not.

        Args:
            memory: which.
            attestation: "confirm", "dispute" or "partial".
            aspects: the keys of it that one speaks of; "partial" needs them.
            notes: one line.
            key: as in `sign`.
            saving: dry_run, commit.
        """
        from memstore.trust.sign import witness

        given.only(saving, Saving, "witness")
        about = given.items("aspects", aspects)
        return witness(self._view(), given.ref_of(memory), attestation, aspects=about, notes=notes, key=key, **saving)

    def resolve(
        self, memory: Named, outcome: str, *, notes: str | None = None, key: str | None = None, **saving: Unpack[Saving]
    ) -> Signed:
        """Decide how a dispute about a memory came out, "upheld" or "overturned"; both sides stay in the file."""
        from memstore.trust.sign import resolve

        given.only(saving, Saving, "resolve")
        return resolve(self._view(), given.ref_of(memory), outcome, notes=notes, key=key, **saving)

    def request_witness(
        self, memory: Named, *, asked: str | Sequence[str], notes: str | None = None, **saving: Unpack[Saving]
    ) -> Registered:
        """Ask others to attest to a memory: a file that can be sent to them, with all that they are to read."""
        from memstore.trust.witness_request import request_witness

        given.only(saving, Saving, "request_witness")
        who = given.one_or_more(asked)
        return request_witness(self._view(), given.ref_of(memory), who, notes=notes, **saving)

    def accept_answer(self, memory: Named, answer: bytes, *, name: str = "answer", **saving: Unpack[Saving]) -> Signed:
        """Add the attestation in an answer to its memory, if it is about it as it is now; `name` is for errors."""
        from memstore.trust.witness_request import accept_answer

        given.only(saving, Saving, "accept_answer")
        return accept_answer(self._view(), given.ref_of(memory), name, answer, **saving)

    def anchor(
        self,
        memory: Named,
        *,
        type: str = "git_commit",  # noqa: A002 -- the key's name
        reference: str | None = None,
        page: bytes | None = None,
        proof: bytes | None = None,
        **saving: Unpack[Saving],
    ) -> Recorded:
        """Record where else it can be seen what a memory says.

        Args:
            memory: which.
            type: "git_commit", "url", "moltbook_post", "opentimestamps" or "blockchain".
            reference: the commit, page or transaction; None is the last commit that holds the memory.
            page: what the page says, of which the vault keeps a copy; without it nothing can be verified.
            proof: the bytes of the `.ots` file of an OpenTimestamps stamp of the page.
            saving: dry_run, commit.
        """
        from memstore.core.keys import PAGE_ANCHORS
        from memstore.trust import anchor

        given.only(saving, Saving, "anchor")
        view, ref = self._view(), given.ref_of(memory)
        if type == "git_commit":
            return anchor.anchor_commit(view, ref, revision=reference, **saving)
        if type == "opentimestamps" and page is not None and proof is not None:
            return anchor.anchor_stamp(view, ref, page, proof, reference=reference, **saving)
        if reference is None:
            raise UsageError(f"an anchor of the type {type} needs a reference", hint='reference="https://…"')
        if type in PAGE_ANCHORS and page is not None:
            return anchor.anchor_page(view, ref, type, reference, page, **saving)
        return anchor.anchor_elsewhere(view, ref, type, reference, **saving)

    def export(self, memories: Names = ()) -> tuple[dict[str, Any], ...]:
        """Return memories in the form of memory-v0.1, with their trust as it is now; all of them if none is named."""
        from memstore.memories.memory_v01 import export_memories

        refs = given.refs_of(memories)
        return tuple(dict(one) for one in export_memories(self._view(), refs, everything=not refs))

    # -- keys --------------------------------------------------------------------------------------

    def keys(self) -> KnownKeys:
        """Return all keys of the vault, and how each stands."""
        from memstore.trust.keys import list_keys

        return list_keys(self._view())

    def add_key(
        self, entity: str, key: str, *, keeper: bool = False, authority: bool = False, **saving: Unpack[Saving]
    ) -> KeysChanged:
        """Enrol a key, a file or its text: what it signs counts as the entity's word from now on."""
        from memstore.trust.keys import add_key

        given.only(saving, Saving, "add_key")
        return add_key(self._view(), entity, key, keeper=keeper, authority=authority, **saving)

    def rotate_key(
        self,
        entity: str,
        key: str,
        *,
        old: str | None = None,
        signed: bytes | None = None,
        **saving: Unpack[Saving],
    ) -> KeysChanged:
        """Put a new key in the place of an entity's: the old one signs nothing from now on."""
        from memstore.trust.rotate import rotate_key

        given.only(saving, Saving, "rotate_key")
        return rotate_key(self._view(), entity, key, old=old, signed=signed, **saving)

    def revoke_key(self, named: str, **saving: Unpack[Saving]) -> KeysChanged:
        """Revoke a key, by its fingerprint, or all keys of an entity: nothing that they signed counts any more."""
        from memstore.trust.keys import revoke_key

        given.only(saving, Saving, "revoke_key")
        return revoke_key(self._view(), named, **saving)

    def pin(self, revision: str | None = None, *, dry_run: bool = False) -> Pinned:
        """Pin a commit in the user's own settings: what its keyring says counts for this user."""
        from memstore.trust.pin import pin

        return pin(self._view(), revision=revision, dry_run=dry_run)

    def unpin(self) -> Pinned:
        """Take the pin away: whoever can write the files says whose keys count."""
        from memstore.trust.pin import unpin

        return unpin(self._view())
