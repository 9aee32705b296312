"""What is fuzzed: for each reader a function of bytes that does what the program does with them, and asks what holds.

A target returns where the bytes were read or refused as promised; whatever it raises is a defect.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memstore.access import audit, audit_events, registry
from memstore.access.policy import Judge, labels_of
from memstore.access.registry_world import world_of
from memstore.access.world import Session, World
from memstore.core.change import Skipped
from memstore.core.config import VAULT_SETTINGS
from memstore.core.errors import FormatError, MemstoreError, UsageError
from memstore.core.keys import KEYS
from memstore.core.places import RegistryKind
from memstore.core.times import period
from memstore.files import catalog_entry, memory_file, plain_lines, splice, strict_yaml
from memstore.files.config_file import ConfigFile, owner_of
from memstore.files.draft import new_file, without_notes
from memstore.files.fence import BOM, FencedText
from memstore.files.layout import parts_by_key
from memstore.files.memory_file import BrokenFile, MemoryFile, PlainFile, SealedFile
from memstore.files.passages import passages
from memstore.files.tidy import tidied
from memstore.memories import import_seeds
from memstore.memories.merge_values import Three
from memstore.memories.merging import Merged, merged
from memstore.search import query
from memstore.search.citations import parse_place, places_in
from memstore.trust import allowed_signers, ssh_crypto, sshsig, witness_request
from memstore.trust.formats import memory_v01, opentimestamps, rotation, ssh_certificate
from memstore.trust.keyring import ATTEST_NAMESPACE
from memstore.trust.ssh_wire import public_key, read_public_key, string
from memstore.trust.statement import canonical_json, content_of, digests, provenance_of
from memstore.vault import checks
from tests.support import as_meant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memstore.files.memory_file import ReadFile
    from memstore.files.render import Plain

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PATH = "notes/2026/tea-7f3k.md"
OWNER = "si:ash"
VIEWERS = ("human:sean", "human:bella", "si:claire", "anon:unknown")
# Between the parts of an input that has several; no text of a memory has it.
SEPARATOR = b"\n%%\n"


def reader(data: bytes) -> None:
    """A memory file: what is read is what stands there, and opens no more where notes are mixed."""
    own, mixed = (memory_file.read(PATH, data, mixed=mixed) for mixed in (False, True))
    for file in (own, mixed):
        _looked_at(file, mixed=file is mixed)
    if isinstance(own, MemoryFile):
        assert own.text.joined(own.text.head) == data
        front = strict_yaml.read(own.text.head, first_line=own.text.head_line)
        plain = plain_lines.read(own.text.head, first_line=own.text.head_line)
        assert plain is None or (plain.values, plain.problems) == (front.values, front.problems)
        if isinstance(mixed, MemoryFile):
            assert labels_of(mixed.memory)._replace(status="") == labels_of(own.memory)._replace(status="")
    elif isinstance(mixed, MemoryFile):  # other programs mean something else by these keys, and nothing else is wrong
        assert isinstance(own, BrokenFile)
        assert {finding.key for finding in own.findings} <= {"type", "author", "status"}


def _looked_at(file: ReadFile, *, mixed: bool) -> None:
    """Do what a search, a check and a signature do with a file."""
    catalog_entry.entry_of(file, "0" * 40)
    if isinstance(file, SealedFile):
        return
    if isinstance(file, BrokenFile):
        assert all(str(finding.at.line) in finding.line for finding in file.findings)
        assert file.findings
        meant = [finding for finding in file.findings if finding.meant is not None]
        assert all(
            as_meant(file.data, finding) == (finding.mended or as_meant(file.data, finding)) for finding in meant
        )
        return
    body = file.memory.body
    found = passages(body, first_line=file.text.body_line)
    lines = body.count("\n") + 1
    assert all(1 <= one.line_start <= one.line_end < file.text.body_line + lines for one in found)
    [*places_in(body, ["file:a.md"])]
    if isinstance(file, PlainFile):
        file = memory_file.as_if_adopted(file)
    else:
        after = memory_file.read(PATH, tidied(file), mixed=mixed)
        assert isinstance(after, MemoryFile)
        assert (after.memory, after.text.body) == (file.memory, file.text.body)
    for told in (content_of(file.memory), provenance_of(file.memory)):
        with suppress(FormatError):
            json.loads(canonical_json(told))
    with suppress(FormatError):
        digests(file.memory)
    mistakes = checks.of_memory(checks.as_checked(file), now=NOW)
    assert all(as_meant(file.data, finding) for finding in mistakes if finding.meant is not None)


_NAMES = (*(key.name for key in KEYS), "mood", "acess_grants")
_VALUES: tuple[Plain, ...] = (
    "tea", "human:sean", "a: b #c", "it's \"so\"", 0.5, True, None, ["*"], ["a, b", "x #y"], [], "*", "- a", "|",
    "2026-02-01T00:00:00Z", "é🐕", {"by": "si:ash", "at": "x"},
)  # fmt: skip


def _edits(choice: bytes) -> Iterator[splice.Edit]:
    """Yield the edits that three bytes each choose."""
    for kind, name, value in zip(choice[::3], choice[1::3], choice[2::3], strict=False):
        key, new = _NAMES[name % len(_NAMES)], _VALUES[value % len(_VALUES)]
        match kind % 5:
            case 0:
                yield splice.SetValue(key, new)
            case 1:
                yield splice.RemoveKey(key)
            case 2:
                yield splice.AppendItems(key, (new,))
            case 3:
                yield splice.RemoveItems(key, (new,))
            case _:
                yield splice.AppendEntry(key, {"op": "assert", "new": 0.5, "reason": str(new)})


def splicer(data: bytes) -> None:
    """Edits of a file: the first line chooses them; whatever they are not about stays as it was, byte for byte."""
    choice, _, rest = data.partition(b"\n")
    file = memory_file.read(PATH, rest)
    if not isinstance(file, MemoryFile):
        return
    for edit in [*_edits(choice)][:4]:
        try:
            after_data = splice.apply(file, [edit])
        except FormatError:
            return
        after = memory_file.read(PATH, after_data)
        assert not isinstance(after, PlainFile | SealedFile)
        if isinstance(after, BrokenFile):  # a value that does not fit the key: the transaction refuses it
            assert {finding.key.partition(".")[0].partition("[")[0] for finding in after.findings} <= {edit.key, ""}
            return
        assert (after.text.before, after.text.body) == (file.text.before, file.text.body)
        old, new = (parts_by_key(one.front, one.text.head) for one in (file, after))
        if old is not None and new is not None:
            others = {*old} - {edit.key, ""}
            assert {name: _stripped(old[name]) for name in others} == {name: _stripped(new[name]) for name in others}
        assert splice.apply(after, [edit]) == after_data or isinstance(edit, splice.AppendEntry)
        file = after


def _stripped(part: str) -> str:
    """Return the lines of a key; comments above it may come to stand above another, and a line end is put in."""
    lines = part.splitlines()
    while lines and (not lines[0].strip() or lines[0].lstrip().startswith("#")):
        del lines[0]
    return "\n".join(lines).rstrip()


def by_lines(texts: Three[bytes]) -> Merged:
    """Merge texts as git might: what one side changed is its, and where both did all between is a conflict."""
    if texts.theirs in (texts.ours, texts.base):
        return Merged(texts.ours)
    if texts.ours == texts.base:
        return Merged(texts.theirs)
    base, ours, theirs = (text.splitlines(keepends=True) for text in texts)
    first = 0
    while first < min(map(len, (base, ours, theirs))) and base[first] == ours[first] == theirs[first]:
        first += 1
    last = 0
    while (
        last < min(map(len, (base, ours, theirs))) - first and base[-1 - last] == ours[-1 - last] == theirs[-1 - last]
    ):
        last += 1
    sides = [b"".join(side[first : len(side) - last]) for side in (ours, theirs)]
    sides = [side if side.endswith(b"\n") or not side else side + b"\n" for side in sides]
    conflict = b"<<<<<<< ours\n" + sides[0] + b"=======\n" + sides[1] + b">>>>>>> theirs\n"
    tail = b"".join(ours[len(ours) - last :])
    return Merged(b"".join(ours[:first]) + conflict + tail, has_conflicts=True)


WORLD = World(owner=OWNER)
JUDGES = tuple(Judge(WORLD, Session(viewer=viewer, at=NOW)) for viewer in VIEWERS)


def _seen_by(file: ReadFile) -> frozenset[int]:
    """Return which of the viewers may see a file's memory where nobody's consent is on record."""
    if not isinstance(file, MemoryFile):
        return frozenset()
    labels = labels_of(file.memory)._replace(derived_from=())  # there are no other memories here
    return frozenset(number for number, judge in enumerate(JUDGES) if judge.admits(labels))


def merger(data: bytes) -> None:
    """Three versions of a memory: nobody sees the merged one who saw neither side, both ways alike."""
    parts = data.split(SEPARATOR)
    if len(parts) != len(Three._fields):
        return
    files = Three(*parts)
    for mixed in (False, True):
        done = merged(PATH, files, by_lines, mixed=mixed)
        other = merged(PATH, Three(files.base, files.theirs, files.ours), by_lines, mixed=mixed)
        sides = [memory_file.read(PATH, side, mixed=mixed) for side in (files.ours, files.theirs)]
        for result in (done, other):
            after = memory_file.read(PATH, result.data, mixed=mixed)
            assert _seen_by(after) <= _seen_by(sides[0]) | _seen_by(sides[1])
        assert done.has_conflicts == other.has_conflicts
        if files.ours == files.theirs:
            assert done == Merged(files.ours)


def merger_of_registries(data: bytes) -> None:
    """Three versions of a registry file, the kind by the first byte: what could be read is read, or collides."""
    kind, _, rest = data.partition(b"\n")
    parts = rest.split(SEPARATOR)
    if len(parts) != len(Three._fields):
        return
    path = ("entities/dog/bella.md", "groups/pack.yaml", "contexts/park.yaml", "consents/2026/con_1.md")[len(kind) % 4]
    done = merged(path, Three(*parts), by_lines, mixed=False)
    worlds = [world_of(OWNER, [(path, one)]) for one in (*parts[1:], done.data)]
    if not done.has_conflicts and not any(world.doubtful or world.consents_in_doubt for world in worlds[:2]):
        assert not worlds[2].doubtful
        assert not worlds[2].consents_in_doubt


def registries(data: bytes) -> None:
    """A registry file of each kind is read, or told what is wrong with it; the world takes both."""
    for kind, path in (
        (RegistryKind.ENTITY, "entities/dog/bella.md"),
        (RegistryKind.GROUP, "groups/pack.yaml"),
        (RegistryKind.CONTEXT, "contexts/park.yaml"),
        (RegistryKind.CONSENT, "consents/2026/con_1.md"),
        (RegistryKind.REQUEST, "requests/req_1.md"),
    ):
        found = registry.read(path, kind, data)
        if isinstance(found, tuple):
            assert found
        world = world_of(OWNER, [(path, data)])
        Judge(world, Session(viewer=VIEWERS[0], at=NOW))
    event = audit_events.read("audit/si/ash/2026/20260101T000000Z-ev_1.json", data)
    if event is not None:
        audit.verify([event], [], {})
        audit_events.consents_named([event])
        audit.recorded_grants([event])


class _Settings(ConfigFile):
    """A file of settings with these bytes, and without a place."""

    def __init__(self, data: bytes, path: Path) -> None:
        super().__init__(path, VAULT_SETTINGS)
        self._data = data

    def _text(self) -> str:
        try:
            return self._data.decode()
        except UnicodeDecodeError as error:
            raise FormatError("not UTF-8") from error


def settings(data: bytes) -> None:
    """A vault's settings are read, or refused; who owns it is known, or nobody does."""
    from pathlib import Path

    owner = owner_of(data, default=OWNER)
    try:
        values = _Settings(data, Path("config.toml")).values()
    except MemstoreError:
        return
    assert owner == values.get("owner", OWNER)


