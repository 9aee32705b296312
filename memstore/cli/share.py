"""`memstore share`, `share load` and `share unload`: copies of what others may see, and those one was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.access import SHARED
from memstore.cli.options import command
from memstore.cli.written import dry_run_option
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.access.stack import Mount
    from memstore.cli.session import CliSession
    from memstore.exchange.sharing import SharedStack, SharedState
    from memstore.vault.stack_place import StackPlace


@command(
    "copy",
    examples=(
        "memstore share --to si:max_agent ~/for-max",
        "memstore share --to group:care ~/care --dry-run",
        "memstore share --list",
        "memstore share --update for-max",
    ),
)
@click.argument("folder", metavar="[DIR]", required=False)
@click.option("--to", metavar="ENTITY", help="For whom: an entity, a group, or '*' for everybody.")
@click.option("--name", help="What the stack is called; by default like its folder.")
@click.option("--list", "listing", is_flag=True, help="Show what was shared with whom, and what has changed since.")
@click.option("--update", "target", metavar="DIR|NAME", help="Bring a stack up to date.")
@click.option(
    "--acknowledge", is_flag=True, help="Share although texts have words that are titles of memories left out."
)
@dry_run_option()
def copy(
    session: CliSession,
    folder: str | None,
    *,
    to: str | None,
    name: str | None,
    listing: bool,
    target: str | None,
    acknowledge: bool,
    dry_run: bool,
) -> None:
    """Write what somebody may see of the vault into a repository of its own, and record that it was shared.

    The copy has no history, no registries and no settings but those it needs to be read. It is searched for the names
    of everything that was left out before it is put into DIR, which must be new or empty. What was handed out can't be
    called back: --update only changes the copy in DIR.
    """
    from memstore.exchange import sharing

    chosen = [word for word, given in (("--to", to), ("--list", listing), ("--update", target)) if given]
    if len(chosen) != 1 or (to is None and (folder or name)) or (to is not None and folder is None):
        raise UsageError(
            "share needs one of these alone: a recipient and a folder, --list, or --update",
            hint="memstore share --to ENTITY DIR; memstore share --list; memstore share --update DIR|NAME",
        )
    view = session.view()
    if listing:
        states = sharing.shared_stacks(view)
        session.emit(
            "share-list", states, lambda: (line for one in states for line in _state_lines(session, one)), each="stacks"
        )
        if not states:
            session.say("nothing was shared")
        return
    if target is not None:
        done = sharing.update(
            view, target, lambda text: _place(session, text), acknowledge=acknowledge, dry_run=dry_run
        )
    else:
        place = _place(session, folder or "")
        done = sharing.share(view, place, to=to or "", name=name, acknowledge=acknowledge, dry_run=dry_run)
    session.emit("share", done, lambda: _shared_lines(session, done, dry_run=dry_run), dry_run=dry_run)
    _say_about(session, done)


def _place(session: CliSession, folder: str) -> StackPlace:
    from memstore.vault import composition

    return composition.stack_place(session.environment(), folder)


def _say_about(session: CliSession, done: SharedStack) -> None:
    for note in done.notes:
        session.say(f"note: {note}")
    if not done.differs:
        session.say("nothing changed")
    for path in done.sealed:
        session.say(f"left out: {path} is sealed, and names memories that are hidden from {done.stack.to}")
    for path in done.nameless:
        session.say(f"left out: {path} has no id; memstore check --fix gives it one")
    if done.withdrawn:
        session.say(f"{done.stack.to} may still have copies of what was withdrawn: they can't be called back from here")
    if done.rewritten:
        session.say("its history began anew: whoever fetches it must clone it again, or git fetch and reset")


@command(
    "load",
    examples=(
        "memstore share load ~/for-max",
        "memstore share load ~/for-max --name bella",
        "memstore share load --list",
    ),
)
@click.argument("folder", metavar="[DIR]", required=False)
@click.option("--name", help="What the stack is called here; by default as whoever shared it called it.")
@click.option("--list", "listing", is_flag=True, help="Show the loaded stacks.")
@click.option("--accept-key", is_flag=True, help="Accept that it is signed with another key than before, or with none.")
def load(session: CliSession, folder: str | None, *, name: str | None, listing: bool, accept_key: bool) -> None:
    """Search a stack that was shared with you together with this vault; it stays where it is, and is only read.

    The key that its sender signed it with is pinned in your settings: from then on their stacks need this signature.
    Nothing in it is executed, and none of its settings, keys or registries counts.
    """
    if bool(folder) == listing or (listing and (name or accept_key)):
        raise UsageError("load needs a folder, or --list", hint="memstore share load DIR; memstore share load --list")
    view = session.view()
    place = session.environment().expanded(folder or "")
    found = view.of(SHARED).mounted if listing else [view.of(SHARED).mount(place, name, any_key=accept_key)]
    session.emit("load", found, lambda: (_mount_line(session, one) for one in found), each="stacks")
    for one in found:
        if one.replaced:
            session.say(f"{one.name} was loaded from {_safe(one.replaced)}, where it is no longer")
        if one.is_new_key and one.stack:
            session.say(f"from now on the key of {one.stack.by} is {one.key}; ask them whether it is")
    if not found:
        session.say("no stack is loaded")


@command("unload", examples=("memstore share unload bella",))
@click.argument("name")
def unload(session: CliSession, name: str) -> None:
    """Search a loaded stack no longer; its folder stays as it is."""
    session.view().of(SHARED).unmount(name)
    session.emit("unload", name, lambda: [f"unloaded {name}"])


# -- as lines --------------------------------------------------------------------------------------


def _shared_lines(session: CliSession, done: SharedStack, *, dry_run: bool) -> Iterator[str]:
    verb = "would share" if dry_run else "shared"
    if done.differs:
        yield f"{verb} {done.stack.name} with {done.stack.to}: {session.paint.path(done.folder)}"
    for mark, style, paths in (("+", "added", done.new), ("~", "dim", done.changed), ("-", "removed", done.withdrawn)):
        yield from (session.paint(style, f"  {mark} {_safe(path)}") for path in paths)


def _state_lines(session: CliSession, one: SharedState) -> Iterator[str]:
    gone = "is gone (memstore share --update makes it again)"
    state = gone if one.is_missing else "up to date" if one.is_current else "has changed"
    where = f"  {session.paint.path(one.folder)}" if one.folder else ""
    yield f"{session.paint('ref', one.name)}  {one.to}  {session.day_of(one.at)}  {state}{where}"
    for memory in one.withdrawn:
        yield session.paint("removed", f"  - {memory}: {one.to} may see it no longer")
    for memory in one.new:
        yield session.paint("added", f"  + {memory}")


def _mount_line(session: CliSession, one: Mount) -> str:
    if one.stack is None or one.view is None:
        return f"{session.paint('ref', one.name)}  can't be read: {_safe(one.problem or '')}"
    count = len(one.view.texts)
    sender = f"from {one.stack.by}" if one.key else f"that it says are from {one.stack.by}"
    said = f"{count} {'memory' if count == 1 else 'memories'} {sender}, shared {session.day_of(one.stack.at)}"
    return f"{session.paint('ref', one.name)}  {said}  {session.paint.path(one.folder)}"


def _safe(text: str) -> str:
    from memstore.cli.output import safe_line

    return safe_line(text)
