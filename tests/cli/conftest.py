"""Fixtures that several commands share."""

from tests.engine.usage.conftest import root as root
