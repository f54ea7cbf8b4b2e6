//! Reads the options of a verb that executes one instance: the point, and for random points which instance.

use algorithms::internals::execution::Which;
use algorithms::problem::{Entry, Kind, Sides};

use super::options::PointArgs;
use super::point;
use crate::base::failure::{Failure, Result};
use crate::base::units::parse_count;
use crate::space::{Machines, Space, example};

/// Reads the options of an algorithm for this verb and the destinations `to`, each as `x,y`.
pub(super) fn instance(
    entry: Entry,
    verb: &str,
    point: &PointArgs,
    to: &[String],
) -> Result<(Space, Which)> {
    let mut typed = point.clone();
    let has = |key: &str| entry.axes().iter().any(|axis| axis.key == key);
    // One message for each port, unless -k itself is missing.
    let counts_messages = entry
        .axes()
        .iter()
        .any(|axis| axis.key == "m" && axis.default.is_none());
    if counts_messages && typed.get("m").is_none() {
        typed.set("m", Some(typed.get("k").unwrap_or("1").to_owned()));
    }
    let is_on_mesh = has("K") && entry.axes().iter().any(|axis| axis.kind == Kind::Sides);
    match (is_on_mesh, to) {
        (false, []) => return Ok((point::read(entry, verb, &typed)?, Which::default())),
        (false, _) => return Err(unread(entry, "--to")),
        (true, []) if typed.get("K").is_none() => {
            bail!(
                "`{name}` needs destinations: -K COUNT to draw them, or --to x,y for each. For example: castbench {verb} \
                 {name} {}",
                example(entry, &Machines::default()),
                name = entry.name
            );
        }
        (true, []) => {}
        (true, _) if typed.get("source").is_none() => {
            bail!("--to needs a source; add --source x,y");
        }
        (true, _) => typed.set("K", Some(to.len().to_string())),
    }
    if has("trials") {
        // A cost is the mean of many instances; here one is executed.
        typed.set("trials", Some("1".to_owned()));
    }
    let source = typed.axes.0.remove("source");
    let asked = point::read(entry, verb, &typed)?;
    let which = which(&asked, source.as_deref(), to)?;
    Ok((asked, which))
}

pub(super) fn unread(entry: Entry, option: &str) -> Failure {
    let (name, problem) = (entry.name, entry.problem().name);
    failure!(
        Usage,
        "`{name}` ({problem}) does not read {option}; remove it"
    )
}

fn which(asked: &Space, source: Option<&str>, to: &[String]) -> Result<Which> {
    let cell = asked.cell();
    cell.bind()?;
    let axis = cell
        .entry
        .axes()
        .iter()
        .find(|axis| axis.kind == Kind::Sides);
    let sides = Sides::from_value(
        axis.and_then(|axis| cell.value(axis.key))
            .unwrap_or_default(),
    );
    let source = source
        .map(|text| node(sides, "--source", text))
        .transpose()?;
    let mut destinations = Vec::new();
    for text in to {
        let node = node(sides, "--to", text)?;
        if Some(node) == source || destinations.contains(&node) {
            bail!(
                "--to {text}: this node is named twice; expected distinct destinations other than the source"
            );
        }
        destinations.push(node);
    }
    Ok(Which {
        source,
        destinations,
    })
}

/// Reads `x,y` as the number of a node, row by row.
fn node(Sides { w, h }: Sides, option: &str, text: &str) -> Result<u32> {
    text.split_once(',')
        .and_then(|(x, y)| Some((parse_count(x.trim()).ok()?, parse_count(y.trim()).ok()?)))
        .filter(|&(x, y): &(u64, u64)| x < w && y < h)
        .and_then(|(x, y)| u32::try_from(y * w + x).ok())
        .ok_or_else(|| {
            failure!(
                Usage,
                "{option} {text}: expected a node as x,y with x from 0 to {} and y from 0 to {}",
                w - 1,
                h - 1
            )
        })
}
