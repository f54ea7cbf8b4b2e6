//! docs/model.md suffices to rebuild numbers: a script with its formulas, without code of castbench, agrees.

use std::process::Command;

use super::ROOT;
use crate::common::castbench;

#[test]
#[ignore = "needs python3"]
fn a_script_with_the_formulas_of_the_page_agrees() {
    let script = format!("{ROOT}/docs/recompute.py");
    let run = Command::new("python3")
        .arg(script)
        .arg(castbench(&[]).get_program())
        .output()
        .unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    let agree = printed
        .lines()
        .filter(|line| line.starts_with("agrees "))
        .count();
    assert!(
        run.status.success(),
        "{printed}{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert!(agree >= 10, "only {agree} points:\n{printed}");
}
