"""The table of commands: where each one lives and what it does in a few words.

`memstore --help` reads this table and imports none of the modules. A new command is one line here, in the section
where people would look for it, and a module `memstore/cli/<group>.py`; `memstore/cli/show.py` shows the form.
"""

from __future__ import annotations

# Section -> command -> (module below memstore.cli : attribute, help in a few words). No dataclass: this is read on
# every start of the program.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "start a vault": {
        "init": ("vault:init", "make a folder a vault"),
        "config": ("config:config", "see and change settings"),
        "doctor": ("doctor:doctor", "check that everything around the vault works"),
    },
    "write memories": {},
    "read and find": {
        "list": ("show:list_", "list memories, filtered"),
        "show": ("show:show", "show a memory"),
        "path": ("show:path", "print the path of a memory's file"),
    },
    "history": {
        "status": ("history:status", "show what is not committed, and what is wrong"),
        "commit": ("history:commit", "commit pending memories"),
        "log": ("history:log", "show what happened to a memory, or to all"),
        "blame": ("history:blame", "show who wrote each line of a memory"),
        "diff": ("history:diff", "show what became different"),
        "undo": ("history:undo", "take back what memstore wrote last"),
        "hooks": ("hooks:hooks", "check memories at every git commit"),
    },
    "keep it sound": {
        "check": ("check:check", "find what is wrong with files and refs"),
    },
    "about the program": {
        "help": ("help:help_", "explain a command or a topic"),
        "completion": ("completion:completion", "print a completion script for a shell"),
    },
}

COMMANDS: dict[str, tuple[str, str]] = {name: entry for table in SECTIONS.values() for name, entry in table.items()}
