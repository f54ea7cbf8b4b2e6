//! Open MPI's default choices, the sizes that its rules files compare, and what runs where an algorithm cannot: asked of
//! the installed library by a program instead of its algorithms.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use castbench::libraries::{self, Call, Function, Library, Numbered, Size};

use super::libraries::{compile, tool};
use crate::common::openmpi::STARTS;

/// A question: the number to demand and its segment size, or none; the ranks, 0 for the real ones; elements, and their
/// size.
#[derive(Clone, Copy)]
struct Question {
    function: &'static Function,
    demanded: Option<(u32, u64)>,
    K: u64,
    count: u64,
    element: u64,
}

impl Question {
    /// Bytes of the operand: the mean of the blocks of an allgatherv, all of whose elements are in one block.
    fn bytes(&self) -> u64 {
        let all = self.count * self.element;
        match self.function.name {
            "MPI_Allgatherv" => all / self.K,
            _ => all,
        }
    }
}

/// Open MPI, and the compiled program.
struct Installed {
    directory: tempfile::TempDir,
    program: PathBuf,
    library: Library,
}

impl Installed {
    fn new(library: Library) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let program = compile(library, "mpi_defaults.c", directory.path());
        Self {
            directory,
            program,
            library,
        }
    }

    /// The numbers and segment sizes that the library answers on so many real ranks, with parameters.
    fn answers(
        &self,
        ranks: u64,
        questions: &[Question],
        parameters: &[(&str, &str)],
    ) -> Vec<(u32, u64)> {
        let directory = self.directory.path();
        let lines = questions.iter().fold(String::new(), |mut lines, question| {
            let Question {
                function,
                demanded,
                K,
                count,
                element,
            } = question;
            let (number, segment) =
                demanded.map_or((-1, 0), |(number, segment)| (i64::from(number), segment));
            let _ = writeln!(
                lines,
                "{} {number} {segment} {K} {count} {element}",
                function.name
            );
            lines
        });
        fs::write(directory.join("questions"), lines).unwrap();
        let mut command = Command::new(tool(self.library, "mpirun"));
        command
            .current_dir(directory)
            .env("TMPDIR", directory)
            .args(["--oversubscribe", "-n", &ranks.to_string()]);
        command.envs(STARTS);
        for (key, value) in parameters {
            command.args(["--mca", key, value]);
        }
        let output = command
            .arg(&self.program)
            .arg("questions")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).unwrap();
        let answer = |line: &str| {
            let (number, segment) = line.split_once(' ').unwrap();
            (number.parse().unwrap(), segment.parse().unwrap())
        };
        let answers: Vec<_> = text.lines().map(answer).collect();
        assert_eq!(answers.len(), questions.len(), "{text}");
        answers
    }
}

/// Those with algorithms, one for each number.
fn functions() -> Vec<&'static Function> {
    let all = libraries::functions().chain(libraries::functions_of_sizes());
    let by_number: BTreeMap<u32, _> = all
        .filter(|function| !function.algorithms(Library::OpenMpi4).is_empty())
        .map(|function| (function.number, function))
        .collect();
    by_number.into_values().collect()
}

/// The choice at every power of two and one below, at every K where one may change and one below; so at each threshold.
fn defaults_are_those_of_the_library(library: Library) {
    let installed = Installed::new(library);
    let ranks: Vec<u64> = (1..=12)
        .flat_map(|log| [1 << log, (1 << log) + 1, (2 << log) - 1])
        .collect();
    let sizes: Vec<u64> = (0..=24)
        .flat_map(|log| [1 << log, (2 << log) - 1])
        .collect();
    let mut questions = Vec::new();
    for function in functions() {
        for &K in &ranks {
            let question = Question {
                function,
                demanded: None,
                K,
                count: 0,
                element: 1,
            };
            questions.extend(sizes.iter().map(|&count| Question { count, ..question }));
            questions.extend(sizes.iter().map(|&count| Question {
                count,
                element: 8,
                ..question
            }));
        }
    }
    for (question, answer) in questions.iter().zip(installed.answers(2, &questions, &[])) {
        let Question {
            function,
            K,
            count,
            element,
            ..
        } = question;
        // All elements are in one block.
        let ranks = if function.name == "MPI_Allgatherv" {
            *K
        } else {
            1
        };
        let expected = function.decided(*K, count * element / ranks);
        assert_eq!(
            answer,
            (expected, 0),
            "{}, K = {K}, {count} elements of {element} bytes",
            function.name
        );
    }
}

