#pragma once

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

#include "systole/hls/int.h"
#include "systole/hls/stream.h"

namespace systole::hls {

/// What a coroutine waits for, natively.
struct Waiting {
#ifdef SYSTOLE_HLSC
  static std::suspend_always final_suspend() noexcept { return {}; }
#else
  const UInt1* go = nullptr;  ///< it continues when this is 1; null: at every edge
  Waiting* callee = nullptr;  ///< the coroutine that it awaits
  Waiting* caller = nullptr;  ///< the one that awaits it
  std::coroutine_handle<> self;

  /// The end: whoever awaits it goes on in the same clock.
  struct End {
    static bool await_ready() noexcept { return false; }
    template <typename Promise>
    static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
      Waiting* caller = ended.promise().caller;
      if (!caller) return std::noop_coroutine();
      caller->callee = nullptr;
      return caller->self;
    }
    static void await_resume() noexcept {}
  };
  static End final_suspend() noexcept { return {}; }

  /// The coroutine at the end of the chain of those that await one another.
  Waiting& innermost() { return callee ? callee->innermost() : *this; }
#endif
  static std::suspend_never initial_suspend() noexcept { return {}; }
  [[noreturn]] static void unhandled_exception() { std::terminate(); }
};

/// A coroutine that another one awaits. In hardware it has run to its end when it is awaited:
/// `hlsc` puts it in the place of its call.
template <typename Promise>
#ifdef SYSTOLE_HLSC
struct Helped {
  Promise* promise = nullptr;

  Helped(Promise* called) : promise(called) {}
  Helped(std::coroutine_handle<Promise>) {}
  static bool await_ready() { return true; }
  static void await_suspend(std::coroutine_handle<>) {}
  auto await_resume() const {
    if constexpr (requires { promise->result; }) return promise->result;
  }
};
#else
class Helped {
 public:
  explicit Helped(std::coroutine_handle<Promise> called) : called_(called) {}
  Helped(const Helped&) = delete;
  Helped& operator=(const Helped&) = delete;
  ~Helped() { called_.destroy(); }

  bool await_ready() const { return called_.done(); }
  template <typename Caller>
  void await_suspend(std::coroutine_handle<Caller> caller) const {
    caller.promise().self = caller;
    caller.promise().callee = &called_.promise();
    called_.promise().caller = &caller.promise();
  }
  auto await_resume() const {
    if constexpr (requires { called_.promise().result; }) return called_.promise().result;
  }

 private:
  std::coroutine_handle<Promise> called_;
};
#endif

/// Sequential code that waits for clock edges; a kernel that uses `co_await` returns it.
///
///     Thread sum_pairs(StreamIn<UInt8>& values, StreamOut<UInt16>& sums) {
///     pair:
///       for (;;) {
///         const UInt8 first = co_await values.pop();
///         const UInt8 second = co_await values.pop();
///         co_await sums.push(first + second);
///       }
///     }
///
/// Shapes   parameters are the ports: `StreamIn<T>&`, `StreamOut<T>&`, an input wire `const T&`, an
///          output register `T&`
/// Limits   every iteration of every loop must reach a co_await; Process<&f> makes a thread a
///          module
/// Timing   every co_await is one state and takes at least one clock; the code between two of them
///          runs at the edge that ends the first. Up to its first co_await a thread runs at reset.
///          A thread that returns stays at its end until the next reset
struct Thread {
  struct promise_type : Waiting {
    Thread get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    void return_void() {}
  };
  /// `co_await other(...)`: runs it up to its first wait, and goes on where it returns.
  Helped<promise_type> operator co_await() && { return Helped(handle); }

  std::coroutine_handle<promise_type> handle;
};

/// A coroutine that a thread awaits for its result; it waits like a thread.
///
///     Task<UInt16> read_word(StreamIn<UInt8>& bytes) {
///       const UInt8 low = co_await bytes.pop();
///       const UInt8 high = co_await bytes.pop();
///       co_return concat(high, low);
///     }
///     ...
///     const UInt16 word = co_await read_word(bytes);
///
/// Shapes   T is a value: an integer, a bool, an enum, a struct or Vec of those
/// Limits   awaited where it is called, by a thread or another task; no recursion
/// Timing   its states are the caller's own, once for each call; returning takes no clock
template <typename T>
struct [[nodiscard]] Task {
  struct promise_type : Waiting {
    T result;

    Task get_return_object() {
#ifdef SYSTOLE_HLSC
      return {this};
#else
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
#endif
    }
    void return_value(const T& value) { result = value; }
  };
#ifdef SYSTOLE_HLSC
  Helped<promise_type> operator co_await() && { return {promise}; }

