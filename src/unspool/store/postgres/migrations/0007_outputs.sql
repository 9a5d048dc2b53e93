-- The row in `shipped` of an output that a machine sent.
ALTER TABLE output ADD source_id bigint;
