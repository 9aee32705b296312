"""Who may see what: registries, consent, grants, contexts; the policy that decides, and the audit of every act.

Enter at `policy.Judge` for a decision, `privacy` to grant and revoke, `consents`, `entities` and `contexts` to change
registries, `sight` and `report` for who sees what, `audit` for what was done.

A decision runs like this: `registry_world.world_of` makes a `world.World` of the registry files, `world` knows under
which names a grant reaches each listener, `policy.Hearing` asks `consent.ConsentBook` for every say, and `reasons` puts
the answer into words. An act is written together with its audit event.
"""
