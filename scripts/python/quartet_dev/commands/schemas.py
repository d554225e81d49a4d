"""Compiles the JSON Schemas of documents, plans and machine files into quartet/schema/compiled/NAME.py. Needs
fastjsonschema 2.16.3 (scripts/setup.sh test, or pip); what it writes needs nothing."""

import argparse

from quartet.exit_codes import UNAVAILABLE, VERIFIED, ScriptError

EXAMPLE = "quartet schemas"


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    pass


def run(_options: argparse.Namespace) -> int:
    try:
        from quartet_dev import schemas
    except ImportError as error:
        raise ScriptError(f"{error}: scripts/setup.sh test installs it for /usr/bin/python3 (QUARTET_PYTHON=...)",
                          UNAVAILABLE) from None
    for file in schemas.write():
        print(file)
    return VERIFIED