def queries(data: bytes) -> None:
    """A query is taken apart, or refused with a hint; words that are no syntax are never refused."""
    text = data.decode("utf-8", "replace")
    with suppress(UsageError):
        asked = query.parse(text)
        assert query.parse(text) == asked
    with suppress(UsageError):
        period(text, now=NOW)
    with suppress(UsageError):
        parse_place(text)
    words = "".join(letter if letter.isalnum() else " " for letter in text)
    if words.isascii() and words.split():
        query.parse(words)


def adopted(data: bytes) -> None:
    """A file that becomes a memory keeps its bytes, but for the keys that are put in."""
    file = memory_file.read(PATH, data, mixed=True)
    added: dict[str, Plain] = {"type": "note", "id": "m_7f3k9q2x1c", "source_type": "unknown"}
    if not isinstance(file, PlainFile):
        return
    from memstore.files import fence

    text = fence.split(data)
    if isinstance(text, FencedText):
        front = strict_yaml.read(text.head, first_line=text.head_line)
        if front.problems or "id" in front.values:
            return
        with suppress(FormatError):
            edits = [splice.SetValue(name, value) for name, value in added.items() if name not in front.values]
            after = splice.apply_to_text(PATH, text, edits)
            assert after.endswith(text.joined(text.head)[len(text.before) + len(text.head.encode()) :])
            assert [*_without(after, added)] == [*_without(data, added)]
    elif text is None:
        mark = BOM if data.startswith(BOM) else b""
        after = mark + new_file(added, "") + data.removeprefix(BOM)
        found = memory_file.read(PATH, after, mixed=True)
        assert isinstance(found, MemoryFile | BrokenFile)
        assert not isinstance(found, MemoryFile) or found.memory.body.endswith(data.removeprefix(BOM).decode())
    without_notes(data)


