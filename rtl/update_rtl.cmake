# cmake -DHLSC=program -DSOURCE_DIR=repository -DSCRATCH_DIR=folder -P rtl/update_rtl.cmake
#
# Replaces the SystemVerilog in rtl/generated. Everything is generated before anything is replaced.
include(${CMAKE_CURRENT_LIST_DIR}/DefaultRtl.cmake)

systole_write_default_rtl(HLSC ${HLSC} SOURCE_DIR ${SOURCE_DIR} WORKING_DIR ${SOURCE_DIR}
                          OUTPUT_DIR ${SCRATCH_DIR})
file(GLOB old ${SOURCE_DIR}/rtl/generated/*.sv)
if(old)
  file(REMOVE ${old})
endif()
foreach(module IN LISTS SYSTOLE_DEFAULT_MODULES)
  file(COPY ${SCRATCH_DIR}/${module}.sv DESTINATION ${SOURCE_DIR}/rtl/generated)
endforeach()
