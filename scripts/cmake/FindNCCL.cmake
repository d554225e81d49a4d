# NCCL: NCCL_INCLUDE_DIR, NCCL_LIBRARY and NCCL_VERSION. Header and library come from one place:
# NCCL_ROOT (a variable, here or of the environment), the CUDA toolkit, Python's nvidia-nccl package,
# else the system.
set(_roots ${NCCL_ROOT} $ENV{NCCL_ROOT} ${CUDAToolkit_TARGET_DIR} ${CUDAToolkit_LIBRARY_ROOT})
find_program(NCCL_PYTHON NAMES python3 python)
if(NCCL_PYTHON)
  execute_process(
    COMMAND ${NCCL_PYTHON} -c
            "import os, sys; print(';'.join(os.path.join(path, 'nvidia', 'nccl') for path in sys.path))"
    OUTPUT_VARIABLE _python_roots OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND _roots ${_python_roots})
endif()
foreach(_root IN LISTS _roots)
  if(NOT NCCL_INCLUDE_DIR OR NOT NCCL_LIBRARY)
    unset(NCCL_INCLUDE_DIR CACHE)
    unset(NCCL_LIBRARY CACHE)
    find_path(NCCL_INCLUDE_DIR nccl.h PATHS ${_root}/include NO_DEFAULT_PATH)
    find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 PATHS ${_root}/lib64 ${_root}/lib
                 NO_DEFAULT_PATH)  # Python's package has no libnccl.so
  endif()
endforeach()
if(NOT NCCL_INCLUDE_DIR OR NOT NCCL_LIBRARY)
  unset(NCCL_INCLUDE_DIR CACHE)
  unset(NCCL_LIBRARY CACHE)
  find_path(NCCL_INCLUDE_DIR nccl.h)
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2)
endif()
mark_as_advanced(NCCL_PYTHON NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h _version REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX REPLACE "[^0-9;]" "" _version "${_version}")
  list(JOIN _version "." NCCL_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR
                                  VERSION_VAR NCCL_VERSION)
