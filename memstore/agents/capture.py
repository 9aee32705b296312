"""Write down what was said in a session: what the person said, what the agent said and what tools returned, apart.

So is what was said on different days, each memory under the time of its first turn.
"""

from __future__ import annotations

import re
from datetime import UTC, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access import FORGOTTEN, SESSIONS_QUOTED
from memstore.agents.days import dated
from memstore.agents.hook_events import ENDS, document_of, folder_of, session_of, word_in
from memstore.agents.turns import Speaker, SpokenTurn, Transcript, here, said_by_person, transcript
from memstore.beliefs.echo import recognised
from memstore.core.errors import ChangedMeanwhileError
from memstore.core.keys import EXTERNAL
from memstore.core.times import instant, stated, time_in
from memstore.core.transaction import again_where_changed, save_all
from memstore.exchange.draft import clean, in_parts
from memstore.exchange.wishes import is_error, to_be_remembered
from memstore.lineage.descent import quotable
from memstore.lineage.refs import entries
from memstore.memories.add import Composed, composed
from memstore.search.clauses import Filters, Operator, Where
from memstore.search.filters import narrowed
from memstore.vault import GATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import BinaryIO, Unpack

    from memstore.core.change import Saved
    from memstore.core.ids import MemoryRef
    from memstore.core.memory import Memory
    from memstore.core.transaction import Saving
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
# Whose relative words have their day beside them.
_TELLERS = frozenset({Speaker.PERSON, Speaker.AGENT})
# By how much another machine's clock may be ahead of this one's.
MOST_AHEAD = timedelta(days=1)
# A name of a turn that no other session gives, and which of its texts.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.\d+)?\Z")
# How far back a session's earlier captures are looked for.
LONGEST_SESSION = timedelta(days=30)


class CaptureInput(NamedTuple):
    """What a hook hands over: turns, or one text of which nobody knows who said it; and the session it is from.

    `unread` are the lines of the transcript that can't be read. What is from no transcript is said right now. `folder`
    is the one that the agent works in, if it is said.
    """

    turns: tuple[SpokenTurn, ...] = ()
    text: str = ""
    session_id: str | None = None
    trigger: str | None = None
    unread: Sequence[int] = ()
    is_transcript: bool = False
    folder: str | None = None

    @property
    def undated(self) -> int:
        """The number of turns of which nobody knows when they were said."""
        return sum(turn.at is None for turn in self.turns) if self.is_transcript else 0

    def at_times(self, now: datetime) -> CaptureInput:
        """Return it with a time for each turn of which one is known; what lies in the future is none."""
        latest = now + MOST_AHEAD

        def timed(turn: SpokenTurn) -> SpokenTurn:
            if turn.at is None and not self.is_transcript:
                at = here(now)
                return turn._replace(at=at, text=dated(turn.text, at.date()) if turn.speaker in _TELLERS else turn.text)
            return turn if turn.at is None or turn.at <= latest else turn._replace(at=None)

        return self._replace(turns=tuple(map(timed, self.turns)))


def capture_input(given: str, opened: Callable[[str], BinaryIO]) -> CaptureInput:
    """Return what a hook's input says: plain text, or a JSON document with a text or the path of a transcript.

    Args:
        given: the content of standard input.
        opened: opens a file by its path, if the actor may read it.

    Raises:
        UsageError: the input begins like a document, but is none.
    """
    if not given.lstrip().startswith("{"):
        return CaptureInput(text=clean(given.strip()))
    document = document_of(given)
    return _said_in(document, opened)._replace(folder=folder_of(document))


