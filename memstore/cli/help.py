"""`memstore help`: explain a command or a topic.

The lists in topics are generated from the code that they describe, so they can't become outdated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.commands import ALIASES, COMMANDS, FORMER, SECTIONS
from memstore.cli.meant import MEANT, nearest_name, what_does
from memstore.cli.options import command
from memstore.core.errors import SIMILAR, Exit, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.cli.session import CliSession


@command(
    "help",
    examples=(
        "memstore help            # the topics",
        "memstore help --all      # all commands",
        "memstore help query",
        "memstore help show",
    ),
)
@click.argument("words", metavar="[TOPIC|COMMAND]", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="List all commands, by topic.")
def help_(session: CliSession, words: tuple[str, ...], *, everything: bool) -> None:
    """Explain a command or a topic: exit-codes, query, frontmatter, privacy, merge, agents, options."""
    if everything and words:
        raise UsageError("--all lists all commands", hint=f"memstore help {' '.join(words)}")

    text = (_all_commands() if everything else _text(words)).rstrip("\n")
    session.emit("help", None, lambda: (text,), topic=" ".join(words), text=text, verbatim=True)


def _text(words: Sequence[str]) -> str:
    if not words:
        return _overview()
    if words[0] in TOPICS and len(words) == 1:
        return TOPICS[words[0]][1]()
    return _command_help(words)


def _overview() -> str:
    """Return the list of topics, and how to get help on commands."""
    topics = {name: about for name, (about, _) in TOPICS.items()}
    more = {"memstore help --all": "all commands, by topic", "memstore help COMMAND": "one command, with examples"}
    return "\n".join(["memstore help TOPIC", "", *_table(topics), "", *_table(more)])


def _all_commands() -> str:
    """Return all commands, section by section."""
    width = max(map(len, COMMANDS))
    lines = []
    for title, table in SECTIONS.items():
        lines += [f"{title.capitalize()}:", *_table({name: about for name, (_, about) in table.items()}, width), ""]
    return "\n".join([*lines[:-1], "`memstore help COMMAND` explains one; `memstore help` lists topics."])


def _table(rows: Mapping[str, str], width: int = 0) -> list[str]:
    width = width or max(map(len, rows))
    return [f"  {name:<{width}}  {about}" for name, about in rows.items()]


def _command_help(words: Sequence[str]) -> str:
    """Return the help of a command, or of a subcommand like `index status`."""
    from memstore.cli import output
    from memstore.cli.group import PROGRAM

    ctx = click.Context(PROGRAM, info_name="memstore", terminal_width=output.width())
    found: click.Command = PROGRAM
    said = " ".join(words)
    today = ALIASES.get(said) or FORMER.get(said)
    for word in (part for part in today.split() if part[0].isalnum()) if today else words:
        below = found.get_command(ctx, word) if isinstance(found, click.Group) else None
        if below is None:
            raise UsageError(f"there is no topic or command `{' '.join(words)}`", hint=_nearest(word))
        ctx, found = click.Context(below, info_name=word, parent=ctx), below
    return found.get_help(ctx)


def _nearest(word: str) -> str:
    near = nearest_name(word, [*TOPICS, *COMMANDS, *FORMER], MEANT, similar=SIMILAR)
    near = near and FORMER.get(near, near)
    otherwise = "`memstore help` lists the topics, `memstore help --all` the commands"
    return what_does(word) or MEANT.get(near or "") or (f"memstore help {near}" if near else otherwise)


# -- topics ----------------------------------------------------------------------------------------


EXIT_MEANINGS = {
    Exit.DONE: "done, even if a search finds nothing (--exit-code makes that 1)",
    Exit.FOUND_ERRORS: "check, review, fmt --check: errors were found (check --strict: or warnings); sync: it stopped",
    Exit.USAGE: "a command, an argument, a filter or a date is wrong",
    Exit.NOT_FOUND: "unknown or ambiguous id; a memory that you may not see is unknown",
    Exit.REFUSED: "refused by privacy, consent or a guard",
    Exit.VAULT: "a problem with the vault, git, the file system or a file's format",
    Exit.LOCKED: "somebody else is writing, or the file has changed in the meantime",
    Exit.BUG: "a bug in memstore; -v shows where",
    Exit.INTERRUPTED: "interrupted",
}


_QUERY = """\
memstore search QUERY finds the memories that match best, and the lines on which they do.

  vet heart             words: any of them, better with all; endings don't matter
  "heart murmur"        a phrase, letter by letter
  +vet -cat             must be there, letter by letter; must not be there, in any form
  heart*                the beginning of a word
  2026-02-03            that day, of a memory or in its text
  parse_level           a name, or its parts: parse level
  tag:dog type:belief   filters, also as options: --tag dog --type belief

