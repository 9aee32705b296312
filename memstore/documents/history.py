"""The forms of history: log, blame, diff, changes of a branch, commits, undone operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.documents.form import Form

if TYPE_CHECKING:
    from memstore.memories.bisect import Bisected
    from memstore.memories.review import Review, Reviewed

Form("""LogLine
    at commit verb name
    title: the title at that time, or the text shown instead
    path details by summary~
""")
Form("""Log
    @log: the history of a memory, or of all
    ref entries=lines cut_off?
""")
Form("BlamedLine", "line text commit=commit.id at=commit.at by=commit.author")
Form("""Blame
    @blame: who wrote each line of a memory
    ref path external? history body cut_off?
""")
Form("MemoryDiff", "verb name path path_before changes=statements body external?")
Form("""Diff
    @diff: what has changed
    old new memories broken
""")
Form("""Committed
    @commit: what was committed
    commit message~ refs
    own_files: files of the vault itself, such as its settings
    left_out findings
""")
Form("SyncStop", "step why hint rescued?")
Form("""Synced
    @sync: what was committed, merged and pushed, and where a person is needed
    remote branch
    done: a line for each step
    stopped: null if all is done
""")
Form(
    """Undone
    @undo: what was undone
    verb at paths dry_run
    diff?dry_run: With --dry-run: what would change, with sealed files opened.
""",
    dry_run=bool,
)


def _subject(found: Bisected) -> str | None:
    return found.commit.message.partition("\n")[0] if found.commit else None


Form("""Answered
    ref=name: The memory, or its path if it has no id.
    path~ line~[1..] text~ external?
""")
Form(
    """Bisected
    @bisect: memstore search --bisect --json
    commit=commit.id: The commit that made the answer what it is; null if that is not committed yet.
    at=commit.at by=commit.author subject before since
    looked_at: How many states were searched.
    commits=of
""",
    subject=_subject,
)

# -- review --------------------------------------------------------------------------------------

_REVIEWED = """
    kind[memory|note]: note: a plain note
    ref: null for a memory without an id, and for a plain note
    title path
"""
Form(f"""Reviewed
{_REVIEWED}
""")
_changed = Form[object](
    f"""Reviewed
{_REVIEWED}    changes: in words, one for each key; numbers are only in `numbers`
""",
    definition="reworded",
)


def _path_before(one: Reviewed) -> str:
    return one.path_before or ""


_moved = Form[object](
    f"""Reviewed
{_REVIEWED}    path_before
""",
    definition="renamed",
    path_before=_path_before,
)
Form("LedgerLine", "op at=timestamp evidence_source reason by")
Form("""NumberMoved
    ref title path
    line[1..]: the line where it is now
    key: confidence, or a key of the owner's own
    before after
    because: the newest line that was added to the ledger; null if none was
""")
Form("SightMoved", "*change ref=change.ref~ title")
Form("""OwnChange
    kind: consent, delegation, revocation, request, entity, group, context, settings, audit
    id path done[added|changed|removed]
    text~: what it means, in words
""")


def _warnings(review: Review) -> int:
    return len(review.findings) - review.errors


Form(
    """Review
    @review: what a branch changes in memories
    branch=branching.head_name: the name of what was reviewed; the beginning of the commit's id if no branch is checked
        out
    head=branching.head: the commit that was reviewed
    against=branching.base_name: the name of what it was compared with
    base=branching.base: the commit that it was compared with: where the branch left the other one, or the one that was
        named
    added changed removed
    moved: files with a new name; other changes in them are in `changed`
    numbers
    conflicts: pairs that are in conflict now and were not before
    sight
    own_files=own: consents, entities, groups, contexts, settings; events that were added to the audit are left out
    errors warnings
    findings: the problems that the branch adds, as reported by `memstore check --against`
    notices: lines that memories cite, as they were before the branch and are no longer
""",
    changed=_changed,
    moved=_moved,
    warnings=_warnings,
)
