//! Formulas that users state: exact arithmetic on the values of a point.
//!
//! ```text
//! formula = "<="? sum
//! sum     = product (("+" | "-") product)*
//! product = power (("*" | "/" | "%") power)*
//! power   = ("-" power) | value ("^" power)?
//! value   = number | axis | name "(" sum ("," sum)* ")" | "(" sum ")"
//! ```
//!
//! Numbers are fractions of 128 bits, so that nothing is rounded unless `ceil` or `floor` rounds it. A logarithm of another number
//! than a power of its base has a value only inside of these two. With `<=` the value is an upper bound of the cost.

use std::fmt;

use algorithms::error::Error;
use algorithms::internals::collectives::PortRule;
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, ToPrimitive as _, Zero as _};

use super::point::PlanPoint;
use crate::base::units::{MAX_REPEATED, shortened};

type Number = Ratio<i128>;

/// Deepest nesting of a formula.
const MAX_DEPTH: usize = 64;
/// Longest formula, in bytes.
const MAX_LENGTH: usize = 10_000;

/// A formula and its text.
pub struct Formula {
    text: String,
    /// Whether it is an upper bound of the cost.
    pub is_bound: bool,
    steps: Vec<Step>,
}

/// A step of a formula in postfix order. A tree of them would be followed, and dropped, as deep as a sum is long.
enum Step {
    Number(i128),
    Axis(&'static str),
    Pair(char),
    /// A function and how many arguments it has.
    Call(&'static str, usize),
    /// A logarithm inside of `ceil` or `floor`: rounded up or not, and how many arguments it has.
    Log(bool, usize),
}

/// The rule of ports: 1 with duplex ones, else 0. Names of files and questions have the rule as a word.
const DUPLEX: &str = "duplex";

/// The functions. The last five are times of a message of s words, as `D(s)`; `c(s)` is the time to combine its words.
const FUNCTIONS: [&str; 11] = [
    "ceil", "floor", "log2", "log", "min", "max", "D", "L", "o", "g", "c",
];

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// The column, and what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("expected at most {MAX_LENGTH} characters"));
        }
        let mut parser = Parser {
            text,
            at: 0,
            depth: 0,
            steps: Vec::new(),
        };
        let is_bound = parser.take("<").is_some();
        if is_bound && !parser.text[parser.at..].starts_with('=') {
            return Err(parser.expected("`=` after `<`"));
        }
        parser.at += usize::from(is_bound);
        parser.sum()?;
        match parser.peek() {
            None => Ok(Self {
                text: text.to_owned(),
                is_bound,
                steps: parser.steps,
            }),
            Some(_) => Err(parser.expected("an operator or the end")),
        }
    }

    /// The value at a point.
    ///
    /// # Errors
    /// [`Error::Overflow`]; [`Error::Given`] where it is no cost.
    pub fn at(&self, point: &PlanPoint) -> Result<u64, Error> {
        // Every row of a sweep can have this text.
        let text = || shortened(&self.text, MAX_REPEATED);
        let given =
            |reason: &dyn fmt::Display| Error::Given(format!("the formula `{}` {reason}", text()));
        let value = self.value(point).map_err(|error| match error {
            Error::Given(reason) => given(&reason),
            other => other,
        })?;
        if !value.is_integer() {
            return Err(given(&format_args!(
                "is {value} here; expected a whole number: round with ceil(..) or floor(..)"
            )));
        }
        match value.to_integer() {
            cost @ ..0 => Err(given(&format_args!(
                "is {cost} here; expected a cost, which is not negative"
            ))),
            cost => u64::try_from(cost).map_err(|_| Error::Overflow),
        }
    }

    fn value(&self, point: &PlanPoint) -> Result<Number, Error> {
        let whole = |value: u64| Number::from_integer(value.into());
        let mut stack: Vec<Number> = Vec::new();
        for step in &self.steps {
            let values = stack.split_off(stack.len().saturating_sub(step.operands()));
            stack.push(match (step, &values[..]) {
                (Step::Number(number), _) => Number::from_integer(*number),
                (Step::Axis(DUPLEX), _) => whole(u64::from(point.task.rule == PortRule::Duplex)),
                (Step::Axis(key), _) => whole(point.value(key).unwrap_or_default()),
                (Step::Pair(operator), &[left, right]) => pair(*operator, left, right)?,
                (Step::Log(is_up, _), &[of, ..]) => log(of, base(&values), *is_up)?,
                (Step::Call(name, _), values @ &[of, ..]) => call(name, of, values, point)?,
                (Step::Pair(_) | Step::Log(..) | Step::Call(..), _) => Number::zero(),
            });
        }
        Ok(stack.pop().unwrap_or_default())
    }
}

