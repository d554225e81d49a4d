#!/bin/sh
# setup.sh [GROUP]: installs what is missing. Silent when nothing is. GROUP is one of
#
#   run         to build and run the four programs (the default)
#   report      to draw charts
#   test        run and report, and to build and run the tests
#   manuals     to install man pages and completions
#   lint        test, and to lint
#   fuzz        run and test, and to look for inputs that break a reader
#   lab         test, and a Slurm and hosts for the tests in tests/lab
#   tensorflow  TensorFlow to compare with: 1.5 GB from PyPI, in build/tensorflow
#   mpich, blis run, and another MPI or BLAS to build with
#   mkl         Intel's MKL to build with: 0.7 GB from PyPI, in build/mkl
#   aarch64     run, and to build and emulate programs for Arm: Debian's packages for it, 0.7 GB in build/aarch64
#   root        to make a root of Debian 13
#   container   root, and to make an image
#   venv FOLDER PACKAGE...  these packages from PyPI, in a virtual environment
#
# A tool is present if it is on PATH; a library, if its header (or the library, if it has none) is where
# compilers and CMake look. Modules, Spack and your own builds therefore count like packages. If nothing can
# be installed (no apt-get, or neither root nor sudo) it names what is missing and exits 2.
#
# QUARTET_PREFIXES: where the system's own software lies (/usr:/usr/local).
# QUARTET_TENSORFLOW: the folder of TensorFlow's environment (build/tensorflow).
set -u

# Group; how it is recognised; its package for apt, dnf and spack; what it is.
requirements='
run  command:c++,g++,clang++,CC        g++                gcc-c++                gcc           a C++ compiler
run  command:cmake                     cmake              cmake                  cmake         CMake (3.25 or newer)
run  command:ninja,ninja-build         ninja-build        ninja-build            ninja         Ninja
run  mpi:mpicxx,mpic++,mpiicpc,CC      libopenmpi-dev     openmpi-devel          openmpi       an MPI compiler
run  command:mpiexec,mpirun,srun       openmpi-bin        openmpi                openmpi       an MPI launcher
run  command:python3                   python3            python3                python        Python 3
run  header:openblas_config.h,blis/cblas.h,mkl_cblas.h libopenblas-dev openblas-devel openblas a fast CBLAS
run  header:fftw3.h                    libfftw3-dev       fftw-devel             fftw          FFTW
run  header:fftw3-mpi.h                libfftw3-mpi-dev   fftw-openmpi-devel     fftw+mpi      FFTW for MPI
run  library:scalapack-openmpi,scalapack-mpich,scalapack libscalapack-openmpi-dev scalapack-openmpi-devel netlib-scalapack ScaLAPACK
run  header:fmt/format.h               libfmt-dev         fmt-devel              fmt           {fmt}
run  header:CLI/CLI.hpp                libcli11-dev       cli11-devel            cli11         CLI11
run  header:nlohmann/json.hpp          nlohmann-json3-dev json-devel             nlohmann-json nlohmann/json
run  header:Random123/philox.h         librandom123-dev   Random123-devel        random123     Random123
run  header:hwloc.h                    libhwloc-dev       hwloc-devel            hwloc         hwloc
run  header:xxhash.h                   libxxhash-dev      xxhash-devel           xxhash        xxHash
run  header:grpcpp/generic/generic_stub.h libgrpc++-dev   grpc-devel             grpc          gRPC
test header:gtest/gtest.h              libgtest-dev       gtest-devel            googletest    GoogleTest
test header:gmock/gmock.h              libgmock-dev       gmock-devel            googletest    GoogleMock
test share:benchmark/compare.py        libbenchmark-tools google-benchmark       benchmark     compare.py of Google Benchmark
test module:numpy                      python3-numpy      python3-numpy          py-numpy      NumPy
test module:scipy                      python3-scipy      python3-scipy          py-scipy      SciPy
test module:jsonschema                 python3-jsonschema python3-jsonschema     py-jsonschema jsonschema
test module:pytest                     python3-pytest     python3-pytest         py-pytest     pytest
test module:xdist                      python3-pytest-xdist python3-pytest-xdist py-pytest-xdist pytest-xdist
test module:pandas                     python3-pandas     python3-pandas         py-pandas     pandas
report module:matplotlib               python3-matplotlib python3-matplotlib     py-matplotlib matplotlib
test command:clang-format              clang-format       clang-tools-extra      llvm          clang-format
manuals command:help2man               help2man           help2man               help2man      help2man
manuals command:register-python-argcomplete,register-python-argcomplete3 python3-argcomplete python3-argcomplete py-argcomplete argcomplete
venv venv:python3                python3-venv       python3                python        venv for Python
fuzz fuzzer:clang++-22,clang++-21,clang++-20,clang++-19 clang-19 clang             llvm          Clang (19 or newer)
fuzz fuzzer:clang++-22,clang++-21,clang++-20,clang++-19 libclang-rt-19-dev compiler-rt llvm      its libFuzzer and sanitizers
fuzz fuzzer:clang++-22,clang++-21,clang++-20,clang++-19 libomp-19-dev libomp-devel llvm-openmp   its OpenMP
lab  command:slurmctld                 slurmctld          slurm-slurmctld        slurm         slurmctld
lab  command:slurmd                    slurmd             slurm-slurmd           slurm         slurmd
lab  command:sbatch                    slurm-client       slurm                  slurm         sbatch, squeue and the like
lab  command:munged                    munge              munge                  munge         MUNGE
lab  command:ip                        iproute2           iproute                iproute2      ip
lab  command:tc                        iproute2           iproute-tc             iproute2      tc
lab  share:modules/init/sh,lmod/lmod/init/sh environment-modules environment-modules environment-modules environment modules
mpich mpi:mpicxx.mpich                 libmpich-dev       mpich-devel            mpich         MPICH
mpich command:mpiexec.mpich,mpiexec.hydra mpich           mpich                  mpich         its launcher
mpich library:scalapack-mpich          libscalapack-mpich-dev scalapack-mpich-devel netlib-scalapack ScaLAPACK for it
blis header:blis-openmp/cblas.h,blis-pthread/cblas.h,blis/cblas.h libblis-openmp-dev blis-devel blis BLIS
root command:debootstrap               debootstrap        debootstrap            debootstrap   debootstrap
container command:podman               podman             podman                 podman        Podman
container command:runc                 runc               runc                   runc          runc
aarch64 command:aarch64-linux-gnu-g++  g++-aarch64-linux-gnu gcc-c++-aarch64-linux-gnu gcc   a C++ compiler for aarch64
aarch64 command:qemu-aarch64           qemu-user          qemu-user              qemu          user-mode QEMU
'
prefixes=${QUARTET_PREFIXES:-/usr:/usr/local}
tensorflow='tensorflow-cpu==2.21.0'
mkl='mkl==2026.2.0 mkl-include==2026.2.0'
carried=$(dirname "$0")/../carried/include # of a release tarball

