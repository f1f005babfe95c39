#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole::compiler {

/// One operation of a pipeline that takes time, for the schedule as text.
struct OperationReport {
  std::string name;      ///< of the value it computes
  std::string kind;      ///< "add", "select", ...
  std::string position;  ///< "mac.h:25"
  int width = 0;
  int stage = 0;
  double start_ns = 0;  ///< from the stage's start
  double done_ns = 0;
};

/// Look-up tables, carry chain bits, multiplier blocks and flip-flops, estimated.
struct AreaReport {
  std::int64_t tables = 0;
  std::int64_t carry_bits = 0;
  std::int64_t multipliers = 0;
  std::int64_t flip_flops = 0;
};

/// One stage of a pipeline.
struct StageReport {
  double ns = 0;          ///< estimated, registers included
  int register_bits = 0;  ///< after the stage; the result's after the last
  int tables = 0;         ///< on its slowest path, like the next two
  int extra_inputs = 0;   ///< of those tables, above the target's native ones
  int chains = 0;
  int carry_bits = 0;
  int multipliers = 0;
  std::vector<std::string> positions;  ///< of the slowest path, in order
};

/// One pipeline of a generated module.
struct PipelineReport {
  std::string function;
  int stages = 0;
  std::int64_t lanes = 1;
  int register_bits = 0;  ///< of one lane, all stages but the result
  double slowest_ns = 0;
  double register_ns = 0;  ///< of it, clock to output and set-up
  std::vector<StageReport> stage_reports;
  std::vector<OperationReport> operations;
  AreaReport area;  ///< of one lane
};

/// The slowest path to one end: a register, an output, a submodule's input or a pipeline's stage.
struct TimedPath {
  double ns = 0;     ///< from edge to edge
  std::string from;  ///< "next_first", "windows_base", "stretches.pop_data"
  std::string to;
  std::vector<std::string> positions;  ///< source lines on the way, in order
};

/// A loop of a function over arrays.
struct LoopReport {
  std::string position;      ///< "fir.h:12"
  int depth = 1;             ///< 1 for an outermost loop
  unsigned trips = 0;        ///< 0 if not constant
  std::optional<int> asked;  ///< clocks between iterations, by the source; 0 for no overlap
  int interval = 0;          ///< the same as reached; 0 if iterations do not overlap
  int least_by_resources =
      0;            ///< the least interval that ports and units allow; 0 if not innermost
  int latency = 0;  ///< clocks of one iteration; 0 if not innermost
  int stages = 0;   ///< iterations under way at once
  int least = 0;    ///< the least interval that is possible at all; 0 if none is
  std::vector<std::string> units;      ///< "mac", "fp32_add x 3"
  std::vector<std::string> passed;     ///< words that go from a write to a read beside the memory
  std::vector<std::string> flattened;  ///< loops around it that it stands for, "mm.h:12"
  std::string binding;                 ///< what keeps the interval above 1
};

/// An operation of a function over arrays, in clocks from its block's first.
struct TimedOperation {
  enum class Kind { kRead, kWrite, kUnit, kLogic };  ///< a pop reads, a push writes
  Kind kind = Kind::kLogic;
  std::string name;      ///< "sum", "read a", "mac", or its kind
  bool has_name = true;  ///< it is more than its kind
  std::string position;  ///< "fir.h:12"
  int start = 0;
  int clocks = 1;  ///< until its result is there; 1 for logic, which takes part of its clock
};

/// One block of it: clocks of a state machine, or an iteration of a loop.
struct BlockReport {
  std::string title;  ///< its loop's line of the header, or "fir.h:9"
  int interval = 0;   ///< clocks between two iterations; 0 if they do not overlap
  int length = 1;
  std::vector<TimedOperation> operations;
};

/// What a port of a function over arrays is for.
enum class PortKind { kOther, kStart, kDone, kError, kArgument, kAddress, kResult };

/// A port of a function over arrays, but clk_i and rst_ni.
struct PortReport {
  std::string base = "";  ///< without _i or _o
  int width = 0;
  bool is_input = false;
  PortKind kind = PortKind::kOther;  ///< kArgument, kResult: a scalar; kAddress: of an AxiArray
  std::string parameter = "";        ///< of a scalar or an address
  bool is_signed = false;
};

