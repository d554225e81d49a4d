"""Tests of quartet share and of comparing with what it makes: invented folders, in which each fault is known."""

import contextlib
import copy
import hashlib
import importlib.util
import io
import json
import random
import shutil
import stat
import unittest
import zipfile
from unittest import mock

import fake_results
from compare_case import CompareCase, around, flat
from quartet.exit_codes import ScriptError
from quartet.share import bundle
from quartet.share.names import anonymous
from quartet.share.review import reviewed

HAS_ROCRATE = importlib.util.find_spec("rocrate") is not None
PAIR = ("lyra07.cluster.example.org", "lyra19.cluster.example.org")
HOME = "/home/physics/alice"
REAL = ("lyra07", "lyra19", "lyra", "cluster.example.org", "alice", "physics", "bigproject", "10.11.12.13",
        "fd00")


def sound(rate=1000.0, name=None, nodes=1, **quartet):
    """A document in which a reviewer finds nothing."""
    rows = fake_results.case(name or fake_results.stream_name(), around(rate),
                             limit={"what": "adding", "seconds": 1, "rate": rate / 0.8})
    document = fake_results.document(rows, nodes=nodes)
    document["context"]["quartet"].update(
        {"complete": True, "device_description": "AMD EPYC; OpenBLAS", "system": {"processor": {"family": "25"}},
         **quartet})
    return document


def hostile():
    """Names in every field that takes a text, in all spellings."""
    document = sound(nodes=2)
    context, quartet = document["context"], document["context"]["quartet"]
    for place, host in zip(quartet["placement"], PAIR):
        place["host"] = host
    said = (f"rank 1 on LYRA19 was slow; lyra07-ib0, xlyra07y and lyra19.cluster.example.org:22; {HOME}/data, "
            f"(/Users/Alice/x) and /scratch/ALICE at 10.11.12.13 or fd00:1:2:3:4, tcp6://[FD00::2]:53")
    context.update(host_name=PAIR[0], executable=f"{HOME}/quartet/build/bin/stream")
    quartet.update(
        gpus=[{**copy.deepcopy(fake_results.GPU), "host": PAIR[1].upper()}], warnings=[said],
        cluster=[{"formulations": ["native"], "reducers": 0, "workers": 2, "tasks": [
            {"role": "worker", "index": 0, "rank": 0, "host": PAIR[0]}]}],
        slurm={"SLURM_JOB_NODELIST": "lyra[07,19]", "SLURM_JOB_USER": "alice", "SLURM_JOB_ACCOUNT": "bigproject",
               "SLURM_LAUNCH_NODE_IPADDR": "10.11.12.13", "SLURMD_NODENAME": "lyra07"},
        environment={"OMPI_MCA_orte_top_session_dir": "/tmp/ompi.lyra07.1000", "QUARTET_LAUNCHED": "lyra07 17.5",
                     "SLURM_NODE_lyra19": said, "UCX_X": f"--x={HOME}"},
        options={"json": f"{HOME}/a.json", "data": "/p/project/bigproject/lyra19"},
        mpi_settings={"btl": said}, build={**quartet["build"], "flags": f"-fdebug-prefix-map={HOME}/q=. -O3"})
    for row in document["benchmarks"]:
        row["note"] = said
    return document


