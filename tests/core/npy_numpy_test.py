"""The NumPy side of npy_numpy_test.cpp.

    npy_numpy_test.py write FOLDER    writes every case with NumPy
    npy_numpy_test.py read FOLDER     checks every case that the suite has written there

A case is a dtype and a shape; its element k is k + 0.25, and k + 0.25 - 2k i where complex.
"""

import sys
from pathlib import Path

import numpy

DTYPES = ("<f4", "<f8", "<c16")
SHAPES = ((), (1,), (7,), (3, 4), (2, 3, 4), (0,), (5, 0, 2))
VERSIONS = ((1, 0), (2, 0))


def expected(dtype, shape):
    k = numpy.arange(int(numpy.prod(shape, dtype=int)), dtype="f8")
    values = k + 0.25
    if dtype == "<c16":
        values = values - 2j * k
    return values.astype(dtype).reshape(shape)


def file_name(dtype, shape, suffix):
    extents = "x".join(str(extent) for extent in shape)
    return f"{dtype[1:]}_{extents}_{suffix}.npy"


def write(folder):
    for dtype in DTYPES:
        for shape in SHAPES:
            for version in VERSIONS:
                path = folder / file_name(dtype, shape, f"v{version[0]}")
                with open(path, "wb") as file:
                    numpy.lib.format.write_array(file, expected(dtype, shape), version=version)
    numpy.save(folder / "fortran.npy", numpy.asfortranarray(expected("<f8", (3, 4))))
    numpy.save(folder / "big_endian.npy", expected("<f4", (3,)).astype(">f4"))
    numpy.save(folder / "integers.npy", numpy.arange(3, dtype="<i4"))
    numpy.save(folder / "structured.npy", numpy.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))


def read(folder):
    for dtype in DTYPES:
        for shape in SHAPES:
            path = folder / file_name(dtype, shape, "ours")
            found = numpy.load(path, allow_pickle=False)
            wanted = expected(dtype, shape)
            assert found.dtype == wanted.dtype, (path, found.dtype)
            assert found.shape == wanted.shape, (path, found.shape)
            assert found.flags.c_contiguous, path
            assert numpy.array_equal(found, wanted), path


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
