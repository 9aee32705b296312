"""`memstore sign`, `witness`, `trust`, `attest`: who vouches for a memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import command, group, ref_argument, several, subcommand
from memstore.cli.written import commit_option, dry_run_option, saved_document, saved_lines, say_findings
from memstore.errors import UsageError
from memstore.model.keys import ATTESTATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstore.cli.session import Session
    from memstore.flows.sign import Signed
    from memstore.flows.trust import Trusted
    from memstore.rules.vouching import Attested, Verdict

_THOUSAND = 1000
_SAYS = {"confirm": "confirms", "dispute": "disputes", "partial": "confirms a part"}


def _key_option() -> Callable[[Any], Any]:
    return click.option(
        "--key", metavar="FILE", help="The key, or its .pub where an ssh-agent holds it; else your setting signing_key."
    )


@command("sign", examples=("memstore sign m_7f3", "memstore sign m_7f3 --key ~/.ssh/id_ed25519 -c"))
@ref_argument()
@_key_option()
@commit_option()
@dry_run_option()
def sign(session: Session, ref: str, *, key: str | None, commit: bool, dry_run: bool) -> None:
    """Sign a memory that you wrote: what it says, and where it comes from.

    Layout, comments, tags' order, confidence and grants may change later; a change of what it says is noticed.
    """
    from memstore.flows.sign import sign as record

    _emit(session, "sign", record(session.workspace(), ref, key=key, commit=commit, dry_run=dry_run), dry_run=dry_run)


@command(
    "witness",
    examples=(
        "memstore --as si:pith witness m_7f3 --attest confirm",
        'memstore --as si:pith witness m_7f3 --attest partial --aspect title --notes "It was in March"',
    ),
)
@ref_argument()
@click.option("--attest", type=click.Choice(ATTESTATIONS), required=True, help="What you say of it.")
@several("--aspect", metavar="KEY…", help="Of which keys you speak; partial names them.")
@click.option("--notes", metavar="TEXT", help="One line; [[ref]] in it names what you saw yourself.")
@_key_option()
@commit_option()
@dry_run_option()
def witness(
    session: Session,
    ref: str,
    *,
    attest: str,
    aspect: tuple[str, ...],
    notes: str | None,
    key: str | None,
    commit: bool,
    dry_run: bool,
) -> None:
    """Vouch for a memory that somebody else wrote, or dispute it; the latest that you say counts."""
    from memstore.flows.sign import witness as record

    done = record(
        session.workspace(), ref, attest, aspects=aspect, notes=notes, key=key, commit=commit, dry_run=dry_run
    )
    _emit(session, "witness", done, dry_run=dry_run)


def _emit(session: Session, verb: str, done: Signed, *, dry_run: bool) -> None:
    session.emit(
        verb,
        document=lambda: {**saved_document(done.saved, dry_run=dry_run), "verdict": _verdict(done.verdict)},
        lines=lambda: saved_lines(session, done.saved, dry_run=dry_run),
    )
    if not done.saved.changed:
        session.say("it is signed already, and nothing changed since")
    elif not done.verdict.counts:
        session.say(f"it does not count yet: {done.verdict.reason}")
        session.say("  hint: memstore keys add ENTITY FILE.pub tells whose key it is")
    say_findings(session, done.saved.findings)


# -- trust ---------------------------------------------------------------------------------------


@command("trust", examples=("memstore trust m_7f3", "memstore trust m_7f3 --json"))
@ref_argument()
@click.option("--literal", is_flag=True, help="Count what the file claims, unverified; for comparison only.")
def trust(session: Session, ref: str, *, literal: bool) -> None:
    """Show who vouches for a memory: the number, its level, and every point of it."""
    from memstore.flows.trust import trust_of

    found = trust_of(session.workspace(), ref, literal=literal)
    session.emit("trust", document=lambda: _document(found), lines=lambda: _lines(session, found))


def _document(found: Trusted) -> dict[str, Any]:
    from memstore.model.instants import instant

    memory, grounds = found.file.memory, found.grounds
    return {
        "ref": str(memory.ref) if memory.ref else None,
        "path": found.file.path,
        "trust": {
            "score": found.trust.score,
            "level": found.trust.level.word,
            "contested": found.trust.contested,
            "factors": {
                "author_reputation": grounds.reputation,
                "witness_count": grounds.confirms,
                "anchor_count": grounds.anchors,
                "dispute_count": grounds.disputes,
            },
            "computed_at": instant(found.computed_at),
        },
        "terms": [
            {"name": term.name, "points": term.points / _THOUSAND, "because": term.because}
            for term in found.trust.terms
        ],
        "signature": _verdict(found.vouched.signature),
        "witnesses": [_witness(one) for one in found.vouched.witnesses],
        "unsigned": list(found.unsigned),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "state": verdict.state.value,
        "reason": verdict.reason or None,
        "fingerprint": verdict.fingerprint or None,
    }


def _witness(one: Attested) -> dict[str, Any]:
    return {
        "agent_id": one.witness.agent_id,
        "attestation": one.witness.attestation,
        "witnessed_at": one.witness.witnessed_at,
        "aspects": list(one.witness.aspects),
        "notes": one.witness.notes,
        **_verdict(one.verdict),
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
    yield _said(session, "signature", memory.author or "no author", found.vouched.signature)
    for one in found.vouched.witnesses:
        told = f"{one.witness.agent_id} {_SAYS[one.witness.attestation]}, {one.witness.witnessed_at}"
        yield _said(session, "witness", told, one.verdict)
        if one.witness.notes:
            yield f"           {paint('dim', safe_line(one.witness.notes))}"
    if found.unsigned:
        yield f"unsigned   {paint('dim', ', '.join(map(safe_line, found.unsigned)))}"


def _said(session: Session, what: str, who: str, verdict: Verdict) -> str:
    from memstore.cli.output import safe_line

    role = "ok" if verdict.counts else "warning"
    reason = f": {safe_line(verdict.reason)}" if verdict.reason else ""
    key = f"  {session.paint('dim', verdict.fingerprint)}" if verdict.fingerprint else ""
    return f"{what:<10} {session.paint(role, verdict.state.value)}{reason}  {who}{key}"


# -- attest --------------------------------------------------------------------------------------

_BY = click.option("--by", metavar="ENTITY", help="Whose attestation; the author's where nobody is named.")


@group("attest", examples=("memstore attest payload m_7f3 | ssh-keygen -Y verify …", "memstore attest export m_7f3"))
def attest() -> None:
    """Give attestations to other tools, which need neither memstore nor its files to check them."""


@subcommand(
    attest,
    "payload",
    examples=(
        "memstore attest export m_7f3 --by si:pith --format sshsig > SIG",
        "memstore attest payload m_7f3 --by si:pith > SAID",
        "ssh-keygen -Y verify -f .memstore/allowed_signers -I si:pith -n attest@memstore.dev -s SIG < SAID",
    ),
)
@ref_argument()
@_BY
def payload(session: Session, ref: str, *, by: str | None) -> None:
    """Print the very bytes that were signed, without a line end."""
    from memstore.flows.attest import payload as bytes_of

    if session.as_json:
        raise UsageError("attest payload prints bytes, not JSON", hint="memstore attest export prints an envelope")
    sys.stdout.buffer.write(bytes_of(session.workspace(), ref, by=by))
    sys.stdout.buffer.flush()


@subcommand(attest, "export", examples=("memstore attest export m_7f3", "memstore attest export m_7f3 --format sshsig"))
@ref_argument()
@_BY
@click.option(
    "--format",
    "form",
    type=click.Choice(["dsse", "sshsig"]),
    default="dsse",
    help="dsse: an envelope; sshsig: a signature file.",
)
def export(session: Session, ref: str, *, by: str | None, form: str) -> None:
    """Print an attestation: as a DSSE envelope, or as a signature for `ssh-keygen -Y verify`."""
    from memstore.cli import output
    from memstore.flows import attest as flow

    ws = session.workspace()
    if form == "sshsig":
        signature = flow.signature(ws, ref, by=by)
        session.emit("attest-export", document=lambda: {"signature": signature}, lines=signature.splitlines)
    else:
        envelope = flow.envelope(ws, ref, by=by)
        lines = output.document(envelope).splitlines
        session.emit("attest-export", document=lambda: {"envelope": envelope}, lines=lines)
