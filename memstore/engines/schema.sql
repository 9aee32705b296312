-- The index of vaults on PostgreSQL 15 or newer; `database.init` runs this as the role that owns it all.
--
-- Whoever reads sees the classes that a ticket opens, and nothing else: row-level security is forced on every table, and
-- a ticket is a secret of which only the digest is stored. `memstore_broker` decides who sees which classes, from labels
-- alone, and writes tickets; `memstore_reader` owns nothing, writes nothing, and can't list tickets.

CREATE SCHEMA memstore;
SET LOCAL search_path = memstore;

-- One row a vault. `origin` is its first commit, by which a name is known to be that of the same vault.
CREATE TABLE vault (
    vault integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    origin text NOT NULL,
    versions text NOT NULL,
    generation bigint NOT NULL DEFAULT 0,
    commit text NOT NULL DEFAULT '',
    registries text NOT NULL DEFAULT '',
    steady_until timestamptz
);

-- Memories with the same possible viewers (`audiences.py`).
CREATE TABLE class (
    vault integer NOT NULL REFERENCES vault ON DELETE CASCADE,
    class integer NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (vault, class),
    UNIQUE (vault, digest)
);

-- What decides who sees a file, by its number: the cells of its labels, and the memories that it was made from. Memories
-- that can't be told apart by their labels, and those of what they were made from, have one digest.
CREATE TABLE label (
    vault integer NOT NULL,
    number integer NOT NULL,
    class integer NOT NULL,
    digest bytea NOT NULL,
    id bytea NOT NULL,
    cells bytea[] NOT NULL,
    PRIMARY KEY (vault, number)
);
CREATE INDEX ON label (vault, class);
CREATE INDEX ON label (vault, digest);
CREATE INDEX ON label (vault, id);
CREATE TABLE edge (
    vault integer NOT NULL,
    source bytea NOT NULL,
    number integer NOT NULL,
    PRIMARY KEY (vault, source, number)
);
CREATE INDEX ON edge (vault, number);

-- One row a file: the cells of its entry, in the order of the catalogue's columns.
CREATE TABLE document (
    vault integer NOT NULL,
    number integer NOT NULL,
    class integer NOT NULL,
    path bytea NOT NULL,
    cells bytea[] NOT NULL,
    PRIMARY KEY (vault, number),
    UNIQUE (vault, path)
);

-- What documents of one class, from one range of numbers, have under a term (`blocks.py`).
CREATE TABLE block (
    vault integer NOT NULL,
    field text COLLATE "C" NOT NULL,
    term bytea NOT NULL,
    class integer NOT NULL,
    block integer NOT NULL,
    size integer NOT NULL,
    counted bytea NOT NULL,
    detail bytea NOT NULL,
    PRIMARY KEY (vault, field, term, class, block)
);
ALTER TABLE block ALTER counted SET STORAGE EXTERNAL, ALTER detail SET STORAGE EXTERNAL;

-- The planner's statistics are of all rows, and EXPLAIN shows what it makes of them.
ALTER TABLE block ALTER field SET STATISTICS 0, ALTER term SET STATISTICS 0, ALTER class SET STATISTICS 0;
ALTER TABLE document ALTER class SET STATISTICS 0, ALTER cells SET STATISTICS 0;

CREATE TABLE ticket (
    digest bytea PRIMARY KEY,
    vault integer NOT NULL REFERENCES vault ON DELETE CASCADE,
    generation bigint NOT NULL,
    classes integer[] NOT NULL,
    expires timestamptz NOT NULL
);

-- A ticket holds for the generation that was decided about: nothing is seen of another one.
CREATE VIEW open_ticket AS
    SELECT ticket.vault, ticket.classes FROM ticket JOIN vault USING (vault, generation)
    WHERE digest = sha256(convert_to(current_setting('memstore.ticket', true), 'UTF8')) AND expires > now();
CREATE FUNCTION open_vault() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = memstore, pg_temp RETURN (SELECT vault FROM open_ticket);
CREATE FUNCTION open_classes() RETURNS integer[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = memstore, pg_temp RETURN (SELECT classes FROM open_ticket);
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA memstore FROM PUBLIC;

ALTER TABLE vault ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE class ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE label ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE edge ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE document ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE block ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ticket ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY indexing ON vault TO memstore_owner USING (true);
CREATE POLICY indexing ON class TO memstore_owner USING (true);
CREATE POLICY indexing ON label TO memstore_owner USING (true);
CREATE POLICY indexing ON edge TO memstore_owner USING (true);
CREATE POLICY indexing ON document TO memstore_owner USING (true);
CREATE POLICY indexing ON block TO memstore_owner USING (true);
CREATE POLICY indexing ON ticket TO memstore_owner USING (true);

CREATE POLICY deciding ON vault FOR SELECT TO memstore_broker USING (true);
CREATE POLICY deciding ON class FOR SELECT TO memstore_broker USING (true);
CREATE POLICY deciding ON label FOR SELECT TO memstore_broker USING (true);
CREATE POLICY deciding ON edge FOR SELECT TO memstore_broker USING (true);
CREATE POLICY deciding ON block FOR SELECT TO memstore_broker USING (field = ANY ({labels}));
CREATE POLICY opening ON ticket FOR INSERT TO memstore_broker WITH CHECK (true);
CREATE POLICY closing ON ticket FOR DELETE TO memstore_broker USING (true);
CREATE POLICY closing_by_time ON ticket FOR SELECT TO memstore_broker USING (true);

CREATE POLICY reading ON vault FOR SELECT TO memstore_reader USING (vault = (SELECT memstore.open_vault()));
CREATE POLICY reading ON document FOR SELECT TO memstore_reader USING (
    vault = (SELECT memstore.open_vault()) AND class = ANY ((SELECT memstore.open_classes())::integer[])
);
CREATE POLICY reading ON block FOR SELECT TO memstore_reader USING (
    vault = (SELECT memstore.open_vault()) AND class = ANY ((SELECT memstore.open_classes())::integer[])
);

GRANT USAGE ON SCHEMA memstore TO memstore_broker, memstore_reader;
GRANT SELECT ON vault, class, label, edge, block TO memstore_broker;
GRANT INSERT, SELECT (expires), DELETE ON ticket TO memstore_broker;
GRANT SELECT ON vault, document, block TO memstore_reader;
GRANT EXECUTE ON FUNCTION open_vault(), open_classes() TO memstore_reader;
