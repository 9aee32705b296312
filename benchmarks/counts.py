#!/usr/bin/env python3
"""How large the program is, and how much of it a command enters: numbers to be seen beside a sense of proportion.

    counts.py [--names]

Nothing fails where a number is larger than its bound. `--names` also lists what was counted.

- modules: files but for `__init__.py`.
- chain: the most use cases of which each imports the next; a use case is a module with a public function that takes a
  view first. A cycle, which only an import inside a function can close, is listed.
- entered by a command: the modules of memstore that are loaded when it ends, packages not counted.
- gits of a command: the processes of git that it starts, hooks and what git starts by itself not counted.
- class names with two meanings: those that two modules define.
- circles of imports: groups of modules and packages that reach each other, by imports at the top level alone, with
  those inside functions, and with those for type checkers.
- members of View: its attributes and methods.
- classes with many methods: more than 45.
- methods of the face: those that forward to a use case, and those written by hand.
- deferred imports: those of memstore's own modules inside functions, outside the borders, which are the command line,
  the hooks, and where a vault is put together.
- lines of code: without blank lines, docstrings and comments.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PACKAGE = Path(__file__).parents[1] / "memstore"
SAMPLE = PACKAGE.parent / "sample-vault"
BORDERS = ("memstore.cli.", "memstore.hooks.", "memstore.vault.composition", "memstore.__main__", "memstore.__init__")
COMMANDS = {
    "search": ["search", "what did the vet say about Bella"],
    "add": ["add", "Bella eats at eight."],
    "trace": ["trace", "belief:m_cf00b4ce7k"],
}
GITS = {
    "status": ["status"],
    "add -c": ["add", "-c", "Bella eats at nine."],
    "pre-commit": ["hooks", "run", "pre-commit"],
    "commit-msg": ["hooks", "run", "commit-msg", ".git/COMMIT_EDITMSG"],
}
BOUNDS = {
    "gits of status": 10,
    "gits of add -c": 16,
    "gits of pre-commit": 10,
    "gits of commit-msg": 10,
    "chain": 6,
    "class names with two meanings": 0,
    "members of View": 45,
    "classes with many methods": 0,
    "circles of imports at the top": 0,
    "circles of imports in functions": 0,
    "circles of imports for types": 0,
}
MOST_METHODS = 45
# A module with fewer lines of code needs a reason of its own.
SMALL = 40
_RUN = """
import json, sys
from memstore.cli.main import main
code = main(sys.argv[1:])
sys.stdout = sys.__stderr__
print(json.dumps([code, sorted(name for name in sys.modules if name.startswith("memstore."))]), file=sys.stderr)
"""


class Module(NamedTuple):
    """One file: its dotted name and what it says."""

    name: str
    path: Path
    tree: ast.Module


def modules() -> dict[str, Module]:
    """Return all modules but packages, by name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "__init__.py":
            name = ".".join(["memstore", *path.relative_to(PACKAGE).with_suffix("").parts])
            found[name] = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    return found


def packages() -> dict[str, Module]:
    """Return the packages, by name: what their front pages say."""
    found = {}
    for path in sorted(PACKAGE.rglob("__init__.py")):
        name = ".".join(["memstore", *path.parent.relative_to(PACKAGE).parts])
        found[name] = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    return found


def ways(*, late: bool = True, for_types: bool = False) -> dict[str, set[str]]:
    """Return which modules and packages each of them imports: also inside functions, also for type checkers alone."""
    known = modules() | packages()
    return {
        name: {to for to, deferred in imports(module, known, for_types=for_types) if to != name and deferred <= late}
        for name, module in known.items()
    }


def is_for_types_alone(node: ast.AST) -> bool:
    """Whether a statement is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports(module: Module, known: dict[str, Module], *, for_types: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield which of the known modules one imports when it runs, and whether inside a function.

    With `for_types`, also those that it imports for type checkers alone.
    """

    def inside(node: ast.AST, *, deferred: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if is_for_types_alone(child) and not for_types:
                continue
            if isinstance(child, ast.ImportFrom) and child.module:
                whole = {f"{child.module}.{alias.name}" for alias in child.names}
                of_itself = set() if whole <= known.keys() else {child.module}  # else modules of a package
                yield from ((name, deferred) for name in of_itself | whole if name in known)
            elif isinstance(child, ast.Import):
                yield from ((alias.name, deferred) for alias in child.names if alias.name in known)
            elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):  # no expression imports
                is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                yield from inside(child, deferred=deferred or is_function)

    yield from inside(module.tree, deferred=False)


