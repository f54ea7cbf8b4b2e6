//! Axes: range, ticks and their labels.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::style::LABEL;
use super::svg::{text_width, widest};
use crate::base::units::show_bytes;

/// An axis over a finite range of positive length.
#[derive(Debug, Clone)]
pub struct Scale {
    /// The quantity and its unit.
    pub title: String,
    low: f64,
    high: f64,
    steps: Steps,
    ticks: Vec<(f64, String)>,
}

/// How the values of an axis follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Steps {
    Linear,
    /// In equal steps, with nothing between them.
    Ordinal,
    Logarithmic,
    /// Logarithmic, with the ticks of some [`DIGITS`].
    Decimal,
}

/// The digits of the ticks of a logarithmic axis over few powers of ten, from many ticks to few.
const DIGITS: [&[f64]; 5] = [
    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
    &[1.0, 2.0, 3.0, 5.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 3.0],
    &[1.0],
];

impl Scale {
    fn new(
        [low, high]: [f64; 2],
        steps: Steps,
        ticks: impl IntoIterator<Item = (f64, String)>,
    ) -> Self {
        let ticks = ticks.into_iter().collect();
        Self {
            title: String::new(),
            low,
            high,
            steps,
            ticks,
        }
    }

    /// A linear axis from `low` to `high` with ticks at round values.
    pub fn linear(low: f64, high: f64) -> Self {
        let (low, high) = if low.is_finite() && high.is_finite() && low < high {
            (low, high)
        } else {
            let centre = if low.is_finite() { low } else { 0.0 };
            (centre - 0.5, centre + 0.5)
        };
        let step = round_step((high - low) / 7.5);
        let first = (low / step).ceil();
        let decimals = usize::from(step < 1.0) + usize::from(step < 0.1) + usize::from(step < 0.01);
        let ticks = (0..20)
            .map(|i| (first + f64::from(i)) * step)
            .take_while(|&value| value <= high + step * 1e-9)
            .map(|value| (value, group_digits(&format!("{value:.decimals$}"))));
        Self::new([low, high], Steps::Linear, ticks)
    }

    /// A linear axis that begins and ends a little beyond these values.
    pub fn around(least: f64, most: f64) -> Self {
        let margin = (most - least).max(0.01) * 0.08;
        Self::linear(least - margin, most + margin)
    }

    /// A linear axis of counts: ticks at whole numbers only.
    pub fn counts(low: f64, high: f64) -> Self {
        let mut scale = Self::linear(low, high);
        scale
            .ticks
            .retain(|(value, _)| (value - value.round()).abs() < 1e-9);
        scale.relabelled(|value| group_digits(&format!("{value:.0}")))
    }

    /// A linear axis of message sizes: ticks at round numbers of one unit.
    pub fn bytes(low: f64, high: f64) -> Self {
        const UNITS: [(&str, f64); 4] = [
            ("TiB", 1_099_511_627_776.0),
            ("GiB", 1_073_741_824.0),
            ("MiB", 1_048_576.0),
            ("KiB", 1024.0),
        ];
        let (unit, size) = UNITS
            .into_iter()
            .find(|(_, size)| high >= 2.0 * size)
            .unwrap_or(("B", 1.0));
        let scale = if size > 1.0 {
            Self::linear(low / size, high / size)
        } else {
            Self::counts(low, high)
        };
        let ticks = scale
            .ticks
            .into_iter()
            .map(|(value, label)| (value * size, format!("{label} {unit}")));
        let ends = [scale.low, scale.high].map(|end| end * size);
        Self::new(ends, Steps::Linear, ticks)
    }

    /// An axis of these values in equal steps, with nothing between them: value `i` is drawn from `i - 1/2` to `i + 1/2`.
    pub fn ordinal(labels: Vec<String>) -> Self {
        let ends = [-0.5, labels.len().max(1) as f64 - 0.5];
        Self::new(ends, Steps::Ordinal, (0..).map(f64::from).zip(labels))
    }

    /// A logarithmic axis with ticks at powers of ten; over less than six of them also at their threes, over less than three at
    /// doubles and fives, over little more than one at further ones, and over still less at those of a linear axis.
    pub fn log10(low: f64, high: f64) -> Self {
        let scale = Self::logarithmic(low, high, 10.0, 1);
        let decades = (scale.high / scale.low).log10();
        if decades >= 6.0 || scale.low < 0.001 || scale.high > 1e12 {
            return scale;
        }
        if decades < 0.7 {
            let ticks = Self::linear(scale.low, scale.high).ticks;
            return scale.with_ticks(ticks);
        }
        Self {
            steps: Steps::Decimal,
            ..scale
                .with_digits(DIGITS[2 * usize::from(decades > 1.2) + usize::from(decades >= 3.0)])
        }
    }

