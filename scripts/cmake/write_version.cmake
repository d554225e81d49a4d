# Run at each build (cmake -P): writes OUTPUT from INPUT with the commit as it is now; an unchanged
# file keeps its date, so that nothing is compiled again.
# A release tarball says it in a file. Otherwise git must find a repository in SOURCE_DIR itself: one
# above it is another project's.
if(EXISTS ${SOURCE_DIR}/COMMIT)
  file(STRINGS ${SOURCE_DIR}/COMMIT QUARTET_COMMIT LIMIT_COUNT 1)
  set(_status 0)
else()
  get_filename_component(_above ${SOURCE_DIR} DIRECTORY)
  set(ENV{GIT_CEILING_DIRECTORIES} ${_above})
  execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --exclude=*
                  OUTPUT_VARIABLE QUARTET_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE _status)
endif()
if(NOT _status EQUAL 0)
  set(QUARTET_COMMIT unknown)
endif()
include(${VALUES})
configure_file(${INPUT} ${OUTPUT} @ONLY)
