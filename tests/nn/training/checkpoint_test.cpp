// Saving and resuming a training.
#include "host/nn/training/checkpoint.h"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "host/nn/callbacks/csv_logger.h"
#include "host/nn/callbacks/early_stopping.h"
#include "host/nn/callbacks/model_checkpoint.h"
#include "tests/nn/callbacks/fake_training.h"
#include "tests/nn/training/small_model.h"
#include "tests/nn/training/stop_after.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

nn::CompileOptions options_of(const nn::Optimizer& optimizer) {
  return {.optimizer = optimizer, .device = Device::open("cpu", {.threads = 1})};
}

struct Outcome {
  std::vector<double> losses;
  std::vector<double> epoch_losses;
  std::vector<std::uint32_t> weights;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const nn::History& history, const nn::Sequential& model) {
  Outcome result{.losses = history.losses, .epoch_losses = {}, .weights = weight_bits(model)};
  for (const auto& epoch : history.epochs) {
    result.epoch_losses.insert(result.epoch_losses.end(), {epoch.loss, epoch.accuracy});
    if (epoch.validation) result.epoch_losses.push_back(epoch.validation->loss);
  }
  return result;
}

// A small training, saved and resumed by a new model after this many steps; 0: never.
Outcome train_interrupted(const nn::Optimizer& optimizer, std::int64_t steps,
                          const std::string& path) {
  const Dataset data = small_data(40, 6, 3), held_out = small_data(10, 6, 3, 9);
  nn::FitOptions options{.epochs = 3, .batch_size = 16, .validation_data = &held_out};
  nn::Sequential model = small_model(4, 3);
  model.compile(options_of(optimizer));
  StopAfter stop(steps);
  nn::ModelCheckpoint checkpoint({.path = path});
  options.callbacks = {&stop, &checkpoint};
  const nn::History first = model.fit(data, options);
  if (steps == 0) return outcome(first, model);

  REQUIRE(first.losses.size() == static_cast<std::size_t>(steps));
  const nn::Checkpoint saved = nn::Checkpoint::load(path);
  nn::Sequential second = small_model(4, 3);
  second.compile(options_of(optimizer));
  options.callbacks = {};
  options.resume = &saved;
  return outcome(second.fit(data, options), second);
}

}  // namespace

TEST_CASE("a training that is resumed after any step gives the same bits", "[checkpoint]") {
  const TemporaryFolder folder;
  const nn::Optimizer optimizer =
      GENERATE(nn::Optimizer(nn::Adam{}), nn::Optimizer(nn::Sgd{.momentum = 0.9f}),
               nn::Optimizer(nn::Sgd{}));
  const Outcome whole = train_interrupted(optimizer, 0, folder.file("whole"));
  REQUIRE(whole.losses.size() == 9);
  for (std::int64_t steps = 1; steps <= 9; ++steps) {
    CAPTURE(steps, nn::describe(optimizer));
    CHECK(train_interrupted(optimizer, steps, folder.file("part")) == whole);
  }
}

TEST_CASE("a checkpoint is written after steps and epochs, and when a run ends", "[checkpoint]") {
  const TemporaryFolder folder;
  const auto saved_step = [&](std::optional<std::int64_t> every, std::int64_t stop_after) {
    FakeTraining model({}, 4);
    nn::ModelCheckpoint checkpoint({.path = folder.file("a"), .every_steps = every});
    struct Watch : nn::Callback {
      std::string path, seen;
      void on_step_end(nn::FitState&) override {
        if (!std::filesystem::exists(path)) return;
        const auto saved = nn::Checkpoint::load(path);
        seen += saved.words("epoch") + "." + saved.words("step") + " ";
      }
    } watch;
    watch.path = folder.file("a");
    std::filesystem::remove(folder.file("a"));
    StopAfter stop(stop_after);
    nn::train(model, {.epochs = 2, .callbacks = {&checkpoint, &watch, &stop}});
    const auto saved = nn::Checkpoint::load(folder.file("a"));
    return watch.seen + "end " + saved.words("epoch") + "." + saved.words("step");
  };
  CHECK(saved_step({}, 0) == "1.4 1.4 1.4 1.4 end 2.4");
  CHECK(saved_step(3, 0) == "1.3 1.3 1.4 2.2 2.2 2.2 end 2.4");
  CHECK(saved_step({}, 6) == "1.4 1.4 end 2.2");
}

