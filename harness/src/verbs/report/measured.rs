//! The measurements: the errors of the predictions, and the hosts.

use measure::wire::Facts;

use crate::base::units::{show_bytes, together};
use crate::record::measured::Results;
use crate::record::measurement::SummaryRow;

/// The measurements of a page.
pub struct Measured {
    /// The measurements themselves.
    pub results: Results,
    /// The errors of the predictions, for each placement of nodes.
    pub errors: Vec<Errors>,
    /// Hosts grouped by equal facts.
    pub hosts: Vec<(Facts, Vec<String>)>,
}

/// The errors of the predictions at some points.
pub struct Errors {
    /// The placement that these points have in common.
    pub group: &'static str,
    /// The number of points.
    pub points: u64,
    /// The error of LogP.
    pub logp: Option<Error>,
    /// The error of fairly shared links; none where hosts have no links.
    pub link_sharing: Option<Error>,
}

/// The error of one prediction, as a fraction of it.
#[derive(Debug, PartialEq)]
pub struct Error {
    /// The median of the absolute errors; of an even number, the greater of the two in the middle.
    pub median: f64,
    /// The error farthest from zero.
    pub worst: f64,
    /// The point with that error.
    pub worst_at: String,
}

impl Measured {
    /// Summarises measurements.
    pub fn new(results: Results) -> Self {
        let rows = || results.points.iter().map(|point| &point.row);
        let errors = [("a host for each node", true), ("nodes share hosts", false)]
            .into_iter()
            .filter_map(|(group, own_hosts)| {
                let rows: Vec<&SummaryRow> = rows()
                    .filter(|row| row.has_own_hosts() == own_hosts)
                    .collect();
                (!rows.is_empty()).then(|| Errors {
                    group,
                    points: rows.len() as u64,
                    logp: Error::new(&rows, |row| row.model_ns),
                    link_sharing: Error::new(&rows, |row| row.link_sharing_ns),
                })
            })
            .collect();
        let hosts = together(
            results
                .manifest
                .hosts
                .iter()
                .map(|host| (host.facts.clone(), host.name.clone())),
        );
        Self {
            errors,
            hosts,
            results,
        }
    }

    /// The error of the better prediction that is farthest from zero.
    pub fn worst(&self) -> f64 {
        self.results
            .points
            .iter()
            .map(|point| &point.row)
            .filter_map(|row| Some(row.error_of(row.predicted_ns()?)))
            .fold(0.0, farther)
    }
}

fn farther(a: f64, b: f64) -> f64 {
    if b.abs() > a.abs() { b } else { a }
}

impl Error {
    /// The error of a prediction over these rows; none if no row has it.
    fn new(rows: &[&SummaryRow], prediction: fn(&SummaryRow) -> Option<u64>) -> Option<Self> {
        let mut errors: Vec<(f64, &SummaryRow)> = rows
            .iter()
            .filter_map(|row| Some((row.error_of(prediction(row)?), *row)))
            .collect();
        // Stable: of equal errors, the first row counts.
        errors.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let &(worst, row) = errors.first()?;
        let median = errors[(errors.len() - 1) / 2].0.abs();
        Some(Self {
            median,
            worst,
            worst_at: name_of_point(row),
        })
    }
}

/// A point in words.
fn name_of_point(row: &SummaryRow) -> String {
    format!(
        "{}, K = {}, {}, {}",
        row.algorithm,
        row.K,
        show_bytes(row.bytes),
        row.placing()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(K: u32, median_ns: u64, link_sharing_ns: Option<u64>) -> SummaryRow {
        let row = crate::record::measurement::made_up::row("halving", K, median_ns);
        SummaryRow {
            model_ns: Some(1000),
            link_sharing_ns,
            ..row
        }
    }

    #[test]
    fn the_worst_error_has_its_sign_and_place() {
        let rows = [
            row(2, 1100, None),
            row(3, 600, Some(1200)),
            row(4, 1010, Some(1000)),
        ];
        let rows: Vec<&SummaryRow> = rows.iter().collect();
        let logp = Error::new(&rows, |row| row.model_ns).unwrap();
        assert_eq!(
            format!("{:.3} {:.3} {}", logp.median, logp.worst, logp.worst_at),
            "0.091 0.667 halving, K = 3, 1001 B, own hosts"
        );
        let shared = Error::new(&rows, |row| row.link_sharing_ns).unwrap();
        assert_eq!(
            format!("{:.3} {:.3}", shared.median, shared.worst),
            "1.000 1.000"
        );
        assert_eq!(Error::new(&rows[..1], |row| row.link_sharing_ns), None);
    }
}
