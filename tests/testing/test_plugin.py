"""The plugin in projects of others: fresh stores, strictness, faults, and a report."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_each_test_begins_with_empty_tables(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest
        import app

        @pytest.mark.parametrize("turn", range(3))
        def test_fresh(make_store, turn):
            store = make_store()
            assert app.find(store, "ada") == []
            app.order(store, "ada", 1)
            assert len(app.find(store, "ada")) == 1
            assert store.changes(app.Order).position == 1
            other = make_store(app.shop)
            assert app.find(other, "ada") == []
        """
    )
    project.runpytest_subprocess().assert_outcomes(passed=3)


def test_a_store_for_an_event_loop(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import asyncio
        import app

        def test_async(make_async_store):
            async def work():
                store = make_async_store()
                await store.create(app.Order(customer="ada", number=1))
                return await store.get(app.one("ada", 1))
            assert asyncio.run(work()).number == 1
        """
    )
    project.runpytest_subprocess("--singletable-strict").assert_outcomes(passed=1)


def test_the_clock_moves_when_a_test_moves_it(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        from datetime import timedelta
        import app

        def test_expiry(make_store, store_clock):
            store = make_store()
            store.put(app.Cart(customer="ada", ends=store_clock() + timedelta(hours=1)))
            assert store.get(app.Cart.key("ada")) is not None
            store_clock.move(hours=2)
            assert store.get(app.Cart.key("ada")) is None
        """
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)


def test_faults_come_on_demand(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest
        from singletable import Throttled
        import app

        @pytest.mark.faults(throttle=1.0)
        def test_always_throttled(make_store, monkeypatch):
            monkeypatch.setattr("time.sleep", lambda seconds: None)
            with pytest.raises(Throttled):
                app.order(make_store(), "ada", 1)

        def test_never(make_store):
            app.order(make_store(), "ada", 1)
        """
    )
    project.runpytest_subprocess().assert_outcomes(passed=2)


STRICT = """
    import pytest
    import app
    from singletable.testing import undeclared

    def test_declared(make_store):
        store = make_store()
        app.order(store, "ada", 1)
        assert app.find(store, "ada")

    def test_undeclared(make_store):
        app.late(make_store(), "ada")

    def test_scan(make_store):
        app.everything(make_store())

    def test_of_a_store_of_its_own():
        from singletable import Store, connect
        store = Store(connect("memory:"))
        store.admin.create_table(app.shop)
        store.put(app.Cart(customer="ada"))

    @pytest.mark.undeclared("the console looks at everything")
    def test_marked(make_store):
        app.everything(make_store())

    def test_within_a_block(make_store):
        with undeclared("sample data"):
            make_store().put(app.Cart(customer="ada"))

    @pytest.fixture
    def filled(make_store):
        store = make_store()
        store.put(app.Cart(customer="ada"))
        return store

    def test_fixtures_may_do_anything(filled):
        assert app.find(filled, "ada") == []
"""


def test_without_the_option_nothing_is_asked(project: pytest.Pytester) -> None:
    project.makepyfile(STRICT)
    project.runpytest_subprocess().assert_outcomes(passed=7)


def test_a_call_that_no_pattern_declares_fails_its_test(project: pytest.Pytester) -> None:
    project.makepyfile(STRICT)
    result = project.runpytest_subprocess("--singletable-strict")
    result.assert_outcomes(passed=4, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*_ test_undeclared _*",
            "Calls that no access pattern declares:",
            "*app.py:*: store.query() is a call of no pattern.",
            'Declare it with a function: @catalog.reads("AP…") def …(customer, low, high): '
            "return Order.key.partition(customer).between(low, high) (or .ge, .lt, … of number)",
            "*_ test_scan _*",
            "*app.py:*: store.scan() is a scan, which no pattern declares.",
            "Ask by a key, or declare why no key will do: "
            'catalog.scan("AP…", "…", Order, reason="…")',
            "*_ test_of_a_store_of_its_own _*",
            "*test_*.py:*: store.put() is a call of no pattern.",
            'Declare it: catalog.write("AP…", "…", puts(Cart))',
        ]
    )


def test_strictness_is_a_setting_too_and_works_on_several_cores(project: pytest.Pytester) -> None:
    project.makepyfile(STRICT)
    project.makeini(
        "[pytest]\nsingletable_catalogues = app:catalog\nsingletable_strict = true\n"
        "pythonpath = .\naddopts = -p no:cacheprovider\n"
    )
    result = project.runpytest_subprocess("-n", "2", "--singletable-report")
    result.assert_outcomes(passed=4, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*= access patterns =*",
            "pattern *calls *errors *read units *write units *p95 ms *slowest ms",
            "shop:AP1 *2 *0 *1.0 *0.0 * Orders of a customer",
            "shop:AP3 *1 *0 *0.0 *1.0 * Place an order",
            "undeclared *",
            "shop:AP2 *never *One order",
        ]
    )


def test_strictness_without_a_catalogue_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_subprocess("--singletable-strict")
    result.stdout.fnmatch_lines(["*no catalog is named. Set singletable_catalogues*"])
    assert result.ret != 0


def test_a_catalogue_that_is_not_there_is_told(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nsingletable_catalogues = app:other\npythonpath = .\n")
    project.makepyfile("def test_one(make_store): make_store()")
    result = project.runpytest_subprocess()
    result.stdout.fnmatch_lines(
        ["*singletable_catalogues names 'app:other', and there is no catalog 'other' in app*"]
    )


@pytest.mark.parametrize(
    ("setting", "missing"),
    [("nope.patterns", "nope"), ("app/patterns.py", "app/patterns"), ("app.nope", "app.nope")],
)
def test_a_module_that_is_not_there_is_told_by_the_setting_that_names_it(
    project: pytest.Pytester, setting: str, missing: str
) -> None:
    project.makeini(f"[pytest]\nsingletable_catalogues = {setting}\npythonpath = .\n")
    project.makepyfile("def test_one(make_store): make_store()")
    result = project.runpytest_subprocess()
    result.stdout.fnmatch_lines(
        [f"*names '{setting}', and there is no module '{missing}' to import*"]
    )


@pytest.mark.parametrize(
    ("marked", "told"),
    [("throtle=0.2", "throtle"), ("'throttle'", "'throttle'"), ("", "none")],
    ids=["a typing error", "no name", "nothing"],
)
def test_faults_that_there_are_not_are_told(
    project: pytest.Pytester, marked: str, told: str
) -> None:
    project.makepyfile(
        f"""
        import pytest

        @pytest.mark.faults({marked})
        def test_one(make_store): make_store()
        """
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [f"*::test_one: @pytest.mark.faults expects*got {told}. There are: throttle,*"]
    )


# Every project that has the package installed loads the plugin with each run of pytest.
def test_loading_the_plugin_enters_no_other_room() -> None:
    code = (
        "import sys, singletable.testing.plugin; "
        "print([m for m in sys.modules if m.startswith('singletable.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(eval(done.stdout)) == [
        "singletable.connect",
        "singletable.errors",
        "singletable.testing",
        "singletable.testing.plugin",
    ]
