"""What a server shows at most, and handles that only narrow it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memstore.access.local_state import Quoted
from memstore.lineage.descent import quotations
from memstore.mcp.server import Handles
from tests.installed import validated
from tests.mcp.serving import answered, served
from tests.support import memory_text
from tests.whole.hidden import NOW
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.mcp.server import Server

OWNER, BOB = "si:ash", "human:bob"
FILES = {
    "open.md": memory_text("tea for everybody\n", id="m_open000001", access_grants='["*"]'),
    "park.md": memory_text("tea in the park\n", id="m_park000001", access_grants='["ctx:park"]'),
    "club.md": memory_text("tea in the club\n", id="m_club000001", access_grants='["ctx:club"]'),
    "both.md": memory_text("tea in both\n", id="m_both000001", access_grants='["ctx:club", "ctx:park"]'),
    "own.md": memory_text("tea alone\n", id="m_own0000001"),
    "bobs.md": memory_text("tea of Bob\n", id="m_bobs000001", owner=BOB),
    "contexts/park.yaml": b"id: ctx:park\nroster: ['human:bob', 'si:ash']\n",
    "contexts/club.yaml": b"id: ctx:club\nroster: ['human:eve', 'human:bob', 'si:ash']\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    program.ok("init", ".", "--owner", OWNER)
    for path, data in FILES.items():
        place = program.vault / path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    return program


def seen(server: Server, handle: str | None = None) -> set[str]:
    document = answered(server, "memory_search", query="tea", handle=handle).document
    return {hit["path"].removesuffix(".md") for hit in document["results"]}


def entered(server: Server, context: str, **more: object) -> str:
    document = answered(server, "context", action="enter", context=context, **more).document
    assert validated(json.dumps(document)) == document
    handle: str = document["handle"]
    return handle


# -- what it shows at most --------------------------------------------------------------------------------


def test_the_word_that_nobody_else_listens_shows_all_that_is_ones_own(vault: InProcess) -> None:
    assert seen(served(vault)) == {"open", "park", "club", "both", "own"}
    assert seen(served(vault, entity=BOB)) == {"open", "bobs"}


def test_without_it_somebody_unknown_may_listen(vault: InProcess) -> None:
    for entity in (OWNER, BOB):
        server = served(vault, entity=entity, alone=False)
        assert seen(server) == {"open"}
        assert "Somebody unknown may be listening" in server.instructions
        assert server.call("memory_get", {"ref": "m_own0000001"}).document["error"]["code"] == "not-found"


def test_a_context_bounds_it(vault: InProcess) -> None:
    server = served(vault, alone=False, context="ctx:park")
    assert seen(server) == {"open", "park", "both"}
    assert "ctx:park" in server.instructions
    assert answered(server, "context", action="show").document["context"] == "ctx:park"


def test_a_context_that_somebody_entered_in_a_shell_is_none_of_the_servers(vault: InProcess) -> None:
    vault.ok("context", "enter", "ctx:club")
    assert seen(served(vault)) == {"open", "park", "club", "both", "own"}
    assert seen(served(vault, alone=False)) == {"open"}
    handle = entered(served(vault), "ctx:park")
    assert handle
    assert vault.json("context", "show")["context"] == "ctx:club"


def test_a_vault_that_demands_a_context_gets_one(vault: InProcess) -> None:
    vault.ok("config", "require_context", "true")
    server = served(vault)
    refused = server.call("memory_search", {"query": "tea"})
    assert refused.failed
    assert "only in a context" in refused.text
    assert seen(server, entered(server, "ctx:park")) == {"open", "park", "both"}
    assert seen(served(vault, alone=False, context="ctx:park")) == {"open", "park", "both"}


def test_settings_and_registries_count_as_they_are_now(vault: InProcess) -> None:
    server = served(vault, alone=False, context="ctx:park")
    (vault.vault / "contexts" / "park.yaml").write_bytes(b"id: ctx:park\nopen: true\nroster: ['si:ash']\n")
    assert seen(server) == {"open", "park", "both"}
    (vault.vault / "contexts" / "park.yaml").unlink()
    assert seen(server) == {"open"}


# -- handles -----------------------------------------------------------------------------------------------


def test_a_handle_narrows_one_call_and_no_other(vault: InProcess) -> None:
    server = served(vault)
    park, club = entered(server, "ctx:park"), entered(server, "ctx:club")
    assert seen(server, park) == {"open", "park", "both"}
    assert seen(server, club) == {"open", "club", "both"}
    assert seen(server) == {"open", "park", "club", "both", "own"}
    assert answered(server, "context", action="show", handle=park).document["context"] == "ctx:park"


@pytest.mark.soak(3)
@pytest.mark.parametrize("participants", [[], [OWNER], ["human:bob"], ["dog:bella"]])
@pytest.mark.parametrize("ceiling", [None, "ctx:park"])
def test_no_handle_widens(vault: InProcess, ceiling: str | None, participants: list[str]) -> None:
    server = served(vault, alone=False, context=ceiling)
    most = seen(server)
    for context in ("ctx:club", "ctx:park", "ctx:nowhere"):
        handle = entered(server, context, participants=participants)
        assert seen(server, handle) <= most
        assert "own" not in seen(server, handle)
        got = server.call("memory_get", {"ref": "m_own0000001", "handle": handle})
        assert got.document["error"]["code"] == "not-found"
        refused = server.call("privacy", {"action": "audit", "entity": "*", "handle": handle})
        assert "own.md" not in refused.text


def test_a_handle_that_was_left_or_never_given_is_an_error(vault: InProcess) -> None:
    server, other = served(vault), served(vault)
    handle = entered(server, "ctx:park")
    told = {
        one.call("memory_search", {"query": "tea", "handle": given}).text
        for one, given in ((other, handle), (server, handle[:-1]), (server, ""), (server, "ctx:park"))
    }
    assert len(told) == 1
    assert "unknown, or its context is over" in told.pop()
    left = answered(server, "context", action="leave", handle=handle)
    assert left.document["left"] == "ctx:park"
    assert server.call("memory_search", {"query": "tea", "handle": handle}).failed
    assert server.call("context", {"action": "leave", "handle": handle}).failed
    assert server.call("context", {"action": "leave"}).failed


def test_a_handle_ends_with_its_context(vault: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    server = served(vault)
    handle = entered(server, "ctx:park")
    assert seen(server, handle)
    now = server.handles.context(handle, NOW).expires_at
    assert now is not None
    for late in (now, now + timedelta(days=1)):
        monkeypatch.setattr("memstore.core.clock.SystemClock.now", lambda _, late=late: late)
        assert server.call("memory_search", {"query": "tea", "handle": handle}).failed
        assert server.call("context", {"action": "show", "handle": handle}).failed


def test_a_context_is_not_entered_from_another(vault: InProcess) -> None:
    server = served(vault)
    handle = entered(server, "ctx:park")
    assert server.call("context", {"action": "enter", "context": "ctx:club", "handle": handle}).failed


def test_what_is_written_with_a_handle_is_of_that_context(vault: InProcess) -> None:
    server = served(vault)
    handle = entered(server, "ctx:park")
    made = answered(server, "memory_add", text="tea at noon", handle=handle).document
    shown = answered(server, "memory_get", ref=made["ref"]).document
    assert (shown["context"], shown["access_grants"]) == ("ctx:park", ["ctx:park"])
    private = answered(served(vault, alone=False), "memory_add", text="tea at night").document
    shown = answered(server, "memory_get", ref=private["ref"]).document
    assert (shown["context"], shown["access_grants"]) == (None, [])


def test_a_handle_is_stored_nowhere(vault: InProcess) -> None:
    server = served(vault)
    handle = entered(server, "ctx:park")
    for arguments in ({"text": f"use {handle}"}, {"text": "x", "tags": [handle]}, {"text": "x", "source": handle}):
        answer = server.call("memory_add", arguments)
        assert answer.failed
        assert handle not in answer.text
    answered(server, "memory_add", text="tea at noon", handle=handle)
    written = [path.read_bytes() for path in vault.home.rglob("*") if path.is_file()]
    assert not any(handle.encode() in data for data in written)


def test_two_clients_in_two_contexts_never_see_each_others(vault: InProcess) -> None:
    one, other = served(vault, alone=False, context="ctx:park"), served(vault, alone=False, context="ctx:club")
    for _ in range(3):
        assert (seen(one), seen(other)) == ({"open", "park", "both"}, {"open", "club", "both"})


def test_handles_can_not_be_guessed_and_do_not_pile_up(vault: InProcess) -> None:
    from memstore.access.world import ActiveContext

    handles = Handles()
    context = ActiveContext(id="ctx:park", expires_at=NOW + timedelta(hours=1))
    made = [handles.made(context, NOW) for _ in range(Handles.MOST + 5)]
    assert len({*made}) == len(made)
    assert min(map(len, made)) >= 24
    assert handles.context(made[-1], NOW) == context
    with pytest.raises(Exception, match="unknown"):
        handles.context(made[0], NOW)


def test_what_was_shown_is_kept_as_long_as_a_context_would_be() -> None:
    shown, at = Quoted(), datetime(2026, 1, 1, tzinfo=UTC)
    shown.note(quotations({"results": [{"ref": "note:m_a", "external": {"trust": ""}}, {"ref": "note:m_b"}]}), at)
    shown.note(quotations({"memories": [{"ref": "note:m_c", "external": True}], "more": {"external": True}}), at)
    assert shown.since(at + timedelta(hours=11)) == ["note:m_a", "note:m_c"]
    assert shown.since(at + timedelta(hours=12)) == []
    shown.note([f"note:m_{number}" for number in range(2 * Quoted.MOST)], at)
    assert len(shown.since(at)) == Quoted.MOST
    assert shown.since(at)[-1] == f"note:m_{2 * Quoted.MOST - 1}"
