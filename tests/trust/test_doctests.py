"""The examples in the docstrings of use cases are true; each has a vault `ws` of Sean's to itself, with his key.

They call use cases by their names. `babels_insight` is the ref of a memory of somebody else's.
"""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from memstore.memories.edit import set_keys
from memstore.trust import SIGNATURES
from memstore.trust.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE
from memstore.trust.signatures import SshSignatures
from tests.installed import ROOT
from tests.memory_workspace import OWNER, memory_workspace

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from memstore.vault.workspace import Workspace


PACKAGE = ROOT / "memstore"
BABELS = b"---\ntype: insight\nid: m_babel0000x\nauthor: si:babel\n---\n\nSynthesis is hard.\n"


def modules() -> list[ModuleType]:
    """Return the modules whose docstrings have an example with a vault."""
    paths = [
        path for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in (text := path.read_text()) and "ws.view()" in text
    ]
    return [import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)) for path in paths]


def examples() -> list[doctest.DocTest]:
    finder, found = doctest.DocTestFinder(), modules()
    names: dict[str, object] = {
        name: value for module in found for name, value in vars(module).items() if inspect.isfunction(value)
    }
    names["set_keys"] = set_keys
    return [test for module in found for test in finder.find(module, globs=dict(names)) if test.examples]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> SshSignatures:
    home: Path = tmp_path_factory.mktemp("home")
    made = Ed25519PrivateKey.generate()
    (home / "sean").write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    return SshSignatures(home, agent="", own_key=str(home / "sean"))


@pytest.fixture
def seans(keys: SshSignatures) -> Workspace:
    """Return a vault whose keyring has Sean's key, which his settings name."""
    key = keys.public_key(keys.own_key or "")
    line = f'{OWNER} namespaces="{ATTEST_NAMESPACE}" {key.type} {key.base64}\n'
    return memory_workspace({ALLOWED_SIGNERS: line.encode()}).having(SIGNATURES, keys)


@pytest.mark.parametrize("example", examples(), ids=lambda test: str(test.name))
def test_an_example_is_true(example: doctest.DocTest, seans: Workspace) -> None:
    example.globs["ws"] = seans
    if "babels_insight" in (example.docstring or ""):
        seans.vault.create("babel.md", BABELS)
        example.globs["babels_insight"] = "insight:m_babel0000x"
    told: list[str] = []
    failed = doctest.DocTestRunner().run(example, out=told.append).failed
    assert not failed, "".join(told)
