"""torch.sidra beside torch.cuda: the names that it has, and those that mean nothing here."""

from __future__ import annotations

import pytest
import torch

# Of CUDA's own machinery, or of sensors that no chip of ours has.
WITHOUT_MEANING = {
    "BFloat16Storage",
    "BoolStorage",
    "ByteStorage",
    "CharStorage",
    "ComplexDoubleStorage",
    "ComplexFloatStorage",
    "CUDAGraph",
    "CUDAPluggableAllocator",
    "CudaError",
    "DeferredCudaCallError",
    "DoubleStorage",
    "ExternalStream",
    "FloatStorage",
    "GreenContext",
    "HalfStorage",
    "IntStorage",
    "LongStorage",
    "MemPool",
    "ShortStorage",
    "caching_allocator_alloc",
    "caching_allocator_delete",
    "caching_allocator_disabled",
    "caching_allocator_enable",
    "change_current_allocator",
    "check_error",
    "clock_rate",
    "cudaStatus",
    "cudart",
    "current_blas_handle",
    "current_solver_handle",
    "device_memory_used",
    "get_arch_list",
    "get_gencode_flags",
    "get_stream_from_external",
    "get_sync_debug_mode",
    "has_half",
    "has_magma",
    "host_memory_stats",
    "host_memory_stats_as_nested_dict",
    "jiterator",
    "list_gpu_processes",
    "memory_usage",
    "nccl",
    "power_draw",
    "reset_accumulated_host_memory_stats",
    "reset_peak_host_memory_stats",
    "set_sync_debug_mode",
    "sparse",
    "temperature",
    "tunable",
    "use_mem_pool",
    "utilization",
}

# Names that torch, accelerate, transformers and Lightning call but torch.cuda does not export.
CALLED = {
    "_exchange_device",
    "_is_in_bad_fork",
    "_lazy_init",
    "_maybe_exchange_device",
    "_utils",
    "get_amp_supported_dtype",
    "reset_max_memory_allocated",
}


def test_names_of_cuda_are_there_or_mean_nothing_here(device) -> None:
    missing = {name for name in torch.cuda.__all__ if not hasattr(device, name)}
    assert missing == WITHOUT_MEANING & set(torch.cuda.__all__)
    assert set(torch.cuda.__all__) >= WITHOUT_MEANING


@pytest.mark.parametrize("part", ["amp", "random"])
def test_parts_are_complete(device, part: str) -> None:
    theirs = {name for name in getattr(torch.cuda, part).__all__ if "not_available" not in name}
    assert not {name for name in theirs if not hasattr(getattr(device, part), name)}


def test_names_that_libraries_call_are_there(device) -> None:
    assert not {name for name in CALLED if not hasattr(device, name)}
    assert set(device.__all__) <= set(dir(device)) | {"default_generators"}
    assert device._utils._get_device_index("sidra:0") == 0


def test_default_generators_are_those_that_devices_draw_from(device) -> None:
    torch.manual_seed(3)
    (generator, *_) = device.default_generators
    x = torch.rand(2, device="sidra")
    generator.manual_seed(3)
    assert torch.equal(torch.rand(2, device="sidra"), x)


def test_unknown_names_are_refused(device) -> None:
    with pytest.raises(AttributeError, match=r"'torch\.sidra' has no attribute 'cudart'"):
        _ = device.cudart


def test_tf32_is_no_type_of_products(device) -> None:
    assert device.is_tf32_supported() is False
