"""`memstore mcp`: serve a vault to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import command

if TYPE_CHECKING:
    from memstore.cli.session import CliSession


@command(
    "mcp",
    examples=(
        "memstore --vault ~/notes --as si:ash --self mcp           # for an agent that nobody else listens to",
        "memstore --vault ~/notes --as si:ash --context ctx:work mcp",
        "memstore mcp --read-only",
    ),
)
@click.option(
    "--tools",
    "offered",
    type=click.Choice(("usual", "seeds", "all")),
    default="usual",
    show_default=True,
    help="Which tools are offered.",
)
@click.option("--read-only", is_flag=True, help="Write nothing into the vault.")
@click.option("-c", "--commit", is_flag=True, help="Commit each change.")
def mcp(session: CliSession, *, offered: str, read_only: bool, commit: bool) -> None:
    """Serve a vault to an agent on standard input and output, by the Model Context Protocol.

    Who acts is fixed when the server starts, by --as. So is what may be shown at most: what everybody in --context may
    see, all that is one's own with --self, and with neither only what everybody may see.
    """
    from memstore.core.errors import UsageError
    from memstore.mcp import stdio, tools
    from memstore.mcp.server import Identity, Rules, Server
    from memstore.vault import composition

    if read_only and commit:
        raise UsageError("--read-only and --commit contradict each other", hint="leave one out")
    env, choices = session.environment()._replace(on_progress=None), session.choices
    view = composition.open_to_serve(
        env,
        vault=choices.vault,
        entity=choices.entity,
        context=choices.context,
        alone=choices.alone,
        any_context=True,
    ).view()
    context = view.contexts.current()
    identity = Identity(
        folder=str(view.root),
        entity=view.actor,
        context=context.id if context else None,
        alone=choices.alone,
        track=not choices.no_track,
    )
    if env.at_terminal:
        session.say(f"serving {view.root} as {view.actor} on standard input and output; Ctrl-C ends it")
    stdio.serve(Server(env, identity, Rules(read_only=read_only, commit=commit), tools.CHOICES[offered]))
