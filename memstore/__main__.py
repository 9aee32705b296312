"""`python -m memstore` is the program."""

from __future__ import annotations

from memstore.cli.main import run

if __name__ == "__main__":
    run()
