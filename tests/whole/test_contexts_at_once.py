"""Two agents in one vault, each in a context of its own, at once: neither ever sees the other's."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING
from unittest.mock import patch

from memstore.access.contexts import enter_context, leave_context, present_context
from memstore.files.local_state import Environment
from memstore.vault import composition
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.vault.workspace import Workspace

AGENTS = ("si:ash", "si:claire")
CONTEXTS = ("ctx:school", "ctx:dog_park", "ctx:bella_care")
COMMANDS = 1_000


def test_contexts_of_two_agents_never_mix(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.init()

    def opened(agent: str, session: str) -> Workspace:
        """Return the vault as a new process of the agent opens it."""
        with patch.dict(os.environ, program.environment | {"MEMSTORE_SESSION": session}, clear=True):
            return composition.open_workspace(Environment.of_process(), vault=str(program.vault), entity=agent)

    chance = random.Random(6)  # noqa: S311 - a fixed order
    active: dict[tuple[str, str], str | None] = {}
    for _ in range(COMMANDS):
        who = chance.choice(AGENTS), chance.choice(["", "2"])
        ws, draw = opened(*who), chance.random()
        if draw < 0.1:
            active[who] = chance.choice(CONTEXTS)
            enter_context(ws.view(), str(active[who]))
        elif draw < 0.15:
            assert leave_context(ws.view()) == active.get(who)
            active[who] = None
        else:
            shown = present_context(ws.view()).context
            assert (shown and shown.id) == active.get(who)
