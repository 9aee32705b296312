"""`memstore edit`, `set`, `tag`, `mv`, `adopt`, `fmt`: change existing memories."""

from __future__ import annotations

from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING

import click

from memstore.cli.group import Command
from memstore.cli.options import command, complete_tag, named_argument, ref_argument
from memstore.cli.written import (
    acknowledge_option,
    diff_lines,
    emit_saved,
    in_vault,
    keep_secret_option,
    lines_of_all,
    saving_options,
    say_findings,
    say_what_stays_out,
)
from memstore.core.errors import Exit, UsageError
from memstore.core.ids import MEMORY_TYPES
from memstore.files import FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.core.change import Saved
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.memories.adopt import Adoptable
    from memstore.memories.edit import Moved

_UNCHANGED = "nothing changed"
_SAYS_SO = "nothing changed: it already says so"
_USED_WITH_A_TEXT = {
    "old": 'memstore edit REF "the new part" --old "the old part"',
    "version": "memstore edit REF TEXT --version REVISION",
    "reason": 'memstore edit REF TEXT --reason "why" -c',
}


@command(
    "edit",
    examples=(
        "memstore edit m_7f3",
        "EDITOR=nano memstore edit belief:m_7f3k9q2x1c -c",
        'memstore edit m_7f3 "Bella eats at nine sharp" --dry-run         # a new text, without an editor',
        'memstore edit m_7f3 "nine sharp" --old "nine-ish"                # that part of the text',
        'memstore edit m_7f3 --title "When Bella eats" -c --reason "easier to find"',
    ),
)
@named_argument()
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("-F", "--file", "file", metavar="FILE", type=click.Path(), help="Take the text from a file.")
@click.option("--old", metavar="TEXT", help="Replace only this part of the text, which must stand there once.")
@click.option("--version", metavar="REVISION", help="Write nothing unless this is still its revision, as show has it.")
@click.option("--title", metavar="TEXT", help="The new title.")
@click.option("--reason", metavar="TEXT", help="Why, for the commit message; needs -c, and a text or title.")
@keep_secret_option()
@saving_options()
def edit(
    session: CliSession,
    /,
    ref: str,
    text: str | None,
    *,
    file: str | None,
    commit: bool,
    dry_run: bool,
    **about: str | None,
) -> None:
    """Change a memory in your editor, or replace its text with TEXT; it keeps its id, history and references.

    What the editor saves is a draft until it has been checked, and is kept if anything goes wrong. You can edit the
    file in any other way as well. If the memory is to say something else, use memstore supersede: it keeps both, and
    records which replaced which.
    """
    from memstore.cli.add import given_text, utf8

    given = given_text(session, text, file)
    if given is not None or about["title"] is not None:
        from memstore.beliefs.revise import revise

        words = None if given is None else utf8(given)
        saved = revise(session.view(), ref, words, **about, dry_run=dry_run, commit=commit)
        emit_saved(session, "edit", saved, dry_run=dry_run, unchanged=_SAYS_SO)
    elif unused := next((name for name, value in about.items() if value is not None), None):
        raise UsageError(f"--{unused} needs a text or a title", hint=_USED_WITH_A_TEXT[unused])
    else:
        edit_by_hand(session, session.view(), ref, verb="edit", commit=commit, dry_run=dry_run)


def edit_by_hand(session: CliSession, view: View, ref: str, *, verb: str, commit: bool, dry_run: bool) -> None:
    """Open a memory in the person's editor, and report the result as the command `verb`."""
    from memstore.cli.editing import edited
    from memstore.core.errors import FormatError
    from memstore.core.transaction import hint, refuse_as_not_owner, shown
    from memstore.memories.edit import Rejected, accept

    before = view.original(view.named(ref).path)
    if not view.owns(before.memory):
        refuse_as_not_owner(view, before)  # before its unredacted bytes are shown

    def accepted(draft: bytes) -> Saved:
        done = accept(view.again(), before, draft, dry_run=dry_run, commit=commit)
        if isinstance(done, Rejected):
            raise FormatError(shown(done.findings), hint=hint(done.findings))
        return done

    name = before.memory.id or before.path.rpartition("/")[2].removesuffix(".md")
    saved = edited(session, name, before.data, accepted)
    if saved is None:
        from memstore.core.transaction import unchanged

        saved = unchanged(before)
    emit_saved(session, verb, saved, dry_run=dry_run, unchanged=_UNCHANGED)


