"""Work of many callers -> few transactions: callers that wait are taken along by the next one."""

from collections.abc import Callable
from threading import Condition
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import psycopg
from psycopg import errors

from unspool.errors import StoreError
from unspool.store.cleaning import cleaned
from unspool.store.postgres.database import Pool, in_our_words
from unspool.store.postgres.writing.lines import Kinds
from unspool.store.postgres.writing.transaction import Commit, Transaction

# Requests of one transaction; more wait for the next.
_MOST: Final = 64
_UNFIT: Final = (psycopg.DataError, errors.ProgramLimitExceeded, UnicodeEncodeError)

Given = TypeVar("Given")
Answer = TypeVar("Answer")
Work: TypeAlias = Callable[[Transaction], Answer]


class Writing(NamedTuple):
    """Whose rows are written, and which machine they are of."""

    owner: int
    machine: int


class _Request:
    """One call that waits for its transaction."""

    def __init__(self, work: Work[Any], whose: Writing) -> None:
        self.work, self.whose = work, whose
        self.is_done = False
        self.answer: Any = None
        self.seq = 0
        self.error: BaseException | None = None


class GroupQueue:
    """Has work done for any owner, from any thread.

    Whoever comes while a transaction runs waits, and the first of those who wait takes all of
    them along in the next one: the feed's counter and the disk are asked once for all.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._kinds: dict[int, Kinds] = {}
        self._waiting: list[_Request] = []
        self._turn = Condition()
        self._is_busy = False
        self.transactions = 0  # so far

    def kinds(self, owner: int) -> Kinds:
        """What lines of an owner are."""
        return self._kinds.setdefault(owner, Kinds())

    def put(
        self, prepare: Callable[[Given], Work[Answer]], given: Given, whose: Writing
    ) -> tuple[Answer, int]:
        """Have work done: its answer, and the seq of the last change.

        Values that PostgreSQL does not take are cleaned, and it is tried again. Almost none need
        it, and to look at every value costs more than to write it.
        """
        try:
            return self._wait(prepare(given), whose)
        except (StoreError, UnicodeEncodeError) as error:
            if not isinstance(error.__cause__ or error, _UNFIT):
                raise
        return self._wait(prepare(cleaned(given)), whose)

    def _wait(self, work: Work[Answer], whose: Writing) -> tuple[Answer, int]:
        mine = _Request(work, whose)
        with self._turn:
            self._waiting.append(mine)
        while group := self._group(mine):  # those before it may fill a transaction without it
            try:
                self._run(group)
            finally:
                with self._turn:
                    self._is_busy = False
                    self._turn.notify_all()
        if mine.error is not None:
            with in_our_words():
                raise mine.error
        return mine.answer, mine.seq

    def _group(self, mine: _Request) -> list[_Request]:
        """Wait for one's turn; those who go together, or none where another took one along."""
        with self._turn:
            while self._is_busy and not mine.is_done:
                self._turn.wait()
            if mine.is_done:
                return []
            self._is_busy = True
            group, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            return group

    def _run(self, group: list[_Request]) -> None:
        """One transaction for all; one whose work fails is left out of it."""
        try:
            with in_our_words():
                try:
                    self._commit(group, self._do)
                except psycopg.OperationalError:  # it is no fault of their work
                    raise
                except Exception:
                    if len(group) == 1:
                        raise
                    self._kinds.clear()
                    self._commit(group, self._try)
        except BaseException as error:
            self._kinds.clear()
            for one in group:
                one.error = one.error or error
        finally:
            for one in group:
                one.is_done = True

    def _commit(
        self, group: list[_Request], do: Callable[[Commit, Transaction, _Request], None]
    ) -> None:
        with self._pool.connection() as connection, connection.transaction():
            self.transactions += 1
            commit = Commit(connection, {one.whose.owner for one in group})
            opened = commit.transactions
            for one in group:
                transaction = opened.get(one.whose.owner)
                if transaction is None:
                    one.error = StoreError("This person was erased: nothing is accepted for them.")
                    continue
                transaction.flush()
                transaction.machine = one.whose.machine
                do(commit, transaction, one)
            commit.finish()
        for one in group:
            one.seq += opened[one.whose.owner].seq if one.whose.owner in opened else 0

    def _do(self, _: Commit, transaction: Transaction, one: _Request) -> None:
        """Do the work of a request; its rows wait for those of the others."""
        one.answer = one.work(transaction)
        one.seq = transaction.changes

    def _try(self, commit: Commit, transaction: Transaction, one: _Request) -> None:
        """The same, but its rows are written at once, so that they fail by themselves."""
        mark = transaction.changes
        try:
            with commit.connection.transaction():
                self._do(commit, transaction, one)
                commit.flush()
        except Exception as error:
            one.error = error
            self.kinds(one.whose.owner).forget()
            commit.drop()
            transaction.forget(mark)
            one.seq = mark
