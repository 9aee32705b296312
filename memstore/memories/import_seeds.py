"""Import seed beliefs, with their provenance (seed 000, 3.7), from YAML, JSON, or a list in Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, Unpack

from memstore.core.change import Skipped
from memstore.core.errors import FormatError, UsageError
from memstore.core.transaction import Saving, again_where_changed, save_all
from memstore.files.json_stream import items
from memstore.lineage.orphans import SEED_MARK, SEED_SOURCE
from memstore.lineage.refs import loader
from memstore.memories.add import new_memory
from memstore.memories.incoming import Imported, refuse_unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.change import Edit
    from memstore.core.view import View
    from memstore.files.render import Plain


_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(.+(?:\n[ \t]+(?![-*+] )\S.*)*)", re.MULTILINE)
_TAG = re.compile(r"(?:^|\s)#([\w-]+)")
_NUMBER = re.compile(r"\s*\((?:confidence:?\s*)?([01]?\.\d+|[01])\)", re.IGNORECASE)
_LISTS = ("beliefs", "seeds", "seed_beliefs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One belief that exists from the start; `where` is its place in the source, for messages."""

    statement: str
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    where: str = field(default="", compare=False)


def read(path: str, data: bytes) -> tuple[Seed | Skipped, ...]:
    """Return the seed beliefs in a file, in file order, and what can't be read.

    YAML and JSON hold a list, or a map with the list under `beliefs`; an item is a statement, or a map with `statement`
    and optionally `confidence` and `tags`. In Markdown each item of a list is a belief, like `- Truth is rarely binary.
    (0.65) #truth`.

    Args:
        path: the file's name; its suffix determines the format.
        data: its bytes.

    Raises:
        FormatError: there are none.
    """
    found = tuple(_read(path, data))
    if not found:
        raise FormatError(f"there are no beliefs in {path}", hint="write a list with one statement per item")
    return found


def _read(path: str, data: bytes) -> Iterator[Seed | Skipped]:
    name = path.casefold()
    if name.endswith(".json"):
        for item in items(BytesIO(data), under=_LISTS):
            where = f"{path}:{item.line}"
            yield Skipped(where, item.why, broken=True) if item.why else _of_item(where, item.value)
    elif name.endswith((".md", ".markdown", ".txt")):
        text = _text(path, data)
        for found in _ITEM.finditer(text):
            yield _of_markdown(_line(path, text, found.start()), found[1])
    else:
        for number, value in enumerate(_of_yaml(path, _text(path, data)), 1):
            yield _of_item(f"{path}: item {number}", value)


def _text(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8: byte {error.start + 1}", hint="save it as UTF-8") from error


def _line(path: str, text: str, at: int) -> str:
    newline = "\n"
    return f"{path}:{text.count(newline, 0, at) + 1}"


def _of_markdown(where: str, item: str) -> Seed | Skipped:
    tags = tuple(_TAG.findall(item))
    number = _NUMBER.search(item)
    words = _NUMBER.sub("", _TAG.sub("", item))
    statement = " ".join(words.split())
    return _of_item(
        where, {"statement": statement, "confidence": float(number[1]) if number else None, "tags": [*tags]}
    )


def _of_yaml(path: str, text: str) -> list[Any]:
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FormatError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if name in value), None)
    if not isinstance(value, list):
        raise FormatError(f"there is no list of beliefs in {path}", hint="write a list with one statement per item")
    return value


def _of_item(where: str, item: object) -> Seed | Skipped:
    if isinstance(item, str):
        item = {"statement": item}
    statement = item.get("statement") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(statement, str) or not statement.strip():
        return Skipped(where, "there is no statement: write {statement: …, confidence: 0.8}", broken=True)
    confidence, tags = item.get("confidence"), item.get("tags") or []
    if confidence is not None and not _is_fraction(confidence):
        return Skipped(where, f"`confidence` must be a number from 0 to 1, and is {confidence!r}", broken=True)
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        return Skipped(where, "`tags` must be a list of words, like [one, two]", broken=True)
    return Seed(statement=statement.strip(), confidence=confidence, tags=tuple(tags), where=where)


def _is_fraction(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


# -- the use case ----------------------------------------------------------------------------------


CONTEXT = "kernle_seed"


@again_where_changed
def import_seeds(
    view: View, seeds: Sequence[Seed | Skipped], *, strict: bool = False, **saving: Unpack[Saving]
) -> Imported:
    """Write seed beliefs, except those whose statement a belief in the vault already has, whatever its status.

    Args:
        view: the vault.
        seeds: the beliefs, and what can't be read of their source.
        strict: if any can't be read or written, write nothing; otherwise it is left out and named.
        saving: dry_run, commit.

    Raises:
        FormatError: none can be read, or not all with `strict`; nothing was written.
    """
    held = dict(_held(view))
    edits: list[Edit] = []
    known: list[str] = []
    left_out: list[Skipped] = []
    for seed in seeds:
        if isinstance(seed, Skipped):
            left_out.append(seed)
            continue
        words = _words(seed.statement)
        if words not in held:
            try:
                edits.append(_new(view, seed))
            except FormatError as error:
                left_out.append(Skipped.unread(seed.where, error))
                continue
            held[words] = ""
        elif held[words]:
            known.append(held[words])
    refuse_unread(left_out, has_others=bool(edits or known), strict=strict)
    saved = save_all(view, edits, verb="import seeds", **saving)
    return Imported(saved=saved, known=tuple(known), left_out=tuple(left_out))


def _held(view: View) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the statement of every belief that the actor may see, with its ref."""
    load = loader(view)
    types = view.column("type")
    for row in view.rows:
        ref = view.entry(row).ref if types[row] == "belief" else None
        memory = load(ref) if ref else None
        if ref and memory:
            yield _words(memory.body), ref


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text's first paragraph, which is what a belief states."""
    return tuple(re.findall(r"\w+", text.strip().split("\n\n", 1)[0].casefold()))


def _new(view: View, seed: Seed) -> Edit:
    values: dict[str, Plain] = {
        "type": "belief",
        "source": SEED_SOURCE,
        "source_type": "seed",
        "derived_from": [SEED_MARK],
        "context_tags": list(dict.fromkeys([CONTEXT, *seed.tags])),
        "foundational": True,
    }
    if seed.confidence is not None:
        values["confidence"] = round(float(seed.confidence), 4)
    try:
        return new_memory(view, values, seed.statement, ground={"evidence_source": SEED_MARK, "reason": "seed"})
    except UsageError as error:
        raise FormatError(error.message, where=seed.where) from error