TEST_CASE("no damaged checkpoint is used", "[checkpoint]") {
  const TemporaryFolder folder;
  train_interrupted(nn::Adam{}, 4, folder.file("whole"));
  const std::string whole = read_file(folder.file("whole"));
  const std::string path = folder.file("damaged");
  const auto used = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      nn::Checkpoint::load(path);
      return true;
    } catch (const nn::CheckpointError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith(path + ": "));
      return false;
    }
  };
  REQUIRE(used(whole));
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  constexpr int kEach = 200;
  for (int i = 0; i < kEach; ++i) {
    std::string bit = whole, byte = whole, block = whole;
    bit[below(bit.size())] ^= static_cast<char>(1 << below(8));
    byte[below(byte.size())] += static_cast<char>(1 + below(255));
    const std::size_t begin = below(whole.size());
    for (std::size_t at = begin; at < std::min(whole.size(), begin + 512); ++at) {
      block[at] = static_cast<char>(random());
    }
    CAPTURE(i, begin);
    CHECK_FALSE(used(bit));
    CHECK_FALSE(used(byte));
    CHECK_FALSE(used(block));
  }
  // Each bit of the header's length, its names and its padding.
  const std::size_t header = 8 + static_cast<unsigned char>(whole[0]) +
                             256 * static_cast<std::size_t>(static_cast<unsigned char>(whole[1]));
  for (std::size_t at = 0; at < 8 * std::min(header, whole.size()); ++at) {
    std::string changed = whole;
    changed[at / 8] ^= static_cast<char>(1 << at % 8);
    if (used(changed)) FAIL("bit " << at << " of the header was not missed");
  }
}

