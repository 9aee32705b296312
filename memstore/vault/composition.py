"""The composition root: build a `Workspace` from the environment and a vault's configuration.

Time, randomness and the machine enter here and nowhere else.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access import ACCESS_LOG, CONTEXTS, FORGOTTEN, QUOTED, SESSIONS_QUOTED, STACK_FOLDERS
from memstore.beliefs import RUNS
from memstore.conflicts import INFERENCE, LEXICON
from memstore.core.config import CONFIG_PATH, GLOBAL_SCOPE, LANGUAGES, USER_SETTINGS, VAULT_SETTINGS, Config, UserConfig
from memstore.core.errors import (
    MemstoreError,
    NotFoundError,
    RefusedError,
    UnknownActorError,
    UsageError,
    VaultError,
)
from memstore.core.facet import Facets
from memstore.core.ids import is_entity_id, is_group
from memstore.core.places import MANIFEST, SETTINGS_FOLDER, RegistryKind
from memstore.core.write_terms import Signing, WriteTerms
from memstore.files import FILES, config_file
from memstore.history import HISTORY
from memstore.search import DERIVED, EMBEDDER, USAGE, VECTORS
from memstore.trust import PINS, SEAL_KEYS, SIGNATURES
from memstore.vault.view import VaultView
from memstore.vault.workspace import DRAFTS, JOURNAL, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from datetime import tzinfo

    from memstore.access.forgotten import ForgottenTexts
    from memstore.access.local_state import ContextState
    from memstore.beliefs.run_record import RunRecord
    from memstore.beliefs.wording import Synthesizer
    from memstore.conflicts.inference import Inference
    from memstore.conflicts.lexicon import WordNet
    from memstore.core.change import Journal
    from memstore.files.config_file import ConfigFile
    from memstore.files.local_state import Environment
    from memstore.files.vault import VaultFiles as Files
    from memstore.history.git_history import GitHistory
    from memstore.history.git_hooks import GitHooks
    from memstore.search.facets import Embedder, VectorStore
    from memstore.trust.pages import WebPages
    from memstore.trust.seal_keys import SealKeys
    from memstore.trust.signatures import Signatures
    from memstore.trust.user_pins import UserPins
    from memstore.vault.editor import Drafts, Editor
    from memstore.vault.index_elsewhere import IndexedThere, IndexElsewhere
    from memstore.vault.stack_place import StackPlace
    from memstore.vault.surroundings import DiskPlace, Machine


class Models(NamedTuple):
    """What returns the models that the user chose, on this machine: one for vectors, and one for contradictions."""

    embedder: Callable[[], Embedder | None] = lambda: None
    inference: Callable[[], Inference | None] = lambda: None


_NO_MODELS = Models()


class Found(NamedTuple):
    """A value that was looked for in several places, and where it was found."""

    value: str
    where: str


def open_workspace(
    env: Environment,
    *,
    vault: str | None = None,
    entity: str | None = None,
    context: str | None = None,
    alone: bool = False,
    any_context: bool = False,
    track: bool = True,
    embedder: Embedder | None = None,
) -> Workspace:
    """Open the vault with everything that use cases need, and return it.

    Args:
        env: the process's environment.
        vault: the vault's folder; if None, found by `find_vault`.
        entity: who acts and looks; if None, found by `find_actor`.
        context: the privacy context, `ctx:…`; if None, found by `find_context`.
        alone: the entity's assurance that nobody else is listening.
        any_context: whether the context may have expired or be unreadable; for commands that enter and leave contexts.
        track: whether uses of memories are recorded; MEMSTORE_NO_USAGE turns this off for all.
        embedder: turns texts into vectors, for finding by meaning; None is the user's own choice.

    Raises:
        VaultError: there is no vault, or its configuration can't be used.
        UsageError: `entity` is not an entity id, or `context` not a context's.
        RefusedError: the context has expired or can't be read, or the vault's configuration demands one.
    """
    root = find_vault(env, vault)
    config = config_file.read_vault_config(root, default_owner=env.login_entity)
    actor = find_actor(env, entity, config, root).value
    declared = find_context(env, context)
    known = declared and declared.value
    own = config_file.read_user_config(env.config_file)
    models = Models(cache(lambda: embedder or _embedder(env, own)), cache(lambda: _inference(env, own)))
    ws = assemble(env, root, config, actor, context=known, track=track, models=models)
    ws = ws._replace(alone=alone, terms=WriteTerms(at_terminal=env.at_terminal, signing=_signing(own, actor)))
    if own.url:
        ws = ws._replace(elsewhere=_elsewhere(env, own.url, own.token, ws))
    if is_group(config.owner) and own.vault:
        ws = ws._replace(open_own=lambda who: _open_own(env, own, root, who, models))
    if not any_context:
        _check_context(env, ws)
    return ws


def _elsewhere(env: Environment, url: str, token: str | None, ws: Workspace) -> IndexElsewhere:
    """Return the vault's index in the database, or at the broker, that the user, never the vault, chose."""
    from memstore.vault.index_elsewhere import IndexElsewhere

    def opened() -> AbstractContextManager[IndexedThere]:
        history = ws.history
        if history.repository is None or (head := history.head()) is None:
            raise NotFoundError("what has no commits isn't indexed there")
        if url.startswith(("https:", "http:")):
            from memstore.engines.far import far_index

            return far_index(url, token, lambda: history.roots(head))
        from memstore.engines.tickets import broker

        return broker(url, ws.vault.root.name, is_here=history.has_commit, roots=lambda: history.roots(head))

    return IndexElsewhere(opened, env.on_notice)