def has_a_use_case(module: Module) -> bool:
    """Whether a public function takes a view first."""
    return any(
        isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and node.args.args
        and node.args.args[0].arg == "view"
        for node in module.tree.body
    )


def longest_chain(edges: dict[str, set[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the longest way along the edges, and the cycles, which are not gone through twice."""
    best: dict[str, list[str]] = {}
    cycles: list[list[str]] = []

    def from_(name: str, way: Sequence[str]) -> list[str]:
        if name in way:
            cycles.append([*way[way.index(name) :], name])
            return []
        if name not in best:
            ways = [from_(after, [*way, name]) for after in sorted(edges[name])]
            best[name] = [name, *max(ways, key=len, default=[])]
        return best[name]

    return max((from_(name, []) for name in sorted(edges)), key=len, default=[]), cycles


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of names that reach each other along the edges, the largest first."""

    def reached(start: str, ways: dict[str, set[str]]) -> set[str]:
        found, waiting = {start}, [start]
        while waiting:
            new = ways[waiting.pop()] - found
            found |= new
            waiting += new
        return found

    back: dict[str, set[str]] = {name: {one for one in edges if name in edges[one]} for name in edges}
    groups, left = [], set(edges)
    while left:
        start = min(left)
        group = reached(start, edges) & reached(start, back)
        left -= group
        if len(group) > 1:
            groups.append(sorted(group))
    return sorted(groups, key=lambda group: (-len(group), group))


def members(module: Module, of: str) -> list[str]:
    """Return the attributes and methods that a class of a module declares."""
    body = next(node.body for node in module.tree.body if isinstance(node, ast.ClassDef) and node.name == of)
    fields = [node.target.id for node in body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)]
    return fields + [node.name for node in body if isinstance(node, ast.FunctionDef)]


def methods_of_the_face(known: dict[str, Module]) -> tuple[list[str], list[str]]:
    """Return the methods of the Python face that forward to a use case, and those that are written by hand."""
    forwarded, written = [], []
    for name, module in known.items():
        for one in (node for node in module.tree.body if isinstance(node, ast.ClassDef)):
            if name.startswith("memstore.face.") and one.name.startswith("Vault"):
                written += [
                    f"{one.name}.{n.name}" for n in one.body if isinstance(n, ast.FunctionDef) and n.name[0] != "_"
                ]
                calls = [n for n in one.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)]
                forwarded += [
                    f"{one.name}.{ast.unparse(n.targets[0])}" for n in calls if "Forward" in ast.unparse(n.value)
                ]
    return forwarded, written


def entered(arguments: Sequence[str]) -> list[str]:
    """Return the modules that are loaded when a command ends, run in a copy of the sample vault."""
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(["cp", "-R", str(SAMPLE), f"{home}/vault"], check=True)
        subprocess.run(["git", "init", "-q", f"{home}/vault"], check=True)
        environment = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": str(PACKAGE.parent), "LC_ALL": "C.UTF-8"}
        command = [sys.executable, "-c", _RUN, "--vault", f"{home}/vault", *arguments]
        for _ in range(2):  # the second finds the index
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        code, names = json.loads(done.stderr.splitlines()[-1])
        if code:
            raise SystemExit(f"memstore {arguments[0]} ended with {code}: {done.stderr}")
        packages = {
            ".".join(["memstore", *path.parent.relative_to(PACKAGE).parts]) for path in PACKAGE.rglob("__init__.py")
        }
        return [name for name in names if name not in packages]


def gits() -> dict[str, list[str]]:
    """Return what each command asks git, in a copy of the sample vault in which one memory was changed by hand."""
    found = {}
    with tempfile.TemporaryDirectory() as home:
        vault, log = Path(home, "vault"), Path(home, "log")
        subprocess.run(["cp", "-R", str(SAMPLE), str(vault)], check=True)
        who = {f"GIT_{role}_{key}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        environment = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": str(PACKAGE.parent), **who}
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
            subprocess.run(["git", *words], cwd=vault, env=environment, check=True)
        changed = min((vault / "memories").rglob("*.md"))
        changed.write_text(f"{changed.read_text()}\nAnd more.\n")
        (vault / ".git" / "COMMIT_EDITMSG").write_text("why\n")
        wrapper = Path(home, "bin", "git")
        wrapper.parent.mkdir()
        wrapper.write_text(f'#!/bin/sh\necho "$*" >>"{log}"\nexec {shutil.which("git")} "$@"\n')
        wrapper.chmod(0o755)
        counted = environment | {"PATH": f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"}
        for name, words in GITS.items():
            if name == "pre-commit":
                subprocess.run(["git", "add", "-A"], cwd=vault, env=environment, check=True)
            log.write_text("")
            subprocess.run(
                [sys.executable, "-m", "memstore", *words], cwd=vault, env=counted, check=True, capture_output=True
            )
            found[f"gits of {name}"] = log.read_text().splitlines()
    return found


def code_lines(path: Path) -> int:
    """Return the lines of a file that hold code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    texts = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and ast.get_docstring(node)]
    docstrings = {line for text in texts for line in range(text.lineno, (text.end_lineno or text.lineno) + 1)}
    nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
    held: set[int] = set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type not in nothing and token.type != tokenize.ENDMARKER:
                held |= set(range(token.start[0], token.end[0] + 1))
    return len(held - docstrings)


def counted() -> tuple[dict[str, int], dict[str, list[str]]]:
    """Return the numbers, and what was counted, by the same names."""
    known = modules()
    use_cases = {name for name, module in known.items() if has_a_use_case(module)}
    edges = {name: {to for to, _ in imports(known[name], known) if to in use_cases - {name}} for name in use_cases}
    chain, cycles = longest_chain(edges)
    classes: dict[str, list[str]] = defaultdict(list)
    for name, module in known.items():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(name)
    names: dict[str, list[str]] = {
        "modules": list(known),
        "chain": chain,
        "cycles among use cases": [" -> ".join(cycle) for cycle in cycles],
        "class names with two meanings": [
            f"{one}: {', '.join(where)}" for one, where in classes.items() if len(where) > 1
        ],
        "deferred imports": [
            f"{name} -> {to}"
            for name, module in known.items()
            if not name.startswith(BORDERS)
            for to, deferred in imports(module, known)
            if deferred
        ],
    }
    for kind, late, types in (("at the top", False, False), ("in functions", True, False), ("for types", True, True)):
        groups = circles(ways(late=late, for_types=types))
        names[f"circles of imports {kind}"] = [" ".join(group) for group in groups]
    names["classes with many methods"] = [
        f"{count} {node.name}"
        for module in known.values()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef)
        and (count := sum(isinstance(one, ast.FunctionDef) for one in node.body)) > MOST_METHODS
    ]
    names["members of View"] = members(known["memstore.core.view"], "View")
    names["methods that forward"], names["methods by hand"] = methods_of_the_face(known)
    names |= {f"entered by {command}": entered(arguments) for command, arguments in COMMANDS.items()}
    names |= gits()
    numbers = {name: len(what) for name, what in names.items()}
    lines = {path: code_lines(path) for path in PACKAGE.rglob("*.py")}
    numbers["lines of code"] = sum(lines.values())
    small = {str(path.relative_to(PACKAGE)): count for path, count in lines.items() if count < SMALL}
    names["small modules"] = [
        f"{count:3} {path}" for path, count in sorted(small.items(), key=lambda one: one[1]) if "__init__" not in path
    ]
    numbers["small modules"] = len(names["small modules"])
    return numbers, names


def main() -> None:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--names", action="store_true", help="list what was counted, too")
    wanted = parser.parse_args()
    numbers, names = counted()
    for name, number in numbers.items():
        bound = f"  of {BOUNDS[name]:,}" if name in BOUNDS else ""
        print(f"{name:32} {number:7,}{bound}")
        if name == "cycles among use cases" or (wanted.names and name != "modules"):
            print(*(f"    {each}" for each in names.get(name, ())), sep="\n", end="\n" if names.get(name) else "")


if __name__ == "__main__":
    main()
