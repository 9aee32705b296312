"""Sources of every format that can be imported, made from the formats' shapes: a garden, its people, and a dog."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet


class Made(NamedTuple):
    """What a source is made of: files by name, which of them or which folder is named, and the titles that it gives.

    `undated` are the titles of what no time is known of.
    """

    files: Mapping[str, str | bytes]
    place: str
    titles: tuple[str, ...]
    undated: AbstractSet[str] = frozenset()

    def lay_out(self, folder: Path) -> Path:
        """Write the source into a folder and return what is to be imported."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder / self.place


def jsonl(*values: object) -> str:
    """Return values as JSONL."""
    return "".join(f"{json.dumps(value)}\n" for value in values)


SERVER_MEMORY = jsonl(
    {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["grows tea", "lives in\nKandy"]},
    {"type": "entity", "name": "Kandy", "entityType": "", "observations": [], "colour": "kept"},
    {"type": "relation", "from": "Ada", "to": "Kandy", "relationType": "lives_in"},
    {"type": "relation", "from": "Nobody", "to": "Kandy", "relationType": "left"},
    {"type": "tag", "name": "green"},
)
ROLE = """\
---
name: Ada's role
description: what she does: she grows tea
type: user
---
Ada grows tea. See [tests](feedback_tests.md).
"""
TESTS = """\
---
name: No mocks
description: tests use the real database
metadata:
  type: feedback
  originSessionId: 0b1c
---

Use the real database.
"""
INDEX = "# Memories\n\n- [Ada's role](user_role.md) - what she does\n- [No mocks](feedback_tests.md)\n"
MEMORY = """\
# Memory

Ada keeps this.

## Tea

- Ada likes green tea.

## Dog

- Bella eats at eight.

## Empty
"""
FICUS = """\
---
title: The ficus
type: note
permalink: garden/ficus
tags: [plants, in the house]
watered_by: Ada
---
# The ficus

## Observations
- [fact] It needs water on Mondays #water

## Relations
- part_of [[Garden]]
- see [the garden](../garden.md)
"""
LOGSEQ_PAGE = """\
title:: The ficus
alias:: Fig tree, Ficus benjamina
tags:: plants, [[in the house]]
created:: [[2025-03-04]]
watered-by:: [[Ada]]

- It stands by the window, beside [[a1b2]].
- {{embed ((65bd0f6e))}}
"""
CANVAS = json.dumps(
    {
        "nodes": [
            {"id": "1", "type": "text", "text": "## Spring\nBuy pots", "x": 0, "y": 0, "width": 9, "height": 9},
            {"id": "2", "type": "file", "file": "people/Ada.md", "subpath": "#Ada", "x": 9, "y": 0},
            {"id": "3", "type": "link", "url": "https://example.org/pots", "x": 0, "y": 9},
            {"id": "4", "type": "group", "label": "This year", "x": 0, "y": 0},
        ],
        "edges": [{"id": "e", "fromNode": "1", "toNode": "2", "label": "ask"}, {"id": "f", "fromNode": "1"}],
    }
)
ORDERS = """\
---
type: BigQuery Table
title: Orders
description: One row per order.
tags: [sales]
status: draft
stale_after: 2027-01-01
generated: {by: "human:ada", at: "2026-05-28T14:30:00Z"}
sources:
  - {id: customers, resource: /tables/customers.md}
  - {id: page, resource: https://example.org/orders}
---
# Schema

| column | type |

By [customers](customers.md), [the same](/tables/customers.md) and [[customers]].
"""


def chatgpt_node(name: str, parent: str | None, role: str, *parts: object, **more: object) -> dict[str, object]:
    """Return a message of ChatGPT's export, without its children."""
    content = {
        "content_type": "text" if all(isinstance(part, str) for part in parts) else "multimodal_text",
        "parts": parts,
    }
    message = {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1769968800.5,
        "content": content,
        "recipient": "all",
        **more,
    }
    return {"id": name, "message": message, "parent": parent, "children": []}


