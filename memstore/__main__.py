"""`python -m memstore` is the program."""

from __future__ import annotations

import sys

from memstore.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
