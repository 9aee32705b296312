"""`memstore list` and `memstore show`.

This is the model for every command module: a decorated function that parses nothing itself, calls one use case, and
emits its value with a function for the text.
"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from memstore.cli.filters import filter_options, say_near_keys
from memstore.cli.options import WholeNumber, at_option, command, named_argument
from memstore.core.errors import UsageError
from memstore.core.keys import EXTERNAL
from memstore.core.quotation import quoted, shown_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.core.catalog import Entry
    from memstore.memories.show import Expanded, Shown
    from memstore.search.filters import Which

SORTS = ("created", "title", "confidence", "path")
# Keys that are not quoted, even of external memories.
_WRITTEN_BY_THE_PROGRAM = frozenset({"status", "quarantine"})
# Keys of the frontmatter that have a place of their own on the card.
_SHOWN_ELSEWHERE = frozenset({"type", "id", "title", "confidence", "confidence_history"})


@command(
    "show",
    examples=(
        "memstore show m_7f3",
        "memstore show belief:m_7f3k9q2x1c --at 2026-02",
        "memstore show m_7f3 --full                 # with what it is linked to",
        "memstore show m_7f3 --whole > whole.md     # the file as it was before it was compressed",
        '$EDITOR "$(memstore show --path m_7f3)"',
        "memstore show --cite m_7f3k9q2x1c:L21-L23                      # make a citation of these lines",
        "memstore show --cite '[[belief:m_7f3k9q2x1c#L21@3ab92c01de]]'  # what became of one",
    ),
)
@named_argument(metavar="REF[:L1-L2]|CITATION")
@at_option()
@click.option("--trace", "with_lineage", is_flag=True, help="Show what it comes from and what came of it, instead.")
@click.option("--verified", is_flag=True, help="Show who vouches for it, too, and which keys nobody signed.")
@click.option("--full", is_flag=True, help="Show what it is linked to, too.")
@click.option("--whole", is_flag=True, help="Print the file's bytes instead, as they were before it was compressed.")
@click.option("--path", is_flag=True, help="Print the path of its file, from the current folder, instead.")
@click.option("--cite", is_flag=True, help="Cite lines, or show what became of cited lines, instead.")
def show(session: CliSession, /, ref: str, *, at: str | None, with_lineage: bool, verified: bool, **more: bool) -> None:
    """Show a memory: its keys, how its confidence came about, and its text."""
    from memstore.memories.show import show_memory

    if verified and (at or with_lineage):
        raise UsageError("--verified shows how it stands now", hint="leave out --at and --trace")
    if instead := [name for name, is_wanted in more.items() if is_wanted]:
        if at or with_lineage or verified or len(instead) > 1:
            others = [f"--{name}" for name in (*more, "at", "trace") if name != instead[0]]
            raise UsageError(
                f"--{instead[0]} can't be combined with {', '.join(others)} or --verified",
                hint=f"memstore show {shlex.quote(ref)} --{instead[0]}",
            )
        _show_instead(session, ref, instead[0])
        return
    shown = show_memory(session.view(), ref, at=at)
    if with_lineage:
        _show_lineage(session, shown)
        return
    if verified:
        _show_verified(session, shown)
        return
    session.emit("show", shown, lambda: card(session, shown), verbatim=True)
    session.say_not_compared(shown.not_compared)


def _show_instead(session: CliSession, ref: str, wanted: str) -> None:
    match wanted:
        case "path":
            _show_path(session, ref)
        case "cite":
            from memstore.cli.cite import show_citation

            show_citation(session, ref)
        case _:
            _show_all(session, ref, whole=wanted == "whole")


def _show_verified(session: CliSession, shown: Shown) -> None:
    from memstore.cli.trust import explained
    from memstore.trust.trust import trust_of

    found = trust_of(shown.then, shown.entry.ref or shown.entry.path)
    session.emit(
        "show", shown, lambda: (*card(session, shown), "", *explained(session, found)), verified=found, verbatim=True
    )


def _show_lineage(session: CliSession, shown: Shown) -> None:
    from memstore.cli.lineage import MOST_LINES
    from memstore.cli.lineage_text import card_lines
    from memstore.lineage.trace import trace_both_ways

    most = None if session.as_json else MOST_LINES
    traced = trace_both_ways(shown.then, shown.entry, limit=most)
    session.emit("show", shown, lambda: card_lines(session.paint, shown, traced), trace=traced, verbatim=True)


@command(
    "list",
    examples=(
        "memstore list                              # newest first",
        "memstore list -t belief --tag health       # of one type, with a tag",
        "memstore list --sort confidence -n 10      # highest confidence first",
        'memstore show "$(memstore list | fzf | cut -f 4)"',
        "memstore list --at 2026-02 --json          # the vault as it was",
        "memstore list --stats --tag dog --since 1y # how many there are of each type, in each month …",
    ),
    context_settings={"allow_extra_args": True},
)
@filter_options
@at_option()
@click.option("--sort", type=click.Choice(SORTS), default="created", show_default=True, help="What comes first.")
@click.option("-n", "--limit", type=WholeNumber(min=0), metavar="N", help="Show at most this many.")
@click.option("--stats", is_flag=True, help="Count them by type, status, month and author, and their words, instead.")
def list_(session: CliSession, /, given: Which, at: str | None, *, sort: str, limit: int | None, stats: bool) -> None:
    """List memories, one a line: title, path, date, and what it is; a title or path names it to other commands.

    In a pipe, tabs separate the columns: title, date and confidence, path, and the ref to give to other commands.
    """
    from memstore.memories.listing import list_memories
    from memstore.search.filters import filters_of
    from memstore.search.retrieval import Sort

    if words := click.get_current_context().args:
        raise UsageError(
            f"list takes options and no words, and got `{' '.join(words)}`",
            hint=f"memstore search {shlex.join(words)}, or options like --tag dog",
        )
    if stats:
        if limit is not None:
            raise UsageError("--stats counts all of them", hint="leave out --limit")
        from memstore.cli.cite import show_counts

        show_counts(session, given, at)
        return
    view = session.view()
    listed = list_memories(view, filters_of(given, now=view.clock.here()), sort=Sort(sort), limit=limit, at=at)
    session.emit("list", listed, lambda: _list_lines(session, listed.entries), each="memories", verbatim=True)
    if not listed.total:
        session.say("no memories" if not given and at is None else "no memory matches")
        say_near_keys(session, given)
    if more := listed.total - len(listed.entries):
        session.say(f"{more:,} more; a higher --limit lists them")
    session.say_left_out(listed.left_out)


def _list_lines(session: CliSession, entries: Sequence[Entry]) -> Iterable[str]:
    return _table(session, entries) if session.at_terminal else (_row(session, entry) for entry in entries)


def _row(session: CliSession, entry: Entry) -> str:
    """Return a memory on one line for a pipe: its title, details, path, and last the ref for `memstore show`.

    Tabs separate the columns, since a title may contain spaces.
    """
    from memstore.cli.output import safe_line

    paint = session.paint
    title = paint("title", safe_line(shown_title(entry.title, entry.source_type) or entry.path))
    about = paint(
        "dim", safe_line("  ".join(word for word in (session.day_of(entry.created_at), *_standing_of(entry)) if word))
    )
    path = paint.path(entry.path)
    return f"{title}\t{about}\t{path}\t{paint('ref', entry.ref) if entry.ref else path}"


def _standing_of(entry: Entry) -> Iterator[str]:
    """Yield how sure a memory is, and what else is told of it in a list."""
    if entry.confidence:
        yield f"{float(entry.confidence):.2f}"
    yield from (entry.status,) if entry.status not in ("", "active") else ()
    yield from (EXTERNAL,) if entry.source_type == EXTERNAL else ()


# A title in fewer columns says too little: other columns are left out before.
_LEAST_TITLE = 16
_GAP = "  "


def _table(session: CliSession, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield a line for each memory, in columns that fit the terminal: title, path, date, type and standing.

    Where there is little room, titles and paths are shortened, and the last column, the path, then the date are left
    out.
    """
    from memstore.cli.output import room, safe_line
    from memstore.core.columns import columns, fitted, fitted_end, padded

    def cells(entry: Entry) -> tuple[str, ...]:
        title = shown_title(entry.title, entry.source_type) or entry.path
        about = _GAP.join((entry.type, *_standing_of(entry)))
        return tuple(map(safe_line, (title, session.from_here(entry.path), session.day_of(entry.created_at), about)))

    rows = [cells(entry) for entry in entries]
    title, path, date, about = (max(map(columns, column)) for column in zip(*rows, strict=True)) if rows else (0,) * 4
    gap, most = len(_GAP), room()
    if most - date - about - 3 * gap < 2 * _LEAST_TITLE:
        about = 0
    if most - date - 2 * gap < 2 * _LEAST_TITLE:
        path = 0
    if most - date - gap < _LEAST_TITLE:
        date = 0
    left = most - sum(width + gap for width in (date, about) if width)
    if path:
        left -= gap
        path = min(path, max(left * 2 // 5, left - title))
    title = min(title, left - path)
    paint = session.paint
    for name, where, when, more in rows:
        parts = (
            paint("title", padded(fitted(name, title), title)),
            paint("path", padded(fitted_end(where, path), path)) if path else "",
            padded(when, date) if date else "",
            paint("dim", more) if about else "",
        )
        yield _GAP.join(part for part in parts if part).rstrip()


def _show_path(session: CliSession, ref: str) -> None:
    from memstore.cli import output
    from memstore.memories.show import path_of

    entry = path_of(session.view(), ref)
    session.emit("path", entry, lambda: (output.harmless_path(session.from_here(entry.path)),))


def card(session: CliSession, shown: Shown) -> Iterator[str]:
    """Yield a memory in readable form: its keys, its numbers, its text; all words of an external one as a quotation."""
    from memstore.cli.output import safe, safe_line
    from memstore.cli.written import conflict_line, verdict_line
    from memstore.core.quotation import END, quoted_lines

    paint, entry, outside = session.paint, shown.entry, shown.external
    title = safe_line(entry.title) if outside is None else quoted(entry.title)
    yield f"{paint('ref', entry.ref or entry.type)}  {paint('title', title)}"
    then = f" as of {shown.commit[:10]}" if shown.commit else ""
    stack = f" [{'' if shown.mount.is_own else 'stack '}{shown.mount.name}]" if shown.mount else ""
    yield f"{paint.path(shown.path)} {paint('dim', f'@{shown.revision[:10]}{then}{stack}')}"
    yield ""
    held = [("confidence", _confidence(session, shown))] if shown.memory.confidence is not None else []
    derived = [("quality", f"{shown.quality:.2f}"), ("strength", _strength(shown)), *_trust(shown)]
    said = [(safe_line(name), text) for name, text in _keys(shown)]
    own = said if outside is None else [(name, text) for name, text in said if name in _WRITTEN_BY_THE_PROGRAM]
    keys = [*held, *_standing(shown), *_hearsay(shown), *derived, *own]
    width = max((len(name) for name, _ in keys), default=0)
    for name, text in keys:
        yield f"{paint('dim', name.ljust(width))}  {text}"
    for conflict in shown.conflicts:
        yield f"{paint('dim', 'conflict'.ljust(width))}  {conflict_line(paint, conflict)}"
    for verdict in shown.verdicts:
        yield f"{paint('dim', 'verdict'.ljust(width))}  {verdict_line(session, verdict)}"
    if outside is not None:
        yield ""
        yield paint("warning", outside.opening)
        for name, text in said:
            if (name, text) not in own:
                yield from quoted_lines(f"{name}  {text}")
        yield from quoted_lines("\n" + shown.memory.body.strip("\n"))
        yield END
    elif shown.memory.body.strip():
        yield ""
        yield safe(shown.memory.body).strip("\n")


def _standing(shown: Shown) -> Iterator[tuple[str, str]]:
    """Yield how firmly a memory is believed, and what to do if it is not."""
    standing, ref = shown.standing, shown.entry.ref or shown.entry.path
    if standing is None or shown.memory.status != "active":
        return
    if standing.votes_for or standing.votes_against:
        votes = f"{standing.votes_for} for, {standing.votes_against} against"
        yield "votes", f"{votes}; uncertainty {standing.uncertainty:.2f}"
    if standing.contested:
        yield (
            "contested",
            f"there is evidence for both sides: memstore conflicts split {ref} TEXT TEXT, or find out more",
        )
    if standing.labile:
        ways = f"memstore edit {ref}, memstore supersede {ref} TEXT or memstore conflicts split {ref} TEXT TEXT"
        yield "labile", f"evidence surprised on {standing.labile:%Y-%m-%d}, so it may need revision: {ways}"
    if shown.prunable:
        yield shown.prunable.value, f"memstore archive {ref} puts it out of sight"


def _hearsay(shown: Shown) -> Iterator[tuple[str, str]]:
    """Yield the reasons why a memory can't be evidence."""
    if set(shown.hearsay) - {shown.ref}:  # an external memory is marked as such below
        yield "hearsay", f"no evidence: {', '.join(shown.hearsay)} is quarantined, or external and not vouched for"


def _trust(shown: Shown) -> Iterator[tuple[str, str]]:
    """Yield how far others vouch for a memory, if anybody does or disputes it."""
    if shown.trust.terms:
        yield "trust", f"{shown.trust.score:.2f}, {shown.trust.word}"


def _strength(shown: Shown) -> str:
    uses = shown.grounds.strength.uses
    times = f", used {uses} {'time' if uses == 1 else 'times'}" if uses else ""
    return f"{shown.grounds.strength.retrieval:.2f}{times}"


def _confidence(session: CliSession, shown: Shown) -> str:
    """Return the confidence as a number; if it has a history, with bars and numbers."""
    history = [line.new for line in shown.memory.confidence_history if line.new is not None]
    held, today = shown.memory.confidence or 0.0, shown.confidence_now or 0.0
    now = session.paint("title", f"{held:g}")
    if abs(held - today) >= WORTH_TELLING:
        now += session.paint("dim", f" (today {today:.2f})")
    if not history:
        return now
    numbers = [f"{value:g}" for value in history]
    if len(numbers) > MOST_NUMBERS:
        numbers = [numbers[0], "…", *numbers[-(MOST_NUMBERS - 2) :]]
    bars = session.paint("ok", sparkline(history[-MOST_BARS:], signs=session.paint.signs))
    return f"{now}  {bars}  {' → '.join(numbers)}"


# How much the confidence must have faded before people are told.
WORTH_TELLING = 0.05
MOST_NUMBERS = 6
MOST_BARS = 40


def sparkline(values: Sequence[float], *, signs: bool) -> str:
    """Return one bar for each value from 0 to 1; without `signs`, in ASCII."""
    bars = "▁▂▃▄▅▆▇█" if signs else "_.-=+*%#"
    return "".join(bars[min(int(value * len(bars)), len(bars) - 1)] for value in values)


def _keys(shown: Shown) -> Iterator[tuple[str, str]]:
    """Return the frontmatter's keys with their values; lists of maps take one line per entry."""
    from memstore.cli.output import safe_line

    for name, value in shown.values.items():
        if name in _SHOWN_ELSEWHERE or value in (None, "", []):
            continue
        has_parts = isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
        for item in value if has_parts else [value]:
            yield name, safe_line(_words(item))


def _words(value: Any) -> str:
    match value:
        case dict():
            return ", ".join(f"{key}: {_words(item)}" for key, item in value.items() if item is not None)
        case list():
            return ", ".join(_words(item) for item in value)
        case bool():
            return str(value).lower()
        case _:
            return str(value)


# -- everything about one --------------------------------------------------------------------------


def _show_all(session: CliSession, ref: str, *, whole: bool) -> None:
    """Show a memory and what it is linked to; or its file's bytes, as they were before it was compressed."""
    from memstore.memories.show import expand as bring_back

    expanded = bring_back(session.view(), ref, full=whole)
    if whole and not session.as_json:
        if (outside := expanded.shown.external) is not None:
            session.say(outside.opening)
        _write_whole(expanded)
        return
    session.emit("expand", expanded, lambda: _card(session, expanded), verbatim=True)


def _write_whole(expanded: Expanded) -> None:
    """Print a file's bytes unchanged; on a terminal without characters that could control it."""
    from memstore.cli.output import safe, write_lines

    data = expanded.file if expanded.whole is None else expanded.whole
    if sys.stdout.isatty():
        write_lines(safe(data.decode("utf-8", "replace")).splitlines())
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def _card(session: CliSession, expanded: Expanded) -> Iterator[str]:
    from memstore.cli.output import safe_line

    yield from card(session, expanded.shown)
    known = [link for link in expanded.links if link.path]
    if known:
        yield ""
    for link in known:
        place = f"{session.paint.place(link.path or '', 1)}:"
        yield f"{place} {link.key} {session.paint('ref', safe_line(link.ref))}  {safe_line(link.title or '')}".rstrip()
    if expanded.shown.memory.compressed_from:
        session.say(f"this is a summary; memstore show {expanded.shown.entry.ref} --whole prints all of it")
