#pragma once

#include "systole/hls/thread.h"
#ifndef SYSTOLE_HLSC
#include <deque>
#include <stdexcept>
#endif

/// hls::stream<T> on the native side: the queues of a test bench, and what feeds a thread there.
///
///     hls::stream<ap_int<8>> in;
///     hls::stream<ap_int<9>> out;
///     systole::hls::Process<&doubled> kernel;
///     in.write(3);
///     while (out.empty()) kernel.connect(in, out);  // one edge
///
/// Limits   a kernel takes a stream of Systole's instead. A function over arrays has Stream<T>&,
///          x.pop() and x.push(value), around which its loops stay as they are. A thread has
///          StreamIn<T>& and StreamOut<T>&, read by `co_await x.pop()` and written by
///          `co_await x.push(value)`; x.empty() is !x.valid(), x.full() is !x.ready()
/// Errors   natively, std::logic_error for a read of an empty stream, which nothing would ever
///          fill, and for a write to a full one. In a kernel, what to write instead
namespace hls {

template <typename T, int kDepth = 0>
class stream {
 public:
#ifdef SYSTOLE_HLSC
  template <typename U = T>
  stream(const char* = "") {
    refuse<U>();
  }
  template <typename U = T>
  U read() {
    refuse<U>();
  }
  template <typename U>
  void read(U&) {
    refuse<U>();
  }
  template <typename U>
  void write(const U&) {
    refuse<U>();
  }
  template <typename U>
  bool read_nb(U&) {
    refuse<U>();
  }
  template <typename U>
  bool write_nb(const U&) {
    refuse<U>();
  }
  template <typename U = T>
  bool empty() const {
    refuse<U>();
  }
  template <typename U = T>
  bool full() const {
    refuse<U>();
  }

 private:
  template <typename U>
  static constexpr void refuse() {
    static_assert(sizeof(U) == 0,
                  "this stream is of a test bench: take systole::hls::Stream<T>& and write x.pop() "
                  "or x.push(value), and the loops stay as they are; a thread takes StreamIn<T>& "
                  "or StreamOut<T>&, and writes co_await before both");
  }
#else
  stream() = default;
  explicit stream(const char*) {}
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  T read() {
    if (empty()) throw std::logic_error("hls::stream: read of an empty stream; write to it first");
    const T value = queue_.front();
    queue_.pop_front();
    return value;
  }
  void read(T& value) { value = read(); }
  void write(const T& value) {
    if (full()) throw std::logic_error("hls::stream: write to a full stream; read from it first");
    queue_.push_back(value);
  }
  bool read_nb(T& value) {
    if (empty()) return false;
    value = read();
    return true;
  }
  bool write_nb(const T& value) {
    if (full()) return false;
    write(value);
    return true;
  }
  stream& operator>>(T& value) {
    read(value);
    return *this;
  }
  stream& operator<<(const T& value) {
    write(value);
    return *this;
  }
  bool empty() const { return queue_.empty(); }
  /// A depth of 0 has no limit.
  bool full() const { return kDepth > 0 && size() >= kDepth; }
  int size() const { return static_cast<int>(queue_.size()); }

  /// What Process::connect() wires to a thread's end.
  systole::hls::Beat<T> front() const {
    systole::hls::Beat<T> beat;
    beat.valid = systole::hls::as_bit(!empty());
    if (!empty()) beat.data = queue_.front();
    return beat;
  }
  void pop(const systole::hls::UInt1& ready) {
    if (ready && !empty()) queue_.pop_front();
  }
  systole::hls::UInt1 ready() const { return systole::hls::as_bit(!full()); }
  void push(const systole::hls::Beat<T>& beat) {
    if (beat.valid && !full()) queue_.push_back(beat.data);
  }

 private:
  std::deque<T> queue_;
#endif
};

}  // namespace hls