class Review(CompareCase):
    def refused(self, *documents):
        with self.assertRaises(ScriptError) as caught, contextlib.redirect_stderr(io.StringIO()) as said:
            reviewed(self.side("a", *documents))
        self.assertIn("is not fit to be shared", str(caught.exception))
        return said.getvalue()

    def four(self, change):
        documents = [sound() for _ in range(4)]
        change(documents[2])
        return documents

    def test_sound_results_pass(self):
        self.assertEqual(len(reviewed(self.side("a", *(sound() for _ in range(4))))), 4)

    def test_what_fails_is_refused_by_name(self):
        def median(**keys):
            def change(document):
                next(row for row in document["benchmarks"] if row.get("aggregate_name") == "median").update(keys)
            return change

        def fact(**keys):
            return lambda document: document["context"]["quartet"].update(keys)

        def error(document):
            document["benchmarks"] = [fake_results.error(fake_results.stream_name(), "no space")]

        flags = [{"kind": "disturbed", "text": "others took a quarter"}]
        above = [{"kind": "above_limit", "text": "the limit is too low"}]
        for change, word in (
                (median(verified=False), "wrong result"), (median(verified=None), "verified"),
                (median(distrusted=True, flags=flags), "others took a quarter"),
                (median(flags=above), "limit is too low"),
                (median(limit={"what": "adding", "seconds": 1, "rate": 2000}), "limits of its launches are 1.60 apart"),
                (error, "failed: no space"), (fact(complete=False), "while it measured"),
                (fact(commit="1a2b3c4-dirty"), "no commit has"), (fact(system={}), "nothing of the processor"),
                (fact(ranks=3), "places of 2 of 3 ranks"), (fact(version="0.2.0"), "several versions"),
                (fact(commit="9999999"), "several versions of quartet: 0.1.0 (1a2b3c4), 0.1.0 (9999999)"),
                (fact(nodes=2), "numbers of nodes")):
            with self.subTest(word):
                text = self.refused(*self.four(change))
                self.assertIn(word, text)
                if "apart" not in word and "versions" not in word and "nodes" not in word:
                    self.assertIn("2.json", text)

    def test_three_launches_are_too_few(self):
        self.assertIn("3 launches (at least 4)", self.refused(*(sound() for _ in range(3))))

    def test_what_is_no_document_is_named(self):
        self.assertIn("4.json", self.refused(*(sound() for _ in range(4)), "{"))


class Names(unittest.TestCase):
    def test_no_real_name_is_left_in_any_field(self):
        text = json.dumps(anonymous([hostile(), sound()])).lower()
        for name in REAL:
            self.assertNotIn(name, text)

    def test_hosts_are_the_same_everywhere(self):
        first, second = anonymous([hostile(), hostile()])
        self.assertEqual([place["host"] for place in first["context"]["quartet"]["placement"]], ["n1", "n2"])
        self.assertEqual(first, second)
        self.assertEqual(first["context"]["host_name"], "n1")
        self.assertEqual(first["context"]["quartet"]["gpus"][0]["host"], "n2")
        self.assertTrue(first["context"]["quartet"]["warnings"][0].startswith("rank 1 on n2 was slow; n1-ib0"))

    def test_a_host_is_not_the_beginning_of_another(self):
        document = sound(warnings=["node1 and node10, but not anode1"])
        for place, host in zip(document["context"]["quartet"]["placement"], ("node1", "node10")):
            place["host"] = host
        cleaned, = anonymous([document])
        hosts = [place["host"] for place in cleaned["context"]["quartet"]["placement"]]
        self.assertEqual(cleaned["context"]["quartet"]["warnings"], [f"{hosts[0]} and {hosts[1]}, but not a{hosts[0]}"])

    def test_words_of_documents_stay(self):
        for name in ("stream", "host", "worker", "native", "epyc"):
            document = sound()
            for place in document["context"]["quartet"]["placement"]:
                place["host"] = name
            document["context"]["host_name"] = name
            cleaned, = anonymous([document])
            self.assertEqual(cleaned["benchmarks"], document["benchmarks"], name)
            self.assertEqual(cleaned["context"]["host_name"], "n1")
            self.assertEqual(cleaned["context"]["quartet"]["device_description"], "AMD EPYC; OpenBLAS")

    def test_whoever_shares_is_not_named(self):
        with mock.patch("getpass.getuser", return_value="bob.builder"):
            cleaned, = anonymous([sound(warnings=["of Bob.Builder"])])
        self.assertNotIn("builder", json.dumps(cleaned).lower())


