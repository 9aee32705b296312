"""Consolidation: look at what happened, and suggest what to conclude. A pure plan comes first, then one transaction.

This module also decides sides: whether a memory says the same as a belief or another memory, the opposite, much the
same, or nothing about it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from memstore.beliefs import RUNS
from memstore.beliefs.archive import figures, prunable
from memstore.beliefs.changes import changes
from memstore.beliefs.clustering import EMBEDDING_THRESHOLD, TEXT_THRESHOLD, Weights, likeness
from memstore.beliefs.consolidation import (
    FEWEST_POOLED,
    SHARED_BY,
    Action,
    ConsolidationProposal,
    Polarity,
    answers,
    by_terms,
    by_themselves,
    by_topics,
    cases,
    is_due,
    is_news,
    labels_of,
    new_patterns,
    partitions,
    patterns,
    proposals,
    superseding,
)
from memstore.beliefs.likeness import Likeness
from memstore.beliefs.next_lines import held, held_now
from memstore.beliefs.pool import gather
from memstore.beliefs.run_record import Run
from memstore.beliefs.suggestion_file import suggestion_of
from memstore.beliefs.topics import Signs
from memstore.conflicts.contradiction import TextVerdict, compare_statements, near_topic
from memstore.conflicts.habits import first_case
from memstore.conflicts.lexicon import opposite
from memstore.conflicts.statements import statements
from memstore.core import digests
from memstore.core.change import Edit
from memstore.core.places import SUGGESTIONS
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import again_where_changed, save_all
from memstore.files import splice
from memstore.history import HISTORY
from memstore.history.commit_messages import MEMORY_ID, with_trailers
from memstore.search import EMBEDDER
from memstore.search.meaning import vectors_of
from memstore.search.quality import strength
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.beliefs.clustering import Vector
    from memstore.beliefs.consolidation import KnownBelief, Pattern
    from memstore.beliefs.pool import Gathered
    from memstore.beliefs.pooled import Pooled
    from memstore.beliefs.suggestion_file import SuggestionFile
    from memstore.beliefs.wording import Synthesizer
    from memstore.conflicts.statements import Statement
    from memstore.core.change import Saved
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile


# -- consolidate -----------------------------------------------------------------------------------


FADED_BY = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Faded:
    """A belief whose evidence faded: the stored confidence and the confidence today, both in [0, 1]."""

    ref: str
    title: str
    stored: float
    now: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What consolidation found, and what was written, or would be.

    `pooled` counts the memories that were looked at, `left_out` those beyond the limit. Nothing was suggested if there
    were too few memories (`enough` is false) or it was too early (`due` is false). `applied` are the refs of
    suggestions that were carried out instead of written. `faded` is only reported: no file changes because time passes.
    `below` counts the new beliefs that were not suggested because of the vault's own thresholds.
    """

    pooled: int
    left_out: int = 0
    below: int = 0
    enough: bool = True
    due: bool = True
    suggestions: tuple[SuggestionFile, ...] = ()
    applied: frozenset[str] = frozenset()
    faded: tuple[Faded, ...] = ()
    saved: tuple[Saved, ...] = ()

    __repr__ = short_repr


