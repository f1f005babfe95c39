# systole_generate_rtl(NAME TOP cpp-type SOURCE kernel.h OUTPUT_DIR dir MODULES name...)
#
# Runs hlsc on a kernel: one SystemVerilog file per module, top last. Depends on the kernels and on
# the compiler, so that editing either regenerates. Target rtl_NAME; the files are in the property
# SYSTOLE_RTL_FILES.
include_guard()

file(GLOB SYSTOLE_KERNEL_HEADERS CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/hls/kernels/*.h ${PROJECT_SOURCE_DIR}/hls/include/systole/hls/*.h)

function(systole_generate_rtl name)
  cmake_parse_arguments(RTL "" "TOP;SOURCE;OUTPUT_DIR" "MODULES" ${ARGN})
  set(files)
  foreach(module IN LISTS RTL_MODULES)
    list(APPEND files ${RTL_OUTPUT_DIR}/${module}.sv)
  endforeach()
  file(MAKE_DIRECTORY ${RTL_OUTPUT_DIR})
  add_custom_command(
    OUTPUT ${files} ${RTL_OUTPUT_DIR}/${name}.json
    COMMAND hlsc ${RTL_SOURCE} --top "${RTL_TOP}" -I . -I hls/include
            --output-dir ${RTL_OUTPUT_DIR} --report ${RTL_OUTPUT_DIR}/${name}.json
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS hlsc ${SYSTOLE_KERNEL_HEADERS}
    COMMENT "hlsc ${RTL_TOP}"
    VERBATIM)
  add_custom_target(rtl_${name} DEPENDS ${files})
  set_target_properties(rtl_${name} PROPERTIES SYSTOLE_RTL_FILES "${files}")
endfunction()
