"""`memstore trust`: who vouches for a memory, and every point of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import command, ref_argument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import Session
    from memstore.flows.trust import Trusted
    from memstore.rules.anchors import Anchored
    from memstore.rules.reputation import Reputation
    from memstore.rules.vouching import Attested, Verdict

_THOUSAND = 1000
PROFILES = ("isnad-0.1", "isnad-0.1-literal")
_SAYS = {"confirm": "confirms", "dispute": "disputes", "partial": "confirms a part"}


@command("trust", examples=("memstore trust m_7f3", "memstore trust m_7f3 --profile isnad-0.1-literal"))
@ref_argument()
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default=PROFILES[0],
    help="isnad-0.1 counts what was verified, isnad-0.1-literal what the file claims: for comparison only.",
)
@click.option("--literal", is_flag=True, help="The same as --profile isnad-0.1-literal.")
def trust(session: Session, ref: str, *, profile: str, literal: bool) -> None:
    """Show who vouches for a memory: the number, its level, and every point of it."""
    from memstore.flows.trust import trust_of

    found = trust_of(session.workspace(), ref, literal=literal or profile != PROFILES[0])
    session.emit("trust", document=lambda: _document(found), lines=lambda: _lines(session, found))


def _document(found: Trusted) -> dict[str, Any]:
    from memstore.model.instants import instant

    memory = found.file.memory
    return {
        "ref": str(memory.ref) if memory.ref else None,
        "path": found.file.path,
        "trust": {**found.seed_factors(), "computed_at": instant(found.computed_at)},
        "terms": [
            {"name": term.name, "points": term.points / _THOUSAND, "because": term.because}
            for term in found.trust.terms
        ],
        "tampered": [
            {"kind": one.kind.value, "agent": one.agent, "reason": one.reason} for one in found.vouched.tampered
        ],
        "signature": verdict_document(found.vouched.signature),
        "witnesses": [_witness(one) for one in found.vouched.witnesses],
        "anchors": [
            {"type": anchor.type, "reference": anchor.reference, **anchor_document(one)}
            for anchor, one in zip(memory.anchors, found.vouched.anchors, strict=False)
        ],
        "resolutions": [
            {"by": one.by, "outcome": one.outcome, "at": one.at, "notes": one.notes, **verdict_document(verdict)}
            for one, verdict in zip(memory.resolutions, found.vouched.resolutions, strict=False)
        ],
        "reputation": _reputation(memory.author, found.reputation),
        "unsigned": list(found.unsigned),
    }


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return how an attestation stands."""
    return {
        "state": verdict.state.value,
        "reason": verdict.reason or None,
        "fingerprint": verdict.fingerprint or None,
        "pinned": verdict.pinned,
    }


def _witness(one: Attested) -> dict[str, Any]:
    return {
        "agent_id": one.witness.agent_id,
        "attestation": one.witness.attestation,
        "witnessed_at": one.witness.witnessed_at,
        "aspects": list(one.witness.aspects),
        "notes": one.witness.notes,
        **verdict_document(one.verdict),
    }


def _reputation(author: str | None, found: Reputation) -> dict[str, Any]:
    from memstore.model.instants import instant

    return {
        "entity": author,
        "value": found.value,
        "right": found.right,
        "wrong": found.wrong,
        "outcomes": [
            {"ref": one.ref, "said": one.said, "was_right": one.was_right, "by": one.by, "at": instant(one.at)}
            for one in found.outcomes
        ],
    }


def _lines(session: Session, found: Trusted) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.codec.titles import title_of

    paint, memory = session.paint, found.file.memory
    place, ref = paint("path", safe_line(found.file.path)), paint("ref", str(memory.ref or ""))
    yield f"{place}: {ref} {safe_line(title_of(memory))}"
    contested = ", contested" if found.trust.contested else ""
    yield f"trust {found.trust.score:.3f}, {found.trust.level.word}{contested}"
    for term in found.trust.terms:
        yield f"  {term.points / _THOUSAND:+.3f}  {term.name:<10}  {term.because}"
    for tampered in found.vouched.tampered:
        yield f"{tampered.kind.value:<10} {paint('error', tampered.reason)}: unverified until it is put back"
    yield _said(session, "signature", memory.author or "no author", found.vouched.signature)
    for one in found.vouched.witnesses:
        told = f"{one.witness.agent_id} {_SAYS[one.witness.attestation]}, {one.witness.witnessed_at}"
        yield _said(session, "witness", told, one.verdict)
        if one.witness.notes:
            yield f"           {paint('dim', safe_line(one.witness.notes))}"
    for anchor, anchored in zip(memory.anchors, found.vouched.anchors, strict=False):
        yield _anchor_line(session, f"{anchor.type} {anchor.reference}", anchored)
    for resolution, verdict in zip(memory.resolutions, found.vouched.resolutions, strict=False):
        told = f"{resolution.outcome} by {resolution.by}, {resolution.at}"
        yield _said(session, "resolution", told, verdict)
        if resolution.notes:
            yield f"           {paint('dim', safe_line(resolution.notes))}"
    yield from _reputation_lines(session, found.reputation)
    if found.unsigned:
        yield f"unsigned   {paint('dim', ', '.join(map(safe_line, found.unsigned)))}"


def _reputation_lines(session: Session, found: Reputation) -> Iterator[str]:
    from memstore.model.instants import instant

    if found.outcomes:
        yield f"reputation {found.value:.2f}: {found.right} right, {found.wrong} wrong"
    for one in found.outcomes:
        said = "wrote" if one.said == "author" else f"{one.said}ed"
        turned_out = session.paint("ok", "right") if one.was_right else session.paint("warning", "wrong")
        yield f"           {turned_out}: {said} {one.ref}, decided by {one.by}, {instant(one.at)}"


def _anchor_line(session: Session, what: str, one: Anchored) -> str:
    from memstore.cli.output import safe_line

    role = "ok" if one.counts else "warning"
    reason = f": {one.reason}" if one.reason else ""
    hint = f"  {session.paint('dim', one.hint)}" if one.hint else ""
    return f"anchor     {session.paint(role, one.status.value)}{reason}  {safe_line(what)}{hint}"


def _said(session: Session, what: str, who: str, verdict: Verdict) -> str:
    from memstore.cli.output import safe_line

    role = "ok" if verdict.counts else "warning"
    reason = f": {safe_line(verdict.reason)}" if verdict.reason else ""
    key = f"  {session.paint('dim', verdict.fingerprint)}" if verdict.fingerprint else ""
    unpinned = ", unpinned" if verdict.counts and not verdict.pinned else ""
    return f"{what:<10} {session.paint(role, verdict.state.value)}{unpinned}{reason}  {who}{key}"


def anchor_document(one: Anchored) -> dict[str, Any]:
    """Return how an anchor stands."""
    from memstore.model.instants import instant

    return {
        "status": one.status.value,
        "counts": one.counts,
        "reason": one.reason or None,
        "hint": one.hint or None,
        "proves": instant(one.at) if one.at else None,
    }
