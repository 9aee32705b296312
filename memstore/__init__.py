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
    from memstore.access.audit import Registered as Registered, Verified as Verified
    from memstore.access.audit_events import AuditEvent as AuditEvent
    from memstore.access.consents import KnownConsent as KnownConsent, ConsentTerms as ConsentTerms
    from memstore.access.contexts import (
        AboutContext as AboutContext,
        KnownContext as KnownContext,
        Present as Present,
        Suggestion as Suggestion,
    )
    from memstore.access.entities import (
        AboutEntity as AboutEntity,
        KnownEntity as KnownEntity,
        KnownGroup as KnownGroup,
        KnownMember as KnownMember,
    )
    from memstore.access.generalization import GeneralizationVerdict as GeneralizationVerdict
    from memstore.access.plan import AccessPlan as AccessPlan
    from memstore.access.plan import PlanStep as PlanStep
    from memstore.access.privacy import Shared as Shared
    from memstore.access.report import Sighted as Sighted
    from memstore.access.sight import Seer as Seer, SightChange as SightChange
    from memstore.access.stack import Mount as Mount, Stack as Stack
    from memstore.access.world import ActiveContext as ActiveContext, Decision as Decision
    from memstore.beliefs.calibration import Calibration as Calibration
    from memstore.beliefs.compress import Compressed as Compressed
    from memstore.beliefs.consolidate import Consolidated as Consolidated
    from memstore.beliefs.graduate import Graduated as Graduated
    from memstore.beliefs.next_lines import Stance as Stance
    from memstore.beliefs.propagation import Propagated as Propagated
    from memstore.beliefs.quarantine import Quarantined as Quarantined
    from memstore.beliefs.recall import Bite as Bite, Recalled as Recalled
    from memstore.beliefs.recompute import (
        Differing as Differing,
        Rebuilt as Rebuilt,
        Recomputed as Recomputed,
        Unequal as Unequal,
    )
    from memstore.beliefs.reinforce import Reinforced as Reinforced
    from memstore.beliefs.revise import Proposal as Proposal
    from memstore.beliefs.wording import Synthesizer as Synthesizer
    from memstore.conflicts.candidates import Candidate as Candidate, OwnStatement as OwnStatement
    from memstore.conflicts.duplicates import Copy as Copy, Duplicates as Duplicates
    from memstore.conflicts.judging import Judgement as Judgement
    from memstore.conflicts.resolve import Resolved as Resolved
    from memstore.core.catalog import Entry as Entry
    from memstore.core.change import Committed as Committed, Saved as Saved, Undone as Undone
    from memstore.core.conflict import (
        Conflict as Conflict,
        ConflictType as ConflictType,
        Judged as Judged,
        Lines as Lines,
        PairVerdict as PairVerdict,
    )
    from memstore.core.errors import (
        ChangedMeanwhileError as ChangedMeanwhileError,
        Exit as Exit,
        FormatError as FormatError,
        GitError as GitError,
        LockedError as LockedError,
        MemstoreError as MemstoreError,
        NoFileError as NoFileError,
        NotFoundError as NotFoundError,
        RefusedError as RefusedError,
        TooLargeError as TooLargeError,
        UsageError as UsageError,
        VaultError as VaultError,
    )
    from memstore.core.finding import Finding as Finding, Position as Position, Severity as Severity
    from memstore.core.ids import MemoryRef as MemoryRef
    from memstore.core.memory import (
        Anchor as Anchor,
        LedgerLine as LedgerLine,
        Memory as Memory,
        Resolution as Resolution,
        Signature as Signature,
        Witness as Witness,
    )
    from memstore.core.named import HasRef as HasRef, Named as Named, Names as Names, OneOrMore as OneOrMore
    from memstore.core.transaction import Saving as Saving
    from memstore.exchange.sharing import SharedStack as SharedStack, SharedState as SharedState
    from memstore.face.batch import Batch as Batch
    from memstore.face.given import (
        Hits as Hits,
        Keys as Keys,
    )
    from memstore.face.vault import Vault as Vault, open_vault as open_vault
    from memstore.history.diff import Diff as Diff, MemoryDiff as MemoryDiff
    from memstore.history.history import Commit as Commit
    from memstore.history.log import Log as Log, LogLine as LogLine
    from memstore.history.purging import Purged as Purged
    from memstore.history.revisions import Blame as Blame, BlamedLine as BlamedLine
    from memstore.lineage.orphans import Dangling as Dangling, Orphans as Orphans
    from memstore.lineage.repair import FixedProvenance as FixedProvenance
    from memstore.lineage.trace import Harmed as Harmed, Impact as Impact
    from memstore.lineage.values import Direction as Direction, Edge as Edge, Node as Node, Trace as Trace
    from memstore.memories.adopt import Adopted as Adopted
    from memstore.memories.cite import Cited as Cited
    from memstore.memories.edit import Moved as Moved
    from memstore.memories.forget import Dependent as Dependent, Forgotten as Forgotten, Tombstone as Tombstone
    from memstore.memories.generalize import GeneralizationCheck as GeneralizationCheck, Generalized as Generalized
    from memstore.memories.incoming import Imported as Imported
    from memstore.memories.links import (
        LeftLink as LeftLink,
        LinkedNote as LinkedNote,
        NoteLink as NoteLink,
        NoteLinks as NoteLinks,
    )
    from memstore.memories.listing import Listed as Listed
    from memstore.memories.promote import Linked as Linked
    from memstore.memories.seal import SealedMemories as SealedMemories, SealedMemory as SealedMemory
    from memstore.memories.show import Expanded as Expanded, Link as Link, Shown as Shown
    from memstore.memories.suggestions import Waiting as Waiting
    from memstore.memories.why import Number as Number, Term as Term, Why as Why
    from memstore.search.explanation import Explanation as Explanation, WhyNot as WhyNot
    from memstore.search.filters import Which as Which
    from memstore.search.facets import Embedder as Embedder
    from memstore.search.retrieval import Answer as Answer, Citation as Citation, Hit as Hit, Sort as Sort, Unit as Unit
    from memstore.search.clauses import Filters as Filters, Operator as Operator, Query as Query, Where as Where
    from memstore.trust.anchor import Recorded as Recorded
    from memstore.trust.anchors import Anchored as Anchored, AnchorStatus as AnchorStatus
    from memstore.trust.keys import KeysChanged as KeysChanged, KnownKey as KnownKey, KnownKeys as KnownKeys
    from memstore.trust.pin import Pinned as Pinned
    from memstore.trust.score import Level as Level, Trust as Trust
    from memstore.trust.sign import Signed as Signed
    from memstore.trust.trust import Trusted as Trusted
    from memstore.trust.verification import Vouched as Vouched
    from memstore.trust.vouching import Attested as Attested, State as State, Verdict as Verdict
    from memstore.vault.check import CheckResult as CheckResult
    from memstore.vault.stats import Stats as Stats
    from memstore.vault.status import Status as Status, Uncommitted as Uncommitted

