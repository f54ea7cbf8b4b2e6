//! The cost of the first byte of a message, and of each further one.
//!
//! One line through all sizes fits badly if a link passes short messages at once and delays long ones. So the slope
//! comes from the longest third of the sizes, where bytes dominate. The first byte is what the shortest third take
//! beyond it. The residuals show the sizes between.

/// `time(s) = first + per_byte (s - 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Time of the first byte, ns; never negative.
    pub first: f64,
    /// Time of each further byte, ns; never negative.
    pub per_byte: f64,
    /// The largest relative error of the line at a measured size.
    pub worst: f64,
    /// The size with that error.
    pub worst_at: u64,
}

impl Line {
    /// Fits points of (bytes, ns), ascending in bytes. None with fewer than two sizes in a third, or if a time is not
    /// positive.
    ///
    /// Cost: sorting the points of a third.
    #[must_use]
    pub fn through(points: &[(u64, f64)]) -> Option<Self> {
        let third = points.len().div_ceil(3);
        let (short, long) = (&points[..third], &points[points.len() - third..]);
        if third < 2
            || long[0].0 == long[third - 1].0
            || points.iter().any(|(_, time)| *time <= 0.0)
        {
            return None;
        }
        let per_byte = slope(long).max(0.0);
        let mut beyond: Vec<f64> = short
            .iter()
            .map(|&(bytes, time)| time - per_byte * further(bytes))
            .collect();
        beyond.sort_by(f64::total_cmp);
        let first = f64::midpoint(beyond[(third - 1) / 2], beyond[third / 2]).max(0.0);
        let line = Self {
            first,
            per_byte,
            worst: 0.0,
            worst_at: 0,
        };
        let distance = |&(bytes, time): &(u64, f64)| ((line.at(bytes) / time - 1.0).abs(), bytes);
        let (worst, worst_at) = points
            .iter()
            .map(distance)
            .max_by(|left, right| left.0.total_cmp(&right.0))?;
        Some(Self {
            worst,
            worst_at,
            ..line
        })
    }

    /// The time of a message of this length, ns.
    #[must_use]
    pub fn at(&self, bytes: u64) -> f64 {
        self.first + self.per_byte * further(bytes)
    }
}

/// The slope of the least-squares line of relative errors, so that the longest message does not dominate.
fn slope(points: &[(u64, f64)]) -> f64 {
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(bytes, time) in points {
        let (further, weight) = (further(bytes), 1.0 / (time * time));
        w += weight;
        x += weight * further;
        y += weight * time;
        xx += weight * further * further;
        xy += weight * further * time;
    }
    (w * xy - x * y) / (w * xx - x * x)
}

fn further(bytes: u64) -> f64 {
    bytes.saturating_sub(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let points: Vec<(u64, f64)> = (0..12)
            .map(|power| (4u64.pow(power), 200.0 + 0.25 * further(4u64.pow(power))))
            .collect();
        let line = Line::through(&points).unwrap();
        assert!(
            (line.first - 200.0).abs() < 1e-6
                && (line.per_byte - 0.25).abs() < 1e-9
                && line.worst < 1e-9
        );
    }

    #[test]
    fn one_bad_time_shows() {
        let mut points: Vec<(u64, f64)> = (0..12)
            .map(|power| (4u64.pow(power), 100.0 + further(4u64.pow(power))))
            .collect();
        points[5].1 *= 2.0;
        let line = Line::through(&points).unwrap();
        assert!(
            (line.worst - 0.5).abs() < 1e-3 && (line.per_byte - 1.0).abs() < 1e-9,
            "{line:?}"
        );
    }

    /// A link that passes a burst of 4 KiB at once bends neither end of the line.
    #[test]
    fn a_burst_bends_nothing() {
        let time = |bytes: u64| 100.0 + 85.0 * further(bytes.saturating_sub(4096));
        let points: Vec<(u64, f64)> = (0..12)
            .map(|power| (4u64.pow(power), time(4u64.pow(power))))
            .collect();
        let line = Line::through(&points).unwrap();
        assert!(
            (line.per_byte / 85.0 - 1.0).abs() < 0.01 && line.first < 100.0,
            "{line:?}"
        );
    }

    #[test]
    fn no_message_takes_less_than_nothing() {
        let falling = [
            (1, 10.0),
            (2, 10.0),
            (3, 10.0),
            (1000, 9.0),
            (2000, 8.0),
            (3000, 7.0),
        ];
        assert_eq!(Line::through(&falling).unwrap().per_byte, 0.0);
        let steep = [
            (1, 1.0),
            (101, 900.0),
            (201, 1900.0),
            (301, 2900.0),
            (401, 3900.0),
            (501, 4900.0),
        ];
        assert_eq!(Line::through(&steep).unwrap().first, 0.0);
        assert!(Line::through(&[(1, 10.0), (2, 10.0), (3, 10.0)]).is_none());
        assert!(Line::through(&[(1, 10.0); 6]).is_none());
        assert!(Line::through(&[(1, 10.0), (2, 0.0), (3, 1.0), (4, 1.0)]).is_none());
        assert!(Line::through(&[]).is_none());
    }
}
