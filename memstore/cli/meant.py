"""Words that people try as commands or options, and what does the same here.

Similar spellings are found by `core/errors.py::nearest`; this table finds commands by meaning. If no command does it,
the answer says how to do it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Words that people try, separated by spaces -> the answer.
_MEANT: dict[str, str] = {
    "grep query ask lookup locate": "`memstore search QUERY` finds memories by words",
    "ls all dir browse recent": "`memstore list` lists memories, the newest first",
    "new create write note remember store insert capture learn believe": "`memstore add TEXT` writes a memory",
    "open": "`memstore show REF` shows a memory; `memstore edit REF` opens it in your editor",
    "cat view get read print less": "`memstore show REF` shows a memory",
    "belief episode insight": (
        "`memstore show REF --trace` shows a memory and where it comes from; `memstore add TEXT --type TYPE` writes one"
    ),
    "change update modify amend rewrite": (
        "`memstore edit REF` changes a memory in your editor; `memstore set REF KEY=VALUE` changes a key of it"
    ),
    "rm delete remove del trash hide erase": (
        "`memstore archive REF` puts a memory out of sight; `memstore forget REF` forgets it for good"
    ),
    "unarchive undelete": "`memstore archive --restore REF` brings an archived memory back",
    "backlinks references": "`memstore links REF` shows what a note links to, and what links to it",
    "graph tree parents sources origin lineage provenance": (
        "`memstore trace REF` shows what a memory comes from; `memstore trace REF --reverse` what came of it"
    ),
    "children dependents": (
        "`memstore trace REF --reverse` shows what came of a memory; `memstore trace --impact REF` what needs it"
    ),
    "derive": "`memstore add TEXT --derived-from REF` writes a memory that was derived from another",
    "meta orphan": "`memstore check orphans` lists memories that can't say where they come from",
    "migrate backfill": (
        "`memstore check fix-provenance` fills in sources that were not recorded; `memstore import FORMAT PATH` takes "
        "memories over from another program"
    ),
    "move rename": "`memstore mv REF PATH` moves or renames a memory's file",
    "replace": "`memstore supersede REF TEXT` replaces a memory with a new one",
    "history versions revisions changes": "`memstore log REF` shows what happened to a memory; `memstore log` to all",
    "pr pull-request merge-request": "`memstore review BRANCH` shows what a branch changes",
    "annotate": "`memstore blame REF` shows who wrote each line",
    "revert rollback reset back": "`memstore undo` takes back what memstore wrote last; older versions are in git",
    "save": "`memstore add TEXT` writes a memory; `memstore commit` commits what is pending",
    "stage": "`memstore commit` commits pending memories, staged or not",
    "push pull fetch": "`memstore sync` commits, fetches, merges, checks and pushes; `git push` and `git pull` do, too",
    "clone": "a vault is a git repository: `git clone URL` copies it",
    "claude codex gemini cursor openclaw vscode copilot zed windsurf opencode": (
        "`memstore mcp install NAME` sets up an agent's program"
    ),
    "setup start": "`memstore init DIR` makes a folder a vault",
    "settings set-config configure": "`memstore config` shows and changes settings",
    "validate lint fsck verify": (
        "`memstore check` finds what is wrong; `memstore trust REF` shows whose signatures hold"
    ),
    "fix repair mend": "`memstore check --fix` fixes what needs no judgement",
    "format": "`memstore check fmt` formats the frontmatter of memories",
    "reindex index-rebuild refresh": "every search updates the index by itself; `memstore index rebuild` rebuilds it",
    "duplicates duplicate dups": "`memstore conflicts --duplicates` finds memories that say nearly the same",
    "compare": "`memstore diff REF` shows what changed; `memstore conflicts` what can't both be right",
    "support confirm evidence": "`memstore reinforce REF --evidence REF` records evidence for a memory",
    "oppose refute dispute": (
        "`memstore contradict REF --evidence REF` records evidence against a memory; `memstore trust witness REF "
        "--attest dispute` disputes it under your signature"
    ),
    "explain": (
        "`memstore why REF` shows how a memory's numbers were computed; `memstore help COMMAND` explains a command"
    ),
    "confidence quality score ledger": "`memstore why REF` shows how a memory's numbers were computed",
    "reputation level": "`memstore trust REF` shows who vouches for a memory, and their reputation",
    "rotate": "`memstore trust keys rotate ENTITY FILE --old FILE` puts a new key in the place of an old one",
    "dream reflect": "`memstore beliefs consolidate` suggests beliefs from what happened repeatedly",
    "accept": "`memstore beliefs suggestions accept REF` accepts a suggestion",
    "reject": "`memstore beliefs suggestions reject REF` rejects a suggestion",
    "grant permit": "`memstore privacy grant REF --to ENTITY` lets others see a memory",
    "revoke unshare": (
        "`memstore privacy revoke REF --from ENTITY` takes a grant back; `memstore privacy consent revoke ID` a consent"
    ),
    "anonymize abstract": (
        "`memstore privacy generalize REF --text TEXT --access ENTITY` shares what was learnt without saying from whom"
    ),
    "who visible": "`memstore privacy explain REF --for ENTITY` shows whether somebody may see a memory, and why",
    "enter leave": "`memstore context enter CTX` and `memstore context leave` say where you are",
    "tags": "`memstore search QUERY --facets tags` counts tags; `memstore tag REF TAG` gives a memory one",
    "info summary count": "`memstore list --stats` counts memories; `memstore privacy report` shows who sees what",
    "dump backup": (
        "a vault is a folder of text files in git: copy or clone it; `memstore export memory-v0.1 --all` gives JSON"
    ),
    "serve server": "`memstore mcp` serves a vault to an agent",
    "encrypt decrypt": (
        "`memstore privacy seal` encrypts memories for those who may see them, `memstore privacy unseal` undoes it"
    ),
    "purge": "`memstore forget REF --purge DIR` writes a clone whose history never held a forgotten memory",
    "gc clean cleanup": (
        "`memstore beliefs compress` replaces old texts with summaries; `memstore doctor --fix` deletes leftovers"
    ),
    "version": "`memstore --version` prints it",
    "man docs tutorial usage topics commands": "`memstore help` lists topics, `memstore help --all` all commands",
}

# Words that people try after a command whose argument is a text -> the answer; taken as a text, each would be written.
_WITHIN: dict[str, dict[str, str]] = {
    "raw add": {
        "list ls all": "`memstore list --type raw` lists raw memories",
        "show view cat get": "`memstore show REF` shows a memory",
        "process": "`memstore raw promote RAW --to TYPE` turns a raw memory into another type",
    },
}
WITHIN = {
    command: {word: does for words, does in answers.items() for word in words.split()}
    for command, answers in _WITHIN.items()
}

# Programs whose notes are a folder of Markdown files -> the answer, also for `memstore import NAME`.
_NOTES = "obsidian logseq zk notion joplin bear foam dendron roam"
_OF_NOTES = "`memstore import markdown DIR` imports a folder of notes; `memstore init DIR` makes it a vault where it is"

# Options that people try, without dashes -> the answer.
OPTIONS = dict.fromkeys(
    ("agent", "me", "user"), "`memstore --as ENTITY` says who acts, like --as si:ash"
) | dict.fromkeys(
    ("participants", "participant"),
    "`memstore context add CTX --roster ENTITY…` says who belongs to a context; `memstore context enter CTX "
    "--participants ENTITY…` who is there now",
)

# How similar a slip is to the word that was meant, like `histroy`. Commands may be less similar; the answer for another
# word would mislead.
_SLIP = 0.75

MEANT: dict[str, str] = {word: does for words, does in _MEANT.items() for word in words.split()}
IMPORTS = dict.fromkeys(_NOTES.split(), _OF_NOTES)


def what_does(word: str, *, imports: bool = False) -> str | None:
    """Return the answer for a word that is not a command; None if it is unknown.

    Args:
        word: what was typed.
        imports: whether it was typed after `memstore import`.
    """
    return (IMPORTS if imports else MEANT | IMPORTS).get(word.lower().lstrip("-"))


def nearest_name(word: str, names: Iterable[str], meant: Mapping[str, str], *, similar: float) -> str | None:
    """Return the name of a command, or the word in `meant`, that was probably to be typed; None if none is near."""
    names = list(names)
    near = nearest(word, [*names, *meant], similar=similar)
    is_slip = near is None or near not in meant or nearest(word, [near], similar=_SLIP)
    return near if is_slip else nearest(word, names, similar=similar)
