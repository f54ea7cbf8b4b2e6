//! What decides the rows of a sweep: two with the same identity write the same ones, as far as a revision tells one build
//! from another. (`-dirty` and `unknown` tell less: whoever changes castbench between two shards sees to that himself.)

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::Config;
use crate::failure::{Code, Failure};
use crate::output;
use crate::record::manifest::SCHEMA;
use crate::record::shard::Shard;
use crate::seal;

/// What to do with the rows of a sweep that was stopped in the same directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// Refuse to touch them.
    #[default]
    Refuse,
    /// Go on from there; begin where there are none.
    Resume,
    /// Throw them away.
    Discard,
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// Of manifest and columns.
    pub schema: u32,
    /// Of castbench.
    pub version: String,
    /// The git revision it was built from.
    pub revision: String,
    /// The shard, where it is not the whole.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shard: Option<Shard>,
    /// Everything that decides the rows.
    pub configuration: Value,
}

impl Identity {
    /// That of a sweep by this castbench.
    ///
    /// # Errors
    /// Exit code 1 for a configuration that cannot be told.
    pub(super) fn new(config: &Config, shard: Option<Shard>) -> Result<Self, Failure> {
        let configuration =
            serde_json::to_value(config.resolved()).map_err(|error| Failure::new(Code::Internal, error))?;
        Ok(Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: env!("CASTBENCH_REVISION").to_owned(),
            shard,
            configuration,
        })
    }

    pub(super) fn to_json(&self) -> Result<Vec<u8>, Failure> {
        seal::compact(self)
    }

    /// In which respect another sweep differs from this one, the coarsest first; nothing about shards.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.schema != other.schema {
            return Some(format!("its schema is {}, not {}", other.schema, self.schema));
        }
        if (&self.version, &self.revision) != (&other.version, &other.revision) {
            let [theirs, own] = [other, self].map(|of| format!("{} (revision {})", of.version, of.revision));
            return Some(format!("it is of castbench {theirs}, not {own}"));
        }
        for key in ["seed", "simulate_up_to_nodes", "simulate_up_to_hops"] {
            let (theirs, own) = (&other.configuration[key], &self.configuration[key]);
            if theirs != own {
                return Some(format!("it is of another configuration: its {key} is {theirs}, not {own}"));
            }
        }
        (self.configuration != other.configuration)
            .then(|| "it is of another configuration: its grids are others".to_owned())
    }

    /// Whether the unfinished sweep in `out`, described at `path`, may be taken up.
    pub(super) fn check(&self, path: &Path, existing: Existing, out: &Path) -> Result<(), Failure> {
        let place = out.display();
        let over = "start over with --restart, or name another place with --out";
        let text = output::read_text(path)
            .map_err(|error| Failure::read(path, format_args!("{error}; start over with --restart")))?;
        seal::check(path, &text, "start over with --restart")?;
        let there: Self = serde_json::from_str(&text)
            .map_err(|error| Failure::read(path, format_args!("{error}; start over with --restart")))?;
        let difference = self.difference(&there).or_else(|| {
            let told =
                |shard: Option<Shard>| shard.map_or("a whole sweep".to_owned(), |shard| format!("shard {shard}"));
            (self.shard != there.shard).then(|| format!("it is {}, not {}", told(there.shard), told(self.shard)))
        });
        match (difference, existing) {
            (None, Existing::Resume) => Ok(()),
            (None, _) => Err(Failure::usage(format_args!(
                "an unfinished sweep of this configuration is in `{place}`; go on with `castbench sweep --resume`, {over}"
            ))),
            (Some(why), _) => {
                Err(Failure::usage(format_args!("an unfinished sweep is in `{place}`, but {why}; {over}")))
            }
        }
    }
}
