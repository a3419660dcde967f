// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Picture.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

namespace examples {
namespace {

std::array<std::string_view, 7> letter(char c) {
  switch (c) {
    case 'A': return {" ### ", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"};
    case 'B': return {"#### ", "#   #", "#   #", "#### ", "#   #", "#   #", "#### "};
    case 'C': return {" ### ", "#   #", "#    ", "#    ", "#    ", "#   #", " ### "};
    case 'D': return {"#### ", "#   #", "#   #", "#   #", "#   #", "#   #", "#### "};
    case 'E': return {"#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#####"};
    case 'F': return {"#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#    "};
    case 'G': return {" ### ", "#   #", "#    ", "#  ##", "#   #", "#   #", " ### "};
    case 'H': return {"#   #", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"};
    case 'I': return {" ### ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "};
    case 'K': return {"#   #", "#  # ", "# #  ", "##   ", "# #  ", "#  # ", "#   #"};
    case 'L': return {"#    ", "#    ", "#    ", "#    ", "#    ", "#    ", "#####"};
    case 'M': return {"#   #", "## ##", "# # #", "# # #", "#   #", "#   #", "#   #"};
    case 'N': return {"#   #", "##  #", "# # #", "# # #", "#  ##", "#   #", "#   #"};
    case 'O': return {" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "};
    case 'P': return {"#### ", "#   #", "#   #", "#### ", "#    ", "#    ", "#    "};
    case 'R': return {"#### ", "#   #", "#   #", "#### ", "# #  ", "#  # ", "#   #"};
    case 'S': return {" ####", "#    ", "#    ", " ### ", "    #", "    #", "#### "};
    case 'T': return {"#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  "};
    case 'U': return {"#   #", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "};
    case 'V': return {"#   #", "#   #", "#   #", "#   #", " # # ", " # # ", "  #  "};
    case 'W': return {"#   #", "#   #", "#   #", "# # #", "# # #", "## ##", "#   #"};
    case 'X': return {"#   #", "#   #", " # # ", "  #  ", " # # ", "#   #", "#   #"};
    case 'Y': return {"#   #", "#   #", " # # ", "  #  ", "  #  ", "  #  ", "  #  "};
    case '0': return {" ### ", "#   #", "#  ##", "# # #", "##  #", "#   #", " ### "};
    case '1': return {"  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "};
    case '2': return {" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"};
    case '3': return {" ### ", "#   #", "    #", "  ## ", "    #", "#   #", " ### "};
    case '4': return {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "};
    case '5': return {"#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "};
    case '6': return {" ### ", "#    ", "#    ", "#### ", "#   #", "#   #", " ### "};
    case '7': return {"#####", "    #", "   # ", "  #  ", "  #  ", " #   ", " #   "};
    case '8': return {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "};
    case '9': return {" ### ", "#   #", "#   #", " ####", "    #", "    #", " ### "};
    case '+': return {"     ", "  #  ", "  #  ", "#####", "  #  ", "  #  ", "     "};
    case '-': return {"     ", "     ", "     ", "#####", "     ", "     ", "     "};
    case '.': return {"     ", "     ", "     ", "     ", "     ", " ##  ", " ##  "};
    case ',': return {"     ", "     ", "     ", "     ", " ##  ", "  #  ", " #   "};
    default: return {"     ", "     ", "     ", "     ", "     ", "     ", "     "};
  }
}

}  // namespace

void Picture::fill(int x, int y, int w, int h, std::uint8_t color) {
  for (int row = std::max(y, 0); row < std::min(y + h, height); ++row)
    for (int column = std::max(x, 0); column < std::min(x + w, width); ++column) at(column, row) = color;
}

void Lettering::draw(Picture& picture, std::string_view text, int x, int y) const {
  for (char const c : text) {
    auto const points = letter(c);
    for (int row = 0; row < 7; ++row)
      for (int column = 0; column < 5; ++column)
        if (points[row][column] == '#') picture.fill(x + column * scale, y + row * scale, scale, scale, color);
    x += 6 * scale;
  }
}

void write_png(Picture const& picture, std::filesystem::path const& file) {
  auto const fail = [&](std::string const& why) {
    throw std::runtime_error(file.string() + ": cannot be written: " + why);
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(std::fopen(file.c_str(), "wb"), &std::fclose);
  if (!output) fail(std::strerror(errno));

  bool const colored = !picture.palette.empty();
  png_image image{};
  image.version          = PNG_IMAGE_VERSION;
  image.width            = picture.width;
  image.height           = picture.height;
  image.format           = colored ? PNG_FORMAT_RGB_COLORMAP : PNG_FORMAT_GRAY;
  image.colormap_entries = png_uint_32(picture.palette.size());
  errno                  = 0;
  if (png_image_write_to_stdio(&image, output.get(), 0, picture.pixels.data(), 0,
                               colored ? picture.palette.data() : nullptr) == 0)
    fail(errno != 0 ? std::strerror(errno) : image.message);
  if (std::fclose(output.release()) != 0) fail(std::strerror(errno));
}

}  // namespace examples
