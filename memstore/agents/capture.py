"""Write down what was said in a session: what the person said, what the agent said and what tools returned, apart."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from memstore.agents.hook_events import ENDS, document_of, session_of, word_in
from memstore.agents.turns import Speaker, SpokenTurn, last_of, said_by_person, turns_of, whole
from memstore.beliefs.echo import recognised
from memstore.core.keys import EXTERNAL
from memstore.core.transaction import again_where_changed, save_all
from memstore.lineage.descent import quotable
from memstore.lineage.refs import entries
from memstore.memories.add import Composed, composed
from memstore.search.filters import narrowed
from memstore.search.retrieval import Filters, Operator, Where

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.core.change import Saved
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.render import Plain

# How it is known: a person tells it, an agent infers it, and a tool's words are somebody else's.
KNOWN_BY = {Speaker.PERSON: "told_by_human", Speaker.AGENT: "inference", Speaker.TOOL: EXTERNAL}
# Whose words a text in a hook's document is; the first that is there counts. Nobody knows it of the first one.
_TEXTS: Mapping[str, Speaker | None] = {
    "text": None,
    "summary": Speaker.AGENT,
    "compact_summary": Speaker.AGENT,
    "last_assistant_message": Speaker.AGENT,
    "prompt_response": Speaker.AGENT,
    "prompt": Speaker.PERSON,
}
# How far back a session's earlier captures are looked for.
LONGEST_SESSION = timedelta(days=30)
# Only the end of a transcript is read.
_MOST_BYTES = 10_000_000


class Heard(NamedTuple):
    """What a hook hands over: turns, or one text of which nobody knows who said it; and the session it is from."""

    turns: tuple[SpokenTurn, ...] = ()
    text: str = ""
    session_id: str | None = None
    trigger: str | None = None


def heard(given: str, read: Callable[[str], bytes]) -> Heard:
    """Return what a hook's input says: plain text, or a JSON document with a text or the path of a transcript.

    Args:
        given: the content of standard input.
        read: returns the bytes of a file by its path, if the actor may read it.

    Raises:
        UsageError: the input begins like a document, but is none.
    """
    if not given.lstrip().startswith("{"):
        return Heard(text=given.strip())
    document = document_of(given)
    session = (session_of(document), word_in(document, "hook_event_name"))
    for key, speaker in _TEXTS.items():
        value = document.get(key)
        if not isinstance(value, str) or not value.strip():
            continue
        said = whole(said_by_person(value) if speaker is Speaker.PERSON else value.strip())
        if speaker is None:
            return Heard((), said, *session)
        return Heard((SpokenTurn(speaker, said),), "", *session)
    path = document.get("transcript_path")
    if not isinstance(path, str) or not path:
        return Heard((), "", *session)
    return Heard(tuple(turns_of(read(path)[-_MOST_BYTES:].decode("utf-8", "replace"))), "", *session)


@again_where_changed
def capture(
    view: View, said: Heard, values: Mapping[str, Plain], *, dry_run: bool = False, commit: bool = False
) -> tuple[Saved, ...]:
    """Write what was said as raw memories, one a speaker; what the session's earlier memories hold is left out.

    What the agent says after a tool answered is derived from what tools said, in this capture and in earlier ones. So
    are all its words from the external memories that a hook showed it in this session, which is forgotten at its end.

    Args:
        view: the vault.
        said: what a hook handed over.
        values: more keys for each memory.
        dry_run: write nothing; return what would be written.
        commit: commit it, too.
    """
    origin: Plain = {name: word for name, word in (("session_id", said.session_id), ("trigger", said.trigger)) if word}
    common: dict[str, Plain] = {"channel": "session", "origin": origin or None}
    earlier = _earlier(view, said.session_id) if said.turns else ()
    known = [one.body for one in earlier]
    shown = quotable(view, view.sessions_quoted.of(said.session_id))
    new = [composed(view, {**common, **values, "type": "raw"}, said.text).derived_from(shown)] if said.text else []
    spoken: dict[Speaker, Composed] = {}
    for speaker, source_type in KNOWN_BY.items():
        if text := last_of(said.turns, speaker, known):
            of_speaker = {**common, "source_type": source_type, **values, "type": "raw"}
            spoken[speaker] = _composed(view, of_speaker, text, speaker)
    if Speaker.AGENT in spoken:
        outside = [one for one in earlier if one.source_type == EXTERNAL]
        outside += [spoken[Speaker.TOOL].file.memory] if Speaker.TOOL in spoken and _hears(said.turns) else []
        heard_of = [str(one.ref) for one in outside if one.ref]
        spoken[Speaker.AGENT] = spoken[Speaker.AGENT].derived_from([*shown, *_taken_over(view, earlier), *heard_of])
    new += spoken.values()
    saved = save_all(view, [one.edit for one in new], verb="raw", dry_run=dry_run, commit=commit) if new else ()
    if said.trigger in ENDS and not dry_run:
        view.sessions_quoted.end(said.session_id)
    return tuple(one.told(each) for one, each in zip(new, saved, strict=True))


def _hears(turns: Sequence[SpokenTurn]) -> bool:
    """Whether the agent says anything after a tool has answered."""
    speakers = [turn.speaker for turn in turns]
    return Speaker.TOOL in speakers and Speaker.AGENT in speakers[speakers.index(Speaker.TOOL) :]


def _taken_over(view: View, earlier: Sequence[Memory]) -> list[str]:
    """Return the external memories from which the agent's earlier words in a session are derived."""
    refs = [ref for one in earlier if one.source_type == KNOWN_BY[Speaker.AGENT] for ref in one.derived_from]
    return [str(one.ref) for one in entries(view, refs) if one.source_type == EXTERNAL]


def _composed(view: View, values: dict[str, Plain], text: str, speaker: Speaker) -> Composed:
    """Return a new memory; what an agent or a tool repeats from memory is linked to that, and is no new evidence."""
    repeats = None if speaker is Speaker.PERSON else recognised(view, {"type": "raw"}, text)
    return composed(view, {**values, **repeats.values} if repeats else values, text)


def _earlier(view: View, session_id: str | None) -> Sequence[Memory]:
    """Return what was captured of a session before."""
    if session_id is None:
        return ()
    filters = Filters(
        type=("raw",),
        since=view.clock.now() - LONGEST_SESSION,
        where=(Where("origin.session_id", Operator.EQUAL, session_id),),
    )
    files = (view.read(view.entry(row).path) for row in narrowed(view, view.texts, filters))
    return [file.memory for file in files if file is not None]
