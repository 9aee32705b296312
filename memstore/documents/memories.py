"""The forms of memories: shown, listed, written, moved, forgotten; and of suggestions that wait for a decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.keys import EXTERNAL
from memstore.documents.form import Form
from memstore.documents.parts import NOT_COMPARED, no_conflicts, no_findings

if TYPE_CHECKING:
    from memstore.core.catalog import Entry
    from memstore.memories.edit import Moved
    from memstore.memories.promote import Linked
    from memstore.memories.show import Expanded, Shown
    from memstore.memories.suggestions import Waiting
    from memstore.memories.what_if import WhatIf
    from memstore.memories.why import Number, Term, Why

Said = Mapping[str, Any]

# -- forget and seal -----------------------------------------------------------------------------

Form("""Tombstone
    ref
    was: the path that its file had
    path: the path of its tombstone
""")
Form("""Dependent
    ref path
    old: its confidence before
    new: its confidence now, never above what it rests on bears
    own=is_own: false for somebody else's memory, which stays as it is
""")
Form("""Forgotten
    @forget: memories that were forgotten, or would be
    at[date-time]
    by: the entity who forgot them
    reason[requested|consent|wrong|outdated|private|legal]
    forgotten=tombstones: empty if all of them were forgotten before
    detached: the memories that rested on them, directly or not
    mentions: refs of memories that only name them
    removed: paths of files that held their text: suggestions, requests
    cleaned: paths of files that lost lines about them
    left: what could not be cleaned, in words
    key?: with --shred, the file of the context's key that was destroyed, or would be
    commit?: the commit that contains it
""")
_UNSEALED = """
    ref
    was: the path that its file had
    path: the path of its file now
"""
Form(f"""SealedMemory
{_UNSEALED}
    readers: the entities whose keys open it, as far as the actor may know; empty if it is for a context's key
    in_history: whether a commit has its plain text
""")
_unsealed = Form[object](
    f"""SealedMemory
{_UNSEALED}
""",
    definition="unsealed_memory",
)
Form("""SealedMemories
    @seal: memories that were sealed, or would be
    sealed=memories
    context?: the context whose key alone opens them
    key?context: the file of the context's key; null in a dry run that would make it
    new_key=is_new_key?context: whether the key was made for this, or would be
    commit?: the commit that contains it
""")
Form(
    """SealedMemories
    @unseal: memories that were unsealed, or would be
    unsealed=memories
    commit?: the commit that contains it
""",
    unsealed=_unsealed,
)
Form("""Purged
    @forget-purge: a clone whose history never held what was forgotten
    folder: the clone
    removed: blobs that are gone from the history
    changed: blobs that lost lines
    commits: commits with a new id
    objects: objects that were searched
    notes: notes that were attached again
    renamed: paths of files in which commits have their new ids
    unsigned: signatures of commits and tags that did not survive
    still: what has words of the memories all the same
    remotes: the original's remotes, which were not reached
    submodules: paths of submodules, whose repositories were not reached
    work_trees: folders of the original's other work trees, which were not reached
""")

# -- show and list -------------------------------------------------------------------------------


def _frontmatter(shown: Shown) -> Mapping[str, Any]:
    """Return every key under its own name, including absent ones, and the user's own."""
    from memstore.core.keys import KEYS, Shape
    from memstore.files.shapes import listed

    lists = {
        Shape.LINES,
        Shape.WORDS,
        Shape.ENTITIES,
        Shape.GRANTS,
        Shape.GRANT_LISTS,
        Shape.REFS,
        Shape.SOURCES,
        Shape.ENTRIES,
    }
    absent: dict[str, Any] = {key.name: [] if key.shape in lists else None for key in KEYS}
    flags = {key.name: False for key in KEYS if key.shape is Shape.FLAG}
    said = {name: value for name, value in shown.values.items() if value not in (None, "")}
    words = {key.name: listed(said[key.name]) for key in KEYS if key.shape is Shape.WORDS and key.name in said}
    usual = {"status": shown.memory.status, "scope": shown.memory.scope, "title": shown.entry.title}
    return absent | flags | usual | said | words


