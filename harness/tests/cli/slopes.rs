//! `castbench cost --slopes` between breakpoints, at one, and beyond simulation.

use crate::common::stdout;
use insta::assert_snapshot;

fn answer(line: &str) -> String {
    stdout(
        &["cost", "--slopes"]
            .into_iter()
            .chain(line.split(' '))
            .collect::<Vec<_>>(),
    )
}

/// Answers as text; of a breakpoint, where critical paths have different counts, as JSON and CSV. In those integers
/// are numbers, fractions text, missing values null or empty. The guide has a point between breakpoints.
#[test]
fn answers() {
    let mut all = String::new();
    for line in [
        "optimal -L 6 -o 2 -g 4 -K 1024 --format json",
        "optimal -L 6 -o 2 -g 4 -K 1024 --format csv",
        "halving -L 6 -o 0 -g 4 -K 12 --source 5 --format csv",
        // The overhead, not the gap, separates two sends.
        "flat -L 6 -o 5 -g 4 -K 12",
        "halving --machine ethernet100-switched --bytes 1MiB -K 18",
    ] {
        all += &format!("$ castbench cost --slopes {line}\n");
        answer(line)
            .lines()
            .filter(|line| !line.is_empty())
            .for_each(|line| all += &format!("{line}\n"));
    }
    assert_snapshot!(all);
}
