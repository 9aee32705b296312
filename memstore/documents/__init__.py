"""Values as JSON documents, in the form published in `schemas/`: one place for every program that reads them.

Start with `search.answer_document` and `lineage.trace_document`; lineage is also available as Graphviz and Mermaid.

A document is made only from a value that a use case returned: no view, no file, no clock. The command line adds the
name of the schema and makes no documents itself.
"""
