"""Draws docs/terminal.svg and docs/editor.svg: a search and a list at a terminal, and a memory in Neovim.

`python -m tests.docs.picture` draws them anew; a test fails while they aren't what the programs show.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from memstore.core.columns import columns
from tests.installed import MEMSTORE, ROOT, at_home
from tests.lsp.real_editors import Neovim, neovims
from tests.lsp.test_scenes import vault
from tests.terminal import at_a_terminal

PICTURE, EDITOR = ROOT / "docs" / "terminal.svg", ROOT / "docs" / "editor.svg"
COLUMNS = 80
# The notes that the README begins with, as somebody may have kept them for years.
NOTES = {
    "flat.md": (
        "---\ndate: 2026-03-02\n---\n# The flat in Pier Street\n\n"
        "The deposit is due on the first of June, by bank transfer. Mrs Aydin keeps the keys.\n\n"
        "- rent 1180, heating included\n- the cellar is number 7\n"
    ),
    "people/Mrs Aydin.md": (
        "---\ndate: 2026-02-27\n---\nOwns the house. Wants the rent on the third, and the deposit back in the old "
        "account. See [[The flat in Pier Street]].\n"
    ),
    "kitchen/Sourdough.md": (
        "---\ndate: 2025-11-09\n---\n# Sourdough\n\nFeed the starter the evening before; 72 % water.\n"
    ),
    "kitchen/Green tea.md": (
        "---\ndate: 2025-10-30\n---\n# Green tea\n\nSencha wants seventy degrees, and a minute and a half.\n"
    ),
}
COMMANDS = (("search", "when is the deposit due?"), ("list",))
# A memory that is being written, and another that it contradicts.
MEMORIES = {
    "tea.md": "---\ntype: note\nid: m_gr33nt3a42\ntitle: Green tea\nsource: human:sam\n---\nSam likes green tea.\n",
    "breakfast.md": (
        "---\ntype: note\nid: m_br3akfa5t7\ntitle: Breakfast\nsource: human:sam\n"
        "acess_grants: [human:kim]\n---\nSam dislikes green tea.\nCoffee instead, from [[the moka pot]].\n"
    ),
}
EDITED = "a memory in Neovim, with what is found in it beside its lines"
_EDITED, _WIDE = "breakfast.md", 110
_STYLES = {"1": "title", "2": "dim", "35": "path", "32": "line", "1;31": "match", "36": "ref", "33": "warning"}
_WIDTH, _HEIGHT, _MARGIN = 8.43, 19, 16
_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" aria-label="{label}">
<style>
rect {{ fill: #1e2227 }}
text {{ fill: #d7dae0; white-space: pre }}
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }}
.title {{ font-weight: bold; fill: #fff }} .dim {{ fill: #8b929e }} .path {{ fill: #c792ea }} .line {{ fill: #98c379 }}
.match {{ font-weight: bold; fill: #ff7b72 }} .ref {{ fill: #56b6c2 }} .warning {{ fill: #e5c07b }}
</style>
<rect width="100%" height="100%" rx="8"/>
{lines}
</svg>
"""


def lay_out(folder: Path) -> None:
    """Write the notes."""
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def seen(home: Path) -> list[str]:
    """Return what a terminal shows of the commands, with its colours."""
    folder = home / "notes"
    lay_out(folder)
    environment = at_home(home) | {"TERM": "xterm-256color", "PAGER": "cat"}
    subprocess.run([MEMSTORE, "init", "--quiet"], cwd=folder, env=environment, check=True, capture_output=True)
    lines = []
    for words in COMMANDS:
        told = at_a_terminal(words, folder, environment, size=(200, COLUMNS)).text
        shown = [words[0], *(f'"{word}"' for word in words[1:])]
        lines += [f"~/notes $ memstore {' '.join(shown)}", *told.splitlines(), ""]
    return lines[:-1]


def edited(home: Path, program: str) -> list[str]:
    """Return what Neovim shows of a memory, with the colour of what is found in it."""
    folder = vault(home / "notes", MEMORIES)
    editor = Neovim(program, home)
    try:
        editor.run(f"vim.o.columns = {_WIDE} vim.o.lines = 13 vim.o.laststatus = 0 vim.o.ruler = false")
        editor.open(folder / _EDITED)
        editor.finds("link-dangling", "conflict", "key-unknown")
        rows: list[str] = editor.run(_SCREEN)
    finally:
        editor.close()
    shown = [row.rstrip() for row in rows if not row.startswith("~")]
    return [re.sub(r"■.*", "\x1b[33m\\g<0>\x1b[0m", row) for row in shown if row]


_SCREEN = """
vim.cmd("redraw!")
local rows = {}
for row = 1, vim.o.lines do
  local cells = {}
  for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
  rows[row] = table.concat(cells)
end
return rows
"""


def drawn(lines: list[str], label: str = "memstore search and memstore list in a folder of notes") -> str:
    """Return a drawing of what a terminal shows; `label` says what that is."""
    rows = [
        f'<text x="{_MARGIN}" y="{_MARGIN + (at + 1) * _HEIGHT - 5}">{_coloured(line)}</text>'
        for at, line in enumerate(lines)
        if line
    ]
    return _SVG.format(
        width=2 * _MARGIN + max(COLUMNS, *map(columns, lines)) * _WIDTH,
        height=2 * _MARGIN + len(lines) * _HEIGHT,
        label=label,
        lines="\n".join(rows),
    )


def _coloured(line: str) -> str:
    parts = re.split(r"\x1b\[([\d;]+)m(.*?)\x1b\[0m", line)
    plain, styles, texts = parts[::3], parts[1::3], parts[2::3]
    out = [escape(plain[0], quote=False)]
    for style, text, after in zip(styles, texts, plain[1:], strict=True):
        out += [f'<tspan class="{_STYLES[style]}">{escape(text, quote=False)}</tspan>', escape(after, quote=False)]
    return "".join(out)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        PICTURE.write_text(drawn(seen(Path(scratch).resolve())), encoding="utf-8")
        sys.stdout.write(f"{PICTURE}\n")
    with tempfile.TemporaryDirectory() as scratch:
        EDITOR.write_text(drawn(edited(Path(scratch).resolve(), neovims()["nvim"]), EDITED), encoding="utf-8")
        sys.stdout.write(f"{EDITOR}\n")
