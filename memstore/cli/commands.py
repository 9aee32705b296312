"""The table of commands: the module of each one, and what it does in a few words.

`memstore help --all` reads this table and imports none of the modules. A new command is one line here, in the section
where people would look for it, or in the group that it belongs to, and a module `memstore/cli/<group>.py`;
`memstore/cli/show.py` is the model.
"""

from __future__ import annotations

# Section -> command -> (module below memstore.cli : attribute, help in a few words). This is not a dataclass, because
# it is read at every start of the program.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "start a vault": {
        "init": ("vault:init", "make a folder a vault"),
        "config": ("config:config", "show and change settings"),
        "doctor": ("vault:doctor", "check that everything around the vault works"),
    },
    "write memories": {
        "add": ("add:add", "write a memory"),
        "raw": ("groups:raw", "write something down as it came, and promote it later"),
        "today": ("today:today", "add a line to today's note, or open it"),
        "edit": ("amend:edit", "change a memory's text or title"),
        "set": ("amend:set_", "set keys of a memory"),
        "tag": ("amend:tag", "add or remove tags"),
        "mv": ("amend:mv", "rename or move a memory's file"),
        "supersede": ("rework:supersede", "replace a memory with a new one"),
        "archive": ("rework:archive", "put memories out of sight, or bring them back"),
        "forget": ("forget:forget", "forget memories for good, leaving a tombstone"),
        "import": ("imports:import_", "import memories from other files"),
        "adopt": ("amend:adopt", "turn Markdown files into memories"),
    },
    "read and find": {
        "search": ("search:search", "find memories by words, with the matching lines"),
        "find": ("find:find", "pick one at a terminal, and open it in your editor"),
        "list": ("show:list_", "list memories, filtered, or count them"),
        "show": ("show:show", "show a memory, its path, or lines to cite"),
        "recall": ("recall:recall", "bring to mind what matters for a prompt"),
        "trace": ("lineage:trace", "show where a memory comes from, or what came of it"),
        "links": ("links:links", "show where a note's links lead, and what links to it"),
        "export": ("imports:export", "export memories for other programs, or as a page"),
    },
    "weigh the evidence": {
        "reinforce": ("beliefs:reinforce", "record evidence for a memory"),
        "contradict": ("beliefs:contradict", "record evidence against a memory"),
        "why": ("cite:why", "show how a memory's numbers were computed"),
        "conflicts": ("groups:conflicts", "list memories that can't both be right, and settle that"),
        "beliefs": ("groups:beliefs", "consolidate, suggestions, graduate, recompute …"),
    },
    "share and vouch": {
        "privacy": ("privacy:privacy", "grant, consent, audit, seal …: who sees what"),
        "context": ("context:context", "say where you are and who listens"),
        "share": ("groups:share", "write a copy of what somebody else may see, load one"),
        "trust": ("groups:trust", "sign, witness, anchor, keys …: who vouches for what"),
    },
    "history": {
        "status": ("history:status", "show what is not committed, and what is wrong"),
        "commit": ("history:commit", "commit pending memories"),
        "sync": ("history:sync", "commit, fetch, merge, check and push"),
        "log": ("history:log", "show what happened to a memory, or to all"),
        "blame": ("history:blame", "show who wrote each line of a memory"),
        "diff": ("history:diff", "show what changed between two states"),
        "review": ("review:review", "show what a branch changes, for a pull request"),
        "undo": ("history:undo", "take back what memstore wrote last"),
        "hooks": ("hooks:hooks", "check memories at every git commit"),
    },
    "maintain and serve": {
        "check": ("groups:check", "find and fix what is wrong with files and refs"),
        "index": ("index:index", "status, rebuild, watch; semantic: find by meaning"),
        "engine": ("engine:engine", "index vaults on PostgreSQL, for an organisation"),
        "mcp": ("mcp:mcp", "serve a vault to an agent, set up the agent's program"),
        "lsp": ("lsp:lsp", "serve notes to a text editor, set an editor up"),
        "help": ("help:help_", "explain a command or a topic"),
        "completion": ("completion:completion", "print a completion script for a shell"),
    },
}

COMMANDS: dict[str, tuple[str, str]] = {name: entry for table in SECTIONS.values() for name, entry in table.items()}

