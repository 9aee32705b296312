"""Conversations of ChatGPT and Claude, from the archives of their data exports.

A conversation becomes two raw memories, because the words of the person and those of the model have different source
types: the person's turns are told by a human; the answers are told by an agent, and derived from the turns. Long
conversations become several of each. Messages of tools and systems stay in the original only. An original is the
conversation as JSON, one message per line.

Source: docs/references.md, "formats of other programs".
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.change import Skipped
from memstore.core.errors import FormatError
from memstore.core.keys import EXTERNAL
from memstore.exchange.draft import CitedLines, Draft, Original, When, clean, in_parts, one_line, sound, when
from memstore.exchange.originals import laid_out
from memstore.exchange.wishes import NOT_TO_BE_REMEMBERED, is_error, to_be_remembered
from memstore.files.json_stream import items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memstore.exchange.source import ImportSource

PERSON, MODEL = "person", "model"


class Turn(NamedTuple):
    """A turn of the person or the model: its text and time, its line in the original, and the files that go with it."""

    who: str
    text: str
    made: When
    line: int
    files: Sequence[tuple[str, str]] = ()


class Talk(NamedTuple):
    """A conversation: its id, title and time, its turns in order, its original, and whose it is, if not the owner's."""

    id: str
    title: str
    made: When
    turns: Sequence[Turn]
    original: Original
    user: str = ""


# -- ChatGPT ---------------------------------------------------------------------------------------


_CHATGPT_DOCUMENTS = r"(?:.*/)?textdocs/[^/]+\.json"
_CHATGPT_FILES = r"(?:.*/)?conversations(?:-\d+)?\.json"
# The kinds of content that are addressed to the other side; code is for a tool, and thoughts are for nobody.
_SPOKEN = frozenset({"text", "multimodal_text"})
_ROLES = {"user": PERSON, "assistant": MODEL}
# Messages to these tools have text that a person reads: what ChatGPT remembers, and documents in its canvas.
_TO_MEMORY, _TO_CANVAS = "bio", "canmore."


