"""What is wrong with a text while it is typed: what `memstore check` would say of it, and what the edit does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memstore.access import registry
from memstore.access.widening import unconsented
from memstore.core.finding import Severity, in_order
from memstore.core.places import is_memory_path, kind_of
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.vault.check import wrong_in_registries
from memstore.vault.transitions import findings_between

if TYPE_CHECKING:
    from memstore.core.finding import Finding
    from memstore.lsp.open_files import OpenVault, TextDocument
    from memstore.lsp.text import Text

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTICE: types.DiagnosticSeverity.Information,
}
SOURCE = "memstore"
# Of a plain note, nothing but these is said: it is somebody's own, and memstore imposes nothing on it.
_OF_NOTES = frozenset({"link-dangling", "secret-in-note", "conflict-marker"})


def findings(vault: OpenVault, document: TextDocument) -> tuple[Finding, ...]:
    """Return what `check` finds in a text as it is now, and what is wrong with the step from its last commit to it."""
    if kind := kind_of(document.path):
        file = registry.read(document.path, kind, document.text.data)
        return in_order([*wrong_in_registries({document.path: file})])
    view = vault.view
    if not is_memory_path(document.path, mixed=view.config.mixed):
        return ()
    note, check = vault.file(document), vault.check
    found = [*check.findings(note), *check.notices(note)]
    if isinstance(note, PlainFile):
        return in_order([one for one in found if one.code in _OF_NOTES])
    if isinstance(note, MemoryFile):
        before = vault.committed(document.path)
        found += findings_between(before, note)
        if isinstance(before, MemoryFile) and view.is_owners:
            found += unconsented(view, before, note)
    return in_order([one for one in found if one.path == document.path])


def diagnostic(one: Finding, text: Text, *beside: types.DiagnosticRelatedInformation) -> types.Diagnostic:
    """Return a finding as the protocol has it; a hint is part of the message, since few editors show it elsewhere."""
    return types.Diagnostic(
        range=text.range(text.span_of(one)),
        message=f"{one.text}\n{one.hint}" if one.hint else one.text,
        severity=_SEVERITIES[one.severity],
        code=one.code,
        source=SOURCE,
        related_information=[*beside] or None,
    )
