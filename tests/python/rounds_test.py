"""Tests of the loop that launches programs in rounds, with a launcher that starts nothing."""

import os
import signal
from pathlib import Path
from unittest import mock

from fake_build import Scratch
from quartet import rounds
from quartet.exit_codes import FAILED, STOPPED, VERIFIED, WRONG_RESULT
from quartet.launch import ENDING, Files, Job, LaunchError, Outcome, end_jobs_when_ended


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


class Running:
    """A job that takes so long on the fake clock, and half a second to end where it is asked to."""

    last_lines = ()

    def __init__(self, clock, seconds, code, document, obeys=True):
        self.clock, self.end, self.code, self.document, self.obeys = clock, clock.now + seconds, code, document, obeys
        self.was_asked = self.was_cancelled = False

    def wait(self, seconds=None):
        self.clock.now = min(self.end, self.clock.now + seconds) if self.end > self.clock.now else self.clock.now
        if self.clock.now < self.end:
            return None
        self.document.write_text("{}")
        return self.code

    def ask(self):
        self.was_asked = True
        if self.obeys and self.end > self.clock.now + 0.5:
            self.end, self.code = self.clock.now + 0.5, self.code or STOPPED

    def cancel(self):
        self.was_cancelled = True
        self.end = self.clock.now


class Launcher:
    """Of jobs whose arguments say how long they take, and how they end."""

    def __init__(self, clock):
        self.clock, self.started, self.most_at_once = clock, [], 0

    def submit(self, job, log, held):
        if job.arguments[0] == "refused":
            raise LaunchError(FAILED, "no such thing")
        seconds, code, *more = job.arguments
        running = Running(self.clock, float(seconds), int(code), log.with_suffix(".json"), "deaf" not in more)
        self.started.append((job.program.name, self.clock.now - 100, running))
        self.most_at_once = max(self.most_at_once, sum(each.end > self.clock.now for _, _, each in self.started))
        return running


