from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from memstore.adapters.whoosh_import import import_whoosh
import_whoosh()
import_whoosh()
assert "whoosh.index" in sys.modules
slow = {"urllib.request", "http.client", "html", "shutil", "tempfile", "random"}
assert slow.isdisjoint(sys.modules)
import whoosh.util, whoosh.filedb.compound, whoosh.filedb.filetables, whoosh.filedb.filestore
import io
target = io.BytesIO()
whoosh.filedb.compound.copyfileobj(io.BytesIO(b"tea"), target)
assert target.getvalue() == b"tea" and len(whoosh.util.random_name(5)) == 5
assert whoosh.filedb.filestore.tempfile.gettempdir() and whoosh.compat.htmlescape("<") == "&lt;"
assert whoosh.filedb.filetables.md5_hash(b"tea") == 0x76C20974
import urllib.request
assert callable(urllib.request.urlretrieve)
"""
PROGRAM_THAT_HAS_IT = """
import urllib.request
from memstore.adapters.whoosh_import import import_whoosh
import_whoosh()
import sys
assert sys.modules["urllib.request"] is urllib.request and callable(urllib.request.urlopen)
"""


def test_the_stand_in_is_gone_after_the_import_and_no_warning_is_seen() -> None:
    for program in (PROGRAM, PROGRAM_THAT_HAS_IT):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
