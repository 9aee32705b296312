"""The text editors that the language server can be set up in: which file, and what is to be in it.

Everything here is as the editors, and the extension that VS Code needs, document it; docs/editors.md has the rest.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memstore.agents.hosts import HOSTS, NAME
from memstore.agents.settings import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class TextEditor(NamedTuple):
    """A text editor.

    Args:
        title: its name, as it calls itself.
        file: the file that is written, from the home folder.
        wanted: returns what that file is to hold, by the command line of the server.
        folder: its folder of settings, from the home folder; `variable` may name another one.
        notes: what whoever installs has to know.
    """

    title: str
    file: str
    wanted: Callable[[Sequence[str]], Wanted]
    folder: str = ".config"
    variable: str | None = "XDG_CONFIG_HOME"
    notes: tuple[str, ...] = ()


def _neovim(command: Sequence[str]) -> Wanted:
    words = json.dumps(command, ensure_ascii=False).strip("[]")
    return Wanted(text=_LUA.replace("COMMAND", words))


# Since 0.11, Neovim starts a server by itself for a kind of file. What an act has written is read again at once.
_LUA = """\
-- Written by `memstore lsp install nvim`; `memstore lsp uninstall nvim` removes it.
local client
local config = {
  name = "memstore",
  cmd = { COMMAND },
  filetypes = { "markdown" },
  handlers = {
    ["window/showMessage"] = function(...)
      vim.cmd("checktime")
      return vim.lsp.handlers["window/showMessage"](...)
    end,
  },
  on_exit = function() client = nil end,
}
if vim.lsp.enable then
  vim.lsp.config("memstore", config)
  vim.lsp.enable("memstore")
else
  vim.api.nvim_create_autocmd("FileType", {
    pattern = config.filetypes,
    callback = function(event)
      client = client or vim.lsp.start_client(config)
      vim.lsp.buf_attach_client(event.buf, client)
    end,
  })
end
"""


def _helix(command: Sequence[str]) -> Wanted:
    program, *args = map(_toml_text, command or [""])
    return Wanted(text=_TOML.replace("PROGRAM", program).replace("ARGS", ", ".join(args)))


# What is not listed for a language doesn't run, so the servers that Helix has for it by default are listed, too.
_TOML = """\
[language-server.memstore]
command = PROGRAM
args = [ARGS]

[[language]]
name = "markdown"
language-servers = ["memstore", "marksman", "markdown-oxide"]
"""


def _toml_text(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)


def _vscode(command: Sequence[str]) -> Wanted:
    program, *args = command or [""]
    members = {"command": program, "commandArguments": args, "languageId": ["markdown"]}
    return Wanted(members={f"glspc.server.{key}": value for key, value in members.items()})


_VSCODE = HOSTS["vscode"]

EDITORS: Mapping[str, TextEditor] = MappingProxyType(
    {
        "nvim": TextEditor("Neovim", f".config/nvim/plugin/{NAME}.lua", _neovim),
        "helix": TextEditor("Helix", ".config/helix/languages.toml", _helix),
        "vscode": TextEditor(
            "VS Code",
            f"{_VSCODE.folder}/Code/User/settings.json",
            _vscode,
            folder=_VSCODE.folder,
            variable=_VSCODE.variable,
            notes=(
                "VS Code starts servers only by an extension: these are settings of zsol.vscode-glspc, which is needed",
            ),
        ),
    }
)
# Editors that can't be told to start a server by a file, and why.
NOT_BY_FILE: Mapping[str, str] = MappingProxyType(
    {"zed": "Zed starts a language server only for an extension that was made for it, and there is none for memstore"}
)
