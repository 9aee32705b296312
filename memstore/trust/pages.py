"""Fetches web pages. Only a command given `--online` can use it; nothing else ever opens a connection.

It uses HTTP from the standard library, with limits on time, size and redirections, and only http and https. The address
comes from a file that somebody else may have written. It is fetched from this machine, which may reach services that
others can't, including its own. So pages are fetched only when a person asks for it, and none of the response is shown.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from typing import IO, TYPE_CHECKING, NamedTuple

from memstore.core.errors import UsageError, VaultError
from memstore.trust.anchors import ADDRESS_HINT, host_of

if TYPE_CHECKING:
    from email.message import Message


_MOST_BYTES = 8 << 20
_MOST_REDIRECTIONS = 5
_PATIENCE_SECONDS = 20.0  # for each response
_WHOLE_SECONDS = 60.0
_AT_ONCE = 1 << 16


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a few redirections, and only to pages."""

    max_redirections = _MOST_REDIRECTIONS

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        if host_of(newurl) is None:
            fp.close()
            raise urllib.error.URLError(f"it redirects to {newurl}, which is not a page")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


class WebPage(NamedTuple):
    """The content of a page, and the host that served it after all redirections; "" if it may have been altered."""

    data: bytes
    host: str


class WebPages:
    """Fetches pages, using the proxy that the environment names."""

    def fetch(self, url: str) -> bytes:
        """Return the current content of a page; see `get`."""
        return self.get(url).data

    def get(self, url: str) -> WebPage:
        """Return the current content of a page, and the host that served it.

        Raises:
            UsageError: it is not the address of a page.
            VaultError: it can't be fetched, or is too large.
        """
        if host_of(url) is None:
            raise UsageError(f"{url} is not a page that can be fetched", hint=ADDRESS_HINT)
        try:
            request = urllib.request.Request(url, headers={"User-Agent": "memstore"})  # noqa: S310 - checked above
            with _opener().open(request, timeout=_PATIENCE_SECONDS) as answer:
                host = host_of(answer.url) if answer.url.startswith("https:") else None
                return WebPage(_read(answer, url), host or "")
        except (OSError, ValueError, http.client.HTTPException) as error:
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            reason = getattr(error, "reason", None) or error
            raise VaultError(
                f"{url} can't be fetched: {reason}", hint="save the page, and give it with --snapshot"
            ) from error


def _opener() -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _read(answer: http.client.HTTPResponse, url: str) -> bytes:
    """Return all bytes of a response that is neither too long nor too slow."""
    until = time.monotonic() + _WHOLE_SECONDS
    parts: list[bytes] = []
    size = 0
    while part := answer.read(_AT_ONCE):
        parts.append(part)
        size += len(part)
        if size > _MOST_BYTES:
            raise VaultError(f"{url} has more than {_MOST_BYTES >> 20} MiB", hint="anchor a smaller page")
        if time.monotonic() > until:
            raise VaultError(
                f"{url} takes longer than {_WHOLE_SECONDS:.0f} seconds",
                hint="save the page, and give it with --snapshot",
            )
    if answer.length:  # bytes announced but never sent; None if the length is unknown
        raise VaultError(f"{url} ended too early", hint="save the page, and give it with --snapshot")
    return b"".join(parts)
