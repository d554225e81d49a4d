# What all targets share, and the two ways to make one.

add_library(quartet_settings INTERFACE)
target_compile_options(quartet_settings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# Notes on ABI changes of GCC 4.6 do not matter if one compiler builds everything.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(quartet_settings INTERFACE -Wno-psabi)
endif()
# GCC 12 takes a literal plus a std::string for overlapping memory (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(quartet_settings INTERFACE -Wno-restrict)
endif()
if(QUARTET_WERROR)
  target_compile_options(quartet_settings INTERFACE -Werror)
endif()
# The loops that are compiled for several instruction sets come after this, and have their own.
if(QUARTET_NATIVE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-march=native>)
endif()
# Products and sums are rounded apart, as by x86-64's least processors, so that data and checks have the same
# bits on all: a matrix is symmetric only so. Loops may fuse them.
if(QUARTET_NATIVE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  set(QUARTET_LOOPS_OPTIONS -ffp-contract=fast)
endif()
if(QUARTET_SANITIZE)
  # Instrumented, <regex> looks uninitialized to GCC 12.
  target_compile_options(quartet_settings INTERFACE -fsanitize=${QUARTET_SANITIZE}
                                                    -fno-omit-frame-pointer
                                                    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(quartet_settings INTERFACE -fsanitize=${QUARTET_SANITIZE})
endif()

# quartet_sources(<target> [EXCEPT <files...>])
# Gives a target every .cpp and .hpp of the current folder and of those below it, but for *.isa.*
# (quartet_loops). Only a build with CUDA has the folders cuda/, only one without cuda_absent.cpp. A
# folder with a CMakeLists.txt of its own names its sources itself: it is added as a subdirectory.
function(quartet_sources target)
  cmake_parse_arguments(sources "" "" "EXCEPT" ${ARGN})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS *.cpp *.hpp)
  set(left_out "(^|/)cuda/")
  if(QUARTET_WITH_CUDA)
    set(left_out "(^|/)cuda_absent\\.cpp$")
  endif()
  file(GLOB_RECURSE lists CONFIGURE_DEPENDS */CMakeLists.txt)
  list(REMOVE_ITEM lists ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt)
  set(owners)
  foreach(list IN LISTS lists)  # in the order of their paths: a folder before those in it
    cmake_path(GET list PARENT_PATH folder)
    quartet_is_inside(inside ${folder} ${owners})
    if(NOT inside)
      list(APPEND owners ${folder})
    endif()
  endforeach()
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    quartet_is_inside(inside ${file} ${owners})
    if(NOT inside AND NOT name IN_LIST sources_EXCEPT AND NOT path MATCHES "\\.isa\\.[ch]pp$|${left_out}")
      quartet_add_file(${target} ${file})
    endif()
  endforeach()
  foreach(folder IN LISTS owners)
    add_subdirectory(${folder})
  endforeach()
endfunction()

# Whether a path lies in one of the folders.
function(quartet_is_inside result path)
  set(${result} OFF PARENT_SCOPE)
  foreach(folder IN LISTS ARGN)
    cmake_path(IS_PREFIX folder ${path} inside)
    if(inside)
      set(${result} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# A source, or a header, which must compile alone: the target all_verify_interface_header_sets
# compiles each.
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
function(quartet_add_file target file)
  cmake_path(GET file EXTENSION LAST_ONLY ending)
  if(ending STREQUAL .hpp)
    target_sources(${target} PUBLIC FILE_SET HEADERS FILES ${file})
  else()
    target_sources(${target} PRIVATE ${file})
  endif()
endfunction()

# In a unity build, sources of a layer or kernel that are compiled at a time: headers take longer than they do.
set(QUARTET_UNITY_BATCH 24)

# quartet_layer(<name> LINK <libraries...> [PRIVATE <libraries...>])
# The library quartet_<name> of one layer of common/.
function(quartet_layer name)
  cmake_parse_arguments(layer "" "" "LINK;PRIVATE" ${ARGN})
  add_library(quartet_${name} STATIC)
  target_sources(quartet_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/common)
  target_link_libraries(quartet_${name} PUBLIC ${layer_LINK}
                        PRIVATE quartet_settings ${layer_PRIVATE})
  set_target_properties(quartet_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${QUARTET_UNITY_BATCH})
  quartet_sources(quartet_${name})
endfunction()

# Seconds for a test. Under sanitizers, the emulated kernels above all take several times as long, and so does
# everything on an emulated processor.
set(QUARTET_TEST_TIMEOUT 600)
if(CMAKE_CROSSCOMPILING)
  set(QUARTET_TEST_TIMEOUT 3600)
endif()
# What tests that start programs need in their environment.
set(QUARTET_LAUNCH_ENVIRONMENT "MPIEXEC=${MPIEXEC_EXECUTABLE};QUARTET_BIND=none")
if(QUARTET_SANITIZE)
  set(QUARTET_TEST_TIMEOUT 1500)
  # Leaks are looked for by the unit and MPI tests: remembering who allocates what makes each start of
  # a program take four times as long.
  string(APPEND QUARTET_LAUNCH_ENVIRONMENT ";ASAN_OPTIONS=detect_leaks=0")
  # Without an MPI no leak has to be traced through libraries that have no frame pointers.
  set(QUARTET_UNIT_ENVIRONMENT "ASAN_OPTIONS=fast_unwind_on_malloc=1")
endif()

# All tests that need a GPU: `quartet gpu` builds no others. All of one process: `make check`. All
# whose threads share memory: the preset host-thread.
add_custom_target(gpu_tests)
add_custom_target(unit_tests)
add_custom_target(thread_tests)

# Some set-ups give a GPU one queue for all streams. Tests that hold a stream would then hold the
# others, and hang. The programs hold none.
set(QUARTET_GPU_TEST_ENVIRONMENT "CUDA_DEVICE_MAX_CONNECTIONS=unset:")

# quartet_when(<when> <labels> <label> [NIGHTLY]): arguments of add_test, and labels. What takes minutes,
# or measures, is NIGHTLY: .ci/nightly runs it with the machine to itself, by `ctest -C Nightly`.
function(quartet_when when labels label)
  if("NIGHTLY" IN_LIST ARGN)
    set(${when} CONFIGURATIONS Nightly PARENT_SCOPE)
    list(APPEND label nightly)
  else()
    set(${when} "" PARENT_SCOPE)
  endif()
  set(${labels} "${label}" PARENT_SCOPE)
endfunction()

# How tests are compiled, which takes longer than running them; a quarter of that went into the headers
# named here. `.ci/nightly one-by-one` compiles without, so that each test includes what it uses.
if(QUARTET_TESTS)
  add_library(quartet_test_settings INTERFACE)
  target_link_libraries(quartet_test_settings INTERFACE
    quartet_settings OpenMP::OpenMP_CXX GTest::gmock GTest::gtest)
  target_compile_options(quartet_test_settings INTERFACE $<$<CONFIG:Release>:-O1>)
  add_library(counted_memory OBJECT ${PROJECT_SOURCE_DIR}/tests/support/counted_memory.cpp)
  target_link_libraries(counted_memory PRIVATE quartet_core quartet_test_settings)
  target_include_directories(counted_memory PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_precompile_headers(counted_memory PRIVATE
    <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h> <algorithm> <array> <chrono> <filesystem> <fstream>
    <functional> <map> <memory> <optional> <random> <ranges> <set> <span> <sstream> <string> <vector>)
  add_library(mpi_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp)
  target_link_libraries(mpi_main PRIVATE quartet_comm quartet_test_settings)
  target_precompile_headers(mpi_main REUSE_FROM counted_memory)
endif()

# quartet_test(<name> SOURCES <cpp...> LINK <libraries...> [RANKS <counts...>] [LABELS <labels...>])
# A GoogleTest program. With RANKS it runs under the MPI launcher once per rank count, and each rank
# runs every test (label mpi); without, it runs alone (label unit). Tests on a GPU (label gpu) are
# neither. Counts other than 1 and 3, and those of an emulated GPU (label emulated), are run nightly.
# Ranks are not bound: tests of parallel jobs would all be bound to the first cores.
function(quartet_test name)
  cmake_parse_arguments(test "" "" "SOURCES;LINK;RANKS;LABELS" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${test_LINK} quartet_test_settings)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_precompile_headers(${name} REUSE_FROM counted_memory)
  if("threads" IN_LIST test_LABELS)
    add_dependencies(thread_tests ${name})
  endif()
  if("gpu" IN_LIST test_LABELS)
    add_dependencies(gpu_tests ${name})
  elseif(test_RANKS)
    list(APPEND test_LABELS mpi)
  else()
    list(APPEND test_LABELS unit)
    add_dependencies(unit_tests ${name})
  endif()
  if(NOT test_RANKS)
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${test_LABELS}" TIMEOUT ${QUARTET_TEST_TIMEOUT}
      ENVIRONMENT_MODIFICATION ${QUARTET_GPU_TEST_ENVIRONMENT} ENVIRONMENT "${QUARTET_UNIT_ENVIRONMENT}")
    return()
  endif()
  target_link_libraries(${name} PRIVATE mpi_main)
  foreach(ranks IN LISTS test_RANKS)
    set(nightly)
    if("emulated" IN_LIST test_LABELS OR NOT ("gpu" IN_LIST test_LABELS OR ranks MATCHES "^[13]$"))
      set(nightly NIGHTLY)
    endif()
    quartet_when(when labels "${test_LABELS}" ${nightly})
    add_test(NAME ${name}_${ranks}_ranks
             COMMAND ${PROJECT_SOURCE_DIR}/scripts/launch.sh ${ranks} ${CMAKE_CROSSCOMPILING_EMULATOR}
                     $<TARGET_FILE:${name}> ${when})
    set_tests_properties(${name}_${ranks}_ranks PROPERTIES
      LABELS "${labels}" TIMEOUT ${QUARTET_TEST_TIMEOUT} PROCESSORS ${ranks}
      ENVIRONMENT_MODIFICATION ${QUARTET_GPU_TEST_ENVIRONMENT}
      ENVIRONMENT "MPIEXEC=${MPIEXEC_EXECUTABLE};QUARTET_BIND=none")
  endforeach()
endfunction()

# quartet_kernel(<name> [LINK <libraries...>] [EXCEPT <files...>])
# The library quartet_<name> of one kernel, for its tests, and the program <name> (main.cpp). A kernel's
# own loops are its *.isa.cpp, with their table in loops.hpp; what is for GPUs stands in cuda/.
function(quartet_kernel name)
  cmake_parse_arguments(kernel "" "" "LINK;EXCEPT" ${ARGN})
  add_library(quartet_${name} STATIC)
  target_sources(quartet_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR})
  target_link_libraries(quartet_${name} PUBLIC quartet_bench ${kernel_LINK}
                        PRIVATE quartet_settings)
  set_target_properties(quartet_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${QUARTET_UNITY_BATCH})
  quartet_sources(quartet_${name} EXCEPT main.cpp ${kernel_EXCEPT})
  file(GLOB loops CONFIGURE_DEPENDS *.isa.cpp *.isa.hpp)
  if(loops)
    quartet_loops(quartet_${name} ${name} ${name}/loops.hpp ${loops})
  endif()
  quartet_gpu_kernels(quartet_${name})
  add_executable(${name} main.cpp)
  target_link_libraries(${name} PRIVATE quartet_${name} quartet_settings)
  install(TARGETS ${name} RUNTIME)
  quartet_manual(${name} $<TARGET_FILE:${name}>)
endfunction()