/// The switch of a rules file with two rules lies where the quantity of the collective has the second size.
fn rules_compare_the_quantity_of_the_collective(library: Library) {
    const SECOND: u64 = 192;
    let installed = Installed::new(library);
    let functions: Vec<_> = functions()
        .into_iter()
        .filter(|function| function.name != "MPI_Barrier")
        .collect();
    let mut rules = format!("{}\n", functions.len());
    for function in &functions {
        let _ = writeln!(rules, "{} 1 2 2 0 1 0 0 {SECOND} 2 0 0", function.number);
    }
    let path = installed.directory.path().join("rules");
    fs::write(&path, rules).unwrap();
    let mut questions = Vec::new();
    for &function in &functions {
        for K in [2, 3, 5, 24, 64, 200] {
            for element in [1, 4, 8] {
                let counts = (1..=12).chain([23, 24, 47, 48, 49, 63, 64, 95, 96, 191, 192, 193]);
                questions.extend(counts.map(|count| Question {
                    function,
                    demanded: None,
                    K,
                    count,
                    element,
                }));
            }
        }
    }
    let parameters = [
        ("coll_tuned_use_dynamic_rules", "1"),
        ("coll_tuned_dynamic_rules_filename", path.to_str().unwrap()),
    ];
    for (question, (number, _)) in
        questions
            .iter()
            .zip(installed.answers(2, &questions, &parameters))
    {
        let Question {
            function,
            K,
            count,
            element,
            ..
        } = *question;
        // All elements of the reduce-scatter are in one block.
        let quantity = match function.name {
            "MPI_Reduce_scatter" => Size::Operand,
            _ => function.size,
        };
        let size = quantity.bytes(Call {
            K,
            bytes: question.bytes(),
            element,
        });
        let expected = if size < SECOND { 1 } else { 2 };
        assert_eq!(
            number, expected,
            "{}, K = {K}, {count} elements of {element} bytes",
            function.name
        );
    }
}

/// Each algorithm of the catalogue runs if it is demanded, with its segment size; for short vectors another one runs.
fn short_vectors_run_other_algorithms(library: Library) {
    let installed = Installed::new(library);
    let mut others = 0;
    for K in [2, 3, 4, 5] {
        let mut questions = Vec::new();
        // A program cannot demand an allgatherv.
        let demanded = functions()
            .into_iter()
            .filter(|function| function.name != "MPI_Allgatherv");
        for function in demanded {
            for &&Numbered {
                number,
                reads_segment,
                ..
            } in function.algorithms(Library::OpenMpi4)
            {
                let segments: &[u64] = if reads_segment {
                    &[0, 4, 80, 84, 85]
                } else {
                    &[0]
                };
                let counts = (1..=24).chain([4 * K, 10 * K - 1, 10 * K, 11 * K - 1, 11 * K]);
                questions.extend(segments.iter().flat_map(|&segment| {
                    let demanded = Some((number, segment));
                    counts.clone().map(move |count| Question {
                        function,
                        demanded,
                        K: 0,
                        count,
                        element: 8,
                    })
                }));
            }
        }
        let parameters = [
            ("coll_tuned_use_dynamic_rules", "1"),
            ("mpi_yield_when_idle", "1"),
        ];
        for (question, (answer, _)) in
            questions
                .iter()
                .zip(installed.answers(K, &questions, &parameters))
        {
            let Question {
                function,
                demanded,
                count,
                element,
                ..
            } = *question;
            let (number, segment) = demanded.unwrap();
            let expected = function.runs_as(
                number,
                segment,
                Call {
                    K,
                    bytes: count * element,
                    element,
                },
            );
            others += usize::from(expected != number);
            assert_eq!(
                answer, expected,
                "{} {number}, K = {K}, {count} elements, {segment}",
                function.name
            );
        }
    }
    assert!(others > 200, "{others}");
}

#[test]
#[ignore = "needs Open MPI"]
fn decisions_of_open_mpi() {
    defaults_are_those_of_the_library(Library::OpenMpi4);
    rules_compare_the_quantity_of_the_collective(Library::OpenMpi4);
    short_vectors_run_other_algorithms(Library::OpenMpi4);
}

#[test]
#[ignore = "needs Open MPI 5.0"]
fn decisions_of_open_mpi_5() {
    defaults_are_those_of_the_library(Library::OpenMpi5);
    rules_compare_the_quantity_of_the_collective(Library::OpenMpi5);
    short_vectors_run_other_algorithms(Library::OpenMpi5);
}
