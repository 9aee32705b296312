"""`memstore doctor`: check that everything around the vault works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memstore.cli.options import command
from memstore.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import Session
    from memstore.flows.doctor import Check, Diagnosis

_ROLES = {"ok": "ok", "fixed": "ok", "warning": "warning", "error": "error"}


@command("doctor", examples=("memstore doctor", "memstore doctor --fix"))
@click.option("--fix", is_flag=True, help="Mend what needs no judgement, and say so.")
def doctor(session: Session, *, fix: bool) -> None:
    """Check Python, git, settings, vault, hooks, index, cache, keyring, clocks, leftovers; exit 1 on errors."""
    from memstore import wiring
    from memstore.flows.doctor import doctor as examine

    around = wiring.surroundings(session.environment(), session.choices.vault)
    diagnosis = examine(around, session.view, fix=fix)
    session.emit(
        "doctor", document=lambda: _document(diagnosis), lines=lambda: _lines(session, diagnosis), each="checks"
    )
    if not diagnosis.is_well:
        session.exit(Exit.FOUND_ERRORS)


def _document(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "well": diagnosis.is_well,
        "checks": [
            {"check": check.name, "verdict": check.verdict.value, "text": check.text, "hint": check.hint}
            for check in diagnosis.checks
        ],
    }


def _lines(session: Session, diagnosis: Diagnosis) -> Iterator[str]:
    for check in diagnosis.checks:
        yield from _check_lines(session, check)


def _check_lines(session: Session, check: Check) -> Iterator[str]:
    from memstore.cli.output import safe

    word = check.verdict.value
    yield f"{session.paint(_ROLES[word], f'{word:<8}')} {check.name:<17} {safe(check.text)}"
    if check.hint:
        yield f"{'':<26} {session.paint('dim', 'hint: ' + safe(check.hint))}"
