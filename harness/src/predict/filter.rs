//! Expressions that select rows of a table by its columns: `nodes!=128`, `collective==allreduce,bcast && bytes<=1MiB`.

use std::collections::BTreeMap;

use crate::base::units::{joined, parse_bytes};

/// An expression: alternatives, each of conditions that must all hold.
#[derive(Debug, Clone)]
pub struct Filter {
    /// The expression as typed.
    pub text: String,
    any: Vec<Vec<Condition>>,
}

#[derive(Debug, Clone)]
struct Condition {
    column: String,
    /// The column's number is divided by this, and the remainder compared.
    modulus: Option<u64>,
    relation: &'static str,
    values: Vec<String>,
}

/// The longer ones first, because `<` begins `<=`.
const RELATIONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

impl Filter {
    /// Reads an expression. `&&` binds closer than `||`; `==` holds for any of the values between commas, `!=` for none.
    ///
    /// # Errors
    /// What is wrong, and an example.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(Self {
            text: text.to_owned(),
            any: text
                .split("||")
                .map(|text| text.split("&&").map(Condition::parse).collect())
                .collect::<Result<_, _>>()?,
        })
    }

    /// Whether a row is selected.
    ///
    /// # Errors
    /// A column that the row does not have, or does not hold a number in.
    pub fn keeps(&self, row: &BTreeMap<String, String>) -> Result<bool, String> {
        let mut keeps = false;
        // Every condition is evaluated, so that a wrong one is reported whatever the others say.
        for all in &self.any {
            let mut holds = true;
            for condition in all {
                holds &= condition.holds(row)?;
            }
            keeps |= holds;
        }
        Ok(keeps)
    }

    /// The values of == and != that none of the rows has: a sentence for each.
    pub fn without_rows<'a>(
        &self,
        rows: impl Iterator<Item = &'a BTreeMap<String, String>> + Clone,
    ) -> Vec<String> {
        let of_equality = |condition: &&Condition| ["==", "!="].contains(&condition.relation);
        let of_one = |condition: &Condition| {
            let one = |value: &String| Condition {
                relation: "==",
                values: vec![value.clone()],
                ..condition.clone()
            };
            condition.values.iter().map(one).collect::<Vec<_>>()
        };
        let conditions = self.any.iter().flatten().filter(of_equality);
        conditions
            .flat_map(of_one)
            .filter(|one| !rows.clone().any(|row| one.holds(row).unwrap_or(true)))
            .map(|one| {
                format!(
                    "no row has `{}` in the column `{}`",
                    one.values[0], one.column
                )
            })
            .collect()
    }
}

