"""`vault.trust`: who vouches for a memory, with which key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from memstore.core.errors import UsageError
from memstore.core.transaction import Saving
from memstore.face import given
from memstore.face.brief import brief

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


@brief
class VaultTrust:
    """Signatures, witnesses and anchors: `vault.trust.sign(note)`, `vault.trust.of(note).trust.score`.

    `of`; `sign`, `witness`, `resolve`, `request_witness`, `accept_answer`, `anchor`, `export`; `keys`, `add_key`,
    `rotate_key`, `revoke_key`, `pin`, `unpin`.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def of(self, memory: Named, *, profile: str = "isnad-0.1") -> Trusted:
        """Return how far others vouch for a memory, as verified now.

        Args:
            memory: the memory.
            profile: "isnad-0.1"; "isnad-0.1-literal" takes the file at its word; "beta-1" weighs each attestation.
        """
        from memstore.trust.score import TrustProfile
        from memstore.trust.trust import trust_of

        return trust_of(self._view(), given.ref_of(memory), profile=given.choice(TrustProfile, profile))

    # -- statements about a memory -----------------------------------------------------------------

    def sign(self, memory: Named, *, key: str | None = None, **saving: Unpack[Saving]) -> Signed:
        """Sign a memory as its author; a memory with a valid signature stays as it is.

        Args:
            memory: the memory; the entity must be its author.
            key: the key's file; None is the one named in the user's settings.
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
        """State about somebody else's memory that it is correct, or that it is not.

        Args:
            memory: the memory.
            attestation: "confirm", "dispute" or "partial".
            aspects: the keys of the memory that the statement is about; "partial" needs them.
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
        """Decide a dispute about a memory, "upheld" or "overturned"; both sides stay in the file."""
        from memstore.trust.sign import resolve

        given.only(saving, Saving, "resolve")
        return resolve(self._view(), given.ref_of(memory), outcome, notes=notes, key=key, **saving)

    def request_witness(
        self, memory: Named, *, asked: str | Sequence[str], notes: str | None = None, **saving: Unpack[Saving]
    ) -> Registered:
        """Ask others to attest to a memory: write a file that can be sent to them, with all they need to read."""
        from memstore.trust.witness_request import request_witness

        given.only(saving, Saving, "request_witness")
        who = given.one_or_more(asked)
        return request_witness(self._view(), given.ref_of(memory), who, notes=notes, **saving)

    def accept_answer(self, memory: Named, answer: bytes, *, name: str = "answer", **saving: Unpack[Saving]) -> Signed:
        """Add the attestation in an answer to its memory, if it is about its current state; `name` is for errors."""
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
        """Record a place outside the file that shows what a memory says.

        Args:
            memory: the memory.
            type: "git_commit", "url", "moltbook_post", "opentimestamps" or "blockchain".
            reference: the commit, page or transaction; None is the last commit that holds the memory.
            page: the page's content, of which the vault keeps a copy; without it nothing can be verified.
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
        """Return memories in the memory-v0.1 format with their current trust; all memories if none are named."""
        from memstore.memories.memory_v01 import export_memories

        refs = given.refs_of(memories)
        return tuple(dict(one) for one in export_memories(self._view(), refs, everything=not refs))

    # -- keys --------------------------------------------------------------------------------------

    def keys(self) -> KnownKeys:
        """Return all keys of the vault, each with its status."""
        from memstore.trust.keys import list_keys

        return list_keys(self._view())

    def add_key(
        self, entity: str, key: str, *, keeper: bool = False, authority: bool = False, **saving: Unpack[Saving]
    ) -> KeysChanged:
        """Enrol a key, given as a file or as text: what it signs counts as the entity's word from now on."""
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
        """Replace an entity's key with a new one; the old key signs nothing from now on."""
        from memstore.trust.rotate import rotate_key

        given.only(saving, Saving, "rotate_key")
        return rotate_key(self._view(), entity, key, old=old, signed=signed, **saving)

    def revoke_key(self, named: str, **saving: Unpack[Saving]) -> KeysChanged:
        """Revoke a key by its fingerprint, or all keys of an entity; nothing that they signed counts any more."""
        from memstore.trust.keys import revoke_key

        given.only(saving, Saving, "revoke_key")
        return revoke_key(self._view(), named, **saving)

    def pin(self, revision: str | None = None, *, dry_run: bool = False) -> Pinned:
        """Pin a commit in the user's own settings: its keyring counts for this user."""
        from memstore.trust.pin import pin

        return pin(self._view(), revision=revision, dry_run=dry_run)

    def unpin(self) -> Pinned:
        """Remove the pin: whoever can write the files then decides whose keys count."""
        from memstore.trust.pin import unpin

        return unpin(self._view())
