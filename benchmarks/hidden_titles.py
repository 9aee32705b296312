"""How often the guard of pushes refuses a push whose words only happen to be the title of something hidden.

Usage: python benchmarks/hidden_titles.py FOLDER

FOLDER has folders of notes, each a repository. Every note is a push of its own: its message is its title and first
lines, its path is its own. The hidden memories have nothing to do with the notes, so each refusal is a false one.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

from memstore.access.hidden_names import KNOWN_BY, Finder, hidden_name_of, words_of
from memstore.core.places import NOTE_SUFFIXES
from memstore.files import plain_note

HIDDEN = (
    "Tea", "Ideas", "Budget", "Journal", "Health", "Family", "Books", "Meeting notes", "Reading list", "Weekly review",
    "Gift ideas", "Project plan", "Salary", "Divorce", "Passwords", "Bella", "Dentist", "What to do next",
    "Talk with Tom", "Things I want to say to my sister",
)  # fmt: skip
PUSHES = 1000
LINES = 5


def pushes_of(folder: Path) -> list[tuple[str, str, Finder]]:
    """Return the pushes of a folder of notes: path, message, and the finder with what its readers know."""
    files = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.suffix in NOTE_SUFFIXES}
    used = Counter(word for data in files.values() for word in {*words_of(data.decode(errors="replace"))})
    names = [name for title in HIDDEN for name in hidden_name_of("", "", title, ())]
    finder = Finder(names, is_known=lambda word: used[word] >= KNOWN_BY)
    found = []
    for path, data in files.items():
        inside = path.relative_to(folder).as_posix()
        memory = plain_note.note(inside, data)[1]
        lines = [line for line in memory.body.splitlines() if line.strip()][:LINES]
        found.append((inside, "\n".join([f"Add {memory.title}", "", *lines]), finder))
    return found


def main(folder: Path) -> None:
    """Print how many pushes are refused, and each with what it was refused for."""
    pushes = [push for place in sorted(folder.iterdir()) if place.is_dir() for push in pushes_of(place)]
    drawn = random.Random(1).sample(pushes, min(PUSHES, len(pushes)))  # noqa: S311 - the same each time
    refused = 0
    for path, message, finder in drawn:
        found = [*finder.in_text(message), *finder.in_path(path, also_short=False)]
        refused += bool(found)
        for name in found:
            print(f"{path}: {name.text}")
    print(f"{refused} of {len(drawn)} pushes refused, with {len(HIDDEN)} hidden titles")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
