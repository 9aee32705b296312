"""Runs transcripts: sessions at a shell, written down as documentation and held to be true.

A transcript is a text file in this folder, `NAME.txt`. Lines at the margin are prose. Lines indented by four blanks
are what stood on the screen:

    Prose tells what happens and why.

        $ memstore list --sort title          a command, run by bash
        memories/tea.md:1: note:m_0tea00001  Tea  …
        $ cat > new.md <<'END'
        > ---                                  more lines of the same command
        > END
        $ memstore show nothing
        ! memstore: no memory matches `nothing`     a line of standard error
        ! …
        [3]                                    the exit code, where it is not 0

In what is expected,

- `…` stands for any text within a line, and alone on a line for any number of lines;
- `%name%` stands for one word (letters, digits, `_`, `-`, `:`, `.`, `/`) that is not known beforehand, like a new id:
  the first time it is remembered, and from then on it is that word, in commands too;
- `%home%` is the transcript's own home folder, in which the vault is the folder `vault`;
- standard output comes first, then standard error.

Each transcript runs in a copy of the small vault `vault/`, which has one commit of 2026-03-01 by Tester. A transcript
whose first line is `[empty folder]` runs in an empty folder instead, and one that begins with `[sample vault]` in a
copy of `sample-vault/`, which has one commit as well. Home, caches and git's configuration are the transcript's own,
`EDITOR` is not set, and nothing is a terminal.

`python -m tests.transcripts.runner NAME` prints a transcript as it really goes, to be read and put in place.
"""

from __future__ import annotations

import difflib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.installed import at_home
from tests.whole.program import Done, InProcess

FOLDER = Path(__file__).parent
SAMPLE_VAULT = FOLDER.parents[1] / "sample-vault"

_INDENT = "    "
_WORD = r"[\w:./-]+"
_PLACEHOLDER = re.compile(r"…|%(\w+)%")
# Words and quotes that mean to a shell what they mean to `shlex`.
_NEEDS_NO_SHELL = re.compile(r"""memstore(?: (?:[\w\-./:=,+@%]+|'[^']*'|"[^"$`\\!]*"))*""")
_COMMITTED = "2026-03-01T12:00:00Z"


@dataclass
class Step:
    """A command, the prose before it, and what is expected on the screen."""

    prose: list[str]
    command: list[str]
    expected: list[str] = field(default_factory=list)


@dataclass
class Transcript:
    """A whole file; `start` is its first line where that says where it begins."""

    start: str | None
    steps: list[Step]
    epilogue: list[str]


def parse(text: str) -> Transcript:
    """Take a transcript apart."""
    lines = text.splitlines()
    start = lines.pop(0) if lines and lines[0].startswith("[") else None
    steps: list[Step] = []
    prose: list[str] = []
    for line in lines:
        shown = line.removeprefix(_INDENT)
        if not line.startswith(_INDENT):
            prose.append(line)
        elif shown.startswith("$ "):
            steps.append(Step(prose, [shown[2:]]))
            prose = []
        elif shown.startswith(">") and not steps[-1].expected:
            steps[-1].command.append(shown[2:])
        else:
            # A blank line within what is expected is written without the indent by some editors.
            steps[-1].expected += [*prose, shown]
            prose = []
    return Transcript(start, steps, prose)


