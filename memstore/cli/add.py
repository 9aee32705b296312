"""`memstore add` and `memstore raw`: write new memories, also from an agent's hook at the end of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.key_options import USUAL, account_options, given_account, given_values, key_options
from memstore.cli.options import command, several
from memstore.cli.written import (
    acknowledge_option,
    again_option,
    emit_saved,
    keep_secret_option,
    private_option,
    saving_options,
    say_findings,
)
from memstore.core.config import GLOBAL_SCOPE
from memstore.core.errors import UsageError, VaultError
from memstore.core.ids import is_group
from memstore.core.keys import USUAL_KEYS
from memstore.files import FILES
from memstore.history import WORK_TREE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.cli.session import CliSession
    from memstore.core.change import Saved
    from memstore.files.draft import Account
    from memstore.files.render import Plain


# So many lines of a transcript are named that can't be read.
MOST_LINES = 10
_NOTES = (
    "write the text below the second ---, and anything else you know between the two; then save and close",
    "leave everything as it is to add nothing",
)


@command(
    "add",
    usual=USUAL,
    examples=(
        'memstore add "Bella eats at eight" --tag dog food',
        "memstore add -t belief --confidence 0.7          # opens your editor",
        "memstore add - -t episode --source-entity human:claire  < told.txt     # in confidence",
        'memstore add --objective "Ship the reader" --outcome shipped --lesson "ask early" "ask twice"',
        'memstore add "It rained" --access human:sean si:ash -c',
    ),
)
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("-F", "--file", "file", metavar="FILE", type=click.Path(), help="Take the text from a file.")
@click.option("--verbatim", is_flag=True, help="Take the text as it is: frontmatter in it is text, too.")
@private_option()
@key_options()
@account_options()
@several("--cite", metavar="PATH:L1-L2…", help="Lines of a file that it is derived from, as they are now.")
@click.option(
    "--sign",
    type=click.Choice(("never", "counts", "always")),
    help="Sign it with your signing_key: always, or if that counts here.",
)
@keep_secret_option()
@again_option()
@acknowledge_option()
@saving_options()
def add(
    session: CliSession,
    /,
    text: str | None,
    file: str | None,
    cite: tuple[str, ...],
    *,
    verbatim: bool,
    sign: str | None,
    commit: bool,
    dry_run: bool,
    **keys: Any,
) -> None:
    """Write a new memory, in your editor if there is no TEXT.

    Put TEXT first: an option for a list takes all values up to the next option. A text that begins with frontmatter
    keeps it. The draft in your editor begins with what `.memstore/templates/TYPE.md` says; the keys in it that you
    don't give are added to the memory.
    """
    from memstore.files import fence
    from memstore.memories.template import with_defaults

    if session.choices.private:
        _go_to_own_vault(session)
    if sign:
        session.sign_written(sign)
    account = given_account(keys)
    values = given_values(keys)
    if cite:
        sources = values.get("derived_from")
        values["derived_from"] = [*(sources if isinstance(sources, list) else ()), *_citations(session, cite)]
    given = given_text(session, text, file)
    if account:
        given = _with_account(given or b"", values, account)
    if given is None:
        _add_in_editor(session, values, commit=commit, dry_run=dry_run)
        return
    is_text = verbatim or fence.split(given) is None
    if is_text:
        values = with_defaults(session.view(), values)
    add_it = _added_text if is_text else _added
    saved = add_it(session, given, values, commit=commit, dry_run=dry_run)
    _emit(session, "add", saved, values, dry_run=dry_run)
    if is_text and not dry_run:
        _say_what_is_usual(session, saved, values)


@command(
    "add",
    usual=USUAL,
    examples=(
        'memstore raw "Claire called, she sounded tired"',
        "memstore raw -  < heard.txt",
        "memstore raw --hook      # for an agent's hook at the end of a session: its document on standard input",
    ),
)
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("-F", "--file", "file", metavar="FILE", type=click.Path(), help="Take the text from a file.")
@key_options(without=frozenset({"type", "belief_type", "confidence", "foundational", "claims"}))
@click.option("--hook", is_flag=True, help="Write down what a hook hands over on standard input; never fail.")
@keep_secret_option()
@again_option()
@acknowledge_option()
@saving_options()
def raw(
    session: CliSession, /, text: str | None, file: str | None, *, hook: bool, commit: bool, dry_run: bool, **keys: Any
) -> None:
    """Write something down as it came; turn it into a note, an episode or a belief later.

    A text that repeats a memory word for word without saying where it comes from is linked to that memory, and does not
    count as new evidence. With --hook, what a session's transcript says becomes up to three memories: what the person
    said, what the agent said, and what tools returned.
    """
    if hook:
        _capture(session, given_values(keys), commit=commit, dry_run=dry_run)
        return
    given = given_text(session, text, file)
    if given is None:
        raise UsageError("there is no text to write down", hint='memstore raw "what you noticed"')
    values = {**given_values(keys), "type": "raw"}
    _emit(session, "raw", _added(session, given, values, commit=commit, dry_run=dry_run), values, dry_run=dry_run)


def _capture(session: CliSession, values: dict[str, Plain], *, commit: bool, dry_run: bool) -> None:
    """Write down what a hook hands over; an agent's session must end well whatever goes wrong here."""
    from memstore.agents.capture import capture, capture_input
    from memstore.cli.hooked import answer_hook
    from memstore.vault import composition

    def written(given: str) -> str:
        said = capture_input(given, lambda path: session.view().of(FILES).stream(session.environment().expanded(path)))
        if not (said.text or said.turns or said.session_id):
            return ""
        session.sign_written("counts")
        view, with_commit = session.view(), commit
        scope = composition.scope_at(session.environment(), view.root, said.folder)
        if scope not in (None, GLOBAL_SCOPE):
            values.setdefault("scope", scope)
        said = said.at_times(view.clock.now())
        if (commit or view.config.auto_commit) and not view.of(WORK_TREE).may_commit():
            view, with_commit = view.without_commits(), False  # nobody says it a second time
        for saved in capture(view, said, values, commit=with_commit, dry_run=dry_run):
            say_findings(session, saved.findings)
            session.detail(f"{session.from_here(saved.path)}: {saved.ref}")
        if said.unread:
            lines = ", ".join(map(str, said.unread[:MOST_LINES]))
            what = (
                "1 line of the transcript can't be read, and is"
                if len(said.unread) == 1
                else (f"{len(said.unread)} lines of the transcript can't be read, and are")
            )
            session.say(f"{what} left out: {lines}")
        if said.undated:
            session.say(f"turns of the transcript without a time that can be read: {said.undated}; they have no date")
        return ""

    answer_hook(session, written)


