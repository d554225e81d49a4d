"""What nodes say that their interfaces sent, as in a row's network_path."""

MIB = 2**20
KINDS = {"lo": "loopback", "eth": "network", "ib": "network", "NVLink": "gpu"}


def interface(name, sent=None, **more):
    found = {"name": name, "kind": KINDS.get(name.rstrip("0123456789"), "fabric"), "up": True, **more}
    return found if sent is None else {**found, "sent_bytes": sent * MIB}


def node(host, between=0, within=0, interfaces=None, **sent):
    """A node that had to send these MiB in one run, and what its interfaces sent."""
    found = [interface(name, mebibytes) for name, mebibytes in sent.items()] if interfaces is None else interfaces
    return {"host": host, "runs": 1, "planned_between_nodes_bytes": between * MIB,
            "planned_within_node_bytes": within * MIB, "interfaces": found}
