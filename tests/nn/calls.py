"""Calls that mean the same with `graph_program.tensor_api.nn` and `torch.nn.functional`, one or several a line.

`shapes` gives the arrays: a name with its shape, of random numbers. `w` and `b` are weights and biases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Call:
    """A call, with the arrays that it needs."""

    text: str
    shapes: str

    def arrays(self, dtype: str, seed: int = 0) -> dict[str, np.ndarray]:
        """Random arrays by name; `i` are integers, `m` are bools, `v` are positive."""
        rng = np.random.default_rng(seed)
        found = {}
        for part in self.shapes.split():
            name, _, shape = part.partition(":")
            array = rng.standard_normal(tuple(int(n) for n in shape.split(",") if n))
            kinds = {"i": lambda x: (np.abs(x) * 3).astype(np.int64) % 5, "m": lambda x: x > 0, "v": np.abs}
            found[name] = kinds[name[0]](array) if name[0] in kinds else array
            if name[0] not in "im":
                found[name] = found[name].astype(dtype)
        return found


def table(text: str) -> list[Call]:
    """Lines of `shapes | call`."""
    lines = [line.split("|", 1) for line in text.strip().splitlines()]
    return [Call(call.strip(), shapes.strip()) for shapes, call in lines]


ACTIVATIONS = table("""
x:3,7 | relu(x), relu6(x), hardtanh(x), hardtanh(x, -0.5, 0.25), leaky_relu(x), leaky_relu(x, 0.3)
x:3,7 | elu(x), elu(x, 0.5), selu(x), celu(x), celu(x, 2.0)
x:3,7 | gelu(x), gelu(x, approximate="tanh"), sigmoid(x), logsigmoid(x), silu(x), mish(x)
x:3,7 | softplus(x), softplus(x, 2.0, 1.0), softsign(x), tanhshrink(x), softshrink(x), hardshrink(x), tanh(x)
x:3,8 | threshold(x, 0.1, 20.0), hardsigmoid(x * 3), hardswish(x * 3), glu(x), glu(x, -1)
x:2,3,5 w:1 w3:3 | prelu(x, w), prelu(x, w3), softmin(x, 1)
x:2,3,5 | softmax(x, -1), softmax(x, 0), softmax(x, dim=1), log_softmax(x, -1), log_softmax(x, 1)
x:2,0 y:0,3 | softmax(x, -1), softmax(y, -1), relu(x), gelu(y)
""")

CONVOLUTIONS = table("""
x:2,3,9,8 w:4,3,3,3 b:4 | conv2d(x, w, b), conv2d(x, w), conv2d(x, w, b, stride=2), conv2d(x, w, b, (2, 1), (1, 0))
x:2,3,9,8 w:4,3,3,2 b:4 | conv2d(x, w, b, padding="same"), conv2d(x, w, b, padding="valid"), conv2d(x, w, b, 1, 1, 2)
x:2,4,9,8 w:6,2,3,3 v:4,1,3,3 b:6 | conv2d(x, w, b, groups=2), conv2d(x, v, padding=1, groups=4)
x:3,9,8 w:4,3,3,3 b:4 | conv2d(x, w, b), conv2d(x, w, b, padding="same", dilation=(1, 2))
x:2,3,11 w:4,3,3 b:4 | conv1d(x, w, b), conv1d(x, w, b, 2, 1), conv1d(x, w, b, padding="same"), conv1d(x[0], w)
x:1,2,5,6,4 w:3,2,2,3,2 b:3 | conv3d(x, w, b), conv3d(x, w, stride=2, padding=1), conv3d(x, w, b, dilation=(1, 2, 1))
x:0,3,9,8 w:4,3,3,3 b:4 | conv2d(x, w, b)
x:2,3,1,1 w:4,3,1,1 | conv2d(x, w)
x:2,4,5,6 w:4,3,3,3 b:3 | conv_transpose2d(x, w, b), conv_transpose2d(x, w, b, 2, 1)
x:2,4,5,6 w:4,3,3,3 b:3 | conv_transpose2d(x, w, None, 2, 1, 1)
x:2,4,5,6 w:4,3,3,2 b:6 | conv_transpose2d(x, w, b, stride=2, groups=2), conv_transpose2d(x[0], w, dilation=2)
x:2,3,7 w:3,4,3 b:4 | conv_transpose1d(x, w, b), conv_transpose1d(x, w, b, 3, 1, 2)
x:2,3,7 w:3,4,3 b:4 | conv_transpose1d(x, w, b, 1, 0, 0, 1, 2)
x:1,2,3,4,3 w:2,3,2,2,3 b:3 | conv_transpose3d(x, w, b, 2), conv_transpose3d(x, w, b, padding=1)
""")

POOLING = table("""
x:2,3,9,8 | max_pool2d(x, 2), max_pool2d(x, 3, 2), max_pool2d(x, 3, 2, 1), max_pool2d(x, (3, 2), 1, (1, 1))
x:2,3,9,8 | max_pool2d(x, 2, ceil_mode=True), max_pool2d(x, 3, 2, 1, ceil_mode=True), max_pool2d(x, 2, 3, 0, 1, True)
x:2,3,9,8 | max_pool2d(x, 3, 1, 1, 2), max_pool2d(x, 2, dilation=2), max_pool2d(x[0], 2)
x:2,3,9,8 | max_pool2d(x, 2, return_indices=True), max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True)
x:2,3,9 | max_pool1d(x, 2), max_pool1d(x, 3, 1, 1), max_pool1d(x, 3, 2, ceil_mode=True), max_pool1d(x[0], 4)
x:2,3,2 | max_pool1d(x, 4, 3, 1, ceil_mode=True), avg_pool1d(x, 4, 3, 0, ceil_mode=True)
x:1,2,5,6,4 | max_pool3d(x, 2), max_pool3d(x, 3, 2, 1), max_pool3d(x, 2, ceil_mode=True)
x:2,3,9,8 | avg_pool2d(x, 2), avg_pool2d(x, 3, 2, 1), avg_pool2d(x, 3, 2, 1, count_include_pad=False)
x:2,3,9,8 | avg_pool2d(x, 3, 2, 1, True), avg_pool2d(x, 3, 2, 1, True, False), avg_pool2d(x, 2, divisor_override=3)
x:2,3,9 | avg_pool1d(x, 2), avg_pool1d(x, 3, 2, 1), avg_pool1d(x, 3, 2, 1, True, False), avg_pool1d(x[0], 4)
x:1,2,5,6,4 | avg_pool3d(x, 2), avg_pool3d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)
x:2,3,9,8 | adaptive_avg_pool2d(x, 1), adaptive_avg_pool2d(x, (3, 5)), adaptive_avg_pool2d(x, (None, 4))
x:2,3,9,8 | adaptive_max_pool2d(x, 1), adaptive_max_pool2d(x, (4, 3)), adaptive_max_pool2d(x, (11, 3))
x:2,3,9 | adaptive_avg_pool1d(x, 4), adaptive_avg_pool1d(x, 1)
x:2,3,9 | adaptive_max_pool1d(x, 4), adaptive_avg_pool1d(x[0], 2)
x:1,2,5,6,4 | adaptive_avg_pool3d(x, 2), adaptive_avg_pool3d(x, 1)
""")

NORMALIZATION = table("""
x:4,3,5 m_:3 v:3 w:3 b:3 | batch_norm(x, x[0, :, 0], v, w, b), batch_norm(x, x[0, :, 0], v)
x:4,3,5 m_:3 v:3 w:3 b:3 | batch_norm(x, x[0, :, 0], v, w, eps=0.1)
x:4,3 v:3 | batch_norm(x, x[0], v)
x:4,3,5 w:5 b:5 w2:3,5 b2:3,5 | layer_norm(x, (5,), w, b), layer_norm(x, (3, 5), w2, b2)
x:4,3,5 w:5 b:5 w2:3,5 b2:3,5 | layer_norm(x, [5]), layer_norm(x, (5,), w)
x:4,3,5 w:5 w2:3,5 | rms_norm(x, (5,), w), rms_norm(x, (3, 5), w2), rms_norm(x, (5,), eps=0.01)
x:2,6,4,3 w:6 b:6 | group_norm(x, 2, w, b), group_norm(x, 3), group_norm(x, 6, w), group_norm(x, 1, None, b)
x:2,6,4,3 w:6 b:6 v:6 | instance_norm(x), instance_norm(x, weight=w, bias=b), instance_norm(x, b, v, w, b, False)
x:2,6,4 | normalize(x), normalize(x, 1.0, 2), normalize(x, dim=-1)
""")

FUNCTIONS = table("""
x:2,3,5 w:4,5 b:4 | linear(x, w, b), linear(x, w), linear(x[0, 0], w, b)
x:3,4 y:3,5 w:2,4,5 b:2 | bilinear(x, y, w, b)
i:3,4 w:7,5 | embedding(i, w), embedding(i[0], w), embedding(i, w, 2)
x:2,3 | dropout(x, 0.5, False)
q:2,3,4,8 k:2,3,6,8 y:2,3,6,5 | scaled_dot_product_attention(q, k, y)
q:2,3,4,8 k:2,3,6,8 y:2,3,6,5 | scaled_dot_product_attention(q, k, y, scale=0.2)
q:2,3,4,8 k:2,3,6,8 y:2,3,6,5 m:4,6 a:2,1,4,6 | scaled_dot_product_attention(q, k, y, m)
q:2,3,4,8 k:2,3,6,8 y:2,3,6,5 m:4,6 a:2,1,4,6 | scaled_dot_product_attention(q, k, y, a)
q:2,4,6,8 k:2,2,6,8 | scaled_dot_product_attention(q, q, q, is_causal=True)
q:2,4,6,8 k:2,2,6,8 | scaled_dot_product_attention(q, k, k, enable_gqa=True)
i:3,4 | one_hot(i), one_hot(i, 9), one_hot(i[0, 0], 6)
x:2,7,3 | topk(x, 3, 1), topk(x, 2, 0), topk(x, 7, 1, False), topk(x[0], 0)
x:3,6 | topk(x, 2), topk(x, 3, 0), topk(x, 4, 1, False), topk(x[0], 6)
x:2,8,3,4 | pixel_shuffle(x, 2)
x:2,3,4,5 | pad(x, (1, 2)), pad(x, (1, 0, 2, 1), value=1.5), pad(x, (1, 2, 3, 0), "reflect")
x:2,3,4,5 | pad(x, (2, 1, 0, 1), "replicate"), pad(x, (1, 2, 1, 1), "circular")
x:2,3,5 y:2,3,5 | cosine_similarity(x, y), cosine_similarity(x, y, -1)
""")

RESIZING = table("""
x:2,3,4,5 | interpolate(x, 7), interpolate(x, (8, 10))
x:2,3,4,5 | interpolate(x, scale_factor=2), interpolate(x, scale_factor=(1.5, 0.7))
x:2,3,4,5 | interpolate(x, (3, 9), mode="nearest-exact"), interpolate(x, (8, 10), mode="nearest-exact")
x:2,3,4,5 | interpolate(x, (7, 3), mode="bilinear"), interpolate(x, (7, 3), mode="bilinear", align_corners=True)
x:2,3,4,5 | interpolate(x, scale_factor=2, mode="bilinear"), interpolate(x, scale_factor=(1.7, 0.6), mode="bilinear")
x:2,3,4,5 | interpolate(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True)
x:2,3,4,5 | interpolate(x, (1, 1), mode="bilinear", align_corners=True)
x:2,3,4,5 | interpolate(x, (7, 3), mode="bicubic"), interpolate(x, (7, 9), mode="bicubic", align_corners=True)
x:2,3,3,2 | interpolate(x, scale_factor=1.3), interpolate(x, scale_factor=1.3, mode="bilinear")
x:2,3,3 | interpolate(x, scale_factor=1.3), interpolate(x, scale_factor=1.3, mode="linear")
x:2,3,7 | interpolate(x, 4), interpolate(x, 11, mode="linear"), interpolate(x, scale_factor=0.5, mode="linear")
x:1,2,3,4,3 | interpolate(x, (5, 5, 5), mode="trilinear"), interpolate(x, 2), interpolate(x, (2, 3, 5), mode="area")
""")
