"""The table of commands: where each one lives and what it does in a few words.

`memstore help --all` reads this table and imports none of the modules. A new command is one line here, in the section
where people would look for it, and a module `memstore/cli/<group>.py`; `memstore/cli/show.py` shows the form.
"""

from __future__ import annotations

# Section -> command -> (module below memstore.cli : attribute, help in a few words). No dataclass: this is read on
# every start of the program.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "start a vault": {
        "init": ("vault:init", "make a folder a vault"),
        "config": ("config:config", "see and change settings"),
        "doctor": ("vault:doctor", "check that everything around the vault works"),
    },
    "write memories": {
        "add": ("add:add", "write a memory"),
        "raw": ("add:raw", "write something down as it came"),
        "today": ("today:today", "put a line into the note of this day, or open it"),
        "promote": ("rework:promote", "make a memory of a raw one"),
        "supersede": ("rework:supersede", "put another memory in the place of one"),
        "split": ("rework:split", "make two memories of one"),
        "merge": ("rework:merge", "make one memory of several that say the same"),
        "archive": ("rework:archive", "put memories out of sight"),
        "restore": ("rework:restore", "bring archived memories back"),
        "import": ("imports:import_", "take over memories from other files"),
        "edit": ("amend:edit", "change a memory, in your editor or with words given"),
        "set": ("amend:set_", "give keys of a memory other values"),
        "tag": ("amend:tag", "give a memory tags, or take them away"),
        "mv": ("amend:mv", "give a memory's file another name"),
        "adopt": ("amend:adopt", "make Markdown files memories"),
    },
    "read and find": {
        "list": ("show:list_", "list memories, filtered"),
        "show": ("show:show", "show a memory"),
        "path": ("show:path", "print the path of a memory's file"),
        "search": ("search:search", "find memories by words, with the lines that say it"),
        "recall": ("recall:recall", "bring to mind what matters for a prompt"),
        "cite": ("cite:cite", "cite lines, or see what became of a citation"),
        "trace": ("lineage:trace", "show where a memory comes from, or what came of it"),
        "links": ("links:links", "show where a note's links lead, and what links to it"),
        "impact": ("lineage:impact", "show what would lose ground without a memory"),
        "export": ("imports:export", "give memories to other programs, as JSON"),
        "stats": ("cite:stats", "count memories by type, status, month and author"),
    },
    "be more or less sure": {
        "reinforce": ("beliefs:reinforce", "record what speaks for a memory"),
        "contradict": ("beliefs:contradict", "record what speaks against a memory"),
        "why": ("cite:why", "show how a memory's numbers came about"),
        "consolidate": ("consolidate:consolidate", "suggest what to believe from what happened"),
        "suggestions": ("graduate:suggestions", "see what was suggested, and decide"),
        "revise-from": ("beliefs:revise_from", "find what an episode supports or contradicts"),
        "calibrate": ("beliefs:calibrate", "score the vault's own numbers"),
        "graduate": ("graduate:graduate", "write what has earned it into MEMORY.md"),
        "propagate": ("beliefs:propagate", "carry a change of confidence on to what rests on it"),
        "recompute": ("beliefs:recompute", "make the numbers anew, or prove that they hold"),
    },
    "vouch for it": {
        "sign": ("attest:sign", "sign a memory that you wrote"),
        "witness": ("attest:witness", "vouch for somebody else's memory, or dispute it"),
        "request-witness": ("attest:request_witness", "ask others to vouch for a memory"),
        "resolve": ("attest:resolve", "decide how a dispute about a memory came out"),
        "anchor": ("attest:anchor", "record where else it can be seen what a memory says"),
        "trust": ("trust:trust", "show who vouches for a memory"),
        "keys": ("keys:keys", "say whose keys count in this vault"),
        "attest": ("attest:attest", "give attestations to other tools"),
    },
    "share": {
        "context": ("context:context", "say where you are and who listens"),
        "privacy": ("privacy:privacy", "share memories, and see who sees what"),
        "entity": ("registry:entity", "see and change who there is"),
        "group": ("registry:group_", "see and change groups"),
        "consent": ("consent:consent", "record who said yes, and who said no"),
        "delegate": ("consent:delegate", "let somebody consent for another for a while"),
        "audit": ("audit:audit", "see what was done with access, and prove it"),
    },
    "settle what differs": {
        "conflicts": ("conflicts:conflicts", "list memories that can't both be right, or say the same"),
        "resolve-conflict": ("conflicts:resolve_conflict", "decide which of two memories holds"),
    },
    "history": {
        "status": ("history:status", "show what is not committed, and what is wrong"),
        "commit": ("history:commit", "commit pending memories"),
        "log": ("history:log", "show what happened to a memory, or to all"),
        "blame": ("history:blame", "show who wrote each line of a memory"),
        "diff": ("history:diff", "show what became different"),
        "review": ("review:review", "show what a branch changes, for a pull request"),
        "undo": ("history:undo", "take back what memstore wrote last"),
        "hooks": ("hooks:hooks", "check memories at every git commit"),
        "merge-driver": ("hooks:merge_driver", "merge versions of a memory key by key, for git"),
    },
    "keep it sound": {
        "fmt": ("amend:fmt", "make the layout of memories even"),
        "compress": ("consolidate:compress", "put summaries in the place of old texts that nobody used"),
        "check": ("check:check", "find what is wrong with files and refs"),
        "orphans": ("lineage:orphans", "list memories that can't say where they come from"),
        "fix-provenance": ("lineage:fix_provenance", "fill in sources that were not recorded"),
        "index": ("index:index", "see, place or rebuild the search index"),
        "semantic": ("semantic:semantic", "find by meaning, too, by a model on this machine"),
        "watch": ("index:watch", "keep the index up to date while files change"),
    },
    "about the program": {
        "help": ("help:help_", "explain a command or a topic"),
        "completion": ("completion:completion", "print a completion script for a shell"),
    },
}

COMMANDS: dict[str, tuple[str, str]] = {name: entry for table in SECTIONS.values() for name, entry in table.items()}

# What a person meets first, in the order of their first day.
EVERYDAY = ("init", "add", "search", "list", "show", "edit", "trace", "why", "check", "status", "commit", "undo")

# Names that commands had before -> where they still live, and what to call instead. They are in no list, run as they
# did, and go with the next version.
FORMER: dict[str, tuple[str, str]] = {
    "revise": ("rework:revise", "memstore edit REF TEXT"),
    "expand": ("recall:expand", "memstore show --full|--whole REF"),
    "rebuild": ("beliefs:rebuild", "memstore recompute"),
    "dedupe": ("conflicts:dedupe", "memstore conflicts --duplicates"),
}
