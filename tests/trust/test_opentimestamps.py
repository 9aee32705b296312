"""OpenTimestamps proofs and block headers: what is read, and that no bytes crash, hang or fill the memory."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.errors import FormatError
from memstore.trust.formats import opentimestamps
from memstore.trust.formats import opentimestamps as bitcoin
from memstore.trust.formats.opentimestamps import MAGIC, read
from tests import timestamps
from tests.support import examples
from tests.timestamps import header, number, proof, root

DIGEST = hashlib.sha256(b"said\n").digest()
STEPS: list[Any] = [("append", b"nonce"), ("sha256",), ("prepend", b"left"), ("sha256",), ("sha256",)]
AT = datetime(2026, 2, 1, 12, tzinfo=UTC)
# The genesis block's header, as every node has it, and that of block 100,000.
GENESIS = (
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3"
    "888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c"
)


def test_a_proof_leads_from_a_digest_to_the_root_of_a_block() -> None:
    found = read(proof(DIGEST, [*STEPS, ("bitcoin", 358391)]))
    assert found == (DIGEST, ((358391, root(DIGEST, STEPS)),), ())


def test_branches_are_all_followed() -> None:
    tree = [
        ("append", b"nonce"),
        ("sha256",),
        (
            "fork",
            [
                [("pending", "https://a.example")],
                [("append", b"1"), ("fork", [[("pending", "https://b.example")], [("sha256",), ("bitcoin", 7)]])],
                [("prepend", b"2"), ("sha256",), ("bitcoin", 9)],
            ],
        ),
    ]
    middle = hashlib.sha256(DIGEST + b"nonce").digest()
    assert read(proof(DIGEST, tree)) == (
        DIGEST,
        ((7, hashlib.sha256(middle + b"1").digest()), (9, hashlib.sha256(b"2" + middle).digest())),
        ("https://a.example", "https://b.example"),
    )


@pytest.mark.parametrize("operation", [0x02, 0x03, 0x67, 0xF2, 0xF3])
def test_an_operation_that_is_not_followed_leads_nowhere_and_hides_nothing(operation: int) -> None:
    tree = [("fork", [[(operation,), ("append", b"x"), ("sha256",), ("bitcoin", 1)], [("sha256",), ("bitcoin", 2)]])]
    assert read(proof(DIGEST, tree)).blocks == ((2, hashlib.sha256(DIGEST).digest()),)


def test_other_chains_are_left_out() -> None:
    assert read(proof(DIGEST, [("sha256",), ("litecoin", 5)])) == (DIGEST, (), ())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        MAGIC,
        MAGIC[:-1] + b"\x00",
        MAGIC + b"\x02\x08" + DIGEST + timestamps.built([("bitcoin", 1)]),
        MAGIC + b"\x01\x02" + DIGEST[:20] + timestamps.built([("bitcoin", 1)]),
        proof(DIGEST, [*STEPS, ("bitcoin", 1)])[:-1],
        proof(DIGEST, [*STEPS, ("bitcoin", 1)]) + b"\x00",
        proof(DIGEST, [("append", b""), ("bitcoin", 1)]),
        proof(DIGEST, [(0x55,), ("bitcoin", 1)]),
        proof(DIGEST, [("append", bytes(4090)), ("bitcoin", 1)]),
        proof(DIGEST, [("append", bytes(5000)), ("bitcoin", 1)]),
        # A length without end, one far beyond the file, a height with something after it.
        MAGIC + b"\x01\x08" + DIGEST + b"\xf0" + b"\xff" * 60,
        MAGIC + b"\x01\x08" + DIGEST + b"\xf0" + number(1 << 62),
        MAGIC + b"\x01\x08" + DIGEST + b"\x00" + bytes.fromhex("0588960d73d71901") + b"\x02\x01\x01",
        # Forks within forks, and more bytes than any proof has.
        MAGIC + b"\x01\x08" + DIGEST + b"\xff\x08" * 400,
        MAGIC + b"\x01\x08" + DIGEST + b"\xff\xff" * 400,
        MAGIC + b"\x01\x08" + DIGEST + b"\x08" * 70_000,
    ],
)
def test_a_hostile_proof_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        read(data)


def test_a_deep_proof_needs_no_stack() -> None:
    steps = [("sha256",)] * 20_000
    assert read(proof(DIGEST, [*steps, ("bitcoin", 1)])).blocks[0][1] == root(DIGEST, steps)


@settings(max_examples=examples(300))
@given(st.binary(max_size=80), st.integers(0, 200), st.binary(max_size=6))
def test_no_bytes_do_anything_but_read_or_be_refused(data: bytes, at: int, put: bytes) -> None:
    whole = proof(DIGEST, [("fork", [[*STEPS, ("bitcoin", 358391)], [("pending", "https://a.example")]])])
    start = MAGIC + b"\x01\x08" + DIGEST
    for candidate in (data, start + data, whole[:at] + put + whole[at + len(put) :], whole[:at] + put + whole[at:]):
        try:
            found = read(candidate)
        except FormatError:
            continue
        assert all(len(message) <= 4096 for _, message in found.blocks)


# -- headers ---------------------------------------------------------------------------------------


def test_the_header_of_the_first_block_is_read() -> None:
    found = bitcoin.read_header(bytes.fromhex(GENESIS))
    assert found.merkle_root[::-1].hex() == "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
    assert found.at == datetime(2009, 1, 3, 18, 15, 5, tzinfo=UTC) + timedelta(hours=2)


@pytest.mark.parametrize("slip", [GENESIS[:-2], GENESIS + "00", GENESIS.replace("4b1e5e4a", "4b1e5e4b"), ""])
def test_a_header_with_a_slip_shows_no_work(slip: str) -> None:
    with pytest.raises(FormatError):
        bitcoin.read_header(bytes.fromhex(slip))


@given(st.binary(min_size=80, max_size=80))
def test_no_header_breaks_the_reader(data: bytes) -> None:
    try:
        bitcoin.read_header(data)
    except FormatError:
        return


def test_a_header_made_here_is_one() -> None:
    assert bitcoin.read_header(header(DIGEST, AT))[:2] == (DIGEST, AT + timedelta(hours=2))
    assert opentimestamps.read(proof(DIGEST, [("bitcoin", 0)])).blocks == ((0, DIGEST),)