def given_text(session: CliSession, text: str | None, file: str | None) -> bytes | None:
    """Return the text that was given as an argument, in a file or on standard input; None if there is none."""
    if text is not None and file is not None:
        raise UsageError("there are two texts: one as an argument, one in a file", hint="leave one out")
    if file is not None or text == "-":
        return session.bytes_of(file or "-")
    return None if text is None else text.encode("utf-8", "surrogateescape")


def _with_account(given: bytes, values: dict[str, Plain], account: Account) -> bytes:
    """Return the text of an episode; its type and its title are added to the values."""
    from memstore.files import fence

    if values.setdefault("type", "episode") != "episode":
        raise UsageError("--objective, --outcome and --lesson are for episodes", hint="-t episode")
    if fence.split(given) is not None:
        raise UsageError("the text has its own frontmatter", hint="write the outcome and lessons there")
    if account.title and values.get("title"):
        raise UsageError("--objective and --title both set an episode's title", hint="leave one out")
    if account.title:
        values["title"] = account.title
    return account.as_text(utf8(given)).encode("utf-8", "surrogateescape")


def _added(session: CliSession, data: bytes, values: dict[str, Plain], *, commit: bool, dry_run: bool) -> Saved:
    """Write a memory from a text, or from a whole file that begins with frontmatter."""
    from memstore.files import fence
    from memstore.memories.add import add_draft

    if fence.split(data) is not None:
        return add_draft(session.view(), data, values, commit=commit, dry_run=dry_run)
    return _added_text(session, data, values, commit=commit, dry_run=dry_run)


def _added_text(session: CliSession, data: bytes, values: dict[str, Plain], *, commit: bool, dry_run: bool) -> Saved:
    from memstore.memories.add import add_memory

    return add_memory(session.view(), values, utf8(data), commit=commit, dry_run=dry_run)


