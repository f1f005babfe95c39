# systole_add_lockstep_test(NAME SOURCE kernel.h TOP type | FUNCTION name STAGES n
#                           [EDGES n] [SEED n] [INCLUDES folder...] [LIBS target...])
#
# A test that compiles a kernel with hlsc, Verilates it, and runs both side by side under random
# inputs, resets and stalls: every output port is compared before every edge, and streams must keep
# the rules of valid and ready. TOP is a clocked module (a thread's is Process<&thread>), FUNCTION a
# pure function that is pipelined into STAGES stages. A mismatch prints edge, port, both values and
# the seed. Names are looked up as hlsc does; the harness is systole/cosim/lockstep.h.
#
# systole_lockstep_model(NAME ...) makes the Verilated model alone, for a test with a main of its
# own: target NAME_model, headers VNAME.h and NAME_ports.h (kNAMEInputs, kNAMEOutputs).
include_guard()

set(SYSTOLE_LOCKSTEP_DIR ${CMAKE_CURRENT_LIST_DIR})
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH SYSTOLE_LOCKSTEP_ROOT)
set(SYSTOLE_CELL_DIR ${SYSTOLE_LOCKSTEP_ROOT}/rtl/cells CACHE PATH "Cells that generated RTL uses")
set(SYSTOLE_HLS_INCLUDE_DIR ${SYSTOLE_LOCKSTEP_ROOT}/hls/include
    CACHE PATH "Headers that kernels include")

function(systole_lockstep_model name)
  cmake_parse_arguments(KERNEL "" "SOURCE;TOP;FUNCTION;STAGES" "INCLUDES;DEPENDS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(prefix V${name})
  cmake_path(ABSOLUTE_PATH KERNEL_SOURCE)
  set(what --top "${KERNEL_TOP}")
  if(KERNEL_FUNCTION)
    set(what --top "${KERNEL_FUNCTION}" --stages ${KERNEL_STAGES})
  endif()
  set(includes -I ${SYSTOLE_HLS_INCLUDE_DIR})
  foreach(include IN LISTS KERNEL_INCLUDES)
    list(APPEND includes -I ${include})
  endforeach()
  file(MAKE_DIRECTORY ${folder})
  file(GLOB headers CONFIGURE_DEPENDS ${SYSTOLE_HLS_INCLUDE_DIR}/systole/hls/*.h)
  set(join "for one in ${prefix}*.cpp; do echo \"#include \\\"$one\\\"\"; done > all.cpp")
  add_custom_command(
    OUTPUT ${folder}/${prefix}.h ${folder}/${name}_ports.h ${folder}/all.cpp
    COMMAND hlsc ${KERNEL_SOURCE} ${what} ${includes} -o ${folder}/${name}.sv
    COMMAND ${CMAKE_COMMAND} -DRTL=${folder}/${name}.sv -DNAME=${name} -DFLAT=${folder}/flat.sv
            -DPORTS=${folder}/${name}_ports.h -P ${SYSTOLE_LOCKSTEP_DIR}/flat_top.cmake
    COMMAND ${VERILATOR} --cc -O1 --assert -Wall -Wno-DECLFILENAME -Wno-UNUSED --x-initial unique
            --top-module flat --prefix ${prefix} --Mdir ${folder} ${folder}/flat.sv
            ${folder}/${name}.sv -y ${SYSTOLE_CELL_DIR}
    COMMAND sh -c "cd ${folder} && ${join}"
    DEPENDS hlsc ${KERNEL_SOURCE} ${KERNEL_DEPENDS} ${headers}
            ${SYSTOLE_LOCKSTEP_DIR}/flat_top.cmake
    COMMENT "hlsc and Verilator ${KERNEL_TOP}${KERNEL_FUNCTION}"
    VERBATIM)
  add_library(${name}_model STATIC ${folder}/all.cpp)
  target_include_directories(${name}_model SYSTEM PUBLIC ${folder})
  target_compile_options(${name}_model PRIVATE -O0 -w)
  target_link_libraries(${name}_model PUBLIC systole_verilated_runtime)
endfunction()

function(systole_add_lockstep_test name)
  cmake_parse_arguments(KERNEL "" "SOURCE;TOP;FUNCTION;STAGES;EDGES;SEED" "INCLUDES;LIBS" ${ARGN})
  if(NOT KERNEL_SOURCE OR (NOT KERNEL_TOP AND NOT (KERNEL_FUNCTION AND KERNEL_STAGES)))
    message(FATAL_ERROR "systole_add_lockstep_test(${name}): give SOURCE and either TOP or FUNCTION "
                        "and STAGES")
  endif()
  foreach(option "EDGES=2000" "SEED=1")
    string(REGEX MATCH "^([A-Z]+)=(.*)$" unused ${option})
    if(NOT KERNEL_${CMAKE_MATCH_1})
      set(KERNEL_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  systole_lockstep_model(${name} SOURCE ${KERNEL_SOURCE} TOP "${KERNEL_TOP}"
    FUNCTION "${KERNEL_FUNCTION}" STAGES "${KERNEL_STAGES}" INCLUDES ${KERNEL_INCLUDES})
  set(KERNEL_TYPE "${KERNEL_TOP}")
  if(KERNEL_FUNCTION)
    set(KERNEL_TYPE "cosim::PipelinedFunction<&${KERNEL_FUNCTION}, ${KERNEL_STAGES}>")
  endif()
  cmake_path(ABSOLUTE_PATH KERNEL_SOURCE)
  set(KERNEL_NAME ${name})
  configure_file(${SYSTOLE_LOCKSTEP_DIR}/lockstep_main.cpp.in ${name}/${name}_lockstep.cpp @ONLY)
  add_executable(${name} ${CMAKE_CURRENT_BINARY_DIR}/${name}/${name}_lockstep.cpp)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE -Wno-bit-int-extension)
  target_include_directories(${name} PRIVATE ${SYSTOLE_HLS_INCLUDE_DIR} ${KERNEL_INCLUDES})
  target_link_libraries(${name} PRIVATE ${name}_model ${KERNEL_LIBS})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS rtl TIMEOUT 300)
endfunction()
