"""Which commits of a shared stack may be sent: all files are as `memstore share` wrote them, for those who read there.

A stack's manifest is the label of everything in it (docs/adr/0040), so it decides here as it does where it is read. The
other files are compared with what `share` writes, because anything could stand in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access import stack as stacks
from memstore.access.audience import Readers, in_a_sentence, readers
from memstore.access.label_reader import LabelReader
from memstore.access.world import Labels
from memstore.core.catalog import FileKind
from memstore.core.config import CONFIG_PATH, QUALITY_PROFILES
from memstore.core.digests import digest_of
from memstore.core.errors import FormatError
from memstore.core.places import ATTRIBUTES, MANIFEST
from memstore.history.outgoing import objects, tree_of_commit
from memstore.trust.allowed_signers import lines_of, read_revoked, read_signers
from memstore.trust.keyring import ALLOWED_SIGNERS, REVOKED_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.stack import Stack, StackMemory
    from memstore.access.world import World
    from memstore.history.git_process import GitProcess

# A path, if it is about one; the reason; and its code.
Fault = tuple[str | None, str, str]

_NOT_SHARED = "it is not what memstore share writes into a stack"


class PushedStacks:
    """Judges commits of stacks.

    Args:
        git: the repository.
        audience: who reads the remote, as somebody declared it.
        world: the registries that say who is in a group; None takes those of each manifest.
        now: the time, UTC.
    """

    def __init__(self, git: GitProcess, audience: Sequence[str], world: World | None, now: datetime) -> None:
        self._git = git
        self._audience = audience
        self._world = world
        self._now = now
        self._latest: dict[tuple[str, str], Stack] = {}  # by id and recipient
        # Commits share most of their files: each is read, and compared with its line in the manifest, once.
        self._data: dict[str, bytes] = {}
        self._sound: set[tuple[StackMemory, bytes, str]] = set()
        self.ids: set[str] = set()  # of all memories in stacks that were judged

    def faults(self, commit: str, prefix: str = "") -> Iterator[Fault]:
        """Yield why a commit may not be sent; of a stack's commits, the latest is asked first.

        Whoever joins a group gets its stack with the history that it has by then: `share --update` begins a new one
        where not all of it is for them. So the latest manifest says who the members are.

        Args:
            commit: the commit.
            prefix: the stack's folder in the repository.
        """
        tree = {path.removeprefix(prefix): blob for path, blob in tree_of_commit(self._git, commit).items()
                if path.startswith(prefix)}  # fmt: skip
        unread = objects(self._git, {*tree.values()} - self._data.keys())
        self._data |= {blob: read.data for blob, read in unread.items()}
        files = {path: self._data[blob] for path, blob in tree.items() if blob in self._data}
        if MANIFEST not in files:
            yield None, "it is not a commit of a shared stack", "push-stack"
            return
        try:
            stack = stacks.read(files[MANIFEST])
        except FormatError as error:
            yield f"{prefix}{MANIFEST}", str(error), "push-broken"
            return
        self.ids |= {one.id for one in stack.memories}
        latest = self._latest.setdefault((stack.id, stack.to), stack)
        readers_here = self._readers(latest)
        if denial := readers_here.denial(Labels("stack", owner=stack.by, access_grants=(stack.to,))):
            yield None, f"the stack {stack.name} is for {stack.to}; {_named(denial.who)} may not see it", "push-stack"
            return
        for path, reason, code in (*_own_faults(stack, files), *self._memory_faults(stack, files, readers_here)):
            yield f"{prefix}{path}", reason, code

    def _readers(self, stack: Stack) -> Readers:
        names = self._audience if self._world is None else readers(self._world, self._audience, self._now)
        return Readers(stack.world(), names, self._now)

    def _memory_faults(
        self, stack: Stack, files: Mapping[str, bytes], readers_here: Readers
    ) -> Iterator[tuple[str, str, str]]:
        reader = LabelReader(mixed=stack.notes == "mixed")
        for one in stack.memories:
            data = files.get(one.path)
            is_known = data is not None and (one, data, stack.notes) in self._sound
            if data is None or not (is_known or digest_of(data) == one.file):
                yield one.path, "it is not as the stack's manifest says", "push-broken"
                continue
            if not (is_known or _is_of_kind(one, reader, data)):
                yield one.path, "the stack's manifest says that it is something else", "push-broken"
                continue
            self._sound.add((one, data, stack.notes))
            if one.id and (denial := readers_here.denial(stack.label(Labels(one.id), self._now))):
                yield one.path, f"{_named(denial.who)} may see it no longer", "push-stack"


def _is_of_kind(one: StackMemory, reader: LabelReader, data: bytes) -> bool:
    found = reader.read(one.path, data)
    match found.kind:
        case FileKind.MEMORY:
            return found.labels is not None and found.labels.id == one.id
        case FileKind.PLAIN:
            return not one.id
        case kind:
            return kind is FileKind.SEALED and bool(one.id)


def _own_faults(stack: Stack, files: Mapping[str, bytes]) -> Iterator[tuple[str, str, str]]:
    """Yield the files that neither the manifest lists nor `share` writes like this."""
    shared = {
        MANIFEST: [stacks.written(stack)],
        CONFIG_PATH: [stacks.settings_file(stack, profile) for profile in QUALITY_PROFILES],
        ATTRIBUTES: [stacks.attributes_file(stack)],
    }
    listed = {one.path for one in stack.memories}
    for path, data in files.items():
        if path in (ALLOWED_SIGNERS, REVOKED_KEYS):
            problems = (read_signers if path == ALLOWED_SIGNERS else read_revoked)(data)[1]
            has_more = b"".join(f"{line}\n".encode(errors="replace") for _, line in lines_of(data)) != data
            if problems or has_more:
                yield path, _NOT_SHARED, "push-no-memory"
        elif path not in listed and data not in shared.get(path, ()):
            yield path, _NOT_SHARED, "push-no-memory"


def _named(who: Sequence[str]) -> str:
    return in_a_sentence(who) or "somebody there"
