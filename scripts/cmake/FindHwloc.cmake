include(quartet_find)
quartet_find(Hwloc HEADER hwloc.h LIBRARY hwloc TARGET Hwloc::hwloc)