  promise_type* promise;
#else
  Helped<promise_type> operator co_await() && { return Helped(handle); }

  std::coroutine_handle<promise_type> handle;
#endif
};

/// How `hlsc` recognises a wait; never called natively.
namespace wait {
void for_clock() asm("hls.wait_clock");
void for_pop(const void* stream) asm("hls.wait_pop");
void for_push(const void* stream) asm("hls.wait_push");
void for_strobe(const void* strobe) asm("hls.wait_strobe");
}  // namespace wait

/// `co_await clock()`: the next edge.
struct ClockWait {
  static bool await_ready() { return false; }
  template <typename Promise>
  static void await_suspend([[maybe_unused]] std::coroutine_handle<Promise> thread) {
#ifdef SYSTOLE_HLSC
    wait::for_clock();
#else
    thread.promise().self = thread;
    thread.promise().go = nullptr;
#endif
  }
  static void await_resume() {}
};
inline ClockWait clock() { return {}; }

/// A thread's end of an incoming stream.
template <typename T>
class StreamIn {
 public:
  struct Pop {
    StreamIn& stream;
    static bool await_ready() { return false; }
    template <typename Promise>
    void await_suspend([[maybe_unused]] std::coroutine_handle<Promise> thread) const {
#ifdef SYSTOLE_HLSC
      wait::for_pop(&stream);
#else
      stream.waiting = UInt1(1);
      thread.promise().self = thread;
      thread.promise().go = &stream.beat.valid;
#endif
    }
    T await_resume() const {
#ifndef SYSTOLE_HLSC
      stream.waiting = UInt1(0);
#endif
      return stream.beat.data;
    }
  };

  /// Waits for a beat, with ready high, and takes it.
  Pop pop() { return {*this}; }
  /// Whether a beat is offered at this edge; it stays until it is taken.
  UInt1 valid() const { return beat.valid; }
  /// The offered beat; undefined without valid().
  T peek() const { return beat.data; }

  Beat<T> beat;   ///< driven by the producer
  UInt1 waiting;  ///< ready
};

/// A thread's end of an outgoing stream.
template <typename T>
class StreamOut {
 public:
  struct Push {
    StreamOut& stream;
    static bool await_ready() { return false; }
    template <typename Promise>
    void await_suspend([[maybe_unused]] std::coroutine_handle<Promise> thread) const {
#ifdef SYSTOLE_HLSC
      wait::for_push(&stream);
#else
      stream.waiting = UInt1(1);
      thread.promise().self = thread;
      thread.promise().go = &stream.can_take;
#endif
    }
    void await_resume() const {
#ifndef SYSTOLE_HLSC
      stream.waiting = UInt1(0);
#endif
    }
  };

  /// Offers a beat until it is taken: valid is high from the next clock on.
  Push push(const T& value) {
    data = value;
    return {*this};
  }
  /// Whether the consumer would take a beat at this edge.
  UInt1 ready() const { return can_take; }

  T data;          ///< a register: the last beat
  UInt1 can_take;  ///< driven by the consumer
  UInt1 waiting;   ///< valid
};

/// Ports side by side, one part for each parameter of a thread.
template <typename... Parts>
struct Bundle {};
template <typename First, typename... Rest>
struct Bundle<First, Rest...> {
  First first;
  Bundle<Rest...> rest;
};

/// Part `kIndex` of a bundle.
template <int kIndex, typename First, typename... Rest>
constexpr auto& part(Bundle<First, Rest...>& bundle) {
  if constexpr (kIndex == 0) {
    return bundle.first;
  } else {
    return part<kIndex - 1>(bundle.rest);
  }
}
template <int kIndex, typename First, typename... Rest>
constexpr const auto& part(const Bundle<First, Rest...>& bundle) {
  if constexpr (kIndex == 0) {
    return bundle.first;
  } else {
    return part<kIndex - 1>(bundle.rest);
  }
}

