"""Tests that the loops of each instruction set define nothing that another file may link as its own.

loops_symbols_test.py NM ISA OBJECT...: whatever the objects define stands in the namespace of the
instruction set, or in the file alone. A function of a header that the compiler left out of line would
be linked once for the whole program, perhaps with instructions that the processor lacks."""

import re
import subprocess
import sys

LOCAL = "abcdnrst"  # kinds of symbols that nm writes in small letters: of the file alone


def foreign_symbols(lines, isa):
    """The symbols of nm's lines that are defined for other files, outside of the namespace."""
    for line in lines:
        _address, kind, *rest = line.split(maxsplit=2)
        name = rest[0] if rest else ""
        if kind not in LOCAL and not re.search(rf"quartet::\w+::{isa}::", name):
            yield name


def main(nm, isa, *objects):
    examples = ["0 W std::vector<double>::push_back(double&&)", f"0 W quartet::cg::{isa}::f()", "0 t f"]
    assert list(foreign_symbols(examples, isa)) == ["std::vector<double>::push_back(double&&)"]
    run = subprocess.run([nm, "-C", "--defined-only", *objects], check=True, capture_output=True, text=True)
    lines = [line for line in run.stdout.splitlines() if line and not line.endswith(":")]
    assert any(re.search(rf"quartet::\w+::{isa}::loops", line) for line in lines), "not the loops' objects"
    foreign = sorted(set(foreign_symbols(lines, isa)))
    sys.exit(f"{isa}: defined for the whole program: {', '.join(foreign)}" if foreign else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
