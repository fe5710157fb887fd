"""The commands of the library and their options: who adds one removes one, or says here why."""

from __future__ import annotations

from tools.command_tree import walk_commands

# An option of a group is accepted after its commands, too.
OWN = """
singletable --version --table-name
singletable diff --write --format
singletable explain --address --limit
singletable show --app --partition --limit
singletable partiql --command --format --limit
singletable bulk-load --entity --skip-conflicts
singletable copy --table --sample --fake --secret --rate --restart --dry-run --yes
singletable sql --format --views
singletable table --deletion-protection --stream --table-class --recovery-days --encryption
singletable table create
singletable table check
singletable migration --to --rate
singletable migration new
singletable migration status --format
singletable migration plan --sample --format
singletable migration run --dry-run --changes --follow
singletable migration verify --sample --repair --yes --format
singletable migration cut-over
singletable migration rollback --accept-loss
singletable migration finish --drop-old --accept-loss --yes
singletable migration down --dry-run --yes
"""
MAX_COMMANDS, MAX_OPTIONS = 18, 47


def test_commands_and_options_are_those_listed_here() -> None:
    expected = OWN.strip().splitlines()
    names = {line.partition(" --")[0] for line in expected}
    found = [" ".join([name, *options]) for name, options in walk_commands() if name in names]
    assert found == expected
    groups = {name.rpartition(" ")[0] for name in names}
    assert len(names - groups) <= MAX_COMMANDS
    assert sum(line.count(" --") for line in expected) <= MAX_OPTIONS
