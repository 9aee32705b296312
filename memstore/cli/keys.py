"""`memstore trust keys`: whose keys count in this vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import group, subcommand
from memstore.cli.written import diff_lines, dry_run_option, saving_options, say_findings
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import CliSession
    from memstore.trust.keys import KeysChanged, KnownKey
    from memstore.trust.pin import Pinned

_ROLES = {"valid": "ok", "revoked": "error", "expired": "warning", "not yet": "warning", "not counted": "error"}


@group(
    "keys",
    examples=("memstore trust keys init", "memstore trust keys add si:pith ~/pith.pub", "memstore trust keys list"),
)
def keys() -> None:
    """Manage whose keys count in this vault; the files are OpenSSH's allowed_signers and a list of revoked keys."""


@subcommand(
    keys,
    "init",
    examples=(
        "memstore trust keys init                      # ~/.ssh/id_ed25519, or your setting signing_key",
        "memstore trust keys init ~/.ssh/id_memstore   # made before with ssh-keygen -t ed25519 -f ~/.ssh/id_memstore",
    ),
)
@click.argument("file", required=False)
def init(session: CliSession, file: str | None) -> None:
    """Set up signing in one step: enrol your key as a keeper's, commit that, pin it, and sign with it from then on."""
    from memstore.trust.keys import init_keys
    from memstore.vault import composition

    env = session.environment()
    settings, _ = composition.settings_file(env, None, user=True)
    named = str(env.expanded(file).absolute()) if file else None
    done, pinned = init_keys(session.view, settings, named)
    session.emit(
        "keys-init",
        done,
        lambda: (
            *_lines(session, done, dry_run=False),
            f"pinned: {_pinned_at(pinned)}",
            "next: memstore trust sign REF signs a memory; memstore trust keys add ENTITY FILE.pub -c enrols another",
        ),
        pin=pinned.commit,
    )
    if not done.diff:
        session.say("that key already counts")


def _pinned_at(done: Pinned) -> str:
    before = done.before[:10] if done.before and done.before != done.commit else ""
    return f"{(done.commit or '')[:10]}{f', before {before}, which is not in this history' if before else ''}"


@subcommand(
    keys,
    "add",
    examples=(
        "memstore trust keys add si:pith ~/pith.pub",
        "memstore trust keys add human:sean ~/.ssh/id_ed25519.pub --keeper",
        "memstore trust keys add human:ben ~/ben.pub --commits               # in a shared vault",
        "memstore trust keys add si:ash ~/operator_ca.pub --authority       # certifies keys for Ash's sessions",
    ),
)
@click.argument("holder", metavar="ENTITY")
@click.argument("file")
@click.option("--keeper", is_flag=True, help="Commits signed with it may change the keyring.")
@click.option("--commits", is_flag=True, help="It signs their commits: a shared vault takes no others as theirs.")
@click.option("--authority", is_flag=True, help="It signs no memories, but certifies keys: ssh-keygen -s CA.")
@saving_options()
def add(
    session: CliSession,
    holder: str,
    file: str,
    *,
    keeper: bool,
    commits: bool,
    authority: bool,
    commit: bool,
    dry_run: bool,
) -> None:
    """Enrol an entity's public key. Compare the printed fingerprint with the one that its holder tells you."""
    from memstore.trust.keys import add_key

    kinds = {"keeper": keeper, "commits": commits, "authority": authority}
    done = add_key(session.view(), holder, file, **kinds, dry_run=dry_run, commit=commit)
    _emit(session, "keys-add", done, dry_run=dry_run, unchanged="that key already counts")


