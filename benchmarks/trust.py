#!/usr/bin/env python3
"""Measure verification: a vault of memories that their author signed and one witness confirmed, with ed25519 keys.

    .venv/bin/python benchmarks/trust.py [--memories 1000] [--rounds 3] [--keep DIR]

Prints CPU seconds (user + system) of whole processes, medians: `check` and `list --min-trust`, without and with what
the cache keeps, and a plain list for comparison; and the mathematics alone, in one process.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from memstore.core.memory import Signature, Witness
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.trust import sshsig, statement
from memstore.trust import statement as canonical
from memstore.trust.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE
from memstore.trust.signatures import SshSignatures

sys.path.insert(0, str(Path(__file__).parent))
from corpus import Corpus

MEMSTORE = str(Path(sys.executable).parent / "memstore")
AUTHOR, WITNESS, AT = "si:babel", "si:pith", "2026-02-05T16:00:00Z"


def key(folder: Path, name: str) -> str:
    """Make a key, and return its file."""
    made = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    place = folder / name
    place.write_bytes(made)
    return str(place)


def write_vault(vault: Path, keys: Path, memories: int) -> None:
    """Write the vault and commit it."""
    signatures = SshSignatures(keys, agent="")
    babel, pith = key(keys, "babel"), key(keys, "pith")
    subprocess.run([MEMSTORE, "init", "-q", str(vault), "--owner", AUTHOR], check=True, capture_output=True)
    lines = []
    for who, name in ((AUTHOR, babel), (WITNESS, pith)):
        public = signatures.public_key(name)
        lines.append(f'{who} namespaces="{ATTEST_NAMESPACE}" {public.type} {public.base64}\n')
    (vault / ALLOWED_SIGNERS).write_text("".join(lines))
    folder = vault / "memories/insight/2026/02"
    folder.mkdir(parents=True)
    for i, body in enumerate(bodies(memories)):
        (folder / f"{i:06}.md").write_text(attested(f"m_{i:010}", body, signatures, babel, pith))
    git = ["git", "-C", str(vault), "-c", "user.name=b", "-c", "user.email=b@b", "-c", "core.hooksPath=/dev/null"]
    subprocess.run([*git, "add", "-A"], check=True, capture_output=True)
    subprocess.run([*git, "commit", "-q", "-m", "all"], check=True, capture_output=True)


def bodies(count: int) -> list[str]:
    """Return that many texts of some 120 words each."""
    corpus = Corpus()
    return [corpus.memory(i)["body"] for i in range(count)]


def attested(memory_id: str, body: str, signatures: SshSignatures, author: str, witness: str) -> str:
    """Return the text of a memory with a signature and a witness."""
    head = f'type: insight\nid: {memory_id}\ncreated_at: "{AT}"\nauthor: {AUTHOR}\ntags: [synthesis]\n'
    file = memory_file.read("", f"---\n{head}---\n\n{body}\n".encode())
    if not isinstance(file, MemoryFile):
        raise SystemExit(f"{memory_id} can't be read")
    content, provenance = canonical.digests(file.memory)
    signed = Signature(by=AUTHOR, at=AT, content=content, provenance=provenance, sig="")
    seen = Witness(agent_id=WITNESS, attestation="confirm", witnessed_at=AT, content=content, provenance=provenance)
    said = (statement.by_author(memory_id, signed), author), (statement.by_witness(memory_id, seen), witness)
    first, second = (
        signatures.sign(statement.message(one), namespace=ATTEST_NAMESPACE, key=name) for one, name in said
    )
    digests = f'content: "{content}", provenance: "{provenance}"'
    head += f'signature: {{by: "{AUTHOR}", at: "{AT}", {digests}, sig: "{first}"}}\nwitnesses:\n'
    head += f'  - {{agent_id: "{WITNESS}", attestation: confirm, witnessed_at: "{AT}", {digests}, sig: "{second}"}}\n'
    return f"---\n{head}---\n\n{body}\n"


def seconds(environment: dict[str, str], *words: str) -> float:
    """Return the CPU seconds of one run of the program."""
    before = os.times()
    done = subprocess.run([MEMSTORE, *words], env=environment, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise SystemExit(done.stderr)
    return after.children_user + after.children_system - before.children_user - before.children_system


def mathematics(vault: Path) -> float:
    """Return the CPU seconds that the checks of all signatures in the vault take by themselves."""
    signatures, checks = SshSignatures(vault, agent=""), []
    for place in sorted(vault.glob("memories/**/*.md")):
        file = memory_file.read("", place.read_bytes())
        if isinstance(file, MemoryFile) and file.memory.signature:
            memory, entry = file.memory, file.memory.signature
            said = [(statement.by_author(memory.id or "", entry), entry.sig)]
            said += [(statement.by_witness(memory.id or "", one), one.sig or "") for one in memory.witnesses]
            checks += [(sshsig.read(sig, namespace=ATTEST_NAMESPACE), statement.message(one)) for one, sig in said]
    signatures.holds(*checks[0])  # what has to be loaded once
    start = time.process_time()
    if not all(signatures.holds(signature, message) for signature, message in checks):
        raise SystemExit("a signature does not hold")
    return time.process_time() - start


def main() -> None:
    """Write the vault, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="a folder for the vault, which stays")
    arguments = parser.parse_args()
    home = arguments.keep or Path(tempfile.mkdtemp())
    home.mkdir(parents=True, exist_ok=True)
    vault, cache = home / "vault", home / "cache"
    if not vault.exists():
        write_vault(vault, home, arguments.memories)
    environment = os.environ | {"XDG_CACHE_HOME": str(cache), "XDG_CONFIG_HOME": str(home / "config")}
    at, found = ("--vault", str(vault)), dict[str, list[float]]()
    for _ in range(arguments.rounds):
        for name, words in (("check", ("check",)), ("list --min-trust 0.4", ("list", "--min-trust", "0.4"))):
            for state in ("cold", "warm"):
                if state == "cold":
                    shutil.rmtree(cache, ignore_errors=True)
                    seconds(environment, *at, "index", "rebuild")
                found.setdefault(f"{name}, {state}", []).append(seconds(environment, *at, *words))
        found.setdefault("list", []).append(seconds(environment, *at, "list"))
    for name, figures in found.items():
        print(f"{name:<28} {statistics.median(figures):6.2f} s")
    print(f"{'the mathematics alone':<28} {mathematics(vault):6.2f} s")
    if not arguments.keep:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
