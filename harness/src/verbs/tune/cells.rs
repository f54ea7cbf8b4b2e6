//! Calls that are tuned, and what can be forced in each.

use crate::libraries::{self, Call, Default, Family, Function, Library, Numbered};

use crate::base::answers::{Absences, Answers};
use crate::predict::measured::{Label, Size};
use crate::predict::names;
use crate::predict::programs::{self, Program};
use crate::rules::{Rule, Table, Take};

/// A call of a function at a size.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The function.
    pub function: &'static Function,
    /// Ranks, and bytes of a vector, or of a block per rank.
    pub call: Call,
    /// Ranks of each node, which follow each other.
    pub node: u64,
    /// Whose algorithms are compared.
    pub library: Library,
    /// What it runs without rules.
    pub default: Default,
    /// What is compared with the default.
    pub candidates: Vec<Take>,
}

/// A library whose algorithms are forced.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Whose algorithms they are.
    pub library: Library,
    /// Whether its version is the one whose choices castbench knows.
    pub has_known_default: bool,
}

/// Segments that are compared, bytes.
const SEGMENTS: [u64; 2] = [8 << 10, 64 << 10];

/// What runs in a cell; none for the default.
pub type Choice = Option<Take>;

/// The calls of functions at numbers of ranks and sizes, by function, ranks and size, with what can be forced and run in each; no
/// call whose default cannot run.
pub fn all(
    functions: &[&'static Function],
    [ranks, sizes]: [&[u64]; 2],
    node: u64,
    target: Target,
    can_run: impl Fn(&Cell, Choice) -> bool,
) -> Answers<Cell> {
    let mut cells = Answers {
        values: Vec::new(),
        absences: Absences::new("call"),
    };
    for &function in functions {
        for (K, bytes) in ranks
            .iter()
            .flat_map(|&K| sizes.iter().map(move |&bytes| (K, bytes)))
        {
            cells.absences.asked += 1;
            let cell = Cell::new(function, [K, node, bytes], target);
            if !can_run(&cell, None) {
                let why = "castbench cannot measure its default without the library; name a launcher after `--`";
                let at = || format!("-K {K} --bytes {bytes}");
                cells.absences.add(function.name, why, at);
                continue;
            }
            let mut candidates = cell.possible();
            candidates.retain(|&forced| can_run(&cell, Some(forced)));
            cells.values.push(Cell { candidates, ..cell });
        }
    }
    cells
}

impl Cell {
    /// A call without candidates; of fewer ranks than a node has all are on one.
    pub fn new(function: &'static Function, [K, node, bytes]: [u64; 3], target: Target) -> Self {
        let call = Call {
            K,
            bytes,
            element: 1,
        };
        let default = if target.has_known_default {
            function.default(target.library, call)
        } else {
            Default::Unknown
        };
        Self {
            function,
            call,
            node: node.min(K),
            library: target.library,
            default,
            candidates: Vec::new(),
        }
    }

    /// The library's name and number for an algorithm of the catalogue.
    fn numbered(&self, ours: &str) -> Option<&'static Numbered> {
        self.function.numbered(self.library, ours)
    }

    /// Ranks and bytes of the whole vector.
    pub fn size(&self) -> Size {
        Size {
            ranks: self.call.K,
            node: self.node,
            bytes: self.function.size.bytes(self.call),
        }
    }

    /// The algorithms that can be forced here and that the model knows, without the default, in the order of their numbers.
    fn possible(&self) -> Vec<Take> {
        let Self {
            function,
            call,
            library,
            default,
            ..
        } = *self;
        let is_default = |known: &Numbered| matches!(default, Default::Known(default) if default.name == known.name);
        let can_be_forced = |forced: &Take| {
            let Some(known) = self.numbered(forced.ours) else {
                return false;
            };
            let is_itself = match library.family() {
                // Its recursive doubling of blocks stops the program on other numbers of ranks.
                Family::Mpich => {
                    call.K.is_power_of_two()
                        || known.name != "recursive_doubling"
                        || function.size != libraries::Size::Blocks
                }
                _ => function.runs_as(known.number, forced.segment, call) == known.number,
            };
            is_itself
                && (!is_default(known) || forced.segment > 0)
                && self.known(Some(*forced)).1.is_some()
        };
        let segments = |ours| {
            [0].into_iter().chain(SEGMENTS).map(move |segment| Take {
                ours,
                segment,
                protocol: None,
            })
        };
        let mut all: Vec<Take> = function
            .algorithms(library)
            .iter()
            .flat_map(|known| segments(known.ours))
            .filter(|forced| forced.segment < call.bytes && can_be_forced(forced))
            .collect();
        all.sort_unstable();
        // A second algorithm of one name is not what a table of decisions means by it.
        all.dedup();
        all
    }

    /// The name of an algorithm as the model knows it, `default` where it is not known what runs, and what it does, if that is known.
    pub fn known(&self, choice: Choice) -> (Label, Option<(Program, programs::Call)>) {
        let name = match choice {
            Some(forced) => self.numbered(forced.ours).map(|known| known.name),
            None => match self.default {
                Default::Known(known) => Some(known.name),
                Default::Lacks(name) => Some(name),
                Default::Unknown => None,
            },
        };
        let segment = choice.map_or(0, |forced| forced.segment);
        let name = name.map_or_else(
            || "default".to_owned(),
            |name| format!("{name}_{}", names::family(self.library)),
        );
        let algorithm = if segment > 0 {
            format!("{name}_{segment}")
        } else {
            name
        };
        let collective = names::collective(self.function.name);
        let program = names::find(&collective, &algorithm, self.size());
        (
            Label {
                collective,
                algorithm,
            },
            program,
        )
    }

    /// The decision for this call alone.
    pub fn rule(&self, choice: Choice) -> Rule {
        let Call { K, bytes, .. } = self.call;
        Rule {
            function: self.function,
            ranks: [K, K],
            bytes: [bytes, bytes],
            take: choice,
            why: String::new(),
        }
    }
}

/// The decisions that force these algorithms.
pub fn forcing(chosen: impl IntoIterator<Item = (Cell, Choice)>) -> Table {
    let forced = chosen.into_iter().filter(|(_, choice)| choice.is_some());
    Table {
        notes: Vec::new(),
        rules: forced.map(|(cell, choice)| cell.rule(choice)).collect(),
    }
}
