#include "host/cli/compared_task.h"

#include "host/data/datasets.h"

namespace systole {
namespace {

class Layers final : public ComparedTask {
 public:
  explicit Layers(const TrainingOptions& options) : choice_(choose_training(options)) {
    data_ =
        load_dataset(choice_.dataset, options.data_dir, options.context.value_or(kWordsContext));
    if (options.test_samples) data_.test = data_.test.first(*options.test_samples);
  }

  const TrainingChoice& choice() const override { return choice_; }
  std::int64_t samples() const override { return data_.train.size(); }
  std::int64_t test_samples() const override { return data_.test.size(); }

  nlohmann::ordered_json config(const TrainingPlan& plan, const DeviceInfo& info) const override {
    return training_config(plan, info);
  }
  nlohmann::ordered_json run(const TrainingPlan& plan, const Strategy& strategy) const override {
    const TrainingResult result = run_training(plan, strategy, data_);
    return training_record(plan, result, strategy.device(0).info());
  }

 private:
  TrainingChoice choice_;
  SplitDataset data_;
};

class Translation final : public ComparedTask {
 public:
  Translation(const TrainingOptions& options, const TranslationSizes& sizes)
      : task_(options, sizes) {}

  const TrainingChoice& choice() const override { return task_.choice(); }
  std::int64_t samples() const override { return std::ssize(task_.data().train); }
  std::int64_t test_samples() const override { return std::ssize(task_.data().held_out); }

  nlohmann::ordered_json config(const TrainingPlan& plan, const DeviceInfo& info) const override {
    return task_.config(plan, info);
  }
  nlohmann::ordered_json run(const TrainingPlan& plan, const Strategy& strategy) const override {
    const Device& device = strategy.device(0);
    return task_.record(plan, task_.run(plan, device), device.info());
  }

 private:
  TranslationTask task_;
};

}  // namespace

std::unique_ptr<ComparedTask> open_task(const TrainingOptions& options,
                                        const TranslationSizes& sizes) {
  if (options.model == kTranslationModel) return std::make_unique<Translation>(options, sizes);
  return std::make_unique<Layers>(options);
}

}  // namespace systole
