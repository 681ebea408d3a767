-- What stands between the two roles and a database. Run as superuser, in the database itself, once it is made;
-- the embedded server and the container's first start both read this file.
CREATE EXTENSION IF NOT EXISTS vector;

DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I OWNER TO lastro_owner', current_database());
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO lastro_owner, lastro_app', current_database());
END
$$;

ALTER SCHEMA public OWNER TO lastro_owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO lastro_app;

-- New tables are usable at once; migrations take back what the application must not do.
ALTER DEFAULT PRIVILEGES FOR ROLE lastro_owner IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO lastro_app;
ALTER DEFAULT PRIVILEGES FOR ROLE lastro_owner IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO lastro_app;
