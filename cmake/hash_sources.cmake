# Writes a header with the SHA-256 of the sources in some folders:
#
#   cmake -DROOT=source_dir -DFOLDERS=hls/kernels,sim/memory -DCOMPILER="clang 19.1.7"
#         -DNAME=kModelSources -DHEADER=out.h -P hash_sources.cmake
string(REPLACE "," ";" FOLDERS "${FOLDERS}")
set(sums "${COMPILER}\n")
foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE files RELATIVE ${ROOT} LIST_DIRECTORIES false
       ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp)
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 ${ROOT}/${file} sum)
    string(APPEND sums "${sum} ${file}\n")
  endforeach()
endforeach()
string(SHA256 sum "${sums}")
string(CONCAT text "// Generated from the sources of ${FOLDERS}. Do not edit.\n"
       "#pragma once\n\ninline constexpr char ${NAME}[] =\n    \"${sum}\";\n")
file(WRITE ${HEADER} "${text}")
