#![doc = include_str!("../README.md")]
//!
//! ## Pages of the algorithms
//!
//! Source, symbols, cost with proof, when it wins, departures from its paper: each algorithm has a page among the private
//! modules, which `cargo doc --document-private-items` builds.
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "pages of private modules link to each other"
)]
#![expect(
    non_snake_case,
    reason = "a symbol of a paper (L, o, g, K) keeps the letter it has there"
)]

pub mod catalogue;
mod claims;
mod collectives;
pub mod cost;
mod engine;
pub mod error;
mod execution;
mod imported;
#[doc(hidden)]
pub mod internals;
mod log2;
pub mod logp;
mod mesh;
mod multiport;
pub mod network;
mod papers;
mod plan;
pub mod problem;
mod reach;
mod rounds;
mod text;
pub mod tree;
mod violation;
mod wide;
