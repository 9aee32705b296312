from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.beliefs.revise import revise
from memstore.core.errors import NotFoundError
from memstore.memories.edit import move, set_keys, tag
from memstore.memories.links import NoteLinks, links
from memstore.vault.status import undo
from tests.git_repositories import OWNER, vault_in
from tests.memory_workspace import files_of, memory_workspace
from tests.support import examples, memory_text

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "tea.md": memory_text(
        "See [[pot]], [[a/b/pot]], [h](a/house.md#menu) and\n[[Nowhere]] ![[x.png]].\n", id="m_tea000001"
    ),
    "a/house.md": memory_text("[back](../tea.md) [[TEA#x|tea]] [[Chai]]\n", id="m_house0001", title="Tea house"),
    "a/b/pot.md": memory_text("[[Tea house]] [[note:m_tea000001]] [[../house]]\n", id="m_pot000001", aliases="[Chai]"),
    "c/pot.md": memory_text("[up](/tea) [gone](../gone.md) [page](../x/)\n", id="m_pot000002", title="Other pot"),
}


def ends(found: NoteLinks) -> list[tuple[int, str, str | None]]:
    return [(link.line, link.written, link.target.path if link.target else None) for link in found.outgoing]


def test_links_lead_to_paths_stems_titles_and_aliases() -> None:
    view = memory_workspace(FILES).view()
    line = FILES["tea.md"].count(b"\n") - 1
    tea = links(view, "m_tea000001")
    assert ends(tea) == [
        (line, "[[pot]]", "c/pot.md"),
        (line, "[[a/b/pot]]", "a/b/pot.md"),
        (line, "(a/house.md#menu)", "a/house.md"),
        (line + 1, "[[Nowhere]]", None),
        (line + 1, "![[x.png]]", None),
    ]
    assert tea.outgoing[0].others == ("a/b/pot.md",)
    assert [(link.source.path, link.written) for link in tea.incoming] == [
        ("a/b/pot.md", "[[note:m_tea000001]]"),
        ("a/house.md", "(../tea.md)"),
        ("a/house.md", "[[TEA#x]]"),
        ("c/pot.md", "(/tea)"),
    ]
    assert [(to, link) for _, link, to in ends(links(view, "a/house.md"))][2] == ("a/b/pot.md", "[[Chai]]")
    assert {to for _, _, to in ends(links(view, "a/b/pot.md"))} == {"a/house.md", "tea.md"}
    assert [(link, to) for _, link, to in ends(links(view, "Other pot"))] == [
        ("(/tea)", "tea.md"),
        ("(../gone.md)", None),
    ]


def test_what_is_hidden_leads_nowhere_and_links_to_nothing() -> None:
    files = FILES | {"tea.md": memory_text("See [[Tea house]].\n", id="m_tea000001", access_grants='["human:bob"]')}
    found = links(memory_workspace(files, actor="human:bob").view(), "m_tea000001")
    assert [link.target for link in found.outgoing] == [None]
    assert not found.incoming


@pytest.mark.parametrize("name", ["tea house", "Tea House", "house", "a/house", "[[Tea house#menu|x]]", "a/house.md"])
def test_a_name_that_one_memory_has_will_do_for_reading(name: str) -> None:
    view = memory_workspace(FILES).view()
    assert view.named(name).path == "a/house.md"


def test_a_name_that_one_has_will_do_for_amending() -> None:
    view = memory_workspace(FILES).view()
    assert tag(view, "Tea house", add=["x"]).path == "a/house.md"
    assert set_keys(view.again(), "house", {"importance": ["high"]}).path == "a/house.md"
    assert revise(view.again(), "[[Tea house]]", "Warm.").path == "a/house.md"
    assert move(view.again(), "Tea house", "b/house.md").path == "b/house.md"
    related = set_keys(view.again(), "m_tea000001", {"relates_to": ["Tea house"]})
    assert view.again().original(related.path).memory.relates_to == ("note:m_house0001",)


def test_the_nearest_titles_are_named_where_nothing_matches() -> None:
    view = memory_workspace(FILES).view()
    for name in (view.find, view.named):
        with pytest.raises(NotFoundError, match="no memory matches `teahouse rules`") as error:
            name("teahouse rules")
        assert str(error.value.hint).startswith("the nearest by title: note:m_house0001 (Tea house)")
    hidden = FILES | {"a/house.md": memory_text("x", id="m_house0001", title="Tea house")}
    theirs = memory_workspace(hidden, actor="human:bob").view()
    with pytest.raises(NotFoundError) as error:
        theirs.find("teahouse rules")
    assert "Tea house" not in str(error.value.hint)
    with pytest.raises(NotFoundError, match="no memory matches `Tea house`"):
        theirs.find("Tea house")


