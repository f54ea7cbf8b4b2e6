#[test]
fn explore() {
    for claim in algorithms::claims::all() {
        let start = std::time::Instant::now();
        match claim.judge(0..claim.grid_points()) {
            Ok(t) => println!(
                "{:28} {} {:6}/{:8} {:?} {:?}",
                claim.id,
                if t.holds() { "holds" } else { "FAILS" },
                t.failures,
                t.points,
                start.elapsed(),
                t.counterexample()
            ),
            Err(e) => println!("{e}"),
        }
    }
}
