"""`memstore links`: where a note's links lead, and what links to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.cli.options import command, named_argument

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.memories.links import LinkedNote, NoteLink, NoteLinks


@command("links", examples=("memstore links m_7f3", 'memstore links "Green tea"', "memstore links m_7f3 --json"))
@named_argument()
def links(session: CliSession, ref: str) -> None:
    """Show the links of a note, with their lines, and the links of other notes to it.

    Links are `[[Note]]`, `[[Note#Heading|text]]`, `![[Note]]`, and Markdown's and HTML's with a relative path. They
    are for navigation: `memstore trace` shows what a memory was derived from.
    """
    from memstore.memories.links import links as links_of

    found = links_of(session.view(), ref)
    session.emit("links", found, lambda: _lines(session, found))


def _lines(session: CliSession, found: NoteLinks) -> Iterator[str]:
    yield _name(session, found.note)
    yield from _section(session, "links to", found.outgoing, [_outgoing_line(session, link) for link in found.outgoing])
    yield from _section(
        session, "linked from", found.incoming, [f"{_name(session, link.source)}" for link in found.incoming]
    )


def _section(session: CliSession, title: str, links: Sequence[NoteLink], about: Sequence[str]) -> Iterator[str]:
    from memstore.cli.output import safe_line

    paint = session.paint
    yield ""
    yield paint("heading", title if links else f"{title}: none")
    for link, text in zip(links, about, strict=True):
        where = f"{paint.place(link.source.path, link.line)}:"
        yield f"{where} {text}  {paint('dim', safe_line(link.written))}"


def _outgoing_line(session: CliSession, link: NoteLink) -> str:
    if link.not_checked_out:
        return f"not checked out: {session.paint.path(link.not_checked_out)}"
    if link.target is None:
        return session.paint("warning", "leads nowhere")
    others = f", or {len(link.others)} more with that name" if link.others else ""
    return f"{_name(session, link.target)}{others}"


def _name(session: CliSession, note: LinkedNote) -> str:
    from memstore.cli.output import safe_line

    which = session.paint("ref", safe_line(note.ref)) if note.ref else session.paint.path(note.path)
    return f"{session.paint('title', safe_line(note.title))}  {which}"
