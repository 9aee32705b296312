from __future__ import annotations

import pytest

from memstore.cli import topics
from memstore.cli.main import main
from memstore.errors import Exit
from memstore.model.keys import KEYS


def test_every_exit_code_is_explained() -> None:
    assert set(topics.EXIT_MEANINGS) == set(Exit)


def test_every_key_is_explained() -> None:
    assert set(topics.KEY_MEANINGS) == {key.name for key in KEYS}


@pytest.mark.parametrize("topic", topics.TOPICS)
def test_every_topic_has_a_text_that_fits_a_screen(topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", topic]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= 120 or topic == "frontmatter"