TEST_CASE("a file of weights that has no checksum is not a checkpoint", "[checkpoint]") {
  const TemporaryFolder folder;
  nn::Safetensors content;
  content.tensors["w"] = {.type = "F32", .shape = {1}, .bytes = {0, 0, 0xc0, 0x3f}};
  const auto bytes = nn::to_bytes(content);
  std::ofstream(folder.file("w"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  CHECK_THROWS_WITH(nn::Checkpoint::load(folder.file("w")), Catch::Contains("has no checksum"));
}

TEST_CASE("save_best_only keeps the epoch with the best figure", "[checkpoint]") {
  const TemporaryFolder folder;
  FakeTraining model({0.9, 0.5, 0.6}, 1);
  nn::ModelCheckpoint best({.path = folder.file("best"), .save_best_only = true});
  nn::train(model, {.epochs = 4, .callbacks = {&best}});
  const auto saved = nn::Checkpoint::load(folder.file("best"));
  CHECK(saved.floats("model/weight", {1}) == std::vector<float>{2});
  FakeTraining blind;
  CHECK_THROWS_WITH(nn::train(blind, {.callbacks = {&best}}),
                    Catch::Contains("no validation data"));
  CHECK_THROWS_WITH(nn::ModelCheckpoint({.path = {}}), Catch::Contains("path"));
  CHECK_THROWS_WITH(nn::ModelCheckpoint({.path = "x", .every_steps = 0}),
                    Catch::Contains("every_steps is 0"));
}

TEST_CASE("early stopping and the CSV log continue where they stopped", "[checkpoint]") {
  const TemporaryFolder folder;
  nn::EarlyStoppingOptions patience{.patience = 3, .restore_best_weights = true};
  FakeTraining first({0.9, 0.5, 0.6}, 1);
  nn::EarlyStopping stopping(patience);
  nn::CsvLogger log(folder.file("log.csv"));
  nn::ModelCheckpoint checkpoint({.path = folder.file("a")});
  nn::train(first, {.epochs = 3, .callbacks = {&stopping, &log, &checkpoint}});

  const auto saved = nn::Checkpoint::load(folder.file("a"));
  FakeTraining second({0.7}, 1);
  nn::EarlyStopping again(patience);
  nn::CsvLogger more(folder.file("more.csv"));
  const auto history = nn::train(
      second, {.epochs = 10, .callbacks = {&again, &more, &checkpoint}, .resume = &saved});
  CHECK(history.epochs.size() == 5);
  CHECK(again.best_epoch() == 2);
  CHECK(second.weight.value[0] == 2);
  const std::string text = read_file(folder.file("more.csv"));
  CHECK_THAT(text, Catch::StartsWith(read_file(folder.file("log.csv"))));
  CHECK(std::ranges::count(text, '\n') == 6);

  // A run that had stopped stays stopped.
  const auto stopped = nn::Checkpoint::load(folder.file("a"));
  FakeTraining third({0.1}, 1);
  CHECK(nn::train(third, {.epochs = 10, .callbacks = {&again}, .resume = &stopped}).losses.size() ==
        5);
}

TEST_CASE("a checkpoint of another run is refused, saying what differs", "[checkpoint]") {
  FakeTraining model({}, 2);
  const nn::FitOptions options{.epochs = 2};
  nn::FitState state{.model = model, .options = options};
  state.progress = {.epoch = 1, .epochs = 2, .step = 0, .steps = 2};
  const auto resume = [&](FakeTraining other, const nn::Checkpoint& saved, nn::FitOptions more) {
    more.resume = &saved;
    nn::train(other, more);
  };
  const nn::Checkpoint good = state.checkpoint();
  resume(model, good, {.epochs = 2});
  FakeTraining renamed({}, 2);
  renamed.name = "other";
  CHECK_THROWS_WITH(resume(renamed, good, {}), Catch::Contains("model 'fake', this one 'other'"));
  CHECK_THROWS_WITH(resume(FakeTraining({}, 3), good, {}),
                    Catch::Contains("2 steps, this run's 3"));
  FakeTraining wide({}, 2);
  wide.weight = nn::Parameter("weight", {1, 2});
  CHECK_THROWS_WITH(resume(wide, good, {}),
                    Catch::Contains("'model/weight' is 1, the model's 1 x 2"));

  nn::Checkpoint changed = good;
  changed.set("model/more", {1}, std::vector<float>{1});
  CHECK_THROWS_WITH(resume(model, changed, {}), Catch::Contains("'model/more' does not belong"));
  changed = good;
  changed.set("optimizer/weight/0", {1}, std::vector<float>{1});
  CHECK_THROWS_WITH(resume(model, changed, {}), Catch::Contains("0 optimizer arrays"));
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    changed = good;
    changed.set("model/weight", {1}, std::vector<float>{bad});
    CHECK_THROWS_WITH(resume(model, changed, {}),
                      Catch::Contains("'model/weight' is ") && Catch::Contains("at place 0"));
  }
  for (const char* key : {"epoch", "step", "updates", "learning_rate", "epoch_loss_sum"}) {
    for (const char* bad : {"", "one", "1e999", "nan", "7x"}) {
      changed = good;
      changed.set(key, std::string(bad));
      CAPTURE(key, bad);
      CHECK_THROWS_AS(resume(model, changed, {.epochs = 2}), nn::CheckpointError);
    }
  }
  changed = good;
  changed.set("step", std::int64_t{3});
  CHECK_THROWS_WITH(resume(model, changed, {}), Catch::Contains("no such place"));
  CHECK_THROWS_WITH(resume(model, nn::Checkpoint(), {}), Catch::Contains("weights alone"));
  changed = good;
  changed.set("epoch_is_finished", std::int64_t{1});
  CHECK_THROWS_WITH(resume(model, changed, {}), Catch::Contains("all 1 epochs are done"));
}

TEST_CASE("a refused checkpoint changes nothing", "[checkpoint]") {
  FakeTraining model({}, 2);
  nn::Parameter other("a", {1});
  other.value[0] = 7;
  nn::Checkpoint saved;
  nn::save_parameters(saved, std::vector{&other});
  nn::Parameter a("a", {1}), b("b", {1});
  const std::vector two{&a, &b};
  CHECK_THROWS_WITH(nn::restore_parameters(saved, two), Catch::Contains("no array 'model/b'"));
  CHECK(a.value[0] == 0);
  nn::load_weights(saved, std::vector{&a});
  CHECK(a.value[0] == 7);
}

TEST_CASE("weights that are not finite are not saved", "[checkpoint]") {
  const TemporaryFolder folder;
  nn::Parameter weight("weight", {2});
  weight.value[1] = std::numeric_limits<float>::infinity();
  nn::Checkpoint checkpoint;
  CHECK_THROWS_AS(nn::save_parameters(checkpoint, std::vector{&weight}), nn::TrainingError);
}

TEST_CASE("a full disk leaves the previous checkpoint", "[checkpoint]") {
  const TemporaryFolder folder;
  nn::Checkpoint small, large;
  small.set("model/w", {2}, std::vector<float>{1, 2});
  large.set("model/w", {100'000}, std::vector<float>(100'000, 1));
  small.save(folder.file("a"));
  const std::string before = read_file(folder.file("a"));

  rlimit limit{}, old{};
  getrlimit(RLIMIT_FSIZE, &old);
  limit = {.rlim_cur = 50'000, .rlim_max = old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  CHECK_THROWS_WITH(
      large.save(folder.file("a")),
      Catch::Contains("cannot write " + folder.file("a")) && Catch::Contains("too large"));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  CHECK(read_file(folder.file("a")) == before);
  CHECK(folder.names() == std::vector<std::string>{"a"});
}

TEST_CASE("a checkpoint is written through a link and cleans up after a killed run",
          "[checkpoint]") {
  const TemporaryFolder folder;
  nn::Checkpoint checkpoint;
  checkpoint.set("k", std::string("v"));
  checkpoint.save(folder.file("a"));
  std::filesystem::create_symlink("a", folder.file("link"));
  std::ofstream(folder.file(".a.partial-999999999")) << "half";
  checkpoint.set("k", std::string("new"));
  checkpoint.save(folder.file("link"));
  CHECK(nn::Checkpoint::load(folder.file("a")).words("k") == "new");
  CHECK(folder.names() == std::vector<std::string>{"a", "link"});
  CHECK_THROWS_WITH(checkpoint.save(folder.path()), Catch::Contains("it is a directory"));
  CHECK_THROWS_WITH(checkpoint.save(folder.file("no/a")), Catch::Contains("No such file"));
  CHECK_THROWS_WITH(nn::Checkpoint::load(folder.file("none")), Catch::Contains("no such file"));
}

}  // namespace systole::tests
