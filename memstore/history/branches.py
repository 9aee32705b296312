"""The two commits that a review compares: the tip of a branch, and the point where it left another branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.core.errors import NotFoundError
from memstore.history import HISTORY

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.history.git_history import GitHistory

_HEADS = "refs/heads/"
_REMOTES = "refs/remotes/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Branching:
    """The commit `head` of a branch and the commit `base` to compare it with, with names that people know.

    `is_default` is true if the branch is itself the one that others branch from.
    """

    head: str
    head_name: str
    base: str
    base_name: str
    is_default: bool = False


def branching(view: View, branch: str | None = None, *, against: str | None = None) -> Branching:
    """Return what to compare a branch with: the commit where it left another branch, or a commit that is named.

    The current branch is compared with the default branch, any other with what is checked out.

    Args:
        view: the vault.
        branch: a branch, or any other revision; None for what is checked out.
        against: the commit to compare with, in git's notation.

    Raises:
        GitError: there is no repository.
        NotFoundError: there is no such branch or commit, or the point where the branch began is unknown.
    """
    history = view.of(HISTORY)
    current = history.require().branch
    another = None if branch == current else branch
    head, head_name = _tip(history, another) if another is not None else _checked_out(history, current)
    if against is not None:
        named, named_as = _tip(history, against)
        return Branching(head=head, head_name=head_name, base=named, base_name=named_as)
    left, left_name = _default(history) if another is None else _checked_out(history, current, beside=another)
    base = history.merge_base(head, left)
    if base is None:
        raise NotFoundError(
            f"{head_name} and {left_name} have no commit in common",
            hint=(
                f"memstore review {(f'{another} ' if another else '')}--against REV names what to compare with; in a "
                "shallow clone, first run git fetch --unshallow"
            ),
        )
    is_default = another is None and left_name.removeprefix("origin/") == head_name
    return Branching(head=head, head_name=head_name, base=base, base_name=left_name, is_default=is_default)


def _checked_out(history: GitHistory, current: str | None, *, beside: str = "") -> tuple[str, str]:
    """Return the commit that is checked out, and its name; `beside` is what will be compared with it."""
    head = history.head()
    if head is not None:
        return head, current or head[:10]
    if beside:
        raise NotFoundError(
            f"nothing is committed on the current branch, so there is nothing to compare {beside} with",
            hint=f"memstore review {beside} --against REV names a commit to compare with",
        )
    raise NotFoundError(
        f"nothing is committed on {current or 'this branch'} yet, so there is nothing to review",
        hint="memstore commit makes the first commit; memstore status shows what is not committed",
    )


def _tip(history: GitHistory, branch: str) -> tuple[str, str]:
    """Return the commit of a local branch, a branch of the remote, or another revision; and its name."""
    for revision in (_HEADS + branch, branch, f"{_REMOTES}origin/{branch}"):
        try:
            return history.resolve(revision), revision.removeprefix(_HEADS).removeprefix(_REMOTES)
        except NotFoundError:
            continue
    raise NotFoundError(
        f"there is no branch or commit `{branch}`",
        hint="git branch --all lists branches; git fetch gets those of the remote",
    )


def _default(history: GitHistory) -> tuple[str, str]:
    """Return the commit of the default branch, and its name."""
    ref = history.default_branch()
    if ref is None:
        raise NotFoundError(
            "it is unknown where this branch began: there is no origin/HEAD, main or master",
            hint="memstore review --against REV names the commit to compare with; "
            "git remote set-head origin --auto asks the remote for its default branch",
        )
    return history.resolve(ref), ref.removeprefix(_HEADS).removeprefix(_REMOTES)
