"""Whole roots from a seed, with a truth file that says what they hold."""

from unspool.demo.generator.build import generate
from unspool.demo.generator.live import live
from unspool.demo.generator.truth import Truth

__all__ = ["Truth", "generate", "live"]
