"""Prose: which sentences of a memory say what is so, in a sentence with a subject and a verb.

Only these are compared. What is a fragment, a label, an order to the reader, code, a quotation or a link states nothing
that another memory could deny.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memstore.conflicts import lexicon
from memstore.conflicts.frames import DETERMINERS, PREPOSITIONS, frame, is_certain_verb
from memstore.core.word_lists import listed

# Code of more than one word, links with a target, bold labels, tasks, options, fields, paths and arrows.
_MARKUP = re.compile(
    r"`\w*[^`\w][^`]*`|\]\(|https?://|!?\[\[[^\[\]]*\]\]\s*\Z|\A\W*\[[ xX]\]|\A[^\w`]*`[^`]*`[^\w:—–(-]*[:—–(-]"
    r"|\A\W*-{1,2}\w|\A[\W_]*(?:[A-Z][\w/ -]{0,40})?\*\*[^*]{1,60}(?:\*\*\W{0,5}[:—–-]|:\*\*)|[{}<>|=→⇒]|::|\w/\w+/\w"
    r"|\w\(\)|\A\W*>"
)
# A sentence that begins with a quotation, or is one, is somebody else's.
_QUOTED = re.compile(r"\A[^\w\"“”„«»]*(?>[\"“„«]+)[^\"”“«»]*[\"”“»]\W*\Z")
# What is said to a reader is advice.
_TO_READER = listed("you your yours yourself let's please")
_SUBJECTS = listed("i we they he she it")


@lru_cache(maxsize=8192)
def is_claim(text: str) -> bool:
    """Whether a sentence says what is so: it has a subject and a verb, and is said to nobody in particular.

    >>> [is_claim(text) for text in ("The lift is out of order.", "Lift: out of order", "Use the lift.")]
    [True, False, False]
    """
    if _MARKUP.search(text) or _QUOTED.search(text):
        return False
    said = frame(text)
    if not said.verb or not said.words.isdisjoint(_TO_READER):
        return False
    first, before, verb = (said.tokens[at].word for at in (0, said.verb - 1, said.verb))
    if lexicon.stands(first) and first not in said.names | {"last"}:
        return False  # Keep the door shut.
    is_whole = _ENDS.search(text) and (first in DETERMINERS - {"no"} or said.verb + 1 < len(said.tokens))
    if not (is_certain_verb(verb) or before in _SUBJECTS or (verb.endswith("s") and is_whole)):
        return False  # It looks like a verb, and may be the plural of a noun.
    return any(token.word and token.word not in PREPOSITIONS for token in said.tokens[: said.verb])


_ENDS = re.compile(r"[.!…][\s\"')*_]*\Z")
