"""A bundle of documents: a zip file, or what was unpacked from one, with RO-Crate's metadata, which have the SHA-256 of
each. What a stranger sent is judged by names, kinds and sizes before it is read, then by its checksums."""

import contextlib
import hashlib
import io
import json
import os
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quartet.exit_codes import UNAVAILABLE, ScriptError
from quartet.files import MOST_BYTES, FileProblem, read_bytes, replacing
from quartet.paths import version
from quartet.units import MIB

METADATA = "ro-crate-metadata.json"
MEMBER = re.compile(rf"{re.escape(METADATA)}|documents/\d{{3,5}}\.json")
MOST_IN_ALL = 256 * MIB
MOST_OF_INDEX = MIB  # of a zip file's own list
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
END, OFFSET = b"PK\x05\x06", 12  # of a zip file's end, and of its list's size there
NO_ROCRATE = "this Python has no rocrate (it writes the metadata): 'scripts/setup.sh share' gets it"


def require_rocrate() -> Any:
    """The class of RO-Crates. Raises ScriptError where there is none."""
    try:
        from rocrate.rocrate import ROCrate
    except ImportError:
        raise ScriptError(NO_ROCRATE, UNAVAILABLE) from None
    return ROCrate


def write(file: Path, documents: list[dict[str, Any]], title: str) -> None:
    """Whole or not at all. Raises ScriptError."""
    crate = require_rocrate()()
    crate.name = title
    crate.description = f"Result documents of Quartet {version()}, one a launch, without names of hosts and people."
    for number, document in enumerate(documents):
        content = (json.dumps(document, indent=1) + "\n").encode()
        crate.add_file(io.BytesIO(content), f"documents/{number:03}.json", properties={
            "name": f"launch {number}", "encodingFormat": "application/json",
            "sha256": hashlib.sha256(content).hexdigest()})
    with replacing(file) as aside:
        crate.write_zip(aside)


def is_bundle(path: Path) -> bool:
    return _is_packed(path) or os.path.lexists(path / METADATA)


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and not os.path.isdir(path)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[list[Path]]:
    """The documents of a bundle as files; of anything else the path alone. Raises FileProblem."""
    if not is_bundle(path):
        yield [path]
        return
    try:
        documents = _checked(_packed(path) if _is_packed(path) else _in_folder(path))
    except FileProblem as problem:
        raise FileProblem(f"{path}: {problem}: fetch it again, or name a bundle of quartet share") from None
    except (OSError, ValueError, RecursionError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise FileProblem(f"{path}: no whole bundle ({error}): fetch it again") from None
    with tempfile.TemporaryDirectory(prefix="quartet-share-") as folder:
        files = [Path(folder, Path(name).name) for name in documents]
        for file, content in zip(files, documents.values()):
            file.write_bytes(content)
        yield files


def _packed(file: Path) -> dict[str, bytes]:
    data = read_bytes(file)
    place = data.rfind(END) + OFFSET
    if place < OFFSET or int.from_bytes(data[place:place + 4], "little") > MOST_OF_INDEX:
        raise FileProblem("no zip file, or one of too many files")
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = [member for member in packed.infolist() if member.filename != "documents/"]
        for member in members:
            if not MEMBER.fullmatch(member.filename):
                raise FileProblem(f"{member.filename!r:.80} is no name in a bundle, nothing is unpacked")
            if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG) or member.compress_type not in PACKED:
                raise FileProblem(f"{member.filename} is no regular file, or packed in another way than by deflate")
        sizes = [member.file_size for member in members]
        if sum(sizes) > MOST_IN_ALL or max(sizes, default=0) > MOST_BYTES:
            raise FileProblem(f"unpacks to {sum(sizes)} bytes, or a file of too many")
        if len({member.filename for member in members}) < len(members):
            raise FileProblem("has a file twice")
        return {member.filename: packed.read(member) for member in members}


def _in_folder(folder: Path) -> dict[str, bytes]:
    names = [METADATA, *(f"documents/{name}" for name in sorted(os.listdir(folder / "documents")))]
    for name in ("documents", *names):
        if os.path.islink(folder / name):
            raise FileProblem(f"{name} is a link")
    if sum(os.path.getsize(folder / name) for name in names) > MOST_IN_ALL:
        raise FileProblem(f"has more than {MOST_IN_ALL} bytes")
    return {name: read_bytes(folder / name) for name in names}


def _checked(contents: dict[str, bytes]) -> dict[str, bytes]:
    """The documents, where each has the checksum of the metadata, and there are no others."""
    metadata = json.loads(contents.pop(METADATA, b""))
    graph = metadata.get("@graph") if isinstance(metadata, dict) else None
    sums = {str(entity["@id"]): entity.get("sha256") for entity in (graph if isinstance(graph, list) else ())
            if isinstance(entity, dict) and MEMBER.fullmatch(str(entity.get("@id"))) and entity["@id"] != METADATA}
    if not sums or sums.keys() != contents.keys():
        raise FileProblem(f"its documents are not those that {METADATA} lists")
    for name, content in contents.items():
        if hashlib.sha256(content).hexdigest() != sums[name]:
            raise FileProblem(f"{name} has not the checksum that {METADATA} has (changed, or damaged)")
    return contents
