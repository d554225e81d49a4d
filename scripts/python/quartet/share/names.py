"""Names of hosts and people, and paths of homes, replaced everywhere in documents: a host is n1, n2, .. in all of
them, so that pairs stay readable.

A name is replaced whatever its case is; one with a digit within words, too, since no word of a document has it. A name
that is also a word of the documents themselves, as "host", tells nothing: it is replaced only where a host stands."""

import contextlib
import getpass
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from quartet.exit_codes import FAILED, ScriptError
from quartet.files import read_json
from quartet.kernels import NAMES
from quartet.paths import SHIPPED
from quartet.results import device
from quartet.schema import problem as problem_of

HOSTS = {"host", "host_name", "HOSTNAME", "SLURMD_NODENAME", "SLURM_SUBMIT_HOST", "SLURM_JOB_NODELIST",
         "SLURM_NODELIST", "SLURM_STEP_NODELIST", "QUARTET_LAUNCHED"}
PEOPLE = {"USER", "LOGNAME", "SLURM_JOB_USER", "SLURM_JOB_ACCOUNT", "SLURM_CLUSTER_NAME"}
NOBODY = {"root", "node", "nodes", "compute", "login", "localhost"}  # as good as no name
ROOTS = r"/(?:[\w.-]+/)*?(?:home\d*|users?\d*|u)"  # of homes
OWNER = re.compile(rf"{ROOTS}/+([^/\s\"':;,=()<>|]+)", re.IGNORECASE)
HOMES = re.compile(rf"(?:{ROOTS}/|/root\b)[^\s\"':;,=()<>|]*", re.IGNORECASE)
LISTED = re.compile(r"[A-Za-z][\w.-]*\[[\d,-]+\]")  # hosts, as Slurm shortens them
ADDRESS = re.compile(r"(?<![\w.])(?!127\.)(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b"
                     r"|\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::[0-9a-f:]*[0-9a-f]\b", re.IGNORECASE)

Document = dict[str, Any]


def anonymous(documents: list[Document]) -> list[Document]:
    """The documents without names. Raises ScriptError where one would be no document any more."""
    hosts, others = _named(documents)
    words = _words(documents)
    scrub = _scrubber({name: new for name, new in {**others, **hosts}.items()
                       if name not in words and any(map(str.isalpha, name))})
    cleaned = [_cleaned(document, "", hosts, scrub) for document in documents]
    for problem in (problem_of("results", document) for document in cleaned):
        if problem:
            raise ScriptError(f"a name stands where a document needs a word ({problem}): it is not shared", FAILED)
    return cleaned


def _cleaned(value: Any, key: str, hosts: dict[str, str], scrub: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hosts.get(_short(value)) or scrub(value) if key in HOSTS else scrub(value)
    if isinstance(value, list):
        return [_cleaned(member, key, hosts, scrub) for member in value]
    if isinstance(value, dict):
        return {scrub(name): _cleaned(member, name, hosts, scrub) for name, member in value.items()}
    return value


def _scrubber(names: dict[str, str]) -> Callable[[str], str]:
    ordered = sorted(names, key=len, reverse=True)
    pattern = re.compile("|".join(map(_spelt, ordered)) or "(?!)", re.IGNORECASE)

    def scrub(text: str) -> str:
        text = ADDRESS.sub("address", LISTED.sub("nodes", HOMES.sub("~", text)))
        return pattern.sub(lambda found: names.get(found[0].lower(), "name"), text)

    return scrub


def _spelt(name: str) -> str:
    """Not the beginning of another name: node1 is none of node10."""
    same = r"\d" if re.search(r"\d", name) else "[A-Za-z]"
    return rf"(?<!{same}){re.escape(name)}(?!{same})" if name[:1].isalnum() else re.escape(name)


def _short(name: str) -> str:
    return name.split(".")[0].lower()


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """All texts and keys, each with the key that it stands at."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member, key)
    elif isinstance(value, dict):
        for name, member in value.items():
            yield "", name
            yield from _texts(member, name)


def _named(documents: list[Document]) -> tuple[dict[str, str], dict[str, str]]:
    """What stands for each host, without its domain, and for other names; all in small letters."""
    hosts: dict[str, None] = {}
    others: dict[str, str] = {}
    people = {Path(os.path.expanduser("~")).name}
    with contextlib.suppress(KeyError, OSError):  # in a container a user may have no name
        people.add(getpass.getuser())
    for key, text in (item for document in documents for item in _texts(document)):
        people |= {text} if key in PEOPLE else set(OWNER.findall(text))
        if key not in HOSTS:
            continue
        others.update({listed.split("[")[0].lower(): "n" for listed in LISTED.findall(text)})
        for name in re.split(r"[\s,]+", LISTED.sub("", text))[:1 if key == "QUARTET_LAUNCHED" else None]:
            hosts.update({_short(name): None} if name else {})
            others.update({name.lower().partition(".")[2]: "site"} if "." in name else {})
    for host in hosts:  # a cluster's nodes are often named for it
        others[host.rstrip("0123456789").rstrip("-_")] = "n"
    others.update({name.lower(): f"user{number}" for number, name in enumerate(sorted(filter(None, people)), 1)})
    return ({name: f"n{number}" for number, name in enumerate(hosts, 1)},
            {name: new for name, new in others.items() if len(name) > 1})


def _words(documents: list[Document]) -> set[str]:
    """The words that documents have whatever hosts are called."""
    schema = json.dumps(read_json(SHIPPED / "schema/quartet-results.schema.json"))
    texts = [schema, *NAMES, *map(device, documents)]
    return {word.lower() for text in texts for word in re.findall(r"[A-Za-z0-9]+", text)} | NOBODY
