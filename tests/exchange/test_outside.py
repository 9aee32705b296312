"""What sources really have: times in every form, several people, attachments, wishes, archives of other systems."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from memstore.core.times import stated
from memstore.exchange.wishes import to_be_remembered
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

NINE = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    program.init()
    return program


def taken(vault: InProcess, name: str, source: object, *options: str, code: int = 0) -> tuple[Any, list[Any]]:
    """Import a JSON source; return the answer and the memories."""
    place = vault.home / "conversations.json"
    place.write_text(json.dumps(source))
    done = vault.run("--json", "import", name, str(place), *options)
    assert done.returncode == code, done.stderr
    answer = json.loads(done.stdout)
    return answer, [vault.json("show", memory["ref"]) for memory in answer["memories"]]


# -- times -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        1714554000, 1714554000.0, 1714554000_000, 1714554000_000_000, 1714554000_000_000_000, "1714554000",
        "1714554000.0", "1714554000000", "2024-05-01T09:00:00Z", "2024-05-01T11:00:00+02:00", "2024-05-01 09:00",
        "2024-05-01 09:00:00 UTC", "2024-05-01 04:30:00 -0430", "2024/05/01 9:00", "2024-5-1, 09:00:00",
        "20240501T090000Z", "Wed, 01 May 2024 11:00:00 +0200", "1 May 2024 09:00:00 GMT", "Wed May  1 09:00:00 2024",
        "May 1, 2024, 9:00 AM", "Wednesday, May 1, 2024, 2:30 PM (UTC+5:30)", datetime(2024, 5, 1, 9, tzinfo=UTC),
    ],
)  # fmt: skip
def test_a_time_is_read_in_every_form_that_has_one_meaning(said: object) -> None:
    assert stated(said) == NINE


@pytest.mark.parametrize(
    "said",
    [
        0, -1, 7, True, 20240501, float("nan"), float("inf"), 10**30, "9" * 400, "", "soon", "05/06/2024", "2024-05",
        "2024-13-01", "May 32, 2024", "10:00", "2024-05-01T25:00", "2024-05-01T10:00+99:00", None, [], {},
    ],
)  # fmt: skip
def test_a_time_with_several_meanings_or_none_is_no_time(said: object) -> None:
    assert stated(said) is None


def test_a_time_that_cant_be_read_is_a_warning_and_no_date(vault: InProcess) -> None:
    times = {"1": 1714554000_000_000, "2": "next week or so", "3": "2999-01-01T00:00:00Z", "4": "05/06/2024"}
    source = [{"id": key, "memory": f"Tea number {key}", "created_at": at} for key, at in times.items()]
    answer, made = taken(vault, "mem0", source)
    assert [one["created_at"] for one in made] == ["2024-05-01T09:00:00Z", None, None, None]
    assert [times[key] in warning["why"] for key, warning in zip("234", answer["undated"], strict=True)] == [True] * 3
    place = vault.home / "memory" / "tea.md"
    place.parent.mkdir()
    place.write_text("---\nname: tea\nmetadata:\n  modified: 2024-05-01T09:00:00Z\n---\n\nAda likes tea.\n")
    (memory,) = vault.json("import", "claude-code", str(place.parent))["memories"]
    assert vault.json("show", memory["ref"])["created_at"] == "2024-05-01T09:00:00Z"
    assert vault.json("check")["findings"] == []


# -- who -------------------------------------------------------------------------------------------


def test_users_of_a_store_are_subjects_or_one_of_them_is_the_owner(vault: InProcess) -> None:
    source = [
        {"id": key, "memory": f"{key} drinks tea", "user_id": user}
        for key, user in {"1": "tester", "2": "Bob Jones", "3": "human:claire", "4": ""}.items()
    ]
    source.append({"id": "5", "memory": "It is asked for tea", "agent_id": "barista"})
    answer, made = taken(vault, "mem0", source)
    assert [one["subject_ids"] for one in made] == [[], ["human:bob-jones"], ["human:claire"], [], []]
    assert answer["users"] == ["tester", "Bob Jones", "human:claire"]
    (vault.home / "other").mkdir()
    other = InProcess(vault.home / "other")
    other.init()
    answer, made = taken(other, "mem0", source, "--user", "Bob Jones")
    assert [one["subject_ids"] for one in made] == [[]]
    left = ["it is tester's", "it is human:claire's", *["it doesn't say whose it is"] * 2]
    assert [one["why"] for one in answer["left_out"]] == left
    done = other.run("import", "mem0", str(other.home / "conversations.json"), "--user", "bob")
    assert (done.returncode, "Bob Jones" in done.stderr) == (2, True)


def test_two_users_are_not_made_one(vault: InProcess) -> None:
    (vault.home / "e").mkdir()
    source = [
        {"id": key, "memory": f"{key} drinks tea", "user_id": user}
        for key, user in {"1": "Ann", "2": "ann", "3": "Tester", "4": "tester", "5": "Ann"}.items()
    ]
    _, made = taken(vault, "mem0", source)
    (ann, other, mine, not_mine, again) = [one["subject_ids"] for one in made]
    assert (ann, again, mine) == (["human:ann"], ["human:ann"], [])
    assert other[0].startswith("human:ann-")
    assert not_mine[0].startswith("human:tester-")
    assert vault.json("import", "mem0", str(vault.home / "conversations.json"))["memories"] == []
    users = [{"uuid": "a", "full_name": "Bob"}, {"uuid": "b", "full_name": "Bob"}]
    (vault.home / "e/users.json").write_text(json.dumps(users))
    talks = [talk(key, {"text": f"I am {key}."}, account={"uuid": key}) for key in "ab"]
    (vault.home / "e/conversations.json").write_text(json.dumps(talks))
    made = [vault.json("show", one["ref"]) for one in vault.json("import", "claude", str(vault.home / "e"))["memories"]]
    assert [one["author"] for one in made] == ["human:bob-a", "human:bob-b"]


# -- what was said before --------------------------------------------------------------------------


def test_a_copy_is_answered_with_the_first_from_whatever_source(vault: InProcess) -> None:
    at = {"created_at": "2024-05-01T09:00:00Z"}
    source = [{"id": key, "memory": "Ada likes tea", **more} for key, more in {"1": {}, "2": {}, "3": at}.items()]
    answer, made = taken(vault, "mem0", source)
    assert [one["created_at"] for one in made] == [None, at["created_at"]]
    assert answer["known"] == [made[0]["ref"]]
    for again in range(2):
        source = [{**one, "id": f"{again}{one['id']}"} for one in source]
        answer, made_again = taken(vault, "mem0", source)
        assert (made_again, {*answer["known"]}) == ([], {one["ref"] for one in made})
    assert [len(taken(vault, "mem0", source[:1], "--again")[1]) for _ in range(2)] == [1, 0]  # the record is here now
    folders = [vault.home / name / "notes" for name in ("one", "other")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "n.md").write_text("---\ncreated: 2024-05-01\ntitle: Ada\n---\nAda likes milk.\n")
    counts = [len(vault.json("import", "markdown", str(folder))["memories"]) for folder in folders * 2]
    assert counts == [1, 0, 0, 0]


def test_memories_that_come_back_are_all_there_though_they_say_the_same(vault: InProcess) -> None:
    for words in ((), ("--again",), ("--again",)):
        vault.ok("add", "Ada likes tea", *words)
    (vault.home / "all.jsonl").write_text(vault.ok("export", "jsonl", "--all"))
    (vault.home / "other").mkdir()
    other = InProcess(vault.home / "other")
    other.init()
    other.ok("import", "jsonl", str(vault.home / "all.jsonl"))
    assert len(other.json("list")["memories"]) == 3


def talk(key: str, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = [
        {"uuid": f"{key}{at}", "created_at": "2024-05-01T09:00:00Z", "sender": "human", "text": "", **message}
        for at, message in enumerate(messages)
    ]
    return {"uuid": key, "name": key, "created_at": "2024-05-01T09:00:00Z", "chat_messages": said, **more}


def test_conversations_of_several_accounts_are_told_by_each(vault: InProcess) -> None:
    folder = vault.home / "export"
    folder.mkdir()
    users = [{"uuid": "a", "full_name": "Tester"}, {"uuid": "b", "full_name": "Bob"}]
    talks = [talk(key, {"text": f"I am {key}."}, account={"uuid": key}) for key in "ab"]
    (folder / "users.json").write_text(json.dumps(users))
    (folder / "conversations.json").write_text(json.dumps(talks))
    made = [vault.json("show", one["ref"]) for one in vault.json("import", "claude", str(folder))["memories"]]
    assert [(one["author"], one["subject_ids"]) for one in made] == [("human:tester", []), ("human:bob", ["human:bob"])]


# -- what was attached, and what is not to be remembered -------------------------------------------


def test_a_paste_is_what_the_person_said_and_a_file_is_external(vault: InProcess) -> None:
    pasted = {"file_name": "paste.txt", "extracted_content": "The key hangs behind the boiler."}
    files = [{"file_name": "report.pdf", "extracted_content": "Boilers sell well."}, {"file_name": "boiler.png"}]
    source = [talk("c", {"text": "My notes.", "attachments": [pasted, *files], "files": [{"file_name": "boiler.png"}]})]
    _, made = taken(vault, "claude", source)
    assert {one["source_type"]: one["body"].strip().split("\n\n")[-4:] for one in made} == {
        "told_by_human": ["My notes.", pasted["extracted_content"], "[report.pdf]", "[boiler.png]"],
        "external": ["Boilers sell well."],
    }


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (["My PIN is 12.", "Don't remember that.", "Tea?"], ["Tea?"]),
        (["Tea?", "Please do not memorize this: my PIN is 12, as ever."], ["Tea?"]),
        (["Tea?", "My PIN is 12. You must not remember this."], ["Tea?"]),
        (["Tea?", "Off the record: I dislike the new boss."], ["Tea?"]),
        (["Tea?", "don’t save my PIN to your memory, it is 12 34 56"], ["Tea?"]),
        (["Tea?", "Merk dir das bitte nicht: ich mag den neuen Chef nicht."], ["Tea?"]),
        (["Tea?", "Ne retiens pas ce que je viens de dire sur le nouveau chef."], ["Tea?"]),
        (["Tea?", "No recuerdes esto: no me gusta el nuevo jefe."], ["Tea?"]),
        (["Tea?", "Не запоминай это: мне не нравится новый начальник."], ["Tea?"]),
        (["Tea?", "Please don't remember this conversation.", "Right."], []),
        (["Forget this whole chat."], []),
        *(([said], [said]) for said in (
            "I do not remember where I put it.",
            "Do not remember where I parked, sorry.",
            "Why do you not remember this?",
            "I don't remember that at all.",
            "Don't save this to disk yet.",
            "Do not record the metrics in the database.",
            "Don't forget that I like tea.",
            "She told me off the record that it rained.",
            "Never remember that name! It was Bob.",
            "Forget it, let's use Python.",
            "Remember this: tea at four.",
            "Das merke ich mir nicht.",
        )),
    ],
)  # fmt: skip
def test_what_is_asked_not_to_be_remembered_is_left_out(said: list[str], kept: list[str]) -> None:
    assert to_be_remembered(said, lambda turn: turn) == kept


def test_why_there_is_no_answer_is_none(vault: InProcess) -> None:
    source = [talk("c", {"text": "Tea?"}, {"sender": "assistant", "text": "API Error: 529 Overloaded"})]
    _, made = taken(vault, "claude", source)
    assert [one["source_type"] for one in made] == ["told_by_human"]


def test_the_answers_to_it_are_left_out_too(vault: InProcess) -> None:
    turns = [("p", "Tea?"), ("a", "Yes."), ("p", "Don't remember this: my PIN is 1234."), ("a", "1234 it is.")]
    assert to_be_remembered(turns, lambda turn: turn[1] if turn[0] == "p" else None) == turns[:2]
    source = [
        talk("c", {"text": "My PIN is 1234, Don."}, {"text": "Noted: 1234.", "sender": "assistant"},
             {"text": "Do not remember that."}, {"text": "Green tea, then."}),
        talk("d", {"text": "Forget this conversation."}),
    ]  # fmt: skip
    answer, made = taken(vault, "claude", source)
    assert ["1234" in one["body"] for one in made] == [False]
    assert "Green tea" in made[0]["body"]
    assert [left["why"] for left in answer["left_out"]] == [
        "3 of its turns: it was asked not to be remembered", "it was asked not to be remembered",
    ]  # fmt: skip


# -- text that can't be decoded, archives of other systems -------------------------------------------


def test_no_replacement_character_is_ever_written(vault: InProcess) -> None:
    folder = vault.home / "notes"
    folder.mkdir()
    (folder / "latin.md").write_bytes("Käfig".encode("latin-1"))
    (folder / "wide.md").write_bytes("Käfig".encode("utf-16"))
    (folder / "good.md").write_text("Käfig: offen.\n")
    done = vault.run("import", "markdown", str(folder))
    assert (done.returncode, done.stderr.count("not UTF-8")) == (1, 2)
    taken(vault, "claude", [talk("c", {"text": "Two \ud83d minutes\x00 of \x1b[0m tea."})])
    assert "\ufffd" not in "".join(path.read_text() for path in vault.vault.glob("*/**/*.md"))
    assert "Two  minutes of [0m tea." in "".join(path.read_text() for path in vault.vault.glob("raw/**/*.md"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_of_another_system_is_a_folder_of_portable_names(vault: InProcess) -> None:
    names = ["Vault\\Sub\\back.md", "C:\\x.md", "/etc/root.md", "../../up.md", "a/./b.md", "who?.md", "aux.md"]
    names += ["twice.md", "twice.md", "Käse.md", "A.md", "a.md"]
    place = vault.home / "win.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for at, name in enumerate(names):
            info = zipfile.ZipInfo("x")
            info.filename = name
            archive.writestr(info, f"walrus {at}\n")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "../secret")
    made = vault.json("import", "markdown", str(place))["memories"]
    paths = sorted(one["path"].removeprefix("notes/win/") for one in made if one["path"].startswith("notes/win/"))
    assert len(made) == len(names)
    assert {"Vault/Sub/back.md", "x.md", "etc/root.md", "up.md", "a/b.md", "who-.md", "twice.md", "Käse.md"} <= {*paths}
    assert not any(sign in path for path in paths for sign in '\\:?<>|*"')
    assert "aux.md" not in paths
    assert len({path.casefold() for path in paths}) == len(paths)


def test_a_member_of_an_archive_has_its_exact_time_where_it_states_one(vault: InProcess) -> None:
    place, saved = vault.home / "z.zip", (2024, 5, 1, 23, 0, 0)
    seconds = int(NINE.timestamp()).to_bytes(4, "little")
    extras = [
        b"UT\x05\x00\x01" + seconds,
        b"XX\x01\x00x" + b"UT\x09\x00\x03" + seconds * 2,
        b"",
        b"UT\x05\x00\x02" + seconds,
        b"UT\x09",
    ]
    with zipfile.ZipFile(place, "w") as archive:
        for number, extra in enumerate(extras):
            info = zipfile.ZipInfo(f"n{number}.md", saved)
            info.extra = extra
            archive.writestr(info, f"walrus {number}\n")
    made = [vault.json("show", one["ref"]) for one in vault.json("import", "markdown", str(place))["memories"]]
    local = "2024-05-01T23:00:00Z"
    assert [one["created_at"] for one in made] == ["2024-05-01T09:00:00Z"] * 2 + [local] * 3
