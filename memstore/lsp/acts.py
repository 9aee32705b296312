"""What is done from the editor: the use cases of the commands, on saved files, each one step of `memstore undo`.

An act is first tried without writing, so that whoever edits sees what it will change.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS
from memstore.core.errors import RefusedError, UsageError
from memstore.core.ids import MemoryRef
from memstore.core.places import SUGGESTIONS
from memstore.files.memory_file import BrokenFile, MemoryFile, PlainFile
from memstore.lsp import cursor
from memstore.lsp.audience import gained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memstore.core.change import Saved
    from memstore.core.conflict import Conflict
    from memstore.core.view import View
    from memstore.lsp.open_files import OpenVault, TextDocument
    from memstore.lsp.text import TextSpan

    Act = Callable[..., Sequence[Saved]]

_MOST_GRANTEES = 8


class Offered(NamedTuple):
    """An act that makes sense at a place: its title, the command, and what it is given after the file's URI."""

    title: str
    command: str
    given: tuple[str, ...] = ()


def offered(vault: OpenVault, document: TextDocument, span: TextSpan) -> Iterator[Offered]:
    """Yield the acts that make sense for a selection."""
    file, view = vault.file(document), vault.view
    selected = document.text.source[span.start : span.end].strip()
    if isinstance(file, PlainFile) and view.is_owners:
        yield Offered("memstore: make this note a memory", "memstore.adopt")
    if isinstance(file, BrokenFile | PlainFile) or not isinstance(file, MemoryFile):
        return
    memory = file.memory
    if memory.id is None:
        yield Offered("memstore: give this memory an id", "memstore.adopt")
        return
    ref = str(memory.ref)
    mention = cursor.mention_at(vault, document, span.start)
    row = cursor.row_of(vault, document, mention) if mention else None
    if row is not None and row in view.rows:
        entry = view.entry(row)
        if entry.ref and entry.ref != ref and entry.confidence:
            yield Offered(f"memstore: this memory supports {entry.ref}", "memstore.reinforce", (entry.ref, ref))
            yield Offered(f"memstore: this memory contradicts {entry.ref}", "memstore.contradict", (entry.ref, ref))
    if selected:
        yield Offered("memstore: derive a new memory from the selection", "memstore.derive", (ref, selected))
        yield Offered("memstore: supersede this memory by the selection", "memstore.supersede", (ref, selected))
    if document.path.startswith(SUGGESTIONS) and memory.status == "draft":
        yield Offered("memstore: accept this suggestion", "memstore.accept", (ref,))
        yield Offered("memstore: reject this suggestion", "memstore.reject", (ref,))
    yield from _grants(vault, document, file, span)
    if view.owns(memory) and not memory.signature:
        yield Offered("memstore: sign this memory", "memstore.sign", (ref,))


def of_conflicts(found: Iterable[Conflict]) -> Iterator[Offered]:
    """Yield the acts that settle conflicts of the open memory, which comes first in each."""
    for one in found:
        mine, other = one.refs
        title = f"memstore: this memory holds, and supersedes {other}"
        yield Offered(title, "memstore.resolve", (mine, other, mine))
        yield Offered(f"memstore: {other} holds, and supersedes this memory", "memstore.resolve", (mine, other, other))
        yield Offered(f"memstore: this memory and {other} both hold", "memstore.resolve", (mine, other, "both"))


def _grants(vault: OpenVault, document: TextDocument, file: MemoryFile, span: TextSpan) -> Iterator[Offered]:
    """Yield who else may be let see a memory, on the line that says who may."""
    view, memory = vault.view, file.memory
    on_line = document.text.line(document.text.line_of(span.start)).startswith(("access_grants", "owner"))
    if not (on_line and view.is_owners and view.owns(memory)):
        return
    world = view.of(RIGHTS).policy
    known = sorted({*world.entities, *world.groups} - {*memory.access_grants, view.config.owner, memory.owner})
    for one in known[:_MOST_GRANTEES]:
        yield Offered(f"memstore: let {one} see this memory", "memstore.grant", (str(memory.ref), one))


