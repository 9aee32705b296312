"""`memstore forget`: what is to be forgotten, what becomes of what rests on it, and what still has its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.access import FORGOTTEN
from memstore.cli.options import command, ref_argument
from memstore.cli.written import saving_options
from memstore.core.config import CONFIG_PATH
from memstore.core.errors import UsageError
from memstore.history import HISTORY
from memstore.memories.forget import REASONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstore.cli.session import CliSession
    from memstore.history.purging import Purged
    from memstore.memories.forget import Dependent, Forgotten


@command(
    "forget",
    examples=(
        "memstore forget m_7f3 --dry-run                # the plan",
        "memstore forget m_7f3 --detach -c",
        "memstore forget m_7f3 --cascade --reason consent -c",
        "memstore forget m_7f3 --purge ../clean         # a clone whose history never held it",
        "memstore forget --shred ctx:dog_park --dry-run # what would become unreadable everywhere",
    ),
)
@ref_argument("refs", metavar="[REF…]", nargs=-1)
@click.option("--detach", is_flag=True, help="Keep what rests on them, without them.")
@click.option("--cascade", is_flag=True, help="Forget what rests on them, too.")
@click.option("--archive", is_flag=True, help="Only put them out of sight, as memstore archive does.")
@click.option(
    "--purge",
    metavar="DIR",
    type=click.Path(),
    help="Write a clone without what was forgotten, or the plain text of what is sealed, in any commit; needs "
    "memstore-vault[purge].",
)
@click.option("--drop-digests", is_flag=True, help="With --purge: drop the digests that keep it from coming back.")
@click.option("--shred", metavar="CTX", help="Destroy the key of a context, and forget what was sealed for it.")
@click.option("--reason", metavar="CODE", type=click.Choice(REASONS), help=f"Why: {', '.join(REASONS)}.")
@saving_options()
def forget(  # noqa: PLR0913 -- one for each option
    session: CliSession,
    /,
    refs: tuple[str, ...],
    *,
    purge: str | None,
    shred: str | None,
    archive: bool,
    drop_digests: bool,
    reason: str | None,
    commit: bool,
    dry_run: bool,
    **rest: bool,
) -> None:
    """Forget memories for good; a tombstone with their id, the time and a reason code stays, without title and text.

    If other memories rest on them, nothing is forgotten unless you say what becomes of those. With --detach they stay,
    are shown to nobody who could not see them before, and lose the confidence that they had from what is forgotten.
    Forgetting can't be undone. Commits that are already made still have the text: --purge takes it out of a new clone's
    history, and leaves this repository as it is. Of a memory that is sealed, it takes out the plain text that commits
    have from before, and the sealed file stays. What memstore privacy seal sealed for a context is forgotten with
    --shred, which destroys the context's key: no copy of it, in any clone or backup, can be read any more.
    """
    if shred is not None:
        if refs or purge or archive:
            raise UsageError(
                "--shred takes a context, and no REF, --purge or --archive", hint="memstore forget --shred CTX"
            )
        _shred(session, shred, reason=reason or REASONS[0], commit=commit, dry_run=dry_run, **rest)
        return
    if not refs:
        raise UsageError("which memories?", hint="memstore forget REF…, or memstore forget --shred CTX")
    if purge is not None:
        if archive or reason or commit or dry_run or any(rest.values()):
            raise UsageError(
                "--purge goes alone", hint="first: memstore forget REF -c, or memstore privacy seal REF -c"
            )
        _purge(session, refs, purge, drop_digests=drop_digests)
        return
    if drop_digests:
        raise UsageError("--drop-digests goes with --purge", hint="memstore forget REF --purge DIR --drop-digests")
    if archive:
        from memstore.cli.rework import put_out_of_sight

        if any(rest.values()):
            raise UsageError("--archive forgets nothing", hint="memstore archive REF")
        put_out_of_sight(session, refs, reason=reason, commit=commit, dry_run=dry_run)
        return
    from memstore.memories.forget import forget as forgotten

    why = reason or REASONS[0]
    done = forgotten(session.view(), refs, **rest, reason=why, commit=commit, dry_run=dry_run)
    session.emit("forget", done, lambda: _lines(session, done, dry_run=dry_run), each="forgotten")
    _say_what_is_left(session, done, dry_run=dry_run)


def _lines(session: CliSession, done: Forgotten, *, dry_run: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint, would = session.paint, "would be " if dry_run else ""
    for one in done.tombstones:
        yield f"{paint.path(one.path)}: {paint('ref', one.ref)} {would}forgotten"
    for each in done.detached:
        told = f"{paint('ref', each.ref)} {paint('title', safe_line(each.title))}".rstrip()
        yield f"{paint.path(each.path)}: {told} {_fate(each, would)}"
    for path in done.removed:
        yield f"{paint.path(path)}: {would}removed"
    for path in done.cleaned:
        yield f"{paint.path(path)}: {would}cleaned of its lines"


def _fate(one: Dependent, would: str) -> str:
    if not one.is_own:
        return "stays as it is: it is somebody else's, and rests on a tombstone"
    return f"{would}detached" + ("" if one.old == one.new else f" ({one.old:g} → {one.new:g})")


def _say_what_names_them(session: CliSession, done: Forgotten) -> None:
    if done.mentions:
        session.say(f"still named by {', '.join(done.mentions)}, which don't rest on it")
    for one in done.left:
        session.say(f"not cleaned: {one}")


def _say_what_is_left(session: CliSession, done: Forgotten, *, dry_run: bool) -> None:
    _say_what_names_them(session, done)
    if not dry_run:
        from memstore.cli.history import say_withdrawn

        say_withdrawn(session, session.view().again())
        names = " ".join(one.ref.partition(":")[2] for one in done.tombstones)
        if not done.tombstones:
            session.say("already forgotten; this machine's index, caches and journal were cleaned again")
        elif session.view().of(HISTORY).repository:
            session.say(f"commits still have the text; memstore forget {names} --purge DIR writes a clone without it")


# -- shred -------------------------------------------------------------------------------------------


def _shred(
    session: CliSession, context: str, *, reason: str, commit: bool, dry_run: bool, detach: bool, cascade: bool
) -> None:
    from memstore.memories.forget import shred

    done = shred(session.view(), context, detach=detach, cascade=cascade, reason=reason, commit=commit, dry_run=dry_run)
    session.emit(
        "forget",
        done,
        lambda: (*_lines(session, done, dry_run=dry_run), *_key_lines(done, dry_run=dry_run)),
        each="forgotten",
    )
    _say_what_names_them(session, done)
    count = len(done.tombstones)
    what = "1 memory" if count == 1 else f"{count} memories"
    where = "in any clone or backup, in any version that was sealed for it"
    if dry_run:
        session.say(f"{what} of this vault could not be read any more, {where}")
        return
    session.say(f"{what} of this vault can't be read any more, {where}")
    session.say("not reached: copies of the key that others have, or a backup of it: who has one goes on reading")
    names = " ".join(one.ref.partition(":")[2] for one in done.tombstones) or "REF"
    session.say(
        "not reached: commits from before that, in plain text or sealed for people's keys; "
        f"memstore forget {names} --purge DIR writes a clone without them"
    )
    session.say("not reached: exports, and old blocks of the disk that had the key")


def _key_lines(done: Forgotten, *, dry_run: bool) -> Iterator[str]:
    yield f"{done.key}: {'would be destroyed' if dry_run else 'destroyed'}"


# -- purge -------------------------------------------------------------------------------------------


def _purge(session: CliSession, refs: tuple[str, ...], folder: str, *, drop_digests: bool) -> None:
    from memstore.memories.forget import purge

    view = session.view()
    done = purge(view, refs, session.environment().expanded(folder))
    session.emit("forget-purge", done, lambda: _purged_lines(done))
    for one in done.still:
        session.say(f"still there: {one}")
    if done.unsigned:
        session.say(f"{done.unsigned} signatures of commits or tags did not survive: sign again what must be signed")
    if not (done.folder / view.of(HISTORY).require().prefix / CONFIG_PATH).exists():
        session.say(f"not in the clone: {CONFIG_PATH}, which is not committed; without it, the clone has another owner")
    ids = [view.find(ref).id for ref in refs]
    if drop_digests:
        dropped = view.of(FORGOTTEN).drop(ids)
        session.say(f"dropped here: {dropped} digests; captures and imports may bring what they say back")
    elif count := view.of(FORGOTTEN).count(ids):
        session.say(f"kept here: {count} digests, so that nothing brings it back; --drop-digests drops them")
    for line in _next(view.root, done):
        session.say(line)


def _purged_lines(done: Purged) -> Iterator[str]:
    proof = "none has it" if not done.still else f"{len(done.still)} have words of it"
    yield f"{done.folder}: a clone with a new history, {done.commits} commits with new ids"
    yield f"removed: {done.removed} blobs, {done.changed} without its lines; notes kept: {done.notes}"
    yield f"searched: {done.objects} objects, refs, logs and files; {proof}"
    if done.renamed:
        yield f"commits have their new ids in {', '.join(done.renamed)}"


def _next(root: Path, done: Purged) -> Iterator[str]:
    """Yield what can't be reached from here, and what to do about it."""
    yield f"not reached: {root} itself, with its git folder, index and stashes; other clones, their caches, and backups"
    yield "what was not committed, hooks and git settings are not in the clone: memstore hooks install"
    for folder in done.work_trees:
        yield f"not reached: the work tree {folder}, and its cache"
    for remote in done.remotes:
        yield f"not reached: the remote {remote}"
    for path in done.submodules:
        yield f"not reached: the submodule {path}, whose history is a repository of its own"
    yield "next: look at the clone, put it in the place of the original, and delete that one and its backups;"
    yield "  git push --mirror --force replaces a remote; everybody else must clone again, not pull"
