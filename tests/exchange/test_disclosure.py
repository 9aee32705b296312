"""Whatever `links` resolves to a hidden note, a shared copy must not have."""

from __future__ import annotations

from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from memstore.exchange.disclosure import HiddenNames
from memstore.memories.links import links
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

HIDDEN = {
    "notes/Divorce Plan Café.md": memory_text("Secret.\n", id="m_hidden0001", aliases="[Split, the House]"),
    "notes/tea-7f3k.md": memory_text("Secret.\n", id="m_hidden0002", title="Tea"),
    "deep/er/a___b.md": memory_text("Secret.\n", id="m_hidden0003", title="Rice & beans"),
    "journals/2026_02_01.md": memory_text("Secret.\n", id="m_hidden0004"),
    "index.mdx.md": memory_text("Secret.\n", id="m_hidden0005", title="100% (sure)"),
}
TARGETS = (
    "Divorce Plan Café", "divorce plan cafe\u0301", "Split", "the  house", "../notes/Divorce Plan Café.md", "Tea",
    "TEA", "tea-7f3k", "tea-7f3k.md", "/notes/tea-7f3k", "./tea-7f3k.md", "a/b", "deep/er/a___b", "er/a___b",
    "Rice & beans",
    "2026-02-01", "Feb 1st, 2026", "../journals/2026_02_01.md", "m_hidden0003", "note:m_hidden0001", "100% (sure)",
    "index.mdx", "../index.mdx.md", "Nowhere", "Open", "open.md", "../notes/open.md",
)  # fmt: skip
FORMS = (
    "[[{0}]]", "![[{0}#Part|text]]", "| [[{0}\\|text]] |", "[text]({1})", "[text](<{0}>)", "[text]({1}#part)",
    "![text]({1} 'title')", "[text][label]\n\n[label]: {1}", '[text][label]\n\n[label]: <{0}> "title"',
    '<a href="{0}">text</a>', "<img src='{1}'>", "> - [[ {0} ]]",
)  # fmt: skip
KEYS = ("related: '[[{0}]]'", 'related:\n- "[[{0}|text]]"', "related: [[{0}]]")


@given(st.sampled_from(TARGETS), st.sampled_from(FORMS), st.sampled_from([quote, lambda text: quote(text, safe="/()")]))
def test_a_link_that_leads_to_something_hidden_is_found(target: str, form: str, spell: object) -> None:
    judge(memory_text(form.format(target, spell(target)) + "\n", id="m_open00001", title="Open"))  # type: ignore[operator]


@given(st.sampled_from(TARGETS), st.sampled_from(KEYS))
def test_a_link_in_a_property_is_found(target: str, key: str) -> None:
    text = memory_text("Text.\n", id="m_open00001", title="Open")
    judge(text.replace(b"---\n", f"---\n{key.format(target)}\n".encode(), 1))


def judge(text: bytes) -> None:
    path = "notes/open.md"
    view = memory_workspace(HIDDEN | {path: text}).view()
    ends = {link.target.path for link in links(view, "m_open00001").outgoing if link.target} - {path}
    found = [*HiddenNames(view, {path}, {path: text}).found_in(path, text)]
    assert ends <= {name.path for name in found}, text


def test_a_link_to_something_open_or_to_nothing_names_nothing_hidden() -> None:
    path = "notes/open.md"
    text = memory_text("[[Open]] [x](open.md) [[Nowhere]] [y](../gone.md) Tea.\n", id="m_open00001", title="Open")
    view = memory_workspace(HIDDEN | {path: text}).view()
    assert not [*HiddenNames(view, {path}, {path: text}).found_in(path, text)]
