"""Tests of scripts/setup.sh on fake machines: a PATH of fake commands that record their calls."""

import os
import subprocess
from pathlib import Path

from fake_build import Scratch
from tree import SCRIPTS

SETUP = SCRIPTS / "setup.sh"
BASIC_TOOLS = ("sh", "dirname", "env", "mktemp", "rm", "cat", "tail")
COMMANDS = ("c++", "ninja", "mpicxx", "mpiexec", "clang-format", "slurmctld", "slurmd", "sbatch", "munged", "ip", "tc")
HEADERS = ("openblas_config.h", "fftw3.h", "fftw3-mpi.h", "fmt/format.h", "CLI/CLI.hpp", "nlohmann/json.hpp",
           "Random123/philox.h", "hwloc.h", "xxhash.h", "grpcpp/generic/generic_stub.h", "gtest/gtest.h", "gmock/gmock.h")
APT_OF_RUN = ("g++ cmake ninja-build libopenmpi-dev openmpi-bin python3 libopenblas-dev "
              "libfftw3-dev libfftw3-mpi-dev libscalapack-openmpi-dev libfmt-dev libcli11-dev nlohmann-json3-dev "
              "librandom123-dev libhwloc-dev libxxhash-dev libgrpc++-dev")


class Machine:
    """A fake machine with everything there; tests take away."""

    def __init__(self, folder):
        self.bin, self.prefix, self.calls_file = (folder / name for name in ("bin", "usr", "calls"))
        self.calls_file.touch()
        self.environment = {}
        self.bin.mkdir()
        for tool in BASIC_TOOLS:
            found = next(path / tool for path in (Path("/usr/bin"), Path("/bin")) if (path / tool).exists())
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

    def asked_for(self, *arguments):
        """The packages of the last installation."""
        self.setup(*arguments)
        return self.calls()[-1].partition("--no-install-recommends ")[2] if self.calls() else ""

    def calls(self):
        return self.calls_file.read_text().splitlines()