def _said_in(document: Mapping[str, Any], opened: Callable[[str], BinaryIO]) -> CaptureInput:
    session = (session_of(document), word_in(document, "hook_event_name"))
    for key, speaker in _TEXTS.items():
        value = document.get(key)
        if not isinstance(value, str) or not value.strip():
            continue
        said = clean(said_by_person(value) if speaker is Speaker.PERSON else value.strip())
        if speaker is None:
            return CaptureInput((), said, *session)
        if speaker is Speaker.AGENT and is_error(said):
            return CaptureInput((), "", *session)
        turn = SpokenTurn(speaker, said, at=stated(document.get("timestamp")))
        wished = to_be_remembered([turn], lambda one: one.text if one.speaker is Speaker.PERSON else None)
        return CaptureInput(tuple(wished), "", *session)
    path = document.get("transcript_path")
    if not isinstance(path, str) or not path:
        return CaptureInput((), "", *session)
    with opened(path) as stream:
        read: Transcript = transcript(stream)
    return CaptureInput(tuple(read.turns), "", *session, read.unread, is_transcript=True)


@again_where_changed
def capture(
    view: View, said: CaptureInput, values: Mapping[str, Plain], *, dry_run: bool = False, commit: bool = False
) -> tuple[Saved, ...]:
    """Write what was said as raw memories, one a speaker and day; what the session's earlier ones hold is left out.

    What the agent says after a tool answered is derived from what tools said, in this capture and in earlier ones. So
    are all its words from the external memories that a hook showed it in this session, which is forgotten at its end.

    Args:
        view: the vault.
        said: what a hook handed over, at its times (`CaptureInput.at_times`).
        values: more keys for each memory.
        dry_run: write nothing; return what would be written.
        commit: commit it, too.
    """
    origin: Plain = {name: word for name, word in (("session_id", said.session_id), ("trigger", said.trigger)) if word}
    common: dict[str, Plain] = {"channel": "session", "origin": origin or None}
    earlier = _earlier(view, said) if said.turns else ()
    whole, said = said, _permitted(view, said)
    shown = quotable(view, view.of(SESSIONS_QUOTED).of(said.session_id))
    new = [composed(view, {**common, **values, "type": "raw"}, said.text).derived_from(shown)] if said.text else []
    of_session = earlier if said.session_id else ()
    outside = [one for one in of_session if one.source_type == EXTERNAL]
    elsewhere = _captured_elsewhere(view, said)
    heard_tools = _hears(said.turns)
    names: dict[str, list[str]] = {}
    for speaker, source_type in ((one, KNOWN_BY[one]) for one in (Speaker.PERSON, Speaker.TOOL, Speaker.AGENT)):
        for turns in _by_day(_new([turn for turn in said.turns if turn.id not in elsewhere], speaker, earlier)):
            at = turns[0].at
            of_speaker = {
                **common,
                "source_type": source_type,
                **({"created_at": min(instant(at), instant(view.clock.now()))} if at else {}),
                **values,
                "type": "raw",
            }
            one = _composed(view, of_speaker, "\n\n".join(turn.text for turn in turns), speaker)
            if said.is_transcript and not at:
                one = one.undated()
            if speaker is Speaker.TOOL and heard_tools:
                outside.append(one.file.memory)
            if speaker is Speaker.AGENT:
                heard_of = [str(each.ref) for each in outside if each.ref]
                one = one.derived_from([*shown, *_taken_over(view, of_session), *heard_of])
            new.append(one)
            names[one.file.memory.id or ""] = [f"{said.session_id}\0{turn.id}" for turn in turns if turn.id]
    saved = _saved(view, new, [one.ref for one in earlier], whole, dry_run=dry_run, commit=commit)
    if names and said.session_id and not dry_run:
        with view.locked():
            for memory_id, turn_ids in names.items():
                view.of(FORGOTTEN).note_turns(memory_id, turn_ids)  # so that they don't come back once it is forgotten
    if said.trigger in ENDS and not dry_run:
        view.of(SESSIONS_QUOTED).end(said.session_id)
    return tuple(one.with_remarks(each) for one, each in zip(new, saved, strict=True))


