#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "host/nn/training/callback.h"

namespace systole::nn {

/// Writes a line per epoch: epoch,loss,accuracy,val_loss,val_accuracy,learning_rate,seconds. The
/// val_ fields are empty without validation. Every line is in the file when its epoch ends.
///
/// Numbers  the shortest decimals that read back as the same value
/// Limits   a new training replaces the file; a resumed one rewrites the earlier epochs from the
///          checkpoint
/// Errors   std::runtime_error with the path and the system's reason
class CsvLogger : public Callback {
 public:
  explicit CsvLogger(std::filesystem::path path) : path_(std::move(path)) {}

  void on_train_begin(FitState& state) override;
  void on_epoch_end(FitState& state) override;
  void on_train_end(FitState& state) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void write(const std::string& text);
  void write_epoch(std::size_t number, const History::Epoch& epoch);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace systole::nn
