# The default configuration: the accelerator of a 16 x 16 array with 512 accumulator rows a bank, the
# array's own kernels alone, and the link between two such accelerators. rtl/generated holds exactly these files; `update_rtl` writes them.
#
# SYSTOLE_DEFAULT_KERNELS  header:C++ type, one for each run of hlsc
# SYSTOLE_DEFAULT_MODULES  the resulting modules
# SYSTOLE_ACCELERATOR_MODULES  those of the accelerator, whatever its size; the top is last
set(SYSTOLE_ACCELERATOR_MODULES
  systole_accumulators systole_burst_arbiter systole_burst_arbiter_32 systole_burst_arbiter_8
  systole_compute_engine systole_fetcher systole_load_bursts
  systole_load_engine systole_load_lanes systole_load_walk systole_load_words systole_matrix_unit
  systole_registers systole_row_feeder systole_sequencer systole_store_beats systole_store_bursts
  systole_store_engine systole_store_rows systole_supervisor systole_systolic_array systole_tokens
  systole_turner systole_vector_engine systole_vector_lanes systole_vector_link_reader
  systole_vector_link_writer systole_vector_program_loader
  systole_vector_read_stream systole_vector_unit systole_vector_unit_drain
  systole_vector_write_stream systole_weight_feeder systole_accelerator)
set(SYSTOLE_DEFAULT_KERNELS
  "accelerator:Accelerator<16, 512>"
  "processing_element:ProcessingElement<>"
  "multiply_add:MultiplyAdd"
  "accumulate_add:AccumulateAdd"
  "link:Link<LinkBeat<16>>")
set(SYSTOLE_DEFAULT_MODULES
  ${SYSTOLE_ACCELERATOR_MODULES} systole_accumulate_add systole_link_receiver systole_link_sender
  systole_link systole_multiply_add systole_processing_element)

# Writes the modules to OUTPUT_DIR, calling HLSC on kernels under SOURCE_DIR from WORKING_DIR.
function(systole_write_default_rtl)
  cmake_parse_arguments(RTL "" "HLSC;SOURCE_DIR;WORKING_DIR;OUTPUT_DIR" "" ${ARGN})
  file(REMOVE_RECURSE ${RTL_OUTPUT_DIR})
  file(MAKE_DIRECTORY ${RTL_OUTPUT_DIR} ${RTL_WORKING_DIR})
  foreach(kernel IN LISTS SYSTOLE_DEFAULT_KERNELS)
    string(REGEX MATCH "^([a-z_]+):(.*)$" unused "${kernel}")
    execute_process(
      COMMAND ${RTL_HLSC} ${RTL_SOURCE_DIR}/hls/kernels/${CMAKE_MATCH_1}.h --top ${CMAKE_MATCH_2}
              -I ${RTL_SOURCE_DIR} -I ${RTL_SOURCE_DIR}/hls/include --output-dir ${RTL_OUTPUT_DIR}
      WORKING_DIRECTORY ${RTL_WORKING_DIR}
      RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "hlsc failed on ${CMAKE_MATCH_1}.h; see its error above")
    endif()
  endforeach()
endfunction()