def test_a_name_that_several_have_lists_them() -> None:
    view = memory_workspace(FILES).view()
    with pytest.raises(NotFoundError, match=r"(?s)may mean 2 memories.*a/b/pot.md.*c/pot.md"):
        view.named("pot")
    with pytest.raises(NotFoundError, match="`Tea house` is a name, and this takes an id or a path") as error:
        view.find("Tea house")
    assert error.value.hint == "write note:m_house0001"


def test_a_name_that_is_the_beginning_of_anothers_id_is_not_guessed() -> None:
    files = {"x.md": memory_text(id="tea-ritual"), "y.md": memory_text(id="m_tea000001", title="Tea")}
    view = memory_workspace(files).view()
    assert view.find("tea").path == "x.md"
    with pytest.raises(NotFoundError, match="may mean 2"):
        view.named("tea")


# -- what a move does ------------------------------------------------------------------------------


def led(files: dict[str, bytes]) -> dict[str, list[str | None]]:
    """Return the refs of the notes that the links of each note lead to, each once, by its ref."""
    view = memory_workspace(files).view()
    found = [links(view, path) for path in files]
    return {
        one.ref or "": [*dict.fromkeys(link.target.ref if link.target else None for link in one.outgoing)]
        for one in found
    }


def test_links_follow_a_file_that_moves() -> None:
    ws = memory_workspace(FILES)
    before = led(FILES)
    moved = move(ws.view(), "m_house0001", "d/teahouse.md", dry_run=True)
    assert files_of(ws) == FILES
    assert {*moved.diffs} == {"tea.md", "a/b/pot.md"}  # `../tea.md` is right at both places
    assert (
        "-See [[pot]], [[a/b/pot]], [h](a/house.md#menu) and\n+See [[pot]], [[a/b/pot]], [h](d/teahouse.md#menu)"
        in (moved.diffs["tea.md"])
    )
    assert move(ws.view(), "m_house0001", "d/teahouse.md").diffs == moved.diffs
    after = files_of(ws)
    assert b"[[Tea house]] [[note:m_tea000001]] [[../../d/teahouse]]" in after["a/b/pot.md"]
    assert led(after) == before
    undo(ws.view())
    assert files_of(ws) == FILES


def test_a_stem_stays_one_and_what_leads_on_is_left() -> None:
    files = {
        "tea.md": memory_text("x\n", id="m_tea000001"),
        "a.md": memory_text("[[tea]] [[tea.md|x]] [t](./tea.md) [t](<tea.md>) `[[tea]]`\n", id="m_a00000001"),
    }
    ws = memory_workspace(files)
    assert {*move(ws.view(), "tea.md", "b c/tea.md").diffs} == {"a.md"}
    assert b"[[tea]] [[tea.md|x]] [t](./b%20c/tea.md) [t](<b c/tea.md>) `[[tea]]`" in files_of(ws)["a.md"]
    move(ws.view(), "m_tea000001", "b c/green tea.md")
    assert (
        b"[[green tea]] [[green tea.md|x]] [t](./b%20c/green%20tea.md) [t](<b c/green tea.md>) `[[tea]]`"
        in (files_of(ws)["a.md"])
    )


def test_a_stem_is_a_stem_again_for_programs_that_know_no_titles() -> None:
    files = {
        "layout.md": memory_text("x\n", id="m_layout0001", title="Layout"),
        "a.md": memory_text("[[layout#h]] [[Layout]]\n", id="m_a00000001"),
        "b.md": memory_text("x\n", id="m_b00000001", title="Other"),
        "c.md": memory_text("[[Other]] [[b]]\n", id="m_c00000001"),
    }
    ws = memory_workspace(files)
    move(ws.view(), "layout.md", "the layout.md")
    move(ws.view(), "b.md", "d/b.md")
    assert b"[[the layout#h]] [[the layout]]" in files_of(ws)["a.md"]
    assert files_of(ws)["c.md"] == files["c.md"]


def test_what_would_be_taken_for_the_moved_file_keeps_its_own() -> None:
    files = {
        "z/tea.md": memory_text("x\n", id="m_tea000001"),
        "pot.md": memory_text("y\n", id="m_pot000001"),
        "a.md": memory_text("[[tea]]\n", id="m_a00000001"),
    }
    ws = memory_workspace(files)
    move(ws.view(), "m_pot000001", "tea.md")
    assert led(files_of(ws))["note:m_a00000001"] == ["note:m_tea000001"]


def test_files_of_others_and_signed_ones_are_left_and_named() -> None:
    signed = '{by: human:sean, at: "2026-01-01T00:00:00Z", content: c, provenance: p, sig: x}'
    files = {
        "tea.md": memory_text("x\n", id="m_tea000001"),
        "theirs.md": memory_text("[t](tea.md)\n", id="m_theirs0001", owner="human:bob", access_grants='["*"]'),
        "signed.md": memory_text("\n[t](tea.md)\n", id="m_signed0001", signature=signed),
        "plain.md": b"see [t](tea.md)\r\n",
    }
    ws = memory_workspace(files)
    moved = move(ws.view(), "m_tea000001", "a/tea.md")
    assert [(left.path, left.line, left.written, left.why) for left in moved.left] == [
        ("signed.md", files["signed.md"].count(b"\n"), "(tea.md)", "it is signed as it is now"),
        ("theirs.md", files["theirs.md"].count(b"\n"), "(tea.md)", "it is human:bob's"),
    ]
    after = files_of(ws)
    assert after.pop("a/tea.md") == files.pop("tea.md")
    assert after == files | {"plain.md": b"see [t](a/tea.md)\r\n"}


