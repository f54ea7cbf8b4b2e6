//! castbench for Python: a thin layer over the libraries `castbench` and `castbench_algorithms`, which compute everything.
//!
//! Answers are those that the program prints as JSON and CSV. Here they become objects of Python.

#![expect(
    clippy::doc_markdown,
    reason = "what Python shows as help is plain text"
)]

mod frame;
mod given;
mod listings;
mod objects;
mod point;
mod progress;
mod running;
mod scratch;
mod sweep;
mod tree;
mod values;
mod verbs;

/// Exact costs of collective-communication algorithms: analytic, simulated, published.
///
/// >>> import castbench
/// >>> castbench.cost("fibonacci", L=6, o=2, g=4, K=12)["analytic"]
/// 30
///
/// Costs are exact: an int, or a fractions.Fraction where a cost is an expectation or a mean.
/// A value that does not apply is None. A wrong argument raises ValueError with the message
/// of the program `castbench`, which writes the parameter K as -K and mesh as --mesh.
#[pyo3::pymodule(name = "castbench")]
mod module {
    #[pymodule_export]
    use crate::frame::frame;
    #[pymodule_export]
    use crate::given::algorithm;
    #[pymodule_export]
    use crate::listings::{algorithms, problems};
    #[pymodule_export]
    use crate::point::{cost, schedule};
    #[pymodule_export]
    use crate::sweep::{figure, sweep};
    #[pymodule_export]
    use crate::tree::tree;
    #[pymodule_export]
    use crate::verbs::{best, import_goal};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        castbench::base::revision::set(revision::revision!());
        Ok(())
    }
}
