"""Metadata lines of one transcript -> titles, tag, cost and links of its session."""

from collections.abc import Callable, Container
from typing import Any, Final

from msgspec import Struct

from unspool.derive.reading.heads import beginning
from unspool.model.document import ClientCost, PullRequest
from unspool.model.metadata import (
    AgentName,
    AiTitle,
    ContinuedIn,
    CostState,
    CustomTitle,
    ForkContextRef,
    PermissionMode,
    PrLink,
    Summary,
    Tag,
)

_HEAD = 500  # characters

# Metadata of which the last line counts, and the field with its value.
_LAST_VALUES: Final[dict[type, str]] = {
    CustomTitle: "custom_title",
    AgentName: "agent_name",
    AiTitle: "ai_title",
    Tag: "tag",
    PermissionMode: "permission_mode",
    ContinuedIn: "continued_in_session_id",
}
_TITLES: Final = ("custom_title", "agent_name", "ai_title")


class MetadataFold(Struct):
    """Titles, tag, cost and links of the metadata lines. An empty value removes an earlier one."""

    values: dict[str, str] = {}
    cost_state: ClientCost | None = None
    fork_parent: str = ""
    _requests: dict[int | str | None, PullRequest] = {}
    _summaries: dict[str, str] = {}

    def feed(self, entry: Any) -> None:
        """Add the next metadata line of the file."""
        kind = type(entry)
        if (field := _LAST_VALUES.get(kind)) is not None:
            self.values[field] = beginning(getattr(entry, field) or "", _HEAD)
        elif (read := _METADATA_READERS.get(kind)) is not None:
            read(self, entry)

    def title(self, uuids: Container[str]) -> str:
        """The title; an old `summary` is one if it names a line of this file."""
        for name in _TITLES:
            if title := self.values.get(name):
                return title
        summaries = (text for leaf, text in reversed(self._summaries.items()) if leaf in uuids)
        return next(summaries, "")

    @property
    def has_summaries(self) -> bool:
        """Whether there are old titles, which name a line."""
        return bool(self._summaries)

    def pull_requests(self) -> tuple[PullRequest, ...]:
        """Each pull request once, by its last line."""
        return tuple(self._requests.values())

    def _cost(self, entry: CostState) -> None:
        if entry.total_cost_usd is not None:
            unknown = entry.has_unknown_model_cost is True
            self.cost_state = ClientCost(entry.total_cost_usd, unknown)

    def _fork(self, entry: ForkContextRef) -> None:
        self.fork_parent = entry.parent_session_id or ""

    def _request(self, entry: PrLink) -> None:
        key = entry.pr_url if entry.pr_number is None else entry.pr_number
        url, repository = entry.pr_url or "", entry.pr_repository or ""
        self._requests[key] = PullRequest(entry.pr_number, url, repository)

    def _summary(self, entry: Summary) -> None:
        if entry.leaf_uuid and entry.summary:
            self._summaries.pop(entry.leaf_uuid, None)
            self._summaries[entry.leaf_uuid] = beginning(entry.summary, _HEAD)


_METADATA_READERS: Final[dict[type, Callable[[MetadataFold, Any], None]]] = {
    CostState: MetadataFold._cost,
    ForkContextRef: MetadataFold._fork,
    PrLink: MetadataFold._request,
    Summary: MetadataFold._summary,
}
