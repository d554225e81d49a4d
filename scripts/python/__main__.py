"""Run by scripts/quartet: Python then finds the packages beside this file, and none in the current folder."""

from quartet.__main__ import main

if __name__ == "__main__":
    main()