# Functions with a body in ( ) run in subshells: IFS and exit have no effect outside.

# True if any of the comma-separated names is on PATH.
has_command() (
    IFS=,
    for name in $1; do
        command -v "$name" >/dev/null && exit 0
    done
    exit 1
)

# True if any of the comma-separated compilers finds mpi.h; a wrapper may be installed without it.
has_mpi() (
    IFS=,
    for compiler in $1; do
        printf '#if !__has_include(<mpi.h>)\n#error\n#endif\n' |
            "$compiler" -E -x c++ - >/dev/null 2>&1 && exit 0
    done
    exit 1
)

# True if any of the comma-separated compilers links a fuzz target.
has_fuzzer() (
    IFS=,
    for compiler in $1; do
        command -v "$compiler" >/dev/null || continue
        printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
            "$compiler" -fsanitize=fuzzer,address -fopenmp -x c++ - -o /dev/null >/dev/null 2>&1 && exit 0
    done
    exit 1
)

# True if compilers or CMake would find any of the comma-separated headers.
has_header() (
    IFS=,:
    for name in $1; do
        for folder in ${CPATH-} ${CPLUS_INCLUDE_PATH-}; do
            [ -e "$folder/$name" ] && exit 0
        done
        [ ! -e "$carried/$name" ] || exit 0
        for prefix in $prefixes ${CMAKE_PREFIX_PATH-} ${MKLROOT-}; do
            # Some systems have headers in a folder of the architecture, or of the vendor.
            for file in "$prefix/include/$name" "$prefix"/include/*-linux-gnu/"$name" \
                "$prefix"/include/openblas*/"$name" \
                "$prefix"/include/*-linux-gnu/openblas*/"$name"; do
                [ -e "$file" ] && exit 0
            done
        done
    done
    exit 1
)

# True if linkers would find any of the comma-separated libraries, which have no headers.
has_library() (
    IFS=,:
    for prefix in $prefixes ${CMAKE_PREFIX_PATH-}; do
        for name in $1; do
            for file in "$prefix"/lib/lib"$name".* "$prefix"/lib64/lib"$name".* \
                "$prefix"/lib/*-linux-gnu/lib"$name".* "$prefix"/lib64/*mpi*/lib/lib"$name".*; do
                [ -e "$file" ] && exit 0
            done
        done
    done
    exit 1
)

