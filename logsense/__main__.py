"""Let `python -m logsense` do what the command does."""

from logsense.cli.entry import main

if __name__ == "__main__":
    raise SystemExit(main())
