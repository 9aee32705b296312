"""Standing rules, which say what holds whenever something is done: "never order from them", "up to 80 without asking".

In English only. A rule is found by the act that it is about, in whatever words the prompt has for that.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memstore.beliefs.bites import Sentence, one_line
from memstore.core import terms
from memstore.core.full_stops import split_sentences
from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

DECISION = "decision"
# What is longer is a text to work on; what is to be done stands at its beginning.
LONGEST_PROMPT = 2000
_MAY_ASK = frozenset(("can", "could", "may", "shall", "should", "must", "would", "need", "let", "ok", "okay"))


def acts_in(prompt: str) -> frozenset[str]:
    """Return the terms of what a prompt is about to do, and of other words for it; none if it asks what was or is."""
    found: set[str] = set()
    for sentence in split_sentences(one_line(prompt[:LONGEST_PROMPT])):
        words = terms.whole_words(sentence)
        if not terms.is_question(sentence) or not _MAY_ASK.isdisjoint(words):
            found.update(*(_families()[word] for word in words if word in _families()))
    return frozenset(found)


def rule_terms() -> frozenset[str]:
    """Return the terms of which each rule has one, unless its memory is a decision."""
    return frozenset(map(terms.term_of, _rule_words()))


def rules_in(said: Iterable[Sentence], acts: frozenset[str], *, is_decision: bool) -> Iterator[Sentence]:
    """Yield the sentences that are rules about one of these acts; each of a decision is one, if it is about the act."""
    for one in said:
        words = terms.whole_words(one.text)
        if (is_decision or not _rule_words().isdisjoint(words)) and not acts.isdisjoint(map(terms.term_of, words)):
            yield one


@cache
def _rule_words() -> frozenset[str]:
    return listed(word_lists("beliefs")["standing"])


@cache
def _families() -> Mapping[str, frozenset[str]]:
    """Return the terms of all words of each line of acts, by the words that it has before the bar."""
    found: dict[str, frozenset[str]] = {}
    for line in word_lists("beliefs")["acts"].strip().splitlines():
        orders, _, others = line.partition("|")
        family = frozenset(map(terms.term_of, f"{orders} {others}".split()))
        found.update(dict.fromkeys(orders.split(), family))
    return found