@again_where_changed
def consolidate(
    view: View,
    *,
    apply: bool = False,
    apply_safe: bool = False,
    if_due: bool = False,
    branch: str | None = None,
    as_of: datetime | None = None,
    synthesizer: Synthesizer | None = None,
    commit: bool = False,
) -> Consolidated:
    """Suggest beliefs, and evidence for and against beliefs, from memories that no belief rests on yet.

    Args:
        view: the vault.
        apply: write the suggestions; otherwise, only return what would be written.
        apply_safe: if everything in a pattern says the same as a belief, word by word, record the support in the belief
            instead of suggesting it.
        if_due: run only if 20 memories have not been looked at yet, or the last run that wrote is `every` hours old.
        branch: write the suggestions into a commit on this branch instead of files.
        as_of: consider only what had been written by this time, in UTC; None for now.
        synthesizer: words new beliefs; without one, they are quotations.
        commit: also commit what is written.

    Raises:
        RefusedError: the branch is checked out.
        UsageError: the name is not valid for a branch.
        ChangedMeanwhileError: a file has changed since it was read; nothing was written.
    """
    now = as_of or view.clock.now()
    gathered = gather(view, until=instant(now))
    committed = _committed(view)
    by_hand = list(_accepted_by_hand(gathered, committed)) if branch is None else []
    if len(gathered.pool) < FEWEST_POOLED:
        saved = save_all(view, by_hand, verb="consolidate", dry_run=not apply, commit=commit)
        return Consolidated(pooled=len(gathered.pool), enough=False, saved=saved)
    run = Run(now, frozenset(pooled.ref for pooled in gathered.pool))
    if if_due and not _is_due(view, run):
        return Consolidated(pooled=len(gathered.pool), due=False)
    news = list(_news(view, gathered, now))
    wanted = [proposal for proposal in news if _is_wanted(view, proposal)]
    suggestions = [suggestion_of(view, proposal, gathered, now=now, synthesizer=synthesizer) for proposal in wanted]
    safe = _safe(suggestions, committed) if apply_safe and branch is None else {}
    if branch is None:
        edits = [*by_hand, *(safe.get(one.ref, one.edit) for one in suggestions)]
        saved = save_all(view, edits, verb="consolidate", dry_run=not apply, commit=commit)
    else:
        suggestions = _new_on(view, branch, suggestions)
        saved = _save_on(view, branch, [one.edit for one in suggestions], dry_run=not apply)
    if apply:
        view.of(RUNS).record(run)
    return Consolidated(
        pooled=len(gathered.pool),
        left_out=gathered.left_out,
        below=len(news) - len(wanted),
        suggestions=tuple(suggestions),
        applied=frozenset(safe),
        faded=tuple(_faded(gathered.beliefs, now)),
        saved=saved,
    )


def _is_wanted(view: View, proposal: ConsolidationProposal) -> bool:
    """Whether a proposal reaches the thresholds that the vault's settings add; they are for new beliefs alone."""
    least = view.config
    return proposal.action is not Action.CREATE or (
        len(proposal.roots) >= least.least_roots and (proposal.likeness or 0.0) >= least.least_likeness
    )


def _is_due(view: View, run: Run) -> bool:
    last = view.of(RUNS).last()
    return last is None or is_due(last.at, run.at, len(run.refs - last.refs), every_hours=view.config.every)


def _news(view: View, gathered: Gathered, now: datetime) -> Iterator[ConsolidationProposal]:
    """Yield the proposals that were not suggested before, by id."""
    own: defaultdict[Hashable, list[KnownBelief]] = defaultdict(list)
    for belief in gathered.beliefs:
        own[labels_of(belief.memory)].append(belief)
    parts = ((part, own[labels_of(part[0].memory)]) for part in partitions(gathered.pool))
    made = [proposal for part, beliefs in parts for proposal in _of_partition(view, part, beliefs, gathered)]
    made += _prunings(view, gathered, now)
    for proposal in sorted(made, key=lambda proposal: proposal.id):
        if is_news(proposal, gathered.earlier):
            yield proposal


