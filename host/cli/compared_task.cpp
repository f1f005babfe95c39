#include "host/cli/compared_task.h"

#include <functional>
#include <memory>

#include "host/data/datasets.h"

namespace systole {
namespace {

ComparedTask open_layers(const TrainingOptions& options) {
  const TrainingChoice choice = choose_training(options);
  const auto data = std::make_shared<SplitDataset>(
      load_dataset(choice.dataset, options.data_dir, options.context.value_or(kWordsContext)));
  if (options.test_samples) data->test = data->test.first(*options.test_samples);
  return {.choice = choice,
          .samples = data->train.size(),
          .test_samples = data->test.size(),
          .config = training_config,
          .run = [data](const TrainingPlan& plan, const Strategy& strategy) {
            const TrainingResult result = run_training(plan, strategy, *data);
            return training_record(plan, result, strategy.device(0).info());
          }};
}

ComparedTask open_translation(const TrainingOptions& options, const TranslationSizes& sizes) {
  const auto task = std::make_shared<const TranslationTask>(options, sizes);
  return {.choice = task->choice(),
          .samples = std::ssize(task->data().train),
          .test_samples = std::ssize(task->data().held_out),
          .config = std::bind_front(&TranslationTask::config, task),
          .run = [task](const TrainingPlan& plan, const Strategy& strategy) {
            const Device& device = strategy.device(0);
            return task->record(plan, task->run(plan, device), device.info());
          }};
}

}  // namespace

ComparedTask open_task(const TrainingOptions& options, const TranslationSizes& sizes) {
  return options.model == kTranslationModel ? open_translation(options, sizes)
                                            : open_layers(options);
}

}  // namespace systole
