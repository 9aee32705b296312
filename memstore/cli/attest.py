"""`memstore trust sign`, `witness`, `anchor`, `attest`: vouch for a memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import command, group, ref_argument, several, subcommand
from memstore.cli.written import saved_lines, saving_options, say_findings
from memstore.core.errors import UsageError
from memstore.core.ids import ID_OF_REQUEST
from memstore.core.keys import ANCHOR_TYPES, ATTESTATIONS, OUTCOMES, PAGE_ANCHORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memstore.cli.session import CliSession
    from memstore.trust.sign import Signed
    from memstore.trust.witness_request import WitnessRequest


def _key_option() -> Callable[[Any], Any]:
    return click.option(
        "--key",
        metavar="FILE",
        help="The key file; its .pub if an ssh-agent holds it, or its -cert.pub. By default your setting signing_key.",
    )


@command("sign", examples=("memstore trust sign m_7f3", "memstore trust sign m_7f3 --key ~/.ssh/id_ed25519 -c"))
@ref_argument()
@_key_option()
@saving_options()
def sign(session: CliSession, ref: str, *, key: str | None, commit: bool, dry_run: bool) -> None:
    """Sign a memory that you wrote: what it says, and where it comes from.

    The layout, comments, order of tags, confidence and grants may change later; a change to what it says is noticed. If
    you wrote the file by hand and it names no author, you become its author.
    """
    from memstore.trust.sign import sign as record

    _emit(session, "sign", record(session.view(), ref, key=key, commit=commit, dry_run=dry_run), dry_run=dry_run)


@command(
    "witness",
    examples=(
        "memstore --as si:pith trust witness m_7f3 --attest confirm",
        'memstore --as si:pith trust witness m_7f3 --attest partial --aspect title --notes "It was in March"',
        "memstore --as si:pith trust witness                                    # what you are asked in this vault",
        "memstore --as si:pith trust witness req_7c8q                           # read what is asked; --attest answers",
        "memstore trust witness --request req_7c8q.md                        # the same in a file, without a vault",
        "memstore trust witness --request req_7c8q.md --attest confirm > answer.json",
        "memstore trust witness m_7f3 --answer answer.json                   # imports the answer into the vault",
    ),
)
@ref_argument(metavar="[REF]", required=False)
@click.option("--attest", type=click.Choice(ATTESTATIONS), help="What you say about it.")
@several("--aspect", metavar="KEY…", help="The keys that you speak about; partial needs them.")
@click.option("--notes", metavar="TEXT", help="One line; [[ref]] in it names what you saw yourself.")
@click.option("--request", metavar="FILE", help="Answer this request, without the vault.")
@click.option("--answer", metavar="FILE", help="Import somebody's answer.")
@_key_option()
@saving_options()
def witness(  # noqa: PLR0913 -- one for each option
    session: CliSession,
    ref: str | None,
    *,
    attest: str | None,
    aspect: tuple[str, ...],
    notes: str | None,
    request: str | None,
    answer: str | None,
    key: str | None,
    commit: bool,
    dry_run: bool,
) -> None:
    """Vouch for a memory that somebody else wrote, or dispute it; your latest word counts.

    Without REF it lists what you are asked, and REF may be the id of such a request. With --request you answer a file
    that somebody sent you. The digests are computed again from the text that is shown.
    """
    from memstore.trust.sign import witness as record
    from memstore.trust.witness_request import accept_answer, attested_as_asked, request_named

    is_about = bool(ref or request)
    if (ref and request) or (answer and (attest or request)) or ((attest or answer) and not is_about):
        raise UsageError(
            "say what to witness", hint="give REF --attest …, --request FILE --attest …, or REF --answer FILE"
        )
    if not is_about:
        _emit_asked(session)
        return
    if ref and ref.startswith(ID_OF_REQUEST):
        asked = request_named(session.view(), ref)
        if attest is None:
            session.emit("witness-request", asked, lambda: _request_lines(asked))
            return
        for line in _request_lines(asked):
            session.say(line)
        ref = attested_as_asked(session.view(), asked)
    if request is not None:
        _answer(session, request, attest, aspects=aspect, notes=notes, key=key)
        return
    ref = ref or ""
    if answer is not None:
        done = accept_answer(session.view(), ref, session.bytes_of(answer), name=answer, commit=commit, dry_run=dry_run)
    elif attest is None:
        raise UsageError("--attest is missing", hint="give --attest confirm, --attest dispute or --attest partial")
    else:
        done = record(session.view(), ref, attest, aspects=aspect, notes=notes, key=key, commit=commit, dry_run=dry_run)
    _emit(session, "witness", done, dry_run=dry_run)


def _emit_asked(session: CliSession) -> None:
    """List the requests that ask whoever acts."""
    from memstore.cli.output import safe_line
    from memstore.trust.witness_request import requests_to

    asked = requests_to(session.view())
    session.emit(
        "witness-requests",
        asked,
        lambda: (
            safe_line(
                f"{one.id}: {one.requested_by or 'somebody'} asks about {one.ref}"
                + (f": {one.reason}" if one.reason else "")
            )
            for one in asked
        ),
        each="requests",
    )
    if asked:
        session.say(f"memstore trust witness {asked[0].id} shows what is asked; --attest answers")
    else:
        session.say("nothing is asked of you here")


def _answer(
    session: CliSession,
    file: str,
    attest: str | None,
    *,
    aspects: tuple[str, ...],
    notes: str | None,
    key: str | None,
) -> None:
    """Show what a request asks about, and print the answer if there is one."""
    from memstore.cli import output
    from memstore.core.clock import SystemClock
    from memstore.trust import witness_request
    from memstore.trust.witness_request import answer_request
    from memstore.vault import composition

    asked = witness_request.read(file, session.bytes_of(file))
    if attest is None:
        session.emit("witness-request", asked, lambda: _request_lines(asked))
        return
    found = answer_request(
        asked,
        attest,
        by=session.choices.entity,
        at=SystemClock().now(),
        signatures=composition.signatures(session.environment(), read=lambda path: session.bytes_of(str(path))),
        aspects=aspects,
        notes=notes,
        key=key,
    )
    for line in _request_lines(asked):
        session.say(line)
    session.emit("witness-answer", found, output.document(found).splitlines)


def _request_lines(asked: WitnessRequest) -> Iterator[str]:
    from memstore.cli.output import safe_line

    yield f"{asked.ref}: {safe_line(asked.requested_by or 'somebody')} asks {', '.join(map(safe_line, asked.asked))}"
    if asked.reason:
        yield f"  {safe_line(asked.reason)}"
    for name, value in {**asked.provenance, **asked.content}.items():
        if name != "body":
            yield f"{name}: {safe_line(str(value))}"
    yield ""
    yield from map(safe_line, str(asked.content.get("body", "")).splitlines())


@command(
    "request-witness",
    examples=(
        "memstore trust request-witness m_7f3 --from si:pith",
        'memstore trust request-witness m_7f3 --from si:pith si:eudaemon_0 --notes "You were there" -c',
    ),
)
@ref_argument()
@several("--from", "asked", metavar="ENTITY…", help="Whom to ask; each of them must be allowed to see it.")
@click.option("--notes", metavar="TEXT", help="Why, in one line.")
@saving_options()
def request_witness(
    session: CliSession, ref: str, *, asked: tuple[str, ...], notes: str | None, commit: bool, dry_run: bool
) -> None:
    """Ask others to vouch for a memory, or to dispute it.

    This writes a file to requests/, which you share by git or send in any other way. The file holds what the memory
    says and where it comes from, so they need no vault to answer: memstore trust witness --request FILE. In this vault
    and its clones, memstore trust witness lists it for those who are asked, and for nobody else.
    """
    from memstore.cli.written import emit_registered
    from memstore.trust.witness_request import request_witness as ask

    done = ask(session.view(), ref, asked, notes=notes, commit=commit, dry_run=dry_run)
    emit_registered(session, "request-witness", done, dry_run=dry_run)


@command(
    "resolve",
    examples=(
        "memstore --as human:claire trust resolve m_7f3 --outcome upheld",
        'memstore --as human:claire trust resolve m_7f3 --outcome overturned --notes "The log says March"',
    ),
)
@ref_argument()
@click.option("--outcome", type=click.Choice(OUTCOMES), required=True, help="The decision.")
@click.option("--notes", metavar="TEXT", help="Why, in one line.")
@_key_option()
@saving_options()
def resolve(
    session: CliSession, ref: str, *, outcome: str, notes: str | None, key: str | None, commit: bool, dry_run: bool
) -> None:
    """Decide a dispute about somebody else's memory, and sign the decision.

    Both sides stay in the file, and memstore trust shows them with the decision. Those who spoke turn out right or
    wrong, which changes their reputation, unless you took a side yourself.
    """
    from memstore.trust.sign import resolve as record
    from memstore.trust.trust import trust_of

    view = session.view()
    done = record(view, ref, outcome, notes=notes, key=key, commit=commit, dry_run=dry_run)
    _emit(session, "resolve", done, dry_run=dry_run)
    if not dry_run and done.verdict.counts and done.saved.ref:
        outcomes = trust_of(view.again(), done.saved.ref).reputation.outcomes
        if not any((one.ref, one.by) == (done.saved.ref, view.actor) for one in outcomes):
            session.say("the author's reputation stays as it is: it changes only if they signed what was disputed,")
            session.say("  and whoever decides took no side")


def _emit(session: CliSession, verb: str, done: Signed, *, dry_run: bool) -> None:
    session.emit(verb, done, lambda: saved_lines(session, done.saved, dry_run=dry_run), dry_run=dry_run)
    if not done.saved.changed:
        session.say("it is already signed, and nothing has changed since")
    elif done.is_evidence:
        session.say("it is vouched for: from now on it is evidence, and is still shown as a quotation")
    elif not done.verdict.counts:
        session.say(f"it does not count yet: {done.verdict.reason}")
        session.say(
            "  hint: --key FILE signs with one that counts (memstore trust keys list shows whose do), or with a "
            "certificate, FILE-cert.pub; memstore trust keys add ENTITY FILE.pub records this one"
        )
    say_findings(session, done.saved.findings)


# -- anchor --------------------------------------------------------------------------------------


@command(
    "anchor",
    examples=(
        "memstore trust anchor m_7f3                                  # in the current commit",
        "memstore trust anchor m_7f3 --reference v1.2",
        "memstore trust anchor m_7f3 --type url --reference https://example.org/p/1 --snapshot page.html",
        "memstore trust anchor m_7f3 --type url --reference https://example.org/p/1 --online",
        "memstore trust attest digest m_7f3 > said && ots stamp said",
        "memstore trust anchor m_7f3 --type opentimestamps --snapshot said --proof said.ots",
    ),
)
@ref_argument()
@click.option("--type", "kind", type=click.Choice(ANCHOR_TYPES), default="git_commit", help="The kind of anchor.")
@click.option("--reference", metavar="R", help="The commit, page or transaction; the current commit by default.")
@click.option("--snapshot", metavar="FILE", help="The page as you saved it; - is standard input.")
@click.option("--online", is_flag=True, help="Fetch the page now, instead of --snapshot.")
@click.option("--proof", metavar="FILE", help="For opentimestamps: the file that `ots stamp` wrote.")
@saving_options()
def anchor(  # noqa: PLR0913 -- one for each option
    session: CliSession,
    ref: str,
    *,
    kind: str,
    reference: str | None,
    snapshot: str | None,
    online: bool,
    proof: str | None,
    commit: bool,
    dry_run: bool,
) -> None:
    """Anchor what a memory says in something outside its file, so that its text and its time can be proven.

    A commit that holds the memory as it is now gets its own git ref, which keeps it whatever happens to its branch. To
    show it to others, push that ref: git push origin 'refs/memstore/anchors/*'. Of a page, the vault keeps a copy.
    """
    from memstore.trust.anchor import anchor as record

    page = _page(session, kind, reference, snapshot, online=online)
    if kind == "opentimestamps" and (page is None or proof is None):
        raise UsageError(
            f"{kind}: the stamped page and its proof are needed", hint="give --snapshot FILE --proof FILE.ots"
        )
    stamped = None if proof is None else session.bytes_of(proof)
    done = record(
        session.view(),
        ref,
        type=kind,
        reference=reference,
        page=page,
        proof=stamped,
        dry_run=dry_run,
        commit=commit,
    )
    session.emit("anchor", done, lambda: saved_lines(session, done.saved, dry_run=dry_run), dry_run=dry_run)
    if done.anchored is None:
        session.say("it is already anchored there")
    elif not done.anchored.counts:
        session.say(f"it adds nothing to trust: {done.anchored.reason}")
    _say_remotes(session, done.remotes)
    say_findings(session, done.saved.findings)


def _page(session: CliSession, kind: str, url: str | None, snapshot: str | None, *, online: bool) -> bytes | None:
    """Return a page's content, as saved or as fetched now; None if neither was requested."""
    from memstore.trust.verify_anchors import remember
    from memstore.vault import composition

    if not online:
        if url is not None and kind in PAGE_ANCHORS and snapshot is None:
            raise UsageError(
                f"{kind}: a copy of the page is needed",
                hint="give the page as you saved it with --snapshot FILE, or fetch it with --online",
            )
        return session.bytes_of(snapshot) if snapshot is not None else None
    if snapshot is not None or url is None or kind not in PAGE_ANCHORS:
        raise UsageError(
            "--online needs the address of a page to fetch",
            hint="give --type url --reference https://…, and no --snapshot",
        )
    page = composition.pages().get(url)
    remember(session.view(), url, page)
    return page.data


