"""Hubs that share a database tell one another that something has changed."""

from threading import Event, Thread
from time import sleep
from typing import Final

import psycopg

from unspool.errors import StoreError
from unspool.store.postgres.database import Connection, Pool, in_our_words

# Seconds between two of them: each is a commit of its own, and one of them holds up all others.
_BETWEEN: Final = 0.2
_NOTIFY: Final = "NOTIFY unspool"
_LISTEN: Final = "LISTEN unspool"


class ChangeNotifier:
    """Announces commits, never inside one: many at once are announced together."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._changed, self._stop = Event(), Event()
        self._thread = Thread(target=self._run, name="unspool-notify", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def changed(self) -> None:
        """Have it told that something was committed."""
        self._changed.set()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        self._changed.set()
        self._thread.join()

    def _run(self) -> None:
        while self._changed.wait() and not self._stop.is_set():
            self._changed.clear()
            try:
                with in_our_words(), self._pool.connection() as connection:
                    connection.execute(_NOTIFY)
            except StoreError:
                pass  # listeners look now and then anyway
            self._stop.wait(_BETWEEN)


class ChangeListener:
    """Waits for what other hubs tell, in one thread."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._connection: Connection | None = None

    def wait(self, seconds: float) -> None:
        """Return when something may have changed, or after some time.

        A pooler of transactions passes nothing on, and a connection may break: look anyway.
        """
        try:
            if self._connection is None:
                self._connection = self._opened()
                return
            for _ in self._connection.notifies(timeout=seconds, stop_after=1):
                return
        except (psycopg.Error, OSError):
            self.close()
            sleep(seconds)

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> Connection:
        connection = psycopg.connect(str(self._pool.conninfo), autocommit=True)
        connection.execute(_LISTEN)
        return connection
