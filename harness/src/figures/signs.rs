//! The signs of a map of algorithms: a letter beside the colour, so that a reader needs no colours.

use super::looks::look_of;
use crate::chart::style::{Look, Marker};
use crate::units::together;

/// The looks of the cells of a map: of an algorithm that is cheapest alone, a colour and a letter; of several that cost
/// the same, grey and a number.
pub struct Signs<'a> {
    /// Algorithms in the order of their letters.
    algorithms: Vec<(&'a str, Look)>,
    /// Sets of algorithms in the order of their numbers.
    ties: Vec<Vec<&'a str>>,
}

impl<'a> Signs<'a> {
    /// The signs for these sets of cheapest algorithms. `order` has the algorithms in the order of the legend.
    pub fn new(order: impl IntoIterator<Item = &'a str>, sets: &[Vec<&'a str>]) -> Self {
        let mut algorithms: Vec<(&str, Look)> = Vec::new();
        let named = order
            .into_iter()
            .filter(|name| sets.iter().any(|set| set.contains(name)));
        for (name, letter) in named.zip(('A'..='Z').chain('a'..='z')) {
            // Most colours of a map have a neighbour of any other, so each is given once; then the letter has to do.
            let is_free = |look: &Look| {
                algorithms
                    .iter()
                    .all(|(_, other)| other.colour != look.colour)
            };
            let look = std::iter::once(look_of(name))
                .chain(Look::ALL)
                .find(is_free)
                .unwrap_or(Look::OTHER);
            algorithms.push((
                name,
                Look {
                    marker: Marker::Letter(letter),
                    ..look
                },
            ));
        }
        let ties = together(
            sets.iter()
                .filter(|set| set.len() > 1)
                .map(|set| (set.clone(), ())),
        );
        let ties = ties.into_iter().map(|(set, _)| set).collect();
        Self { algorithms, ties }
    }

    /// The look of a cell where these algorithms are cheapest.
    pub fn look(&self, set: &[&str]) -> Look {
        match set {
            [name] => self
                .algorithms
                .iter()
                .find(|(own, _)| own == name)
                .map_or(Look::OTHER, |(_, look)| *look),
            _ => self.tie(
                self.ties
                    .iter()
                    .position(|own| own == set)
                    .unwrap_or_default(),
            ),
        }
    }

    fn tie(&self, index: usize) -> Look {
        Look {
            marker: Marker::Number(index + 1),
            ..Look::NEUTRAL
        }
    }

    /// What each sign means; `short` is the name that a legend shows.
    pub fn legend(&self, short: impl Fn(&str) -> String) -> Vec<(String, Look)> {
        let letters = self
            .algorithms
            .iter()
            .map(|(name, look)| (short(name), *look));
        let equal = |set: &Vec<&str>| {
            let members = self
                .algorithms
                .iter()
                .filter(|(name, _)| set.contains(name));
            members
                .map(|(_, look)| look.sign())
                .collect::<Vec<_>>()
                .join(" = ")
        };
        let ties = self
            .ties
            .iter()
            .enumerate()
            .map(|(index, set)| (equal(set), self.tie(index)));
        letters.chain(ties).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_a_sign_that_the_legend_names() {
        let sets = [
            vec!["flat"],
            vec!["halving", "chain"],
            vec!["chain"],
            vec!["halving", "chain"],
        ];
        let signs = Signs::new(["halving", "fibonacci", "flat", "chain"], &sets);
        let legend = signs.legend(str::to_owned);
        let texts: Vec<String> = legend
            .iter()
            .map(|(name, look)| format!("{}: {name}", look.sign()))
            .collect();
        assert_eq!(texts, ["A: halving", "B: flat", "C: chain", "1: A = C"]);
        for set in &sets {
            assert!(
                legend.iter().any(|(_, look)| *look == signs.look(set)),
                "{set:?}"
            );
        }
        for (number, (_, look)) in legend.iter().enumerate() {
            assert!(
                legend[..number]
                    .iter()
                    .all(|(_, other)| other.sign() != look.sign()),
                "{look:?}"
            );
        }
    }
}