impl Condition {
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = |explanation: &str| {
            format!(
                "`{}`: {explanation}; write COLUMN RELATION VALUE, as in `nodes!=128 && collective==allreduce`",
                text.trim()
            )
        };
        let begin = text
            .find(['=', '!', '<', '>'])
            .ok_or_else(|| wrong("it has no relation"))?;
        let relation = RELATIONS
            .into_iter()
            .find(|relation| text[begin..].starts_with(relation))
            .ok_or_else(|| wrong("the relations are == != < <= > >="))?;
        let (column, modulus) = match text[..begin].split_once('%') {
            None => (&text[..begin], None),
            Some((column, modulus)) => {
                let modulus = modulus
                    .trim()
                    .parse()
                    .ok()
                    .filter(|&modulus: &u64| modulus > 0);
                (
                    column,
                    Some(modulus.ok_or_else(|| wrong("a whole number above 0 belongs after `%`"))?),
                )
            }
        };
        let given = text[begin + relation.len()..].split(',').map(str::trim);
        let is_several = |word: &str| {
            word.contains(|sign: char| sign.is_whitespace() || "=!<>&|;".contains(sign))
        };
        if is_several(column.trim())
            || given
                .clone()
                .any(|value| !value.starts_with(['"', '\'']) && is_several(value))
        {
            return Err(wrong(
                "conditions are joined by && and ||, and what has blanks or signs is quoted",
            ));
        }
        if column.trim().is_empty() || given.clone().any(str::is_empty) {
            return Err(wrong("a column or a value is missing, or quotes for none"));
        }
        let values: Vec<String> = given
            .map(|value| value.trim_matches(['"', '\'']))
            .map(str::to_owned)
            .collect();
        if values.len() > 1 && !["==", "!="].contains(&relation) {
            return Err(wrong("only == and != take several values"));
        }
        Ok(Self {
            column: column.trim().to_owned(),
            modulus,
            relation,
            values,
        })
    }

    fn holds(&self, row: &BTreeMap<String, String>) -> Result<bool, String> {
        let Self {
            column,
            modulus,
            relation,
            values,
        } = self;
        let found = row.get(column).ok_or_else(|| {
            let known = joined(", ", row.keys().map(String::as_str));
            format!("there is no column `{column}`; the columns are {known}")
        })?;
        let number = found.parse::<f64>().ok();
        let number = modulus.map_or(number, |modulus| {
            number.map(|number| number.rem_euclid(modulus as f64))
        });
        let numbers = |value: &str| {
            Some((
                number?,
                value
                    .parse()
                    .ok()
                    .or_else(|| Some(parse_bytes(value).ok()? as f64))?,
            ))
        };
        let equal =
            |value: &String| numbers(value).map_or(found == value, |(found, value)| found == value);
        let ordered = || {
            let explanation = || {
                format!(
                    "`{column} {relation} {}` compares numbers, and a row has `{found}`",
                    values[0]
                )
            };
            numbers(&values[0]).ok_or_else(explanation)
        };
        Ok(match *relation {
            "==" => values.iter().any(equal),
            "!=" => !values.iter().any(equal),
            "<" => ordered().map(|(found, value)| found < value)?,
            "<=" => ordered().map(|(found, value)| found <= value)?,
            ">" => ordered().map(|(found, value)| found > value)?,
            _ => ordered().map(|(found, value)| found >= value)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(expression: &str) -> Result<bool, String> {
        let row = [
            ("nodes", "32"),
            ("collective", "bcast"),
            ("bytes", "1048576"),
            ("shape", ""),
        ];
        let row = row
            .map(|(column, value)| (column.to_owned(), value.to_owned()))
            .into();
        Filter::parse(expression)?.keeps(&row)
    }

    #[test]
    fn rows_are_selected_by_their_columns() {
        let yes = [
            "nodes==32",
            "nodes != 4,8",
            "bytes<=1MiB && collective==bcast,reduce",
            "nodes<4||nodes>=32",
            "nodes%5==2",
        ];
        let no = [
            "nodes==4,8",
            "bytes<1MiB",
            "collective!='bcast'",
            "collective=='b cast'",
            "nodes>32 || nodes<32 && collective==bcast",
        ];
        assert!(
            yes.iter().all(|text| keeps(text).unwrap())
                && !no.iter().any(|text| keeps(text).unwrap())
        );
        for (text, explanation) in [
            ("nodes", "it has no relation"),
            ("nodes=4", "the relations are"),
            ("nodes==", "a value is missing"),
            ("nodes<4,8", "only == and !="),
            ("nodes%0==1", "above 0"),
            ("nodes!=4 and bytes>8", "joined by && and ||"),
            ("nodes!=4;bytes>8", "joined by && and ||"),
            ("nodes!=4|bytes>8", "joined by && and ||"),
            ("not nodes==4", "joined by && and ||"),
            (
                "nodes==32||node==4",
                "the columns are bytes, collective, nodes, shape",
            ),
            ("collective<4", "compares numbers, and a row has `bcast`"),
        ] {
            assert!(
                keeps(text).unwrap_err().contains(explanation),
                "{text}: {:?}",
                keeps(text)
            );
        }
    }
}