def _say_remotes(session: CliSession, remotes: Mapping[str, bool]) -> None:
    from memstore.history.history import ANCHOR_REFS, anchor_refspec

    for remote, is_new in remotes.items():
        if is_new:
            session.say(f"from now on git fetch {remote} fetches its anchors, too: {anchor_refspec(remote)}")
        session.say(
            f"the commit is kept in this clone; to keep it at {remote} as well: git push {remote} '{ANCHOR_REFS}'"
        )


# -- attest --------------------------------------------------------------------------------------

_BY = click.option("--by", metavar="ENTITY", help="Whose attestation; the author's by default.")


@group(
    "attest",
    examples=("memstore trust attest payload m_7f3 | ssh-keygen -Y verify …", "memstore trust attest export m_7f3"),
)
def attest() -> None:
    """Export attestations for other tools, which can check them without memstore or the vault."""


@subcommand(
    attest,
    "payload",
    examples=(
        "memstore trust attest export m_7f3 --by si:pith --format sshsig > SIG",
        "memstore trust attest payload m_7f3 --by si:pith > SAID",
        "ssh-keygen -Y verify -f .memstore/allowed_signers -I si:pith -n attest@memstore.dev -s SIG < SAID",
    ),
)
@ref_argument()
@_BY
def payload(session: CliSession, ref: str, *, by: str | None) -> None:
    """Print the exact bytes that were signed, without a final newline."""
    from memstore.trust.sign import payload as bytes_of

    if session.as_json:
        raise UsageError(
            "attest payload prints bytes, not JSON", hint="memstore trust attest export prints an envelope as JSON"
        )
    sys.stdout.buffer.write(bytes_of(session.view(), ref, by=by))
    sys.stdout.buffer.flush()


