//! The algorithms of MPI libraries that the catalogue has. `tests/features/libraries.rs` counts their messages.

use algorithms::internals::functions::FUNCTIONS;
use algorithms::internals::mpi::Library;
use serde::Serialize;

/// An algorithm of a library.
#[derive(Debug, Serialize)]
pub struct Known {
    /// The name in the catalogue.
    pub algorithm: &'static str,
    /// The library and its version.
    pub library: &'static str,
    /// The MPI function.
    pub function: &'static str,
    /// The control variable that chooses the algorithm.
    pub variable: String,
    /// Its value.
    pub number: u32,
    /// The library's name for it.
    pub name: &'static str,
    /// `equal`, or how the messages differ.
    pub messages: &'static str,
    /// How the order or concurrency of the messages differs; empty where that is not compared.
    pub order: &'static str,
    /// Messages and order in one text.
    #[serde(skip)]
    pub compared: String,
    /// The library, the function, the number and the name in one text.
    #[serde(skip)]
    pub place: String,
}

/// All of them, function by function, by the names that lists have.
#[must_use]
pub fn libraries() -> Vec<Known> {
    let mut rows = Vec::new();
    for function in FUNCTIONS {
        for library in Library::COUNTED {
            rows.extend(function.algorithms(library).iter().map(|known| {
                Known {
                    algorithm: known.ours,
                    library: library.name(),
                    function: function.name,
                    variable: function.variable(library),
                    number: known.number,
                    name: known.name,
                    messages: known.differs.unwrap_or("equal"),
                    order: known.order.unwrap_or(""),
                    compared: [Some(known.differs.unwrap_or("equal")), known.order]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                        .join("; "),
                    place: format!("{}, {} {}: {}", library.name(), function.name, known.number, known.name),
                }
            }));
        }
    }
    rows
}