class Setup(Scratch):
    def setUp(self):
        super().setUp()
        self.machine = Machine(self.folder)

    def installs_when_asked(self, files):
        """An apt-get whose installation brings `files`."""
        touches = "".join(f"  : >{self.machine.prefix}/{file}\n" for file in files)
        self.machine.command("apt-get", f'case "$*" in *install*)\n{touches};; esac', recorded=True)

    def test_silent_and_without_calls_when_nothing_is_missing(self):
        for group in ("run", "report", "test", "lint", "lab"):
            done = self.machine.setup(group)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.machine.calls(), [])

    def test_installs_exactly_what_is_missing_as_root_or_by_sudo(self):
        missing = ["include/fmt/format.h", "include/hwloc.h"]
        self.installs_when_asked(missing)
        self.machine.command("sudo", '[ "$1" = -n ] && shift; [ "$1" = true ] || "$@"', recorded=True)
        for user, first in ((0, "apt-get"), (1000, "sudo env DEBIAN_FRONTEND=noninteractive apt-get")):
            self.machine.without(*missing)
            self.machine.command("id", f"echo {user}")
            done = self.machine.setup("run")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, "setup: installing libfmt-dev\nsetup: installing libhwloc-dev\n")
            update, install = [call for call in self.machine.calls() if call.startswith(first)][-2:]
            self.assertTrue(update.endswith(" update"), update)
            self.assertTrue(install.endswith(" --no-install-recommends libfmt-dev libhwloc-dev"), install)

    def test_groups_ask_for_their_own_needs_only(self):
        for missing, group, packages in (("include/gtest/gtest.h", "test", "libgtest-dev"),
                                         ("slurmd", "lab", "slurmd"), (None, "blis", "libblis-openmp-dev"),
                                         (None, "mpich", "libmpich-dev mpich libscalapack-mpich-dev")):
            if missing:
                self.machine.without(missing)
            self.assertEqual(self.machine.setup("run").returncode, 0)
            self.assertEqual([call for call in self.machine.calls() if packages in call], [])
            self.assertIn(packages, self.machine.asked_for(group))
        self.machine.without("share/modules/init/sh")
        self.assertIn("environment-modules", self.machine.asked_for("lab"))
        self.machine.file("share/lmod/lmod/init/sh")
        self.assertNotIn("environment-modules", self.machine.asked_for("lab"))

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

    def test_tensorflow_and_mkl_have_environments_of_their_own(self):
        setup = self.machine.prefix / "scripts" / "setup.sh"
        setup.parent.mkdir()
        setup.write_bytes(SETUP.read_bytes())
        self.machine.command("python3", "exit 0", recorded=True)
        for group, size, packages in (("tensorflow", "1.5 GB", " tensorflow-cpu==[0-9.]+$"),
                                      ("mkl", "0.7 GB", r" --no-deps mkl==([0-9.]+) mkl-include==\1$")):
            self.machine.file(f"build/{group}/bin/pip")
            self.machine.command(f"../usr/build/{group}/bin/pip", "exit 0", recorded=True)
            first, second = self.machine.setup(group, script=setup), self.machine.setup(group, script=setup)
            self.assertEqual((first.returncode, second.returncode, second.stdout), (0, 0, ""))
            self.assertIn(size, first.stdout)
            self.assertRegex([call for call in self.machine.calls() if "pip install" in call][-1], packages)

    def test_python_modules_are_asked_of_any_python_and_installed_for_the_systems(self):
        self.machine.file("bin/python3")
        system_python = self.machine.prefix / "bin" / "python3"
        for own, systems, packages in (("echo numpy scipy", "echo jsonschema", "python3-jsonschema"),
                                       ("echo", "echo jsonschema", None), ("echo numpy scipy", "echo", None)):
            self.machine.calls_file.write_text("")
            self.machine.command("python3", own)
            system_python.write_text(f"#!{self.machine.bin}/sh\n{systems}\n")
            system_python.chmod(0o755)
            self.assertEqual(self.machine.asked_for("test"), packages or "")
        system_python.unlink()
        self.machine.command("python3", 'case "$3" in *matplotlib*) echo matplotlib ;; esac')
        self.assertEqual(self.machine.asked_for("report"), "python3-matplotlib")

    def test_libraries_of_modules_and_spack_count(self):
        self.machine.without("include/fmt/format.h", "include/hwloc.h")
        elsewhere = self.machine.prefix.parent / "spack"
        for file in ("view/include/fmt/format.h", "hwloc/hwloc.h"):
            (elsewhere / file).parent.mkdir(parents=True)
            (elsewhere / file).touch()
        self.machine.environment = {"CMAKE_PREFIX_PATH": f"{elsewhere}/absent:{elsewhere}/view", "CPATH": f"{elsewhere}/hwloc"}
        self.assertEqual(self.machine.setup("run").returncode, 0)
        self.assertEqual(self.machine.calls(), [])

    def test_where_nothing_can_be_installed_it_names_what_is_missing(self):
        self.machine.without("ninja", "include/fmt/format.h")
        self.machine.command("id", "echo 1000")
        for change, why in ((lambda: None, "neither root nor sudo"),
                            (lambda: self.machine.command("sudo", "exit 1"), "sudo wants a password"),
                            (lambda: self.machine.without("apt-get"), "no apt-get")):
            change()
            done = self.machine.setup("run")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.splitlines(), [
                "setup: missing: Ninja, {fmt}",
                f"setup: cannot install it here ({why}). Load your site's modules for it, or have it installed:",
                "  apt-get install --no-install-recommends ninja-build libfmt-dev",
                "  dnf install ninja-build fmt-devel",
                "  spack install ninja fmt"])

    def test_installation_that_fails_or_brings_nothing_is_said(self):
        self.machine.without("include/hwloc.h")
        done = self.machine.setup("run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not found after its installation", done.stderr)
        self.machine.command("apt-get", "echo 'E: no such package'; exit 100")
        done = self.machine.setup("run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("E: no such package", done.stderr)
        self.assertIn("apt-get install failed", done.stderr)

    def test_old_cmake_is_refused(self):
        for version, code in (("3.22.1", 2), ("3.25.0-rc1", 0), ("3.31.6", 0), ("4.0.2", 0)):
            self.machine.command("cmake", f"echo 'cmake version {version}'")
            self.assertEqual(self.machine.setup("run").returncode, code, version)

    def test_bare_machine_lists_every_need_and_unknown_groups_are_refused(self):
        self.machine.without(*COMMANDS, "cmake", "python3", *(f"include/{h}" for h in HEADERS),
                             "lib/libscalapack-openmpi.so")
        self.assertEqual(self.machine.asked_for("run"), APT_OF_RUN)
        done = self.machine.setup("all")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
