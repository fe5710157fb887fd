"""Run the command line with `python -m singletable`."""

from singletable.cli import main

if __name__ == "__main__":
    main()