# Group -> its commands, in modules that are loaded only when one of them is called.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "raw": {
        "add": ("add:raw", "write something down as it came"),
        "promote": ("rework:promote", "turn a raw memory into another type"),
    },
    "export": {
        "html": ("report:html", "write a page of what you may see, to read in a browser"),
    },
    "conflicts": {
        "list": ("conflicts:list_", "list memories that can't both be right, or say the same"),
        "resolve": ("conflicts:resolve", "decide which of two memories holds"),
        "judge": ("conflicts:judge", "say what you think of what two memories say"),
        "withdraw": ("conflicts:withdraw", "take back what somebody, or a model, judged"),
        "merge": ("rework:merge", "merge memories that say the same into one"),
        "split": ("rework:split", "split a memory into two"),
    },
    "beliefs": {
        "consolidate": ("consolidate:consolidate", "suggest beliefs from what happened repeatedly"),
        "suggestions": ("graduate:suggestions", "show suggestions, and accept or reject them"),
        "revise-from": ("beliefs:revise_from", "find what an episode supports or contradicts"),
        "graduate": ("graduate:graduate", "write the memories that have earned it into MEMORY.md"),
        "compress": ("consolidate:compress", "replace old, unused texts with summaries"),
        "propagate": ("beliefs:propagate", "carry changes of confidence on to what rests on them"),
        "recompute": ("beliefs:recompute", "recompute confidence from its history, or verify it"),
        "calibrate": ("beliefs:calibrate", "score how well confidence predicted new evidence"),
    },
    "privacy": {
        "generalize": ("generalize:generalize", "share what was learnt without saying from whom"),
        "consent": ("consent:consent", "record consents and refusals"),
        "delegate": ("consent:delegate", "let somebody consent for somebody else for a while"),
        "entity": ("registry:entity", "list and register people, agents and others"),
        "group": ("registry:group_", "list and change groups"),
        "seal": ("seal:seal", "encrypt memories for those who may see them"),
        "unseal": ("seal:unseal", "store sealed memories as plain text again"),
        "log": ("audit:log", "show what was done with access, and verify the record"),
    },
    "share": {
        "copy": ("share:copy", "write a copy of what somebody else may see"),
        "load": ("share:load", "search a stack that was shared with you, too"),
        "unload": ("share:unload", "search a loaded stack no longer"),
    },
    "trust": {
        "show": ("trust:show", "show who vouches for a memory"),
        "sign": ("attest:sign", "sign a memory that you wrote"),
        "witness": ("attest:witness", "vouch for somebody else's memory, or dispute it"),
        "request-witness": ("attest:request_witness", "ask others to vouch for a memory"),
        "resolve": ("attest:resolve", "decide a dispute about a memory"),
        "anchor": ("attest:anchor", "anchor what a memory says in a commit, page or timestamp"),
        "quarantine": ("rework:quarantine", "take memories and what came of them out of recall"),
        "keys": ("keys:keys", "manage whose keys count in this vault"),
        "attest": ("attest:attest", "export attestations for other tools"),
    },
    "hooks": {
        "merge-driver": ("hooks:merge_driver", "merge versions of a memory key by key, for git"),
    },
    "check": {
        "files": ("check:files", "find what is wrong with files and refs"),
        "orphans": ("lineage:orphans", "list memories that can't say where they come from"),
        "fix-provenance": ("lineage:fix_provenance", "fill in sources that were not recorded"),
        "fmt": ("amend:fmt", "format the frontmatter of memories"),
    },
    "index": {
        "watch": ("index:watch", "keep the index up to date while files change"),
        "semantic": ("semantic:semantic", "find by meaning, too, by a model on this machine"),
    },
    "mcp": {
        "serve": ("mcp:serve", "serve a vault to an agent"),
        "token": ("mcp:token", "make, list and revoke tokens for HTTP"),
        "install": ("agent:install", "set up an agent's program to use a vault"),
        "uninstall": ("agent:uninstall", "undo that"),
        "list": ("agent:list_", "list the programs that are set up, and their vaults"),
    },
    "lsp": {
        "serve": ("lsp:serve", "serve memories and notes to a text editor"),
        "install": ("editor:install", "let an editor start it"),
        "uninstall": ("editor:uninstall", "undo that"),
    },
}

# The commands that a person needs first, in the order of a first day.
EVERYDAY = ("init", "add", "search", "list", "show", "edit", "trace", "why", "check", "status", "commit", "undo")

# Former commands -> the words that are written today. They work, say so, and are neither listed nor completed.
FORMER: dict[str, str] = {
    **{
        word: f"{group} {word}"
        for group, words in (
            ("trust", ("sign", "witness", "request-witness", "resolve", "anchor", "quarantine", "keys", "attest")),
            ("privacy", ("generalize", "consent", "delegate", "entity", "group", "seal", "unseal")),
            ("beliefs", ("consolidate", "suggestions", "revise-from", "graduate", "compress")),
            ("beliefs", ("propagate", "recompute", "calibrate")),
            ("conflicts", ("merge", "split")),
            ("check", ("orphans", "fix-provenance", "fmt")),
            ("share", ("load", "unload")),
            ("index", ("watch", "semantic")),
        )
        for word in words
    },
    "promote": "raw promote",
    "resolve-conflict": "conflicts resolve",
    "audit": "privacy log",
    "agent": "mcp",
    "restore": "archive --restore",
    "path": "show --path",
    "cite": "show --cite",
    "stats": "list --stats",
    "impact": "trace --impact",
    "bisect": "search --bisect",
    "report": "export html",
    "revise": "edit",
    "expand": "show --full",
    "rebuild": "beliefs recompute",
    "dedupe": "conflicts --duplicates",
}

# Other words for commands, which work without a word: those of the documents that memstore grew from, and what settings
# of git call.
ALIASES: dict[str, str] = {
    **{f"{kind} show": "show" for kind in ("raw", "belief", "episode", "note")},
    **{f"{kind} list": f"list --type {kind}" for kind in ("raw", "belief", "episode", "note")},
    "memories": "list",
    "meta orphans": "check orphans",
    "migrate fix-provenance": "check fix-provenance",
    "merge-driver": "hooks merge-driver",
}
