"""Searching by meaning: what vectors add to the words, of what may be seen and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import UsageError
from memstore.documents.search import answer_document
from memstore.memories.search import Wish, search
from memstore.search import EMBEDDER, VECTORS, meaning
from memstore.search.embedder import DiskVectors
from memstore.search.meaning import UNRELATED, vectors_of
from memstore.search.retrieval import Unit
from tests.embedders import HashedTrigrams
from tests.git_repositories import memory, vault_in
from tests.memory_state import KeptVectors
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.search.facets import Embedder
    from memstore.vault.workspace import Workspace

FILES = {
    "dog.md": memory_text("\nThe dog sleeps.\n\nIt snores.\n", id="m_dog"),
    "cat.md": memory_text("\nThe cat hunts.\n", id="m_cat"),
    "kennel.md": memory_text("\nA canine hotel.\n", id="m_kennel"),
    "secret.md": memory_text("\nA puppy for her birthday.\n", id="m_secret", owner="si:ash"),
    "empty.md": memory_text("", id="m_empty", title="Nothing much"),
}  # fmt: skip


def vault(files: dict[str, bytes] | None = None, embedder: Embedder | None = None) -> Workspace:
    ws = memory_workspace(FILES if files is None else files)
    return ws.having(EMBEDDER, embedder or HashedTrigrams()).having(VECTORS, KeptVectors())


def found(ws: Workspace, text: str, wish: Wish | None = None) -> list[str | None]:
    return [hit.ref for hit in search(ws.view(), text, wish).hits]


def test_what_means_the_same_is_found_without_a_word_in_common() -> None:
    assert found(memory_workspace(FILES), "puppy") == []
    assert found(vault(), "puppy") == ["note:m_kennel", "note:m_dog"]
    (_, hit) = search(vault().view(), "puppy").hits
    assert (hit.content, hit.citation.excerpt) == ("The dog sleeps.", "The dog sleeps.")
    assert 0 < hit.relevance < 0.5


def test_an_embedder_may_have_a_way_of_its_own_for_queries() -> None:
    class Asking(HashedTrigrams):
        def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
            return self.embed([f"query: {text}" for text in texts])

    embedder = Asking()
    found(vault(embedder=embedder), "puppy")
    assert [text for text in embedder.texts if text.startswith("query: ")] == ["query: puppy"]
    assert len(embedder.texts) > 1


def test_words_stand_before_meaning_alone() -> None:
    assert found(vault(), "canine") == ["note:m_kennel", "note:m_dog"]
    assert found(vault(), "dog") == ["note:m_dog", "note:m_kennel"]


@pytest.mark.parametrize("by", Unit)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("puppy type:belief", []),
        ("puppy -hotel", ["note:m_dog"]),
        ("+canine", ["note:m_kennel"]),
        ("type:note", ["note:m_cat", "note:m_dog", "note:m_empty", "note:m_kennel"]),
    ],
)
def test_what_a_query_demands_holds_for_meaning_too(query: str, expected: list[str], by: Unit) -> None:
    assert sorted(map(str, found(vault(), query, Wish(by=by)))) == expected


def test_a_query_is_embedded_without_its_signs_and_what_must_not_be_found() -> None:
    embedder = HashedTrigrams()
    found(vault(embedder=embedder), 'type:note "wet dog" -cat +puppy nice')
    assert embedder.texts[0] == "wet dog puppy nice"


def test_hidden_memories_never_influence() -> None:
    embedder = HashedTrigrams()
    with_it, without = vault(embedder=embedder), vault({k: v for k, v in FILES.items() if k != "secret.md"})
    for query in ("puppy", "birthday", "dog hotel"):
        answers = [answer_document(search(ws.view(), query)) for ws in (with_it, without)]
        assert answers[0] == answers[1]
    assert not any("birthday" in text and "puppy" in text for text in embedder.texts)


def test_a_vector_is_made_once_until_its_memory_changes() -> None:
    embedder = HashedTrigrams()
    ws = vault(embedder=embedder)
    found(ws, "puppy")
    dog = ["The dog sleeps.\n\nIt snores.", "The dog sleeps.", "The dog sleeps.\nIt snores."]
    own = [*dog, "The cat hunts.", "A canine hotel.", "Nothing much", "puppy"]
    assert sorted(embedder.texts) == sorted([*own, *UNRELATED])
    embedder.texts.clear()
    found(ws, "feline")
    assert embedder.texts == ["feline"]
    ws.vault.replace("cat.md", memory_text("\nThe car.\n", id="m_cat"), expected=FILES["cat.md"])
    embedder.texts.clear()
    assert found(ws, "automobile") == ["note:m_cat"]
    assert embedder.texts == ["automobile", "The car."]
    assert len(ws.of(VECTORS).last("trigrams")) == 6 + len(UNRELATED)  # that of the old text is gone


def test_another_embedder_has_other_vectors() -> None:
    ws = vault()
    found(ws, "puppy")
    other = HashedTrigrams("other")
    found(ws.having(EMBEDDER, other), "puppy")
    assert len(other.texts) == 7 + len(UNRELATED)


TALK = """
# At the vet's

