//! The MPI launcher of this process, from its environment.
//!
//! This answers what must be known before MPI starts: how many processes would report the same error, and whether a
//! launcher started several processes by mistake.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::thread;
use std::time::Duration;

use super::error::Error;

/// Rank and number of ranks: variables of Open MPI, of PMI, which MPICH and Slurm set, and of a step of Slurm. A batch
/// script of Slurm, which is one process, has no step.
const VARIABLES: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
];

/// The rank from the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// From 0.
    pub rank: u32,
    /// The number of ranks.
    pub ranks: u32,
}

/// The rank from the launcher; none without a launcher.
#[must_use]
pub fn launched() -> Option<Launched> {
    let number = |name: &str| env::var(name).ok()?.parse().ok();
    VARIABLES.iter().find_map(|(rank, ranks)| {
        Some(Launched {
            rank: number(rank)?,
            ranks: number(ranks)?,
        })
    })
}

/// The parameters of Open MPI's layers that carry messages, others are between launcher and library, and the control variables of MPICH.
/// Bytes that are not UTF-8 become U+FFFD.
#[must_use]
pub fn parameters(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> BTreeMap<String, String> {
    let layers = ["btl_", "coll_", "pml_", "mtl_", "mpi_"];
    let parameter = |(name, value): (OsString, OsString)| {
        let name = name.to_str()?;
        let own = name
            .strip_prefix("OMPI_MCA_")
            .filter(|own| layers.iter().any(|layer| own.starts_with(layer)));
        let name = own.or_else(|| name.starts_with("MPIR_CVAR_").then_some(name))?;
        Some((name.to_owned(), value.to_string_lossy().into_owned()))
    };
    variables.filter_map(parameter).collect()
}

/// Most time that other ranks wait for the first one's report. The launcher usually ends them before.
const WORDS: Duration = Duration::from_secs(20);

/// Whether this process reports an error that every rank has: only the first does. The others wait here until it has.
#[must_use]
pub fn speaks() -> bool {
    let first = launched().is_none_or(|launched| launched.rank == 0);
    if !first {
        thread::sleep(WORDS);
    }
    first
}

/// Checks that this process is the only one, for a transport that starts its own ranks.
///
/// # Errors
/// [`Error::Launched`] if a launcher started several.
pub fn alone(transport: &'static str) -> Result<(), Error> {
    match launched() {
        Some(Launched {
            ranks: ranks @ 2.., ..
        }) => Err(Error::Launched(format!(
            "a launcher of MPI started castbench {ranks} times, but the transport is `{transport}`, whose ranks \
             castbench starts; run it once, or write transport = \"mpi\""
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn parameters_of_any_bytes() {
        let variables = [
            (&b"OMPI_MCA_btl_tcp_links"[..], &b"a\xff"[..]),
            (b"OMPI_MCA_coll_\xff", b"1"),
            (b"OMPI_MCA_plm_rsh_agent", b"ssh"),
            (b"HOME\xff", b"\xff"),
        ];
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let found = parameters(
            variables
                .into_iter()
                .map(|(name, value)| (text(name), text(value))),
        );
        assert_eq!(
            found,
            BTreeMap::from([("btl_tcp_links".to_owned(), "a\u{fffd}".to_owned())])
        );
    }
}
