"""The forms of an index in a database."""

from __future__ import annotations

from memstore.documents.form import Form

Form("""SchemaMade
    @engine-init: a database that was made ready for vaults
    roles: the roles that didn't exist before
""")
Form("""Indexed
    @engine-index: a commit that was indexed in a database
    commit generation
    read: how many files were read
    gone: how many files are no longer there
    moved: how many files others see now
    files
""")
Form("IndexedVault", "name commit generation files audiences")
Form("""Sequence[IndexedVault]
    @engine-status: the vaults that are indexed in a database
    vaults=.
""")
Form("""SchemaDropped
    @engine-drop: an index that was deleted from a database
    vaults: the names of the vaults in it
""")
Form("""ServerStarted
    @engine-up: a PostgreSQL server of one's own that runs
    url: the address of its database, which is only for its user
    folder
    is_new: whether it was made just now
    was_started: whether it was started just now
    stop: the words of the command that ends it
""")
