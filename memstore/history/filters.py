"""What git does to files on their way into its objects and out of them, as their attributes say (gitattributes).

Filters such as git-crypt's and git-lfs's are programs. Those that a person's own settings of git name run as git runs
them; one that a repository's settings name runs only if the person has approved its exact command lines
(docs/adr/0045). Where no attribute could change a byte, no process is started to ask.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import GitError, RefusedError
from memstore.files.local_state import find_repository
from memstore.files.memory_file import is_stored_form
from memstore.history import git_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from subprocess import CompletedProcess

    from memstore.history.git_process import GitProcess

# Attributes that change a file both ways, and those that change only the ends of its lines, where it has others.
_CHANGES = re.compile(rb"^[ \t]*(?!#)[^\n]*[ \t](?:filter|working-tree-encoding|eol|ident)\b", re.MULTILINE)
_LINE_ENDS = re.compile(rb"^[ \t]*(?!#)[^\n]*[ \t](?:text|crlf|eol)\b", re.MULTILINE)
# What settings of git must say for more than the files of attributes to count.
_CONVERTS = re.compile(rb"attributesfile|autocrlf|\beol\b|\[\s*include", re.IGNORECASE)
_ASKED = ("filter", "working-tree-encoding", "ident", "text", "eol", "crlf")
# How a memory begins; what a filter encrypted never does.
_FENCE = b"---"
_NO_VALUE = frozenset({"unspecified", "unset", "set", ""})
_OWN_SCOPES = frozenset({"system", "global"})
_SYSTEM_SETTINGS = ("/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
_SYSTEM_ATTRIBUTES = ("/etc/gitattributes", "/usr/local/etc/gitattributes", "/opt/homebrew/etc/gitattributes")
_ATTRIBUTES = ".gitattributes"


class Treatment(NamedTuple):
    """What git does to a file: the filter it names, empty for none; and whether its encoding or text is converted.

    `ends` tells whether line ends are converted only where git has none of the kind already.
    """

    filter: str = ""
    converts: bool = False
    ends: bool = False


class _Driver(NamedTuple):
    """A filter's command lines by their kind, and whether all of them are the person's own settings."""

    lines: Mapping[str, str]
    is_own: bool

    @property
    def approval(self) -> str:
        """What a person approves: every command line."""
        return "; ".join(f"{kind}: {line}" for kind, line in sorted(self.lines.items()) if line)


class GitFilters:
    """The filters of one repository.

    Args:
        git: runs git at the top of its work tree.
        folders: the git folders, where its own attributes and settings are.
        approved: returns the command lines that the person approved, by filter.
    """

    def __init__(
        self, git: GitProcess, folders: Collection[Path], approved: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        self._git, self._folders, self._approved = git, folders, approved
        self._known: dict[str, Treatment] = {}
        self._texts: dict[str, bytes] = {}
        self._written: dict[tuple[str, bytes], str] = {}

    # -- what attributes say -----------------------------------------------------------------------

    def treatments(self, paths: Iterable[str]) -> Mapping[str, Treatment]:
        """Return what git does to files that it changes, by path from the repository's top; others are left out."""
        asked = [*dict.fromkeys(paths)]
        if not self._may_change(asked, _CHANGES):
            return {}
        self._ask(asked)
        return {path: found for path in asked if (found := self._known[path]) and (found.filter or found.converts)}

    def may_convert(self, paths: Iterable[str]) -> bool:
        """Return whether any file of attributes could make git store one of these files otherwise than it is."""
        asked = [*paths]
        return self._may_change(asked, _CHANGES) or self._may_change(asked, _LINE_ENDS)

    def readable(self, paths: Iterable[str]) -> Mapping[str, Treatment]:
        """Return the same of the files that can be read through filters: those that are defined here."""
        known = {"", *self._drivers} if (found := self.treatments(paths)) else ()
        return {path: treatment for path, treatment in found.items() if treatment.converts or treatment.filter in known}

    @property
    def may_be_used(self) -> bool:
        """Whether any file of attributes that was looked at could change a file."""
        return self._may_change([], _CHANGES) or any(_CHANGES.search(text) for text in self._texts.values())

    @property
    def state(self) -> str:
        """A text that changes if files may be read otherwise than before."""
        return repr(sorted(self._drivers.items())) if self.may_be_used else ""

    def _may_change(self, paths: Iterable[str], what: re.Pattern[bytes]) -> bool:
        """Whether any file of attributes that counts for these paths could change a file."""
        if self._converts_all or any(what.search(text) for text in self._shared):
            return True
        folders = {path.rpartition("/")[0] for path in paths}
        return any(what.search(self._text_in(folder)) for folder in self._with_parents(folders))

    @staticmethod
    def _with_parents(folders: Iterable[str]) -> Iterator[str]:
        seen = {""}
        yield ""
        for folder in folders:
            while folder not in seen:
                seen.add(folder)
                yield folder
                folder = folder.rpartition("/")[0]  # noqa: PLW2901 - up to the top, or a folder seen before

    def _text_in(self, folder: str) -> bytes:
        if folder not in self._texts:
            self._texts[folder] = _bytes(self._git.folder / folder / _ATTRIBUTES)
        return self._texts[folder]

    @cached_property
    def _shared(self) -> tuple[bytes, ...]:
        """The texts of attributes that count for all paths."""
        home = Path(self._git.environ.get("XDG_CONFIG_HOME") or Path(self._git.environ.get("HOME", "/"), ".config"))
        places = [folder / "info" / "attributes" for folder in self._folders]
        return tuple(map(_bytes, [*places, home / "git" / "attributes", *map(Path, _SYSTEM_ATTRIBUTES)]))

    @cached_property
    def _converts_all(self) -> bool:
        """Whether settings of git may convert files that no attribute in the repository names.

        Only if their text has a word for it, git is asked.
        """
        environ = self._git.environ
        home = Path(environ.get("HOME", "/"))
        own = [home / ".gitconfig", Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "git" / "config"]
        own = [Path(environ["GIT_CONFIG_GLOBAL"])] if environ.get("GIT_CONFIG_GLOBAL") else own
        system = [environ["GIT_CONFIG_SYSTEM"]] if environ.get("GIT_CONFIG_SYSTEM") else _SYSTEM_SETTINGS
        local = [folder / name for folder in self._folders for name in ("config", "config.worktree")]
        if not any(_CONVERTS.search(_bytes(Path(place))) for place in (*own, *system, *local)):
            return False
        done = self._git.attempt(
            "config", "-z", "--get-regexp", r"^core\.(autocrlf|eol|attributesfile)$", as_set=("core.attributesFile",)
        )
        said = dict(pair.partition("\n")[::2] for pair in os.fsdecode(done.stdout).split("\0"))
        return any(value.lower() not in ("", "false", "lf", "native") for value in said.values())

    @cached_property
    def _checks_out_crlf(self) -> bool:
        done = self._git.attempt("config", "-z", "--get-regexp", r"^core\.(autocrlf|eol)$")
        said = dict(pair.partition("\n")[::2] for pair in os.fsdecode(done.stdout).lower().split("\0"))
        return said.get("core.autocrlf") in ("true", "1", "yes", "on") or said.get("core.eol") == "crlf"

    def _ask(self, paths: Iterable[str]) -> None:
        missing = [path for path in paths if path not in self._known]
        if not missing:
            return
        data = b"".join(os.fsencode(path) + b"\0" for path in missing)
        # In a work tree, git reads the attributes there, and those of the index where a file of them is missing.
        words = ("check-attr", "-z", "--stdin", *_ASKED)
        printed = os.fsdecode(self._as_set(*words, data=data).stdout).split("\0")
        said: dict[str, dict[str, str]] = {path: {} for path in missing}
        for path, name, value in zip(printed[::3], printed[1::3], printed[2::3], strict=False):
            said[path][name] = value
        for path, values in said.items():
            self._known[path] = self._treatment(values)

    def _treatment(self, values: Mapping[str, str]) -> Treatment:
        text, eol, crlf = (values.get(name, "unspecified") for name in ("text", "eol", "crlf"))
        name = values.get("filter", "")
        is_other = values.get("working-tree-encoding", "") not in _NO_VALUE or values.get("ident") == "set"
        is_text = text != "unset" and crlf != "unset"
        return Treatment(
            "" if name in _NO_VALUE else name,
            is_other or (is_text and (eol == "crlf" or (eol != "lf" and self._converts_all and self._checks_out_crlf))),
            is_text and not is_other and (text == "auto" or {text, eol, crlf} == {"unspecified"}),
        )

    # -- drivers -----------------------------------------------------------------------------------

    @cached_property
    def _drivers(self) -> Mapping[str, _Driver]:
        done = self._git.attempt("config", "-z", "--show-scope", "--get-regexp", r"^filter\.")
        fields = os.fsdecode(done.stdout).split("\0")[:-1]
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for scope, pair in zip(fields[::2], fields[1::2], strict=False):
            key, _, value = pair.partition("\n")
            name, _, kind = key.removeprefix("filter.").rpartition(".")
            found.setdefault(name, {})[kind] = (scope, value)  # the last one counts
        drivers: dict[str, _Driver] = {}
        for name, said in found.items():
            lines = {kind: said[kind] for kind in ("clean", "smudge", "process") if kind in said}
            is_own = all(scope in _OWN_SCOPES for scope, line in lines.values() if line)
            drivers[name] = _Driver({kind: line for kind, (_, line) in lines.items()}, is_own)
        return drivers

    def is_defined(self, name: str) -> bool:
        """Return whether git's settings here define a filter."""
        return name in self._drivers

    def refuse_unapproved(self, name: str, path: str) -> None:
        """Raise `RefusedError` if a filter that the repository's own settings name was not approved as it is now."""
        driver = self._drivers.get(name)
        if driver is None or driver.is_own or self._approved().get(name) == driver.approval:
            return
        import shlex

        raise RefusedError(
            f"the filter {name} of {path} is a program that this repository's own git settings name, and it was not "
            f"approved: {driver.approval}",
            hint=f"if you know it: memstore config --user {shlex.quote(f'filters.{name}')} "
            f"{shlex.quote(driver.approval)}",
        )

    # -- in and out --------------------------------------------------------------------------------

    def refuse_missing(self, path: str) -> None:
        """Raise `RefusedError` if the filter that a file needs is missing, or was not approved."""
        if treatment := self.treatments([path]).get(path):
            if treatment.filter and not self.is_defined(treatment.filter):
                raise RefusedError(
                    f"{path} has the attribute filter={treatment.filter}, and git's settings define no such filter",
                    hint=_how_to_define(treatment.filter),
                )
            if treatment.filter:
                self.refuse_unapproved(treatment.filter, path)

    def changed(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return those of these files that git would not store as they are."""
        found = {*self.treatments(files)}
        ends = {path for path, data in files.items() if b"\r\n" in data}
        if ends and self._may_change(ends, _LINE_ENDS):
            self._ask(ends)
            found |= ends
        return {path: files[path] for path in found if path not in ends or not self._keeps_ends(path)}

    def _keeps_ends(self, path: str) -> bool:
        """Whether git leaves line ends alone where its own copy has the same; `hash-object` doesn't look at that."""
        treatment = self._known.get(path, Treatment())
        if treatment.filter or not treatment.ends:
            return False
        return b"\r\n" in self._git.attempt("cat-file", "blob", f":{path}").stdout

    def stored(self, path: str, data: bytes, *, write: bool) -> str:
        """Return the blob that git makes of bytes at a path, and write it if asked to."""
        if (path, data) in self._written:
            return self._written[path, data]
        self.refuse_missing(path)
        words = ("hash-object", *(["-w"] if write else []), "--stdin", f"--path={path}")
        done = self._as_set(*words, data=data)
        if done.returncode != 0:
            raise RefusedError(
                f"{path} can't be stored as its attributes say: {_words(done)}",
                hint=f"git check-attr -a -- {path} shows what they say; git add {path} would fail, too",
            )
        blob = done.stdout.decode().strip()
        if write:
            self._written[path, data] = blob
        return blob

    def text_of(self, path: str, data: bytes) -> bytes:
        """Return what git would check out at a path of bytes that it stores; of a merge, it has no blob to ask for."""
        words = ("hash-object", "-w", "--no-filters", "--stdin")
        blob = self._git.run(*words, data=data).decode().strip()
        return dict(self.read({blob: path}))[blob]

    def stored_bytes(self, path: str, text: bytes) -> bytes:
        """Return the bytes that git stores of a text at a path."""
        return self._git.run("cat-file", "blob", self.stored(path, text, write=True))

    def read(self, blobs: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
        """Yield blobs as git would check them out, with their ids; missing ones are left out.

        Args:
            blobs: a path of each.

        Raises:
            RefusedError: a filter was not approved.
            GitError: a filter failed.
        """
        if not blobs:
            return
        for path, treatment in self.treatments(blobs.values()).items():
            self.refuse_unapproved(treatment.filter, path)
        printed = self._git.run("cat-file", "--batch-check", data="".join(f"{blob}\n" for blob in blobs).encode())
        there = (line.split() for line in printed.decode().splitlines())
        blobs = {words[0]: blobs[words[0]] for words in there if words[1:2] == ["blob"]}
        odd: dict[str, bytes] = {}
        for blob, text in self._checked_out(blobs):
            if text.startswith(_FENCE) or not self._known[blobs[blob]].filter:
                yield blob, text
            else:
                odd[blob] = text
        if not odd:
            return
        # A version from before its file had the filter is no text any more once it went through that.
        asked = "".join(f"{blob}\n" for blob in odd).encode()
        for blob, data in git_objects.batch(self._git.run("cat-file", "--batch", data=asked)):
            yield blob, data if data.startswith(_FENCE) else odd[blob]

    def _checked_out(self, blobs: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
        """Yield blobs that exist as filters return them; `blobs` has a path of each."""
        plain = {blob: path for blob, path in blobs.items() if "\n" not in path and path.strip() == path}
        mark = os.urandom(16).hex()
        asked = "".join(f"{blob} {path}\n" for blob, path in plain.items())
        words = ("cat-file", f"--batch={mark} %(objectname)", "--filters", "--buffer")
        done = self._as_set(*words, data=os.fsencode(asked)) if plain else None
        left = dict(blobs)
        if done is not None and done.returncode == 0:
            for part in done.stdout.split(f"{mark} ".encode())[1:]:
                name, _, data = part.partition(b"\n")
                left.pop(name.decode())
                yield name.decode(), data[:-1]
        for object_id, path in left.items():
            yield object_id, self._read_one(object_id, path)

    def _as_set(self, *arguments: str, data: bytes = b"") -> CompletedProcess[bytes]:
        """Run git with attributes and language as the person and the system set them."""
        env = {"GIT_ATTR_NOSYSTEM": "0", "LC_ALL": ""}
        return self._git.attempt(*arguments, data=data, env=env, as_set=("core.attributesFile",))

    def _read_one(self, blob: str, path: str) -> bytes:
        done = self._as_set("cat-file", "--filters", f"--path={path}", blob)
        if done.returncode == 0:
            return done.stdout
        data = self._git.run("cat-file", "blob", blob)
        if is_stored_form(data) or data.startswith(_FENCE):  # its key is not here; or it is from before the filter
            return data
        raise GitError(
            f"{path} can't be read as its attributes say: {_words(done)}",
            hint=f"git check-attr -a -- {path} shows what they say",
        )


def filters_around(
    top: Path, environ: Mapping[str, str], approved: Callable[[], Mapping[str, str]] = dict
) -> GitFilters | None:
    """Return the filters of the repository whose work tree is at `top`, for hooks; None if there is none."""
    from memstore.history.git_process import GitProcess

    folders = find_repository(top)
    if folders is None:
        return None
    git = GitProcess(top, environ, in_hook=True)
    return GitFilters(git, {folders.git_dir, folders.common_dir}, approved)


def filtered_in(git: GitProcess, commits: Iterable[str], paths: Collection[str]) -> frozenset[str]:
    """Return those of these paths for which the attributes of any of these commits name a filter.

    Nothing of a work tree counts, so that it holds on a server, too.
    """
    from tempfile import TemporaryDirectory

    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    found: set[str] = set()
    for commit in dict.fromkeys(commits):
        words = ("grep", "-q", "-e", "filter=", commit, "--", f":(top,glob)**/{_ATTRIBUTES}")
        if git.attempt(*words, env={"GIT_LITERAL_PATHSPECS": "0"}).returncode != 0:
            continue
        with TemporaryDirectory() as scratch:
            env = {"GIT_INDEX_FILE": str(Path(scratch, "index"))}
            git.run("read-tree", commit, env=env)
            printed = git.run("check-attr", "--cached", "-z", "--stdin", "filter", data=asked, env=env)
        fields = os.fsdecode(printed).split("\0")
        found |= {path for path, value in zip(fields[::3], fields[2::3], strict=False) if value not in _NO_VALUE}
    return frozenset(found)


def without_filters(git: GitProcess) -> dict[str, str]:
    """Return variables with which git checks files out as they are stored, through no filter of its settings."""
    from memstore.history.git_process import set_by_variables

    told = os.fsdecode(git.attempt("config", "-z", "--name-only", "--get-regexp", r"^filter\.").stdout)
    drivers = sorted({key.rpartition(".")[0] for key in told.split("\0")[:-1]})
    off = (("smudge", ""), ("process", ""), ("required", "false"))
    return set_by_variables([(f"{driver}.{kind}", value) for driver in drivers for kind, value in off])


def may_be_filtered(root: Path, path: str) -> bool:
    """Return whether a file of attributes around a file of the vault at `root` has a filter; no process is started."""
    folders = find_repository(root)
    if folders is None:
        return False
    near = [root / up for up in PurePosixPath(path).parents]
    above = [] if (root / ".git").exists() else [*root.parents]
    places = [*(folder / _ATTRIBUTES for folder in (*near, *above)), folders.common_dir / "info" / "attributes"]
    return any(b"filter=" in _bytes(place) for place in places)


def is_attributes_file(path: str) -> bool:
    """Return whether a path is that of a file of attributes."""
    return f"/{path}".endswith(f"/{_ATTRIBUTES}")


def _how_to_define(name: str) -> str:
    if name == "git-crypt":
        return "git-crypt unlock brings the key, and with it the filter"
    if name == "lfs":
        return "git lfs install defines it"
    return f"git config --global filter.{name}.clean COMMAND defines it; or take the attribute out of {_ATTRIBUTES}"


def _words(done: CompletedProcess[bytes]) -> str:
    lines = os.fsdecode(done.stderr).strip().splitlines()
    return "; ".join(lines) or f"git ended with exit code {done.returncode}"


def _bytes(place: Path) -> bytes:
    try:
        return place.read_bytes() if place.is_file() else b""
    except OSError:
        return b""
