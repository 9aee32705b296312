"""What is exported: all that a viewer may see, nothing else, and the same memories where it is imported again."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from prov.model import ProvDocument

from memstore.exchange.exporting import okf
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.trust import statement
from tests.attested_vault import PATH, babels_vault, edit, make_keys, witnessed
from tests.installed import MEMSTORE, ROOT, validated
from tests.support import memory_text
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.soak(9, together=True)

QUERIES = ("Bella", "trust", "when does Bella eat", "type:belief", "skill safe library", "orphans tram")
MANY = (
    memory_text("Bella eats at eight.\n", id="m_first00001", author="human:sean", confidence="0.7"),
    memory_text("\n\nShe sleeps.\n", id="m_second0001", derived_from="[note:m_first00001, 'url:https://e.org/x?a=b']"),
    memory_text("She eats at nine.\n", id="m_third00001", supersedes="note:m_first00001", valid_until="'2027-01-01'"),
)


@pytest.fixture
def sample(tmp_path: Path) -> InProcess:
    """Return a copy of the sample vault."""
    program = InProcess(tmp_path)
    shutil.copytree(ROOT / "sample-vault", program.vault)
    program.git("init", "-q")
    return program


def another(program: InProcess) -> InProcess:
    """Return an empty vault of the same owner beside a vault."""
    home = program.home / "another"
    home.mkdir()
    other = InProcess(home)
    other.init("si:ash")
    return other


def memories(program: InProcess) -> dict[str, Any]:
    """Return what makes memories the same, by id: their digests and their histories."""
    paths = [memory["path"] for memory in program.json("list", "--status", "all", "-n", "1000")["memories"]]
    files = [memory_file.read(path, (program.vault / path).read_bytes()) for path in paths]
    found = [file.memory for file in files if isinstance(file, MemoryFile) and file.memory.status != "forgotten"]
    return {memory.id or "": (statement.digests(memory), memory.confidence_history) for memory in found}


def ranked(program: InProcess, query: str) -> list[str]:
    """Return the memories that a search finds, in order."""
    return [hit["ref"] for hit in program.json("search", query, "-n", "20")["results"]]


@pytest.mark.soak
@pytest.mark.parametrize(("format_", "name"), [("jsonl", "all.jsonl"), ("memory-v0.1", "all.json")])
def test_what_is_exported_and_imported_is_the_same(sample: InProcess, format_: str, name: str) -> None:
    for path in (sample.vault / "lists").glob("*.md"):
        path.unlink()  # notes that were never adopted have no id to keep
    (sample.home / name).write_text(sample.ok("export", format_, "--all"))
    other = another(sample)
    done = validated(other.ok("--json", "import", format_, str(sample.home / name)))
    assert memories(other) == memories(sample)
    assert len(done["memories"]) == len(memories(sample)) > 20
    for query in QUERIES:
        assert ranked(other, query) == ranked(sample, query)
    again = validated(other.ok("--json", "import", format_, str(sample.home / name)))
    assert (again["memories"], again["different"]) == ([], [])
    if format_ == "jsonl":
        assert other.json("export", "jsonl", "--all") == sample.json("export", "jsonl", "--all")


@pytest.mark.soak(2)
@pytest.mark.parametrize("format_", ["jsonl", "memory-v0.1", "markdown"])
def test_what_was_adopted_among_other_programs_notes_is_a_memory_elsewhere(tmp_path: Path, format_: str) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    (program.vault / "tea.md").write_text(
        "---\nauthor: [Ada, Bo]\nstatus: 🌱\nmarkdown: kept\nlayout: post\n---\n# Tea\n"
    )
    (program.vault / "pot.md").write_text("---\ntype: pottery\nauthor: parkr\n---\n# Pot\n")
    program.ok("init", ".", "--owner", "si:ash")
    program.ok("adopt", "--all")
    other = another(program)
    if format_ == "markdown":
        for file in program.json("export", "markdown", "--all")["files"]:
            (other.vault / file["path"]).write_text(file["text"])
    else:
        (program.home / "all").write_text(program.ok("export", format_, "--all"))
        other.ok("import", format_, str(program.home / "all"))
    assert other.json("check")["findings"] == []
    here, there = (
        {one["title"]: (one["id"], one["status"], one["type"]) for one in each.json("list", "-n", "9")["memories"]}
        for each in (program, other)
    )
    assert here == there
    assert other.json("show", here["Tea"][0])["markdown"] == {
        "markdown": "kept",
        "author": ["Ada", "Bo"],
        "status": "🌱",
    }
    assert other.json("show", here["Pot"][0])["markdown"] == {"type": "pottery", "author": "parkr"}


def test_a_record_that_differs_here_stays_as_it_is(sample: InProcess) -> None:
    lines = sample.ok("export", "jsonl", "--all").splitlines()
    first = json.loads(lines[0])
    first["body"] += "More.\n"
    (sample.home / "all.jsonl").write_text(f"{json.dumps(first)}\n{lines[1]}\n")
    done = sample.json("import", "jsonl", str(sample.home / "all.jsonl"))
    assert (done["memories"], len(done["known"]), len(done["different"])) == ([], 2, 1)


def record(**more: Any) -> str:
    """Return a line with a memory, of which some members are other ones."""
    values = {
        "record": "memstore.memory/1",
        "path": "a.md",
        "frontmatter": {"type": "note", "id": "m_new"},
        "body": "x",
    }
    return json.dumps({**values, **more})


MANGLED = {
    "{}": "this is not a memory",
    record(frontmatter={"type": "note"}): "it has no `id`",
    record(frontmatter={"type": "note", "id": "m_x", "confidence": "high"}): "it can't become a memory",
    record(frontmatter={"type": "note", "id": "m_x", "access_grants": ["*"]}): "`access_grants` is decided by each",
    record(body="\ud800"): "this can't be written",
    '{"record": }': "this is not JSON",
}


@pytest.mark.soak(3)
@pytest.mark.parametrize(("line", "said"), MANGLED.items())
def test_a_mangled_record_is_left_out_and_named(sample: InProcess, line: str, said: str) -> None:
    place = sample.home / "all.jsonl"
    place.write_text(f"{line}\n")
    assert sample.run("import", "jsonl", str(place)).returncode == 5
    place.write_text(f"{record()}\n{line}\n")
    done = sample.run("import", "jsonl", str(place), "--strict")
    assert (done.returncode, (sample.vault / "a.md").exists()) == (5, False)
    done = sample.run("--json", "import", "jsonl", str(place))
    assert (done.returncode, (sample.vault / "a.md").exists()) == (1, True)
    [left] = json.loads(done.stdout)["left_out"]
    assert (left["where"], left["broken"]) == (f"{place}:2", True)
    assert said in left["why"]
    assert f"{place}:2: left out: {left['why']}" in sample.run("import", "jsonl", str(place)).stderr


def test_a_record_never_leaves_the_vault_or_takes_a_place(sample: InProcess) -> None:
    for number, path in enumerate(("../out.md", "README.md", ".git/hooks.md", "memories/../../x.md")):
        line = record(path=path, frontmatter={"type": "note", "id": f"m_new{number}"}, body="Tea.\n")
        (sample.home / "one.jsonl").write_text(line)
        (memory,) = sample.json("import", "jsonl", str(sample.home / "one.jsonl"))["memories"]
        assert memory["path"].startswith("notes/")


# -- archives --------------------------------------------------------------------------------------


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    """Return a vault with a few memories, one of them superseded."""
    program = InProcess(tmp_path)
    program.vault.mkdir()
    program.ok("init", ".", "--owner", "human:sean")
    for number, data in enumerate(MANY):
        (program.vault / f"m{number}.md").write_bytes(data)
    return program


def unpacked(program: InProcess, *words: str) -> dict[str, str]:
    """Return the files of an archive that the installed program writes."""
    run = [str(MEMSTORE), "export", *words]
    done = subprocess.run(run, cwd=program.vault, env=program.environment, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        return {member.name: archive.extractfile(member).read().decode() for member in archive}  # type: ignore[union-attr]


def test_files_are_exported_as_they_are(vault: InProcess) -> None:
    files = unpacked(vault, "markdown", "--all")
    assert sorted(files) == ["m0.md", "m1.md", "m2.md"]
    assert files["m1.md"].endswith("---\n\n\nShe sleeps.\n")
    assert validated(vault.ok("--json", "export", "markdown", "m_first00001"))["files"] == [
        {"path": "m0.md", "text": files["m0.md"]}
    ]


def concept(text: str) -> dict[str, Any]:
    """Return the front matter of a concept, which OKF demands."""
    opening, head, _ = text.split("---\n", 2)
    values: dict[str, Any] = yaml.safe_load(head)
    assert opening == ""
    assert values["type"]
    return values


def test_a_bundle_says_where_its_concepts_come_from(vault: InProcess) -> None:
    files = unpacked(vault, "okf", "--all")
    index = files.pop("index.md")
    assert index.startswith('---\nokf_version: "0.2"\n---\n')
    assert all(f"]({path})" in index for path in files)
    first, second, third = (concept(files[path]) for path in sorted(files))
    assert (first["generated"]["by"], first["confidence"]) == ("human:sean", 0.7)
    assert second["sources"] == [{"resource": "/m0.md"}, {"resource": "https://e.org/x?a=b"}]
    assert (third["status"], str(third["stale_after"])) == ("stable", "2027-01-01")


def test_a_confirmation_makes_a_concept_verified_only_if_its_signature_holds(vault: InProcess) -> None:
    forged = "{agent_id: human:tom, attestation: confirm, witnessed_at: '2026-02-01T00:00:00Z', sig: AAAA}"
    (vault.vault / "m3.md").write_bytes(memory_text("Tea.\n", id="m_forged0001", witnesses=f"\n  - {forged}"))
    assert "verified" not in concept(unpacked(vault, "okf", "m_forged0001")["m3.md"])


def test_who_confirmed_a_memory_with_a_signature_verified_its_concept(tmp_path: Path) -> None:
    keys = make_keys(tmp_path)
    ws = babels_vault(keys)
    witnessed(ws, keys, "human:claire")
    witnessed(ws, keys, "si:pith", "dispute")
    verified = concept(dict(okf(ws.view(), [PATH]))[PATH].decode())["verified"]
    assert [one["by"] for one in verified] == ["human:claire"]
    edit(ws, "harder than", "as hard as")
    assert "verified" not in concept(dict(okf(ws.view(), [PATH]))[PATH].decode())


def laid_out(program: InProcess, format_: str) -> Path:
    """Return a folder with all files that a vault exports."""
    folder = program.home / format_
    for file in program.json("export", format_, "--all")["files"]:
        (folder / file["path"]).parent.mkdir(parents=True, exist_ok=True)
        (folder / file["path"]).write_text(file["text"])
    return folder


@pytest.mark.soak
@pytest.mark.parametrize("format_", ["okf", "markdown"])
def test_ones_own_exported_files_become_the_same_memories(sample: InProcess, format_: str) -> None:
    for path in (sample.vault / "lists").glob("*.md"):
        path.unlink()  # notes that were never adopted have no id to keep
    folder, other = str(laid_out(sample, format_)), another(sample)
    done = validated(other.ok("--json", "import", format_, folder, "--own"))
    assert memories(other) == memories(sample)
    assert len(done["memories"]) == len(memories(sample)) > 20
    assert (done["known"], done["left_out"], done["originals"]) == ([], [], [])
    for query in QUERIES:
        assert ranked(other, query) == ranked(sample, query)
    assert other.json("export", "jsonl", "--all") == sample.json("export", "jsonl", "--all")
    for words in (["--own"], []):
        again = other.json("import", format_, folder, *words)
        assert (again["memories"], again["different"], len(again["known"])) == ([], [], len(memories(sample)))


@pytest.mark.parametrize("format_", ["okf", "markdown"])
def test_exported_files_are_somebody_elses_until_their_owner_says_otherwise(vault: InProcess, format_: str) -> None:
    folder, other = str(laid_out(vault, format_)), another(vault)
    done = other.run("import", format_, folder)
    assert (
        "3 say that they were memories in a vault; if it is yours, take this back (memstore undo), and" in done.stderr
    )
    found = [one["frontmatter"] for one in other.json("export", "jsonl", "--all")["memories"]]
    assert not {"m_first00001", "m_second0001"} & {one["id"] for one in found}
    assert {one["source_type"] for one in found} == {"external" if format_ == "okf" else "unknown"}
    assert len(found) == 3
    dry = another(other).run("import", format_, folder, "--dry-run")
    assert "3 say that they were memories in a vault; if it is yours, import them with --own" in dry.stderr


@pytest.mark.soak(3)
@pytest.mark.parametrize("words", [("jsonl",), ("memory-v0.1",), ("okf", "--own"), ("okf",), ("markdown", "--own")])
def test_what_was_forgotten_stays_forgotten(vault: InProcess, words: tuple[str, ...]) -> None:
    if words[0] in ("okf", "markdown"):
        place = laid_out(vault, words[0])
    else:
        place = vault.home / "all"
        place.write_text(vault.ok("export", words[0], "--all"))
    vault.ok("forget", "m_first00001", "--detach")
    done = vault.json("import", words[0], str(place), *words[1:])
    assert "note:m_first00001" in done["different"]
    assert "Bella eats at eight" not in vault.ok("export", "jsonl", "--all")
    assert "id-duplicate" not in {finding["code"] for finding in vault.json("check")["findings"]}


def test_an_exported_memory_that_was_changed_elsewhere_is_not_the_one_that_is_here(vault: InProcess) -> None:
    folder = laid_out(vault, "okf")
    text = (folder / "m0.md").read_text()
    (folder / "m0.md").write_text(text.replace("Bella eats at eight.", "Bella never eats."))
    done = vault.json("import", "okf", str(folder))
    (new,) = done["memories"]
    assert len(done["known"]) == 2
    shown = vault.json("show", new["ref"])
    assert (shown["source_type"], shown["body"].strip()) == ("external", "Bella never eats.")
    assert "memstore" not in shown["okf"]
    done = vault.json("import", "okf", str(folder), "--own")
    assert (done["memories"], done["different"]) == ([], ["note:m_first00001"])


def test_a_concept_beside_ones_own_refers_to_them(vault: InProcess) -> None:
    folder, other = laid_out(vault, "okf"), another(vault)
    (folder / "a.md").write_text("---\ntype: note\nsources: [{resource: m0.md}]\n---\nFrom Bella's page.\n")
    other.ok("import", "okf", str(folder), "--own")
    (new,) = [one for one in other.json("export", "jsonl", "--all")["memories"] if "okf" in one["frontmatter"]]
    assert new["frontmatter"]["source_type"] == "external"
    assert new["frontmatter"]["derived_from"][0] == "note:m_first00001"


@pytest.mark.parametrize(
    ("was", "became", "said"),
    [
        ("{type: note", "{access_grants: ['*'], type: note", "`access_grants` is decided by each vault for itself"),
        ("id: m_first00001, ", "", "it has no `id`"),
        ("id: m_first00001, ", "id: '../x', ", "it can't become a memory: `id` must be"),
    ],
)
def test_ones_own_mangled_concepts_are_left_out(vault: InProcess, was: str, became: str, said: str) -> None:
    folder, other = laid_out(vault, "okf"), another(vault)
    head, own, rest = (folder / "m0.md").read_text().partition("memstore:")
    mangled = rest.replace('"', "").replace(was, became)
    assert mangled != rest.replace('"', "")
    (folder / "m0.md").write_text(head + own + mangled)
    done = other.run("import", "okf", str(folder), "--own", "--strict")
    assert (done.returncode, said in done.stderr) == (5, True), done.stderr
    assert other.json("list")["memories"] == []
    done = other.run("import", "okf", str(folder), "--own")
    assert (done.returncode, said in done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize("where", ["own", "mixed"])
def test_exported_files_are_memories_wherever_they_are_unpacked(tmp_path: Path, where: str) -> None:
    program = InProcess(tmp_path)
    (program.vault / "audit").mkdir(parents=True)
    names = ("index.md", "log.md", "audit/log.md", "README.md", "tea.markdown", "a/index.md")
    (program.vault / "a").mkdir()
    for name in names:
        (program.vault / name).write_text(f"# The page {name}\n\nTea.\n")
    program.ok("init", ".", "--owner", "si:ash")
    program.ok("adopt", "--all")
    here = {one["id"]: one["title"] for one in program.json("list", "-n", "99")["memories"]}
    home = program.home / "another"
    (home / "vault").mkdir(parents=True)
    other = InProcess(home)
    other.vault.mkdir(exist_ok=True)
    if where == "mixed":
        (other.vault / "index.md").write_text("# What is here\n")
    other.ok("init", ".", "--owner", "si:ash")
    for file in program.json("export", "markdown", "--all")["files"]:
        (other.vault / file["path"]).parent.mkdir(parents=True, exist_ok=True)
        assert not (other.vault / file["path"]).exists()
        (other.vault / file["path"]).write_text(file["text"])
    there = {one["id"]: one["title"] for one in other.json("list", "-n", "99")["memories"] if one["id"]}
    assert there == here
    assert len(here) >= 5


def test_no_concept_of_a_bundle_has_a_name_that_means_something_else(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    others = ("a/INDEX.md", "a/log.md", "a/log-book.md", "pot.markdown")
    (program.vault / "a").mkdir()
    for name in ("index.md", "log.md", *others):
        (program.vault / name).write_text(f"# The page {name}\n\nTea.\n")
    program.ok("init", ".", "--owner", "si:ash")
    program.ok("adopt", "--all")
    (memory,) = [one for one in program.json("list")["memories"] if one["path"] == "log.md"]
    program.ok("add", "Made of it.", "--derived-from", memory["ref"])
    files = unpacked(program, "okf", "--all")
    index = files.pop("index.md")
    concepts = [name for name in files if name.rpartition("/")[2].lower() not in ("index.md", "log.md")]
    assert len(files) == len(concepts) == 7
    assert all(name.endswith(".md") for name in files)
    assert f"](log-{memory['id']}.md)" in index
    assert any(f"/log-{memory['id']}.md" in text for text in files.values())
    other, folder = another(program), program.home / "bundle"
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    assert len(other.json("import", "okf", str(folder))["memories"]) == 7
    titles = [{one["title"].strip('"') for one in each.json("list")["memories"]} for each in (program, other)]
    assert titles[0] == titles[1]


def test_the_index_of_a_bundle_links_plainly_where_that_is_possible(sample: InProcess) -> None:
    files = {file["path"]: file["text"] for file in sample.json("export", "okf", "--all")["files"]}
    links = [line.rpartition("](")[2].removesuffix(")") for line in files["index.md"].splitlines() if line[:1] == "*"]
    assert {link.strip("<>") for link in links} == files.keys() - {"index.md"}
    assert all((" " in link) == link.startswith("<") for link in links)
    assert {link[0] for link in links} > {"<"}


def test_every_concept_of_the_sample_vault_conforms(sample: InProcess) -> None:
    for file in sample.json("export", "okf", "--all")["files"]:
        if file["path"] != "index.md":
            concept(file["text"])


def test_a_vault_conforms_as_it_stands() -> None:
    notes = [path for path in (ROOT / "sample-vault").rglob("*.md") if path.name not in ("index.md", "log.md")]
    assert len(notes) > 100
    for path in notes:
        assert concept(path.read_text(encoding="utf-8"))["type"].strip()


@pytest.mark.skipif(not shutil.which("basic-memory"), reason="basic-memory, which has a checker, is not installed")
def test_a_checker_of_another_program_agrees(sample: InProcess, tmp_path: Path) -> None:
    for file in sample.json("export", "okf", "--all")["files"]:
        (path := tmp_path / "bundle" / file["path"]).parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file["text"], encoding="utf-8")
    for bundle in (tmp_path / "bundle", ROOT / "sample-vault"):
        done = subprocess.run(
            ["basic-memory", "okf", "check", str(bundle)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


# -- provenance ------------------------------------------------------------------------------------

_ENDS = {
    "wasDerivedFrom": {"prov:generatedEntity": "entity", "prov:usedEntity": "entity"},
    "wasAttributedTo": {"prov:entity": "entity", "prov:agent": "agent"},
}


def assert_is_prov(document: dict[str, Any]) -> None:
    """Check the form that W3C's member submission gives PROV-JSON, and that relations name what there is."""
    assert document.keys() <= {"prefix", "entity", "agent", *_ENDS}
    names = [*document["entity"], *document["agent"]]
    assert {name.partition(":")[0] for name in names} <= document["prefix"].keys()
    for kind, ends in _ENDS.items():
        for name, relation in document.get(kind, {}).items():
            assert name.startswith("_:")
            assert all(relation[end] in document[what] for end, what in ends.items())


