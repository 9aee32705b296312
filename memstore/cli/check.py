"""`memstore check`: report the problems in the vault's files to people, editors and build servers.

Other programs get findings as JSON, as GitHub's workflow commands, or as SARIF.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memstore.cli.options import command
from memstore.cli.written import in_vault, write_for_a_server
from memstore.core.errors import Exit, UsageError
from memstore.history import HISTORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.cli.session import CliSession
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.vault.check import CheckResult


FORMATS = ("text", "json", "github", "sarif")
_EXAMPLES = (
    "memstore check",
    "memstore check beliefs --strict",
    "memstore check --fix --dry-run            # what it would mend, and record of who sees what",
    "memstore check --fix",
    "memstore check --against origin/main     # everything that changed since, for a pull request",
    "memstore check --explain yaml-ambiguous",
    "memstore check --output-format github",
)


@command("files", examples=_EXAMPLES)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[PATH]...")
@click.option("--staged", is_flag=True, help="Check what git has staged, as the pre-commit hook does.")
@click.option("--against", metavar="REV", help="Check everything that changed since a commit, compared with it.")
@click.option(
    "--strict", is_flag=True, help="Exit with 1 on warnings too; also list notices, and memories without a source."
)
@click.option(
    "--fix",
    is_flag=True,
    help="First fix what needs no judgement: missing ids, stray spaces, lines with one correction.",
)
@click.option("--dry-run", is_flag=True, help="With --fix: write nothing; show what would be fixed and recorded.")
@click.option("--output-format", type=click.Choice(FORMATS), default="text", help="The output format.")
@click.option("--explain", metavar="CODE", help="Explain the code of a finding, and check nothing.")
def files(  # noqa: PLR0913 -- one for each option
    session: CliSession,
    *,
    paths: tuple[str, ...],
    staged: bool,
    against: str | None,
    strict: bool,
    fix: bool,
    dry_run: bool,
    output_format: str,
    explain: str | None,
) -> None:
    """Check memories, their refs, and entities, groups, contexts and consents; exit 1 on errors."""
    if explain is not None:
        _explain(session, explain)
        return
    if staged and (fix or paths or against):
        raise UsageError("--staged checks everything that is staged", hint="leave out --fix, --against and paths")
    if dry_run and (against or not fix):
        raise UsageError("--dry-run shows what --fix would fix", hint="memstore check --fix --dry-run")
    if against and paths:
        raise UsageError("--against checks everything that changed since", hint="leave out the paths")
    session.choices.json = session.choices.json or output_format == "json"
    view = session.view()
    within = [in_vault(session, path) for path in paths]
    result = _result(view, within, staged=staged, against=against, fix=fix, dry_run=dry_run)
    result = result if strict else result.without_strict()
    _emit(session, view, result, output_format, strict=strict)
    if fix and not (paths or against or dry_run or session.as_json):
        _say_what_else_mends(session)
    if result.errors or (strict and result.warnings):
        session.exit(Exit.FOUND_ERRORS)


def _result(
    view: View, paths: Sequence[str], *, staged: bool, against: str | None, fix: bool, dry_run: bool
) -> CheckResult:
    from memstore.vault import check as flow

    if against:
        return flow.check_against(view, against, mend=fix)
    if staged:
        return flow.check_staged_files(view)
    return flow.fix(view, paths, dry_run=dry_run) if fix else flow.check(view, paths)


# How many notices about links are shown beside problems; more would bury these.
MOST_NOTICES = 10


def _emit(session: CliSession, view: View, result: CheckResult, output_format: str, *, strict: bool) -> None:
    if output_format in {"github", "sarif"} and not session.as_json:
        repository = view.of(HISTORY).repository
        prefix = repository.prefix if repository else ""
        found = (*result.findings, *(result.notices if strict else ()))
        write_for_a_server(session, found, output_format, prefix=prefix)
        return
    of_links = [one for one in result.notices if one.code == "link-dangling"]
    is_shown = strict or len(of_links) <= MOST_NOTICES
    shown = [one for one in result.notices if is_shown or one.code != "link-dangling"]
    session.emit("check", result, lambda: _lines(session, result, shown, strict=strict), each="findings")
    if not is_shown:
        session.say(f"{len(of_links):,} notices about links that lead nowhere; memstore check --strict lists them")
    session.say(summary(result))


def _lines(session: CliSession, result: CheckResult, notices: Sequence[Finding], *, strict: bool) -> Iterator[str]:
    from memstore.cli.output import safe_line

    done, now = ("would fix", "would read") if result.dry_run else ("fixed", "now reads")
    for finding in result.fixed:
        yield f"{session.paint('ok', done)} {_place(session, finding)}: {safe_line(finding.text)} [{finding.code}]"
        if finding.mended is not None:
            yield f"  {now}: {session.paint('added', safe_line(finding.mended))}"
    groups: dict[str, list[Finding]] = {}
    for finding in sorted((*result.findings, *notices), key=lambda one: not one.is_error):
        groups.setdefault(finding.code, []).append(finding)
    for number, group in enumerate(groups.values()):
        yield from ("",) if number else ()
        yield from _group_lines(session, group, most=len(group) if strict else MOST_IN_PART)


# How many examples are shown of what was understood only in part, unless all of it is asked for.
MOST_IN_PART = 3
_IN_PART = frozenset({"note-date", "note-frontmatter", "note-encoding", "file-left-out"})


def _group_lines(session: CliSession, group: Sequence[Finding], *, most: int) -> Iterator[str]:
    """Yield the findings of one code, under their count if there are several; a hint that all share appears once."""
    from memstore.cli.output import safe_line
    from memstore.core.finding_codes import CODES

    word, code = group[0].severity.value, group[0].code
    is_shared = len(group) > 1 and len({finding.hint for finding in group}) == 1
    if len(group) > 1:
        yield f"{session.paint('heading', f'{len(group)} {word}s')} [{code}]: {CODES[code].meaning}"
    shown = group[:most] if code in _IN_PART else group
    for finding in shown:
        told = f"{session.paint(word, word)}: {safe_line(finding.text)} {session.paint('dim', f'[{code}]')}"
        yield f"{_place(session, finding)}: {told}"
        if finding.hint and not is_shared:
            yield f"  hint: {safe_line(finding.hint)}"
        if finding.mended is not None:
            yield f"  should read: {session.paint('added', safe_line(finding.mended))}"
    if len(shown) < len(group):
        yield f"  … and {len(group) - len(shown):,} more; memstore check --strict lists them"
    if is_shared and group[0].hint:
        yield f"  hint: {safe_line(group[0].hint)}"


def _say_what_else_mends(session: CliSession) -> None:
    """Say what other commands could fix without judgement, and how much."""
    from memstore.lineage.repair import fix_provenance
    from memstore.memories.edit import fmt

    view = session.view().again()
    filled = sum(not file.skipped for file in fix_provenance(view, dry_run=True).files)
    uneven = len(fmt(view, (), dry_run=True).saved)
    if filled:
        session.say(f"{filled} more can get their missing sources: memstore check fix-provenance")
    if uneven:
        session.say(f"{uneven} more can be formatted: memstore check fmt")


def _place(session: CliSession, finding: Finding) -> str:
    at = f"{finding.at.line}:{finding.at.column}"
    return session.paint.place(finding.path, at)


def summary(result: CheckResult) -> str:
    """Return the result in a few words: "12 files, 3 errors, 2 warnings", "699 notes, …; 891 links lead nowhere"."""
    counts = [(result.files, "file")] if result.files or not result.notes else []
    counts += [(result.notes, "note")] if result.notes else []
    counts += [(result.errors, "error"), (result.warnings, "warning")]
    if result.fixed:
        counts.append((len(result.fixed), "finding"))
    words = ", ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in counts)
    words += " fixed" if result.fixed else ""
    if result.notes:
        lost = sum(one.code == "link-dangling" for one in result.notices)
        words += f"; {lost:,} link{' leads' if lost == 1 else 's lead'} nowhere" if lost else "; no link leads nowhere"
    return f"{words}; no memories yet" if result.notes and not result.files else words


def _explain(session: CliSession, code: str) -> None:
    from memstore.core.errors import did_you_mean
    from memstore.core.finding_codes import CODES

    found = CODES.get(code.strip("[]"))
    if found is None:
        hint = did_you_mean(code, CODES, otherwise="docs/findings.md lists the codes")
        raise UsageError(f"no finding has the code `{code}`", hint=hint)
    session.emit(
        "check-code", found, lambda: (f"{found.name} ({found.severity.value}): {found.meaning}", "", found.explanation)
    )