def effect(vault: OpenVault, command: str, given: Sequence[str]) -> str | None:
    """Return who would see more after an act, in a sentence; None for acts that change nothing of that.

    Only the vault's owner is told.
    """
    if command != "memstore.grant":
        return None
    view = vault.saved_view
    memory = view.original(given[0]).memory
    wider = replace(memory, access_grants=(*memory.access_grants, given[1]))
    names = gained(view, memory, wider, vault.listeners)
    if names is None:
        return None
    return f"then it is seen by {names}, too" if names else "nobody sees more by it than now"


def run(vault: OpenVault, command: str, path: str, given: Sequence[str], *, dry_run: bool) -> Sequence[Saved]:
    """Do what a command says, or with `dry_run` only return what it would change.

    Raises:
        RefusedError: the file has text that is not saved.
        MemstoreError: as the use case.
    """
    if path and path in vault.unsaved:
        raise RefusedError(f"{path} has changes that are not saved, so nothing was done", hint="save it first")
    for ref in given[:2]:
        named = MemoryRef.parse(ref)
        rows = vault.saved_view.rows_of_id(named.id) if named else ()
        if unsaved := {vault.saved_view.entry(row).path for row in rows} & vault.unsaved.keys():
            raise RefusedError(
                f"{min(unsaved)} has changes that are not saved, so nothing was done", hint="save it first"
            )
    act, count = ACTS[command]
    if len(given) != count:
        raise UsageError(
            f"{command} takes {count} words after the file, and got {len(given)}", hint="see docs/editors.md"
        )
    if dry_run:
        vault.ids.plan()
    else:
        vault.ids.carry_out()
    return act(vault.saved_view, path, *given, dry_run=dry_run)


def _adopt(view: View, path: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.memories.adopt import adopt

    done = adopt(view, [path], dry_run=dry_run)
    if done.left_alone:
        raise RefusedError(f"{path} stays as it is: {done.left_alone[0].text}", hint=done.left_alone[0].hint)
    return done.saved


def _evidence(view: View, _: str, memory: str, evidence: str, *, dry_run: bool, against: bool) -> Sequence[Saved]:
    from memstore.beliefs.reinforce import contradict, reinforce

    return [(contradict if against else reinforce)(view, memory, evidence, dry_run=dry_run).saved]


def _derive(view: View, _: str, ref: str, text: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.memories.add import add_memory

    return [add_memory(view, {"type": "note", "derived_from": [ref]}, f"{text}\n", dry_run=dry_run)]


def _supersede(view: View, _: str, ref: str, text: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.memories.promote import supersede

    done = supersede(view, ref, text, dry_run=dry_run)
    return [done.saved, *done.others]


def _resolve(view: View, _: str, memory: str, other: str, keep: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.conflicts.resolve import resolve_conflict

    return resolve_conflict(view, memory, other, keep=keep, dry_run=dry_run).saved


def _accept(view: View, _: str, ref: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.memories.suggestions import accept_suggestion

    done = accept_suggestion(view, ref, dry_run=dry_run)
    return [done.saved, *done.others]


def _reject(view: View, _: str, ref: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.memories.suggestions import reject_suggestion

    return [reject_suggestion(view, ref, dry_run=dry_run)]


def _grant(view: View, _: str, ref: str, to: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.access.privacy import grant_access

    return [grant_access(view, ref, [to], dry_run=dry_run).saved]


def _sign(view: View, _: str, ref: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.trust.sign import sign

    return [sign(view, ref, dry_run=dry_run).saved]


def _today(view: View, _: str, *, dry_run: bool) -> Sequence[Saved]:
    from memstore.memories.today import note_today

    return [note_today(view, dry_run=dry_run)]


# Each command, and how many words it takes after the file's URI.
ACTS: Mapping[str, tuple[Act, int]] = {
    "memstore.adopt": (_adopt, 0),
    "memstore.reinforce": (partial(_evidence, against=False), 2),
    "memstore.contradict": (partial(_evidence, against=True), 2),
    "memstore.derive": (_derive, 2),
    "memstore.supersede": (_supersede, 2),
    "memstore.resolve": (_resolve, 3),
    "memstore.accept": (_accept, 1),
    "memstore.reject": (_reject, 1),
    "memstore.grant": (_grant, 2),
    "memstore.sign": (_sign, 1),
    "memstore.today": (_today, 0),
}
