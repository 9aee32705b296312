"""A vault of Sean's to be attacked: made once, and copied for each attack."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from tests.whole.program import Program
from tests.whole.test_widening_attacks import Attacked

if TYPE_CHECKING:
    from collections.abc import Callable

# No hook of git's: what somebody does who does not want to be checked.
UNSEEN = ("-c", "core.hooksPath=/dev/null")


class Victim(Attacked):
    """A copy of a vault in which Claire is Bella's guardian, called in this process.

    `told` is about Bella, told by Claire, and granted to nobody else; `plain` is Sean's own; `shown` is granted to Ash.

    Args:
        home: the copied home.
        made: the vault that was copied.
        shown: the path of what is shown to Ash.
    """

    def __init__(self, home: Path, made: Attacked, shown: str) -> None:
        Program.__init__(self, home)
        self.told, self.plain, self.shown = made.told, made.plain, shown

    def seen_by(self, who: str) -> set[str]:
        """Return the paths of all that somebody sees."""
        return {one["path"] for one in self.json("--as", who, "list", "--status", "all")["memories"]}

    def text(self, path: str) -> str:
        """Return what stands in a file."""
        return (self.vault / path).read_text()

    def write(self, path: str, text: str) -> None:
        """Write a file as an editor does."""
        place = self.vault / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def unseen(self, message: str = "unseen") -> None:
        """Commit all, with no hook looking."""
        self.git("add", "-A")
        self.git(*UNSEEN, "commit", "-qm", message)

    def codes(self, *words: str) -> set[str]:
        """Return the codes of what a check finds."""
        return {one["code"] for one in self.found_by(*words)}

    def found_by(self, *words: str) -> list[dict[str, str]]:
        """Return what a check finds."""
        done = self.run("--json", *(words or ("check",)))
        assert done.returncode in (0, 1), done
        found: list[dict[str, str]] = json.loads(done.stdout)["findings"]
        return found


def victims() -> Callable[[Path], Victim]:
    """Make a vault, and return what copies it into a folder."""
    folder = Path(mkdtemp(prefix="memstore-attacked-"))
    made = Attacked(folder)
    shown = made.added("Ash walks at nine.", "--access", "si:ash")
    made.saved("shown")
    made.git("branch", "-M", "main")

    def copied(home: Path) -> Victim:
        shutil.copytree(folder, home, symlinks=True)
        victim = Victim(home, made, shown)
        victim.ok("check")  # what is wider later is told
        return victim

    return copied
