from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import NotFoundError, UsageError
from memstore.memories.cite import cite
from memstore.search.citations import CitationStanding
from tests.git_repositories import git, memory, vault_in
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.git_repositories import Written

BODY = "# Tea\n\nOne.\n\nTwo.\nThree.\n"


@pytest.fixture(params=["sha1", "sha256"])
def vault(tmp_path: Path, request: pytest.FixtureRequest) -> Written:
    made = vault_in(tmp_path / "vault", request.param)
    made.write("tea.md", memory("m_tea", BODY))
    made.commit("tea")
    return made


def test_lines_are_cited_with_the_id_that_git_gives_the_file(vault: Written) -> None:
    cited = cite(vault.open().view(), "m_tea:L9-L10")
    blob = git(vault.root, "hash-object", "tea.md").strip()
    assert cited.now is not None
    assert (cited.now.excerpt, cited.now.version_hash) == ("Two.\nThree.", blob)
    assert (cited.standing, cited.text) == (CitationStanding.SAME, f"[[note:m_tea#L9-L10@{blob[:10]}]]")


def test_without_lines_all_of_the_text_is_cited(vault: Written) -> None:
    now = cite(vault.open().view(), "note:m_tea").now
    assert now is not None
    assert (now.line_start, now.line_end, now.excerpt) == (5, 10, BODY.removesuffix("\n"))


def test_a_file_is_cited_as_it_is_and_not_as_it_was_indexed(vault: Written) -> None:
    vault.write("tea.md", memory("m_tea", BODY, status="archived"))
    vault.open().library.refresh()
    vault.write("tea.md", memory("m_tea", BODY))
    assert cite(vault.open().view(), "note:m_tea").before == BODY.removesuffix("\n")


@pytest.mark.parametrize(
    ("body", "standing", "excerpt"),
    [
        (BODY, CitationStanding.SAME, "Two.\nThree."),
        (BODY + "Four.\n", CitationStanding.SAME, "Two.\nThree."),
        ("New.\n\n" + BODY, CitationStanding.MOVED, "Two.\nThree."),
        (BODY.replace("\n", "\r\n"), CitationStanding.SAME, "Two.\r\nThree.\r"),
        (BODY.replace("Three", "3"), CitationStanding.CHANGED, "Two.\n3."),
        ("# Tea\n\nOne.\n", CitationStanding.GONE, None),
    ],
)
def test_what_became_of_a_citation(vault: Written, body: str, standing: CitationStanding, excerpt: str | None) -> None:
    text = cite(vault.open().view(), "m_tea:L9-L10").text
    vault.write("tea.md", memory("m_tea", body))
    git(vault.root, "mv", "tea.md", "coffee.md")
    cited = cite(vault.open().view(), text)
    assert (cited.standing, cited.now.excerpt if cited.now else None) == (standing, excerpt)
    assert cited.before == "Two.\nThree."
    assert cite(vault.open().view(), cited.text).standing in (CitationStanding.SAME, standing)


def test_a_revision_that_the_repository_does_not_have_is_said_to_be_unknown(vault: Written) -> None:
    with pytest.raises(NotFoundError, match="does not have the revision 0123456789"):
        cite(vault.open().view(), "[[note:m_tea#L9@0123456789]]")


def test_an_id_shows_no_other_file(vault: Written) -> None:
    vault.write("ash.md", memory("m_ash", "Secret.\n", owner="si:ash"))
    vault.write("other.md", memory("m_other", "Other.\n"))
    vault.commit("more")
    for path in ("ash.md", "other.md"):
        blob = git(vault.root, "hash-object", path).strip()
        with pytest.raises(NotFoundError, match=f"does not have the revision {blob}"):
            cite(vault.open().view(), f"[[note:m_tea#L5@{blob}]]")


FILES = {
    "tea.md": memory_text("One.\n", id="m_tea"),
    "empty.md": memory_text("", id="m_empty"),
    "noid.md": memory_text("Nameless.\n"),
    "ash.md": memory_text("Ash's.\n", owner="si:ash", id="m_ash"),
}


def test_memories_without_text_or_id() -> None:
    ws = memory_workspace(FILES)
    empty, nameless = cite(ws.view(), "m_empty"), cite(ws.view(), "noid.md:4")
    assert empty.now is not None
    assert nameless.now is not None
    assert (empty.now.line_start, empty.now.line_end) == (1, 4)
    assert (nameless.ref, nameless.now.excerpt) == (None, "Nameless.")
    assert nameless.text.startswith("[[noid.md#L4@")


def test_lines_that_are_not_there_are_refused() -> None:
    with pytest.raises(UsageError, match=r"tea\.md has 5 lines, not 9"):
        cite(memory_workspace(FILES).view(), "m_tea:L2-L9")


def test_what_may_not_be_seen_is_as_unknown_as_what_is_not_there() -> None:
    said = []
    for ref in ("m_ash:L1", "m_axx:L1"):
        with pytest.raises(NotFoundError) as error:
            cite(memory_workspace(FILES).view(), ref)
        said.append(str(error.value).replace(ref.partition(":")[0], "ID"))
    assert said[0] == said[1]


def test_without_a_repository_there_are_no_old_revisions() -> None:
    with pytest.raises(NotFoundError, match="does not have"):
        cite(memory_workspace(FILES).view(), "[[note:m_tea#L5@0123456789]]")