def _open_own(env: Environment, settings: UserConfig, beside: Path, actor: str, models: Models) -> Workspace | None:
    """Return the user's own vault, to be read beside another; None unless its settings say that it is the actor's.

    In a context of its own somebody else listens there, and it is not opened either. That it can't be read is told
    only to whom the user's settings call the user.
    """
    folder = settings.vault or ""
    root = env.expanded(folder).resolve()
    if root.is_relative_to(beside.resolve()) or beside.resolve().is_relative_to(root) or (root / MANIFEST).is_file():
        return None
    try:
        _vault_at(env, root, Found(folder, f"vault in {env.config_file}"))
        config = config_file.read_vault_config(root, default_owner="")
    except MemstoreError:
        if actor in (settings.entity, settings.entities.get(os.path.realpath(beside))):
            raise
        return None
    if config.owner != actor or is_group(actor):
        return None
    ws = assemble(env, root, config, actor, track=False, models=models)
    if ws.of(CONTEXTS).current() is not None:
        return None
    _check_context(env, ws._replace(terms=WriteTerms(at_terminal=env.at_terminal)))
    return ws


def _signing(own: UserConfig, actor: str) -> Signing | None:
    """Return how what the actor writes is signed: if it has a key of its own, wherever that counts."""
    return Signing.COUNTS if actor in own.signing_keys else None


def open_to_serve(
    env: Environment,
    *,
    vault: str | None = None,
    entity: str | None = None,
    context: str | None = None,
    alone: bool = False,
    narrowed: ContextState | None = None,
    any_context: bool = False,
    track: bool = True,
) -> Workspace:
    """Return the vault, opened for one call of a server.

    What was given to the server bounds what any of its calls shows: a context, or the word that nobody else listens;
    with neither, somebody unknown may be listening. A context that was entered in a shell is none of the server's.
    What is written is signed if the actor has a key that counts: nobody is there who could do it later.

    Args:
        env: the process's surroundings.
        vault: the vault's folder, as for `open_workspace`.
        entity: who acts and looks, as for `open_workspace`.
        context: the server's context; found by `find_context` where it is None.
        alone: the word that nobody else listens to the server.
        narrowed: the context of this call, which can only show less than the server's; None for the server's own.
        any_context: as for `open_workspace`.
        track: as for `open_workspace`.

    Raises:
        MemstoreError: as for `open_workspace`.
    """
    from memstore.access.local_state import CallContext
    from memstore.access.world import ActiveContext

    found = find_context(env, context)
    active = ActiveContext(id=found.value) if found else None
    ws = open_workspace(env, vault=vault, entity=entity, alone=alone, any_context=True, track=track)
    ws = ws.having(CONTEXTS, CallContext(active))
    terms = WriteTerms(is_served=True, signing=Signing.COUNTS)
    ws = ws._replace(overheard=active is None and not alone, terms=terms)
    if narrowed is not None:
        ws = ws.having(CONTEXTS, narrowed)._replace(alone=False, overheard=False, within=ws)
    if not any_context:
        _check_context(env, ws)
    return ws


class KeptOpen:
    """A vault that stays open for many calls, each under the settings as they are then.

    Args:
        env: the process's environment.
        ws: the vault, as it was opened.
        again: opens the vault in this folder as this entity again, otherwise as it was opened.
        settings: what `settings_of` returned before it was opened.
    """

    def __init__(
        self,
        env: Environment,
        ws: Workspace,
        again: Callable[[str, str], Workspace],
        settings: tuple[bytes | None, ...],
    ) -> None:
        self._env, self._ws, self._again, self._settings = env, ws, again, settings

    def now(self) -> Workspace:
        """Return the vault; if its settings or the user's own have changed, it is opened again.

        Who acts stays who it was, and so does what an agent was shown.

        Raises:
            MemstoreError: the settings can't be read any more; as for `open_workspace`.
        """
        settings = settings_of(self._env, self._ws.vault.root)
        if settings != self._settings:
            ws = self._again(str(self._ws.vault.root), self._ws.actor)
            self._ws, self._settings = ws.having(QUOTED, self._ws.of(QUOTED)), settings
        return self._ws


