# What `cmake --install` leaves besides the programs: the command quartet, its scripts and what they
# read, manuals, a module file. All of it finds the rest by where it lies: a prefix may be moved.
include(rpath)
include(modulefile)
if(NOT CMAKE_INSTALL_BINDIR STREQUAL bin OR NOT CMAKE_INSTALL_DATADIR STREQUAL share)
  message(FATAL_ERROR "CMAKE_INSTALL_BINDIR and CMAKE_INSTALL_DATADIR must be bin and share (programs "
                      "and scripts look for each other there): unset them")
endif()
set(shared share/quartet)

# What builds, or needs the sources, stays with them.
install(DIRECTORY scripts/ DESTINATION ${shared}/scripts USE_SOURCE_PERMISSIONS
        PATTERN cmake EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN setup.sh EXCLUDE
        REGEX "/packaging/(spack|easybuild)$|/packaging/[^/]*\\.(in|def|md)$" EXCLUDE)
install(DIRECTORY results/published results/schema results/measured DESTINATION ${shared})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/version CONTENT "${PROJECT_VERSION}\n")
install(FILES ${PROJECT_BINARY_DIR}/version DESTINATION ${shared})
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
  file(MAKE_DIRECTORY \"\${folder}\")
  file(CREATE_LINK ../${shared}/scripts/quartet \"\${folder}/quartet\" SYMBOLIC)")
