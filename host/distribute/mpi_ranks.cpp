// Ranks as processes that mpirun has started.
//
// Every wait polls, and also checks for a farewell from the rank it waits for: MPI itself would
// wait forever for a process that no longer takes part. A process that dies without a farewell is
// noticed by mpirun, which ends the others.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "host/distribute/communicator.h"
#include "host/distribute/launcher.h"

namespace systole {
namespace {

constexpr int kDataTag = 1, kFarewellTag = 2;
constexpr std::size_t kLargestMessage = std::size_t{1} << 28;  // MPI counts in int
// Then a waiting rank sleeps between its polls: whoever sleeps gets a busy processor back at once,
// and who polls on gets it after the others' turns.
constexpr int kQuickPolls = 200;

void check(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw RankError(fmt::format("MPI: {}: {}", what, std::string_view(text, length)));
}

class MpiRanks final : public Communicator {
 public:
  MpiRanks() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "start");
    if (provided < MPI_THREAD_SERIALIZED) {
      throw RankError(
          "this MPI lets one thread alone call it: use Open MPI, as scripts/setup does");
    }
    check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "duplicate the world");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "set the error handler");
    check(MPI_Comm_rank(comm_, &rank_), "rank");
    check(MPI_Comm_size(comm_, &size_), "size");
    left_.resize(size_);
  }

  // Finalize waits for all ranks, and wants no message left unread.
  ~MpiRanks() override {
    leave("it has ended");
    for (int other = 0; other < size_; ++other) {
      if (other != rank_ && !left_[other]) read_farewell(other);
    }
    MPI_Waitall(static_cast<int>(farewells_.size()), farewells_.data(), MPI_STATUSES_IGNORE);
    MPI_Comm_free(&comm_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string kind() const override { return "MPI"; }

  void send(int to, std::span<const std::byte> message) override {
    check_other(to);
    each_part(message, [&](std::span<const std::byte> part) {
      MPI_Request request = MPI_REQUEST_NULL;
      check(MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_BYTE, to, kDataTag, comm_,
                      &request),
            "send");
      wait(request, to);
    });
  }

  void receive(int from, std::span<std::byte> message) override {
    check_other(from);
    each_part(message, [&](std::span<std::byte> part) {
      MPI_Request request = MPI_REQUEST_NULL;
      check(MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, from, kDataTag, comm_,
                      &request),
            "receive");
      const int count = wait(request, from);
      if (count != static_cast<int>(part.size())) throw other_size(from, part.size());
    });
  }

  void leave(const std::string& why) noexcept override {
    if (farewell_) return;
    farewell_ = why.substr(0, kLongestFarewell);
    for (int other = 0; other < size_; ++other) {
      if (other == rank_) continue;
      MPI_Isend(farewell_->data(), static_cast<int>(farewell_->size()), MPI_CHAR, other,
                kFarewellTag, comm_, &farewells_.emplace_back());
    }
  }

 private:
  static constexpr std::size_t kLongestFarewell = 1000;  // short enough to be sent without waiting

  void check_other(int other) const {
    if (other < 0 || other >= size_ || other == rank_) {
      throw std::invalid_argument(
          fmt::format("rank {} has no other rank {} in {} ranks", rank_, other, size_));
    }
    if (farewell_) {
      throw RankError(fmt::format("rank {} has left the run itself: {}", rank_, *farewell_));
    }
  }

  template <typename Byte, typename Work>
  static void each_part(std::span<Byte> message, const Work& work) {
    do {
      const auto part = message.first(std::min(message.size(), kLargestMessage));
      work(part);
      message = message.subspan(part.size());
    } while (!message.empty());
  }

  RankError other_size(int from, std::size_t size) const {
    return RankError(
        fmt::format("rank {} expects {} bytes of rank {} and gets another number: "
                    "start all ranks with the same program and options",
                    rank_, size, from));
  }

  // Returns the bytes received.
  int wait(MPI_Request& request, int other) {
    for (int polls = 0;; ++polls) {
      // Messages sent before the farewell arrive before it: test once more after the farewell.
      const bool gone = polls % 16 == 15 && has_left(other);
      int done = 0;
      MPI_Status status{};
      const int result = MPI_Test(&request, &done, &status);
      int error_class = MPI_SUCCESS;
      if (result != MPI_SUCCESS) MPI_Error_class(result, &error_class);
      if (error_class == MPI_ERR_TRUNCATE) return -1;
      check(result, "wait");
      if (done) {
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        return count;
      }
      if (gone) {
        MPI_Cancel(&request);
        MPI_Request_free(&request);
        throw RankError(fmt::format("rank {} has left the run: {}", other, *left_[other]));
      }
      if (polls > kQuickPolls) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  bool has_left(int other) {
    auto& farewell = left_[other];
    int waiting = 0;
    if (!farewell) MPI_Iprobe(other, kFarewellTag, comm_, &waiting, MPI_STATUS_IGNORE);
    if (waiting) read_farewell(other);
    return farewell.has_value();
  }

  void read_farewell(int other) {
    std::string text(kLongestFarewell, '\0');
    MPI_Status status{};
    MPI_Recv(text.data(), static_cast<int>(text.size()), MPI_CHAR, other, kFarewellTag, comm_,
             &status);
    int count = 0;
    MPI_Get_count(&status, MPI_CHAR, &count);
    text.resize(std::max(count, 0));
    left_[other] = text;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::optional<std::string> farewell_;
  std::vector<MPI_Request> farewells_;
  std::vector<std::optional<std::string>> left_;
};

}  // namespace

std::shared_ptr<Communicator> launched_ranks() {
  if (ranks_of_launcher() < 2) return single_rank();
  // Ends when the process does, after main has said what went wrong.
  static const std::shared_ptr<Communicator> ranks = std::make_shared<MpiRanks>();
  return ranks;
}

}  // namespace systole
