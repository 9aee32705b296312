"""`memstore find`: pick a memory or note at a terminal, and open it in the editor."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from memstore.cli.options import command
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.cli.session import CliSession

PICKER = "fzf"
# How many results of a search there are to pick from, and how many are numbered without a picker.
MOST_RESULTS = 200
MOST_NUMBERED = 20


class Choice(NamedTuple):
    """One to pick: its ref or whole path, where it is, and what it says there; all but the paths are harmless."""

    name: str
    path: str
    line: int | None
    title: str
    said: str


@command(
    "find",
    examples=(
        "memstore find                     # pick one of all, newest first",
        "memstore find bella heart         # of the results of a search; the editor opens at the line",
        "EDITOR='code --wait' memstore find",
    ),
)
@click.argument("words", metavar="[WORDS]…", nargs=-1)
def find(session: CliSession, words: tuple[str, ...]) -> None:
    """Pick a memory or note at a terminal, with a preview, and open it in your editor.

    The picker is fzf if it is installed, else a numbered list. What isn't yours to edit is shown instead.
    """
    is_free = not (session.choices.no_input or session.as_json)
    if not (is_free and session.at_terminal and session.environment().at_terminal):
        search = shlex.join(("memstore", "search", *words)) if words else "memstore search WORDS"
        raise UsageError(
            "find needs a terminal", hint=f"{search} prints the lines that match, memstore list all titles"
        )
    choices = [*(_found(session, " ".join(words)) if words else _all(session))]
    if not choices:
        session.say(f"nothing found for: {' '.join(words)}" if words else "no memories")
        return
    picked = _picked(session, choices)
    if picked is None:
        session.say("nothing was chosen")
        return
    _open(session, picked)


def _found(session: CliSession, text: str) -> Iterator[Choice]:
    """Yield the results of a search in this vault, best first, each with the line that says most."""
    from memstore.cli.output import safe_line
    from memstore.cli.search import best_line
    from memstore.core.quotation import quoted, shown_title
    from memstore.memories.search import Wish, search
    from memstore.search.matching import matcher_of

    answer = search(session.view(), text, Wish(limit=MOST_RESULTS))
    for note in answer.query.notes:
        session.say(safe_line(note))
    for hit in answer.hits:
        if hit.stack:  # somebody else's files
            continue
        number, line = best_line(hit, matcher_of(answer.query, hit.language))
        said = " ".join(line.split())
        title = safe_line(shown_title(hit.title, hit.source_type))
        name = hit.ref or _whole(session, hit.path)
        yield Choice(name, hit.path, number, title, safe_line(said) if hit.external is None else quoted(said))


def _all(session: CliSession) -> Iterator[Choice]:
    """Yield everything that `list` lists, newest first."""
    from memstore.cli.output import safe_line
    from memstore.core.quotation import shown_title
    from memstore.memories.listing import list_memories

    for entry in list_memories(session.view()):
        title = safe_line(shown_title(entry.title, entry.source_type))
        name = entry.ref or _whole(session, entry.path)
        yield Choice(name, entry.path, None, title, session.day_of(entry.created_at))


def _whole(session: CliSession, path: str) -> str:
    """Return a path that means the same file from any folder."""
    return str(session.view().root / path)


# -- picking ---------------------------------------------------------------------------------------


def _picked(session: CliSession, choices: Sequence[Choice]) -> Choice | None:
    import shutil

    return _by_picker(session, choices) if shutil.which(PICKER) else _by_number(session, choices)


def _by_picker(session: CliSession, choices: Sequence[Choice]) -> Choice | None:
    """Let the person pick with fzf; None for nothing.

    Only what the person may see gets into its input; its preview is `memstore show`, on the same terms as this call.
    """
    import subprocess

    from memstore.cli.output import safe_line

    rows = (
        "\t".join((str(number), safe_line(one.name), one.title, _place(session, one), one.said))
        for number, one in enumerate(choices)
    )
    colours = "always" if session.paint.colours else "never"
    # `-P`: a folder of notes may hold a module of any name.
    program = (sys.executable, "-P", "-m", "memstore", *_terms(session))
    preview = shlex.join((*program, "--quiet", "--no-track", "--color", colours, "show", "--"))
    picker = (PICKER, "--delimiter", "\t", "--with-nth", "3..", "--preview", f"{preview} {{2}}")
    picker += (
        "--preview-window",
        "down,50%,wrap",
        "--prompt",
        "find> ",
        *(() if session.paint.colours else ("--no-color",)),
    )
    done = subprocess.run(picker, input="\n".join(rows).encode(errors="replace"), stdout=subprocess.PIPE, check=False)
    numbers = [line.partition("\t")[0] for line in done.stdout.decode(errors="replace").splitlines()]
    return next((choices[int(number)] for number in numbers if number.isdecimal() and int(number) < len(choices)), None)


def _terms(session: CliSession) -> Iterator[str]:
    """Yield the options by which another call sees what this one sees."""
    chosen = session.choices
    yield from ("--vault", str(session.view().root), "--as", session.view().actor)
    yield from ("--context", chosen.context) if chosen.context is not None else ()
    yield from ("--self",) if chosen.alone else ()


def _by_number(session: CliSession, choices: Sequence[Choice]) -> Choice | None:
    """Let the person type a number; None for nothing."""
    from memstore.cli import output
    from memstore.core.columns import fitted

    for number, one in enumerate(choices[:MOST_NUMBERED], start=1):
        output.write_lines((fitted(f"{number:3}  {one.title or one.path}  {_place(session, one)}", output.room()),))
    if (more := len(choices) - MOST_NUMBERED) > 0:
        session.say(f"{more:,} more: add words to narrow it down, or install {PICKER}, which filters as you type")
    output.flush()
    output.write_message("number, or return for none: ", end="")
    try:
        said = sys.stdin.readline().strip()
    except KeyboardInterrupt:
        output.write_message("")  # its report begins on a new line
        raise
    if not said:
        return None
    if not (said.isdecimal() and 1 <= int(said) <= min(len(choices), MOST_NUMBERED)):
        raise UsageError(f"{said!r} is none of these numbers", hint="call memstore find again, and type one of them")
    return choices[int(said) - 1]


def _place(session: CliSession, one: Choice) -> str:
    from memstore.cli.output import safe_line

    return safe_line(session.from_here(one.path)) + (f":{one.line}" if one.line else "")


# -- opening ---------------------------------------------------------------------------------------


def _open(session: CliSession, one: Choice) -> None:
    """Open a file in the person's editor at its line; a sealed one as a draft; for others than the owner, show it."""
    from memstore.core.places import SEALED_SUFFIX
    from memstore.vault import composition

    view = session.view()
    if not view.is_owners:
        from memstore.cli.show import card
        from memstore.memories.show import show_memory

        session.write(card(session, show_memory(view, one.name)), verbatim=True)
    elif one.path.endswith(SEALED_SUFFIX):
        from memstore.cli.amend import edit_by_hand

        edit_by_hand(session, view, one.name, verb="edit", commit=False, dry_run=False)
    else:
        composition.editor(session.environment()).open(view.root / one.path, line=one.line)
