"""The settings of a vault and of a user: plain data, read from TOML files."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from memstore.core.ids import is_group

FORMAT_VERSION = 1
# Extensions of the format that this version knows; none so far.
EXTENSIONS: tuple[str, ...] = ()
# How new files are named: `core.file_names.path_of_new`.
FILENAMES = ("short", "slug-id", "id")
# "own": a file with a fence is a memory, or an error. "mixed": notes that were there before stay plain notes.
NOTES = ("own", "mixed")

# Those that texts may be in, for their stems: `core.languages`.
LANGUAGES = ("en", "da", "de", "es", "fi", "fr", "it", "nl", "no", "pt", "ru", "sv")

# How vectors of tokens become one: their mean, the first one's ("cls"), or the last one's.
POOLINGS = ("mean", "cls", "last")

# How sure an NLI model must be of a contradiction, in both directions.
NLI_THRESHOLD = 0.9

CONFIG_PATH = ".memstore/config.toml"

# The scope of what is of no project.
GLOBAL_SCOPE = "global"

# Who reads a git remote, other than entities: the vault's owner alone, or anybody.
OWNER_ALONE = "owner"
PUBLIC = "public"

_CREDENTIALS = r"(?<=://)[^/@]*@"


def remote_address(url: str) -> str:
    """Return a remote's name or URL as it is compared and shown: without a password, and a slash at its end."""
    return re.sub(_CREDENTIALS, "", url).rstrip("/")


def how_to_declare(remote: str, owner: str = "") -> str:
    """Return the commands that say who reads a remote; `owner` is the vault's, whose name counts if it is a group."""
    import shlex

    key = shlex.quote(f"remotes.{remote_address(remote)}")
    set_to = f"memstore config {key}"
    if is_group(owner):
        return f"{set_to} {owner}, if only its members do; public, if anybody may; or the ids of those who do"
    return f"{set_to} owner, if only the owner does; public, if anybody may; or their ids, like human:bob,human:eve"


def stack_readers_key(remote: str) -> str:
    """Return git's setting of a remote that says who reads it, where a stack is pushed from, or to."""
    return f"remote.{remote_address(remote)}.memstoreReaders"


class QualityProfile(Enum):
    """How quality is computed: by memstore's formula, or by seed 003's to the letter."""

    MEMSTORE = "memstore"
    SEED_003 = "seed-003"


QUALITY_PROFILES = tuple(profile.value for profile in QualityProfile)


class SettingKind(Enum):
    """The form of a setting's value; each enum value is the description shown to people."""

    WHOLE = "a whole number"
    SHARE = "a number from 0 to 1"
    FLAG = "true or false"
    ENTITY = "an entity id, like human:sean"
    FOLDER = "a folder, absolute or below ~"
    FILE = "a file, absolute or below ~"
    CHOICE = "one of a few words"
    LINE = "a line of text"
    ZONE = "a time zone, like Europe/Zurich"
    WORDS = "a list of words"
    PINS = "a table of folders and commits"
    HEADERS = "a table of heights and block headers"
    HOSTS = "a table of hosts and entity ids"
    REVOCATIONS = "a table of vaults with fingerprints, and commits"
    KEYS = "a table of entity ids and files"
    SENDERS = "a table of entity ids and fingerprints"
    PEOPLE = "a table of folders and entity ids"
    FILTERS = "a table of git filters and command lines"
    SCOPES = "a table of folders and scopes"
    AUDIENCES = 'a table of git remotes, each with a list of entity ids, ["owner"] or ["public"]'


class Setting(NamedTuple):
    """One key of a configuration file; `search.languages` is in a section. `init` writes `fixed` ones, not `config`.

    A file with `secret` ones is its owner's alone.
    """

    name: str
    kind: SettingKind
    meaning: str
    choices: tuple[str, ...] = ()
    fixed: bool = False
    secret: bool = False

    @property
    def field(self) -> str:
        """Its name in `Config` or `UserConfig`: that of the key, without its section."""
        return self.name.rpartition(".")[2]


