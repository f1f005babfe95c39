# Component host of the package: Systole::host, every library of this tree that it links, and the
# headers of host/ under their own paths: #include "host/nn/layers/dense.h".

# The libraries of this tree that `target` links, directly or not.
function(systole_linked_libraries target result)
  set(libraries ${${result}})
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(NOT TARGET ${link})
      continue()
    endif()
    get_target_property(aliased ${link} ALIASED_TARGET)
    if(aliased)
      set(link ${aliased})
    endif()
    get_target_property(type ${link} TYPE)
    if(link MATCHES "^systole_" AND type STREQUAL STATIC_LIBRARY AND NOT link IN_LIST libraries)
      list(APPEND libraries ${link})
      systole_linked_libraries(${link} libraries)
    endif()
  endforeach()
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# Removes from the exported targets this tree's folders and its targets without a library (warnings,
# kernels).
function(systole_prepare_export target)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  set(exported)
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${link}")
    set(type)
    if(TARGET ${name} AND name MATCHES "^systole")
      get_target_property(type ${name} TYPE)
    endif()
    if(type STREQUAL INTERFACE_LIBRARY)
      string(REPLACE "${name}" "$<BUILD_INTERFACE:${name}>" link "${link}")
    endif()
    list(APPEND exported "${link}")
  endforeach()
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT folders)
    set(folders)
  endif()
  set_target_properties(${target} PROPERTIES
    INTERFACE_LINK_LIBRARIES "${exported}"
    INTERFACE_INCLUDE_DIRECTORIES
      "$<BUILD_INTERFACE:${folders}>;$<INSTALL_INTERFACE:include;include/systole>")
endfunction()

if(NOT TARGET systole_host)
  return()
endif()
set(host_libraries)
systole_linked_libraries(systole_host host_libraries)
foreach(library IN LISTS host_libraries ITEMS systole_host)
  systole_prepare_export(${library})
endforeach()
set_target_properties(systole_host PROPERTIES EXPORT_NAME host)
install(TARGETS systole_host ${host_libraries} EXPORT SystoleHost
        OBJECTS DESTINATION lib/systole COMPONENT host
        ARCHIVE DESTINATION lib/systole COMPONENT host)
install(EXPORT SystoleHost NAMESPACE Systole:: FILE Systole_host_targets.cmake
        DESTINATION ${SYSTOLE_PACKAGE_DIR} COMPONENT host)
foreach(folder IN ITEMS compiler cpu data device distribute graph nn pjrt)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/host/${folder} DESTINATION include/systole/host
          COMPONENT host FILES_MATCHING PATTERN *.h)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/hls/include/systole/support DESTINATION include/systole
        COMPONENT host)
