"""Invented histories whose truth is known."""

import math
import random

from quartet.history.rule import Launch, judge

ALL, FOUR = [f"n{number}" for number in range(1, 7)], ["r0", "r1", "r2", "r3"]


def history(seed, days=30, every=1, noise=0.02, effect=lambda day, node, row: 1, facts=lambda day, node: {}, dates=None,
            alike=0.0):
    """Launches of 6 nodes and 4 rows; noise: by row if a list, None: 1 to 3% by row; alike: its autocorrelation. One
    launch in a hundred is 5 to 40% slow although it looks sound, three are missing, three are marked. A node that `dates`
    gives has launches on those days alone."""
    source, found, last = random.Random(seed), [], {}
    spread = noise if isinstance(noise, list) else [noise or source.uniform(0.01, 0.03) for _ in FOUR]
    level = {(node, row): 100 * math.exp(source.gauss(0, 0.015)) for node in range(1, 7) for row in range(4)}
    for day in range(0, days, every):
        for node in range(1, 7):
            is_missing, is_marked = source.random() < 0.03, source.random() < 0.03
            known = {"kernel": "6.1.90", **facts(day, node), "job": str(source.random()), "boot": str((day + node) // 6)}
            for row in range(4):
                new = source.gauss(0, spread[row])
                old = last.get((node, row))
                last[node, row] = new if old is None else alike * old + math.sqrt(1 - alike**2) * new
                rate = level[node, row] * math.exp(last[node, row]) * effect(day, node, row)
                rate *= source.uniform(0.6, 0.95) if source.random() < 0.01 else 1
                rate *= source.uniform(0.6, 1) if is_marked else 1
                if not is_missing and (not dates or day in dates.get(node, range(days))):
                    found.append(Launch(day + 0.125 + node / 200, f"n{node}", f"r{row}", rate, not is_marked, known))
    return found


def loss(share, since, until=math.inf, nodes=range(1, 7), rows=range(4)):
    """Effect: nodes lose a share of their rates in some rows on these days; `since` may be a function of the node."""
    return lambda day, node, row: 1 - share if node in nodes and row in rows and (
        since(node) if callable(since) else since) <= day < until else 1


def newer(first_day, nodes=range(1, 7)):
    """Facts: another kernel from a node's day on."""
    return lambda day, node: {"kernel": "6.1.99"} if node in nodes and day >= first_day(node) else {}


# What is invented; the findings: is it a drift, nodes, rows, day (None: any), day that ends it (NaN: any); the kernel as
# the cause, as numbers of nodes: slow with it, slow without, sound with it.
STORIES = {
    "half speed for ten days": ({"effect": loss(0.5, 9, 19, [3])}, [(False, ["n3"], FOUR, 9, 19, None)]),
    "half speed, last four days": ({"effect": loss(0.5, 26, nodes=[3])}, [(False, ["n3"], FOUR, 26, None, None)]),
    "half speed from the first day, for ten days": (
        {"effect": loss(0.5, 0, 10, [3])}, [(False, ["n3"], FOUR, 10, None, None)]),  # it is faster since then
    "10% for ten days": ({"effect": loss(0.1, 9, 19, [3])}, [(False, ["n3"], FOUR, 9, 19, None)]),
    "one node drifts by 0.5% a day": (
        {"effect": lambda day, node, row: 1 - 0.005 * day if node == 5 else 1},
        [(True, ["n5"], FOUR, None, None, None)]),
    "all drift by 0.3% a day": ({"effect": lambda day, node, row: 1 - 0.003 * day}, [(True, ALL, FOUR, None, None, None)]),
    "one node drifts by 0.3% a day, and is repaired": (
        {"days": 60, "effect": lambda day, node, row: 1 - 0.003 * (day - 10) if node == 5 and 10 <= day < 50 else 1},
        [(True, ["n5"], FOUR, None, 50, None)]),
    "a rolling upgrade": (
        {"effect": loss(0.07, lambda node: 12 + node, rows=[1]), "facts": newer(lambda node: 12 + node)},
        [(False, ALL, ["r1"], None, None, (6, 0, 0))]),
    "a rolling upgrade of all rows": (
        {"effect": loss(0.08, lambda node: 13 + node), "facts": newer(lambda node: 13 + node)},
        [(False, ALL, FOUR, None, None, (6, 0, 0))]),
    "a rolling upgrade, undone node by node": (
        {"days": 40, "effect": lambda day, node, row: 0.92 if 8 + node <= day < 20 + node else 1,
         "facts": lambda day, node: {"kernel": "6.1.99"} if 8 + node <= day < 20 + node else {}},
        [(False, ALL, FOUR, None, math.nan, (6, 0, 0))]),
    "all lose 8% for ten days": ({"effect": loss(0.08, 10, 20)}, [(False, ALL, FOUR, 10, 20, None)]),
    "a kernel on all nodes slows two": (
        {"effect": loss(0.07, 16, nodes=(2, 4), rows=[1]), "facts": newer(lambda node: 16)},
        [(False, ["n2", "n4"], ["r1"], 16, None, (2, 0, 4))]),
    "a kernel on two nodes slows both": (
        {"effect": loss(0.07, 16, nodes=(2, 4), rows=[1]), "facts": newer(lambda node: 16, (2, 4))},
        [(False, ["n2", "n4"], ["r1"], 16, None, (2, 0, 0))]),
    "all lose 5%, nothing recorded": ({"effect": loss(0.05, 15, rows=[2])}, [(False, ALL, ["r2"], 15, None, None)]),
    "one node loses 10%, all kernels changed five days before": (
        {"effect": loss(0.1, 16, nodes=[3], rows=[1]), "facts": newer(lambda node: 11)},
        [(False, ["n3"], ["r1"], 16, None, None)]),
    "one node loses 10% for 15 days, meanwhile all 5% by a kernel": (
        {"days": 60, "facts": newer(lambda node: 40),
         "effect": lambda day, node, row: (0.95 if day >= 40 else 1) * (0.9 if node == 3 and 30 <= day < 45 else 1)},
        [(False, ALL, FOUR, 40, None, (6, 0, 0)), (False, ["n3"], FOUR, 30, 45, None)]),
    "all lose 8%, then one 10% more by a kernel": (
        {"effect": lambda day, node, row: (0.92 if day >= 10 else 1) * (0.9 if node == 2 and day >= 15 else 1),
         "facts": newer(lambda node: 15, [2])},
        [(False, ALL, FOUR, 10, None, None), (False, ["n2"], FOUR, 15, None, (1, 0, 0))]),
    "all lose 8% for ten days, and one does not recover": (
        {"effect": lambda day, node, row: 0.92 if day >= 10 and (day < 20 or node == 2) else 1},
        [(False, ["n2"], FOUR, 10, None, None), (False, [ALL[0], *ALL[2:]], FOUR, 10, 20, None)]),
    "one node drifts, and all lose 7%": (
        {"effect": lambda day, node, row: (0.93 if row == 1 and day >= 16 else 1) * (
            1 - 0.005 * day if node == 3 and row == 2 else 1)},
        [(False, ALL, ["r1"], 16, None, None), (True, ["n3"], ["r2"], None, None, None)]),
    "a year: a kernel, then one node decays, another is repaired": (
        {"days": 364, "every": 3, "facts": newer(lambda node: 120),
         "effect": lambda day, node, row: (0.92 if day >= 120 else 1) * (
             1 - 0.15 * min(max((day - 150) / 150, 0), 1) if node == 3 else
             0.9 if node == 2 and 250 <= day < 280 else 1)},
        [(False, ALL, FOUR, 120, None, (6, 0, 0)), (False, ["n2"], FOUR, 250, 280, None),
         (True, ["n3"], FOUR, None, None, None)]),
    "all lose 10%, and one drifts all the time": (
        {"days": 120, "effect": lambda day, node, row: (0.9 if day >= 60 else 1) * (1 - 0.002 * day * (node == 3))},
        [(False, ALL, FOUR, 60, None, None), (True, ["n3"], FOUR, None, None, None)]),
    "all drift, and one loses 15% by a kernel": (
        {"days": 120, "facts": newer(lambda node: 70, [2]),
         "effect": lambda day, node, row: (0.85 if node == 2 and day >= 70 else 1) * (1 - 0.0015 * day)},
        [(True, ALL, FOUR, None, None, None), (False, ["n2"], FOUR, 70, None, (1, 0, 0))]),
    "a node stops, another is new": ({"dates": {2: range(17), 6: range(15, 30)}}, []),
    "a kernel slows all, after one node stopped and before another begins": (
        {"days": 60, "dates": {2: range(17), 6: range(40, 60)}, "effect": loss(0.08, 28), "facts": newer(lambda node: 28)},
        [(False, ["n1", "n3", "n4", "n5"], FOUR, 28, None, (4, 0, 0))]),
    "all lose 3% by a kernel, in two rows within their noise": (
        {"days": 120, "noise": [0.01, 0.01, 0.03, 0.03], "effect": loss(0.03, 60), "facts": newer(lambda node: 60)},
        [(False, ALL, FOUR, 60, None, (6, 0, 0))]),
    "a sound month": ({}, []),
}


def wrong(answer, due, days_apart=3):
    """What is wrong with an answer, in words; empty if it is right."""
    found = {(finding.is_drift, *finding.nodes, *finding.rows): finding for finding in answer.findings}
    if sorted(found) != sorted((is_drift, *nodes, *rows) for is_drift, nodes, rows, *_ in due):
        return f"findings {sorted(found)}"
    for is_drift, nodes, rows, start, end, cause in due:
        finding = found[(is_drift, *nodes, *rows)]
        for told in finding.observations:
            if start is not None and abs(int(told.start) - start) > days_apart:
                return f"{nodes} since {told.start}"
            if (told.end is None or not told.is_undone) != (end is None) or (
                    end is not None and abs(int(told.end) - end) > days_apart):
                return f"{nodes} until {told.end}"
        said = [one[1:4] for one in finding.causes if one.change.fact == "kernel"]
        if said != ([cause] if cause else []):
            return f"{nodes} because {finding.causes}"
    return ""


def alarms(years, alike=0.0):
    """The sound weekly years of so many in which something is found."""
    return [seed for seed in range(1, 1 + years) if judge(history(seed, 365, 7, None, alike=alike)).findings]