def _of_partition(
    view: View, part: Sequence[Pooled], own: Sequence[KnownBelief], gathered: Gathered
) -> list[ConsolidationProposal]:
    """Return the proposals of a partition: answers to its beliefs first, then changes, then patterns of the rest."""
    having = by_terms(part) if own else {}
    answered = [_by("answer", proposal) for held in own for proposal in answers(having, held, side_of)]
    answered += [_by("case", proposal) for held in own for proposal in cases(having, held, case_in)]
    targets = {proposal.target for proposal in answered}
    used = {member.ref for proposal in answered for member in proposal.members}
    free = [one for one in part if one.ref not in used]
    alone = by_themselves(free)
    terms = {pooled.ref: pooled.terms for pooled in free} | {str(held.memory.ref): held.terms for held in own}
    meaning = vectors_of(view, {ref: gathered.files[ref] for ref in terms}) if view.of(EMBEDDER) else {}
    days = {one.ref: _day_of(one) for one in alone}
    signs = Signs(alone)
    changed = changes(alone, signs, Likeness(days, meaning, signs.shared(of_word=1)))
    taken = {one.ref for change in changed for one in (*change.before, *change.after)}
    weights = Weights([pooled.terms for pooled in free])
    by_words: dict[str, Vector] = {ref: weights.vector(terms[ref]) for ref in terms}
    unchanged = [one for one in free if one.ref not in taken]
    found: list[Pattern] = []
    made: list[ConsolidationProposal] = []

    def propose(rule: str, some: Iterable[Pattern], vectors: Mapping[str, Vector], threshold: float) -> None:
        """Keep what leads to a proposal; what does not must not hide another pattern."""
        for pattern in new_patterns(some, found):
            if proposed := proposals([pattern], own, vectors, threshold, side_of):
                found.append(pattern)
                made.extend(_by(rule, proposal) for proposal in proposed)

    propose("words", patterns(unchanged, by_words, TEXT_THRESHOLD), by_words, TEXT_THRESHOLD)
    if meaning:
        propose("meaning", patterns(unchanged, meaning, EMBEDDING_THRESHOLD), meaning, EMBEDDING_THRESHOLD)
    topics = by_topics(alone, signs, Likeness(days, meaning, signs.shared()))
    # A change is no pattern, but a memory that tells of one may also be part of a pattern.
    topics = (one for one in topics if 2 * len({member.ref for member in one.members} & taken) < len(one.members))
    propose("topic", topics, by_words, TEXT_THRESHOLD)
    made = [one for one in made if one.target is None or one.target not in targets]
    every = [*answered, *(_by("change", superseding(change)) for change in changed), *made]
    in_part = Weights([pooled.terms for pooled in part])
    return [_with_likeness(proposal, in_part) for proposal in every]


def _by(rule: str, proposal: ConsolidationProposal) -> ConsolidationProposal:
    return replace(proposal, rule=rule)


def _with_likeness(proposal: ConsolidationProposal, weights: Weights) -> ConsolidationProposal:
    found = likeness([weights.vector(member.terms) for member in (*proposal.members, *proposal.against)])
    return replace(proposal, likeness=round(found, 2))


def _day_of(one: Pooled) -> int | None:
    made = one.memory.created_at
    return date.fromisoformat(made[:10]).toordinal() if made else None


def _prunings(view: View, gathered: Gathered, now: datetime) -> Iterator[ConsolidationProposal]:
    """Yield proposals to archive beliefs that are refuted, or no longer supported by live evidence or used."""
    uses = uses_of(view)
    for one in gathered.beliefs:
        memory = one.memory
        made = view.made_at(gathered.files[str(memory.ref)].path, memory.created_at)
        recalled = strength(made, [use.at for use in uses.get(memory.id or "", ()) if use.at <= now], now)
        why = prunable(memory, now, strength=recalled.retrieval)
        if why is not None:
            told = figures(memory, now, strength=recalled.retrieval, uses=recalled.uses)
            yield ConsolidationProposal(action=Action.ARCHIVE, target=memory, terms=(why.value, told))


def _new_on(view: View, branch: str, suggestions: Sequence[SuggestionFile]) -> list[SuggestionFile]:
    """Return the suggestions that were never on a branch: one that was deleted there was rejected there."""
    tip = view.of(HISTORY).branch_tip(branch)
    commits = view.of(HISTORY).commits(path=SUGGESTIONS.rstrip("/"), start=tip) if tip else []
    known = {file.path for change in view.of(HISTORY).changes(commits) for file in change.files}
    return [one for one in suggestions if one.edit.path not in known]


def _save_on(view: View, branch: str, edits: Sequence[Edit], *, dry_run: bool) -> tuple[Saved, ...]:
    saved = save_all(view, edits, verb="consolidate", dry_run=True)
    if dry_run or not edits:
        return saved
    ids = [saved_one.ref.partition(":")[2] for saved_one in saved if saved_one.ref]
    message = with_trailers(f"suggest {len(ids)}", [f"{MEMORY_ID}: {memory_id}" for memory_id in ids])
    made = view.of(HISTORY).commit_on(branch, {edit.path: edit.after for edit in edits}, message, at=view.clock.now())
    return tuple(replace(one, commit=made) for one in saved)


