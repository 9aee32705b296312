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
    from memstore.core.change import Committed as Committed
    from memstore.core.change import Saved as Saved
    from memstore.core.change import Undone as Undone
    from memstore.errors import ChangedMeanwhileError as ChangedMeanwhileError
    from memstore.errors import Exit as Exit
    from memstore.errors import FormatError as FormatError
    from memstore.errors import GitError as GitError
    from memstore.errors import LockedError as LockedError
    from memstore.errors import MemstoreError as MemstoreError
    from memstore.errors import NoFileError as NoFileError
    from memstore.errors import NotFoundError as NotFoundError
    from memstore.errors import NotThereYetError as NotThereYetError
    from memstore.errors import RefusedError as RefusedError
    from memstore.errors import TooLargeError as TooLargeError
    from memstore.errors import UsageError as UsageError
    from memstore.errors import VaultError as VaultError
    from memstore.flows.adopt import Adopted as Adopted
    from memstore.flows.anchor import Recorded as Recorded
    from memstore.flows.audit import Verified as Verified
    from memstore.flows.blame import Blame as Blame
    from memstore.flows.blame import BlamedLine as BlamedLine
    from memstore.flows.check import CheckResult as CheckResult
    from memstore.flows.cite import Cited as Cited
    from memstore.flows.compress import Compressed as Compressed
    from memstore.flows.consents import KnownConsent as KnownConsent
    from memstore.flows.consents import Told as Told
    from memstore.flows.consolidate import Consolidated as Consolidated
    from memstore.flows.contexts import AboutContext as AboutContext
    from memstore.flows.contexts import KnownContext as KnownContext
    from memstore.flows.contexts import Present as Present
    from memstore.flows.contexts import Suggestion as Suggestion
    from memstore.flows.dedupe import Copy as Copy
    from memstore.flows.dedupe import Duplicates as Duplicates
    from memstore.flows.diff import Diff as Diff
    from memstore.flows.diff import MemoryDiff as MemoryDiff
    from memstore.flows.entities import AboutEntity as AboutEntity
    from memstore.flows.entities import KnownEntity as KnownEntity
    from memstore.flows.entities import KnownGroup as KnownGroup
    from memstore.flows.entities import KnownMember as KnownMember
    from memstore.flows.expand import Expanded as Expanded
    from memstore.flows.expand import Link as Link
    from memstore.flows.fix_provenance import FixedProvenance as FixedProvenance
    from memstore.flows.graduate import Graduated as Graduated
    from memstore.flows.impact import Harmed as Harmed
    from memstore.flows.impact import Impact as Impact
    from memstore.flows.keys import KeysChanged as KeysChanged
    from memstore.flows.keys import KnownKey as KnownKey
    from memstore.flows.keys import KnownKeys as KnownKeys
    from memstore.flows.list_memories import Listed as Listed
    from memstore.flows.log import Log as Log
    from memstore.flows.log import LogLine as LogLine
    from memstore.flows.move import Moved as Moved
    from memstore.flows.orphans import Dangling as Dangling
    from memstore.flows.orphans import Orphans as Orphans
    from memstore.flows.pin import Pinned as Pinned
    from memstore.flows.privacy import Shared as Shared
    from memstore.flows.promote import Linked as Linked
    from memstore.flows.propagate import Propagated as Propagated
    from memstore.flows.rebuild import Differing as Differing
    from memstore.flows.rebuild import Rebuilt as Rebuilt
    from memstore.flows.recall import Bite as Bite
    from memstore.flows.recall import Recalled as Recalled
    from memstore.flows.recompute import Recomputed as Recomputed
    from memstore.flows.recompute import Unequal as Unequal
    from memstore.flows.registry import Registered as Registered
    from memstore.flows.registry import Saving as Saving
    from memstore.flows.reinforce import Reinforced as Reinforced
    from memstore.flows.resolve_conflict import Resolved as Resolved
    from memstore.flows.revise_from import Proposal as Proposal
    from memstore.flows.show import Shown as Shown
    from memstore.flows.sign import Signed as Signed
    from memstore.flows.stats import Stats as Stats
    from memstore.flows.status import Status as Status
    from memstore.flows.status import Uncommitted as Uncommitted
    from memstore.flows.suggestions import Waiting as Waiting
    from memstore.flows.trust import Trusted as Trusted
    from memstore.flows.vouch import Vouched as Vouched
    from memstore.flows.who_sees import Sighted as Sighted
    from memstore.flows.why import Why as Why
    from memstore.model.attestation import Anchor as Anchor
    from memstore.model.attestation import Resolution as Resolution
    from memstore.model.attestation import Signature as Signature
    from memstore.model.attestation import Witness as Witness
    from memstore.model.audit import AuditEvent as AuditEvent
    from memstore.model.catalog import Entry as Entry
    from memstore.model.confidence import LedgerLine as LedgerLine
    from memstore.model.conflict import Conflict as Conflict
    from memstore.model.conflict import ConflictType as ConflictType
    from memstore.model.conflict import Lines as Lines
    from memstore.model.finding import Finding as Finding
    from memstore.model.finding import Position as Position
    from memstore.model.finding import Severity as Severity
    from memstore.model.ids import MemoryRef as MemoryRef
    from memstore.model.lineage import Direction as Direction
    from memstore.model.lineage import Edge as Edge
    from memstore.model.lineage import Node as Node
    from memstore.model.lineage import Trace as Trace
    from memstore.model.memory import Memory as Memory
    from memstore.model.retrieval import Answer as Answer
    from memstore.model.retrieval import Citation as Citation
    from memstore.model.retrieval import Filters as Filters
    from memstore.model.retrieval import Hit as Hit
    from memstore.model.retrieval import Operator as Operator
    from memstore.model.retrieval import Query as Query
    from memstore.model.retrieval import Sort as Sort
    from memstore.model.retrieval import Unit as Unit
    from memstore.model.retrieval import Where as Where
    from memstore.model.world import ActiveContext as ActiveContext
    from memstore.model.world import Decision as Decision
    from memstore.ports.embedder import Embedder as Embedder
    from memstore.ports.history import Commit as Commit
    from memstore.ports.synthesizer import Synthesizer as Synthesizer
    from memstore.rules.anchors import Anchored as Anchored
    from memstore.rules.anchors import AnchorStatus as AnchorStatus
    from memstore.rules.beliefs import Stance as Stance
    from memstore.rules.calibration import Calibration as Calibration
    from memstore.rules.explanation import Number as Number
    from memstore.rules.explanation import Term as Term
    from memstore.rules.sight import Seer as Seer
    from memstore.rules.sight import SightChange as SightChange
    from memstore.rules.trust import Level as Level
    from memstore.rules.trust import Trust as Trust
    from memstore.rules.vouching import Attested as Attested
    from memstore.rules.vouching import State as State
    from memstore.rules.vouching import Verdict as Verdict
    from memstore.vault.batch import Batch as Batch
    from memstore.vault.face import Vault as Vault
    from memstore.vault.face import open_vault as open_vault
    from memstore.vault.given import HasRef as HasRef
    from memstore.vault.given import Keys as Keys
    from memstore.vault.given import Named as Named
    from memstore.vault.given import Names as Names
    from memstore.vault.given import Which as Which
    from memstore.vault.hits import Hits as Hits

