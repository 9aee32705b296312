"""The agents' programs that memstore can be set up in: their settings files, their hooks, and where skills lie.

Everything here is as the programs document it; what one does not document is not installed. docs/agents.md names the
pages.
"""

from __future__ import annotations

import re
import shlex
import sys
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The name of the server in every program's list, and of the folder of the skill.
NAME = "memstore"
SKILL = "SKILL.md"


class HookCall(Enum):
    """What a hook calls, as it ends the command line."""

    RECALL = ("recall", "--hook")
    CAPTURE = ("raw", "--hook")
    CONSOLIDATE = ("beliefs", "consolidate", "--apply", "--if-due", "--quiet")


class HookEvent(NamedTuple):
    """An event of a program, what is called at it, and how many seconds it may take."""

    name: str
    call: HookCall
    seconds: int
    in_background: bool = False


class Host(NamedTuple):
    """A program.

    Args:
        title: its name, as it calls itself.
        folder: its folder of settings, from the home folder; `variable` may name another one.
        servers: the settings file that lists MCP servers, from the home folder, and the keys that lead to the list.
        also: another name that this file may have; it is kept to, where there is such a file.
        newer_at: the keys that lead to the list in files of a newer form, which are kept to that.
        hooks: the settings file of its hooks, likewise; None if it has no hooks that are commands.
        events: the hooks that are installed.
        skills: the folder of skills, from the home folder.
        notes: what whoever installs has to know.
        expands: what it would replace in a settings file by an environment variable; None if it replaces nothing.
    """

    title: str
    folder: str
    servers: str
    servers_at: tuple[str, ...]
    skills: str
    also: str | None = None
    newer_at: tuple[str, ...] = ()
    hooks: str | None = None
    events: tuple[HookEvent, ...] = ()
    is_flat: bool = False  # the commands of an event are listed without a matcher around them
    milliseconds: bool = False  # timeouts are given in milliseconds
    new_hooks: Mapping[str, Any] = MappingProxyType({})  # what a new file of hooks has besides
    entry: Mapping[str, Any] = MappingProxyType({})  # what the entry of a server has besides
    is_one_list: bool = False  # the entry of a server has program and arguments in one list
    variable: str | None = None
    notes: tuple[str, ...] = ()
    expands: re.Pattern[str] | None = None


# Gemini CLI (`resolveEnvVarsInString`) has no escape for a dollar sign, and Claude Code and Cursor document none.
_BRACED = re.compile(r"\$\{")
_BRACED_OR_BARE = re.compile(r"\$[\w{]")
_ENV_OR_FILE = re.compile(r"\{(?:env|file):")
# VS Code keeps its settings elsewhere on a Mac, and Zed obeys XDG_CONFIG_HOME on Linux only.
_IS_MAC = sys.platform == "darwin"
_OF_VSCODE = "Library/Application Support" if _IS_MAC else ".config"
_XDG = None if _IS_MAC else "XDG_CONFIG_HOME"
_NO_HOOKS = "No hooks are installed, so the agent recalls and writes down only by the tools of the server"
_CLAUDE_EVENTS = (
    HookEvent("SessionStart", HookCall.RECALL, 30),
    HookEvent("SessionStart", HookCall.CONSOLIDATE, 300, in_background=True),
    HookEvent("UserPromptSubmit", HookCall.RECALL, 30),
    HookEvent("PreCompact", HookCall.CAPTURE, 60),
    HookEvent("PostCompact", HookCall.CAPTURE, 60),
    HookEvent("SessionEnd", HookCall.CAPTURE, 60),
)

