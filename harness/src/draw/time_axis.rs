//! The time axis above bars.

use crate::base::units::grouped;
use crate::draw::chart::style::{FAINT_INK, GRID};
use crate::draw::chart::svg::{ABOVE, Sheet, text, text_width};

/// Size of the letters.
const LABEL: f64 = 12.0;

/// Draws ticks from 0 to `finish`, as lines from `top` to `bottom`; `x` maps a time to its pixel.
pub fn draw(sheet: &Sheet<'_>, finish: u64, x: &dyn Fn(u64) -> f64, (top, bottom): (f64, f64)) {
    let widest = (text_width(&grouped(finish), LABEL) + 14.0).max(40.0);
    let mut step: u64 = 1;
    while x(step) - x(0) < widest && step < finish {
        // 1, 2, 5, 10, 20, 50, ...
        step = if step.to_string().starts_with('2') {
            step / 2 * 5
        } else {
            step * 2
        };
    }
    let regular = (0..=finish / step).map(|tick| tick * step);
    for time in regular
        .filter(|time| x(finish) - x(*time) > widest)
        .chain([finish])
    {
        sheet.line(&[(x(time), top - 4.0), (x(time), bottom)], GRID, 1.0);
        sheet.write(
            &grouped(time),
            (x(time), top - 8.0),
            &text(LABEL, FAINT_INK, ABOVE),
        );
    }
}
