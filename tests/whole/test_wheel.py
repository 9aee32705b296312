"""The wheel that people install: whole, and the program in it finds what it brought along."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from memstore import __version__

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("hooks", "schemas")
    for path in (ROOT / folder).rglob("*")
    if path.is_file()
)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with what the wheel holds; it is built without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    ZipFile(wheel).extractall(folder / "unpacked")
    return folder / "unpacked"


def python(unpacked: Path, *words: str) -> str:
    """Run Python, for which the unpacked wheel comes before any other memstore; return what it prints."""
    done = subprocess.run(
        [sys.executable, *words], cwd=unpacked.parent, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(unpacked), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    return done.stdout


def test_the_wheel_holds_the_package_and_nothing_beside_it(unpacked: Path) -> None:
    assert sorted(path.name for path in unpacked.iterdir()) == ["memstore", f"memstore_vault-{__version__}.dist-info"]
    files = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("*.py", "*.toml", "SKILL.md")
        for path in (ROOT / "memstore").rglob(pattern)
    }
    assert files <= {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert {"memstore/core/words.toml", "memstore/agents/SKILL.md"} <= files
    assert list(unpacked.rglob("*.pyc")) == []


def test_hooks_and_schemas_are_shipped_in_the_package(unpacked: Path) -> None:
    assert {"hooks/pre-commit", "hooks/prepare-commit-msg", "hooks/commit-msg", "schemas/memory.schema.json"} <= set(
        SHIPPED
    )
    for name in SHIPPED:
        assert (unpacked / "memstore" / "_shipped" / name).read_bytes() == (ROOT / name).read_bytes()
    code = "import sys; from memstore.history.git_hooks import shipped; print(*map(shipped, sys.argv[1:]), sep='\\n')"
    found = python(unpacked, "-c", code, *SHIPPED).splitlines()
    assert found == [str(unpacked / "memstore" / "_shipped" / name) for name in SHIPPED]


def test_the_program_runs_from_it(unpacked: Path) -> None:
    assert python(unpacked, "-m", "memstore", "--version") == f"memstore {__version__}\n"
    assert "exit code" in python(unpacked, "-m", "memstore", "help", "exit-codes").casefold()
    python(unpacked, "-m", "memstore", "init", "vault", "--owner", "human:tester")
    assert (unpacked.parent / "vault" / ".git" / "hooks" / "pre-commit").is_file()
