"""The command line: parse arguments, call one flow, render a value."""
