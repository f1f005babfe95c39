# systole_model_table(FAMILY [ROOT])
#
# The Verilated models FAMILY_N of this build, for N in SYSTOLE_ARRAYS, as one C++ type: target
# systole::FAMILY_models, header V<FAMILY>_models.h with systole::sim::FAMILY_models, a ByArraySize
# whose entries have a Model. ROOT also includes the headers of the models' roots.
include_guard()

function(systole_model_table family)
  cmake_parse_arguments(TABLE "ROOT" "" "" ${ARGN})
  set(TABLE_NAME ${family}_models)
  set(TABLE_INCLUDES)
  set(entries)
  add_library(systole_${TABLE_NAME} INTERFACE)
  add_library(systole::${TABLE_NAME} ALIAS systole_${TABLE_NAME})
  foreach(size IN LISTS SYSTOLE_ARRAYS)
    set(model V${family}_${size})
    string(APPEND TABLE_INCLUDES "#include <${model}.h>\n")
    if(TABLE_ROOT)
      string(APPEND TABLE_INCLUDES "#include <${model}___024root.h>\n")
    endif()
    list(APPEND entries "BuiltModel<${model}, ${size}>")
    target_link_libraries(systole_${TABLE_NAME} INTERFACE systole::${family}_${size})
  endforeach()
  list(JOIN entries ",\n    " TABLE_ENTRIES)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/tables)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/model_table.h.in ${folder}/V${TABLE_NAME}.h @ONLY)
  target_include_directories(systole_${TABLE_NAME} INTERFACE ${folder})
  target_link_libraries(systole_${TABLE_NAME} INTERFACE fmt::fmt)
endfunction()