def utf8(data: bytes) -> str:
    """Return a text that a person gave; raise `VaultError` if it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise VaultError(f"the text is not UTF-8: byte {error.start + 1}", hint="save it as UTF-8") from error


def _add_in_editor(session: CliSession, values: dict[str, Plain], *, commit: bool, dry_run: bool) -> None:
    from memstore.cli.editing import edited
    from memstore.memories.add import add_draft
    from memstore.memories.template import draft
    from memstore.vault import composition

    env = session.environment()
    if session.choices.no_input or not (env.at_terminal or composition.editor(env).is_chosen):
        hint = "put TEXT first, before options that take several values; - reads standard input"
        raise UsageError("there is no text", hint=hint)
    view = session.view()
    kind = str(values.get("type") or "")
    saved = edited(
        session,
        "new",
        draft(view, values),
        lambda written: add_draft(view, written, {}, commit=commit, dry_run=dry_run),
        notes=(*_NOTES, _usually(kind, options=False)) if kind in USUAL_KEYS else _NOTES,
    )
    if saved is None:
        session.say("nothing was written, so nothing was added")
        session.emit("add", None, tuple)
    else:
        _emit(session, "add", saved, values, dry_run=dry_run)


def _emit(session: CliSession, verb: str, saved: Saved, values: Mapping[str, Plain], *, dry_run: bool) -> None:
    emit_saved(session, verb, saved, dry_run=dry_run, unchanged="nothing changed")
    if dry_run or session.as_json or session.choices.quiet:
        return
    if is_group(owner := session.view().config.owner):
        session.say(f"for all members of {owner}; --private writes to a vault of your own")
    if values.get("source_entity"):
        _say_who_may_see(session, saved)


def _go_to_own_vault(session: CliSession) -> None:
    """Let what is written go to the vault of the user's settings, where the vault here is a group's.

    Raises:
        UsageError: the vault that it would go to is not the actor's own.
    """
    if is_group(session.view().config.owner):
        from memstore.vault.composition import own_vault

        session.move_to(own_vault(session.environment()))
        if is_group(session.view().config.owner):
            raise UsageError("your vault is a group's, too", hint="memstore config --user vault DIR names one of yours")
    view = session.view()
    if view.actor != (owner := view.config.owner):
        raise UsageError(
            f"the vault {view.root} is {owner}'s, so nothing in it is for {view.actor} alone",
            hint=f"name a vault whose owner is {view.actor}, with --vault DIR or memstore config --user vault DIR",
        )


def _say_what_is_usual(session: CliSession, saved: Saved, values: Mapping[str, Plain]) -> None:
    """Say which keys memories of this type usually have, if this one has none of them."""
    kind = str(values.get("type") or "")
    usual = USUAL_KEYS.get(kind, ())
    if usual and not any(values.get(name) for name in usual):
        session.say(f"  hint: {_usually(kind)}; memstore set {saved.ref} {usual[0]}=VALUE adds it later")


def _usually(kind: str, *, options: bool = True) -> str:
    names = (f"--{name.replace('_', '-')}" if options else name for name in USUAL_KEYS[kind])
    return f"a memory of type {kind} usually has {' or '.join(names)}"


def _say_who_may_see(session: CliSession, saved: Saved) -> None:
    """Say what telling something in confidence means: who may see it now, and whose consent sharing needs."""
    view = session.view().again()
    file = view.read(saved.path)
    if file is not None and file.memory.source_entity:
        seers = dict.fromkeys((file.memory.owner or view.config.owner, *file.memory.access_grants))
        told = f"told in confidence by {file.memory.source_entity}; sharing it takes their consent"
        session.say(f"{told}; who may see it: {', '.join(seers)}")


def _citations(session: CliSession, places: tuple[str, ...]) -> list[Plain]:
    """Return lines of files as sources, `file:path#L1-L2@blob`, with paths relative to the vault."""
    from memstore.memories.cite import cite_file, seen_from

    view = session.view()
    marks: list[Plain] = []
    for place in places:
        path, _, lines = place.rpartition(":")
        if not path:
            raise UsageError(f"`{place}` cites no lines", hint="write PATH:L10-L20")
        data = session.bytes_of(path)
        marks.append(cite_file(view, seen_from(view.root, session.environment().expanded(path)), data, lines))
    return marks
