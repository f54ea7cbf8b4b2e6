//! The grid of a claim: the product of its axes, point by point in one order.

use super::axis::Axis;
use super::claim::{Claim, Repeat};
use crate::catalogue;

impl Claim {
    /// The number of points, including those about which the claim says nothing.
    #[must_use]
    pub fn grid_points(&self) -> u64 {
        self.axes.iter().map(|axis| axis.values.count()).product()
    }

    /// The grid as text: `L = 1..16, K = 1..400`.
    #[must_use]
    pub fn grid(&self) -> String {
        self.axes
            .iter()
            .map(Axis::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// The values of the axes at a point, by its number from 0.
    pub(super) fn values(&self, mut number: u64) -> Vec<u64> {
        let mut values = vec![0; self.axes.len()];
        for (value, axis) in values.iter_mut().zip(&self.axes).rev() {
            let count = axis.values.count();
            *value = axis.values.value(number % count);
            number /= count;
        }
        values
    }

    /// A point as text: `L = 6, K = 2`.
    pub(super) fn point(&self, values: &[u64]) -> String {
        let one = |(axis, value): (&Axis, &u64)| format!("{} = {value}", axis.symbol);
        self.axes
            .iter()
            .zip(values)
            .map(one)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The arguments of `castbench` that show this point.
    #[must_use]
    pub fn command(&self, values: &[u64]) -> Option<String> {
        let prefix = match &self.repeat {
            Repeat::No => return None,
            Repeat::Line(line) => return Some(line(values)),
            Repeat::Options(prefix) => prefix,
        };
        let axes = |word| catalogue::find(word).map(|entry| entry.axes());
        let axes =
            |word| axes(word).or_else(|| catalogue::problem(word).map(|problem| problem.axes()));
        let axes = prefix.split(' ').find_map(axes).unwrap_or_default();
        let option = |symbol: &str| match axes.iter().find(|axis| axis.key == symbol) {
            Some(axis) => axis
                .short
                .map_or_else(|| axis.option(), |short| format!("-{short}")),
            None => format!("-{symbol}"),
        };
        let mut command = prefix.to_string();
        for (axis, value) in self.axes.iter().zip(values) {
            command += &match axis.symbol {
                "w" => format!(" --mesh {value}"),
                "h" => format!("x{value}"),
                symbol => format!(" {} {value}", option(symbol)),
            };
        }
        Some(command)
    }
}
