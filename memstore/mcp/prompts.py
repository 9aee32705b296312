"""Prompts that a person can choose: they ask an agent to review, consolidate or write down memories."""

from __future__ import annotations

from typing import NamedTuple


class Prompt(NamedTuple):
    """A request to an agent; `about` describes it to the person who chooses it.

    Its one argument is optional; if it is given, `with_argument` is appended, with `{}` replaced by the value.
    """

    about: str
    text: str
    argument: str
    about_argument: str
    with_argument: str


PROMPTS = {
    "review": Prompt(
        "Decide on the suggestions that wait.",
        "List what waits with memory_review. Show each, read the memories that it rests on (memory_get), and look for "
        "conflicts (memory_conflicts). Tell me in one line what it says and whether its evidence is independent, and "
        "accept it or reject it with a reason; ask me where the evidence is thin or about people.",
        "ref",
        "a suggestion to begin with",
        "Begin with {}.",
    ),
    "consolidate": Prompt(
        "Look for what happened repeatedly, and suggest beliefs.",
        "Call memory_review with action consolidate and dry_run true, and tell me which suggestions it would write and "
        "from which memories. If I agree, call it again without dry_run, and list what waits then.",
        "about",
        "what to look at above all",
        "Look above all at what is about {}.",
    ),
    "remember": Prompt(
        "Write down what of this session is worth keeping.",
        "Go through this conversation. For all that will matter later, search first (memory_search): if a memory says "
        "it already, record the new evidence (memory_evidence); if it says something else by now, supersede it. "
        "Otherwise add it (memory_add), one thing a memory, in a sentence that can be understood alone. Keep apart how "
        "each is known: what I told you (source_type told_by_human), what you concluded (inference), what you saw "
        "(observation), what you copied from a page or a tool (external; source names it). Leave out passwords and "
        "keys, and what I said in passing. Tell me at the end what you wrote, a line each.",
        "about",
        "what to keep above all",
        "Keep above all what is about {}.",
    ),
}


def text_of(prompt: Prompt, value: str | None) -> str:
    """Return the text of a prompt, with the value of its argument if there is one."""
    return f"{prompt.text} {prompt.with_argument.format(value)}" if value else prompt.text
