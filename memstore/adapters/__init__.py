"""A vault behind the interfaces of other frameworks, without a service of its own (docs/agents.md).

- `memory_tool`: Anthropic's memory tool, which sees memories as files below `/memories`.
- `langgraph`: LangGraph's `BaseStore`.
- `openclaw`: the tools `memory_search` and `memory_get` of OpenClaw.

Each goes through a `memstore.Vault`, so each shows and writes what the vault's entity may see and write, and no more.
"""
