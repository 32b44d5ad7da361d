"""The device by explicit import, for those who switch autoloading off.

`import sidra_pytorch` does what `import torch` does by itself unless
TORCH_DEVICE_BACKEND_AUTOLOAD=0 is set.
"""

from sidra import __version__
from sidra.plugin import register_pytorch_backend

__all__ = ["__version__", "register_pytorch_backend"]

register_pytorch_backend()
