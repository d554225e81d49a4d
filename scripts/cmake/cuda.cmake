# The CUDA device: built wherever a toolkit is found that can build it. Sets QUARTET_WITH_CUDA, and
# makes the target quartet_cuda_settings, what all .cu files share.
#
# The toolkit's libraries are not linked but loaded when a CUDA device is made (only the runtime is
# in the programs, statically), so that the same programs run where there is no toolkit, no driver
# and no GPU.

set(QUARTET_CUDA AUTO CACHE STRING "The CUDA device: AUTO (where a toolkit is found), ON or OFF")
set_property(CACHE QUARTET_CUDA PROPERTY STRINGS AUTO ON OFF)
set(quartet_least_cuda 12.0)

# Sets `result` to why the CUDA device cannot be built here; empty where it can.
macro(quartet_find_cuda result)
  set(${result} "")
  find_package(CUDAToolkit ${quartet_least_cuda} QUIET)
  if(NOT CUDAToolkit_FOUND)
    set(${result} "no CUDA toolkit ${quartet_least_cuda} or newer was found (CUDAToolkit_ROOT may name it)")
  else()
    find_path(QUARTET_CUBLAS_INCLUDE_DIR cublas_v2.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    find_path(QUARTET_CUFFT_INCLUDE_DIR cufft.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    mark_as_advanced(QUARTET_CUBLAS_INCLUDE_DIR QUARTET_CUFFT_INCLUDE_DIR)
    if(NOT QUARTET_CUBLAS_INCLUDE_DIR OR NOT QUARTET_CUFFT_INCLUDE_DIR)
      set(${result} "the CUDA toolkit lacks the headers of cuBLAS or cuFFT")
    elseif(NOT TARGET CUDA::cudart_static)
      set(${result} "the CUDA toolkit lacks the static runtime library")
    else()
      if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
        set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
      endif()
      include(CheckLanguage)
      check_language(CUDA)
      if(NOT CMAKE_CUDA_COMPILER)
        set(${result} "nvcc does not work with this C++ compiler (CMAKE_CUDA_HOST_COMPILER may name another)")
      endif()
    endif()
  endif()
endmacro()

set(QUARTET_WITH_CUDA OFF)
if(NOT QUARTET_CUDA STREQUAL OFF)
  quartet_find_cuda(obstacle)
  if(NOT obstacle)
    set(QUARTET_WITH_CUDA ON)
  elseif(QUARTET_CUDA STREQUAL ON)
    message(FATAL_ERROR "QUARTET_CUDA=ON: ${obstacle}")
  else()
    message(STATUS "Without the CUDA device: ${obstacle}")
  endif()
endif()

if(QUARTET_WITH_CUDA)
  # Before the language is enabled: nvcc's own default is one old architecture.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES all-major CACHE STRING "GPU architectures to build for")
  endif()
  enable_language(CUDA)
  message(STATUS "With the CUDA device: toolkit ${CUDAToolkit_VERSION}, "
                 "architectures ${CMAKE_CUDA_ARCHITECTURES}")

  # CMake 3.25 does not know that nvcc has C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_EXTENSIONS OFF)

  # Index functions are constexpr and shared with the host's loops. Not -Wpedantic: what nvcc hands
  # to the C++ compiler is not pedantic.
  add_library(quartet_cuda_settings INTERFACE)
  target_compile_options(quartet_cuda_settings INTERFACE
    --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow)
  if(QUARTET_WERROR)
    target_compile_options(quartet_cuda_settings INTERFACE -Werror=all-warnings -Xcompiler=-Werror)
  endif()
endif()

# Transport nccl: its header is needed to build it, its library when it is used.
set(QUARTET_WITH_NCCL OFF)
if(QUARTET_WITH_CUDA)
  find_package(NCCL 2.13 QUIET)
  set(QUARTET_WITH_NCCL ${NCCL_FOUND})
  if(QUARTET_WITH_NCCL)
    message(STATUS "With transport nccl: NCCL ${NCCL_VERSION}")
  else()
    message(STATUS "Without transport nccl: NCCL was not found (NCCL_ROOT may name it)")
  endif()
endif()
