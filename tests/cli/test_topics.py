from __future__ import annotations

import pytest

from memstore.cli.help import EXIT_MEANINGS, TOPICS
from memstore.cli.key_options import KEY_MEANINGS
from memstore.cli.main import main
from memstore.core.errors import Exit
from memstore.core.keys import KEYS


def test_every_exit_code_is_explained() -> None:
    assert set(EXIT_MEANINGS) == set(Exit)


def test_every_key_is_explained() -> None:
    assert set(KEY_MEANINGS) == {key.name for key in KEYS}


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_a_text_that_fits_a_screen(topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", topic]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= 120 or topic == "frontmatter"
