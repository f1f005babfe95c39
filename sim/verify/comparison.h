#pragma once

#include <optional>
#include <string>

#include "sim/device/program_interpreter.h"
#include "sim/verify/program_run.h"

namespace systole::verify {

/// A difference in words.
using Words = std::optional<std::string>;

/// The interpreter's memory: a copy of the device's, whose trap fails.
class ExpectedMemory final : public ProgramMemory {
 public:
  explicit ExpectedMemory(const Case& which)
      : memory(make_memory(which)), trap_(which.layout.trap) {}
  std::byte* locate(std::uint64_t address, std::int64_t size_bytes) override;

  DeviceMemory memory;

 private:
  Block trap_;
};

/// Opens the case's windows to the interpreter.
void open_windows(const Case& which, ProgramInterpreter& interpreter);

/// How the interpreter ended.
struct ExpectedEnd {
  ProgramFault fault;
  std::uint32_t marker = 0;
};

/// The first difference between what a program did on the device and in the interpreter. After a
/// fault, what it may have written is copied to the interpreter's memory.
Words compare(const Case& which, const Program& program, const Outcome& outcome,
              const ExpectedEnd& expected_end, DeviceMemory& memory, ExpectedMemory& expected);

/// After a program that does not end as it should: what it may have written becomes what is
/// expected.
void take_over(const Case& which, DeviceMemory& memory, ExpectedMemory& expected);

}  // namespace systole::verify
