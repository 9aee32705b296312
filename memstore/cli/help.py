"""`memstore help`: explain a command or a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.commands import COMMANDS, SECTIONS
from memstore.cli.options import command
from memstore.cli.topics import TOPICS
from memstore.errors import UsageError
from memstore.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.cli.session import Session


@command("help", examples=("memstore help            # the topics", "memstore help query", "memstore help show"))
@click.argument("words", metavar="[TOPIC|COMMAND]", nargs=-1)
def help_(session: Session, words: tuple[str, ...]) -> None:
    """Explain a command or a topic: exit-codes, query, frontmatter, privacy, merge."""
    text = _text(words).rstrip("\n")
    session.emit("help", document=lambda: {"topic": " ".join(words), "text": text}, lines=lambda: (text,))


def _text(words: Sequence[str]) -> str:
    if not words:
        return _overview()
    if words[0] in TOPICS and len(words) == 1:
        return TOPICS[words[0]][1]()
    return _command_help(words)


def _overview() -> str:
    """Return all that can be explained: topics, then commands by section."""
    tables = {"topics": {name: about for name, (about, _) in TOPICS.items()}}
    tables |= {section: {name: about for name, (_, about) in table.items()} for section, table in SECTIONS.items()}
    width = max(len(name) for table in tables.values() for name in table)
    lines = ["memstore help TOPIC, memstore help COMMAND"]
    for title, table in tables.items():
        if table:
            lines += ["", f"{title.capitalize()}:", *(f"  {name:<{width}}  {about}" for name, about in table.items())]
    return "\n".join(lines)


def _command_help(words: Sequence[str]) -> str:
    """Return the help of a command, or of one below it, like `index status`."""
    from memstore.cli import output
    from memstore.cli.group import PROGRAM

    ctx = click.Context(PROGRAM, info_name="memstore", terminal_width=output.width())
    found: click.Command = PROGRAM
    for word in words:
        below = found.get_command(ctx, word) if isinstance(found, click.Group) else None
        if below is None:
            raise UsageError(f"there is no topic or command `{' '.join(words)}`", hint=_nearest(word))
        ctx, found = click.Context(below, info_name=word, parent=ctx), below
    return found.get_help(ctx)


def _nearest(word: str) -> str:
    near = nearest(word, [*TOPICS, *COMMANDS])
    return f"memstore help {near}" if near else "`memstore help` lists the topics, `memstore --help` the commands"
