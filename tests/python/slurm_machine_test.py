"""Tests of scripts/python/quartet/slurm/machine.py, request.py and quartet submit without a Slurm; tests/lab/ has one."""

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from fake_build import Scratch
from in_process import quartet
from quartet.launch import Job
from quartet.slurm.machine import MachineError, SlurmMachine, request, shape_of
from tree import SCRIPTS

MACHINES = sorted((SCRIPTS / "slurm" / "machines").glob("*.json"))
SCHEMA = json.loads((SCRIPTS / "slurm" / "machine.schema.json").read_text(encoding="utf-8"))
LEAST = {"name": "a", "cores_per_node": 8}


class MachineCase(Scratch):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "machine.json"

    def load(self, data):
        self.file.write_text(json.dumps(data), encoding="utf-8")
        return SlurmMachine.load(self.file)

    def options(self, machine, ranks, *arguments, threads=1, program="cg", nodes=None, hosts=()):
        job = Job(Path("/bin") / program, ranks, threads, arguments, nodes=nodes, hosts=hosts)
        loaded = self.load({**LEAST, **machine})
        return request(loaded, shape_of(loaded, job), 10).options


class Files(MachineCase):
    def test_ours_are_valid_and_are_loaded(self):
        self.assertGreaterEqual(len(MACHINES), 3)
        for file in MACHINES:
            data = json.loads(file.read_text(encoding="utf-8"))
            if file.name == "template.json":  # which is to be filled in
                data = {**data, "name": "mine", "cores_per_node": 8, "sockets_per_node": 2}
            Draft202012Validator(SCHEMA).validate(data)
            self.assertGreater(self.load(data).cores_per_node, 0)

    def test_what_the_schema_refuses_is_refused_and_nothing_else(self):
        Draft202012Validator.check_schema(SCHEMA)
        for change in ({"cores_per_node": 0}, {"cores_per_node": "8"}, {"name": ""}, {"gpu_request": "gpus"},
                       {"distribution": "plane=0"}, {"distribution": "plane=12"}, {"launcher": "aprun"},
                       {"prepare": "module purge"}, {"hint": "", "cpu_bind": "cores"}, {"modules": [""]},
                       {"environment": {"A=B": "1"}}, {"environment": {"A": "1"}}, {"colour": "red"}):
            data = {**LEAST, **change}
            with self.subTest(change):
                valid = Draft202012Validator(SCHEMA).is_valid(data)
                try:
                    self.load(data)
                    self.assertTrue(valid)
                except MachineError as error:
                    self.assertFalse(valid, error)
                    self.assertEqual(len(str(error).splitlines()), 1)
        for data in ({"name": "a"}, [], 3, {**LEAST, "cpu_bind": "cores"}):  # beside the default hint
            with self.assertRaises(MachineError):
                self.load(data)
        template = json.loads((SCRIPTS / "slurm/machines/template.json").read_text(encoding="utf-8"))
        self.assertEqual(template.keys(), SCHEMA["properties"].keys())
        with self.assertRaisesRegex(MachineError, "length of at least 1 .*quartet machine --discover"):  # not filled in
            self.load(template)
        self.file.write_text("{", encoding="utf-8")
        with self.assertRaisesRegex(MachineError, "cannot be read"):
            SlurmMachine.load(self.file)


