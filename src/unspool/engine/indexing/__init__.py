"""The way in: bytes -> entries -> rows -> store, for a backfill and for one new line alike."""
