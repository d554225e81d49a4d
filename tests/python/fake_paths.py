"""What nodes say that their interfaces sent, as in a row's network_path."""

MIB = 2**20


def interface(name, sent=None, **more):
    """One whose driver tells what it sent, in MiB, or not."""
    found = {"name": name, "kind": "network" if name.startswith("eth") else "fabric", "up": True, **more}
    return found if sent is None else {**found, "sent_bytes": sent * MIB}


def node(host, interfaces=None, **sent):
    """A node, and the MiB that its interfaces sent in one run."""
    found = [interface(name, mebibytes) for name, mebibytes in sent.items()] if interfaces is None else interfaces
    return {"host": host, "runs": 1, "interfaces": found}
