"""Anthropic's memory tool: `view`, `create`, `str_replace`, `insert`, `delete`, `rename` on files below `/memories`.

A file is a memory's text. Memories that the tool created or renamed carry their path there as an alias; others are at
their path in the vault. External ones always are, since an alias is among what they say themselves; their lines are
framed as a quotation. Deleting archives. Results and errors are worded as the tool's documentation says:
https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from memstore.core.errors import MemstoreError
from memstore.core.keys import EXTERNAL
from memstore.core.quotation import END, MARGIN, quoted_lines
from memstore.face.given import opened
from memstore.lineage.descent import note_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.catalog import Entry
    from memstore.face.vault import Vault

ROOT = "/memories"
_MOST_LINES = 999_999
_SNIPPET = 2  # lines before and after a change
_LEVELS = 2


_PARAMETERS: Mapping[str, Mapping[str, type]] = {
    "view": {"path": str, "view_range": list},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}
_MAY_BE_LEFT_OUT = frozenset({"view_range", "new_str"})


class ToolText(NamedTuple):
    """What a command answers: the content of a tool result, and its `is_error`."""

    text: str
    is_error: bool = False


class _CommandError(Exception):
    """A command that can't be done; its text is for the model."""


class MemoryTool:
    """The tool, for whoever sends requests to the API themselves; `sdk_tool` returns it for the SDK's tool runner.

        tool = MemoryTool(memstore.open_vault("~/notes", entity="si:ash"))
        answer = tool.execute({"command": "view", "path": "/memories"})

    Args:
        vault: the vault, opened as the entity whose memories these are.
        commit: commit each change.
    """

    PARAM: Mapping[str, str] = {"type": "memory_20250818", "name": "memory"}

    def __init__(self, vault: Vault, *, commit: bool = False) -> None:
        self._vault, self._commit = opened(vault).signing(), commit
        self._commands: Mapping[str, Callable[..., str]] = {name: getattr(self, name) for name in _PARAMETERS}

    def execute(self, command: Mapping[str, Any]) -> ToolText:
        """Return the answer to a command, which is the `input` of a tool use."""
        given = {name: value for name, value in command.items() if name != "command" and value is not None}
        name = str(command.get("command"))
        kinds = _PARAMETERS.get(name)
        if kinds is None:
            return ToolText(f"Error: Unknown command: {name}", is_error=True)
        for key in {**kinds, **given}:
            is_left_out = key not in given and key in _MAY_BE_LEFT_OUT
            if not is_left_out and (key not in kinds or not isinstance(given.get(key), kinds[key])):
                return ToolText(f"Error: The parameter `{key}` of {name} is missing or invalid", is_error=True)
        try:
            return ToolText(self._commands[name](**given))
        except _CommandError as error:
            return ToolText(str(error), is_error=True)
        except MemstoreError as error:
            return ToolText(f"Error: {error}", is_error=True)

    # -- the commands ----------------------------------------------------------------------------------

    def view(self, path: str, view_range: list[int] | None = None) -> str:
        """Return a file's lines with their numbers, or what is in a folder."""
        where, files = _checked(path), self._files()
        if where in files:
            if len(self._lines(files[where])) > _MOST_LINES:
                raise _CommandError(f"File {path} exceeds maximum line limit of 999,999 lines.")
            first, last = view_range if view_range and len(view_range) == 2 else (1, -1)  # noqa: PLR2004
            shown = self._numbered(files[where], max(1, first), last)
            return f"Here's the content of {path} with line numbers:\n{shown}"
        below = [name for name in files if name.startswith(f"{where}/")]
        if not below and where != ROOT:
            raise _CommandError(f"The path {path} does not exist. Please provide a valid path.")
        listed: dict[str, str] = {}
        for name in sorted(below):
            parts = name.removeprefix(f"{where}/").split("/")
            if any(part.startswith(".") or part == "node_modules" for part in parts):
                continue
            for depth in range(1, min(len(parts), _LEVELS) + 1):
                place = "/".join((where, *parts[:depth]))
                listed[place] = _size(self._text(files[name])) if depth == len(parts) else _FOLDER_SIZE
        header = (
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
        )
        rows = (f"{size}\t{place}" for place, size in {where: _FOLDER_SIZE, **listed}.items())
        return "\n".join((header, *rows))

    def create(self, path: str, file_text: str) -> str:
        """Write a new memory; one that is there already is an error."""
        where, files = _checked(path), self._files()
        if where in files or self._is_folder(where, files):
            raise _CommandError(f"Error: File {path} already exists")
        self._vault.add(file_text, aliases=[where], commit=self._commit)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Replace the one occurrence of a text."""
        entry = self._file(path, f"Error: The path {path} does not exist. Please provide a valid path.")
        text = self._text(entry)
        found = _places(text, old_str)
        if not found:
            raise _CommandError(f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")
        if len(found) > 1:
            lines = ", ".join(str(text.count("\n", 0, at) + 1) for at in found)
            raise _CommandError(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}. "
                "Please ensure it is unique"
            )
        self._write(entry, text[: found[0]] + new_str + text[found[0] + len(old_str) :])
        line = text.count("\n", 0, found[0])
        shown = self._numbered(entry, max(0, line - _SNIPPET) + 1, line + new_str.count("\n") + _SNIPPET + 1)
        return f"The memory file has been edited.\n{shown}"

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert a text behind a line; 0 is the beginning."""
        entry = self._file(path, f"Error: The path {path} does not exist")
        lines = self._lines(entry)
        if not 0 <= insert_line <= len(lines):
            raise _CommandError(
                f"Error: Invalid `insert_line` parameter: {insert_line}. It should be within the range of lines of the "
                f"file: [0, {len(lines)}]"
            )
        lines[insert_line:insert_line] = insert_text.removesuffix("\n").split("\n")
        self._write(entry, "\n".join(lines))
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Archive a memory, or all in a folder; nothing is lost, and `memstore archive --restore` brings it back."""
        entries = self._all_of(path, f"Error: The path {path} does not exist")
        self._vault.archive([*entries.values()], commit=self._commit)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Give a file or a folder another path; nothing is ever overwritten."""
        old, new, files = _checked(old_path), _checked(new_path), self._files()
        entries = self._all_of(old_path, f"Error: The path {old_path} does not exist")
        if new in files or self._is_folder(new, files) or new.startswith(f"{old}/"):
            raise _CommandError(f"Error: The destination {new_path} already exists")
        for place, entry in entries.items():
            if entry.source_type == EXTERNAL:
                raise _CommandError(f"Error: {place} is from outside, so it keeps its path")
        renamed = {
            entry: [*(name for name in entry.aliases if name != place), new + place.removeprefix(old)]
            for place, entry in entries.items()
        }
        for dry_run in (True, False):  # all of them, or none
            for entry, aliases in renamed.items():
                self._vault.set(entry.id, aliases=aliases, dry_run=dry_run, commit=self._commit and not dry_run)
        return f"Successfully renamed {old_path} to {new_path}"

    # -- files -----------------------------------------------------------------------------------------

    def _files(self) -> dict[str, Entry]:
        """Return the memories that may be seen, by their path for the tool."""
        files: dict[str, Entry] = {}
        for entry in sorted(self._vault.list(), key=lambda one: (not _alias(one), one.path)):
            files.setdefault(_alias(entry) or f"{ROOT}/{entry.path}", entry)
        return files

    def _is_folder(self, where: str, files: Mapping[str, Entry]) -> bool:
        return where == ROOT or any(name.startswith(f"{where}/") for name in files)

    def _file(self, path: str, problem: str) -> Entry:
        found = self._files().get(_checked(path))
        if found is None:
            raise _CommandError(problem)
        return found

    def _all_of(self, path: str, problem: str) -> dict[str, Entry]:
        """Return the memory at a path, or those in a folder, by their paths."""
        where, files = _checked(path), self._files()
        if where == ROOT:
            raise _CommandError(f"Error: The directory {ROOT} itself can't be deleted or renamed")
        found = {name: entry for name, entry in files.items() if name == where or name.startswith(f"{where}/")}
        if not found:
            raise _CommandError(problem)
        return found

    def _text(self, entry: Entry) -> str:
        file = self._vault.view().read(entry.path)
        return "" if file is None else file.memory.body.strip("\n")

    def _lines(self, entry: Entry) -> list[str]:
        return self._text(entry).split("\n")

    def _numbered(self, entry: Entry, first: int, last: int) -> str:
        """Return lines with their numbers, for an agent to read: from one to another, or to the end with -1."""
        view = self._vault.view()
        note_shown(view, [entry.ref])
        file = view.read(entry.path)
        outside = None if file is None else view.external(file.memory)
        lines = self._lines(entry)
        shown = lines[first - 1 : len(lines) if last == -1 else last]
        rows = [f"{number:>6}\t{_margin(line) if outside else line}" for number, line in enumerate(shown, first)]
        return "\n".join((outside.opening, *rows, END) if outside else rows)

    def _write(self, entry: Entry, text: str) -> None:
        self._vault.edit(entry.id or entry.path, text, commit=self._commit)


