# cmake -DBUILD_DIR=Systole's build -DSCRATCH_DIR=folder -P tests/capi/package/test.cmake
#
# Installs the component capi, and builds and runs a C program against it with find_package and, where
# there is pkg-config, with its flags.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${said}${error}")
  endif()
  set(said ${said} PARENT_SCOPE)
endfunction()

set(prefix ${SCRATCH_DIR}/prefix)
file(REMOVE_RECURSE ${SCRATCH_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component capi --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${SCRATCH_DIR}/build
    -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${SCRATCH_DIR}/build)
run(${SCRATCH_DIR}/build/devices)
if(NOT said MATCHES "^cpu\nmodel\n")
  message(FATAL_ERROR "the installed library has the devices ${said}")
endif()

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${prefix}/lib/pkgconfig
      ${PKG_CONFIG} --cflags --libs systole)
  separate_arguments(flags UNIX_COMMAND "${said}")
  run(cc ${CMAKE_CURRENT_LIST_DIR}/devices.c ${flags} -Wl,-rpath,${prefix}/lib
      -o ${SCRATCH_DIR}/devices)
  run(${SCRATCH_DIR}/devices)
endif()
