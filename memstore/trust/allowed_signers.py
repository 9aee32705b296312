"""A vault's keyring: the files allowed_signers and revoked_keys, as stock OpenSSH reads them, or a subset of that.

A line is `PRINCIPAL[,PRINCIPAL] OPTIONS TYPE BASE64 [COMMENT]`. Principals are entity ids. `namespaces=` is required,
because a key without it would be valid for everything. Neither may contain patterns. Times end in Z, because others
mean a different moment on another machine. Anything that stock OpenSSH would read differently is refused, never
guessed.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memstore.core.errors import FormatError
from memstore.core.finding import Position, Problem
from memstore.core.ids import is_entity_id
from memstore.trust.keyring import ALLOWED_SIGNERS, REVOKED_KEYS, Keyring, PublicKey, Signer
from memstore.trust.ssh_wire import read_public_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.core.finding import Finding

_LINE = re.compile(r'(?P<principals>\S+)[ \t]+(?P<options>(?:[^\s"]|"[^"]*")+)[ \t]+(?P<key>\S+[ \t]+\S+.*)')
_OPTION = re.compile(r'(namespaces|valid-after|valid-before)="([^"]*)"|(cert-authority)')
_PATTERN = re.compile(r"^!|[*?]")
_LONGEST_NAMESPACE = 1000
_INSTANT = re.compile(r"\d{8}(\d{4}(\d{2})?)?Z")
_FORMS = {len("20260201Z"): "%Y%m%dZ", len("202602011200Z"): "%Y%m%d%H%MZ", len("20260201120000Z"): "%Y%m%d%H%M%SZ"}


def read(signers: bytes | None, revoked: bytes | None) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return the keyring in the bytes of both files (None: missing), and the problems found in them.

    A line of allowed_signers that can't be used admits nobody. A line of revoked_keys that can't be read might exclude
    somebody, so until it is fixed no key counts.
    """
    return keyring_of(lines_of(signers or b""), lines_of(revoked or b""))


def keyring_of(
    signers: Iterable[tuple[int, str]], revoked: Iterable[tuple[int, str]]
) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return the keyring in numbered lines of both files; see `read`."""
    lines, wrong_lines = signers_of(signers)
    keys, wrong_keys = revoked_of(revoked)
    unreadable = f"{REVOKED_KEYS}:{wrong_keys[0].at.line}: {wrong_keys[0].text}" if wrong_keys else None
    findings = [problem.found_in(ALLOWED_SIGNERS) for problem in wrong_lines]
    findings += [problem.found_in(REVOKED_KEYS) for problem in wrong_keys]
    return Keyring(lines, keys, unreadable), tuple(findings)


def read_signers(data: bytes) -> tuple[tuple[Signer, ...], tuple[Problem, ...]]:
    """Return the usable lines of allowed_signers, and the problems of the others."""
    return signers_of(lines_of(data))


def signers_of(lines: Iterable[tuple[int, str]]) -> tuple[tuple[Signer, ...], tuple[Problem, ...]]:
    """Return the signers in numbered lines of allowed_signers; see `read_signers`."""
    signers: list[Signer] = []
    problems: list[Problem] = []
    for number, line in lines:
        try:
            signers.append(_signer(line, number))
        except FormatError as error:
            problems.append(_problem(number, error))
    return tuple(signers), tuple(problems)


def read_revoked(data: bytes) -> tuple[frozenset[bytes], tuple[Problem, ...]]:
    """Return the wire forms of the keys in revoked_keys, one public key per line, and the problems of other lines."""
    return revoked_of(lines_of(data))


def revoked_of(lines: Iterable[tuple[int, str]]) -> tuple[frozenset[bytes], tuple[Problem, ...]]:
    """Return the keys in numbered lines of revoked_keys; see `read_revoked`."""
    revoked: set[bytes] = set()
    problems: list[Problem] = []
    for number, line in lines:
        try:
            revoked.add(read_public_key(line)[0].blob)
        except FormatError as error:
            problems.append(_problem(number, error))
    return frozenset(revoked), tuple(problems)


def signer_line(
    principals: Sequence[str], key: PublicKey, namespaces: Sequence[str], *, authority: bool = False
) -> str:
    """Return a line of allowed_signers, without its line end; an `authority` certifies keys for the principals."""
    options = "cert-authority," * authority + f'namespaces="{",".join(namespaces)}"'
    return f"{','.join(principals)} {options} {key.type} {key.base64}"


def ended(line: str, before: datetime) -> str:
    """Return a line of allowed_signers whose key is valid only before a time, in UTC."""
    found = _LINE.fullmatch(line.rstrip("\r\n"))
    if found is None:
        raise FormatError("it is not a line of allowed_signers")
    kept = [part for part in re.split(r',(?=[a-z-]+[="])', found["options"]) if not part.startswith("valid-before=")]
    options = ",".join([*kept, f'valid-before="{before.astimezone(UTC):%Y%m%d%H%M%SZ}"'])
    return line[: found.start("options")] + options + line[found.end("options") :]


def lines_of(data: bytes) -> list[tuple[int, str]]:
    """Return the lines that are neither blank nor comments, with their numbers; undecodable bytes spoil a line."""
    numbered = enumerate(data.decode("utf-8", "surrogateescape").split("\n"), 1)
    return [(number, line.strip()) for number, line in numbered if line.strip() and not line.lstrip().startswith("#")]


def _signer(line: str, number: int) -> Signer:
    found = _LINE.fullmatch(line)
    if found is None:
        raise FormatError(
            "it does not have the form PRINCIPAL OPTIONS TYPE BASE64",
            hint='si:ash namespaces="attest@memstore.dev" ssh-…',
        )
    principals = tuple(found["principals"].split(","))
    for principal in principals:
        if not is_entity_id(principal):
            raise FormatError(
                f"{principal!r} is not an entity id", hint="patterns are not supported: write each id out"
            )
    options = _options(found["options"])
    if not options.get("namespaces"):
        raise FormatError(
            "the key has no namespaces=, so it would be good for everything", hint="say what the key signs"
        )
    namespaces = tuple(options["namespaces"].split(","))
    for namespace in namespaces:
        _check_namespace(namespace)
    return Signer(
        principals=principals,
        key=read_public_key(found["key"])[0],
        namespaces=namespaces,
        valid_after=_instant(options.get("valid-after")),
        valid_before=_instant(options.get("valid-before")),
        line=number,
        authority="cert-authority" in options,
    )


def _check_namespace(namespace: str) -> None:
    """Reject what OpenSSH reads as a pattern: `!` excludes what others admit, and one too long excludes all."""
    if _PATTERN.search(namespace) or len(namespace) > _LONGEST_NAMESPACE:
        raise FormatError(
            f"{namespace[:80]!r} is not a namespace",
            hint="patterns are not supported: write out each namespace that it signs",
        )


def _options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in re.findall(r'(?:[^,"]|"[^"]*")+', text):
        found = _OPTION.fullmatch(part)
        name = found and (found[1] or found[3])
        if found is None or not name or name in options:
            raise FormatError(f"the option {part} is unknown, or appears twice")
        options[name] = found[2] or ""
    return options


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    form = _FORMS[len(text)] if _INSTANT.fullmatch(text) else ""
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        hint = "write YYYYMMDDhhmmssZ; without the Z it is a different time on each machine"
        raise FormatError(f"{text!r} is not a time", hint=hint) from None


def _problem(number: int, error: FormatError) -> Problem:
    return Problem(
        "key-unusable", Position(number), f"{error}; the line counts for nothing", hint=error.hint or "mend it"
    )
