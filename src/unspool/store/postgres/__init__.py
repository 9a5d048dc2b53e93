"""The store that many machines share: PostgreSQL 15 or newer, through psycopg and its pool."""