    /// A logarithmic axis with ticks at these digits times the powers of ten.
    fn with_digits(&self, digits: &[f64]) -> Self {
        let ticks = (-3..12)
            .flat_map(|exponent| digits.iter().map(move |digit| (exponent, digit)))
            .map(|(exponent, digit)| {
                if exponent < 0 {
                    digit / 10f64.powi(-exponent)
                } else {
                    digit * 10f64.powi(exponent)
                }
            });
        let ticks = ticks
            .filter(|tick| (self.low..=self.high).contains(tick))
            .map(|tick| (tick, group_digits(&tick.to_string())));
        self.clone().with_ticks(ticks)
    }

    /// A logarithmic axis with ticks at powers of two.
    pub fn log2(low: f64, high: f64) -> Self {
        let octaves = (high / low).log2();
        let stride = 1 << (i32::from(octaves > 7.0) + i32::from(octaves > 14.0));
        Self::logarithmic(low, high, 2.0, stride)
    }

    /// A logarithmic axis of message sizes with ticks at powers of two.
    pub fn log_bytes(low: f64, high: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a tick at a whole number of bytes"
        )]
        let label = |bytes: f64| show_bytes(bytes as u64);
        Self::log2(low, high).relabelled(label)
    }

    /// An axis of whole numbers or of message sizes, logarithmic or linear.
    pub fn whole([low, high]: [f64; 2], is_log: bool, is_bytes: bool) -> Self {
        let new = match (is_log, is_bytes) {
            (true, true) => Self::log_bytes,
            (true, false) => Self::log2,
            (false, true) => Self::bytes,
            (false, false) => Self::counts,
        };
        new(low, high)
    }

    fn logarithmic(low: f64, high: f64, base: f64, stride: i32) -> Self {
        let (low, high) = if low.is_finite() && high.is_finite() && 0.0 < low && low < high {
            (low, high)
        } else {
            let centre = if low.is_finite() && low > 0.0 {
                low
            } else {
                1.0
            };
            (centre / base, centre * base)
        };
        let ticks = (-20..=64)
            .step_by(usize::try_from(stride).unwrap_or(1))
            .map(|exponent| (base.powi(exponent), exponent))
            .filter(|&(value, _)| low * (1.0 - 1e-9) <= value && value <= high * (1.0 + 1e-9))
            .map(|(value, exponent)| (value, power(value, base, exponent)));
        Self::new([low, high], Steps::Logarithmic, ticks)
    }

    /// Replaces the ticks by these values and labels.
    pub fn with_ticks(mut self, ticks: impl IntoIterator<Item = (f64, String)>) -> Self {
        self.ticks = ticks.into_iter().collect();
        self
    }

    /// Gives the axis a title: the quantity and its unit.
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Labels the ticks of this scale anew.
    fn relabelled(mut self, label: impl Fn(f64) -> String) -> Self {
        self.ticks
            .iter_mut()
            .for_each(|(value, text)| *text = label(*value));
        self
    }

    /// The ticks whose labels stay apart on an axis of `length` pixels, where each label needs `room`: all; or those of
    /// fewer digits; or the first, and each that is far enough from the one before.
    pub fn thinned(&self, length: f64, room: f64) -> Self {
        DIGITS
            .iter()
            .filter(|_| self.steps == Steps::Decimal)
            .map(|digits| self.with_digits(digits))
            .skip_while(|scale| scale.ticks() > self.ticks())
            .find(|scale| scale.ticks() > 1 && scale.apart(length, room).ticks() == scale.ticks())
            .unwrap_or_else(|| self.apart(length, room).trimmed())
    }

    /// Without decimals that are 0 in all labels.
    fn trimmed(mut self) -> Self {
        while !self.ticks.is_empty()
            && self
                .ticks
                .iter()
                .all(|(_, label)| label.contains('.') && label.ends_with('0'))
        {
            for (_, label) in &mut self.ticks {
                label.pop();
                label.truncate(label.trim_end_matches('.').len());
            }
        }
        self
    }

    fn apart(&self, length: f64, room: f64) -> Self {
        let mut last = f64::NEG_INFINITY;
        let mut scale = self.clone();
        scale.ticks.retain(|(value, _)| {
            let at = self.share(*value) * length;
            let is_apart = at - last >= room;
            last = if is_apart { at } else { last };
            is_apart
        });
        scale
    }

    /// The ticks whose labels end at most `beyond` pixels behind an axis of `length` pixels.
    pub fn within(mut self, length: f64, beyond: f64) -> Self {
        let axis = self.clone();
        self.ticks.retain(|(value, label)| {
            axis.share(*value) * length + text_width(label, LABEL) / 2.0 <= length + beyond
        });
        self
    }

    /// Whether a value lies on the axis, up to a rounding error.
    pub fn holds(&self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.share(value))
    }

    /// The width of the widest label.
    pub fn labels_wide(&self) -> f64 {
        widest(self.labels().map(|(_, label)| label), LABEL)
    }

    /// A value in the middle.
    #[cfg(test)]
    pub fn middle(&self) -> f64 {
        if self.is_log() {
            (self.low * self.high).sqrt()
        } else {
            f64::midpoint(self.low, self.high)
        }
    }

    /// The number of values of an ordinal axis; none of another axis.
    pub fn values(&self) -> Option<usize> {
        (self.steps == Steps::Ordinal).then(|| self.ticks())
    }

    /// The rows in which the labels of all values of an ordinal axis of `length` pixels stay apart; 1 where three are too few.
    pub fn label_rows(&self, length: f64) -> usize {
        let room = (self.labels_wide() + 6.0) / length;
        let is_apart = |rows: &usize| {
            let values = self.values();
            values.is_none_or(|values| *rows as f64 >= room * values as f64)
        };
        (1..=3).find(is_apart).unwrap_or(1)
    }

    /// The ticks with their labels.
    pub fn labels(&self) -> impl Iterator<Item = (f64, &str)> {
        let ticks = self.ticks.iter();
        ticks.map(|(value, label)| (*value, label.as_str()))
    }

    /// The number of ticks.
    pub fn ticks(&self) -> usize {
        self.ticks.len()
    }

    fn is_log(&self) -> bool {
        matches!(self.steps, Steps::Logarithmic | Steps::Decimal)
    }

    /// The position of a value between the ends, 0 to 1.
    fn share(&self, value: f64) -> f64 {
        if self.is_log() {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `step`.
fn round_step(step: f64) -> f64 {
    let magnitude = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * magnitude)
        .find(|&round| round >= step * 0.999)
        .unwrap_or(step)
}

/// A power, exactly: its digits, or base and exponent if there are many.
fn power(value: f64, base: f64, exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if (0.001..1e12).contains(&value) {
        return group_digits(&value.to_string());
    }
    let raised = |sign: char| {
        sign.to_digit(10)
            .and_then(|digit| RAISED.get(digit as usize))
            .copied()
            .unwrap_or('⁻')
    };
    format!(
        "{base}{}",
        exponent.to_string().chars().map(raised).collect::<String>()
    )
}

/// Digits in groups of three, as in 10,000.5.
pub(crate) fn group_digits(number: &str) -> String {
    let (whole, fraction) = number
        .split_once('.')
        .map_or((number, None), |(whole, fraction)| (whole, Some(fraction)));
    let (sign, digits) = whole
        .strip_prefix('-')
        .map_or(("", whole), |digits| ("-", digits));
    let grouped = crate::base::units::group(digits);
    fraction.map_or(format!("{sign}{grouped}"), |fraction| {
        format!("{sign}{grouped}.{fraction}")
    })
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let unrounded = f64::from(limit.0) + self.share(*value) * f64::from(limit.1 - limit.0);
        // Values are checked to lie on the axis.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a pixel; the conversion saturates"
        )]
        let pixel = unrounded.round() as i32;
        pixel
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|tick| tick.0).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        let found = self
            .ticks
            .iter()
            .find(|(tick, _)| tick.total_cmp(value).is_eq());
        found.map_or_else(|| value.to_string(), |(_, label)| label.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<&str> {
        scale
            .ticks
            .iter()
            .map(|(_, label)| label.as_str())
            .collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            labels(&Scale::linear(0.0, 350.0)),
            ["0", "50", "100", "150", "200", "250", "300", "350"]
        );
        assert_eq!(
            labels(&Scale::linear(0.9, 1.6)),
            ["0.9", "1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"]
        );
        assert_eq!(
            labels(&Scale::linear(0.0, 60_000.0)),
            [
                "0", "10,000", "20,000", "30,000", "40,000", "50,000", "60,000"
            ]
        );
        assert_eq!(
            labels(&Scale::log10(1.0, 100_000.0)),
            [
                "1", "3", "10", "30", "100", "300", "1,000", "3,000", "10,000", "30,000", "100,000"
            ]
        );
        assert_eq!(labels(&Scale::log2(2.0, 16.0)), ["2", "4", "8", "16"]);
        let costs = Scale::log10(150.0, 9000.0);
        assert_eq!(labels(&costs), ["200", "500", "1,000", "2,000", "5,000"]);
        assert_eq!(labels(&costs.thinned(100.0, 16.0)), labels(&costs));
        assert_eq!(
            labels(&costs.thinned(60.0, 16.0)),
            ["300", "1,000", "3,000"]
        );
        let costs = Scale::log10(15.0, 2000.0);
        assert_eq!(labels(&costs.thinned(40.0, 16.0)), ["100", "1,000"]);
        let near = Scale::log10(0.7, 4.2);
        assert_eq!(labels(&near), ["0.7", "1", "1.5", "2", "3"]);
        assert_eq!(labels(&near.thinned(80.0, 16.0)), ["1", "2", "3"]);
        assert_eq!(labels(&near.thinned(60.0, 16.0)), ["1", "2"]);
        assert_eq!(
            labels(&Scale::log10(0.9, 1.25)),
            [
                "0.90", "0.95", "1.00", "1.05", "1.10", "1.15", "1.20", "1.25"
            ]
        );
    }

    #[test]
    fn powers_are_written_exactly() {
        assert_eq!(
            labels(&Scale::log2(8e6, 4e7)),
            ["8,388,608", "16,777,216", "33,554,432"]
        );
        assert_eq!(
            labels(&Scale::log10(1e11, 1e13)),
            ["100,000,000,000", "10¹²", "10¹³"]
        );
        assert_eq!(
            labels(&Scale::log2(2f64.powi(-11), 2f64.powi(-9))),
            ["2⁻¹¹", "2⁻¹⁰", "0.001953125"]
        );
    }

    #[test]
    fn sizes_of_a_linear_axis_have_one_unit() {
        assert_eq!(
            labels(&Scale::bytes(0.0, 4_194_304.0)),
            ["0 MiB", "1 MiB", "2 MiB", "3 MiB", "4 MiB"]
        );
        assert_eq!(labels(&Scale::bytes(0.0, 1.2)), ["0 B", "1 B"]);
    }

    #[test]
    fn labels_of_ticks_stay_apart() {
        let values =
            [2u32, 4, 8, 16, 1024, 4096].map(|value| (f64::from(value), value.to_string()));
        let scale = Scale::linear(-400.0, 4500.0).with_ticks(values);
        assert_eq!(labels(&scale.thinned(600.0, 40.0)), ["2", "1024", "4096"]);
        let ranks = Scale::ordinal((2..129).map(|rank| rank.to_string()).collect());
        assert_eq!(labels(&ranks.thinned(1270.0, 16.0))[..3], ["2", "4", "6"]);
    }

    #[test]
    fn labels_of_few_ticks_have_no_needless_zeros() {
        let ratios = Scale::around(0.998, 1.03);
        assert_eq!(labels(&ratios)[..2], ["1.000", "1.005"]);
        assert_eq!(
            labels(&ratios.thinned(80.0, 16.0)),
            ["1.00", "1.01", "1.02", "1.03"]
        );
    }

    /// All values of a narrow axis have labels, in as many rows as these need.
    #[test]
    fn labels_of_ordinal_values_have_rows() {
        let ranks = Scale::ordinal((2..26).map(|rank| rank.to_string()).collect());
        let rows = [700.0, 500.0, 300.0, 100.0].map(|length| ranks.label_rows(length));
        assert_eq!(rows, [1, 2, 2, 1]);
        assert_eq!(Scale::linear(0.0, 9.0).label_rows(10.0), 1);
    }

    #[test]
    fn counts_have_whole_ticks() {
        assert_eq!(labels(&Scale::counts(0.0, 1.0)), ["0", "1"]);
        assert_eq!(labels(&Scale::counts(0.0, 3.12)), ["0", "1", "2", "3"]);
        assert_eq!(
            labels(&Scale::counts(0.0, 2000.0)),
            ["0", "500", "1,000", "1,500", "2,000"]
        );
    }

    #[test]
    fn ends_map_to_ends() {
        for scale in [Scale::linear(-3.0, 9.0), Scale::log10(0.01, 30.0)] {
            let range = scale.range();
            assert_eq!(scale.map(&range.start, (500, 100)), 500);
            assert_eq!(scale.map(&range.end, (500, 100)), 100);
        }
    }
}