@subcommand(
    keys,
    "rotate",
    examples=(
        "memstore trust keys rotate human:sean ~/.ssh/id_2027                     # your signing_key signs that, too",
        "memstore trust keys rotate si:pith pith-2027 --old pith --print > said # elsewhere, by Pith, without a vault",
        "memstore trust keys rotate si:pith pith-2027.pub --signed said -c",
    ),
)
@click.argument("holder", metavar="ENTITY")
@click.argument("file")
@click.option("--old", metavar="FILE", help="The old key, which must sign, too; by default your setting signing_key.")
@click.option("--print", "only_print", is_flag=True, help="Only print the statement that both keys sign.")
@click.option("--signed", metavar="FILE", help="Import a statement that was printed elsewhere.")
@saving_options()
def rotate(
    session: CliSession,
    holder: str,
    file: str,
    *,
    old: str | None,
    only_print: bool,
    signed: str | None,
    commit: bool,
    dry_run: bool,
) -> None:
    """Replace an entity's key with a new one; from now on the old one signs nothing but this statement.

    The statement, signed by both keys, is kept in the vault, so that others can see that the holder is still the same.
    If the old key is lost, revoke it, and add the new one.
    """
    from memstore.trust.rotate import rotate_key

    if only_print:
        if signed or commit or dry_run:
            raise UsageError("--print writes nothing", hint="memstore trust keys rotate ENTITY NEW --old OLD --print")
        _print_statement(session, holder, file, old)
        return
    data = session.bytes_of(signed) if signed else None
    done = rotate_key(session.view(), holder, file, old=old, signed=data, dry_run=dry_run, commit=commit)
    _emit(session, "keys-rotate", done, dry_run=dry_run, unchanged="")
    session.say(
        "what the old key signed still counts only if something proves that it is older: a stamp, or in a pinned"
    )
    session.say("  vault an earlier commit that a keeper signed, with an anchor; memstore check lists the rest")
    if signed is None and not dry_run:
        session.say("  hint: memstore config --user signing_key FILE lets you sign with the new key from now on")


def _print_statement(session: CliSession, holder: str, file: str, old: str | None) -> None:
    from memstore.core.clock import SystemClock
    from memstore.core.times import instant
    from memstore.trust.formats import rotation
    from memstore.trust.rotate import statement_by_both
    from memstore.vault import composition

    signatures = composition.signatures(session.environment(), read=lambda path: session.bytes_of(str(path)))
    former = old or signatures.own_key
    if former is None:
        raise UsageError("the old key must sign, too", hint="name it with --old FILE")
    said = rotation.written(statement_by_both(signatures, holder, former, file, at=instant(SystemClock().now())))
    session.emit("keys-statement", said, lambda: (said,))


@subcommand(keys, "revoke", examples=("memstore trust keys revoke SHA256:3F…", "memstore trust keys revoke si:pith"))
@click.argument("named", metavar="FINGERPRINT|ENTITY")
@saving_options()
def revoke(session: CliSession, named: str, *, commit: bool, dry_run: bool) -> None:
    """Revoke a key that was lost or stolen: nothing that it signed counts any more."""
    from memstore.trust.keys import revoke_key

    done = revoke_key(session.view(), named, dry_run=dry_run, commit=commit)
    _emit(session, "keys-revoke", done, dry_run=dry_run, unchanged="it was already revoked")


def _emit(session: CliSession, verb: str, done: KeysChanged, *, dry_run: bool, unchanged: str) -> None:
    session.emit(verb, done, lambda: _lines(session, done, dry_run=dry_run), dry_run=dry_run)
    if not done.diff:
        session.say(unchanged)
    elif done.pinned and not dry_run:
        _say_what_counts(session, done)


def _say_what_counts(session: CliSession, done: KeysChanged) -> None:
    if done.counts:
        session.say("a keeper signed the commit, so it counts wherever the vault is pinned")
    elif done.commit is None:
        session.say(
            "the vault is pinned: this counts for you until you commit it, and then only if a keeper signs the commit"
        )
        session.say(
            "  hint: `memstore commit` signs with your setting signing_key, `git commit -S` with git's signing key"
        )
    else:
        session.say("no keeper signed the commit, so it does not count")
        session.say(
            "  hint: set signing_key to a keeper's key and git commit --amend -S, or run memstore trust keys pin again"
        )


def _lines(session: CliSession, done: KeysChanged, *, dry_run: bool) -> Iterator[str]:
    if dry_run:
        yield from diff_lines(session, done.diff)
        return
    for key in done.keys:
        yield f"{session.paint.path(done.path)}: {session.paint('ref', done.entity)} {key.fingerprint}"


@subcommand(keys, "list", examples=("memstore trust keys list", "memstore trust keys list --json"))
def list_(session: CliSession) -> None:
    """List all keys, whose they are, and whether they count now."""
    from memstore.trust.keys import list_keys

    found = list_keys(session.view())
    session.emit("keys-list", found, lambda: (_key_line(session, one) for one in found.keys), each="keys")
    if not found.keys:
        session.say("no key counts here yet")
        session.say(
            "  hint: memstore trust keys init enrols yours, memstore trust keys add ENTITY FILE.pub somebody else's"
        )
    elif found.pin is None:
        session.say("unpinned: whoever can write this file decides whose keys count")
        session.say("  hint: compare the fingerprints with their holders, then memstore trust keys pin")
    say_findings(session, found.findings)


