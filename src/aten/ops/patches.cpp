#include "aten/ops/patches.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>

namespace sidra::aten {
namespace {

constexpr int64_t kValuesPerTask = 1 << 15;

struct Position {
  std::array<int64_t, 3> corner;  // pixel of the kernel's first element; negative in the padding
};

Position position_at(const PatchGeometry& g, int64_t index) {
  const int64_t x = index % g.positions[2];
  const int64_t y = index / g.positions[2] % g.positions[1];
  const int64_t z = index / (g.positions[2] * g.positions[1]);
  return {{z * g.stride[0] - g.padding[0], y * g.stride[1] - g.padding[1],
           x * g.stride[2] - g.padding[2]}};
}

bool inside(int64_t pixel, int64_t extent) { return pixel >= 0 && pixel < extent; }

// Calls visit(patch offset, image offset or -1) for each run of kernel_width values of one channel.
template <typename Visit>
void for_each_row(const PatchGeometry& g, const Position& at, int64_t channel, const Visit& visit) {
  int64_t offset = channel * g.kernel_size();
  for (int64_t kz = 0; kz < g.kernel[0]; ++kz) {
    const int64_t z = at.corner[0] + kz * g.dilation[0];
    for (int64_t ky = 0; ky < g.kernel[1]; ++ky, offset += g.kernel[2]) {
      const int64_t y = at.corner[1] + ky * g.dilation[1];
      const bool in_image = inside(z, g.image[0]) && inside(y, g.image[1]);
      visit(offset, in_image ? ((channel * g.image[0] + z) * g.image[1] + y) * g.image[2] : -1);
    }
  }
}

void gather_row(const PatchGeometry& g, const float* row, int64_t corner, float* values) {
  for (int64_t kx = 0; kx < g.kernel[2]; ++kx) {
    const int64_t x = corner + kx * g.dilation[2];
    values[kx] = inside(x, g.image[2]) ? row[x] : 0.0f;
  }
}

void gather_patch(const PatchGeometry& g, const float* image, const Position& at, float* patch) {
  for (int64_t channel = 0; channel < g.channels; ++channel) {
    for_each_row(g, at, channel, [&](int64_t offset, int64_t row) {
      if (row < 0) {
        std::fill_n(patch + offset, g.kernel[2], 0.0f);
      } else {
        gather_row(g, image + row, at.corner[2], patch + offset);
      }
    });
  }
}

// The pixels of one row of the kernel, kernel[2] of them with all their channels.
void gather_pixel_row(const PatchGeometry& g, const float* row, int64_t corner, float* values) {
  const int64_t last = corner + (g.kernel[2] - 1) * g.dilation[2];
  const auto bytes = [&](int64_t pixels) { return sizeof(float) * pixels * g.channels; };
  if (g.dilation[2] == 1 && corner >= 0 && last < g.image[2]) {
    std::memcpy(values, row + corner * g.channels, bytes(g.kernel[2]));
    return;
  }
  for (int64_t kx = 0; kx < g.kernel[2]; ++kx, values += g.channels) {
    const int64_t x = corner + kx * g.dilation[2];
    if (inside(x, g.image[2])) {
      std::memcpy(values, row + x * g.channels, bytes(1));
    } else {
      std::fill_n(values, g.channels, 0.0f);
    }
  }
}

void gather_pixel_patch(const PatchGeometry& g, const float* image, const Position& at,
                        float* patch) {
  const int64_t row_values = g.kernel[2] * g.channels;
  for (int64_t kz = 0; kz < g.kernel[0]; ++kz) {
    const int64_t z = at.corner[0] + kz * g.dilation[0];
    for (int64_t ky = 0; ky < g.kernel[1]; ++ky, patch += row_values) {
      const int64_t y = at.corner[1] + ky * g.dilation[1];
      if (inside(z, g.image[0]) && inside(y, g.image[1])) {
        const float* const row = image + (z * g.image[1] + y) * g.image[2] * g.channels;
        gather_pixel_row(g, row, at.corner[2], patch);
      } else {
        std::fill_n(patch, row_values, 0.0f);
      }
    }
  }
}

template <typename Gather>
void gather(const PatchGeometry& geometry, int64_t first, int64_t count, float* patches,
            const Gather& gather_one) {
  const int64_t size = geometry.patch_size();
  const int64_t grain = std::max<int64_t>(1, kValuesPerTask / std::max<int64_t>(size, 1));
  at::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      gather_one(position_at(geometry, first + i), patches + i * size);
    }
  });
}

}  // namespace

void gather_pixels(const PatchGeometry& geometry, const float* image, int64_t first, int64_t count,
                   float* patches) {
  gather(geometry, first, count, patches,
         [&](const Position& at, float* patch) { gather_pixel_patch(geometry, image, at, patch); });
}

void gather_patches(const PatchGeometry& geometry, const float* image, int64_t first, int64_t count,
                    float* patches) {
  gather(geometry, first, count, patches,
         [&](const Position& at, float* patch) { gather_patch(geometry, image, at, patch); });
}

void scatter_patches(const PatchGeometry& geometry, const float* patches, float* image) {
  const int64_t size = geometry.patch_size();
  // Channels write to pixels of their own, so they may run at the same time.
  at::parallel_for(0, geometry.channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t index = 0; index < geometry.position_count(); ++index) {
      const Position at = position_at(geometry, index);
      const float* const patch = patches + index * size;
      for (int64_t channel = begin; channel < end; ++channel) {
        for_each_row(geometry, at, channel, [&](int64_t offset, int64_t row) {
          if (row < 0) return;
          for (int64_t kx = 0; kx < geometry.kernel[2]; ++kx) {
            const int64_t x = at.corner[2] + kx * geometry.dilation[2];
            if (inside(x, geometry.image[2])) image[row + x] += patch[offset + kx];
          }
        });
      }
    }
  });
}

}  // namespace sidra::aten
