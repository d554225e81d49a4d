# `cmake --install` leaves PREFIX/share/modulefiles/quartet/VERSION. It loads what was loaded when
# the build was first configured, but for tools that only build.
string(REPLACE ":" ";" loaded "$ENV{LOADEDMODULES}")
list(FILTER loaded EXCLUDE REGEX "^(cmake|ninja|git|make)(/|$)|^$")
set(QUARTET_MODULES "${loaded}" CACHE STRING "Modules that the programs need, for the module file")
list(JOIN QUARTET_MODULES " " QUARTET_NEEDED_MODULES)
set(folder share/modulefiles/quartet)
file(RELATIVE_PATH QUARTET_UP_TO_PREFIX /prefix/${folder} /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/../packaging/modulefile.in
               ${PROJECT_BINARY_DIR}/modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefile DESTINATION ${folder} RENAME ${PROJECT_VERSION})
