//! The CSV of NCCL's example tuner plugin, which RCCL reads too (`NCCL_TUNER_CONFIG_FILE`): the first line that fits counts.
//!
//! There is no header: NCCL would read it as a rule. A call that no line fits gets one channel, so every collective ends with a line for
//! all calls. An unknown collective is an allreduce to the reader, an unknown algorithm a ring, and a line has 255 bytes at most.

use super::{Dialect, Selected, Selector, Table, Written, at, commented, lines};

/// Function, algorithm of castbench, and NCCL's name for it.
pub(super) const NAMES: &[(&str, &str, &str)] = &[
    ("MPI_Allreduce", "allreduce-ring", "ring"),
    ("MPI_Allreduce", "allreduce-double-tree", "tree"),
    ("MPI_Bcast", "broadcast-chain", "ring"),
    ("MPI_Reduce", "reduce-chain", "ring"),
    ("MPI_Allgather", "allgather-ring", "ring"),
    ("MPI_Reduce_scatter_block", "reduce-scatter-ring", "ring"),
];

/// The collectives of the reader, and the functions that they are.
const COLLECTIVES: [(&str, &str); 5] = [
    ("broadcast", "MPI_Bcast"),
    ("reduce", "MPI_Reduce"),
    ("allgather", "MPI_Allgather"),
    ("reducescatter", "MPI_Reduce_scatter_block"),
    ("allreduce", "MPI_Allreduce"),
];

/// The longest line that the reader takes whole.
const MAX_LINE: usize = 255;

/// The table as lines.
///
/// # Errors
/// The errors of [`Dialect::write`].
pub fn write(table: &Table) -> Result<Written, String> {
    let mut left = Vec::new();
    let usage = "Bytes as NCCL counts them: of all ranks for allgather and reducescatter. The last lines are for all other calls, which \
                 the reader would give one channel: it has no choice of its own, so they are rings with Simple.";
    // The reader cuts longer lines, and reads the rest of a comment as a rule.
    let mut text: String = commented(table, &[usage]).lines().map(|line| broken(line) + "\n").collect();
    for function in table.functions() {
        let Some((collective, _)) = COLLECTIVES.iter().find(|(_, of)| *of == function.name) else {
            left.push(format!("{}: NCCL has no such collective", function.name));
            continue;
        };
        for line in lines(Dialect::Nccl, table, function, &mut left)? {
            let Some(name) = line.name else { continue };
            // A line has one number of ranks, or any.
            let all: Vec<String> = match line.ranks {
                [0 | 1, u64::MAX] => vec!["-1".to_owned()],
                [first, last] if last - first < super::MAX_RANKS => (first..=last).map(|K| K.to_string()).collect(),
                [first, last] => {
                    left.push(format!(
                        "{} on {first} to {last} ranks: a line of NCCL has one number of ranks",
                        function.name
                    ));
                    continue;
                }
            };
            for ranks in all {
                text += &format!("{collective},{},{},{name},simple,-1,-1,{ranks}\n", line.bytes[0], line.bytes[1]);
            }
        }
    }
    for (collective, _) in COLLECTIVES {
        text += &format!("{collective},0,{},ring,simple,-1,-1,-1\n", u64::MAX);
    }
    Ok(Written { text, left })
}

/// A comment in lines that the reader takes whole.
fn broken(comment: &str) -> String {
    let mut length = 0;
    let word = |word: &str| {
        let is_next = length + word.len() > MAX_LINE - 8;
        length = if is_next { word.len() } else { length + word.len() };
        if is_next { format!("\n# {word}") } else { word.to_owned() }
    };
    comment.split_inclusive(' ').map(word).collect()
}

/// A line of a file.
struct Line {
    collective: &'static str,
    bytes: [u64; 2],
    algorithm: String,
    ranks: Option<u64>,
}

/// Reads the file; what the reader would take for something else is refused.
///
/// # Errors
/// The first line that does not mean what it says.
pub fn read(text: &str) -> Result<Selector, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let lines = lines.map(|(number, line)| Line::parse(line).map_err(|why| at(number, why)));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(move |function, call| {
        let bytes = Dialect::Nccl.bytes(function, call);
        let fits = |line: &&Line| {
            let has_ranks = line.ranks.is_none_or(|ranks| ranks == call.K);
            line.collective == function.name && has_ranks && (line.bytes[0]..=line.bytes[1]).contains(&bytes)
        };
        if COLLECTIVES.iter().all(|(_, of)| *of != function.name) {
            return Selected::Own;
        }
        let name = lines.iter().find(fits).map_or("one channel", |line| line.algorithm.as_str());
        Selected::Named(name.to_owned(), 0)
    }))
}

impl Line {
    fn parse(line: &str) -> Result<Self, String> {
        if line.len() > MAX_LINE {
            return Err(format!("it has {} bytes; the reader cuts it after {MAX_LINE}", line.len()));
        }
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if !(8..=10).contains(&fields.len()) {
            return Err(format!("it has {} fields; the reader takes 8 to 10", fields.len()));
        }
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a size"));
        let collective = COLLECTIVES.iter().find(|(name, _)| *name == fields[0]).map(|(_, function)| *function);
        let collective =
            collective.ok_or_else(|| format!("`{}` is an allreduce to the reader; it has no header", fields[0]))?;
        let known = ["tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"];
        if !known.contains(&fields[3]) {
            return Err(format!("the algorithm `{}` is a ring to the reader", fields[3]));
        }
        if !["ll", "ll128", "simple"].contains(&fields[4]) {
            return Err(format!("the protocol `{}` is simple to the reader", fields[4]));
        }
        let ranks = if fields[7] == "-1" { None } else { Some(number(fields[7])?) };
        // With a number of ranks, the nodes are those of the machine that the file is for.
        let conditions = [(6, "nNodes"), (8, "numPipeOps"), (9, "regBuff")];
        let is_open = |at: usize| fields.get(at).is_none_or(|field| *field == "-1");
        if let Some((at, name)) = conditions.into_iter().find(|&(at, _)| !is_open(at) && (at > 6 || ranks.is_none())) {
            let only = fields[at];
            return Err(format!("it is only for {name} = {only}, of which a call says nothing here; write -1"));
        }
        Ok(Self { collective, bytes: [number(fields[1])?, number(fields[2])?], algorithm: fields[3].to_owned(), ranks })
    }
}
