# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.swap: which modules are norms, and that a swapped model has rms_norm's bits."""
import copy
import pickle

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")


class LlamaRMSNorm(torch.nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.weight, self.variance_epsilon = torch.nn.Parameter(torch.rand(n)), eps

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return self.weight * wide.to(x.dtype)


class GemmaRMSNorm(torch.nn.Module):
    def __init__(self, n, eps=1e-6):
        super().__init__()
        self.weight, self.eps = torch.nn.Parameter(torch.rand(n) / 8), eps

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return (wide * (1 + self.weight.float())).type_as(x)


class GatedRMSNorm(LlamaRMSNorm):
    def forward(self, x, gate):
        return super().forward(x) * torch.sigmoid(gate)


class CenteredRMSNorm(LlamaRMSNorm):
    def forward(self, x):
        return super().forward(x - x.mean(-1, keepdim=True))


def same_bits(a, b):
    return a.dtype == b.dtype and torch.equal(a.view(torch.uint8), b.view(torch.uint8))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_norms_are_replaced_and_others_stay(dtype):
    model = torch.nn.ModuleDict({
        "llama": LlamaRMSNorm(24), "gemma": GemmaRMSNorm(24), "torch": torch.nn.RMSNorm(24),
        "bare": torch.nn.RMSNorm(24, elementwise_affine=False),
        "planes": torch.nn.RMSNorm([3, 8]), "layer": torch.nn.LayerNorm(24),
        "gated": GatedRMSNorm(24), "centered": CenteredRMSNorm(24)}).to(dtype)
    before = copy.deepcopy(model)
    assert ft.swap(model) == ["llama", "gemma", "torch"]
    assert ft.swap(model) == []
    assert list(model.state_dict()) == list(before.state_dict())
    x = torch.randn(5, 24, generator=torch.Generator().manual_seed(1)).to(dtype)
    weight = {"llama": before["llama"].weight, "gemma": 1 + before["gemma"].weight.float(),
              "torch": before["torch"].weight}
    for name, eps in (("llama", 1e-5), ("gemma", 1e-6), ("torch", None)):
        for module in (model[name], copy.deepcopy(model)[name],
                       pickle.loads(pickle.dumps(model[name]))):
            assert same_bits(module(x), ft.rms_norm(x, 24, weight[name], eps)), name
        torch.testing.assert_close(model[name](x), before[name](x), rtol=1e-2, atol=0)
        model[name](x).float().sum().backward()
        assert model[name].weight.grad.dtype == dtype


def test_a_model_of_transformers_has_its_losses_and_gradients():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(2)
    config = transformers.LlamaConfig(
        vocab_size=90, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1)
    model = transformers.LlamaForCausalLM(config)
    own = copy.deepcopy(model)
    assert len(ft.swap(own)) == 6 and own.loss_function is ft.causal_lm_loss
    ids = torch.randint(0, 90, (3, 17))
    labels = torch.where(torch.rand(3, 17) < .2, -100, ids)
    for more in ({}, {"num_items_in_batch": torch.tensor(40)}):
        losses = [one(input_ids=ids, labels=labels, **more).loss for one in (model, own)]
        assert losses[0].dtype == losses[1].dtype
        torch.testing.assert_close(*losses)
    for loss in losses:
        loss.backward()
    for a, b in zip(model.parameters(), own.parameters()):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-6)
