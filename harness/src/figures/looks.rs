//! The colour, marker and pen of each algorithm.

use algorithms::catalogue::entries;

use crate::draw::chart::style::{Look, Pen};

/// The look of an algorithm in every figure that does not need it for another problem: it follows from its position among the
/// algorithms of its problem.
pub fn look_of(algorithm: &str) -> Look {
    if is_optimum(algorithm) {
        return Look::REFERENCE;
    }
    let Some(entry) = entries().iter().find(|entry| entry.name == algorithm) else {
        return Look::OTHER;
    };
    let mut relatives = entries()
        .iter()
        .filter(|other| other.problem() == entry.problem() && !is_optimum(other.name));
    let position = relatives.position(|other| other.name == algorithm);
    position
        .and_then(|position| Look::ALL.get(position).copied())
        .unwrap_or(Look::OTHER)
}

/// Whether the others of its problem are compared with it.
fn is_optimum(algorithm: &str) -> bool {
    matches!(algorithm, "optimal" | "steiner")
}

/// Looks given out in one figure, no two alike.
#[derive(Default)]
pub struct Looks {
    given: Vec<(String, Look)>,
}

impl Looks {
    /// Most series that one figure tells apart.
    pub const MOST: usize = Look::ALL.len();

    /// The looks of all algorithms of a figure, each with the preferred one: those that have a colour for themselves come
    /// first, so that no two have the same while there are colours.
    pub fn assign_all(&mut self, all: &[(String, Option<Look>)]) {
        for (series, preferred) in all {
            if preferred.is_some_and(|look| self.lines_in(look) == 0) {
                self.assign(series, *preferred);
            }
        }
        for (series, preferred) in all {
            self.assign(series, *preferred);
        }
    }

    /// The look of a series: its earlier one, the preferred one, or the next free one, if any, in the colour of the fewest
    /// others. Series of one colour differ in their pens.
    pub fn assign(&mut self, series: &str, preferred: Option<Look>) -> Option<Look> {
        let known = self.given.iter().find(|(name, _)| name == series);
        if let Some((_, look)) = known {
            return Some(*look);
        }
        let all = || preferred.into_iter().chain(Look::ALL);
        let free = all().filter(|look| self.is_free(*look));
        let look = free.min_by_key(|look| self.lines_in(*look))?;
        Some(self.give(series, look))
    }

    fn give(&mut self, series: &str, look: Look) -> Look {
        // After the last pen markers have to do.
        let pen = Pen::ALL[self.lines_in(look).min(Pen::ALL.len() - 1)];
        let look = Look { pen, ..look };
        self.given.push((series.to_owned(), look));
        look
    }

    /// The look of a bound: grey if an algorithm already has the look of references.
    pub fn reference(&mut self, series: &str) -> Look {
        let preferred = if self.is_free(Look::REFERENCE) {
            Look::REFERENCE
        } else {
            Look::OTHER
        };
        self.assign(series, Some(preferred)).unwrap_or(Look::OTHER)
    }

    /// A look in the colour of another with another marker and pen, or the next free one.
    pub fn beside(&mut self, series: &str, look: Look) -> Look {
        let preferred = Look::ALL
            .into_iter()
            .find(|own| own.colour == look.colour && self.is_free(*own));
        let own = preferred.map(|look| self.give(series, look));
        own.or_else(|| self.assign(series, None))
            .unwrap_or(Look::OTHER)
    }

    /// How many are given.
    pub fn count(&self) -> usize {
        self.given.len()
    }

    /// How many series have the colour of this look.
    fn lines_in(&self, look: Look) -> usize {
        let own = self.given.iter();
        own.filter(|(_, given)| given.colour == look.colour).count()
    }

    fn is_free(&self, look: Look) -> bool {
        let mut given = self.given.iter().map(|(_, given)| *given);
        given.all(|given| (given.colour, given.marker) != (look.colour, look.marker))
    }
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
                let alike =
                    one.problem() == other.problem() && look_of(one.name) == look_of(other.name);
                assert!(!alike, "{} and {}", one.name, other.name);
            }
        }
    }

    #[test]
    fn no_two_series_of_a_figure_look_alike() {
        let mut looks = Looks::default();
        let given: Vec<Look> = (0..Looks::MOST)
            .map(|n| looks.assign(&n.to_string(), Some(Look::FIRST)).unwrap())
            .collect();
        for (number, look) in given.iter().enumerate() {
            assert!(!given[..number].contains(look), "{number}");
        }
        assert_eq!(
            (looks.assign("0", None), looks.assign("one more", None)),
            (Some(Look::FIRST), None)
        );
    }

    /// Nine colours: as many algorithms differ in colour, and those after them in their pens.
    #[test]
    fn algorithms_of_a_figure_differ_in_colour() {
        let mut looks = Looks::default();
        let names: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        // Some prefer the colour of another one.
        let preferred = [0, 7, 14, 3, 1, 5, 8, 2, 9].map(|number| Some(Look::ALL[number]));
        let all: Vec<_> = names.iter().cloned().zip(preferred).collect();
        looks.assign_all(&all);
        let given: Vec<Look> = names
            .iter()
            .map(|name| looks.assign(name, None).unwrap())
            .collect();
        for (number, look) in given.iter().enumerate() {
            assert!(
                given[..number]
                    .iter()
                    .all(|other| other.colour != look.colour),
                "{given:?}"
            );
        }
        assert_eq!((given[0], given[3]), (Look::ALL[0], Look::ALL[3]));
        let next = looks.assign("next", Some(Look::ALL[0])).unwrap();
        assert_eq!(next.pen, Pen::Dots, "{next:?}");
        let beside = looks.beside("next, published", next);
        assert_eq!((beside.colour, beside.pen), (next.colour, Pen::Long));
    }

    #[test]
    fn algorithms_of_several_problems_are_told_apart() {
        let mut looks = Looks::default();
        let given = ["halving", "k-tree", "unicast", "opt-tree"]
            .map(|name| looks.assign(name, Some(look_of(name))).unwrap());
        let published = looks.beside("halving, published", given[0]);
        let all = [given[0], given[1], given[2], given[3], published];
        assert!(
            (0..5).all(|number| !all[..number].contains(&all[number])),
            "{all:?}"
        );
    }
}
