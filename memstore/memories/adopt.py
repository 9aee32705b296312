"""Make Markdown files memories, adding only the missing keys; all other bytes stay the same.

A file that can't become a memory without changes to its lines stays a plain note, with the reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from memstore.core.change import Edit, Saved
from memstore.core.errors import FormatError, RefusedError, VaultError
from memstore.core.finding import Finding, Position, Problem, Severity
from memstore.core.short_repr import short_repr
from memstore.core.times import instant, moment
from memstore.core.titles import default_title, in_a_key
from memstore.core.transaction import Saving, again_where_changed, save_all
from memstore.files import fence, memory_file, plain_note, strict_yaml
from memstore.files.fence import BOM, FencedText
from memstore.files.memory_file import BrokenFile, MemoryFile
from memstore.files.shapes import is_absent
from memstore.memories.plain_notes import front_matter_of_others, with_keys
from memstore.search.first_commits import UNCOMMITTED, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.files.render import Plain
    from memstore.files.strict_yaml import Frontmatter
    from memstore.files.vault import FileStat


DEFAULT_TYPE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoptable:
    """A file that can become a memory; `lacks` are the keys that it would get."""

    path: str
    lacks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """The files that became memories, and for each other file the finding that says why not."""

    saved: tuple[Saved, ...]
    left_alone: tuple[Finding, ...]

    __repr__ = short_repr


def adoptable(view: View, paths: Sequence[str] = ()) -> tuple[tuple[Adoptable, ...], tuple[Finding, ...]]:
    """Return the files below `paths` (none: all) that `adopt` would make memories, and why not the rest."""
    found: list[Adoptable] = []
    left: list[Finding] = []
    for file, made_at in _files(view, paths):
        match _plan(view, file, made_at, kind=DEFAULT_TYPE, memory_id="m_new"):
            case _Plan(lacking=lacking):
                found.append(Adoptable(path=file.path, lacks=lacking))
            case Finding() as why:
                left.append(_as_note(view, why))
    return tuple(found), tuple(left)


@again_where_changed
def adopt(view: View, paths: Sequence[str] = (), *, kind: str = DEFAULT_TYPE, **saving: Unpack[Saving]) -> Adopted:
    """Make files memories: add a fence if there is none, an id, their names and tags, their day, how they are known.

    Args:
        view: the vault.
        paths: files and folders, relative to the vault; none for all of it.
        kind: the type for files that have none.
        saving: dry_run, commit.

    Raises:
        VaultError: a path names no Markdown file of the vault.
        RefusedError: the actor is not the vault's owner, who owns all files that are not memories.
    """
    edits: list[Edit] = []
    left_alone: list[Finding] = []
    for file, made_at in _files(view, paths):
        match _plan(view, file, made_at, kind=kind, memory_id=view.ids.memory_id()):
            case _Plan(edit=edit):
                edits.append(edit)
            case Finding() as why:
                left_alone.append(_as_note(view, why))
    return Adopted(saved=save_all(view, edits, verb="adopt", **saving), left_alone=tuple(left_alone))


def _files(view: View, paths: Sequence[str]) -> Iterator[tuple[ReadFile, str | None]]:
    """Yield the files below the paths, by path, each with the date that `list` shows; None if nobody knows it."""
    if not view.is_owners:
        raise RefusedError(
            f"only {view.config.owner} may adopt files here", hint="write memories of your own with memstore add"
        )
    stats = sorted(view.whole.memory_files(), key=lambda stat: stat.path)
    named = [path.rstrip("/").removeprefix("./") for path in paths]
    for path in named:
        if path not in ("", ".") and not any(_lies_below(stat.path, path) for stat in stats):
            raise VaultError(
                f"{path} is not a Markdown file of this vault",
                hint="memstore status lists the files that can be adopted",
            )
    columns = [view.column(name) for name in ("path", "created_at", "first_commit")]
    dates = {path: made or first for path, made, first in ([column[row] for column in columns] for row in view.texts)}
    for stat in stats:
        if not named or any(path in ("", ".") or _lies_below(stat.path, path) for path in named):
            yield view.whole.any_file(stat.path), _made_at(view, dates.get(stat.path, ""), stat)


def _made_at(view: View, known: str, stat: FileStat) -> str | None:
    """Return when a file was made; for one that no commit has, when it was saved."""
    if known in ("", UNCOMMITTED):
        return instant(min(moment(stat.mtime_ns // 10**9), view.clock.now()))
    return None if known == UNKNOWN else known


def _lies_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


@dataclass(frozen=True, slots=True)
class _Plan:
    """The edit of one file, and the keys that it lacks."""

    edit: Edit
    lacking: tuple[str, ...]


def _plan(view: View, file: ReadFile, made_at: str | None, *, kind: str, memory_id: str) -> _Plan | Finding | None:
    """Return how a file becomes a memory; None if it is one already, or a finding if it can't become one."""
    if isinstance(file, MemoryFile) and (file.memory.id or not view.sees(file.memory)):
        return None
    text = fence.split(file.data)
    if isinstance(text, FencedText) and is_prose(text.head):
        text = None
    front = strict_yaml.read(text.head, first_line=text.head_line) if isinstance(text, FencedText) else None
    if why := _obstacle(view, file, text, front):
        return why
    values = front.values if front else {}
    added = _added(view, file, made_at, values, kind=kind, memory_id=memory_id)
    try:
        data = with_keys(file, text, added)
    except FormatError:
        in_the_way = "no key can be added to its front matter without changing other lines"
        return _stays(file, in_the_way, "write its front matter with one key per line")
    after = memory_file.read(file.path, data, mixed=view.config.mixed)
    if isinstance(after, MemoryFile) and after.memory.id == memory_id:
        return _Plan(Edit(path=file.path, before=file, after=data), tuple(added))
    if isinstance(after, BrokenFile):
        why = after.findings[0]
        return why._replace(at=why.at._replace(line=_line_before(file.data, data, why.at.line)))
    return _stays(
        file, "with an id it still could not be read as a memory", "write its front matter with one key per line"
    )


