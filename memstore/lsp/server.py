"""The language server: what an editor asks, by the Language EditorServer Protocol, and who answers.

Everything is answered in the order in which it was asked, by one thread; pygls reads and writes.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from pygls.uris import from_fs_path, to_fs_path

from memstore import __version__
from memstore.core.errors import ChangedMeanwhileError, Exit, MemstoreError, UsageError
from memstore.core.places import kind_of
from memstore.lsp import acts, completion, hover, lenses, navigation, renaming
from memstore.lsp.diagnostics import diagnostic, findings
from memstore.lsp.late import lines_of
from memstore.lsp.open_files import OpenVault, OpenVaults, TextDocument
from memstore.lsp.text import Text, TextSpan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.core.finding import Finding
    from memstore.lsp.late import LateFinding

_T = TypeVar("_T")

_TRIGGERS = ["[", "#", ":", "(", "/", "-", " "]
_MOST_PREVIEW = 24
_LAST_WORD = re.compile(r"\w*\Z")
# What takes longer than a keystroke may is looked for once nothing was typed for so long.
PAUSE_SECONDS = 0.4


class EditorProtocol(LanguageServerProtocol):
    """The protocol, without two faults of pygls 2.1.

    It keeps the finished future of every notification that a generator handles, and it counts lines as Python does,
    where U+2028 ends one: texts are kept by `OpenVaults`.
    """

    def _execute_handler(
        self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None
    ) -> None:  # fmt: skip
        def done(future: Any) -> None:
            callback(future)
            self._request_futures.pop(msg_id, None)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Hand the changes on to whoever keeps the text."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None


class EditorServer(LanguageServer):
    """A language server for the files of vaults.

    Args:
        vaults: the vaults, and the open files.
    """

    def __init__(self, vaults: OpenVaults) -> None:
        super().__init__("memstore", __version__, protocol_cls=EditorProtocol, converter_factory=default_converter)
        self.vaults = vaults
        self.found: dict[str, tuple[Finding, ...]] = {}  # what was found in each open file, by URI
        self.late: dict[str, Sequence[LateFinding]] = {}  # what was found later, as far as it still holds
        self.is_neovim = False
        self._told: set[str] = set()
        self.unplaced: dict[str, TextDocument] = {}  # open files that are in no vault that can be opened
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._beside = ThreadPoolExecutor(1, "comparisons")

    # -- files -------------------------------------------------------------------------------------

    def document(self, uri: str) -> tuple[OpenVault, TextDocument] | None:
        """Return an open note and its vault; None for one that is not open, or is in no vault."""
        open_file = self.open_file(uri)
        return open_file if open_file and open_file[1].is_note else None

    def open_file(self, uri: str) -> tuple[OpenVault, TextDocument] | None:
        """Return an open file and its vault: a note, or one in which the vault says who is who."""
        placed = self.vault_of(uri)
        if placed is None or placed[1] not in placed[0].documents:
            return None
        return placed[0], placed[0].documents[placed[1]]

    def vault_of(self, uri: str) -> tuple[OpenVault, str] | None:
        """Return the vault that a file is in, and its path there; None for a file that is in none."""
        name = to_fs_path(uri)
        if name is None or not uri.startswith("file:"):
            return None
        self.vaults.encoding = self.server_capabilities.position_encoding
        placed = self.vaults.vault_of(Path(name))
        for root, why in self.vaults.broken.items():
            self.tell_once(f"memstore can't open the vault {root}: {why}", types.MessageType.Error)
        return placed

    def place(self, uri: str, text: Text, version: int | None) -> None:
        """Keep the text of an open file, and send what is wrong with it; it may be in a vault only later."""
        placed = self.vault_of(uri)
        if placed is None:
            self.unplaced[uri] = TextDocument(uri, text, version)
            return
        self.unplaced.pop(uri, None)
        vault, path = placed
        document = TextDocument(path, text, version)
        if document.is_note or kind_of(path):
            vault.documents[path] = document
            self.publish(uri)

    def items(
        self, document: TextDocument, offers: Sequence[completion.Offer], offset: int
    ) -> list[types.CompletionItem]:
        """Return offers as the protocol has them.

        What is typed is what an editor is to filter by, as the server has filtered already. Neovim before 0.11 obeys no
        place where there is something to filter by, and since then puts in no more than the first word; so it is given
        the rest of the word that is typed, which it puts in as it is.
        """
        source = document.text.source
        rest = {}
        for offer in offers if self.is_neovim else ():
            head = _LAST_WORD.sub("", source[offer.span.start : offset])
            if offer.text.startswith(head) and offset >= offer.span.end:
                rest[offer] = offer.text.removeprefix(head)
        items = []
        for place, offer in enumerate(rest or offers):
            typed = source[offer.span.start : offset]
            edit = types.TextEdit(document.text.range(offer.span), offer.text)
            found = _LAST_WORD.search(typed) if rest else None
            items.append(
                types.CompletionItem(
                    label=offer.label,
                    kind=offer.kind,
                    detail=offer.about or None,
                    documentation=offer.explained or None,
                    sort_text=f"{place:04}",
                    filter_text=found[0] or None if found else None if self.is_neovim else typed or offer.label,
                    insert_text=rest.get(offer),
                    text_edit=None if rest else edit,
                )
            )
        return items

    def text(self, source: str) -> Text:
        """Return a text that the editor sent, in the units that were agreed on."""
        return Text(source, self.server_capabilities.position_encoding)

    def uri(self, vault: OpenVault, path: str) -> str:
        """Return the URI of a file of a vault."""
        return from_fs_path(str(vault.root / path)) or ""

    def location(self, vault: OpenVault, place: navigation.NotePlace) -> types.Location:
        """Return a place as the protocol has it."""
        text = vault.text_of(place.path)
        end = 0 if text is None else text.place(text.line_start(place.end) + len(text.line(place.end))).character
        span = types.Range(types.Position(place.start, 0), types.Position(place.end, end))
        return types.Location(self.uri(vault, place.path), span)

    def edit(self, vault: OpenVault, renaming_: renaming.Renaming) -> types.WorkspaceEdit:
        """Return a renaming as the protocol has it: texts first, by their versions, then the file."""
        by_path: dict[str, list[types.TextEdit]] = {}
        for one in renaming_.texts:
            text = vault.text_of(one.path)
            if text is not None:
                by_path.setdefault(one.path, []).append(types.TextEdit(text.range(one.span), one.text))
        changes: list[Any] = [
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(
                    self.uri(vault, path), vault.documents[path].version if path in vault.documents else None
                ),
                list(edits),
            )
            for path, edits in by_path.items()
        ]
        if renaming_.moved:
            before, after = renaming_.moved
            changes.append(types.RenameFile(self.uri(vault, before), self.uri(vault, after)))
        workspace = self.client_capabilities.workspace
        takes = workspace.workspace_edit if workspace else None
        renames = takes is not None and types.ResourceOperationKind.Rename in (takes.resource_operations or ())
        if renaming_.moved and not renames:
            raise UsageError("this editor can't rename files", hint=f"memstore mv {' '.join(renaming_.moved)}")
        if renames or (takes is not None and takes.document_changes):
            return types.WorkspaceEdit(document_changes=changes)
        return types.WorkspaceEdit(changes={self.uri(vault, path): edits for path, edits in by_path.items()})

    # -- messages ----------------------------------------------------------------------------------

    def tell(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show a message."""
        self.window_show_message(types.ShowMessageParams(kind, message))

    def tell_once(self, message: str, kind: types.MessageType) -> None:
        """Show a message, unless it was shown before."""
        if message not in self._told:
            self._told.add(message)
            self.tell(message, kind)

    def answer(self, uri: str, ask: Callable[[OpenVault, TextDocument], _T], otherwise: _T) -> _T:
        """Return what is asked of an open note; `otherwise` for a file in no vault, or one that can't be read now."""
        return self._answer(self.document(uri), ask, otherwise)

    def _answer(
        self,
        open_file: tuple[OpenVault, TextDocument] | None,
        ask: Callable[[OpenVault, TextDocument], _T],
        otherwise: _T,
    ) -> _T:
        try:
            if open_file is None:
                return otherwise
            open_file[0].begin()
            return ask(*open_file)
        except MemstoreError as error:
            self.tell_once(f"memstore: {_words(error)}", types.MessageType.Error)
            return otherwise

    def publish(self, uri: str) -> None:
        """Find what is wrong with an open file, and send it."""
        nothing: tuple[Finding, ...] = ()
        open_file = self.open_file(uri)
        found = self._answer(open_file, findings, nothing)
        self.found[uri] = found
        if open_file:
            lines = lines_of(open_file[1].text.source.removeprefix("\ufeff"))
            self.late[uri] = [one for one in self.late.get(uri, ()) if one.holds(lines)]
            self._send(uri, *open_file)
            self.forget_later(uri)
            self._waiting[uri] = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._look_later, uri)

    def _send(self, uri: str, vault: OpenVault, document: TextDocument) -> None:
        sent = [diagnostic(one, document.text) for one in self.found[uri]]
        sent += [diagnostic(one.finding, document.text, *self._beside_of(vault, one)) for one in self.late[uri]]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, sent, document.version))

    def _beside_of(self, vault: OpenVault, one: LateFinding) -> Iterator[types.DiagnosticRelatedInformation]:
        if one.beside:
            place = navigation.NotePlace(one.beside.path, one.beside.line_start - 1, one.beside.line_end - 1)
            yield types.DiagnosticRelatedInformation(self.location(vault, place), one.beside.title)

    def forget_later(self, uri: str) -> None:
        """Look no more for what takes longer, until it is asked for again."""
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()

    def _look_later(self, uri: str) -> None:
        open_file = self.document(uri)
        if open_file:
            vault, document = open_file
            before = self.answer(uri, lambda vault, document: vault.committed(document.path), None)
            asked = partial(vault.compared, document.path, vault.texts, before)
            looking = asyncio.get_running_loop().run_in_executor(self._beside, asked)
            looking.add_done_callback(partial(self._found_later, uri, document))

    def _found_later(self, uri: str, document: TextDocument, looked: asyncio.Future[list[LateFinding]]) -> None:
        """Send what was found later, unless the text has changed since, or can't be read, which was said already."""
        open_file = self.document(uri)
        if looked.cancelled() or isinstance(looked.exception(), MemstoreError):
            return
        found = looked.result()
        if open_file and open_file[1] is document and found != self.late[uri]:
            self.late[uri] = found
            self._send(uri, *open_file)

    def end(self) -> None:
        """Look for nothing more."""
        self._beside.shutdown(wait=False, cancel_futures=True)

    def publish_all(self) -> None:
        """Look at the vaults anew, and send what is wrong with every open file."""
        for uri, document in [*self.unplaced.items()]:
            self.place(uri, document.text, document.version)
        for vault in self.vaults.all:
            vault.look()
            for path in vault.documents:
                self.publish(self.uri(vault, path))


