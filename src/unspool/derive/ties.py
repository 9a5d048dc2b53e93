"""What two related sessions have in common: a plan, a fork, a slug, or lines they begin with.

A tie is a number made of what is common, so that an index can look it up. Two sessions that share
one may be related: reading them tells.
"""

from hashlib import blake2b

from unspool.derive.plans import NO_SLUGS
from unspool.derive.session_facts import SessionFacts


def offered(about: SessionFacts) -> tuple[int, ...]:
    """The ties by which others find a session: whose plan it implements, whose copy it is."""
    named = (("plan", about.planned_in), ("fork", about.forked_from))
    return (*(_tie(kind, id) for kind, id in named if id), *_common(about))


def wanted(about: SessionFacts, session_id: str) -> tuple[int, ...]:
    """The ties by which a session finds others."""
    return _tie("plan", session_id), _tie("fork", session_id), *_common(about)


def slug_ties(slug: str) -> tuple[int, ...]:
    """The tie of all sessions that have a slug; none if it says nothing."""
    return () if slug in NO_SLUGS else (_tie("slug", slug),)


def _common(about: SessionFacts) -> tuple[int, ...]:
    return (*slug_ties(about.slug), *(_tie("line", uuid) for uuid in about.beginnings))


def _tie(kind: str, name: str) -> int:
    data = f"{kind}:{name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), signed=True)
