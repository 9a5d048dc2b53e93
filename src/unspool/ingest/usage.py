"""Messages -> usage rows: what a line used, how it ranks, and who may claim it."""

from typing import Final

from unspool.derive.money.ledger import key
from unspool.derive.money.pricer import Pricer
from unspool.ingest.claims import Start, claim, is_foreign, rank
from unspool.model.files import TranscriptFile
from unspool.model.message import Message, Tokens
from unspool.model.rows import UsageRow

_MOST: Final = (1 << 63) - 1  # counts are bounded where they are read; a user's prices are not
_DAY: Final = 86_400_000


class UsageRows:
    """Makes the usage rows of one source, told all its lines in order."""

    def __init__(self, file: TranscriptFile, source_id: int, pricer: Pricer) -> None:
        self.start = Start()
        self._agent = file.agent_id or ""
        self._session = file.session_id or ""
        self._source = source_id
        self._price = pricer.price
        self._priced: tuple[Tokens, str, int] | None = None
        self._pico: int | None = None

    def row(self, message: Message, tokens: Tokens, line_id: int, session: str | None) -> UsageRow:
        """One line's usage, priced; `session` is the one the line says it is of."""
        at, name = message.at, key(message)
        agent = self._agent or (message.agent_id if message.is_sidechain else "")
        foreign = is_foreign(session, self._session)
        is_final = message.stop_reason != ""
        return UsageRow(
            # A line number says nothing outside its file.
            f"l:{self._source}:{name[2:]}" if name.startswith("l:") else name,
            rank(tokens.output, message.is_sidechain, is_final, at),
            claim(message.forked_from is not None, at, agent != "", foreign, self.start.found),
            at,
            is_final,
            message.model,
            tokens.input,
            tokens.output,
            tokens.cache_read,
            tokens.cache_write,
            tokens.write_5m,
            tokens.write_1h,
            tokens.web_searches,
            tokens.speed,
            tokens.geo,
            self._cost(tokens, message.model, at),
            agent,
            line_id,
        )

    def _cost(self, tokens: Tokens, model: str, at: int | None) -> int | None:
        """What lines of one response say is mostly the same."""
        asked = tokens, model, -1 if at is None else at // _DAY
        if asked != self._priced:
            self._priced = asked
            pico = self._price(tokens, model, at)
            self._pico = None if pico is None else min(pico, _MOST)
        return self._pico
