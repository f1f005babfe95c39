#include "host/pjrt/pjrt_backend.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/device/backend.h"

namespace systole {
namespace {

DeviceInfo pjrt_info() {
  return {.name = "pjrt",
          .description = "another device, such as a GPU, by its PJRT plugin (docs/pjrt.md)"};
}

class PjrtBackend final : public Backend {
 public:
  explicit PjrtBackend(const pjrt::Client& client) : client_(client), info_(pjrt_info()) {
    const pjrt::ClientInfo about = client.info();
    info_.platform = about.platform;
    info_.chip = about.device;
    info_.plugin = fmt::format("PJRT {}, {}", about.api, about.platform_version);
  }

  const pjrt::Client& client() const { return client_; }

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType type) const override { return type != DataType::kInt8; }
  Memory& memory() override { refuse(); }
  Counters counters() const override { return {}; }
  std::optional<DeviceSizes> sizes() const override { return std::nullopt; }
  void run(const PlacedProgram&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw std::invalid_argument(
        "device 'pjrt' runs whole training steps alone: use model, rtl or cpu");
  }

  const pjrt::Client& client_;
  DeviceInfo info_;
};

}  // namespace

BackendEntry pjrt_backend_entry() {
  return {.info = pjrt_info(),
          .array_sizes = {},
          .place = "PATH",
          .types = "fp32 bf16",
          .make_at = [](const DeviceOptions&, const std::string& path) {
            return std::make_shared<PjrtBackend>(pjrt::Client::open(path));
          }};
}

const pjrt::Client* pjrt_client(const Device& device) {
  const auto* backend = dynamic_cast<const PjrtBackend*>(&device.backend());
  return backend == nullptr ? nullptr : &backend->client();
}

}  // namespace systole
