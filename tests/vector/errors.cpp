#include "tests/vector/errors.h"

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "host/cpu/flush_subnormals.h"
#include "sim/device/vector_interpreter.h"

// Four elements of glibc's libmvec, within 4 ulp of double.
extern "C" {
__m256d _ZGVdN4v_exp(__m256d);
__m256d _ZGVdN4v_log(__m256d);
__m256d _ZGVdN4v_tanh(__m256d);
__m256d _ZGVdN4v_erf(__m256d);
}

namespace systole::tests {
namespace {

constexpr int kLanes = 32;
constexpr std::uint32_t kWords = 512;
constexpr std::size_t kBlock = std::size_t{kWords} * kLanes;

using Four = __m256d;
using Exact = Four (*)(Four);

// libmvec's are not for large arguments.
template <typename Function>
Four each(Four x, const Function& function) {
  double values[4];
  _mm256_storeu_pd(values, x);
  for (double& value : values) value = function(value);
  return _mm256_loadu_pd(values);
}

Exact exact_function(std::string_view name) {
  static const std::pair<std::string_view, Exact> kExact[] = {
      {"exponential", _ZGVdN4v_exp},
      {"log", _ZGVdN4v_log},
      {"tanh", _ZGVdN4v_tanh},
      {"logistic", [](Four x) { return 1 / (1 + _ZGVdN4v_exp(-x)); }},
      {"erf", _ZGVdN4v_erf},
      {"sine", [](Four x) { return each(x, [](double one) { return std::sin(one); }); }},
      {"cosine", [](Four x) { return each(x, [](double one) { return std::cos(one); }); }},
      {"reciprocal", [](Four x) { return 1 / x; }},
      {"sqrt", [](Four x) { return _mm256_sqrt_pd(x); }},
      {"rsqrt", [](Four x) { return 1 / _mm256_sqrt_pd(x); }},
  };
  for (const auto& [known, exact] : kExact) {
    if (known == name) return exact;
  }
  throw std::invalid_argument("no true value is known for this function");
}

bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

/// The place of a number among all normal ones, zeros and infinities, of both signs.
std::int64_t place(std::uint32_t bits) {
  const std::int64_t magnitude =
      std::max<std::int64_t>(std::int64_t{bits & 0x7fffffff} - 0x7fffff, 0);
  return (bits >> 31) != 0 ? -magnitude : magnitude;
}

void add(FunctionErrors& errors, std::uint32_t argument, double exact, std::uint32_t result) {
  const auto expected = std::bit_cast<std::uint32_t>(static_cast<float>(exact));
  if (is_nan(expected) || is_nan(result)) {
    errors.wrong_nans += !is_nan(expected) || result != 0x7fc00000;
    return;
  }
  const auto steps = static_cast<std::uint32_t>(
      std::min<std::int64_t>(std::abs(place(result) - place(expected)), 0xffff'ffff));
  ++errors.count[std::min(steps, 3U)];
  if (steps > errors.most_steps) {
    errors.most_steps = steps;
    errors.worst_argument = argument;
  }
}

void merge(FunctionErrors& into, const FunctionErrors& from) {
  for (std::size_t i = 0; i < into.count.size(); ++i) into.count[i] += from.count[i];
  if (from.most_steps > into.most_steps) {
    into.most_steps = from.most_steps;
    into.worst_argument = from.worst_argument;
  }
  into.wrong_nans += from.wrong_nans;
}

}  // namespace

FunctionErrors function_errors(const SpecialFunction& function, std::uint64_t first,
                               std::uint64_t stride, unsigned threads) {
  const vector::Program program = function.program();
  const Exact true_value = exact_function(function.name);
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  FunctionErrors total;
  const auto work = [&] {
    const graph::FlushSubnormals flushed;
    vector::Interpreter interpreter(kLanes);
    std::vector<std::uint32_t> arguments(kBlock);
    std::vector<double> exact(kBlock);
    FunctionErrors errors;
    for (;;) {
      const std::uint64_t start = first + stride * kBlock * next++;
      if (start >> 32 != 0) break;
      for (std::size_t i = 0; i < kBlock; ++i) {
        // Beyond the last argument, the last again; it is not counted twice.
        arguments[i] =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(start + stride * i, 0xffff'ffff));
      }
      vector::Interpreter::Streams streams{.in = {arguments}, .out = {}};
      interpreter.run(program, {.words = kWords}, streams);
      for (std::size_t i = 0; i < kBlock; i += 4) {
        const auto* four = reinterpret_cast<const float*>(&arguments[i]);
        _mm256_storeu_pd(&exact[i], true_value(_mm256_cvtps_pd(_mm_loadu_ps(four))));
      }
      for (std::size_t i = 0; i < kBlock && (start + stride * i) >> 32 == 0; ++i) {
        add(errors, arguments[i], exact[i], streams.out[0][i]);
      }
    }
    const std::lock_guard lock(mutex);
    merge(total, errors);
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < threads; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  return total;
}

}  // namespace systole::tests
