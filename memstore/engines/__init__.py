"""The index of an organisation's vaults on PostgreSQL; git stays the truth, and the index can be made anew from it.

`indexing` writes a commit's files, in blocks by audience (`audiences`), so that what somebody may not see is neither
read nor counted. `database` holds the sessions: the broker's decides from labels alone and writes a ticket; a reader's
sees what its ticket opens. `engine_snapshot` reads as a `search.library.Snapshot`, over which search, list and lineage
run as over the local index.

psycopg is the extra `postgres`, imported only by what connects.
"""