def _without(data: bytes, names: dict[str, Plain]) -> Iterator[bytes]:
    """Yield the lines that hold none of these keys; a line end that was put in makes no difference."""
    for line in data.split(b"\n"):
        if not any(line.lstrip().startswith(name.encode() + b":") for name in names):
            yield line.rstrip()


def imports(data: bytes) -> None:
    """What is imported is read, or refused with a hint."""
    for name in ("seeds.md", "seeds.yaml", "seeds.json"):
        with suppress(FormatError):
            assert all(one.why if isinstance(one, Skipped) else one.statement for one in import_seeds.read(name, data))
    with suppress(FormatError):
        for one in memory_v01.read("f.json", data):
            if isinstance(one, Skipped):
                continue
            memory_v01.read_memory(
                one.document, entity_of=lambda handle: memory_v01.folded(handle) or handle, ref_of=lambda _: None
            )
    with suppress(FormatError):
        witness_request.read("f.json", data)
    with suppress(FormatError):
        witness_request.read_answer("f.json", data)


def ssh(data: bytes) -> None:
    """Keys, signatures, certificates and keyrings in the forms of SSH are read in one way, or refused."""
    with suppress(FormatError):
        assert public_key(data).blob == data
    with suppress(FormatError):
        ssh_certificate.read(data)
    text = data.decode("utf-8", "surrogateescape")
    with suppress(FormatError):
        read_public_key(text)
    with suppress(FormatError):
        rotation.read(data)
    keyring, findings = allowed_signers.read(data, data)
    assert all(finding.is_error or finding.text for finding in findings)
    assert len(keyring.signers) <= data.count(b"\n") + 1


