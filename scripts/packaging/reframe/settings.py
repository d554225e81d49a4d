"""ReFrame's settings for the machine that it runs on, without a batch system. A site has settings of its
own, with its partitions and launchers: checks.py goes with them as well."""

from pathlib import Path

from reframe.core.backends import register_launcher
from reframe.core.launchers import JobLauncher

LAUNCHER = Path(__file__).resolve().parents[2] / "launch.sh"


@register_launcher("quartet")
class LaunchScript(JobLauncher):
    """launch.sh RANKS PROGRAM."""

    def command(self, job):
        return [str(LAUNCHER), str(job.num_tasks)]


site_configuration = {
    "systems": [{
        "name": "here",
        "hostnames": [".*"],
        "partitions": [{
            "name": "local",
            "scheduler": "local",
            "launcher": "quartet",
            "environs": ["builtin"],
            "max_jobs": 1,  # they would disturb one another
        }],
    }],
}
