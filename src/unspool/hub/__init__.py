"""Many machines, one PostgreSQL: a collector on each machine, and the hub that takes its rows."""
