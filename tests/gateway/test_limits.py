"""Limits that an operator sets, and mistakes in them."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from gateway.limits import MIB, Limits, _from_settings
from tests.support.commands import manage


def test_what_is_left_out_keeps_its_default(settings: Settings) -> None:
    settings.REMOTES_LIMITS = {"burst": 20, "refusal_pause": 0.25}
    assert _from_settings() == Limits(burst=20, refusal_pause=0.25)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"bursts": 20}, "unknown names: bursts"),
        ({"framesPerSecond": 20}, "unknown names: framesPerSecond"),
        ({"burst": "20"}, "Expected `int`, got `str`"),
        ({"burst": 2.5}, "Expected `int`, got `float`"),
        ({"burst": None}, "Expected `int`, got `null`"),
        ({"sockets": True}, "Expected `int`, got `bool`"),
        ({"burst": 0}, "burst must be above 0"),
        ({"call_timeout": -1.0}, "call_timeout must be above 0"),
        ({"frame": MIB}, "frame must be below frame_out"),
        ({"frame_out": 64 * MIB}, "frame must be below frame_out"),
    ],
)
def test_a_limit_that_makes_no_sense_is_named(
    settings: Settings, wrong: dict[str, Any], told: str
) -> None:
    settings.REMOTES_LIMITS = wrong
    with pytest.raises(ImproperlyConfigured) as caught:
        _from_settings()
    assert str(caught.value).startswith("REMOTES_LIMITS can't be used: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_operator_reads_one_line_about_it(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", REMOTES_LIMITS='{"burst": 0}')
    assert done.returncode == 1
    assert done.stderr == "REMOTES_LIMITS can't be used: burst must be above 0.\n"
