//! The command line of the verbs that only compute: `cost`, `best`, `show` and `export`.

use algorithms::catalogue;
use algorithms::cost::Limits;
use algorithms::internals::mesh::wormhole;
use algorithms::problem::{Entry, Kind, Sides};
use castbench::base::failure::{Code, Failure};
use castbench::base::units::{parse_count, parse_mesh};
use castbench::print::Format;
use castbench::verbs;
use castbench::verbs::best::Best;
use castbench::verbs::cli::{Cli, Verb};
use castbench::verbs::cost::Cost;
use castbench::verbs::export::{Export, ExportFormat};
use castbench::verbs::options::{PointArgs, Printed};
use castbench::verbs::show::Show;
use castbench::verify::goal::reader;
use clap::Parser as _;
use num_rational::BigRational;
use serde_json::Value;

use crate::promise::{LIMITS, is_large, refused};

/// The most nodes of a tree whose schedule is exported: a few milliseconds.
const MAX_TRACED: u64 = 4096;
/// The most random multicasts.
const MAX_TRIALS: u64 = 20;
/// The most nodes of a tree that is traced.
const MAX_NODES: u64 = Limits::MAX_NODES;

/// Runs the words of the text as arguments, unless that may take long. A second run gives the same answer, and no cost
/// is below its bound.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let arguments = ["castbench"].into_iter().chain(text.split_whitespace());
    match Cli::try_parse_from(arguments) {
        Ok(cli) => answered(cli.verb),
        Err(error) => assert!(
            !error.to_string().trim().is_empty(),
            "a refusal that says nothing: {:?}",
            error.kind()
        ),
    }
}

fn answered(verb: Verb) {
    let mut out = Vec::new();
    let point = match &verb {
        Verb::Cost(Cost { point, .. })
        | Verb::Show(Show { point, .. })
        | Verb::Export(Export { point, .. }) => Some(point),
        _ => None,
    };
    // Standard input has no end here.
    if point.is_some_and(|point| point.algorithm == "-") {
        return;
    }
    let result = match verb {
        Verb::Cost(arguments) if arguments.slopes || arguments.ends => {
            if !is_short(&arguments.point) {
                return;
            }
            verbs::cost::answer(&arguments, &LIMITS, &mut out, &mut |_| ())
        }
        Verb::Cost(arguments) => return cost(arguments),
        Verb::Best(arguments) => best(arguments, &mut out),
        // Drawings stay in memory.
        Verb::Show(arguments) if has_few_operands(&arguments.point) => verbs::show::answer(
            &Show {
                svg: None,
                ..arguments
            },
            &mut out,
        ),
        Verb::Export(arguments) if is_short(&arguments.point) => {
            let arguments = Export {
                format: ExportFormat::Goal,
                out: None,
                ..arguments
            };
            verbs::export::answer(&arguments, &mut out, &mut |_| ()).map(|()| {
                assert!(reader::read(&out).is_ok(), "what was exported is not read");
            })
        }
        _ => return,
    };
    match result {
        Ok(()) => assert!(!out.is_empty(), "no answer"),
        Err(failure) => typed(&failure),
    }
}

/// A refusal of the arguments.
fn typed(failure: &Failure) {
    refused(failure, &[Code::Usage, Code::Configuration], &[]);
}

/// Whether no large execution is traced.
fn is_short(point: &PointArgs) -> bool {
    let is_long =
        |id| typed_count(point, id).is_some_and(|nodes| (MAX_TRACED..=MAX_NODES).contains(&nodes));
    !is_long("K") && !is_long("P") && has_few_operands(point)
}

/// They are added one by one.
fn has_few_operands(point: &PointArgs) -> bool {
    typed_count(point, "operands").is_none_or(|operands| operands <= LIMITS.hops)
}

/// The number behind an option, if it is one.
fn typed_count(point: &PointArgs, id: &str) -> Option<u64> {
    point.get(id).and_then(|text| parse_count(text).ok())
}