@command(
    "set",
    examples=(
        "memstore set m_7f3 importance=high",
        "memstore set m_7f3 tags=dog,food title='Bella eats'",
        "memstore set m_7f3 valid_until=           # removes the key",
        "memstore set m_7f3 confidence=0.6         # records it in the history, too",
    ),
)
@named_argument()
@click.argument("pairs", metavar="KEY=VALUE…", nargs=-1, required=True)
@keep_secret_option()
@acknowledge_option()
@saving_options()
def set_(session: CliSession, ref: str, pairs: tuple[str, ...], *, commit: bool, dry_run: bool) -> None:
    """Set keys of a memory; only their lines change."""
    from memstore.cli.key_options import own_values
    from memstore.memories.edit import set_keys

    saved = set_keys(session.view(), ref, own_values(pairs), commit=commit, dry_run=dry_run)
    emit_saved(session, "set", saved, dry_run=dry_run, unchanged=_UNCHANGED)


class _TagCommand(Command):
    """Treats `-dog` as a word: the parser would read it as the options -d, -o and -g."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Mark the words that begin with a dash and are not options."""
        known = {name for param in self.get_params(ctx) for name in param.opts}
        end = args.index("--") if "--" in args else len(args)
        words = [
            _TAKEN_AWAY + arg[1:] if arg[:1] == "-" and arg[1:2] not in ("", "-") and arg not in known else arg
            for arg in args[:end]
        ]
        return super().parse_args(ctx, words + args[end:])


# No argument of a process contains it.
_TAKEN_AWAY = "\0"


@click.command("tag", cls=_TagCommand, examples=("memstore tag m_7f3 dog food", "memstore tag m_7f3 +dog -food"))
@named_argument()
@click.argument("tags", metavar="[+|-]TAG…", nargs=-1, required=True, shell_complete=complete_tag)
@saving_options()
@click.pass_obj
def tag(session: CliSession, ref: str, tags: tuple[str, ...], *, commit: bool, dry_run: bool) -> None:
    """Add tags to a memory, or remove them with `-TAG`."""
    from memstore.memories.edit import tag as change_tags

    removed = [word[1:] for word in tags if word[:1] in (_TAKEN_AWAY, "-")]
    added = [word.removeprefix("+") for word in tags if word[:1] not in (_TAKEN_AWAY, "-")]
    if "" in (*removed, *added):
        raise UsageError("a tag is empty", hint="memstore tag REF +dog -food")
    view = session.view()
    saved = change_tags(view, ref, add=added, remove=removed, commit=commit, dry_run=dry_run)
    emit_saved(session, "tag", saved, dry_run=dry_run, unchanged=_UNCHANGED)


@command("mv", examples=("memstore mv m_7f3 dogs/bella.md", "memstore mv m_7f3 dogs/ --dry-run"))
@named_argument()
@click.argument("path", metavar="PATH", type=click.Path())
@saving_options()
def mv(session: CliSession, ref: str, path: str, *, commit: bool, dry_run: bool) -> None:
    """Rename a memory's file, or move it to another folder; refs still find it by its id.

    Links to it, and relative links in it, are rewritten so that they lead to the same place as before. In other
    people's files and in signed files they stay as they are, and are listed.
    """
    from memstore.cli.output import safe_line
    from memstore.memories.edit import move

    view = session.view()
    to = in_vault(session, path, is_folder=path.endswith("/"))
    is_folder = path.endswith("/") or view.of(FILES).has_folder(to)
    moved = move(view, ref, f"{to.rstrip('/')}/" if is_folder else to, commit=commit, dry_run=dry_run)
    session.emit("mv", moved, lambda: _move_lines(session, moved, dry_run=dry_run), dry_run=dry_run)
    for link in moved.left:
        where = f"{session.from_here(link.path)}:{link.line}"
        session.say(safe_line(f"{where}: {link.written} was left as it is: {link.why}"))
    if moved.path == moved.path_before:
        session.say(_UNCHANGED)


