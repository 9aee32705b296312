"""What the blobs of a push say of who may see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.access.label_reader import LabelReader
from memstore.access.world import BlobLabels, Labels
from memstore.core.catalog import FileKind
from memstore.core.errors import SealedError
from memstore.core.ids import ID_ALPHABET, ID_RANDOM_CHARACTERS
from memstore.core.places import is_sealed_path
from memstore.files.plain_note import MOST_BYTES_TO_CLAIM
from memstore.history.outgoing import each_object

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from memstore.files.vault import Opener
    from memstore.history.filters import GitFilters
    from memstore.history.git_process import GitProcess

_UNREAD = BlobLabels(FileKind.BROKEN)
# An id of memstore's in front matter that is written so oddly that the file is a plain note: in TOML, in capitals, in
# braces, on a line of its own. The guard doesn't take it for one.
_CLAIMED_ID = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?P<fence>---|\+\+\+)(?:(?!^(?P=fence)).)*?\bid\b[^\w\n]*(?:\n[^\w\n]*)?(?:str\s+[^\w\n]*)?"
    + rf"(?P<id>m_[{ID_ALPHABET}]{{{ID_RANDOM_CHARACTERS}}})\b".encode(),
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


class Blobs:
    """What blobs say of who may see them: kept, or read from the repository.

    Args:
        git: the repository.
        kept: what is known already, by blob.
        mixed: whether the vault holds notes of other programs.
        opener: returns what opens sealed files.
        filters: what git does to files; None on a server, which has no work tree, nor keys.
        filtered: paths of the repository that a filter changes, as far as the commits of the push say.
        prefix: the vault's folder in the repository.
    """

    def __init__(
        self,
        git: GitProcess,
        kept: Mapping[str, BlobLabels],
        *,
        mixed: bool,
        opener: Callable[[], Opener],
        filters: GitFilters | None = None,
        filtered: Collection[str] = (),
        prefix: str = "",
    ) -> None:
        self._git = git
        self._filters, self._filtered, self._prefix = filters, filtered, prefix
        self._mixed = mixed
        self._reader = LabelReader(mixed=mixed)
        self._opener = opener
        self._kept = kept
        self.found = {key.removesuffix("+"): one for key, one in kept.items() if key.endswith("+") == mixed}
        self._sealed: set[str] = set()
        self.is_new = False

    @property
    def kept(self) -> Mapping[str, BlobLabels]:
        """What may be kept: nothing of sealed files, which other keys may open, or none, nor of what was forgotten."""
        end = "+" if self._mixed else ""
        new = {f"{blob}{end}": found for blob, found in self.found.items() if blob not in self._sealed}
        known = {**self._kept, **new}
        gone = {one.labels.id for one in known.values() if one.labels and one.labels.status == "forgotten"}
        if not gone:
            return known
        return {blob: one for blob, one in known.items() if not (one.labels and one.labels.id in gone)}

    def read(self, paths: Mapping[str, str]) -> None:
        """Read blobs that are not known yet; `paths` has a path of each."""
        missing = {blob: path for blob, path in paths.items() if blob not in self.found}
        for blob, data in self.texts(missing):
            if data is None:
                self.found[blob] = _UNREAD
                self._sealed.add(blob)  # somebody else may read it
            else:
                self.give(blob, paths[blob], data)

    def bytes_of(self, files: Mapping[str, str]) -> dict[str, bytes]:
        """Return the bytes of files, given by path and blob; what can't be read says nothing."""
        found = dict(self.texts({blob: path for path, blob in files.items() if blob}))
        return {path: found.get(blob) or b"" for path, blob in files.items()}

    def texts(self, paths: Mapping[str, str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield blobs as people read them; None for one that a filter changed which is not here."""
        places = {blob: self._prefix + path for blob, path in paths.items()}
        named = self._filters.treatments(places.values()) if self._filters else {}
        readable = self._filters.readable(named) if self._filters and named else {}
        closed = {path for path, one in named.items() if one.filter} | {*self._filtered}
        through = {blob: path for blob, path in places.items() if path in readable}
        if through and self._filters:
            yield from self._filters.read(through)
        plain = [blob for blob, path in places.items() if blob not in through and path not in closed]
        for blob, found in each_object(self._git, plain):
            yield blob, found.data
        yield from ((blob, None) for blob, path in places.items() if blob not in through and path in closed)

    def give(self, blob: str, path: str, data: bytes) -> BlobLabels:
        """Return what a blob with these bytes says."""
        if blob not in self.found:
            said = self._reader.read(path, self._opened(blob, path, data))
            if said.kind is FileKind.PLAIN and (claimed := _CLAIMED_ID.match(data[:MOST_BYTES_TO_CLAIM])):
                said = BlobLabels(FileKind.BROKEN, (), Labels(id=claimed["id"].decode(), malformed=True))
            self.found[blob] = said
            self.is_new = blob not in self._sealed or self.is_new
        return self.found[blob]

    def _opened(self, blob: str, path: str, data: bytes) -> bytes:
        if not is_sealed_path(path):
            return data
        self._sealed.add(blob)
        try:
            return self._opener().opened(path, data)
        except SealedError:
            from memstore.files.age_file import MAGIC  # few pushes have any

            return MAGIC  # neither what it says is known, nor whether it is sealed

    def __getitem__(self, blob: str) -> BlobLabels:
        return self.found.get(blob, _UNREAD)
