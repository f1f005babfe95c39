#include "host/nn/callbacks/csv_logger.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace systole::nn {

void CsvLogger::on_train_begin(FitState& state) {
  file_.reset(std::fopen(path_.c_str(), "we"));
  write("epoch,loss,accuracy,val_loss,val_accuracy,learning_rate,seconds\n");
  const auto& epochs = state.history.epochs;
  const auto before = static_cast<std::size_t>(state.progress.epoch - 1) - epochs.size();
  for (std::size_t i = 0; i < epochs.size(); ++i) write_epoch(before + i + 1, epochs[i]);
}

void CsvLogger::on_epoch_end(FitState& state) {
  write_epoch(static_cast<std::size_t>(state.progress.epoch), state.history.epochs.back());
}

void CsvLogger::on_train_end(FitState&) { file_.reset(); }

void CsvLogger::write_epoch(std::size_t number, const History::Epoch& epoch) {
  const std::string validation =
      epoch.validation ? fmt::format("{},{}", epoch.validation->loss, epoch.validation->accuracy)
                       : ",";
  // The rate is fp32, so its shortest decimals are those of an fp32.
  write(fmt::format("{},{},{},{},{},{}\n", number, epoch.loss, epoch.accuracy, validation,
                    static_cast<float>(epoch.learning_rate), epoch.seconds));
}

void CsvLogger::write(const std::string& text) {
  const bool written = file_ != nullptr && std::fputs(text.c_str(), file_.get()) >= 0 &&
                       std::fflush(file_.get()) == 0;
  if (!written) {
    throw std::runtime_error(
        fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  }
}

}  // namespace systole::nn
