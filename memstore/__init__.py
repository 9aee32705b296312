"""memstore: long-term memory in plain text, for agents and the people who work with them.

`open_vault` opens a vault, and `help(memstore.Vault)` is enough to begin:

    vault = memstore.open_vault("~/notes", entity="si:ash")
    for hit in vault.search("when does Bella eat?", limit=5):
        print(hit.content)

Beside it stand the values that a program meets, what filters are made of, and the errors. `docs/python.md` has whole
programs; `memstore.seeds` has the calls of the five documents that memstore grew from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memstore.access.audit import Registered as Registered
    from memstore.access.audit import Saving as Saving
    from memstore.access.audit import Verified as Verified
    from memstore.access.audit_events import AuditEvent as AuditEvent
    from memstore.access.consents import KnownConsent as KnownConsent
    from memstore.access.consents import Told as Told
    from memstore.access.contexts import AboutContext as AboutContext
    from memstore.access.contexts import KnownContext as KnownContext
    from memstore.access.contexts import Present as Present
    from memstore.access.contexts import Suggestion as Suggestion
    from memstore.access.entities import AboutEntity as AboutEntity
    from memstore.access.entities import KnownEntity as KnownEntity
    from memstore.access.entities import KnownGroup as KnownGroup
    from memstore.access.entities import KnownMember as KnownMember
    from memstore.access.generalization import GeneralizationVerdict as GeneralizationVerdict
    from memstore.access.privacy import Shared as Shared
    from memstore.access.report import Sighted as Sighted
    from memstore.access.sight import Seer as Seer
    from memstore.access.sight import SightChange as SightChange
    from memstore.access.stack import Mount as Mount
    from memstore.access.stack import Stack as Stack
    from memstore.access.world import ActiveContext as ActiveContext
    from memstore.access.world import Decision as Decision
    from memstore.beliefs.calibration import Calibration as Calibration
    from memstore.beliefs.compress import Compressed as Compressed
    from memstore.beliefs.consolidate import Consolidated as Consolidated
    from memstore.beliefs.graduate import Graduated as Graduated
    from memstore.beliefs.next_lines import Stance as Stance
    from memstore.beliefs.propagation import Propagated as Propagated
    from memstore.beliefs.quarantine import Quarantined as Quarantined
    from memstore.beliefs.recall import Bite as Bite
    from memstore.beliefs.recall import Recalled as Recalled
    from memstore.beliefs.recompute import Differing as Differing
    from memstore.beliefs.recompute import Rebuilt as Rebuilt
    from memstore.beliefs.recompute import Recomputed as Recomputed
    from memstore.beliefs.recompute import Unequal as Unequal
    from memstore.beliefs.reinforce import Reinforced as Reinforced
    from memstore.beliefs.revise import Proposal as Proposal
    from memstore.beliefs.wording import Synthesizer as Synthesizer
    from memstore.conflicts.duplicates import Copy as Copy
    from memstore.conflicts.duplicates import Duplicates as Duplicates
    from memstore.conflicts.resolve import Resolved as Resolved
    from memstore.core.catalog import Entry as Entry
    from memstore.core.change import Committed as Committed
    from memstore.core.change import Saved as Saved
    from memstore.core.change import Undone as Undone
    from memstore.core.conflict import Conflict as Conflict
    from memstore.core.conflict import ConflictType as ConflictType
    from memstore.core.conflict import Lines as Lines
    from memstore.core.errors import ChangedMeanwhileError as ChangedMeanwhileError
    from memstore.core.errors import Exit as Exit
    from memstore.core.errors import FormatError as FormatError
    from memstore.core.errors import GitError as GitError
    from memstore.core.errors import LockedError as LockedError
    from memstore.core.errors import MemstoreError as MemstoreError
    from memstore.core.errors import NoFileError as NoFileError
    from memstore.core.errors import NotFoundError as NotFoundError
    from memstore.core.errors import RefusedError as RefusedError
    from memstore.core.errors import TooLargeError as TooLargeError
    from memstore.core.errors import UsageError as UsageError
    from memstore.core.errors import VaultError as VaultError
    from memstore.core.finding import Finding as Finding
    from memstore.core.finding import Position as Position
    from memstore.core.finding import Severity as Severity
    from memstore.core.ids import MemoryRef as MemoryRef
    from memstore.core.memory import Anchor as Anchor
    from memstore.core.memory import LedgerLine as LedgerLine
    from memstore.core.memory import Memory as Memory
    from memstore.core.memory import Resolution as Resolution
    from memstore.core.memory import Signature as Signature
    from memstore.core.memory import Witness as Witness
    from memstore.exchange.importing import Imported as Imported
    from memstore.exchange.sharing import SharedStack as SharedStack
    from memstore.exchange.sharing import SharedState as SharedState
    from memstore.face.batch import Batch as Batch
    from memstore.face.given import HasRef as HasRef
    from memstore.face.given import Hits as Hits
    from memstore.face.given import Keys as Keys
    from memstore.face.given import Named as Named
    from memstore.face.given import Names as Names
    from memstore.face.given import Which as Which
    from memstore.face.vault import Vault as Vault
    from memstore.face.vault import open_vault as open_vault
    from memstore.history.diff import Diff as Diff
    from memstore.history.diff import MemoryDiff as MemoryDiff
    from memstore.history.history import Commit as Commit
    from memstore.history.log import Log as Log
    from memstore.history.log import LogLine as LogLine
    from memstore.history.purging import Purged as Purged
    from memstore.history.revisions import Blame as Blame
    from memstore.history.revisions import BlamedLine as BlamedLine
    from memstore.lineage.orphans import Dangling as Dangling
    from memstore.lineage.orphans import Orphans as Orphans
    from memstore.lineage.repair import FixedProvenance as FixedProvenance
    from memstore.lineage.trace import Harmed as Harmed
    from memstore.lineage.trace import Impact as Impact
    from memstore.lineage.values import Direction as Direction
    from memstore.lineage.values import Edge as Edge
    from memstore.lineage.values import Node as Node
    from memstore.lineage.values import Trace as Trace
    from memstore.memories.adopt import Adopted as Adopted
    from memstore.memories.cite import Cited as Cited
    from memstore.memories.edit import Moved as Moved
    from memstore.memories.forget import Dependent as Dependent
    from memstore.memories.forget import Forgotten as Forgotten
    from memstore.memories.forget import Tombstone as Tombstone
    from memstore.memories.generalize import GeneralizationCheck as GeneralizationCheck
    from memstore.memories.generalize import Generalized as Generalized
    from memstore.memories.incoming import ImportedMemories as ImportedMemories
    from memstore.memories.links import LeftLink as LeftLink
    from memstore.memories.links import LinkedNote as LinkedNote
    from memstore.memories.links import NoteLink as NoteLink
    from memstore.memories.links import NoteLinks as NoteLinks
    from memstore.memories.listing import Listed as Listed
    from memstore.memories.promote import Linked as Linked
    from memstore.memories.seal import SealedMemories as SealedMemories
    from memstore.memories.seal import SealedMemory as SealedMemory
    from memstore.memories.show import Expanded as Expanded
    from memstore.memories.show import Link as Link
    from memstore.memories.show import Shown as Shown
    from memstore.memories.suggestions import Waiting as Waiting
    from memstore.memories.why import Number as Number
    from memstore.memories.why import Term as Term
    from memstore.memories.why import Why as Why
    from memstore.search.explanation import Explanation as Explanation
    from memstore.search.explanation import WhyNot as WhyNot
    from memstore.search.meaning import Embedder as Embedder
    from memstore.search.retrieval import Answer as Answer
    from memstore.search.retrieval import Citation as Citation
    from memstore.search.retrieval import Filters as Filters
    from memstore.search.retrieval import Hit as Hit
    from memstore.search.retrieval import Operator as Operator
    from memstore.search.retrieval import Query as Query
    from memstore.search.retrieval import Sort as Sort
    from memstore.search.retrieval import Unit as Unit
    from memstore.search.retrieval import Where as Where
    from memstore.trust.anchor import Recorded as Recorded
    from memstore.trust.anchors import Anchored as Anchored
    from memstore.trust.anchors import AnchorStatus as AnchorStatus
    from memstore.trust.keys import KeysChanged as KeysChanged
    from memstore.trust.keys import KnownKey as KnownKey
    from memstore.trust.keys import KnownKeys as KnownKeys
    from memstore.trust.pin import Pinned as Pinned
    from memstore.trust.score import Level as Level
    from memstore.trust.score import Trust as Trust
    from memstore.trust.sign import Signed as Signed
    from memstore.trust.trust import Trusted as Trusted
    from memstore.trust.verification import Vouched as Vouched
    from memstore.trust.vouching import Attested as Attested
    from memstore.trust.vouching import State as State
    from memstore.trust.vouching import Verdict as Verdict
    from memstore.vault.check import CheckResult as CheckResult
    from memstore.vault.status import Stats as Stats
    from memstore.vault.status import Status as Status
    from memstore.vault.status import Uncommitted as Uncommitted

__version__ = "0.1.0"

# Name -> module. Importing memstore loads none of them: the program's `--version` does it.
_HOMES = {
    "AboutContext": "memstore.access.contexts",
    "AboutEntity": "memstore.access.entities",
    "ActiveContext": "memstore.access.world",
    "Adopted": "memstore.memories.adopt",
    "Anchor": "memstore.core.memory",
    "Anchored": "memstore.trust.anchors",
    "AnchorStatus": "memstore.trust.anchors",
    "Answer": "memstore.search.retrieval",
    "Attested": "memstore.trust.vouching",
    "AuditEvent": "memstore.access.audit_events",
    "Batch": "memstore.face.batch",
    "Bite": "memstore.beliefs.recall",
    "Blame": "memstore.history.revisions",
    "BlamedLine": "memstore.history.revisions",
    "Calibration": "memstore.beliefs.calibration",
    "ChangedMeanwhileError": "memstore.core.errors",
    "CheckResult": "memstore.vault.check",
    "Citation": "memstore.search.retrieval",
    "Cited": "memstore.memories.cite",
    "Commit": "memstore.history.history",
    "Committed": "memstore.core.change",
    "Compressed": "memstore.beliefs.compress",
    "Conflict": "memstore.core.conflict",
    "ConflictType": "memstore.core.conflict",
    "Consolidated": "memstore.beliefs.consolidate",
    "Copy": "memstore.conflicts.duplicates",
    "Dangling": "memstore.lineage.orphans",
    "Decision": "memstore.access.world",
    "Dependent": "memstore.memories.forget",
    "Diff": "memstore.history.diff",
    "Differing": "memstore.beliefs.recompute",
    "Direction": "memstore.lineage.values",
    "Duplicates": "memstore.conflicts.duplicates",
    "Edge": "memstore.lineage.values",
    "Embedder": "memstore.search.meaning",
    "Entry": "memstore.core.catalog",
    "Exit": "memstore.core.errors",
    "Expanded": "memstore.memories.show",
    "Explanation": "memstore.search.explanation",
    "Filters": "memstore.search.retrieval",
    "Finding": "memstore.core.finding",
    "FixedProvenance": "memstore.lineage.repair",
    "Forgotten": "memstore.memories.forget",
    "FormatError": "memstore.core.errors",
    "GeneralizationCheck": "memstore.memories.generalize",
    "GeneralizationVerdict": "memstore.access.generalization",
    "Generalized": "memstore.memories.generalize",
    "GitError": "memstore.core.errors",
    "Graduated": "memstore.beliefs.graduate",
    "Harmed": "memstore.lineage.trace",
    "HasRef": "memstore.face.given",
    "Hit": "memstore.search.retrieval",
    "Hits": "memstore.face.given",
    "Imported": "memstore.exchange.importing",
    "ImportedMemories": "memstore.memories.incoming",
    "Impact": "memstore.lineage.trace",
    "Keys": "memstore.face.given",
    "KeysChanged": "memstore.trust.keys",
    "KnownConsent": "memstore.access.consents",
    "KnownContext": "memstore.access.contexts",
    "KnownEntity": "memstore.access.entities",
    "KnownGroup": "memstore.access.entities",
    "KnownKey": "memstore.trust.keys",
    "KnownKeys": "memstore.trust.keys",
    "KnownMember": "memstore.access.entities",
    "LedgerLine": "memstore.core.memory",
    "LeftLink": "memstore.memories.links",
    "Level": "memstore.trust.score",
    "Lines": "memstore.core.conflict",
    "Link": "memstore.memories.show",
    "Linked": "memstore.memories.promote",
    "LinkedNote": "memstore.memories.links",
    "Listed": "memstore.memories.listing",
    "LockedError": "memstore.core.errors",
    "Log": "memstore.history.log",
    "LogLine": "memstore.history.log",
    "Memory": "memstore.core.memory",
    "MemoryDiff": "memstore.history.diff",
    "MemoryRef": "memstore.core.ids",
    "MemstoreError": "memstore.core.errors",
    "Mount": "memstore.access.stack",
    "Moved": "memstore.memories.edit",
    "Named": "memstore.face.given",
    "Names": "memstore.face.given",
    "Node": "memstore.lineage.values",
    "NoFileError": "memstore.core.errors",
    "NoteLink": "memstore.memories.links",
    "NoteLinks": "memstore.memories.links",
    "NotFoundError": "memstore.core.errors",
    "Number": "memstore.memories.why",
    "open_vault": "memstore.face.vault",
    "Operator": "memstore.search.retrieval",
    "Orphans": "memstore.lineage.orphans",
    "Pinned": "memstore.trust.pin",
    "Position": "memstore.core.finding",
    "Present": "memstore.access.contexts",
    "Propagated": "memstore.beliefs.propagation",
    "Proposal": "memstore.beliefs.revise",
    "Purged": "memstore.history.purging",
    "Query": "memstore.search.retrieval",
    "Rebuilt": "memstore.beliefs.recompute",
    "Quarantined": "memstore.beliefs.quarantine",
    "Recalled": "memstore.beliefs.recall",
    "Recomputed": "memstore.beliefs.recompute",
    "Recorded": "memstore.trust.anchor",
    "RefusedError": "memstore.core.errors",
    "Registered": "memstore.access.audit",
    "Reinforced": "memstore.beliefs.reinforce",
    "Resolution": "memstore.core.memory",
    "Resolved": "memstore.conflicts.resolve",
    "Saved": "memstore.core.change",
    "Saving": "memstore.access.audit",
    "SealedMemories": "memstore.memories.seal",
    "SealedMemory": "memstore.memories.seal",
    "Seer": "memstore.access.sight",
    "Severity": "memstore.core.finding",
    "Shared": "memstore.access.privacy",
    "SharedStack": "memstore.exchange.sharing",
    "SharedState": "memstore.exchange.sharing",
    "Shown": "memstore.memories.show",
    "SightChange": "memstore.access.sight",
    "Sighted": "memstore.access.report",
    "Signature": "memstore.core.memory",
    "Signed": "memstore.trust.sign",
    "Sort": "memstore.search.retrieval",
    "Stack": "memstore.access.stack",
    "Stance": "memstore.beliefs.next_lines",
    "State": "memstore.trust.vouching",
    "Stats": "memstore.vault.status",
    "Status": "memstore.vault.status",
    "Suggestion": "memstore.access.contexts",
    "Synthesizer": "memstore.beliefs.wording",
    "Term": "memstore.memories.why",
    "Told": "memstore.access.consents",
    "Tombstone": "memstore.memories.forget",
    "TooLargeError": "memstore.core.errors",
    "Trace": "memstore.lineage.values",
    "Trust": "memstore.trust.score",
    "Trusted": "memstore.trust.trust",
    "Uncommitted": "memstore.vault.status",
    "Undone": "memstore.core.change",
    "Unequal": "memstore.beliefs.recompute",
    "Unit": "memstore.search.retrieval",
    "UsageError": "memstore.core.errors",
    "Vault": "memstore.face.vault",
    "VaultError": "memstore.core.errors",
    "Verdict": "memstore.trust.vouching",
    "Verified": "memstore.access.audit",
    "Vouched": "memstore.trust.verification",
    "Waiting": "memstore.memories.suggestions",
    "Where": "memstore.search.retrieval",
    "Which": "memstore.face.given",
    "Why": "memstore.memories.why",
    "WhyNot": "memstore.search.explanation",
    "Witness": "memstore.core.memory",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
