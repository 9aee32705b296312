"""memstore: long-term memory in plain text, for agents and the people who work with them.

`open_vault` opens a vault; the functions beside it do what the commands do, and are loaded when first asked for:

    ws = memstore.open_vault("~/notes")
    for entry in memstore.list_memories(ws).entries:
        print(entry.title)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memstore.flows.add import add_memory as add_memory
    from memstore.flows.adopt import adopt as adopt
    from memstore.flows.amend import set_keys as set_keys
    from memstore.flows.amend import tag as tag
    from memstore.flows.archive import archive as archive
    from memstore.flows.archive import restore as restore
    from memstore.flows.ask_witness import request_witness as request_witness
    from memstore.flows.audit import audit_trail as audit_trail
    from memstore.flows.audit import verify_audit as verify_audit
    from memstore.flows.blame import blame as blame
    from memstore.flows.calibrate import calibrate as calibrate
    from memstore.flows.check import check as check
    from memstore.flows.cite import cite as cite
    from memstore.flows.commit import commit as commit
    from memstore.flows.compress import compress as compress
    from memstore.flows.conflicts import conflicts as conflicts
    from memstore.flows.consents import consents as consents
    from memstore.flows.consents import delegate as delegate
    from memstore.flows.consents import grant_consent as grant_consent
    from memstore.flows.consents import refuse_consent as refuse_consent
    from memstore.flows.consents import request_consent as request_consent
    from memstore.flows.consents import revoke_consent as revoke_consent
    from memstore.flows.consolidate import consolidate as consolidate
    from memstore.flows.contexts import add_context as add_context
    from memstore.flows.contexts import contexts as contexts
    from memstore.flows.contexts import enter_context as enter_context
    from memstore.flows.contexts import leave_context as leave_context
    from memstore.flows.contexts import present_context as present_context
    from memstore.flows.contexts import suggest_context as suggest_context
    from memstore.flows.create import belief as belief
    from memstore.flows.create import episode as episode
    from memstore.flows.create import note as note
    from memstore.flows.create import raw as raw
    from memstore.flows.dedupe import dedupe as dedupe
    from memstore.flows.diff import diff as diff
    from memstore.flows.entities import add_entity as add_entity
    from memstore.flows.entities import add_members as add_members
    from memstore.flows.entities import entities as entities
    from memstore.flows.entities import groups as groups
    from memstore.flows.entities import guard_entity as guard_entity
    from memstore.flows.entities import name_entity as name_entity
    from memstore.flows.entities import remove_members as remove_members
    from memstore.flows.expand import expand as expand
    from memstore.flows.fix_provenance import fix_provenance as fix_provenance
    from memstore.flows.fmt import fmt as fmt
    from memstore.flows.graduate import graduate as graduate
    from memstore.flows.impact import impact_of as impact_of
    from memstore.flows.import_seeds import import_seeds as import_seeds
    from memstore.flows.isnad import create_anchor as create_anchor
    from memstore.flows.isnad import create_memory as create_memory
    from memstore.flows.isnad import query_memories as query_memories
    from memstore.flows.list_memories import list_memories as list_memories
    from memstore.flows.log import log as log
    from memstore.flows.memory_v01 import export_memories as export_memories
    from memstore.flows.memory_v01 import import_memories as import_memories
    from memstore.flows.merge import merge as merge
    from memstore.flows.move import move as move
    from memstore.flows.orphans import find_orphans as find_orphans
    from memstore.flows.privacy import explain_access as explain_access
    from memstore.flows.privacy import grant_access as grant_access
    from memstore.flows.privacy import revoke_access as revoke_access
    from memstore.flows.promote import process_raw as process_raw
    from memstore.flows.promote import promote as promote
    from memstore.flows.propagate import propagate as propagate
    from memstore.flows.rebuild import rebuild_from_episodes as rebuild_from_episodes
    from memstore.flows.recall import recall as recall
    from memstore.flows.recompute import recompute as recompute
    from memstore.flows.reinforce import contradict as contradict
    from memstore.flows.reinforce import reinforce as reinforce
    from memstore.flows.resolve_conflict import resolve_conflict as resolve_conflict
    from memstore.flows.revise import revise as revise
    from memstore.flows.revise_from import revise_from as revise_from
    from memstore.flows.search import search as search
    from memstore.flows.show import show_memory as show_memory
    from memstore.flows.sign import resolve as resolve
    from memstore.flows.sign import sign as sign
    from memstore.flows.sign import witness as witness
    from memstore.flows.split import split as split
    from memstore.flows.status import status as status
    from memstore.flows.suggestions import accept_suggestion as accept_suggestion
    from memstore.flows.suggestions import list_suggestions as list_suggestions
    from memstore.flows.suggestions import reject_suggestion as reject_suggestion
    from memstore.flows.supersede import supersede as supersede
    from memstore.flows.trace import trace_memory as trace_memory
    from memstore.flows.trust import trust_of as trust_of
    from memstore.flows.undo import undo as undo
    from memstore.flows.who_sees import audit_sight as audit_sight
    from memstore.flows.who_sees import sight_diff as sight_diff
    from memstore.flows.who_sees import sight_report as sight_report
    from memstore.flows.why import why as why
    from memstore.wiring import open_vault as open_vault

__version__ = "0.1.0"

# Name -> module. Importing memstore loads none of them: the program's `--version` does it.
_HOMES = {
    "revise_from": "memstore.flows.revise_from",
    "rebuild_from_episodes": "memstore.flows.rebuild",
    "calibrate": "memstore.flows.calibrate",
    "merge": "memstore.flows.merge",
    "split": "memstore.flows.split",
    "accept_suggestion": "memstore.flows.suggestions",
    "resolve_conflict": "memstore.flows.resolve_conflict",
    "dedupe": "memstore.flows.dedupe",
    "conflicts": "memstore.flows.conflicts",
    "add_context": "memstore.flows.contexts",
    "add_entity": "memstore.flows.entities",
    "add_members": "memstore.flows.entities",
    "add_memory": "memstore.flows.add",
    "adopt": "memstore.flows.adopt",
    "audit_sight": "memstore.flows.who_sees",
    "audit_trail": "memstore.flows.audit",
    "archive": "memstore.flows.archive",
    "belief": "memstore.flows.create",
    "blame": "memstore.flows.blame",
    "check": "memstore.flows.check",
    "cite": "memstore.flows.cite",
    "commit": "memstore.flows.commit",
    "compress": "memstore.flows.compress",
    "consents": "memstore.flows.consents",
    "consolidate": "memstore.flows.consolidate",
    "contexts": "memstore.flows.contexts",
    "contradict": "memstore.flows.reinforce",
    "create_anchor": "memstore.flows.isnad",
    "create_memory": "memstore.flows.isnad",
    "query_memories": "memstore.flows.isnad",
    "delegate": "memstore.flows.consents",
    "diff": "memstore.flows.diff",
    "enter_context": "memstore.flows.contexts",
    "entities": "memstore.flows.entities",
    "episode": "memstore.flows.create",
    "expand": "memstore.flows.expand",
    "export_memories": "memstore.flows.memory_v01",
    "explain_access": "memstore.flows.privacy",
    "find_orphans": "memstore.flows.orphans",
    "fix_provenance": "memstore.flows.fix_provenance",
    "fmt": "memstore.flows.fmt",
    "graduate": "memstore.flows.graduate",
    "grant_access": "memstore.flows.privacy",
    "grant_consent": "memstore.flows.consents",
    "groups": "memstore.flows.entities",
    "guard_entity": "memstore.flows.entities",
    "impact_of": "memstore.flows.impact",
    "import_memories": "memstore.flows.memory_v01",
    "import_seeds": "memstore.flows.import_seeds",
    "leave_context": "memstore.flows.contexts",
    "list_memories": "memstore.flows.list_memories",
    "list_suggestions": "memstore.flows.suggestions",
    "log": "memstore.flows.log",
    "move": "memstore.flows.move",
    "name_entity": "memstore.flows.entities",
    "note": "memstore.flows.create",
    "open_vault": "memstore.wiring",
    "present_context": "memstore.flows.contexts",
    "process_raw": "memstore.flows.promote",
    "promote": "memstore.flows.promote",
    "propagate": "memstore.flows.propagate",
    "raw": "memstore.flows.create",
    "recall": "memstore.flows.recall",
    "recompute": "memstore.flows.recompute",
    "refuse_consent": "memstore.flows.consents",
    "reinforce": "memstore.flows.reinforce",
    "reject_suggestion": "memstore.flows.suggestions",
    "remove_members": "memstore.flows.entities",
    "request_consent": "memstore.flows.consents",
    "request_witness": "memstore.flows.ask_witness",
    "revoke_access": "memstore.flows.privacy",
    "revoke_consent": "memstore.flows.consents",
    "restore": "memstore.flows.archive",
    "revise": "memstore.flows.revise",
    "search": "memstore.flows.search",
    "set_keys": "memstore.flows.amend",
    "show_memory": "memstore.flows.show",
    "resolve": "memstore.flows.sign",
    "sign": "memstore.flows.sign",
    "sight_diff": "memstore.flows.who_sees",
    "sight_report": "memstore.flows.who_sees",
    "status": "memstore.flows.status",
    "suggest_context": "memstore.flows.contexts",
    "supersede": "memstore.flows.supersede",
    "tag": "memstore.flows.amend",
    "trace_memory": "memstore.flows.trace",
    "trust_of": "memstore.flows.trust",
    "undo": "memstore.flows.undo",
    "witness": "memstore.flows.sign",
    "verify_audit": "memstore.flows.audit",
    "why": "memstore.flows.why",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(home), name)
    return found if name == "open_vault" else _on_a_vault(found)


def _on_a_vault(use_case: Any) -> Any:
    """Return a use case that is given an opened vault, and takes a view of it as it is when it is called."""
    from functools import wraps

    @wraps(use_case)
    def call(vault: Any, *args: Any, **named: Any) -> Any:
        return use_case(vault.view() if hasattr(vault, "view") else vault, *args, **named)

    return call


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
