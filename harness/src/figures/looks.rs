//! The colour and marker of each algorithm.

use algorithms::catalogue::entries;

use crate::chart::style::{Look, Marker};

/// The look of an algorithm in every figure. An unlisted one takes the first look that is free in its problem.
pub fn look_of(algorithm: &str) -> Look {
    let Some(entry) = entries().iter().find(|entry| entry.name == algorithm) else { return Look::OTHER };
    let relatives = || entries().iter().filter(|other| other.problem() == entry.problem()).map(|other| other.name);
    let left = Look::ALL.into_iter().filter(|look| relatives().all(|name| listed_look(name) != Some(*look)));
    let unlisted = relatives().filter(|name| listed_look(name).is_none());
    let derived = || unlisted.zip(left).find(|(name, _)| *name == algorithm).map(|(_, look)| look);
    listed_look(algorithm).or_else(derived).unwrap_or(Look::OTHER)
}

/// Chosen looks: related algorithms of different problems look alike.
fn listed_look(algorithm: &str) -> Option<Look> {
    let related = ["worm-", "segmented-"].into_iter().find_map(|prefix| algorithm.strip_prefix(prefix));
    Some(match related.unwrap_or(algorithm) {
        _ if algorithm == "segmented-optimal" => Look::SEVENTH,
        "halving" | "unicast" | "summation-paper" | "gossip-two-phase" | "k-tree" => Look::FIRST,
        "fibonacci" | "dual-path" | "summation-optimal" | "gossip-coupled" | "k-tree-packed" => Look::SECOND,
        "flat" | "broadcast" | "u-mesh" | "repeated" | "gossip-optimal" => Look::THIRD,
        "chain" | "pipelined-chain" | "multi-path" => Look::FOURTH,
        "circulant" | "fixed-path" | "binary" => Look::FIFTH,
        "hypercube" | "column-path" | "binomial" => Look::SIXTH,
        "opt-tree" => Look::SEVENTH,
        "k-nomial-4" | "hypercube-balanced" => Look::EIGHTH,
        "k-nomial-8" | "split-binary" => Look::NINTH,
        "halving-floor" | "hypercube-grouped" | "scatter-ring" => Look::TENTH,
        "scatter-doubling" => Look::ELEVENTH,
        "xy-tree" => Look::TWELFTH,
        "bmtree" => Look::THIRTEENTH,
        "optimal" | "steiner" => Look::REFERENCE,
        _ => return None,
    })
}

/// Looks given out in one figure, no two alike.
#[derive(Default)]
pub struct Looks {
    given: Vec<(String, Look)>,
}

impl Looks {
    /// Most series that one figure tells apart.
    pub const MOST: usize = 28;

    /// The look of a series: its earlier one, the preferred one, or the next free one, if any.
    pub fn of(&mut self, series: &str, preferred: Option<Look>) -> Option<Look> {
        if let Some((_, look)) = self.given.iter().find(|(name, _)| name == series) {
            return Some(*look);
        }
        let look = preferred.filter(|look| self.is_free(*look));
        let look = look.or_else(|| all().find(|look| self.is_free(*look)))?;
        self.given.push((series.to_owned(), look));
        Some(look)
    }

    /// The look of a bound: grey if an algorithm already has the look of references.
    pub fn reference(&mut self, series: &str) -> Look {
        let preferred = if self.is_free(Look::REFERENCE) { Look::REFERENCE } else { Look::OTHER };
        self.of(series, Some(preferred)).unwrap_or(Look::OTHER)
    }

    /// A look in the colour of another: a cross, or another marker if that look is taken.
    pub fn beside(&mut self, series: &str, colour: Look) -> Look {
        let markers = [Marker::Cross, Marker::Ring, Marker::Square, Marker::Triangle, Marker::Circle];
        let looks = markers.map(|marker| Look { marker, ..colour });
        let preferred = looks.into_iter().find(|look| *look != colour && self.is_free(*look));
        self.of(series, preferred).unwrap_or(Look::OTHER)
    }

    fn is_free(&self, look: Look) -> bool {
        self.given.iter().all(|(_, given)| *given != look)
    }
}

/// The looks for algorithms, then the other pairs of their colours with the markers that are filled or crossed.
fn all() -> impl Iterator<Item = Look> {
    let others = [Marker::Square, Marker::Triangle, Marker::Cross, Marker::Circle].into_iter();
    let others = others.flat_map(|marker| Look::ALL.into_iter().take(6).map(move |look| Look { marker, ..look }));
    Look::ALL.into_iter().chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two algorithms of one problem may be drawn together.
    #[test]
    fn looks_tell_the_algorithms_of_a_problem_apart() {
        for (number, one) in entries().iter().enumerate() {
            assert_ne!(look_of(one.name), Look::OTHER, "{}", one.name);
            for other in &entries()[..number] {
                let alike = one.problem() == other.problem() && look_of(one.name) == look_of(other.name);
                assert!(!alike, "{} and {}", one.name, other.name);
            }
        }
    }

    #[test]
    fn no_two_series_of_a_figure_look_alike() {
        let mut looks = Looks::default();
        let given: Vec<Look> = (0..Looks::MOST).map(|n| looks.of(&n.to_string(), Some(Look::FIRST)).unwrap()).collect();
        for (number, look) in given.iter().enumerate() {
            assert!(!given[..number].contains(look), "{number}");
        }
        assert_eq!((looks.of("0", None), looks.of("one more", None)), (Some(Look::FIRST), None));
    }

    #[test]
    fn algorithms_of_several_problems_are_told_apart() {
        let mut looks = Looks::default();
        let given =
            ["halving", "k-tree", "unicast", "opt-tree"].map(|name| looks.of(name, Some(look_of(name))).unwrap());
        let published = looks.beside("halving, published", given[0]);
        let all = [given[0], given[1], given[2], given[3], published];
        assert!((0..5).all(|number| !all[..number].contains(&all[number])), "{all:?}");
    }
}
