//! The latency of each pair of ranks, from a CSV file.

use algorithms::logp::{Levels, LogGops, MAX_PAIRED};
use serde::{Deserialize, Serialize};

use crate::base::failure::Result;
use crate::base::units::shortened;
use crate::output;
use crate::output::diagnostics::Source;

/// Characters of an entry that a message repeats.
const MAX_QUOTED: usize = 40;

/// A file, relative to the profile. Sweeps keep its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the path of a CSV file, as in \"latencies.csv\""
)]
pub(super) enum File {
    Named(String),
    Read { file: String, sha256: String },
}

impl File {
    pub(super) fn name(&self) -> &str {
        let (Self::Named(file) | Self::Read { file, .. }) = self;
        file
    }

    /// Row i has the latencies of messages from rank i, in ns. The parameters of `machine`, without L, are those of all pairs.
    pub(super) fn read(self, source: &Source, machine: LogGops) -> Result<(&'static Levels, Self)> {
        let file = self.name().to_owned();
        let refuse = |explanation: &dyn std::fmt::Display| {
            failure!(
                Configuration,
                "{}: latencies = {file:?}: {explanation}",
                source.name()
            )
        };
        let text = output::read_text(&source.resolve(&file)).map_err(|error| refuse(&error))?;
        let sha256 = output::sha256(text.as_bytes()).map_err(|error| refuse(&error))?;
        if matches!(&self, Self::Read { sha256: before, .. } if *before != sha256) {
            return Err(refuse(
                &"the file has another sha256; remove `sha256`, or name the former file",
            ));
        }
        let ranks = text.lines().count();
        if ranks > MAX_PAIRED {
            return Err(refuse(&format_args!(
                "{ranks} rows; expected at most {MAX_PAIRED}"
            )));
        }
        let mut latencies = Vec::with_capacity(ranks * ranks);
        let (mut least, mut largest) = (u64::MAX, 0);
        for (row, line) in text.lines().enumerate() {
            let fields = line.split(',').count();
            if fields != ranks {
                return Err(refuse(&format_args!(
                    "row {}: {fields} columns; expected {ranks}, one for each row",
                    row + 1
                )));
            }
            for (column, entry) in line.split(',').map(str::trim).enumerate() {
                if row == column {
                    latencies.push(0);
                    continue;
                }
                let at = |explanation: &dyn std::fmt::Display| {
                    refuse(&format_args!(
                        "row {}, column {}: {explanation}",
                        row + 1,
                        column + 1
                    ))
                };
                let quoted = shortened(entry, MAX_QUOTED);
                let L = entry
                    .parse()
                    .map_err(|_| at(&format_args!("`{quoted}`; expected a whole number of ns")))?;
                if L < least || L > largest {
                    LogGops { L, ..machine }.at(1).map_err(|error| at(&error))?;
                }
                (least, largest) = (least.min(L), largest.max(L));
                latencies.push(L);
            }
        }
        let levels = Levels::from_pairs(machine, ranks, |from, to| latencies[from * ranks + to]);
        Ok((
            levels.map_err(|error| refuse(&error))?,
            Self::Read {
                file: file.clone(),
                sha256,
            },
        ))
    }
}
