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
    assert ft.swap(model) == ["llama", "gemma", "torch", "layer"]
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


class DoubledLayerNorm(torch.nn.LayerNorm):
    def forward(self, x):
        return 2 * super().forward(x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_layer_norms_are_replaced_but_not_their_subclasses(dtype):
    model = torch.nn.ModuleDict({
        "full": torch.nn.LayerNorm(24, eps=1e-3), "bare": torch.nn.LayerNorm(
            24, elementwise_affine=False), "biasless": torch.nn.LayerNorm(24, bias=False),
        "planes": torch.nn.LayerNorm([3, 8]), "doubled": DoubledLayerNorm(24)}).to(dtype)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    before = copy.deepcopy(model)
    assert ft.swap(model) == ["full", "bare", "biasless", "planes"]
    assert ft.swap(model) == [] and str(model) == str(before)
    assert list(model.state_dict()) == list(before.state_dict())
    x = torch.randn(5, 3, 24, generator=generator).to(dtype)
    for name in model:
        given = x.reshape(5, 3, 3, 8) if name == "planes" else x
        modules = [one[name] for one in (model, copy.deepcopy(model), before)]
        modules.append(pickle.loads(pickle.dumps(model[name])))
        y, *copies = (module(given) for module in modules)
        assert all(same_bits(y, copies[i]) for i in (0, 2))
        torch.testing.assert_close(y, copies[1], rtol=2e-2, atol=2e-2)
        if name != "doubled":
            norm = before[name]
            assert same_bits(y, ft.layer_norm(given, norm.normalized_shape, norm.weight, norm.bias,
                                              norm.eps)), name
        if y.requires_grad:
            for one in (y, copies[1]):
                one.float().square().sum().backward()
            for a, b in zip(model[name].parameters(), before[name].parameters()):
                torch.testing.assert_close(a.grad, b.grad, rtol=5e-2, atol=1e-1)


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