class Requests(MachineCase):
    def test_ranks_fill_the_cores_of_as_few_nodes_as_hold_them_evenly(self):
        for ranks, threads, nodes, most in ((1, 1, 1, 1), (8, 1, 1, 8), (9, 1, 2, 5), (9, 4, 5, 2), (3, 8, 3, 1)):
            options = self.options({}, ranks, threads=threads)
            self.assertIn(f"--nodes={nodes}", options)
            self.assertIn(f"--ntasks={ranks}", options)
            self.assertIn(f"--ntasks-per-node={most}", options)
            self.assertIn(f"--cpus-per-task={threads}", options)

    def test_each_worker_has_a_gpu_and_reducers_come_on_top(self):
        machine = {"gpus_per_node": 2, "gpu_type": "v100", "gpu_request": "gres"}
        for ranks, arguments, nodes, order in ((4, (), 2, "block"), (4, ("--device", "cuda"), 2, "block"),
                (5, ("--formulation", "dataflow"), 2, "cyclic"),
                (7, ("--formulation", "dataflow", "--reducers", "3"), 2, "cyclic"),
                (6, ("--formulation", "dataflow"), 2, "cyclic")):  # as many as matmul takes by itself
            options = self.options(machine, ranks, *arguments, program="matmul" if ranks > 5 else "cg")
            self.assertIn(f"--nodes={nodes}", options)
            self.assertIn(f"--distribution={order}", options)
            self.assertIn("--gres=gpu:v100:2", options)
        options = self.options(machine, 5, "--device", "cuda", "--formulation", "dataflow",
                               program="stream")  # its receiver computes as well
        self.assertIn("--nodes=3", options)

    def test_ranks_are_spread_over_the_nodes_that_are_asked_for(self):
        for ranks, nodes, most in ((2, 2, 1), (5, 2, 3), (16, 4, 4)):
            options = self.options({}, ranks, nodes=nodes)
            self.assertIn(f"--nodes={nodes}", options)
            self.assertIn(f"--ntasks-per-node={most}", options)
        options = self.options({}, 2, nodes=2, hosts=("n1", "n7"))
        self.assertIn("--nodelist=n1,n7", options)
        for ranks, nodes, words in ((1, 2, "1 rank on 2 nodes"), (9, 1, "give 2 nodes")):
            with self.assertRaisesRegex(MachineError, words):
                self.options({}, ranks, nodes=nodes)
        with self.assertRaisesRegex(MachineError, "2 GPUs a node"):
            self.options({"gpus_per_node": 2}, 5, nodes=2)

    def test_planes_are_dealt_in_turn_and_must_fit(self):
        for ranks, nodes, plane, most in ((6, 2, 2, 4), (7, 2, 2, 4), (8, 2, 4, 4), (12, 2, 3, 6)):
            options = self.options({"distribution": f"plane={plane}"}, ranks, nodes=nodes)
            self.assertIn(f"--distribution=plane={plane}", options)
            self.assertIn(f"--ntasks-per-node={most}", options)
        for machine, ranks, nodes, words in (({"distribution": "plane=8"}, 12, 2, None),
                ({"distribution": "plane=9"}, 12, 2, "9 of 12 ranks"),
                ({"distribution": "plane=2", "launcher": "mpirun"}, 4, 2, "with mpirun")):
            if words is None:
                self.options(machine, ranks, nodes=nodes)
                continue
            with self.assertRaisesRegex(MachineError, words):
                self.options(machine, ranks, nodes=nodes)

    def test_each_key_becomes_its_option(self):
        keys = {"qos": "long", "constraint": "icelake", "reservation": "mine", "switches": "1@5",
                "memory": "0", "partition": "main", "account": "me", "hint": ""}
        options = self.options({**keys, "requeue": False}, 1)
        for option in ("--qos=long", "--constraint=icelake", "--reservation=mine", "--switches=1@5", "--mem=0",
                       "--partition=main", "--account=me", "--no-requeue"):
            self.assertIn(option, options)
        self.assertFalse([option for option in options if option.startswith("--hint")])
        self.assertIn("--hint=nomultithread", self.options({}, 1))
        self.assertIn("--requeue", self.options({}, 1))


