"""Bundles the documents of a folder for others, who compare their cluster with it (quartet compare FILE.zip B).

A folder is checked as a reviewer would: every row verified and in no doubt, its limit measured and the same in all
launches, at least four launches of each row, all facts there, one version of quartet. What fails is named.

Names of hosts become n1, n2 and so on; those of users, paths of homes and addresses are replaced, too. Look at the
bundle before you publish it: a name that stands in no field of its own cannot be known.

The bundle is a zip file with RO-Crate's metadata and a checksum of each document. It needs rocrate, which
scripts/setup.sh share gets."""

import argparse
from pathlib import Path

from quartet.command_line import UsageError
from quartet.exit_codes import VERIFIED
from quartet.files import check_output, require_folder
from quartet.results.identity import names
from quartet.share import bundle
from quartet.share.names import anonymous
from quartet.share.review import reviewed
from quartet.text import counted

EXAMPLE = "quartet share results/runs/cg --to cluster.zip"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="of documents, as quartet sweep leaves one")
    parser.add_argument("--to", type=Path, required=True, metavar="FILE.zip", help="the bundle")


def run(options: argparse.Namespace) -> int:
    if options.to.suffix != ".zip":
        raise UsageError(f"--to {options.to}: a bundle's name ends in .zip")
    require_folder(options.folder)
    check_output(options.to)
    documents = [document for _, document in reviewed(options.folder)]
    bundle.require_rocrate()
    clean = anonymous(documents)
    machines = "; ".join(dict.fromkeys(names(clean)))
    nodes = max(document["context"]["quartet"]["nodes"] for document in clean)
    bundle.write(options.to, clean, f"{machines}, up to {counted(nodes, 'node')}" if nodes > 1 else machines)
    print(f"{options.to}: {counted(len(clean), 'document')} of {machines}")
    return VERIFIED
