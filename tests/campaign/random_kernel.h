#pragma once

#include <cstdint>
#include <string>

namespace systole::tests {

/// The forms in which hlsc takes a kernel, and those that it must refuse. The clocked ones are
/// compared edge by edge, functions over arrays run by run.
enum class Form { kFunction, kModule, kThread, kCiphers, kLoops, kNetworks, kWrong };
/// Those of a campaign of all.
inline constexpr Form kClockedForms[] = {Form::kFunction, Form::kModule, Form::kThread};

/// Whether kernels of the form are functions over arrays.
inline bool over_arrays(Form form) { return form == Form::kLoops || form == Form::kNetworks; }

const char* form_name(Form form);

/// A random kernel: legal HLS C++ whose top is a clocked module or a function over arrays.
struct RandomKernel {
  std::string name;  ///< of the top, and the prefix of everything else in `text`
  std::string text;
};

/// The kernel of this form and seed; always the same one.
///
/// Numbers  what the RTL's registers hold before the first reset is 0, as in C++; a kernel with
///          pipelines resets every register and feeds its memories and submodules from ports and
///          registers only, so that after some edges in reset nothing depends on what its pipelines
///          held at the start
RandomKernel random_kernel(Form form, std::uint64_t seed, const std::string& name);

}  // namespace systole::tests
