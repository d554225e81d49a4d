"""Files that nobody should write: a sound one, changed in one place, or in its bytes."""

import copy
import json
import os
from pathlib import Path
from random import Random
from typing import Any, Iterator

DEEP = 100_000
# As JSON: some of these are no values of Python's.
VALUES = ("null", "true", "0", "-1", "1", "2.5", "1e308", "5e-324", "1e999", "NaN", "2147483648",
          "9223372036854775807", "18446744073709551616", "1" + "0" * 400, '""', '"x"', '"\\u0000"',
          '"\\ud800"', '"../../x"', '"' + "x" * 200_000 + '"', "[]", "{}", "[null]", '{"x": 1}',
          "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP)
HEADER_WORDS = (b"'<f8'", b"'<f4'", b"'>f8'", b"'<c16'", b"'O'", b"True", b"False", b"(0,)", b"(-1,)",
                b"(99999999999999999999,)", b"(9223372036854775807, 2)", b"()", b"{}", b"((((",
                b"__import__('os')", b"'descr'", b"'shape'")
BYTES_OF_A_HEADER = 128
PLACEHOLDER = "@mutation@"


def _places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all members of a JSON value, at all depths."""
    members = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore
    for key, member in members:
        yield (*path, key)
        if isinstance(member, (dict, list)):
            yield from _places(member, (*path, key))


def in_json(sound: bytes, chances: Random) -> bytes:
    """A random member replaced by a random value, or left out."""
    document = copy.deepcopy(json.loads(sound))
    *parents, key = chances.choice(list(_places(document)))
    parent = document
    for step in parents:
        parent = parent[step]
    if chances.random() < 0.2:
        del parent[key]
        return json.dumps(document).encode()
    parent[key] = PLACEHOLDER
    text = json.dumps(document).replace(f'"{PLACEHOLDER}"', chances.choice(VALUES), 1)
    return text.encode("utf-8", "surrogatepass")


def in_bytes(sound: bytes, chances: Random) -> bytes:
    """Truncated, longer, or with some bytes replaced."""
    data, way = bytearray(sound), chances.random()
    if way < 0.25:
        return bytes(data[:chances.randrange(len(data) + 1)])
    if way < 0.35:
        return bytes(data) + chances.randbytes(chances.choice((1, 8, 4096)))
    for _ in range(chances.choice((1, 1, 3, 30))):
        if data:
            data[chances.randrange(len(data))] = chances.randrange(256)
    return bytes(data)


def in_header(sound: bytes, chances: Random) -> bytes:
    """Of a .npy file: its first bytes, or a word of its dictionary."""
    data, place = bytearray(sound), chances.randrange(min(len(sound), BYTES_OF_A_HEADER))
    if chances.random() < 0.5:
        data[place] = chances.randrange(256)
        return bytes(data)
    word = chances.choice(HEADER_WORDS)
    data[place:place + len(word)] = word
    return bytes(data)


def in_kind(file: Path, chances: Random) -> None:
    """No regular file any more, or one far too large, which takes no space."""
    way = chances.choice(("loop", "pipe", "folder", "device", "missing", "sparse"))
    if way == "sparse":
        os.truncate(file, 2**chances.choice((32, 36, 40)))
        return
    file.unlink()
    if way == "loop":
        file.symlink_to(file.name)
    elif way == "pipe":
        os.mkfifo(file)
    elif way == "folder":
        file.mkdir()
    elif way == "device":
        file.symlink_to(chances.choice(("/dev/zero", "/dev/null", "/dev/full")))


def mutate(file: Path, chances: Random) -> None:
    """Changes the file in one of the ways that suit it."""
    if chances.random() < 0.2:
        in_kind(file, chances)
        return
    fitting = {".json": in_json, ".npy": in_header}.get(file.suffix, in_bytes)
    file.write_bytes(chances.choice((fitting, fitting, in_bytes))(file.read_bytes(), chances))