def _move_lines(session: CliSession, moved: Moved, *, dry_run: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint = session.paint
    ref = f": {paint('ref', moved.ref)}" if moved.ref else ":"
    was = paint("dim", f"was {safe_line(session.from_here(moved.path_before))}")
    yield f"{paint.path(moved.path)}{ref} {was}"
    for path, diff in moved.diffs.items():
        if dry_run:
            yield from diff_lines(session, diff)
        else:
            yield f"{paint.path(path)}: links changed"


# -- adopt ---------------------------------------------------------------------------------------


@command(
    "adopt",
    examples=(
        "memstore adopt                             # says what could be adopted, and asks",
        "memstore adopt notes/tea.md diary/",
        "memstore adopt --all -t observation",
    ),
)
@click.argument("paths", metavar="[PATH]…", nargs=-1, type=click.Path())
@click.option(
    "-t",
    "--type",
    "kind",
    type=click.Choice(MEMORY_TYPES),
    default="note",
    show_default=True,
    help="The type of files that have none.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Adopt every file in the vault that can be adopted, without asking."
)
@saving_options()
def adopt(
    session: CliSession, paths: tuple[str, ...], kind: str, *, everything: bool, commit: bool, dry_run: bool
) -> None:
    """Turn Markdown files into memories: add an id, and frontmatter if there is none; the text stays as it is.

    Lines are added, and none is changed. A file that can't become a memory that way stays a plain note, which is still
    searched, listed and cited; the exit code is then 1. `memstore undo` takes an adoption back.
    """
    from memstore.memories.adopt import adopt as make_memories

    view = session.view()
    if not (paths or everything or dry_run or _confirms_adoption(session, kind)):
        return
    adopted = make_memories(
        view, [in_vault(session, path) for path in paths], kind=kind, commit=commit, dry_run=dry_run
    )
    session.emit(
        "adopt",
        adopted,
        lambda: lines_of_all(session, adopted.saved, dry_run=dry_run),
        each="memories",
        dry_run=dry_run,
    )
    for saved in adopted.saved:
        say_what_stays_out(session, saved)
    _say_left_alone(session, adopted.left_alone)
    if not adopted.saved:
        session.say("there was nothing to adopt")
    if adopted.left_alone:
        session.exit(Exit.FOUND_ERRORS)


# How many of the files left alone for one reason are named.
_MOST_NAMED = 3


def _say_left_alone(session: CliSession, left_alone: Sequence[Finding]) -> None:
    """Say which files were left alone and why: a line for each of a few files per reason, then how many more."""
    by_reason: dict[tuple[str, str | None], list[Finding]] = {}
    for finding in left_alone:
        by_reason.setdefault((finding.code, finding.hint), []).append(finding)
    for alike in by_reason.values():
        say_findings(session, tuple(alike[:_MOST_NAMED]))
        if len(alike) > _MOST_NAMED:
            session.say(f"  … and {len(alike) - _MOST_NAMED} more for the same reason [{alike[0].code}]")
    if left_alone:
        session.say(f"{len(left_alone)} {'file stays as it is' if len(left_alone) == 1 else 'files stay as they are'}")


def _confirms_adoption(session: CliSession, kind: str) -> bool:
    """Say what could be adopted and ask; if nobody can be asked, only say it."""
    from memstore.memories.adopt import adoptable

    found, left_alone = adoptable(session.view())
    session.emit("adoptable", found, lambda: _adoptable_lines(session, found, kind), findings=left_alone)
    _say_left_alone(session, left_alone)
    if session.as_json or not found:
        session.say("there is nothing to adopt" if not found else "memstore adopt --all adopts them")
        return False
    what = "1 file" if len(found) == 1 else f"{len(found)} files"
    return session.confirm(f"adopt {what}", instead="pass --all, or name the files")


# How many folders, and how many files, are shown of those that could be adopted.
_MOST_SHOWN = 10


def _adoptable_lines(session: CliSession, found: Sequence[Adoptable], kind: str) -> Iterator[str]:
    """Yield how many files of which folders could become memories, and some of them, of as many folders as possible."""
    of_folder: dict[str, list[Adoptable]] = {}
    for one in found:
        of_folder.setdefault(one.path.rpartition("/")[0], []).append(one)
    paint = session.paint
    if len(found) > _MOST_SHOWN:
        yield f"{len(found)} files can become memories; those without a type become {kind}:"
        largest = sorted(of_folder.items(), key=lambda item: (-len(item[1]), item[0]))
        for folder, files in largest[:_MOST_SHOWN]:
            yield f"{len(files):6}  {paint.path(f'{folder}/' if folder else './')}"
        if more := largest[_MOST_SHOWN:]:
            yield f"{sum(len(files) for _, files in more):6}  in {len(more)} more folder{'s' * (len(more) > 1)}"
        yield "such as"
    in_turn = chain.from_iterable(zip_longest(*(files[:_MOST_SHOWN] for files in of_folder.values())))
    for one in sorted(islice(filter(None, in_turn), _MOST_SHOWN), key=lambda one: one.path):
        path = paint.path(one.path)
        yield f"  {path}" if len(found) > _MOST_SHOWN else f"{path}: can become a memory"


# -- fmt -----------------------------------------------------------------------------------------


@command("fmt", examples=("memstore check fmt --check", "memstore check fmt m_7f3 --dry-run"))
@ref_argument("refs", metavar="[REF]…", nargs=-1)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if anything would change.")
@saving_options()
def fmt(session: CliSession, refs: tuple[str, ...], *, only_check: bool, commit: bool, dry_run: bool) -> None:
    """Format the frontmatter of memories: spaces, quoted times, one history entry a line. Values never change."""
    from memstore.memories.edit import fmt as make_even

    done = make_even(session.view(), refs, dry_run=dry_run or only_check, commit=commit)
    session.emit(
        "fmt", done, lambda: lines_of_all(session, done.saved, dry_run=dry_run), each="memories", dry_run=dry_run
    )
    verb = "would change" if dry_run or only_check else "changed"
    session.say(f"{verb} {len(done.saved)} of {done.total} memories")
    session.say_left_out(done.left_out)
    if only_check and done.saved:
        session.exit(Exit.FOUND_ERRORS)