@subcommand(
    attest,
    "digest",
    examples=("memstore trust attest digest m_7f3 > said", "memstore trust attest digest m_7f3 m_x41 > said"),
)
@click.argument("refs", metavar="REF…", nargs=-1, required=True)
def digest(session: CliSession, refs: tuple[str, ...]) -> None:
    """Print the digests and signatures of memories, to publish or to stamp: `anchor --snapshot` takes the page.

    The output has none of the text, but somebody who guesses the text can check the guess against the digest.
    """
    from memstore.trust.sign import digest_page

    page = digest_page(session.view(), refs)
    session.emit("attest-digest", page, page.splitlines)


@subcommand(
    attest,
    "export",
    examples=("memstore trust attest export m_7f3", "memstore trust attest export m_7f3 --format sshsig"),
)
@ref_argument()
@_BY
@click.option(
    "--format",
    "form",
    type=click.Choice(["dsse", "sshsig"]),
    default="dsse",
    help="dsse: an envelope; sshsig: a signature file.",
)
def export(session: CliSession, ref: str, *, by: str | None, form: str) -> None:
    """Print an attestation: as a DSSE envelope, or as a signature for `ssh-keygen -Y verify`."""
    from memstore.cli import output
    from memstore.trust import sign as flow

    view = session.view()
    if form == "sshsig":
        signature = flow.signature(view, ref, by=by)
        session.emit("attest-export", signature, signature.splitlines)
    else:
        envelope = flow.envelope(view, ref, by=by)
        session.emit("attest-export", envelope, output.document(envelope).splitlines)
