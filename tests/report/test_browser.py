"""The page in a real browser: nothing is refused or fails, the filter works, and what is hidden stays out.

Debian's `chromium` is used where it is installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.installed import ROOT
from tests.report.pages import HOSTILE, PageParts, write
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

BROWSER = shutil.which("chromium")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no chromium here: apt-get install chromium")
# It starts nothing that needs a network, a screen or a desktop.
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--enable-logging=stderr", "--v=0", "--virtual-time-budget=4000",
)  # fmt: skip


class Seen(NamedTuple):
    """A page after its script has run, and what the browser wrote into its console."""

    page: PageParts
    console: list[str]

    @property
    def listed(self) -> list[str]:
        """The titles of the memories that are not hidden by the filter."""
        shown = [
            attributes
            for tag, attributes in self.page.elements
            if tag == "li" and attributes.get("id", "").startswith(("memory-", "file-")) and "hidden" not in attributes
        ]
        return [one["id"] for one in shown]


def seen(page: Path, fragment: str = "") -> Seen:
    assert BROWSER is not None
    profile = page.parent / "profile"
    done = subprocess.run(
        [BROWSER, *QUIET, f"--user-data-dir={profile}", "--dump-dom", f"{page.as_uri()}{fragment}"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    shutil.rmtree(profile, ignore_errors=True)
    assert "</html>" in done.stdout, done.stderr[-2000:]
    return Seen(PageParts(done.stdout), [line for line in done.stderr.splitlines() if "CONSOLE" in line])


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = Program(tmp_path_factory.mktemp("sample")).in_process()
    shutil.copytree(ROOT / "sample-vault", program.vault)
    program.git("init", "-q")
    program.ok("export", "html", "-o", str(program.home / "page.html"))
    return program.home / "page.html"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = Program(tmp_path_factory.mktemp("hostile")).in_process()
    program.init()
    write(program.vault, HOSTILE)
    program.ok("export", "html", "-o", str(program.home / "page.html"))
    return program.home / "page.html"


def test_it_opens_with_everything_shown_and_nothing_refused(sample: Path) -> None:
    found = seen(sample)
    assert found.console == []
    assert len(found.listed) == 116
    assert "hidden" not in next(attributes for tag, attributes in found.page.elements if tag == "form")
    assert "116 memories" in found.page.texts


def test_the_filter_of_an_address_hides_what_lacks_a_word(sample: Path) -> None:
    found = seen(sample, "#q=BELLA+rain")
    assert found.console == []
    assert 0 < len(found.listed) < 20
    assert "memory-m_r1n8dv5pyb" in found.listed  # Bella does not go out in the rain
    assert f"{len(found.listed)} of 116" in found.page.texts
    assert seen(sample, "#q=nothingofthekind").listed == []


def test_accents_make_no_difference_to_the_filter(sample: Path) -> None:
    assert seen(sample, "#q=pao+lucia").listed == seen(sample, "#q=p%C3%A3o+l%C3%BAcia").listed != []


def test_an_address_opens_its_memory(sample: Path) -> None:
    raw = sample.read_text()
    assert 'id="memory-m_c0fr3w7qkt"' in raw
    found = seen(sample, "#memory-m_c0fr3w7qkt")
    names = [(tag, attributes) for tag, attributes in found.page.elements]
    at = next(at for at, (_, attributes) in enumerate(names) if attributes.get("id") == "memory-m_c0fr3w7qkt")
    assert names[at + 1] == ("details", {"open": ""})
    assert found.console == []


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "fragment", ["", "#q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "#%", "#list", "#q=", "#filter"]
)
def test_hostile_texts_and_addresses_do_nothing(hostile: Path, fragment: str) -> None:
    found = seen(hostile, fragment)
    assert found.console == []
    assert len(found.page.raw["script"]) == len(found.page.raw["style"]) == 1
    assert not re.search(r"<img|onerror=|<script>alert", re.sub("&lt;", "", "".join(found.page.raw["script"])))
    assert {tag for tag, _ in found.page.elements}.isdisjoint({"img", "iframe", "object"})


def test_a_script_that_is_put_in_is_refused(hostile: Path, tmp_path: Path) -> None:
    # What the other tests would see if the escaping failed: the policy refuses it, and the console says so.
    page = tmp_path / "page.html"
    put_in = "<img src=x onerror='document.title=`put in 1`'><script>document.title=`put in 2`</script></main>"
    page.write_text(hostile.read_text().replace("</main>", put_in))
    found = seen(page)
    assert len([line for line in found.console if "Content Security Policy" in line]) >= 2
    assert not {"put in 1", "put in 2"} & {*found.page.texts}


def test_a_drawing_opens_in_light_and_dark(hostile: Path) -> None:
    program = Program(hostile.parent).in_process()
    place = hostile.parent / "lineage.svg"
    place.write_text(program.ok("trace", "m_c000000001", "--format", "svg"))
    assert BROWSER is not None
    pictures = []
    for scheme in ("0", "1"):
        picture = hostile.parent / f"{scheme}.png"
        options = (f"--user-data-dir={hostile.parent / 'profile'}", f"--blink-settings=preferredColorScheme={scheme}")
        done = subprocess.run(
            [BROWSER, *QUIET, *options, f"--screenshot={picture}", place.as_uri()],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert "CONSOLE" not in done.stderr
        pictures.append(picture.read_bytes())
    assert pictures[0] != pictures[1]
