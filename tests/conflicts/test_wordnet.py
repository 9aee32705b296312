"""WordNet's antonyms through the package `wn`, with a WordNet of four words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import wn

from memstore.conflicts.lexicon import WordNet

if TYPE_CHECKING:
    from pathlib import Path

_ENTRY = """
    <LexicalEntry id="four-{word}"><Lemma writtenForm="{word}" partOfSpeech="a"/>
      <Sense id="four-{word}-1" synset="four-{word}-s">
        <SenseRelation relType="antonym" target="four-{other}-1"/>
      </Sense>
    </LexicalEntry>"""
_LEXICON = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.3.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
  <Lexicon id="four" label="Four words" language="en" email="nobody@example.org" license="CC0" version="1">{entries}
    {synsets}
  </Lexicon>
</LexicalResource>
"""
WORDS = {"arid": "lush", "lush": "arid", "terse": "Verbose", "Verbose": "terse"}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("wn.config.data_directory", tmp_path / "data")
    return tmp_path


@pytest.fixture
def four_words(data: Path) -> WordNet:
    file = data / "four.xml"
    entries = "".join(_ENTRY.format(word=word, other=other) for word, other in WORDS.items())
    synsets = "".join(f'<Synset id="four-{word}-s" ili="" partOfSpeech="a"/>' for word in WORDS)
    file.write_text(_LEXICON.format(entries=entries, synsets=synsets))
    wn.add(file, progress_handler=None)
    return WordNet()


def test_antonyms_are_opposites_both_ways(four_words: WordNet) -> None:
    assert four_words.opposes("arid", "lush")
    assert four_words.opposes("lush", "arid")
    assert four_words.opposes("terse", "verbose")  # words are compared folded
    assert not four_words.opposes("arid", "terse")
    assert not four_words.opposes("unknown", "arid")


def test_without_its_data_nothing_is_opposite(data: Path) -> None:
    assert not (data / "data").exists()
    assert not WordNet().opposes("arid", "lush")


def test_a_folder_that_is_not_there_has_no_words(four_words: WordNet, data: Path) -> None:
    assert four_words.has_words
    assert WordNet(data / "data").opposes("arid", "lush")
    assert not WordNet(data / "none").has_words
    assert not WordNet(data / "none").opposes("arid", "lush")