impl Step {
    /// How many values it takes from the stack.
    fn operands(&self) -> usize {
        match self {
            Self::Number(_) | Self::Axis(_) => 0,
            Self::Pair(_) => 2,
            Self::Log(_, arguments) | Self::Call(_, arguments) => *arguments,
        }
    }
}

/// Reads a text into steps. A function of it that reads a part adds the steps of that.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    steps: Vec<Step>,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: &str) -> Option<char> {
        let next = self.peek().filter(|next| wanted.contains(*next))?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn expected(&self, what: &str) -> String {
        let found = self.text[self.at..]
            .chars()
            .next()
            .map_or("the end".to_owned(), |found| format!("`{found}`"));
        self.error(self.at, format_args!("expected {what}, found {found}"))
    }

    fn error(&self, at: usize, what: impl fmt::Display) -> String {
        format!("column {}: {what}", self.text[..at].chars().count() + 1)
    }

    fn word(&mut self, is_part: impl Fn(char) -> bool) -> &str {
        let rest = &self.text[self.at..];
        let end = rest.find(|next| !is_part(next)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn pairs(
        &mut self,
        operators: &str,
        next: impl Fn(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        next(self)?;
        while let Some(operator) = self.take(operators) {
            next(self)?;
            self.steps.push(Step::Pair(operator));
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), String> {
        self.pairs("+-", |parser| parser.pairs("*/%", Self::power))
    }

    fn power(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("expected at most {MAX_DEPTH} levels of nesting"));
        }
        if self.take("-").is_some() {
            self.steps.push(Step::Number(0));
            self.power()?;
            self.steps.push(Step::Pair('-'));
        } else {
            self.value()?;
            if self.take("^").is_some() {
                self.power()?;
                self.steps.push(Step::Pair('^'));
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn value(&mut self) -> Result<(), String> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.sum()?;
                self.take(")").map(drop).ok_or_else(|| self.expected("`)`"))
            }
            Some('0'..='9') => {
                let begin = self.at;
                let number = self.word(|next| next.is_ascii_digit()).parse();
                let number =
                    number.map_err(|_| self.error(begin, "expected a number below 2^127"))?;
                self.steps.push(Step::Number(number));
                Ok(())
            }
            Some(next) if next.is_ascii_alphabetic() => self.named(),
            _ => Err(self.expected("a number, an axis, a function or `(`")),
        }
    }

    fn named(&mut self) -> Result<(), String> {
        let begin = self.at;
        let name = self.word(|next| next.is_ascii_alphanumeric()).to_owned();
        let is_call = self.take("(").is_some();
        let axes = [&PlanPoint::KEYS[..], &[DUPLEX]].concat();
        let (what, known) = if is_call {
            ("function", &FUNCTIONS[..])
        } else {
            ("axis", &axes[..])
        };
        let wanted = if !is_call && name == "bytes" {
            "n"
        } else {
            &name
        };
        let found = known
            .iter()
            .copied()
            .find(|known| *known == wanted)
            .ok_or_else(|| {
                let (name, known) = (shortened(&name, MAX_REPEATED), known.join(", "));
                self.error(
                    begin,
                    format_args!("there is no {what} `{name}`; expected one of {known}"),
                )
            })?;
        if !is_call {
            self.steps.push(Step::Axis(found));
            return Ok(());
        }
        self.sum()?;
        let mut arguments = 1;
        while self.take(",").is_some() {
            self.sum()?;
            arguments += 1;
        }
        self.take(")").ok_or_else(|| self.expected("`,` or `)`"))?;
        match found {
            "min" | "max" => {}
            "log" if arguments == 2 => {}
            "log" => {
                let has = "`log` has two arguments, as in log(K, 3)";
                return Err(self.error(begin, has));
            }
            _ if arguments == 1 => {}
            _ => return Err(self.error(begin, format_args!("`{name}` has one argument"))),
        }
        let is_log = |last: &mut Step| matches!(last, Step::Call("log2" | "log", _));
        let is_rounded = matches!(found, "ceil" | "floor");
        let step = match self.steps.pop_if(|last| is_rounded && is_log(last)) {
            Some(log) => Step::Log(found == "ceil", log.operands()),
            None => Step::Call(found, arguments),
        };
        self.steps.push(step);
        Ok(())
    }
}

/// The value of a function; `of` is its first argument.
fn call(name: &str, of: Number, values: &[Number], point: &PlanPoint) -> Result<Number, Error> {
    Ok(match name {
        "min" => values.iter().copied().fold(of, Number::min),
        "max" => values.iter().copied().fold(of, Number::max),
        "ceil" => -floor(-of),
        "floor" => floor(of),
        "log2" | "log" => {
            let [low, high] = [false, true].map(|is_up| log(of, base(values), is_up));
            let (low, high) = (low?, high?);
            if low != high {
                let all: Vec<String> = values.iter().map(ToString::to_string).collect();
                let all = all.join(", ");
                return Err(Error::Given(format!(
                    "has {name}({all}), which is no whole number; write ceil({name}(..)) or floor({name}(..))"
                )));
            }
            high
        }
        _ => Number::from_integer(message(name, of, point)?.into()),
    })
}

/// The largest whole number that is not above this one. [`Number::floor`] adds before it divides, which can overflow.
fn floor(of: Number) -> Number {
    Number::from_integer(of.numer().div_euclid(*of.denom()))
}

fn pair(operator: char, left: Number, right: Number) -> Result<Number, Error> {
    if matches!(operator, '/' | '%') && right.is_zero() {
        return Err(Error::Given(format!("divides {left} by 0 here")));
    }
    let value = match operator {
        '+' => left.checked_add(&right),
        '-' => left.checked_sub(&right),
        '*' => left.checked_mul(&right),
        '/' => left.checked_div(&right),
        // What is left of whole multiples.
        '%' => left
            .checked_div(&right)
            .and_then(|times| left.checked_sub(&floor(times).checked_mul(&right)?)),
        _ => {
            let exponent = right
                .is_integer()
                .then(|| right.to_integer())
                .filter(|exponent| (0..128).contains(exponent));
            let reason = || {
                Error::Given(format!(
                    "has the power {left}^{right}; expected a whole exponent from 0 to 127"
                ))
            };
            (0..exponent.ok_or_else(reason)?)
                .try_fold(Number::from_integer(1), |power, _| power.checked_mul(&left))
        }
    };
    // -2^127 is the one number whose negative is none.
    value
        .filter(|value| *value.numer() != i128::MIN)
        .ok_or(Error::Overflow)
}

/// The base of a logarithm with these arguments.
fn base(values: &[Number]) -> Number {
    values.get(1).copied().unwrap_or(Number::from_integer(2))
}

/// The logarithm of a number, rounded up or down.
fn log(of: Number, base: Number, is_up: bool) -> Result<Number, Error> {
    if of < Number::from_integer(1) {
        return Err(Error::Given(format!(
            "has a logarithm of {of} here; expected a number of at least 1"
        )));
    }
    if !base.is_integer() || base < Number::from_integer(2) {
        return Err(Error::Given(format!(
            "has a logarithm to base {base} here; expected a whole base of at least 2"
        )));
    }
    let (floor, power) = std::iter::successors(Some(Number::from_integer(1)), |power| {
        power.checked_mul(&base).filter(|next| *next <= of)
    })
    .enumerate()
    .last()
    .unwrap_or_default();
    let exponent = floor + usize::from(is_up && power != of);
    Ok(Number::from_integer(exponent as i128))
}

/// A time of a message with this number of words: the one with the letter `of`, which docs/model.md defines.
fn message(of: &str, words: Number, point: &PlanPoint) -> Result<u64, Error> {
    let whole = words
        .is_integer()
        .then(|| words.to_integer().to_u64())
        .flatten();
    let whole = whole.ok_or_else(|| {
        Error::Given(format!(
            "has {of}({words}); expected a whole number of words"
        ))
    })?;
    let failed = |error: Error| match error {
        Error::Overflow => Error::Overflow,
        other => Error::Given(format!("has {of}({whole}): {other}")),
    };
    let model = point.task.machine.at(whole).map_err(failed)?;
    Ok(match of {
        "D" => model.D(),
        "L" => model.L(),
        "o" => model.o(),
        "g" => model.gap(),
        _ => {
            return point
                .task
                .combining(whole / point.task.element)
                .map_err(failed);
        }
    })
}

#[cfg(test)]
mod tests {
    use algorithms::internals::collectives::Task;
    use algorithms::internals::engine::Machine;
    use algorithms::logp::LogP;

    use super::*;

    fn value(text: &str) -> Result<u64, String> {
        let task = Task::new(Machine::Words(LogP::new(6, 2, 4).unwrap()), 12, 100, 3);
        let point = PlanPoint::new(&task).unwrap();
        Formula::parse(text)?
            .at(&point)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn arithmetic_is_exact() {
        for (text, expected) in [
            ("ceil(log2(K)) * (L + 2*o)", 4 * 10),
            ("floor(log2(K))", 3),
            ("log2(16) - -2^2^1", 8),
            ("ceil(n / 3) + floor(n/3) % 7 + n/8*2", 34 + 33 % 7 + 25),
            ("min(K, 7, n) * max(1/2, 1/3) * 2", 7),
            ("D(n) + c(n) + g(1) - g", 6 + 4 + 99 * 4 + 300),
            ("2 - 1 - 1", 0),
            (" bytes ", 100),
            ("7 + duplex", 7),
            ("ceil(log(K, 3)) * 10 + floor(log(n, 10))", 3 * 10 + 2),
            ("log(81, 3) + log(K, K)", 5),
            ("<= 2 * K", 24),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_cost_is_named() {
        let deep = "(".repeat(1000);
        for (text, reason) in [
            (
                "K +",
                "column 4: expected a number, an axis, a function or `(`, found the end",
            ),
            (
                "K K",
                "column 3: expected an operator or the end, found `K`",
            ),
            ("x", "column 1: there is no axis `x`"),
            ("sin(K)", "column 1: there is no function `sin`"),
            ("log2(K, 2)", "column 1: `log2` has one argument"),
            (
                "log(K)",
                "column 1: `log` has two arguments, as in log(K, 3)",
            ),
            ("log(n, 3)", "has log(100, 3), which is no whole number"),
            (
                "log(n, 1)",
                "a logarithm to base 1 here; expected a whole base",
            ),
            ("< K", "column 2: expected `=` after `<`, found ` `"),
            ("(K", "column 3: expected `)`, found the end"),
            ("é", "column 1: expected a number"),
            (&deep, "expected at most 64 levels"),
            ("n / 3", "is 100/3 here; expected a whole number"),
            ("K - n", "is -88 here; expected a cost"),
            ("1 / (K - 12)", "divides 1 by 0"),
            ("log2(K)", "has log2(12), which is no whole number"),
            ("2^200", "has the power 2^200"),
            ("2^127", "does not fit in 64 bits"),
            (
                "99999999999999999999999999999999999999999",
                "expected a number below 2^127",
            ),
        ] {
            let found = value(text).unwrap_err();
            assert!(found.contains(reason), "{text}: {found}");
        }
    }
}