def _saved(
    view: View, new: Sequence[Composed], known: Sequence[MemoryRef | None], said: CaptureInput, **saving: Unpack[Saving]
) -> tuple[Saved, ...]:
    """Write new memories.

    Raises:
        ChangedMeanwhileError: another hook of the session has written down something since `known` was read.
    """
    if not new:
        return ()
    if not said.turns or saving.get("dry_run"):
        return save_all(view, [one.edit for one in new], verb="capture", **saving)
    with view.locked():
        if [one.ref for one in _earlier(view.again(), said)] != known:
            raise ChangedMeanwhileError("another hook wrote down the same session meanwhile; nothing was written")
        return save_all(view, [one.edit for one in new], verb="capture", **saving)


def _permitted(view: View, said: CaptureInput) -> CaptureInput:
    """Return what may be written down of what was said: not what was forgotten since, and no secrets."""
    gate = view.of(GATE)
    turns = [turn._replace(text=gate.of_session(turn.text, said.session_id, turn.id)) for turn in said.turns]
    text = gate.of_session(said.text, said.session_id, None)
    return said._replace(turns=tuple(turn for turn in turns if turn.text), text=text)


def _new(turns: Sequence[SpokenTurn], speaker: Speaker, earlier: Sequence[Memory]) -> Iterator[SpokenTurn]:
    """Yield what a speaker said, each thing once a day, without what earlier memories of the session hold."""
    known: dict[str, list[datetime | None]] = {}
    for one in earlier:
        for part in one.body.strip().split("\n\n"):
            known.setdefault(part, []).append(time_in(one.created_at))
    seen: set[tuple[object, str]] = set()
    for turn in turns:
        if turn.speaker is not speaker or (turn.at and turn.at.date(), turn.text) in seen:
            continue
        seen.add((turn.at and turn.at.date(), turn.text))
        if not all(_is_of(turn, known.get(part, ())) for part in turn.text.split("\n\n")):
            yield turn


def _is_of(turn: SpokenTurn, times: Iterable[datetime | None]) -> bool:
    """Whether any of the times lies on a turn's day, where it was said."""
    return any(at is None or turn.at is None or at.astimezone(turn.at.tzinfo).date() == turn.at.date() for at in times)


def _captured_elsewhere(view: View, said: CaptureInput) -> frozenset[str | None]:
    """Return the ids of turns that another memory holds: a session that goes on under another name begins with them."""
    ids = {turn.id for turn in said.turns if turn.id and _UUID.match(turn.id)}
    if not ids:
        return frozenset()
    found = ((name.partition("\0")[2], memory_id) for name, memory_id in view.of(FORGOTTEN).captured())
    return frozenset(name for name, memory_id in found if name in ids and view.rows_of_id(memory_id))


def _by_day(turns: Iterator[SpokenTurn]) -> Iterator[list[SpokenTurn]]:
    """Yield the turns of each day, in several parts if they are long."""
    for _, of_day in groupby(turns, key=lambda turn: turn.at and turn.at.date()):
        said = [*of_day]
        for part in in_parts(turn.text for turn in said):
            yield [said[place]._replace(text=text) for place, text in part]


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


def _earlier(view: View, said: CaptureInput) -> Sequence[Memory]:
    """Return what was captured of a session before; of what names no session, what other such captures hold."""
    is_it = Where("origin.session_id", *((Operator.EQUAL, said.session_id) if said.session_id else (Operator.MISSING,)))
    first = min((turn.at for turn in said.turns if turn.at), default=view.clock.now())
    of_session = Filters(type=("raw",), where=(is_it, Where("channel", Operator.EQUAL, "session")))
    recent = of_session._replace(since=min(first, view.clock.now()).astimezone(UTC) - LONGEST_SESSION)
    made_at = view.column("created_at")
    undated = narrowed(view, [row for row in view.texts if not made_at[row]], of_session)
    files = (view.read(view.entry(row).path) for row in (*narrowed(view, view.texts, recent), *undated))
    return [file.memory for file in files if file is not None]