/// A thread's parameter at the module's boundary, and its wiring in a parent.
struct NoPort {};
template <typename Parameter>
struct ThreadPort {
#ifndef SYSTOLE_HLSC  // hlsc refuses it with the parameter's line
  static_assert(!sizeof(Parameter),
                "a thread's parameters are references: StreamIn<T>&, "
                "StreamOut<T>&, a wire const T&, a register T&");
#endif
  using End = Parameter;
  using Input = NoPort;
  using Output = NoPort;
  static void drive(End&, const Input&) {}
  static Output show(const End&) { return {}; }
  static void rest(End&) {}
};
template <typename T>
struct ThreadPort<StreamIn<T>&> {
  using End = StreamIn<T>;
  using Input = Beat<T>;
  using Output = UInt1;
  static void drive(End& end, const Input& in) { end.beat = in; }
  static Output show(const End& end) { return end.waiting; }
  static void rest(End& end) { end.waiting = UInt1(0); }
  template <typename Channel>
  static void connect(Channel& channel, Input& in, const Output& out) {
    in = channel.front();
    channel.pop(out);
  }
};
template <typename T>
struct ThreadPort<StreamOut<T>&> {
  using End = StreamOut<T>;
  using Input = UInt1;
  using Output = Beat<T>;
  static void drive(End& end, const Input& in) { end.can_take = in; }
  static Output show(const End& end) { return {.valid = end.waiting, .data = end.data}; }
  static void rest(End& end) { end.waiting = UInt1(0); }
  template <typename Channel>
  static void connect(Channel& channel, Input& in, const Output& out) {
    in = channel.ready();
    channel.push(out);
  }
};
template <typename T>
struct ThreadPort<const T&> {
  using End = T;
  using Input = T;
  using Output = NoPort;
  static void drive(End& end, const Input& in) { end = in; }
  static Output show(const End&) { return {}; }
  static void rest(End&) {}
  static void connect(const T& wire, Input& in, const Output&) { in = wire; }
};
template <typename T>
struct ThreadPort<T&> {
  using End = T;
  using Input = NoPort;
  using Output = T;
  static void drive(End&, const Input&) {}
  static Output show(const End& end) { return end; }
  static void rest(End&) {}
  static void connect(T& wire, Input&, const Output& out) {
    use::drive(&wire);
    wire = out;
  }
};

template <auto kThread, typename Signature = decltype(kThread)>
class Process;

/// The module of a thread. Its outputs depend on its registers only: a stream's ready and valid
/// show what the thread waits for.
///
/// Shapes   Inputs and Outputs hold one part for each parameter of the thread, in order
/// Timing   exactly the thread's; natively the coroutine runs, in hardware it is a state machine
template <auto kThread, typename... Parameters>
class Process<kThread, Thread (*)(Parameters...)> {
 public:
  using Inputs = Bundle<typename ThreadPort<Parameters>::Input...>;
  using Outputs = Bundle<typename ThreadPort<Parameters>::Output...>;

  Process() { reset(); }
  ~Process() { stop(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Outputs outputs() const {
    Outputs out;
    show(out, kIndices);
    return out;
  }

  void clock(const Inputs& in) {
    drive(in, kIndices);
#ifdef SYSTOLE_HLSC
    reset();  // compiles the coroutine with this class; its own module replaces this one
#else
    if (thread_.done()) return;
    Waiting& waiting = thread_.promise().innermost();
    if (!waiting.go || *waiting.go) waiting.self.resume();
#endif
  }

  /// Restarts the thread, up to its first co_await.
  void reset() {
    stop();
    start(kIndices);
  }

  /// One edge, wired to a parent's channels, wires and registers in order of the parameters.
  template <typename... Ends>
  void connect(Ends&&... ends) {
    static_assert(sizeof...(Ends) == sizeof...(Parameters),
                  "connect() takes one channel or wire for each parameter of the thread");
    const Outputs out = outputs();
    Inputs in;
    wire(in, out, kIndices, ends...);
    clock(in);
  }

 private:
  template <int... kIndex>
  using Indices = std::integer_sequence<int, kIndex...>;
  static constexpr std::make_integer_sequence<int, sizeof...(Parameters)> kIndices{};

  template <int... kIndex>
  void show(Outputs& out, Indices<kIndex...>) const {
    ((part<kIndex>(out) = ThreadPort<Parameters>::show(part<kIndex>(ends_))), ...);
  }
  template <int... kIndex>
  void drive(const Inputs& in, Indices<kIndex...>) {
    (ThreadPort<Parameters>::drive(part<kIndex>(ends_), part<kIndex>(in)), ...);
  }
  template <int... kIndex, typename... Ends>
  static void wire(Inputs& in, const Outputs& out, Indices<kIndex...>, Ends&... ends) {
    (ThreadPort<Parameters>::connect(ends, part<kIndex>(in), part<kIndex>(out)), ...);
  }
  template <int... kIndex>
  void start(Indices<kIndex...>) {
    (ThreadPort<Parameters>::rest(part<kIndex>(ends_)), ...);
    thread_ = kThread(part<kIndex>(ends_)...).handle;
  }
  void stop() {
    if (thread_) thread_.destroy();
    thread_ = nullptr;
  }

  Bundle<typename ThreadPort<Parameters>::End...> ends_;
  std::coroutine_handle<Thread::promise_type> thread_;
};

}  // namespace systole::hls
