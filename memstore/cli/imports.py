"""`memstore import` and `export`: take memories over from other programs or people, and give them to others."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from memstore.cli.commands import GROUPS
from memstore.cli.options import F, group, subcommand, together
from memstore.cli.written import again_option, lines_of_all, saving_options, say_findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memstore.cli.session import CliSession
    from memstore.memories.incoming import Imported

# What the gate finds in an import; its other findings are for `memstore check`.
_SAID = frozenset({"secret-masked", "forgotten-again"})


@group(
    "import",
    examples=(
        "memstore import claude-code ~/.claude/projects --dry-run",
        "memstore import chatgpt ~/Downloads/chatgpt-export.zip",
        "memstore import seeds beliefs.yaml",
    ),
)
def import_() -> None:
    """Import memories from other programs and files; what is already here is left out, and stays as it is."""


# -- other programs --------------------------------------------------------------------------------


_FORMATS = {
    "basic-memory": ("the notes of a basic-memory project", "memstore import basic-memory ~/basic-memory"),
    "chatgpt": ("ChatGPT's data export", "memstore import chatgpt ~/Downloads/chatgpt-export.zip"),
    "claude": ("Claude's data export", "memstore import claude ~/Downloads/claude-export.zip"),
    "claude-code": ("Claude Code's memories, of one project or all", "memstore import claude-code ~/.claude/projects"),
    "kernle": ("Kernle's database", "memstore import kernle ~/.kernle/memories.db"),
    "markdown": ("a folder of notes, as of Obsidian, Logseq or zk", "memstore import markdown ~/Documents/notes"),
    "mem0": ("memories of mem0, as JSON", "memstore import mem0 mem0.json"),
    "okf": ("a bundle in the Open Knowledge Format", "memstore import okf ~/bundles/orders"),
    "openclaw": ("an OpenClaw workspace", "memstore import openclaw ~/.openclaw/workspace"),
    "server-memory": ("the graph of the reference MCP memory server", "memstore import server-memory memory.jsonl"),
}


# Formats in which memstore exports memories that can become the same ones again.
_TAKES_BACK = ("markdown", "okf")


# Formats in which one source may be about several people.
_HAS_USERS = ("claude", "mem0")


_strict = click.option("--strict", is_flag=True, help="Import nothing if any record can't be read.")


def _add_format(name: str, what: str, example: str) -> None:
    def import_format(session: CliSession, /, path: str, *, commit: bool, dry_run: bool, **choices: Any) -> None:
        _import(session, name, path, choices, commit=commit, dry_run=dry_run)

    import_format.__doc__ = (
        f"Import {what}.\n\nPATH is a file, a folder or a ZIP archive. Each memory names the lines that it comes "
        "from in the original, which is kept below imports/ for you alone. Importing again adds only what is new. A "
        "record that can't be read is left out and named, with exit code 1."
    )
    options = again_option()(_strict(saving_options()(import_format)))
    if name in _HAS_USERS:
        options = click.option(
            "--user", metavar="USER", help="Import what is this user's alone, who is you; else each is a subject."
        )(options)
    if name in _TAKES_BACK:
        options = click.option(
            "--own", is_flag=True, help="What was exported here is yours: the same memories come back."
        )(options)
    decorated = click.argument("path", metavar="PATH", type=click.Path())(options)
    subcommand(import_, name, examples=(example, f"{example} --dry-run"))(decorated)


for _name, (_what, _example) in _FORMATS.items():
    _add_format(_name, _what, _example)


def _import(session: CliSession, name: str, path: str, choices: dict[str, Any], *, commit: bool, dry_run: bool) -> None:
    """Import a source, and say what became of it."""
    from memstore.exchange.formats import IMPORTERS
    from memstore.exchange.importing import import_from, open_source

    view = session.view()
    with closing(open_source(view, session.environment().expanded(path), path)) as source:
        done = import_from(view, name, IMPORTERS[name], source, **choices, commit=commit, dry_run=dry_run)
    _emit(session, done, dry_run=dry_run, one_user=bool(choices.get("user")))


# -- seeds ---------------------------------------------------------------------------------------


@subcommand(
    import_, "seeds", examples=("memstore import seeds beliefs.yaml", "memstore import seeds seeds.md --dry-run")
)
@click.argument("file", metavar="FILE", type=click.Path())
@saving_options()
@again_option()
@_strict
def seeds(session: CliSession, file: str, *, strict: bool, commit: bool, dry_run: bool) -> None:
    """Import seed beliefs from YAML, JSON or a Markdown list.

    An item is a statement, or a map with statement, confidence and tags; in Markdown `- Statement. (0.65) #tag`. A
    belief that already states the same is left as it is. An item that can't be read is left out and named, with exit
    code 1.
    """
    from memstore.memories.import_seeds import import_seeds, read

    found = read(file, session.bytes_of(file))
    done = import_seeds(session.view(), found, strict=strict, commit=commit, dry_run=dry_run)
    _emit(session, done, dry_run=dry_run)


# -- memory-v0.1 ---------------------------------------------------------------------------------


@subcommand(
    import_,
    "memory-v0.1",
    examples=("memstore import memory-v0.1 memories.json --dry-run", "memstore import memory-v0.1 one.json -c"),
)
@click.argument("file", metavar="FILE", type=click.Path())
@saving_options()
@again_option()
@_strict
def import_memories(session: CliSession, file: str, *, strict: bool, commit: bool, dry_run: bool) -> None:
    """Import memories from JSON in the memory-v0.1 format: an object, a list, or one object a line.

    They keep their ids if the vault's owner imports them, and get new ones otherwise; what is already here stays as it
    is. A handle stands for the entity that has it as an alias, or else for si:NAME. Trust is computed here, whatever
    the file says; nobody but you sees the imported memories. Members that the format does not have are kept, and
    exported again. One that can't be read is left out and named, with exit code 1.
    """
    from memstore.memories.memory_v01 import import_memories as take_over
    from memstore.trust.formats.memory_v01 import read

    found = read(file, session.bytes_of(file))
    done = take_over(session.view(), found, strict=strict, commit=commit, dry_run=dry_run)
    _emit(session, done, dry_run=dry_run)


@subcommand(
    import_,
    "jsonl",
    examples=("memstore import jsonl memories.jsonl", "memstore import jsonl memories.jsonl --dry-run"),
)
@click.argument("file", metavar="FILE", type=click.Path())
@saving_options()
@again_option()
@_strict
def import_records(session: CliSession, file: str, *, strict: bool, commit: bool, dry_run: bool) -> None:
    """Import memories that `memstore export jsonl` wrote.

    They keep their ids, histories and attestations; what is already here stays as it is. Nobody but you sees them. A
    record that can't be read is left out and named, with exit code 1.
    """
    from memstore.exchange.importing import open_source
    from memstore.exchange.records import import_records as take_over

    view = session.view()
    with closing(open_source(view, session.environment().expanded(file), file)) as source:
        done = take_over(view, source, strict=strict, commit=commit, dry_run=dry_run)
    _emit(session, done, dry_run=dry_run)


# -- what became of it -----------------------------------------------------------------------------


def _emit(session: CliSession, done: Imported, *, dry_run: bool, one_user: bool = False) -> None:
    """Print what was imported, and say what was not, and what of it is unusual."""
    from memstore.cli import output

    session.emit(
        "import",
        done,
        lambda: lines_of_all(session, done.saved, dry_run=dry_run and not done.in_parts),
        each="memories",
        dry_run=dry_run,
    )
    for left in done.left_out:
        session.say(output.safe_line(f"{left.where}: left out: {left.why}"))
    for dateless in done.undated:
        session.say(output.safe_line(f"{dateless.where}: warning: {dateless.why}"))
    for kept in done.unknown:
        session.say(output.safe_line(f"{kept.where}: {kept.why}"))
    if done.users and not one_user:
        names = output.safe_line(", ".join(done.users))
        session.say(f"it is about {names}: subjects here, but for yourself; --user USER imports one alone, as yourself")
    for ref in done.different:
        session.say(f"{ref} says something else here, and stays as it is")
    for one in done.saved:
        say_findings(session, tuple(found for found in one.findings if found.code in _SAID))
    session.say(f"{len(done.saved)} {('would be ' if dry_run else '')}imported, {len(done.known)} already here")
    if done.exported:
        back = "" if dry_run else "take this back (memstore undo), and "
        session.say(
            f"{done.exported} say that they were memories in a vault; if it is yours, {back}import them with --own"
        )
    if done.in_parts and not dry_run:
        session.say("that was too much for one step: memstore undo takes back only the last part of it")
    if any(left.broken for left in done.left_out):
        session.exit(1)


# -- export --------------------------------------------------------------------------------------


@group(
    "export",
    table=GROUPS["export"],
    examples=(
        "memstore export jsonl --all > memories.jsonl",
        "memstore export okf --all | tar -x -C bundle",
        "memstore export memory-v0.1 m_7f3",
    ),
)
def export() -> None:
    """Export memories for other programs; who may see them is left out."""


def _what_to_export() -> Callable[[F], F]:
    """Add the memories to export, by name or all of them."""
    return together(
        click.argument("refs", metavar="[REF…]", nargs=-1),
        click.option("--all", "everything", is_flag=True, help="Export every memory that you may see."),
    )


def _named(refs: tuple[str, ...], *, everything: bool) -> tuple[str, ...] | None:
    """Return the memories to export; None for all."""
    from memstore.core.errors import UsageError

    if refs and everything:
        raise UsageError("memories to export were named beside --all", hint="name refs, or give --all")
    return None if everything else refs


@subcommand(export, "jsonl", examples=("memstore export jsonl --all > memories.jsonl", "memstore export jsonl m_7f3"))
@_what_to_export()
def export_records(session: CliSession, refs: tuple[str, ...], *, everything: bool) -> None:
    """Print each memory as JSON on a line of its own: its path, its frontmatter and its text.

    `memstore import jsonl` makes them the same memories in another vault.
    """
    from memstore.cli import output
    from memstore.exchange.exporting import records

    found = records(session.view(), _named(refs, everything=everything))
    session.emit("export-jsonl", found, lambda: map(output.one_line, found), each="memories")


@subcommand(export, "markdown", examples=("memstore export markdown --all | tar -x -C notes",))
@_what_to_export()
def export_files(session: CliSession, refs: tuple[str, ...], *, everything: bool) -> None:
    """Write a TAR archive with a Markdown file for each memory, at its path in the vault."""
    from memstore.exchange.exporting import files

    _emit_files(session, files(session.view(), _named(refs, everything=everything)))


@subcommand(export, "okf", examples=("memstore export okf --all | tar -x -C bundle",))
@_what_to_export()
def export_bundle(session: CliSession, refs: tuple[str, ...], *, everything: bool) -> None:
    """Write a TAR archive of a bundle in the Open Knowledge Format 0.2, with a concept for each memory.

    Its author is `generated`, what it was derived from `sources`, and `verified` are those whose signed confirmation
    holds.
    """
    from memstore.exchange.exporting import okf

    _emit_files(session, okf(session.view(), _named(refs, everything=everything)))


@subcommand(export, "prov", examples=("memstore export prov --all > provenance.json", "memstore export prov m_7f3"))
@_what_to_export()
def export_provenance(session: CliSession, refs: tuple[str, ...], *, everything: bool) -> None:
    """Print where memories come from as W3C PROV-JSON: authors, sources, and what supersedes what."""
    from memstore.cli import output
    from memstore.documents.lineage import provenance_document
    from memstore.exchange.exporting import prov

    found = prov(session.view(), _named(refs, everything=everything))
    session.emit("export-prov", found, lambda: output.document(provenance_document(found)["provenance"]).splitlines())


def _emit_files(session: CliSession, found: Iterator[tuple[str, bytes]]) -> None:
    """Write files as an archive, or as a JSON document."""
    from memstore.cli import output
    from memstore.core.errors import UsageError
    from memstore.exchange.exporting import archived

    if session.as_json:
        session.emit("export-files", found, tuple, each="files")
        return
    if session.at_terminal:
        raise UsageError(
            "an archive is nothing for a terminal", hint="write it to a file, or unpack it: | tar -x -C DIR"
        )
    output.write_pieces(archived(found))


@subcommand(
    export,
    "memory-v0.1",
    examples=("memstore export memory-v0.1 m_7f3", "memstore export memory-v0.1 --all > memories.json"),
)
@_what_to_export()
def export_memories(session: CliSession, refs: tuple[str, ...], *, everything: bool) -> None:
    """Print memories as JSON in the memory-v0.1 format: one object for one ref, else a list of them.

    Trust is as it is now. Who may see a memory is left out. What the format has no place for is under "memstore".
    """
    from memstore.cli import output
    from memstore.documents.exchange import exported_document
    from memstore.memories.memory_v01 import export_memories as give

    found = give(session.view(), _named(refs, everything=everything))
    shown = found[0] if len(refs) == 1 else exported_document(found)
    session.emit("export-memory", found, lambda: output.document(shown).splitlines(), each="memories")
