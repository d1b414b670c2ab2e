"""Neural networks: functions and layers with PyTorch's names, parameters and layouts, in the language itself.

Functions take NumPy arrays and run in plain Python; in a program convolutions, pooling, softmax, normalisation and the
error function of float32 arrays are fused operators, and everything else is inlined. Layers are dataclasses of arrays.
"""

from graph_program.tensor_api.nn import (
    activations,
    convolution,
    functions,
    layers,
    loading,
    modules,
    normalization,
    pooling,
    recurrent,
    recurrent_layers,
    resizing,
    transformers,
)
from graph_program.tensor_api.nn.activations import *  # noqa: F403
from graph_program.tensor_api.nn.convolution import *  # noqa: F403
from graph_program.tensor_api.nn.functions import *  # noqa: F403
from graph_program.tensor_api.nn.layers import *  # noqa: F403
from graph_program.tensor_api.nn.loading import *  # noqa: F403
from graph_program.tensor_api.nn.modules import *  # noqa: F403
from graph_program.tensor_api.nn.normalization import *  # noqa: F403
from graph_program.tensor_api.nn.pooling import *  # noqa: F403
from graph_program.tensor_api.nn.recurrent import *  # noqa: F403
from graph_program.tensor_api.nn.recurrent_layers import *  # noqa: F403
from graph_program.tensor_api.nn.resizing import *  # noqa: F403
from graph_program.tensor_api.nn.transformers import *  # noqa: F403

__all__: list[str] = []
__all__ += activations.__all__
__all__ += convolution.__all__
__all__ += functions.__all__
__all__ += layers.__all__
__all__ += loading.__all__
__all__ += modules.__all__
__all__ += normalization.__all__
__all__ += pooling.__all__
__all__ += recurrent.__all__
__all__ += recurrent_layers.__all__
__all__ += resizing.__all__
__all__ += transformers.__all__
