#include "sim/board/pseudo_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace systole::sim {

PseudoTerminal::PseudoTerminal() : near_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  std::array<char, 64> name{};
  if (near_ < 0 || ::grantpt(near_) != 0 || ::unlockpt(near_) != 0 ||
      ::ptsname_r(near_, name.data(), name.size()) != 0) {
    throw std::system_error(errno, std::generic_category(), "a pseudo-terminal");
  }
  path_ = name.data();
  far_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios line{};
  if (far_ < 0 || ::tcgetattr(far_, &line) != 0) {
    throw std::system_error(errno, std::generic_category(), path_);
  }
  ::cfmakeraw(&line);
  ::tcsetattr(far_, TCSANOW, &line);
}

PseudoTerminal::~PseudoTerminal() { unplug(); }

std::size_t PseudoTerminal::read(std::span<std::uint8_t> bytes, std::chrono::milliseconds timeout) {
  pollfd entry{.fd = near_, .events = POLLIN, .revents = 0};
  if (::poll(&entry, 1, static_cast<int>(timeout.count())) <= 0) return 0;
  const ssize_t count = ::read(near_, bytes.data(), bytes.size());
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

void PseudoTerminal::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(near_, bytes.data(), bytes.size());
    if (count <= 0) return;  // as on a wire that nobody listens to
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void PseudoTerminal::unplug() {
  if (far_ >= 0) ::close(far_);
  if (near_ >= 0) ::close(near_);
  far_ = near_ = -1;
}

}  // namespace systole::sim
