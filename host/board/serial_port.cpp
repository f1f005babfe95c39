#include "host/board/serial_port.h"

// The kernel's termios2 takes any baud rate; glibc's termios, which clashes with it, does not.
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/serial.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/device/device.h"

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

std::string advice(int error) {
  if (error == ENOENT || error == ENODEV || error == ENXIO) {
    return ": plug the board in, and look for its port with `ls /dev/ttyUSB* /dev/ttyACM*`";
  }
  if (error == EACCES) return ": add yourself to its group (usually dialout) and log in again";
  return "";
}

}  // namespace

SerialPort::SerialPort(std::string path, int baud)
    : path_(std::move(path)),
      baud_(baud),
      file_(::open(path_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
  if (file_ < 0) {
    const int error = errno;
    throw DeviceError(
        fmt::format("cannot open {}: {}{}", path_, std::strerror(error), advice(error)));
  }
  try {
    set_up();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

SerialPort::~SerialPort() { ::close(file_); }

void SerialPort::set_up() {
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    throw DeviceError(fmt::format("{} is in use by another program: end that one first", path_));
  }
  termios2 line{};
  if (::ioctl(file_, TCGETS2, &line) != 0) {
    throw DeviceError(fmt::format("{} is no serial line", path_));
  }
  line.c_iflag = 0;
  line.c_oflag = 0;
  line.c_lflag = 0;
  line.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | BOTHER << IBSHIFT;
  line.c_ispeed = line.c_ospeed = static_cast<speed_t>(baud_);
  line.c_cc[VMIN] = 0;
  line.c_cc[VTIME] = 0;
  const bool is_set = ::ioctl(file_, TCSETS2, &line) == 0 && ::ioctl(file_, TCGETS2, &line) == 0;
  const int error_per_cent =
      is_set ? std::abs(static_cast<int>(line.c_ospeed) - baud_) / (baud_ / 100 + 1) : 100;
  if (error_per_cent > 2) {
    throw DeviceError(
        fmt::format("{} does not take {} baud: choose another rate, and a bitstream "
                    "that is built for it",
                    path_, baud_));
  }
  // An FTDI adapter keeps what it has received for up to 16 ms unless it is asked to hurry.
  serial_struct driver{};
  if (::ioctl(file_, TIOCGSERIAL, &driver) == 0) {
    driver.flags |= ASYNC_LOW_LATENCY;
    ::ioctl(file_, TIOCSSERIAL, &driver);
  }
  drop_input();
}

void SerialPort::write(std::span<const std::uint8_t> bytes, Milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno != EAGAIN && errno != EINTR) has_gone();
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || !wait_for(POLLOUT, left)) {
      throw DeviceError(
          fmt::format("{} takes no more bytes: unplug the board, plug it in again, "
                      "and rerun",
                      path_));
    }
  }
}

std::size_t SerialPort::read(std::span<std::uint8_t> bytes, Milliseconds timeout) {
  if (!wait_for(POLLIN, timeout)) return 0;
  const ssize_t count = ::read(file_, bytes.data(), bytes.size());
  if (count > 0) return static_cast<std::size_t>(count);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  has_gone();
}

void SerialPort::drop_input() { ::ioctl(file_, TCFLSH, TCIFLUSH); }

bool SerialPort::wait_for(short event, Milliseconds timeout) const {
  pollfd entry{.fd = file_, .events = event, .revents = 0};
  const int ready = ::poll(&entry, 1, static_cast<int>(timeout.count()));
  if (ready < 0 && errno != EINTR) has_gone();
  if (ready <= 0) return false;
  // What has come can be read even from a line that has gone.
  if ((entry.revents & event) == 0) has_gone();
  return true;
}

void SerialPort::has_gone() const {
  throw DeviceError(fmt::format(
      "{} has gone: the board was unplugged or switched off; plug it in and rerun", path_));
}

}  // namespace systole
