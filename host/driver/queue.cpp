#include "host/driver/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/driver/backend.h"

namespace systole {

/// What a queue has accepted: a product, or else something for the host.
struct Event::Command {
  std::function<void()> task;
  Product product = {};
};

struct Event::State {
  // Commands that a fault dropped, by their tickets: first < ticket <= last.
  struct Dropped {
    std::uint64_t first, last;
    std::string fault;
  };

  std::shared_ptr<Backend> backend;
  std::deque<Command> waiting;
  std::uint64_t accepted = 0;  // ticket of the newest command
  std::uint64_t finished = 0;  // ticket of the newest command that ran or was dropped
  std::vector<Dropped> dropped;

  std::uint64_t accept(Command command) {
    waiting.push_back(std::move(command));
    return ++accepted;
  }

  void run_until(std::uint64_t ticket) {
    while (finished < ticket) {
      const std::uint64_t before = finished;
      try {
        waiting.front().task ? run_task() : run_products(ticket);
      } catch (const DeviceError& fault) {
        finished = std::min(finished, before + fault.product() + 1);
        drop_rest(fault.what());
        throw;
      } catch (const std::exception& fault) {
        drop_rest(fault.what());
        throw;
      }
    }
  }

  void run_task() {
    const std::function<void()> task = std::move(waiting.front().task);
    waiting.pop_front();
    ++finished;
    task();
  }

  /// All products that follow one another, up to the ticket.
  void run_products(std::uint64_t ticket) {
    std::vector<Product> products;
    while (finished < ticket && !waiting.front().task) {
      products.push_back(std::move(waiting.front().product));
      waiting.pop_front();
      ++finished;
    }
    backend->execute(products);
  }

  void drop_rest(const char* fault) {
    waiting.clear();
    if (finished < accepted) dropped.push_back({finished, accepted, fault});
    finished = accepted;
  }

  void check_not_dropped(std::uint64_t ticket) const {
    for (const Dropped& range : dropped) {
      if (ticket > range.first && ticket <= range.last) {
        throw DeviceError("not run, because a command before it failed: " + range.fault);
      }
    }
  }
};

namespace {

void check_buffer(const char* call, const char* name, const Buffer& buffer,
                  const Backend& backend) {
  if (!buffer) {
    throw std::invalid_argument(fmt::format("{}: {} has no buffer; allocate one", call, name));
  }
  if (!buffer.belongs_to(backend)) {
    throw std::invalid_argument(
        fmt::format("{}: {} is a buffer of another device than the queue's '{}'", call, name,
                    backend.info().name));
  }
}

void check_operand(const Matmul& product, char name, const Buffer& buffer, std::int64_t rows,
                   std::int64_t cols, std::string_view type, std::int64_t needed_bytes) {
  if (buffer.size_bytes() >= needed_bytes) return;
  throw std::invalid_argument(fmt::format(
      "matmul: {} is {} x {} {} and needs {} bytes, its buffer has {} (the product is {})", name,
      rows, cols, type, needed_bytes, buffer.size_bytes(), describe(product)));
}

void check_matmul(const Matmul& product, ResultType result, const Backend& backend) {
  const MatmulSizes sizes = matmul_sizes(product);
  if (!backend.supports(product.type)) {
    std::vector<std::string_view> types;
    for (const DataType type : {DataType::kFp32, DataType::kBf16, DataType::kInt8}) {
      if (backend.supports(type)) types.push_back(to_string(type));
    }
    throw std::invalid_argument(fmt::format("matmul: {}: device '{}' multiplies {} only",
                                            describe(product), backend.info().name,
                                            fmt::join(types, " and ")));
  }
  check_buffer("matmul", "A", product.a, backend);
  check_buffer("matmul", "B", product.b, backend);
  check_buffer("matmul", "C", product.c, backend);
  const std::string_view type = to_string(product.type);
  const bool ta = product.transpose_a;
  const bool tb = product.transpose_b;
  check_operand(product, 'A', product.a, ta ? product.depth : product.rows,
                ta ? product.rows : product.depth, type, sizes.a_bytes);
  check_operand(product, 'B', product.b, tb ? product.cols : product.depth,
                tb ? product.depth : product.cols, type, sizes.b_bytes);
  check_operand(product, 'C', product.c, product.rows, product.cols,
                result == ResultType::kBf16       ? "bf16"
                : product.type == DataType::kInt8 ? "int32"
                                                  : "fp32",
                sizes.c_bytes / kSumSizeBytes * result_size_bytes(result));
  if (product.c == product.a || product.c == product.b) {
    throw std::invalid_argument(
        fmt::format("matmul: {}: C shares its buffer with {}; give it one of its own",
                    describe(product), product.c == product.a ? 'A' : 'B'));
  }
}

void check_product(const Product& product, const Backend& backend) {
  const Epilogue& epilogue = product.epilogue;
  check_matmul(product.matmul, epilogue.result, backend);
  if (epilogue.bias) check_buffer("matmul", "the bias", epilogue.bias, backend);
  if (epilogue.mask) check_buffer("matmul", "the mask", epilogue.mask, backend);
  if (epilogue.column_sums) {
    check_buffer("matmul", "column sums", epilogue.column_sums, backend);
  }
  check_epilogue(product);
}

}  // namespace

void Event::wait() {
  if (!state_) return;  // a default-made event stands for no work
  state_->check_not_dropped(ticket_);
  state_->run_until(ticket_);
}

Queue::Queue(std::shared_ptr<Backend> backend) : state_(std::make_shared<Event::State>()) {
  state_->backend = std::move(backend);
}

Event Queue::accept(Event::Command command) {
  Event event;
  event.state_ = state_;
  event.ticket_ = state_->accept(std::move(command));
  return event;
}

Event Queue::copy_to_device(std::span<const std::byte> source, const Buffer& destination) {
  Backend& backend = *state_->backend;
  check_buffer("copy_to_device", "the destination", destination, backend);
  if (static_cast<std::uint64_t>(destination.size_bytes()) < source.size()) {
    throw std::invalid_argument(
        fmt::format("copy_to_device: the source has {} bytes, the buffer only {}", source.size(),
                    destination.size_bytes()));
  }
  return accept(
      {.task = [&backend, source, destination] { backend.write(destination.address(), source); }});
}

Event Queue::copy_to_host(const Buffer& source, std::span<std::byte> destination) {
  Backend& backend = *state_->backend;
  check_buffer("copy_to_host", "the source", source, backend);
  if (static_cast<std::uint64_t>(source.size_bytes()) < destination.size()) {
    throw std::invalid_argument(
        fmt::format("copy_to_host: the destination has {} bytes, the buffer only {}",
                    destination.size(), source.size_bytes()));
  }
  return accept(
      {.task = [&backend, source, destination] { backend.read(source.address(), destination); }});
}

Event Queue::matmul(const Matmul& matmul, const Epilogue& epilogue) {
  const Product product{matmul, epilogue};
  check_product(product, *state_->backend);
  return accept({.task = {}, .product = product});
}

Event Queue::host_task(std::function<void()> task) {
  if (!task) throw std::invalid_argument("host_task: there is nothing to call");
  return accept({.task = std::move(task)});
}

void Queue::wait() { state_->run_until(state_->accepted); }

}  // namespace systole
