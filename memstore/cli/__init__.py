"""The command line: parses arguments, calls one flow, renders its value as text or as one JSON document."""
