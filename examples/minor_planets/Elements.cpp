// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Elements.hpp"

#include "../common/InputFile.hpp"

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>

namespace examples::minor_planets {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// Kepler's equation, by Newton's method from where it converges for every eccentricity below 1.
double eccentric_anomaly(double mean, double e) {
  mean        = std::remainder(mean, 2 * std::numbers::pi);
  double root = e < 0.5 ? mean : std::copysign(std::numbers::pi, mean);
  for (int step = 0; step < 50; ++step) {
    double const change = (root - e * std::sin(root) - mean) / (1 - e * std::cos(root));
    root -= change;
    if (std::abs(change) < 1e-15) break;
  }
  return root;
}

/// \return false unless the line is a name and six numbers of an ellipse.
bool parse(std::string const& line, Body& body) {
  std::istringstream text(line);
  std::getline(text, body.name, ',');
  std::array<double, 6> value{};
  for (double& v : value) {
    std::string cell;
    if (!std::getline(text, cell, ',')) return false;
    char* end = nullptr;
    v         = std::strtod(cell.c_str(), &end);
    if (end == cell.c_str() || (*end != '\0' && *end != '\r') || !std::isfinite(v)) return false;
  }
  std::string more;
  if (std::getline(text, more)) return false;
  body.elements = {value[0], value[1], value[2] * degree, value[3] * degree, value[4] * degree, value[5] * degree};
  return value[0] > 0 && value[1] >= 0 && value[1] < 1;
}

}  // namespace

PositionAndVelocity on_ellipse(Elements const& el, double mass) {
  double const e = el.eccentricity, anomaly = eccentric_anomaly(el.mean_anomaly, e);
  double const minor = std::sqrt(1 - e * e), motion = std::sqrt((sun + mass) / el.semi_major_axis);
  double const slow = 1 - e * std::cos(anomaly);
  double const x = el.semi_major_axis * (std::cos(anomaly) - e), y = el.semi_major_axis * minor * std::sin(anomaly);
  double const vx = -motion * std::sin(anomaly) / slow, vy = motion * minor * std::cos(anomaly) / slow;
  double const cw = std::cos(el.perihelion), sw = std::sin(el.perihelion), cn = std::cos(el.node),
               sn = std::sin(el.node), ci = std::cos(el.inclination), si = std::sin(el.inclination);
  Vector const p{cw * cn - sw * sn * ci, cw * sn + sw * cn * ci, sw * si};
  Vector const q{-sw * cn - cw * sn * ci, -sw * sn + cw * cn * ci, cw * si};
  PositionAndVelocity result{};
  for (int d = 0; d < 3; ++d) {
    result.position[d] = p[d] * x + q[d] * y;
    result.velocity[d] = p[d] * vx + q[d] * vy;
  }
  return result;
}

std::vector<Body> read_elements(std::filesystem::path const& file) {
  check_input(file);
  std::ifstream in(file);
  std::vector<Body> bodies;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    Body body;
    if (!parse(line, body))
      throw std::runtime_error(file.string() + ", line " + std::to_string(number) +
                               ": no name and six elements of an ellipse");
    bodies.push_back(body);
  }
  if (in.bad()) throw std::runtime_error(file.string() + ": cannot be read");
  if (bodies.empty()) throw std::runtime_error(file.string() + ": no minor planets in it");
  return bodies;
}

}  // namespace examples::minor_planets
