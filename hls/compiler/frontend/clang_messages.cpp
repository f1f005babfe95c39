#include "hls/compiler/frontend/clang_messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

constexpr std::size_t kMostErrors = 3;

/// Advice on what to write, where clang only says what is wrong.
struct Advice {
  const char* start;  ///< of clang's message
  const char* instead;
  const char* also = "";  ///< what the message says, too
};
constexpr const char* kScaled =
    "there is no fixed point: scale integers, ap_int<16> for 8 bits behind the point, and shift a "
    "product right by 8";
constexpr const char* kCompatFolder =
    "pass -I PREFIX/include/systole/hls/compat, in the sources -I hls/include/systole/hls/compat";
constexpr Advice kAdvice[] = {
    {"cannot use 'throw'", "hardware has no exceptions; give an output that says what went wrong"},
    {"cannot use 'try'", "hardware has no exceptions; give an output that says what went wrong"},
    {"use of typeid", "hardware has no types at run time; choose with a template or an input"},
    {"use of dynamic_cast",
     "hardware has no types at run time; choose with a template or an input"},
    {"no viable conversion from 'UInt<", "truncate<T>(x) keeps the low bits"},
    {"no viable conversion from 'Int<", "truncate<T>(x) keeps the low bits"},
    {"no viable overloaded '='", "truncate<T>(x) keeps the low bits"},
    {"no viable conversion from returned value of type 'UInt<",
     "truncate<T>(x) keeps the low bits"},
    {"no viable conversion from returned value of type 'Int<", "truncate<T>(x) keeps the low bits"},
    {"call to consteval function 'systole::hls::Literal<",
     "a number beside a value takes its type: it is a constant that fits, or UInt<9>(300), or "
     "UInt<8>::from(i) of a loop's counter"},
    {"call to consteval function 'systole::hls::Divisor<",
     "a divisor is a constant other than 0 and -1 that fits the type of what it divides"},
    {"call to consteval function 'systole::hls::",
     "a number is a constant that fits the type; write UInt<8>::from(i) of a loop's counter"},
    {"no member named 'await_ready' in 'systole::hls::Thread'",
     "a thread is awaited where it is called, co_await f(...); to run beside this one it is a "
     "Process, and a Channel joins the two"},
    {"non-type template parameter 'kFunction' with type 'auto' has incompatible initializer of "
     "type '<overloaded function type>'",
     "several functions have this name; give the one that is meant a name of its own"},
    {"non-void function does not return a value", "return a value on every way"},
    {"variable length array", "give the array a constant size"},
    {"'ap_fixed.h' file not found", kScaled},
    {"'ac_fixed.h' file not found", kScaled},
    {"unknown type name 'ap_fixed", kScaled},
    {"no template named 'ap_fixed'", kScaled},
    {"no template named 'ap_ufixed'", kScaled},
    {"no template named 'ac_fixed'", kScaled},
    {"'ac_channel.h' file not found",
     "a function over arrays takes systole::hls::Stream<T>&, popped and pushed"},
    {"'ap_int.h' file not found", kCompatFolder},
    {"'ac_int.h' file not found", kCompatFolder},
    {"'hls_stream.h' file not found", kCompatFolder},
    {"'systole/hls/", "pass -I PREFIX/include, in the sources -I hls/include"},
    {"invalid operands to binary expression",
     "a Float has the operators of hls/kernels/fp32_operators.h, and Fp32 alone", "Float<"},
};

struct Error {
  std::string position;  ///< "file:line:column", or "" for one without
  std::string text;
};

/// Splits "file:1:2: error: text" at the word; false for a line of another kind.
bool split(const std::string& line, const std::string& word, Error& found) {
  const std::size_t at = line.find(word);
  if (at == std::string::npos) return false;
  found.position = line.substr(0, at);
  while (!found.position.empty() &&
         (found.position.back() == ' ' || found.position.back() == ':')) {
    found.position.pop_back();
  }
  found.text = line.substr(at + word.size());
  // Drops the flag that made it an error, which is hlsc's.
  if (const std::size_t flag = found.text.find(" [-W"); flag != std::string::npos) {
    found.text.erase(flag);
  }
  return true;
}

/// Whether the error is one of the unit that hlsc writes around the user's file.
bool is_entry(const Error& error) { return error.position.starts_with(kEntryFile); }

/// "file:12" of "file:12:5", and "file".
std::string line_of(const std::string& position) { return position.substr(0, position.rfind(':')); }
std::string name_of_file(const std::string& position) {
  return std::filesystem::path(line_of(line_of(position))).filename().string();
}

/// Drops a static_assert's condition; its text says what to write.
std::string without_condition(const std::string& text) {
  const std::string end = "': ";
  const std::size_t at = text.find(end);
  if (!text.starts_with("static assertion failed due to requirement") || at == std::string::npos) {
    return text;
  }
  return text.substr(at + end.size());
}

std::string with_advice(const std::string& text) {
  for (const Advice& advice : kAdvice) {
    if (text.starts_with(advice.start) && text.find(advice.also) != std::string::npos) {
      return text + "; " + advice.instead;
    }
  }
  return text;
}

}  // namespace

std::string clang_errors(const std::string& messages) {
  std::vector<Error> errors;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    Error found;
    if (split(line, "fatal error: ", found) || split(line, "error: ", found)) {
      errors.push_back({found.position, without_condition(found.text)});
    } else if (!errors.empty() && is_library(errors.back().position) &&
               split(line, "note: ", found) && found.position.find(':') != std::string::npos &&
               !is_library(found.position)) {
      errors.back().text += fmt::format(" (in {})", name_of_file(errors.back().position));
      errors.back().position = found.position;
    }
  }
  // clang says once where it instantiated a template, for the first error in it.
  for (std::size_t i = 1; i < errors.size(); ++i) {
    if (!is_library(errors[i].position)) continue;
    errors[i].text += fmt::format(" (in {})", name_of_file(errors[i].position));
    errors[i].position = errors[i - 1].position;
  }
  // What does not compile leaves hlsc's own unit without a top.
  const bool all_of_entry = std::ranges::all_of(errors, is_entry);
  std::vector<std::string> kept;
  for (const Error& error : errors) {
    if (is_entry(error) && !all_of_entry) continue;
    const std::string message =
        error.position + (error.position.empty() ? "" : ": ") + with_advice(error.text);
    // A template says the same for each of its functions that a line calls.
    const bool is_known = std::ranges::any_of(errors, [&](const Error& other) {
      return &other < &error && other.text == error.text &&
             line_of(other.position) == line_of(error.position);
    });
    if (!is_known && kept.size() < kMostErrors) kept.push_back(message);
  }
  return fmt::format("{}", fmt::join(kept, "\n"));
}

}  // namespace systole::compiler
