"""Tests of scripts/setup.sh on fake machines: a PATH of fake commands that record their calls."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from tree import SCRIPTS

SETUP = SCRIPTS / "setup.sh"
BASIC_TOOLS = ("sh", "dirname", "env", "mktemp", "rm", "cat", "tail")
COMMANDS = ("c++", "ninja", "mpicxx", "mpiexec", "clang-format", "slurmctld", "slurmd",
            "sbatch", "munged", "ip", "tc")
HEADERS = ("openblas_config.h", "fftw3.h", "fftw3-mpi.h", "fmt/format.h", "CLI/CLI.hpp", "nlohmann/json.hpp",
           "Random123/philox.h", "hwloc.h", "xxhash.h", "grpcpp/generic/generic_stub.h", "gtest/gtest.h", "gmock/gmock.h")
APT_OF_RUN = ("g++ cmake ninja-build libopenmpi-dev openmpi-bin python3 libopenblas-dev "
              "libfftw3-dev libfftw3-mpi-dev libscalapack-openmpi-dev libfmt-dev libcli11-dev nlohmann-json3-dev "
              "librandom123-dev libhwloc-dev libxxhash-dev libgrpc++-dev")


class Machine:
    """A fake machine with everything there; tests take away."""

    def __init__(self, folder):
        self.bin = Path(folder) / "bin"
        self.prefix = Path(folder) / "usr"
        self.calls_file = Path(folder) / "calls"
        self.calls_file.touch()
        self.environment = {}
        self.bin.mkdir()
        for tool in BASIC_TOOLS:
            found = next(path / tool for path in (Path("/usr/bin"), Path("/bin"))
                         if (path / tool).exists())
            (self.bin / tool).symlink_to(found)
        for command in COMMANDS:
            self.command(command, "exit 0")
        self.command("cmake", '[ "$1" = --version ] && echo "cmake version 3.25.1"')
        self.command("python3", "echo")  # no module is missing
        self.command("id", "echo 0")
        self.command("apt-get", "exit 0", recorded=True)
        self.file("share/benchmark/compare.py")
        self.file("share/modules/init/sh")
        for header in HEADERS:
            self.file(f"include/{header}")
        self.file("lib/libscalapack-openmpi.so")

    def command(self, name, body, recorded=False):
        record = f'echo "{name} $*" >>{self.calls_file}\n' if recorded else ""
        (self.bin / name).write_text(f"#!{self.bin}/sh\n{record}{body}\n")
        (self.bin / name).chmod(0o755)

    def file(self, path):
        (self.prefix / path).parent.mkdir(parents=True, exist_ok=True)
        (self.prefix / path).touch()

    def without(self, *paths):
        for path in paths:
            file = self.bin / path
            (file if file.exists() else self.prefix / path).unlink()
        return self

    def setup(self, *arguments, script=SETUP):
        self.environment.update(PATH=str(self.bin), QUARTET_PREFIXES=str(self.prefix),
                                TMPDIR=os.environ.get("TMPDIR", "/tmp"))
        return subprocess.run(["/bin/sh", script, *arguments], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def calls(self):
        return self.calls_file.read_text().splitlines()


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = Machine(folder.name)

    def installs_when_asked(self, files):
        """An apt-get whose installation brings `files`."""
        touches = "".join(f"  : >{self.machine.prefix}/{file}\n" for file in files)
        self.machine.command("apt-get", f'case "$*" in *install*)\n{touches};; esac', recorded=True)

    def test_silent_and_without_calls_when_nothing_is_missing(self):
        for group in ("run", "report", "test", "lint", "lab"):
            done = self.machine.setup(group)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.machine.calls(), [])

    def test_installs_exactly_what_is_missing(self):
        self.machine.without("include/fmt/format.h", "include/hwloc.h")
        self.installs_when_asked(["include/fmt/format.h", "include/hwloc.h"])
        done = self.machine.setup("run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout,
                         "setup: installing libfmt-dev\nsetup: installing libhwloc-dev\n")
        update, install = self.machine.calls()
        self.assertTrue(update.endswith(" update"), update)
        self.assertTrue(install.endswith(
            " install --no-install-recommends libfmt-dev libhwloc-dev"), install)

    def test_what_a_release_carries_is_not_missing(self):
        self.machine.without("include/fmt/format.h", "include/xxhash.h")
        with tempfile.TemporaryDirectory() as folder:
            setup = Path(folder, "scripts", "setup.sh")
            for file in (setup, Path(folder, "carried/include/fmt/format.h"), Path(folder, "carried/include/xxhash.h")):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
            setup.write_bytes(SETUP.read_bytes())
            done = self.machine.setup("run", script=setup)
        self.assertEqual((done.returncode, done.stdout + done.stderr, self.machine.calls()), (0, "", []))

    def test_groups_ask_for_their_own_needs_only(self):
        self.machine.without("include/gtest/gtest.h")
        self.machine.command("python3", 'case $2 in *ensurepip*) exit 1 ;; esac')
        self.assertEqual(self.machine.setup("run").returncode, 0)
        self.assertEqual(self.machine.calls(), [])
        self.machine.setup("test")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends libgtest-dev"))
        self.machine.setup("lint")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends libgtest-dev python3-venv"))

    def test_laboratory_asks_for_a_slurm_and_for_either_kind_of_modules(self):
        self.machine.without("slurmd", "tc", "share/modules/init/sh")
        self.machine.setup("lab")
        self.assertTrue(self.machine.calls()[-1].endswith(
            "-recommends slurmd iproute2 environment-modules"), self.machine.calls())
        self.machine.file("share/lmod/lmod/init/sh")
        self.machine.setup("lab")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends slurmd iproute2"))

    def test_a_virtual_environment_is_made_again_only_for_other_packages(self):
        folder = self.machine.prefix / "tools"
        self.machine.command("python3", f"""case $1 in -m)
