// Distances written apart from those under test, as plainly as they are defined.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace warpdex::metric::reference {

/// By the table of dynamic programming.
template <class Units>
std::uint32_t levenshtein(const Units& a, const Units& b) {
  std::vector<std::vector<std::uint32_t>> table(a.size() + 1,
                                                std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = static_cast<std::uint32_t>(i + j);
        continue;
      }
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                              table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
    }
  }
  return table[a.size()][b.size()];
}

inline double jaccard(const std::string& a, const std::string& b) {
  const auto words = [](const std::string& line) {
    std::istringstream in(line);
    std::set<std::string> set;
    for (std::string word; in >> word;) set.insert(word);
    return set;
  };
  const std::set<std::string> x = words(a);
  std::set<std::string> all = words(b);
  const std::size_t other = all.size();
  all.insert(x.begin(), x.end());
  const std::size_t common = x.size() + other - all.size();
  return all.empty() ? 0 : 1 - static_cast<double>(common) / static_cast<double>(all.size());
}

inline double l1(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(double{a[i]} - double{b[i]});
  return sum;
}

inline double l2(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(double{a[i]} - double{b[i]}, 2);
  return std::sqrt(sum);
}

/// By the cosine, in double.
inline double angular(std::span<const float> a, std::span<const float> b) {
  double product = 0;
  double x = 0;
  double y = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += double{a[i]} * double{b[i]};
    x += double{a[i]} * double{a[i]};
    y += double{b[i]} * double{b[i]};
  }
  return std::acos(std::clamp(product / std::sqrt(x * y), -1.0, 1.0));
}

}  // namespace warpdex::metric::reference
