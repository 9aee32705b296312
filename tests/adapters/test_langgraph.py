"""LangGraph's store on a vault: what its reference implementation answers, and nothing of what may not be seen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.adapters.vaults import OTHER, made, opened

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

base: Any = pytest.importorskip("langgraph.store.base", reason="the package langgraph is not installed")


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    return made(tmp_path)


def store_of(program: InProcess, *who: str) -> Any:
    from memstore.adapters.langgraph import VaultStore

    return VaultStore(opened(program, *who))


def fill(store: Any) -> None:
    store.put(("users", "claire"), "food", {"likes": "noodles", "stars": 5, "where": {"city": "Basel"}})
    store.put(("users", "claire"), "drink", {"likes": "green tea", "stars": 3})
    store.put(("users", "sam"), "food", {"likes": "noodles with tea", "stars": 4})
    store.put(("docs",), 'a "b"/c.d', {"text": "Ünïcode\n```\nfence"})
    store.put(("users", "sam"), "drink", {"likes": "beer"})
    store.put(("users", "sam"), "drink", {"likes": "water"})
    store.delete(("users", "sam"), "nothing")


READS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("get", (("users", "claire"), "food"), {}),
    ("get", (("users", "sam"), "drink"), {}),
    ("get", (("docs",), 'a "b"/c.d'), {}),
    ("get", (("users",), "food"), {}),
    ("search", (("users",),), {"limit": 100}),
    ("search", (("users", "claire"),), {}),
    ("search", (("nobody",),), {}),
    ("search", (("users",),), {"filter": {"likes": "noodles"}}),
    ("search", (("users", "claire"),), {"filter": {"stars": {"$gte": 4}}}),
    ("search", (("users", "claire"),), {"filter": {"stars": {"$lt": 4, "$ne": 2}}}),
    ("search", (("users",),), {"filter": {"where": {"city": "Basel"}}}),
    ("list_namespaces", (), {}),
    ("list_namespaces", (), {"prefix": ("users",)}),
    ("list_namespaces", (), {"suffix": ("sam",)}),
    ("list_namespaces", (), {"prefix": ("*", "sam")}),
    ("list_namespaces", (), {"max_depth": 1}),
    ("list_namespaces", (), {"limit": 1, "offset": 1}),
]


def told(answer: Any) -> Any:
    """Return an answer without times; the order of items means nothing without a query."""
    if isinstance(answer, list):
        return sorted((told(one) for one in answer), key=str)
    return (answer.namespace, answer.key, answer.value) if isinstance(answer, base.Item) else answer


@pytest.mark.soak(3)
@pytest.mark.parametrize(("method", "args", "more"), READS)
def test_it_answers_as_the_reference_does(
    program: InProcess, method: str, args: tuple[Any, ...], more: dict[str, Any]
) -> None:
    from langgraph.store.memory import InMemoryStore

    ours, reference = store_of(program), InMemoryStore()
    for store in (ours, reference):
        fill(store)
    assert told(getattr(ours, method)(*args, **more)) == told(getattr(reference, method)(*args, **more))
    again = store_of(program)
    assert told(getattr(again, method)(*args, **more)) == told(getattr(reference, method)(*args, **more))


def test_a_query_ranks_by_words(program: InProcess) -> None:
    store = store_of(program)
    fill(store)
    found = store.search(("users",), query="who likes green tea?", limit=2)
    assert [(one.namespace[1], one.key) for one in found] == [("claire", "drink"), ("sam", "food")]
    assert found[0].score >= found[1].score > 0
    assert [one.key for one in store.search(("users", "sam"), query="tea")] == ["food"]
    assert store.search(("users",), query="type: ( xylophone") == []
    assert store.search(("users",), query="?!") == []


def test_an_item_is_a_memory_with_a_history(program: InProcess) -> None:
    store = store_of(program)
    fill(store)
    item = store.get(("users", "sam"), "drink")
    assert item.created_at <= item.updated_at
    assert item.created_at.tzinfo is not None
    assert len(list(program.vault.glob("notes/**/*.md"))) == 5
    store.delete(("users", "sam"), "drink")
    assert store.get(("users", "sam"), "drink") is None
    assert len(program.json("list", "--status", "archived")["memories"]) == 1
    store.put(("users", "sam"), "drink", {"likes": "wine"})
    assert store.get(("users", "sam"), "drink").value == {"likes": "wine"}


def test_batches_and_the_asynchronous_methods(program: InProcess) -> None:
    store = store_of(program)
    put = base.PutOp(("a",), "k", {"n": 1})
    ops = [put, base.GetOp(("a",), "k"), base.PutOp(("a",), "k", {"n": 2}), base.ListNamespacesOp()]
    assert store.batch(ops) == [None, None, None, []]
    assert store.get(("a",), "k").value == {"n": 2}

    async def used() -> Any:
        await store.aput(("a",), "k2", {"n": 3})
        await store.adelete(("a",), "k")
        return await store.aget(("a",), "k2"), await store.asearch(("a",)), await store.alist_namespaces()

    item, found, namespaces = asyncio.run(used())
    assert item.value == {"n": 3}
    assert [one.key for one in found] == ["k2"]
    assert namespaces == [("a",)]
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {"n": 1}, ttl=3)


def test_memories_of_others_can_be_read(program: InProcess) -> None:
    ref = program.json("add", "Bella eats at eight", "--title", "Meals", "--source", "told by Sean")["ref"]
    store = store_of(program)
    (item,) = store.search((), query="when does Bella eat?")
    assert (item.namespace, f"note:{item.key}") == (("memstore", "note"), ref)
    assert item.value == {"text": "Bella eats at eight", "title": "Meals", "source": "told by Sean"}
    with pytest.raises(base.InvalidNamespaceError):
        store.put(("memstore", "note"), item.key, {"text": "x"})


def test_what_is_hidden_is_missing(program: InProcess) -> None:
    program.ok("add", "Everybody knows Bella", "--access", "*")
    fill(store_of(program))

    def answers() -> list[Any]:
        store = store_of(program, OTHER)
        said = [told(getattr(store, method)(*args, **more)) for method, args, more in READS]
        return [*said, told(store.search((), query="tea noodles Bella")), told(store.search(()))]

    full = answers()
    for path in program.vault.glob("notes/**/*.md"):
        if "Everybody" not in path.read_text():
            path.unlink()
    assert answers() == full
    assert [key for _, key, _ in full[-1]]


def test_what_is_put_after_a_page_was_shown_is_derived_from_it(program: InProcess) -> None:
    page = program.json("add", "Dr. Evil sells food", "--source-type", "external")
    reads: list[Any] = [
        lambda store: store.get(("memstore", "note"), page["ref"].removeprefix("note:")),
        lambda store: store.search(("memstore",), query="Dr. Evil"),
    ]
    for number, read in enumerate(reads):
        store, vault = store_of(program), opened(program)
        store.put(("users",), f"before {number}", {"eats": "fish"})
        store.search((), query="zebra")
        store.search((), filter={"eats": "fish"})
        store.put(("users",), f"still {number}", {"eats": "fish"})
        assert read(store)
        store.put(("users",), f"after {number}", {"eats": "evil"})
        store.put(("users",), f"before {number}", {"eats": "evil"})
        derived = [entry.title for entry in vault.list() if vault.get(entry.id or "").derived_from == (page["ref"],)]
        assert sorted(title for title in derived if str(number) in title) == [f"after {number}", f"before {number}"]