/// Whether the point is on a mesh that takes long.
fn is_on_large_mesh(point: &PointArgs) -> bool {
    let axes = catalogue::find(&point.algorithm).map_or(&[][..], |entry| entry.axes());
    axes.iter()
        .filter(|axis| axis.kind == Kind::Sides)
        .any(|axis| {
            let both = axis.long.and_then(|long| point.get(long));
            let sides = both.or_else(|| point.get(axis.key)).map(parse_mesh);
            sides
                .and_then(Result::ok)
                .map(Sides::from_value)
                .is_some_and(is_large)
        })
}

/// Lowers the number of random multicasts, unless it must be refused.
fn few_trials(point: &mut PointArgs) {
    const TRIALS: &str = "trials";
    let draws = |entry: Entry| entry.axes().iter().any(|axis| axis.key == TRIALS);
    let is_kept = match point.get(TRIALS) {
        Some(_) => typed_count(point, TRIALS)
            .is_none_or(|trials| trials > wormhole::MAX_DRAWN || trials <= MAX_TRIALS),
        None => false,
    };
    if !is_kept && catalogue::find(&point.algorithm).is_some_and(draws) {
        point.set(TRIALS, Some(MAX_TRIALS.to_string()));
    }
}

fn best(mut arguments: Best, out: &mut Vec<u8>) -> Result<(), Failure> {
    // On meshes it takes long.
    let is_asked = |entry: &Entry| {
        arguments
            .problem
            .iter()
            .any(|name| entry.problem().name == name)
    };
    let mut asked = catalogue::entries().iter().filter(|entry| is_asked(entry));
    if asked.any(|entry| entry.axes().iter().any(|axis| axis.kind == Kind::Sides)) {
        return Ok(());
    }
    for values in arguments.plane.0.values_mut() {
        let few: Vec<&str> = values
            .split(',')
            .take(2)
            .map(|one| one.split("..").next().unwrap_or(one))
            .collect();
        *values = few.join(",");
    }
    verbs::best::answer(
        &Best {
            svg: None,
            ..arguments
        },
        out,
    )
    .map(|explanation| assert!(!explanation.is_empty()))
}

fn cost(mut arguments: Cost) {
    if is_on_large_mesh(&arguments.point) {
        return;
    }
    few_trials(&mut arguments.point);
    let ask = |format| {
        let mut out = Vec::new();
        let arguments = Cost {
            printed: Printed { format },
            point: arguments.point.clone(),
            network: arguments.network.clone(),
            ..arguments
        };
        verbs::cost::answer(&arguments, &LIMITS, &mut out, &mut |_| ()).map(|()| out)
    };
    match (ask(Format::Json), ask(arguments.printed.format)) {
        (Ok(json), Ok(answer)) => {
            not_below_bound(&json);
            match arguments.printed.format {
                // A header and a row.
                Format::Csv => assert_eq!(
                    csv::Reader::from_reader(answer.as_slice())
                        .records()
                        .count(),
                    1
                ),
                Format::Json => assert_eq!(json, answer),
                _ => assert!(answer.ends_with(b"\n")),
            }
        }
        (Err(failure), Err(_)) => typed(&failure),
        _ => panic!("an answer in some formats only: {arguments:?}"),
    }
}

fn not_below_bound(json: &[u8]) {
    let answer: Value = serde_json::from_slice(json).unwrap_or_else(|error| panic!("{error}"));
    // A number, a fraction `num/den`, or null.
    let exact = |key: &str| -> Option<BigRational> {
        let value = &answer[key];
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        (!value.is_null()).then(|| {
            text.parse()
                .unwrap_or_else(|error| panic!("{key} is {text}: {error}"))
        })
    };
    let bound = exact("lower_bound").unwrap_or_else(|| panic!("no lower bound: {answer}"));
    assert!(
        exact("analytic").is_none_or(|cost| cost >= bound),
        "below its bound: {answer}"
    );
}