__version__ = "0.2.0"

# Module -> the names that it has. Importing memstore loads none of them: the program's `--version` does it.
_NAMES = {
    "memstore.access.audit": "Registered Verified",
    "memstore.access.audit_events": "AuditEvent",
    "memstore.access.consents": "KnownConsent ConsentTerms",
    "memstore.access.contexts": "AboutContext KnownContext Present Suggestion",
    "memstore.access.entities": "AboutEntity KnownEntity KnownGroup KnownMember",
    "memstore.access.generalization": "GeneralizationVerdict",
    "memstore.access.plan": "AccessPlan PlanStep",
    "memstore.access.privacy": "Shared",
    "memstore.access.report": "Sighted",
    "memstore.access.sight": "Seer SightChange",
    "memstore.access.stack": "Mount Stack",
    "memstore.access.world": "ActiveContext Decision",
    "memstore.beliefs.calibration": "Calibration",
    "memstore.beliefs.compress": "Compressed",
    "memstore.beliefs.consolidate": "Consolidated",
    "memstore.beliefs.graduate": "Graduated",
    "memstore.beliefs.next_lines": "Stance",
    "memstore.beliefs.propagation": "Propagated",
    "memstore.beliefs.quarantine": "Quarantined",
    "memstore.beliefs.recall": "Bite Recalled",
    "memstore.beliefs.recompute": "Differing Rebuilt Recomputed Unequal",
    "memstore.beliefs.reinforce": "Reinforced",
    "memstore.beliefs.revise": "Proposal",
    "memstore.beliefs.wording": "Synthesizer",
    "memstore.conflicts.candidates": "Candidate OwnStatement",
    "memstore.conflicts.duplicates": "Copy Duplicates",
    "memstore.conflicts.judging": "Judgement",
    "memstore.conflicts.resolve": "Resolved",
    "memstore.core.catalog": "Entry",
    "memstore.core.change": "Committed Saved Undone",
    "memstore.core.conflict": "Conflict ConflictType Judged Lines PairVerdict",
    "memstore.core.errors": (
        "ChangedMeanwhileError Exit FormatError GitError LockedError MemstoreError NoFileError NotFoundError "
        "RefusedError TooLargeError UsageError VaultError"
    ),
    "memstore.core.finding": "Finding Position Severity",
    "memstore.core.ids": "MemoryRef",
    "memstore.core.memory": "Anchor LedgerLine Memory Resolution Signature Witness",
    "memstore.core.named": "HasRef Named Names OneOrMore",
    "memstore.core.transaction": "Saving",
    "memstore.exchange.sharing": "SharedStack SharedState",
    "memstore.face.batch": "Batch",
    "memstore.face.given": "Hits Keys",
    "memstore.face.vault": "open_vault Vault",
    "memstore.history.diff": "Diff MemoryDiff",
    "memstore.history.history": "Commit",
    "memstore.history.log": "Log LogLine",
    "memstore.history.purging": "Purged",
    "memstore.history.revisions": "Blame BlamedLine",
    "memstore.lineage.orphans": "Dangling Orphans",
    "memstore.lineage.repair": "FixedProvenance",
    "memstore.lineage.trace": "Harmed Impact",
    "memstore.lineage.values": "Direction Edge Node Trace",
    "memstore.memories.adopt": "Adopted",
    "memstore.memories.cite": "Cited",
    "memstore.memories.edit": "Moved",
    "memstore.memories.forget": "Dependent Forgotten Tombstone",
    "memstore.memories.generalize": "GeneralizationCheck Generalized",
    "memstore.memories.incoming": "Imported",
    "memstore.memories.links": "LeftLink LinkedNote NoteLink NoteLinks",
    "memstore.memories.listing": "Listed",
    "memstore.memories.promote": "Linked",
    "memstore.memories.seal": "SealedMemories SealedMemory",
    "memstore.memories.show": "Expanded Link Shown",
    "memstore.memories.suggestions": "Waiting",
    "memstore.memories.why": "Number Term Why",
    "memstore.search.explanation": "Explanation WhyNot",
    "memstore.search.filters": "Which",
    "memstore.search.facets": "Embedder",
    "memstore.search.clauses": "Filters Operator Query Where",
    "memstore.search.retrieval": "Answer Citation Hit Sort Unit",
    "memstore.trust.anchor": "Recorded",
    "memstore.trust.anchors": "Anchored AnchorStatus",
    "memstore.trust.keys": "KeysChanged KnownKey KnownKeys",
    "memstore.trust.pin": "Pinned",
    "memstore.trust.score": "Level Trust",
    "memstore.trust.sign": "Signed",
    "memstore.trust.trust": "Trusted",
    "memstore.trust.verification": "Vouched",
    "memstore.trust.vouching": "Attested State Verdict",
    "memstore.vault.check": "CheckResult",
    "memstore.vault.stats": "Stats",
    "memstore.vault.status": "Status Uncommitted",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
