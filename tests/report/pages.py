"""What a page consists of, as a strict reader of HTML sees it; and a vault whose texts try to be markup."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

VOID = frozenset({"meta", "input", "br", "hr", "img"})
ATTACK = "</script></style></title><script>alert(1)</script><img src=x onerror=alert(2)>"
HOSTILE = {
    "a.md": memory_text(
        f"{ATTACK}\n\n]]>--><svg onload=alert(3)>&lt;b&gt; \u202egnisrever\u2066 \x1b[31m\n",
        id="m_attack00001", title=f"'{ATTACK} \\\" onmouseover=alert(4) x='".replace("'", "''").join("''"),
        tags="['<b>', '\"><i>']", type="belief", confidence="0.4", author="human:eve",
        source="javascript:alert(5)", derived_from="['url:javascript:alert(6)', 'url:https://e.org/?a=1&b=\"><script>']",
        confidence_history='[{timestamp: "2026-01-01T00:00:00Z", op: assert, old: null, new: 0.9}, '
        '{timestamp: "2026-01-02T00:00:00Z", op: contradict, old: 0.9, new: 0.4, weight: 0.85, '
        'evidence_source: "episode:m_b000000001", reason: "</td><script>alert(7)</script>"}]',
    ),
    'b" onclick="alert(8)<.md': memory_text("Bella.\n", id="m_b000000001", type="episode"),
    "javascript:alert(9)/x.md": memory_text("Tea is hot.\n", id="m_c000000001", derived_from="[belief:m_attack00001]"),
}  # fmt: skip


class PageParts(HTMLParser):
    """The elements, attributes and texts of a page; every element must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), attrs
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in self.raw:
            self.raw[self._open[-1]].append(data)
        else:
            self.texts.append(data)

    def values(self, attribute: str) -> list[str]:
        """Return the values of an attribute, in the page's order."""
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]

    @property
    def text(self) -> str:
        """All texts, one after the other."""
        return "".join(self.texts)


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write files below a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
