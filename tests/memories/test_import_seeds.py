from __future__ import annotations

import pytest

from memstore.core.errors import FormatError
from memstore.lineage.orphans import find_orphans
from memstore.lineage.repair import fix_provenance
from memstore.memories.import_seeds import Seed, import_seeds, read
from memstore.memories.show import glance, show_memory
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

TRUTH = Seed(statement="Truth is rarely binary; it's a spectrum.", confidence=0.65, tags=("truth", "nuance"))
PLAIN = Seed(statement="Growth requires discomfort.")


FORMS = {
    "a.yaml": """\
- {statement: "Truth is rarely binary; it's a spectrum.", confidence: 0.65, tags: [truth, nuance]}
- Growth requires discomfort.
""",
    "a.YML": """\
beliefs:
- statement: Truth is rarely binary; it's a spectrum.
  confidence: 0.65
  tags: [truth, nuance]
- statement: Growth requires discomfort.
""",
    "a.json": """[
{"statement": "Truth is rarely binary; it's a spectrum.", "confidence": 0.65, "tags": ["truth", "nuance"]},
"Growth requires discomfort."]""",
    "a.md": """\
# Seeds

- Truth is rarely binary;
  it's a spectrum. (0.65) #truth #nuance
1. Growth requires discomfort.

The end.
""",
}


@pytest.mark.parametrize(("name", "text"), FORMS.items())
def test_seeds_are_read_from_any_of_three_formats(name: str, text: str) -> None:
    assert read(name, text.encode()) == (TRUTH, PLAIN)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.yaml", b"\xff"),
        ("a.yaml", b"a: [1"),
        ("a.yaml", b"!!python/object:os.system {}"),
        ("a.json", b"["),
        ("a.json", b"{}"),
        ("a.json", b"[]"),
        ("a.json", b"[3]"),
        ("a.json", b'[{"statement": " "}]'),
        ("a.json", b'[{"statement": "x", "confidence": true}]'),
        ("a.json", b'[{"statement": "x", "tags": "y"}]'),
        ("a.md", b"No list."),
    ],
)
def test_what_holds_no_beliefs_is_refused(name: str, data: bytes) -> None:
    with pytest.raises(FormatError, match=name):
        import_seeds(memory_workspace().view(), read(name, data))


@pytest.mark.parametrize(
    ("name", "data", "where"),
    [
        ("a.md", b"# Seeds\n\n- One.\n- Two. (1.5) #x\n", "a.md:4: `confidence`"),
        ("a.json", b'["one",\n{"statement": "x", "confidence": 2}]', "a.json:2: `confidence`"),
        ("a.json", b'["one",\n"t\xffo"]', "a.json:2: column 3: this is not UTF-8"),
        ("a.yaml", b"- one\n- {statement: x, confidence: .nan}\n", "a.yaml: item 2: `confidence`"),
    ],
)
def test_an_item_that_is_no_belief_is_left_out_and_named(name: str, data: bytes, where: str) -> None:
    ws = memory_workspace()
    with pytest.raises(FormatError, match=where):
        import_seeds(ws.view(), read(name, data), strict=True)
    assert files_of(ws) == {}
    done = import_seeds(ws.view(), read(name, data))
    assert [(f"{one.where}: {one.why}".startswith(where), one.broken) for one in done.left_out] == [(True, True)]
    assert len(done.saved) == 1


def test_seeds_record_where_they_come_from() -> None:
    ws = memory_workspace()
    (saved, _) = import_seeds(ws.view(), [TRUTH, PLAIN, PLAIN]).saved
    memory = show_memory(ws.view(), saved.ref or "").memory
    assert (memory.type, memory.source, memory.source_type) == ("belief", "seed-initialization", "seed")
    assert (memory.derived_from, memory.context_tags) == (("kernle:seed-beliefs",), ("kernle_seed", "truth", "nuance"))
    assert (memory.foundational, memory.confidence) == (True, 0.65)
    (line,) = memory.confidence_history
    assert (line.op, line.evidence_source, line.reason) == ("assert", "kernle:seed-beliefs", "seed")
    assert find_orphans(ws.view()).without_source == ()


def test_a_second_import_writes_nothing() -> None:
    known = memory_text("Growth requires\ndiscomfort!\n\nMore.\n", type="belief", id="m_g", status="archived")
    ws = memory_workspace({"g.md": known})
    first = import_seeds(ws.view(), [TRUTH, PLAIN])
    assert (len(first.saved), first.known) == (1, ("belief:m_g",))
    files = dict(files_of(ws))
    again = import_seeds(ws.view(), [TRUTH, PLAIN])
    assert (again.saved, set(again.known)) == ((), {"belief:m_g", first.saved[0].ref})
    assert files_of(ws) == files


def test_a_dry_run_or_a_bad_number_writes_nothing() -> None:
    ws = memory_workspace()
    assert len(import_seeds(ws.view(), [TRUTH], dry_run=True).saved) == 1
    with pytest.raises(FormatError):
        import_seeds(ws.view(), [PLAIN, Seed(statement="x", confidence=3)], strict=True)
    assert files_of(ws) == {}


def test_what_a_hand_took_out_of_an_imported_seed_is_filled_in_again() -> None:
    ws = memory_workspace({})
    ref = import_seeds(ws.view(), [Seed(statement="Tides wait for nobody.", confidence=0.8)]).saved[0].ref or ""
    ((path, data),) = files_of(ws).items()
    lost = data.replace(b"source_type: seed\n", b"").replace(b"source: seed-initialization\n", b"")
    ws = memory_workspace({path: lost})
    done = fix_provenance(ws.view())
    assert [one.path for one in done.files] == [path]
    assert glance(ws.view(), ref).memory.source_type == "seed"
    assert fix_provenance(ws.view()).files == ()