/// A function over arrays that runs beside others in a dataflow() function.
struct ProcessReport {
  std::string name;
  std::string position;  ///< of its call
  std::int64_t runs = 1;
  std::int64_t least_clocks = 0;            ///< of a run, while no stream stalls
  std::optional<std::int64_t> most_clocks;  ///< nothing if they depend on data
  std::vector<std::pair<std::int64_t, std::int64_t>> spans = {};  ///< first runs, start to end
};

/// An array, a queue, or one value that is there when its writer has ended.
enum class ChannelKind { kArray, kStream, kScalar };

/// What one of them hands to another.
struct ChannelReport {
  std::string name;
  std::string writer;
  std::string reader;
  ChannelKind kind = ChannelKind::kArray;
  std::int64_t words = 0;     ///< of a queue, or of each bank of a memory
  bool is_emptied = false;    ///< a queue whose reader may leave elements, which are dropped
  bool may_be_short = false;  ///< a queue on one of two ways that meet again, at data's clocks
  unsigned width = 0;
  int banks = 1;
};

/// A function over arrays.
struct KernelReport {
  std::string kernel;
  std::string position;  ///< of the function, "fir.h:12:6"
  std::vector<std::string> parameters;
  std::int64_t least_clocks = 0;            ///< from start_i to done_o
  std::optional<std::int64_t> most_clocks;  ///< nothing if a loop's length depends on data
  bool has_streams = false;                 ///< which may stall, and cost more clocks
  bool has_axi = false;                     ///< whose memory answers when it likes
  std::vector<std::string> axi_accesses;    ///< of AxiArrays: in bursts, or why not
  std::vector<LoopReport> loops;            ///< outer ones first
  std::vector<PortReport> ports;
  std::vector<BlockReport> blocks;  ///< in the order of the source
  std::vector<ProcessReport>
      processes;  ///< of a dataflow() function, which has no loops of its own
  std::vector<ChannelReport> channels;
};

/// A generated module's part of the reports.
struct ModuleReport {
  std::string module;
  std::vector<TimedPath> paths;  ///< one for each end, the slowest first; only if they were timed
  std::vector<std::string> instances;
  std::vector<PipelineReport> pipelines;
  std::int64_t register_bits = 0;     ///< flip-flops outside the pipelines
  std::vector<KernelReport> kernels;  ///< one, if it is a function over arrays
};

/// The compiled modules, and the delays used.
struct Report {
  std::string version;
  std::string target;
  std::string origin;    ///< of the delays: "routed", "synthesised", ...
  double clock_mhz = 0;  ///< required, 0 for none
  std::vector<ModuleReport> modules;
};

/// A kernel's clocks and loops, as comment lines of its module.
std::string summary(const KernelReport& kernel);

/// "fir.h:12, 64 iterations, one every 1 clock, 4 clocks each": a loop in words.
std::string loop_line(const LoopReport& loop);

/// "rows -> columns: middle, 2 banks of 64 x 12 bits": a channel in words.
std::string channel_line(const ChannelReport& channel);

/// "rows (idct.h:40), 8 runs of 66 clocks": a process in words.
std::string process_line(const ProcessReport& process);

/// The schedule of a function over arrays as a picture: a panel for each block, a bar for each
/// operation, and the iterations that follow where they overlap; of a dataflow() function, a row
/// for each process with its runs, and the channels.
std::string as_svg(const KernelReport& kernel);

/// The report as JSON; docs/hlsc.md has the fields.
std::string as_json(const Report& report);

/// The report as tables for people.
std::string as_table(const Report& report);

/// Each module's slowest paths, by source line, and their slack at the required clock.
std::string as_timing(const Report& report);

/// The slowest path of all that misses the required clock, in words; "" if none does.
std::string missed_clock(const Report& report);

/// The operations of every pipeline by stage, with a bar from start to end:
///
///   stage 1   5.31 ns
///     0.00  1.50 |=====       |  add     distance  mac.h:62
std::string as_schedule(const Report& report);

}  // namespace systole::compiler
