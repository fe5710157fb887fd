"""Run the command line with `python -m dynamodb_engine`."""

from dynamodb_engine.cli import main

if __name__ == "__main__":
    main()
