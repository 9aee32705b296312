"""Set memstore up in an agent's program or a text editor, and undo that: settings files, hooks, and the skill."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.agents import settings
from memstore.agents.editors import EDITORS
from memstore.agents.hosts import HOSTS, NAME, SKILL, Host, PinnedCommand, wanted_hooks
from memstore.agents.settings import Wanted
from memstore.core.errors import ChangedMeanwhileError, FormatError, MemstoreError, RefusedError, VaultError
from memstore.core.places import SETTINGS_FOLDER
from memstore.files.local_state import make_private, private_bytes, regular_bytes, write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.agents.editors import TextEditor
    from memstore.files.local_state import Environment


class SettingsChange(NamedTuple):
    """A file to change: its content before and after, None where there is none, and what of that is memstore's."""

    path: Path
    before: bytes | None
    after: bytes | None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What happens to the file: `created`, `changed` or `removed`."""
        return "created" if self.before is None else "removed" if self.after is None else "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What was changed, or would be, to set memstore up in a program or to undo that."""

    agent: str
    title: str
    changes: tuple[SettingsChange, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorSetUp:
    """What was changed, or would be, to set the language server up in a text editor or to undo that."""

    editor: str
    title: str
    changes: tuple[SettingsChange, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedProgram:
    """A program whose settings have memstore's server: the `root` of the vault it is shown, as whom, and who listens.

    `scope` is that of what its hooks write down in the current folder, and of what comes to mind there; None for none.
    `problem` is why it can't be served; the rest is None where the settings can't be read.
    """

    agent: str
    file: Path
    root: str | None = None
    entity: str | None = None
    context: str | None = None
    alone: bool | None = None
    problem: str | None = None
    scope: str | None = None


class _Known(NamedTuple):
    """What is recorded of a file: the pieces that were put in, and whether the file was made for them."""

    pieces: tuple[str, ...] = ()
    made: bool = False


class _Settings:
    """A program's settings files, and what is recorded of what was put into them.

    Args:
        record_file: the record.
    """

    def __init__(self, record_file: Path) -> None:
        self._record_file = record_file
        self._record = _recorded(record_file)

    def _known(self, path: Path) -> _Known:
        known = self._record.get("files", {}).get(str(path))
        return _Known(tuple(known["pieces"]), known["made"]) if known else _Known()

    def _with_ours(self, path: Path, wanted: Wanted) -> tuple[SettingsChange | None, _Known]:
        name, before, known = str(path), _bytes(path), self._known(path)
        text = None if before is None else _text(before, name)
        wanted = settings.in_its_form(text or "", name, wanted)
        if text is not None and text.strip() and settings.holds(text, name, wanted):
            return None, known
        if text is None or not text.strip():
            done = settings.with_ours(settings.new_text(name, wanted), name, wanted)
            pieces = done.pieces if text is None else (done.text,)  # of a file without content, all is ours
            after = (text or "") + done.text
            return SettingsChange(path, before, after.encode(), added=done.pieces), _Known(pieces, before is None)
        clean, removed = settings.without_ours(text, name, wanted, known.pieces)
        done = settings.with_ours(clean, name, wanted)
        change = SettingsChange(path, before, done.text.encode(), added=done.pieces, removed=removed)
        return change, _Known(done.pieces, known.made)

    def _without_ours(self, path: Path, wanted: Wanted) -> SettingsChange | None:
        name, before, known = str(path), _bytes(path), self._known(path)
        if before is None:
            return None
        text = _text(before, name)
        if not text.strip():
            return None
        left, removed = settings.without_ours(text, name, settings.in_its_form(text, name, wanted), known.pieces)
        if not removed:
            return None
        is_bare = "".join(left.split()) == "".join(settings.new_text(name, wanted).split())
        return SettingsChange(path, before, None if known.made and is_bare else left.encode(), removed=removed)

    def _keep(self, files: dict[str, _Known], made: Sequence[Path], **more: str) -> None:
        """Record what is put in, before it is: after a crash it can be taken out again."""
        folders = dict.fromkeys([*self._record.get("folders", []), *map(str, made)])
        document = {
            "files": {path: {"pieces": known.pieces, "made": known.made} for path, known in files.items()},
            "folders": list(folders),
        }
        _write_record(self._record_file, {**document, **more})

    def _forget(self) -> None:
        """Remove the folders that were made, if they are empty, and the record."""
        for folder in sorted(self._record.get("folders", ()), key=len, reverse=True):
            _remove_if_empty(Path(folder))
        self._record_file.unlink(missing_ok=True)


class Installer(_Settings):
    """Sets memstore up in one program.

    Args:
        env: the process's environment, which says where the settings are.
        agent: the program, a key of `HOSTS`.
    """

    def __init__(self, env: Environment, agent: str) -> None:
        super().__init__(_record_file(env, agent))
        self._env, self._agent, self._host = env, agent, HOSTS[agent]

    def install(self, pinned: PinnedCommand, skill: bytes, *, dry_run: bool = False) -> SetUp:
        """Set memstore up, or change what was set up before.

        Args:
            pinned: the command line that servers and hooks begin with.
            skill: the content of the skill.
            dry_run: change nothing; return what would be changed.

        Raises:
            FormatError: a settings file can't be read; nothing was written.
            RefusedError: there is somebody else's entry, or a file is read-only; nothing was written.
        """
        changes, known = [], {}
        for path, wanted in self._settings(pinned).items():
            change, pieces = self._with_ours(path, wanted)
            known[str(path)] = pieces
            changes += [change] if change else []
        changes += self._skill_change(skill)
        if not dry_run and (changes or not self._record):
            self._keep(known, _missing_folders([change.path for change in changes]), skill=_digest(skill))
            _apply(changes)
        return self._set_up(changes, self._host.notes if changes else ())

    def uninstall(self, *, dry_run: bool = False) -> SetUp:
        """Undo `install`: what it put in is taken out, and what it made is removed, if nobody changed it since.

        Raises:
            FormatError: a settings file can't be read; nothing was written.
        """
        changes, notes = [], []
        for path, wanted in self._all_settings().items():
            change = self._without_ours(path, wanted)
            changes += [change] if change else []
        path = self._skill_file
        now, heirs = _bytes(path), self._sharing_the_skill()
        if now is not None and heirs:
            notes += [f"{path} stays for {HOSTS[heirs[0]].title}"] if changes else []
        elif now is not None and _digest(now) == self._record.get("skill"):
            changes.append(SettingsChange(path, now, None, removed=(now.decode("utf-8", "replace"),)))
        elif now is not None:
            notes.append(f"{path} was changed by somebody else, so it stays")
        if not dry_run:
            _apply(changes)
            if now is not None and heirs and self._record:
                self._leave_skill_to(heirs[0], _digest(now))
            self._forget()
        return self._set_up(changes, notes)

    def served(self) -> ServedProgram | None:
        """Return what the program's settings say of memstore's server; None if it is not set up there."""
        found = [one for file, wanted in self._all_settings().items() if (one := self._served_by(file, wanted))]
        return next((one for one in found if one.root), found[0] if found else None)

    def _served_by(self, file: Path, wanted: Wanted) -> ServedProgram | None:
        if wanted.server is None:
            return None
        try:
            text = _text(_bytes(file) or b"", str(file))
            found = settings.pinned(text, str(file), settings.in_its_form(text, str(file), wanted)) if text else None
        except (FormatError, VaultError) as error:
            return ServedProgram(agent=self._agent, file=file, problem=str(error)) if self._record else None
        if found is None:
            return None
        vault = found.value("--vault")
        return ServedProgram(
            agent=self._agent,
            file=file,
            root=vault,
            entity=found.value("--as"),
            context=found.value("--context"),
            alone="--self" in found.words,
            problem=self._problem(found.program, vault),
        )

    def _problem(self, program: str, vault: str | None) -> str | None:
        """Return why a server can't start, or not show one vault; None if nothing is known against it."""
        if vault is None:
            return "nothing follows --vault, so it names no vault"
        root = self._env._replace(folder=Path()).expanded(vault)
        if not root.is_absolute():
            return f"--vault {vault} depends on the folder that memstore is started in; write its whole path"
        try:
            if not stat.S_ISREG(_mode(Path(program))):
                return f"there is no program at {program}"
            return None if stat.S_ISDIR(_mode(root / SETTINGS_FOLDER)) else f"there is no vault at {vault}"
        except OSError as error:
            return f"{error.filename}: {error.strerror}"

    def _set_up(self, changes: Sequence[SettingsChange], notes: Sequence[str]) -> SetUp:
        return SetUp(agent=self._agent, title=self._host.title, changes=tuple(changes), notes=tuple(notes))

    # -- files -----------------------------------------------------------------------------------------

    def _path(self, name: str) -> Path:
        return _path_of(self._env, self._host, name)

    @property
    def _skill_file(self) -> Path:
        return self._path(self._host.skills) / NAME / SKILL

    def _sharing_the_skill(self) -> list[str]:
        """Return the other programs that memstore is set up in and that read the same skill."""
        return [
            agent
            for agent, host in HOSTS.items()
            if agent != self._agent
            and _path_of(self._env, host, host.skills) / NAME / SKILL == self._skill_file
            and _recorded(_record_file(self._env, agent))
        ]

    def _leave_skill_to(self, agent: str, now: str) -> None:
        """Record as another program's what was made for the skill that both read; `now` is its digest."""
        place = _record_file(self._env, agent)
        record = _recorded(place)
        folders = [one for one in self._record.get("folders", ()) if Path(one) in self._skill_file.parents]
        skill = now if now == self._record.get("skill") else record.get("skill")
        _write_record(place, {**record, "folders": [*record.get("folders", ()), *folders], "skill": skill})

    def _settings(self, pinned: PinnedCommand) -> dict[Path, Wanted]:
        """Return the settings files, and what each is to hold; one file may hold servers and hooks."""
        known = self._record.get("files", {})
        there = [name for name in self._names if os.path.lexists(self._path(name))]
        holding = [name for name in there if self._holds_server(name)] if len(there) > 1 else []
        recorded = [name for name in there if str(self._path(name)) in known]
        name = (holding or recorded or there or self._names)[0]
        return settings_of(self._host._replace(servers=name), pinned, self._path)

    def _all_settings(self) -> dict[Path, Wanted]:
        """Return the settings files by all names that they may have: the program reads each."""
        found: dict[Path, Wanted] = {}
        for name in self._names:
            found |= settings_of(self._host._replace(servers=name), PinnedCommand("", ()), self._path)
        return found

    @property
    def _names(self) -> list[str]:
        """The names of the file that lists servers."""
        return [name for name in (self._host.servers, self._host.also) if name]

    def _holds_server(self, name: str) -> bool:
        path = self._path(name)
        wanted = settings_of(self._host._replace(servers=name), PinnedCommand("", ()), self._path)[path]
        served = self._served_by(path, wanted)
        return served is not None and served.root is not None

    def _skill_change(self, skill: bytes) -> list[SettingsChange]:
        path = self._skill_file
        now = _bytes(path)
        if now == skill:
            return []
        others = [_recorded(_record_file(self._env, agent)) for agent in self._sharing_the_skill()]
        if now is not None and _digest(now) not in {record.get("skill") for record in (self._record, *others)}:
            raise RefusedError(
                f"{path} is somebody else's, or was changed since it was installed; nothing was written",
                hint="move it away, then try again",
            )
        return [
            SettingsChange(path, now, skill, added=(skill.decode(),), removed=() if now is None else (now.decode(),))
        ]


class EditorInstaller(_Settings):
    """Sets the language server up in one text editor.

    Args:
        env: the process's environment, which says where the settings are.
        editor: the editor, a key of `EDITORS`.
    """

    def __init__(self, env: Environment, editor: str) -> None:
        super().__init__(env.state_home / "memstore" / "editors" / f"{editor}.json")
        self._name, self._editor = editor, EDITORS[editor]
        self._path = _path_of(env, self._editor, self._editor.file)

    def install(self, command: Sequence[str], *, dry_run: bool = False) -> EditorSetUp:
        """Let the editor start the server by a command line, or change what was set up before.

        Raises:
            FormatError: the settings file can't be read; nothing was written.
            RefusedError: there is somebody else's entry, or the file is read-only; nothing was written.
        """
        change, known = self._with_ours(self._path, self._editor.wanted(command))
        if change is None:
            return self._set_up()
        if not dry_run:
            self._keep({str(self._path): known}, _missing_folders([self._path]))
            _apply([change])
        return self._set_up(change, notes=self._editor.notes)

    def uninstall(self, *, dry_run: bool = False) -> EditorSetUp:
        """Undo `install`: what it put in is taken out, and what it made is removed.

        Raises:
            FormatError: the settings file can't be read; nothing was written.
        """
        change = self._without_ours(self._path, self._editor.wanted(()))
        stays = change is None and self._known(self._path).pieces and _bytes(self._path) is not None
        if change is not None and not dry_run:
            _apply([change])
        if not dry_run:
            self._forget()
        notes = (f"{self._path} was changed by somebody else, so it stays",) if stays else ()
        return self._set_up(*([change] if change else []), notes=notes)

    def _set_up(self, *changes: SettingsChange, notes: tuple[str, ...] = ()) -> EditorSetUp:
        return EditorSetUp(editor=self._name, title=self._editor.title, changes=changes, notes=notes)


def settings_of(host: Host, pinned: PinnedCommand, path_of: Any) -> dict[Path, Wanted]:
    """Return the settings files of a program, and what each is to hold.

    Args:
        host: the program.
        pinned: the command line that servers and hooks begin with.
        path_of: returns the path of a settings file by its name.
    """
    found = {host.servers: Wanted(servers_at=host.servers_at, newer_at=host.newer_at, server=pinned.server(host))}
    if host.hooks is not None:
        before = found.get(host.hooks, Wanted())
        found[host.hooks] = before._replace(hooks=wanted_hooks(host, pinned), new=dict(host.new_hooks))
    return {path_of(name): wanted for name, wanted in found.items()}


# -- the disk --------------------------------------------------------------------------------------


def _path_of(env: Environment, host: Host | TextEditor, name: str) -> Path:
    """Return the path of a settings file; a variable may name another folder than the usual one."""
    named = env.get(host.variable) if host.variable else None
    if not (named and name.startswith(host.folder)):
        return env.home / name
    folder = env.config_home if host.variable == "XDG_CONFIG_HOME" else env.expanded(named)
    return folder / name.removeprefix(f"{host.folder}/")


def _record_file(env: Environment, agent: str) -> Path:
    return env.state_home / "memstore" / "agents" / f"{agent}.json"


def _write_record(path: Path, document: dict[str, Any]) -> None:
    make_private(path.parent)
    write_whole(path, json.dumps(document, indent=1).encode(), mode=0o600)


def _recorded(path: Path) -> dict[str, Any]:
    """Return what is recorded of a program; nothing if somebody changed the record so that it is none."""
    try:
        document = json.loads(private_bytes(path))
    except (ValueError, RecursionError):
        return {}
    match document:
        case {"files": dict(files), "folders": list(folders)} if all(map(_is_known, files.values())):
            return document if _are_texts(folders) else {}
    return {}


def _is_known(value: object) -> bool:
    match value:
        case {"pieces": list(pieces), "made": bool()}:
            return _are_texts(pieces)
    return False


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(one, str) for one in values)


def _mode(path: Path) -> int:
    """Return the mode of what is at a path; 0 if nothing is there, or can be."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return 0


def _bytes(path: Path) -> bytes | None:
    """Return a file's content; None if there is none, not even a link."""
    try:
        return regular_bytes(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise VaultError(f"{path} can't be read: {error.strerror}; nothing was written") from error


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{name}:{line}: this is not UTF-8; nothing was written", hint="save the file as UTF-8, then try again"
        ) from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _missing_folders(paths: Sequence[Path]) -> list[Path]:
    """Return the folders that have to be made for these files, outermost first."""
    return sorted(
        {parent for path in paths for parent in path.parents if not parent.exists()}, key=lambda one: len(str(one))
    )


_OWNER_WRITES = 0o200


def _apply(changes: Sequence[SettingsChange]) -> None:
    """Make all changes or none: what was written is written back if a later file can't be."""
    for change in changes:
        real = Path(os.path.realpath(change.path))
        if change.before is not None and not real.stat().st_mode & _OWNER_WRITES:
            raise RefusedError(f"{change.path} is read-only; nothing was written", hint=f"chmod u+w {change.path}")
    done: list[SettingsChange] = []
    try:
        for change in changes:
            if _bytes(change.path) != change.before:
                raise ChangedMeanwhileError(f"{change.path} was changed just now", hint="try again")
            _write(change.path, change.after)
            done.append(change)
    except (OSError, MemstoreError) as error:
        for change in reversed(done):
            _write(change.path, change.before)
        if isinstance(error, OSError):
            raise VaultError(f"{error.filename or 'a file'}: {error.strerror}; nothing was written") from error
        raise


def _write(path: Path, data: bytes | None) -> None:
    real = Path(os.path.realpath(path))  # a link stays a link
    if data is None:
        real.unlink(missing_ok=True)
        return
    real.parent.mkdir(parents=True, exist_ok=True)
    write_whole(real, data)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError, ValueError):  # somebody keeps something there, it is gone, or no folder has such a name
        folder.rmdir()