def chatgpt(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield the conversations of a ChatGPT export, from one file or several; only the current branch of each.

    Documents of its canvas are what the model says where they have no file of their own, and a note each where they do.
    """
    talks = _read(source, _conversations(source, _CHATGPT_FILES), "conversations")
    yield from _each(talks, lambda where, _, value: _drafts(where, _of_chatgpt(where, value), "ChatGPT", "si:chatgpt"))
    documents = _read(source, source.matching(_CHATGPT_DOCUMENTS) if source.is_folder else ())
    yield from _each(documents, partial(_document, source))


def _of_chatgpt(where: str, value: Any) -> Talk:
    talk_id = _text_of(where, value, "conversation_id", "id")
    if value.get("is_do_not_remember"):
        raise _NotToBeRememberedError
    mapping = value.get("mapping")
    if not isinstance(mapping, dict) or not all(isinstance(node, dict) for node in mapping.values()):
        raise FormatError("the conversation has no `mapping` of messages", where=where, hint="export it again")
    data, lines = laid_out(value, "mapping")
    turns = [
        turn
        for node in _branch(where, mapping, value.get("current_node"))
        if (turn := _turn(mapping[node], lines[node]))
    ]
    return Talk(talk_id, one_line(value.get("title")), when(value.get("create_time")), turns, _original(talk_id, data))


def _branch(where: str, mapping: Mapping[str, Any], current: object) -> list[str]:
    """Return the nodes from the first message to the current one, or to the last leaf if none is current."""
    if not isinstance(current, str) or current not in mapping:
        leaves = [name for name, node in mapping.items() if not node.get("children")]
        current = leaves[-1] if leaves else None
    found: dict[str, None] = {}
    while isinstance(current, str) and current in mapping:
        if current in found:
            raise FormatError(f"the message {current} comes before itself", where=where, hint="export it again")
        found[current] = None
        current = mapping[current].get("parent")
    return [*reversed(found)]


def _turn(node: Mapping[str, Any], line: int) -> Turn | None:
    message = _map(node.get("message"))
    content, metadata = _map(message.get("content")), _map(message.get("metadata"))
    who = _ROLES.get(str(_map(message.get("author")).get("role")))
    to = message.get("recipient")
    if who == MODEL and isinstance(to, str) and to.startswith(_TO_CANVAS):
        written = _in_canvas(content)
        return Turn(who, written, when(message.get("create_time")), line) if written else None
    is_aside = metadata.get("is_visually_hidden_from_conversation") or to not in (None, "all", _TO_MEMORY)
    if who is None or is_aside or content.get("content_type") not in _SPOKEN:
        return None
    parts = content.get("parts")
    said = [_without_marks(_part_text(part), metadata) for part in (parts if isinstance(parts, list) else [])]
    files = metadata.get("attachments")
    for file in map(_map, files if isinstance(files, list) else []):
        is_picture = str(file.get("mime_type") or file.get("mimeType")).startswith("image/")
        said += [] if is_picture else [f"[{one_line(file.get('name')) or 'attachment'}]"]
    text = "\n\n".join(filter(None, said))
    return Turn(who, text, when(message.get("create_time")), line) if text else None


def _in_canvas(content: Mapping[str, Any]) -> str:
    """Return what a message to the canvas writes: a document with its name, or the text that an update puts in."""
    parts = content.get("parts")
    text = content.get("text") or (parts[0] if isinstance(parts, list) and parts else None)
    try:
        call = _map(json.loads(text)) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return ""
    updates = call.get("updates")
    new = [_map(update).get("replacement") for update in (updates if isinstance(updates, list) else [])]
    said = [clean(one).strip() for one in (call.get("name"), call.get("content"), *new) if isinstance(one, str)]
    return "\n\n".join(filter(None, said))


def _document(source: ImportSource, where: str, name: str, value: Any) -> Iterator[Draft | Skipped]:
    """Yield a note with a document of the canvas that has a file of its own."""
    document = _map(value)
    content = document.get("content")
    if not isinstance(content, str) or not content.strip():
        yield Skipped(where, "it has no text")
        return
    document_id = one_line(document.get("id")) or name.rpartition("/")[2].removesuffix(".json")
    data, _ = laid_out(document, "comments")
    yield Draft(
        key=f"textdoc/{document_id}",
        where=where,
        type="note",
        title=one_line(document.get("title")),
        body=content,
        source="a document in ChatGPT's canvas",
        source_type="told_by_agent",
        author="si:chatgpt",
        made=when(document.get("updated_at"), saved=source.saved_at(name)),
        cites=(CitedLines(_original(f"textdoc-{document_id}", data), 1, data.count(b"\n")),),
        values={"platform": "ChatGPT"},
    )


def _part_text(part: object) -> str:
    """Return a part of a message as text; a picture or a recording is replaced by the name of its kind."""
    if isinstance(part, dict):
        said = part.get("text")
        kind = one_line(part.get("content_type")).removesuffix("_asset_pointer").replace("_", " ")
        return clean(said).strip() if isinstance(said, str) else f"[{kind or 'attachment'}]"
    return clean(part).strip() if isinstance(part, str) else ""


_MARK = re.compile("\ue200[^\ue200\ue201]*\ue201")


def _without_marks(text: str, metadata: Mapping[str, Any]) -> str:
    """Return a text with its marks, as of citations, replaced by what a person sees in their place.

    A mark is a word between private characters, which says nothing without the references beside the message.
    """
    if "\ue200" not in text:
        return text
    references = metadata.get("content_references")
    for reference in map(_map, references if isinstance(references, list) else []):
        mark, shown = reference.get("matched_text"), reference.get("alt")
        if isinstance(mark, str) and isinstance(shown, str) and _MARK.fullmatch(mark):
            text = text.replace(mark, clean(shown))
    return _MARK.sub("", text).strip()


# -- Claude ----------------------------------------------------------------------------------------


_CLAUDE_FILES = r"(?:.*/)?(?:conversations(?:-\d+)?|conversations/[^/]+)\.json"
_CLAUDE_DESIGNS = r"(?:.*/)?design_chats/[^/]+\.json"
_CLAUDE_MEMORIES = r"(?:.*/)?(?:memories|memories/[^/]+)\.json"
_CLAUDE_PROJECTS = r"(?:.*/)?(?:projects|projects/[^/]+)\.json"
_CLAUDE_USERS = r"(?:.*/)?users\.json"
_SENDERS = {"human": PERSON, "assistant": MODEL}


def claude(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield the conversations of a Claude export, its projects, and Claude's memories of the person and of each.

    An export is one archive with all of these, or one for each.
    """
    parts = [source.matching(kind) for kind in (_CLAUDE_DESIGNS, _CLAUDE_MEMORIES, _CLAUDE_PROJECTS)]
    designs, memories, projects = parts if source.is_folder else ((), (), ())
    users = _users(source)
    if not (designs or memories or projects) or source.matching(_CLAUDE_FILES):
        talks = _read(source, _conversations(source, _CLAUDE_FILES), "conversations")
        yield from _each(
            talks, lambda where, _, value: _drafts(where, _of_claude(where, value, users), "Claude", "si:claude")
        )
    yield from _each(
        _read(source, designs), lambda where, _, value: _drafts(where, _design(where, value), "Claude", "si:claude")
    )
    called = {
        one_line(project.get("uuid")): one_line(project.get("name"))
        for one in _read(source, projects if memories else ())
        for project in [_map(one.value)]
    }
    yield from _each(_read(source, memories), lambda where, name, value: _memories(source, where, name, value, called))
    yield from _each(_read(source, projects), partial(_project, source))


def _users(source: ImportSource) -> Mapping[str, str]:
    """Return the names of those whose conversations an export may have, by their ids, if they are several."""
    there = [_map(one.value) for one in _read(source, source.matching(_CLAUDE_USERS) if source.is_folder else ())]
    named = {one_line(user.get("uuid")): one_line(user.get("full_name") or user.get("email_address")) for user in there}
    often = Counter(map(str.casefold, named.values()))
    return {
        key: key if not name else name if often[name.casefold()] == 1 else f"{name} {key}"
        for key, name in (named.items() if len(named) > 1 else ())
        if key
    }


def _of_claude(where: str, value: Any, users: Mapping[str, str]) -> Talk:
    talk_id = _text_of(where, value, "uuid")
    messages = value.get("chat_messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise FormatError("the conversation has no list `chat_messages`", where=where, hint="export it again")
    data, lines = laid_out(value, "chat_messages")
    turns = [turn for at in _thread(messages) if (turn := _message(messages[at], lines[at]))]
    account = one_line(_map(value.get("account")).get("uuid"))
    made, user = when(value.get("created_at")), (users.get(account) or account if users else "")
    return Talk(talk_id, one_line(value.get("name")), made, turns, _original(talk_id, data), user)


def _design(where: str, value: Any) -> Talk:
    """Return a conversation about a design: its messages are nested deeper, and its project names it."""
    talk_id = _text_of(where, value, "uuid")
    messages = value.get("messages")
    if not isinstance(messages, list):
        raise FormatError("the conversation has no list `messages`", where=where, hint="export it again")
    data, lines = laid_out(value, "messages")
    turns = []
    for at, message in enumerate(map(_map, messages)):
        content = _map(message.get("content"))
        who = _ROLES.get(str(message.get("role") or content.get("role")))
        said = content.get("content")
        if who and isinstance(said, str) and (text := clean(said).strip()):
            turns.append(Turn(who, text, when(message.get("created_at"), content.get("timestamp")), lines[at]))
    title = one_line(_map(value.get("project")).get("name")) or one_line(value.get("title"))
    return Talk(talk_id, title, when(value.get("created_at")), turns, _original(talk_id, data))


def _thread(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the indices of the messages that lead to the last one; of all messages if none names its parent."""
    places = {message.get("uuid"): at for at, message in enumerate(messages)}
    if not any(message.get("parent_message_uuid") in places for message in messages):
        return [*range(len(messages))]
    found: dict[int, None] = {}
    at: int | None = len(messages) - 1
    while at is not None and at not in found:
        found[at] = None
        at = places.get(messages[at].get("parent_message_uuid"))
    return [*reversed(found)]


def _message(message: Mapping[str, Any], line: int) -> Turn | None:
    who = _SENDERS.get(str(message.get("sender")))
    blocks = message.get("content")
    said = [
        clean(str(block.get("text"))).strip()
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") in _SAID and isinstance(block.get("text"), str)
    ]
    whole = message.get("text")
    said = [*filter(None, said)] or ([clean(whole).strip()] if isinstance(whole, str) else [])
    files = []
    for name, content in _attached(message):
        if content and who == PERSON and _PASTE.fullmatch(name):
            said.append(content)
        else:
            said.append(f"[{name or 'attachment'}]")
            files += [(name, content)] if content else []
    text = "\n\n".join(filter(None, said))
    return Turn(who, text, when(message.get("created_at")), line, files) if who and text else None


_SAID = ("text", "voice_note")
# What a long paste is called: it has no name, or none that a person gave it.
_PASTE = re.compile(r"(?:past\w*(?:[ _-]?(?:text|content))?[ _()\d-]*(?:\.txt)?)?", re.IGNORECASE)


def _attached(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of the files of a message, each with what it says, as far as the export has that."""
    texts: dict[str, str] = {}
    for key in ("attachments", "files"):
        there = message.get(key)
        for file in map(_map, there if isinstance(there, list) else []):
            name, content = one_line(file.get("file_name")), file.get("extracted_content")
            said = clean(content).strip() if isinstance(content, str) else ""
            if said:
                yield name, said
                texts[name] = said
            elif name not in texts:
                yield name, ""
                texts[name] = ""


def _memories(
    source: ImportSource, where: str, name: str, value: Any, called: Mapping[str, str]
) -> Iterator[Draft | Skipped]:
    """Yield a note for Claude's memory of the person, one for each project, and one for each file of its memory.

    `called` has the names of projects by their ids.
    """
    if not isinstance(value, dict):
        raise FormatError("memories must be an object", where=where, hint="export it again")
    account = one_line(value.get("account_uuid"))
    projects = _map(value.get("project_memories"))
    texts = {"": value.get("conversations_memory"), **projects}
    files = value.get("memory_files")
    data, _ = laid_out(value, "project_memories")
    original = _original(f"memories-{account}" if account else "memories", data)
    for project, text in texts.items():
        if isinstance(text, str) and text.strip():
            yield Draft(
                key=f"memory/{account}/{project}",
                where=where,
                type="note",
                title=f"What Claude remembers of project {called.get(project) or project}"
                if project
                else "What Claude remembers",
                body=text,
                source="Claude's memory",
                source_type="told_by_agent",
                author="si:claude",
                made=when(saved=source.saved_at(name)),
                cites=(CitedLines(original, 1, data.count(b"\n")),),
                values={"platform": "Claude"},
            )
    for file in map(_map, files if isinstance(files, list) else []):
        text, path = file.get("content"), one_line(file.get("path"))
        if isinstance(text, str) and text.strip():
            yield Draft(
                key=f"memory/{account}/file/{path}",
                where=where,
                type="note",
                title=path,
                body=text,
                source="Claude's memory",
                source_type="told_by_agent",
                author="si:claude",
                made=when(file.get("updated_at"), saved=source.saved_at(name)),
                cites=(CitedLines(original, 1, data.count(b"\n")),),
                values={"platform": "Claude"},
            )


def _project(source: ImportSource, where: str, name: str, value: Any) -> Iterator[Draft | Skipped]:
    """Yield a note with a project's description and instructions, and one for each document that was put into it."""
    if not isinstance(value, dict):
        raise FormatError("a project must be an object", where=where, hint="export it again")
    project_id, called = _text_of(where, value, "uuid"), one_line(value.get("name"))
    if value.get("is_starter_project"):
        yield Skipped(where, "it is an example that Claude made")
        return
    data, lines = laid_out(value, "docs")
    original = _original(f"project-{project_id}", data)
    made = when(value.get("created_at"), saved=source.saved_at(name))
    said = [text for key in ("description", "prompt_template") if isinstance(text := value.get(key), str)]
    if text := "\n\n".join(filter(None, (clean(one).strip() for one in said))):
        yield Draft(
            key=f"project/{project_id}",
            where=where,
            type="note",
            title=f"Project {called}",
            body=text,
            source="a project in Claude",
            source_type="told_by_human",
            by_person=True,
            made=made,
            cites=(CitedLines(original, 1, data.count(b"\n")),),
            values={"platform": "Claude"},
        )
    documents = value.get("docs")
    for at, document in enumerate(documents if isinstance(documents, list) else []):
        known = _map(document)
        content = known.get("content")
        if not isinstance(content, str) or not content.strip():
            yield Skipped(where, f"document {at + 1} of the project {called} has no text")
            continue
        yield Draft(
            key=f"project/{project_id}/{one_line(known.get('uuid')) or at}",
            where=where,
            type="note",
            title=one_line(known.get("filename")) or f"Project {called}",
            body=content,
            source=f"a document in Claude's project {called}",
            source_type="unknown",
            made=when(known.get("created_at")) if known.get("created_at") else made,
            cites=(CitedLines(original, lines[at], lines[at]),),
            values={"platform": "Claude"},
        )


# -- both ------------------------------------------------------------------------------------------


class _Record(NamedTuple):
    """A record of a file: its place for messages, the file's name, and its value or why it can't be read."""

    where: str
    name: str
    value: Any
    why: str


class _NotToBeRememberedError(Exception):
    """Whoever had the conversation asked for it not to be remembered."""


def _conversations(source: ImportSource, pattern: str) -> Sequence[str]:
    names = source.matching(pattern) if source.is_folder else source.names
    if not names:
        raise FormatError(
            f"there is no conversations.json in {source.name}", hint="name the archive, its folder or the file itself"
        )
    return names


def _read(source: ImportSource, names: Sequence[str], *under: str) -> Iterator[_Record]:
    for name in names:
        with source.stream(name) as stream:
            for item in items(stream, under=under):
                yield _Record(source.where(name, item.line), name, item.value, item.why)


def _each(
    records: Iterator[_Record], read: Callable[[str, str, Any], Iterator[Draft | Skipped]]
) -> Iterator[Draft | Skipped]:
    """Yield what each record makes; one that can't be read is named, and the others go on."""
    for one in records:
        if one.why:
            yield Skipped(one.where, one.why, broken=True)
            continue
        try:
            yield from sound(one.where, partial(read, one.where, one.name, one.value))
        except _NotToBeRememberedError:
            yield Skipped(one.where, NOT_TO_BE_REMEMBERED)


def _drafts(where: str, talk: Talk, program: str, model: str) -> Iterator[Draft | Skipped]:
    """Yield the person's turns and the model's answers as separate drafts, each split into parts if it is long.

    A file that was attached is external: the person handed it over, and who wrote it is unknown.
    """
    spoken = [turn for turn in talk.turns if turn.who == PERSON or not is_error(turn.text)]
    turns = to_be_remembered(spoken, lambda turn: turn.text if turn.who == PERSON else None)
    if not turns:
        yield Skipped(where, NOT_TO_BE_REMEMBERED if spoken else "it has no messages")
        return
    if len(turns) < len(spoken):
        yield Skipped(where, f"{len(spoken) - len(turns)} of its turns: {NOT_TO_BE_REMEMBERED}")
    said: list[tuple[str, str]] = []
    common: dict[str, Any] = {
        "where": where,
        "type": "raw",
        "source": f"a conversation with {program}",
        "user": talk.user,
        "values": {"platform": program, "origin": {"session_id": one_line(talk.id)}},
    }
    for who, source_type, author, ending in (
        (PERSON, "told_by_human", None, ""),
        (MODEL, "told_by_agent", model, " (answers)"),
    ):
        whole = [turn for turn in turns if turn.who == who]
        for number, pieces in enumerate(in_parts(turn.text for turn in whole), 1):
            some = [whole[place]._replace(text=text) for place, text in pieces]
            part = f" ({number})" if number > 1 else ""
            key = f"{talk.id}/{who}{part}"
            unread = next((turn.made.unread for turn in some if turn.made.unread), talk.made.unread)
            yield Draft(
                **common,
                key=key,
                title=f"{talk.title or one_line(turns[0].text, 60)}{ending}{part}",
                body="\n\n".join(_shown(turn) for turn in some),
                source_type=source_type,
                author=author,
                by_person=who == PERSON,
                made=When(some[0].made.at or talk.made.at, unread),
                cites=(CitedLines(talk.original, some[0].line, some[-1].line),),
                derived_from=tuple(said) if who == MODEL else (),
            )
            if who == PERSON:
                said.append((key, "raw"))
    for turn in turns:
        for number, (name, text) in enumerate(turn.files, 1):
            yield Draft(
                **common,
                key=f"{talk.id}/file/{turn.line}/{number}",
                title=name,
                body=text,
                source_type=EXTERNAL,
                made=turn.made if turn.made.at else talk.made,
                cites=(CitedLines(talk.original, turn.line, turn.line),),
            )


def _shown(turn: Turn) -> str:
    """Return a turn below a heading with its time and its line in the original."""
    at = turn.made.at.replace("T", " ").removesuffix("Z")[:16] if turn.made.at else "at some time"
    return f"## {at} (L{turn.line})\n\n{turn.text}"


def _original(talk_id: str, data: bytes) -> Original:
    return Original(f"{talk_id}.json", data)


def _text_of(where: str, value: Any, *names: str) -> str:
    if not isinstance(value, dict):
        raise FormatError("this is not a conversation", where=where)
    found = next((value[name] for name in names if isinstance(value.get(name), str) and value[name]), None)
    if found is None:
        raise FormatError(f"the conversation has no `{names[0]}`", where=where, hint="export it again")
    return str(found)


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
