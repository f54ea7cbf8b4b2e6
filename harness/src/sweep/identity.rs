//! Everything that decides the rows of a sweep: sweeps with equal identity write equal rows, if the revision identifies
//! the build. A revision `-dirty` or `unknown` does not: users must not change castbench between two shards.

use std::path::Path;

use algorithms::catalogue;
use algorithms::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::failure::{Failure, Result};
use crate::config::Config;
use crate::output::seal;
use crate::record::manifest::Manifest;
use crate::record::shard::Shard;

/// What to do with the rows of a stopped sweep in the same directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// Refuse to change them.
    #[default]
    Refuse,
    /// Continue; begin if there are none.
    Resume,
    /// Delete them.
    Discard,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    pub schema: u32,
    pub version: String,
    pub revision: String,
    /// The shard, if it is not the whole sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Everything that decides the rows.
    pub configuration: Value,
}

impl Identity {
    /// The identity of a sweep by this castbench.
    pub(super) fn new(config: &Config, shard: Option<Shard>) -> Result<Self> {
        let configuration = serde_json::to_value(config.resolved()).map_err(Failure::internal)?;
        Ok(Self {
            shard,
            ..Self::from_manifest(&Manifest::new(String::new(), ()), configuration)
        })
    }

    /// The identity of the sweep with this manifest.
    pub(super) fn from_manifest<C>(manifest: &Manifest<C>, configuration: Value) -> Self {
        Self {
            schema: manifest.schema,
            version: manifest.version.clone(),
            revision: manifest.revision.clone(),
            shard: manifest.shard.as_ref().map(|entry| entry.shard),
            configuration,
        }
    }

    /// Whether rows of a problem have columns of networks.
    pub(super) fn has_networks(&self, problem: &Problem) -> bool {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let given = list(&self.configuration["algorithms"]);
        let is_own = |name: &Value| {
            given
                .iter()
                .find(|own| own["name"] == *name)
                .and_then(|own| own["problem"].as_str())
                .or_else(|| Some(catalogue::find(name.as_str()?)?.problem().name))
                == Some(problem.name)
        };
        let mut grids = list(&self.configuration["grids"]).into_iter();
        grids.any(|grid| grid["sites"].is_array() && list(&grid["algorithms"]).iter().any(is_own))
    }

    /// The first difference to another sweep, the coarsest first; shards are not compared.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.schema != other.schema {
            return Some(format!(
                "its schema is {}, not {}",
                other.schema, self.schema
            ));
        }
        if (&self.version, &self.revision) != (&other.version, &other.revision) {
            let [theirs, own] =
                [other, self].map(|of| format!("{} (revision {})", of.version, of.revision));
            return Some(format!("it was written by castbench {theirs}, not {own}"));
        }
        for key in ["seed", "simulate_up_to_nodes", "simulate_up_to_hops"] {
            let (theirs, own) = (&other.configuration[key], &self.configuration[key]);
            if theirs != own {
                return Some(format!(
                    "it has another configuration: its {key} is {theirs}, not {own}"
                ));
            }
        }
        if self.configuration["algorithms"] != other.configuration["algorithms"] {
            return Some("its [[algorithm]] or their files differ".to_owned());
        }
        (self.configuration != other.configuration)
            .then(|| "it has another configuration: its grids differ".to_owned())
    }

    /// Whether the unfinished sweep in `out`, described by this text at `path`, may be continued.
    pub(super) fn check(&self, path: &Path, text: &str, existing: Existing, out: &Path) -> Result {
        let directory = out.display();
        let over = "start over with --restart, or name another --out";
        seal::check(path, text, "start over with --restart")?;
        let there: Self = serde_json::from_str(text).map_err(|error| {
            Failure::read(path, format_args!("{error}; start over with --restart"))
        })?;
        let difference = self.difference(&there).or_else(|| {
            let spelled = |shard: Option<Shard>| {
                shard.map_or("a whole sweep".to_owned(), |shard| format!("shard {shard}"))
            };
            (self.shard != there.shard).then(|| {
                format!(
                    "it is {}, not {}",
                    spelled(there.shard),
                    spelled(self.shard)
                )
            })
        });
        match (difference, existing) {
            (None, Existing::Resume) => Ok(()),
            (None, _) => Err(failure!(
                Usage,
                "an unfinished sweep of this configuration is in `{directory}`; continue it with --resume, {over}"
            )),
            (Some(why), _) => Err(failure!(
                Usage,
                "an unfinished sweep is in `{directory}`, but {why}; {over}"
            )),
        }
    }
}
