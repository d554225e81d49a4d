"""What quartet nodes --this writes, read by a real Prometheus from a real node exporter, where Debian's are installed
(scripts/setup.sh prometheus)."""

import json
import shutil
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from nodes_this_test import SICK, SOUND, FakeNode

SECONDS = 60
CONFIGURATION = """global: {{scrape_interval: 1s}}
scrape_configs: [{{job_name: node, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}]
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@unittest.skipUnless(shutil.which("prometheus") and shutil.which("prometheus-node-exporter"),
                     "there is no Prometheus with its node exporter")
class RealPrometheus(FakeNode):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "textfiles" / "quartet.prom"
        self.file.parent.mkdir()
        exporter, self.port = free_port(), free_port()
        (self.folder / "prometheus.yml").write_text(CONFIGURATION.format(port=exporter))
        self.start("prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{exporter}", "--collector.disable-defaults",
                   "--collector.textfile", f"--collector.textfile.directory={self.file.parent}")
        self.start("prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/store",
                   f"--web.listen-address=127.0.0.1:{self.port}")

    def start(self, *words):
        with open(self.folder / f"{words[0]}.log", "wb") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def query(self, text):
        """The values now, by what tells them apart."""
        address = f"http://127.0.0.1:{self.port}/api/v1/query?{urllib.parse.urlencode({'query': text})}"
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                results = json.load(answer)["data"]["result"]
        except (OSError, urllib.error.URLError):
            return {}  # not up yet
        return {one["metric"].get("state") or one["metric"].get("row", ""): float(one["value"][1]) for one in results}

    def wait_for(self, text, wanted):
        end = time.monotonic() + SECONDS
        while (found := self.query(text)) != wanted:
            self.assertLess(time.monotonic(), end, (text, found, wanted))
            time.sleep(0.2)

    def test_it_scrapes_the_verdict_and_the_rates(self):
        row = "cg/native/host/shm/n:512/ranks:2/threads:1"
        for rate, code, state in ((100, SOUND, "sound"), (40, SICK, "sick")):
            self.program("cg", rate)
            self.assertEqual(self.check("--prometheus", self.file).returncode, code)
            self.wait_for("quartet_node_state == 1", {state: 1})
            self.wait_for("quartet_node_rate", {row: rate})
            self.wait_for("quartet_node_fraction_of_reference", {row: rate / 100})
            self.wait_for("up", {"": 1})
            self.wait_for("node_textfile_scrape_error", {"": 0})
            self.assertLess(next(iter(self.query("time() - quartet_node_time_seconds").values())), 2 * SECONDS)


if __name__ == "__main__":
    unittest.main()