A question in plain words is a query too: "What did the vet say about Bella's heart?"

Every filter is an option as well, for search and list alike; several values of one filter are alternatives,
several filters hold together. tag:work also finds the tags nested in it, like work/plans. --where takes any key of the
frontmatter: --where 'confidence >= 0.8'. A filter that can't be parsed is an error, never a wider result; a `word:`
that is no filter is read as words, and so is a quote that is never closed.

Dates: 2026, 2026-02, 2026-02-01, 2026-02-01T18:04Z, now, today, yesterday, 3d, 2w, 6mo, 1y; in --where the first four,
each of which means its whole year, month or day. Days are those of `memstore config timezone`, or of the machine.
"""

_PRIVACY = """\
A memory is seen by its owner (the key `owner`, else the vault's), and by everybody it was granted to:

  memstore add "Bella limps" --access human:sean        write it, and let Sean see it, too
  memstore privacy grant m_7f3 --to human:sean          grant it later; `privacy revoke` takes it back
  memstore privacy explain m_7f3 --for human:sean       who may see it, why, and what is missing

A grant names an entity, a group, a role, a context or everybody ("*"); `access_denies` beats it. It counts only once
everybody who has a say has consented: whoever the memory is about (`subject_ids`) and whoever told it
(`source_entity`), or a guardian of theirs: memstore privacy consent grant. What was derived from a memory is as
closed as that memory, unless it is a generalization that was checked.

In a context, everybody who listens there must be allowed to see a memory. The context is --context CTX,
MEMSTORE_CONTEXT, or the one entered with `memstore context enter`. --self says that nobody else listens.

Who looks is the first of: --as ENTITY, MEMSTORE_ENTITY, `entity` in your configuration, the vault's owner. It is
also the author of what is written. --as is a claim: it guards against slips, but stops nobody who can start programs
here. The answer for a memory that you may not see is exactly the answer for one that does not exist, and only the
vault's owner sees files that can't be read.

The files themselves are as private as their folder and its git repository. docs/privacy.md says more.
"""

_MERGE = """\
Git merges memories key by key, with memstore's merge driver: the result has what either side added to lists, grants
and histories, but nothing that either side removed, and the confidence is recomputed. The text is merged by lines.

What can't be merged is left between git's markers (<<<<<<<, >>>>>>>). Markers in the frontmatter make the file broken
until they are gone: `memstore check` reports it with its line, searches leave it out, and no command rewrites it. Keep
one side, delete the markers, run `git add` and go on; the pre-commit hook checks what is staged.

`memstore init` and `memstore hooks install` set it up. A clone without it merges by lines, with more conflicts, and
`memstore status` says so. .gitattributes must say `*.md merge=memstore diff=memstore -text`, and never `merge=union`,
which would bring back grants that somebody revoked. docs/merging.md says more.
"""


def _exit_codes() -> str:
    return "\n".join(
        ["Exit codes, for scripts:", "", *(f"  {code:>3}  {meaning}" for code, meaning in EXIT_MEANINGS.items())]
    )


def _frontmatter() -> str:
    from memstore.cli.key_options import KEY_MEANINGS
    from memstore.core.keys import KEYS

    lines = ["The keys of a memory's frontmatter; only `type` is required. Keys of your own are kept.", ""]
    for key in KEYS:
        lines.append(f"  {key.name:<20}{KEY_MEANINGS[key.name]}")
        lines.append(f"  {'':<20}({', '.join(key.choices) or key.shape.value})")
    return "\n".join(lines)


def _options() -> str:
    from memstore.cli.group import GLOBAL_OPTIONS

    ctx = click.Context(click.Command("memstore"))
    records = [record for option in GLOBAL_OPTIONS if (record := option.get_help_record(ctx))]
    rows = {**dict(records), "--help": "Explain the command, and do nothing.", "--version": "Print the version."}
    return "\n".join(["Options that you can give before or after any command:", "", *_table(rows)])


_AGENTS = """\
`memstore --vault DIR --as ENTITY --self mcp install NAME` sets up the program that an agent runs in: claude-code,
codex, gemini, cursor, openclaw, vscode, copilot, zed, windsurf or opencode. `memstore mcp uninstall NAME` undoes that.

`memstore mcp` serves a vault to an agent, by the Model Context Protocol. A client starts it, and talks to it by pipes:

  {"command": "/path/to/memstore", "args": ["--vault", "/path/to/notes", "--as", "si:ash", "--self", "mcp"]}

  --as ENTITY     who acts and looks; no argument of a tool changes it
  --context CTX   shows at most what everybody in that context may see
  --self          nobody else listens: shows all that is its own
  (neither)       somebody unknown may be listening: shows what everybody may see

Each tool is a command, and says what that says. The tool `context` gives handles, which narrow single calls further.

  memstore mcp --read-only                  # nothing is written into the vault
  memstore mcp --tools=all                  # more tools than the usual twelve
  memstore mcp token add si:ash --self      # a token, in a file that only you can read
  memstore mcp --http 8765                  # serves whoever brings a token, on this machine

Serving HTTP needs `pip install "memstore-vault[mcp]"`. docs/mcp.md says more.
"""


# Topic -> a short description, and its text.
_EXCHANGE = """\
Memories of another program can be imported from a file, a folder or a ZIP archive:

  memstore import claude-code ~/.claude/projects --dry-run     see what would be written
  memstore import openclaw ~/.openclaw/workspace               write it; memstore undo takes it back
  memstore help import                                         all formats

Nothing that exists is changed, and importing again adds only what is new. A mistake in the source stops all of it, with
file and line. Each memory says how it is known (`source_type`), where it comes from (`source`), when that was said, and
which lines of the original it comes from (`derived_from`). The originals are kept below imports/ for the vault's owner
alone, and are never searched. Nobody but you sees an imported memory before you share it.

  memstore export jsonl --all > memories.jsonl       all that you may see; memstore import jsonl reads it again
  memstore export okf --all | tar -x -C bundle       a folder in the Open Knowledge Format
  memstore export prov --all > provenance.json       where memories come from, as W3C PROV-JSON

What you may not see is not exported, nor who may see a memory. docs/exchange.md says more.
"""

TOPICS: dict[str, tuple[str, Callable[[], str]]] = {
    "exit-codes": ("what the program's exit codes mean", _exit_codes),
    "query": ("how to write a query: words, phrases, filters, dates", lambda: _QUERY),
    "frontmatter": ("the keys of a memory", _frontmatter),
    "privacy": ("who may see what", lambda: _PRIVACY),
    "options": ("options that work with every command", _options),
    "exchange": ("how to import memories from other programs, and export them", lambda: _EXCHANGE),
    "merge": ("what happens when two people change one memory", lambda: _MERGE),
    "agents": ("how an agent gets to a vault: memstore mcp", lambda: _AGENTS),
}
