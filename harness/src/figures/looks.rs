//! The colour, marker and pen of each algorithm.

use algorithms::catalogue::entries;
use algorithms::problem::Entry;

use super::select;
use crate::draw::chart::style::{Look, Pen};

/// By their index among [`Look::ALL`], the looks of the algorithms of the default figures: one that is drawn for several problems looks
/// alike for all, and two of one figure differ in colour. Names are without that of their problem.
const KNOWN: [(&str, usize); 35] = [
    ("binary", 8),
    ("bine", 4),
    ("binomial", 17),
    ("broadcast", 2),
    ("chain", 3),
    ("circulant", 2),
    ("column-path", 5),
    ("composed", 26),
    ("coupled", 1),
    ("dual-path", 0),
    ("fibonacci", 1),
    ("fixed-path", 4),
    ("flat", 9),
    ("halving", 0),
    ("hypercube", 9),
    ("hypercube-balanced", 12),
    ("hypercube-grouped", 4),
    ("k-tree", 0),
    ("k-tree-packed", 1),
    ("linear", 25),
    ("multi-path", 3),
    ("optimal", 27),
    ("paper", 0),
    ("pipelined-chain", 3),
    ("rabenseifner", 6),
    ("recursive-doubling", 0),
    ("repeated", 6),
    ("ring", 1),
    ("split-binary", 16),
    ("steiner", 25),
    ("swing", 5),
    ("two-phase", 0),
    ("u-mesh", 2),
    ("unicast", 1),
    ("xy-tree", 6),
];

/// The look of an algorithm in every figure that does not need it for another one: its known look, or the next one that no known algorithm
/// of its problem has.
pub fn look_of(algorithm: &str) -> Look {
    let Some(entry) = entries().iter().find(|entry| entry.name == algorithm) else {
        return Look::OTHER;
    };
    let relatives = || {
        entries()
            .iter()
            .filter(|other| other.problem() == entry.problem())
    };
    if let Some(look) = known(entry) {
        return look;
    }
    let taken: Vec<Look> = relatives().filter_map(known).collect();
    let position = relatives()
        .filter(|other| known(other).is_none())
        .position(|other| other.name == algorithm);
    let mut free = Look::ALL.into_iter().filter(|look| !taken.contains(look));
    position
        .and_then(|position| free.nth(position))
        .unwrap_or(Look::OTHER)
}

fn known(entry: &Entry) -> Option<Look> {
    let name = select::stem(entry);
    KNOWN
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, index)| Look::ALL[*index])
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
        for is_alone in [true, false] {
            for (series, preferred) in all {
                if !is_alone || preferred.is_some_and(|look| self.lines_in(look) == 0) {
                    self.assign(series, *preferred);
                }
            }
        }
    }

    /// The look of a series: its earlier one, the preferred one, or the next free one, if any, in the colour of the fewest
    /// others. Series of one colour differ in their pens, those of one marker too while other markers are free.
    pub fn assign(&mut self, series: &str, preferred: Option<Look>) -> Option<Look> {
        let known = self.given.iter().find(|(name, _)| name == series);
        if let Some((_, look)) = known {
            return Some(*look);
        }
        let near = Look::ALL
            .into_iter()
            .filter(|look| preferred.is_some_and(|own| own.colour == look.colour));
        let look = preferred
            .into_iter()
            .chain(near)
            .chain(Look::ALL)
            .filter(|look| self.is_free(*look))
            .min_by_key(|look| (self.lines_in(*look), self.is_taken(*look)))?;
        Some(self.give(series, look))
    }

    /// The pen of the next line in a colour. After the last pen markers have to do.
    fn pen(&self, look: Look) -> Pen {
        Pen::ALL[self.lines_in(look).min(Pen::ALL.len() - 1)]
    }

    /// Whether another series would differ from this look in its colour only, which grey print does not show.
    fn is_taken(&self, look: Look) -> bool {
        let own = (look.marker, self.pen(look));
        let mut given = self.given.iter().map(|(_, given)| *given);
        given.any(|given| (given.marker, given.pen) == own)
    }

    fn give(&mut self, series: &str, look: Look) -> Look {
        let look = Look {
            pen: self.pen(look),
            ..look
        };
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
        Look::ALL
            .into_iter()
            .find(|own| own.colour == look.colour && self.is_free(*own))
            .map(|look| self.give(series, look))
            .or_else(|| self.assign(series, None))
            .unwrap_or(Look::OTHER)
    }

    /// How many are given.
    pub fn count(&self) -> usize {
        self.given.len()
    }

    /// How many series have the colour of this look.
    fn lines_in(&self, look: Look) -> usize {
        self.given
            .iter()
            .filter(|(_, given)| given.colour == look.colour)
            .count()
    }

    fn is_free(&self, look: Look) -> bool {
        let mut given = self.given.iter().map(|(_, given)| *given);
        given.all(|given| (given.colour, given.marker) != (look.colour, look.marker))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::figures::of;

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

    /// An algorithm has its colour and marker in every default figure, and no two of one differ in colour only.
    #[test]
    fn default_figures_agree() {
        let figures = of(&Config::load(None).unwrap()).unwrap();
        for figure in figures.iter().filter(|figure| figure.by.is_none()) {
            let names = figure.algorithms().into_iter().map(|entry| entry.name);
            let names = Vec::from_iter(names.map(|name| (name.to_owned(), Some(look_of(name)))));
            let mut looks = Looks::default();
            looks.assign_all(&names);
            let mut given_looks = Vec::new();
            for (name, look) in names {
                let (given, preferred) = (looks.assign(&name, None).unwrap(), look.unwrap());
                assert_eq!(given, preferred, "{name} in {}", figure.file());
                given_looks.push((given.marker, given.pen));
            }
            for (number, look) in given_looks.iter().enumerate() {
                let file = figure.file();
                assert!(
                    !given_looks[..number].contains(look),
                    "{look:?} twice in {file}"
                );
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
            let mut before = given[..number].iter();
            let is_apart = before.all(|other| other.marker != look.marker);
            assert!(is_apart || number >= 8, "{number}");
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
