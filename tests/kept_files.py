"""Files that never change, by which tests notice that memstore would keep something else of a file than it did."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_FROZEN = Path(__file__).parent / "format" / "v1"
_ACCESS = """---
type: note
id: m_acc0000001
aliases: [Rex the dog, "Tom: the cat"]
status: superseded
owner: human:eve
source_entity: vet:smith
source_chain: [human:bob, si:ash]
subject_ids: [dog:rex, human:bob]
access_grants: ['*', 'group:club']
access_denies: [human:kid]
consent_grants: [human:bob]
context: ctx:walk
derived_from: ["note:m_other00001", "url:https://example.org/a"]
generalized: true
generalization: {verdict: warn, acknowledged_by: human:eve, checks: [names]}
upstream_grants: [["human:bob", "group:club"], []]
---

# A heading #

Rex was *ill* on 3 May.
"""
_FILES = {
    "notes/access.md": _ACCESS,
    "notes/quoted-keys.md": '---\n"type": note\n\'id\': "m_quoted0001"\n"access_grants": ["*"]\n---\nTea.\n',
    "notes/windows.md": "\ufeff---\r\ntype: note\r\nid: m_windows001\r\nowner: human:eve\r\n---\r\n\r\n## Tea ##\r\n",
    "notes/broken.md": "---\ntype: note\nid: m_broken0001\naccess_grants: [human:eve\n---\nTea.\n",
    "notes/twice.md": "---\ntype: note\nid: m_twice00001\nowner: human:eve\nowner: human:bob\n---\nTea.\n",
    "notes/no-type.md": "---\nid: m_notype0001\ntitle: Tea\ntags: [green]\n---\nTea.\n",
    "Plain note v2_plan.md": "Tea with [[Rex]] at 3:30, v1.2; don't #worry.\n\n## Later\n\nMore.\n",
    "people/getHTTPResponse.md": "---\ntags: [parse_level, F09]\naliases: [Łódź]\n---\n"
    "日本語 किताब กาแฟ מלון naïve café l'ami\n",
    "notes/deutsch-m_deutsch001.md": "---\ntype: note\nid: m_deutsch001\ntitle: Die Häuser\n"
    "tags: [Straße, straßenlärm]\n"
    'created_at: "2026-05-08T10:00:00Z"\nclaims: [{subject: "place:park", attribute: "closing_time", value: "21:00"}]\n'
    "---\nDie Häuser, die wir nicht gekauft haben, lagen an der Straße.\n",
    "notes/français.md": "---\ntype: note\nid: m_francais01\n---\n"
    "Les chevaux que nous avons vus n'étaient pas à nous.\n",
    "notes/empty.md": "---\ntype: raw\nid: m_empty00001\n---\n",
    "notes/sealed.md.age": "age-encryption.org/v1\n-> X25519 abc\n",
}
KEPT_FILES = {
    **{path.name: path.read_bytes() for path in sorted(_FROZEN.glob("*.md"))},
    **{path: text.encode() for path, text in _FILES.items()},
}


def digest(found: Iterable[object]) -> str:
    """Return a short digest of what was found, as JSON."""
    return sha256(json.dumps([*found], ensure_ascii=False).encode()).hexdigest()[:12]
