"""Tests of quartet machine, on answers of Slurm that were recorded; tests/lab/ has a Slurm."""

import dataclasses
import json
import os
from unittest import mock

from fake_build import Scratch
from in_process import quartet
from quartet.slurm.machine import SlurmMachine
from quartet.slurm.site import Kind, gpus_of, kind_of_this_node
from recorded_slurm import SLURM_22, SLURM_23, SLURM_24, node_22
from tree import SCRIPTS

TEMPLATE = SCRIPTS / "slurm" / "machines" / "template.json"


class MachineCase(Scratch):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "mine.json"

    def machine(self, recorded, *words):
        return quartet("machine", *words, env=recorded.install(self.folder))

    def discover(self, recorded, *words):
        """Keys of the file, and what was said."""
        done = self.machine(recorded, "--discover", *words)
        self.assertEqual(done.returncode, 0, done)
        self.file.write_text(done.stdout, encoding="utf-8")
        SlurmMachine.load(self.file)
        return json.loads(done.stdout), done.stderr

    def check(self, recorded, **keys):
        """What is said of a file: a line for each difference."""
        self.file.write_text(json.dumps(keys), encoding="utf-8")
        done = self.machine(recorded, "--check", self.file)
        found = [line.removeprefix("quartet: ").partition(": correct it")[0] for line in done.stderr.splitlines()]
        self.assertEqual(done.returncode, 2 if found else 0, done)
        return found

    def assert_has(self, machine, **keys):
        self.assertEqual({key: machine[key] for key in keys}, keys)


