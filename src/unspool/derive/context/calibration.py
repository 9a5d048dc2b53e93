"""Estimates and a measured context -> estimates that fit into what was measured."""

from msgspec.structs import astuple

from unspool.model.document import Categories


def fitted(raw: Categories, measured: int) -> Categories:
    """Scale estimates down in proportion until they sum to the measured tokens exactly."""
    weights = astuple(raw)
    whole = sum(weights)
    if whole <= measured:
        return raw
    shares = [weight * measured // whole for weight in weights]
    # Rounding down left a few tokens over: they go to the largest remainders.
    order = sorted(range(len(weights)), key=lambda n: -(weights[n] * measured % whole))
    for n in order[: measured - sum(shares)]:
        shares[n] += 1
    return Categories(*shares)
