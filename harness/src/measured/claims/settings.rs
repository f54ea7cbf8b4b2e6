//! Groups measured points that differ only in tree, K and message size.

use algorithms::logp::LogGops;

use crate::measured::results::MeasuredPoint;

/// What two comparable points have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub transport: String,
    /// The name of the profile, without the relay delay.
    pub machine: String,
    /// With the relay delay; two machines may have one name.
    pub parameters: LogGops,
    pub hold_ps_per_byte: u64,
    /// None for a program without a source.
    pub source: Option<u32>,
    pub placing: Placing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Placing {
    OwnHosts,
    /// On this number of hosts, with this mapping. With at most as many nodes as hosts, each has its own.
    Shared {
        hosts: u32,
        mapping: String,
    },
}

impl Placing {
    fn of(point: &MeasuredPoint) -> Self {
        let row = &point.row;
        if row.has_own_hosts() {
            Self::OwnHosts
        } else {
            Self::Shared { hosts: row.hosts, mapping: row.mapping.clone() }
        }
    }

    fn holds(&self, point: &MeasuredPoint) -> bool {
        let row = &point.row;
        match self {
            Self::OwnHosts => row.has_own_hosts(),
            Self::Shared { hosts, mapping } => {
                if row.K <= *hosts {
                    row.has_own_hosts()
                } else {
                    row.hosts == *hosts && row.mapping == *mapping
                }
            }
        }
    }
}

impl Setting {
    fn of(point: &MeasuredPoint) -> Self {
        let row = &point.row;
        Self {
            transport: row.transport.clone(),
            machine: row.machine.clone(),
            parameters: point.machine,
            hold_ps_per_byte: row.hold_ps_per_byte,
            source: row.source,
            placing: Placing::of(point),
        }
    }

    /// The settings of these points, in order of appearance.
    pub fn all(points: &[MeasuredPoint]) -> Vec<Self> {
        let mut settings = Vec::new();
        for point in points {
            let setting = Self::of(point);
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        settings
    }

    pub fn members<'a>(&self, points: &'a [MeasuredPoint]) -> impl Iterator<Item = &'a MeasuredPoint> {
        let alike = |point: &MeasuredPoint| {
            self.placing.holds(point) && Self { placing: self.placing.clone(), ..Self::of(point) } == *self
        };
        points.iter().filter(move |point| alike(point))
    }
}
