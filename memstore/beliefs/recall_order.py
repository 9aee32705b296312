"""Recall: in which order memories come to mind for a prompt, and how many of them a budget of tokens holds."""

from __future__ import annotations

from enum import Enum
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from memstore.search.quality import MOST_USE_BONUS, USE_BONUS, Strength, days_between, retrieval_strength

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

MOST_MEMORIES = 3  # seed 002, "Recall Pipeline"
MOST_BELIEFS = 2
LEAST_BELIEF = 0.4  # of a belief's confidence today, to be surfaced
DEFAULT_BUDGET = 600
LONGEST_BITE = 280  # characters of a text
# A bite that is cut to less than so many characters tells nothing.
SHORTEST_BITE = 40
RANK_CONSTANT = 60  # Cormack, Clarke, Büttcher, Reciprocal Rank Fusion (2009)


class RecallProfile(Enum):
    """How the order comes about: memstore's, seed 002's four lists, or its weighted `memory_recall`."""

    DEFAULT = "default"
    SEED_002 = "seed-002"
    MEMORY_RECALL = "memory-recall"


PROFILES = tuple(profile.value for profile in RecallProfile)

# A list that is empty adds nothing: so does `similarity`, the one by meaning, where there is no embedder.
WEIGHTS: Mapping[RecallProfile, Mapping[str, float]] = {
    RecallProfile.DEFAULT: {"relevance": 1.0, "similarity": 1.0, "strength": 0.10},
    RecallProfile.SEED_002: {"relevance": 0.4, "similarity": 1.0, "recency": 0.6, "access": 0.4},  # "Recall Pipeline"
    RecallProfile.MEMORY_RECALL: {"relevance": 0.5, "recency": 0.3, "access": 0.2},
}


class Known(NamedTuple):
    """What is known of a memory that may come to mind: its relevance in [0,1], its strength, when it was made (UTC).

    `relevance` is that of its words, 0 where none of them matches; `similarity` is its meaning's, in [0,1].
    """

    relevance: float
    strength: Strength
    made_at: datetime | None
    similarity: float = 0.0


def scores(known: Sequence[Known], profile: RecallProfile, now: datetime) -> list[float]:
    """Return the score of each, the best highest.

    Args:
        known: the memories that match, the most relevant first; those that match by meaning alone after them.
        profile: how the order comes about.
        now: UTC.
    """
    weights = WEIGHTS[profile]
    measures = {name: [_MEASURES[name](one, now) for one in known] for name in weights}
    if profile is not RecallProfile.MEMORY_RECALL:
        # The search's own order, of what it finds by words.
        measures["relevance"] = [float(len(known) - at) if one.relevance else 0.0 for at, one in enumerate(known)]
        measures = {name: _by_rank(values) for name, values in measures.items()}
    return [sum(weights[name] * measures[name][at] for name in weights) for at in range(len(known))]


def _by_rank(values: Sequence[float]) -> list[float]:
    """Return what each adds for its place in one list: those of one value share a place, 0 is not on the list."""
    place = {value: at for at, value in reversed(list(enumerate(sorted(values, reverse=True), 1)))}
    return [1 / (RANK_CONSTANT + place[value]) if value > 0 else 0.0 for value in values]


def _strength(known: Known, _: datetime) -> float:
    """Return how readily it comes to mind, where it was ever used: the list is one of uses."""
    return known.strength.retrieval if known.strength.uses else 0.0


def _recency(known: Known, now: datetime) -> float:
    return 0.0 if known.made_at is None else retrieval_strength(days_between(known.made_at, now))


def _access(known: Known, _: datetime) -> float:
    """Return how often it was used, in [0,1], as quality counts uses."""
    return min(USE_BONUS * log1p(known.strength.uses), MOST_USE_BONUS) / MOST_USE_BONUS


_MEASURES: Mapping[str, Callable[[Known, datetime], float]] = {
    "relevance": lambda known, _: known.relevance,
    "similarity": lambda known, _: known.similarity,
    "strength": _strength,
    "recency": _recency,
    "access": _access,
}

# -- the budget ----------------------------------------------------------------------------------

# An unprintable character is spelt out when it is shown, like <U+202E>.
_UNPRINTABLE = 10


def tokens(text: str) -> int:
    """Return how many tokens a text takes at most, as a rule: more than the tokenizers of language models count.

    Three letters of a word without accents are a token, and so is every other character but a blank; one beyond
    ASCII counts one less than its bytes in UTF-8.
    """
    count, letters = 0, 0
    for sign in text:
        if sign.isascii() and sign.isalpha():
            count += letters % 3 == 0
            letters += 1
        else:
            letters = 0
            count += _tokens_of_sign(sign)
    return count


def _tokens_of_sign(sign: str) -> int:
    if sign == " ":
        return 0
    if sign.isascii():
        return 1 if sign.isprintable() or sign == "\n" else _UNPRINTABLE
    return len(sign.encode(errors="surrogatepass")) - 1 if sign.isprintable() else _UNPRINTABLE


def one_line(text: str) -> str:
    """Return a text on one line, without what can't be printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters, cut between words where that is possible."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > longest // 2 else cut).rstrip(" ,;:") + "…"


def fitted(text: str, room: int, whole: Callable[[str], str]) -> str | None:
    """Return as much of a text as there is room for; None where too little of it would be left.

    Args:
        text: on one line.
        room: tokens, for all that `whole` makes of the text and the end of its line.
        whole: gives what is shown for a text.
    """
    longest = min(len(text), LONGEST_BITE)
    for length in range(longest, min(SHORTEST_BITE, longest) - 1, -8):
        said = shortened(text, length)
        if tokens(whole(said)) + 1 <= room:
            return said
    return None


def interleaved(memories: int, beliefs: int) -> Iterable[tuple[bool, int]]:
    """Yield in which order bites take from the budget: whether it is a belief's, and its place among its kind."""
    for at in range(max(memories, beliefs)):
        if at < memories:
            yield False, at
        if at < beliefs:
            yield True, at
