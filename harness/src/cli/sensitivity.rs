//! Arguments and help of `sensitivity`.

use clap::Args;

use super::PointArgs;
use crate::print::Format;

pub(super) const SENSITIVITY_HELP: &str = "Examples:
  castbench sensitivity fibonacci -L 6 -o 2 -g 4 -K 18
  castbench sensitivity optimal --machine ethernet100-switched --bytes 1MiB -K 18 --format json
  castbench sensitivity segmented-chain --machine ethernet100-switched --bytes 64KiB -K 4 -m 8

The cost is linear in each parameter between breakpoints. A slope is the growth of the cost per unit, below or above \
the value; it holds up to a stated value, an integer or a fraction `num/den`. In CSV and JSON `up_to_is` and \
`down_to_is` say what that value is: a breakpoint, zero, no end, or the end of the search (`optimal` on extreme \
machines).";

/// Arguments of `sensitivity`.
#[derive(Debug, Args)]
pub struct Sensitivity {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
