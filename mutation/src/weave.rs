//! A source file with all of its mutants in it, each behind a switch that is read while the tests run.
//!
//! `a + b` becomes `(if on(17) { (a) - (b) } else if on(18) { (a) * (b) } else { a + b })`. Only one mutant is ever on, so what
//! it makes of an expression is made of the text that was there, and only the last branch holds the switches of what is
//! inside. cargo-mutants itself builds the crate anew for each mutant; this builds it once.

use std::ops::Range;

use syn::visit::{self, Visit};

use crate::mutant::{Genre, Mutant, Place};

/// The function that answers whether a mutant is on, appended to the crate's root.
pub const SWITCH: &str = include_str!("switch.rs");

/// One place where mutants go.
struct Site {
    /// Bytes of the source that it replaces; none where something is put in front of `start`.
    range: Range<usize>,
    /// Expressions that take the place of the whole, by mutant.
    instead: Vec<(usize, String)>,
    /// Mutants that take away the arm whose guard this is, or whose pattern ends here.
    without: Vec<usize>,
    /// What is returned at once, by mutant.
    returned: Vec<(usize, String)>,
}

/// The text with the mutants woven in, and the numbers of those that found no place: they stand where nothing can be
/// asked while the program runs, in constants.
///
/// # Errors
/// Where the text is not Rust.
pub fn weave(text: &str, mutants: &[(usize, &Mutant)]) -> Result<(String, Vec<usize>), String> {
    let tree = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut collector =
        Collector { text, lines: line_starts(text), mutants, placed: Vec::new(), sites: Vec::new(), covered: false };
    collector.visit_file(&tree);
    let Collector { placed, mut sites, .. } = collector;
    // From outside to inside; what is put in front comes before what begins there.
    sites.sort_by_key(|site| (site.range.start, !site.range.is_empty(), std::cmp::Reverse(site.range.end)));
    let missing = mutants.iter().map(|(number, _)| *number).filter(|number| !placed.contains(number)).collect();
    Ok((render(text, 0..text.len(), &sites), missing))
}

/// The mutant whose branch of a woven text holds this byte.
#[must_use]
pub fn mutant_at(woven: &str, byte: usize) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(found) = woven[at..byte.min(woven.len())].find("/*") {
        let rest = &woven[at + found + 2..];
        let end = rest.find("*/")?;
        if let Some(number) = rest[..end].strip_prefix('<').and_then(|number| number.parse().ok()) {
            open.push(number);
        } else if rest[..end].strip_suffix('>').is_some_and(|number| number.parse::<usize>().is_ok()) {
            open.pop();
        }
        at += found + 2 + end + 2;
        if at >= byte {
            break;
        }
    }
    open.last().copied()
}

/// The source of a range with its sites in it; they are sorted, and either nested or apart.
fn render(text: &str, range: Range<usize>, sites: &[Site]) -> String {
    let mut woven = String::new();
    let mut at = range.start;
    let mut next = 0;
    while let Some(site) = sites.get(next) {
        let inside = sites[next + 1..]
            .iter()
            .take_while(|inner| {
                !site.range.is_empty() && inner.range.end <= site.range.end && inner.range.start < site.range.end
            })
            .count();
        woven.push_str(&text[at..site.range.start]);
        woven.push_str(&site.render(text, &sites[next + 1..=next + inside]));
        at = site.range.end;
        next += 1 + inside;
    }
    woven.push_str(&text[at..range.end]);
    woven
}

impl Site {
    fn render(&self, text: &str, inside: &[Site]) -> String {
        let mut woven = String::new();
        for (number, value) in &self.returned {
            woven.push_str(&format!(
                "if crate::mutant_is_on({number}) {{ /*<{number}*/ return {value}; /*{number}>*/ }} "
            ));
        }
        let arms: Vec<String> = self.without.iter().map(|number| format!("!crate::mutant_is_on({number})")).collect();
        if self.range.is_empty() {
            if !arms.is_empty() {
                woven.push_str(&format!(" if {}", arms.join(" && ")));
            }
            return woven;
        }
        for arm in &arms {
            woven.push_str(&format!("{arm} && "));
        }
        woven.push('(');
        for (number, value) in &self.instead {
            woven
                .push_str(&format!("if crate::mutant_is_on({number}) {{ /*<{number}*/ {value} /*{number}>*/ }} else "));
        }
        let kept = render(text, self.range.clone(), inside);
        woven.push_str(&if self.instead.is_empty() { format!("{kept})") } else { format!("{{ {kept} }})") });
        woven
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

struct Collector<'a> {
    text: &'a str,
    lines: Vec<usize>,
    mutants: &'a [(usize, &'a Mutant)],
    placed: Vec<usize>,
    sites: Vec<Site>,
    /// Whether the match at hand has an arm for everything.
    covered: bool,
}

