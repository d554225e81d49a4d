"""Cuts a user's arrays into files, with bounded memory: arrays are mapped, and copied in parts."""

import os
from pathlib import Path
from typing import Iterator, Sequence

import numpy

from quartet.exit_codes import ScriptError
from quartet.files import reason_of, replacing
from quartet.own_data.layout import Layout, Piece
from quartet.text import counted

COPIED_AT_A_TIME = 2**26  # bytes


def opened(path: Path) -> numpy.ndarray:
    """The array of an .npy file, mapped."""
    if os.path.exists(path) and not os.path.isfile(path):  # a FIFO would be waited for
        raise ScriptError(f"cannot open {path} (not a regular file): check the path")
    try:
        array = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise ScriptError(f"cannot open {path} ({reason_of(error)}): check the path") from None
    except (ValueError, EOFError, SyntaxError) as error:
        raise ScriptError(f"{path} is no .npy file of numbers ({error}): save it with numpy.save") from None
    if not isinstance(array, numpy.memmap):
        raise ScriptError(f"{path} holds several arrays: save each with numpy.save")
    surplus = os.path.getsize(path) - array.offset - array.nbytes
    if surplus:
        raise ScriptError(f"{path} has {counted(surplus, 'byte')} behind its numbers (it is damaged, or of another "
                          "kind): save it with numpy.save")
    return array


def size_of(layout: Layout, paths: Sequence[Path], arrays: Sequence[numpy.ndarray]) -> int:
    """The edge or length that all the arrays have."""
    size = arrays[0].shape[0] if arrays[0].ndim else 0
    for (name, dimensions), path, array in zip(layout.arrays, paths, arrays):
        wanted = (size,) * dimensions
        if array.shape != wanted or size == 0:
            kind = "a square matrix" if dimensions == 2 else "a vector"
            raise ScriptError(f"{path} cannot be {name} (shape {array.shape} where "
                              f"{wanted if size else 'some elements'} is expected): give {kind}")
    return size


def require_type(layout: Layout, path: Path, array: numpy.ndarray, converts: bool) -> None:
    wanted = numpy.dtype(layout.dtype)
    if array.dtype == wanted:
        return
    if array.dtype.kind not in "biuf" + wanted.kind:
        raise ScriptError(f"{path} cannot be used (dtype {array.dtype} is no number that "
                          f"{layout.dtype} can hold): convert it with numpy.ndarray.astype")
    if not converts:
        raise ScriptError(f"{path} cannot be used (dtype {array.dtype} where {layout.dtype} is "
                          "expected): add --convert")


def _in_parts(array: numpy.ndarray, item_size: int) -> Iterator[tuple[int, numpy.ndarray]]:
    """Some rows at a time, each with the first one's number."""
    rows = max(1, COPIED_AT_A_TIME // max(1, array[:1].size * item_size))
    return ((begin, array[begin:begin + rows]) for begin in range(0, len(array), rows))


def _first_index(wrong: numpy.ndarray, begin: int) -> tuple[int, ...]:
    """Where the first of the elements is that are true."""
    row, *others = map(int, numpy.argwhere(wrong)[0])
    return (begin + row, *others)


def require_finite(path: Path, array: numpy.ndarray) -> None:
    """The programs refuse other numbers."""
    for begin, part in _in_parts(array, array.itemsize):
        wrong = ~numpy.isfinite(part)
        if wrong.any():
            _refuse(path, array, _first_index(wrong, begin), array.dtype)


def _refuse(path: Path, array: numpy.ndarray, index: tuple[int, ...], dtype: numpy.dtype) -> None:
    number = array[index]
    why, what = (f"{dtype.name} has no such number", "scale the numbers") if numpy.isfinite(number) else (
        "the programs take finite numbers alone", "replace it")
    raise ScriptError(f"{path} has {number} at {list(index)} ({why}): {what}")


def write(path: Path, array: numpy.ndarray, piece: Piece, dtype: str, folder: Path) -> None:
    """Writes a piece of an array that comes from `path`. Raises ScriptError, also at what is, or becomes by
    conversion, no finite number."""
    cut = array[piece.part]
    header = {"descr": dtype, "fortran_order": False, "shape": piece.shape}
    with replacing(folder / piece.file) as aside, aside.open("wb") as file:
        numpy.lib.format.write_array_header_1_0(file, header)
        for begin, part in _in_parts(cut, numpy.dtype(dtype).itemsize):
            with numpy.errstate(over="ignore"):  # refused below
                copied = numpy.ascontiguousarray(part, dtype)
            wrong = ~numpy.isfinite(copied)
            if wrong.any():
                index = (range(length)[bounds][place] for length, bounds, place in zip(
                    array.shape, piece.part, _first_index(wrong, begin)))
                _refuse(path, array, tuple(index), copied.dtype)
            file.write(copied.data)
