#include "tests/distribute/thread_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace systole::tests {
namespace {

struct Mail {
  using Message = std::vector<std::byte>;

  explicit Mail(int ranks)
      : size(ranks),
        boxes(static_cast<std::size_t>(ranks * ranks)),
        left(static_cast<std::size_t>(ranks)) {}

  std::deque<Message>& box(int from, int to) { return boxes[from * size + to]; }

  const int size;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::deque<Message>> boxes;
  std::vector<std::optional<std::string>> left;  // why, for each rank that has left
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(std::shared_ptr<Mail> mail, int rank) : mail_(std::move(mail)), rank_(rank) {}
  ~ThreadRank() override { leave("it has ended"); }

  int rank() const override { return rank_; }
  int size() const override { return mail_->size; }
  std::string kind() const override { return "threads"; }

  void send(int to, std::span<const std::byte> message) override {
    check(to);
    const std::scoped_lock lock(mail_->mutex);
    if (const auto& why = mail_->left[to]) throw left(to, *why);
    mail_->box(rank_, to).emplace_back(message.begin(), message.end());
    mail_->changed.notify_all();
  }

  void receive(int from, std::span<std::byte> message) override {
    check(from);
    std::unique_lock lock(mail_->mutex);
    auto& box = mail_->box(from, rank_);
    const auto& why = mail_->left[from];
    mail_->changed.wait(lock, [&] { return !box.empty() || why; });
    if (box.empty()) throw left(from, *why);
    const Mail::Message received = std::move(box.front());
    box.pop_front();
    if (received.size() != message.size()) {
      throw RankError(
          fmt::format("rank {} expects {} bytes of rank {} and gets {}: start all "
                      "ranks with the same program and options",
                      rank_, message.size(), from, received.size()));
    }
    std::ranges::copy(received, message.begin());
  }

  void leave(const std::string& why) noexcept override {
    const std::scoped_lock lock(mail_->mutex);
    auto& mine = mail_->left[rank_];
    if (!mine) mine = why;
    mail_->changed.notify_all();
  }

 private:
  void check(int other) const {
    if (other < 0 || other >= size() || other == rank_) {
      throw std::invalid_argument(
          fmt::format("rank {} has no other rank {} in {} ranks", rank_, other, size()));
    }
  }

  static RankError left(int rank, const std::string& why) {
    return RankError(fmt::format("rank {} has left the run: {}", rank, why));
  }

  std::shared_ptr<Mail> mail_;
  int rank_;
};

}  // namespace

std::vector<std::shared_ptr<Communicator>> thread_ranks(int ranks) {
  if (ranks < 1) throw std::invalid_argument(fmt::format("{} ranks: at least one", ranks));
  auto mail = std::make_shared<Mail>(ranks);
  std::vector<std::shared_ptr<Communicator>> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(std::make_shared<ThreadRank>(mail, rank));
  return all;
}

}  // namespace systole::tests
