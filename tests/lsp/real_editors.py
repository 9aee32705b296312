"""Neovim and Emacs as somebody uses them: set up as docs/editors.md says, they start the installed `memstore lsp`.

All three do the same by the same names, so that a scene can be played in each.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.installed import MEMSTORE, PROGRAMS, at_home

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
SECONDS = 20


def neovims() -> dict[str, str]:
    """Return the Neovims that are here, by what a test calls them."""
    named = {"nvim": shutil.which("nvim"), "nvim-0.11": os.environ.get("NVIM_0_11")}
    return {name: program for name, program in named.items() if program}


class RealEditor(ABC):
    """An editor that runs without a screen.

    Args:
        home: its home.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = at_home(home)
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def run(self, code: str) -> Any:
        """Let the editor run code of its language, and return the value."""

    def memstore(self, folder: Path, *words: str) -> str:
        """Run a command beside the editor."""
        line = [str(MEMSTORE), "--as", "human:sean", *words]
        done = subprocess.run(line, cwd=folder, env=self.environment, check=True, capture_output=True, text=True)
        return done.stdout

    def until(self, ask: Callable[[], Any], wanted: Callable[[Any], bool] = bool) -> Any:
        """Ask until the answer is the wanted one, as somebody looks at a screen; return the last answer."""
        end = time.monotonic() + SECONDS
        while not wanted(answer := ask()) and time.monotonic() < end:
            time.sleep(0.02)
        return answer

    def finds(self, *codes: str) -> list[str]:
        """Wait until just these are found in the file at hand; return what is found in the end."""
        found: list[str] = self.until(self.findings, lambda found: sorted(found) == sorted(codes))
        return found

    def findings(self) -> list[str]:
        """Return the codes of what the editor shows for the file at hand."""
        return [one["code"] for one in self.run(self.FINDINGS) or ()]

    FINDINGS = ""

    def goes(self, text: str) -> None:
        """Wait until the file at hand has a text."""
        assert text in self.until(self.text, lambda now: text in now)

    # -- what each does in its own way ---------------------------------------------------------------

    @abstractmethod
    def open(self, path: Path) -> None: ...

    @abstractmethod
    def type(self, text: str) -> None:
        """Type a new line below that of the cursor, key by key."""

    @abstractmethod
    def undo(self) -> None: ...

    @abstractmethod
    def replace(self, old: str, new: str) -> None:
        """Type something in place of what is there."""

    @abstractmethod
    def point(self, at: str, after: int = 0) -> None:
        """Put the cursor where a text begins, or so many characters after it."""

    @abstractmethod
    def fix(self, title: str) -> None:
        """Choose a code action by its title."""

    @abstractmethod
    def text(self) -> str: ...

    @abstractmethod
    def save(self) -> None: ...

    @abstractmethod
    def save_all(self) -> None: ...

    @abstractmethod
    def hover(self) -> str: ...

    @abstractmethod
    def complete(self, typed: str) -> str:
        """Type at the end of the line, ask for what there is, take the first, and return the line."""

    @abstractmethod
    def definition(self) -> tuple[str, int]:
        """Go where a name leads, and return the file and the line."""

    @abstractmethod
    def references(self) -> list[str]:
        """Return the names of the files in which something leads to the note at hand."""

    @abstractmethod
    def rename(self, name: str) -> None: ...

    @property
    @abstractmethod
    def messages(self) -> list[str]:
        """What the server has said since the editor was started."""

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class Neovim(RealEditor):
    """Neovim, set up by `memstore lsp install nvim`."""

    FINDINGS = "return vim.tbl_map(function(one) return { code = one.code } end, vim.diagnostic.get(0))"

    def __init__(self, program: str, home: Path) -> None:
        super().__init__(home)
        self._program, self._socket, self._code = program, str(home / "nvim.sock"), home / "code.lua"
        self.memstore(home, "lsp", "install", "nvim")
        words = [program, "--headless", "-n", "--listen", self._socket, "-c", f"luafile {HERE / 'neovim.lua'}"]
        self._process = subprocess.Popen(
            words, env=self.environment, cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.until(lambda: Path(self._socket).exists())
        self.until(lambda: self._remote("--remote-expr", "exists('*json_encode')") == "1")

    def _remote(self, *words: str) -> str:
        line = [self._program, "--headless", "-u", "NONE", "--server", self._socket, *words]
        done = subprocess.run(line, env=self.environment, check=False, capture_output=True, text=True, timeout=60)
        return (done.stdout + done.stderr).strip()

    def run(self, code: str) -> Any:
        self._code.write_text(code, encoding="utf-8")
        said = self._remote("--remote-expr", f'luaeval("Json(_A)", "{self._code}")')
        try:
            return json.loads(said)
        except ValueError:
            raise AssertionError(said) from None

    def keys(self, keys: str) -> None:
        """Type keys, as Neovim writes them: `ihello<Esc>`."""
        self._remote("--remote-send", keys)

    def type(self, text: str) -> None:
        self.keys(f"o{text.replace('<', '<lt>')}<Esc>")
        self.until(lambda: self.run("return vim.fn.mode()"), lambda mode: mode == "n")

    def undo(self) -> None:
        self.run("vim.cmd('silent undo')")

    def open(self, path: Path) -> None:
        self.run(f"vim.cmd('edit {path}') Ready()")

    def replace(self, old: str, new: str) -> None:
        self.run(f"Replace({lua(old)}, {lua(new)})")

    def point(self, at: str, after: int = 0) -> None:
        self.run(f"Point({lua(at)}, {after})")

    def fix(self, title: str) -> None:
        self.run(f"return Act({lua(title)})")

    def text(self) -> str:
        return "\n".join(self.run("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")) + "\n"

    def save(self) -> None:
        self.run("vim.cmd('silent write!')")

    def save_all(self) -> None:
        self.run("vim.cmd('silent wall!')")

    def hover(self) -> str:
        said: str = self.run(
            "return (Ask('textDocument/hover', Here()) or { contents = { value = '' } }).contents.value"
        )
        return said

    def complete(self, typed: str) -> str:
        self.keys(f"A{typed}<C-x><C-o>")
        self.until(lambda: self.run("return vim.fn.pumvisible()"))
        self.keys("<C-n><C-y><Esc>")
        self.until(lambda: self.run("return vim.fn.mode()"), lambda mode: mode == "n")
        line: str = self.run("return vim.api.nvim_get_current_line()")
        return line

    def definition(self) -> tuple[str, int]:
        before = self.run("return Place()")
        self.run("vim.lsp.buf.definition()")
        place = self.until(lambda: self.run("return Place()"), lambda now: now != before)
        return place[0], place[1]

    def references(self) -> list[str]:
        places = self.run(
            "local here = Here() here.context = { includeDeclaration = false } "
            "return Ask('textDocument/references', here)"
        )
        return sorted(one["uri"].rpartition("/")[2] for one in places)

    def rename(self, name: str) -> None:
        self.run(f"vim.lsp.buf.rename({lua(name)})")

    @property
    def messages(self) -> list[str]:
        said: list[str] = self.run("return Said")
        return said


def lua(text: str) -> str:
    """Return a text as Lua writes it."""
    escaped = "".join(char if char.isalnum() or char in " .#[](){}:-_/" else f"\\u{{{ord(char):x}}}" for char in text)
    return f'"{escaped}"'


class Emacs(RealEditor):
    """Emacs with eglot, set up as docs/editors.md says."""

    FINDINGS = "(memstore-findings)"

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self._socket, self._code, self._answer = str(home / "emacs.sock"), home / "code.el", home / "answer.json"
        self.environment |= {"PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
        words = ["emacs", "-q", f"--fg-daemon={self._socket}", "--load", str(HERE / "emacs.el")]
        self._process = subprocess.Popen(
            words, env=self.environment, cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.until(lambda: Path(self._socket).exists())

    def run(self, code: str) -> Any:
        self._code.write_text(code, encoding="utf-8")
        self._answer.unlink(missing_ok=True)
        call = f'(memstore-run "{self._code}" "{self._answer}")'
        line = ["emacsclient", "-s", self._socket, "--eval", call]
        done = subprocess.run(line, env=self.environment, check=False, capture_output=True, text=True, timeout=60)
        if not self._answer.exists():
            raise AssertionError(done.stdout + done.stderr)
        return json.loads(self._answer.read_text(encoding="utf-8"))

    def type(self, text: str) -> None:
        self.run(f"(memstore-type {lisp(text)})")

    def undo(self) -> None:
        self.run("(progn (undo-boundary) (setq last-command nil) (undo) t)")

    def open(self, path: Path) -> None:
        self.run(f"(memstore-open {lisp(str(path))})")

    def replace(self, old: str, new: str) -> None:
        self.run(f"(memstore-replace {lisp(old)} {lisp(new)})")

    def point(self, at: str, after: int = 0) -> None:
        self.run(f"(memstore-point {lisp(at)} {after})")

    def fix(self, title: str) -> None:
        self.run(f"(memstore-act {lisp(title)})")

    def text(self) -> str:
        said: str = self.run("(buffer-substring-no-properties (point-min) (point-max))")
        return said

    def save(self) -> None:
        self.run("(save-buffer)")

    def save_all(self) -> None:
        self.run("(save-some-buffers t)")

    def hover(self) -> str:
        said: str = self.run("(memstore-hover)")
        return said

    def complete(self, typed: str) -> str:
        line: str = self.run(f"(memstore-complete {lisp(typed)})")
        return line

    def definition(self) -> tuple[str, int]:
        place = self.run("(memstore-definition)")
        return place[0], place[1]

    def references(self) -> list[str]:
        places: list[str] = self.run("(memstore-references)")
        return sorted(places)

    def rename(self, name: str) -> None:
        said = self.run(f"(progn (eglot-rename {lisp(name)}) nil)")
        assert said is None, said

    @property
    def messages(self) -> list[str]:
        said: list[str] = self.run("(vconcat memstore-said)")
        return said


def lisp(text: str) -> str:
    """Return a text as Emacs Lisp writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
