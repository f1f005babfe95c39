# systole_generate_rtl(NAME TOP cpp-name SOURCE kernel.h [BASE_DIR dir] [OUTPUT_DIR dir]
#                      [MODULES name...] [STAGES n | CLOCK_MHZ f] [OPTIONS hlsc-option...])
#
# Runs hlsc on a kernel. TOP is a clocked module, a thread or, with STAGES or CLOCK_MHZ, a pure
# function. A relative SOURCE and relative #include folders start at BASE_DIR, by default the
# caller's folder. MODULES gives each its own file, top last; otherwise all are in
# OUTPUT_DIR/NAME.sv. NAME.json, next to them, reports stages and delays. The target is rtl_NAME;
# its property SYSTOLE_RTL_FILES lists the files. Editing the kernel, a header it includes or hlsc
# itself regenerates them.
include_guard()

function(systole_generate_rtl name)
  cmake_parse_arguments(RTL "" "TOP;SOURCE;BASE_DIR;OUTPUT_DIR;STAGES;CLOCK_MHZ" "MODULES;OPTIONS"
                        ${ARGN})
  if(NOT RTL_TOP OR NOT RTL_SOURCE OR RTL_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "systole_generate_rtl(${name}): give TOP and SOURCE; "
                        "not understood: '${RTL_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT RTL_BASE_DIR)
    set(RTL_BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  if(NOT RTL_OUTPUT_DIR)
    set(RTL_OUTPUT_DIR ${CMAKE_CURRENT_BINARY_DIR}/rtl)
  endif()
  if(SYSTOLE_CLANG)
    list(APPEND RTL_OPTIONS --clang ${SYSTOLE_CLANG})
  endif()
  if(RTL_STAGES)
    list(APPEND RTL_OPTIONS --stages ${RTL_STAGES})
  endif()
  if(RTL_CLOCK_MHZ)
    list(APPEND RTL_OPTIONS --clock-mhz ${RTL_CLOCK_MHZ})
  endif()

  set(files)
  foreach(module IN LISTS RTL_MODULES)
    list(APPEND files ${RTL_OUTPUT_DIR}/${module}.sv)
  endforeach()
  set(output --output-dir ${RTL_OUTPUT_DIR})
  if(NOT files)
    set(files ${RTL_OUTPUT_DIR}/${name}.sv)
    set(output --output ${files})
  endif()
  file(MAKE_DIRECTORY ${RTL_OUTPUT_DIR})
  cmake_path(ABSOLUTE_PATH RTL_SOURCE BASE_DIRECTORY ${RTL_BASE_DIR} OUTPUT_VARIABLE source)

  list(GET files 0 first)
  set(folders $<TARGET_PROPERTY:Systole::hls,INTERFACE_INCLUDE_DIRECTORIES>)
  set(includes -I. -I$<JOIN:${folders},$<SEMICOLON>-I>)
  # The depfile needs absolute paths: CMake resolves relative ones in the build folder, finds no
  # header there, and then regenerates, Verilates and links in every build.
  set(absolute_includes -I${RTL_BASE_DIR} -I$<JOIN:${folders},$<SEMICOLON>-I>)
  add_custom_command(
    OUTPUT ${files} ${RTL_OUTPUT_DIR}/${name}.json
    COMMAND Systole::hlsc ${RTL_SOURCE} --top "${RTL_TOP}" ${includes} ${RTL_OPTIONS} ${output}
            --report ${RTL_OUTPUT_DIR}/${name}.json
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -DSYSTOLE_HLSC=1 ${absolute_includes} -x c++
            ${source} -M -MT ${first} -MF ${RTL_OUTPUT_DIR}/${name}.d
    WORKING_DIRECTORY ${RTL_BASE_DIR}
    DEPENDS Systole::hlsc
    DEPFILE ${RTL_OUTPUT_DIR}/${name}.d
    COMMENT "hlsc ${RTL_TOP}"
    COMMAND_EXPAND_LISTS
    VERBATIM)
  add_custom_target(rtl_${name} ALL DEPENDS ${files})
  set_target_properties(rtl_${name} PROPERTIES SYSTOLE_RTL_FILES "${files}")
endfunction()
