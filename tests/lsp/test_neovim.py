"""Neovim drives the installed `memstore lsp`: it types, mends, points, completes and renames."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.installed import at_home
from tests.lsp.test_scenes import FILES, KETTLE, TEA, vault

if TYPE_CHECKING:
    from pathlib import Path

SCENES = r"""
local said = {}
local function codes()
  return vim.tbl_map(function(one) return one.code end, vim.diagnostic.get(0))
end
local function wait(code)
  vim.wait(20000, function() return vim.tbl_contains(codes(), code) and #codes() == 1 end, 20)
end
local function ask(method, params)
  for _, one in pairs(vim.lsp.buf_request_sync(0, method, params, 20000) or {}) do
    if one.result then return one.result end
  end
end
vim.cmd("edit kettle.md")
local id = vim.lsp.start_client({
  name = "memstore", cmd = { "memstore", "--as", "human:sean", "lsp" }, root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(0, id)
wait("link-dangling")
said.opened = codes()
vim.api.nvim_buf_set_lines(0, 3, 3, false, { "status: activ" })
wait("value-choice")
said.typed = codes()
vim.api.nvim_win_set_cursor(0, { 4, 9 })
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
for _, action in ipairs(ask("textDocument/codeAction", params)) do
  if action.kind == "quickfix" then vim.lsp.util.apply_workspace_edit(action.edit, "utf-16") end
end
wait("link-dangling")
said.mended = vim.api.nvim_buf_get_lines(0, 3, 4, false)[1]
vim.api.nvim_win_set_cursor(0, { 11, 18 })
local here = vim.lsp.util.make_position_params()
said.hover = ask("textDocument/hover", here).contents.value
said.completed = vim.tbl_map(function(one) return one.label end, ask("textDocument/completion", here).items)
vim.lsp.util.jump_to_location(ask("textDocument/definition", here), "utf-16")
said.went = vim.fn.expand("%:t")
vim.cmd("buffer kettle.md")
here = vim.lsp.util.make_position_params()
here.newName = "pot"
here.position = { line = 0, character = 0 }
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", here), "utf-16")
vim.cmd("silent wall")
said.renamed = vim.fn.expand("%:t")
vim.fn.writefile({ vim.fn.json_encode(said) }, "said.json")
vim.lsp.stop_client(id)
vim.cmd("qa!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_types_mends_points_completes_and_renames(tmp_path: Path) -> None:
    folder = vault(tmp_path / "vault", FILES)
    (tmp_path / "scenes.lua").write_text(SCENES)
    words = ["nvim", "--headless", "-u", "NONE", "-n", "-c", f"luafile {tmp_path / 'scenes.lua'}"]
    subprocess.run(words, cwd=folder, env=at_home(tmp_path), check=True, capture_output=True, timeout=120)
    said = json.loads((folder / "said.json").read_text())
    assert said.pop("hover").startswith("**Tea is hot**")
    assert said == {
        "opened": ["link-dangling"],
        "typed": ["value-choice"],
        "mended": "status: active",
        "completed": ["Tea is hot"],
        "went": "tea.md",
        "renamed": "pot.md",
    }
    assert not (folder / "kettle.md").exists()
    assert (folder / "pot.md").read_text() == KETTLE.replace("title:", "status: active\ntitle:")
    assert (folder / "tea.md").read_text() == TEA.replace("[[kettle#", "[[pot#")
    assert (folder / "folder/milk.md").read_text() == FILES["folder/milk.md"].replace("kettle", "pot")
