"""Line numbers of a file's bytes: what `sed -n 'START,ENDp'` would print."""

from __future__ import annotations


class LineMap:
    """A file by line; lines count from 1 and end with a line feed, CRLF or not."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.split(b"\n")

    @property
    def line_count(self) -> int:
        """The number of lines; an empty last one after a final line feed does not count."""
        return len(self._lines) - (not self._lines[-1])

    def excerpt(self, line_start: int, line_end: int) -> str:
        """Return the text of the lines, both inclusive, without the line feed that ends the last one.

        Raises:
            ValueError: the file has no such lines.
        """
        if not 1 <= line_start <= line_end <= self.line_count:
            raise ValueError(f"lines {line_start} to {line_end} of {self.line_count}")
        return b"\n".join(self._lines[line_start - 1 : line_end]).decode()
