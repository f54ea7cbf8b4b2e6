//! Statements of the papers and their known errors, each checked as a claim.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use castbench_algorithms::internals::logp::multicast::Multicast;
use castbench_algorithms::internals::logp::multicast::fibonacci::Fibonacci;
use castbench_algorithms::internals::logp::multicast::optimal;
use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::multicast::Routing as _;
use castbench_algorithms::internals::mesh::multicast::dual_path::DualPath;
use castbench_algorithms::internals::mesh::multicast::unicast::Unicast;
use castbench_algorithms::logp::LogP;
use num_bigint::BigInt;
use num_rational::BigRational;

fn model(L: u64, o: u64, g: u64) -> LogP {
    LogP::new(L, o, g).unwrap()
}

fn fibonacci(model: LogP, K: u64) -> u64 {
    Fibonacci.time(model, K, 1).unwrap()
}

/// The mean ratio over K <= 3000 by g/D. It is far from the optimum for L + 2o >> g, the paper's best case.
#[test]
fn mean_ratio_to_the_optimum() {
    for (g, percent) in [(50, 116), (40, 108), (25, 122), (10, 162), (1, 290)] {
        let machine = model(100, 0, g);
        let ratios = (2..=3000u64).map(|K| {
            let optimum = optimal::time(machine, K).unwrap();
            BigRational::new(BigInt::from(fibonacci(machine, K)), BigInt::from(optimum)).to_f64()
        });
        let mean = ratios.sum::<f64>() / 2999.0;
        assert_eq!(
            format!("{:.0}", mean * 100.0),
            percent.to_string(),
            "g/D = {g}/100"
        );
    }
}

trait ToF64 {
    fn to_f64(&self) -> f64;
}

impl ToF64 for BigRational {
    fn to_f64(&self) -> f64 {
        num_traits::ToPrimitive::to_f64(self).unwrap()
    }
}

/// The dual-path paper draws K uniformly from 0..63: unicasts use 168 links on average, dual-path 49.4.
#[test]
fn the_draw_of_figure_3() {
    let mesh = Mesh::new(8, 8).unwrap();
    let mean = |expected: &dyn Fn(u32) -> BigRational| {
        (0..64).map(expected).sum::<BigRational>() / BigRational::from_integer(BigInt::from(64))
    };
    assert_eq!(
        mean(&|K| Unicast.expected_links(mesh, K).unwrap()).to_integer(),
        BigInt::from(168)
    );
    assert_eq!(
        format!(
            "{:.1}",
            mean(&|K| DualPath.expected_links(mesh, K).unwrap()).to_f64()
        ),
        "49.4"
    );
}
