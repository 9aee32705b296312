"""The forms of confidence: evidence and its consequences, recall, consolidation, graduation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.documents.form import Form
from memstore.documents.parts import by_also, no_conflicts, no_findings

if TYPE_CHECKING:
    from memstore.beliefs.compress import Compressed, Sizes
    from memstore.beliefs.graduate import GraduationProposal
    from memstore.beliefs.propagation import Propagated, PropagationStep
    from memstore.beliefs.quarantine import Quarantined
    from memstore.beliefs.recall import Recalled
    from memstore.beliefs.recompute import Unequal
    from memstore.beliefs.suggestion_file import SuggestionFile
    from memstore.core.change import Saved

Said = Mapping[str, Any]


def _commit(done: Propagated | Quarantined | Compressed) -> str | None:
    return next((saved.commit for saved in done.saved), None)


# -- evidence ------------------------------------------------------------------------------------

Form("""Reinforced
    @reinforce: a memory for which evidence was recorded
    @contradict: a memory against which evidence was recorded
    *saved
    old[0..1]: the confidence before
    new[0..1]: the confidence after
    counted_before: evidence that was counted before, and changed nothing
""")


def _diff_of_unequal(one: Unequal, said: Said) -> str | None:
    diffs: Mapping[str, str] = said["diffs"]
    return diffs.get(one.path)


Form(
    """Unequal
    ref path
    line[1..]: from 1
    stored[0..1]
    replayed[0..1]: the result of the history
    by_hand: whether the confidence was edited by hand since the last commit, and is kept
    diff?: the unified diff, in a dry run
""",
    diff=_diff_of_unequal,
)
Form(
    """Recomputed
    @recompute: confidences that don't match their histories
    memories=unequal
    total=ledgers: how many histories were replayed
    conflicts findings
""",
    conflicts=no_conflicts,
    findings=no_findings,
)


def _path_of_step(step: PropagationStep, said: Said) -> str:
    return str(said["Propagated"].paths[step.ref])


def _diff_of_step(step: PropagationStep, said: Said) -> str | None:
    diffs: Mapping[str, str] = said["diffs"]
    return diffs.get(_path_of_step(step, said))


Form(
    """PropagationStep
    ref path
    old[0..1]: the confidence before
    new[0..1]: the confidence after
    because: the sources that changed
    depth[1..]: the number of links from the memory where the change began
    diff?: the unified diff, in a dry run
""",
    path=_path_of_step,
    diff=_diff_of_step,
)
Form(
    """Propagated
    @propagate: how a change of confidence affects the memories that rest on it
    applied: whether it was written
    steps=plan.steps: sources first
    cycles=plan.cycles: cycles, whose memories don't support each other
    commit
""",
    applied=bool,
    commit=_commit,
)


Form("""Proposal
    ref path line[1..] title
    stance[support|partial|contradict]: `partial` weakens a habit by one case against it
    rule: the rule of the comparison that applies
    why?: what the case says of the habit
    old[0..1]: the confidence now
    new[0..1]: the confidence if it is recorded
    command: the command that records it
""")
Form(
    """Iterable[Proposal]
    @revise-from: beliefs that an episode supports or contradicts
    proposals=.
    applied: refs of the beliefs for which it was recorded
""",
    applied="Sequence[str]",
)


def _quotes(done: Quarantined, said: Said) -> bool:
    return said["dry_run"] and any(one.is_external for one in done.taken)


def _is_applied(_: Quarantined, said: Said) -> bool:
    return not said["dry_run"]


def _diffs_of_dry_run(done: Quarantined, said: Said) -> tuple[str, ...]:
    return tuple(saved.diff for saved in done.saved) if said["dry_run"] else ()


Form("""QuarantinedMemory
    ref path title
    confidence[0..1]: the stored confidence, which is kept
    derived_from=source: why it is taken; null if it was named itself
""")
Form("""ConfidenceMove
    ref path
    old[0..1]: the confidence before
    new[0..1]: the confidence after
""")
Form("""NearSource
    name
    memories[1..]: how many memories come from it
""")
Form(
    """Quarantined
    @quarantine: what a quarantine takes out of recall and confidence, or brings back
    external?: only if texts in it quote an external memory
    of: what was named: a ref, an entity, a source or an import
    lifted: whether memories were brought back
    applied: whether it was written
    memories=taken: taken or brought back, sources first
    confidences=moved: of other memories, that change because of it
    near: other sources that are spelt nearly like the named one
    not_owned: visible memories that stay: somebody else owns them, or they have no id
    stays: memories that stay quarantined because of another source
    diffs: the unified diffs, in a dry run
    commit
""",
    external=_quotes,
    lifted=bool,
    applied=_is_applied,
    diffs=_diffs_of_dry_run,
    commit=_commit,
)
Form("""Bin
    low[0..1] high[0..1] predictions[1..]
    expected[0..1]: the mean confidence before
    observed[0..1]: the share that came true
""")
Form("""Decided
    action: what was suggested
    rule: the rule that found it; empty if it was not kept
    roots[0..]: from how many independent roots
    accepted[0..] rejected[0..]: how many of these
""")
Form("""Threshold
    setting: the setting that it would be the value of
    value[0..]
    below[0..] accepted_below[0..]: how many lie below it; how many of these were accepted
    reaching[0..] accepted_reaching[0..]: how many reach it; how many of these were accepted
