"""Tests that what runs as root takes nothing from other users: links, folders and files that they have put in its way."""

import json
import os
import time
import unittest
from pathlib import Path
from unittest import mock

import mutations
from in_process import run
from nodes_this_test import CANNOT_TELL, SICK, SOUND, FakeNode
from quartet.commands import report
from quartet.launch import Job, LocalLauncher
from quartet.sweep.folder import SHOWN_FILE, SweepFolder

NOBODY = 65534


@unittest.skipIf(os.geteuid(), "only root can become another user")
class OtherUsers(FakeNode):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.shared = self.folder / "shared"
        self.shared.mkdir()
        self.shared.chmod(0o1777)
        self.victim = self.write("victim", "precious")
        self.victim.chmod(0o600)
        self.addCleanup(lambda: self.assertEqual(self.victim.read_text(), "precious"))

    def as_nobody(self, act):
        child = os.fork()
        if not child:
            try:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
                act()
            except BaseException:
                os._exit(1)
            os._exit(0)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def link(self, name, to=None):
        self.as_nobody(lambda: (self.shared / name).symlink_to(to or self.victim))
        return self.shared / name

    def test_folders_of_the_next_seconds_are_not_taken(self):
        node = os.uname().nodename.partition(".")[0]

        def trap():
            for second in range(30):
                stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + second))
                (self.shared / f"{stamp}-{node}").mkdir()
                (self.shared / f"{stamp}-{node}" / "log").symlink_to(self.victim)

        self.as_nobody(trap)
        self.assertEqual(self.check("--results", self.shared).returncode, SOUND)
        [kept] = {file.parent for file in self.shared.glob("*/*.json")}
        self.assertEqual((kept.stat().st_uid, kept.stat().st_mode & 0o777), (0, 0o755))
        link = self.link("results", self.folder)
        done = self.check("--results", link / "below")
        self.assertEqual(done.returncode, CANNOT_TELL)
        self.assertIn("is another user's link", done.stdout)

    def test_launches_have_a_temporary_folder_of_their_own(self):
        self.as_nobody((self.shared / f"ompi.{os.uname().nodename.partition('.')[0]}.0").touch)
        said = self.folder / "said"
        self.program("cg", f'{{ pwd; ls -ldn "$TMPDIR" | cut -d " " -f 1,3; ls "$TMPDIR"; }} >{said}\n'
                           f'cp {self.reference}/0.json "$2"\n')
        with mock.patch("tempfile.tempdir", str(self.shared)):
            self.assertEqual(self.check().returncode, SOUND)
        where, rights, *files = said.read_text().splitlines()
        self.assertTrue(where.startswith(f"{self.shared}/quartet-"), where)
        self.assertEqual((rights, files), ("drwx------ 0", ["log"]))

    def test_no_file_is_written_through_their_links(self):
        good = self.write("good.json", json.dumps(mutations.sound()))
        below = self.link("below", self.folder)
        with mock.patch.object(report, "has_matplotlib", return_value=False):
            for output in (self.link("page.html"), below / "page.html"):
                code, _, errors = run(report, good, "--output", output)
                self.assertEqual(code, 2, errors)
                self.assertIn("is another user's link (it may lead anywhere)", errors)
            own = self.folder / "own.html"
            own.symlink_to(self.folder / "target.html")
            self.assertEqual(run(report, good, "--output", own)[0], 0)
        log = self.link("log")
        LocalLauncher(Path("/bin/true")).submit(Job(Path("x"), 1, 1, ()), log).wait()
        self.assertFalse(log.is_symlink())
        shown = self.link(SHOWN_FILE)
        self.victim.unlink()  # a link that leads nowhere would make a file there
        SweepFolder(shown.parent, None).mark_over()
        self.assertFalse(self.victim.exists())
        self.victim.write_text("precious")

    def test_their_stamps_say_nothing(self):
        self.as_nobody((self.shared / "sound-1").touch)
        stamps = [self.shared / "sound-1", self.link("sound-2", self.reference / "0.json"), self.folder / "new" / "sound-3"]
        self.program("cg", 40)
        for stamp in stamps:
            with mock.patch("quartet.commands.nodes.stamp_of", return_value=stamp):
                self.assertEqual(self.check("--max-age", "6h").returncode, SICK)