impl Collector<'_> {
    /// The byte at a place that counts from 1.
    fn byte(&self, place: Place) -> usize {
        let start = self.lines[place.line - 1];
        self.text[start..].char_indices().nth(place.column - 1).map_or(self.text.len(), |(at, _)| start + at)
    }

    fn bytes(&self, spanned: &impl syn::spanned::Spanned) -> Range<usize> {
        let span = spanned.span();
        // proc-macro2 counts columns from 0.
        let place = |at: proc_macro2::LineColumn| self.byte(Place { line: at.line, column: at.column + 1 });
        place(span.start())..place(span.end())
    }

    /// The mutants of a kind whose span is this one.
    fn of(&self, genre: Genre, range: &Range<usize>) -> Vec<(usize, String)> {
        let here = |mutant: &Mutant| {
            !mutant.returns_opaque()
                && self.byte(mutant.span.start) == range.start
                && self.byte(mutant.span.end) == range.end
        };
        let of_kind = self.mutants.iter().filter(|(_, mutant)| mutant.genre == genre && here(mutant));
        of_kind.map(|(number, mutant)| (*number, mutant.replacement.clone())).collect()
    }

    /// The site over a range, made where there is none.
    fn site(&mut self, range: Range<usize>) -> &mut Site {
        let known = self.sites.iter().position(|site| site.range == range);
        let index = known.unwrap_or_else(|| {
            self.sites.push(Site { range, instead: Vec::new(), without: Vec::new(), returned: Vec::new() });
            self.sites.len() - 1
        });
        &mut self.sites[index]
    }

    fn instead(&mut self, range: Range<usize>, mutants: Vec<(usize, String)>) {
        if !mutants.is_empty() {
            self.placed.extend(mutants.iter().map(|(number, _)| *number));
            self.site(range).instead.extend(mutants);
        }
    }

    fn returned(&mut self, block: &syn::Block) {
        let (Some(first), Some(last)) = (block.stmts.first(), block.stmts.last()) else { return };
        let range = self.bytes(first).start..self.bytes(last).end;
        let mutants = self.of(Genre::FnValue, &range);
        if !mutants.is_empty() {
            self.placed.extend(mutants.iter().map(|(number, _)| *number));
            self.site(range.start..range.start).returned.extend(mutants);
        }
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    // Nothing can be asked in a constant.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.sig.constness.is_none() {
            self.returned(&function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            self.returned(&function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.returned(block);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let operator = self.bytes(&binary.op);
        let (left, right) = (self.bytes(&binary.left), self.bytes(&binary.right));
        let (left, right) = (&self.text[left], &self.text[right]);
        let assigns = self.text[operator.clone()].ends_with('=')
            && !matches!(&self.text[operator.clone()], "==" | "!=" | "<=" | ">=");
        let changed = self.of(Genre::BinaryOperator, &operator).into_iter().map(|(number, operator)| {
            let left = if assigns { left.to_owned() } else { format!("({left})") };
            (number, format!("{left} {operator} ({right})"))
        });
        // A chain with `let` in it is no expression that could stand elsewhere.
        let changed: Vec<_> = changed.collect();
        if !holds_let(binary) {
            self.instead(self.bytes(binary), changed);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let operand = self.bytes(&unary.expr);
        let changed = self.of(Genre::UnaryOperator, &self.bytes(&unary.op)).into_iter();
        let changed = changed.map(|(number, _)| (number, self.text[operand.clone()].to_owned())).collect();
        self.instead(self.bytes(unary), changed);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, made: &'ast syn::ExprStruct) {
        let whole = self.bytes(made);
        for field in &made.fields {
            let mut range = self.bytes(field);
            range.end += self.text[range.end..whole.end].find(',').map_or(0, |comma| comma + 1);
            let changed = self.of(Genre::StructField, &range);
            let rest = format!("{}{}", &self.text[whole.start..range.start], &self.text[range.end..whole.end]);
            self.instead(whole.clone(), changed.into_iter().map(|(number, _)| (number, rest.clone())).collect());
        }
        visit::visit_expr_struct(self, made);
    }

    fn visit_expr_match(&mut self, matching: &'ast syn::ExprMatch) {
        // An arm goes by a guard, and guarded arms do not count for the compiler as covering anything.
        let covers = |arm: &syn::Arm| arm.guard.is_none() && matches!(arm.pat, syn::Pat::Wild(_) | syn::Pat::Ident(_));
        let outer = std::mem::replace(&mut self.covered, matching.arms.iter().any(covers));
        visit::visit_expr_match(self, matching);
        self.covered = outer;
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let whole = self.bytes(arm);
        let mut without = self.of(Genre::MatchArm, &whole);
        if without.is_empty() {
            // The comma behind the arm may belong to it.
            without = self.of(Genre::MatchArm, &(whole.start..self.bytes(&arm.body).end));
        }
        let pattern = self.bytes(&arm.pat).end;
        let guard = arm.guard.as_ref().map(|(_, guard)| self.bytes(guard));
        if self.covered && !without.is_empty() {
            self.placed.extend(without.iter().map(|(number, _)| *number));
            let range = guard.clone().unwrap_or(pattern..pattern);
            self.site(range).without.extend(without.iter().map(|(number, _)| *number));
        }
        if let Some(guard) = guard {
            let changed = self.of(Genre::MatchArmGuard, &guard);
            self.instead(guard, changed);
        }
        visit::visit_arm(self, arm);
    }
}

/// Whether a chain of conditions holds a `let`.
fn holds_let(binary: &syn::ExprBinary) -> bool {
    [&binary.left, &binary.right].into_iter().any(|side| match &**side {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(inner) => holds_let(inner),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::{Function, Span};

    const TEXT: &str = "fn f(a: u64) -> u64 {\n    a * 2 + 1\n}\nconst C: u64 = 1 + 1;\n";

    /// A mutant of what is found in the text.
    fn mutant(genre: Genre, line: usize, found: &str, replacement: &str) -> Mutant {
        let text = TEXT.lines().nth(line - 1).unwrap();
        let column = text.find(found).unwrap() + 1;
        let place = |column| Place { line, column };
        let span = Span { start: place(column), end: place(column + found.len()) };
        let function = Some(Function { name: "f".to_owned(), return_type: "-> u64".to_owned() });
        let (file, name, replacement) = ("f.rs".to_owned(), String::new(), replacement.to_owned());
        Mutant { file, genre, function, name, replacement, span }
    }

    #[test]
    fn nothing_is_woven_where_there_is_nothing() {
        assert_eq!(weave(TEXT, &[]).unwrap(), (TEXT.to_owned(), vec![]));
    }

    #[test]
    fn operators_are_behind_switches_and_what_is_inside_is_so_once() {
        let mutants = [
            mutant(Genre::FnValue, 2, "a * 2 + 1", "7"),
            mutant(Genre::BinaryOperator, 2, "+", "-"),
            mutant(Genre::BinaryOperator, 2, "*", "/"),
            mutant(Genre::BinaryOperator, 4, "+", "-"),
        ];
        let numbered: Vec<(usize, &Mutant)> = mutants.iter().enumerate().collect();
        let (woven, missing) = weave(TEXT, &numbered).unwrap();
        // A constant is made before anything runs.
        assert_eq!(missing, [3]);
        let line = "    if crate::mutant_is_on(0) { /*<0*/ return 7; /*0>*/ } \
                    (if crate::mutant_is_on(1) { /*<1*/ (a * 2) - (1) /*1>*/ } else \
                    { (if crate::mutant_is_on(2) { /*<2*/ (a) / (2) /*2>*/ } else { a * 2 }) + 1 })";
        assert_eq!(woven, TEXT.replace("    a * 2 + 1", line));
        assert_eq!(mutant_at(&woven, woven.find("- (1)").unwrap()), Some(1));
        assert_eq!(mutant_at(&woven, woven.find("/ (2)").unwrap()), Some(2));
        assert_eq!(mutant_at(&woven, woven.find("const").unwrap()), None);
        syn::parse_file(&woven).unwrap();
    }
}
