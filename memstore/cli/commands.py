"""The table of commands: the module of each one, and what it does in a few words.

`memstore help --all` reads this table and imports none of the modules. A new command is one line here, in the section
where people would look for it, and a module `memstore/cli/<group>.py`; `memstore/cli/show.py` is the model.
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
        "raw": ("add:raw", "write something down as it came"),
        "today": ("today:today", "add a line to today's note, or open it"),
        "promote": ("rework:promote", "turn a raw memory into another type"),
        "supersede": ("rework:supersede", "replace a memory with a new one"),
        "split": ("rework:split", "split a memory into two"),
        "merge": ("rework:merge", "merge memories that say the same into one"),
        "archive": ("rework:archive", "put memories out of sight, without deleting them"),
        "restore": ("rework:restore", "bring archived memories back"),
        "forget": ("forget:forget", "forget memories for good, leaving a tombstone"),
        "import": ("imports:import_", "import memories from other files"),
        "edit": ("amend:edit", "change a memory's text or title"),
        "set": ("amend:set_", "set keys of a memory"),
        "tag": ("amend:tag", "add or remove tags"),
        "mv": ("amend:mv", "rename or move a memory's file"),
        "adopt": ("amend:adopt", "turn Markdown files into memories"),
    },
    "read and find": {
        "list": ("show:list_", "list memories, filtered"),
        "show": ("show:show", "show a memory"),
        "path": ("show:path", "print the path of a memory's file"),
        "search": ("search:search", "find memories by words, with the matching lines"),
        "recall": ("recall:recall", "bring to mind what matters for a prompt"),
        "cite": ("cite:cite", "cite lines, or see what became of a citation"),
        "trace": ("lineage:trace", "show where a memory comes from, or what came of it"),
        "report": ("report:report", "write a page of what you may see, to read in a browser"),
        "links": ("links:links", "show where a note's links lead, and what links to it"),
        "impact": ("lineage:impact", "show what would lose its support without a memory"),
        "export": ("imports:export", "export memories for other programs, as JSON"),
        "stats": ("cite:stats", "count memories by type, status, month and author"),
    },
    "weigh the evidence": {
        "reinforce": ("beliefs:reinforce", "record evidence for a memory"),
        "contradict": ("beliefs:contradict", "record evidence against a memory"),
        "why": ("cite:why", "show how a memory's numbers were computed"),
        "consolidate": ("consolidate:consolidate", "suggest beliefs from what happened repeatedly"),
        "suggestions": ("graduate:suggestions", "show suggestions, and accept or reject them"),
        "revise-from": ("beliefs:revise_from", "find what an episode supports or contradicts"),
        "calibrate": ("beliefs:calibrate", "score how well confidence predicted new evidence"),
        "graduate": ("graduate:graduate", "write the memories that have earned it into MEMORY.md"),
        "propagate": ("beliefs:propagate", "carry changes of confidence on to what rests on them"),
        "recompute": ("beliefs:recompute", "recompute confidence from its history, or verify it"),
    },
    "vouch for memories": {
        "sign": ("attest:sign", "sign a memory that you wrote"),
        "witness": ("attest:witness", "vouch for somebody else's memory, or dispute it"),
        "request-witness": ("attest:request_witness", "ask others to vouch for a memory"),
        "resolve": ("attest:resolve", "decide a dispute about a memory"),
        "anchor": ("attest:anchor", "anchor what a memory says in a commit, page or timestamp"),
        "trust": ("trust:trust", "show who vouches for a memory"),
        "quarantine": ("rework:quarantine", "take memories and what came of them out of recall"),
        "keys": ("keys:keys", "manage whose keys count in this vault"),
        "attest": ("attest:attest", "export attestations for other tools"),
    },
    "share": {
        "context": ("context:context", "say where you are and who listens"),
        "generalize": ("generalize:generalize", "share what was learnt without saying from whom"),
        "privacy": ("privacy:privacy", "share memories, and see who sees what"),
        "entity": ("registry:entity", "list and register people, agents and others"),
        "group": ("registry:group_", "list and change groups"),
        "consent": ("consent:consent", "record consents and refusals"),
        "delegate": ("consent:delegate", "let somebody consent for somebody else for a while"),
        "share": ("share:share", "write a copy of what somebody else may see"),
        "load": ("share:load", "search a stack that was shared with you, too"),
        "unload": ("share:unload", "search a loaded stack no longer"),
        "seal": ("seal:seal", "encrypt memories for those who may see them"),
        "unseal": ("seal:unseal", "store sealed memories as plain text again"),
        "audit": ("audit:audit", "show what was done with access, and verify the record"),
    },
    "settle conflicts": {
        "conflicts": ("conflicts:conflicts", "list memories that can't both be right, or say the same"),
        "resolve-conflict": ("conflicts:resolve_conflict", "decide which of two memories holds"),
    },
    "history": {
        "status": ("history:status", "show what is not committed, and what is wrong"),
        "commit": ("history:commit", "commit pending memories"),
        "log": ("history:log", "show what happened to a memory, or to all"),
        "blame": ("history:blame", "show who wrote each line of a memory"),
        "diff": ("history:diff", "show what changed between two states"),
        "bisect": ("bisect:bisect", "find the commit that made an answer appear or change"),
        "review": ("review:review", "show what a branch changes, for a pull request"),
        "undo": ("history:undo", "take back what memstore wrote last"),
        "hooks": ("hooks:hooks", "check memories at every git commit"),
        "merge-driver": ("hooks:merge_driver", "merge versions of a memory key by key, for git"),
    },
    "maintain the vault": {
        "fmt": ("amend:fmt", "format the frontmatter of memories"),
        "compress": ("consolidate:compress", "replace old, unused texts with summaries"),
        "check": ("check:check", "find what is wrong with files and refs"),
        "orphans": ("lineage:orphans", "list memories that can't say where they come from"),
        "fix-provenance": ("lineage:fix_provenance", "fill in sources that were not recorded"),
        "index": ("index:index", "show, locate or rebuild the search index"),
        "semantic": ("semantic:semantic", "find by meaning, too, by a model on this machine"),
        "watch": ("index:watch", "keep the index up to date while files change"),
    },
    "serve agents": {
        "agent": ("agent:agent", "set up an agent's program to use a vault, or undo that"),
        "mcp": ("mcp:mcp", "serve a vault to an agent, by the Model Context Protocol"),
    },
    "about the program": {
        "help": ("help:help_", "explain a command or a topic"),
        "completion": ("completion:completion", "print a completion script for a shell"),
    },
}

COMMANDS: dict[str, tuple[str, str]] = {name: entry for table in SECTIONS.values() for name, entry in table.items()}

# The commands that a person needs first, in the order of a first day.
EVERYDAY = ("init", "add", "search", "list", "show", "edit", "trace", "why", "check", "status", "commit", "undo")

# Former names of commands -> their current module, and what to call instead. They are not listed, work as before, and
# will be removed in the next version.
FORMER: dict[str, tuple[str, str]] = {
    "revise": ("rework:revise", "memstore edit REF TEXT"),
    "expand": ("recall:expand", "memstore show --full|--whole REF"),
    "rebuild": ("beliefs:rebuild", "memstore recompute"),
    "dedupe": ("conflicts:dedupe", "memstore conflicts --duplicates"),
}
