"""What nodes say that their interfaces sent, as in a row's road."""

MIB = 2**20


def interface(name, sent=None, counter=None, **more):
    kind = {"lo": "loopback", "eth": "network", "hsn": "network", "ib": "network"}.get(name.rstrip("0123456789"), "fabric")
    found = {"name": name, "kind": kind, "up": True, **more}
    if sent is not None:
        found["sent_bytes"] = sent * MIB
    if counter:
        found["counter"] = counter
    return found


def node(host, between=0, within=0, interfaces=None, stuck="", **sent):
    """A node that had to send these MiB in one run, and what its interfaces sent."""
    found = [interface(name, mebibytes) for name, mebibytes in sent.items()] if interfaces is None else interfaces
    if stuck:
        found.append(interface(stuck, counter="stuck"))
    return {"host": host, "runs": 1, "seconds": 1.0, "planned_between_nodes_bytes": between * MIB,
            "planned_within_node_bytes": within * MIB, "interfaces": found}
