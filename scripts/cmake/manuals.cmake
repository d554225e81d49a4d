# quartet_manual(<name> <program> [<completion>]): `cmake --install` leaves the program's man page, where help2man is
# and the program runs on the machine that installs, and its completions for bash: a line of bash, or what
# bash-completion makes of the program's --help.
function(quartet_manual name program)
  set(page ${PROJECT_BINARY_DIR}/manuals/${name}.1)
  install(CODE "
    find_program(help2man help2man)
    file(REMOVE \"${page}\")
    if(help2man)
      execute_process(COMMAND \${help2man} --no-info --output=${page} \"${program}\" ERROR_VARIABLE why RESULT_VARIABLE failed)
      if(failed)
        message(WARNING \"no man page of ${name}: \${why}\")
        file(REMOVE \"${page}\")
      endif()
    endif()")
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  set(completion ${PROJECT_BINARY_DIR}/manuals/${name})
  file(CONFIGURE OUTPUT ${completion} CONTENT "${ARGV2}\n" @ONLY)
  if(NOT ARGC EQUAL 3)
    file(CONFIGURE OUTPUT ${completion} CONTENT "complete -F _longopt ${name}\n" @ONLY)
  endif()
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endfunction()
