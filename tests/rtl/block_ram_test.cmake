# cmake -DYOSYS=yosys -DCELLS=rtl/cells -P block_ram_test.cmake
#
# Each memory cell maps to block RAM on Xilinx 7 and on ECP5: at 1,024 words of 32 bits, Yosys
# builds no memory from tables or flip-flops.
set(init "32768'h0123456789abcdef_fedcba9876543210")
foreach(cell systole_ram systole_masked_ram systole_single_port_ram systole_dual_port_ram systole_rom)
  set(parameters "-set Width 32 -set Depth 1024")
  if(cell STREQUAL "systole_rom")
    string(APPEND parameters " -set Init ${init}")
  endif()
  foreach(target "xc7|RAMB(18|36)E1|synth_xilinx -family xc7" "ecp5|DP16KD|synth_ecp5")
    string(REGEX MATCH "^([^|]+)\\|(.+)\\|([^|]+)$" whole "${target}")
    set(name ${CMAKE_MATCH_1})
    set(block ${CMAKE_MATCH_2})
    set(synthesise ${CMAKE_MATCH_3})
    execute_process(
      COMMAND ${YOSYS} -p "read_verilog -sv ${CELLS}/${cell}.sv; chparam ${parameters} ${cell}; \
${synthesise} -top ${cell} -run begin:map_ffram; stat"
      OUTPUT_VARIABLE report ERROR_VARIABLE errors RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${cell} for ${name}: Yosys failed\n${errors}")
    endif()
    string(FIND "${report}" "Number of cells" start REVERSE)
    string(SUBSTRING "${report}" ${start} -1 cells)
    if(NOT cells MATCHES "${block} +[1-9]")
      message(SEND_ERROR "${cell} for ${name} is not block RAM:\n${cells}")
    endif()
    if(cells MATCHES "RAM(32|64)|TRELLIS_DPR|\\$mem")
      message(SEND_ERROR "${cell} for ${name} is partly built of tables:\n${cells}")
    endif()
  endforeach()
endforeach()