- Ann: Has the feline eaten?
- Bo: Not a bite.

# Afterwards

- bought a kennel
- fed the puppy
"""


def test_the_line_that_means_it_is_cited_with_what_it_says_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    # To this model, a line below a title and a heading is hardly like a word of it.
    monkeypatch.setattr(meaning, "LEAST_SIMILARITY", 0.05)
    embedder = HashedTrigrams()
    ws = vault({"talk.md": memory_text(TALK, id="m_talk", title="Visit")}, embedder)
    for by in Unit:
        (hit, *_) = search(ws.view(), "dog", Wish(by=by)).hits
        assert (hit.content, hit.citation.excerpt) == ("fed the puppy", "- fed the puppy")
    lines = ["Has the feline eaten?", "Has the feline eaten?\nNot a bite.", "bought a kennel", "fed the puppy"]
    headings = ["At the vet's", "At the vet's", "Afterwards", "Afterwards"]
    told = [f"Visit\n{heading}\n{line}" for heading, line in zip(headings, lines, strict=True)]
    assert [text for text in embedder.texts if text.startswith("Visit\n") and TALK.strip() not in text] == told


def test_a_line_that_means_it_stands_beside_those_that_say_it() -> None:
    ws = vault({"talk.md": memory_text("\nThe dog is ill.\n\nA puppy, a puppy, a puppy.\n", id="m_talk")})
    (hit,) = search(ws.view(), "puppy dog").hits
    assert {hit.citation.excerpt, *(one.excerpt for one in hit.more)} == {
        "The dog is ill.",
        "A puppy, a puppy, a puppy.",
    }


def test_what_the_words_bring_is_read_though_many_are_closer_in_meaning() -> None:
    near = {f"{i}.md": memory_text(f"\nfeline {i}\n", id=f"m_{i:03}") for i in range(60)}
    said = memory_text("\nNothing of that kind, but the cat.\n\n" + "Other words. " * 40, id="m_said")
    hits = search(vault({**near, "said.md": said}).view(), "cat", Wish(limit=30)).hits
    assert "note:m_said" in [hit.ref for hit in hits]


def test_whoever_waits_is_told_when_there_are_many() -> None:
    many = {f"{i}.md": memory_text(f"\nWord {i}.\n", id=f"m_{i}") for i in range(70)}
    ws = vault(many)
    found(ws, "word")
    # What is compared with, to know what is usual, counts as one more.
    assert ws.of(VECTORS).told == [(32, 71), (64, 71), (71, 71)]  # type: ignore[attr-defined]


class Stopped(HashedTrigrams):
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if len(self.texts) > 40:
            raise KeyboardInterrupt
        return super().embed(texts)


def test_one_that_is_stopped_halfway_has_not_worked_for_nothing() -> None:
    many = {f"{i}.md": memory_text(f"\nWord {i}.\n", id=f"m_{i}") for i in range(70)}
    ws = vault(many, Stopped())
    with pytest.raises(KeyboardInterrupt):
        found(ws, "word")
    assert len(ws.of(VECTORS).last("trigrams")) == 64


class Short(HashedTrigrams):
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return super().embed(texts)[1:]


def test_an_embedder_that_gives_too_few_is_named() -> None:
    with pytest.raises(UsageError, match="the embedder trigrams gave 0 vectors for 1 texts"):
        found(vault(embedder=Short()), "puppy")


# -- on disk -------------------------------------------------------------------------------------


def opened(root: Path, embedder: HashedTrigrams, *, object_format: str = "sha1") -> Workspace:
    """Open the vault at a folder anew, which is made with a memory where there is none."""
    written = vault_in(root / "vault", object_format)
    written.write("kennel.md", memory("m_kennel", "A canine hotel.\n"))
    written.commit("a kennel")
    return written.open().having(EMBEDDER, embedder).having(VECTORS, DiskVectors(root / "cache"))


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_vectors_outlive_the_program_and_consolidation_shares_them(tmp_path: Path, object_format: str) -> None:
    ws = opened(tmp_path, HashedTrigrams(), object_format=object_format)
    assert found(ws, "puppy") == ["note:m_kennel"]
    again = HashedTrigrams()
    later = ws.having(EMBEDDER, again).having(VECTORS, DiskVectors(tmp_path / "cache"))
    assert found(later, "puppy") == ["note:m_kennel"]
    file = later.view().read("kennel.md")
    assert file is not None
    assert vectors_of(later.view(), {"m_kennel": file})["m_kennel"]
    assert again.texts == ["puppy"]


def test_a_past_state_is_searched_by_its_words_alone(tmp_path: Path) -> None:
    embedder = HashedTrigrams()
    ws = opened(tmp_path, embedder)
    assert [hit.ref for hit in search(ws.view(), "canine", at="HEAD").hits] == ["note:m_kennel"]
    assert search(ws.view(), "puppy", at="HEAD").hits == ()
    assert embedder.texts == []
