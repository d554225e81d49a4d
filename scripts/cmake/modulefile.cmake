# `cmake --install` leaves a module file: PREFIX/share/modulefiles/quartet/VERSION.
set(folder ${CMAKE_INSTALL_DATADIR}/modulefiles/quartet)
file(RELATIVE_PATH QUARTET_UP_TO_PREFIX /prefix/${folder} /prefix)
configure_file(${PROJECT_SOURCE_DIR}/scripts/deploy/modulefile.in
               ${PROJECT_BINARY_DIR}/modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefile DESTINATION ${folder} RENAME ${PROJECT_VERSION})
