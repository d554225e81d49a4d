# Run at each build (cmake -P): writes OUTPUT from INPUT with the commit as it is now; an unchanged
# file keeps its date, so that nothing is compiled again.
# A release tarball says it in a file: it may lie in another project's clone.
if(EXISTS ${SOURCE_DIR}/COMMIT)
  file(STRINGS ${SOURCE_DIR}/COMMIT QUARTET_COMMIT LIMIT_COUNT 1)
  set(_status 0)
else()
  execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --exclude=*
                  OUTPUT_VARIABLE QUARTET_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE _status)
endif()
if(NOT _status EQUAL 0)
  set(QUARTET_COMMIT unknown)
endif()
include(${VALUES})
configure_file(${INPUT} ${OUTPUT} @ONLY)