def _line_before(before: bytes, after: bytes, line: int) -> int:
    """Return which line of a file a line of it was, before lines were added; of an added one, the line above."""
    old, reached = before.split(b"\n"), 0
    for one in after.split(b"\n")[:line]:
        reached += reached < len(old) and one == old[reached]
    return max(reached, 1)


def _obstacle(
    view: View, file: ReadFile, text: FencedText | Problem | None, front: Frontmatter | None
) -> Finding | None:
    """Return what prevents a file from becoming a memory, before any line is added to it."""
    if isinstance(file, BrokenFile) and not file.lacks_only_its_type:
        return file.findings[0]
    if isinstance(text, Problem):
        return text.found_in(file.path)
    if text is None and (language := front_matter_of_others(file.data.removeprefix(BOM))):
        return _stays(
            file,
            f"its front matter is {language}, and nothing may be put before it",
            "write it as YAML between lines ---",
        )
    if front and front.problems:
        return front.problems[0].found_in(file.path)
    if front and view.config.mixed and "id" in front.values:
        return _stays(file, "its `id` is another program's", "to make it a memory, rename that key", key="id")
    return None


def _as_note(view: View, why: Finding) -> Finding:
    """Return why a file was left alone; in a mixed vault, that is not an error."""
    return why._replace(severity=Severity.WARNING) if view.config.mixed else why


def _stays(file: ReadFile, text: str, hint: str, *, key: str = "") -> Finding:
    """Return why a file stays a plain note."""
    return Problem("note-foreign", Position(1), text, hint=hint, key=key).found_in(file.path)


def _added(
    view: View, file: ReadFile, made_at: str | None, values: Mapping[str, Plain], *, kind: str, memory_id: str
) -> dict[str, Plain]:
    """Return the keys that a file lacks, in the order of the table of keys."""
    note = plain_note.note(file.path, file.data)[1]
    wanted: dict[str, Plain] = {
        "type": kind,
        "id": memory_id,
        **_names(note, mixed=view.config.mixed),
        **({"tags": [*map(in_a_key, note.tags)]} if note.tags else {}),
        **({"created_at": made} if (made := note.created_at or made_at) else {}),
        "source_type": "unknown",
    }
    # A stated origin says more than `unknown`, even without how the memory is known.
    said_source = any(not is_absent(values.get(key)) for key in ("source", "source_entity"))
    lacking = {name: value for name, value in wanted.items() if is_absent(values.get(name))}
    if said_source:
        lacking.pop("source_type", None)
    # An empty key is the person's, or another program's; in a mixed vault none of these lines is changed.
    return {name: value for name, value in lacking.items() if not (view.config.mixed and name in values)}


def _names(note: Memory, *, mixed: bool) -> dict[str, Plain]:
    """Return by which names a note goes that a memory with its text would not have.

    To the programs that write a vault's other notes, a file's name is a title; a day or a number says nothing.
    """
    names: dict[str, Plain] = {}
    title = in_a_key(note.title or "")
    if mixed and any(map(str.isalpha, title)) and default_title(f"# {title}") != default_title(note.body):
        names["title"] = title
    if note.aliases:
        names["aliases"] = [*map(in_a_key, note.aliases)]
    return names


_ONE_WORD_KEY = re.compile(r"^[\w-]+:", re.MULTILINE)
_FEWEST_WORDS_OF_PROSE = 3  # `date created` is a key


def is_prose(head: str) -> bool:
    """Whether what stands between two lines `---` at the top of a note is prose between rules, and no front matter.

    `The okapi slept: a rule above.` could be read as a key with a value. Prose stands apart from its rules; and no key
    is a sentence.
    """
    keys = [line.partition(":")[0] for line in head.splitlines() if line[:1].strip() and ":" in line]
    if head.startswith(("\n", "\r\n")) and (head.endswith(("\n\n", "\n\r\n")) or not _ONE_WORD_KEY.search(head)):
        return True
    return bool(keys) and all(len(key.split()) >= _FEWEST_WORDS_OF_PROSE for key in keys)
