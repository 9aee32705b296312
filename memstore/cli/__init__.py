"""The command line: parse arguments, call one use case, print its value as text or as one JSON document.

Start at `main.main`, `commands.SECTIONS` (the module of each command), and `show`, the model for all command modules.

A call runs like this: `group` finds the command and imports only its module; the command takes a view from
`session.CliSession.view`, calls one use case, and passes its value to `CliSession.emit`, with a function that yields it
as text; its JSON document follows from its form. Every error ends in `main`, which has `failures` put it into words.
"""
