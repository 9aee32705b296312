"""Make Markdown files memories, with not one of their bytes changed but for the keys that are put in.

Frontmatter that another program wrote is read loosely, for the little that helps.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from memstore.core.change import Edit, Saved
from memstore.core.errors import RefusedError, VaultError
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.transaction import again_where_changed, save_all
from memstore.files import fence, memory_file, splice, strict_yaml
from memstore.files.draft import new_file
from memstore.files.fence import BOM, FencedText
from memstore.files.memory_file import BrokenFile, MemoryFile
from memstore.files.shapes import is_absent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.files.render import Plain
    from memstore.files.vault import FileStat


DEFAULT_TYPE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoptable:
    """A file that can become a memory; `lacks` are the keys that it would get."""

    path: str
    lacks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """What was made memories, and the findings for files that were left alone because they can't be read."""

    saved: tuple[Saved, ...]
    left_alone: tuple[Finding, ...]

    __repr__ = short_repr


def adoptable(view: View, paths: Sequence[str] = ()) -> tuple[Adoptable, ...]:
    """Return the files below `paths` (none: in the whole vault) that `adopt` would make memories, by path."""
    found = []
    for file, stat in _files(view, paths):
        plan = _plan(view, file, stat, kind=DEFAULT_TYPE, memory_id="m_new")
        if plan and not isinstance(plan, BrokenFile):
            found.append(Adoptable(path=file.path, lacks=tuple(plan.lacking)))
    return tuple(found)


@again_where_changed
def adopt(
    view: View, paths: Sequence[str] = (), *, kind: str = DEFAULT_TYPE, dry_run: bool = False, commit: bool = False
) -> Adopted:
    """Make files memories: a fence for those without one, and an id, the day they were made, how they are known.

    Args:
        view: the vault.
        paths: files and folders, relative to the vault; none for all of it.
        kind: the type of those that have none.
        dry_run: write nothing, and return what would be.
        commit: commit them, too.

    Raises:
        VaultError: a path names no Markdown file of the vault.
        RefusedError: the actor is not the vault's owner, whose files without a memory in them are.
    """
    edits: list[Edit] = []
    left_alone: list[Finding] = []
    for file, stat in _files(view, paths):
        plan = _plan(view, file, stat, kind=kind, memory_id=view.ids.memory_id())
        if isinstance(plan, BrokenFile):
            left_alone += plan.findings
        elif plan:
            edits.append(plan.edit)
    return Adopted(
        saved=save_all(view, edits, verb="adopt", dry_run=dry_run, commit=commit), left_alone=tuple(left_alone)
    )


def _files(view: View, paths: Sequence[str]) -> Iterator[tuple[ReadFile, FileStat]]:
    """Yield the files below the paths, by path, each with what the file system knows of it."""
    if not view.is_owners:
        raise RefusedError(
            f"only {view.config.owner} adopts files here", hint=f"{view.actor} adds memories with memstore add"
        )
    stats = sorted(view.whole.memory_files(), key=lambda stat: stat.path)
    named = [path.rstrip("/").removeprefix("./") for path in paths]
    for path in named:
        if path not in ("", ".") and not any(_lies_below(stat.path, path) for stat in stats):
            raise VaultError(
                f"{path} is no Markdown file of this vault", hint="memstore status lists what could be one"
            )
    for stat in stats:
        if not named or any(path in ("", ".") or _lies_below(stat.path, path) for path in named):
            yield _read(view, stat.path), stat


def _read(view: View, path: str) -> ReadFile:
    try:
        return view.whole.read_file(path)
    except VaultError as error:
        return memory_file.unreadable(path, str(error))


def _lies_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to become of one file, and the keys that it lacks."""

    edit: Edit
    lacking: tuple[str, ...]


def _plan(view: View, file: ReadFile, stat: FileStat, *, kind: str, memory_id: str) -> _Plan | BrokenFile | None:
    """Return how a file becomes a memory; None where it is one, the file where it can't be one."""
    match file:
        case MemoryFile(memory=memory):
            if memory.id or not view.sees(memory):
                return None
            values = file.front.values
        case BrokenFile():
            if not file.lacks_only_its_type:
                return file
            values = _values(file.data)
        case _:
            values = {}
    added = _added(view, file.data, stat, values, kind=kind, memory_id=memory_id)
    data = _with_keys(file, added)
    after = memory_file.read(file.path, data)
    if isinstance(after, BrokenFile):
        return after
    return _Plan(Edit(path=file.path, before=file, after=data), tuple(added))


def _values(data: bytes) -> dict[str, Any]:
    """Return the values of a frontmatter whose YAML is sound."""
    text = fence.split(data)
    return strict_yaml.read(text.head, first_line=text.head_line).values if isinstance(text, FencedText) else {}


def _added(
    view: View, data: bytes, stat: FileStat, values: Mapping[str, Plain], *, kind: str, memory_id: str
) -> dict[str, Plain]:
    """Return the keys that a file lacks, in the order of the table of keys."""
    saved = datetime.fromtimestamp(stat.mtime_ns // 10**9, tz=UTC)
    wanted: dict[str, Plain] = {
        "type": kind,
        "id": memory_id,
        "created_at": created_at(data) or instant(min(saved, view.clock.now())),
        "source_type": "unknown",
    }
    # Whoever says where it comes from, if not how it is known, has said more than `unknown`.
    said_source = any(not is_absent(values.get(key)) for key in ("source", "source_entity"))
    return {
        name: value
        for name, value in wanted.items()
        if is_absent(values.get(name)) and not (name == "source_type" and said_source)
    }


def _with_keys(file: ReadFile, added: Mapping[str, Plain]) -> bytes:
    """Return the file's bytes with keys put in; all that was there stays, byte for byte."""
    text = fence.split(file.data)
    if isinstance(text, FencedText):
        return splice.apply_to_text(file.path, text, [splice.SetValue(name, value) for name, value in added.items()])
    newline = b"\r\n" if file.data.partition(b"\n")[0].endswith(b"\r") else b"\n"
    mark = BOM if file.data.startswith(BOM) else b""
    return mark + new_file(added, "").replace(b"\n", newline) + file.data.removeprefix(BOM)


# -- frontmatter of other programs -----------------------------------------------------------------


# What Obsidian's plug-ins, Jekyll, Hugo, OKF and others call the day on which a note was made.
_CREATED = ("created_at", "created", "date", "date_created", "creation_date", "timestamp")


def created_at(data: bytes) -> str | None:
    """Return when the frontmatter of a file says it was made, RFC 3339 in UTC; None where it does not say."""
    import frontmatter
    import yaml

    try:
        metadata = frontmatter.loads(data.decode("utf-8-sig")).metadata
    except (yaml.YAMLError, ValueError):
        return None
    times = (_instant(metadata.get(name)) for name in _CREATED)
    return next((time for time in times if time), None)


def _instant(value: Any) -> str | None:
    """Return a time in UTC; one without a zone is taken for UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        value = value if value.tzinfo else value.replace(tzinfo=UTC)
    elif isinstance(value, date):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    else:
        return None
    return instant(value)