def sdk_tool(vault: Vault, *, commit: bool = False) -> Any:
    """Return the tool for `client.beta.messages.tool_runner(tools=[…])` of the package `anthropic`.

    Raises:
        ModuleNotFoundError: the package is not installed.
    """
    from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError

    tool = MemoryTool(vault, commit=commit)

    class VaultMemoryTool(BetaAbstractMemoryTool):
        """The memory tool on a vault."""

        def _answer(self, command: Any) -> str:
            answer = tool.execute(command.to_dict())
            if answer.is_error:
                raise ToolError(answer.text)
            return answer.text

        view = create = str_replace = insert = delete = rename = _answer

    return VaultMemoryTool()


def _alias(entry: Entry) -> str:
    names = () if entry.source_type == EXTERNAL else entry.aliases
    return next((name for name in names if name.startswith(f"{ROOT}/")), "")


def _checked(path: str) -> str:
    """Return a path without a slash at its end; raise `_CommandError` for one that leads out of `/memories`."""
    if not isinstance(path, str) or (path.rstrip("/") != ROOT and not path.startswith(f"{ROOT}/")):
        raise _CommandError(f"Error: Path must start with {ROOT}, got: {path}")
    where = path.rstrip("/")
    plain = unquote(unquote(where))
    parts = plain.replace("\\", "/").split("/")[1:]
    if not plain.isprintable() or any(part in {"", ".", ".."} for part in parts):
        raise _CommandError(f"Error: Path {path} would escape {ROOT} directory")
    return where


def _places(text: str, part: str) -> list[int]:
    """Return where a part begins in a text, each time it is there."""
    found, at = [], text.find(part) if part else -1
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1)
    return found


def _margin(line: str) -> str:
    """Return a line of a quotation; what else ends a line in it begins one without a number."""
    return f"\n{'':6}\t".join(quoted_lines(line)) or MARGIN.rstrip()


_FOLDER_SIZE = "4.0K"


def _size(text: str) -> str:
    """Return a size as `du -h` would write it."""
    size = len(text.encode())
    if size < 1024:  # noqa: PLR2004
        return f"{size}B"
    return f"{size / 1024:.1f}K" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f}M"