def _key_line(session: CliSession, one: KnownKey) -> str:
    from memstore.trust.keyring import ALLOWED_SIGNERS, COMMIT_NAMESPACE, PLAIN_COMMIT_NAMESPACE

    signer, paint = one.signer, session.paint
    place = paint.path(ALLOWED_SIGNERS) + (f":{paint('line', str(signer.line))}" if signer.line else "")
    standing = paint(_ROLES[one.standing], one.standing)
    told = {
        "authority": signer.authority,
        "keeper": COMMIT_NAMESPACE in signer.namespaces,
        "commits": PLAIN_COMMIT_NAMESPACE in signer.namespaces,
        "unpinned": one.is_good and not signer.pinned,
    }
    notes = "".join(f", {note}" for note, holds in told.items() if holds)
    notes += f", follows {one.follows}" if one.follows else ""
    who = paint("ref", ",".join(signer.principals))
    return f"{place}: {who} {signer.key.fingerprint} {signer.key.type} {standing}{notes}"


@subcommand(
    keys,
    "pin",
    examples=(
        "memstore trust keys pin                # the current commit, once you have compared the fingerprints",
        "memstore trust keys pin --remove",
        "memstore trust keys pin --block 358391 02000000…     # the header of a block, for proofs of time",
        "memstore trust keys pin --host archive.example.org human:claire     # whose pages prove when",
    ),
)
@click.argument("revision", required=False)
@click.option("--block", nargs=2, type=(int, str), metavar="HEIGHT HEADER", help="Pin the header of a Bitcoin block.")
@click.option("--host", nargs=2, metavar="HOST ENTITY", help="Pin whom a web host belongs to.")
@click.option("--remove", is_flag=True, help="Remove the pin: whoever can write the files decides whose keys count.")
@dry_run_option()
def pin(
    session: CliSession,
    revision: str | None,
    *,
    block: tuple[int, str] | None,
    host: tuple[str, str] | None,
    remove: bool,
    dry_run: bool,
) -> None:
    """Trust the keyring of a commit, in your own settings; a later change counts only if a keeper signed its commit."""
    from memstore.core.times import instant
    from memstore.trust import pin as flow

    asked = [revision is not None, remove, block is not None, host is not None]
    if asked.count(True) > 1 or (dry_run and any(asked[1:])):
        raise UsageError(
            "keys pin takes one of several arguments",
            hint="give a commit, or --remove, or --block HEIGHT HEADER, or --host HOST ENTITY",
        )
    view = session.view()
    if block is not None:
        at = flow.pin_block(view, *block)
        session.emit(
            "keys-pin-block",
            None,
            lambda: (f"pinned: block {block[0]}, {instant(at)} at the latest",),
            height=block[0],
            at=at,
        )
        return
    if host is not None:
        flow.pin_host(view, *host)
        session.emit(
            "keys-pin-host", None, lambda: (f"pinned: {host[0]} is {host[1]}'s",), host=host[0], entity=host[1]
        )
        return
    done = flow.unpin(view) if remove else flow.pin(view, revision=revision, dry_run=dry_run)
    session.emit("keys-pin", done, lambda: _pin_lines(session, done, dry_run=dry_run))
    if done.commit is not None and not done.keepers:
        session.say("nobody in it is a keeper: no change of the keyring will count until you pin again")
        session.say("  hint: memstore trust keys add ENTITY FILE.pub --keeper -c, then memstore trust keys pin")
    say_findings(session, done.findings)


def _pin_lines(session: CliSession, done: Pinned, *, dry_run: bool) -> Iterator[str]:
    from memstore.trust.keyring import ALLOWED_SIGNERS

    before = f", before {done.before[:10]}" if done.before and done.before != done.commit else ""
    yield f"{'would pin' if dry_run else 'pinned'}: {done.commit[:10] if done.commit else 'nothing'}{before}"
    for one in done.signers:
        notes = ", keeper" * (one in done.keepers) + ", did not count before" * (one in done.let_in)
        place = session.paint.place(ALLOWED_SIGNERS, one.line)
        yield f"{place}: {session.paint('ref', ','.join(one.principals))} {one.key.fingerprint}{notes}"