class Submitting(MachineCase):
    def test_dry_run_shows_a_command_that_works_by_hand(self):
        self.load({**LEAST, "modules": ["gcc", "openmpi"], "account": "me", "options": ["--exclusive"]})
        done = quartet("submit", self.file, "--ranks", "9", "--dry-run", "/bin/true", "--size", "100")
        self.assertRegex(done.stdout, "^sbatch --parsable")
        self.assertIn("--nodes=2 --ntasks=9", done.stdout)
        self.assertIn("--account=me --exclusive", done.stdout)
        self.assertRegex(done.stdout, r"/scripts/slurm/cpu.sbatch --root=\S+ --launcher=srun --mpi=pmix "
                         r"'--modules=gcc openmpi' /\S*/bin/true --size 100\n$")

    def submit(self, *arguments):
        return quartet("submit", self.file, *map(str, arguments), env=self.environment())

    def test_a_dry_run_behind_the_program_is_the_programs_and_is_said_to_be(self):
        self.load(LEAST)
        self.write("sbatch", "#!/bin/sh\necho 7\n")
        done = self.submit("--ranks", 1, "/bin/true", "--dry-run")
        self.assertEqual((done.returncode, done.stdout), (0, "7\n"), done.stderr)
        self.assertIn("so this submits a job: before PROGRAM it would", done.stderr)

    def test_what_cannot_run_is_refused_in_a_line(self):
        self.load({**LEAST, "gpus_per_node": 2})
        for arguments, word in ((("--ranks", 0, "/bin/true"), "whole number"), (("/bin/true",), "no ranks"),
                                (("--ranks-per-node", 2, "/bin/true"), "neither --nodes nor"),
                                (("--nodes", 2, "--ranks-per-node", "x", "/bin/true"), "'x'"),
                                (("--nodes", 2, "--ranks", 2, "--ranks-per-node", 2, "/bin/true"), "leave one out"),
                                (("--nodes", 3, "--ranks", 3, "--hosts", "a,b", "/bin/true"), "2 hosts"),
                                (("--ranks", 1, "--ranks-per-node", "gpus", "/bin/true", "--formulation=dataflow"),
                                 "does not fit"),
                                (("--ranks", 1, self.file.with_name("absent")), "no program"),
                                (("--ranks", 2, "--dry-run", "/bin/true", "--formulation", "dataflow",
                                  "--reducers", "abc"), "--reducers")):
            done = self.submit(*arguments)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(word, done.stderr)
        self.file.write_text(json.dumps({**LEAST, "options": ["a\x00b"]}))
        self.assertIn("control character", self.submit("--ranks", 1, "/bin/true").stderr)
        self.load(LEAST)
        self.assertRegex(self.submit("--nodes", 2, "--ranks-per-node", "gpus", "/bin/true").stderr, r"'gpus' \(\S+ has none\)")

    def test_two_of_ranks_nodes_and_ranks_per_node_decide_the_third(self):
        self.load({**LEAST, "gpus_per_node": 2, "sockets_per_node": 2})
        host = ("/bin/true", "--device", "host")
        flow = (self.write("matmul", "#!/bin/sh\n"), "--formulation", "dataflow")
        for arguments, expected in (
                (("--nodes", 2, "--ranks-per-node", 1, *host), "--nodes=2 --ntasks=2 --ntasks-per-node=1"),
                (("--nodes", 2, "--ranks-per-node", "cores", *host), "--nodes=2 --ntasks=16 --ntasks-per-node=8"),
                (("--nodes", 2, "--ranks-per-node", "sockets", *host),
                 "--nodes=2 --ntasks=4 --ntasks-per-node=2 --cpus-per-task=4"),
                (("--nodes", 2, "--ranks-per-node", "gpus", "/bin/true"), "--nodes=2 --ntasks=4 --ntasks-per-node=2"),
                (("--nodes", 2, "--ranks-per-node", "gpus", "/bin/true", "--formulation=dataflow"),
                 "--nodes=2 --ntasks=5 --ntasks-per-node=3"),
                (("--nodes", 2, "--ranks-per-node", "gpus", *flow), "--nodes=2 --ntasks=6 --ntasks-per-node=3"),
                (("--nodes", 1, "--ranks-per-node", "gpus", *flow), "--nodes=1 --ntasks=3 --ntasks-per-node=3"),
                (("--ranks", 6, "--ranks-per-node", "gpus", *flow), "--nodes=2 --ntasks=6 --ntasks-per-node=3"),
                (("--ranks", 6, "--ranks-per-node", 2, *host), "--nodes=3 --ntasks=6"),
                (("--ranks", 6, "--nodes", 3, *host), "--nodes=3 --ntasks=6"),
                (("--ranks", 2, "--hosts", "a,b", *host), "--nodes=2 --ntasks=2")):
            done = self.submit("--dry-run", *arguments)
            self.assertIn(expected, done.stdout, done.stderr)
        self.assertIn("--device host asks for none", self.submit("--dry-run", "--ranks", 1, "/bin/true").stderr)

    def test_hosts_are_a_list_of_names_or_of_ranges(self):
        self.load(LEAST)
        self.write("scontrol", "#!/bin/sh\nprintf 'n1\\nn2\\nn4\\n'\n")
        done = self.submit("--hosts", "n[1-2,4]", "--ranks", 3, "--dry-run", "/bin/true")
        self.assertIn("--nodelist=n1,n2,n4 ", done.stdout, done.stderr)
