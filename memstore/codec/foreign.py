"""Frontmatter that another program wrote, read loosely for the little that helps to adopt its file."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from memstore.model.instants import instant

# What Obsidian's plug-ins, Jekyll, Hugo, OKF and others call the day on which a note was made.
_CREATED = ("created_at", "created", "date", "date_created", "creation_date", "timestamp")


def created_at(data: bytes) -> str | None:
    """Return when the frontmatter of a file says it was made, RFC 3339 in UTC; None where it does not say."""
    import frontmatter
    import yaml

    try:
        metadata = frontmatter.loads(data.decode("utf-8-sig")).metadata
    except (yaml.YAMLError, ValueError):
        return None
    times = (_instant(metadata.get(name)) for name in _CREATED)
    return next((time for time in times if time), None)


def _instant(value: Any) -> str | None:
    """Return a time in UTC; one without a zone is taken for UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        value = value if value.tzinfo else value.replace(tzinfo=UTC)
    elif isinstance(value, date):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    else:
        return None
    return instant(value)
