# systole_hash_sources(TARGET NAME FOLDER...)
#
# Gives TARGET a header <name>.h with NAME, a hash of every source in the folders (kModelSources in
# model_sources.h): TARGET's entries in the disk cache are valid for these sources only.
function(systole_hash_sources target name)
  string(REGEX REPLACE "^k" "" file ${name})
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" file ${file})
  string(TOLOWER ${file} file)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/${file}.h)
  list(TRANSFORM ARGN APPEND "/*" OUTPUT_VARIABLE patterns)
  list(TRANSFORM patterns PREPEND "${PROJECT_SOURCE_DIR}/")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  string(REPLACE ";" "," folders "${ARGN}")
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFOLDERS=${folders}
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            -DNAME=${name} -DHEADER=${header} -P ${PROJECT_SOURCE_DIR}/cmake/hash_sources.cmake
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/hash_sources.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