VAULT_SETTINGS = (
    Setting("format", SettingKind.WHOLE, "version of the file format", fixed=True),
    Setting(
        "extensions", SettingKind.WORDS, "extensions of the format that a program must know to write here", fixed=True
    ),
    Setting("owner", SettingKind.ENTITY, "whose memories these are, and who acts if nobody else is named"),
    Setting(
        "notes",
        SettingKind.CHOICE,
        'whether every file with frontmatter is a memory ("own"), or only files with an id from memstore ("mixed")',
        NOTES,
    ),
    Setting("notes_for", SettingKind.WORDS, "who besides the owner sees plain notes"),
    Setting("filenames", SettingKind.CHOICE, 'names of new files; "id" keeps titles out of them', FILENAMES),
    Setting(
        "timezone",
        SettingKind.ZONE,
        "whose days are meant by `today`, `--since`, `--expires`, dates as people type them, and in lists; "
        "none: the machine's",
    ),
    Setting("auto_commit", SettingKind.FLAG, "commit every change at once"),
    Setting("quality_profile", SettingKind.CHOICE, "how quality is computed", QUALITY_PROFILES),
    Setting(
        "search.languages",
        SettingKind.WORDS,
        "languages of the texts, the usual one first; none: each file's stop words tell",
        LANGUAGES,
    ),
    Setting("every", SettingKind.WHOLE, "after how many hours `memstore beliefs consolidate --if-due` runs again"),
    Setting(
        "consolidate.least_roots",
        SettingKind.WHOLE,
        "from how many independent roots a new belief is suggested; never fewer than three",
    ),
    Setting(
        "consolidate.least_likeness",
        SettingKind.SHARE,
        "how alike the memories behind a new belief must be; `memstore beliefs calibrate` proposes a value",
    ),
    Setting(
        "conflicts.judges",
        SettingKind.WORDS,
        "whose verdicts `memstore conflicts` reports, like human:sean or llm:gpt-4o-mini; none: nobody's",
    ),
    Setting("require_context", SettingKind.FLAG, "without a context, refuse everybody but the owner at a terminal"),
    Setting(
        "remotes",
        SettingKind.AUDIENCES,
        "who reads what is pushed to each remote; `memstore config remotes.origin owner`",
        fixed=True,
    ),
)
USER_SETTINGS = (
    Setting("vault", SettingKind.FOLDER, "the vault to use if none is named or around the folder"),
    Setting("entity", SettingKind.ENTITY, "who acts and looks, in every vault"),
    Setting(
        "entities",
        SettingKind.PEOPLE,
        "who you are in each vault that a group owns; `memstore --as human:ben init` there",
        fixed=True,
    ),
    Setting(
        "synthesizer",
        SettingKind.LINE,
        "what words the suggestions of `memstore beliefs consolidate`: a command, or llm:MODEL",
    ),
    Setting(
        "embedder", SettingKind.FOLDER, "a folder with model.onnx and tokenizer.json, to find memories by meaning, too"
    ),
    Setting(
        "semantic.pooling",
        SettingKind.CHOICE,
        "how the embedder's vectors of tokens become one of the text, as its model was trained",
        POOLINGS,
    ),
    Setting("semantic.query_prefix", SettingKind.LINE, 'what the embedder gets before a query, like "query: "'),
    Setting("semantic.passage_prefix", SettingKind.LINE, 'what it gets before a text of a memory, like "passage: "'),
    Setting(
        "semantic.nli", SettingKind.FOLDER, "a folder with an NLI model, which is asked about what no rule decides"
    ),
    Setting("semantic.nli_threshold", SettingKind.SHARE, "how sure that model must be of a contradiction"),
    Setting(
        "engine.url",
        SettingKind.LINE,
        "where your vaults are indexed, postgresql://host/name, or a broker's https://host, to be searched there",
        secret=True,
    ),
    Setting("engine.token", SettingKind.LINE, "the token that a broker knows; several, with dots between", secret=True),
    Setting("signing_key", SettingKind.FILE, "the key that you sign with, or its .pub if an ssh-agent holds it"),
    Setting(
        "signing_keys",
        SettingKind.KEYS,
        "keys of others who sign here, such as agents; `memstore config --user signing_keys.si:ash FILE`",
        fixed=True,
    ),
    Setting(
        "pins",
        SettingKind.PINS,
        "for each vault, the commit whose keyring you trust; `memstore trust keys pin`",
        fixed=True,
    ),
    Setting(
        "block_headers", SettingKind.HEADERS, "blocks that prove times; `memstore trust keys pin --block`", fixed=True
    ),
    Setting("hosts", SettingKind.HOSTS, "whom a web host belongs to; `memstore trust keys pin --host`", fixed=True),
    Setting(
        "senders", SettingKind.SENDERS, "with which key someone signs shared stacks; `memstore share load`", fixed=True
    ),
    Setting(
        "filters",
        SettingKind.FILTERS,
        "git filters that a repository's own git settings name, and that may run here with these command lines",
        fixed=True,
    ),
    Setting(
        "scopes",
        SettingKind.SCOPES,
        "of which project what agents say in a folder is, and what comes to mind there; "
        "`memstore config --user scopes./home/sam/acme project:acme`",
        fixed=True,
    ),
    Setting("revocations", SettingKind.REVOCATIONS, "keys whose revocation was seen in a pinned vault", fixed=True),
)


