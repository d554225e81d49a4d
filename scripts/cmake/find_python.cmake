# quartet_find_python(<variable> [<modules...>])
# Sets <variable> to a Python 3 that can import all the modules, or to the empty string where none
# can: the tests that need it are then skipped with a reason. Tried in turn: QUARTET_PYTHON, python3
# on the PATH (a virtual environment, say), the system's own.
set(QUARTET_PYTHON "" CACHE FILEPATH "The Python to prefer in tests and scripts")
mark_as_advanced(QUARTET_PYTHON)

function(quartet_find_python variable)
  list(JOIN ARGN ", " modules)
  file(STRINGS ${PROJECT_SOURCE_DIR}/pyproject.toml least REGEX "^requires-python")
  string(REGEX REPLACE ".*>=([0-9]+)\\.([0-9]+).*" "\\1, \\2" least "${least}")
  set(program "import sys; assert sys.version_info >= (${least})")
  if(ARGN)
    string(APPEND program "; import ${modules}")
  endif()
  # What is found may be a wrapper whose answer depends on the folder it is called in.
  string(APPEND program "; print(sys.executable)")
  find_program(on_path python3 NO_CACHE)
  foreach(candidate IN ITEMS "${QUARTET_PYTHON}" "${on_path}" /usr/bin/python3)
    if(candidate)
      execute_process(COMMAND ${candidate} -c "${program}"
                      RESULT_VARIABLE result OUTPUT_VARIABLE executable ERROR_QUIET
                      OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(result STREQUAL "0")
        message(STATUS "Python with [${modules}]: ${executable}")
        set(${variable} ${executable} PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
  message(STATUS "Python with [${modules}]: none found, tests that need it will be skipped")
  set(${variable} "" PARENT_SCOPE)
endfunction()
