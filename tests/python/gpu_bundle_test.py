"""gpu_bundle.sh takes along what Quartet builds on: the packages that setup.sh installs for it."""

import os
import re
import subprocess

import pytest

from tree import SCRIPTS

BUNDLE = (SCRIPTS / "packaging" / "gpu_bundle.sh").read_text(encoding="utf-8")
SETUP = (SCRIPTS / "setup.sh").read_text(encoding="utf-8")
# Without them a transport or a formulation is left out; neither runs on GPUs.
NOT_FOR_GPUS = {"libgrpc++-dev", "libscalapack-openmpi-dev"}


def packages(bundle):
    return set(re.search(r"^packages=\(\n(.*?)^\)", bundle, re.MULTILINE | re.DOTALL)[1].split())


def wanted(setup):
    """Debian's packages of headers, of the groups run and test."""
    return set(re.findall(r"^(?:run|test) +\S+ +(\S+-dev) ", setup, re.MULTILINE))


def test_each_library_that_setup_installs_is_in_the_bundle():
    assert len(wanted(SETUP)) > 10
    assert wanted(SETUP) - packages(BUNDLE) == NOT_FOR_GPUS


def test_one_that_is_left_out_is_noticed():
    without = BUNDLE.replace("libxxhash-dev", "")
    assert wanted(SETUP) - packages(without) == {*NOT_FOR_GPUS, "libxxhash-dev"}


@pytest.mark.skipif(os.geteuid() != 0, reason="another user's folder needs root")
def test_what_another_user_has_put_there_is_not_run(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    os.chown(root, 65534, 65534)
    script = f'. "{SCRIPTS}/packaging/gpu_env.sh"; echo "$? $PATH"'
    done = subprocess.run(["bash", "-c", script], env={"PATH": os.environ["PATH"], "QUARTET_GPU_ROOT": str(root)},
                          text=True, capture_output=True, check=True)
    assert done.stdout == f"2 {os.environ['PATH']}\n"
    assert f"{root} is another user's" in done.stderr
