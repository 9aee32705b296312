"""Check the vault as a successor of an earlier revision: what a pull request, say, would do to what there was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.flows.check import CheckResult, fix
from memstore.flows.registry import consents_gone
from memstore.flows.staged import findings_of
from memstore.model.finding import in_order

if TYPE_CHECKING:
    from memstore.core.view import View


def check_against(view: View, revision: str, *, mend: bool = False) -> CheckResult:
    """Return what is wrong with all that changed since a revision, committed or not; as the pre-commit hook does.

    A line of evidence that a ledger has lost is accepted where the ledger says that it is retracted, or folded.

    Args:
        view: the vault.
        revision: a commit, in git's own notation.
        mend: mend first what needs no judgement, as `fix` does, with what hands changed since that revision.

    Raises:
        RefusedError: somebody else than the vault's owner asks.
        NotFoundError: there is no such commit.
        GitError: the vault has no history.
        ChangedMeanwhileError: a file was saved by somebody else at the same moment; nothing was mended.
    """
    view.require_owner()
    view.history.require()
    commit = view.history.resolve(revision)
    fixed = fix(view, since=commit).fixed if mend else ()
    changed = view.again().pending(since=commit)
    findings = findings_of(view.again() if mend else view, changed.changes, changed.files)
    findings += consents_gone(set(view.history.own_files_at(commit)), view.whole.registry_files)
    return CheckResult(files=len(changed.files), findings=in_order(findings), fixed=fixed)