class Bundles(CompareCase):
    """Bundles as quartet share makes them, or as somebody else might."""

    def bundle(self, *documents, sums=None, metadata=None, extra=()):
        contents = {f"documents/{number:03}.json": json.dumps(document).encode()
                    for number, document in enumerate(documents)}
        sums = {**{name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}, **(sums or {})}
        graph = [{"@id": name, "@type": "File", "sha256": value} for name, value in sums.items()]
        file = self.folder / "a.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("ro-crate-metadata.json", metadata or json.dumps({"@graph": graph}))
            for name, content in contents.items():
                packed.writestr(name, content)
            for name, content in extra:
                packed.writestr(name, content)
        return file

    def refused(self, path, word):
        done = self.compare(path, self.side("b", *(sound() for _ in range(4))))
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
        self.assertIn(word, done.stderr)

    def four(self, rate=1000.0, **more):
        return [sound(rate, **more) for _ in range(4)]

    def test_bundle_and_its_folder_are_sides(self):
        file = self.bundle(*self.four())
        with zipfile.ZipFile(file) as packed:
            packed.extractall(self.folder / "unpacked")
        for path in (file, self.folder / "unpacked"):
            done = self.compare(path, self.side("b", *self.four(2000.0)))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"native +shm .* faster")
            self.assertNotIn("different machines", done.stdout)

    def test_other_machines_are_compared_by_place(self):
        there = self.four(name="stream/native/host/mpi/size:2MiB/pushes:50/ranks:2/threads:1")
        done = self.compare(self.bundle(*there), self.side("b", *self.four(2000.0, device_description="Intel Xeon")))
        text = flat(done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"native +mpi .* faster")
        for part in ("A and B are different machines", "AMD EPYC, 4 CPUs on", "Intel Xeon, 4 CPUs on",
                     "transport: mpi in A, shm in B", "pushes: 50 in A, 100 in B"):
            self.assertIn(part, text)
        self.assertNotIn("one after the other", text)
        more = self.compare(self.bundle(*there), self.side("b", *self.four(nodes=2, device_description="Intel Xeon")))
        self.assertEqual(more.returncode, 2, more.stdout)

    def test_folders_of_other_machines_are_compared_likewise(self):
        there = self.four(name="stream/native/host/mpi/size:2MiB/pushes:50/ranks:2/threads:1")
        done = self.compared(there, self.four(2000.0, device_description="Intel Xeon"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"native +mpi .* faster")
        self.assertEqual(done.stdout.count("different machines"), 1)
        alone = self.compare(self.folder / "a" / "0.json", self.folder / "b" / "0.json")
        self.assertEqual(alone.stdout.splitlines()[-1], "    quartet compare one/ other/")  # nobody launches both here

    def test_a_side_of_several_machines_is_said_to_be_one(self):
        mixed = [*self.four(), *self.four(device_description="Intel Xeon")]
        text = flat(self.compared(self.four(), mixed).stdout)
        self.assertIn("! B has results of several machines", text)
        self.assertNotIn("A has results", text)

    def test_what_a_document_does_not_record_makes_no_other_machine(self):
        done = self.compared(self.four(), self.four(system={}))
        self.assertNotIn("different machines", done.stdout)
        self.assertIn("differs: processor: family 25, caches L1 32 KiB | caches L1 32 KiB", done.stdout)

    def test_other_arithmetic_is_no_like_work(self):
        name = "matmul/native/host/shm/n:2048/tile:512/ranks:2/threads:1"
        there = self.four(name=name.replace("/tile", "/math:tf32/tile"), device_description="Intel Xeon")
        done = self.compare(self.bundle(*self.four(name=name)), self.side("b", *there))
        self.assertEqual(done.returncode, 2, done.stdout)

    def test_lying_checksum_is_found(self):
        file = self.bundle(*self.four(), sums={"documents/002.json": "0" * 64})
        self.refused(file, "documents/002.json has not the checksum")
        with zipfile.ZipFile(file) as packed:
            packed.extractall(self.folder / "unpacked")
        self.refused(self.folder / "unpacked", "documents/002.json has not the checksum")

    def test_documents_without_checksum_and_metadata_without_documents(self):
        self.refused(self.bundle(*self.four(), extra=[("documents/999.json", "{}")]), "not those that")
        self.refused(self.bundle(*self.four(), sums={"documents/999.json": "0"}), "not those that")
        for metadata in ("{", "[]", '{"@graph": 1}', '{"@graph": [1, {"@id": []}]}', "[" * 9999):
            self.refused(self.bundle(*self.four(), metadata=metadata), "fetch it again")

    def test_paths_that_lead_elsewhere_are_not_unpacked(self):
        for name in ("../evil.json", "/tmp/evil.json", "documents/../../evil.json", "documents/1.txt", "x\\1.json",
                     "documents/001.json/x", "documents/00\n1.json", "evil\x1b[2J"):
            with self.subTest(name):
                self.refused(self.bundle(*self.four(), extra=[(name, "{}")]), "is no name in a bundle")
        self.assertFalse((self.folder.parent / "evil.json").exists())

    def test_links_are_not_followed(self):
        link = zipfile.ZipInfo("documents/005.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        self.refused(self.bundle(*self.four(), extra=[(link, "/etc/passwd")]), "no regular file")
        with zipfile.ZipFile(self.bundle(*self.four())) as packed:
            packed.extractall(self.folder / "unpacked")
        file = self.folder / "unpacked/documents/001.json"
        shutil.move(file, self.folder / "moved.json")
        file.symlink_to(self.folder / "moved.json")
        self.refused(self.folder / "unpacked", "is a link")

    def test_any_damage_is_one_line(self):
        data, source = self.bundle(sound()).read_bytes(), random.Random(1)
        for _ in range(1000):
            damaged = bytearray(data)
            for _ in range(source.choice((1, 3, 20))):
                damaged[source.randrange(len(data))] = source.randrange(256)
            (self.folder / "damaged.zip").write_bytes(damaged)
            with contextlib.suppress(ScriptError), bundle.opened(self.folder / "damaged.zip") as files:
                self.assertEqual([file.read_bytes() for file in files], [json.dumps(sound()).encode()])

    def test_other_ways_of_packing_are_refused(self):
        file = self.bundle(*self.four())
        with zipfile.ZipFile(file, "a", zipfile.ZIP_LZMA) as packed:
            packed.writestr("documents/009.json", "{}")
        self.refused(file, "than by deflate")

    def test_bombs_are_refused_before_work(self):
        with mock.patch.object(bundle, "MOST_IN_ALL", 1000):
            with self.assertRaisesRegex(ScriptError, "unpacks to"), bundle.opened(self.bundle(*self.four())):
                pass
        self.refused(self.bundle(*self.four(), extra=[("documents/005.json", b"0" * (65 * 2**20))]), "of too many")
        many = [(f"documents/{number:05}.json", b"") for number in range(20000)]
        self.refused(self.bundle(extra=many), "too many files")

    def test_damaged_files_are_refused(self):
        data = self.bundle(*self.four()).read_bytes()
        for number, content in enumerate((b"", b"PK", data[:100], data[:-30], data[:200] + b"x" * 100 + data[300:])):
            file = self.folder / f"damaged{number}.zip"
            file.write_bytes(content)
            self.refused(file, "zip")
        self.refused(self.folder / "missing.zip", "No such file")

    @unittest.skipUnless(HAS_ROCRATE, "no rocrate: scripts/setup.sh share")
    def test_share_makes_what_compare_takes(self):
        documents = [hostile() for _ in range(4)]
        folder = self.side("mine", *documents)
        done = self.share(folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(self.folder / "out.zip") as packed:
            texts = [packed.read(name).decode().lower() for name in packed.namelist()] + packed.namelist()
        for name in REAL:
            self.assertFalse([text for text in texts if name in text], name)
        compared = self.compare(self.folder / "out.zip", folder)
        self.assertIn(compared.returncode, (0, 4), compared.stderr)
        self.assertNotIn("skipped", compared.stderr)

    @unittest.skipUnless(HAS_ROCRATE, "no rocrate: scripts/setup.sh share")
    def test_it_is_an_ro_crate(self):
        from rocrate.rocrate import ROCrate
        self.assertEqual(self.share(self.side("mine", *self.four())).returncode, 0)
        crate = ROCrate(self.folder / "out.zip")
        self.assertEqual(sorted(entity.id for entity in crate.data_entities),
                         [f"documents/00{number}.json" for number in range(4)])
        self.assertIn("AMD EPYC", crate.name)

    def test_refusals_of_the_command(self):
        folder = self.side("mine", sound())
        done = self.share(folder)
        self.assertEqual(done.stderr.splitlines(), [
            f"quartet: {fake_results.stream_name()}: 1 launch (at least 4)",
            f"quartet: {folder} is not fit to be shared (1 reason above): mend it, or measure again"])
        self.assertEqual((done.returncode, self.share(folder, "out.tar").returncode), (2, 2))

    def test_each_reason_is_a_line_whatever_number_of_documents_has_it(self):
        documents = [sound(system={}, complete=False) for _ in range(9)]
        done = self.share(self.side("mine", *documents))
        self.assertEqual([line.partition(" and 8 more: ")[2] for line in done.stderr.splitlines()],
                         ["was written while it measured", "nothing of the processor", ""])
        self.assertFalse((self.folder / "out.zip").exists())

    def share(self, folder, name="out.zip"):
        from in_process import quartet
        return quartet("share", folder, "--to", self.folder / name)

    def test_without_rocrate_it_says_how_to_get_it(self):
        with mock.patch.dict("sys.modules", {"rocrate": None, "rocrate.rocrate": None}):
            done = self.share(self.side("mine", *self.four()))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (77, 1), done.stderr)
        self.assertIn("scripts/setup.sh share", done.stderr)


if __name__ == "__main__":
    unittest.main()
