#include "host/nn/progress_bar.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

namespace systole::tests {
namespace {

// What a bar prints into a pipe for an epoch of so many steps.
std::string printed(std::int64_t steps) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* plain = std::tmpfile();
  REQUIRE(plain != nullptr);
  {
    nn::ProgressBar bar(plain);
    for (std::int64_t step = 1; step <= steps; ++step) {
      bar({.epoch = 2,
           .epochs = 3,
           .step = step,
           .steps = steps,
           .loss = 0.5,
           .accuracy = 0.75,
           .step_loss = 0.5,
           .seconds = 0.25 * static_cast<double>(step)});
    }
  }
  std::rewind(plain);
  std::string all;
  while (getline(&text, &size, plain) >= 0) all += text;
  std::free(text);
  std::fclose(plain);
  return all;
}

}  // namespace

TEST_CASE("the progress bar prints ten plain lines an epoch into a pipe", "[progress_bar]") {
  const std::string text = printed(469);
  CHECK_THAT(text, Catch::StartsWith("Epoch 2/3\n"));
  CHECK(std::ranges::count(text, '\n') >= 11);
  CHECK(std::ranges::count(text, '\n') <= 16);  // and one for every 30 s without one
  CHECK(text.find('\r') == std::string::npos);
  CHECK_THAT(text,
             Catch::EndsWith("469/469 - 1:57 250ms/step - loss: 0.5000 - accuracy: 0.7500\n"));
}

TEST_CASE("the progress bar prints the end of an epoch of one step", "[progress_bar]") {
  CHECK(printed(1) == "Epoch 2/3\n1/1 - 0s 250ms/step - loss: 0.5000 - accuracy: 0.7500\n");
}

}  // namespace systole::tests
