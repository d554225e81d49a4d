"""Tests of quartet check-machine and scripts/python/quartet/check_machine.py."""

import json
import unittest

import fake_results
from fake_build import FakeBuild, Scratch
from in_process import quartet
from quartet import check_machine
from quartet.check_machine import Finding, Level, level_of
from quartet.launch import LocalLauncher
from quartet.machine import Machine
from quartet.terminal import Style


class FakeSystem(Scratch):
    """A folder with proc/ and sys/ of a machine of four processors."""

    def setUp(self):
        super().setUp()
        self.write("sys/devices/system/cpu/online", "0-3")
        self.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never")
        self.write("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n")
        self.ticks()

    def ticks(self, busy=0, idle=0, stolen=0, swapped=0):
        """Since the start, of processors 0 and 1; the others are always busy."""
        line = f"{busy} 0 0 {idle} 0 0 0 {stolen} 0 0\n"
        self.write("proc/stat", f"cpu  9 9 9 9\ncpu0 {line}cpu1 {line}cpu2 {10**9} 0 0 0 0 0 0 0\n")
        self.write("proc/vmstat", f"nr_free 5\npswpin {swapped}\npswpout 0\n")

    def meanwhile(self, **ticks):
        self.ticks()
        found = check_machine.watch_others(1, self.folder, {0, 1}, lambda _: self.ticks(**ticks))
        return {finding.what: finding for finding in found}

    def settings(self):
        return {finding.what: finding for finding in check_machine.settings(self.folder, {0, 1, 2, 3})}


class Meanwhile(FakeSystem):
    def levels(self, **ticks):
        return {what: finding.level for what, finding in self.meanwhile(**ticks).items()}

    def test_a_quiet_machine_is_ok(self):
        self.assertEqual(set(self.levels(busy=2, idle=98).values()), {Level.OK})

    def test_the_load_of_others_is_in_processors(self):
        found = self.meanwhile(busy=50, idle=50)["load of others"]
        self.assertEqual((found.level, found.text), (Level.BAD, "1.00 of 2 processors busy"))
        self.assertEqual(self.levels(busy=10, idle=90)["load of others"], Level.LOOK)

    def test_steal_and_swap_are_seen(self):
        self.assertEqual(self.levels(idle=98, stolen=2)["steal"], Level.LOOK)
        self.assertEqual(self.levels(idle=90, stolen=10)["steal"], Level.BAD)
        self.assertEqual(self.levels(idle=100, swapped=7)["swap"], Level.BAD)


class Settings(FakeSystem):
    def test_a_plain_machine_is_ok(self):
        self.assertEqual({finding.level for finding in self.settings().values()}, {Level.OK})

    def test_each_setting_that_matters_is_seen(self):
        for what, file, text, level in (
                ("governor", "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave", Level.LOOK),
                ("quota", "sys/fs/cgroup/cpu.max", "150000 100000", Level.BAD),
                ("quota", "sys/fs/cgroup/cpu.max", "200000 100000", Level.LOOK),
                ("quota", "sys/fs/cgroup/cpu.max", "400000 100000", Level.OK),
                ("binding", "sys/devices/system/cpu/online", "0-7", Level.LOOK),
                ("huge pages", "sys/kernel/mm/transparent_hugepage/enabled", "always [never]", Level.LOOK),
                ("memory", "proc/meminfo", "MemTotal: 100 kB\nMemAvailable: 10 kB\n", Level.LOOK)):
            with self.subTest(what, text=text):
                self.setUp()
                self.write("proc/self/cgroup", "0::/\n")
                self.write(file, text)
                found = self.settings()[what]
                self.assertEqual(found.level, level)
                self.assertTrue(found.remedy or level is Level.OK)


