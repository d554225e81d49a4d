"""Folders of checkpoints, as the tests look at them."""

import re


def saved_iterations(folder):
    """Of the checkpoints that are there, ascending; those that are being written are left out."""
    found = [re.fullmatch(r"iteration-(\d+)", entry.name) for entry in folder.glob("iteration-*")]
    return sorted(int(match[1]) for match in found if match)
