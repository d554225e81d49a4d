"""Tests that no flag, file or folder makes quartet sweep hang, run what is no kernel, or stop for good."""

import json
import os
import shutil
from pathlib import Path

from in_process import FAULT, run
from quartet.commands import sweep
from sweep_test import SweepCase

DIGITS = "9" * 400


class HostileSweep(SweepCase):
    def refused(self, *arguments, word=""):
        code, output, errors = run(sweep, "--build", self.folder, "--launcher", self.folder / "launcher", *arguments)
        self.assertEqual((code, output, len(errors.splitlines())), (2, "", 1), (arguments, errors[:300]))
        self.assertNotIn(FAULT, errors)
        self.assertLess(len(errors), 1200)
        self.assertIn(word, errors)
        self.assertEqual(self.calls(), [])


class Flags(HostileSweep):
    FACTORS = {"--kernels": "matmul", "--sizes": "512", "--ranks": "1"}

    def test_numbers_that_are_none_or_have_no_bound_are_refused(self):
        for flag, values in (("--timeout", ("nan", "-1", "0", "inf", "1e99", "x")),
                             ("--budget", ("nan", "-1", "inf", "x")),
                             ("--launches", ("0", "-1", "1000000000", "\u00b2", "9" * 5000)),
                             ("--seed", ("0", "x", DIGITS)), ("--poll", ("nan", "0")),
                             ("--ranks", ("0", "\u00b2", "9" * 5000, "1:x", "1:" + DIGITS, "99999999")),
                             ("--threads", ("0", "\u00b2", "-1", DIGITS)), ("--sizes", ("", "x" * 300, "a\x1b[2J"))):
            for value in values:
                words = {**self.FACTORS, flag: value}
                with self.subTest(flag, value=value[:20]):
                    self.refused("--dry-run", *(word for pair in words.items() for word in pair))


