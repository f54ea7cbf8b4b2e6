//! What collective-communication algorithms do, and exactly what they cost.
//!
//! Every algorithm is stated three independent ways that must agree: an **analytic** cost (exact
//! integers or rationals, cheap at any size), a **schedule** that a simulator executes knowing the
//! model's rules and nothing of the algorithm, and, in the tests, **brute force** on small cases.
//! Beside them stand the figure its paper **published** and a **lower bound**.
//!
//! [`catalogue`] lists every problem and every algorithm by name; a caller asks an algorithm for all of these at the
//! values of a point, one for each axis of its problem:
//!
//! ```
//! use castbench_algorithms::catalogue;
//! use castbench_algorithms::cost::{Exact, Limits};
//! use castbench_algorithms::problem::Setting;
//!
//! let fibonacci = catalogue::find("fibonacci").unwrap();
//! let keys: Vec<&str> = fibonacci.axes().iter().map(|axis| axis.key).collect();
//! assert_eq!(keys, ["machine", "bytes", "L", "o", "g", "K", "source"]);
//! let values = [None, None, Some(6), Some(2), Some(4), Some(18), Some(1)];
//! let evaluation = fibonacci.evaluate(&Setting::default(), &values, &Limits::default()).unwrap();
//! assert_eq!(evaluation.analytic, Some(Exact::Integer(34)));
//! assert_eq!(evaluation.lower_bound, Exact::Integer(32));
//! ```
//!
//! No I/O, no clock, no floating point, no global state.
#![expect(non_snake_case, reason = "a symbol of a paper (L, o, g, K) keeps the letter it has there")]

pub mod catalogue;
pub mod claims;
pub mod cost;
pub mod engine;
pub mod error;
pub mod execution;
pub mod log2;
pub mod logp;
pub mod mesh;
pub mod mpi;
pub mod multiport;
mod papers;
pub mod problem;
pub mod reach;
pub mod text;
