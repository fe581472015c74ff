"""Fixtures for all tests."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _fresh_throttle() -> None:
    """No test is refused a sign-in because of the tries that others made."""
    cache.clear()
