"""Who may see what: registries, consent, grants, contexts; the policy that decides, and the audit of every act.

Start at `policy.Judge` for a decision; `privacy` to grant and revoke; `consents`, `entities` and `contexts` to change
registries; `sight` and `report` for who sees what; `audit` for what was done.

A decision runs like this: `registry_world.world_of` builds a `world.World` from the registry files; `world` knows the
names under which a grant reaches each listener; `policy.ListenerAccess` asks `consent.ConsentBook` whether everybody
with a say consents; `reasons` gives the answer its reasons. An act is written together with its audit event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from memstore.access.facets import Rights, SealedFiles, SharedStacks
    from memstore.access.forgotten import ForgottenTexts
    from memstore.access.local_state import ContextState, DiskAccessLog, DiskStacks, Quoted, SessionsQuoted

CONTEXTS: Facet[ContextState] = Facet("contexts")
ACCESS_LOG: Facet[DiskAccessLog] = Facet("access log")
STACK_FOLDERS: Facet[DiskStacks] = Facet("stack folders")
QUOTED: Facet[Quoted] = Facet("quoted")
SESSIONS_QUOTED: Facet[SessionsQuoted] = Facet("sessions quoted")
FORGOTTEN: Facet[ForgottenTexts] = Facet("forgotten")
RIGHTS: Facet[Rights] = Facet("rights")
SHARED: Facet[SharedStacks] = Facet("shared stacks")
SEALED: Facet[SealedFiles] = Facet("sealed files")
