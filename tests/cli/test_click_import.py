from __future__ import annotations

import inspect
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from memstore.cli.click_import import cleandoc

PROGRAM = """
import sys
from memstore.cli.click_import import import_click
import_click()
import_click()
import click
assert "inspect" not in sys.modules and click.core.inspect.cleandoc("  a") == "a"
assert click.core.inspect.isfunction(import_click) and not click.core.inspect.isfunction(3)
import inspect
assert inspect.signature(import_click) is not None and sys.modules["inspect"] is inspect
assert {"gettext", "platform", "locale"}.isdisjoint(sys.modules)
assert click.core._("Usage:") == "Usage:" and click.exceptions.ngettext("one", "many", 2) == "many"
import gettext, platform, uuid
assert sys.modules["gettext"] is gettext and platform.system()
assert click.UUID.convert("0" * 31 + "7", None, None) == uuid.UUID(int=7)
"""
PROGRAM_THAT_HAS_IT = """
import inspect
from memstore.cli.click_import import import_click
import_click()
import click
assert click.core.inspect is inspect
"""


def test_the_stand_in_is_gone_after_the_import_and_gives_the_real_one() -> None:
    for program in (PROGRAM, PROGRAM_THAT_HAS_IT):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@given(st.text(st.sampled_from(" \t\nab"), max_size=40))
def test_docstrings_are_cleaned_as_python_does(doc: str) -> None:
    assert cleandoc(doc) == inspect.cleandoc(doc)
