# quartet_manual(<name> <program>): `cmake --install` leaves the program's man page and its completions
# for bash, which it writes itself. One that cannot run on the machine that installs has neither.
function(quartet_manual name program)
  set(folder ${PROJECT_BINARY_DIR}/manuals)
  install(CODE "
    file(MAKE_DIRECTORY \"${folder}\")
    foreach(kind IN ITEMS man bash)
      execute_process(COMMAND \"${program}\" --manual \${kind}
                      OUTPUT_FILE \"${folder}/${name}.\${kind}\" RESULT_VARIABLE failed)
      if(failed)
        message(WARNING \"no manual: ${name} does not run here (\${failed})\")
        file(REMOVE \"${folder}/${name}.\${kind}\")
      endif()
    endforeach()")
  install(FILES ${folder}/${name}.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          RENAME ${name}.1 OPTIONAL)
  install(FILES ${folder}/${name}.bash RENAME ${name} OPTIONAL
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endfunction()
