from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.codec import digests

PROGRAM = """
import sys
from memstore.codec import digests
told = [digests.sha256(b"tea"), digests.maker("sha1")(b"tea").hexdigest(), digests.maker("md5")(b"tea").hexdigest()]
short = digests.maker("blake2b")(b"tea", digest_size=8).hexdigest()
assert "hashlib" not in sys.modules
import hashlib
assert short == hashlib.blake2b(b"tea", digest_size=8).hexdigest()
assert short == digests.maker("blake2b")(b"tea", digest_size=8).hexdigest()
assert told == [getattr(hashlib, name)(b"tea").hexdigest() for name in ("sha256", "sha1", "md5")]
"""


@pytest.mark.parametrize("name", ["sha1", "sha256"])
@given(st.lists(st.binary(max_size=100), max_size=3))
def test_a_digest_is_that_of_hashlib(name: str, parts: list[bytes]) -> None:
    digest = digests.new(name)
    for part in parts:
        digest.update(part)

    assert digest.hexdigest() == hashlib.new(name, b"".join(parts)).hexdigest()
    assert digests.sha256(b"".join(parts)) == hashlib.sha256(b"".join(parts)).hexdigest()


def test_and_so_are_those_of_the_small_modules() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
