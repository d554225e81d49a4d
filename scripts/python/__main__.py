"""What scripts/quartet runs: the packages beside this file are found, and nothing in the folder it is called in."""

from quartet.__main__ import main

if __name__ == "__main__":
    main()
