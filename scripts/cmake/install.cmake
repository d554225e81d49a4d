# What `cmake --install` leaves besides the programs: the command quartet with its package and what it
# reads, manuals, a module file. All of it finds the rest by where it lies: a prefix may be moved.
set(CMAKE_INSTALL_MESSAGE NEVER) # of each of hundreds of files: the last line says where to begin
include(rpath)
include(modulefile)
if(NOT CMAKE_INSTALL_BINDIR STREQUAL bin OR NOT CMAKE_INSTALL_DATADIR STREQUAL share)
  message(FATAL_ERROR "CMAKE_INSTALL_BINDIR and CMAKE_INSTALL_DATADIR must be bin and share (programs "
                      "and scripts look for each other there): unset them")
endif()
set(shared share/quartet)

install(PROGRAMS scripts/quartet scripts/launch.sh DESTINATION ${shared}/scripts)
install(DIRECTORY scripts/python/quartet DESTINATION ${shared}/scripts/python PATTERN __pycache__ EXCLUDE)
install(FILES scripts/python/__main__.py DESTINATION ${shared}/scripts/python)
install(DIRECTORY scripts/slurm scripts/sweeps scripts/paper DESTINATION ${shared}/scripts USE_SOURCE_PERMISSIONS)
install(DIRECTORY scripts/packaging/reframe DESTINATION ${shared}/scripts/packaging PATTERN __pycache__ EXCLUDE)
install(DIRECTORY results/published results/schema results/measured DESTINATION ${shared})
install(FILES VERSION DESTINATION ${shared})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
  file(MAKE_DIRECTORY \"\${folder}\")
  file(CREATE_LINK ../${shared}/scripts/quartet \"\${folder}/quartet\" SYMBOLIC)")
quartet_manual(quartet "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/quartet" # without the developers' commands
  "eval \"$(register-python-argcomplete quartet 2>/dev/null || register-python-argcomplete3 quartet)\"")

# To be called behind all that is installed.
function(quartet_say_installed)
  install(CODE "
    message(STATUS \"Installed: \${CMAKE_INSTALL_PREFIX}/bin/quartet --help\")")
endfunction()
