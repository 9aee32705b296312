"""Three versions of a memory made one, key by key."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.beliefs.next_lines import drifted
from memstore.files import memory_file, splice
from memstore.files.memory_file import BrokenFile, MemoryFile
from memstore.memories.merge_values import Three
from memstore.memories.merging import Merged, merged
from tests.installed import ROOT
from tests.strategies import hand_styled_files
from tests.support import examples

sys.path.insert(0, str(ROOT / "benchmarks"))
from merging import by_lines, wrongs

if TYPE_CHECKING:
    from memstore.files.memory_file import ReadFile
    from tests.strategies import HandStyled

LEDGER = """\
confidence: 0.8
confidence_history:
  - {timestamp: "2026-01-01T10:00:00Z", op: assert, old: null, new: 0.8}
"""


CLAIM = "{subject: Bella, attribute: eats, value: at eight}"


def _text(head: str, body: str = "One.\n\nTwo.\n\nThree.\n") -> bytes:
    return f"---\ntype: belief\nid: m_7f3k9q2x1c\n{head}---\n\n{body}".encode()


def _merge(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    """Return the head below the id of three heads, and whether it has conflicts; both ways must mean the same."""
    done = _merged(_text(base), _text(ours), _text(theirs))
    other = _merged(_text(base), _text(theirs), _text(ours))
    assert done.has_conflicts == other.has_conflicts
    head = done.data.decode().partition("id: m_7f3k9q2x1c\n")[2].rpartition("---\n\nOne")[0]
    assert isinstance(_read(done.data), BrokenFile if done.has_conflicts else MemoryFile)
    return head, done.has_conflicts


def _merged(base: bytes, ours: bytes, theirs: bytes, *, path: str = "a.md", mixed: bool = False) -> Merged:
    return merged(path, Three(base, ours, theirs), by_lines, mixed=mixed)


def _read(data: bytes) -> ReadFile:
    return memory_file.read("a.md", data)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "result"),
    [
        # different keys on adjacent lines
        ("title: A\nsource: s\n", "title: B\nsource: s\n", "title: A\nsource: t\n", "title: B\nsource: t\n"),
        # a key each, at the same place, and one taken out
        ("title: A\nmood: x\n", "title: A\nscope: global\nmood: x\n", "title: A\nplatform: p\n", None),
        # lists in one line, and items that both took out or put in
        ("tags: [a, b]\n", "tags: [a, b, c, e]\n", "tags: [b, d, e]\n", "tags: [b, c, e, d]\n"),
        # one side writes the list on lines of its own
        ("tags: [a]\n", "tags:\n  - a\n  - b # mine\n", "tags: [a, c]\n", "tags:\n  - a\n  - b # mine\n  - c\n"),
        # a sign in quotes begins no comment
        ("", 'tags: ["x #y"]\n', "tags: [tea]\n", 'tags: ["x #y", tea]\n'),
        # whoever was taken out stays out, whatever stands around
        (
            "access_grants: [si:ash, human:sean]\n",
            "access_grants: [si:ash]\n",
            "access_grants: [si:ash, human:sean, human:ina]\n",
            "access_grants: [si:ash, human:ina]\n",
        ),
        ('access_grants: ["*"]\n', "", "access_grants: [public, human:ina]\n", "access_grants: [human:ina]\n"),
        # a list that both emptied, each of something else
        ("tags: [a, b]\n", "tags: [a]\n", "tags: [b]\n", "tags: []\n"),
        # comments of both sides
        ("title: A\ntags: [a]\n", "title: B # b\ntags: [a]\n", "# why\ntitle: A\ntags: [a]\n# end\n", None),
        ("title: A\ntags: [a]\n", "# o\ntitle: A\ntags: [a]\n", "title: B\ntags: [a]\n", "# o\ntitle: B\ntags: [a]\n"),
        # the order that one side gave them
        ("title: A\nmood: x\nsource: s\n", "mood: x\ntitle: B\nsource: s\n", "title: A\nmood: x\nsource: t\n",
         "mood: x\ntitle: B\nsource: t\n"),
        # both changed it to the same
        ("title: A\n", "title: B\n", 'title: "B"\n', "title: B\n"),
        # texts of one's own, over several lines
        ("x: |\n  1\n  2\n  3\n", "x: |\n  0\n  2\n  3\n", "x: |\n  1\n  2\n  4\n", "x: |\n  0\n  2\n  4\n"),
    ],
)  # fmt: skip
def test_what_both_changed_holds(base: str, ours: str, theirs: str, result: str | None) -> None:
    head, has_conflicts = _merge(base, ours, theirs)
    assert not has_conflicts, head
    if result is not None:
        assert head == result
    else:
        added = {line for side in (ours, theirs) for line in side.split("\n")} - {*base.split("\n")}
        assert added - {*head.split("\n")} <= {"# why"} or "# why" in head


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "torn"),
    [
        ("title: A\n", "title: B\n", "title: C\n", {"title"}),
        ("title: A\n", "", "title: C\n", {"title"}),
        ("", "title: B\n", "title: C\n", {"title"}),
        ("source_chain: [si:a]\n", "source_chain: [si:a, si:b]\n", "source_chain: [si:c, si:a]\n", {"source_chain"}),
        # an entry that one side took out and the other put right
        (f"claims:\n  - {CLAIM}\n", "", f"claims:\n  - {CLAIM.replace('eight', 'nine')}\n", {"claims"}),
        # comments that can't both stand where both changed the list
        ("tags: [a] # x\n", "tags: [b] # y\n", "tags: [c] # z\n", {"tags"}),
        # each side opens it a little, and together they would open it to somebody who saw neither
        ("source_entity: human:sean\n", "source_entity: human:sean\naccess_grants: [human:ina]\n", "",
         {"source_entity", "access_grants"}),
        ("access_grants: [human:ina]\naccess_denies: [human:otto]\n", "access_grants: [human:ina]\n",
         "access_grants: [human:ina, group:club]\naccess_denies: [human:otto]\n", {"access_grants", "access_denies"}),
        # a number that a hand wrote beside its history
        (LEDGER, LEDGER.replace("0.8\n", "0.7\n", 1),
         LEDGER.replace("0.8\n", "0.83\n", 1) + '  - {timestamp: "2026-01-02T10:00:00Z", op: support}\n',
         {"confidence"}),
    ],
)  # fmt: skip
def test_what_can_not_both_hold_is_a_conflict_that_nobody_reads(
    base: str, ours: str, theirs: str, torn: set[str]
) -> None:
    head, has_conflicts = _merge(base, ours, theirs)
    assert has_conflicts
    between = [block.partition(">>>>>>> theirs\n")[0] for block in head.split("<<<<<<< ours\n")[1:]]
    assert {line.partition(":")[0] for block in between for line in block.split("\n") if line[:1].isalpha()} == torn
    file = _read(_merged(*map(_text, (base, ours, theirs))).data)
    assert isinstance(file, BrokenFile)
    assert {finding.code for finding in file.findings} == {"conflict-marker"}


def test_a_ledger_has_the_events_of_both_in_order_and_the_number_follows() -> None:
    def with_line(at: str, source: str, number: float) -> str:
        line = f'  - {{timestamp: "{at}", op: support, old: 0.8, new: {number}, evidence_source: "{source}"}}\n'
        return LEDGER.replace("0.8\n", f"{number}\n", 1) + line

    ours = with_line("2026-01-03T10:00:00Z", "episode:m_aaaaaaaaaa", 0.8125)
    theirs = with_line("2026-01-02T10:00:00Z", "episode:m_bbbbbbbbbb", 0.8125)
    done = _merged(_text(LEDGER), _text(ours), _text(theirs))
    file = _read(done.data)
    assert isinstance(file, MemoryFile)
    assert not done.has_conflicts
    assert [line.timestamp[8:10] for line in file.memory.confidence_history] == ["01", "02", "03"]
    assert drifted(file.memory) is None
    assert file.memory.confidence not in (0.8, 0.8125)
    assert len(_merged(_text(ours), _text(LEDGER), _text(ours)).data) == len(_text(LEDGER))  # taken out is out


def test_bodies_are_merged_by_lines() -> None:
    body = "One.\n\nTwo.\n\nThree.\n"
    done = _merged(
        _text("", body), _text("", body.replace("One", "1")), _text("title: T\n", body.replace("Three", "3"))
    )
    assert done == Merged(_text("title: T\n", "1.\n\nTwo.\n\n3.\n"))
    torn = _merged(_text("", body), _text("", body.replace("One", "1")), _text("title: T\n", body.replace("One", "I")))
    assert torn.has_conflicts
    assert b"<<<<<<< ours\n1.\n=======\nI.\n>>>>>>> theirs\n" in torn.data
    assert isinstance(_read(torn.data), MemoryFile)  # a finding of check, which stops the commit


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        (_text("title: A\n"), _text("title: A\n").replace(b"\n", b"\r\n"), _text("title: B\n")),
        (b"", _text("title: A\n"), _text("title: B\n")),
        (b"", _text("access_grants: [human:ina]\n"), _text("")),
        (_text(""), _text("", "Another.\n"), _text("", "Text.\n").replace(b"m_7f3k9q2x1c", b"m_7f3k9q2xxx")),
        (_text(""), _text("title: A\n"), _text("").replace(b"m_7f3k9q2x1c", b"m_7f3k9q2xxx")),
        (_text("title: A\n"), _text("title: [\n"), _text("title: B\n")),
        (_text(""), b"\xef\xbb\xbf" + _text("title: A\n"), _text("title: B\n").replace(b"---", b"--- ", 1)),
        (_text("a: 1\n"), _text("a: 2\n").replace(b"---", b"---  ", 1), _text("a: 3\n").replace(b"---", b"--- ", 1)),
    ],
)  # fmt: skip
def test_what_is_in_doubt_is_a_conflict_that_nobody_reads(base: bytes, ours: bytes, theirs: bytes) -> None:
    for sides in ((ours, theirs), (theirs, ours)):
        for mixed in (False, True):
            done = _merged(base, *sides, mixed=mixed)
            assert done.has_conflicts
            assert isinstance(memory_file.read("a.md", done.data, mixed=mixed), BrokenFile)


def test_what_one_side_forgot_does_not_come_back() -> None:
    base, tomb, edit = _text("tags: [a]\n"), _text("status: forgotten\n", "Forgotten.\n"), _text("tags: [a, b]\n")
    later = _text("status: forgotten\n", "Forgotten.\nLater.\n")
    for sides in ((tomb, edit), (edit, tomb)):
        done = _merged(base, *sides)
        assert (done.data, done.has_conflicts) == (tomb, True)
        assert "the change stays in the history of its side" in done.said
        assert _merged(b"", *sides) == done  # both sides added it
    assert _merged(base, tomb, base) == _merged(base, base, tomb) == Merged(tomb)
    assert _merged(base, tomb, later) == _merged(base, later, tomb) == _merged(b"", later, tomb) == Merged(tomb)
    assert _merged(tomb, edit, later).has_conflicts  # brought back on one side, by hand
    another = _text("").replace(b"m_7f3k9q2x1c", b"m_7f3k9q2xxx")
    assert isinstance(_read(_merged(base, tomb, another).data), BrokenFile)  # another memory at this path


def test_a_mark_or_a_fence_of_one_side_is_taken() -> None:
    done = _merged(_text("a: 1\n"), b"\xef\xbb\xbf" + _text("a: 1\n"), _text("a: 2\n"))
    assert done == Merged(b"\xef\xbb\xbf" + _text("a: 2\n"))


def test_lines_alone_give_nobody_back_what_was_taken_away() -> None:
    # The base can't be read, so nobody knows what it granted.
    base = _text("title: [\n\n\nsource: s\n\n\nmood: x\n")
    ours = _text("title: A\n\n\naccess_grants: [human:ina]\nsource: s\n\n\nmood: x\n")
    theirs = _text("title: A\n\n\nsource: s\n\n\nmood: z\n")
    files = Three(base, ours, theirs)
    assert not by_lines(files).has_conflicts
    assert _merged(*files).has_conflicts
    both = theirs.replace(b"source", b"access_grants: [human:ina]\nsource")
    assert _merged(base, ours, both) == Merged(both)


def test_another_margin_is_a_conflict_either_way() -> None:
    base, ours = _text("mood: x\n"), _text("mood: z\n")
    indented = base.replace(b"\ntype", b"\n  type").replace(b"\nid", b"\n  id").replace(b"\nmood", b"\n  mood")
    assert isinstance(_read(indented), MemoryFile)
    assert _merged(base, ours, indented).has_conflicts
    assert _merged(base, indented, ours).has_conflicts


def test_the_order_that_one_side_gave_the_keys_stays() -> None:
    base, ours = _text("title: A\nmood: x\nsource: s\n"), _text("mood: x\ntitle: A\nsource: s\n")
    theirs = _text("title: A\nmood: x\nsource: t\nscope: global\n")
    wanted = Merged(_text("mood: x\ntitle: A\nsource: t\nscope: global\n"))
    assert _merged(base, ours, theirs) == _merged(base, theirs, ours) == wanted


def test_plain_notes_and_pages_are_merged_by_lines() -> None:
    note = Three(b"One\n\nTwo\n", b"1\n\nTwo\n", b"One\n\n2\n")
    assert merged("n.md", note, by_lines, mixed=False) == Merged(b"1\n\n2\n")
    front = Three(
        *(f"---\ntags: [a]\nstatus: {text}\n---\n\nText.\n\n{last}\n".encode() for text, last in ("xy", "zy", "xw"))
    )
    assert merged("n.md", front, by_lines, mixed=True).data == b"---\ntags: [a]\nstatus: z\n---\n\nText.\n\nw\n"
    page = Three(_text("title: A\n"), _text("title: B\n"), _text("title: C\n"))
    assert merged("README.md", page, by_lines, mixed=False) == by_lines(page)


def test_registries_can_be_read_or_are_in_conflict() -> None:
    base = "---\ntype: entity\nid: human:sean\naliases: [s]\nroles: [role:vet]\n\nemail: a@b.org\n---\n"
    ours = base.replace("\nroles: [role:vet]\n", "\n")
    theirs = base.replace("email: a@b.org", "email: c@b.org")
    path = "entities/human/sean.md"
    files = Three(base.encode(), ours.encode(), theirs.encode())
    assert merged(path, files, by_lines, mixed=False) == Merged(theirs.replace("roles: [role:vet]\n", "").encode())
    # Lines alone would have the key twice.
    twice = Three(*(text.encode() for text in (base, base.replace("aliases", "guardians: [si:ash]\naliases"),
                                               base.replace("email", "guardians: [si:bob]\nemail"))))  # fmt: skip
    assert not by_lines(twice).has_conflicts
    assert merged(path, twice, by_lines, mixed=False).has_conflicts
    # A consent is written once.
    consent = Three(b"a\n\nb\n\nc\n", b"1\n\nb\n\nc\n", b"a\n\nb\n\n3\n")
    assert merged("consents/2026/con_1.md", consent, by_lines, mixed=False).has_conflicts


@settings(max_examples=examples(40))
@given(file=hand_styled_files(), tag=st.sampled_from(("new", "other tag")), title=st.booleans())
def test_files_in_any_style_keep_it(file: HandStyled, tag: str, title: bool) -> None:  # noqa: FBT001 - drawn
    read = _read(file.data)
    assert isinstance(read, MemoryFile)
    ours = splice.apply(read, [splice.SetValue("platform", "here")])
    edits: list[splice.Edit] = [splice.AppendItems("aliases", (tag,))]
    theirs = splice.apply(read, [*edits, splice.SetValue("title", "Another title")] if title else edits)
    for sides in ((ours, theirs), (theirs, ours)):
        done = _merged(file.data, *sides)
        after = _read(done.data)
        assert isinstance(after, MemoryFile), done.data.decode()
        assert not done.has_conflicts
        whole = splice.apply(read, [splice.SetValue("platform", "here"), *edits])
        wanted = _read(splice.apply(_as_memory(whole), [splice.SetValue("title", "Another title")]) if title else whole)
        assert isinstance(wanted, MemoryFile)
        assert after.memory == wanted.memory
        lines = file.data.split(b"\n")
        kept = [line for line in lines if all(line in side.split(b"\n") for side in (ours, theirs))]
        assert [line for line in kept if line not in done.data.split(b"\n")] == []


def _as_memory(data: bytes) -> MemoryFile:
    file = _read(data)
    assert isinstance(file, MemoryFile)
    return file


@settings(max_examples=examples(30))
@given(seed=st.integers(0, 10**6), of_sight=st.booleans())
def test_nothing_is_lost_regained_or_shown_to_more(seed: int, of_sight: bool) -> None:  # noqa: FBT001 - drawn
    assert wrongs(seed, of_sight=of_sight)[1] == []
