"""The pytest plugin in a project: fresh stores, strict mode, faults and the report."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_each_test_starts_with_empty_tables(project: pytest.Pytester) -> None:
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
    project.runpytest_inprocess().assert_outcomes(passed=3)


def test_async_store_runs_in_an_event_loop(project: pytest.Pytester) -> None:
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


def test_items_expire_when_the_clock_is_advanced(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        from datetime import timedelta
        import app

        def test_expiry(make_store, store_clock):
            store = make_store()
            store.put(app.Cart(customer="ada", ends=store_clock() + timedelta(hours=1)))
            assert store.get(app.Cart.key("ada")) is not None
            store_clock.advance(hours=2)
            assert store.get(app.Cart.key("ada")) is None
        """
    )
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_faults_marker_injects_faults(project: pytest.Pytester) -> None:
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
    project.runpytest_inprocess().assert_outcomes(passed=2)


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

    def test_own_store():
        from singletable import Store, connect
        store = Store(connect("memory:"))
        store.admin.create_table(app.shop)
        store.put(app.Cart(customer="ada"))

    def test_table_of_no_catalog(make_store):
        from singletable import Attr, Entity, Key, Table, attr
        sessions = Table("sessions")
        class Session(Entity, table=sessions):
            token: Attr[str] = attr()
            key = Key(pk=("SESSION", token), sk="SESSION")
        make_store(sessions).put(Session(token="a"))

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

    def test_fixture_calls_are_not_checked(filled):
        assert app.find(filled, "ada") == []
"""


def test_undeclared_calls_pass_without_strict_mode(project: pytest.Pytester) -> None:
    project.makepyfile(STRICT)
    project.runpytest_inprocess().assert_outcomes(passed=8)


def test_strict_mode_fails_tests_with_undeclared_calls(project: pytest.Pytester) -> None:
    project.makepyfile(STRICT)
    # In a process of its own, because strict mode sees the calls of every thread.
    result = project.runpytest_subprocess("--singletable-strict")
    result.assert_outcomes(passed=5, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*_ test_undeclared _*",
            "Calls that match no access pattern:",
            "*app.py:*: store.query() matches no access pattern.",
            'Declare it with a function: @catalog.read_function("AP…") def …(customer, low, high): '
            "return Order.key.partition(customer).between(low, high) (or .ge, .lt, … of number)",
            "*_ test_scan _*",
            "*app.py:*: store.scan() is an undeclared scan.",
            "Query by a key, or declare the scan with its reason: "
            'catalog.scan("AP…", "…", Order, reason="…")',
            "*_ test_own_store _*",
            "*test_*.py:*: store.put() matches no access pattern.",
            'Declare it: catalog.write("AP…", "…", puts(Cart))',
        ]
    )


@pytest.mark.rest
def test_strict_mode_is_a_setting_and_works_with_xdist(project: pytest.Pytester) -> None:
    project.makepyfile(STRICT)
    project.makeini(
        "[pytest]\nsingletable_catalogs = app:catalog\nsingletable_strict = true\n"
        "pythonpath = .\naddopts = -p no:cacheprovider\n"
    )
    result = project.runpytest_subprocess("-n", "2", "--singletable-report")
    result.assert_outcomes(passed=5, failed=3)
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


def test_strict_mode_requires_a_catalog(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\n")
    project.makepyfile("def test_nothing(): pass")
    result = project.runpytest_subprocess("--singletable-strict")
    result.stdout.fnmatch_lines(["*no catalog is configured. Set singletable_catalogs*"])
    assert result.ret != 0


def test_missing_catalog_is_reported(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nsingletable_catalogs = app:other\npythonpath = .\n")
    project.makepyfile("def test_one(make_store): make_store()")
    result = project.runpytest_inprocess()
    result.stdout.fnmatch_lines(
        ["*singletable_catalogs names 'app:other', but app has no catalog 'other'*"]
    )


@pytest.mark.parametrize(
    ("setting", "missing"),
    [("nope.patterns", "nope"), ("app/patterns.py", "app/patterns"), ("app.nope", "app.nope")],
)
def test_missing_module_is_reported_with_the_setting(
    project: pytest.Pytester, setting: str, missing: str
) -> None:
    project.makeini(f"[pytest]\nsingletable_catalogs = {setting}\npythonpath = .\n")
    project.makepyfile("def test_one(make_store): make_store()")
    result = project.runpytest_inprocess()
    result.stdout.fnmatch_lines([f"*names '{setting}', but there is no module '{missing}'*"])


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [("throtle=0.2", "throtle"), ("'throttle'", "'throttle'"), ("", "none")],
    ids=["unknown name", "positional", "no faults"],
)
def test_invalid_faults_marker_is_reported(
    project: pytest.Pytester, arguments: str, reported: str
) -> None:
    project.makepyfile(
        f"""
        import pytest

        @pytest.mark.faults({arguments})
        def test_one(make_store): make_store()
        """
    )
    result = project.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [f"*::test_one: @pytest.mark.faults expects*got {reported}. Known faults: throttle,*"]
    )


# Every project that has the package installed loads the plugin in each run of pytest.
def test_plugin_imports_nothing_else_of_the_library() -> None:
    code = (
        "import sys, singletable.testing.plugin; "
        "print([m for m in sys.modules if m.startswith('singletable.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(eval(done.stdout)) == [
        "singletable.connect",
        "singletable.testing",
        "singletable.testing.plugin",
    ]