def serve(vaults: OpenVaults) -> None:
    """Serve until the editor ends it, or leaves; whatever else is printed meanwhile goes to standard error."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what it tells of its own is no word for whoever edits
    read, write = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # The thread that reads can't be interrupted, and Python would wait for it; what an act had begun is taken back.
    signal.signal(signal.SIGINT, lambda *_: os._exit(Exit.INTERRUPTED))
    server = server_of(vaults)
    server.start_io(read, write)
    server.end()


def _words(error: MemstoreError) -> str:
    return f"{error}\n{error.hint}" if error.hint else str(error)


def server_of(vaults: OpenVaults) -> EditorServer:
    """Return a server for these vaults, with all that it answers."""
    server = EditorServer(vaults)
    for feature, options, answer in _FEATURES:
        server.feature(feature, options)(_bound(answer, server))
    for name in acts.ACTS:
        server.command(name)(_command(server, name))
    return server


def _bound(answer: Callable[[EditorServer, Any], Any], server: EditorServer) -> Callable[[Any], Any]:
    def asked(params: Any) -> Any:
        return answer(server, params)

    return asked


_FEATURES: list[tuple[str, Any, Callable[[EditorServer, Any], Any]]] = []


def _feature(method: str, options: object = None) -> Callable[[_T], _T]:
    """Let a function answer a method: it is given the server and what was asked."""

    def add(answer: Any) -> Any:
        _FEATURES.append((method, options, answer))
        return answer

    return add


# -- files ------------------------------------------------------------


@_feature(types.INITIALIZE)
def _begun(server: EditorServer, params: types.InitializeParams) -> None:
    server.is_neovim = params.client_info is not None and params.client_info.name == "Neovim"


@_feature(types.TEXT_DOCUMENT_DID_OPEN)
def _opened(server: EditorServer, params: types.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    server.place(item.uri, server.text(item.text), item.version)


@_feature(types.TEXT_DOCUMENT_DID_CHANGE)
def _changed(server: EditorServer, params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    open_file = server.open_file(uri)
    document = open_file[1] if open_file else server.unplaced.get(uri)
    if document:
        server.place(uri, document.text.changed(params.content_changes), params.text_document.version)


@_feature(types.TEXT_DOCUMENT_DID_CLOSE)
def _closed(server: EditorServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.unplaced.pop(uri, None)
    if open_file := server.open_file(uri):
        del open_file[0].documents[open_file[1].path]
        server.forget_later(uri)
        server.found.pop(uri, None)
        server.late.pop(uri, None)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


@_feature(types.TEXT_DOCUMENT_DID_SAVE)
def _saved(server: EditorServer, _: types.DidSaveTextDocumentParams) -> None:
    server.publish_all()


@_feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _watched(server: EditorServer, _: types.DidChangeWatchedFilesParams) -> None:
    server.publish_all()


@_feature(types.WORKSPACE_DID_RENAME_FILES)
def _renamed(server: EditorServer, _: types.RenameFilesParams) -> None:
    server.publish_all()


# -- reading ------------------------------------------------------------


@_feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=_TRIGGERS))
def _complete(server: EditorServer, params: types.CompletionParams) -> types.CompletionList:
    def asked(vault: OpenVault, document: TextDocument) -> types.CompletionList:
        offset = document.text.offset(params.position)
        offers = completion.completions(vault, document, offset)
        return types.CompletionList(is_incomplete=True, items=server.items(document, offers, offset))

    return server.answer(params.text_document.uri, asked, types.CompletionList(is_incomplete=False, items=[]))


@_feature(types.TEXT_DOCUMENT_HOVER)
def _hovered(server: EditorServer, params: types.HoverParams) -> types.Hover | None:
    def asked(vault: OpenVault, document: TextDocument) -> types.Hover | None:
        said = hover.hover(vault, document, document.text.offset(params.position))
        if said is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, said[0])
        return types.Hover(content, document.text.range(said[1]))

    return server.answer(params.text_document.uri, asked, None)


@_feature(types.TEXT_DOCUMENT_CODE_LENS)
def _lens(server: EditorServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    def asked(vault: OpenVault, document: TextDocument) -> list[types.CodeLens]:
        top = types.Range(types.Position(0, 0), types.Position(0, 0))
        return [types.CodeLens(top, types.Command(title, "")) for title in lenses.lenses(vault, document)]

    return server.answer(params.text_document.uri, asked, [])


@_feature(types.TEXT_DOCUMENT_INLAY_HINT)
def _inlay(server: EditorServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    def asked(vault: OpenVault, document: TextDocument) -> list[types.InlayHint]:
        lines = range(params.range.start.line, params.range.end.line + 1)
        return [
            types.InlayHint(document.text.place(at), title, padding_left=True)
            for at, title in lenses.titles(vault, document)
            if document.text.line_of(at) in lines
        ]

    return server.answer(params.text_document.uri, asked, [])


# -- going ------------------------------------------------------------


@_feature(types.TEXT_DOCUMENT_DEFINITION)
def _define(server: EditorServer, params: types.DefinitionParams) -> types.Location | None:
    def asked(vault: OpenVault, document: TextDocument) -> types.Location | None:
        place = navigation.definition(vault, document, document.text.offset(params.position))
        return None if place is None else server.location(vault, place)

    return server.answer(params.text_document.uri, asked, None)


@_feature(types.TEXT_DOCUMENT_REFERENCES)
def _refer(server: EditorServer, params: types.ReferenceParams) -> list[types.Location]:
    def asked(vault: OpenVault, document: TextDocument) -> list[types.Location]:
        row = navigation.pointed_at(vault, document, document.text.offset(params.position))
        places = [] if row is None else navigation.references(vault, row)
        return [server.location(vault, place) for place in places]

    return server.answer(params.text_document.uri, asked, [])


@_feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def _symbols(server: EditorServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    def asked(_: OpenVault, document: TextDocument) -> list[types.DocumentSymbol]:
        return [_symbol(document.text, one) for one in navigation.symbols(document.text)]

    return server.answer(params.text_document.uri, asked, [])


@_feature(types.WORKSPACE_SYMBOL)
def _workspace_symbols(server: EditorServer, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    found = []
    for vault in server.vaults.all:
        try:
            vault.begin()
            named = navigation.workspace_symbols(vault, params.query)
        except MemstoreError as error:
            server.tell_once(f"memstore: {_words(error)}", types.MessageType.Error)
            continue
        for one in named:
            where = types.Location(server.uri(vault, one.place.path), _lines(one.place.start, one.place.end))
            found.append(types.SymbolInformation(where, one.name, types.SymbolKind.File, container_name=one.container))
    return found


@_feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
def _links(server: EditorServer, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    def asked(vault: OpenVault, document: TextDocument) -> list[types.DocumentLink]:
        return [
            types.DocumentLink(document.text.range(span), target=server.uri(vault, place.path))
            for span, place in navigation.document_links(vault, document)
        ]

    return server.answer(params.text_document.uri, asked, [])


@_feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
def _fold(server: EditorServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    def asked(_: OpenVault, document: TextDocument) -> list[types.FoldingRange]:
        return [types.FoldingRange(first, last) for first, last, _ in navigation.folds(document.text)]

    return server.answer(params.text_document.uri, asked, [])


def _lines(start: int, end: int) -> types.Range:
    return types.Range(types.Position(start, 0), types.Position(end, 0))


def _symbol(text: Text, one: navigation.Symbol) -> types.DocumentSymbol:
    last = max(one.line, one.end - 1)
    whole = text.range(TextSpan(text.line_start(one.line), text.line_start(last) + len(text.line(last))))
    line = text.range(TextSpan(text.line_start(one.line), text.line_start(one.line) + len(text.line(one.line))))
    kind = types.SymbolKind.Key if one.is_key else types.SymbolKind.String
    return types.DocumentSymbol(one.name, kind, whole, line, children=[_symbol(text, each) for each in one.below])


# -- renaming ------------------------------------------------------------


@_feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
def _prepare(server: EditorServer, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    def asked(vault: OpenVault, document: TextDocument) -> types.PrepareRenamePlaceholder | None:
        what = renaming.renamable(vault, document, document.text.offset(params.position))
        return what and types.PrepareRenamePlaceholder(document.text.range(what.span), what.name)

    return server.answer(params.text_document.uri, asked, None)


@_feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
def _rename(server: EditorServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    open_file = server.document(params.text_document.uri)
    if open_file is None:
        return None
    vault, document = open_file
    try:
        vault.begin()
        done = renaming.renamed(vault, document, document.text.offset(params.position), params.new_name)
        edit = server.edit(vault, done)
    except MemstoreError as error:
        raise JsonRpcInvalidParams(_words(error)) from error
    if done.left:
        server.tell("\n".join(done.left), types.MessageType.Warning)
    return edit


_OF_NOTES = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*.md"), scheme="file")]
)


@_feature(types.WORKSPACE_WILL_RENAME_FILES, _OF_NOTES)
def _will_rename(server: EditorServer, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    changes: list[Any] = []
    for one in params.files:
        before, after = server.vault_of(one.old_uri), server.vault_of(one.new_uri)
        if before and after and before[0] is after[0]:
            try:
                before[0].begin()
                done = renaming.moved(before[0], before[1], after[1])._replace(moved=None)
                changes += server.edit(before[0], done).document_changes or ()
            except MemstoreError as error:
                server.tell(_words(error), types.MessageType.Warning)
    return types.WorkspaceEdit(document_changes=changes) if changes else None


# -- acting ------------------------------------------------------------


@_feature(types.TEXT_DOCUMENT_CODE_ACTION)
def _actions(server: EditorServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri = params.text_document.uri

    def asked(vault: OpenVault, document: TextDocument) -> list[types.CodeAction]:
        span = document.text.span(params.range)
        done = [*_fixes(server, vault, document, span)]
        lines = document.text.file_lines_of(span)
        of_conflicts = [one.conflict for one in server.late.get(uri, ()) if one.conflict and one.is_on(*lines)]
        for one in (*acts.of_conflicts(of_conflicts), *acts.offered(vault, document, span)):
            call = types.Command(one.title, one.command, arguments=[uri, *one.given])
            done.append(types.CodeAction(one.title, kind=types.CodeActionKind.Refactor, command=call))
        return done

    return server.answer(uri, asked, [])


def _fixes(
    server: EditorServer, vault: OpenVault, document: TextDocument, span: TextSpan
) -> Iterator[types.CodeAction]:
    """Yield what mends the findings on the lines of a selection."""
    text, uri = document.text, server.uri(vault, document.path)
    lines = range(text.line_of(span.start), text.line_of(span.end) + 1)
    for one in server.found.get(uri, ()):
        at = text.span_of(one)
        if text.line_of(at.start) not in lines:
            continue
        if one.mended is not None:
            where, new = text.file_line(one.at.line), one.mended
        elif one.meant is not None and one.extent is not None:
            where, new = at, one.meant
        elif one.code == "link-dangling" and (near := navigation.similar_link(vault, document, one)):
            where, new = near
        else:
            continue
        edits = [types.TextEdit(text.range(where), new)]
        version = types.OptionalVersionedTextDocumentIdentifier(uri, document.version)
        change = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(version, list(edits))])
        yield types.CodeAction(
            f"memstore: write {new.strip()}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(one, text)],
            is_preferred=True,
            edit=change,
        )


def _command(server: EditorServer, name: str) -> Callable[..., Any]:
    """Return what does an act: it says what would change, asks, does it, and says what was done."""

    async def run(ls: EditorServer, *given: object) -> str | None:  # noqa: ARG001 - pygls gives it by this name
        words = [str(one) for one in given]
        uri = words[0] if words else ""
        placed = server.vault_of(uri) if uri else None
        vault = placed[0] if placed else next(iter(server.vaults.all), None)
        if vault is None:
            server.tell("memstore: no file of a vault is open", types.MessageType.Error)
            return None
        path = placed[1] if placed and name != "memstore.today" else ""
        try:
            vault.begin()
            planned = acts.run(vault, name, path, words[1:], dry_run=True)
            before = {one.path: vault.bytes_on_disk(one.path) for one in planned}
            if not any(one.changed for one in planned):
                server.tell("memstore: nothing would change")
                return None
            if not await _agreed(server, name, planned, acts.effect(vault, name, words[1:])):
                return None
            vault.look()
            vault.begin()
            if changed := [path for path, data in before.items() if vault.bytes_on_disk(path) != data]:
                text = f"{changed[0]} has changed since, so nothing was done"
                raise ChangedMeanwhileError(text, hint="ask again, to see what it would change now")
            done = acts.run(vault, name, path, words[1:], dry_run=False)
        except MemstoreError as error:
            server.tell(f"memstore: {_words(error)}", types.MessageType.Error)
            return None
        server.publish_all()
        said = ", ".join(dict.fromkeys(one.path for one in done))
        server.tell(f"memstore: wrote {said}; memstore undo takes it back")
        made = next((one.path for one in done if before.get(one.path) is None), None)
        window = server.client_capabilities.window
        if made and window and window.show_document and window.show_document.support:
            server.window_show_document(types.ShowDocumentParams(server.uri(vault, made), take_focus=True))
        return done[0].path

    run.__name__ = name
    return run


async def _agreed(server: EditorServer, name: str, planned: Sequence[Any], effect: str | None) -> bool:
    """Ask whether to go on, once it was said what will change."""
    lines = "".join(one.diff for one in planned if one.changed).splitlines()
    shown = (
        lines if len(lines) <= _MOST_PREVIEW else [*lines[:_MOST_PREVIEW], f"… {len(lines) - _MOST_PREVIEW} more lines"]
    )
    question = types.ShowMessageRequestParams(
        types.MessageType.Info,
        "\n".join([f"{name} will change:", *shown, *([effect] if effect else ())]),
        [types.MessageActionItem("Do it"), types.MessageActionItem("Cancel")],
    )
    answer = await asyncio.wrap_future(server.protocol.send_request(types.WINDOW_SHOW_MESSAGE_REQUEST, question))
    return answer is not None and answer.title == "Do it"