_standing = Form[object]("""BeliefStanding
    votes_for: how many independent roots speak for it
    votes_against: how many speak against it
    uncertainty[.4 0..1]: 2 / n, where n is the number of observations behind the confidence
    contested: whether both sides have at least two votes, and the confidence is undecided
    labile_since=labile: when a surprise made it labile, as long as it is
""")
_trust = Form[object]("""Trust
    score[0..1] level=level.word[unverified|attested|anchored|consensus] contested
    stale: Whether its author signed something other than what it says now.
""")
_shown = Form[Any](
    f"""Shown
    external? *frontmatter ref=entry.ref path stack=mount.name? body=memory.body revision
    confidence_now[0..1]: the confidence after its evidence has faded; null if the memory has none
    conflicts: the open conflicts
    {NOT_COMPARED}
    verdicts?: what was judged of its statements and others', the oldest first
    standing: how firmly it is believed; null if the memory has no confidence
    prunable: why it could be archived
    quality[0..1]: how reliable it is today, as in search results
    strength=grounds.strength.retrieval[.4 0..1]: how easily it came to mind before this use
    trust
    hearsay?: the external or quarantined memories because of which it is no evidence
    external?: for an external memory: as in search results
""",
    frontmatter=_frontmatter,
    standing=_standing,
    trust=_trust,
)
Form("TracedBothWays", "sources dependents")
Form(
    """Shown
    @show: a memory: its frontmatter under its own keys, its body, and what is derived
    *shown=.
    trace?trace: with --trace: where it comes from, and what came from it, as in trace.schema.json
    verified?verified: with --verified: who vouches for it, as reported by trust, and which keys nobody signed
""",
    meaning="Every frontmatter key is present under its own name, as described in memory.schema.json.",
    shown=_shown,
    trace="TracedBothWays",
    verified="Trusted",
)


def _whole(expanded: Expanded) -> str | None:
    return None if expanded.whole is None else expanded.whole.decode("utf-8", "surrogateescape")


Form("""Link
    key[derived_from|relates_to|processed_into|supersedes|superseded_by]
    ref: A ref, or a mark like file:…
    title
    path: Null if the viewer can see no such memory.
""")
Form(
    """Expanded
    @expand: everything about a memory: the output of show, its links, and its whole text
    *shown links
    whole: The whole file before it was compressed; with --full, for a compressed memory.
""",
    meaning="Every frontmatter key is present under its own name, as described in memory.schema.json.",
    shown=_shown,
    whole=_whole,
)


def _status(entry: Entry) -> str:
    return entry.status or "active"


def _confidence(entry: Entry) -> float | None:
    return float(entry.confidence) if entry.confidence else None


def _is_external(entry: Entry) -> bool:
    return entry.source_type == EXTERNAL


Form(
    """Entry
    ref path type id~ title status created_at~ confidence tags author~ revision=blob
    external?: only for external memories: the title is a quotation
""",
    status=_status,
    confidence=_confidence,
    external=_is_external,
)
Form("""Listed
    @list: memories, filtered
    memories=entries total left_out
""")
Form("""Entry
    @path: the path of a memory's file
    ref path
""")

# -- why -----------------------------------------------------------------------------------------


def _line(term: Term, said: Said) -> int | None:
    why: Why = said["Why"]
    return why.line_of(term)


def _now(number: Number, said: Said) -> float | None:
    found: WhatIf = said["WhatIf"]
    return next(one.value for one in found.why.numbers if one.name == number.name)


Form(
    """Term
    name value[.4]
    why: An explanation for people to read.
    line[1..]: The line of the file that it comes from.
""",
    line=_line,
)
Form(
    """Number
    name: confidence, confidence_now, quality, strength, or one added by a later version.
    value[.4 0..1]: Null if the memory has none.
    meaning
    unit~: The unit of the terms; null if they add up to the number.
    terms
    now?WhatIf[.4 0..1]: Only with --without or --if: what the number is now.
""",
    now=_now,
)
Form("""Why
    @why: how a memory's numbers came about
    ref=shown.entry.ref path=shown.path
    revision=shown.revision: The file's git blob id.
    numbers
    verdicts=shown.verdicts?: what was judged of its statements and others'
""")
Form("""WhatIf
    @why
    *would_be
    assuming=assumed: Only with --without or --if: what is assumed, for people to read; the numbers are what they would
        be then.
""")

# -- written -------------------------------------------------------------------------------------

