// The training loop and its callbacks, on a training without arithmetic.
#include <catch2/catch.hpp>

#include "host/nn/callbacks/csv_logger.h"
#include "host/nn/callbacks/early_stopping.h"
#include "host/nn/callbacks/learning_rate_scheduler.h"
#include "tests/nn/callbacks/fake_training.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

// Records every call.
struct Diary : nn::Callback {
  std::string text;
  std::string stop_at;

  void note(const std::string& what, nn::FitState& state) {
    const std::string line =
        what + std::to_string(state.progress.epoch) + "." + std::to_string(state.progress.step);
    text += line + " ";
    if (line == stop_at) state.stop("the diary is full");
  }
  void on_train_begin(nn::FitState& state) override { note("train", state); }
  void on_epoch_begin(nn::FitState& state) override { note("epoch", state); }
  void on_step_end(nn::FitState& state) override { note("step", state); }
  void on_test_begin(nn::FitState& state) override { note("test", state); }
  void on_epoch_end(nn::FitState& state) override { note("ended", state); }
  void on_train_end(nn::FitState& state) override { note("done", state); }
};

}  // namespace

TEST_CASE("callbacks are called in order", "[callbacks]") {
  FakeTraining model({0.5}, 2);
  Diary diary;
  const auto history = nn::train(model, {.epochs = 2, .validation_freq = 2, .callbacks = {&diary}});
  CHECK(diary.text ==
        "train1.0 epoch1.0 step1.1 step1.2 ended1.2 "
        "epoch2.0 step2.1 step2.2 test2.2 ended2.2 done3.0 ");
  REQUIRE(history.epochs.size() == 2);
  CHECK(!history.epochs[0].validation);
  CHECK(history.epochs[1].validation->loss == 0.5);
  CHECK(history.epochs[1].loss == Approx((1.0 / 3 + 1.0 / 4) / 2));
  CHECK(history.stopped.empty());
}

TEST_CASE("a callback can end a training within an epoch and between epochs", "[callbacks]") {
  FakeTraining model({}, 2);
  Diary diary;
  diary.stop_at = "step1.1";
  auto history = nn::train(model, {.epochs = 3, .callbacks = {&diary}});
  CHECK(diary.text == "train1.0 epoch1.0 step1.1 done1.1 ");
  CHECK(history.stopped == "the diary is full");
  CHECK(history.losses.size() == 1);
  CHECK(history.epochs.empty());

  Diary second;
  second.stop_at = "ended1.2";
  history = nn::train(model, {.epochs = 3, .callbacks = {&second}});
  CHECK(history.losses.size() == 2);
  CHECK(history.epochs.size() == 1);
}

TEST_CASE("initial_epoch counts epochs as done", "[callbacks]") {
  FakeTraining model({}, 1);
  Diary diary;
  nn::train(model, {.epochs = 3, .initial_epoch = 2, .callbacks = {&diary}});
  CHECK(diary.text == "train3.0 epoch3.0 step3.1 ended3.1 done4.0 ");
  CHECK(nn::train(model, {.epochs = 3, .initial_epoch = 3}).losses.empty());
  CHECK_THROWS_WITH(nn::train(model, {.initial_epoch = -1}), "initial_epoch is -1, not >= 0");
  CHECK_THROWS_WITH(nn::train(model, {.validation_freq = 0}), "validation_freq is 0, not >= 1");
}

TEST_CASE("early stopping waits for its patience and restores the best weights", "[callbacks]") {
  FakeTraining model({0.9, 0.5, 0.6, 0.51, 0.4}, 1);
  nn::EarlyStopping stopping({.patience = 2, .restore_best_weights = true});
  const auto history = nn::train(model, {.epochs = 10, .callbacks = {&stopping}});
  CHECK(history.epochs.size() == 4);
  CHECK(stopping.best_epoch() == 2);
  CHECK(model.weight.value[0] == 2);
  CHECK_THAT(history.stopped, Catch::Contains("val_loss was best in epoch 2 (0.5000)"));
}

TEST_CASE("early stopping requires more than min_delta, and higher accuracy", "[callbacks]") {
  const auto epochs = [](const nn::EarlyStoppingOptions& options) {
    FakeTraining model({0.9, 0.8, 0.7, 0.6, 0.65}, 1);
    nn::EarlyStopping stopping(options);
    return nn::train(model, {.epochs = 10, .callbacks = {&stopping}}).epochs.size();
  };
  CHECK(epochs({.monitor = "val_accuracy"}) == 5);
  CHECK(epochs({.min_delta = 0.2}) == 2);
  CHECK(epochs({.monitor = "loss"}) == 10);
  CHECK(epochs({.monitor = "accuracy"}) == 2);
}

TEST_CASE("epochs without validation do not count for early stopping", "[callbacks]") {
  FakeTraining model({0.5, 0.6}, 1);
  nn::EarlyStopping stopping({.patience = 1});
  CHECK(nn::train(model, {.epochs = 9, .validation_freq = 3, .callbacks = {&stopping}})
            .epochs.size() == 6);
}

TEST_CASE("early stopping refuses wrong options and unknown figures", "[callbacks]") {
  CHECK_THROWS_WITH(nn::EarlyStopping({.monitor = "val_bleu"}),
                    Catch::Contains("choose from loss"));
  CHECK_THROWS_WITH(nn::EarlyStopping({.patience = 0}), Catch::Contains("patience is 0"));
  CHECK_THROWS_WITH(nn::EarlyStopping({.min_delta = -1}), Catch::Contains("min_delta is -1"));
  FakeTraining model;
  nn::EarlyStopping stopping;
  CHECK_THROWS_WITH(nn::train(model, {.callbacks = {&stopping}}),
                    Catch::Contains("no validation data"));
}

TEST_CASE("a scheduler sets the learning rate of each epoch", "[callbacks]") {
  FakeTraining model({}, 1);
  nn::LearningRateScheduler halve(
      [](std::int64_t epoch, float rate) { return epoch > 1 ? rate / 2 : rate; });
  const auto history = nn::train(model, {.epochs = 3, .callbacks = {&halve}});
  CHECK(history.epochs[0].learning_rate == 0.5);
  CHECK(history.epochs[2].learning_rate == 0.125);
}

TEST_CASE("the CSV log has a line per epoch", "[callbacks]") {
  const TemporaryFolder folder;
  FakeTraining model({0.5}, 1);
  nn::CsvLogger log(folder.file("log.csv"));
  nn::train(model, {.epochs = 2, .validation_freq = 2, .callbacks = {&log}});
  const std::string text = read_file(folder.file("log.csv"));
  CHECK_THAT(text, Catch::StartsWith("epoch,loss,accuracy,val_loss,val_accuracy,learning_rate,"
                                     "seconds\n1,1,0.75,,,0.5,") &&
                       Catch::Contains("\n2,0.5,0.75,0.5,0.5,0.5,"));
  CHECK(std::ranges::count(text, '\n') == 3);
  nn::CsvLogger nowhere(folder.file("no/log.csv"));
  CHECK_THROWS_WITH(nn::train(model, {.callbacks = {&nowhere}}),
                    Catch::Contains("cannot write") && Catch::Contains("No such file"));
}

}  // namespace systole::tests