def _committed(view: View) -> frozenset[str] | None:
    """Return the blobs of the current commit; None if the vault has no repository."""
    if view.of(HISTORY).repository is None:
        return None
    head = view.of(HISTORY).head()
    return frozenset(view.of(HISTORY).files_at(head).values()) if head else frozenset()


def _is_clean(file: ReadFile | None, committed: frozenset[str] | None) -> bool:
    """Whether a file's content is committed, at any path: a file that a person is working on is left alone."""
    if file is None or committed is None:
        return True
    return any(digests.blob_id(file.data, name) in committed for name in ("sha1", "sha256"))


def _safe(suggestions: Sequence[SuggestionFile], committed: frozenset[str] | None) -> dict[str, Edit]:
    """Return the edits that need no decision, by suggestion: unanimous support, one suggestion for each belief."""
    found: dict[str, tuple[str, Edit]] = {}
    for one in suggestions:
        is_safe = one.proposal.action is Action.SUPPORT and one.proposal.unanimous
        if is_safe and one.change and _is_clean(one.change.before, committed):
            found.setdefault(one.change.path, (one.ref, one.change))
    return dict(found.values())


def _accepted_by_hand(gathered: Gathered, committed: frozenset[str] | None) -> Iterator[Edit]:
    """Yield the edits that turn suggestions moved out of their folder into beliefs."""
    for file in gathered.moved:
        if _is_clean(file, committed):
            after = splice.apply(file, [splice.SetValue("status", "active"), splice.RemoveKey("proposes")])
            yield Edit(path=file.path, before=file, after=after)


def _faded(beliefs: Sequence[KnownBelief], now: datetime) -> Iterator[Faded]:
    for one in beliefs:
        stored, left = held(one.memory), held_now(one.memory, now)
        if stored is not None and left is not None and stored - left >= FADED_BY:
            yield Faded(ref=str(one.memory.ref), title=one.text, stored=stored, now=left)


# -- which side a memory is on ---------------------------------------------------------------------


def side_of(said: str, other: str) -> Polarity | None:
    """Return how the text `other` relates to what is said.

    A statement about another time contradicts nothing, but may be a change. If the two can't be compared word by word,
    `ALIKE` means that a sentence shares two thirds of the topic, agrees in negation and says nothing opposite: enough
    to ask a person, but never enough to record evidence without asking.
    """
    ones, others = _statements(said), _statements(other)
    found = compare_statements(ones, others)
    match found.verdict:
        case TextVerdict.AGREES:
            return Polarity.SAME
        case TextVerdict.CONTRADICTS | TextVerdict.OTHER_VALUE if found.at_other_times:
            return Polarity.PASSED
        case TextVerdict.CONTRADICTS:
            return Polarity.OPPOSED
        case TextVerdict.OTHER_VALUE:
            return Polarity.CHANGED
        case _:
            return Polarity.ALIKE if _is_alike(ones, others) else None


def case_in(habit: str, text: str) -> tuple[str, bool] | None:
    """Return the sentence of a text that tells of one case of a habit, and whether it speaks for the habit."""
    told = [one.text for one in _statements(text)]
    found = first_case([one.text for one in _statements(habit)], told)
    return (told[found[1]], found[2].is_for) if found else None


@lru_cache(maxsize=20_000)
def _statements(text: str) -> tuple[Statement, ...]:
    return tuple(statements(text))


def _is_alike(ones: Sequence[Statement], others: Sequence[Statement]) -> bool:
    part, whole = SHARED_BY
    return any(
        near_topic(one, other)
        and len(one.topic & other.topic) * whole >= part * len(one.topic)
        and len(one.negations) == len(other.negations)
        and not _has_opposites(one, other)
        for one in ones
        for other in others
    )


def _has_opposites(one: Statement, other: Statement) -> bool:
    """Whether a word of one statement is the opposite of a word of the other: `closed to lorries` and `open again`."""
    ones, others = ({token.word for token in each.tokens if token.word} for each in (one, other))
    return any(opposite(word, its) for word in ones - others for its in others - ones)
