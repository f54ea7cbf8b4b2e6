//! The algorithms of MPI libraries that the catalogue has. `tests/mpi/libraries.rs` counts their messages.

use crate::reference::libraries::{self, Function, Library, Numbered};

use crate::print::Column;

/// An algorithm of a library, for a function of MPI.
pub struct Known {
    library: Library,
    function: &'static Function,
    known: &'static Numbered,
}

impl Known {
    /// Whether it is the algorithm of the catalogue with this name.
    #[must_use]
    pub fn is(&self, algorithm: &str) -> bool {
        self.known.ours == algorithm
    }

    /// The library, the function, the number and the name in one text.
    #[must_use]
    pub fn location(&self) -> String {
        let Self {
            library,
            function,
            known,
        } = self;
        format!(
            "{}, {} {}: {}",
            library.name(),
            function.name,
            known.number,
            known.name
        )
    }

    fn messages(&self) -> &'static str {
        self.known.differs.unwrap_or("equal")
    }
}

/// The columns of such an algorithm.
#[must_use]
pub fn columns() -> Vec<Column<'static, Known>> {
    type Of = Column<'static, Known>;
    let compared = |row: &Known| {
        [Some(row.messages()), row.known.order]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; ")
    };
    vec![
        Of::new("algorithm", "name of the algorithm", |row| row.known.ours).code(),
        Of::new("library", "MPI library and version", |row| row.library.name()).shown("in a library", Known::location),
        Of::new("function", "MPI function", |row| row.function.name).data_only(),
        Of::new("variable", "control variable that chooses the algorithm", |row| row.function.variable(row.library))
            .data_only(),
        Of::new("number", "its value", |row| row.known.number).data_only(),
        Of::new("name", "name in the library", |row| row.known.name).data_only(),
        Of::new("messages", "`equal`, or how the messages differ", Known::messages).shown("messages", compared),
        Of::new(
            "order",
            "known differences of the order and the concurrency of messages, which the test does not compare",
            |row| row.known.order.unwrap_or(""),
        )
        .data_only(),
    ]
}

/// All of them, function by function, by the names that lists have.
#[must_use]
pub fn all() -> Vec<Known> {
    let of = |function: &'static Function| {
        let of = move |library| {
            let known = function.algorithms(library).iter();
            known.map(move |known| Known {
                library,
                function,
                known,
            })
        };
        Library::COUNTED.into_iter().flat_map(of)
    };
    libraries::functions().flat_map(of).collect()
}