def keep_open(env: Environment, root: Path, entity: str | None = None, **wanted: Any) -> KeptOpen:
    """Open the vault in a folder for many calls; `wanted` and what is raised are those of `open_workspace`."""
    settings = settings_of(env, root)
    ws = open_workspace(env, vault=str(root), entity=entity, **wanted)

    def again(folder: str, actor: str) -> Workspace:
        return open_workspace(env, vault=folder, entity=actor, any_context=True, **wanted)

    return KeptOpen(env, ws, again, settings)


def settings_of(env: Environment, root: Path) -> tuple[bytes | None, ...]:
    """Return the bytes of the files with settings, the vault's and the user's own; None for one that can't be read.

    They are small, and two versions of one size may have the same time.
    """
    return tuple(map(_bytes_or_none, (root / CONFIG_PATH, env.config_file)))


def _bytes_or_none(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def make_ready(env: Environment, ws: Workspace) -> None:
    """Do for each call on an opened vault what the program does at its start."""
    from memstore.files.local_state import state_folder

    _finish_what_was_begun(env, state_folder(ws.vault.root, state_home=env.state_home), ws.vault)
    _settle_act(ws)
    _check_context(env, ws)


def assemble(
    env: Environment,
    root: Path,
    config: Config,
    actor: str,
    *,
    context: str | None = None,
    track: bool = True,
    models: Models = _NO_MODELS,
    state: Path | None = None,
) -> Workspace:
    """Return the workspace of the vault at `root`, built from what this machine provides.

    `state` is the folder for its local state, if not the usual one.
    """
    from memstore.access.local_state import ContextFile, DiskAccessLog, DiskStacks, Quoted, SessionsQuoted, VerdictCache
    from memstore.core.clock import RandomIds, SystemClock
    from memstore.files.disk_vault import DiskVault
    from memstore.files.local_state import PENDING_ACT, PENDING_KEYS, cache_folder, state_folder
    from memstore.search.disk_library import DiskLibrary
    from memstore.search.local_state import DerivedCache, DiskUsage

    state = state or state_folder(root, state_home=env.state_home)
    kept = cache_folder(root, cache_home=env.cache_home)
    keys = cache(partial(seal_keys, env))
    vault = DiskVault(root, state=state, mixed=config.mixed, opener=keys)
    _finish_what_was_begun(env, state, vault)
    ws = Workspace(
        vault=vault,
        library=DiskLibrary(
            vault,
            cache=kept,
            on_progress=partial(env.on_progress, "indexing files") if env.on_progress else None,
            history=lambda: ws.history,  # `ws` does not exist yet
            languages=config.languages or LANGUAGES,
            keys=lambda: keys().state,
            forgets=(root / MANIFEST).is_file(),
        ),
        clock=SystemClock(partial(_zone, env, config)),
        ids=RandomIds(),
        config=config,
        actor=actor,
        alone=False,
        here=_below(root, env.folder),
        verdicts=VerdictCache(kept),
        open_view=VaultView,
        facets=Facets(
            HISTORY.made_by(lambda: _history(env, root, keys, kept, mixed=config.mixed)),
            USAGE.made_by(lambda: DiskUsage(state, records=track and env.get("MEMSTORE_NO_USAGE") is None)),
            ACCESS_LOG.made_by(lambda: DiskAccessLog(state)),
            RUNS.made_by(lambda: _runs(state, actor)),
            SIGNATURES.made_by(lambda: signatures(env, actor, read=lambda path: ws.view().of(FILES).read(path))),
            PINS.made_by(lambda: _pins(env, root)),
            CONTEXTS.made_by(
                lambda: ContextFile(state, entity=actor, session=env.get("MEMSTORE_SESSION") or "", declared=context)
            ),
            LEXICON.made_by(lambda: _lexicon(env)),
            DERIVED.made_by(lambda: DerivedCache(kept)),
            EMBEDDER.made_by(models.embedder),
            INFERENCE.made_by(models.inference),
            VECTORS.made_by(lambda: _vectors(env, kept)),
            SEAL_KEYS.made_by(keys),
            QUOTED.made_by(Quoted),
            SESSIONS_QUOTED.made_by(lambda: SessionsQuoted(state, actor)),
            FORGOTTEN.made_by(lambda: _forgotten(state)),
            STACK_FOLDERS.made_by(lambda: DiskStacks(state)),
        ),
        own=Facets(JOURNAL.made_by(lambda: _journal(state)), DRAFTS.made_by(lambda: drafts(env, root))),
        pending_keys=state / PENDING_KEYS,
        pending_act=state / PENDING_ACT,
        open_stack=lambda folder, settings, contexts: _open_stack(
            env, folder, settings, actor, contexts, state, models
        ),
        drop_cache=partial(_drop_cache, env),
        on_progress=env.on_progress,
        kept_in=lambda: (*_git_folders(root), state.parent.resolve(), kept.parent.resolve(), _state_of_others(env)),
    )
    _settle_act(ws)
    return ws


def _open_stack(
    env: Environment,
    folder: str,
    config: Config,
    actor: str,
    contexts: ContextState,
    state: Path,
    models: Models,
) -> Workspace:
    """Return the shared stack in a folder, where nothing is written: its local state is kept with the vault's."""
    from pathlib import Path

    from memstore.files.local_state import vault_hash

    root = Path(folder)
    kept = state / "stacks" / vault_hash(root)
    ws = assemble(env, root, config, actor, track=False, models=models, state=kept)
    return ws.having(CONTEXTS, contexts)


# Zones of most servers, for which none needs to be loaded.
_UTC_NAMES = frozenset({"UTC", "Etc/UTC", "Etc/UCT", "Universal", "Zulu"})


def _zone(env: Environment, config: Config) -> tzinfo:
    """Return the time zone of the vault's settings, else the machine's, by its name so that summers are known."""
    from datetime import UTC, datetime

    from memstore.core.times import zone_named

    places = os.path.realpath("/etc/localtime").partition("/zoneinfo/")
    name = config.timezone or (env.get("TZ") or "").removeprefix(":") or places[2]
    if name in _UTC_NAMES:
        return UTC
    return (zone_named(name) if name else None) or datetime.now().astimezone().tzinfo or UTC


def _drop_cache(env: Environment, folder: str) -> None:
    """Delete what was computed of the vault in a folder, which may be gone; failures are ignored."""
    from pathlib import Path

    from memstore.files.local_state import cache_folder, drop_all

    drop_all(cache_folder(Path(folder), cache_home=env.cache_home))


def _state_of_others(env: Environment) -> Path:
    """Return the folder with the local state of vaults that are in no repository."""
    return (env.state_home / "memstore").resolve()


def _caches(env: Environment) -> Path:
    """Return the folder with data derived from vaults."""
    return (env.cache_home / "memstore").resolve()


def _git_folders(root: Path) -> tuple[Path, ...]:
    from memstore.files.local_state import find_repository

    repository = find_repository(root)
    return (repository.git_dir.resolve(), repository.common_dir.resolve()) if repository else ()


def _below(root: Path, folder: Path) -> str:
    """Return a folder's path relative to the vault's; empty for the vault's own, or one neither in it nor around it."""
    if folder == root:
        return ""
    folder, root = folder.resolve(), root.resolve()
    if not (folder.is_relative_to(root) or root.is_relative_to(folder)):
        return ""
    below = os.path.relpath(folder, root)
    return "" if below == "." else below


def _new_key() -> str:
    """Return a random key in hexadecimal digits."""
    import secrets

    return secrets.token_hex(32)


def _history(env: Environment, root: Path, keys: Callable[[], SealKeys], cache: Path, *, mixed: bool) -> GitHistory:
    from memstore.history.git_history import GitHistory

    def approved() -> Mapping[str, str]:
        return config_file.read_user_config(env.config_file).filters

    return GitHistory(root, env.variables, mixed=mixed, opener=keys, approved=approved, cache=cache)


def seal_keys(env: Environment) -> SealKeys:
    """Return the keys that open sealed memories for the process's user."""
    from memstore.trust.seal_keys import SealKeys

    return SealKeys.of(env)


def _finish_what_was_begun(env: Environment, state: Path, vault: Files) -> None:
    """Finish what a killed program had begun to write; usually this only checks for a file and a folder."""
    from memstore.files.local_state import BEGUN_OPERATION, PENDING_KEYS

    if (state / BEGUN_OPERATION).exists():
        from memstore.vault.writing import recover

        recover(vault, _journal(state))
    if (state / PENDING_KEYS).exists() and not (state / BEGUN_OPERATION).exists():
        # A program died between a context's new key and what is sealed for it; nothing is done while it is alive.
        with suppress(MemstoreError, OSError), vault.lock():
            seal_keys(env).settle(state / PENDING_KEYS, vault.root / RegistryKind.CONTEXT.value)


def _settle_act(ws: Workspace) -> None:
    """Settle what a killed program had begun to do outside of the tree; nothing is done while it is alive."""
    if ws.pending_act is not None and ws.pending_act.exists():
        from memstore.vault.writing import locked

        with suppress(MemstoreError, OSError), locked(ws):
            pass


def _embedder(env: Environment, chosen: UserConfig) -> Embedder | None:
    """Return the embedder that the user, never the vault, chose; it is loaded when a text is first embedded."""
    if chosen.embedder is None:
        return None
    from memstore.search.embedder import FolderEmbedder, Recipe

    recipe = Recipe(chosen.pooling, chosen.query_prefix, chosen.passage_prefix)
    return FolderEmbedder(env.expanded(chosen.embedder), recipe)


def _inference(env: Environment, chosen: UserConfig) -> Inference | None:
    """Return the NLI model that the user, never the vault, chose; it is loaded when it is first asked."""
    if chosen.nli is None:
        return None
    from memstore.conflicts.inference import Inference
    from memstore.conflicts.nli_model import NliFolder

    return Inference(NliFolder(env.expanded(chosen.nli)), least=chosen.nli_threshold)


def _vectors(env: Environment, cache: Path) -> VectorStore:
    from memstore.search.embedder import DiskVectors

    told = env.on_progress
    return DiskVectors(cache, on_progress=partial(told, "computing vectors") if told else None)


def _journal(state: Path) -> Journal:
    from memstore.files.disk_journal import DiskJournal

    return DiskJournal(state)


def _forgotten(state: Path) -> ForgottenTexts:
    from memstore.access.forgotten import ForgottenTexts

    return ForgottenTexts(state, _new_key)


def _runs(state: Path, actor: str) -> RunRecord:
    from memstore.beliefs.run_record import DiskRuns

    return DiskRuns(state, actor)


def signatures(
    env: Environment, actor: str | None = None, *, read: Callable[[Path], bytes] | None = None
) -> Signatures:
    """Return the keys of the actor, which work without a vault, too.

    Args:
        env: the process's environment.
        actor: who signs; None is the user.
        read: returns the bytes of a file that the actor may read; None if there is no vault to ask.
    """
    from memstore.trust.signatures import SshSignatures

    own_key = config_file.read_user_config(env.config_file).key_of(actor)
    agent = env.get("SSH_AUTH_SOCK") or ""
    return SshSignatures(env.home, agent=agent, own_key=own_key, **({"read": read} if read else {}))


def _pins(env: Environment, root: Path) -> UserPins:
    from memstore.trust.user_pins import UserPins

    return UserPins(env.config_file, root)


def pages() -> WebPages:
    """Return access to the web, for a command that was told to use it; no workspace has it."""
    from memstore.trust.pages import WebPages

    return WebPages()


def _lexicon(env: Environment) -> WordNet:
    from memstore.conflicts.lexicon import WordNet

    named = env.get("WN_DATA_DIR")
    return WordNet(env.expanded(named) if named else env.home / ".wn_data")


def find_vault(env: Environment, named: str | None, *, where: str = "--vault") -> Path:
    """Return the vault's folder: `named`, MEMSTORE_VAULT, the nearest around the current folder, the user's default.

    Errors say `where` it was named.

    Raises:
        UsageError: the name is empty, as when a shell variable is not set; that does not mean the current folder.
        VaultError: the named folder is not a vault, or none was named and none found.
    """
    if named == "":
        raise UsageError(f"{where} is empty", hint=f"name a folder, like {where} ~/notes; . is this folder")
    if named is not None:
        return _vault_at(env, env.expanded(named), Found(named, where))
    if variable := env.get("MEMSTORE_VAULT"):
        return _vault_at(env, env.expanded(variable), Found(variable, "MEMSTORE_VAULT"))
    around = (env.folder, *env.folder.parents)
    for folder in around:
        if (folder / SETTINGS_FOLDER).is_dir():
            return folder
    for folder in around:
        _stop_if_elsewhere(env, folder)
    if default := config_file.read_user_config(env.config_file).vault:
        return _vault_at(env, env.expanded(default), Found(default, f"vault in {env.config_file}"))
    is_sparse = any((folder / ".git" / "info" / "sparse-checkout").is_file() for folder in around)
    left_out = f"if a sparse checkout leaves it out: git sparse-checkout add {SETTINGS_FOLDER}; otherwise "
    raise VaultError(
        f"found no vault: no --vault, no MEMSTORE_VAULT, no {SETTINGS_FOLDER} folder in {env.folder} or above it, "
        f"and no default in {env.config_file}",
        hint=(left_out if is_sparse else "") + "make one here with `memstore init`, or name one with --vault DIR",
    )


def _stop_if_elsewhere(env: Environment, folder: Path) -> None:
    """Raise if a folder is a vault on another branch of its repository than the one that is checked out."""
    from memstore.files.local_state import find_repository
    from memstore.vault.surroundings import branch_of_vault

    if find_repository(folder) is not None and (branch := branch_of_vault(env, folder)):
        raise VaultError(
            f"{folder} is a vault on the branch {branch}, and what is checked out has no {CONFIG_PATH}",
            hint=f"git checkout {branch} goes there, git checkout {branch} -- .memstore brings its settings here",
        )


def bytes_without_vault(env: Environment, path: Path, *, entity: str | None, context: str | None, alone: bool) -> bytes:
    """Return a file's bytes for a command that runs without a vault; for a file in a vault only if it may be seen."""
    import errno
    import os
    from pathlib import Path

    from memstore.files.local_state import vault_around, without_dots

    named = without_dots(path)
    place = Path(os.path.realpath(named))
    around = vault_around(place)
    if around is not None:
        return (
            open_workspace(env, vault=str(around), entity=entity, context=context, alone=alone)
            .view()
            .of(FILES)
            .read(path)
        )
    if any(place.is_relative_to(folder) for folder in (_state_of_others(env), _caches(env))):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return named.read_bytes()


def _vault_at(env: Environment, folder: Path, named: Found) -> Path:
    """Return the folder if it is a vault itself; a folder inside a vault is not enough."""
    import os
    from pathlib import Path

    if ".." in folder.parts:
        from memstore.files.local_state import without_dots

        folder = without_dots(folder)
    problem: OSError | None = None
    try:
        folder.stat()
        if (folder / SETTINGS_FOLDER).is_dir():
            return folder
    except OSError as error:
        problem = error
    from memstore.files.local_state import vault_around

    around = vault_around(Path(os.path.realpath(folder)))
    if around is None and isinstance(problem, FileNotFoundError):
        raise VaultError(
            f"{named.where} names {named.value}, which does not exist", hint=f"memstore init {named.value}"
        ) from problem
    if around is None and problem is not None:
        raise VaultError(
            f"{named.where} names {named.value}: {problem.strerror}", hint="check its permissions"
        ) from problem
    if around is None:
        _stop_if_elsewhere(env, folder)
    # Not everybody may know whether anything exists in another vault.
    raise VaultError(
        f"{named.where} names {named.value}, which is not a vault: it has no {SETTINGS_FOLDER} folder",
        hint=f"the vault around it is {around}" if around else f"memstore init {named.value} makes it one",
    )


def find_actor(env: Environment, named: str | None, config: Config, root: Path | None = None) -> Found:
    """Return who acts and looks: `named`, MEMSTORE_ENTITY, the user's configuration, or the vault's owner.

    A group is several people, and acts through them: of its vault, the user's configuration says who they are there.

    Args:
        env: the process's environment.
        named: the entity that was named.
        config: the vault's settings.
        root: the vault's folder.

    Raises:
        UsageError: the first of these that is set is not an entity id, or is a group in a vault of a group.
        UnknownActorError: a group owns the vault, and nobody has said who acts.
    """
    found = _named_actor(env, named, config, root)
    if found is None:
        supposed = supposed_entity(env, root)
        error = UnknownActorError(
            f"it isn't known who you are in this vault, which is {config.owner}'s",
            hint=f"memstore --as {supposed} init says it once for this folder",
        )
        error.supposed = supposed
        raise error
    if is_group(config.owner) and is_group(found.value):
        raise UsageError(
            f"{found.where} names {found.value}, which is a group: people and agents act",
            hint="name one of its members, like --as human:ann",
        )
    return found


def _named_actor(env: Environment, named: str | None, config: Config, root: Path | None) -> Found | None:
    if named is not None:
        return _entity(Found(named, "--as"))
    if variable := env.get("MEMSTORE_ENTITY"):
        return _entity(Found(variable, "MEMSTORE_ENTITY"))
    chosen = config_file.read_user_config(env.config_file)
    if root and is_group(config.owner) and (own := chosen.entities.get(os.path.realpath(root))):
        return Found(own, f"entities in {env.config_file}")
    if chosen.entity:
        return Found(chosen.entity, f"entity in {env.config_file}")
    return None if is_group(config.owner) else Found(config.owner, "the vault's owner")


def founder(env: Environment, named: str | None, root: Path) -> str:
    """Return who makes or completes the vault at `root`: who was named, who they are there, or the login.

    Raises:
        UsageError: a group is named, which can't act.
    """
    chosen = config_file.read_user_config(env.config_file)
    found = named or chosen.entities.get(os.path.realpath(root)) or chosen.entity or env.login_entity
    if is_group(found):
        raise UsageError(f"{found} is a group: people and agents act", hint="name a person, like --as human:ann")
    return found


def supposed_entity(env: Environment, root: Path | None) -> str:
    """Return who the user probably is: a person by the name that git has for them, else by their login."""
    from memstore.history.git_process import GitProcess

    said = GitProcess(root, env.variables).attempt("config", "--get", "user.name").stdout if root else b""
    name = env.get("GIT_AUTHOR_NAME") or os.fsdecode(said).strip()
    return env._replace(login=name or env.login).login_entity


def own_vault(env: Environment) -> str:
    """Return the folder of the user's own vault, which their settings name.

    Raises:
        UsageError: they name none.
    """
    if chosen := config_file.read_user_config(env.config_file).vault:
        return chosen
    raise UsageError(
        "your settings name no vault of your own",
        hint="memstore init ~/notes makes one, and memstore config --user vault ~/notes names it",
    )


_MOST_OF_A_PATH = 4096  # bytes, as Linux has it


def scope_at(env: Environment, vault: Path, folder: str | None) -> str | None:
    """Return the scope of an agent's folder, by default the process's: that of the nearest folder with one.

    A linked work tree is where its repository is. A folder that the user's settings do not name is a project of its
    own, together with all of its repository, unless it is the user's home or in the vault: what is there is `global`,
    or None if the settings name no folder at all.
    """
    scopes = config_file.read_user_config(env.config_file).scopes
    known = {_real(place): scope for place, scope in scopes.items()}
    here = _real(folder or str(env.folder))
    around = (here, *here.parents, *_linked_from(here)) if here else ()
    named = next((known[one] for one in around if one in known), None)
    return named or _own_project(env, vault, here) or (GLOBAL_SCOPE if known else None)


def _own_project(env: Environment, vault: Path, folder: Path | None) -> str | None:
    """Return the scope of a folder that nobody gave one; None if it is no project.

    It is called like the folder and a mark of its path, as no other folder may be taken for it by its name.
    """
    if folder is None:
        return None
    from memstore.files.local_state import work_tree_around

    linked = next(iter(_linked_from(folder)), None)
    top = linked or work_tree_around(folder) or folder
    home, root = (Path(os.path.realpath(one)) for one in (env.home, vault))
    if top in (home, *home.parents) or root in (folder, *folder.parents):
        return None
    name = _NOT_IN_SCOPES.sub("-", top.name).strip("-._")[:_MOST_OF_A_NAME]
    mark = hashlib.sha256(os.fsencode(top)).hexdigest()[:_OF_A_MARK]
    return f"project:{name}-{mark}" if name else f"project:{mark}"


_NOT_IN_SCOPES = re.compile(r"[^A-Za-z0-9._-]+")
_MOST_OF_A_NAME, _OF_A_MARK = 40, 6


def _real(folder: str) -> Path | None:
    """Return a folder's real path, as far down as the system takes a path; None for a name that no folder can have."""
    try:
        whole = os.fsencode(folder)
        named = whole if len(whole) < _MOST_OF_A_PATH else whole[:_MOST_OF_A_PATH].rpartition(b"/")[0]
        return Path(os.fsdecode(os.path.realpath(named)))
    except ValueError:
        return None


def _linked_from(folder: Path) -> tuple[Path, ...]:
    """Return the folders around the repository that a folder's work tree is linked from, if that says so, too."""
    from memstore.files.local_state import find_repository, tree_linked_to

    found = find_repository(folder)
    is_linked = found is not None and tree_linked_to(found) in (folder, *folder.parents)
    return tuple(found.common_dir.parents) if found and is_linked else ()


def scopes_shown(env: Environment, vault: Path, folder: str | None = None) -> tuple[str, ...]:
    """Return the scopes of what comes to mind in an agent's folder: its own and `global`; empty for all."""
    scope = scope_at(env, vault, folder)
    return () if scope is None else tuple(dict.fromkeys((GLOBAL_SCOPE, scope)))


def remember_scope(env: Environment, scope: str, *, dry_run: bool = False) -> str:
    """Write into the user's settings which scope the current folder's repository has; return its top folder.

    Raises:
        UsageError: this is no scope.
    """
    from memstore.history.git_process import GitProcess

    top = GitProcess(env.folder, env.variables).attempt("rev-parse", "--show-toplevel").stdout
    folder = os.path.realpath(os.fsdecode(top).removesuffix("\n") or env.folder)
    file = config_file.ConfigFile(env.config_file, USER_SETTINGS)
    (file.typed if dry_run else file.set)(f"scopes.{folder}", scope)
    return folder


def remember_actor(env: Environment, root: Path, entity: str) -> None:
    """Write into the user's settings who they are in the vault at `root`; `UsageError` for a group, which can't act."""
    if is_group(entity):
        raise UsageError(f"{entity} is a group: people and agents act", hint="name a person, like human:ann")
    file = config_file.ConfigFile(env.config_file, USER_SETTINGS)
    file.set_entry("entities", os.path.realpath(root), checked_entity(entity, "--as"))


def _entity(found: Found) -> Found:
    if not is_entity_id(found.value):
        raise UsageError(
            f"{found.where} {found.value!r} is not an entity id", hint="an entity id looks like human:sean or si:ash"
        )
    return found


def find_context(env: Environment, named: str | None) -> Found | None:
    """Return the context given to this process: `named`, else MEMSTORE_CONTEXT; None if there is neither.

    Raises:
        UsageError: the first of these that is set is not a context's id.
    """
    variable = env.get("MEMSTORE_CONTEXT")
    if named is None and variable is None:
        return None
    found = Found(named, "--context") if named is not None else Found(variable or "", "MEMSTORE_CONTEXT")
    if not (is_entity_id(found.value) and found.value.startswith("ctx:")):
        raise UsageError(f"{found.where} {found.value!r} is not a context", hint="a context looks like ctx:dog_park")
    return found


def _check_context(env: Environment, ws: Workspace) -> None:
    """Raise in a context that can't be relied on, or without one if the vault demands one."""
    if ws.of(CONTEXTS).current() is not None:
        from memstore.vault.sight import session_of

        session_of(ws)
    elif ws.config.require_context and not (env.at_terminal and _may_decide(ws)):
        who = "a keeper" if is_group(ws.config.owner) else "its owner"
        raise RefusedError(
            f"this vault answers {ws.actor} only in a context",
            hint=f"give one with --context, or enter one; only {who}, at a terminal, needs none",
        )


def _may_decide(ws: Workspace) -> bool:
    from memstore.access.audit import may_decide

    return may_decide(ws.view())


# -- what works without a workspace --------------------------------------------------------------


def place(env: Environment, root: Path) -> DiskPlace:
    """Return the folder at `root`, which may become a vault."""
    from memstore.vault.surroundings import DiskPlace

    return DiskPlace(root, env)


def hooks_of(env: Environment, folder: str) -> GitHooks:
    """Return the hooks of a repository that a person named."""
    from memstore.history.git_hooks import GitHooks
    from memstore.history.git_process import GitProcess

    place = env.expanded(folder)
    if not place.is_dir():
        raise NotFoundError(f"there is no folder {place}", hint="name a repository on this machine")
    return GitHooks(GitProcess(place, env.variables))


def stack_place(env: Environment, folder: str) -> StackPlace:
    """Return the folder that a shared stack is written to."""
    from memstore.vault.stack_place import StackPlace

    return StackPlace(env.expanded(folder), env)


def open_made(env: Environment, root: Path, named: str | None = None) -> Workspace:
    """Return the vault at `root` for `init`, which reads no memory; the user's own settings may be broken.

    Its owner acts; of a group, whoever runs `init`, `named` or not.
    """
    config = config_file.read_vault_config(root, default_owner=env.login_entity)
    return assemble(env, root, config, founder(env, named, root) if is_group(config.owner) else config.owner)


def acts_as(env: Environment, entity: str | None, owner: str) -> bool:
    """Whether the actor is the owner of a vault: `entity`, or if None, the one found by `find_actor`."""
    found = _named_actor(env, entity, Config(owner=owner), None)
    return found is not None and found.value == owner and not is_group(owner)


def checked_entity(text: str | None, where: str) -> str | None:
    """Return the entity id that was given as `where`; raise `UsageError` if it is malformed."""
    return None if text is None else _entity(Found(text, where)).value


def settings_file(env: Environment, vault: str | None, *, user: bool) -> tuple[ConfigFile, dict[str, Any]]:
    """Return the file with the settings, the vault's or the user's own, and the defaults.

    Raises:
        VaultError: the vault's settings are asked for, and there is no vault.
    """
    if user:
        return config_file.ConfigFile(env.config_file, USER_SETTINGS), {}
    root = find_vault(env, vault)
    return config_file.ConfigFile(root / CONFIG_PATH, VAULT_SETTINGS), Config(owner=env.login_entity)._asdict()


def stop_unless_settings_are_ones_own(
    env: Environment, file: ConfigFile, defaults: Mapping[str, Any], entity: str | None
) -> None:
    """Raise unless the actor is the owner of a vault: its settings say who owns it.

    Args:
        env: the process's environment.
        file: the vault's settings.
        defaults: the values of settings that the file does not have.
        entity: who acts; if None, found by `find_actor`.

    Raises:
        RefusedError: somebody else acts.
    """
    owner = str(file.values().get("owner") or defaults["owner"])
    if is_group(owner):
        from memstore.access.audit import stop_unless_owner

        ws = open_workspace(env, vault=str(file.path.parent.parent), entity=entity, any_context=True)
        stop_unless_owner(ws.view(), "change its settings")
    elif not acts_as(env, entity, owner):
        raise RefusedError("only the vault's owner may change its settings", hint="ask the owner")


def surroundings(env: Environment, vault: str | None) -> Machine:
    """Return what `doctor` examines around the vault; the vault itself may be missing or broken."""
    from memstore.vault.surroundings import Machine

    try:
        root: Path | None = find_vault(env, vault)
    except VaultError:
        root = None
    return Machine(env, root)


def synthesizer(env: Environment, named: str | None) -> Synthesizer | None:
    """Return what words suggestions: `named`, else the user's own choice, never the vault's; None for quotations.

    Raises:
        UsageError: the name is not a command line, or its package is missing.
    """
    chosen = named or config_file.read_user_config(env.config_file).synthesizer
    if chosen is None:
        return None
    from memstore.beliefs.synthesizers import synthesizer as made

    return made(chosen)


def editor(env: Environment) -> Editor:
    """Return the person's editor."""
    from memstore.vault.editor import Editor

    return Editor(env.variables, env.home)


def drafts(env: Environment, root: Path) -> Drafts:
    """Return the drafts of the vault at `root`."""
    from memstore.files.local_state import DRAFTS, state_folder
    from memstore.vault.editor import Drafts

    return Drafts(state_folder(root, state_home=env.state_home) / DRAFTS)
