"""Result documents as the tests here read them, checked against their schema, and checkpoints."""

import os
from pathlib import Path

import schemas
from checkpoints import saved_iterations  # noqa: F401

PROGRAMS = Path(os.environ["QUARTET_PROGRAMS"])


def read(file):
    document = schemas.read_strictly(file)
    problems = schemas.problems("results", document)
    assert not problems, problems
    return document


def quartet(document):
    return document["context"]["quartet"]


def medians(document):
    return [row for row in document["benchmarks"] if row.get("aggregate_name") == "median"]


def error_rows(document):
    return [row for row in document["benchmarks"] if "error_occurred" in row]
