"""Work of many callers -> few transactions: callers that wait are taken along by the next one."""

from collections.abc import Callable
from threading import Condition
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import psycopg
from psycopg import errors

from unspool.errors import StoreError
from unspool.store.cleaning import cleaned
from unspool.store.postgres.database import Connection, Pool, in_our_words
from unspool.store.postgres.writing.lines import Kinds
from unspool.store.postgres.writing.transaction import Transaction, finish

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
            with in_our_words(), self._pool.connection() as connection, connection.transaction():
                self.transactions += 1
                # In their order: of two processes, none waits for the other and is waited for.
                owners = sorted({one.whose.owner for one in group})
                opened = {owner: Transaction(connection, owner) for owner in owners}
                for one in group:
                    self._try(connection, opened[one.whose.owner], one, is_alone=len(group) == 1)
                heads = dict(zip(owners, finish(opened.values()), strict=True))
            for one in group:
                one.seq += heads[one.whose.owner]
        except BaseException as error:
            self._kinds.clear()
            for one in group:
                one.error = one.error or error
        finally:
            for one in group:
                one.is_done = True

    def _try(
        self, connection: Connection, transaction: Transaction, one: _Request, *, is_alone: bool
    ) -> None:
        if transaction.is_erased:
            one.error = StoreError("This person was erased: nothing is taken for them.")
            return
        transaction.machine = one.whose.machine
        if is_alone:
            one.answer = one.work(transaction)
            one.seq = transaction.changes
            return
        mark = transaction.changes
        try:
            with connection.transaction():
                one.answer = one.work(transaction)
                transaction.flush()
        except Exception as error:
            one.error = error
            self.kinds(one.whose.owner).forget()
            transaction.forget(mark)
        one.seq = transaction.changes
