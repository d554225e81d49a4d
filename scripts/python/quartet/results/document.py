"""Reads result documents; row.py has their rows.

Each document is checked here against results/schema/quartet-results.schema.json, so that other code need not check what
it reads. Control characters are replaced, so that no text of a document can move a terminal's cursor."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Union

from quartet import schema
from quartet.files import MOST_BYTES, FileProblem, read_json, reason_of, with_bounds
from quartet.terminal import printable

SCHEMA_VERSION = 2  # the version that can be read
ENDING = ".json"
PARTS = ("system", "build", "mpi_settings", "environment")  # of the document; each has facts
MOST_FACTS = 2**18  # characters of all facts


def load(path: Union[str, Path], most: int = MOST_BYTES) -> dict[str, Any]:
    """The document at `path`. Raises FileNotFoundError, and FileProblem (a ValueError) with the path and the reason if
    it is not a results document of this schema version."""
    document = with_bounds(read_json(path, most), printable)
    problem = _problem(document)
    if problem or not isinstance(document, dict):
        raise FileProblem(f"{path}: {problem}")
    return document


def _problem(document: object) -> str:
    """Why this is not a results document that can be read; empty if it is."""
    if not isinstance(document, dict) or not {"context", "benchmarks"} <= document.keys():
        return "not a results document (no context and benchmarks)"
    context = document["context"]
    quartet = context.get("quartet") if isinstance(context, dict) else None
    version = quartet.get("schema_version") if isinstance(quartet, dict) else None
    if not isinstance(quartet, dict) or not isinstance(version, int):
        return "not a results document of Quartet's (no schema version of its own)"
    if version != SCHEMA_VERSION:
        other = "a newer" if version > SCHEMA_VERSION else "an older"
        return f"schema version {version} (this quartet knows {SCHEMA_VERSION}): use {other} quartet"
    problem = schema.problem("results", document)
    if problem:
        return f"not as the schema has it ({problem})"
    facts = len(str([quartet.get(part) for part in PARTS]))
    return f"it records {facts} characters of facts (at most {MOST_FACTS} are read)" if facts > MOST_FACTS else ""


def load_published(path: Path) -> dict[str, Any]:
    """A file of published numbers. Raises like load()."""
    document = with_bounds(read_json(path), printable)
    problem = schema.problem("published", document)
    if problem or not isinstance(document, dict):
        raise FileProblem(f"{path}: not a file of published numbers ({problem})")
    return document


def nodes(document: dict[str, Any]) -> int:
    return int(document["context"]["quartet"].get("nodes", 1))


def commit(document: dict[str, Any]) -> str:
    """The commit of the programs' sources; empty if it is not recorded."""
    return str(document["context"]["quartet"].get("commit", ""))


def written(document: dict[str, Any]) -> float:
    """When it was written, in seconds since 1970. Raises ValueError or OverflowError if its date is not valid."""
    return datetime.fromisoformat(str(document["context"]["date"]).replace("Z", "+00:00")).timestamp()


def models_of_gpus(document: dict[str, Any]) -> tuple[str, ...]:
    """The distinct models of the GPUs; none on the host."""
    gpus = document["context"]["quartet"].get("gpus") or []
    return tuple(sorted({str(gpu.get("name", "GPU")) for gpu in gpus}))


def device(document: dict[str, Any]) -> str:
    """The device that computed: the GPU's model, or the processor's with the number of CPUs of the node."""
    context, quartet = document["context"], document["context"]["quartet"]
    models = models_of_gpus(document)
    if quartet.get("device") == "cuda" and models:
        return ", ".join(models)
    processor = quartet.get("device_description", "unknown processor").split(";")[0]
    return f"{processor}, {context.get('num_cpus', '?')} CPUs"


def isa(document: dict[str, Any]) -> str:
    """The vector instructions of the host's loops, as --isa names them; empty if no loops ran or it is not recorded."""
    return str(document["context"]["quartet"].get("isa", ""))


@dataclass(frozen=True)
class Collection:
    """The documents at some paths that can be used, and why others cannot."""

    documents: list[tuple[Path, dict[str, Any]]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def collect(paths: Iterable[Union[str, Path]], most: int = MOST_BYTES) -> Collection:
    """Reads the documents at these paths: files, and all .json files below folders, of at most `most` bytes."""
    found = Collection()
    seen: set[str] = set()
    files = [file for path in map(Path, paths)
             for file in (files_below(path, found.skipped) if os.path.isdir(path) else [path])]
    for file in files:
        real = os.path.realpath(file)
        if real in seen:
            continue  # named twice
        seen.add(real)
        try:
            found.documents.append((file, load(file, most)))
        except FileProblem as problem:
            found.skipped.append(str(problem))
        except OSError as error:
            found.skipped.append(f"{file}: {reason_of(error)}")
    return found


def files_below(folder: Path, skipped: list[str]) -> Iterator[Path]:
    """The files that may be documents, sorted. Hidden ones are left out, since an interrupted write may have left them.
    Adds folders that cannot be read, or have no such file, to `skipped`."""
    problems: list[str] = []
    found = [Path(below) / name for below, _, names in os.walk(folder, onerror=lambda error: problems.append(
                 f"{error.filename}: {reason_of(error)}"))
             for name in names if name.endswith(ENDING) and not name.startswith(".")]
    skipped += problems or ([] if found else [f"{folder}: no {ENDING} file is in this folder"])
    yield from sorted(found)