class RoundsTest(Scratch):
    def setUp(self):
        super().setUp()
        self.clock, self.told, self.outcomes = Clock(), {}, {}
        self.launcher = Launcher(self.clock)
        monotonic = mock.patch.object(rounds.time, "monotonic", self.clock)
        monotonic.start()
        self.addCleanup(monotonic.stop)

    def launch(self, name, seconds=1.0, code=0, *more, **others):
        def job(share):
            self.told[name] = share
            return Job(Path(name), 1, 1, (str(seconds), str(code), *more))

        files = Files(self.folder / f"{name}.json", self.folder / f"{name}.log")
        return rounds.Launch(name, name, job, files, **others)

    def run_rounds(self, *members, budget=None, **settings):
        def ended(launch, outcome):
            self.outcomes[launch.name] = outcome

        loop = rounds.Rounds(self.launcher, rounds.Budget(budget, self.clock), **settings)
        return loop.run([list(each) if isinstance(each, (list, tuple)) else [each] for each in members], ended)

    @property
    def order(self):
        return [name for name, _, _ in self.launcher.started]

    def test_all_run_in_order_and_say_how_they_ended(self):
        found = self.run_rounds(self.launch("a"), self.launch("b", 2, 1), self.launch("c", 1, 139),
                                self.launch("d", "refused"))
        self.assertEqual((found.left, found.reason, self.order), ([], "", ["a", "b", "c"]))
        self.assertEqual([outcome.exit_code for outcome in self.outcomes.values()],
                         [VERIFIED, WRONG_RESULT, FAILED, FAILED])
        self.assertEqual(self.outcomes["d"].message, "no such thing")

    def test_a_round_that_would_pass_the_budget_is_left_out_whole_and_others_are_tried(self):
        def pair(number, seconds):
            return [self.launch(f"{side}{number}", seconds, alike=((side, seconds),)) for side in "ab"]

        found = self.run_rounds(pair(1, 4), pair(2, 1), pair(3, 4), pair(4, 1), budget=17)
        self.assertEqual(self.order, ["a1", "b1", "a2", "b2", "a4", "b4"])
        self.assertEqual([launch.name for launch in found.left], ["a3", "b3"])
        self.assertEqual(found.reason, "the budget of 17 s is over")
        self.assertNotIn("a3", self.outcomes)

    def test_the_first_launch_is_bounded_too_and_is_not_run_rather_than_failed(self):
        found = self.run_rounds(self.launch("slow", 189), self.launch("next"), budget=40)
        self.assertEqual([launch.name for launch in found.left], ["slow", "next"])
        self.assertEqual(self.outcomes["slow"].exit_code, STOPPED)
        self.assertTrue(self.launcher.started[0][2].was_asked)
        self.assertAlmostEqual(self.clock.now, 140.5, delta=0.2)

    def test_one_that_crashes_when_it_is_asked_to_end_has_failed_and_one_that_is_killed_has_not(self):
        self.run_rounds(self.launch("a", 50, 139, weight=1), self.launch("b", 50, 139, "deaf", weight=1), budget=20)
        self.assertEqual((self.outcomes["a"].exit_code, self.outcomes["b"].exit_code), (FAILED, STOPPED))
        self.assertIn("its time was over, and it ended after 19 s (killed: the run under way did not end)", self.outcomes["b"].message)

    def test_one_that_was_about_to_end_when_it_was_asked_to_is_complete(self):
        found = self.run_rounds(self.launch("a", 20.3, VERIFIED), self.launch("b", 9, STOPPED), budget=20)
        self.assertEqual((self.outcomes["a"].exit_code, [launch.name for launch in found.left]), (VERIFIED, ["b"]))

    def test_the_limit_of_a_launch_is_a_failure(self):
        self.run_rounds(self.launch("a", 50), self.launch("b"), timeout=5)
        self.assertEqual((self.outcomes["a"].exit_code, self.outcomes["a"].message),
                         (FAILED, "did not end within 5 s (--timeout)"))
        self.assertEqual(self.outcomes["b"].exit_code, VERIFIED)

    def test_time_is_shared_out_by_weight_and_none_takes_the_time_of_its_round(self):
        first = [self.launch(name, seconds, weight=weight)
                 for name, seconds, weight in (("a", 300, 30), ("b", 9, 10), ("c", 9, 10), ("d", 9, 10))]
        found = self.run_rounds(first, [self.launch("e", 9, weight=30)], budget=90)
        self.assertEqual(round(self.told["a"]), 29)  # of 90, a third
        self.assertEqual(self.order, ["a", "b", "c", "d", "e"])
        self.assertAlmostEqual(self.launcher.started[1][1], 30.5, delta=0.5)  # its share, and the start
        self.assertEqual((found.left, self.outcomes["a"].exit_code), ([], STOPPED), "it has its document")

    def test_however_slow_the_machine_it_ends_in_time_and_each_of_the_first_round_is_tried(self):
        first = [self.launch(name, 300, weight=10) for name in "abcd"]
        self.run_rounds(first, [self.launch(name, 300, weight=10) for name in "efgh"], budget=60)
        self.assertEqual(self.order[:4], list("abcd"))
        self.assertLess(self.clock.now, 100 + 66)

    def test_only_launches_with_nodes_of_their_own_run_beside_each_other(self):
        def on(name, *hosts):
            return self.launch(name, 2, hosts=hosts)

        self.run_rounds(on("a", "n1"), on("b", "n1", "n2"), on("c", "n2"), self.launch("d", 2), on("e", "n3"),
                        at_once=2)
        begins = {name: round(begin) for name, begin, _ in self.launcher.started}
        self.assertEqual(begins, {"a": 0, "c": 0, "b": 2, "d": 4, "e": 6})
        self.assertEqual(self.launcher.most_at_once, 2)

    def test_the_time_that_is_left_counts_launches_at_once(self):
        members, said = [self.launch(name, 10, alike=("a",), hosts=(name,)) for name in "abcd"], []
        loop = rounds.Rounds(self.launcher, rounds.Budget(None, self.clock), at_once=2)
        with mock.patch.object(rounds, "say", said.append):
            loop.run([[each] for each in members], lambda launch, outcome: loop.say(launch, outcome, 4))
            loop.say(members[0], rounds.Outcome(VERIFIED, 10.0, ""), 4, left=members[1:])
        self.assertEqual(said[0], "1 of 4: a: 10.0 s, ok; about 15 s left")
        self.assertEqual(said[-1], "1 of 4: a: 10.0 s, ok; about 30 s of launches left", "a queue may run them together")

    def test_a_signal_while_a_job_starts_ends_that_job_too(self):
        for number in ENDING:
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        end_jobs_when_ended()
        submit = self.launcher.submit

        def interrupted(*arguments):
            running = submit(*arguments)
            os.kill(os.getpid(), signal.SIGTERM)
            return running

        with mock.patch.object(self.launcher, "submit", interrupted):
            found = self.run_rounds(self.launch("a", 60), self.launch("b", 60))
        self.assertEqual((found.is_interrupted, len(found.left)), (True, 2))
        self.assertEqual([running.was_cancelled for _, _, running in self.launcher.started], [True])

    def test_what_fails_as_everything_ends_is_left(self):
        found = self.run_rounds(self.launch("a"), self.launch("b", 1, 3), self.launch("c"),
                                is_over=lambda: "the job has ended")
        self.assertEqual((found.reason, [launch.name for launch in found.left]), ("the job has ended", ["b", "c"]))
        self.assertNotIn("b", self.outcomes)

    def test_an_interrupt_ends_the_job_and_leaves_the_rest(self):
        def wait(running, seconds=None):
            raise KeyboardInterrupt

        with mock.patch.object(Running, "wait", wait):
            found = self.run_rounds(self.launch("a", 50), self.launch("b"))
        self.assertTrue(found.is_interrupted and self.launcher.started[0][2].was_cancelled)
        self.assertEqual([launch.name for launch in found.left], ["a", "b"])

    def test_what_launches_take_is_known_by_those_like_them(self):
        known = rounds.Durations()
        self.assertIsNone(known.of(self.launch("x", alike=(1, "cg"))))
        for seconds, alike in ((10, (1, "cg")), (20, (2, "cg")), (4, (1, "cg")), (1, (3, "fft"))):
            known.add(self.launch("x", alike=alike), Outcome(0, seconds))
        self.assertEqual(known.of(self.launch("x", alike=(1, "cg"))), 4)
        self.assertAlmostEqual(known.of(self.launch("x", alike=(9, "cg"))), 34 / 3)
        self.assertEqual(known.of(self.launch("x", alike=(9, "matmul"))), 35 / 4)
