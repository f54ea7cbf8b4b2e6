//! The last panel of measured times: the predictions of all others over the medians, on which they often lie.

use std::collections::BTreeSet;

use super::curves::{Curve, Drawn, measured_name};
use super::select::Held;
use super::spec::{Layer, Spec, coordinate};
use crate::base::units::together;
use crate::draw::chart::scale::Scale;
use crate::draw::chart::style::Look;
use crate::draw::chart::{AxisSpec, Join, Markers, Panel, Series};

/// The panel, if it is asked for. Each algorithm has as many points at a value as other panels.
pub fn panel(spec: &Spec, all: &[Drawn<'_>]) -> Option<Panel> {
    let asked = all.iter().filter(|drawn| drawn.panel.has(&Layer::Errors));
    let curves: Vec<&Curve<'_>> = asked.flat_map(|drawn| &drawn.curves).collect();
    let values: BTreeSet<u64> = curves.iter().flat_map(|curve| curve.xs()).collect();
    let points = |curve: &Curve<'_>| {
        let ratio = |(place, x)| {
            let row = curve.rows.get(x)?.measured.as_ref()?;
            let predicted = row.predicted_ns().filter(|ns| *ns > 0)?;
            Some((coordinate(place), 1.0 + row.error_of(predicted)))
        };
        (0_u64..).zip(&values).filter_map(ratio).collect::<Vec<_>>()
    };
    let name = |curve: &Curve<'_>| (measured_name(&curve.label), curve.look);
    let named = curves.iter().map(|curve| (name(curve), points(curve)));
    let series = |(label, look): (String, Look), line, points: Vec<(f64, f64)>| Series {
        label,
        look,
        points,
        markers: Markers::Every(1),
        line,
    };
    let measured = together(named).into_iter();
    let measured = measured.map(|(name, points)| series(name, Join::None, points.concat()));
    let measured: Vec<Series> = measured.filter(|own| !own.points.is_empty()).collect();
    let ratios = measured.iter().flat_map(|own| &own.points);
    let [least, most] = ratios.fold([1.0_f64; 2], |[least, most], (_, ratio)| {
        [least.min(*ratio), most.max(*ratio)]
    });
    let labels = values
        .iter()
        .map(|x| spec.show(spec.x, &Held::Number(*x)))
        .collect();
    let axes = [
        (spec.title_of(spec.x), Scale::ordinal(labels)),
        (String::new(), Scale::around(least, most)),
    ];
    let axes = axes.map(|(title, scale)| AxisSpec { title, scale });
    let ends = [-0.5, values.len() as f64 - 0.5].map(|x| (x, 1.0));
    let one = Series {
        markers: Markers::None,
        ..series((String::new(), Look::REFERENCE), Join::Solid, ends.into())
    };
    let before = if all.len() > 1 { "all: " } else { "" };
    let heading = Some(format!("{before}predicted / measured"));
    let drawn = || [one].into_iter().chain(measured.clone()).collect();
    (!measured.is_empty()).then(|| Panel::new(heading, axes, drawn()))
}
