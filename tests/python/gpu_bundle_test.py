"""gpu_bundle.sh takes along what Quartet builds on: the packages that setup.sh installs for it."""

import re

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
