# cmake -DRTL=in.sv -DNAME=Kernel -DFLAT=flat.sv -DPORTS=ports.h -P flat_top.cmake
#
# Writes a top `flat` around the last module of RTL, so that one C++ template can drive any kernel:
# in_i and out_o are all its ports side by side, the first one lowest. Also writes a header with the
# names and widths of those ports, kNAMEInputs and kNAMEOutputs.
file(READ ${RTL} text)
set(text_of_file "${text}")
string(REGEX MATCHALL "module [a-z0-9_]+ \\(" heads "${text}")
list(GET heads -1 head)
string(REGEX REPLACE "module ([a-z0-9_]+) \\(" "\\1" module "${head}")
string(FIND "${text}" "${head}" start REVERSE)
string(SUBSTRING "${text}" ${start} -1 text)
string(FIND "${text}" "\n)" end)
string(SUBSTRING "${text}" 0 ${end} ports)
string(REGEX REPLACE " *//[^\n]*" "" ports "${ports}")
string(REGEX MATCHALL "(input|output) +logic [^,\n]*" ports "${ports}")

# What a function over arrays says in its header: parameters, and clocks from start to end.
set(parameters "")
set(least -1)
set(most -1)
set(work 0)
set(stops false)
string(FIND "${text_of_file}" "//   Of      " about REVERSE)
if(NOT about EQUAL -1)
  string(SUBSTRING "${text_of_file}" ${about} -1 text_of_file)
endif()
if(text_of_file MATCHES "\n//   Channel [^\n]*queue")
  set(stops true)
endif()
string(REGEX MATCHALL "//   Process [^\n]*" processes "${text_of_file}")
foreach(process IN LISTS processes)
  if(work EQUAL -1 OR process MATCHES "or more$" OR
     NOT process MATCHES ", ([0-9]+) runs? of ([0-9]+ to )?([0-9]+) clocks$")
    set(work -1)
  else()
    math(EXPR work "${work} + ${CMAKE_MATCH_1} * ${CMAKE_MATCH_3}")
  endif()
endforeach()
if(text_of_file MATCHES "//   Of      ([^\n]*)\n//   Clocks  ([0-9]+)( to ([0-9]+))?( or more)?")
  set(least ${CMAKE_MATCH_2})
  if(CMAKE_MATCH_4)
    set(most ${CMAKE_MATCH_4})
  elseif(NOT CMAKE_MATCH_5)
    set(most ${least})
  endif()
  string(REPLACE ", " ";" names "${CMAKE_MATCH_1}")
  foreach(parameter IN LISTS names)
    string(APPEND parameters "\"${parameter}\", ")
  endforeach()
endif()

set(inputs 0)
set(outputs 0)
set(input_count 0)
set(output_count 0)
set(input_ports "")
set(output_ports "")
set(connections ".clk_i(clk_i)")
foreach(port IN LISTS ports)
  string(REGEX REPLACE ".* ([a-z0-9A-Z_]+)$" "\\1" name "${port}")
  set(width 1)
  if(port MATCHES "\\[([0-9]+):0\\]")
    math(EXPR width "${CMAKE_MATCH_1} + 1")
  endif()
  if(name STREQUAL "clk_i")
    continue()
  elseif(name STREQUAL "rst_ni")
    string(APPEND connections ", .rst_ni(rst_ni)")
  elseif(port MATCHES "^input")
    string(APPEND connections ",\n    .${name}(in_i[${inputs} +: ${width}])")
    string(APPEND input_ports "    {\"${name}\", ${width}},\n")
    math(EXPR inputs "${inputs} + ${width}")
    math(EXPR input_count "${input_count} + 1")
  else()
    string(APPEND connections ",\n    .${name}(out_o[${outputs} +: ${width}])")
    string(APPEND output_ports "    {\"${name}\", ${width}},\n")
    math(EXPR outputs "${outputs} + ${width}")
    math(EXPR output_count "${output_count} + 1")
  endif()
endforeach()
foreach(direction inputs outputs)  # a port has at least one bit, used or not
  if(${direction} EQUAL 0)
    set(${direction} 1)
  endif()
  math(EXPR ${direction} "${${direction}} - 1")
endforeach()
file(WRITE ${FLAT} "module flat (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [${inputs}:0] in_i,
  output logic [${outputs}:0] out_o
);
  ${module} kernel (${connections});
endmodule
")
set(kernel "")
if(parameters)
  set(kernel "#include \"systole/cosim/kernel_bench.h\"
inline constexpr systole::cosim::KernelClocks k${NAME}Clocks{${least}, ${most}, ${stops}, ${work}};
inline const std::vector<std::string> k${NAME}Parameters{${parameters}};
")
endif()
file(WRITE ${PORTS} "#pragma once

#include <array>

#include \"systole/cosim/ports.h\"

inline constexpr std::array<systole::cosim::Port, ${input_count}> k${NAME}Inputs{{
${input_ports}}};
inline constexpr std::array<systole::cosim::Port, ${output_count}> k${NAME}Outputs{{
${output_ports}}};
${kernel}")
