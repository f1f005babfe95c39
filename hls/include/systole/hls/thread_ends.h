#pragma once

#include "systole/hls/pipeline.h"
#include "systole/hls/ram.h"
#include "systole/hls/thread.h"

/// What a thread uses and its parent holds: memories, pipelines and other threads. Each end is a
/// parameter of the thread, and `connect()` wires it to the thing itself:
///
///     inline Thread fill(RamEnd<UInt8, 256>& table) { ... co_await table.write(i, x); ... }
///     fill_.connect(table_);  // Ram<UInt8, 256> table_; Process<&fill> fill_;
namespace systole::hls {

/// An output wire that is 1 for one clock.
class Strobe {
 public:
  struct Set {
    Strobe& strobe;
    static bool await_ready() { return false; }
    template <typename Promise>
    void await_suspend([[maybe_unused]] std::coroutine_handle<Promise> thread) const {
#ifdef SYSTOLE_HLSC
      wait::for_strobe(&strobe);
#else
      strobe.waiting = UInt1(1);
      thread.promise().self = thread;
      thread.promise().go = nullptr;
#endif
    }
    void await_resume() const {
#ifndef SYSTOLE_HLSC
      strobe.waiting = UInt1(0);
#endif
    }
  };

  /// Waits for one clock, in which the wire is 1.
  Set set() { return {*this}; }

  UInt1 waiting;  ///< the wire
};

/// An input wire of an end.
template <typename T>
struct Driven {
  T value;
};

/// A thread's end of a `Ram<Word, kDepth>`.
///
/// Timing   a read takes two clocks, a write one
/// Numbers  reading a word that was never written gives 0 in C++ and anything in hardware
template <typename Word, int kDepth>
class RamEnd {
 public:
  using Address = typename Ram<Word, kDepth>::Address;

  Task<Word> read(Address address) {
    read_address = address;
    co_await read_enable.set();
    co_await clock();
    co_return read_data.value;
  }
  Thread write(Address address, Word word) {
    write_address = address;
    write_data = word;
    co_await write_enable.set();
  }

  Strobe read_enable;
  Address read_address;
  Driven<Word> read_data;
  Strobe write_enable;
  Address write_address;
  Word write_data;
};

template <typename Word, int kDepth>
struct ThreadPort<RamEnd<Word, kDepth>&> {
  using End = RamEnd<Word, kDepth>;
  using Input = Word;
  using Output = typename Ram<Word, kDepth>::Inputs;
  static void drive(End& end, const Input& in) { end.read_data.value = in; }
  static Output show(const End& end) {
    return {.read_enable = end.read_enable.waiting,
            .read_address = end.read_address,
            .write_enable = end.write_enable.waiting,
            .write_address = end.write_address,
            .write_data = end.write_data};
  }
  static void rest(End& end) {
    end.read_enable.waiting = UInt1(0);
    end.write_enable.waiting = UInt1(0);
  }
  static void connect(Ram<Word, kDepth>& memory, Input& in, const Output& out) {
    in = memory.clock(out).read_data;
  }
};

template <auto kFunction, int kStages, typename Signature = decltype(kFunction)>
class PipelineEnd;

/// A thread's end of a `Pipeline<kFunction, kStages>`: `co_await multiply(a, b)`.
///
/// Timing   a call takes kStages + 1 clocks; there is one at a time
template <auto kFunction, int kStages, typename Result, typename... Arguments>
class PipelineEnd<kFunction, kStages, Result (*)(Arguments...)> {
 public:
  Task<Result> operator()(Arguments... given) {
    set(arguments, given...);
    for (UInt<index_bits(kStages + 2)> clocks; clocks <= kStages; ++clocks) co_await clock();
    co_return result.value;
  }

  Bundle<std::remove_cvref_t<Arguments>...> arguments;
  Driven<Result> result;

 private:
  template <typename Parts, typename First, typename... Rest>
  static void set(Parts& parts, const First& first, const Rest&... rest) {
    parts.first = first;
    if constexpr (sizeof...(Rest) > 0) set(parts.rest, rest...);
  }
};

template <auto kFunction, int kStages, typename Result, typename... Arguments>
struct ThreadPort<PipelineEnd<kFunction, kStages, Result (*)(Arguments...)>&> {
  using End = PipelineEnd<kFunction, kStages, Result (*)(Arguments...)>;
  using Input = Result;
  using Output = Bundle<std::remove_cvref_t<Arguments>...>;
  static void drive(End& end, const Input& in) { end.result.value = in; }
  static Output show(const End& end) { return end.arguments; }
  static void rest(End&) {}
  static void connect(Pipeline<kFunction, kStages>& pipeline, Input& in, const Output& out) {
    in = pipeline.output();
    clock_with(pipeline, out, std::make_integer_sequence<int, sizeof...(Arguments)>());
  }

 private:
  template <int... kIndex>
  static void clock_with(Pipeline<kFunction, kStages>& pipeline, const Output& out,
                         std::integer_sequence<int, kIndex...>) {
    pipeline.clock(part<kIndex>(out)...);
  }
};

/// Hands a value to another thread and waits for its answer: that thread pops from `requests`, and
/// pushes to `answers` once for each.
template <typename Request, typename Answer>
Task<Answer> call(StreamOut<Request>& requests, StreamIn<Answer>& answers,
                  std::type_identity_t<Request> request) {
  co_await requests.push(request);
  co_return co_await answers.pop();
}

}  // namespace systole::hls
