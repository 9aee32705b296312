"""The forms of the program's own messages: errors, help, completion scripts, changed settings of agents and editors."""

from __future__ import annotations

from typing import Any, NamedTuple

from memstore.documents.form import Form


class FailureAnswer(NamedTuple):
    """Why a command failed."""

    code: str
    exit: int
    message: str
    hint: str | None


Form("""FailureAnswer
    code: a word for programs
    exit[1..]: the exit code
    message hint
""")
_error: Form[FailureAnswer] = Form("""FailureAnswer
    @error: why a command failed
    error=.
""")


def error_document(code: str, exit_code: int, message: str, hint: str | None) -> dict[str, Any]:
    """Return why a command failed; `code` is a word for programs."""
    return _error(FailureAnswer(code, exit_code, message, hint))


Form(
    """None
    @help: help on a command or a topic
    topic text
""",
    topic=str,
    text=str,
)
Form(
    """None
    @completion: a completion script
    shell script
""",
    shell=str,
    script=str,
)
Form("""SettingsChange
    path
    change=kind[created|changed|removed]
    added: the texts that are put in; nothing else of the file is shown
    removed: the texts that are taken out
""")
Form(
    """SetUp
    @agent: what was changed in the settings of an agent's program
    agent dry_run files=changes notes
""",
    dry_run=bool,
)
Form(
    """EditorSetUp
    @editor: what was changed in the settings of a text editor
    editor dry_run files=changes notes
""",
    dry_run=bool,
)
Form("""ServedProgram
    agent file vault=root entity context
    self=alone: nobody else listens
    problem: why the program can't be served
    scope: of what is written down in the current folder, and comes to mind there
""")
Form("""Iterable[ServedProgram]
    @agents: the agents' programs that memstore is set up in, and whose vault each is shown
    programs=.
""")