class Specs(HostileSweep):
    def test_a_newline_in_an_argument_reaches_the_program_as_it_is(self):
        argument = "line1\n\t$(touch pwned); #"
        done = self.sweep(self.spec(launches=1, ranks=[1], arguments=[argument]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(argument, (self.folder / "calls").read_text())
        self.assertEqual(list(Path().glob("pwned")), [])


class Folders(HostileSweep):
    def planned(self):
        """A folder with the plan of a sweep, nothing of which has run; and the plan."""
        self.assertEqual(self.sweep(self.spec(launches=1, ranks=[1])).returncode, 0)
        (self.folder / "calls").unlink()
        for file in self.results.glob("00*"):
            file.unlink()
        return json.loads((self.results / "sweep.plan").read_text())

    def test_a_folder_cannot_name_programs(self):
        plan = self.planned()
        evil = self.write("evil", "#!/bin/sh\ntouch " + str(self.folder / "pwned") + "\necho quartet 1\n")
        for name in (str(evil), "../evil", "sh", "bin/matmul"):
            text = json.dumps(plan).replace('"matmul"', json.dumps(name))
            (self.results / "sweep.plan").write_text(text)
            with self.subTest(name):
                self.refused("--folder", self.results, word="sweep.plan")
        self.assertFalse((self.folder / "pwned").exists())

    def test_plans_that_cannot_be_run_are_refused(self):
        plan = self.planned()
        configuration, = plan["configurations"]
        for change in ({"blocks": []}, {"configurations": []}, {"blocks": None}, {"programs": {}},
                       {"configurations": [{**configuration, "ranks": 0}]},
                       {"configurations": [{**configuration, "arguments": [1]}]},
                       {"configurations": [{**configuration, "size": "\x1b[2J"}]},
                       {"configurations": [{**configuration, "more": 1}]},
                       {"blocks": [{"title": "a", "scaling": "none", "members": [1]}]},
                       {"plan_version": 2}, {"seed": 10**400}):
            (self.results / "sweep.plan").write_text(json.dumps({**plan, **change}))
            with self.subTest(change):
                self.refused("--folder", self.results, word="sweep.plan")
        for text in ("", "{", "[" * 10**5, "null"):
            (self.results / "sweep.plan").write_text(text)
            self.refused("--folder", self.results, word="sweep.plan")

    def test_damaged_records_are_said_and_measured_again(self):
        spec = self.spec(launches=1, ranks=[1])
        self.assertEqual(self.sweep(spec).returncode, 0)
        record = self.results / (self.names()[0][:-len("json")] + "outcome")
        for count, text in enumerate(("", "{", "null", "[]", '{"exit_code": 0}', '{"other": 1}',
                                      '{"exit_code": "x", "seconds": 1, "message": ""}',
                                      '{"exit_code": 0, "seconds": 1e999, "message": ""}'), 2):
            record.write_text(text)
            with self.subTest(text):
                done = self.sweep(spec)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count("it is measured again"), 1, done.stderr)
                self.assertEqual(len(self.calls()), count)
        self.assertEqual(self.sweep(spec).returncode, 0)
        self.assertEqual(len(self.calls()), count)  # what is sound is kept

    def test_a_launch_whose_document_is_gone_is_measured_again(self):
        spec = self.spec(launches=1, ranks=[1])
        self.assertEqual(self.sweep(spec).returncode, 0)
        [name] = self.names()
        (self.results / name).unlink()
        done = self.sweep(spec, "--retry-failed")
        self.assertEqual((done.returncode, len(self.calls()), self.names()), (0, 2, [name]), done.stderr)
        self.assertIn(f"{name} is gone: it is measured again", done.stderr)

    def test_a_file_that_cannot_be_written_fails_its_launch_alone(self):
        spec = self.spec(launches=1, ranks=[1, 2])
        self.results.mkdir()
        (self.results / "000-matmul-native-auto-host-512-ranks1-launch1.log").mkdir()
        done = self.sweep(spec)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("Is a directory", done.stderr)
        self.assertEqual(len(self.names()), 1)

    def test_whatever_another_user_puts_in_place_of_a_file_ends_in_a_code_and_harms_nothing(self):
        spec = self.spec(launches=1, ranks=[1])
        self.assertEqual(self.sweep(spec).returncode, 0)
        sound, victim = self.folder / "sound", self.folder / "victim"
        shutil.copytree(self.results, sound)
        makes = (os.mkfifo, Path.mkdir, lambda file: file.symlink_to(victim), lambda file: file.symlink_to(file),
                 lambda file: file.symlink_to(self.folder / "absent"), lambda file: file.write_bytes(b"\xff\0" * 1000))
        for number, name in enumerate(sorted(os.listdir(sound))):
            for make in makes[number % 2::2]:
                shutil.rmtree(self.results)
                shutil.copytree(sound, self.results)
                victim.write_text("precious")
                (self.results / name).unlink()
                make(self.results / name)
                if not os.geteuid():
                    os.lchown(self.results / name, 65534, -1)
                done = self.sweep(spec, "--retry-failed")
                self.assertIn(done.returncode, (0, 2), (name, done.stderr))
                self.assertNotIn(FAULT, done.stderr)
                if not os.geteuid():  # own links may be meant
                    self.assertEqual((victim.read_text(), (self.folder / "absent").exists()), ("precious", False), name)

    def test_what_lies_in_the_locks_place_is_kept(self):
        self.results.mkdir()
        lock, precious = self.results / "sweep.lock", self.folder / "precious"
        precious.write_text("text")
        lock.symlink_to(precious)
        self.refused(self.spec(launches=1), "--folder", self.results, word="sweep.lock cannot be written")
        lock.unlink()
        os.link(precious, lock)
        self.assertEqual(self.sweep(self.spec(launches=1, ranks=[1])).returncode, 0)
        self.assertEqual(precious.read_text(), "text")