__version__ = "0.1.0"

# Name -> module. Importing memstore loads none of them: the program's `--version` does it.
_HOMES = {
    "AboutContext": "memstore.flows.contexts",
    "AboutEntity": "memstore.flows.entities",
    "ActiveContext": "memstore.model.world",
    "Adopted": "memstore.flows.adopt",
    "Anchor": "memstore.model.attestation",
    "Anchored": "memstore.rules.anchors",
    "AnchorStatus": "memstore.rules.anchors",
    "Answer": "memstore.model.retrieval",
    "Attested": "memstore.rules.vouching",
    "AuditEvent": "memstore.model.audit",
    "Batch": "memstore.vault.batch",
    "Bite": "memstore.flows.recall",
    "Blame": "memstore.flows.blame",
    "BlamedLine": "memstore.flows.blame",
    "Calibration": "memstore.rules.calibration",
    "ChangedMeanwhileError": "memstore.errors",
    "CheckResult": "memstore.flows.check",
    "Citation": "memstore.model.retrieval",
    "Cited": "memstore.flows.cite",
    "Commit": "memstore.ports.history",
    "Committed": "memstore.core.change",
    "Compressed": "memstore.flows.compress",
    "Conflict": "memstore.model.conflict",
    "ConflictType": "memstore.model.conflict",
    "Consolidated": "memstore.flows.consolidate",
    "Copy": "memstore.flows.dedupe",
    "Dangling": "memstore.flows.orphans",
    "Decision": "memstore.model.world",
    "Diff": "memstore.flows.diff",
    "Differing": "memstore.flows.rebuild",
    "Direction": "memstore.model.lineage",
    "Duplicates": "memstore.flows.dedupe",
    "Edge": "memstore.model.lineage",
    "Embedder": "memstore.ports.embedder",
    "Entry": "memstore.model.catalog",
    "Exit": "memstore.errors",
    "Expanded": "memstore.flows.expand",
    "Filters": "memstore.model.retrieval",
    "Finding": "memstore.model.finding",
    "FixedProvenance": "memstore.flows.fix_provenance",
    "FormatError": "memstore.errors",
    "GitError": "memstore.errors",
    "Graduated": "memstore.flows.graduate",
    "Harmed": "memstore.flows.impact",
    "HasRef": "memstore.vault.given",
    "Hit": "memstore.model.retrieval",
    "Hits": "memstore.vault.hits",
    "Impact": "memstore.flows.impact",
    "Keys": "memstore.vault.given",
    "KeysChanged": "memstore.flows.keys",
    "KnownConsent": "memstore.flows.consents",
    "KnownContext": "memstore.flows.contexts",
    "KnownEntity": "memstore.flows.entities",
    "KnownGroup": "memstore.flows.entities",
    "KnownKey": "memstore.flows.keys",
    "KnownKeys": "memstore.flows.keys",
    "KnownMember": "memstore.flows.entities",
    "LedgerLine": "memstore.model.confidence",
    "Level": "memstore.rules.trust",
    "Lines": "memstore.model.conflict",
    "Link": "memstore.flows.expand",
    "Linked": "memstore.flows.promote",
    "Listed": "memstore.flows.list_memories",
    "LockedError": "memstore.errors",
    "Log": "memstore.flows.log",
    "LogLine": "memstore.flows.log",
    "Memory": "memstore.model.memory",
    "MemoryDiff": "memstore.flows.diff",
    "MemoryRef": "memstore.model.ids",
    "MemstoreError": "memstore.errors",
    "Moved": "memstore.flows.move",
    "Named": "memstore.vault.given",
    "Names": "memstore.vault.given",
    "Node": "memstore.model.lineage",
    "NoFileError": "memstore.errors",
    "NotFoundError": "memstore.errors",
    "NotThereYetError": "memstore.errors",
    "Number": "memstore.rules.explanation",
    "open_vault": "memstore.vault.face",
    "Operator": "memstore.model.retrieval",
    "Orphans": "memstore.flows.orphans",
    "Pinned": "memstore.flows.pin",
    "Position": "memstore.model.finding",
    "Present": "memstore.flows.contexts",
    "Propagated": "memstore.flows.propagate",
    "Proposal": "memstore.flows.revise_from",
    "Query": "memstore.model.retrieval",
    "Rebuilt": "memstore.flows.rebuild",
    "Recalled": "memstore.flows.recall",
    "Recomputed": "memstore.flows.recompute",
    "Recorded": "memstore.flows.anchor",
    "RefusedError": "memstore.errors",
    "Registered": "memstore.flows.registry",
    "Reinforced": "memstore.flows.reinforce",
    "Resolution": "memstore.model.attestation",
    "Resolved": "memstore.flows.resolve_conflict",
    "Saved": "memstore.core.change",
    "Saving": "memstore.flows.registry",
    "Seer": "memstore.rules.sight",
    "Severity": "memstore.model.finding",
    "Shared": "memstore.flows.privacy",
    "Shown": "memstore.flows.show",
    "SightChange": "memstore.rules.sight",
    "Sighted": "memstore.flows.who_sees",
    "Signature": "memstore.model.attestation",
    "Signed": "memstore.flows.sign",
    "Sort": "memstore.model.retrieval",
    "Stance": "memstore.rules.beliefs",
    "State": "memstore.rules.vouching",
    "Stats": "memstore.flows.stats",
    "Status": "memstore.flows.status",
    "Suggestion": "memstore.flows.contexts",
    "Synthesizer": "memstore.ports.synthesizer",
    "Term": "memstore.rules.explanation",
    "Told": "memstore.flows.consents",
    "TooLargeError": "memstore.errors",
    "Trace": "memstore.model.lineage",
    "Trust": "memstore.rules.trust",
    "Trusted": "memstore.flows.trust",
    "Uncommitted": "memstore.flows.status",
    "Undone": "memstore.core.change",
    "Unequal": "memstore.flows.recompute",
    "Unit": "memstore.model.retrieval",
    "UsageError": "memstore.errors",
    "Vault": "memstore.vault.face",
    "VaultError": "memstore.errors",
    "Verdict": "memstore.rules.vouching",
    "Verified": "memstore.flows.audit",
    "Vouched": "memstore.flows.vouch",
    "Waiting": "memstore.flows.suggestions",
    "Where": "memstore.model.retrieval",
    "Which": "memstore.vault.given",
    "Why": "memstore.flows.why",
    "Witness": "memstore.model.attestation",
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
