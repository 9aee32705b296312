"""The JSON documents that programs read stay what they are: a change is seen in the recording, or not made."""

from __future__ import annotations

import json
import socket
from typing import NoReturn

import pytest

from tests.documents.record import RUNS, recorded, recording
from tests.installed import verb_of


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list of the connections that somebody opens or waits for; none comes about."""
    asked: list[object] = []

    def refuse(*words: object, **_: object) -> NoReturn:
        asked.append(words)
        raise OSError("no connection is opened here")

    for name in ("connect", "connect_ex", "bind", "listen", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    return asked


@pytest.mark.soak(2)
@pytest.mark.parametrize("run", RUNS)
def test_every_document_is_as_recorded_and_no_connection_is_opened(run: str, connections: list[object]) -> None:
    before = recorded(run).read_text(encoding="utf-8").splitlines()
    for was, line in zip(before, recording(run), strict=True):
        assert line == was, "run `poe documents` if this is meant"
    assert connections == []


def test_of_one_of_every_command_the_documents_are_recorded() -> None:
    answers = [json.loads(line) for line in recorded("outputs").read_text(encoding="utf-8").splitlines()]
    verbs = {verb_of(document) for answer in answers for document in answer["documents"]}
    failed = [one["words"] for one in answers if [verb_of(document) for document in one["documents"]] == ["error"]]
    assert [one["words"] for one in answers if not one["documents"]] == []
    assert len(verbs) > 25
    assert failed == [["show", "nothing"]]
