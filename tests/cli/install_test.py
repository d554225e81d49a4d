"""What `cmake --install` puts into a folder works from there, and from where the folder is moved: programs, commands,
man pages, completions for bash and the module file."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from fake_build import Scratch, temporary_folder
from quartet_cli import KERNELS, run
from tree import ROOT

BUILD = os.environ["QUARTET_BUILD"]
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
# Sources scripts and prints what the last offers for the words of a command line, the last unfinished.
OFFER = """
source "$1"; source "$2"; shift 2
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
completion=$(complete -p "$1"); completion=${completion#*-F }
"${completion%% *}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# The module commands that are there.
MODULES = [init for init in ("/usr/share/modules/init/sh", "/usr/share/lmod/lmod/init/sh") if Path(init).exists()]
WITHOUT_HELP = {"launch", "start"}  # their words are for the program


class Installed(unittest.TestCase):
    """In a prefix that was moved."""

    @classmethod
    def setUpClass(cls):
        first = temporary_folder(cls.addClassCleanup) / "first"
        done = subprocess.run(["cmake", "--install", BUILD, "--prefix", first],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        cls.said = done.stdout.splitlines()
        cls.prefix = first.with_name("moved")
        shutil.move(first, cls.prefix)
        for file in (cls.prefix / "share/quartet/published").glob("*.json"):
            cls.mark(file)
        cls.folder = first.with_name("elsewhere")
        cls.folder.mkdir()

    @classmethod
    def mark(cls, file):
        """Tells the installed copy from the source tree's."""
        document = json.loads(file.read_text(encoding="utf-8"))
        document["source"]["short"] = "Installed"
        file.write_text(json.dumps(document), encoding="utf-8")

    def quartet(self, *words, code=0):
        """What `quartet WORDS` prints, where no program is on PATH."""
        done = subprocess.run([self.prefix / "bin/quartet", *words], text=True, capture_output=True,
                              check=False, cwd=self.folder, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done)
        return done.stdout + done.stderr

    def test_installing_says_where_to_begin_and_not_each_file(self):
        self.assertLess(len(self.said), 10, self.said)
        self.assertTrue(self.said[-1].endswith("first/bin/quartet --help"), self.said)

    def test_programs_run(self):
        self.assertTrue((self.prefix / "share/quartet/schema/quartet-results.schema.json").exists())
        self.assertTrue((self.prefix / "share/quartet/scripts/packaging/reframe/checks.py").exists())
        for kernel in KERNELS:
            outcome = run(self.prefix / "bin" / kernel.name, 2, kernel.small, "--runs 1")
            self.assertEqual(outcome.code, 0, outcome)

    def test_nothing_names_the_folder_that_it_was_installed_to(self):
        for file in self.prefix.rglob("*"):
            if file.is_file() and not file.is_symlink() and file.parent.name != "bin":
                content = file.read_bytes()
                for path in (f"{self.prefix.parent}/first", BUILD, f"{ROOT}/"):
                    self.assertNotIn(path.encode(), content, file)

    def test_each_command_that_is_listed_answers_by_its_own_name(self):
        commands = re.findall(r"^  ([a-z-]+) ", self.quartet("help"), re.MULTILINE)
        self.assertLess({"run", "sweep", "compare", "report", "submit", "launch"}, set(commands))
        for command in set(commands) - WITHOUT_HELP:
            self.assertIn(f"usage: quartet {command} ", self.quartet(command, "--help"))
        for command in WITHOUT_HELP:
            self.assertIn(f"{command}.sh: ", self.quartet(command, code=2))
        for command in ("build", "setup", "release", "gpu", "nothing", "Run", "../run", "quartet", "limits", "slurm/start"):
            self.assertIn("no command is called", self.quartet(command, code=2))
        self.assertRegex(self.quartet("--version"), r"^quartet \d+\.\d+\.\d+\n$")

    def test_programs_need_no_path_and_results_stay_in_the_folder(self):
        self.quartet("launch", "2", "cg", *"--size 64 --runs 2 --threads 1 --json one.json".split())
        self.assertIn("\n1 row verified.", self.quartet("table", "one.json"))
        self.quartet("sweep", *"--kernels cg --sizes 64 --ranks 1 --threads 1".split(), "--arguments",
                     "--runs 1 --iterations 3")
        self.assertTrue(any((self.folder / "quartet-results/runs").glob("*/*-launch1.json")))
        self.quartet("report")
        self.assertIn("Installed", (self.folder / "quartet-results/report/index.html").read_text(encoding="utf-8"))

    def test_sweeps_and_machines_are_found_by_their_names(self):
        self.assertIn("launch 1", self.quartet("sweep", "laptop-cg", "--dry-run"))
        self.assertIn("ranks", self.quartet("predict", "h100-example", "cg", "--sizes", "65536", "--ranks", "1:4"))
        self.assertIn("nowhere: cannot be read", self.quartet("sweep", "nowhere", "--dry-run", code=2))

    def test_jobs_find_the_installed_scripts_and_programs(self):
        command = self.quartet("submit", "fat-tree-cpu-example", "--ranks", "2", "--dry-run", "cg",
                               "--device", "host").split()
        root = next(word.partition("=")[2] for word in command if word.startswith("--root="))
        self.assertTrue(Path(root, "scripts/slurm/batch.sh").samefile(
            self.prefix / "share/quartet/scripts/slurm/batch.sh"))
        self.assertTrue(os.access(Path(root, "scripts/slurm/batch.sh"), os.X_OK))
        self.assertIn(str(self.prefix / "bin/cg"), command)

    @unittest.skipUnless(shutil.which("help2man") and shutil.which("groff"), "there is no help2man or no groff")
    def test_manual_pages_render_what_the_help_says(self):
        for name, word in (("quartet", "check-machine"), *((kernel.name, "--formulation") for kernel in KERNELS)):
            page = self.prefix / f"share/man/man1/{name}.1"
            done = subprocess.run(["groff", "-man", "-Tascii", "-P-c", page], text=True, capture_output=True, check=True)
            self.assertIn(word, re.sub(".\x08", "", done.stdout))  # bold and underlined letters are struck twice

    @unittest.skipUnless(BASH_COMPLETION.exists() and importlib.util.find_spec("argcomplete"),
                         "there is no bash-completion or no argcomplete")
    def test_completions_offer_flags_and_commands(self):
        for words, offered in ((("cg", "--formu"), ["--formulation"]), (("quartet", "swe"), ["sweep"]),
                               (("quartet", "sweep", "--laun"), ["--launcher", "--launches"])):
            environment = {**os.environ, "PATH": f"{self.prefix}/bin:{os.environ['PATH']}",
                           "QUARTET_PYTHON": sys.executable}
            script = self.prefix / "share/bash-completion/completions" / words[0]
            done = subprocess.run(["bash", "-c", OFFER, "-", BASH_COMPLETION, script, *words], text=True,
                                  capture_output=True, check=True, cwd=self.prefix, env=environment)
            self.assertEqual(sorted(word.rstrip("=") for word in done.stdout.split()), offered)

    @unittest.skipUnless(MODULES, "there is no module command")
    def test_programs_are_on_the_path_once_the_module_is_loaded(self):
        for init in MODULES:
            load = f". {init} && module use {self.prefix}/share/modulefiles && module load quartet"
            done = subprocess.run(["sh", "-c", f"{load} && command -v matmul && module unload quartet; command -v matmul"],
                                  text=True, capture_output=True, check=False)
            self.assertEqual(Path(done.stdout.split()[0]).resolve(), (self.prefix / "bin/matmul").resolve(), done)
            self.assertEqual(done.stdout.count(str(self.prefix)), 1, done)


def build_site(folder, step, *more, **environment):
    """Installs what tests/cli/site makes."""
    for command in (["cmake", "-S", ROOT / "tests/cli/site", "-B", folder / step, f"-DQUARTET_SOURCES={ROOT}",
                     f"-DSTEP={step}", f"-DCMAKE_INSTALL_PREFIX={folder}/{step}-prefix", *more],
                    ["cmake", "--build", folder / step, "--target", "install"]):
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env={**os.environ, **environment})
    return folder / f"{step}-prefix"


class Sites(Scratch):
    """A library where no loader looks, and a build with modules loaded."""

    def test_installed_programs_start_without_LD_LIBRARY_PATH(self):
        odd = build_site(self.folder, "library")
        program = build_site(self.folder, "program", f"-DCMAKE_PREFIX_PATH={odd}") / "bin/program"
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        self.assertEqual(subprocess.run([program], env=environment, check=False).returncode, 7)
        script = Path(BUILD, "cg/cmake_install.cmake").read_text(encoding="utf-8")
        linked = subprocess.run(["readelf", "-d", f"{BUILD}/bin/cg"], text=True, capture_output=True, check=True)
        outside = re.search(r"\[([^:\]]+)", next(iter(re.findall("runpath.*", linked.stdout)), ""))
        if outside:
            self.assertIn(outside[1], re.search('NEW_RPATH "([^"]*)"', script)[1])

    @unittest.skipUnless(MODULES, "there is no module command")
    def test_modules_of_the_build_are_loaded_but_for_its_tools(self):
        for name in ("somempi/4.1", "someblas/0.3", "cmake/3.25"):
            (self.folder / "modules" / name).parent.mkdir(parents=True)
            (self.folder / "modules" / name).write_text(f"#%Module1.0\nappend-path LOADED {name}\n", encoding="utf-8")
        prefix = build_site(self.folder, "module", LOADEDMODULES="somempi/4.1:cmake/3.25:someblas/0.3")
        for init in MODULES:
            done = subprocess.run(
                ["sh", "-c", f". {init} && module use {self.folder}/modules {prefix}/share/modulefiles && "
                 "module load someblas quartet && echo $LOADED"], text=True, capture_output=True, check=True)
            self.assertEqual(sorted(done.stdout.strip().split(":")), ["someblas/0.3", "somempi/4.1"], done)


if __name__ == "__main__":
    unittest.main(verbosity=2)
