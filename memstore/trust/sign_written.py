"""What an agent writes is signed in the same operation, if its key counts here (docs/adr/0044).

A view says whether. The transaction asks `WrittenSigner` about each file, so no tool, adapter or command has to.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import FormatError, VaultError
from memstore.core.finding_codes import finding_of
from memstore.core.write_terms import Signing
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from memstore.trust import SIGNATURES, statement
from memstore.trust.sign import signature_of
from memstore.trust.verification import Voucher

if TYPE_CHECKING:
    from memstore.core.change import Edit
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.core.view import View


class SignedEdit(NamedTuple):
    """An edit after its writer had the chance to sign it; `finding` says what that writer should know about it."""

    edit: Edit
    finding: Finding | None = None


class WrittenSigner:
    """Signs what a view's actor writes: new memories, and own ones that change, if their signature counted before.

    Nobody signs what somebody else has changed meanwhile: if the signature does not count, it is left as it is.

    Args:
        view: the vault; its `signing` says whether anything is signed.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    def signed(self, edit: Edit) -> SignedEdit:
        """Return an edit with the actor's signature, or why it has none.

        Raises:
            UsageError: it must be signed, and the settings name no key.
            VaultError: it must be signed, and the key can't be used.
            FormatError: it must be signed, and has characters that can't be.
        """
        after = edit.made or memory_file.read(edit.path, edit.after)
        if not isinstance(after, MemoryFile) or not after.memory.id or after.memory.status == "forgotten":
            return SignedEdit(edit)
        if edit.before is None:
            is_own = after.memory.author == self._view.actor and after.memory.signature is None
            return self._new(edit, after) if is_own and self._signs else SignedEdit(edit)
        if isinstance(edit.before, MemoryFile) and _fits(edit.before.memory) and not _fits(after.memory):
            return self._changed(edit, edit.before, after)
        return SignedEdit(edit)

    @property
    def _signs(self) -> bool:
        """Whether anything is signed; without a key, only what must be, which is then an error."""
        how = self._view.terms.signing
        return how is Signing.ALWAYS or (how is Signing.COUNTS and self._view.of(SIGNATURES).own_key is not None)

    def _new(self, edit: Edit, after: MemoryFile) -> SignedEdit:
        made, why_not = self._made(edit, after)
        if made is not None or not self._is_expected:
            return SignedEdit(made or edit)
        hint = f"memstore trust sign {after.memory.ref} signs it once a key of {self._view.actor} counts"
        return SignedEdit(edit, finding_of("unsigned", edit.path, f"it was not signed: {why_not}", hint))

    def _changed(self, edit: Edit, before: MemoryFile, after: MemoryFile) -> SignedEdit:
        """Return the edit of a memory whose signature fits what it says before the edit, and not after it."""
        why_not = ""
        if self._signs and after.memory.author == before.memory.author == self._view.actor:
            held = self._voucher.of(before.memory)
            if held.signature.counts and not held.is_rolled_back(self._view.actor):
                made, why_not = self._made(edit, after)
                if made is not None:
                    return SignedEdit(made)
        told = f", and was not made anew: {why_not}" if why_not else ""
        at = after.front.position("signature")
        text = f"the signature is of what it said before{told}"
        hint = f"memstore trust sign {after.memory.ref} signs what it says now"
        return SignedEdit(edit, finding_of("attestation-stale", edit.path, text, hint, at, key="signature"))

    def _made(self, edit: Edit, after: MemoryFile) -> tuple[Edit | None, str]:
        """Return the signed edit, or None and why there is none."""
        must = self._view.terms.signing is Signing.ALWAYS
        try:
            signature = signature_of(self._view, after.memory, None, at=self._view.clock.now())
        except VaultError as error:
            if must:
                raise
            return None, str(error)
        made = memory_file.read(edit.path, splice.apply(after, [signature]))
        if not isinstance(made, MemoryFile):
            raise FormatError(f"{edit.path} could not be read again")
        if not must:
            self._voucher.now = self._view.clock.now()  # later than the signature; the keyring is read only once
            found = self._voucher.of(made.memory).signature
            if not found.counts:
                return None, found.reason
        return replace(edit, after=made.data, made=made), ""

    @property
    def _is_expected(self) -> bool:
        """Whether somebody has enrolled a key for the actor, or an authority that may certify one."""
        return any(self._view.actor in line.principals for line in self._voucher.keyring.signers)

    @cached_property
    def _voucher(self) -> Voucher:
        return Voucher(self._view)


def _fits(memory: Memory) -> bool:
    """Whether a memory has a signature, and says what that is over; whose it is, and whether it holds, is not asked."""
    if memory.signature is None:
        return False
    try:
        return statement.digests(memory) == (memory.signature.content, memory.signature.provenance)
    except FormatError:
        return False
