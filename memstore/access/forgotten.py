"""What was forgotten, as keyed digests on this machine, so that captures, imports and agents don't bring it back.

Digests are made of whole sentences of eight words or more; of what a session said also of each paragraph and of the ids
of its turns, for that session alone. The key lies beside them, so whoever can read the file can test whether a sentence
that they guess is among them (docs/privacy.md). Nothing can be read out of it.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memstore.core.errors import VaultError
from memstore.files.local_state import append_line, make_private, private_bytes, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from memstore.core.memory import Memory

# A shorter sentence is said by chance: docs/adr/0047.
FEWEST_WORDS = 8

_STOP = r"[.!?…]+(?=[\s\"'”’»)\]*_]|$)|[。！？]"
# Where sentences end: in wrapped prose, in lines, and between quotation marks or after a colon, as a summary quotes.
_ENDS = tuple(
    re.compile(ends)
    for ends in (
        rf"{_STOP}|\n[^\S\n]*\n",
        rf"{_STOP}|\n",
        rf"{_STOP}|\n|\\[nrt]|[:;](?=\s)|\\?[\"“”„«»]",
    )
)
_STOPS = ".!?…。！？"
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n")
# A day that was put beside a relative word is no part of what was said. In scripts without spaces each sign is a word.
_DAY_BESIDE = re.compile(r"[(\[]\d{4}-\d{2}-\d{2}[)\]]")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


class ForgottenTexts:
    """The digests of what was forgotten in a vault, in a private file of this machine.

    Args:
        state: the folder of the vault's local state; created when first needed.
        new_key: makes a random key, in hexadecimal digits.
    """

    def __init__(self, state: Path, new_key: Callable[[], str]) -> None:
        self._path, self._turns = state / "forgotten.json", state / "captured.jsonl"
        self._new_key = new_key

    def note_turns(self, memory_id: str, turns: Sequence[str]) -> None:
        """Note which turns of a transcript a memory was captured from, by their ids, until it is forgotten.

        The vault must be locked; `OSError` if it can't be written.
        """
        append_line(self._turns, json.dumps({"memory": memory_id, "turns": [*turns]}).encode())

    def captured(self) -> Iterator[tuple[str, str]]:
        """Yield the ids of the turns that were captured on this machine, each with that of its memory."""
        return ((turn, memory_id) for memory_id, turns in self._turns_of().items() for turn in turns)

    def add(self, memories: Collection[Memory]) -> None:
        """Note what memories say that are forgotten now.

        Raises:
            VaultError: it can't be written.
        """
        known = self.read()
        turns = self._turns_of({memory.id for memory in memories})
        of = dict(known.of)
        for memory in memories:
            new = {*known.made_of(memory), *(known.digest("turn", one) for one in turns.get(memory.id or "", ()))}
            of[memory.id or ""] = sorted({*of.get(memory.id or "", ()), *new})
        self._write(known.key, of)
        if turns:
            self._drop_turns(turns)

    @property
    def places(self) -> tuple[Path, ...]:
        """The files with the digests, and with the turns that memories were captured from."""
        return self._path, self._turns

    def drop(self, memory_ids: Collection[str]) -> int:
        """Drop the digests of some memories, and return how many those were."""
        known = self.read()
        dropped = sum(len(known.of.get(memory_id, ())) for memory_id in memory_ids)
        if dropped:
            self._write(known.key, {name: kept for name, kept in known.of.items() if name not in memory_ids})
        return dropped

    def count(self, memory_ids: Collection[str]) -> int:
        """Return how many digests there are of some memories."""
        of = self.read().of
        return sum(len(of.get(memory_id, ())) for memory_id in memory_ids)

    def read(self) -> ForgottenDigests:
        """Return the digests as they are now; none, with a new key, if there are none or they can't be read."""
        try:
            said = json.loads(private_bytes(self._path))
            return ForgottenDigests(
                str(said["key"]), {str(name): [*map(str, kept)] for name, kept in said["of"].items()}
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return ForgottenDigests(self._new_key(), {})

    def _drop_turns(self, memory_ids: Collection[str]) -> None:
        lines = private_bytes(self._turns).splitlines(keepends=True)
        marks = [json.dumps({"memory": memory_id})[:-1].encode() for memory_id in memory_ids]
        with _trouble(self._turns.parent):
            write_whole(self._turns, b"".join(line for line in lines if not line.startswith((*marks,))), mode=0o600)

    def _turns_of(self, memory_ids: Collection[str | None] | None = None) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for line in private_bytes(self._turns).splitlines():
            try:
                said: Any = json.loads(line)
                if memory_ids is None or said["memory"] in memory_ids:
                    found.setdefault(said["memory"], []).extend(map(str, said["turns"]))
            except (ValueError, TypeError, KeyError):
                continue  # a line that was cut short
        return found

    def _write(self, key: str, of: dict[str, list[str]]) -> None:
        with _trouble(self._path.parent):
            make_private(self._path.parent)
            write_whole(self._path, json.dumps({"key": key, "of": of}).encode(), mode=0o600)


@contextmanager
def _trouble(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VaultError(
            f"can't note what is forgotten in {folder}: {error.strerror}", hint="check its permissions"
        ) from error


class ForgottenDigests:
    """Digests under one key, by the id of the memory that they were made of."""

    def __init__(self, key: str, of: dict[str, list[str]]) -> None:
        self.key, self.of = key, of
        self._all = frozenset(one for kept in of.values() for one in kept)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was forgotten, or its digests were dropped."""
        return not self._all

    def digest(self, kind: str, text: str) -> str:
        """Return the digest of a text under this key, in hexadecimal digits."""
        data = f"{kind}\0{text}".encode(errors="surrogatepass")
        return hashlib.blake2b(data, key=bytes.fromhex(self.key)[:64], digest_size=12).hexdigest()

    def made_of(self, memory: Memory) -> set[str]:
        """Return the digests of what a memory says."""
        texts = [memory.title or "", memory.body, *(str(value) for value in memory.extra.values())]
        found = {self.digest("said", words) for text in texts for _, _, words in _sentences(text)}
        if memory.origin and memory.origin.session_id:
            said = (f"{memory.origin.session_id}\0{words}" for words in map(_words, _PARAGRAPHS.split(memory.body)))
            found |= {self.digest("session", one) for one in said if not one.endswith("\0")}
        return found

    def is_turn(self, turn_id: str) -> bool:
        """Return whether something that was captured from this turn of a transcript was forgotten."""
        return self.digest("turn", turn_id) in self._all

    def is_of_session(self, session_id: str, text: str) -> bool:
        """Return whether this was captured from a session, and forgotten; a short text, too."""
        return self.digest("session", f"{session_id}\0{_words(text)}") in self._all

    def without(self, text: str, *, known: str = "") -> str:
        """Return a text without the sentences that were forgotten, unless `known` has them, with its line breaks.

        Takes linear time.
        """
        if self.is_empty:
            return text
        here = {words for _, _, words in _sentences(known)} if known else frozenset()
        gone = sorted(
            (start, end)
            for start, end, words in _sentences(text)
            if words not in here and self.digest("said", words) in self._all
        )
        parts, at = [], 0
        for start, end in gone:
            if end > at:
                first = max(start, at)
                parts += [text[at:first], "\n" * text.count("\n", first, end)]
                at = end
        return "".join([*parts, text[at:]])


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each sentence of enough words begins and ends, by every way to end one, and its words."""
    for ends in _ENDS:
        for start, end in _between(ends, text):
            words = _words(text[start:end])
            if words.count(" ") >= FEWEST_WORDS - 1 and (first := re.search(r"\w", text[start:end])):
                yield start + first.start(), end, words


def _between(ends: re.Pattern[str], text: str) -> Iterable[tuple[int, int]]:
    at = 0
    for found in ends.finditer(text):
        yield at, found.end() if found[0][0] in _STOPS else found.start()
        at = found.end()
    yield at, len(text)


def _words(text: str) -> str:
    """Return the words of a text, folded, a blank between two."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", _DAY_BESIDE.sub(" ", text)).casefold()))
