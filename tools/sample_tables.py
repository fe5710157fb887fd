"""Fill a new database file with the tables of the five apps and their sample data.

`python -m tools.sample_tables FILE` is what `make run-dynamodb` serves to clients of DynamoDB.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from singletable import connect
from singletable_apps.home.apps import find_apps
from singletable_apps.shared.frame import Opening


def fill(file: Path) -> None:
    """Create the tables and the sample data; the keys to it are not kept."""
    draft = file.with_name(f"{file.name}.draft")
    draft.unlink(missing_ok=True)
    with TemporaryDirectory() as folder, connect(f"file:{draft}") as driver:
        for app in find_apps():
            if app.sample is not None:
                with app.open(Opening(driver, Path(folder) / app.name)) as service:
                    app.sample(service, lambda done, total: None)
    draft.rename(file)


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
