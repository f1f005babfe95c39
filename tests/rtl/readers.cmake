# Other tools read the generated SystemVerilog: each is a test of its own.
#
#   rtl_lint_N_MODULE   verilator --lint-only -Wall on every module alone, with what it instantiates
#   rtl_icarus_N        Icarus Verilog elaborates the whole unit
#   rtl_yosys_N         Yosys reads it and checks its hierarchy
find_program(IVERILOG iverilog)
find_program(YOSYS yosys)
set(cells ${PROJECT_SOURCE_DIR}/rtl/cells/systole_ram.sv)

add_test(NAME rtl_lint_cells COMMAND ${VERILATOR} --lint-only -Wall ${cells})
set_tests_properties(rtl_lint_cells PROPERTIES LABELS rtl TIMEOUT 120)

foreach(size IN LISTS SYSTOLE_ARRAYS)
  get_target_property(files rtl_matrix_unit_${size} SYSTOLE_RTL_FILES)
  foreach(file IN LISTS files)
    get_filename_component(module ${file} NAME_WE)
    add_test(NAME rtl_lint_${size}_${module}
             COMMAND ${VERILATOR} --lint-only -Wall --top-module ${module} ${files} ${cells})
    set_tests_properties(rtl_lint_${size}_${module} PROPERTIES LABELS rtl TIMEOUT 120)
  endforeach()
  if(IVERILOG)
    add_test(NAME rtl_icarus_${size}
             COMMAND ${IVERILOG} -g2012 -t null -s systole_matrix_unit ${files} ${cells})
    set_tests_properties(rtl_icarus_${size} PROPERTIES LABELS rtl TIMEOUT 120)
  endif()
  # Yosys 0.23 unrolls lane loops on reading, which takes long at N = 16.
  if(YOSYS AND size LESS_EQUAL 8)
    string(REPLACE ";" " " all_files "${files};${cells}")
    set(script ${CMAKE_CURRENT_BINARY_DIR}/read_${size}.ys)
    file(WRITE ${script}
         "read_verilog -sv ${all_files}\nhierarchy -check -top systole_matrix_unit\nproc\n")
    add_test(NAME rtl_yosys_${size} COMMAND ${YOSYS} -q -s ${script})
    set_tests_properties(rtl_yosys_${size} PROPERTIES LABELS rtl TIMEOUT 300)
  endif()
endforeach()
