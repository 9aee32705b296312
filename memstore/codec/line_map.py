"""Line numbers of a file's bytes: what `sed -n 'START,ENDp'` would print."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class LineMap:
    """Places in a file by line; lines count from 1 and end with a line feed, CRLF or not."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._starts = [0, *accumulate(len(line) for line in data.split(b"\n") if True)]
        self._starts = [start + i for i, start in enumerate(self._starts[:-1])]

    @property
    def line_count(self) -> int:
        """The number of lines; an empty last one after a final line feed does not count."""
        return len(self._starts) - (self.data.endswith(b"\n") or not self.data)

    def line_of(self, offset: int) -> int:
        """Return the line that holds the byte at `offset`, from 0."""
        return bisect_right(self._starts, offset)

    def excerpt(self, line_start: int, line_end: int) -> str:
        """Return the text of the lines, both inclusive, without the line feed that ends the last one."""
        start = self._starts[line_start - 1]
        end = self._starts[line_end] - 1 if line_end < len(self._starts) else len(self.data)
        return self.data[start:end].decode()
