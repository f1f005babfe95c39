# cmake -DBUILD_DIR=Systole's build -DCXX=clang++ -DSCRATCH_DIR=folder -P tests/package/test.cmake
#
# Installs the component hlsc, and configures, builds and tests this project against it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${said}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component hlsc --prefix ${SCRATCH_DIR}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${SCRATCH_DIR}/build -G Ninja
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${SCRATCH_DIR}/prefix)
run(${CMAKE_COMMAND} --build ${SCRATCH_DIR}/build -j 2)
run(ctest --test-dir ${SCRATCH_DIR}/build --output-on-failure)
