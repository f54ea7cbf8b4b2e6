//! A multicast done with worms: its paths as text and as a drawing, and when each worm is where.

use std::fmt;

use algorithms::mesh::wormhole::simulator::Flight;
use algorithms::mesh::wormhole::{Timing, Worm};

use super::Drawing;
use super::paths::MulticastPaths;
use crate::chart::ChartError;
use crate::units::{grouped, plural};

/// One multicast and its worms.
pub struct MulticastWorms {
    /// Where they go.
    pub paths: MulticastPaths,
    /// What sending takes.
    pub timing: Timing,
    /// Ports of a node.
    pub ports: u64,
    /// The worms, and what became of each.
    pub worms: Vec<(Worm, Flight)>,
}

impl fmt::Display for MulticastWorms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.paths.fmt(f)?;
        let [t_s, t_h, t_f] = [self.timing.startup(), self.timing.hop(), self.timing.flit()].map(grouped);
        let (ports, flits) = (plural(self.ports, "port"), plural(self.timing.flits(), "flit"));
        writeln!(f, "\nt_s = {t_s}, t_h = {t_h}, t_f = {t_f}, {flits}, {ports} a node; times in time units")?;
        let rows: Vec<[String; 5]> = self.worms.iter().map(row).collect();
        let titles = ["sender", "begins", "waits", "there", "receivers"].map(str::to_owned);
        let width = |column: usize| rows.iter().chain([&titles]).map(|row| row[column].len()).max().unwrap_or(0);
        let widths: [usize; 4] = std::array::from_fn(width);
        for [sender, begins, waits, there, receivers] in [&titles].into_iter().chain(&rows) {
            let [a, b, c, d] = widths;
            writeln!(f, "  {sender:>a$}  {begins:>b$}  {waits:>c$}  {there:>d$}  {receivers}")?;
        }
        let end = self.worms.iter().map(|(_, flight)| flight.there).max().unwrap_or(0);
        writeln!(f, "all have the message after {}", plural(end, "time unit"))
    }
}

fn row((worm, flight): &(Worm, Flight)) -> [String; 5] {
    let receivers: Vec<String> = worm.receivers.iter().map(u32::to_string).collect();
    let sender = worm.path.first().map_or_else(String::new, u32::to_string);
    let [begins, waits, there] = [flight.begun, flight.waited, flight.there].map(grouped);
    [sender, begins, waits, there, receivers.join(" ")]
}

impl Drawing for MulticastWorms {
    fn too_large(&self) -> Option<String> {
        self.paths.too_large()
    }

    fn to_svg(&self) -> Result<String, ChartError> {
        self.paths.to_svg()
    }
}
