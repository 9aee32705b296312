"""`memstore trust`: who vouches for a memory, and what each point is for."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import click

from memstore.cli.options import command, named_argument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.cli.session import CliSession
    from memstore.trust.anchors import Anchored
    from memstore.trust.formats.beta import Beta
    from memstore.trust.lineage_strength import LineageStrength, StrengthLink
    from memstore.trust.reputation import Reputation
    from memstore.trust.trust import Trusted
    from memstore.trust.verify_anchors import Fetched
    from memstore.trust.vouching import Verdict

_THOUSAND = 1000
# As in `trust.score`, which is not loaded for a command's options.
PROFILES = ("isnad-0.1", "isnad-0.1-literal", "beta-1")
_SAYS = {"confirm": "confirms", "dispute": "disputes", "partial": "confirms a part"}


@command("show", examples=("memstore trust m_7f3", "memstore trust m_7f3 --profile beta-1"))
@named_argument()
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default=PROFILES[0],
    help=(
        "isnad-0.1 counts what was verified, beta-1 weighs each attestation by its giver's reputation; "
        "isnad-0.1-literal counts what the file claims, for comparison only."
    ),
)
@click.option("--literal", is_flag=True, help="The same as --profile isnad-0.1-literal.")
@click.option(
    "--online", is_flag=True, help="Fetch the pages that anchor it, and show whether they have changed since."
)
def show(session: CliSession, ref: str, *, profile: str, literal: bool, online: bool) -> None:
    """Show who vouches for a memory: the trust score, its level, and what each point is for."""
    from memstore.trust.lineage_strength import lineage_strength_of
    from memstore.trust.score import TrustProfile
    from memstore.trust.trust import trust_of
    from memstore.trust.verify_anchors import look_again
    from memstore.vault import composition

    view = session.view()
    wanted = TrustProfile.LITERAL if literal else TrustProfile(profile)
    again = look_again(view, composition.pages(), view.original(view.named(ref).path).memory) if online else None
    found = trust_of(view, ref, profile=wanted)  # what was fetched counts
    lineage = lineage_strength_of(view, found.file.memory)
    session.emit(
        "trust",
        found,
        lambda: chain(_lines(session, found, lineage), _page_lines(session, found, again or {})),
        lineage=lineage,
        again=again,
        look_again=again is not None,
    )


def _page_lines(session: CliSession, found: Trusted, again: Mapping[int, Fetched]) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.trust.verify_anchors import Online

    for i, one in again.items():
        role = "ok" if one.status is Online.SAME else "warning"
        reason = f": {safe_line(one.reason)}" if one.reason else ""
        where = safe_line(found.file.memory.anchors[i].reference)
        yield f"page       {session.paint(role, one.status.value)}{reason}  {where}"


def _beta_lines(found: Trusted, of: Beta) -> Iterator[str]:
    from memstore.core.times import instant
    from memstore.documents.trust import identity_of

    yield f"integrity  {found.integrity}"
    yield f"identity   {identity_of(of)}"
    yield f"time       {f'there on {instant(found.proven_at)}' if found.proven_at else 'no anchor proves one'}"
    yield f"for        {of.of.right:.3f}, of which witnesses {of.corroboration:.3f}; against {of.of.wrong:.3f}"
    yield f"unknown    {of.of.uncertainty:.3f}"


def _lines(session: CliSession, found: Trusted, lineage: LineageStrength) -> Iterator[str]:
    from memstore.cli.output import safe_line
    from memstore.core.quotation import shown_title
    from memstore.core.titles import title_of
    from memstore.trust.score import held_back

    paint, memory = session.paint, found.file.memory
    place, ref = paint.path(found.file.path), paint("ref", str(memory.ref or ""))
    yield f"{place}: {ref} {safe_line(shown_title(title_of(memory), memory.source_type))}"
    by = "" if found.profile == PROFILES[0] else f" by {found.profile.value}"
    yield f"trust {found.trust.score:.3f}{by}, {found.trust.word}"
    for term in found.trust.terms:
        yield f"  {term.points / _THOUSAND:+.3f}  {term.name:<10}  {term.because}"
    if why := held_back(found.grounds):
        yield f"held back  {why}"
    if found.beta is not None:
        yield from _beta_lines(found, found.beta)
    yield from explained(session, found)
    yield from _reputation_lines(session, found.reputation)
    yield from _lineage_lines(lineage)


def explained(session: CliSession, found: Trusted) -> Iterator[str]:
    """Yield the status of every attestation of a memory, and which keys nobody signed."""
    from memstore.cli.output import safe_line
    from memstore.core.keys import EXTERNAL
    from memstore.core.quotation import quoted

    paint, memory = session.paint, found.file.memory
    says = quoted if memory.source_type == EXTERNAL else safe_line
    for tampered in found.vouched.tampered:
        yield f"{tampered.kind.value:<10} {paint('error', tampered.reason)}: unverified until it is put back"
    yield _verdict_line(session, "signature", memory.author or "no author", found.vouched.signature)
    for one in found.vouched.witnesses:
        told = f"{one.witness.agent_id} {_SAYS[one.witness.attestation]}, {one.witness.witnessed_at}"
        yield _verdict_line(session, "witness", told, one.verdict)
        if one.witness.notes:
            yield f"           {paint('dim', says(one.witness.notes))}"
    for anchor, anchored in zip(memory.anchors, found.vouched.anchors, strict=False):
        yield _anchor_line(session, f"{anchor.type} {says(anchor.reference)}", anchored)
    for resolution, verdict in zip(memory.resolutions, found.vouched.resolutions, strict=False):
        told = f"{resolution.outcome} by {resolution.by}, {resolution.at}"
        yield _verdict_line(session, "resolution", told, verdict)
        if resolution.notes:
            yield f"           {paint('dim', says(resolution.notes))}"
    if found.unsigned:
        yield f"unsigned   {paint('dim', ', '.join(map(says, found.unsigned)))}"


def _reputation_lines(session: CliSession, found: Reputation) -> Iterator[str]:
    from memstore.core.times import instant

    if found.outcomes:
        yield f"reputation {found.value:.2f}: {found.right} right, {found.wrong} wrong"
    for one in found.outcomes:
        said = "wrote" if one.said == "author" else f"{one.said}ed"
        turned_out = session.paint("ok", "right") if one.was_right else session.paint("warning", "wrong")
        yield f"           {turned_out}: {said} {one.ref}, decided by {one.by}, {instant(one.at)}"


def _lineage_lines(lineage: LineageStrength) -> Iterator[str]:
    if weakest := lineage.derived_from:
        yield f"made of    {weakest.strength:.3f}: the weakest is {weakest.ref}{_because(weakest)}"
    if support := lineage.relates_to:
        of = "one source" if support.groups == 1 else f"{support.groups} independent sources"
        yield f"rests on   {support.strength:.3f}: {of}"
        yield from (f"           {link.strength:.3f}  {link.ref}{_because(link)}" for link in support.links)


def _because(link: StrengthLink) -> str:
    return f", {link.reason}" if link.reason else ""


def _anchor_line(session: CliSession, what: str, one: Anchored) -> str:
    from memstore.cli.output import safe_line

    role = "ok" if one.counts else "warning"
    reason = f": {one.reason}" if one.reason else ""
    hint = f"  {session.paint('dim', one.hint)}" if one.hint else ""
    return f"anchor     {session.paint(role, one.status.value)}{reason}  {safe_line(what)}{hint}"


def _verdict_line(session: CliSession, what: str, who: str, verdict: Verdict) -> str:
    from memstore.cli.output import safe_line

    role = "ok" if verdict.counts else "warning"
    reason = f": {safe_line(verdict.reason)}" if verdict.reason else ""
    key = f"  {session.paint('dim', verdict.fingerprint)}" if verdict.fingerprint else ""
    unpinned = ", unpinned" if verdict.counts and not verdict.pinned else ""
    return f"{what:<10} {session.paint(role, verdict.state.value)}{unpinned}{reason}  {who}{key}"
