"""Trust beside other numbers of a memory: only one with attestations is verified, and waits for what that loads.

How attestations stood is kept by blob while keys, entities and rules stay the same. What depends on anything else is
not kept: on anchors, which the repository decides; on other memories, which a witness cites; on a certificate, which
ends by itself.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.core import digests
from memstore.core.errors import FormatError
from memstore.files.memory_file import MemoryFile
from memstore.trust import score, sshsig
from memstore.trust.keyring import ATTEST_NAMESPACE
from memstore.trust.score import TrustGrounds
from memstore.trust.statement import PROFILE
from memstore.trust.vouching import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.search.opened import Opened
    from memstore.trust.reputation import Reputations
    from memstore.trust.score import Trust
    from memstore.trust.verification import Vouched, Voucher


# Any file whose frontmatter has a signature of anybody, or anchors, holds such bytes; in the others nothing counts.
_ATTESTED = re.compile(rb"""(?:\bsig|anchors)["']?[ \t]*:""")
UNATTESTED = score.trust(score.TrustGrounds())


class TrustReader:
    """Tells how far others vouch for memories, by the keys as they are now; made once for many.

    Args:
        then: the vault at the time in question.
    """

    def __init__(self, then: View) -> None:
        self._then = then

    def of(self, memory: Memory) -> Trust:
        """Return the trust of a memory that the viewer may see; 0, unverified, where it has no attestation."""
        if not (memory.signature or memory.witnesses or memory.anchors):
            return UNATTESTED
        return self._of(memory, self._voucher.of(memory))

    def of_file(self, file: Opened) -> Trust:
        """Return the trust of the memory in a file that the viewer may see."""
        if not _ATTESTED.search(file.data):
            return UNATTESTED

        return self.of(file.file.memory) if isinstance(file.file, MemoryFile) else UNATTESTED

    def of_row(self, row: int) -> Trust:
        """Return the trust of the memory in a row of the catalogue that the viewer may see; mostly no file is read.

        A file that is another by now, or not the viewer's to see, counts for nothing.
        """
        path, blob, memory_id, author, attested = (column[row] for column in self._columns)
        if not attested:
            return UNATTESTED
        if not self._then.is_past and (known := self._known.of(blob)) and not self._voucher.has_past(memory_id):
            return score.trust(known.grounds(reputation=self._reputation(author, is_signed=known.signed)))
        file = self._then.read(path)
        if file is None:
            return UNATTESTED
        found = self._voucher.of(file.memory)
        if not self._then.is_past and digests.blob_id(file.data, digests.format_of(blob)) == blob:
            self._known.put(blob, file.memory, found)
        return self._of(file.memory, found)

    def keep(self) -> None:
        """Keep what was verified, for the next time."""
        if not self._then.is_past:
            self._known.keep()

    def _of(self, memory: Memory, found: Vouched) -> Trust:
        reputation = self._reputation(memory.author or "", is_signed=found.signature.counts)
        return score.trust(found.grounds(reputation=reputation))

    def _reputation(self, author: str, *, is_signed: bool) -> float:
        return self._reputations.of(author).value if is_signed else score.NEW_AUTHOR

    @cached_property
    def _columns(self) -> Sequence[Sequence[str]]:
        column = self._then.column
        return [column(name) for name in ("path", "blob", "id", "author", "attested")]

    @cached_property
    def _known(self) -> KnownVerdicts:

        return KnownVerdicts(self._then, self._voucher)

    @cached_property
    def _voucher(self) -> Voucher:
        from memstore.trust.verification import Voucher

        return Voucher(self._then)

    @cached_property
    def _reputations(self) -> Reputations:
        from memstore.trust.reputation import Reputations
        from memstore.trust.verification import Voucher

        now = self._then.again() if self._then.is_past else self._then
        return Reputations(now, Voucher(now) if self._then.is_past else self._voucher)


# -- verdicts that are kept ------------------------------------------------------------------------


# Raised when the same file, keys and entities are judged in another way.
POLICY = f"1 {PROFILE}"
_NAME = "attestations"
_SOUND = frozenset({State.VALID, State.UNSIGNED, State.EXCLUDED})


class KnownVerdict(NamedTuple):
    """What counted in a file, and whether `check` had nothing to say of it."""

    signed: bool
    confirms: int
    disputes: int
    is_sound: bool

    def grounds(self, *, reputation: float) -> TrustGrounds:
        """Return what trust rests on."""
        return TrustGrounds(self.signed, self.confirms, self.disputes, reputation=reputation)


class KnownVerdicts:
    """Verdicts by blob.

    Args:
        view: the vault.
        voucher: whose keys and entities they depend on.
    """

    def __init__(self, view: View, voucher: Voucher) -> None:
        self._view = view
        self._voucher = voucher
        self._new = False

    def of(self, blob: str) -> KnownVerdict | None:
        """Return how the attestations in a file stand; None where that has to be found out."""
        found = self._known.get(blob)
        if found is None:
            return None
        signed, confirms, disputes, sound = map(int, found)
        return KnownVerdict(bool(signed), confirms, disputes, bool(sound))

    def put(self, blob: str, memory: Memory, found: Vouched) -> None:
        """Remember how the attestations in a file stand, unless that depends on more than the file."""
        if not _is_steady(memory):
            return
        grounds = found.grounds(reputation=0.0)
        verdicts = (found.signature, *(one.verdict for one in found.witnesses), *found.resolutions)
        sound = all(verdict.state in _SOUND for verdict in verdicts)
        self._known[blob] = tuple(str(int(one)) for one in (grounds.signed, grounds.confirms, grounds.disputes, sound))
        self._new = True

    def keep(self) -> None:
        """Write down what was remembered."""
        if self._new:
            self._view.derived.keep(_NAME, self._state, self._known)
            self._new = False

    @cached_property
    def _known(self) -> dict[str, tuple[str, ...]]:
        found = self._view.derived.last(_NAME, self._state)
        return {blob: tuple(values) for blob, values in found.items()}

    @cached_property
    def _state(self) -> str:
        """The digest of all that verdicts depend on beside the files; a key that expires changes it."""
        keyring, now = self._voucher.keyring, self._voucher.now
        expired = [signer.valid_before is not None and now >= signer.valid_before for signer in keyring.signers]
        told = (POLICY, keyring._replace(revoked=frozenset()), sorted(keyring.revoked), expired)
        return hashlib.sha256(repr((told, self._voucher.controllers.told)).encode()).hexdigest()


def _is_steady(memory: Memory) -> bool:
    """Whether how its attestations stand depends on nothing but the file, the keys and the entities."""
    sigs = [one.sig for one in (memory.signature, *memory.witnesses, *memory.resolutions) if one and one.sig]
    cites = any("[[" in (witness.notes or "") for witness in memory.witnesses)
    return not memory.anchors and not cites and not any(map(_has_certificate, sigs))


def _has_certificate(sig: str) -> bool:
    try:
        return sshsig.read(sig, namespace=ATTEST_NAMESPACE).certificate is not None
    except FormatError:
        return False