_changed = Form[object](
    """Saved
    ref path findings
    diff?dry_run: the unified diff, in a dry run
""",
    definition="changed",
)
Form(
    """Linked
    @merge: a memory that others were merged into
    @promote: a memory made from a raw memory or a suggestion
    @split: a memory that was replaced by two others
    @supersede: a memory that superseded another
    *saved
    changed=others: the memories that changed with it
""",
    changed=_changed,
)


Form("""Sequence[Saved]
    @archive: memories that were archived
    @restore: memories that were brought back
    memories=.
    total#=.: how many there are
""")


class RelinkedFile(NamedTuple):
    """A file whose links changed."""

    path: str
    diff: str


def _relinked(moved: Moved) -> tuple[RelinkedFile, ...]:
    return tuple(RelinkedFile(*one) for one in moved.diffs.items())


Form("""RelinkedFile
    path
    diff?dry_run: unified; in a dry run
""")
Form("""LeftLink
    path
    line[1..]: from 1, before the move
    link=written why
""")
Form(
    """Moved
    @mv: a memory whose file was moved
    ref path path_before conflicts findings
    relinked: the files whose links changed, or would, by their paths before the move
    left: links that now lead elsewhere or nowhere, in files that may not be changed
    commit?: the commit that contains it
""",
    conflicts=no_conflicts,
    findings=no_findings,
    relinked=_relinked,
)
Form(
    """LinkedNote
    ref path
    title: the stem of its file name if it has no title
""",
    definition="note",
)
Form("""NoteLink
    line[1..]: of this file, from 1
    link=written: as it is written, without the displayed text: [[Note#Heading]], (../note.md#heading)
    to=target: null if it leads nowhere
    others: the paths of further notes that it may mean
    not_checked_out?: the path of the note that it leads to, if a sparse checkout leaves that out of the work tree
""")
_incoming = Form[object](
    """NoteLink
    line[1..]: of the other file, from 1
    link=written from=source
""",
    definition="incoming_link",
)
Form(
    """NoteLinks
    @links: the links of a note, and those that lead to it
    *note
    outgoing: in the order of the text
    incoming: by path and line
""",
    incoming=_incoming,
)
Form("Adoptable", "path lacks")
Form(
    """Iterable[Adoptable]
    @adoptable: files that could become memories
    adoptable=. findings
""",
    findings="Sequence[Finding]",
)
Form("""Adopted
    @adopt: files that became memories
    memories=saved findings=left_alone
""")
Form("""Formatted
    @fmt: files whose layout was changed, or would be
    memories=saved total left_out
""")

# -- generalizations -----------------------------------------------------------------------------

Form("""GeneralizationCheck
    @generalize-check: whether a text gives away whom its sources are about
    verdict=verdict.verdict[safe|warn|blocked] safe=verdict.safe
    warnings=verdict.warnings: what may identify somebody; needs an acknowledgement
    blocked_reason=verdict.blocked_reason: why it can't be shared; null if it can
    checks=verdict.checks[contact|coverage|date|entity-name|individual|number|shared-phrase|uniqueness]: the names of
        the checks that found something, sorted
    k: how many subjects have memories that say most of what it says; only advice
""")
Form("""Generalized
    @generalize: a generalization that was written, or would be
    *saved
    check=checked: what the check said
""")

# -- suggestions ---------------------------------------------------------------------------------


def _title(one: Waiting) -> str:
    from memstore.core.titles import title_of

    return title_of(one.memory)


class FileDiff(NamedTuple):
    """A file that would change, and how."""

    path: str
    diff: str


def _changes(_: Waiting, said: Said) -> tuple[FileDiff, ...]:
    linked: Linked = said["linked"]
    return tuple(FileDiff(saved.path, saved.diff) for saved in (linked.saved, *linked.others))


waiting_document: Form[Waiting] = Form(
    """Waiting
    ref path=file.path
    action: what it would do
    title target confidence=memory.confidence[0..1] evidence created_at=memory.created_at
""",
    title=_title,
)
Form("""Sequence[Waiting]
    @suggestions-list: suggestions that wait for a decision
    suggestions=. total#=.
""")
Form("FileDiff", "path diff")
Form(
    """Waiting
    @suggestions-show: a suggestion, and what accepting it would change
    *waiting=. body=memory.body changes
""",
    waiting=waiting_document,
    changes=_changes,
)
Form("""Linked
    @suggestions-accept: a suggestion that was accepted: the belief, and the other files that changed
    *saved changed=others
""")
