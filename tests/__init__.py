"""The tests of what concerns all houses: documents, house rules, drills, benchmarks."""