@pytest.mark.parametrize("actor", [OWNER, "human:bob"])
def test_pictures_and_folders_are_found_from_the_new_place(actor: str, tmp_path: Path) -> None:
    rest = "`<img src='tea.png'>` [w](https://e.org/tea.png) ![[tea.png]] [f](/tea.png) [[file:x.md#L1@abcd]]"
    text = "<img alt='' src='tea.png'> ![p](tea.png) [d](more/) [g](gone.png) ![[./tea.png]] ![[../a/tea.png|200]] "
    text += f"{rest}\n"
    vault = vault_in(tmp_path)
    vault.write("a/m_tea000001.md", memory_text(text, id="m_tea000001", owner=actor).decode())
    vault.write("a/tea.png", "picture")
    (vault.root / "a" / "more").mkdir()
    move(vault.open(actor).view(), "m_tea000001", "b/m_tea000001.md")
    moved = (vault.root / "b" / "m_tea000001.md").read_text(encoding="utf-8").splitlines()[-1]
    gone = "gone.png" if actor == OWNER else "../a/gone.png"
    # So Obsidian writes embeds if it is set to relative paths; the second is right at both places.
    embedded = "![[./../a/tea.png]] ![[../a/tea.png|200]]"
    assert moved == f"<img alt='' src='../a/tea.png'> ![p](../a/tea.png) [d](../a/more/) [g]({gone}) {embedded} {rest}"


STEMS = ["tea", "green tea", "pot", "a(b)", "grün", "x%y", "日本", "c'd"]
FOLDERS = ["", "a/", "a/b/", "c d/"]
FORMS = ["[[{stem}]]", "![[{stem}#h|t]]", "[[{bare}]]", "[t]({near})", "[t](./{near})", "[t](<{raw}>)", "[t](/{whole})"]
FORMS += ['<a href="{near}">t</a>']
FORMS += ["\n\n[r]: {near}\n", "\n\n[r]: <{raw}> 'x'\n"]


@st.composite
def vaults(draw: st.DrawFn, *, by_stem: bool) -> tuple[dict[str, bytes], str, str]:
    """Return files that link each other, the path of one, and another path; with `by_stem` no two are called alike."""
    # What has no folder before it is a stem again on its way back.
    places = st.tuples(st.sampled_from(FOLDERS[by_stem:]), st.sampled_from(STEMS))
    alike = (lambda place: place[1]) if by_stem else None
    drawn = draw(st.lists(places, min_size=2, max_size=5, unique_by=alike or (lambda place: place)))
    *paths, free = [f"{folder}{stem}.md" for folder, stem in drawn]
    linked = st.lists(st.tuples(st.sampled_from(FORMS), st.sampled_from(paths)), max_size=4)
    files = {
        path: memory_text(
            " ".join(written(form, of=path, to=to) for form, to in draw(linked)) + "\n", id=f"m_{number:010}"
        )
        for number, path in enumerate(paths)
    }
    return files, draw(st.sampled_from(paths)), free


def written(form: str, *, of: str, to: str) -> str:
    raw = posixpath.relpath(to, posixpath.dirname(of) or ".")
    bare = to.removesuffix(".md")
    return form.format(
        stem=posixpath.basename(bare), bare=bare, raw=raw.replace("%", "%25"), near=encoded(raw), whole=encoded(to)
    )


def encoded(path: str) -> str:
    """Return a path as it stands in a Markdown link, what is no ASCII as it is."""
    return "".join(sign if sign in "/()'" or not sign.isascii() else quote(sign) for sign in path)


@settings(max_examples=examples(150), deadline=None)
@given(vaults(by_stem=False))
def test_every_link_leads_on_to_where_it_led(drawn: tuple[dict[str, bytes], str, str]) -> None:
    files, path, to = drawn
    before = led(files)
    ws = memory_workspace(files)
    moved = move(ws.view(), path, to)
    assert not moved.left
    assert led(files_of(ws)) == before
    undo(ws.view())
    assert files_of(ws) == files


@settings(max_examples=examples(150), deadline=None)
@given(vaults(by_stem=True))
def test_there_and_back_are_the_same_bytes(drawn: tuple[dict[str, bytes], str, str]) -> None:
    files, path, to = drawn
    ws = memory_workspace(files)
    move(ws.view(), path, to)
    move(ws.view(), to, path)
    assert files_of(ws) == files
