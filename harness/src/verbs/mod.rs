//! The verbs of the command line, one file each.

pub mod audit;
pub mod best;
pub mod calibrate;
pub mod cost;
mod coverage;
pub mod export;
pub mod figures;
pub mod hosts;
pub mod import;
pub mod init;
mod instance;
pub mod list;
pub mod manual;
pub mod measure;
pub mod merge;
pub mod options;
pub mod plan;
pub mod point;
pub mod read;
pub mod regress;
pub mod report;
pub mod run;
pub mod sensitivity;
pub mod show;
pub mod sweep;
pub mod trace_mpi;
pub mod verify;
