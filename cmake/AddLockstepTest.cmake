# systole_add_lockstep_test(NAME SOURCE kernel.h TOP type | FUNCTION name STAGES n
#                           [EDGES n] [SEED n] [INCLUDES folder...] [LIBS target...])
#
# A test that compiles a kernel with hlsc, Verilates it, and runs C++ and RTL side by side under
# random inputs, resets and stalls. It compares every output port before every edge and checks the
# rules of valid and ready on streams. TOP is a clocked module (a thread's is Process<&thread>),
# FUNCTION a pure function, pipelined into STAGES stages. A mismatch prints edge, port, both values
# and the seed. Names are looked up as hlsc does; the harness is systole/cosim/lockstep.h.
#
# Where SYSTOLE_SHARED_PROGRAM is set, the tests of one source that a folder adds share a program,
# ${SYSTOLE_SHARED_PROGRAM}_STEM for STEM.h, which takes a test's name: clang reads the source once.
# Each test still runs by itself. Otherwise NAME is a program, too.
#
# systole_lockstep_model(NAME ...) makes only the Verilated model, for a test with its own main:
# target NAME_model, headers VNAME.h and NAME_ports.h (kNAMEInputs, kNAMEOutputs). With INTERFACE
# axi4lite the model is a function's device, and its driver's header lies there, too.
include_guard()

function(systole_lockstep_model name)
  cmake_parse_arguments(KERNEL "" "SOURCE;TOP;FUNCTION;STAGES;INTERFACE" "INCLUDES;DEPENDS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/lockstep/${name})
  set(prefix V${name})
  cmake_path(ABSOLUTE_PATH KERNEL_SOURCE)
  set(what --top "${KERNEL_TOP}")
  if(KERNEL_FUNCTION)
    set(what --top "${KERNEL_FUNCTION}" --stages ${KERNEL_STAGES})
  endif()
  if(KERNEL_INTERFACE)
    list(APPEND what --interface ${KERNEL_INTERFACE})
  endif()
  if(SYSTOLE_CLANG)
    list(APPEND what --clang ${SYSTOLE_CLANG})
  endif()
  set(folders $<TARGET_PROPERTY:Systole::hls,INTERFACE_INCLUDE_DIRECTORIES>)
  set(includes -I$<JOIN:${folders},$<SEMICOLON>-I>)
  foreach(include IN LISTS KERNEL_INCLUDES)
    list(APPEND includes -I ${include})
  endforeach()
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/${prefix}.h ${folder}/${name}_ports.h ${folder}/all.cpp
    COMMAND Systole::hlsc ${KERNEL_SOURCE} ${what} ${includes} -o ${folder}/${name}.sv
    COMMAND ${CMAKE_COMMAND} -DRTL=${folder}/${name}.sv -DNAME=${name} -DFLAT=${folder}/flat.sv
            -DPORTS=${folder}/${name}_ports.h -P ${here}/flat_top.cmake
    COMMAND ${VERILATOR} --cc -O1 --assert -Wall -Wno-DECLFILENAME -Wno-UNUSED --x-initial unique
            --top-module flat --prefix ${prefix} --Mdir ${folder} ${folder}/flat.sv
            ${folder}/${name}.sv -y ${SYSTOLE_CELLS_DIR}
    COMMAND ${here}/join_verilated.sh ${folder} ${prefix}
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -DSYSTOLE_HLSC=1 ${includes} -x c++ ${KERNEL_SOURCE}
            -M -MT ${folder}/${prefix}.h -MF ${folder}/${name}.d
    DEPENDS Systole::hlsc ${KERNEL_SOURCE} ${KERNEL_DEPENDS} ${here}/flat_top.cmake
    DEPFILE ${folder}/${name}.d
    COMMENT "hlsc and Verilator ${KERNEL_TOP}${KERNEL_FUNCTION}"
    COMMAND_EXPAND_LISTS
    VERBATIM)
  add_library(${name}_model STATIC ${folder}/all.cpp)
  target_include_directories(${name}_model SYSTEM PUBLIC ${folder})
  target_compile_options(${name}_model PRIVATE -O0 -w)
  target_link_libraries(${name}_model PUBLIC systole_verilated_runtime)
  if(TARGET systole_lockstep_headers)  # where there are many models
    systole_use_precompiled(${name}_model systole_lockstep_headers)
  endif()
endfunction()

