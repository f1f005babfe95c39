#include "sim/model/first_run_notice.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>
#include <string>

namespace systole {
namespace {

/// What a notice says while a test moves its clock.
class Told {
 public:
  explicit Told(bool is_terminal)
      : notice_("simulating clocks", file_, is_terminal, [this] { return now_; }) {}
  ~Told() { std::fclose(file_); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  FirstRunNotice& notice() { return notice_; }
  void pass(double seconds, std::uint32_t done = 0) {
    now_ += seconds;
    sim::tell_progress({.done = done, .commands = 200});
  }
  std::string text() const {
    std::fflush(file_);
    std::string text(static_cast<std::size_t>(std::ftell(file_)), '\0');
    std::rewind(file_);
    text.resize(std::fread(text.data(), 1, text.size(), file_));
    return text;
  }

 private:
  std::FILE* file_ = std::tmpfile();
  double now_ = 100;
  FirstRunNotice notice_;
};

std::string line(int seconds, int program, int percent) {
  return "systole: simulating clocks for " + std::to_string(seconds) +
         " s, once for each program: program " + std::to_string(program) + ", " +
         std::to_string(percent) + "% of 200 commands";
}

}  // namespace

TEST_CASE("a simulation of less than two seconds is silent", "[first_run_notice]") {
  Told told(false);
  const FirstRunNotice::Run simulation(told.notice());
  for (int i = 0; i < 19; ++i) told.pass(0.1);
  CHECK(told.text().empty());
}

TEST_CASE("a long simulation is said after 2, 4 and 8 seconds", "[first_run_notice]") {
  Told told(false);
  {
    const FirstRunNotice::Run simulation(told.notice());
    for (std::uint32_t i = 1; i <= 9; ++i) told.pass(1, 20 * i);
  }
  CHECK(told.text() == line(2, 1, 20) + "\n" + line(4, 1, 40) + "\n" + line(8, 1, 80) + "\n");
}

TEST_CASE("many short simulations are said like a long one", "[first_run_notice]") {
  Told told(false);
  for (int program = 1; program <= 10; ++program) {
    {
      const FirstRunNotice::Run simulation(told.notice());
      told.pass(0.5, 100);
    }
    told.pass(10);  // between simulations, which nobody hears
  }
  CHECK(told.text() == line(2, 4, 50) + "\n" + line(4, 8, 50) + "\n");
}

TEST_CASE("simulations side by side count once", "[first_run_notice]") {
  Told told(false);
  auto first = std::make_unique<FirstRunNotice::Run>(told.notice());
  auto second = std::make_unique<FirstRunNotice::Run>(told.notice());
  told.pass(1.5);
  second.reset();
  told.pass(1.5, 100);
  first.reset();
  CHECK(told.text() == line(3, 2, 50) + "\n");
}

TEST_CASE("on a terminal the line is written again each second and erased at the end",
          "[first_run_notice]") {
  Told told(true);
  {
    const FirstRunNotice::Run simulation(told.notice());
    for (std::uint32_t i = 1; i <= 8; ++i) told.pass(0.5, 20 * i);
  }
  CHECK(told.text() == "\r" + line(2, 1, 40) + "\x1b[K\r" + line(3, 1, 60) + "\x1b[K\r" +
                           line(4, 1, 80) + "\x1b[K\r\x1b[K");
}

}  // namespace systole
