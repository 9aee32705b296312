"""Import seed beliefs, with their provenance (seed 000, 3.7), from YAML, JSON, or a list in Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from memstore.core.errors import FormatError
from memstore.core.transaction import Saving, again_where_changed, save_all
from memstore.lineage.orphans import SEED_MARK, SEED_SOURCE
from memstore.lineage.refs import loader
from memstore.memories.add import new_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.change import Edit, Saved
    from memstore.core.view import View
    from memstore.files.render import Plain


_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(.+(?:\n[ \t]+(?![-*+] )\S.*)*)", re.MULTILINE)
_TAG = re.compile(r"(?:^|\s)#([\w-]+)")
_NUMBER = re.compile(r"\s*\((?:confidence:?\s*)?([01]?\.\d+|[01])\)", re.IGNORECASE)
_LISTS = ("beliefs", "seeds", "seed_beliefs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One belief that exists from the start."""

    statement: str
    confidence: float | None = None
    tags: tuple[str, ...] = ()


def read(path: str, data: bytes) -> tuple[Seed, ...]:
    """Return the seed beliefs in a file, in file order.

    YAML and JSON hold a list, or a map with the list under `beliefs`; an item is a statement, or a map with `statement`
    and optionally `confidence` and `tags`. In Markdown each item of a list is a belief, like `- Truth is rarely binary.
    (0.65) #truth`.

    Args:
        path: the file's name; its suffix determines the format.
        data: its bytes.

    Raises:
        FormatError: it can't be read, or an item is not a belief.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8: byte {error.start + 1}", hint="save it as UTF-8") from error
    if path.casefold().endswith((".md", ".markdown", ".txt")):
        found = _ITEM.finditer(text)
        seeds = tuple(_of_markdown(_line(path, text, item.start()), item[1]) for item in found)
    else:
        seeds = tuple(_of_item(f"{path}: item {number}", item) for number, item in enumerate(_items(path, text), 1))
    if not seeds:
        raise FormatError(f"there are no beliefs in {path}", hint="write a list with one statement per item")
    return seeds


def _line(path: str, text: str, at: int) -> str:
    newline = "\n"
    return f"{path}:{text.count(newline, 0, at) + 1}"


def _of_markdown(where: str, item: str) -> Seed:
    tags = tuple(_TAG.findall(item))
    number = _NUMBER.search(item)
    words = _NUMBER.sub("", _TAG.sub("", item))
    statement = " ".join(words.split())
    return _of_item(
        where, {"statement": statement, "confidence": float(number[1]) if number else None, "tags": [*tags]}
    )


def _items(path: str, text: str) -> list[Any]:
    value = _parsed(path, text)
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if name in value), None)
    if not isinstance(value, list):
        raise FormatError(f"there is no list of beliefs in {path}", hint="write a list with one statement per item")
    return value


def _parsed(path: str, text: str) -> Any:
    if path.casefold().endswith(".json"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{path} is not JSON: {error}") from error
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FormatError(f"{path} is not YAML: {' '.join(str(error).split())}") from error


def _of_item(where: str, item: object) -> Seed:
    if isinstance(item, str):
        item = {"statement": item}
    statement = item.get("statement") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(statement, str) or not statement.strip():
        raise FormatError(f"{where}: there is no statement", hint="write {statement: …, confidence: 0.8}")
    confidence, tags = item.get("confidence"), item.get("tags") or []
    if confidence is not None and not _is_fraction(confidence):
        raise FormatError(
            f"{where}: `confidence` must be a number from 0 to 1, and is {confidence!r}", hint="correct the number"
        )
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise FormatError(f"{where}: `tags` must be a list of words", hint="write tags: [one, two]")
    return Seed(statement=statement.strip(), confidence=confidence, tags=tuple(tags))


def _is_fraction(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


# -- the use case ----------------------------------------------------------------------------------


CONTEXT = "kernle_seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSeeds:
    """The result of an import of seed beliefs: those that were written, and the refs of those that already existed."""

    saved: tuple[Saved, ...]
    known: tuple[str, ...]


@again_where_changed
def import_seeds(view: View, seeds: Sequence[Seed], **saving: Unpack[Saving]) -> ImportedSeeds:
    """Write seed beliefs, except those whose statement a belief in the vault already has, whatever its status.

    Args:
        view: the vault.
        seeds: the beliefs.
        saving: dry_run, commit.

    Raises:
        UsageError: a confidence is not in [0, 1], or a tag is not a word.
    """
    held = dict(_held(view))
    edits: list[Edit] = []
    known: list[str] = []
    for seed in seeds:
        words = _words(seed.statement)
        if words not in held:
            edits.append(_new(view, seed))
            held[words] = ""
        elif held[words]:
            known.append(held[words])
    saved = save_all(view, edits, verb="import seeds", **saving)
    return ImportedSeeds(saved=saved, known=tuple(known))


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
    return new_memory(view, values, seed.statement, ground={"evidence_source": SEED_MARK, "reason": "seed"})
