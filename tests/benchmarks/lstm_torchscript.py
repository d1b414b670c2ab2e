"""The LSTM sample's loop in PyTorch, to be compiled by TorchScript (which wants real annotations)."""

import torch
from torch import Tensor


def loop(input_weights: Tensor, hidden_weights: Tensor, bias: Tensor, xs: Tensor) -> Tensor:
    """The hidden state after each element of `xs`."""
    n = hidden_weights.shape[0]
    h = torch.zeros(n)
    c = torch.zeros(n)
    states = torch.zeros(xs.shape[0], n)
    for t in range(xs.shape[0]):
        gates = xs[t] @ input_weights + h @ hidden_weights + bias
        c = torch.sigmoid(gates[n : 2 * n]) * c + torch.sigmoid(gates[:n]) * torch.tanh(gates[2 * n : 3 * n])
        h = torch.sigmoid(gates[3 * n :]) * torch.tanh(c)
        states[t] = h
    return states
