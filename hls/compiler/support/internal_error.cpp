#include "hls/compiler/support/internal_error.h"

#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace systole::compiler {
namespace {

constexpr const char* kStart = "hlsc: internal error: ";
constexpr const char* kAdvice =
    "; please report it with the file that --emit-reproducer FILE writes\n";

/// Enough for an expression of a million terms; pages that are never touched cost nothing.
constexpr std::size_t kStackBytes = std::size_t{2} << 30;

/// Calls only what a signal handler may.
void say(const char* text) {
  const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  (void)written;
}

[[noreturn]] void end(const char* what) {
  say(kStart);
  say(what);
  say(kAdvice);
  _exit(kInternalError);
}

[[noreturn]] void on_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
      end("invalid memory access, or recursion without an end");
    case SIGABRT:
      end("abort");
    case SIGFPE:
      end("arithmetic fault");
    default:
      end("invalid instruction");
  }
}

void on_llvm_error(void* /*data*/, const char* reason, bool /*crash*/) { end(reason); }

void catch_signals() {
  static std::array<char, 65536> stack;  // the thread's own stack may be exhausted
  stack_t other = {};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP}) {
    sigaction(signal, &action, nullptr);
  }
  llvm::install_fatal_error_handler(on_llvm_error);
  llvm::install_bad_alloc_error_handler(on_llvm_error);
}

struct Work {
  const std::function<int()>* run = nullptr;
  int result = 0;
};

void* start(void* argument) {
  catch_signals();
  auto* work = static_cast<Work*>(argument);
  work->result = (*work->run)();
  return nullptr;
}

}  // namespace

std::string internal_error_line(const std::string& what) { return kStart + what + kAdvice; }

int run_guarded(const std::function<int()>& work) {
  Work one{.run = &work};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  // Limited address space gives a smaller stack; deep kernels then end in an internal error.
  for (std::size_t bytes = kStackBytes; bytes >= (std::size_t{8} << 20); bytes /= 4) {
    pthread_attr_setstacksize(&attributes, bytes);
    if (pthread_create(&thread, &attributes, start, &one) != 0) continue;
    pthread_attr_destroy(&attributes);
    pthread_join(thread, nullptr);
    return one.result;
  }
  pthread_attr_destroy(&attributes);
  start(&one);
  return one.result;
}

}  // namespace systole::compiler
