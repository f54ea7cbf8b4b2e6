//! Opens the file of a schedule and recognizes its format.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use algorithms::internals::engine::Program;
use serde::de::IgnoredAny;

use super::finding::Trouble;
use super::schedule::Schedule;
use super::task::Collective;
use super::{chakra, goal, msccl, mscclpp, plan};
use crate::output;

/// A file, or those of a trace.
#[derive(Debug)]
pub struct File {
    format: FileFormat,
    /// One for each rank of a trace, otherwise one.
    contents: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileFormat {
    Chakra,
    Goal,
    Msccl,
    MscclPp,
    /// A plan of castbench in JSON, which an algorithm of the user has.
    Plan,
    /// Text of no format.
    Text,
}

impl File {
    /// Reads a file, and beside `NAME.0.et` those of the other ranks.
    ///
    /// # Errors
    /// The file cannot be read, or is longer than 256 MiB.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::new(path, output::bytes_of(output::open_user(path)?)?)
    }

    /// The file with this name and content, and beside `NAME.0.et` those of the other ranks.
    ///
    /// # Errors
    /// The file cannot be read, or is longer than 256 MiB.
    pub fn new(path: &Path, content: Vec<u8>) -> io::Result<Self> {
        let mut contents = vec![content];
        for next in others(path) {
            contents.push(output::bytes_of(output::open(&next)?)?);
        }
        let begin = contents[0].iter().find(|byte| !byte.is_ascii_whitespace());
        let format = match begin {
            Some(b'<') => FileFormat::Msccl,
            Some(b'{') if is_plan(&contents[0]) => FileFormat::Plan,
            Some(b'{') => FileFormat::MscclPp,
            Some(b'n' | b'/') => FileFormat::Goal,
            _ if contents[0].iter().take(256).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) => {
                FileFormat::Text
            }
            _ => FileFormat::Chakra,
        };
        Ok(Self { format, contents })
    }

    /// The name of its format.
    #[must_use]
    pub fn format(&self) -> &'static str {
        match self.format {
            FileFormat::Chakra => "Chakra traces",
            FileFormat::Goal => "GOAL",
            FileFormat::Msccl => "MSCCL XML",
            FileFormat::MscclPp => "MSCCL++ plan",
            FileFormat::Plan => "plan of castbench",
            FileFormat::Text => "text",
        }
    }

    /// Whether it is a plan of castbench.
    #[must_use]
    pub fn is_plan(&self) -> bool {
        self.format == FileFormat::Plan
    }

    /// The program of a file that has one instead of steps with chunks.
    ///
    /// # Errors
    /// A file that is not in its format, or a schedule that is wrong.
    pub fn program(&self) -> Result<Option<Program>, Trouble> {
        let is_goal = self.format == FileFormat::Goal;
        is_goal.then(|| goal::program(&self.contents[0])).transpose()
    }

    /// Reads the schedule. Only a plan of castbench may need the number of its ranks.
    ///
    /// # Errors
    /// A file that is not in its format, or a schedule that is wrong.
    pub fn schedule(&self, collective: Option<Collective>, root: u32, ranks: Option<u32>) -> Result<Schedule, Trouble> {
        let first = || text(&self.contents[0]);
        match self.format {
            FileFormat::Chakra => chakra::read(&self.contents, collective, root),
            FileFormat::Goal => goal::read(&self.contents[0], collective, root),
            FileFormat::Msccl => msccl::read(first()?, collective, root),
            FileFormat::MscclPp => mscclpp::read(first()?, collective, root),
            FileFormat::Plan => plan::read(&self.contents[0], collective, root, ranks),
            FileFormat::Text => {
                let explanation =
                    "expected MSCCL XML, Chakra traces, an MSCCL++ plan or GOAL, which begins with `num_ranks`";
                Err(Trouble::unread(1, explanation))
            }
        }
    }
}

/// Whether JSON has a key that plans of castbench have, and those of MSCCL++ do not.
fn is_plan(bytes: &[u8]) -> bool {
    let keys = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(bytes).unwrap_or_default();
    ["rounds", "operations", "parents", "then", "reverse", "algorithm"].iter().any(|key| keys.contains_key(*key))
}

fn text(bytes: &[u8]) -> Result<&str, Trouble> {
    str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u64;
        Trouble::unread(line, "it is not UTF-8, and no format of schedules that castbench reads")
    })
}

/// The files of the other ranks, beside `NAME.0.et`.
fn others(path: &Path) -> impl Iterator<Item = PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".0.et"));
    let of = move |rank: u32| name.map(|name| path.with_file_name(format!("{name}.{rank}.et")));
    (1..).map_while(of).take_while(|next| fs::metadata(next).is_ok())
}

/// A file, and beside `NAME.0.et` those of the other ranks.
#[must_use]
pub fn all(path: PathBuf) -> Vec<PathBuf> {
    let others: Vec<PathBuf> = others(&path).collect();
    [path].into_iter().chain(others).collect()
}
