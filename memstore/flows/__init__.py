"""One use case a module: gather, decide, act, report."""
