# cmake -D IN=kernel.cu -D OUT=kernel.cpp -P translate.cmake
# What of CUDA no C++ compiler takes, after device_code.hpp: launches, and arrays in shared memory.
# Nothing else is changed, and lines stay where they are.
cmake_minimum_required(VERSION 3.25)
file(READ ${IN} text)
set(name "[A-Za-z_][A-Za-z_0-9]*")
string(REGEX REPLACE "(${name}(<[A-Za-z_0-9, ]+>)?)<<<([^;{}]*)>>>\\("
       "::quartet::emulator::KernelLaunch{\\3}([](auto... values) { \\1(values...); }, "
       text "${text}")
string(REGEX REPLACE "extern __shared__ (${name}) (${name})\\[\\];"
       "auto* \\2 = ::quartet::emulator::dynamic_shared_memory<\\1>();"
       text "${text}")
string(REPLACE "cudaLaunchKernelEx(" "::quartet::emulator::launch_with(" text "${text}")
string(REGEX REPLACE "__shared__ (${name}) (${name})((\\[[^]]*\\])*);"
       "auto& \\2 = ::quartet::emulator::shared_memory<\\1\\3>();"
       text "${text}")
file(WRITE ${OUT} "#line 1 \"${IN}\"\n${text}")
