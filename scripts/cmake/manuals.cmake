# quartet_manual(<program>): `cmake --install` leaves the program's man page and its completions for
# bash, which it writes itself. One that cannot run on the machine that installs has neither.
function(quartet_manual program)
  set(folder ${PROJECT_BINARY_DIR}/manuals)
  install(CODE "
    file(MAKE_DIRECTORY \"${folder}\")
    foreach(kind IN ITEMS man bash)
      execute_process(COMMAND \"$<TARGET_FILE:${program}>\" --manual \${kind}
                      OUTPUT_FILE \"${folder}/${program}.\${kind}\" RESULT_VARIABLE failed)
      if(failed)
        message(WARNING \"no manual: ${program} does not run here (\${failed})\")
        file(REMOVE \"${folder}/${program}.\${kind}\")
      endif()
    endforeach()")
  install(FILES ${folder}/${program}.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          RENAME ${program}.1 OPTIONAL)
  install(FILES ${folder}/${program}.bash RENAME ${program} OPTIONAL
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endfunction()
