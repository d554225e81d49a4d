# Loops that are compiled once for each instruction set, and kernels of GPUs.

# The instruction sets, the narrowest first, which every processor of the kind has. Vectors of the
# compiler hold in registers only what the registers hold: a build for one width would be slow on
# all others.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(QUARTET_INSTRUCTION_SETS baseline avx2 avx512)
  set(QUARTET_FLAGS_baseline -march=x86-64)
  set(QUARTET_FLAGS_avx2 -march=x86-64-v3)
  set(QUARTET_FLAGS_avx512 -march=x86-64-v4)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(QUARTET_INSTRUCTION_SETS neon sve256 sve512) # an SVE of 128 bits has nothing to gain
  set(QUARTET_FLAGS_sve256 -march=armv8.2-a+sve -msve-vector-bits=256)
  set(QUARTET_FLAGS_sve512 -march=armv8.2-a+sve -msve-vector-bits=512)
else()
  set(QUARTET_INSTRUCTION_SETS baseline)
endif()

# quartet_loops(<target> <namespace> <header> <files...>)
# Adds the files to a target, each compiled once for each instruction set into
# quartet::<namespace>::<instruction set>; one of them defines `loops` there. Also the definition of
# compiled_loops(), which the header declares beside the type Loops.
function(quartet_loops target namespace header)
  set(QUARTET_DECLARED_LOOPS)
  set(QUARTET_COMPILED_LOOPS)
  foreach(set IN LISTS QUARTET_INSTRUCTION_SETS)
    set(loops ${target}_loops_${set})
    add_library(${loops} OBJECT)
    target_compile_definitions(${loops} PUBLIC QUARTET_ISA=${set} QUARTET_ISA_NAME="${set}")
    target_compile_options(${loops} PRIVATE -fopenmp-simd ${QUARTET_LOOPS_OPTIONS} ${QUARTET_FLAGS_${set}})
    target_link_libraries(${loops} PRIVATE quartet_settings)
    target_include_directories(${loops} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/common)
    target_sources(${loops} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR})
    set_target_properties(${loops} PROPERTIES UNITY_BUILD OFF)
    foreach(file IN LISTS ARGN)
      quartet_add_file(${loops} ${file})
    endforeach()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${loops}>)
    string(APPEND QUARTET_DECLARED_LOOPS "namespace quartet::${namespace}::${set} {\nextern const Loops loops;\n}\n")
    list(APPEND QUARTET_COMPILED_LOOPS &${set}::loops)
  endforeach()
  list(JOIN QUARTET_COMPILED_LOOPS ", " QUARTET_COMPILED_LOOPS)
  configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/compiled_loops.cpp.in
                 ${CMAKE_CURRENT_BINARY_DIR}/compiled_loops.cpp)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/compiled_loops.cpp)
  set_property(GLOBAL APPEND PROPERTY QUARTET_TARGETS_WITH_LOOPS ${target})
endfunction()

# quartet_gpu_kernels(<target>)
# The .cu files of the folder and of those below it: a library of their own, which nvcc compiles.
# All that merely calls CUDA is compiled as everything else.
function(quartet_gpu_kernels target)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS *.cu)
  if(NOT QUARTET_WITH_CUDA OR NOT kernels)
    return()
  endif()
  add_library(${target}_kernels STATIC ${kernels})
  target_include_directories(${target}_kernels PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/common)
  target_link_libraries(${target}_kernels PRIVATE Random123::Random123 quartet_cuda_settings)
  target_link_libraries(${target} PRIVATE ${target}_kernels CUDA::cudart_static)
endfunction()