# Adds the test `name`, whose case is the text of a file beside this one, to its program.
function(systole_add_case name file)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  cmake_path(ABSOLUTE_PATH KERNEL_SOURCE)
  set(KERNEL_NAME ${name})
  file(READ ${here}/${file} case)
  string(CONFIGURE "${case}" case @ONLY)
  set(program ${name})
  if(SYSTOLE_SHARED_PROGRAM)
    cmake_path(GET KERNEL_SOURCE STEM stem)
    set(program ${SYSTOLE_SHARED_PROGRAM}_${stem})
  endif()
  get_property(names GLOBAL PROPERTY SYSTOLE_${program}_NAMES)
  if(SYSTOLE_SHARED_PROGRAM AND NOT names)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL systole_add_program ${program})")
  endif()
  set_property(GLOBAL APPEND PROPERTY SYSTOLE_${program}_NAMES ${name})
  set_property(GLOBAL PROPERTY SYSTOLE_${program}_SOURCE ${KERNEL_SOURCE})
  set_property(GLOBAL APPEND PROPERTY SYSTOLE_${program}_INCLUDES ${KERNEL_INCLUDES})
  set_property(GLOBAL APPEND PROPERTY SYSTOLE_${program}_LIBS ${name}_model ${KERNEL_LIBS})
  set_property(GLOBAL APPEND PROPERTY SYSTOLE_${program}_HEADERS ${KERNEL_HEADERS})
  set_property(GLOBAL APPEND_STRING PROPERTY SYSTOLE_${program}_CASES "${case}")
  if(SYSTOLE_SHARED_PROGRAM)
    add_test(NAME ${name} COMMAND ${program} ${name})
  else()
    systole_add_program(${name})
    add_test(NAME ${name} COMMAND ${name})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS rtl TIMEOUT 300)
endfunction()

# The program of the tests that were added to it.
function(systole_add_program program)
  foreach(part NAMES SOURCE INCLUDES LIBS HEADERS CASES)
    get_property(${part} GLOBAL PROPERTY SYSTOLE_${program}_${part})
  endforeach()
  list(REMOVE_DUPLICATES HEADERS)
  set(includes "")
  set(choices "")
  foreach(name IN LISTS NAMES)
    string(APPEND includes "#include <V${name}.h>\n#include \"${name}_ports.h\"\n")
    string(APPEND choices "    {\"${name}\", run_${name}},\n")
  endforeach()
  list(TRANSFORM HEADERS REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN HEADERS "" headers)
  set(main ${CMAKE_CURRENT_BINARY_DIR}/lockstep/${program}_main.cpp)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/lockstep_main.cpp.in ${main} @ONLY)
  add_executable(${program} ${main})
  # Like the RTL beside it: a test runs for an instant, and took seconds to compile.
  target_compile_options(${program} PRIVATE -O0)
  target_include_directories(${program} PRIVATE ${INCLUDES})
  target_link_libraries(${program} PRIVATE Systole::hls ${LIBS})
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
  set(KERNEL_HEADERS systole/cosim/lockstep.h systole/cosim/pipelined_function.h)
  systole_add_case(${name} lockstep_case.cpp.in)
endfunction()

# systole_add_kernel_test(NAME SOURCE kernel.h TOP function [RUNS n] [SEED n] [PREPARE function]
#                         [AXI] [INCLUDES folder...] [LIBS target...])
#
# The same for a function over arrays: it runs natively and as RTL on random arrays, streams and
# scalars, and everything that it may write is compared, and the clocks with those that its module's
# header promises. AXI: it has AxiArrays, which memory on AXI4 serves at random paces. PREPARE names
# a function in the source, `void f(cosim::Random&, A& a, ...)`, which makes random arguments legal.
function(systole_add_kernel_test name)
  cmake_parse_arguments(KERNEL "AXI" "SOURCE;TOP;RUNS;SEED;PREPARE" "INCLUDES;LIBS" ${ARGN})
  if(NOT KERNEL_SOURCE OR NOT KERNEL_TOP)
    message(FATAL_ERROR "systole_add_kernel_test(${name}): give SOURCE and TOP")
  endif()
  foreach(option "RUNS=20" "SEED=1" "PREPARE=nullptr")
    string(REGEX MATCH "^([A-Z]+)=(.*)$" unused ${option})
    if(NOT KERNEL_${CMAKE_MATCH_1})
      set(KERNEL_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  systole_lockstep_model(${name} SOURCE ${KERNEL_SOURCE} TOP "${KERNEL_TOP}"
    INCLUDES ${KERNEL_INCLUDES})
  set(KERNEL_HEADERS systole/cosim/kernel_ports.h systole/cosim/kernel_bench.h)
  set(KERNEL_MEMORY "cosim::AxiPorts* memory = nullptr")
  if(KERNEL_AXI)
    list(APPEND KERNEL_HEADERS sim/kernel/kernel_memory.h)
    set(KERNEL_MEMORY "sim::KernelMemory axi, *memory = &axi")
    list(APPEND KERNEL_LIBS Systole::sim_kernel)
  endif()
  systole_add_case(${name} kernel_case.cpp.in)
endfunction()
