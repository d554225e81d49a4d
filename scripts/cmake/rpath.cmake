# Installed programs find the libraries that they were linked with, also where no module is loaded and
# in jobs that are handed no LD_LIBRARY_PATH. Read before any target is made.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
