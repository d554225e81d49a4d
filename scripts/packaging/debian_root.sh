#!/usr/bin/env bash
# debian_root.sh FOLDER [COMMAND]: makes a Debian 13 in FOLDER by debootstrap, as root, with what Quartet needs and the
# last commit's sources in /opt/quartet-source. Then runs COMMAND there by bash, or else builds Quartet and installs it
# in /opt/quartet. A Debian that FOLDER has already is kept. It can be the base of an image if none can be fetched:
#     tar -C FOLDER -c . | podman import - quartet       or       apptainer build quartet.sif FOLDER
#
# QUARTET_SUITE: another suite of Debian (trixie)
# QUARTET_MIRROR: the mirror of its packages (http://deb.debian.org/debian)
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ -z "$1" ]; then
    echo "debian_root.sh: usage: debian_root.sh FOLDER [COMMAND]" >&2
    exit 2
fi
mkdir -p "$1"
root=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."

# Runs a command of bash in the root; its mounts end with it.
in_root() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount bash -euc '
        mount -t proc proc "$0/proc"
        mount -t sysfs sysfs "$0/sys"
        mount --rbind /dev "$0/dev"
        exec chroot "$0" env -i HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "$1"' "$root" "$1"
}

[ -e "$root/etc/debian_version" ] ||
    debootstrap --variant=minbase "${QUARTET_SUITE:-trixie}" "$root" "${QUARTET_MIRROR:-http://deb.debian.org/debian}"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/opt/quartet-source"
find "$root/opt/quartet-source" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
git archive HEAD | tar -x -C "$root/opt/quartet-source"
in_root "cd /opt/quartet-source && scripts/setup.sh run || exit
${2:-scripts/packaging/install.sh}"
