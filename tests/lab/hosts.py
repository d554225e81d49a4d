"""Hosts on one machine: each with a network, host name, /dev/shm and IPC of its own, all on one
switch, with links that can be slowed down and pulled. To be used in an enclosure (enclosure.py).

Files are shared, as from a file server. So are PIDs: mpirun on one host must enter the others."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Optional

from enclosure import scratch

AGENT = Path(__file__).with_name("agent.sh")
NETWORK = "10.77.0"
SECONDS_TO_BOOT = 20
# A sleeping process holds the namespaces of a host.
BOOT = """hostname "$1" && mount -t tmpfs tmpfs /dev/shm && mount --bind "$2/hosts" /etc/hosts &&
ip link set lo up && : >"$2/$1.up" && exec sleep infinity"""
# What may be sent at once after a pause: what passes in this time, and a packet.
SECONDS_OF_BURST, LEAST_BURST = 0.001, 1600
# A slow link. Partners share it evenly. Packets of less than 128 bytes do not wait, as two thirds of the rate is left
# where TCP's acknowledgements stand behind data: a queue here lasts much longer than that of a fast network.
SLOW_LINK = """qdisc add dev {device} root handle 1: htb
class add dev {device} parent 1: classid 1:1 htb rate {rate}bit burst {burst} cburst {burst}
class add dev {device} parent 1: classid 1:2 htb rate 100gbit
filter add dev {device} parent 1: prio 1 protocol ip u32 match u16 0 0xff80 at 2 flowid 1:2
"""
PARTNER = """class add dev {device} parent 1:1 classid 1:1{number} htb rate {share}bit ceil {rate}bit burst {burst} cburst {burst}
qdisc add dev {device} parent 1:1{number} tbf rate {rate}bit burst {burst} limit 16mb
filter add dev {device} parent 1: prio 2 protocol ip u32 match ip {field} {address} flowid 1:1{number}
"""


class Host:
    """One of them, with its cable to the switch unless it is the head, which has the switch."""

    def __init__(self, name: str, number: int, folder: Path):
        self.name = name
        self.address = f"{NETWORK}.{number}"
        self.port = f"port{number}"  # its cable's other end
        (folder / f"{name}.up").unlink(missing_ok=True)
        self._sleeper = subprocess.Popen(
            ["unshare", "--net", "--uts", "--ipc", "--mount", "--propagation", "private", "sh", "-c",
             BOOT, name, name, str(folder)], stdin=subprocess.DEVNULL, start_new_session=True)
        (folder / f"{name}.pid").write_text(str(self.pid), encoding="ascii")
        wait_for(lambda: (folder / f"{name}.up").exists(), SECONDS_TO_BOOT, f"{name} does not boot")

    @property
    def pid(self) -> int:
        return self._sleeper.pid

    def command(self, *words) -> list[str]:
        """The command line that runs another there, in this folder."""
        return ["nsenter", "-t", str(self.pid), "--net", "--uts", "--ipc", "--mount", "--", "env",
                "-C", os.getcwd(), *map(str, words)]

    def run(self, *words, timeout: float = 60, **how) -> subprocess.CompletedProcess:
        how = {"capture_output": True, "text": True, "check": False, "stdin": subprocess.DEVNULL, **how}
        return subprocess.run(self.command(*words), timeout=timeout, **how)

    def must(self, *words, **how) -> str:
        done = self.run(*words, **how)
        assert done.returncode == 0, (self.name, words, done)
        return done.stdout

    def processes(self) -> list[int]:
        """What runs there: the processes in its network, but for the sleeper."""
        network = os.readlink(f"/proc/{self.pid}/ns/net")
        return [pid for pid in _processes() if pid != self.pid and _network(pid) == network]

    def kill_all(self) -> None:
        for pid in [*self.processes(), self.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # gone meanwhile
        self._sleeper.wait()


class Hosts:
    """head, and n1 to nN."""

    def __init__(self, count: int):
        self._folder = scratch()
        names = ["head", *(f"n{number}" for number in range(1, count + 1))]
        self._numbers = {name: number or 254 for number, name in enumerate(names)}
        lines = [f"{NETWORK}.{number} {name}\n" for name, number in self._numbers.items()]
        (self._folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(lines))
        self._hosts: dict[str, Host] = {}
        self.boot("head")
        for command in ("add switch type bridge", "set switch up"):
            self.head.must("ip", "link", *command.split())
        self.head.must("ip", "address", "add", f"{self.head.address}/24", "dev", "switch")
        for name in names[1:]:
            self.boot(name)

    def __getitem__(self, name: str) -> Host:
        return self._hosts[name]

    @property
    def head(self) -> Host:
        return self._hosts["head"]

    @property
    def nodes(self) -> list[Host]:
        return [host for host in self._hosts.values() if host is not self.head]

    def boot(self, name: str) -> None:
        """Makes the host; again, after a crash."""
        host = self._hosts[name] = Host(name, self._numbers[name], self._folder)
        if name == "head":
            return
        self.head.run("ip", "link", "del", host.port)  # of the host that crashed, if it is still there
        self.head.must("ip", "link", "add", host.port, "type", "veth", "peer", "name", "eth0", "netns", str(host.pid))
        self.head.must("ip", "link", "set", host.port, "master", "switch", "up")
        host.must("ip", "address", "add", f"{host.address}/24", "dev", "eth0")
        host.must("ip", "link", "set", "eth0", "up")

    def crash(self, name: str) -> None:
        """The host is gone from one moment to the next, and says no goodbye."""
        self.unplug(name)
        self._hosts[name].kill_all()

    def unplug(self, name: str) -> None:
        self.head.must("ip", "link", "set", self._hosts[name].port, "down")

    def plug_in(self, name: str) -> None:
        self.head.must("ip", "link", "set", self._hosts[name].port, "up")
        # The hosts have learnt meanwhile that nobody answers; the switch needs a moment.
        for host in self._hosts.values():
            host.must("ip", "neigh", "flush", "all")
        time.sleep(1)

    def plug_in_fabric(self, *names: str) -> None:
        """Gives these hosts an InfiniBand adapter that is up, and that nothing ever uses."""
        classes = self._folder / "class"
        port = classes / "infiniband" / "mlx5_0" / "ports" / "1"
        (port / "counters").mkdir(parents=True, exist_ok=True)
        (classes / "net").mkdir(exist_ok=True)
        for file, text in (("state", "4: ACTIVE"), ("rate", "100 Gb/sec (4X EDR)"), ("link_layer", "InfiniBand"),
                           ("counters/port_xmit_data", "1000")):
            (port / file).write_text(text + "\n", encoding="ascii")
        for name in names:
            self[name].must("mount", "--bind", "/sys/class/net", classes / "net")
            self[name].must("mount", "--rbind", classes, "/sys/class")

    def shape(self, megabits: float, *names: str) -> None:
        """Lets these links, or every one, carry so many Mbit/s in either direction, Ethernet's headers included."""
        for host in [self[name] for name in names] or self.nodes:
            self._slow_down(host, "eth0", "dst", megabits)
            self._slow_down(self.head, host.port, "src", megabits)

    def _slow_down(self, where: Host, device: str, field: str, megabits: float) -> None:
        """`field` of a packet's header tells partners from one another."""
        rate = round(megabits * 1e6)
        facts = {"device": device, "field": field, "rate": rate, "share": rate // len(self._numbers),
                 "burst": max(LEAST_BURST, round(SECONDS_OF_BURST * rate / 8))}
        lines = SLOW_LINK.format(**facts) + "".join(
            PARTNER.format(**facts, number=number, address=f"{NETWORK}.{number}") for number in self._numbers.values())
        script = self._folder / "slow_link"
        script.write_text(lines, encoding="ascii")
        where.run("tc", "qdisc", "del", "dev", device, "root")  # of an earlier rate
        where.must("tc", "-batch", script)

    def close(self) -> None:
        for host in reversed(list(self._hosts.values())):
            host.kill_all()


def mpirun(*words: str, settings: Optional[dict[str, str]] = None) -> list[str]:
    """Open MPI's launcher for these hosts, to be run on one of them."""
    told = {"plm": "rsh", "plm_rsh_agent": AGENT, "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0", "orte_execute_quiet": 1, "mpi_yield_when_idle": 1,
            **(settings or {})}
    return ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun",
            *(word for name, value in told.items() for word in ("--mca", name, str(value))),
            "--oversubscribe", "--bind-to", "none", *map(str, words)]


def wait_for(condition, seconds: float, complaint: str, pause: float = 0.05):
    """What the condition gives, once it is true."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, complaint
        time.sleep(pause)


def _processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def _network(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""  # gone, or a zombie
