#include "aten/ops/convolution.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/ConvUtils.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "aten/host_operands.h"
#include "aten/ops/empty.h"
#include "aten/ops/grouped_weight.h"
#include "aten/ops/patches.h"
#include "aten/ops/transpose.h"
#include "aten/work.h"
#include "runtime/error.h"
#include "runtime/stream.h"

namespace sidra::aten {
namespace {

// Patches of one chunk: small enough to stay in a core's cache between gathering and multiplying.
constexpr int64_t kChunkValues = 1 << 19;

struct Convolution {
  at::Tensor input, weight, bias;  // f32 input, f32 bias or undefined
  PatchGeometry geometry;          // of the plain convolution; transposed: from output to input
  GroupBlocks blocks;
  std::vector<int64_t> output_sizes;
};

std::array<int64_t, 3> in_three(at::IntArrayRef values, int64_t missing) {
  std::array<int64_t, 3> result{missing, missing, missing};
  std::copy(values.begin(), values.end(), result.end() - values.size());
  return result;
}

std::vector<int64_t> transposed_output_sizes(const at::Tensor& input, const at::Tensor& weight,
                                             at::IntArrayRef stride, at::IntArrayRef padding,
                                             at::IntArrayRef dilation,
                                             at::IntArrayRef output_padding, int64_t groups) {
  return at::native::conv_input_size(input.sizes(), weight.sizes(), padding, output_padding, stride,
                                     dilation, groups);
}

PatchGeometry geometry_of(int64_t channels, at::IntArrayRef image, at::IntArrayRef kernel,
                          at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                          at::IntArrayRef positions) {
  return {channels,
          in_three(image, 1),
          in_three(kernel, 1),
          in_three(stride, 1),
          in_three(padding, 0),
          in_three(dilation, 1),
          in_three(positions, 1)};
}

runtime::LedgerLine* crossbar_line() {
  static runtime::LedgerLine* const line =
      runtime::ledger_line("aten::convolution", runtime::Place::kCrossbar, "");
  return line;
}

at::Tensor group_of(const at::Tensor& weight, int64_t group, int64_t groups) {
  const int64_t size = weight.size(0) / groups;
  return weight.narrow(0, group * size, size).to(at::kFloat).contiguous();
}

// [outputs per group][values of a patch], in the order in which patches hold them: pixels with
// their channels, or, where the channels are cut into groups, channels with their pixels.
at::Tensor plain_matrix(const at::Tensor& weight, int64_t group, int64_t groups) {
  const at::Tensor part = group_of(weight, group, groups);
  return (groups == 1 ? part.movedim(1, -1) : part).reshape({part.size(0), -1});
}

// The weight of a transposed convolution is [in][out / groups][kernel]: the matrix takes a pixel's
// channels to a patch of the output.
at::Tensor transposed_matrix(const at::Tensor& weight, int64_t group, int64_t groups) {
  const at::Tensor part = group_of(weight, group, groups);
  return part.view({part.size(0), -1}).t();
}

// to [images][columns][rows] <- from [images][rows][columns], on the host's side of the memory.
void transpose_images(const at::Tensor& from, int64_t rows, int64_t columns, const at::Tensor& to) {
  HostOperands host(to.device());
  const at::Tensor target = host.open(to, /*written=*/true);
  const at::Tensor source = host.open(from);
  const int64_t size = rows * columns;
  for (int64_t image = 0; size > 0 && image < from.numel() / size; ++image) {
    transpose_matrix(source.const_data_ptr<float>() + image * size, rows, columns,
                     target.mutable_data_ptr<float>() + image * size);
  }
  host.finish();
}

// [images * pixels][channels]; the input itself where channels lie side by side.
at::Tensor pixels_of(const at::Tensor& input) {
  const int64_t channels = input.size(1);
  const at::Tensor channels_last = input.movedim(1, -1);
  if (channels_last.is_contiguous()) return channels_last.view({-1, channels});
  const int64_t pixels = input.numel() / (input.size(0) * channels);
  const at::Tensor result =
      empty_result({input.size(0) * pixels, channels}, at::kFloat, input.device());
  transpose_images(input.contiguous(), channels, pixels, result);
  return result;
}

// Where the patches come from: pixels with their channels, or channels for groups of them.
struct PatchSource {
  at::Tensor values;
  bool by_pixel;
};

PatchSource patch_source(const Convolution& c, int64_t groups) {
  if (groups == 1) return {pixels_of(c.input), true};
  return {c.input.contiguous(), false};
}

// Fills rows [0, count) of `patches` on the host's side of the memory.
void fill_patches(const Convolution& c, const PatchSource& source, int64_t image, int64_t first,
                  int64_t count, const at::Tensor& patches) {
  HostOperands host(patches.device());
  const at::Tensor to = host.open(patches, /*written=*/true);
  const at::Tensor from = host.open(source.values);
  const float* const values = from.const_data_ptr<float>() + image * c.geometry.image_size();
  const auto gather = source.by_pixel ? gather_pixels : gather_patches;
  gather(c.geometry, values, first, count, to.mutable_data_ptr<float>());
  host.finish();
}

at::Tensor plain(const Convolution& c, int64_t groups) {
  const int64_t positions = c.geometry.position_count();
  const int64_t size = c.geometry.patch_size();
  const int64_t outputs = c.weight.size(0);
  const int64_t chunk = std::clamp<int64_t>(kChunkValues / size, 1, positions);
  const c10::Device device = c.input.device();
  const PatchSource source = patch_source(c, groups);
  const at::Tensor patches = empty_result({chunk, size}, at::kFloat, device);
  const at::Tensor output =
      empty_result({c.input.size(0) * positions, outputs}, at::kFloat, device);
  const auto matrix = [&](int64_t group) { return plain_matrix(c.weight, group, groups); };
  for (int64_t image = 0; image < c.input.size(0); ++image) {
    for (int64_t first = 0; first < positions; first += chunk) {
      const int64_t count = std::min(chunk, positions - first);
      fill_patches(c, source, image, first, count, patches);
      multiply_groups(c.blocks, c.weight, matrix, input_vectors(patches), count,
                      output.narrow(0, image * positions + first, count), c.bias, crossbar_line());
    }
  }
  return output;
}

// A kernel of one pixel without padding: the pixels are the patches.
at::Tensor pointwise(const Convolution& c, int64_t groups) {
  const at::Tensor pixels = pixels_of(c.input);
  const at::Tensor output =
      empty_result({pixels.size(0), c.weight.size(0)}, at::kFloat, c.input.device());
  const auto matrix = [&](int64_t group) { return plain_matrix(c.weight, group, groups); };
  multiply_groups(c.blocks, c.weight, matrix, input_vectors(pixels), pixels.size(0), output, c.bias,
                  crossbar_line());
  return output;
}

bool is_pointwise(const PatchGeometry& g) {
  return g.kernel_size() == 1 && g.stride == std::array<int64_t, 3>{1, 1, 1} &&
         g.padding == std::array<int64_t, 3>{0, 0, 0};
}

// [images * positions][channels] -> [images][channels][spatial...], contiguous: what PyTorch's fake
// tensors expect of an out-of-tree device, whatever the input's memory format.
at::Tensor as_images(const at::Tensor& rows, const Convolution& c) {
  if (rows.size(0) == c.output_sizes[0]) return rows.view(c.output_sizes);
  const at::Tensor output = empty_result(c.output_sizes, at::kFloat, rows.device());
  transpose_images(rows, rows.size(0) / c.output_sizes[0], c.output_sizes[1], output);
  return output;
}

at::Tensor transposed_images(const Convolution& c, int64_t groups) {
  const int64_t pixels = c.geometry.position_count();
  const c10::Device device = c.input.device();
  const auto matrix = [&](int64_t group) { return transposed_matrix(c.weight, group, groups); };
  const at::Tensor patches = empty_result({pixels, c.geometry.patch_size()}, at::kFloat, device);
  const at::Tensor output =
      at::zeros(c.output_sizes, at::TensorOptions().dtype(at::kFloat).device(device));
  for (int64_t image = 0; image < c.input.size(0); ++image) {
    const at::Tensor rows = c.input.select(0, image).flatten(1).t().contiguous();
    multiply_groups(c.blocks, c.weight, matrix, input_vectors(rows), pixels, patches, at::Tensor(),
                    crossbar_line());
    HostOperands host(device);
    const at::Tensor to = host.open(output, /*written=*/true);
    const at::Tensor from = host.open(patches);
    scatter_patches(c.geometry, from.const_data_ptr<float>(),
                    to.mutable_data_ptr<float>() + image * c.geometry.image_size());
    host.finish();
  }
  if (!c.bias.defined()) return output;
  std::vector<int64_t> shape(c.output_sizes.size(), 1);
  shape[1] = c.bias.size(0);
  return output.add_(c.bias.view(shape));
}

struct Settings {
  at::IntArrayRef stride, padding, dilation, output_padding;
  bool transposed;
  int64_t groups;
};

Convolution describe(const at::Tensor& input, const at::Tensor& weight,
                     const std::optional<at::Tensor>& bias, const Settings& s) {
  Convolution c;
  c.input = input.to(at::kFloat);
  c.weight = weight;
  if (bias.has_value() && bias->defined()) c.bias = bias->to(at::kFloat).contiguous();
  const at::IntArrayRef kernel = weight.sizes().slice(2);
  if (s.transposed) {
    c.output_sizes = transposed_output_sizes(input, weight, s.stride, s.padding, s.dilation,
                                             s.output_padding, s.groups);
    const at::IntArrayRef image = at::IntArrayRef(c.output_sizes).slice(2);
    c.geometry = geometry_of(c.output_sizes[1], image, kernel, s.stride, s.padding, s.dilation,
                             input.sizes().slice(2));
  } else {
    c.output_sizes = at::native::conv_output_size(input.sizes(), weight.sizes(), s.padding,
                                                  s.stride, s.dilation);
    c.geometry = geometry_of(input.size(1), input.sizes().slice(2), kernel, s.stride, s.padding,
                             s.dilation, at::IntArrayRef(c.output_sizes).slice(2));
  }
  const int64_t per_group = weight.size(1) * c.geometry.kernel_size();
  const int64_t first = weight.size(0) / s.groups;
  const auto [inputs, outputs] =
      s.transposed ? std::pair(first, per_group) : std::pair(per_group, first);
  c.blocks = group_blocks(input.device().index(), s.transposed, s.groups, inputs, outputs);
  return c;
}

at::Tensor on_crossbars(const at::Tensor& input, const at::Tensor& weight,
                        const std::optional<at::Tensor>& bias, const Settings& s) {
  Convolution c = describe(input, weight, bias, s);
  if (s.transposed) return transposed_images(c, s.groups).to(input.scalar_type());
  if (is_pointwise(c.geometry)) {
    return as_images(pointwise(c, s.groups), c).to(input.scalar_type());
  }
  return as_images(plain(c, s.groups), c).to(input.scalar_type());
}

const OperatorInfo& info_of(const char* name) {
  return operator_info(c10::Dispatcher::singleton().findSchemaOrThrow(name, ""));
}

at::Tensor on_host(const at::Tensor& input, const at::Tensor& weight,
                   const std::optional<at::Tensor>& bias, const Settings& s) {
  static const OperatorInfo& info = info_of("aten::convolution_overrideable");
  HostOperands host(input.device());
  at::Tensor output =
      host.close(at::convolution(host.open(input), host.open(weight), host.open(bias), s.stride,
                                 s.padding, s.dilation, s.transposed, s.output_padding, s.groups));
  host.finish();
  account(info, input.device(), host.work());
  return output;
}

void check_same_device(const at::Tensor& input, const char* name, const at::Tensor& other) {
  if (!other.defined() || other.device() == input.device()) return;
  runtime::raise(
      runtime::ErrorKind::kRuntime,
      c10::str("Expected all tensors to be on the same device, but found at least two "
               "devices, ",
               input.device().str(), " and ", other.device().str(),
               "! (aten::convolution, argument '", name, "' of shape ", other.sizes(), ")"));
}

}  // namespace

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight,
                       const std::optional<at::Tensor>& bias, at::IntArrayRef stride,
                       at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, int64_t groups) {
  check_same_device(input, "weight", weight);
  if (bias.has_value()) check_same_device(input, "bias", *bias);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::DeviceGuard guard(input.device());
  const Settings settings{stride, padding, dilation, output_padding, transposed, groups};
  const bool fits = input.scalar_type() == weight.scalar_type() && input.numel() > 0;
  return fits && crossbars_apply(weight) ? on_crossbars(input, weight, bias, settings)
                                         : on_host(input, weight, bias, settings);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight,
    at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
    at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> output_mask) {
  static const OperatorInfo& info = info_of("aten::convolution_backward_overrideable");
  check_same_device(input, "grad_output", grad_output);
  check_same_device(input, "weight", weight);
  const int64_t bias_size = grad_output.size(1);
  HostOperands host(input.device());
  auto [grad_input, grad_weight, grad_bias] = at::convolution_backward(
      host.open(grad_output), host.open(input), host.open(weight), at::IntArrayRef{bias_size},
      stride, padding, dilation, transposed, output_padding, groups, output_mask);
  std::tuple result{host.close(std::move(grad_input)), host.close(std::move(grad_weight)),
                    host.close(std::move(grad_bias))};
  host.finish();
  account(info, input.device(), host.work());
  return result;
}

}  // namespace sidra::aten
