"""Laws of the limits of weighted means, by moments worked out another way."""

import numpy as np
import pytest

from baserate.formulas.proportions import between, clopper_pearson
from baserate.formulas.weighted_means import Law, Rows, Sides, Sums, equal_sides, laws


def rows(weight):
    weight = np.asarray(weight, float)
    return Rows(weight.sum(), np.sum(weight**2), weight.max(initial=0.0), float(len(weight)))


@pytest.mark.parametrize(("above", "below"), [(3, 7), (0, 5), (5, 0), (1, 1), (400, 90_000)])
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_rows_of_one_weight_have_clopper_and_pearson_s_laws(above, below, weight):
    sides = Sides(*(Rows(n * weight, n * weight**2, weight * (n > 0), n) for n in (above, below)))
    lower, upper = sides.laws
    assert lower == pytest.approx((above, below + 1) if above else (0, 1))
    assert upper == pytest.approx((above + 1, below) if below else (1, 0))
    wanted = clopper_pearson(above, above + below, 0.9)
    assert np.array(between(lower, upper, 0.9)) == pytest.approx(np.array(wanted), rel=1e-9)
    assert sides.effective_size == pytest.approx(above + below)
    assert sides.uneven == pytest.approx(1)


def test_a_law_has_the_mean_and_the_variance_of_the_mean():
    rng = np.random.default_rng(0)
    weight, value = rng.exponential(size=40), rng.random(40)
    sums = Sums(
        *(float(np.sum(x)) for x in (weight, weight**2, weight * value, weight**2 * value, (weight * value) ** 2))
    )
    lower, upper = laws(sums, 2.0, 3.0)
    for law, end, more in ((lower, 0.0, 2.0), (upper, 1.0, 3.0)):
        w, x = np.append(weight, more), np.append(value, end)
        mean = np.average(x, weights=w)
        variance = np.sum(w**2 * (x - mean) ** 2) / w.sum() ** 2
        size = law.a + law.b
        assert law.a / size == pytest.approx(mean)
        assert mean * (1 - mean) / size == pytest.approx(variance)


def test_certainty_is_a_law_without_a_parameter():
    assert Sums(5.0, 5.0, 0.0, 0.0, 0.0).law == Law(0.0, 1.0)
    assert Sums(5.0, 5.0, 5.0, 5.0, 5.0).law == Law(1.0, 0.0)
    assert np.array(between(Law(1.0, 0.0), Law(1.0, 0.0), 0.9)).tolist() == [1, 1]
    assert np.array(between(Law(0.0, 1.0), Law(0.0, 1.0), 0.9)).tolist() == [0, 0]


def test_one_more_row_may_weigh_as_much_as_the_heaviest_on_its_side():
    heavy_above = Sides(rows([1, 9]), rows([1, 1, 1]))
    assert heavy_above.one_more(heavy_above.above) == 9
    assert heavy_above.one_more(heavy_above.below) == pytest.approx(85 / 13)  # as a row of the class does
    none_above = Sides(rows([]), rows([1, 2, 4]))
    assert none_above.one_more(none_above.above) == 4
    assert none_above.effective_size == pytest.approx(7 / 4)


def test_rows_are_worth_no_more_than_kish_says():
    light_above = Sides(rows(np.full(20, 0.01)), rows(np.full(50, 1.0)))
    assert light_above.effective_size == pytest.approx(light_above.all.worth)
    heavy_above = Sides(rows([5.0, 5.0]), rows(np.full(90, 1.0)))
    share = 0.1
    spread = 2 * 25 * (1 - share) ** 2 + 90 * share**2
    assert heavy_above.effective_size == pytest.approx(share * (1 - share) * 100**2 / spread)
    assert heavy_above.fewest == 2
    assert equal_sides(3, 4) == Sides(rows([1] * 3), rows([1] * 4))
