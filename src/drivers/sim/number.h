// Numbers from configuration text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace sidra::sim {

// The whole text as a number, or nothing.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace sidra::sim
