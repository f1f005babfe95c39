#include "host/device/cache_records.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "host/device/digest.h"

namespace systole {
namespace {

constexpr std::string_view kHead = "systole cache 2: ";
constexpr std::string_view kBetween = "\n\n";  // after the identity and after the text
constexpr std::size_t kCheckDigits = 32;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of an identity or a text

std::string check_of(std::string_view identity, std::string_view text) {
  Digest digest;
  digest.add(fmt::format("{} {}\n", identity.size(), text.size())).add(identity).add(text);
  return digest.hex().substr(0, kCheckDigits);
}

/// Takes `prefix` off `bytes`.
bool take(std::string_view& bytes, std::string_view prefix) {
  if (!bytes.starts_with(prefix)) return false;
  bytes.remove_prefix(prefix.size());
  return true;
}

std::optional<std::size_t> take_length(std::string_view& bytes) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), length);
  if (error != std::errc{} || length > kMostBytes) return std::nullopt;
  bytes.remove_prefix(static_cast<std::size_t>(end - bytes.data()));
  if (!take(bytes, " bytes, ")) return std::nullopt;
  return length;
}

struct Record {
  std::string_view identity, text;
  std::size_t bytes;
};

/// The record that `bytes` begin with.
std::optional<Record> first_record(std::string_view bytes) {
  std::string_view rest = bytes;
  if (!take(rest, kHead)) return std::nullopt;
  const auto identity_bytes = take_length(rest);
  if (!identity_bytes) return std::nullopt;
  const auto text_bytes = take_length(rest);
  const std::size_t around = kCheckDigits + 1 + 2 * kBetween.size();
  if (!text_bytes || rest.size() < around + *identity_bytes + *text_bytes) return std::nullopt;
  const std::string_view identity = rest.substr(kCheckDigits + 1, *identity_bytes);
  const std::string_view text =
      rest.substr(kCheckDigits + 1 + *identity_bytes + kBetween.size(), *text_bytes);
  // Whole is what record_of writes, byte for byte.
  const std::string whole = record_of(identity, text);
  if (!bytes.starts_with(whole)) return std::nullopt;
  return Record{identity, text, whole.size()};
}

}  // namespace

std::string record_of(std::string_view identity, std::string_view text) {
  return fmt::format("{}{} bytes, {} bytes, {}\n{}{}{}{}", kHead, identity.size(), text.size(),
                     check_of(identity, text), identity, kBetween, text, kBetween);
}

ReadRecords read_records(std::string_view bytes,
                         const std::function<void(std::string_view, std::string_view)>& found) {
  ReadRecords read;
  for (std::size_t at = 0; at < bytes.size();) {
    if (const auto record = first_record(bytes.substr(at))) {
      found(record->identity, record->text);
      read.damaged += at - read.end;
      at += record->bytes;
      read.end = at;
      continue;
    }
    at = bytes.find(kHead, at + 1);  // npos ends it
  }
  return read;
}

}  // namespace systole
