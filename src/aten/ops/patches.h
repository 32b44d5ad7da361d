// The patches that a convolution's weight slides over, as vectors for MVMs, and back.
//
// Up to three spatial dimensions; missing ones are of extent 1. Values are float32. Positions count
// over the output, [depth][height][width].
#pragma once

#include <array>
#include <cstdint>

namespace sidra::aten {

struct PatchGeometry {
  int64_t channels;
  std::array<int64_t, 3> image, kernel, stride, padding, dilation, positions;

  int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t patch_size() const { return channels * kernel_size(); }
  int64_t image_size() const { return channels * image[0] * image[1] * image[2]; }
  int64_t position_count() const { return positions[0] * positions[1] * positions[2]; }
};

// patches [count][patch_size] <- the patches at positions [first, first + count) of one image; 0
// outside it. The image is contiguous [depth][height][width][channels], a patch [kernel depth]
// [kernel height][kernel width][channels]: pixels are copied whole.
void gather_pixels(const PatchGeometry& geometry, const float* image, int64_t first, int64_t count,
                   float* patches);

// The same from an image [channels][depth][height][width] to patches [channels][kernel depth]
// [kernel height][kernel width], in which the channels of a group lie side by side.
void gather_patches(const PatchGeometry& geometry, const float* image, int64_t first, int64_t count,
                    float* patches);

// image [channels][depth][height][width] += patches [position_count][patch_size], each value at the
// pixel that gather_patches takes it from.
void scatter_patches(const PatchGeometry& geometry, const float* patches, float* image);

}  // namespace sidra::aten
