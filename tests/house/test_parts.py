"""The quick part of the tests has what it says: a journey per app, and each test on one driver."""

from __future__ import annotations

import pytest

from tools.testing.parts import JOURNEYS
from tools.testing.sources import ROOT

pytest_plugins = ["pytester"]


# A test that was renamed would be in no quick part, and nobody would notice.
def test_journeys_exist() -> None:
    for journey in JOURNEYS:
        name, _, function = journey.partition("::")
        assert (
            f"def {function or 'test_'}" in (ROOT / "packages/singletable-apps" / name).read_text()
        ), journey


TESTS = """
    import pytest
    from hypothesis import given, settings, strategies

    @given(strategies.integers())
    def test_property(value): assert settings().max_examples in (10, 25)

    @pytest.fixture(params=["memory", "file", "http"])
    def drivers(request): return request.param

    @pytest.mark.parametrize("value", range(9))
    def test_each(drivers, value): pass

    @pytest.mark.parametrize("drivers", ["file"], indirect=True)
    def test_on_files(drivers): pass

    @pytest.mark.rest
    def test_long(): pass
"""


def test_each_case_is_in_one_part_but_properties_are_in_both(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(TESTS)
    outcome = {
        part: pytester.runpytest_inprocess(
            "-p", "tools.testing.parts", "--part", part
        ).parseoutcomes()
        for part in ("quick", "rest")
    }
    assert outcome["quick"] == {"passed": 11, "deselected": 19}
    assert outcome["rest"] == {"passed": 20, "deselected": 10}
