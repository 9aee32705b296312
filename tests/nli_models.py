"""NLI models for tests: one that knows a list of words, and a tiny real one, written without a library for ONNX."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# What excludes each other, as the models know: no list of memstore's has any of these pairs.
EXCLUDE = ("diesel", "battery"), ("monarchy", "republic"), ("deciduous", "needles")
SURE, UNSURE = 0.993, 0.02


class ListedContradictions:
    """Knows which words exclude each other, and remembers what it was asked."""

    def __init__(self, name: str = "listed") -> None:
        self.name = name
        self.asked: list[tuple[str, str]] = []

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.asked += pairs
        return [self._sure(f"{one} {other}".casefold()) for one, other in pairs]

    @staticmethod
    def _sure(text: str) -> float:
        return SURE if any(one in text and other in text for one, other in EXCLUDE) else UNSURE


LABELS = {"0": "Neutral", "1": "CONTRADICTION", "2": "entailment"}


def write_tiny(folder: Path, *, labels: dict[str, str] | None = None, model: str = "model.onnx") -> Path:
    """Write a model into a folder that adds a number for each word: both of `EXCLUDE`'s first pair make it sure."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["[UNK]", "[SEP]", *EXCLUDE[0]]
    table = [0.0, 0.0, 0.0] + [5.0, 0.0, 0.0] + [0.0, 5.0, 0.0] * len(EXCLUDE[0])
    (folder / model).write_bytes(_model(len(words), table))
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {"[SEP]": {"id": "[SEP]", "ids": [1], "tokens": ["[SEP]"]}},
        },
        "model": {"type": "WordLevel", "vocab": {word: at for at, word in enumerate(words)}, "unk_token": "[UNK]"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "config.json").write_text(json.dumps({"id2label": labels or LABELS}))
    return folder


def _model(words: int, table: Sequence[float]) -> bytes:
    """Return an ONNX model: the sum over the words of a text of each word's row in a table, [words, 3]."""
    size = len(table) // words
    floats = struct.pack(f"<{len(table)}f", *table)
    rows = _field(8, b"table") + _number(1, words) + _number(1, size) + _number(2, 1) + _field(9, floats)
    axes = _field(8, b"axes") + _number(1, 1) + _number(2, 7) + _field(9, struct.pack("<q", 1))
    gather = _field(1, b"table") + _field(1, b"input_ids") + _field(2, b"rows") + _field(4, b"Gather")
    keepdims = _field(1, b"keepdims") + _number(3, 0) + _number(20, 2)
    total = _field(1, b"rows") + _field(1, b"axes") + _field(2, b"logits") + _field(4, b"ReduceSum")
    graph = _field(1, gather) + _field(1, total + _field(5, keepdims)) + _field(2, b"sums")
    graph += _field(5, rows) + _field(5, axes)
    graph += _field(11, _tensor(b"input_ids", 7)) + _field(12, _tensor(b"logits", 1))
    return _number(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _number(2, 13))


def _tensor(name: bytes, kind: int) -> bytes:
    shape = _field(1, _field(2, b"one")) + _field(1, _field(2, name + b"_size"))
    return _field(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    more = value >> 7
    return bytes([value & 127 | 128]) + _varint(more) if more else bytes([value])