# True if any prefix has any of the comma-separated files in share/.
has_share() (
    IFS=,:
    for prefix in $prefixes ${CMAKE_PREFIX_PATH-}; do
        for name in $1; do
            [ -e "$prefix/share/$name" ] && exit 0
        done
    done
    exit 1
)

# The Python modules that are missing. One Python must have them all, the system's or that on PATH; if none
# has, prints what the first one lacks, the system's: packages are installed for that.
find_missing_modules() (
    modules=matplotlib
    case $groups in *" test "*) modules='numpy scipy jsonschema pytest xdist pandas matplotlib' ;; esac
    missing_first=
    IFS=:
    for python in $prefixes PATH; do
        if [ "$python" = PATH ]; then python=python3; else python=$python/bin/python3; fi
        command -v "$python" >/dev/null || continue
        missing=$("$python" -c 'import importlib.util, sys
print(*(name for name in sys.argv[1].split() if not importlib.util.find_spec(name)))' "$modules")
        [ -z "$missing" ] && exit
        missing_first=${missing_first:-$missing}
    done
    echo "${missing_first:-$modules}"
)

is_there() {
    case $1 in
    command:*) has_command "${1#*:}" ;;
    mpi:*) has_mpi "${1#*:}" ;;
    header:*) has_header "${1#*:}" ;;
    library:*) has_library "${1#*:}" ;;
    share:*) has_share "${1#*:}" ;;
    venv:*) "${1#*:}" -c 'import ensurepip, venv' >/dev/null 2>&1 ;;
    fuzzer:*) has_fuzzer "${1#*:}" ;;
    module:*) case " $missing_modules " in *" ${1#*:} "*) false ;; esac ;;
    esac
}

# Sets `missing` (names), `probes`, and the lists of packages `apt`, `dnf` and `spack`.
find_missing() {
    missing='' probes='' apt='' dnf='' spack='' missing_modules=''
    case $groups in *" report "*) missing_modules=$(find_missing_modules) ;; esac
    while read -r group probe for_apt for_dnf for_spack name; do
        case $groups in *" ${group:-none} "*) ;; *) continue ;; esac
        is_there "$probe" && continue
        [ "$for_dnf" = - ] && [ -n "$(find_obstacle)" ] && continue # only apt has it, and nothing depends on it
        missing="$missing${missing:+, }$name"
        probes="$probes $probe"
        apt="$apt $for_apt"
        case "$dnf " in *" $for_dnf "*) ;; *) dnf="$dnf $for_dnf" ;; esac
        case "$spack " in *" $for_spack "*) ;; *) spack="$spack $for_spack" ;; esac
    done <<LIST
$requirements
LIST
}

# Names what is missing and why it cannot be installed, and exits.
give_up() {
    cat >&2 <<MESSAGE
setup: missing: $missing
setup: cannot install it here ($1). Load your site's modules for it, or have it installed:
  apt-get install --no-install-recommends$apt
  dnf install$dnf
  spack install$spack
MESSAGE
    exit 2
}

# If only libraries seem to be missing, CMake decides: sites have them in other places.
cmake_is_content() (
    case $probes in *command:* | *mpi:* | *share:* | *module:* | *fuzzer:* | *venv:*) exit 1 ;; esac
    tests=OFF
    case $groups in *" test "*) tests=ON ;; esac
    build=$(mktemp -d)
    trap 'rm -rf "$build"' EXIT
    cmake -S "$(dirname "$0")/.." -B "$build" -G Ninja -D QUARTET_TESTS=$tests >/dev/null 2>&1
)

# Prints why nothing can be installed here; nothing if it can.
find_obstacle() {
    if ! command -v apt-get >/dev/null; then
        echo 'no apt-get'
    elif [ "$(id -u)" = 0 ]; then
        :
    elif ! command -v sudo >/dev/null; then
        echo 'neither root nor sudo'
    elif ! [ -t 0 ] && ! sudo -n true 2>/dev/null; then
        echo 'sudo wants a password'
    fi
}

install() {
    for package in $apt; do
        echo "setup: installing $package"
    done
    log=$(mktemp)
    sudo=sudo
    [ "$(id -u)" = 0 ] && sudo=
    apt_get="$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300"
    # An old or partly unreachable index may suffice: the installation decides.
    $apt_get update >"$log" 2>&1 || echo 'setup: the package index could not be refreshed' >&2
    # shellcheck disable=SC2086  # lists of words
    if ! $apt_get install --no-install-recommends $apt >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        give_up 'apt-get install failed'
    fi
    rm -f "$log"
    find_missing
    [ -z "$missing" ] || give_up 'not found after its installation'
}

