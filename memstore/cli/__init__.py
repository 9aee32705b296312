"""The command line: parses arguments, calls one use case, prints its value as text or as one JSON document.

Enter at `main.main`, `commands.SECTIONS` (which command lives where), and `show`, which has the form of them all.

A call runs like this: `group` finds the command and imports its module alone; the command takes a view from
`session.CliSession.view`, calls one use case, and hands two functions to `CliSession.emit`, of which one is called:
the JSON document or the lines of text. Whatever is raised ends in `main`, which has `failures` put it into words.
"""
