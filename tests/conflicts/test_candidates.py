"""Candidates: what is most like a memory's statements, for somebody to judge; never what is hidden, nor itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.conflicts.candidates import LONGEST, MOST_READ, candidates
from memstore.conflicts.open_pairs import concerns
from memstore.core.errors import NotFoundError
from memstore.core.quotation import NOTICE
from memstore.search import EMBEDDER
from tests.memory_workspace import memory_workspace
from tests.support import memory_text
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random

    from memstore.conflicts.candidates import Candidate

LAMP = ("The lamp in the hall is made of brass.", "The lamp in the hall is made of paper.", "A lamp hangs in the hall.")
SENTENCES = (
    *LAMP,
    "Bella eats at eight.",
    "Bella eats at nine on Sundays.",
    "Rent is due in May.",
    "# The lamp",
    "hall lamp",
)


class Topics:
    """An embedder to which what is said of light means the same."""

    name = "topics"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "lamp" in text or "glow" in text else [0.0, 1.0] for text in texts]


memories = st.lists(st.tuples(st.sampled_from(SENTENCES), st.booleans()), min_size=1, max_size=7)


def files(said: list[tuple[str, bool]], ids: list[str]) -> dict[str, bytes]:
    return {
        f"{at}.md": memory_text(
            f"{text}\n",
            id=ids[at],
            owner="human:sean",
            access_grants='["si:ash"]' if shown else "[]",
            created_at=f"2026-01-{at + 1:02}T08:00:00Z",
        )
        for at, (text, shown) in enumerate(said)
    }


def told(found: tuple[Candidate, ...]) -> list[tuple[object, ...]]:
    return [one._replace(ref="", concerns=one.concerns._replace(ref="")) for one in found]


@settings(max_examples=40)
@given(memories, st.integers(1, 4), st.randoms(use_true_random=False))
def test_at_most_so_many_of_others_that_are_seen_whatever_their_ids(
    said: list[tuple[str, bool]], limit: int, random: Random
) -> None:
    ids = [f"m_{at:010}" for at in range(len(said))]
    other_ids = random.sample(ids, len(ids))
    ash = memory_workspace(files(said, ids), actor="si:ash").view()
    for at in (at for at, (_, shown) in enumerate(said) if shown):
        found = candidates(ash, f"{at}.md", limit=limit)
        assert len(found) <= limit
        assert found == tuple(
            sorted(found, key=lambda one: (-one.alike, -int((one.created_at or "0")[:10].replace("-", ""))))
        )
        for one in found:
            number = int(one.path.removesuffix(".md"))
            assert number != at
            assert said[number][1]
            assert (one.text, one.line_start) == (said[number][0], 8)
            assert one.text != said[at][0]
        renamed = memory_workspace(files(said, other_ids), actor="si:ash").view()
        assert told(candidates(renamed, f"{at}.md", limit=limit)) == told(found)
        alone = {path: data for path, data in files(said, ids).items() if said[int(path[:-3])][1]}
        assert candidates(memory_workspace(alone, actor="si:ash").view(), f"{at}.md", limit=limit) == found


def shown_for(asked: str, *others: str) -> list[str]:
    vault = {f"{at}.md": memory_text(f"{text}\n", id=f"m_{at}") for at, text in enumerate((asked, *others))}
    return [one.text for one in candidates(memory_workspace(vault).view(), "m_0", limit=9)]


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("Hilde drives an old Volvo.", "Hilde has switched to a bicycle."),
        ("The bridge is open to lorries.", "Lorries are not permitted on the bridge."),
        ("Entry for adults is 7.", "Since April adults have paid 9 at the entry."),
        ("The goat is a male.", "The goat gave birth to twins."),
    ],
)
def test_what_concerns_one_thing_is_shown_in_whatever_words(asked: str, other: str) -> None:
    assert shown_for(asked, other, "Rent is due in May.", "The kettle is blue.", "Tom plays chess.") == [other]


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("We pay for the sign.", "Ten customers pay now."),
        ("Ida came on Monday at nine.", "The shop opens on Monday at nine."),
        ("Review again next spring.", "Review by Leif, merged."),
        ("Nobody is blamed for it.", "Nobody sleeps in the yard."),
        ("It makes no difference to me.", "Rain makes no difference here."),
        ("The lamp in the hall is made of brass.", "# The lamp in the hall is made of paper"),
        ("The lamp in the hall is made of brass.", "The lamp in the hall is made of brass."),
        ("The lamp in the hall is made of brass.", "Is the lamp in the hall made of paper?"),
    ],
)
def test_what_shares_words_by_chance_or_says_the_same_is_not_shown(asked: str, other: str) -> None:
    assert shown_for(asked, other, "Rent is due in May.", "The kettle is blue.", "Tom plays chess.") == []


def test_words_that_many_memories_have_tell_little() -> None:
    asked, other = "Hilde drives an old Volvo.", "Hilde has switched to a bicycle."
    rest = [f"Hilde answered letter {at}." for at in range(60)]
    assert other in shown_for(asked, other, *rest[:2])
    assert shown_for(asked, other, *rest) == []


def test_several_are_asked_about_each_once() -> None:
    vault = {f"{at}.md": memory_text(f"{text}\n", id=f"m_{at}") for at, text in enumerate(LAMP)}
    view = memory_workspace(vault).view()
    each = [candidates(view, f"m_{at}") for at in (2, 0)]
    assert candidates(view, ["m_2", "note:m_0", "2.md"]) == (*each[0], *each[1])
    with pytest.raises(NotFoundError):
        candidates(view, ["m_2", "m_missing"])


def test_what_is_equally_alike_is_shown_newest_first() -> None:
    vault = {
        f"{day}.md": memory_text(
            "The lamp in the hall is made of paper.\n", id=f"m_{day}", created_at=f"2026-01-{day}T08:00:00Z"
        )
        for day in ("03", "09", "06")
    }
    vault["asked.md"] = memory_text("The lamp in the hall is made of brass.\n", id="m_asked")

    found = candidates(memory_workspace(vault).view(), "m_asked")
    assert [(one.created_at or "")[:10] for one in found] == ["2026-01-09", "2026-01-06", "2026-01-03"]


def test_what_is_superseded_decided_or_of_another_scope_is_left_out() -> None:
    def vault(**keys: str) -> list[str]:
        both = {
            "a.md": memory_text(f"{LAMP[0]}\n", id="m_aaa", scope="project:x"),
            "b.md": memory_text(f"{LAMP[1]}\n", **{"id": "m_bbb", "scope": "project:x"} | keys),
        }
        return [one.path for one in candidates(memory_workspace(both).view(), "m_aaa")]

    decision = '[{with: "note:m_aaa", conflict_type: contradiction, decision: keep}]'
    assert vault() == ["b.md"]
    assert vault(status="superseded") == vault(resolved_conflicts=decision) == vault(scope="project:y") == []


def test_a_hidden_memory_is_refused_as_a_missing_one() -> None:
    hidden = memory_workspace(files([(LAMP[0], False), (LAMP[1], True)], ["m_one", "m_two"]), actor="si:ash").view()
    missing = memory_workspace(files([(LAMP[1], True)], ["m_two"]), actor="si:ash").view()
    said = []
    for view in (hidden, missing):
        with pytest.raises(NotFoundError) as refused:
            candidates(view, "m_one")
        said.append((refused.value.message, refused.value.hint))
    assert said[0] == said[1]


def test_the_cost_of_many_alike_memories_is_bounded() -> None:
    lamps = {f"{at}.md": memory_text(f"The lamp in the hall costs {at} euros.\n", id=f"m_{at}") for at in range(60)}
    noise = {f"n{at}.md": memory_text(f"Tom wrote letter {at} to Ida.\n", id=f"m_n{at}") for at in range(200)}
    found = candidates(memory_workspace(lamps | noise).view(), "m_7", limit=None)
    assert len(found) == MOST_READ


def test_the_command_lists_what_changed_with_what_may_concern_it(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.init()
    vault = program.vault
    (vault / "old.md").write_bytes(memory_text(f"{LAMP[0]}\n", id="m_old", created_at="2026-01-01T08:00:00Z"))
    program.ok("commit")
    refused = program.run("conflicts", "--candidates")
    assert (refused.returncode, "no memory has changed" in refused.stderr) == (2, True)
    (vault / "new.md").write_bytes(memory_text(f"{LAMP[1]}\n", id="m_new"))
    outside = memory_text("The lamp in the hall is made of [[gold]]. " + "x " * 300, id="m_out", source_type="external")
    (vault / "out.md").write_bytes(outside)

    text = program.ok("conflicts", "--candidates", "m_new")
    document = program.json("conflicts", "--candidates", "m_new", "-k", "1")
    assert "old.md:6: note:m_old 2026-01-01 The lamp in the hall is made of brass." in text
    assert "both say hall, lamp" in text
    assert NOTICE in text
    assert [one["ref"] for one in document["candidates"]] == ["note:m_old"]
    assert max(len(one["text"]) for one in program.json("conflicts", "--candidates")["candidates"]) <= LONGEST
    for words in (("--duplicates",), ("--limit", "3")):
        assert program.run("conflicts", "--candidates", *words).returncode == 2
    assert program.run("conflicts", "-k", "3").returncode == 2


def test_with_a_model_what_means_the_same_is_a_candidate_whatever_its_words() -> None:
    said = [
        ("The lamp is made of brass.", True),
        ("What glows upstairs has a paper shade.", True),
        ("Rent is due.", True),
    ]
    ws = memory_workspace(files(said, ["m_lamp", "m_glow", "m_rent"]), actor="si:ash")
    assert candidates(ws.view(), "m_lamp") == ()
    found = candidates(ws.having(EMBEDDER, Topics()).view(), "m_lamp")
    assert [(one.ref, one.why, one.concerns.ref) for one in found] == [("note:m_glow", (), "note:m_lamp")]
    assert [one.why for one in concerns(found)] == ["close in meaning"]
    hidden = memory_workspace(files([said[0], (said[1][0], False)], ["m_lamp", "m_glow"]), actor="si:ash")
    assert candidates(hidden.having(EMBEDDER, Topics()).view(), "m_lamp") == ()