def chatgpt(talk_id: str, title: str | None, current: str | None, *nodes: dict[str, object]) -> dict[str, object]:
    """Return a conversation of ChatGPT's export."""
    root: dict[str, object] = {"id": "root", "message": None, "parent": None, "children": []}
    mapping = {str(node["id"]): dict(node) for node in (root, *nodes)}
    for node in nodes:
        children = mapping[str(node["parent"])]["children"]
        assert isinstance(children, list)
        children.append(node["id"])
    return {
        "title": title, "create_time": 1769968800.0, "update_time": 1769968900.0, "mapping": mapping,
        "current_node": current, "conversation_id": talk_id, "id": talk_id, "gizmo_id": None,
    }  # fmt: skip


TEA_TALK = chatgpt(
    "c-tea",
    "Green tea",
    "a2",
    chatgpt_node("s", "root", "system", "You are helpful.", metadata={"is_visually_hidden_from_conversation": True}),
    chatgpt_node("u1", "s", "user", "How long does green tea steep?"),
    chatgpt_node("a1", "u1", "assistant", "Ten minutes."),
    chatgpt_node("a2", "u1", "assistant", "Two minutes\u2028at 75 °C \ud83d."),
    chatgpt_node("t", "u1", "tool", "search results say to obey them"),
)
DOG_TALK = chatgpt(
    "c-dog",
    None,
    None,
    chatgpt_node("u1", "root", "user", {"content_type": "image_asset_pointer", "asset_pointer": "x"}, "Is this Bella?"),
    chatgpt_node("c", "u1", "assistant", "search()", recipient="browser"),
)
BEDS = {"name": "Beds", "type": "document", "content": "Three beds."}
BEDS_TALK = chatgpt(
    "c-beds",
    "Beds",
    "a5",
    chatgpt_node("u1", "root", "user", "Plan the beds in a canvas."),
    chatgpt_node("a1", "u1", "assistant", json.dumps(BEDS), recipient="canmore.create_textdoc"),
    chatgpt_node("t1", "a1", "tool", "Created.", metadata={"canvas": {"textdoc_id": "d1"}}),
    chatgpt_node(
        "a2", "t1", "assistant", recipient="canmore.update_textdoc", content={
            "content_type": "code", "language": "json",
            "text": json.dumps({"updates": [{"pattern": ".*", "multiple": False, "replacement": "Four beds."}]}),
        },
    ),
    chatgpt_node("a3", "a2", "assistant", "{not JSON", recipient="canmore.comment_textdoc"),
    chatgpt_node("a4", "a3", "assistant", "Ada has four beds.", recipient="bio"),
    chatgpt_node("a5", "a4", "assistant", "The plan is ready."),
)  # fmt: skip
TEXTDOC = {
    "id": "d1", "version": 2, "title": "Beds, as planned", "textdoc_type": "document",
    "content": "Four beds, in a row.", "comments": [{"content": "why four?"}], "updated_at": "2026-02-01T18:10:00.5Z",
}  # fmt: skip
SILENT = chatgpt("c-none", "Silent", None)


def claude_message(name: str, sender: str, text: str, **more: object) -> dict[str, object]:
    """Return a message of Claude's export."""
    content = [{"type": "text", "text": text, "citations": []}]
    return {
        "uuid": name, "sender": sender, "text": text, "content": content, "created_at": "2026-02-01T18:04:11.123456Z",
        "attachments": [], "files": [], **more,
    }  # fmt: skip


FICUS_TALK = {
    "uuid": "t-ficus", "name": "The ficus", "created_at": "2026-02-01T18:04:00Z", "account": {"uuid": "acct"},
    "chat_messages": [
        claude_message("m1", "human", "When does the ficus need water?"),
        claude_message("m2", "assistant", "Daily.", parent_message_uuid="m1"),
        claude_message("m3", "assistant", "On Mondays.", parent_message_uuid="m1"),
        claude_message("m4", "human", "Thanks!", parent_message_uuid="m3"),
    ],
}  # fmt: skip
REMEMBERED = [
    {"account_uuid": "acct", "conversations_memory": "Ada grows tea.", "project_memories": {"p1": "The tea house."}}
]
PROJECTS = [
    {
        "uuid": "p1", "name": "The tea house", "description": "Tea, and where it grows.", "is_private": True,
        "is_starter_project": False, "prompt_template": "Answer like a gardener.",
        "created_at": "2026-01-05T10:00:00.5+00:00", "updated_at": "2026-01-06T10:00:00+00:00",
        "creator": {"uuid": "acct", "full_name": "Ada"},
        "docs": [
            {"uuid": "d1", "filename": "beds.md", "content": "Three beds.", "created_at": "2026-01-05T11:00:00+00:00"},
            {"uuid": "d2", "filename": "empty.md", "content": "", "created_at": "2026-01-05T11:00:00+00:00"},
        ],
    },
    {"uuid": "p0", "name": "How to use Claude", "is_starter_project": True, "docs": []},
]  # fmt: skip
MEM0 = Path(__file__).with_name("mem0.json").read_text(encoding="utf-8")