mkdir -p {folder}/bin && printf '#!{self.machine.bin}/sh\necho "pip $*" >>{self.machine.calls_file}\n' >{folder}/bin/pip
chmod +x {folder}/bin/pip;; esac""", recorded=False)
        for tool in ("mkdir", "chmod"):
            (self.machine.bin / tool).symlink_to(f"/bin/{tool}")
        for packages, pips in (("a==1", 1), ("a==1", 1), ("a==2", 2)):
            self.assertEqual(self.machine.setup("venv", str(folder), packages).returncode, 0)
            self.assertEqual(len(self.machine.calls()), pips)
        self.assertTrue(self.machine.calls()[-1].endswith(" a==2"))
    def test_tensorflow_has_an_environment_of_its_own_and_only_when_asked_for(self):
        folder = self.machine.prefix / "tensorflow"
        self.machine.environment["QUARTET_TENSORFLOW"] = str(folder)
        self.machine.command("python3", "exit 0", recorded=True)
        for group in ("run", "lint"):
            self.machine.setup(group)
        self.assertFalse([call for call in self.machine.calls() if str(folder) in call])
        self.machine.file("tensorflow/bin/pip")
        self.machine.command("../usr/tensorflow/bin/pip", "exit 0", recorded=True)
        first, second = self.machine.setup("tensorflow"), self.machine.setup("tensorflow")
        self.assertEqual((first.returncode, second.returncode, second.stdout), (0, 0, ""))
        self.assertIn("1.5 GB", first.stdout)
        installed, = [call for call in self.machine.calls() if "pip install" in call]
        self.assertRegex(installed, " tensorflow-cpu==[0-9.]+$")

    def test_mkl_comes_alone_once_and_only_when_asked_for(self):
        self.machine.command("python3", "exit 0", recorded=True)
        setup = self.machine.prefix / "scripts" / "setup.sh"
        setup.parent.mkdir()
        setup.write_bytes(SETUP.read_bytes())
        self.machine.file("build/mkl/bin/pip")
        self.machine.command("../usr/build/mkl/bin/pip", "exit 0", recorded=True)
        for group in ("run", "blis"):
            self.machine.setup(group, script=setup)
        self.assertFalse([call for call in self.machine.calls() if "pip" in call])
        first, second = self.machine.setup("mkl", script=setup), self.machine.setup("mkl", script=setup)
        self.assertEqual((first.returncode, second.returncode, second.stdout), (0, 0, ""))
        self.assertIn("0.7 GB", first.stdout)
        installed, = [call for call in self.machine.calls() if "pip install" in call]
        self.assertRegex(installed, r" --no-deps mkl==([0-9.]+) mkl-include==\1$")

    def test_another_mpi_is_installed_only_when_asked_for(self):
        for group in ("run", "test", "lint"):
            self.assertEqual(self.machine.setup(group).returncode, 0)
        self.assertEqual(self.machine.calls(), [])
        self.machine.setup("mpich")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends libmpich-dev mpich libscalapack-mpich-dev"))

    def test_another_blas_is_installed_only_when_asked_for(self):
        self.assertEqual(self.machine.setup("run").returncode, 0)
        self.assertEqual(self.machine.calls(), [])
        self.machine.setup("blis")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends libblis-openmp-dev"))

    def test_python_modules_are_asked_of_python(self):
        self.machine.command("python3", "echo scipy")
        self.machine.setup("test")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends python3-scipy"))

    def test_report_asks_for_matplotlib_alone(self):
        self.machine.command("python3", 'case "$3" in *matplotlib*) echo matplotlib ;; esac')
        self.machine.without("include/fmt/format.h", "cmake")
        self.machine.setup("report")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends python3-matplotlib"))

    def test_tests_ask_for_matplotlib_too(self):
        self.machine.command("python3", 'echo "$3"')  # all are missing
        self.machine.setup("test")
        self.assertTrue(self.machine.calls()[-1].endswith(
            "python3-numpy python3-scipy python3-jsonschema python3-pytest python3-pytest-xdist python3-pandas python3-matplotlib"),
            self.machine.calls()[-1])

    def test_one_python_with_all_modules_is_enough(self):
        self.machine.command("python3", "echo numpy scipy")
        self.machine.file("bin/python3")
        system_python = self.machine.prefix / "bin" / "python3"
        system_python.write_text(f"#!{self.machine.bin}/sh\necho\n")
        system_python.chmod(0o755)
        self.assertEqual(self.machine.setup("test").returncode, 0)
        self.assertEqual(self.machine.calls(), [])

    def test_modules_of_another_python_are_installed_for_the_systems(self):
        self.machine.command("python3", "echo scipy")
        self.machine.file("bin/python3")
        system_python = self.machine.prefix / "bin" / "python3"
        system_python.write_text(f"#!{self.machine.bin}/sh\necho jsonschema\n")
        system_python.chmod(0o755)
        self.machine.setup("test")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends python3-jsonschema"))

    def test_the_reference_blas_is_not_enough(self):
        self.machine.without("include/openblas_config.h").file("include/cblas.h")
        self.machine.setup("run")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends libopenblas-dev"))

    def test_mpi_compiler_without_its_header_is_missing(self):
        self.machine.command("mpicxx", "exit 1")
        self.machine.setup("run")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends libopenmpi-dev"))

    def test_libraries_of_modules_and_spack_count(self):
        self.machine.without("include/fmt/format.h", "include/hwloc.h")
        elsewhere = self.machine.prefix.parent / "spack"
        for file in ("view/include/fmt/format.h", "hwloc/hwloc.h"):
            (elsewhere / file).parent.mkdir(parents=True)
            (elsewhere / file).touch()
        self.machine.environment = {"CMAKE_PREFIX_PATH": f"/nowhere:{elsewhere}/view",
                                    "CPATH": f"{elsewhere}/hwloc"}
        self.assertEqual(self.machine.setup("run").returncode, 0)
        self.assertEqual(self.machine.calls(), [])

    def assert_names_what_is_missing(self, done, why):
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.splitlines(), [
            "setup: missing: Ninja, {fmt}",
            f"setup: cannot install it here ({why}). Load your site's modules for it, or have it "
            "installed:",
            "  apt-get install --no-install-recommends ninja-build libfmt-dev",
            "  dnf install ninja-build fmt-devel",
            "  spack install ninja fmt"])

    def test_without_apt_names_what_is_missing(self):
        self.machine.without("apt-get", "ninja", "include/fmt/format.h")
        self.assert_names_what_is_missing(self.machine.setup("run"), "no apt-get")

    def test_without_root_and_sudo_names_what_is_missing(self):
        self.machine.without("ninja", "include/fmt/format.h")
        self.machine.command("id", "echo 1000")
        self.assert_names_what_is_missing(self.machine.setup("run"), "neither root nor sudo")
        self.assertEqual(self.machine.calls(), [])

    def test_sudo_that_wants_a_password_is_not_asked(self):
        self.machine.without("ninja", "include/fmt/format.h")
        self.machine.command("id", "echo 1000")
        self.machine.command("sudo", "exit 1")
        self.assert_names_what_is_missing(self.machine.setup("run"), "sudo wants a password")

    def test_uses_sudo_where_not_root(self):
        self.machine.without("include/hwloc.h")
        self.installs_when_asked(["include/hwloc.h"])
        self.machine.command("id", "echo 1000")
        self.machine.command("sudo", '[ "$1" = -n ] && shift; [ "$1" = true ] || "$@"',
                             recorded=True)
        self.assertEqual(self.machine.setup("run").returncode, 0)
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get", self.machine.calls()[-2])

    def test_cmake_judges_libraries_where_nothing_can_be_installed(self):
        self.machine.without("apt-get", "include/fmt/format.h")
        self.assertEqual(self.machine.setup("run").returncode, 2)
        self.machine.command("cmake", '[ "$1" = --version ] && echo "cmake version 3.31.0"; exit 0')
        done = self.machine.setup("run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_failed_installation_is_said(self):
        self.machine.without("include/hwloc.h")
        self.machine.command("apt-get", "echo 'E: no such package'; exit 100")
        done = self.machine.setup("run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("E: no such package", done.stderr)
        self.assertIn("apt-get install failed", done.stderr)

    def test_installation_that_brings_nothing_is_said(self):
        self.machine.without("include/hwloc.h")
        done = self.machine.setup("run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not found after its installation", done.stderr)

    def test_old_cmake_is_refused(self):
        self.machine.command("cmake", "echo 'cmake version 3.22.1'")
        done = self.machine.setup("run")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"CMake 3\.22\.1 at .* is too old \(3\.25 is needed\)")
        for version in ("3.25.0-rc1", "3.31.6", "4.0.2"):
            self.machine.command("cmake", f"echo 'cmake version {version}'")
            self.assertEqual(self.machine.setup("run").returncode, 0, version)

    def test_bare_machine_lists_every_need(self):
        self.machine.without(*COMMANDS, "cmake", "python3", *(f"include/{h}" for h in HEADERS),
                             "lib/libscalapack-openmpi.so")
        self.machine.setup("run")
        self.assertTrue(self.machine.calls()[-1].endswith("-recommends " + APT_OF_RUN))

    def test_unknown_group_is_refused(self):
        done = self.machine.setup("all")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
