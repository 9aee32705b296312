"""The page of a vault: what it says, and that nothing in it can run, load or send anything."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.report.markup import Markup, element, file_address, web_address
from tests.installed import ROOT
from tests.report.pages import ATTACK, HOSTILE, PageParts, write
from tests.support import memory_text
from tests.whole.program import InProcess, Program

OWNER = "si:ash"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = Program(tmp_path_factory.mktemp("sample")).in_process()
    shutil.copytree(ROOT / "sample-vault", program.vault)
    program.git("init", "-q")
    return program


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    """A vault of one memory, for where a page goes."""
    program = Program(tmp_path_factory.mktemp("small")).in_process()
    program.init()
    write(program.vault, {"tea.md": memory_text("Tea.\n", id="m_tea0000001")})
    return program


@pytest.fixture(scope="module")
def page(sample: InProcess) -> PageParts:
    return PageParts(sample.ok("export", "html"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = Program(tmp_path_factory.mktemp("hostile")).in_process()
    program.init()
    write(program.vault, HOSTILE)
    return program


# -- what it says ----------------------------------------------------------------------------------


def test_what_needs_attention_comes_first_and_every_memory_is_there(sample: InProcess, page: PageParts) -> None:
    text = page.text
    order = [text.index(f"\n{one}" if one.startswith("\n") else one) for one in (
        "Conflicts 1", "The park gate closes at nine in summer", "Undecided 2", "Confidence that dropped", "Stale",
        "Without a source", "Newest first", "Sources are on the left", "Who else sees which memories",
    )]  # fmt: skip
    assert order == sorted(order)
    listed = sample.json("list", "--status", "all")["memories"]
    assert len(listed) > 100
    assert {one["ref"] for one in listed if one["ref"]} <= {*page.texts}
    assert all(one["title"] in text for one in listed)


def test_a_claim_is_shown_as_people_read_it(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.init()
    claims = "[{subject: 'pump #3', attribute: colour, value: %s}, {subject: bed, attribute: length, value: 4 m}]"
    for name in ("red", "blue <b>"):
        data = memory_text(f"Note {len(name)}.\n", id=f"m_{len(name)}claims0000", claims=claims % f"'{name}'")
        (program.vault / f"{len(name)}.md").write_bytes(data)
    quoted = [text for text in PageParts(program.ok("export", "html")).texts if "pump #3" in text]
    assert sorted(quoted) == ["pump #3 · colour: blue <b>", "pump #3 · colour: red"]
    line = program.ok("conflicts").splitlines()[0]
    assert "pump #3 · colour: " in line
    assert "subject" not in line
    assert "subject: 'pump #3'" in program.json("conflicts")["conflicts"][0]["lines"][0]["excerpt"]


def test_numbers_are_those_of_the_commands(sample: InProcess, page: PageParts) -> None:
    shown = sample.json("show", "m_qcg2gvswt0")
    assert f"{shown['confidence_now']:.2f} today, {shown['confidence']:.2f} when" in page.text
    counts = sample.json("export", "html")
    assert counts["conflicts"] == len(sample.json("conflicts")["conflicts"]) == 1
    assert counts["without_source"] == len(sample.json("check", "orphans")["orphans"])
    everybody = sample.json("privacy", "report")["entities"][0]
    assert everybody["entity"] == "*"
    assert f"Everybody {len(everybody['memories'])}" in page.text


def test_every_link_within_the_page_leads_somewhere_and_ids_are_unique(page: PageParts) -> None:
    ids = page.values("id")
    assert len(ids) == len({*ids})
    within = [address for address in page.values("href") if address.startswith("#")]
    assert len(within) > 300
    assert {unquote(address[1:]) for address in within} <= {*ids}


def test_links_to_files_lead_to_their_lines(sample: InProcess, tmp_path: Path) -> None:
    where = tmp_path / "a" / "page.html"
    where.parent.mkdir()
    assert sample.ok("export", "html", "-o", str(where)) == f"{where}\n"
    addresses = [one for one in PageParts(where.read_text()).values("href") if not one.startswith(("#", "http"))]
    assert len(addresses) > 100
    for address in addresses:
        parts = urlsplit(urljoin(where.as_uri(), address))
        line = int(re.fullmatch(r"L(\d+)", parts.fragment)[1])  # type: ignore[index]
        assert 1 <= line <= len(Path(unquote(parts.path)).read_bytes().splitlines()) + 1


def test_somebody_else_gets_a_page_of_what_they_may_see(sample: InProcess) -> None:
    theirs = PageParts(sample.ok("--as", "human:lucia", "export", "html"))
    assert "Dogs love fetch" in theirs.text
    assert "Who sees what" not in theirs.text
    assert "The key to the cellar" not in theirs.text


def test_who_sees_what_is_about_others(page: PageParts) -> None:
    told = [text.strip() for text in page.texts]
    told = told[told.index("Who sees what", told.index("Lineage", 20)) :]
    assert "human:sean" in told
    assert "si:ash" not in told


def test_nothing_to_see_is_a_page_too(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    assert (
        "Nothing: no conflicts, nothing stale, and every memory has a source."
        in PageParts(program.ok("export", "html")).text
    )


def test_the_structure_can_be_read_aloud(page: PageParts) -> None:
    names = [tag for tag, _ in page.elements]
    assert [names.count(tag) for tag in ("h1", "main", "header", "nav")] == [1, 1, 1, 1]
    assert dict(page.elements)["html"] == {"lang": "en"}
    labelled = {attributes["for"] for tag, attributes in page.elements if tag == "label"}
    assert labelled == {attributes["id"] for tag, attributes in page.elements if tag == "input"}
    drawings = [attributes for tag, attributes in page.elements if tag == "svg"]
    assert all("aria-label" in one or one.get("aria-hidden") == "true" for one in drawings)
    assert all(attributes.get("scope") == "col" for tag, attributes in page.elements if tag == "th")


# -- what it can't do ------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.parametrize("which", ["sample", "hostile"])
def test_only_the_shipped_script_and_style_are_allowed(which: str, request: pytest.FixtureRequest) -> None:
    program: InProcess = request.getfixturevalue(which)
    page = PageParts(program.ok("export", "html"))
    digests = {
        name: [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
        for name, texts in page.raw.items()
    }
    policy = next(value["content"] for tag, value in page.elements if value.get("http-equiv"))
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digests['script'][0]}'; style-src 'sha256-{digests['style'][0]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert [len(texts) for texts in page.raw.values()] == [1, 1]
    before = [tag for tag, value in page.elements if not value.get("http-equiv")][:3]
    assert before == ["html", "head", "meta"]  # nothing is loaded before the policy holds
    for tag, attributes in page.elements:
        assert tag not in {"img", "iframe", "object", "embed", "link", "base", "image", "use", "foreignobject"}
        assert [name for name in attributes if name.startswith("on") or name in {"style", "src", "srcdoc"}] == []
    schemes = {urlsplit(address).scheme for address in page.values("href")}
    assert schemes <= {"", "https", "http"}


def test_what_memories_say_is_text(hostile: InProcess) -> None:
    page = PageParts(hostile.ok("export", "html"))
    assert ATTACK in page.text
    assert "<U+202E>gnisrever<U+2066> <U+001B>[31m" in page.text
    assert "</td><script>alert(7)</script>" in page.text
    assert "https://e.org/?a=1&b=%22%3E%3Cscript%3E" in page.values("href")
    assert "javascript%3Aalert%289%29/x.md#L" in " ".join(page.values("href"))
    raw = hostile.ok("export", "html")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", raw)


def test_a_drawing_is_xml_whatever_memories_are_called(hostile: InProcess) -> None:
    drawn = ET.fromstring(hostile.ok("trace", "m_c000000001", "--format", "svg"))  # noqa: S314 -- our own
    names = {found.tag.rpartition("}")[2] for found in drawn.iter()}
    assert names == {"svg", "title", "style", "g", "rect", "text", "path"}
    assert any(ATTACK in (found.text or "") for found in drawn.iter())


@given(st.text(), st.text())
def test_texts_and_values_come_back_from_an_element(text: str, value: str) -> None:
    page = PageParts(element("p", text, title=value))
    assert [(tag, [*attributes]) for tag, attributes in page.elements] == [("p", ["title"])]
    if text.isprintable() and value.isprintable():
        assert (page.text, page.elements[0][1]["title"]) == (text, value)
    element("p", text, title=value).encode()


@given(st.text())
def test_no_path_makes_an_address_that_leaves_the_files(path: str) -> None:
    parts = urlsplit(file_address(path, line=3))
    assert (parts.scheme, parts.netloc) == ("", "")
    assert unquote(parts.path, errors="surrogateescape") == path.lstrip("/") or not path.isprintable()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://e.org/a?b=c#d", "https://e.org/a?b=c#d"),
        ("http://e.org", "http://e.org"),
        ("https://e.org/ä \"<>'", None),
        ("https://e.org/ä\"<>'", "https://e.org/%C3%A4%22%3C%3E'"),
        ("javascript:alert(1)", None),
        ("JaVaScRiPt:alert(1)", None),
        ("data:text/html,x", None),
        ("https:alert(1)", None),
        ("https://[", None),
        ("java\nscript:alert(1)", None),
        (" javascript:alert(1)", None),
        ("file:///etc/passwd", None),
    ],
)
def test_only_pages_on_the_web_are_linked(text: str, address: str | None) -> None:
    assert web_address(text) == address or (address is None and " " in text)


def test_markup_stays_as_it_is() -> None:
    assert (
        element("p", Markup("<b>x</b>"), [None, "<", ["&"]], hidden=True, x_=None) == "<p hidden><b>x</b>&lt;&amp;</p>"
    )


# -- where it is written ---------------------------------------------------------------------------


def test_a_page_is_written_over_an_earlier_page_alone(small: InProcess, tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    place.touch()  # as mktemp leaves it
    small.ok("export", "html", "-o", str(place))
    place.write_bytes(place.read_bytes()[:60])
    small.ok("export", "html", "-o", str(place))
    assert place.stat().st_size > 1000
    place.write_bytes(b"mine")
    done = small.run("export", "html", "-o", str(place))
    assert (done.returncode, place.read_bytes()) == (4, b"mine")
    assert "is there, and is not an earlier page" in done.stderr
    assert small.run("export", "html", "-o", str(tmp_path)).returncode == 5
    assert small.run("export", "html", "-o", str(tmp_path / "no" / "page.html")).returncode == 5
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize("name", ["x.md", "page.txt", "entities/x.html.md", ".memstore/page.html", ".git/page.html"])
def test_a_page_never_takes_the_place_of_a_memory(small: InProcess, name: str) -> None:
    done = small.run("export", "html", "-o", name)
    assert done.returncode == 4
    assert "only its owner may put a page" in done.stderr
    assert not (small.vault / name).exists()


def test_only_the_owner_puts_a_page_into_the_vault(small: InProcess) -> None:
    assert small.run("--as", "human:lucia", "export", "html", "-o", "page.html").returncode == 4
    small.ok("export", "html", "-o", "page.html")
    assert (small.vault / "page.html").exists()


def test_it_follows_a_link_and_writes_to_what_is_no_file(small: InProcess, tmp_path: Path) -> None:
    (tmp_path / "page.html").touch()
    (tmp_path / "link.html").symlink_to("page.html")
    small.ok("export", "html", "-o", str(tmp_path / "link.html"))
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "page.html").stat().st_size > 1000
    small.ok("export", "html", "-o", "/dev/null")
    assert not (ROOT / "dev").exists()
    assert small.ok("export", "html", "-o", "-").startswith("<!doctype html>")


def test_a_copy_of_a_memory_has_a_place_of_its_own(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    twice = memory_text("Tea.\n", id="m_tea0000001")
    write(program.vault, {"a.md": twice, "b.md": twice, "c.md": memory_text("Odd.\n", id="filter")})
    page = PageParts(program.ok("export", "html"))
    ids = page.values("id")
    assert len(ids) == len({*ids})
    assert {"memory-m_tea0000001", "memory-filter", "filter"} <= {*ids}
    assert len([one for one in ids if one.startswith("file-")]) == 1


def test_of_a_large_vault_the_newest_memories_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    said = ("Sean likes tea.", "Sean dislikes tea.", "Bella weighs 5 kg.", "Bella weighs 9 kg.")
    write(program.vault, {
        f"{at}.md": memory_text(f"{text}\n", id=f"m_said00000{at}", created_at=f'"2026-01-0{at}T00:00:00Z"')
        for at, text in enumerate(said, 1)
    })  # fmt: skip
    assert program.json("export", "html", "-o", "/dev/null")["conflicts"] == 2
    monkeypatch.setattr("memstore.report.contents.MOST_COMPARED", 3)
    monkeypatch.setattr("memstore.report.contents.COMPARED_OF_MORE", 1)
    assert program.json("export", "html", "-o", "/dev/null")["conflicts"] == 1
    page = PageParts(program.ok("export", "html"))
    assert "Bella weighs 9 kg." in page.text
    assert "Only the newest 1 memories were compared with the others" in page.text


def test_lines_that_changed_since_they_were_cited_are_stale(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    (program.vault / "code.txt").write_text("one\ntwo\n")
    program.git("add", "-A")
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "code")
    program.ok("add", "Two follows one.", "--source", "me", "--cite", "code.txt:L2")
    assert "Stale" not in PageParts(program.ok("export", "html")).text
    (program.vault / "code.txt").write_text("one\nthree\n")
    page = PageParts(program.ok("export", "html"))
    assert "cites line 2 of revision" in page.text
    assert "which has changed: code.txt:2" in page.text
    assert "code.txt:2" not in PageParts(program.ok("--as", "human:bob", "export", "html")).text