class Discovering(MachineCase):
    def test_a_site_with_a_default_partition_of_two_kinds(self):
        machine, said = self.discover(SLURM_22)
        self.assert_has(machine, name="aurora main", partition="main", cores_per_node=128, sockets_per_node=2,
                        gpus_per_node=0, gpu_type="", constraint="", launcher="srun", mpi="pmix",
                        gpu_request="gpus-per-node")
        self.assertEqual(machine.keys(), json.loads(TEMPLATE.read_text()).keys() - {"$schema"})
        self.assertIn("main has 2 kinds of nodes: 128 cores, 2 sockets on n1, n2, n3, n7 was taken (no feature tells "
                      "them apart)", said)
        self.assertIn("modules, account and qos", said)

    def test_a_feature_that_only_the_chosen_nodes_have_becomes_the_constraint(self):
        more = "".join(node_22(f"g{number}", gres="gpu:a100:4", features="zen3,a100") for number in range(3, 9))
        machine, said = self.discover(dataclasses.replace(SLURM_22, nodes=SLURM_22.nodes + more))
        self.assert_has(machine, constraint="a100", gpus_per_node=4)
        self.assertIn("4 a100 GPUs on g1, g2, g3, g4 and 4 more was taken (constraint a100 chooses them)", said)

    def test_cores_of_the_system_do_not_count_and_a_site_without_plugins_has_mpirun(self):
        self.assert_has(self.discover(SLURM_24)[0], cores_per_node=94, launcher="mpirun")

    def test_what_is_not_there_is_refused_in_a_line(self):
        for recorded, words, parts in ((SLURM_23, (), ("none is the default", "all, kepler, volta")),
                                       (SLURM_23, ("--partition", "vlta"), ("'vlta'", "did you mean volta?")),
                                       (SLURM_22, ("--constraint", "h100"), ("no node of main has h100",)),
                                       (SLURM_22, ("--check", "x"), ("not allowed with",))):
            done = self.machine(recorded, "--discover", *words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines()), done.stdout), (2, 1, ""), done)
            for part in parts:
                self.assertIn(part, done.stderr)

    def test_answers_that_cannot_be_are_refused_in_a_line(self):
        nodes = {"?\n": "no node as scontrol shows it", "": "Slurm shows no node",
                 **{node_22("n1", **what): "no node as scontrol shows it" for what in (
                     {"sockets": -5}, {"sockets": 0}, {"sockets": 10**7}, {"cores": 10**30}, {"gres": "gpu:\u00b2"},
                     {"gres": "gpu:a:" + "9" * 5000}, {"gres": "gpu:999999"}, {"spec": "CoreSpecCount=128 "})}}
        for text, part in nodes.items():
            done = self.machine(dataclasses.replace(SLURM_22, nodes=text), "--discover")
            self.assertEqual((done.returncode, len(done.stderr.splitlines()), done.stdout), (3, 1, ""), done)
            self.assertIn(part, done.stderr)

    def test_bytes_that_are_no_text_are_replaced_and_silence_ends(self):
        environment = SLURM_22.install(self.folder)
        file = self.folder / "scontrol"
        sound = file.read_bytes()
        file.write_bytes(sound.replace(b"ClusterName             = ", b"ClusterName             = \xe9"))
        done = quartet("machine", "--discover", env=environment)
        self.assertEqual((done.returncode, json.loads(done.stdout)["name"]), (0, "\ufffdaurora main"), done)
        file.write_text("#!/bin/sh\nsleep 30\n")
        with mock.patch("quartet.slurm.site.LONGEST_ANSWER", 0.2):
            done = quartet("machine", "--discover", env=environment)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (3, 1), done)
        self.assertIn("no answer within 0.2 s", done.stderr)

    def test_without_a_slurm_it_describes_this_computer(self):
        done = quartet("machine", "--discover", env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual(done.returncode, 0, done)
        here = kind_of_this_node()
        self.assert_has(json.loads(done.stdout), cores_per_node=here.cores, sockets_per_node=here.sockets)
        self.assertIn("no Slurm here", done.stderr)
        self.write("scontrol", "#!/bin/sh\necho 'scontrol: error: _establish_config_source: failed to fetch config' >&2; exit 1\n")
        self.assertEqual(quartet("machine", "--discover", env={**os.environ, "PATH": f"{self.folder}:/bin"}).returncode, 0)
        self.assertEqual(quartet("machine", "--check", "h100-example",
                                 env={**os.environ, "PATH": str(self.folder)}).returncode, 3)


class Checking(MachineCase):
    def test_each_difference_is_named(self):
        self.assertEqual(
            self.check(SLURM_23, name="mine", cores_per_node=12, sockets_per_node=2, gpus_per_node=8,
                       gpu_type="a100", partition="kepler"),
            ["cores_per_node is 12 in the file, 24 on k001",
             "gpus_per_node is 8 in the file, 4 on k001",
             "gpu_type is a100 in the file, k80 on k001",
             "gpu_request is gpus-per-node in the file, select/cons_res of this site knows gres alone",
             "mpi is pmix in the file, srun --mpi=list has cray_shasta, pmi2"])

    def test_each_kind_of_a_partition_is_compared_unless_a_constraint_chooses(self):
        keys = {"name": "mine", "cores_per_node": 128, "sockets_per_node": 2}
        self.assertEqual(self.check(SLURM_22, **keys), ["gpus_per_node is 0 in the file, 4 on g1, g2"])
        self.assertEqual(self.check(SLURM_22, **keys, constraint="zen3&ib", partition="short"), [])
        self.assertEqual(self.check(SLURM_22, **keys, constraint="a100|x", gpus_per_node=4), [])

    def test_partitions_and_features_that_are_not_there(self):
        keys = {"name": "mine", "cores_per_node": 128, "sockets_per_node": 2}
        self.assertEqual(self.check(SLURM_22, **keys, partition="mian"),
                         ["partition is 'mian' in the file (did you mean main?), Slurm has gpu, main, short"])
        self.assertEqual(self.check(SLURM_22, **keys, constraint="zen5"),
                         ["constraint is zen5 in the file, of which main has no node"])
        partition, mpi = self.check(SLURM_23, **keys)
        self.assertIn("none is the default", partition)
        self.assertIn("mpi is pmix in the file", mpi)


class Words(Scratch):
    def test_gpus_of_generic_resources(self):
        for text, gpus in (("", ()), ("gpu:4", (("", 4),)), ("gpu", (("", 1),)), ("gpu:k80", (("k80", 1),)),
                           ("nic:1,gpu:h100:8(S:0-1),mps:800", (("h100", 8),)),
                           ("gpu:a:2(S:0,1),gpu:b:1", (("a", 2), ("b", 1)))):
            self.assertEqual(gpus_of(text), gpus, text)

    def test_a_node_by_its_own_word(self):
        for cpu in range(8):  # two sockets of two cores of two threads
            folder = self.folder / f"sys/devices/system/cpu/cpu{cpu}/topology"
            folder.mkdir(parents=True)
            (folder / "physical_package_id").write_text(f"{cpu // 2 % 2}\n")
            (folder / "thread_siblings_list").write_text(f"{cpu % 4},{cpu % 4 + 4}\n")
        (self.folder / "sys/devices/system/cpu/cpu8").mkdir()  # off
        (self.folder / "proc/driver/nvidia/gpus/0000:01:00.0").mkdir(parents=True)
        self.assertEqual(kind_of_this_node(self.folder), Kind(2, 4, (("", 1),)))
