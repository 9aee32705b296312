"""`memstore keys`: whose keys count in this vault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import group, subcommand
from memstore.cli.written import commit_option, diff_lines, dry_run_option, say_findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import Session
    from memstore.flows.keys import KeysChanged, KnownKey

_ROLES = {"valid": "ok", "revoked": "error", "expired": "warning", "not yet": "warning"}


@group("keys", examples=("memstore keys add si:pith ~/pith.pub", "memstore keys list", "memstore keys revoke si:pith"))
def keys() -> None:
    """Say whose keys count in this vault; the files are stock OpenSSH's allowed_signers and a list of revoked keys."""


@subcommand(
    keys,
    "add",
    examples=("memstore keys add si:pith ~/pith.pub", "memstore keys add human:sean ~/.ssh/id_ed25519.pub --keeper"),
)
@click.argument("holder", metavar="ENTITY")
@click.argument("file")
@click.option("--keeper", is_flag=True, help="Commits that it signs may change the keyring itself.")
@commit_option()
@dry_run_option()
def add(session: Session, holder: str, file: str, *, keeper: bool, commit: bool, dry_run: bool) -> None:
    """Enrol an entity's public key. Compare the fingerprint that is printed with what its holder tells you."""
    from memstore.flows.keys import add_key

    done = add_key(session.workspace(), holder, file, keeper=keeper, dry_run=dry_run, commit=commit)
    _emit(session, "keys-add", done, dry_run=dry_run, unchanged="that key counts already")


@subcommand(keys, "rotate", examples=("memstore keys rotate si:pith ~/pith-2027.pub",))
@click.argument("holder", metavar="ENTITY")
@click.argument("file")
@commit_option()
@dry_run_option()
def rotate(session: Session, holder: str, file: str, *, commit: bool, dry_run: bool) -> None:
    """Put a new key in the place of an entity's; the old one signs nothing from now on."""
    from memstore.flows.keys import rotate_key

    done = rotate_key(session.workspace(), holder, file, dry_run=dry_run, commit=commit)
    _emit(session, "keys-rotate", done, dry_run=dry_run, unchanged="")


@subcommand(keys, "revoke", examples=("memstore keys revoke SHA256:3F…", "memstore keys revoke si:pith"))
@click.argument("named", metavar="FINGERPRINT|ENTITY")
@commit_option()
@dry_run_option()
def revoke(session: Session, named: str, *, commit: bool, dry_run: bool) -> None:
    """Revoke a key that was lost or stolen: nothing that it signed counts any more."""
    from memstore.flows.keys import revoke_key

    done = revoke_key(session.workspace(), named, dry_run=dry_run, commit=commit)
    _emit(session, "keys-revoke", done, dry_run=dry_run, unchanged="it was revoked already")


def _emit(session: Session, verb: str, done: KeysChanged, *, dry_run: bool, unchanged: str) -> None:
    session.emit(
        verb, document=lambda: _document(done, dry_run=dry_run), lines=lambda: _lines(session, done, dry_run=dry_run)
    )
    if not done.diff:
        session.say(unchanged)


def _document(done: KeysChanged, *, dry_run: bool) -> dict[str, Any]:
    document = {
        "entity": done.entity,
        "path": done.path,
        "fingerprints": [key.fingerprint for key in done.keys],
        "changed": bool(done.diff),
    }
    return document | ({"diff": done.diff} if dry_run else {}) | ({"commit": done.commit} if done.commit else {})


def _lines(session: Session, done: KeysChanged, *, dry_run: bool) -> Iterator[str]:
    if dry_run:
        yield from diff_lines(session, done.diff)
        return
    for key in done.keys:
        yield f"{session.paint('path', done.path)}: {session.paint('ref', done.entity)} {key.fingerprint}"


@subcommand(keys, "list", examples=("memstore keys list", "memstore keys list --json"))
def list_(session: Session) -> None:
    """List all keys, whose they are, and whether they count now."""
    from memstore.flows.keys import list_keys

    known, findings = list_keys(session.workspace())
    session.emit(
        "keys-list",
        document=lambda: {"keys": [_key_document(one) for one in known]},
        lines=lambda: (_key_line(session, one) for one in known),
        each="keys",
    )
    if not known:
        session.say("no key counts here yet")
        session.say("  hint: memstore keys add ENTITY FILE.pub")
    say_findings(session, findings)


def _key_document(one: KnownKey) -> dict[str, Any]:
    from memstore.model.instants import instant

    signer = one.signer
    return {
        "entities": list(signer.principals),
        "fingerprint": signer.key.fingerprint,
        "type": signer.key.type,
        "namespaces": list(signer.namespaces),
        "valid_after": instant(signer.valid_after) if signer.valid_after else None,
        "valid_before": instant(signer.valid_before) if signer.valid_before else None,
        "line": signer.line,
        "standing": one.standing,
    }


def _key_line(session: Session, one: KnownKey) -> str:
    from memstore.model.keyring import ALLOWED_SIGNERS

    signer, paint = one.signer, session.paint
    place = f"{paint('path', ALLOWED_SIGNERS)}:{paint('line', str(signer.line))}"
    standing = paint(_ROLES[one.standing], one.standing)
    return f"{place}: {paint('ref', ','.join(signer.principals))} {signer.key.fingerprint} {signer.key.type} {standing}"
