"""`memstore recall` and `memstore show --full`: what comes to mind, and one memory in full."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memstore.access import SESSIONS_QUOTED
from memstore.beliefs.recall import DEFAULT_BUDGET, PROFILES
from memstore.cli.filters import scope_option
from memstore.cli.options import OTHER_WORDS, WholeNumber, also_option, command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.beliefs.recall import Recalled
    from memstore.cli.session import CliSession


NOT_WELL = "nothing matches well; these are the nearest"


@command(
    "recall",
    examples=(
        'memstore recall "What should I cook for Claire tonight?"',
        "memstore recall --budget 120 - < prompt.txt",
        "memstore recall --hook                     # for an agent's prompt hook: the prompt on standard input",
    ),
)
@click.argument("prompt", metavar="[PROMPT|-]", nargs=-1)
@click.option(
    "--budget",
    type=WholeNumber(min=1),
    default=DEFAULT_BUDGET,
    show_default=True,
    metavar="N",
    help="The most tokens that the answer may take.",
)
@click.option(
    "--profile", type=click.Choice(PROFILES), default=PROFILES[0], show_default=True, help="How results are ranked."
)
@also_option()
@scope_option
@click.option("--hook", is_flag=True, help="Answer an agent's hook: its document on standard input; never fail.")
def recall(
    session: CliSession,
    /,
    prompt: tuple[str, ...],
    also: tuple[str, ...],
    scope: tuple[str, ...],
    *,
    budget: int,
    profile: str,
    hook: bool,
) -> None:
    """Bring to mind what matters for a prompt: at most 3 memories and 2 beliefs, with their lines.

    It only reads: nothing is written, and nothing counts as used. `memstore show --full` shows all of a memory.
    With --hook, it answers the hooks of agents' programs when a session begins and at each prompt that a person wrote,
    with what is of the project in whose folder the agent works, or of none.
    """
    if hook:
        _answer_hook(session, " ".join(prompt), budget, profile, scope)
        return
    from memstore.beliefs.recall import RecallProfile
    from memstore.core.errors import UsageError

    text = _stdin() if prompt == ("-",) else " ".join(prompt)
    if not text.strip():
        raise UsageError("there is no prompt", hint='memstore recall "What should I cook for Claire?"')
    recalled = _recalled(session, text, budget, profile, also=also, scope=scope, along=True)
    _emit(session, recalled)
    if recalled.weak:
        session.say(NOT_WELL)
        if not also:
            session.say(OTHER_WORDS)
    if profile == RecallProfile.SEED_002.value and not recalled.by_meaning:
        session.say("without an embedder nothing is found by meaning; memstore config --user embedder FOLDER sets one")
    if recalled.left_out:
        session.say(f"{recalled.left_out} more would not fit; --budget sets the limit, {budget} now, in tokens")
    elif not (recalled.memories or recalled.beliefs):
        session.say("nothing comes to mind")
        if not also:
            session.say(OTHER_WORDS)


def _recalled(
    session: CliSession,
    text: str,
    budget: int,
    profile: str,
    *,
    scope: Sequence[str],
    also: Sequence[str] = (),
    along: bool = False,
) -> Recalled:
    from memstore.beliefs.recall import RecallProfile
    from memstore.beliefs.recall import recall as bring_to_mind

    how = RecallProfile(profile)
    return bring_to_mind(session.view(), text, also=also, scope=scope, budget=budget, profile=how, along=along)


def _emit(session: CliSession, recalled: Recalled) -> None:
    session.emit("recall", recalled, lambda: _lines(session, recalled))


def _answer_hook(session: CliSession, said: str, budget: int, profile: str, scope: Sequence[str]) -> None:
    from memstore.cli.hooked import answer_hook

    answer_hook(session, lambda given: _answer(session, said or given, budget, profile, scope))


def _answer(session: CliSession, given: str, budget: int, profile: str, scope: Sequence[str]) -> str:
    """Return what a hook is answered.

    A program's hook passes it on to whoever listens to the agent, so it is shown what the MCP server would show.
    """
    from memstore.agents.hook_events import QUOTED, HookWish, hook_answer, hook_input
    from memstore.vault.composition import scopes_shown

    asked = hook_input(given)
    if asked.wish is HookWish.NOTHING:
        return ""
    shown_of = scope or scopes_shown(session.environment(), session.view().root, asked.folder)
    if asked.event is None:
        return _recalled_text(session, _recalled(session, asked.prompt, budget, profile, scope=shown_of))
    if asked.wish is HookWish.BRIEF:
        from memstore.cli.mcp import server_of
        from memstore.mcp import resources

        server, view = server_of(session), session.served_view()
        text = resources.brief_of(server, shown_of)
        view.of(SESSIONS_QUOTED).note(asked.session, server.quoted.since(view.clock.now()), view.clock.now())
    else:
        from memstore.lineage.descent import from_outside

        view = session.served_view()
        recalled = _recalled(session, asked.prompt, budget, profile, scope=shown_of)
        # What the agent says from now on is derived from these; if that can't be kept, it is not shown them.
        shown = [bite.ref for bite in (*recalled.memories, *recalled.beliefs)]
        view.of(SESSIONS_QUOTED).note(asked.session, from_outside(view, shown), view.clock.now())
        told = _recalled_text(session, recalled)
        text = f"{QUOTED}\n{told}" if told else ""
    return hook_answer(asked.event, text) if text else ""


def _recalled_text(session: CliSession, recalled: Recalled) -> str:
    """Return what came to mind as it is printed, or as a document with `--json`."""
    if not (recalled.memories or recalled.beliefs):
        return ""
    if session.as_json:
        from memstore.cli.output import document
        from memstore.documents.beliefs import recalled_document
        from memstore.documents.form import published

        return document(published("recall", recalled_document(recalled))).rstrip("\n")
    return "\n".join((*_lines(session, recalled), *([NOT_WELL] if recalled.weak else ())))


def _stdin() -> str:
    return "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8-sig", "replace")


def _lines(session: CliSession, recalled: Recalled) -> Iterator[str]:
    from memstore.cli.output import safe_line

    for bite in (*recalled.memories, *recalled.beliefs):
        where = session.paint.place(bite.citation.path, bite.citation.line_start)
        yield f"{safe_line(bite.dated)} {where}"
