//! Tests of the program: what it prints, writes, draws and refuses.
#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod advice;
mod attack;
mod audit;
mod bad_input;
mod best;
mod bibtex;
mod browser;
#[path = "../common/mod.rs"]
mod common;
mod cost;
mod counts;
mod documents;
mod export;
mod faults;
mod figures;

mod gate;
mod goal;
mod grammar;
mod grids;
mod init;
mod latex;
mod levels;
mod limits;
mod measure;
mod measure_emulated;
mod measure_faults;
mod measure_ssh;
mod measured;
mod networks;
mod perfetto;
mod plans;
mod play;
mod ports;
mod predict;
mod random_arguments;
mod read;
mod regress;
mod release;
mod report;
mod report_measured;
mod reports;
mod resume;
mod rules;
mod schedules;
mod shards;
mod show;
mod slopes;
mod supply;
mod sweep;
mod trace_mpi;
mod tune;
mod verify;