# Old versions of CMake fail late, with unclear messages.
check_cmake() {
    version=$(cmake --version)
    version=${version#cmake version }
    version=${version%%[!0-9.]*}
    major=${version%%.*}
    minor=${version#*.}
    minor=${minor%%.*}
    if [ "$major" -lt 3 ] || { [ "$major" = 3 ] && [ "$minor" -lt 25 ]; }; then
        echo "setup: CMake $version at $(command -v cmake) is too old (3.25 is needed):" \
            "load a newer module, or 'python3 -m pip install cmake'" >&2
        exit 2
    fi
}

# make_venv FOLDER PACKAGE...: makes a virtual environment, and records its packages when they are installed.
make_venv() {
    folder=$1
    shift
    [ "$(cat "$folder/packages" 2>/dev/null)" != "$*" ] || return 0
    python3 -m venv --clear "$folder" &&
        "$folder/bin/pip" install -q --disable-pip-version-check "$@" &&
        echo "$*" >"$folder/packages"
}

# Unpacks Debian's packages of libraries for arm64 in build/aarch64. apt uses its own folders there, so that the
# machine's packages do not change. The work of the packages' installation scripts is done here.
make_aarch64_root() (
    root=$(dirname "$0")/../build/aarch64
    libraries=''
    while read -r group probe for_apt rest; do
        case $group-$probe in run-mpi:* | run-header:* | run-library:* | test-header:*) libraries="$libraries $for_apt" ;; esac
    done <<LIST
$requirements
LIST
    [ "$(cat "$root/packages" 2>/dev/null)" != "$libraries" ] || exit 0
    echo "setup: unpacking Debian's packages for arm64: 0.7 GB, a minute or more"
    rm -rf "$root" && mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial" || exit
    root=$(cd "$root" && pwd)
    cd "$root" || exit
    : >apt/status
    cat >apt/conf <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "$root/apt";
Dir::State::status "$root/apt/status";
Dir::Cache "$root/apt/cache";
CONF
    export APT_CONFIG=apt/conf
    # shellcheck disable=SC2086  # a list of words
    if ! { apt-get -q update && apt-get -q -y --no-install-recommends --download-only install $libraries; } >apt/log 2>&1; then
        tail -n 20 apt/log >&2
        exit 2
    fi
    for package in apt/cache/archives/*.deb; do
        dpkg-deb -x "$package" . || exit
    done
    [ -e lib ] || ln -s usr/lib lib
    # For the linker, absolute links would lead out of this root: they become relative.
    find . -type l -lname '/*' | while read -r link; do
        ln -sf --relative ".$(readlink "$link")" "$link"
    done
    for name in libblas.so.3 liblapack.so.3 libopenblas.so libopenblas.so.0; do
        ln -s openblas-pthread/$name usr/lib/aarch64-linux-gnu/
    done
    rm -r apt/cache
    echo "$libraries" >packages
)

case ${1:-run} in
run) groups=' run ' ;;
report) groups=' report ' ;;
test) groups=' run report test ' ;;
manuals) groups=' manuals ' ;;
lint) groups=' run report test venv ' ;;
fuzz) groups=' run test fuzz ' ;;
lab) groups=' run report test lab ' ;;
tensorflow | mkl) groups=' venv ' ;;
mpich) groups=' run mpich ' ;;
blis) groups=' run blis ' ;;
aarch64) groups=' run aarch64 ' ;;
root) groups=' root ' ;;
container) groups=' root container ' ;;
venv)
    [ $# -ge 3 ] || {
        echo 'setup: venv needs a folder and the packages for it' >&2
        exit 2
    }
    groups=' venv '
    ;;
*)
    echo "setup: '$1' is not one of run, report, test, manuals, lint, fuzz, lab, tensorflow, mpich, blis, mkl, aarch64, root, container, venv" >&2
    exit 2
    ;;
esac
find_missing
if [ -n "$missing" ]; then
    obstacle=$(find_obstacle)
    if [ -z "$obstacle" ]; then
        install
    elif ! cmake_is_content; then
        give_up "$obstacle"
    fi
fi
case $groups in *" run "*) check_cmake ;; esac
case ${1-} in
tensorflow)
    folder=${QUARTET_TENSORFLOW:-$(dirname "$0")/../build/tensorflow}
    [ -e "$folder/packages" ] || echo 'setup: installing TensorFlow from PyPI: 1.5 GB, a minute or more'
    make_venv "$folder" "$tensorflow"
    ;;
mkl)
    folder=$(dirname "$0")/../build/mkl
    [ -e "$folder/packages" ] || echo "setup: installing Intel's MKL from PyPI: 0.7 GB, half a minute or more"
    # Its dependencies are only for threads by TBB or Intel's OpenMP, and for GPUs.
    # shellcheck disable=SC2086  # a list of words
    make_venv "$folder" --no-deps $mkl
    ;;
aarch64) make_aarch64_root ;;
venv)
    shift
    make_venv "$@"
    ;;
esac
