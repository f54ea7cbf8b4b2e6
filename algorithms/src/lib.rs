//! What collective-communication algorithms do, and exactly what they cost.
//!
//! Every algorithm is stated three independent ways that must agree: an **analytic** cost (exact
//! integers or rationals, cheap at any size), a **schedule** that a simulator executes knowing the
//! model's rules and nothing of the algorithm, and, in the tests, **brute force** on small cases.
//! Beside them stand the figure its paper **published** and a **lower bound**.
//!
//! [`catalogue`] lists every algorithm by name; [`catalogue::Entry::evaluate`] is the one door
//! through which a caller asks for all of these at a [`catalogue::Point`]:
//!
//! ```
//! use algorithms::catalogue::{self, Point};
//! use algorithms::cost::{Exact, Limits};
//! use algorithms::logp::LogP;
//!
//! let entry = catalogue::find("fibonacci").unwrap();
//! let point = Point::LogpMulticast { model: LogP::new(6, 2, 4)?, K: 18, source: 1 };
//! let evaluation = entry.evaluate(&point, &Limits::default())?;
//! assert_eq!(evaluation.analytic, Some(Exact::Integer(34)));
//! assert_eq!(evaluation.lower_bound, Exact::Integer(32));
//! # Ok::<(), algorithms::error::Error>(())
//! ```
//!
//! No I/O, no clock, no floating point, no global state.
#![expect(non_snake_case, reason = "a symbol of a paper (L, o, g, K) keeps the letter it has there")]

pub mod catalogue;
pub mod claims;
pub mod cost;
pub mod engine;
pub mod error;
pub mod log2;
pub mod logp;
pub mod mesh;
pub mod multiport;
