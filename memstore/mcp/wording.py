"""Advice in the words of tools: a hint that names a command and its options names the tool and its arguments.

An agent can't run `memstore show note:m_1`, but it can call `memory_get` with `ref=note:m_1`. What only a person can do
stays a command, and the advice says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from memstore.cli.commands import COMMANDS
from memstore.mcp import tools

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.mcp.tools import Tool, Verb

# A command in advice: its words, which begin the line or follow a blank or a bracket.
_COMMAND = re.compile(r"(?<![^\s(`'\"])memstore ((?:[a-z]+(?:-[a-z]+)*)(?: [a-z]+(?:-[a-z]+)*)?)")
# What follows a command and is one of its arguments, not a word of the sentence: a ref, a path, an entity, KEY=VALUE, a
# quoted text, or a place holder like REF.
_VALUE = re.compile(
    r""" ("[^"]*"|'[^']*'|[A-Z]{2,}[…|A-Z]*|[A-Z]…|[^\s;,]*[:/._=*][^\s;,]*[^\s;,:.)]|'?\*'?)(?=[\s;,:.)]|$)"""
)
_OPTION = re.compile(r" (--?[a-z][a-z-]*)")
_WORD = re.compile(r"[ =]([^\s;,)]*[^\s;,:.)])")
_BARE = re.compile(r"(?<![^\s(])(--[a-z][a-z-]*)")
_TELL_PERSON = "a command is for a person to run"

_ADVICE = ("hint", "fix", "command")
# Their documents have keys of people's own beside those of memstore; these of memstore have advice.
_WITH_KEYS_OF_PEOPLE = frozenset({"memstore.show/1", "memstore.diff/1", "memstore.log/1"})
_PARTS_WITH_ADVICE = ("conflicts", "findings", "trust")


class Wording(NamedTuple):
    """The words for advice to an agent that is offered these tools, and has called `verb` of `called`."""

    offered: Sequence[Tool]
    called: Tool
    verb: Verb

    def told(self, advice: str) -> str:
        """Return advice with tools for commands and arguments for options."""
        said, at, is_for_person = list[str](), 0, False
        for found in _COMMAND.finditer(advice):
            if found.start() < at or found[1].split()[0] not in COMMANDS:
                continue
            call = self._call(advice, found)
            said.append(self._options(advice[at : found.start()]))
            if call is None:
                is_for_person, at = True, found.end()
                said.append(advice[found.start() : at])
            else:
                said.append(call.text)
                at = call.end
        said.append(self._options(advice[at:]))
        return "".join(said) + (f" ({_TELL_PERSON})" if is_for_person else "")

    def document(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a document with its advice in the words of tools."""
        if document.get("schema") in _WITH_KEYS_OF_PEOPLE:
            return {key: self._advised(part) if key in _PARTS_WITH_ADVICE else part for key, part in document.items()}
        return {key: self._advised_at(key, part) for key, part in document.items()}

    def named(self, error: click.UsageError) -> None:
        """Let an error about an option of the command name the tool's argument instead, and what the tool takes."""
        param = getattr(error, "param", None)
        name = None if param is None else self._argument(self.verb, param)
        if name is not None:
            vars(error)["param_hint"] = f"`{name}`"
        takes = ", ".join(self.verb.arguments)
        vars(error)["hint"] = f"{tools.called(self.called, self.verb)} takes {takes}"

    # -- one call -------------------------------------------------------------------------------------

    def _call(self, advice: str, found: re.Match[str]) -> _Call | None:
        """Return the call of the tool that runs a command in advice; None if no tool here does what it does."""
        words = found[1].split()
        for count in range(len(words), 0, -1):
            command = " ".join(words[:count])
            end = found.start(1) + len(command)
            calls = [
                call
                for tool in self.offered
                for verb in tool.verbs.values()
                if verb.command == command and (call := _call_of(tool, verb, advice, end)) is not None
            ]
            if calls:
                return max(calls, key=lambda call: call.fixed)  # the first of several
        return None

    def _options(self, text: str) -> str:
        """Return words between commands: an option of the command that was called is named as the tool's argument."""

        def argument(found: re.Match[str]) -> str:
            param = _option(self.verb, found[1])
            name = None if param is None else self._argument(self.verb, param)
            return found[1] if name is None else f"`{name}`"

        return _BARE.sub(argument, text)

    @staticmethod
    def _argument(verb: Verb, param: click.Parameter) -> str | None:
        return next((name for name, one in tools.params_of(verb).items() if one.name == param.name), None)

    def _advised(self, value: Any) -> Any:
        match value:
            case dict():
                return {key: self._advised_at(key, part) for key, part in value.items()}
            case list():
                return [self._advised(part) for part in value]
            case _:
                return value

    def _advised_at(self, key: str, value: Any) -> Any:
        return self.told(value) if key in _ADVICE and isinstance(value, str) else self._advised(value)


class _Call(NamedTuple):
    """A call in advice: its text, where the command ended, and how many of the tool's fixed options it had."""

    text: str
    end: int
    fixed: int


def _option(verb: Verb, name: str) -> click.Parameter | None:
    """Return a parameter of a verb's command by an option's name."""
    own = tools.context_of(verb.command).command.params
    return next((param for param in own if isinstance(param, click.Option) and name in param.opts), None)


def _call_of(tool: Tool, verb: Verb, advice: str, at: int) -> _Call | None:
    """Return the call that a command in advice means, whose words go on at `at`; None if the verb lacks an option."""
    params = tools.params_of(verb)
    places = [name for name, param in params.items() if isinstance(param, click.Argument)]
    given: dict[str, list[str]] = {}
    fixed = 0
    while True:
        if option := _OPTION.match(advice, at):
            param = _option(verb, option[1])
            name = next((name for name, one in params.items() if param is not None and one.name == param.name), None)
            if name is None and option[1] not in verb.fixed:
                return None
            at = option.end()
            if name is None:
                fixed += 1
            elif isinstance(param, click.Option) and param.is_flag:
                given[name] = ["true"]
            elif value := _WORD.match(advice, at):
                given.setdefault(name, []).append(value[1])
                at = value.end()
                while param is not None and param.multiple and (more := _VALUE.match(advice, at)):
                    given[name].append(more[1])
                    at = more.end()
        elif value := _VALUE.match(advice, at):
            name = next((one for one in places if one not in given or params[one].nargs != 1), None)
            if name is None:
                break
            given.setdefault(name, []).append(value[1])
            at = value.end()
        else:
            break
    action = [] if len(tool.verbs) == 1 else [f"action={_action(tool, verb)}"]
    words = [f"{name}={' '.join(values)}" for name, values in given.items()]
    return _Call(" ".join((tool.name, *action, *words)), at, fixed)


def _action(tool: Tool, verb: Verb) -> str:
    return next(name for name, one in tool.verbs.items() if one == verb)