HOSTS: Mapping[str, Host] = MappingProxyType(
    {
        "claude-code": Host(
            title="Claude Code",
            folder=".claude",
            servers=".claude.json",
            servers_at=("mcpServers",),
            skills=".claude/skills",
            hooks=".claude/settings.json",
            events=_CLAUDE_EVENTS,
            entry={"type": "stdio"},
            variable="CLAUDE_CONFIG_DIR",
            expands=_BRACED,
        ),
        "codex": Host(
            title="Codex",
            folder=".codex",
            servers=".codex/config.toml",
            servers_at=("mcp_servers",),
            skills=".agents/skills",
            hooks=".codex/hooks.json",
            # The end of a session may take at most 3 seconds there.
            events=tuple(one._replace(seconds=3) if one.name == "SessionEnd" else one for one in _CLAUDE_EVENTS),
            variable="CODEX_HOME",
            notes=("Codex runs a new hook only after you have reviewed it: type /hooks in it",),
        ),
        "gemini": Host(
            title="Gemini CLI",
            folder=".gemini",
            servers=".gemini/settings.json",
            servers_at=("mcpServers",),
            skills=".gemini/skills",
            hooks=".gemini/settings.json",
            events=(
                HookEvent("SessionStart", HookCall.RECALL, 30),
                HookEvent("BeforeAgent", HookCall.RECALL, 30),
                HookEvent("PreCompress", HookCall.CAPTURE, 60),
                HookEvent("SessionEnd", HookCall.CAPTURE, 60),
                HookEvent("SessionEnd", HookCall.CONSOLIDATE, 300),
            ),
            milliseconds=True,
            expands=_BRACED_OR_BARE,
            notes=("Gemini CLI starts servers only in folders that you have trusted in it",),
        ),
        "cursor": Host(
            title="Cursor",
            folder=".cursor",
            servers=".cursor/mcp.json",
            servers_at=("mcpServers",),
            skills=".cursor/skills",
            hooks=".cursor/hooks.json",
            events=(
                HookEvent("sessionStart", HookCall.RECALL, 30),
                HookEvent("preCompact", HookCall.CAPTURE, 60),
                HookEvent("sessionEnd", HookCall.CAPTURE, 60),
                HookEvent("sessionEnd", HookCall.CONSOLIDATE, 300),
            ),
            is_flat=True,
            new_hooks={"version": 1},
            expands=_BRACED,
            notes=("Cursor's prompt hook can only allow or block, so nothing is recalled at each prompt",),
        ),
        "openclaw": Host(
            title="OpenClaw",
            folder=".openclaw",
            servers=".openclaw/openclaw.json",
            servers_at=("mcp", "servers"),
            skills=".openclaw/skills",
            expands=_BRACED,
            notes=("OpenClaw's hooks are modules of its own and no commands, so none are installed",),
        ),
        "vscode": Host(
            title="VS Code",
            folder=_OF_VSCODE,
            servers=f"{_OF_VSCODE}/Code/User/mcp.json",
            servers_at=("servers",),
            skills=".copilot/skills",
            entry={"type": "stdio"},
            variable=_XDG,
            expands=_BRACED,
            notes=(f"VS Code asks whether you trust the server when it starts first. {_NO_HOOKS}",),
        ),
        "copilot": Host(
            title="GitHub Copilot CLI",
            folder=".copilot",
            servers=".copilot/mcp-config.json",
            servers_at=("mcpServers",),
            skills=".copilot/skills",
            entry={"type": "local", "tools": ["*"]},
            variable="COPILOT_HOME",
            expands=_BRACED_OR_BARE,
            notes=(_NO_HOOKS,),
        ),
        "zed": Host(
            title="Zed",
            folder=".config",
            servers=".config/zed/settings.json",
            servers_at=("context_servers",),
            skills=".agents/skills",
            variable=_XDG,
            notes=(_NO_HOOKS,),
        ),
        "windsurf": Host(
            title="Windsurf",
            folder=".codeium/windsurf",
            servers=".codeium/windsurf/mcp_config.json",
            servers_at=("mcpServers",),
            skills=".codeium/windsurf/skills",
            expands=_BRACED,
            notes=(_NO_HOOKS,),
        ),
        "opencode": Host(
            title="OpenCode",
            folder=".config",
            servers=".config/opencode/opencode.json",
            also=".config/opencode/opencode.jsonc",
            # Version 2 reads what version 1 wrote, but not the other way round.
            servers_at=("mcp",),
            newer_at=("mcp", "servers"),
            skills=".config/opencode/skills",
            entry={"type": "local"},
            is_one_list=True,
            variable="XDG_CONFIG_HOME",
            expands=_ENV_OR_FILE,
            notes=("OpenCode's hooks are plugins of its own and no commands, so none are installed",),
        ),
    }
)


class PinnedCommand(NamedTuple):
    """What an installed command line says: the program, and the words before the command."""

    program: str
    words: tuple[str, ...]

    def value(self, option: str) -> str | None:
        """Return what an option is given, if it is there and takes something."""
        after = self.words[self.words.index(option) + 1 :] if option in self.words else ()
        return after[0] if after else None

    def server(self, host: Host) -> dict[str, Any]:
        """Return the entry of the server in a host's list."""
        args = [*self.words, "mcp"]
        if host.is_one_list:
            return {**host.entry, "command": [self.program, *args]}
        return {**host.entry, "command": self.program, "args": args}

    def line(self, call: HookCall) -> str:
        """Return the command line of a hook, for a shell."""
        line = shlex.join([self.program, *self.words, *call.value])
        # It prints for people, and what a hook prints is read by the agent.
        return f"{line} >/dev/null 2>&1 || :" if call is HookCall.CONSOLIDATE else line


def wanted_hooks(host: Host, pinned: PinnedCommand) -> dict[str, list[dict[str, Any]]]:
    """Return the hooks to install, by event, as the host writes them."""
    wanted: dict[str, list[dict[str, Any]]] = {}
    for event in host.events:
        timeout = event.seconds * 1000 if host.milliseconds else event.seconds
        command = {"type": "command", "command": pinned.line(event.call), "timeout": timeout}
        if event.in_background:
            command["async"] = True
        if host.is_flat:
            del command["type"]
        wanted.setdefault(event.name, []).append(command if host.is_flat else {"hooks": [command]})
    return wanted


def pinned_in(entry: object) -> PinnedCommand | None:
    """Return what the entry of a server pins, if it is one that was installed."""
    if not isinstance(entry, dict):
        return None
    command, args = entry.get("command"), entry.get("args", [])
    words = [*(command if isinstance(command, list) else [command]), *(args if isinstance(args, list) else [])]
    if words[-1:] != ["mcp"] or not _is_pinned(words) or not all(isinstance(word, str) for word in words):
        return None
    return PinnedCommand(words[0], tuple(words[1:-1]))


def is_our_hook(entry: object) -> bool:
    """Return whether a hook is one that was installed: all that it calls is memstore, pinned, and a hook's call."""
    commands = entry.get("hooks", [entry]) if isinstance(entry, dict) else None
    return isinstance(commands, list) and bool(commands) and all(map(_is_our_command, commands))


def _is_our_command(entry: object) -> bool:
    line = entry.get("command") if isinstance(entry, dict) else None
    if not isinstance(line, str):
        return False
    try:
        words = shlex.split(line.partition(" >")[0])
    except ValueError:
        return False
    return _is_pinned(words) and any(tuple(words[-len(call) :]) == call for call in _CALLS)


# Those of today, and what earlier versions called.
_CALLS = (*(call.value for call in HookCall), HookCall.CONSOLIDATE.value[1:])


def _is_pinned(words: Sequence[object]) -> bool:
    program = words[0] if words else None
    return isinstance(program, str) and program.startswith("/") and program.endswith(f"/{NAME}") and "--vault" in words
