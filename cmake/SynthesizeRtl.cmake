# systole_synthesize(NAME RTL target TOP module)
#
# Targets synth_NAME_xc7 and synth_NAME_ecp5: Yosys synthesises a generated module and its cells for
# AMD's 7 series or for ECP5 and prints the primitives used. Target synth builds all of these.
include_guard()

find_program(YOSYS yosys)

function(systole_synthesize name)
  cmake_parse_arguments(SYNTH "" "RTL;TOP" "" ${ARGN})
  if(NOT YOSYS)
    message(STATUS "no yosys in PATH: no target synth_${name}")
    return()
  endif()
  get_target_property(files ${SYNTH_RTL} SYSTOLE_RTL_FILES)
  list(JOIN files " " files)
  if(NOT TARGET synth)
    add_custom_target(synth)
  endif()
  foreach(family IN ITEMS xc7 ecp5)
    set(command "synth_xilinx -family xc7 -noiopad -noclkbuf")
    if(family STREQUAL "ecp5")
      set(command "synth_ecp5")
    endif()
    add_custom_target(synth_${name}_${family}
      COMMAND ${YOSYS} -q -p "read_verilog -sv -defer ${SYSTOLE_CELLS_DIR}/*.sv"
              -p "read_verilog -sv ${files}" -p "${command} -flatten -top ${SYNTH_TOP}"
              -p "tee -a /dev/stdout stat"
      COMMENT "Yosys ${command}: ${SYNTH_TOP}"
      VERBATIM)
    add_dependencies(synth_${name}_${family} ${SYNTH_RTL})
    add_dependencies(synth synth_${name}_${family})
  endforeach()
endfunction()
