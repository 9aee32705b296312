"""The composition root: from the environment and a vault's configuration to a `Workspace`."""

from __future__ import annotations
