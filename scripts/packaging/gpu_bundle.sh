#!/usr/bin/env bash
# gpu_bundle.sh [FOLDER]: copies the libraries that Quartet needs from this Debian's packages (amd64; `setup.sh test`
# installs them) to FOLDER (.gpu), for a machine without a network that has a C++ compiler, CMake, Python, CUDA, and a
# C library no older than this one's. There, in bash:
#     . .gpu/env.sh && scripts/quartet gpu
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-.gpu}
packages=(
    openmpi-bin openmpi-common libpmix2 libopenblas0-pthread
    libopenmpi-dev libopenblas-dev libopenblas-pthread-dev libfftw3-dev libfftw3-mpi-dev
    libfmt-dev libcli11-dev nlohmann-json3-dev librandom123-dev libhwloc-dev libxxhash-dev
    libgtest-dev libgmock-dev
)
# And the packages of the libraries themselves, of the same versions.
mapfile -t -O ${#packages[@]} packages < <(
    dpkg-query -W -f '${Depends}, ' "${packages[@]}" | tr , '\n' | awk '/\(= / { print $1 }'
)
system='^lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|gomp|z|udev)\.so|^ld-linux' # that every machine has
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
libraries=$root/usr/lib/x86_64-linux-gnu

dpkg -L "${packages[@]}" | sed 's,^/,,' | grep -E '^(usr/(bin|include|lib|share/(cmake|openmpi|pmix))|etc)/' | sort -u |
    tar -C / --no-recursion -cf - -T - | tar -C "$root" -xf -
# Compilers search the folder of the architecture only below /usr.
mv "$root"/usr/include/x86_64-linux-gnu/hwloc/* "$root/usr/include/hwloc/"
find "$root" -name '*.a' ! -name 'libg[tm]*' -delete
for name in mpicxx mpiexec mpirun; do ln -s "$name.openmpi" "$root/usr/bin/$name"; done

# missing FILE...: the libraries that these files need, and that are neither in the bundle nor the system's.
missing() {
    comm -23 <(objdump -p "$@" 2>/dev/null | awk '/NEEDED/ { print $2 }' | grep -vE "$system" | sort -u) \
        <(find "$root" -name '*.so*' -xtype f -printf '%f\n' | sort -u)
}
# Open MPI's components for networks and batch systems, whose libraries are left out, are left out too.
while
    # shellcheck disable=SC2046 # several names, without spaces
    names=$(missing $(find "$root" -type f ! -name '*mca_*' \( -name '*.so*' -o -path '*/bin/*' \)))
    [ -n "$names" ]
do
    for name in $names; do cp -L "/usr/lib/x86_64-linux-gnu/$name" "$libraries"; done
done
find "$root" -type f -name '*mca_*' | sort | while read -r part; do
    [ -z "$(missing "$part")" ] || rm "$part"
done

mkdir -p "$folder"
tar -C "$root" --sort=name --owner=0 --group=0 -czf "$folder/root.tar.gz" .
cp scripts/packaging/gpu_env.sh "$folder/env.sh"
du -h "$folder/root.tar.gz"
