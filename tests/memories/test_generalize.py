"""Generalizing: what the check lets out, and that nobody learns from whom it was learnt."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from memstore.access import generalization
from memstore.access.audit_events import write
from memstore.access.generalization import no_name_in
from memstore.access.privacy import explain_access
from memstore.access.widening import check_widening, surroundings
from memstore.core.change import MemoryChange
from memstore.core.errors import RefusedError, UsageError
from memstore.memories.edit import tag
from memstore.memories.generalize import check_generalization, generalize
from tests.installed import ROOT
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.vault.workspace import Workspace

ENTITY = b"---\ntype: entity\nid: %s\naliases: [%s]\n---\n"
FILES = {
    "entities/dog/bella.md": ENTITY % (b"dog:bella", b"Bella"),
    "entities/vet/smith.md": ENTITY % (b"vet:smith", b"Dr. Quillfeather"),
    "a.md": memory_text(
        "Bella has a grade 2 heart murmur, found on 12 May.\n", type="raw", id="m_murmur", subject_ids='["dog:bella"]',
        source_entity="vet:smith", confidence="0.6",
    ),
    "b.md": memory_text("It follows.\n", id="m_between", derived_from='["raw:m_murmur"]'),
}  # fmt: skip
SAFE = "Small breeds need regular checks"


def test_a_safe_one_is_written_for_those_who_may_not_see_its_source() -> None:
    ws = memory_workspace(dict(FILES))
    done = generalize(ws.view(), ["m_murmur"], SAFE, access=["public", "si:ash"], confidence=0.9, note="Direct care")
    memory = ws.view().original(done.saved.ref or "").memory
    assert (memory.type, memory.generalized, memory.derived_from) == ("belief", True, ("raw:m_murmur",))
    assert (memory.access_grants, memory.confidence) == (("*", "si:ash"), 0.6)
    verdict = memory.generalization
    assert verdict is not None
    assert (verdict.verdict, verdict.checks, verdict.note, verdict.acknowledged_by) == ("safe", (), "Direct care", None)
    assert explain_access(ws.view(), done.saved.ref or "", "human:anybody").allowed
    assert not explain_access(ws.view(), "m_murmur", "human:anybody").allowed
    events = [json.loads(data) for path, data in files_of(ws).items() if path.startswith("audit/")]
    assert [(one["event"], one["about"]["memory"], one["about"]["to"]) for one in events] == [
        ("generalize", memory.id, ["*", "si:ash"])
    ]


def test_names_block_and_details_warn() -> None:
    ws = memory_workspace(dict(FILES))
    before = dict(files_of(ws))
    for text in ("Bella's breed tires", "As Quillfeather says, rest helps"):
        with pytest.raises(RefusedError, match="Text contains subject entity name"):
            generalize(ws.view(), ["m_murmur"], text, access=["*"])
        # What lies between doesn't hide whom it is about.
        assert check_generalization(ws.view(), ["m_between"], text).verdict.verdict == "blocked"
    with pytest.raises(RefusedError, match="a date that its source gives"):
        generalize(ws.view(), ["m_murmur"], "Hearts should be checked on May 12", access=["*"])
    with pytest.raises(RefusedError, match="Text contains"):
        generalize(ws.view(), ["m_murmur"], SAFE, title="On Bella", access=["*"])
    assert files_of(ws) == before

    done = generalize(ws.view(), ["m_murmur"], "Hearts should be checked on May 12", access=["*"], acknowledge=True)
    made = ws.view().original(done.saved.ref or "").memory.generalization
    assert made is not None
    assert (made.verdict, made.checks, made.acknowledged_by) == (
        "warn", ("coverage", "date", "number"), "human:sean",
    )  # fmt: skip


def test_that_a_word_is_no_name_only_the_owner_can_say_and_only_of_one_text() -> None:
    rain = ENTITY % (b"dog:rain", b"Rain")
    owned = {
        "c.md": memory_text("Rain limps.\n", id="m_limps", owner="si:ash", subject_ids='["dog:rain"]'),
        "d.md": memory_text("Rain limps.\n", id="m_mine", subject_ids='["dog:rain"]'),
    }
    files = {**FILES, **owned, "entities/dog/rain.md": rain}
    ws, theirs = memory_workspace(dict(files)), memory_workspace(dict(files), actor="si:ash")
    said = "Old dogs tire in Rain"
    with pytest.raises(RefusedError, match="entity name 'Rain'"):
        generalize(theirs.view(), ["m_limps"], said, access=["*"], acknowledge=True)
    with pytest.raises(RefusedError, match="entity name"):
        generalize(ws.view(), ["m_mine"], f"{said}, says dog:rain", access=["*"], acknowledge=True)
    with pytest.raises(RefusedError) as refused:
        generalize(ws.view(), ["m_mine"], said, access=["*"])
    assert "--acknowledge" in (refused.value.hint or "")
    saved = generalize(ws.view(), ["m_mine"], said, title="On weather", access=["*"], acknowledge=True).saved
    (event,) = (json.loads(data) for path, data in files_of(ws).items() if path.startswith("audit/"))
    assert event["about"]["acknowledged"] == ["entity-name", no_name_in(f"On weather\n{said}")]
    assert (found_at(ws, saved.path), explain_access(ws.view(), saved.ref or "", "human:x").allowed) == ([], True)
    written = files_of(ws)[saved.path]
    for was, now in ((b"tire in", b"suffer in"), (b'acknowledged_by: "human:sean"', b'acknowledged_by: "si:ash"')):
        assert was in written
        files_of(ws)[saved.path] = written.replace(was, now)
        assert found_at(ws, saved.path) == ["generalization-blocked"]
    files_of(ws)[saved.path] = written.replace(b"---\n", b"---\ntags: [rain]\n", 1)
    assert found_at(ws, saved.path) == ["generalization-blocked"]


def test_that_a_word_is_no_name_counts_only_if_the_audit_has_it_from_the_owner() -> None:
    rain = ENTITY % (b"dog:rain", b"Rain")
    mine = memory_text("Rain limps.\n", id="m_mine", subject_ids='["dog:rain"]')
    ws = memory_workspace({**FILES, "d.md": mine, "entities/dog/rain.md": rain})
    path = generalize(ws.view(), ["m_mine"], "Old dogs tire in Rain", access=["*"], acknowledge=True).saved.path
    files = files_of(ws)
    (place,) = (one for one in files if one.startswith("audit/"))
    said = json.loads(files.pop(place))
    assert found_at(ws, path) == ["generalization-blocked"]  # the line of the file alone says nothing

    def told(at: str = place, *, by: str = "human:sean", event: str = "generalize", **about: object) -> list[str]:
        _, data = write(event_id=said["id"], at=said["at"], by=by, event=event, about={**said["about"], **about},
                        prev=said["prev"])  # fmt: skip
        files[at] = data
        found = found_at(ws, path)
        del files[at]
        return found

    assert told() == []
    for forged in (
        told(by="si:ash"), told(event="edit"), told(memory="m_other"), told(acknowledged=["entity-name"]),
        told(acknowledged=["entity-name", no_name_in("Old dogs tire in rain!")]),
        told(place.replace("human/sean", "si/ash")),
    ):  # fmt: skip
        assert forged == ["generalization-blocked"]
    files[place] = json.dumps({**said, "digest": said["digest"][:-1] + "0"}).encode()
    assert found_at(ws, path) == ["generalization-blocked"]


def found_at(ws: Workspace, path: str) -> list[str]:
    """Return what the commit check finds in a new file."""
    file = ws.view().original(path)
    around = surroundings(ws.view(), frozenset({"m_murmur", "m_mine"}))
    change = MemoryChange(before=None, after=file.memory, path_before=None, path_after=file.path)
    return [finding.code for finding in check_widening([change], {file.path: file}, lambda _: around, ws.clock.now())]


def test_a_text_that_gives_somebody_away_can_be_worked_on_until_it_is_committed() -> None:
    ws = memory_workspace(dict(FILES))
    saved = generalize(ws.view(), ["m_murmur"], SAFE, access=["*"]).saved
    files_of(ws)[saved.path] = files_of(ws)[saved.path].replace(SAFE.encode(), b"Bella needs regular checks")
    assert found_at(ws, saved.path) == ["generalization-blocked"]
    assert tag(ws.view(), saved.path, add=["hearts"]).changed


def test_what_is_refused_before_anything_is_compared() -> None:
    ws = memory_workspace(dict(FILES))
    for ref, text, access in (("m_murmur", "  ", ["*"]), ("m_murmur", SAFE, []), ("m_murmur", SAFE, ["nobody"])):
        with pytest.raises(UsageError):
            generalize(ws.view(), [ref], text, access=access)
    theirs = memory_workspace(
        {**FILES, "c.md": memory_text("Mine.\n", id="m_c", access_grants='["si:ash"]')}, actor="si:ash"
    )
    with pytest.raises(RefusedError, match="is human:sean's"):
        generalize(theirs.view(), ["m_c"], SAFE, access=["*"])
    gone = memory_workspace({"t.md": memory_text(id="m_t", status="forgotten")})
    with pytest.raises(RefusedError, match="can't be compared"):
        check_generalization(gone.view(), ["m_t"], SAFE)


def test_the_crowd_is_counted_and_silences_nothing() -> None:
    crowd = {
        f"{i}.md": memory_text("Hearts need checks in May.\n", id=f"m_crowd{i}", subject_ids=f'["dog:d{i}"]')
        for i in range(4)
    }
    ws = memory_workspace({**FILES, **crowd})
    found = check_generalization(ws.view(), ["m_crowd0"], "Hearts need checks in May")
    assert (found.k, found.verdict.verdict) == (5, "warn")
    assert check_generalization(ws.view(), ["m_murmur"], SAFE).k == 0


# -- texts written before the rules were looked at ---------------------------------------------------

UNSEEN = json.loads((ROOT / "tests" / "access" / "unseen_generalizations.json").read_text(encoding="utf-8"))


def verdicts(kind: str) -> list[str]:
    rows: list[dict[str, Any]] = [row for row in UNSEEN if row["verdict"] == kind]
    assert len(rows) == 20
    return [generalization.check(row["text"], [row["source"]], row["subjects"]).verdict for row in rows]


def test_unseen_texts_are_told_apart() -> None:
    assert verdicts("unsafe").count("safe") <= 1
    assert verdicts("safe").count("safe") >= 18
    assert "blocked" not in verdicts("borderline")


# -- a name in thirty disguises ----------------------------------------------------------------------

NAMES = (
    "Bella", "Marta Kowalczyk", "Inês", "Tuấn", "Olga", "Samantha", "Benjamin Roth", "Grace Adeyemi", "Rajesh", "Aoife",
    "Yusuf", "Viktor Horvat", "Noor Haddad", "Søren", "Zoë", "Łukasz", "Émile", "Kenji", "Fatima", "Lindqvist",
)  # fmt: skip
_ALIKE = str.maketrans("aeopcxyiABEHKMOPTX", "аеорсхуіАВЕНКМОРТХ")
_LEET = str.maketrans("aeioslt", "4310$17")
DISGUISES: dict[str, Callable[[str, Random], str]] = {
    "as it is": lambda name, _: name,
    "capitals": lambda name, _: name.upper(),
    "lower case": lambda name, _: name.lower(),
    "swapped case": lambda name, _: name.swapcase(),
    "possessive": lambda name, _: f"{name}'s",
    "typographic possessive": lambda name, _: f"{name}’s",
    "plural": lambda name, _: f"{name}s",
    "quotes": lambda name, _: f"“{name}”",
    "parentheses": lambda name, _: f"({name})",
    "spaced letters": lambda name, _: " ".join(name.replace(" ", "")),
    "dotted letters": lambda name, _: ".".join(name.replace(" ", "")),
    "hyphens": lambda name, _: "-".join(name.replace(" ", "")),
    "zero width space": lambda name, _: "\u200b".join(name),
    "soft hyphen": lambda name, _: "\u00ad".join(name),
    "zero width joiner": lambda name, _: name[:2] + "\u200d" + name[2:],
    "combining marks": lambda name, _: "".join(sign + "\u0301" if sign.isalpha() else sign for sign in name),
    "full width": lambda name, _: "".join(chr(ord(s) + 0xFEE0) if "!" <= s <= "~" else s for s in name),
    "look-alikes": lambda name, _: name.translate(_ALIKE),
    "one look-alike": lambda name, _: name.replace("a", "а", 1).replace("e", "е", 1).replace("o", "о", 1),
    "leet": lambda name, _: name.lower().translate(_LEET),
    "emphasis": lambda name, _: f"{name[:2]}**{name[2:]}**",
    "markup": lambda name, _: f"{name[:2]}<b>{name[2:]}</b>",
    "entities": lambda name, _: "".join(f"&#{ord(sign)};" for sign in name),
    "handle": lambda name, _: "@" + name.replace(" ", "_").lower(),
    "hashtag": lambda name, _: "#" + name.replace(" ", ""),
    "digits after it": lambda name, _: name.replace(" ", "").lower() + "1987",
    "first part": lambda name, _: name.split()[0],
    "last part": lambda name, _: name.split()[-1],
    "a slip": lambda name, random: name[: (at := random.randrange(1, len(name) - 1))] + name[at] + name[at:],
    "backwards": lambda name, _: name[::-1],
}


def test_disguised_names_are_blocked_or_warned_of() -> None:
    random = Random(19)  # noqa: S311 (nothing secret)
    safe = []
    for name in NAMES:
        for kind, disguise in DISGUISES.items():
            text = f"We learnt that {disguise(name, random)} did better with more rest."
            found = generalization.check(text, ["Something was seen."], {"human:x1": [name]})
            safe += [(kind, name)] if found.safe else []
    assert len(DISGUISES) == 30
    assert len(safe) <= len(NAMES) * len(DISGUISES) * 0.1, safe


def test_without_the_name_there_is_no_alarm() -> None:
    text = "We learnt that rest did them good."
    assert all(generalization.check(text, ["Seen."], {"human:x1": [name]}).safe for name in NAMES)


@pytest.mark.parametrize(
    ("aliases", "text", "verdict"),
    [
        (["林"], "林さんのように休むとよい。", "blocked"),
        (["林 美咲"], "美咲は早く休んだ。", "blocked"),
        (["Ольга Петрова"], "Ольги не было, и это помогло.", "warn"),
        (["Ольга Петрова"], "Olga rested early.", "blocked"),
        (["Grace Adeyemi"], "G. A. went back to work.", "blocked"),
        (["Grace Adeyemi"], "G.A. went back to work.", "blocked"),
        (["Grace Adeyemi"], "Vitamin G. A lot of it helps.", "warn"),
        (["Grace Adeyemi"], "G. Adeyemi went back to work.", "blocked"),
        (["Noor Qureshi"], "N. Q. rested early.", "blocked"),
        (["N. Q."], "N. Q. rested early.", "blocked"),
        (["N. Q."], "NQ rested early.", "blocked"),
        (["NQ"], "N. Q. rested early.", "blocked"),
        (["Noor Zahra Qureshi"], "N. Q. rested early.", "blocked"),
        (["Noor Zahra Qureshi"], "N.Z.Q. rested early.", "blocked"),
        (["Jean-Pierre Dubois"], "J.-P. D. rested early.", "blocked"),
        (["Jean-Pierre Dubois"], "J.-P. rested early.", "blocked"),
        (["Иван Петров"], "И. П. rested early.", "blocked"),
        (["Иван Петров"], "I. P. rested early.", "blocked"),
        (["ليلى حداد"], "ل. ح. rested early.", "blocked"),
        (["Dr Okafor"], "Okaforʼs patients rested early.", "blocked"),
        (["Keʻala"], "Ke'ala rested early.", "blocked"),
        (["Keʻala"], "Keala rested early.", "blocked"),
        (["Siobhán O'Connell"], "Siobhan OʼConnell rested early.", "blocked"),
        (["Siobhán O'Connell"], "S. O. rested early.", "blocked"),
        (["Uma Singh"], "In the U.S. people rest early.", "warn"),
        (["Uma Singh"], "Rest helps us.", "safe"),
        (["Noor Qureshi"], "NQ rested early.", "warn"),
        (["Noor Qureshi"], "N of them rested early; see Q. 4.", "safe"),
        (["Αλέξης"], "Alexis rested early.", "blocked"),
        # A name in letters amid signs without spaces, and the other way round.
        (["Max"], "早起きのMaxは水をやる。", "blocked"),
        (["Max"], "#Maxくんは早く休む。", "blocked"),
        (["Marek Dvořák"], "休むのはDvořákさんだけではない。", "blocked"),
        (["Marek Dvořák"], "Dvořákちゃん rested early.", "blocked"),
        (["Ольга Петрова"], "早起きのОльгаは休む。", "blocked"),
        (["Ольга Петрова"], "早起きのOlgaは休む。", "blocked"),
        (["May Brown"], "早起きのMayは休む。", "blocked"),
        (["Marek Dvořák"], "休むのはM.D.さんだ。", "warn"),
        (["Maxちゃん"], "Maxちゃんは休む。", "blocked"),
        (["Maxちゃん"], "赤ちゃんは休む。", "safe"),
        (["Max"], "Maximは休む。", "safe"),
        # Signs that are taken apart.
        (["李伟"], "Let 李 伟 rest.", "warn"),
        (["김민수"], "김 민 수 쉬었다.", "warn"),
        (["鈴木花子"], "休む鈴木\n花子", "warn"),
        (["王小明"], "王·小·明休息", "warn"),
        (["王小明"], "他姓王。小明天休息。", "safe"),
        # A part of a name that has no spaces, with what people are called.
        (["田中健一"], "田中さんのように休むとよい。", "warn"),
        (["田中健一"], "健一くんのように休むとよい。", "warn"),
        (["王小明"], "王先生休息了。", "warn"),
        (["王小明"], "小王休息了。", "warn"),
        (["王小明"], "阿明休息了。", "warn"),
        (["김민수"], "민수 씨가 쉬었다.", "warn"),
        (["김민수"], "김 선생님이 쉬었다.", "warn"),
        (["田中健一"], "田んぼの中で休む。", "safe"),
        (["王小明"], "先生は休む。", "safe"),
        (["田中健一"], "一番よいのは休むことだ。", "safe"),
        (["王小明"], "明王小 rested.", "safe"),
        (["王小明"], "明小王休息", "warn"),
        # Initials in lower case, with their dots.
        (["Li Wei"], "Somebody (l.w.) rested early.", "blocked"),
        (["Li Wei"], "Somebody (l. w.) rested early.", "blocked"),
        (["Erik Grau"], "Rest early, e.g. on Sundays.", "safe"),
        (["Zoe Berg"], "Ruhe hilft, z.B. sonntags, z. B. früh.", "safe"),
        # Leet without a letter.
        (["Bella"], "83114 rested early.", "blocked"),
        (["Tim"], "In 2024 rest was short: 714 hours.", "safe"),
    ],
)  # fmt: skip
def test_names_in_every_script_and_form(aliases: list[str], text: str, verdict: str) -> None:
    assert generalization.check(text, ["Seen."], {"human:x1": aliases}).verdict == verdict


def test_initials_of_an_id_without_an_alias_count() -> None:
    assert generalization.check("N. Q. rested early.", ["Seen."], {"human:noor_qureshi": []}).verdict == "blocked"
    assert generalization.check("S. K. rested early.", ["Seen."], {"human:student_kid": []}).verdict == "safe"
