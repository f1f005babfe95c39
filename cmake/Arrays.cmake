# SYSTOLE_ARRAYS  the array sizes N whose RTL is generated and Verilated; ascending, each once
set(SYSTOLE_ARRAYS "4;8;16" CACHE STRING "Array sizes N whose RTL is generated and Verilated")
list(SORT SYSTOLE_ARRAYS COMPARE NATURAL)
list(REMOVE_DUPLICATES SYSTOLE_ARRAYS)
set(unknown ${SYSTOLE_ARRAYS})
list(REMOVE_ITEM unknown 4 8 16 32)
if(unknown OR NOT SYSTOLE_ARRAYS)
  message(FATAL_ERROR "SYSTOLE_ARRAYS is '${SYSTOLE_ARRAYS}': it must name one or more of 4, 8, 16 "
                      "and 32, as in -DSYSTOLE_ARRAYS='4;16'")
endif()
if(NOT SYSTOLE_HLSC AND (SYSTOLE_TESTS OR NOT SYSTOLE_ARRAYS STREQUAL "16"))
  message(FATAL_ERROR "SYSTOLE_HLSC is OFF, and rtl/generated is of the 16 x 16 array alone: set "
                      "SYSTOLE_ARRAYS to 16 and SYSTOLE_TESTS to OFF, or SYSTOLE_HLSC to ON")
endif()
