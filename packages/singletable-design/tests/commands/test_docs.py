"""`singletable docs` writes documentation, and --check exits with 1 if it is stale."""

from __future__ import annotations

from pathlib import Path

from tools.testing.commands import Run

APP = "tools.testing.designs.shop"


def test_docs_prints_without_output(run: Run) -> None:
    code, out, err = run("docs", APP)
    assert code == 0
    assert "## Access patterns" in out
    assert "svg" not in out
    assert "Diagrams are omitted" in err


def test_docs_writes_files_once_and_checks_them(run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "docs")
    code, printed, _ = run("docs", APP, "--output", out)
    assert (code, printed.count(": written\n")) == (0, 3)
    assert run("docs", APP, "--output", out) == (0, f"{out}: up to date\n", "")
    assert run("docs", APP, "--output", out, "--check") == (0, f"{out}: up to date\n", "")


def test_check_reports_stale_docs_and_the_command(run: Run, tmp_path: Path) -> None:
    run("docs", APP, "--output", str(tmp_path))
    (tmp_path / "README.md").write_text("old")
    code, out, err = run("docs", APP, "--output", str(tmp_path), "--check")
    assert (code, out) == (1, "")
    assert f"{tmp_path / 'README.md'} differs" in err
    assert f"singletable docs {APP} --output {tmp_path}" in err
    assert (tmp_path / "README.md").read_text() == "old"


def test_check_requires_output(run: Run) -> None:
    assert "--output" in run.rejected("docs", APP, "--check")


def test_module_without_patterns_is_rejected_with_a_hint(run: Run, folder: Path) -> None:
    package = folder / "shop_without_patterns"
    package.mkdir()
    (package / "__init__.py").write_text("")
    assert "Name the module that creates a PatternCatalog(…)." in run.rejected(
        "docs", "shop_without_patterns"
    )
    (package / "patterns.py").write_text("")
    assert "Did you mean shop_without_patterns.patterns?" in run("docs", "shop_without_patterns")[2]


def test_name_of_another_kind_of_file_is_rejected(run: Run, tmp_path: Path) -> None:
    err = run.rejected("docs", APP, "--output", str(tmp_path / "shop.txt"))
    assert "such as" in err
    assert "shop.md" in err
    assert not list(tmp_path.iterdir())


def test_other_file_is_not_used_as_a_folder(run: Run, tmp_path: Path) -> None:
    (notes := tmp_path / "notes.txt").write_text("mine")
    assert f"'{notes}' is a file. Documentation is written into a folder or to" in run.rejected(
        "docs", APP, "--output", str(notes)
    )
    assert notes.read_text() == "mine"
