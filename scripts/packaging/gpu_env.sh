# Source this, in bash: unpacks what gpu_bundle.sh has put beside it, once, and lets compilers, CMake and programs
# find it. QUARTET_GPU_ROOT: where to (/tmp/quartet-gpu).
# shellcheck shell=bash
_bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/root.tar.gz
_root=${QUARTET_GPU_ROOT:-/tmp/quartet-gpu}
# Whoever has made that folder, or the link, may have put programs there.
if [ -e "$_root" ] && [ "$(stat -c %u "$_root")" != "$(id -u)" ]; then
    echo "env.sh: $_root is another user's (its programs would be run): name another folder in QUARTET_GPU_ROOT" >&2
    unset _bundle _root
    return 2
fi
if [ ! "$_root/made" -nt "$_bundle" ]; then
    if [ -e "$_root/made" ] || [ -z "$(ls -A "$_root" 2>/dev/null)" ]; then
        rm -rf "$_root" && mkdir -p "$_root" && touch -d @0 "$_root/made" && tar -C "$_root" -xf "$_bundle" && touch "$_root/made"
    else
        echo "env.sh: $_root has other files: name another folder in QUARTET_GPU_ROOT" >&2
    fi
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
# It may be down, and there may be no tool to raise it: SIOCSIFFLAGS, up and running.
python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x49))' 2>/dev/null || true
# gVisor says 4.4.0; its processes cannot copy from one another.
case $(uname -r) in 4.4.0) export OMPI_MCA_btl_vader_single_copy_mechanism=none ;; esac
unset _bundle _root _libraries _cuda
