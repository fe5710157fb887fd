"""`singletable docs` writes documents, and its check says by its exit code if they are stale."""

from __future__ import annotations

from pathlib import Path

from tests.cli.run import Run

APP = "tests.cli.shop"


def test_without_a_place_the_text_is_printed(run: Run) -> None:
    code, out, err = run("docs", APP)
    assert code == 0
    assert "## Access patterns" in out
    assert "svg" not in out
    assert "pictures are left out" in err


def test_documents_are_written_once_and_checked(run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "docs")
    code, said, _ = run("docs", APP, "--output", out)
    assert (code, said.count(": written\n")) == (0, 3)
    assert run("docs", APP, "--output", out) == (0, f"{out}: up to date\n", "")
    assert run("docs", APP, "--output", out, "--check") == (0, f"{out}: up to date\n", "")


def test_stale_documents_are_told_with_what_to_run(run: Run, tmp_path: Path) -> None:
    run("docs", APP, "--output", str(tmp_path))
    (tmp_path / "README.md").write_text("old")
    code, out, err = run("docs", APP, "--output", str(tmp_path), "--check")
    assert (code, out) == (1, "")
    assert f"{tmp_path / 'README.md'} differs" in err
    assert f"singletable docs {APP} --output {tmp_path}" in err
    assert (tmp_path / "README.md").read_text() == "old"


def test_a_check_needs_to_know_where(run: Run) -> None:
    code, _, err = run("docs", APP, "--check")
    assert code == 2
    assert "--output" in err


def test_a_module_without_patterns_says_where_they_may_be(run: Run, folder: Path) -> None:
    package = folder / "shop_without_patterns"
    package.mkdir()
    (package / "__init__.py").write_text("")
    code, _, err = run("docs", "shop_without_patterns")
    assert code == 2
    assert "Name the module in which a PatternCatalog(…) is made." in err
    (package / "patterns.py").write_text("")
    assert "Is it shop_without_patterns.patterns?" in run("docs", "shop_without_patterns")[2]


def test_a_file_of_another_kind_is_not_taken_for_a_folder(run: Run, tmp_path: Path) -> None:
    (notes := tmp_path / "notes.txt").write_text("mine")
    code, _, err = run("docs", APP, "--output", str(notes))
    assert code == 2
    assert f"'{notes}' is a file. Documentation is written into a folder or to" in err
    assert notes.read_text() == "mine"
