"""Confidence as JSON: evidence and its consequences, recall, consolidation, graduation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.documents.parts import DIGITS, citation_document, external_document, saved_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.beliefs.calibration import Calibration
    from memstore.beliefs.compress import Compressed
    from memstore.beliefs.consolidate import Consolidated
    from memstore.beliefs.graduate import Graduated, GraduationProposal
    from memstore.beliefs.propagation import Propagated, PropagationStep
    from memstore.beliefs.quarantine import Quarantined
    from memstore.beliefs.recall import Bite, Recalled
    from memstore.beliefs.recompute import Rebuilt, Recomputed, Unequal
    from memstore.beliefs.reinforce import Reinforced
    from memstore.beliefs.revise import Proposal
    from memstore.beliefs.suggestion_file import SuggestionFile

# The scores of a recall are close together.
_SCORE_DIGITS = 6


# -- evidence ------------------------------------------------------------------------------------


def reinforced_document(done: Reinforced, *, dry_run: bool) -> dict[str, Any]:
    """Return a memory for or against which evidence was recorded, with its confidence before and after."""
    return {
        **saved_document(done.saved, dry_run=dry_run),
        "old": done.old,
        "new": done.new,
        "counted_before": list(done.counted_before),
    }


def recomputed_document(done: Recomputed, *, dry_run: bool) -> dict[str, Any]:
    """Return the confidences that differ from what their histories add up to."""
    diffs = {saved.path: saved.diff for saved in done.saved} if dry_run else {}
    return {
        "memories": [_unequal_document(one, diffs.get(one.path)) for one in done.unequal],
        "total": done.ledgers,
        "conflicts": [],
        "findings": [],
    }


def _unequal_document(one: Unequal, diff: str | None) -> dict[str, Any]:
    document = {
        "ref": one.ref, "path": one.path, "line": one.line,
        "stored": one.stored, "replayed": one.replayed, "by_hand": one.by_hand,
    }  # fmt: skip
    return document if diff is None else {**document, "diff": diff}


def propagated_document(done: Propagated, *, applied: bool, dry_run: bool) -> dict[str, Any]:
    """Return the effect of a changed confidence on the memories that rest on it."""
    diffs = {saved.path: saved.diff for saved in done.saved} if dry_run else {}
    return {
        "applied": applied,
        "steps": [_step_document(step, done.paths[step.ref], diffs) for step in done.plan.steps],
        "cycles": [list(circle) for circle in done.plan.cycles],
        "commit": next((saved.commit for saved in done.saved), None),
    }


def _step_document(step: PropagationStep, path: str, diffs: dict[str, str]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "ref": step.ref, "path": path, "old": step.old, "new": step.new,
        "because": list(step.because), "depth": step.depth,
    }  # fmt: skip
    return {**document, "diff": diffs[path]} if path in diffs else document


def proposals_document(found: Iterable[Proposal], *, applied: Sequence[str]) -> dict[str, Any]:
    """Return the beliefs that an episode supports or contradicts, and the refs of those where this was recorded."""
    return {"proposals": [_proposal_document(one) for one in found], "applied": applied}


def _proposal_document(one: Proposal) -> dict[str, Any]:
    return {
        "ref": one.ref, "path": one.path, "line": one.line, "title": one.title, "stance": one.stance.value,
        "rule": one.rule, "old": one.old, "new": one.new, "command": one.command,
    }  # fmt: skip


def quarantined_document(done: Quarantined, *, lifted: bool, dry_run: bool) -> dict[str, Any]:
    """Return what a quarantine took or brought back, and each confidence that changes because of it."""
    return {
        **({"external": True} if dry_run and any(one.is_external for one in done.taken) else {}),
        "of": done.of,
        "lifted": lifted,
        "applied": not dry_run,
        "memories": [
            {
                "ref": one.ref, "path": one.path, "title": one.title, "confidence": one.confidence,
                "derived_from": one.source,
            }
            for one in done.taken
        ],
        "confidences": [one._asdict() for one in done.moved],
        "near": [one._asdict() for one in done.near],
        "not_owned": list(done.not_owned),
        "stays": list(done.stays),
        "diffs": [saved.diff for saved in done.saved] if dry_run else [],
        "commit": next((saved.commit for saved in done.saved), None),
    }  # fmt: skip


def calibration_document(found: Calibration) -> dict[str, Any]:
    """Return how well confidences predicted what came next."""
    return {
        "predictions": found.predictions,
        "brier": found.brier,
        "bins": [one._asdict() for one in found.bins],
    }


def rebuilt_document(done: Rebuilt) -> dict[str, Any]:
    """Return what the confidences would be if they were recomputed from scratch."""
    memories = [
        {
            "ref": one.ref, "path": one.path, "line": one.line,
            "stored": one.stored, "rebuilt": one.rebuilt, "because": list(one.because),
        }
        for one in done.differing
    ]  # fmt: skip
    return {"memories": memories, "total": done.ledgers}


# -- recall --------------------------------------------------------------------------------------


def recalled_document(recalled: Recalled) -> dict[str, Any]:
    """Return what came to mind for a prompt."""
    from memstore.beliefs.recall import WEIGHTS

    return {
        "prompt": recalled.prompt,
        "profile": recalled.profile.value,
        "weights": dict(WEIGHTS[recalled.profile]),
        "by_meaning": recalled.by_meaning,
        "budget": recalled.budget,
        "tokens": recalled.tokens,
        "left_out": recalled.left_out,
        "memories": [_bite_document(bite) for bite in recalled.memories],
        "beliefs": [
            {
                **_bite_document(bite),
                "confidence": bite.held.confidence,
                "confidence_now": bite.held.today,
                "roots_for": bite.held.roots_for,
                "roots_against": bite.held.roots_against,
            }
            for bite in recalled.beliefs
            if bite.held
        ],
    }


def _bite_document(bite: Bite) -> dict[str, Any]:
    return {
        **external_document(bite.external),
        "ref": bite.ref,
        "path": bite.citation.path,
        "type": bite.type,
        "title": bite.title,
        "text": bite.text,
        "bite": bite.line,
        "day": bite.day,
        "about": list(bite.about),
        "citation": citation_document(bite.citation),
        "relevance_score": round(bite.relevance, DIGITS),
        "score": round(bite.score, _SCORE_DIGITS),
        "tokens": bite.tokens,
    }


# -- consolidation -------------------------------------------------------------------------------


def consolidated_document(done: Consolidated, *, dry_run: bool) -> dict[str, Any]:
    """Return the suggestions of a consolidation."""
    return {
        "enough": done.enough,
        "due": done.due,
        "pooled": done.pooled,
        "left_out": done.left_out,
        "suggestions": [_suggestion_document(one, done) for one in done.suggestions],
        "faded": [{"ref": one.ref, "title": one.title, "stored": one.stored, "now": one.now} for one in done.faded],
        "written": [saved_document(saved, dry_run=dry_run) for saved in done.saved],
    }


def _suggestion_document(one: SuggestionFile, done: Consolidated) -> dict[str, Any]:
    target = one.proposal.target
    return {
        "ref": one.ref,
        "path": one.edit.path,
        "action": one.proposal.action.value,
        "title": one.title,
        "target": str(target.ref) if target else None,
        "old": one.old,
        "new": one.new,
        "evidence": [member.ref for member in one.proposal.members],
        "against": [member.ref for member in one.proposal.against],
        "unanimous": one.proposal.unanimous,
        "applied": one.ref in done.applied,
        "note": one.note,
    }


def compressed_document(done: Compressed, *, dry_run: bool) -> dict[str, Any]:
    """Return memories that were compressed to their summaries, and how much shorter they are."""
    memories = [
        {**saved_document(saved, dry_run=dry_run), "bytes_before": size.before, "bytes_after": size.after}
        for saved, size in zip(done.saved, done.sizes, strict=True)
    ]
    return {"memories": memories, "commit": next((saved.commit for saved in done.saved), None)}


def graduated_document(pages: Iterable[Graduated], *, dry_run: bool) -> dict[str, Any]:
    """Return the lines that entered and left pages like MEMORY.md."""
    return {"pages": [_page_document(page, dry_run=dry_run) for page in pages]}


def _page_document(page: Graduated, *, dry_run: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "path": page.path,
        "entered": list(page.entered),
        "left": list(page.left),
        "proposals": [
            {
                "line": one.line,
                "ref": one.ref,
                "text": one.text or None,
                "suggestion": one.suggestion,
                "hint": proposal_hint(one),
            }
            for one in page.proposals
        ],
        "commit": page.commit,
    }
    return {**document, "diff": page.diff} if dry_run else document


def proposal_hint(proposal: GraduationProposal) -> str:
    """Return what was edited by hand, and the command that makes the memories say the same."""
    accept = f"memstore suggestions accept {proposal.suggestion}"
    if proposal.ref is None:
        return f"written by hand, and kept; {accept} turns it into a memory"
    if not proposal.text:
        return f"{proposal.ref} was removed by hand, and stays out; {accept} archives it"
    return f"changed by hand, and kept; {accept} makes the memory say so"
