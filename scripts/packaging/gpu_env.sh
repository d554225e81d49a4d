# To be sourced in bash: unpacks the archive of gpu_bundle.sh beside it, once, and sets variables by which compilers,
# CMake and programs find its files. QUARTET_GPU_ROOT: the folder for them (/tmp/quartet-gpu).
# shellcheck shell=bash
_bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/root.tar.gz
_root=${QUARTET_GPU_ROOT:-/tmp/quartet-gpu}
# Another user who owns the folder may have put programs there.
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
# The folder of nvcc and of CUDA's libraries, which CMake does not put into the programs' run path.
_cuda=$(dirname "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")
export PATH=$_root/usr/bin:$PATH:$_cuda/bin
export LD_LIBRARY_PATH=$_libraries:$_libraries/openblas-pthread${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:$_cuda/lib64:$_cuda/lib
export CMAKE_PREFIX_PATH=$_root/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
# Where Open MPI and PMIx find their components. Their processes use the loopback interface.
export OPAL_PREFIX=$_root/usr OPAL_SYSCONFDIR=$_root/etc/openmpi
export PMIX_PKGLIBDIR=$_libraries/pmix2/lib/pmix PMIX_PKGDATADIR=$_libraries/pmix2/share/pmix
# That may be down, without a tool to raise it: SIOCSIFFLAGS sets it up and running.
python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x49))' 2>/dev/null || true
# gVisor reports 4.4.0; its processes cannot copy from each other's memory.
case $(uname -r) in 4.4.0) export OMPI_MCA_btl_vader_single_copy_mechanism=none ;; esac
unset _bundle _root _libraries _cuda
