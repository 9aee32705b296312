"""The formats that can be imported, by the name that `memstore import` gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.exchange import chats, folders, kernle, mem0, server_memory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.exchange.draft import Importer

IMPORTERS: Mapping[str, Importer] = {
    "basic-memory": folders.basic_memory,
    "chatgpt": chats.chatgpt,
    "claude": chats.claude,
    "claude-code": folders.claude_code,
    "kernle": kernle.read,
    "markdown": folders.markdown,
    "mem0": mem0.read,
    "okf": folders.okf,
    "openclaw": folders.openclaw,
    "server-memory": server_memory.read,
}
