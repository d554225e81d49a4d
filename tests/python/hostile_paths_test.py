"""Tests of what scripts read and write by name: FIFOs, devices, folders, links to themselves, names that
are too long, files that are inputs; and of how a script ends, whatever ends it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import mutations
from fake_build import Scratch
from in_process import FAULT, run
from quartet import files
from quartet.commands import compare, report, submit, sweep, table
from quartet.exit_codes import ScriptError
from tree import QUARTET, ROOT, SCRIPTS

LIMIT = 20  # seconds, for what must not wait


class SoundDocument(Scratch):
    """Tests with one, and without pictures, which take seconds each and show what the tables show."""

    def setUp(self):
        super().setUp()
        self.good = self.write("good.json", json.dumps(mutations.sound()))
        without = mock.patch.object(report, "has_matplotlib", return_value=False)
        without.start()
        self.addCleanup(without.stop)


class PathCase(SoundDocument):
    def setUp(self):
        super().setUp()
        signal.signal(signal.SIGALRM, self.waited)
        signal.alarm(LIMIT)
        self.addCleanup(signal.alarm, 0)

    def waited(self, *_):
        raise AssertionError(f"did not end within {LIMIT} s")

    def named(self):
        """What can stand where a file is wanted, with a word of why it is none."""
        fifo, loop, folder = (self.folder / name for name in ("fifo.json", "loop.json", "folder.json"))
        os.mkfifo(fifo)
        loop.symlink_to(loop)
        folder.mkdir()
        return {fifo: "FIFO", Path("/dev/zero"): "device", loop: "symbolic links",
                self.folder / ("n" * 5000): "too long", self.folder / "none.json": "No such file",
                folder: "folder"}

    def assert_refused(self, result, word, code=2):
        self.assertEqual(result[0], code, result)
        self.assertIn(word, result[2])
        self.assertNotIn(FAULT, result[2])


class Reading(PathCase):
    def test_what_is_no_file_is_said_and_nothing_waits(self):
        for path, word in self.named().items():
            with self.subTest(word):
                self.assert_refused(run(table, path), word)
                self.assert_refused(run(compare, self.good, path), word)
                self.assert_refused(run(sweep, path, "--dry-run"), word.replace("folder", "a folder"))
                self.assertEqual(run(table, self.good, path)[0], 0)
        code, _, errors = run(table, self.folder)
        self.assertEqual(code, 0)
        self.assertIn("fifo.json: is a FIFO", errors)
        self.assertIn("loop.json", errors)

    def test_files_without_end_are_read_up_to_a_bound(self):
        with self.assertRaisesRegex(ScriptError, "at most 10 are read"):
            files.read_bytes(self.good, 10)
        huge = self.folder / "huge.json"
        with open(huge, "wb") as file:
            file.truncate(2**40)
        self.assert_refused(run(table, huge), "bytes")
        with self.assertRaisesRegex(ScriptError, "more than 4 bytes"):
            files.read_bytes("/proc/self/status", 4)  # it says that it has none

    def test_json_that_readers_may_differ_in_is_refused(self):
        file = self.folder / "bad.json"
        for text, word in (("[" * 10**6, "nested too deeply"), ("[" * 70 + "]" * 70, "nested too deeply"),
                           ('{"a": 1, "b": 2, "a": 1}', "it has the key 'a' twice"),
                           ('[{"b": {"a": 1, "\\u0061": {}}}]', "it has the key 'a' twice"), ("[NaN]", "NaN is not JSON")):
            file.write_text(text)
            for result in (run(table, file), run(submit, file, "--ranks", 1, "/bin/true")):
                self.assert_refused(result, word)
                self.assertEqual(len(result[2].splitlines()), 1, result)


class Writing(PathCase):
    def report(self, output):
        return run(report, self.good, "--output", output)

    def test_no_folder_device_or_input_is_replaced(self):
        device = os.stat("/dev/null").st_rdev
        link = self.folder / "link.html"
        link.symlink_to(self.good)
        for output, word in (("/dev/null", "is a device"), (self.folder, "is a folder"),
                             (self.good, "is read from"), (link, "is read from"),
                             (self.folder / ("n" * 300), "too long"), ("", "names no file"),
                             (self.good / "below.html", "cannot be a folder"),
                             ("/proc/none/page.html", "cannot be a folder")):
            with self.subTest(word):
                self.assert_refused(self.report(output), word)
        self.assertEqual(os.stat("/dev/null").st_rdev, device)
        self.assertEqual(json.loads(self.good.read_text()), mutations.sound())

    def test_a_folder_that_is_missing_is_not_made(self):
        for name in ("nosuch/folder/page/x.html", "nosuch/folder/x.html"):
            self.assert_refused(self.report(self.folder / name), "is no folder")
        self.assertFalse((self.folder / "nosuch").exists())

    def test_long_names_and_links_are_written(self):
        output = self.folder / ("n" * 250 + ".html")
        self.assertEqual(self.report(output)[0], 0)
        target, link = self.folder / "target.html", self.folder / "link.html"
        target.write_text("old")
        link.symlink_to(target)
        self.assertEqual(self.report(link)[0], 0)
        self.assertTrue(link.is_symlink())
        self.assertIn("<!DOCTYPE html>", target.read_text())

    def test_what_fails_leaves_the_old_file_and_nothing_beside_it(self):
        file = self.write("kept.txt", "old")
        before = sorted(self.folder.iterdir())
        for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):
            with self.assertRaises((ScriptError, KeyboardInterrupt)):
                with files.replacing(file) as aside:
                    aside.write_text("ne")
                    raise error
        self.assertEqual(file.read_text(), "old")
        self.assertEqual(sorted(self.folder.iterdir()), before)
        with mock.patch.object(Path, "write_bytes", side_effect=OSError(28, "No space left on device")):
            with self.assertRaisesRegex(ScriptError, "No space left.*free some space") as raised:
                files.write_text(file, "new")
        self.assertEqual(raised.exception.code, 3)


class Ends(PathCase):
    def ended(self, error, *arguments):
        with mock.patch.object(table, "add_arguments", side_effect=error):
            return run(table, *arguments)

    def test_every_failure_is_a_line_and_a_code(self):
        for error, code, word in ((KeyboardInterrupt(), 75, "interrupted"), (MemoryError(), 3, "memory"),
                                  (RecursionError(), 3, "deeply"),
                                  (OSError(5, "Input/output error", "a"), 3, "a: Input/output error"),
                                  (ScriptError("so\nand so", 77), 77, "so and so"),
                                  (KeyError("x\x1b[2J"), 3, FAULT)):
            with self.subTest(word):
                found, output, errors = self.ended(error)
                self.assertEqual((found, output), (code, ""))
                self.assertRegex(errors, r"\Aquartet: [^\n\x1b]+\n\Z")
                self.assertIn(word, errors)

    def test_bad_usage_is_a_line(self):
        for arguments in (("--no-such-flag",), ("--csv", "--markdown", self.good)):
            code, _, errors = run(table, *arguments)
            self.assertEqual((code, len(errors.splitlines())), (2, 1), errors)

    def table(self, **more):
        return subprocess.run([*QUARTET, "table", self.good], text=True,
                              stderr=subprocess.PIPE, timeout=LIMIT, check=False, **more)

    def test_output_that_cannot_be_written_is_said(self):
        said = "quartet: standard output cannot be written (No space left on device): send it elsewhere\n"
        many = ["table", "--csv", ROOT / "results/measured"]  # more than a buffer holds
        for words in (["table", self.good], many, ["--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([*QUARTET, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT,
                                      check=False)
            self.assertEqual((done.returncode, done.stderr), (3, said))
        for unbuffered in ("", "1"):  # the file takes a part of the text
            done = subprocess.run(["sh", "-c", 'ulimit -f 8; "$@" >"$FILE"', "sh", *QUARTET, *many], timeout=LIMIT,
                                  env={**os.environ, "PYTHONUNBUFFERED": unbuffered, "FILE": str(self.folder / "part")},
                                  stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (3, said.replace("No space left on device", "File too large")))
        reading, writing = os.pipe()
        os.close(reading)
        done = self.table(stdout=writing)
        os.close(writing)
        self.assertEqual((done.returncode, done.stderr), (141, ""))  # as of `| head`

    def test_closed_streams_keep_the_code(self):
        for words, code in ((["--help"], 0), (["--version"], 0), (["table", self.good], 0), (["no-command"], 2)):
            for closed in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
                done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *QUARTET, *words], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, timeout=LIMIT, check=False)
                self.assertEqual(done.returncode, code, (words, closed))

    def test_a_signal_stops_any_script(self):
        code = ("import sys; from quartet import command_line;"
                "command_line.run_script(lambda: (print('on', flush=True), sys.stdin.read()) and 0)")
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with subprocess.Popen([sys.executable, "-B", "-c", code], cwd=SCRIPTS / "python", text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                process.stdout.readline()
                process.send_signal(number)
                self.assertEqual(process.wait(LIMIT), 75)
                self.assertEqual(process.stderr.read(), "quartet: interrupted\n")
