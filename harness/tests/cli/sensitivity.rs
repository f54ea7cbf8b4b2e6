//! `castbench sensitivity` between breakpoints, at one, and beyond simulation.

use crate::common::stdout;
use insta::assert_snapshot;

fn answer(line: &str) -> String {
    stdout(&["sensitivity"].into_iter().chain(line.split(' ')).collect::<Vec<_>>())
}

#[test]
fn for_people() {
    for line in [
        "fibonacci -L 6 -o 2 -g 4 -K 18",
        // A breakpoint: several critical paths have different counts.
        "optimal -L 6 -o 2 -g 4 -K 1024",
        // The overhead, not the gap, separates two sends.
        "flat -L 6 -o 5 -g 4 -K 12",
        "halving --machine ethernet100-switched --bytes 1MiB -K 18",
        "chain -L 6 -o 2 -g 4 -K 1",
    ] {
        assert_snapshot!(line.replace(' ', "_"), answer(line));
    }
}

/// The contract of JSON and CSV: integers are numbers, fractions text, missing values null or empty.
#[test]
fn for_programs() {
    for line in ["optimal -L 6 -o 2 -g 4 -K 1024", "halving -L 6 -o 0 -g 4 -K 12 --source 5"] {
        let (json, csv) = (answer(&format!("{line} --format json")), answer(&format!("{line} --format csv")));
        assert_snapshot!(format!("{}_for_programs", line.replace(' ', "_")), format!("{json}\n{csv}"));
    }
}
