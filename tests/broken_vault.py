"""A vault in which every file has another thing wrong with it, and what is to be said of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Broken:
    """A file's bytes, and the finding that names it; `mended` is the line that would do, where there is one."""

    data: bytes
    code: str
    line: int
    mended: str | None = None


def _memory(head: str, body: str = "A text about the kettle.\n") -> bytes:
    return f"---\ntype: note\n{head}\n---\n{body}".encode()


# Files that can't be read as memories, by name.
BROKEN: dict[str, Broken] = {
    "unclosed.md": Broken(b"---\ntype: note\nsource: si:ash\n\nA text about the kettle.\n", "fence-unclosed", 1),
    "almost-closed.md": Broken(b"---\ntype: note\n----\nA text about the kettle.\n", "fence-unclosed", 3, "---"),
    "duplicate-keys.md": Broken(
        _memory("access_grants: [human:sean]\naccess_grants: [human:tom]"), "yaml-duplicate-key", 4
    ),
    "tabs.md": Broken(_memory("tags:\n\t- tea"), "yaml-tab", 4, "  - tea"),
    "conflict.md": Broken(
        _memory("<<<<<<< HEAD\nstatus: active\n=======\nstatus: draft\n>>>>>>> other"), "conflict-marker", 3
    ),
    "tag.md": Broken(_memory("title: !!str Tea"), "yaml-tag", 3, "title: Tea"),
    "alias.md": Broken(_memory("access_grants: *friends"), "yaml-alias", 3),
    "bad-utf8.md": Broken(_memory("title: T\xe9").decode().encode("latin-1"), "utf8-invalid", 3),
    "list-as-root.md": Broken(b"---\n- type: note\n- title: Tea\n---\nA text about the kettle.\n", "yaml-root", 2),
    "no-as-key.md": Broken(_memory("no: thanks"), "yaml-key", 3, '"no": thanks'),
    "leading-zero.md": Broken(_memory("tags: [0123]"), "yaml-ambiguous", 3, 'tags: ["0123"]'),
    "scalar-for-list.md": Broken(_memory("access_grants: human:sean"), "value-shape", 3, "access_grants: [human:sean]"),
    "everybody.md": Broken(_memory("access_grants:\n  - *"), "yaml-syntax", 4, '  - "*"'),
    "swallowed-item.md": Broken(
        _memory("access_grants:\n  - human:sean\n    - si:bella"), "yaml-indent", 5, "  - si:bella"
    ),
}
# Files that can be read and must not stand as they are.
AT_ODDS: dict[str, Broken] = {
    "one.md": Broken(_memory("id: m_aaaaaaaaaa\nsource: si:ash"), "id-duplicate", 3),
    "other.md": Broken(_memory("id: m_aaaaaaaaaa\nsource: si:ash"), "id-duplicate", 3),
    "conflict-in-the-text.md": Broken(
        _memory("id: m_bbbbbbbbbb\nsource: si:ash", "<<<<<<< HEAD\nHot.\n=======\nCold.\n>>>>>>> other\n"),
        "conflict-marker", 6,
    ),
}  # fmt: skip
SOUND = {
    "sound.md": _memory("id: m_cccccccccc\nsource: si:ash\ntitle: Kettle"),
    "plain.md": b"No fence, no memory.\n",
}


def files() -> dict[str, bytes]:
    """Return the vault's files."""
    return {name: broken.data for name, broken in (BROKEN | AT_ODDS).items()} | SOUND
