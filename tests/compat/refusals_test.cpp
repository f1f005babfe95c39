// What the compatibility headers do not take, and what they say to write instead.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

struct Case {
  const char* header;
  const char* body;  ///< of ap_uint<8> or ac_int<8, false> f(x)
  const char* said;
};

ProgramRun refused(const Case& one) {
  const std::string type =
      std::string(one.header) == "ac_int.h" ? "ac_int<8, false>" : "ap_uint<8>";
  const TemporaryFolder folder;
  const std::string file = folder.file("kernel.h");
  std::ofstream(file) << "#include \"" << one.header << "\"\n"
                      << "inline " << type << " f(" << type << " x) { " << one.body << " }\n";
  return run_hlsc(file, "f",
                  {"--stages", "1", "-I", source_file("hls/include/systole/hls/compat")});
}

TEST_CASE("the compatibility headers refuse what they cannot do and say what to write",
          "[compat]") {
  const Case cases[] = {
      {"ap_int.h", "return ap_uint<8>(\"0x1f\");", "no strings here: write the number, 0x1f"},
      {"ap_int.h", "return ap_uint<8>(0.5) + x;", "no floating point here: write the constant as"},
      {"ap_int.h", "return (x, 1);", "give the constant a width, (x, ap_uint<4>(1))"},
      {"ap_int.h", "return ap_uint<100>(x) * ap_uint<64>(x);", "has 1 to 128 bits: cast"},
      {"ap_int.h", "ap_uint<200> y = x; return y;", "has 1 to 128 bits"},
      {"ap_int.h", "return x(8, 1);", "this index is 8 here"},
      {"ap_int.h", "return x(1, 4);", "this index is 1 here"},
      {"ap_int.h", "x[8] = 1; return x;", "this index is 8 here"},
      {"ap_int.h", "static ap_uint<8> sum = 0; sum += x; return sum;", "sum"},
      {"ap_int.h\"\n#include \"hls_stream.h", "hls::stream<ap_uint<8>> in; return in.read();",
       "take systole::hls::Stream<T>& and write x.pop()"},
      {"ap_fixed.h", "return x;", "there is no fixed point: scale integers"},
      {"ac_fixed.h", "return x;", "there is no fixed point: scale integers"},
      {"ac_channel.h", "return x;", "takes systole::hls::Stream<T>&"},
      {"ac_int.h", "return x.slc<9>(0);", "slc<N> of a number with fewer than N bits"},
      {"ac_int.h", "return x.slc<4>(5);", "this index is 5 here"},
      {"ac_int.h", "x.set_slc(6, ac_int<4, false>(1)); return x;", "this index is 6 here"},
      {"ac_int.h", "return x.set_val<AC_VAL_DC>();", "AC_VAL_DC is no value: write AC_VAL_0"},
  };
  for (const Case& one : cases) {
    INFO(one.body);
    const ProgramRun run = refused(one);
    INFO(run.errors);
    CHECK(run.exit_code == 1);
    CHECK(run.errors.find(one.said) != std::string::npos);
  }
}

}  // namespace
}  // namespace systole::tests
