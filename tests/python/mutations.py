"""Documents that nobody should write: a sound one, changed in one place, or in its bytes."""

import copy
import json

import fake_results

ESCAPE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
DEEP = 100_000
# As JSON: some of these are no values of Python's.
VALUES = ("null", "true", "false", "0", "-1", "1", "2.5", "1e308", "-1e308", "5e-324", "1e999", "NaN",
          "Infinity", "1" + "0" * 400, "-1" + "0" * 5000, '""', '"x"', '"2"', '"\\u00b2"',
          '"\\ud800"', '"a/b:c"', '"=1+1"', '" =1+1"', '"@SUM(A1)"', '"' + "9" * 400 + '"',
          '"' + "x" * 200_000 + '"', json.dumps(ESCAPE), '"\\u0000"', '"a\\nb\\tc"', "[]", "{}",
          "[null]", "[[]]", '[1, "x"]', '{"x": 1}', '{"name": {}}', '[{"kind": [], "text": {}}]',
          "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP)
# Parts of names: a factor of a kind that no program writes.
PARTS = ("ranks:\u00b2", "ranks:x1", "ranks:" + "9" * 30, "threads:", "size:9e9", "n:" + "9" * 300,
         "pair:x", "pair:1-", "pair:-", "pair:99999999999999999999-1", "size:2TiB", ":", "tile:\u00b2", "..",
         "=1+1", ESCAPE.replace("/", ""))
_PLACEHOLDER = "@mutation@"


def sound():
    """A document that has about every key that scripts read."""
    first = fake_results.case(
        fake_results.stream_name(), [10000.0, 10100.0, 9900.0, 10050.0, 9950.0, 10000.0],
        published=fake_results.PUBLISHED, note="windows", pushes=100, stolen_share=0.01,
        limit={"what": "add", "seconds": 0.08, "rate": 12500.0, "probes": [0.08, 0.09]},
        limit_components=[{"name": "copy", "seconds": 1}, {"name": "link", "seconds": 2}],
        limit_decided_by="link", fraction_of_limit_ci95=[0.7, 0.9], distrusted=True,
        flags=[{"kind": "disturbed", "text": "others ran"}])
    second = fake_results.case(
        "cg/native/host/shm/laplace/full/classic/n:4096/ranks:2/threads:1", 2.0, "GFLOP/s", 6,
        factors={"kernel": "cg", "formulation": "native", "device": "host", "transport": "shm",
                 "size": 4096, "ranks": 2, "nodes": 1, "threads": 1})
    document = fake_results.document(first, fake_results.paper(fake_results.stream_name(), 9000), second,
        fake_results.case(fake_results.stream_name("library"), 8000),
        fake_results.case(fake_results.stream_name() + "/pair:0-1", 8000, repetitions=1),
        fake_results.error(fake_results.stream_name(transport="rma"), "no window"), warnings=["it was hot"])
    quartet = document["context"]["quartet"]
    quartet.update(device_description="A CPU; BLAS", gpus=[copy.deepcopy(fake_results.GPU)],
                   system={"processor": {"family": 6, "model": 85, "stepping": 7}})
    return document


def places(value, path=()):
    """The paths of all members of a JSON value, at all depths."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        yield (*path, key)
        if isinstance(member, (dict, list)):
            yield from places(member, (*path, key))


def _changed(document, path, change):
    document = copy.deepcopy(document)
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return document


def by_value(document, random):
    """A random member replaced by a random value."""
    path = random.choice(list(places(document)))
    text = random.choice(VALUES)
    changed = _changed(document, path, lambda parent, key: parent.__setitem__(key, _PLACEHOLDER))
    return json.dumps(changed).replace(f'"{_PLACEHOLDER}"', text, 1).encode("utf-8", "surrogatepass")


def by_absence(document, random):
    """A random member left out."""
    path = random.choice(list(places(document)))
    return json.dumps(_changed(document, path, lambda parent, key: parent.pop(key))).encode()


def by_name(document, random):
    """A part of one case's name replaced, or one more of it, everywhere."""
    names = sorted({row["run_name"] for row in document["benchmarks"] if "run_name" in row})
    name = random.choice(names)
    parts = name.split("/")
    place = random.randrange(len(parts))
    parts[place:place + random.randrange(2)] = [random.choice(PARTS)]
    return json.dumps(document).replace(name, "/".join(parts)
                                        .encode("unicode_escape").decode().replace("\\x", "\\u00")).encode()


def by_bytes(document, random):
    """Truncated, or with some bytes replaced."""
    data = bytearray(json.dumps(document).encode())
    if random.random() < 0.3:
        return bytes(data[:random.randrange(len(data))])
    for _ in range(random.choice((1, 1, 3, 30))):
        data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)


WAYS = (by_value, by_value, by_value, by_absence, by_name, by_bytes)


def mutations(random, count):
    """So many of them, as the bytes of a file."""
    document = sound()
    return [random.choice(WAYS)(document, random) for _ in range(count)]
