#include "host/nn/callbacks/progress_bar.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "tests/nn/callbacks/fake_training.h"

namespace systole::tests {
namespace {

// The bar's output in a pipe for an epoch of steps of 250 ms.
std::string printed(std::int64_t steps, std::optional<nn::Score> validation = {}) {
  std::FILE* plain = std::tmpfile();
  REQUIRE(plain != nullptr);
  {
    nn::ProgressBar bar(plain);
    FakeTraining model;
    const nn::FitOptions options;
    nn::FitState state{.model = model, .options = options};
    state.progress = {.epoch = 2, .epochs = 3, .steps = steps, .loss = 0.5, .accuracy = 0.75};
    bar.on_epoch_begin(state);
    while (state.progress.step < steps) {
      ++state.progress.step;
      state.progress.seconds = 0.25 * static_cast<double>(state.progress.step);
      bar.on_step_end(state);
    }
    state.history.epochs.push_back({.loss = 0.5, .accuracy = 0.75, .validation = validation});
    bar.on_epoch_end(state);
  }
  char* text = nullptr;
  std::size_t size = 0;
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
  CHECK(std::ranges::count(text, '\n') <= 16);  // and one after 30 s without any
  CHECK(text.find('\r') == std::string::npos);
  CHECK_THAT(text,
             Catch::EndsWith("469/469 - 1:57 250ms/step - loss: 0.5000 - accuracy: 0.7500\n"));
}

TEST_CASE("the progress bar prints the end of an epoch of one step", "[progress_bar]") {
  CHECK(printed(1) == "Epoch 2/3\n1/1 - 0s 250ms/step - loss: 0.5000 - accuracy: 0.7500\n");
}

TEST_CASE("the progress bar ends an epoch with its validation", "[progress_bar]") {
  CHECK_THAT(printed(4, nn::Score{.loss = 0.25, .accuracy = 0.875}),
             Catch::EndsWith("- accuracy: 0.7500 - val_loss: 0.2500 - val_accuracy: 0.8750\n"));
}

}  // namespace systole::tests
