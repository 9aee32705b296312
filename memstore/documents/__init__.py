"""Values as JSON documents, as `schemas/` publishes them: one place for every program that reads them.

Enter at `search.answer_document` and `lineage.trace_document`, the latter also as Graphviz and Mermaid.

A document is made of a value that a use case returned, and of nothing else: no view, no file, no clock. The command
line adds the name of the schema; it makes none itself.
"""
