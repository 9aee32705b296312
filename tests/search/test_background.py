"""What is usual between any two texts means nothing: the scale of similarities, whatever the model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from memstore.beliefs.recall import recall
from memstore.memories.search import search
from memstore.search import EMBEDDER, VECTORS
from memstore.search.meaning import MOST_USUAL, NOTHING, RAW, UNRELATED, background_of, says_something
from tests.embedders import HashedTrigrams
from tests.memory_state import KeptVectors
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.search.facets import Embedder
    from memstore.vault.workspace import Workspace

WORDS = "harbour kettle ladder window thistle barrel copper meadow violin saddle".split()  # noqa: SIM905
FILES = {
    "kennel.md": memory_text("\nA canine hotel.\n", id="m_kennel"),
    "rule.md": memory_text("\n| 12 | 34 |\n\n3,141\n\n* * *\n\n!!!\n", id="m_rule"),
    **{
        f"{at}.md": memory_text(f"\n{one} {WORDS[at % 7]} number.\n\nThe {one} of {WORDS[at % 3]}.\n", id=f"m_{at}")
        for at, one in enumerate(WORDS * 4)
    },
}  # fmt: skip


class Narrow(HashedTrigrams):
    """A model between whose texts much is alike: its cosines are `usual` and a rest of those of another one."""

    def __init__(self, usual: float) -> None:
        super().__init__(f"narrow-{usual}")
        self._usual = usual

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        found = []
        for vector in super().embed(texts):
            length = math.sqrt(sum(number * number for number in vector)) or 1.0
            rest = math.sqrt(1 - self._usual) / length
            found.append([*(number * rest for number in vector), math.sqrt(self._usual)])
        return found


def vault(embedder: Embedder, **files: bytes) -> Workspace:
    return memory_workspace({**FILES, **files}).having(EMBEDDER, embedder).having(VECTORS, KeptVectors())


@pytest.mark.parametrize("usual", [0.3, 0.75])
def test_a_model_whose_texts_are_all_alike_finds_the_same(usual: float) -> None:
    one, other = (vault(embedder).view() for embedder in (HashedTrigrams(), Narrow(usual)))
    for text in ("puppy", "a puppy's hotel", "violins of the harbour", "kettles"):
        hits, others = (search(view, text).hits for view in (one, other))
        assert [hit.path for hit in others] == [hit.path for hit in hits], text
        assert [hit.relevance for hit in others] == pytest.approx([hit.relevance for hit in hits], abs=1e-4)
        assert recall(other, text).weak == recall(one, text).weak


def test_hidden_memories_change_no_scale() -> None:
    hidden = {f"x{at}.md": memory_text(f"\nA puppy {at}.\n", id=f"m_x{at}", owner="si:ash") for at in range(80)}
    asked = "a puppy's hotel"
    with_them, without = (search(vault(HashedTrigrams(), **files).view(), asked) for files in (hidden, {}))
    assert [hit[:10] for hit in with_them.hits] == [hit[:10] for hit in without.hits]


def test_no_line_without_a_word_is_embedded_or_cited() -> None:
    class Everywhere(HashedTrigrams):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            self.texts += texts
            return [[1.0, 0.1 * (at % 2)] for at, _ in enumerate(texts)]

    embedder = Everywhere()
    hits = search(vault(embedder).view(), "puppy", None).hits
    assert hits
    assert all(says_something(text) or text == NOTHING for text in embedder.texts)
    assert all(says_something(cited.excerpt) for hit in hits for cited in (hit.citation, *hit.more))


def test_what_is_usual_is_nothing_and_the_same_is_all() -> None:
    usual = background_of(Narrow(0.75).embed(UNRELATED))
    assert 0.75 < usual.median < 0.85
    assert usual.scaled(usual.median) == usual.scaled(0.2) == 0
    assert usual.scaled(1.0) == 1
    assert usual.scaled(0.9) < usual.scaled(0.95)
    assert RAW.scaled(0.4) == pytest.approx(0.4)


def test_a_model_to_which_all_is_the_same_is_measured_against_nothing_impossible() -> None:
    assert background_of([[1.0, 0.0]] * 5).median == MOST_USUAL
    assert background_of([]) == background_of([[1.0, 0.0]]) == RAW


def test_what_is_usual_is_embedded_once() -> None:
    embedder = HashedTrigrams()
    ws = vault(embedder)
    for _ in range(3):
        search(ws.view(), "puppy")
    assert {text: embedder.texts.count(text) for text in UNRELATED} == dict.fromkeys(UNRELATED, 1)