class Shell:
    """Runs commands one after the other in a folder; where one goes with `cd`, the next ones start.

    Args:
        home: an empty folder.
        start: where the transcript begins, as its first line says.
        processes: start a process for a call of memstore that needs no shell, too; a call in this process takes a
            tenth of the time.
    """

    def __init__(self, home: Path, start: str | None, *, processes: bool = True) -> None:
        self._program = None if processes else InProcess(home)
        self.environment = at_home(home) | {"GIT_PAGER": "cat"}
        self.folder = home / "vault"
        self._where = home / "where"
        if start == "[empty folder]":
            self.folder.mkdir()
        else:
            shutil.copytree(SAMPLE_VAULT if start == "[sample vault]" else FOLDER / "vault", self.folder)
            dated = f"GIT_AUTHOR_DATE={_COMMITTED} GIT_COMMITTER_DATE={_COMMITTED}"
            self.run(f"git init -q && git add -A && {dated} git commit -qm 'the vault as it begins'")

    def run(self, command: str) -> list[str]:
        """Run a command and return what is seen: output, errors, exit code."""
        if self._program and _NEEDS_NO_SHELL.fullmatch(command):
            done = self._program.run(*shlex.split(command)[1:], cwd=self.folder, GIT_PAGER="cat")
        else:
            done = self._in_bash(command)
        seen = done.stdout.splitlines() + [f"! {line}".rstrip() for line in done.stderr.splitlines()]
        return seen + ([f"[{done.returncode}]"] if done.returncode else [])

    def _in_bash(self, command: str) -> Done:
        done = subprocess.run(
            ["bash", "-c", f"{command}\ncode=$?; pwd > {self._where}; exit $code"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="backslashreplace",
        )
        if self._where.exists():
            self.folder = Path(self._where.read_text().strip())
        return done


class Words:
    """The words that placeholders stand for."""

    def __init__(self, home: Path | None = None) -> None:
        self.known: dict[str, str] = {"home": str(home)} if home else {}

    def filled(self, text: str) -> str:
        """Return a text with the known words in place of their placeholders."""
        return re.sub(r"%(\w+)%", lambda m: self.known.get(m[1], m[0]), text)

    def matches(self, expected: list[str], seen: list[str]) -> bool:
        """Whether the lines are as expected; remember the words that were not known."""
        new: set[str] = set()
        pattern = "".join(
            r"(?:[^\n]*\n)*?" if line.strip() == "…" else self._pattern(line.rstrip(), new) + "\n" for line in expected
        )
        found = re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in seen))
        if found:
            self.known |= found.groupdict()
        return found is not None

    def _pattern(self, line: str, new: set[str]) -> str:
        """Return the pattern of one line; `new` are the words that lines before it will have told."""
        out, at = "", 0
        for mark in _PLACEHOLDER.finditer(line):
            out += re.escape(line[at : mark.start()])
            at = mark.end()
            name = mark[1]
            if name is None:
                out += r"[^\n]*"
            elif name in self.known:
                out += re.escape(self.known[name])
            else:
                out += f"(?P={name})" if name in new else f"(?P<{name}>{_WORD})"
                new.add(name)
        return out + re.escape(line[at:])


def differences(path: Path, home: Path, *, processes: bool = True) -> str:
    """Run a transcript in the empty folder `home` and return how it differs from the file; empty where it is true."""
    transcript = parse(path.read_text(encoding="utf-8"))
    shell, words = Shell(home, transcript.start, processes=processes), Words(home)
    for step in transcript.steps:
        seen = shell.run(words.filled("\n".join(step.command)))
        if not words.matches(step.expected, seen):
            told = "\n".join(difflib.unified_diff(step.expected, seen, "expected", "seen", lineterm=""))
            return f"{path.name}: $ {step.command[0]}\n{told}"
    return ""


def as_it_goes(path: Path, home: Path) -> str:
    """Return the transcript with what is really seen."""
    transcript = parse(path.read_text(encoding="utf-8"))
    shell, words = Shell(home, transcript.start), Words(home)
    lines = [transcript.start] if transcript.start else []
    for step in transcript.steps:
        seen = [line.replace(str(home), "%home%") for line in shell.run(words.filled("\n".join(step.command)))]
        kept = step.expected if words.matches([words.filled(line) for line in step.expected], seen) else seen
        first, *more = step.command
        lines += [*step.prose, f"{_INDENT}$ {first}", *(f"{_INDENT}> {line}".rstrip() for line in more)]
        lines += [f"{_INDENT}{line}".rstrip() for line in kept]
    return "\n".join([*lines, *transcript.epilogue]) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        sys.stdout.write(as_it_goes(FOLDER / f"{sys.argv[1]}.txt", Path(scratch).resolve()))