""")
Form("""Calibration
    @calibrate: how well confidences predicted later evidence
    predictions: independent pieces of evidence, each predicted by the confidence before it
    brier[0..1]: mean squared error; 0.25 is the score of guessing
    bins
    suggestions: what became of those that were decided on
    decided[0..]: how many of them suggested a new belief
    thresholds: what would have left out new beliefs that were mostly rejected
""")
Form("""Differing
    ref path
    line[1..]: from 1
    stored[0..1] rebuilt[0..1]
    because: what has changed since the evidence was recorded
""")
Form("""Rebuilt
    @rebuild: what the confidences would be if all evidence were weighed again
    memories=differing
    total=ledgers: how many histories were recomputed
""")

# -- recall --------------------------------------------------------------------------------------


def _weights(recalled: Recalled) -> Mapping[str, float]:
    from memstore.beliefs.recall import WEIGHTS

    return WEIGHTS[recalled.profile]


_BITE = """
    external? ref path=citation.path type title
    text: As much of the cited lines as fits, on one line.
    bite=line: The bite as it is shown.
    day: The day on which it was said, as far as that is known.
    about: Its subjects other than the viewer and the vault's owner.
    citation
    relevance_score=relevance[.4 0..1]: How well it matches the prompt.
    score[.6 0..]: The number that bites are sorted by.
    tokens[1..]: The maximum number of tokens of its line.
    by_also?: Whether it has none of the words of the prompt, only others that `also` has; only if so.
"""
Form(
    f"""Bite
{_BITE}
""",
    by_also=by_also,
)
Form("""RecalledBelief
    confidence[0..1]: The stored confidence.
    confidence_now=today[0..1]: The confidence after evidence has faded.
    roots_for: Independent roots that support it.
    roots_against
""")
_belief = Form[object](
    f"""Bite
{_BITE}    *held
""",
    definition="belief",
    by_also=by_also,
)


def _also(recalled: Recalled) -> Sequence[str] | None:
    return recalled.also or None


recalled_document: Form[Recalled] = Form(
    """Recalled
    @recall: what came to mind for a prompt
    prompt
    also?: The other words for it, as they were given; only if there are any.
    profile
    weights[0..1]: The weight of each list, or of each number; `similarity` is the list by meaning.
    by_meaning: Whether an embedder compared meanings; if not, the list of `similarity` is empty.
    budget[1..]
    tokens: The number of tokens of all bites; at most the budget.
    left_out: How many bites did not fit into the budget.
    weak: Whether nothing of this matches the prompt well.
    memories[..3] beliefs[..2]
""",
    also=_also,
    weights=_weights,
    beliefs=_belief,
)

# -- consolidation -------------------------------------------------------------------------------


def _applied(one: SuggestionFile, said: Said) -> bool:
    return one.ref in said["Consolidated"].applied


Form(
    """SuggestionFile
    ref path=edit.path
    action=proposal.action[create|support|contradict|supersede|archive]: what it would do
    title
    target=proposal.target.ref: the belief that it changes; null for a new one
    old[0..1]: the target's confidence before
    new[0..1]: the confidence afterwards
    evidence=proposal.members.*.ref
    against=proposal.against.*.ref: what in the pattern contradicts its most general member
    unanimous=proposal.unanimous: whether no memory in the pattern disagrees
    applied: whether it was applied instead of being written as a suggestion
    note: why a synthesizer's answer was not used
""",
    applied=_applied,
)
Form("Faded", "ref title stored now")
Form("""Consolidated
    @consolidate: what consolidation suggests
    enough: false if there were too few memories; nothing else was done then
    due: false if it was too early for --if-due; nothing else was done then
    pooled: how many memories were examined
    left_out: how many older memories were left out, because of the limit
    below[0..]: how many new beliefs lie below the vault's own thresholds, and are not suggested
    suggestions
    faded: beliefs whose confidence faded with time; nothing is written for them
    written=saved: the files that were written, or would be
""")


class CompressedMemory(NamedTuple):
    """A memory that was compressed, and how much shorter its file is."""

    saved: Saved
    size: Sizes


def _compressed(done: Compressed) -> tuple[CompressedMemory, ...]:
    return tuple(map(CompressedMemory, done.saved, done.sizes))


Form("""CompressedMemory
    *saved
    bytes_before=size.before: the size of the file, in bytes
    bytes_after=size.after: the size of the file, in bytes
""")
Form(
    """Compressed
    @compress: memories that were replaced by a summary
    memories
    commit: the commit that contains them
""",
    memories=_compressed,
    commit=_commit,
)

# -- graduation ----------------------------------------------------------------------------------


def proposal_hint(proposal: GraduationProposal) -> str:
    """Return what was edited by hand, and the command that makes the memories say the same."""
    accept = f"memstore beliefs suggestions accept {proposal.suggestion}"
    if proposal.ref is None:
        return f"written by hand, and kept; {accept} turns it into a memory"
    if not proposal.text:
        return f"{proposal.ref} was removed by hand, and stays out; {accept} archives it"
    return f"changed by hand, and kept; {accept} makes the memory say so"


Form(
    """GraduationProposal
    line[1..]
    ref: Null for a line that somebody wrote by hand.
    text~: Null for a line that was removed.
    suggestion: The ref of the file in suggestions/ that would make the memories say the same.
    hint
""",
    hint=proposal_hint,
)
Form("""Graduated
    path
    entered: Refs that were added.
    left
    proposals: Manual changes in the block that nobody has decided on yet; they are kept.
    commit
    diff?dry_run: With --dry-run.
""")
Form("""Iterable[Graduated]
    @graduate: what was added to MEMORY.md, and what was removed
    pages=.
""")