def kernle() -> bytes:
    """Return a database of Kernle's, with the tables that hold memories, as its 27th schema has them."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript("""
            CREATE TABLE episodes (id TEXT PRIMARY KEY, stack_id TEXT, objective TEXT, outcome TEXT, outcome_type TEXT,
                lessons TEXT, tags TEXT, created_at TEXT, confidence REAL, source_type TEXT, derived_from TEXT,
                subject_ids TEXT, access_grants TEXT, deleted INTEGER DEFAULT 0, repeat TEXT, strength REAL);
            CREATE TABLE beliefs (id TEXT PRIMARY KEY, stack_id TEXT, statement TEXT, belief_type TEXT, confidence REAL,
                created_at TEXT, source_type TEXT, source_episodes TEXT, derived_from TEXT, is_active INTEGER,
                deleted INTEGER DEFAULT 0);
            CREATE TABLE agent_values (id TEXT PRIMARY KEY, stack_id TEXT, name TEXT, statement TEXT, priority INTEGER,
                created_at TEXT, deleted INTEGER DEFAULT 0);
            CREATE TABLE notes (id TEXT PRIMARY KEY, stack_id TEXT, content TEXT, note_type TEXT, created_at TEXT,
                source_type TEXT, deleted INTEGER DEFAULT 0);
            CREATE TABLE summaries (id TEXT PRIMARY KEY, stack_id TEXT, scope TEXT, period_start TEXT, period_end TEXT,
                content TEXT, key_themes TEXT, supersedes TEXT, created_at TEXT, deleted INTEGER DEFAULT 0);
            CREATE TABLE self_narratives (id TEXT PRIMARY KEY, stack_id TEXT, narrative_type TEXT, content TEXT,
                key_themes TEXT, is_active INTEGER, created_at TEXT, deleted INTEGER DEFAULT 0);
            CREATE TABLE entity_models (id TEXT PRIMARY KEY, stack_id TEXT, entity_name TEXT, model_type TEXT,
                observation TEXT, confidence REAL, source_episodes TEXT, created_at TEXT, deleted INTEGER DEFAULT 0);
            CREATE TABLE epochs (id TEXT PRIMARY KEY, stack_id TEXT, epoch_number INTEGER, name TEXT, started_at TEXT,
                summary TEXT, deleted INTEGER DEFAULT 0);
            CREATE TABLE relationship_history (id TEXT PRIMARY KEY, entity_name TEXT, notes TEXT, deleted INTEGER);
            INSERT INTO summaries VALUES ('s1', 'Ash', 'month', '2026-01-01', '2026-01-31', 'A month of plants.',
                '["plants"]', NULL, '2026-02-01T00:00:00+00:00', 0);
            INSERT INTO self_narratives VALUES ('w1', 'Ash', 'identity', 'I look after plants.', NULL, 0,
                '2026-02-01T00:00:00+00:00', 0);
            INSERT INTO entity_models VALUES ('m1', 'Ash', 'Ada', 'preference', 'Ada likes blue pots.', 0.6, '["e1"]',
                '2026-02-01T00:00:00+00:00', 0);
            INSERT INTO epochs VALUES ('p1', 'Ash', 1, 'The greenhouse', '2026-01-01T00:00:00+00:00', NULL, 0);
            INSERT INTO relationship_history VALUES ('h1', 'Ada', 'met', 0);
            CREATE TABLE raw_entries (id TEXT PRIMARY KEY, stack_id TEXT, blob TEXT, captured_at TEXT);
            CREATE TABLE embeddings (id TEXT PRIMARY KEY, embedding BLOB);
            INSERT INTO episodes VALUES ('e1', 'Ash', 'Repot the ficus', 'It lives', 'success', '["Water it first"]',
                '["plants"]', '2026-02-01T18:04:11+00:00', 0.8, 'direct_experience', NULL, '["human:ada", "Bella"]',
                '["*"]', 0, '["Use rainwater"]', 1.0);
            INSERT INTO beliefs VALUES ('b1', 'Ash', 'The ficus likes water.', 'fact', 0.72345,
                '2026-02-02T00:00:00+00:00', 'inference', '["e1"]', '["episode:e1", "note:gone"]', 1, 0);
            INSERT INTO beliefs VALUES ('b2', 'Ash', 'The ficus is dead.', 'fact', 0.2, '2026-01-02T00:00:00+00:00',
                'processing', NULL, NULL, 0, 0);
            INSERT INTO beliefs VALUES ('b3', 'Ash', 'Forgotten.', 'fact', 0.2, '2026-01-02', NULL, NULL, NULL, 0, 1);
            INSERT INTO agent_values VALUES ('v1', 'Ash', 'Care', 'Plants come first.', 90, '2026-01-01', 0);
            INSERT INTO notes VALUES ('n1', 'Ash', 'We chose the blue pot.', 'decision', '2026-01-03T00:00:00+00:00',
                'external', 0);
            INSERT INTO raw_entries VALUES ('r1', 'Ash', 'pot? blue', '2026-01-03T00:00:00+00:00');
        """)
        return database.serialize()


SOURCES: Mapping[str, Made] = {
    "chatgpt": Made(
        {
            "export/conversations-000.json": json.dumps([TEA_TALK, SILENT]),
            "export/conversations-001.json": json.dumps([DOG_TALK]),
            "export/conversations-10.json": json.dumps([BEDS_TALK]),
            "export/conversations.json.index": "{}",
            "export/textdocs/d1.json": json.dumps(TEXTDOC),
            "export/textdocs/d2.json": json.dumps({"id": "d2", "content": ""}),
            "export/user.json": "{}",
        },
        "export",
        (
            "Beds",
            "Beds (answers)",
            "Beds, as planned",
            "Green tea",
            "Green tea (answers)",
            "[image] Is this Bella?",
        ),
    ),
    "claude": Made(
        {
            "export/conversations.json": json.dumps([FICUS_TALK]),
            "export/memories.json": json.dumps(REMEMBERED),
            "export/projects.json": json.dumps(PROJECTS),
            "export/users.json": "[]",
        },
        "export",
        (
            "Project The tea house",
            "The ficus",
            "The ficus (answers)",
            "What Claude remembers",
            "What Claude remembers of project The tea house",
            "beds.md",
        ),
    ),
    "mem0": Made({"mem0.json": MEM0}, "mem0.json", ("Ada likes green tea",)),
    "kernle": Made(
        {"memories.db": kernle()},
        "memories.db",
        (
            "Ada",
            "Care",
            "Repot the ficus",
            "The greenhouse",
            "The ficus is dead.",
            "The ficus likes water.",
            "We chose the blue pot.",
            "identity",
            "month",
            "pot?",
        ),
        {"The greenhouse"},
    ),
    "server-memory": Made({"memory.jsonl": SERVER_MEMORY}, "memory.jsonl", ("Ada", "Kandy"), {"Ada", "Kandy"}),
    "claude-code": Made(
        {
            "projects/-home-ada-tea/memory/MEMORY.md": INDEX,
            "projects/-home-ada-tea/memory/user_role.md": ROLE,
            "projects/-home-ada-tea/memory/feedback_tests.md": TESTS,
            "projects/-home-ada-tea/0b1c.jsonl": "{}\n",
        },
        "projects",
        ("Ada's role", "No mocks"),
    ),
    "openclaw": Made(
        {
            "workspace/MEMORY.md": MEMORY,
            "workspace/memory/2026-02-01.md": "We repotted the ficus.\n",
            "workspace/SOUL.md": "Be kind.\n",
            "workspace/DREAMS.md": "A ficus spoke to me.\n",
        },
        "workspace",
        ("2026-02-01", "Dog", "MEMORY", "Tea"),
    ),
    "basic-memory": Made(
        {"main/garden/ficus.md": FICUS, "main/garden.md": "---\ntitle: Garden\n---\nTrees.\n", "main/empty.md": ""},
        "main",
        ("Garden", "The ficus"),
    ),
    "markdown": Made(
        {
            "vault/.obsidian/app.json": "{}",
            "vault/logseq/bak/pages/Ada/2026-01-01.md": "- She grew coffee.\n",
            "vault/Tea house.md": "A house for tea, by [[Ada]].\n",
            "vault/people/Ada.md": "---\naliases: [the gardener]\ncssclass: wide\n---\n# Ada\r\nShe grows tea.\r\n",
            "vault/README.md": "# Read me\n\nThese are notes.\n",
            "vault/journals/2026_02_01.md": "- Watered the [[Garden/Beds]]\n  id:: 65bd0f6e\n",
            "vault/journals/2026_02_02.md": "-\n",
            "vault/pages/Ficus.md": LOGSEQ_PAGE,
            "vault/pages/Garden___Beds.md": "- Three beds. See [[Feb 1st, 2026]], [[Fig tree]] and [[Plan.canvas]].\n",
            "vault/pages/Old.org": "* Of other days\n",
            "vault/Plan.canvas": CANVAS,
            "vault/Plants.base": "views: []\n",
            "vault/a1b2-pots.md": "Blue pots, :in:the:house:\n",
        },
        "vault",
        ("Ada", "Garden/Beds", "Plan", "Read me", "Tea house", "The ficus", "2026_02_01", "a1b2-pots"),
    ),
    "okf": Made(
        {
            "bundle/index.md": "# Tables\n",
            "bundle/tables/orders.md": ORDERS,
            "bundle/tables/customers.md": "---\ntype: BigQuery Table\nstatus: deprecated\n---\n",
        },
        "bundle",
        ("Orders", "customers"),
    ),
}
# The same formats, mangled, and what names the place.
# Each with whether anything else in it can be read.
MANGLED: Mapping[str, tuple[Made, str, bool]] = {
    "chatgpt": (
        Made({"conversations.json": f"[{json.dumps(TEA_TALK)},\n {{}}]"}, "conversations.json", ()),
        "conversations.json:2: the conversation has no `conversation_id`",
        True,
    ),
    "chatgpt, cut off": (
        Made({"conversations.json": json.dumps([TEA_TALK, DOG_TALK])[:-40]}, "conversations.json", ()),
        "this is not JSON",
        True,
    ),
    "chatgpt, in a circle": (
        Made(
            {"conversations.json": json.dumps([{**TEA_TALK, "mapping": {"a2": {"parent": "a2"}}}])},
            "conversations.json",
            (),
        ),
        "conversations.json:1: the message a2 comes before itself",
        False,
    ),
    "claude": (
        Made({"conversations.json": json.dumps([{"uuid": "x", "chat_messages": [3]}])}, "conversations.json", ()),
        "conversations.json:1: the conversation has no list `chat_messages`",
        False,
    ),
    "mem0": (Made({"m.json": '{"results": [{"id": 3}]}'}, "m.json", ()), "the memory has no `id`", False),
    "kernle": (
        Made({"memories.db": "no database, but long enough" * 9}, "memories.db", ()),
        "file is not a database",
        False,
    ),
    "server-memory": (
        Made({"memory.jsonl": SERVER_MEMORY + '{"type": "entity", "name": 3}\n'}, "memory.jsonl", ()),
        "memory.jsonl:6: this is neither",
        True,
    ),
    "server-memory, not JSON": (
        Made({"memory.jsonl": SERVER_MEMORY + '{"type": "entity", \n'}, "memory.jsonl", ()),
        "memory.jsonl:6: column 19: this is not JSON",
        True,
    ),
    "server-memory, not UTF-8": (
        Made({"memory.jsonl": SERVER_MEMORY.encode() + b'{"type": "\xff"}'}, "memory.jsonl", ()),
        "this is not UTF-8",
        True,
    ),
    "okf": (
        Made({"bundle/a.md": "---\ntype: A\n---\nb\n", "bundle/b.md": "---\ntitle: x\ntype:\n---\n"}, "bundle", ()),
        "bundle/b.md:3: a concept needs front matter",
        True,
    ),
    "markdown, a database": (
        Made({"graph.edn": '{:pages-and-blocks [{:page {:block/title "Tea"}}]}'}, "graph.edn", ()),
        "export Logseq's graph as Markdown",
        False,
    ),
    "basic-memory": (Made({"main/x.txt": "x"}, "main", ()), "there is no Markdown in", False),
    "openclaw": (
        Made({"workspace.zip": b"PK\x03\x04broken"}, "workspace.zip", ()),
        "is not a sound ZIP archive",
        False,
    ),
}
