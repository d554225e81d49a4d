"""What a user waits for, from the launch to the end: each moment belongs to one stage of the job, and a
run as a whole task has the stages that are left where nothing is measured beside it."""

import unittest

from quartet_cli import KERNELS, cases, each, main, run

PLAIN = "--runs 3 --remeasure off"
BARE = "--runs 1 --warmup 0 --limits off --verify off --remeasure off"
ONCE_A_JOB = ("launch", "mpi_start", "device_start")
OF_A_RUN = ("set_up", "run", "write_results")
SLACK = 0.5  # seconds: ranks do not wait alike


def measured(flags):
    return each(lambda kernel: (kernel, run(kernel.name, 2, kernel.small, flags)), KERNELS)


class WholeTasks(unittest.TestCase):
    def test_each_moment_belongs_to_one_stage(self):
        for kernel, outcome in measured(PLAIN):
            with self.subTest(kernel.name):
                self.assertEqual(outcome.code, 0, outcome)
                wall = outcome.document["context"]["quartet"]["wall"]
                self.assertEqual(wall["begins"], "launcher")
                self.assertAlmostEqual(sum(wall["stages"].values()), wall["seconds"], delta=1e-6)
                self.assertLessEqual(wall["seconds"], outcome.seconds)
                for stage, seconds in wall["stages"].items():
                    self.assertGreater(seconds, 0, stage)

    def test_stages_that_are_not_wanted_take_no_time(self):
        for kernel, outcome in measured(BARE):
            stages = outcome.document["context"]["quartet"]["wall"]["stages"]
            self.assertEqual([stages[name] for name in ("warm_up", "probe", "verify")], [0, 0, 0], kernel.name)
            self.assertGreater(stages["run"], 0)

    def test_a_run_alone_is_the_whole_task(self):
        for kernel, outcome in measured(BARE):
            with self.subTest(kernel.name):
                wall = outcome.document["context"]["quartet"]["wall"]
                row = next(iter(cases(outcome.document).values()))
                median, task = row["median"], row["median"]["whole_task"]
                self.assertEqual(tuple(task), ONCE_A_JOB + OF_A_RUN)
                self.assertAlmostEqual(sum(task.values()), median["whole_task_seconds"], delta=1e-6)
                self.assertEqual(median["time_unit"], "ms")
                self.assertAlmostEqual(task["run"], median["real_time"] / 1000, delta=1e-9)
                for stage in ONCE_A_JOB:
                    self.assertEqual(task[stage], wall["stages"][stage])
                beside = sum(wall["stages"][name] for name in ("plan", "rest", "write_document"))
                self.assertAlmostEqual(median["whole_task_seconds"] + beside, wall["seconds"],
                                       delta=SLACK + 0.3 * wall["seconds"])  # the slowest rank's, stage by stage

    def test_a_clock_within_a_run_is_no_whole_task(self):
        stream = next(kernel for kernel in KERNELS if kernel.name == "stream")
        document = run("stream", 2, stream.small, BARE).document
        tasks = {name.endswith("/paper"): "whole_task" in case["median"]
                 for name, case in cases(document).items()}
        self.assertEqual(tasks, {True: False, False: True})


if __name__ == "__main__":
    main()
