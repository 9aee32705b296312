"""What `doctor` says of the keyring: what is pinned, where, and whether it still matches."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memstore.files.local_state import Environment
from memstore.trust import PINS
from memstore.trust.keyring import REVOKED_KEYS
from memstore.trust.pin import unpin
from memstore.vault import composition
from memstore.vault.doctor import Check, DoctorVerdict, doctor
from tests.git_repositories import git
from tests.trust.test_keepers import ATTEST, BOTH, Vault

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    made = Vault(tmp_path)
    made.pin()
    return made


def _keyring(vault: Vault, actor: str | None = None, *, name: str = "keyring", key: str = "") -> Check | None:
    ws = vault.open(key)
    opened = ws._replace(actor=actor) if actor else ws
    around = composition.surroundings(Environment.of_process(), str(vault.root))
    return next((one for one in doctor(around, opened.view, fix=False).checks if one.name == name), None)


def _told(vault: Vault) -> tuple[DoctorVerdict, str]:
    check = _keyring(vault)
    assert check is not None
    return check.verdict, check.text


def test_it_tells_what_is_pinned_and_where(vault: Vault) -> None:
    pinned = f"pinned at {vault.open().of(PINS).commit or '':.10} in {vault.home}/config.toml"
    assert _told(vault) == (DoctorVerdict.OK, f"{pinned}; 2 keys count")
    vault.write([*vault.lines(), vault.line("new", ATTEST)])
    assert _told(vault) == (DoctorVerdict.OK, f"{pinned}; 2 keys count, 1 not committed yet")
    vault.commit("New", "sean")
    assert _told(vault) == (DoctorVerdict.OK, f"{pinned}; 3 keys count")
    assert _keyring(vault, "human:stranger") is None


PAST, COMING = 'valid-before="20260101000000Z"', 'valid-after="20990101000000Z"'


def test_only_keys_that_count_now_are_counted(vault: Vault) -> None:
    new, third = vault.line("new", f"{ATTEST},{PAST}"), vault.line("third", f"{ATTEST},{COMING}")
    vault.write([*vault.lines(), new, third])
    vault.commit("New", "sean")
    assert _told(vault)[1].endswith("; 2 keys count, 1 has expired, 1 not valid yet")
    unpin(vault.open().view())
    assert _told(vault)[1].startswith("2 keys count, 1 has expired, 1 not valid yet, unpinned: ")
    vault.write([vault.public("pith")], REVOKED_KEYS)
    assert _told(vault)[1].startswith("1 key counts, 1 has expired, 1 not valid yet, unpinned: ")


@pytest.mark.parametrize("actor", ["human:sean", "si:pith"])
def test_a_key_of_ones_own_that_no_longer_counts_is_a_warning(vault: Vault, actor: str) -> None:
    def told(key: str) -> Check | None:
        return _keyring(vault, actor, name="signing key", key=key)

    assert [told(key) for key in ("", "pith", "new", "missing")] == [None] * 4
    vault.write([vault.line("sean", BOTH), vault.line("pith", f"{ATTEST},{PAST}")])
    vault.commit("Retired", "sean")
    check = told("pith")
    assert check is not None
    assert check.verdict is DoctorVerdict.WARNING
    assert "was retired, or has expired, on 2026-01-01T00:00:00Z" in check.text
    assert "memstore config --user signing_key FILE" in (check.hint or "")
    vault.write([vault.line("sean", BOTH), vault.line("pith", f"{ATTEST},{PAST}"), vault.line("pith", ATTEST)])
    vault.commit("Renewed", "sean")
    assert told("pith") is None
    vault.write([vault.public("pith")], REVOKED_KEYS)
    vault.commit("Lost", "sean")
    check = told("pith")
    assert check is not None
    assert "was revoked" in check.text


def test_a_change_that_no_keeper_signed_is_a_warning(vault: Vault) -> None:
    vault.write([*vault.lines(), vault.line("mallory", ATTEST), vault.line("third", ATTEST)])
    vault.commit("Let me in")
    verdict, text = _told(vault)
    assert verdict is DoctorVerdict.WARNING
    assert "the key of si:mallory" in text
    assert "and 1 more" in text


def test_a_pinned_commit_that_is_out_of_reach_is_an_error(vault: Vault) -> None:
    git(vault.root, "checkout", "-q", "--orphan", "other")
    vault.commit("Rewritten")
    check = _keyring(vault)
    assert check is not None
    assert check.verdict is DoctorVerdict.ERROR
    assert "is not in the history of the current one" in check.text
    assert "compare the keys, then memstore trust keys pin" in (check.hint or "")


def test_no_pin_is_told_where_there_are_keys(vault: Vault) -> None:
    unpin(vault.open().view())
    verdict, text = _told(vault)
    assert (verdict, text[:22]) == (DoctorVerdict.OK, "2 keys count, unpinned")
    vault.write([])
    assert _told(vault) == (DoctorVerdict.OK, "no key counts here yet")


def test_a_pin_without_a_keeper_is_a_warning(vault: Vault) -> None:
    vault.write([vault.line("pith", ATTEST)])
    vault.commit("Nobody keeps it", "sean")
    vault.pin()
    verdict, text = _told(vault)
    assert verdict is DoctorVerdict.WARNING
    assert text.endswith("1 key counts; there is no keeper, so no change to it will count")


def test_a_vault_that_was_moved_is_told_of_its_pin(vault: Vault, tmp_path: Path) -> None:
    commit = vault.open().of(PINS).commit or ""
    before, vault.root = vault.root, tmp_path / "moved"
    shutil.move(before, vault.root)
    vault.vault.root = vault.root
    check = _keyring(vault)
    assert check is not None
    assert (check.verdict, check.hint) == (
        DoctorVerdict.WARNING,
        f"memstore trust keys pin {commit[:10]}, if you moved the vault",
    )
    assert str(before) in check.text
    before.mkdir()  # another vault's pin: it is still there
    assert _told(vault)[0] is DoctorVerdict.OK
