//! What the model leaves of measured times, as a Gaussian process over bytes and ranks.
//!
//! Residuals of one collective are alike, those of one algorithm more so, and more the nearer bytes and ranks are.

use std::collections::{BTreeMap, BTreeSet};

use super::linear::{Columns, Matrix, dot};

/// Standard deviation that a collective has in common, and an algorithm beside it, of the logarithm of a time.
const DEVIATION: f64 = 0.25;
/// Length along the logarithm of bytes.
const BYTES: f64 = 2.0;
/// Length along the logarithm of ranks.
const RANKS: f64 = 1.5;
/// Standard deviation of a measurement.
const NOISE: f64 = 0.12;
const VARIANCE: f64 = NOISE * NOISE;
/// Standard deviations on either side that hold 90 % of a normal distribution.
pub const NINETY: f64 = 1.645;

/// Where a residual is. Equal numbers of collectives and algorithms are equal ones.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// The number of its collective.
    pub collective: usize,
    /// The number of its algorithm among those of all collectives.
    pub algorithm: usize,
    /// The logarithm of its bytes.
    pub log_bytes: f64,
    /// The logarithm of its ranks.
    pub log_ranks: f64,
}

fn covariance(one: &Site, other: &Site) -> f64 {
    if one.collective != other.collective {
        return 0.0;
    }
    let [bytes, ranks] = [
        (one.log_bytes - other.log_bytes) / BYTES,
        (one.log_ranks - other.log_ranks) / RANKS,
    ];
    let common = if one.algorithm == other.algorithm {
        2.0
    } else {
        1.0
    };
    (-0.5 * (bytes * bytes + ranks * ranks)).exp() * common * DEVIATION * DEVIATION
}

/// A process with its measured residuals.
#[derive(Debug)]
pub struct Process {
    /// One for each collective, because residuals of different ones are independent.
    parts: Vec<Part>,
    /// How much wider than the process states the intervals must be, where a size was not measured, and a number of ranks.
    wider: [f64; 2],
}

/// What the factors of a covariance may leave open on its diagonal, of variances near 0.1.
const OPEN: f64 = 1e-10;

#[derive(Debug)]
struct Part {
    sites: Vec<Site>,
    /// The inverse of the covariance with noise is 1 less the product of these with their transpose, over the noise.
    columns: Columns,
    weights: Vec<f64>,
}

impl Process {
    /// A process of these residuals; their number times the square of the number of columns, about 60 for each algorithm.
    #[must_use]
    pub fn new(residuals: &[(Site, f64)]) -> Self {
        let mut of: BTreeMap<usize, Vec<(Site, f64)>> = BTreeMap::new();
        for residual in residuals {
            of.entry(residual.0.collective).or_default().push(*residual);
        }
        let mut process = Self {
            parts: of.values().map(|residuals| Part::new(residuals)).collect(),
            wider: [1.0; 2],
        };
        let size = process.wider(|site| site.log_bytes);
        process.wider = [size, process.wider(|site| site.log_ranks).max(size)];
        process
    }

    /// The 90 % quantile of errors over standard deviations, where all residuals with one `key` are predicted from the others;
    /// not below that of a normal distribution, because the parameters were fitted to them.
    fn wider(&self, key: impl Fn(&Site) -> f64) -> f64 {
        let keys = self
            .parts
            .iter()
            .flat_map(|part| &part.sites)
            .map(|site| key(site).to_bits());
        let keys: BTreeSet<u64> = keys.collect();
        let left_out = |part: &Part| -> Vec<f64> {
            let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for (at, site) in part.sites.iter().enumerate() {
                groups.entry(key(site).to_bits()).or_default().push(at);
            }
            groups
                .values()
                .flat_map(|indices| part.left_out(indices))
                .collect()
        };
        let errors: Vec<f64> = self
            .parts
            .iter()
            .filter(|_| keys.len() > 1)
            .flat_map(left_out)
            .collect();
        if errors.len() < 10 {
            1.0
        } else {
            (quantile(errors, 0.9) / NINETY).clamp(1.0, 2.5)
        }
    }

    /// The mean and the standard deviation of a measured residual here; `is_near` says whether its collective was measured
    /// on this number of ranks.
    #[must_use]
    pub fn at(&self, site: &Site, is_near: bool) -> (f64, f64) {
        let part = self
            .parts
            .iter()
            .find(|part| part.sites[0].collective == site.collective);
        let (mean, known) = part.map_or((0.0, 0.0), |part| part.at(site));
        let open = (covariance(site, site) - known).max(0.0) + VARIANCE;
        (mean, open.sqrt() * self.wider[usize::from(!is_near)])
    }
}

impl Part {
    fn new(residuals: &[(Site, f64)]) -> Self {
        let (sites, values): (Vec<Site>, Vec<f64>) = residuals.iter().copied().unzip();
        let columns = Columns::new(
            sites.len(),
            |row, column| covariance(&sites[row], &sites[column]),
            OPEN,
        );
        let columns = columns.over(VARIANCE, 1.0);
        let taken = columns.square_times(&values);
        let weights = values
            .iter()
            .zip(taken)
            .map(|(value, taken)| (value - taken) / VARIANCE)
            .collect();
        Self {
            sites,
            columns,
            weights,
        }
    }

    /// Errors over standard deviations of these residuals, predicted from all others.
    fn left_out(&self, indices: &[usize]) -> Vec<f64> {
        let weights: Vec<f64> = indices.iter().map(|&index| self.weights[index]).collect();
        let (errors, variances): (Vec<f64>, Vec<f64>) = if indices.len() <= self.columns.count() {
            let part = |row: usize, column: usize| {
                let one = if row == column { 1.0 } else { 0.0 };
                (one - self.columns.product(indices[row], indices[column])) / VARIANCE
            };
            let covariance = Matrix::new(indices.len(), part).inverse();
            (
                covariance.times(&weights),
                (0..indices.len()).map(|at| covariance[(at, at)]).collect(),
            )
        } else {
            // The inverse of 1 less few columns is 1 and as many.
            let columns = self.columns.rows(indices).over(1.0, -1.0);
            let more = columns.square_times(&weights);
            let errors = weights
                .iter()
                .zip(more)
                .map(|(weight, more)| VARIANCE * (weight + more))
                .collect();
            (
                errors,
                (0..indices.len())
                    .map(|at| VARIANCE * (1.0 + columns.product(at, at)))
                    .collect(),
            )
        };
        errors
            .iter()
            .zip(variances)
            .map(|(error, variance)| (error / variance.sqrt()).abs())
            .collect()
    }

    /// The mean here, and the variance that the residuals explain.
    fn at(&self, site: &Site) -> (f64, f64) {
        let near: Vec<f64> = self
            .sites
            .iter()
            .map(|known| covariance(site, known))
            .collect();
        let along = self.columns.along(&near);
        (
            dot(&near, &self.weights),
            (dot(&near, &near) - dot(&along, &along)) / VARIANCE,
        )
    }
}

/// The value that this share of the values do not exceed, between two of them if need be. NaN without values.
#[must_use]
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = share * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most the number of values"
    )]
    let below = at.floor() as usize;
    let above = (below + 1).min(last);
    values[below] + (at - at.floor()) * (values[above] - values[below])
}