def test_provenance_names_authors_and_sources(vault: InProcess) -> None:
    document = json.loads(vault.ok("export", "prov", "--all"))
    assert_is_prov(document)
    derived = {(one["prov:generatedEntity"], one["prov:usedEntity"]) for one in document["wasDerivedFrom"].values()}
    assert ("mem:m_second0001", "mem:m_first00001") in derived
    assert ("mem:m_second0001", "src:url%3Ahttps%3A%2F%2Fe.org%2Fx%3Fa%3Db") in derived
    (revision,) = [one for one in document["wasDerivedFrom"].values() if "prov:type" in one]
    assert revision["prov:usedEntity"] == "mem:m_first00001"
    assert document["agent"] == {"who:human/sean": {"prov:type": {"$": "prov:Person", "type": "xsd:QName"}}}


def test_provenance_of_the_sample_vault_can_be_read(sample: InProcess) -> None:
    text = sample.ok("export", "prov", "--all")
    assert_is_prov(json.loads(text))
    assert_is_prov(validated(sample.ok("--json", "export", "prov", "--all"))["provenance"])


def test_a_stock_reader_takes_the_provenance(sample: InProcess) -> None:
    """What `prov` reads, and writes again, is the same document."""
    document = ProvDocument.deserialize(content=sample.ok("export", "prov", "--all"), format="json")
    kinds = Counter(type(record).__name__ for record in document.get_records())
    assert kinds["ProvEntity"] > 100
    assert kinds.keys() == {"ProvEntity", "ProvDerivation", "ProvAttribution", "ProvAgent"}
    assert ProvDocument.deserialize(content=document.serialize()) == document


# -- who may see what ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["jsonl", "markdown", "okf", "prov"])
def test_what_is_hidden_is_missing(vault: InProcess, kind: str) -> None:
    (vault.vault / "m9.md").write_bytes(
        memory_text("Open.\n", id="m_open000001", access_grants="['*']", relates_to="[note:m_first00001]")
    )
    there = vault.ok("--as", "human:bob", "export", kind, "--all")
    for number in range(3):
        (vault.vault / f"m{number}.md").unlink()
    assert vault.ok("--as", "human:bob", "export", kind, "--all") == there
    assert "m_open000001" in there
    assert "access_grants" not in there
