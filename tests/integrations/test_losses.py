"""Numbers of a training loop that are no numbers, or run away."""

from __future__ import annotations

import math
import random

import pytest

from logsense.integrations.callbacks.losses import Losses, number_of

NAN = math.nan


def test_a_nan_loss_is_reported_once_with_the_last_finite_one() -> None:
    losses = Losses()
    told = [losses.add_loss(value, step) for step, value in enumerate([2.5, 2.25, NAN, math.inf, 2.0, NAN])]
    assert [one is not None for one in told] == [False, False, True, False, False, False]
    assert told[2]
    assert told[2].says.startswith("The loss is NaN at step 2; the last finite one was 2.25 at step 1.")
    assert (told[2].kind, told[2].step) == ("loss", 2)


def test_without_step_numbers() -> None:
    told = Losses().add_loss(math.inf, None)
    assert told
    assert told.says.startswith("The loss is infinite. ")


@pytest.mark.parametrize(("patience", "told_at"), [(1, 3), (5, 7)])
def test_gradients_may_overflow_for_a_while_in_half_precision(patience: int, told_at: int) -> None:
    losses = Losses(patience)
    values = [1.0, 2.0, 1.5, *([NAN] * 7)]
    told = [step for step, value in enumerate(values) if losses.add_number("grad_norm", value, step)]
    assert told == [told_at]


def test_a_finite_gradient_resets_the_count() -> None:
    losses = Losses(patience=2)
    assert not any(losses.add_number("grad_norm", value, 1) for value in [NAN, 1.0] * 20)


def _curve(steps: int, diverges_from: int | None = None, seed: int = 1) -> list[float]:
    noise = random.Random(seed)
    values = []
    for step in range(steps):
        level = 0.5 + 9.5 * math.exp(-step / 200)
        if diverges_from and step > diverges_from:
            level *= math.exp((step - diverges_from) / 30)
        values.append(level * noise.uniform(0.6, 1.6))
    return values


def test_a_diverging_loss_is_reported_before_it_is_infinite() -> None:
    losses = Losses()
    values = _curve(2000, diverges_from=1000)
    told = [(step, one) for step, value in enumerate(values) if (one := losses.add_loss(value, step))]
    first_step, first = told[0]
    assert "diverges" in first.says
    assert 1000 < first_step < 1200
    assert math.isfinite(values[first_step])


@pytest.mark.parametrize("seed", range(20))
def test_noise_and_a_falling_loss_are_fine(seed: int) -> None:
    losses = Losses()
    assert not any(losses.add_loss(value, step) for step, value in enumerate(_curve(1500, seed=seed)))


def test_a_tiny_noisy_loss_and_a_negative_one_are_fine() -> None:
    noise = random.Random(3)
    tiny, negative = Losses(), Losses()
    for step in range(1000):
        assert not tiny.add_loss(math.exp(-step / 50) + 1e-6 * 10 ** noise.uniform(0, 2), step)
        assert not negative.add_loss(-5.0 + noise.gauss(0, 10), step)


def test_what_is_kept_for_an_explanation_holds_the_last_finite_steps() -> None:
    losses = Losses()
    for step in range(500):
        losses.add_loss(NAN if step >= 100 else 1.0, step)
    assert losses.recent[-1][0] == 100
    assert losses.recent[-2] == (99, "loss", 1.0)


def test_numbers() -> None:
    class Tensor:
        def __float__(self) -> float:
            return 0.5

    class Broken:
        def __float__(self) -> float:
            raise RuntimeError("CUDA error: device-side assert triggered")

    assert [number_of(one) for one in (1, 0.25, Tensor(), "3.5")] == [1.0, 0.25, 0.5, 3.5]
    assert [number_of(one) for one in (None, [1, 2], Broken(), True, "x")] == [None] * 5
