"""Pages on the web. Only a command that was told `--online` has them; nothing else ever opens a connection.

By HTTP, with the standard library: bounded in time, size and redirections, and nothing but http and https. The address
comes from a file that somebody else may have written. It is fetched from this machine, which may reach services that
others can't, its own included: so only when a person asks for it, and nothing of the answer is shown.
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
_PATIENCE_SECONDS = 20.0  # for each answer of the other side
_WHOLE_SECONDS = 60.0
_AT_ONCE = 1 << 16


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a few redirections, to pages alone."""

    max_redirections = _MOST_REDIRECTIONS

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        if host_of(newurl) is None:
            fp.close()
            raise urllib.error.URLError(f"it redirects to {newurl}, which is not a page")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


class WebPage(NamedTuple):
    """What a page said, and the host that said it, after all redirections; "" where somebody between could have."""

    data: bytes
    host: str


class WebPages:
    """Fetches pages, by the proxy that the environment names."""

    def fetch(self, url: str) -> bytes:
        """Return what a page says now; see `get`."""
        return self.get(url).data

    def get(self, url: str) -> WebPage:
        """Return what a page says now, and whose host says it.

        Raises:
            UsageError: it is no address of a page.
            VaultError: it can't be had, or is too large.
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
    """Return all bytes of an answer that is neither too long nor too slow."""
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
    if answer.length:  # what was announced and never came; of an answer of unknown length it is None
        raise VaultError(f"{url} ended too early", hint="save the page, and give it with --snapshot")
    return b"".join(parts)
