"""An option for every frontmatter key that a person may set, generated from the table of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import REF, F, complete_tag, several, together
from memstore.core.keys import KEYS, Key, Shape
from memstore.memories.add import KEPT_BY_THE_PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.files.draft import Account
    from memstore.files.render import Plain


KEY_MEANINGS = {
    "type": "what kind of memory it is; the only required key",
    "id": "its permanent id: m_ and ten characters",
    "title": "one line; by default the first heading or sentence of the text",
    "aliases": "other names or phrasings by which it is found",
    "tags": "words to filter by",
    "status": "active by default; others are found only with --status",
    "status_reason": "why it has that status",
    "quarantine": "with what it was taken out of recall, and which status it had",
    "proposes": "what a suggestion would do: create a belief, or change the one in relates_to",
    "created_at": "when it was written down",
    "valid_from": "when what it says became true in the world",
    "valid_until": "when what it says stopped being true in the world",
    "scope": "global by default",
    "owner": "whose memory it is; the vault's owner by default",
    "author": "who wrote it",
    "platform": "the platform on which it was written",
    "source": "where it comes from, in any words",
    "source_type": "how it is known",
    "source_entity": "who told it",
    "source_chain": "through whom it came, nearest first",
    "channel": "the stream of an agent's notes that it came through",
    "origin": "the session in which it was written, and what triggered it",
    "derived_from": "the memories it was derived from, or marks like url:… and file:…",
    "relates_to": "the memories that support it",
    "processed_into": "the memories that were derived from it",
    "supersedes": "the memory that it replaces",
    "superseded_by": "the memory that replaced it",
    "context_tags": "words about the circumstances",
    "entities": "names that an episode mentions",
    "subject_ids": "whom it is about",
    "context": "the privacy context in which it was said",
    "access_grants": 'who may see it besides its owner; "*" is everybody',
    "access_denies": "who may not, whatever the grants say",
    "consent_grants": "who consented to sharing it",
    "upstream_grants": "the grants of the memories it was derived from",
    "generalized": "it sums up several memories, so that none can be recognized in it",
    "generalization": "the verdict of that check",
    "keeps_secret": "a person wants what looks like a secret in it",
    "belief_type": "fact by default",
    "foundational": "it is kept, whatever the evidence",
    "importance": "normal by default",
    "confidence": "how sure its holder is",
    "confidence_history": "the events behind that number",
    "claims": "what it says, in a form that can be compared",
    "resolved_conflicts": "decisions about conflicts with other memories",
    "compressed_from": "where the whole text of a compressed memory is kept",
    "signature": "its author's signature",
    "witnesses": "what others attest about it",
    "anchors": "evidence outside the file of what it said, and when",
    "resolutions": "how disputes about it were decided",
}

# `--context` is a global option: the context in which something is said.
_ELSEWHERE = frozenset({"context"})
_NAMES = {
    "type": ("-t", "--type"),
    "aliases": ("--alias", "--aliases"),
    "tags": ("--tag", "--tags"),
    "context_tags": ("--context-tag", "--context-tags"),
    "entities": ("--entities", "--entity"),
    "subject_ids": ("--subject", "--subject-ids"),
    "access_grants": ("--access", "--access-grants"),
    "access_denies": ("--deny", "--access-denies"),
    "consent_grants": ("--consent", "--consent-grants"),
    "claims": ("--claim", "--claims"),
}
_METAVARS = {
    Shape.ENTITY: "ENTITY", Shape.ENTITIES: "ENTITY…", Shape.GRANTS: "ENTITY…", Shape.REFS: "REF…",
    Shape.SOURCES: "REF…", Shape.LINES: "WORD…", Shape.WORDS: "WORD…", Shape.INSTANT: "TIME", Shape.DAY: "DATE",
    Shape.FRACTION: "NUMBER", Shape.ENTRIES: '"SUBJECT; ATTRIBUTE; VALUE[; SINCE]"…', Shape.ENTRY: "NAME=VALUE…",
}  # fmt: skip
_SEVERAL = frozenset(
    {Shape.LINES, Shape.WORDS, Shape.ENTITIES, Shape.GRANTS, Shape.REFS, Shape.SOURCES, Shape.ENTRIES, Shape.ENTRY}
)
_OF_REFS = frozenset({Shape.REFS, Shape.SOURCES})

OFFERED = tuple(key for key in KEYS if key.name not in KEPT_BY_THE_PROGRAM | _ELSEWHERE)


# Of the commands that write new memories, the options that people use, by parameter: at most eight of each.
USUAL = frozenset(
    {"kind", "type", "reason", "title", "tags", "source", "access_grants", "confidence", "own_keys", "commit"}
)


def key_options(*, without: frozenset[str] = frozenset()) -> Callable[[F], F]:
    """Add an option for each key that a person may set, and `--set` for keys of their own."""
    options = []
    for key in OFFERED:
        if key.name not in without:
            options.append(_option(key))
        if key.name == "origin":
            options += [_trigger, _session]
    own = several(
        "--set",
        "own_keys",
        metavar="KEY=VALUE…",
        help="Any key, memstore's or your own, checked as `memstore set` does.",
    )
    return together(*options, own)


# The parts of `origin`, which every new memory may have.
_session = click.option(
    "--session", "session_id", metavar="ID", envvar="MEMSTORE_SESSION", show_envvar=True, help="The session it is from."
)
_trigger = click.option("--trigger", metavar="TEXT", help="What made you write it down.")


def account_options() -> Callable[[F], F]:
    """Add the options for what an episode tells besides its text."""
    return together(
        click.option("--objective", metavar="TEXT", help="What an episode was about: its title."),
        click.option("--outcome", metavar="TEXT", help="How an episode came out."),
        several("--lesson", "--lessons", "lessons", metavar="TEXT…", help="What an episode taught."),
    )


def given_account(options: dict[str, Any]) -> Account:
    """Remove the account of an episode from the options, and return it."""
    from memstore.files.draft import Account

    objective, outcome, lessons = (options.pop(name) for name in ("objective", "outcome", "lessons"))
    return Account(objective=objective or "", outcome=outcome or "", lessons=lessons)


def _option(key: Key) -> Callable[[F], F]:
    names = _NAMES.get(key.name, ("--" + key.name.replace("_", "-"),))
    about: dict[str, Any] = {"help": f"{KEY_MEANINGS[key.name][:1].upper()}{KEY_MEANINGS[key.name][1:]}."}
    if key.shape is Shape.FLAG:
        return click.option(*names, key.name, is_flag=True, **about)
    if key.shape in _SEVERAL:
        about |= {"shell_complete": complete_tag} if key.name == "tags" else {}
        kind = REF if key.shape in _OF_REFS else None
        return several(*names, key.name, type=kind, metavar=_METAVARS.get(key.shape), **about)
    one_of = {"type": click.Choice(key.choices)} if key.choices else {"metavar": _METAVARS.get(key.shape, "TEXT")}
    return click.option(*names, key.name, **one_of, **about)


def given_values(options: Mapping[str, Any]) -> dict[str, Plain]:
    """Return the values of the keys whose options were given.

    Raises:
        UsageError: a value is invalid for its key.
    """
    from memstore.files import render

    values: dict[str, Plain] = {}
    for key in OFFERED:
        given = options.get(key.name)
        if given is True:
            values[key.name] = True
        elif given:
            values[key.name] = render.parse(key.name, [given] if isinstance(given, str) else given)
    origin = {name: text for name in ("session_id", "trigger") if (text := options.get(name))}
    if origin:
        given = values.get("origin")
        values["origin"] = {**origin, **(given if isinstance(given, dict) else {})}
    for name, texts in own_values(options.get("own_keys", ())).items():
        values[name] = render.parse(name, texts, split=True)
    return values


def own_values(pairs: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the values given for each key as KEY=VALUE.

    Raises:
        UsageError: there is no equals sign.
    """
    from memstore.core.errors import UsageError

    texts: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"`{pair}` is not KEY=VALUE", hint="write it like importance=high; KEY= removes a key")
        texts.setdefault(name.strip(), []).append(value)
    return texts
