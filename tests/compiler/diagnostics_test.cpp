// What a user sees of an error, and how a fault of the compiler's own ends.

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>

#include "hls/compiler/frontend/clang_messages.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/internal_error.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

using compiler::at_users_place;
using compiler::clang_errors;
using compiler::with_source_lines;

TEST_CASE("a message shows its line of source with a caret under the column") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.h");
  std::ofstream(file) << "one\n\tx = y;\r\nlast";
  CHECK(with_source_lines(file + ":1:3: wrong") == file + ":1:3: wrong\n  one\n    ^");
  CHECK(with_source_lines(file + ":2:4: wrong") == file + ":2:4: wrong\n  \tx = y;\n  \t  ^");
  CHECK(with_source_lines(file + ":3:5: wrong") == file + ":3:5: wrong\n  last\n      ^");
}

TEST_CASE("a message shows what can be shown of its position") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.h");
  std::ofstream(file) << "one\n";
  CHECK(with_source_lines(file + ":1: wrong") == file + ":1: wrong\n  one");
  CHECK(with_source_lines(file + ":1:9: wrong") == file + ":1:9: wrong\n  one");
  for (const std::string& message :
       {file + ":7:1: wrong", folder.file("b.h") + ":1:1: wrong", std::string("no position"),
        std::string("a: b: c:"), std::string(":::12:"), std::string("")}) {
    CHECK(with_source_lines(message) == message);
  }
  CHECK(with_source_lines(file + ":1:1: first\n" + file + ":1:2: second") ==
        file + ":1:1: first\n  one\n  ^\n" + file + ":1:2: second\n  one\n   ^");
}

TEST_CASE("clang's errors are cleaned up and limited to three") {
  CHECK(clang_errors("a.h:1:2: warning: w\na.h:3:4: error: wrong [-Werror,-Wx]\n1 error made.\n") ==
        "a.h:3:4: wrong");
  CHECK(clang_errors("a.h:1:1: fatal error: 'b.h' file not found\n") ==
        "a.h:1:1: 'b.h' file not found");
  CHECK(clang_errors("a:1:1: error: 1\na:2:1: error: 2\na:3:1: error: 3\na:4:1: error: 4\n") ==
        "a:1:1: 1\na:2:1: 2\na:3:1: 3");
  CHECK(clang_errors("nothing of the kind\n").empty());
}

TEST_CASE("an error inside the type layer is given at the user's line that asks for it") {
  CHECK(clang_errors("i/systole/hls/int.h:79:3: error: static assertion failed\n"
                     "i/systole/hls/vec.h:9:1: note: in instantiation of this\n"
                     "k.h:12:8: note: in instantiation of that\n"
                     "k.h:99:9: note: and so on\n") ==
        "k.h:12:8: static assertion failed (in int.h)");
}

TEST_CASE("what fails in hlsc's own unit because the user's file does not compile is not shown") {
  CHECK(clang_errors("k.h:3:1: error: wrong\n"
                     "--top:5:13: error: unknown type name 'f'\n"
                     "--top:19:46: error: no member named 'Top' in namespace 'hlsc_entry'\n") ==
        "k.h:3:1: wrong");
  CHECK(clang_errors("i/systole/hls/kernel.h:70:3: error: no f\n"
                     "--top:9:1: note: in instantiation of this\n"
                     "k.h:3:1: error: wrong\n") == "k.h:3:1: wrong");
  CHECK(clang_errors("--top:5:13: error: unknown type name 'f'\n") ==
        "--top:5:13: unknown type name 'f'");
}

TEST_CASE("an error that a line causes twice is shown once") {
  CHECK(clang_errors("k.h:3:9: error: wrong\nk.h:3:4: error: wrong\nk.h:4:4: error: wrong\n") ==
        "k.h:3:9: wrong\nk.h:4:4: wrong");
}

TEST_CASE("an error inside the standard library is given at the user's line that asks for it") {
  CHECK(clang_errors("/usr/include/c++/12/array:99:7: error: no such element\n"
                     "i/systole/hls/vec.h:9:1: note: in instantiation of this\n"
                     "k.h:12:8: note: in instantiation of that\n") ==
        "k.h:12:8: no such element (in array)");
}

TEST_CASE("a place of hlsc's own becomes the user's file, and a user's place stays") {
  CHECK(at_users_place("a/systole/hls/kernel.h:71:15: no value", "k.h") == "k.h: no value");
  CHECK(at_users_place("--top:3: no value", "k.h") == "k.h: no value");
  CHECK(at_users_place("k.h:3:4: no value: none", "k.h") == "k.h:3:4: no value: none");
  CHECK(at_users_place("/usr/include/c++/12/array:9:1: a\nk.h:3:4: b", "k.h") ==
        "k.h: a\nk.h:3:4: b");
}

TEST_CASE("clang's bare errors say what to write instead") {
  CHECK(clang_errors("k.h:1:2: error: cannot use 'throw' with exceptions disabled\n") ==
        "k.h:1:2: cannot use 'throw' with exceptions disabled; hardware has no exceptions; give an "
        "output that says what went wrong");
}

struct Ending {
  int exit_code = -1;  ///< -1 for a signal
  std::string errors;
};

/// The work in a process of its own, which it may end.
Ending run_apart(const std::function<int()>& work) {
  const TemporaryFolder folder;
  const std::string errors = folder.file("errors.txt");
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen(errors.c_str(), "w", stderr)) _exit(99);
    const int code = compiler::run_guarded(work);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(errors)};
}

/// Recursion that no optimiser removes.
int deep(volatile int* left) {  // NOLINT(misc-no-recursion)
  volatile char frame[4096];
  frame[0] = static_cast<char>(*left);
  *left = *left - 1;
  return *left == 0 ? 0 : deep(left) + frame[0] * 0;
}

TEST_CASE("guarded work returns its own exit code") {
  const Ending ending = run_apart([] { return 7; });
  CHECK(ending.exit_code == 7);
  CHECK(ending.errors.empty());
}

TEST_CASE("recursion a hundred thousand frames deep is no crash") {
  const Ending ending = run_apart([] {
    volatile int left = 100000;
    return deep(&left);
  });
  CHECK(ending.exit_code == 0);
}

TEST_CASE("any crash ends in one line") {
  const std::vector<std::function<int()>> crashes = {
      [] {
        std::abort();
        return 0;
      },
      [] {
        volatile int* nowhere = nullptr;
        return *nowhere;
      },
      [] {
        volatile int left = -1;
        return deep(&left);
      },
      [] { return raise(SIGFPE); },
      [] {
        throw 1;
        return 0;
      },
  };
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    const Ending ending = run_apart(crashes[i]);
    INFO(i << ": " << ending.errors);
    CHECK(ending.exit_code == compiler::kInternalError);
    const std::size_t at = ending.errors.find("hlsc: internal error: ");
    REQUIRE(at != std::string::npos);
    CHECK(ending.errors.find("--emit-reproducer", at) != std::string::npos);
    CHECK(ending.errors.back() == '\n');
  }
}

}  // namespace
}  // namespace systole::tests