def signatures(data: bytes) -> None:
    """A signature in the form of SSH is read in one way, and holds for nothing that was not signed."""
    import base64

    with suppress(FormatError):
        found = sshsig.read(base64.b64encode(data).decode(), namespace=ATTEST_NAMESPACE)
        assert base64.b64decode(sshsig.write(found)) == data
        assert not ssh_crypto.holds(found, sshsig.signed_bytes(b"never signed", namespace=ATTEST_NAMESPACE))
    with suppress(FormatError):
        found = sshsig.read(sshsig.from_armour(data.decode("utf-8", "replace")), namespace=ATTEST_NAMESPACE)
    assert string(data)[4:] == data


def timestamps(data: bytes) -> None:
    """A proof in the form of OpenTimestamps, or a block's header, is read or refused."""
    with suppress(FormatError):
        proof = opentimestamps.read(data)
        assert all(height >= 0 for height, _ in proof.blocks)
    with suppress(FormatError):
        opentimestamps.read_header(data)


TARGETS: dict[str, Callable[[bytes], None]] = {
    one.__name__: one
    for one in (
        reader,
        splicer,
        merger,
        merger_of_registries,
        registries,
        settings,
        queries,
        adopted,
        imports,
        ssh,
        signatures,
        timestamps,
    )
}