class Config(NamedTuple):
    """The settings of a vault, chosen by its owner; the fields are the file's keys, which `VAULT_SETTINGS` explains."""

    owner: str
    format: int = FORMAT_VERSION
    extensions: tuple[str, ...] = ()
    notes: str = "own"
    notes_for: tuple[str, ...] = ()
    filenames: str = "short"
    timezone: str = ""
    auto_commit: bool = False
    quality_profile: str = QualityProfile.MEMSTORE.value
    require_context: bool = False
    every: int = 24
    least_roots: int = 3
    least_likeness: float = 0.0
    judges: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    remotes: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    @property
    def mixed(self) -> bool:
        """Whether notes that memstore did not write stay plain notes: only a memstore id makes a file a memory."""
        return self.notes == "mixed"

    def declared(self, name: str, url: str) -> frozenset[str]:
        """Return under which names the settings say who reads a remote with this name and URL."""
        key, place = remote_address(name), remote_address(url)
        return frozenset(named for named in self.remotes if named == key or remote_address(named) == place)


class UserConfig(NamedTuple):
    """A user's settings for all vaults; `USER_SETTINGS` explains the keys."""

    vault: str | None = None
    entity: str | None = None
    entities: Mapping[str, str] = MappingProxyType({})
    signing_key: str | None = None
    signing_keys: Mapping[str, str] = MappingProxyType({})
    synthesizer: str | None = None
    embedder: str | None = None
    pooling: str = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    nli: str | None = None
    nli_threshold: float = NLI_THRESHOLD
    url: str | None = None  # of the database, or of a broker
    token: str | None = None  # that the broker knows
    pins: Mapping[str, str] = MappingProxyType({})
    block_headers: Mapping[str, str] = MappingProxyType({})
    hosts: Mapping[str, str] = MappingProxyType({})
    senders: Mapping[str, str] = MappingProxyType({})
    filters: Mapping[str, str] = MappingProxyType({})
    scopes: Mapping[str, str] = MappingProxyType({})
    revocations: Mapping[str, str] = MappingProxyType({})

    @property
    def key_files(self) -> tuple[str, ...]:
        """The files of all keys that are named: the user's own first, then those of others who sign here."""
        own = (self.signing_key,) if self.signing_key else ()
        return (*own, *(self.signing_keys[entity] for entity in sorted(self.signing_keys)))

    def key_of(self, entity: str | None) -> str | None:
        """Return the file of the key that an entity signs with on this machine; for None, the user's own."""
        return self.signing_keys.get(entity or "") or self.signing_key
