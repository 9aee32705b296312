"""The one skill that teaches an agent memstore: the file that is installed, and served by the MCP server.

How a skill is served: MCP extension io.modelcontextprotocol/skills (SEP-2640).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from memstore.agents.hosts import NAME, SKILL
from memstore.core.errors import VaultError

URI = f"skill://{NAME}/{SKILL}"


def skill() -> bytes:
    """Return the skill as it came with the program."""
    try:
        return Path(__file__).with_name(SKILL).read_bytes()
    except OSError as error:
        raise VaultError("memstore's own file SKILL.md is missing", hint="install memstore again") from error


def frontmatter() -> dict[str, str]:
    """Return the keys at the beginning of the skill, each of which is one line of text."""
    head = skill().decode().split("---\n", 2)[1]
    return {key: value for line in head.splitlines() for key, _, value in [line.partition(": ")]}


def entry() -> dict[str, Any]:
    """Return the skill as a client lists it: where it is, what it is about, and the digest of its one file."""
    data = skill()
    file = {"uri": URI, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}
    return {"uri": URI, "frontmatter": frontmatter(), "resources": [file]}
