# systole_compile_alone(FILE...)
# systole_join_sources(FOLDER)
#
# With CMAKE_UNITY_BUILD (presets `test` and `demo`) a target's sources are compiled several at a time,
# which reads their headers once: eight, or CMAKE_UNITY_BUILD_BATCH_SIZE in folders of many. The first keeps sources of its folder out of that: those with a name
# of their own that a neighbour has, too. The second, called last, leaves the targets below FOLDER as
# they are that have one source in C++, or others in C, which precompiled headers would be given to.
include_guard()

function(systole_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(systole_join_sources folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    set(in_c ${sources})
    list(FILTER sources INCLUDE REGEX "[.]cpp$")
    list(FILTER in_c INCLUDE REGEX "[.]c$")
    list(LENGTH sources count)
    if(count EQUAL 1 OR in_c)
      set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    systole_join_sources(${below})
  endforeach()
endfunction()