class Launches(FakeBuild):
    def look(self, probes, loops, code=0):
        """At a program that leaves a document with these probes of its limit and core loops."""
        seconds = sorted(probes)[len(probes) // 2]
        rows = fake_results.case(fake_results.stream_name(), 10000, repetitions=len(loops), limit={
            "what": "local add", "seconds": seconds, "rate": 12500, "probes": probes})
        for row, loop in zip(rows, loops):
            row["core_loop_seconds"] = loop
        (self.folder / "made.json").write_text(json.dumps(fake_results.document(rows)))
        self.write("bin/stream", '#!/bin/sh\nwhile [ "$1" != --json ]; do shift; done\n'
                   f'[ {code} != 0 ] || cp {self.folder}/made.json "$2"\nexit {code}\n')
        return check_machine.run_probes(self.folder / "bin", LocalLauncher(self.folder / "launcher"), Machine(2, 1 << 34))

    def test_steady_rates_are_ok(self):
        found, has_failed = self.look([1.0, 1.01, 1.02], [4e-5] * 3)
        self.assertFalse(has_failed)
        self.assertEqual([finding.level for finding in found], [Level.OK] * 2)
        self.assertIn("12377 to 12625 MiB/s in 3 probes", found[0].text)

    def test_a_rate_that_moves_is_seen(self):
        for probes, loops, levels in (([1.0, 1.0, 1.2], [4e-5] * 3, [Level.LOOK, Level.OK]),
                                      ([1.0, 1.0, 2.0], [4e-5] * 3, [Level.BAD, Level.OK]),
                                      ([1.0], [4e-5] * 3, [Level.LOOK, Level.OK]),  # one shows no spread
                                      ([1.0] * 3, [4e-5], [Level.OK, Level.LOOK]),
                                      ([1.0] * 3, [4e-5, 4e-5, 8e-5], [Level.OK, Level.BAD])):
            found = self.look(probes, loops)[0]
            self.assertEqual([finding.level for finding in found], levels)
            single = ["a single value shows no spread" in finding.remedy for finding in found]
            self.assertEqual(single, [len(values) == 1 for values in (probes, loops)])

    def test_a_launch_that_fails_is_bad_and_one_without_time_says_so(self):
        found, has_failed = self.look([1.0], [4e-5], code=3)
        self.assertEqual(([finding.level for finding in found], has_failed), ([Level.BAD], True))
        self.assertIn("no run ended", found[0].text)
        self.write("bin/stream", "#!/bin/sh\ntrap 'exit 75' TERM\nwhile :; do sleep 0.05; done\n")
        found, has_failed = check_machine.run_probes(self.folder / "bin", LocalLauncher(self.folder / "launcher"),
                                               Machine(2, 1 << 34), budget=2.5)
        self.assertEqual(([finding.level for finding in found], has_failed), ([Level.BAD], False))
        self.assertIn("something else takes the machine's time", found[0].remedy)


class Lines(unittest.TestCase):
    def test_the_remedy_stands_where_it_is_needed_and_lines_fit_a_terminal(self):
        for level, words in ((Level.OK, "ok    swap  0 pages moved"),
                             (Level.BAD, "bad   swap  0 pages moved: free memory")):
            self.assertEqual(Finding("swap", level, "0 pages moved", "free memory").lines(Style()), [words])
        lines = Finding("quota", Level.LOOK, "word " * 30, "do this").lines(Style(True), 14)
        self.assertLessEqual(max(map(len, lines[1:])), 80)
        self.assertTrue(lines[0].startswith("\033[33mlook\033[0m"))
        self.assertEqual([level_of(value, 1, 2) for value in (0.9, 1, 2)], [Level.OK, Level.LOOK, Level.BAD])


class CommandLine(unittest.TestCase):
    def test_ends_with_a_verdict_and_with_0_however_fit_the_machine_is(self):
        done = quartet("check-machine", "--quick", "--seconds", "0.2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout.splitlines()[-1], r"^(Not fit|Fit )")
        self.assertIn("huge pages", done.stdout)
