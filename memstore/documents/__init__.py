"""Values as JSON documents, in the form published in `schemas/`: one place for every program that reads them.

Start with `form.Form`, by which all of them are declared, then `search.answer_document` and `lineage.trace_document`;
lineage is also available as Graphviz and Mermaid.

A document is made only from a value that a use case returned: no view, no file, no clock. What a value can't say (other
names, rounding, what is left out or derived) and what a reader has to know is declared in its form, once: the schemas
are generated from it. The command line adds the name of the schema and makes no documents itself.
"""
