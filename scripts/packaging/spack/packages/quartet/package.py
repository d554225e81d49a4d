# Spack: spack repo add scripts/packaging/spack, then spack install quartet. The sources are this clone's
# branch main. Spack itself has not read it yet.
import os

from spack.package import *

CLONE = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 5))


class Quartet(CMakePackage):
    """Four HPC kernels over MPI (stream, matmul, cg, fft), each beside the limit that the same machine
    has in the same job."""

    homepage = "https://arxiv.org/abs/1903.04364"
    license("BSD-3-Clause")

    git = f"file://{CLONE}"
    version("main", branch="main")

    variant("scalapack", default=True, description="Have ScaLAPACK to compare with")
    variant("grpc", default=False, description="Build transport grpc")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type="run")
    depends_on("mpi")
    depends_on("openblas threads=pthreads")
    depends_on("fftw@3: +mpi")
    depends_on("hwloc@2:")
    depends_on("fmt@8:")
    depends_on("cli11@2:", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("random123", type="build")
    depends_on("xxhash", type="build")
    depends_on("scalapack", when="+scalapack")
    depends_on("grpc", when="+grpc")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("QUARTET_GRPC", "ON" if self.spec.satisfies("+grpc") else "OFF"),
            self.define("QUARTET_CUDA", "OFF"),
            self.define("QUARTET_TESTS", False),
        ]
