//! The algorithms of libraries, and which of the catalogue they are. `tests/mpi/libraries.rs` counts the messages of some.

use crate::base::units::joined;
use crate::libraries::{Family, Library, Numbered, Row, variable};

use crate::print::Columns;

/// An algorithm of a library, for a function.
pub struct Known {
    family: Family,
    /// What it is for; none for a protocol.
    row: Option<&'static Row>,
    known: &'static Numbered,
}

impl Known {
    /// Whether it is the algorithm of the catalogue with this name.
    pub fn is(&self, algorithm: &str) -> bool {
        self.known.ours == algorithm
    }

    /// Whether it is of this library.
    pub fn is_in(&self, library: Library) -> bool {
        self.family == library.family() && self.known.is_in(library)
    }

    /// Whether it is of any version of this library.
    pub fn is_of(&self, family: Family) -> bool {
        self.family == family
    }

    /// The library, the function, the number and the name in one text.
    pub fn location(&self) -> String {
        let number = self.number().map(|number| format!(" {number}"));
        let function = match self.row {
            Some(row) => format!("{}{}", row.name, number.unwrap_or_default()),
            None => "all".to_owned(),
        };
        format!("{}, {function}: {}", self.library(), self.known.name)
    }

    /// The library and the first version that has it.
    fn library(&self) -> String {
        let first = self.family.versions().next().map(Library::version);
        let version = self.known.since.or(first).unwrap_or_default();
        format!("{} {version}", self.family.name())
    }

    fn number(&self) -> Option<u32> {
        let number = self.known.number;
        let has_zero = !matches!(self.family, Family::Mpich | Family::Intel);
        let has_zero = has_zero && self.is_chosen();
        (number > 0 || has_zero).then_some(number)
    }

    /// Whether a number or a name chooses it.
    fn is_chosen(&self) -> bool {
        self.row.is_some_and(|row| {
            row.algorithms
                .iter()
                .any(|own| std::ptr::eq(own, self.known))
        })
    }

    fn messages(&self) -> &'static str {
        let counted = |library| Library::is_counted(library) && self.is_in(library);
        match (self.known.ours, self.known.differs) {
            ("", _) => (self.row).map_or(self.known.lacks, |row| self.known.why_lacked(row)),
            (_, Some(differs)) => differs,
            _ if self.is_chosen() && self.family.versions().any(counted) => "equal",
            _ => "not counted",
        }
    }
}

/// The columns of such an algorithm.
pub fn columns() -> Columns<'static, Known> {
    let compared = |row: &Known| {
        joined(
            "; ",
            [Some(row.messages()), row.known.order]
                .into_iter()
                .flatten(),
        )
    };
    let function = |row: &Known| row.row.map_or("", |row| row.name);
    let chooses = move |row: &Known| {
        let all = (row.row.filter(|_| row.is_chosen()))
            .map(|of| variable(row.family, of.name))
            .into_iter()
            .chain(row.known.radix.map(str::to_owned));
        joined(" ", all)
    };
    Columns::<Known>::empty()
        .column(
            "algorithm",
            "name of the algorithm; empty if castbench has none",
            |row| row.known.ours,
        )
        .shown("algorithm", |row| {
            if row.known.ours.is_empty() {
                "none"
            } else {
                row.known.ours
            }
        })
        .code()
        .column(
            "library",
            "library, and the first version that has it",
            Known::library,
        )
        .shown("in a library", Known::location)
        .data(
            "until",
            "the first version that does not have it any more",
            |row| row.known.until.unwrap_or(""),
        )
        .data(
            "function",
            "MPI function, or that of the library; empty for a protocol",
            function,
        )
        .data(
            "variable",
            "control variable that chooses the algorithm, then that of its radix",
            chooses,
        )
        .data(
            "number",
            "its value; empty if the library takes the name",
            Known::number,
        )
        .data("name", "name in the library", |row| row.known.name)
        .column(
            "messages",
            "`equal`: a test counts them; `not counted`; how they differ; or why \
                 castbench has no such algorithm",
            Known::messages,
        )
        .shown("messages, or why not", compared)
        .data(
            "order",
            "known differences of the order and the concurrency of messages, which the \
                 test does not compare",
            |row| row.known.order.unwrap_or(""),
        )
}

/// All of them, library by library.
pub fn all() -> Vec<Known> {
    let of = |family: Family| {
        let of_row = move |row: &'static Row| {
            let known = row.algorithms.iter().chain(&row.others);
            known.map(move |known| Known {
                family,
                row: Some(row),
                known,
            })
        };
        let protocols = family.protocols().iter().map(move |known| Known {
            family,
            row: None,
            known,
        });
        family.rows().iter().flat_map(of_row).chain(protocols)
    };
    Family::ALL.into_iter().flat_map(of).collect()
}
