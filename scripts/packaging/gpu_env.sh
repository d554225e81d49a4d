# Source this, in bash: unpacks what gpu_bundle.sh has put beside it, once, and lets compilers, CMake and programs
# find it. QUARTET_GPU_ROOT: where to (/tmp/quartet-gpu).
# shellcheck shell=bash
_bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/root.tar.gz
_root=${QUARTET_GPU_ROOT:-/tmp/quartet-gpu}
if [ ! "$_root/made" -nt "$_bundle" ]; then
    rm -rf "$_root" && mkdir -p "$_root" && tar -C "$_root" -xf "$_bundle" && touch "$_root/made"
fi
_libraries=$_root/usr/lib/x86_64-linux-gnu
# nvcc, and CUDA's libraries, which CMake leaves out of the programs' run path.
_cuda=$(dirname "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")
export PATH=$_root/usr/bin:$PATH:$_cuda/bin
export LD_LIBRARY_PATH=$_libraries:$_libraries/openblas-pthread${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:$_cuda/lib64:$_cuda/lib
export CMAKE_PREFIX_PATH=$_root/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
# Open MPI and PMIx find their parts there, and their processes each other by the loopback interface.
export OPAL_PREFIX=$_root/usr OPAL_SYSCONFDIR=$_root/etc/openmpi
export PMIX_PKGLIBDIR=$_libraries/pmix2/lib/pmix PMIX_PKGDATADIR=$_libraries/pmix2/share/pmix
ip link set lo up 2>/dev/null || true
unset _bundle _root _libraries _cuda
