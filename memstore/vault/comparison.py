"""Compare the vault with a commit: what is wrong with the change, and who sees more by it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.access import RIGHTS
from memstore.access import registry as registry_file
from memstore.access.audit import consents_gone, events_in
from memstore.core.config import CONFIG_PATH
from memstore.core.errors import NotFoundError, VaultError
from memstore.core.finding import in_order
from memstore.core.finding_codes import finding_of
from memstore.core.places import RegistryKind, decides, is_own_path, kind_of
from memstore.history import HISTORY, WORK_TREE
from memstore.search import DERIVED
from memstore.vault.staged import findings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.core.change import Pending
    from memstore.core.finding import Finding
    from memstore.core.view import View


def findings_since(view: View, commit: str, changed: Pending, own: Mapping[str, bytes | None]) -> list[Finding]:
    """Return the problems in what changed since a commit, as the pre-commit hook does.

    Args:
        view: the vault.
        commit: its id.
        changed: the changes of memories since then.
        own: the vault's own files that changed since then, by path.
    """
    findings = findings_of(view, changed.changes, changed.files, own, since=commit)
    before = set(view.of(HISTORY).own_files_at(commit))
    findings += consents_gone(before, view.whole.registry_files, lambda: events_in(view)[0])
    return findings


# Findings about changes that let somebody see more, or hide who made them.
_OF_ACCESS = frozenset(
    {"grants-widened", "say-removed", "grant-regained", "registry-widened", "owner-changed", "consent-deleted"}
    | {"consent-changed", "audit-event-gone"}
)
_CHECKED, _CHECKED_STATE = "checked", "1"


def widened_since_check(view: View, waiting: Pending | None = None) -> tuple[Finding, ...]:
    """Return findings for changes that let somebody see more than the current commit or the one last checked here.

    A fast-forward, a stash or a reset runs no hook, so the commit that was last checked covers them. What goes back
    behind a later commit, such as a revert that a hook stopped, shows only beside the current one.

    Args:
        view: the vault.
        waiting: what is not committed yet, if that was asked for already.
    """
    if not (view.is_owners and view.of(HISTORY).repository):
        return ()
    checked = view.of(DERIVED).last(_CHECKED, _CHECKED_STATE).get("commit", ())
    head = view.of(HISTORY).head()
    found: list[Finding] = []
    for commit in dict.fromkeys([*filter(None, [head]), *checked]):
        with suppress(NotFoundError):  # the commit is gone, as after a shallow clone
            since = view.of(HISTORY).resolve(commit)
            changed = waiting if waiting and since == head else view.of(WORK_TREE).pending(since=since)
            told = in_order(findings_since(view, since, changed, own_changed(view, since)))
            found += [one for one in told if not (one.code in _OF_RECORDS and _is_elsewhere(view, since, head))]
    found += _withdrawn_elsewhere(view)
    return tuple(dict.fromkeys(finding for finding in found if finding.code in _OF_ACCESS))


# Findings about records that are gone: those of another branch are not.
_OF_RECORDS = frozenset({"audit-event-gone", "consent-deleted"})


def _is_elsewhere(view: View, checked: str, head: str | None) -> bool:
    """Return whether another branch was checked, which still has its records: the current one never had that commit."""
    history = view.of(HISTORY)
    is_before = checked == head or (head is not None and history.merge_base(checked, head) == checked)
    return not is_before and history.is_kept(checked)


def _withdrawn_elsewhere(view: View) -> Iterator[Finding]:
    """Yield a finding for each refusal and revocation that another work tree of the repository has committed, alone.

    A work tree at an older commit lets count what was taken back since.
    """
    here = {path.rpartition("/")[2] for path in view.whole.registry_files()}
    for commit in view.of(HISTORY).other_heads():
        files = view.of(HISTORY).own_files_at(commit)
        lacking = {path: blob for path, blob in files.items() if path.rpartition("/")[2] not in here}
        consents = {path: blob for path, blob in lacking.items() if kind_of(path) is RegistryKind.CONSENT}
        data = view.blobs(consents.values())
        for path, blob in sorted(consents.items()):
            file = registry_file.read(path, RegistryKind.CONSENT, data.get(blob, b""))
            if isinstance(file, registry_file.RegistryFile) and (
                file.values.get("type") == "revocation" or file.values.get("effect") == "deny"
            ):
                text = "this refusal or revocation is committed in another work tree; here, what it takes back counts"
                yield finding_of("consent-deleted", path, text, f"git merge {commit[:10]} brings it here")


def remember_checked(view: View) -> None:
    """Record the current commit as the one last checked here; what it widened has been reported."""
    head = view.of(HISTORY).head() if view.of(HISTORY).repository else None
    if head:
        view.of(DERIVED).keep(_CHECKED, _CHECKED_STATE, {"commit": [head]})


def own_changed(view: View, commit: str) -> dict[str, bytes | None]:
    """Return the vault's own files that differ from a commit, by path; None for a file that no longer exists."""
    before = view.of(HISTORY).own_files_at(commit)
    paths = {*filter(is_own_path, view.whole.registry_files()), *view.of(RIGHTS).audit_paths(), CONFIG_PATH}
    now = {path: data for path in paths if (data := _bytes(view, path)) is not None}
    gone = dict.fromkeys((path for path in before if decides(path) and path not in now), None)
    return gone | {
        path: data for path, data in now.items() if not view.of(HISTORY).is_stored(path, data, before.get(path))
    }


def _bytes(view: View, path: str) -> bytes | None:
    """Return the bytes of one of the vault's own files, None if missing; if it can't be read, it says nothing."""
    try:
        return view.own_file(path)
    except VaultError:
        if path == CONFIG_PATH:
            raise
        return b""
