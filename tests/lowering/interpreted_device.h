#pragma once

#include "host/device/device.h"
#include "host/device/device_memory.h"
#include "host/device/program_device.h"
#include "sim/device/program_interpreter.h"

namespace systole::tests {

/// A device that executes commands one by one, with its memory; no clocks.
class InterpretedDevice final : public ProgramDevice {
 public:
  explicit InterpretedDevice(int array_size)
      : sizes_{{.bank_rows = ProgramInterpreter::kAccumulatorRows / 2,
                .row_words = ProgramInterpreter::kRowBufferRows,
                .weight_words = ProgramInterpreter::kWeightBufferRows,
                .mask_words = ProgramInterpreter::kMaskRows},
               array_size},
        interpreter_(array_size, seen_) {}

  const DeviceSizes& sizes() const override { return sizes_; }
  DeviceMemory& memory() override { return memory_; }
  ProgramResult run(const PlacedProgram& program) override {
    interpreter_.reset();
    const ProgramWindow window{program.base, program.end, true, true};
    interpreter_.set_windows({&window, 1});
    const ProgramFault fault = interpreter_.run(program.commands);
    return {.fault = fault.code, .command = fault.command, .address = fault.address};
  }

 private:
  class Seen final : public ProgramMemory {
   public:
    explicit Seen(DeviceMemory& memory) : memory_(memory) {}
    std::byte* locate(std::uint64_t address, std::int64_t size_bytes) override {
      return memory_.find(address, static_cast<std::uint64_t>(size_bytes));
    }

   private:
    DeviceMemory& memory_;
  };
  DeviceSizes sizes_;
  DeviceMemory memory_;
  Seen seen_{memory_};
  ProgramInterpreter interpreter_;
};

/// One as the device "interpreted", behind the backend that all devices have.
Device open_interpreted_device(int array_size);

}  // namespace systole::tests
