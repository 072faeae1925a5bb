//! Replaces variables and arithmetic in a word by their values.

use super::arithmetic;
use super::tokens::piece;
use super::{LONGEST, MARK, Script, open};

/// Expansions within expansions that are followed. Chosen by hand; no script needs as many.
const DEEPEST: usize = 16;

impl Script {
    /// The text of a word. Quotes are taken off. Text in single quotes is expanded too: it is there
    /// to be expanded by another shell, as in `bash -c '$LAUNCHER $CMD'`.
    pub(super) fn expand(&mut self, word: &str) -> String {
        let text = self.expand_within(word, DEEPEST);
        self.budget = self.budget.saturating_sub(text.len());
        text
    }

    fn expand_within(&mut self, word: &str, depth: usize) -> String {
        let mut text = String::new();
        let mut rest = word;
        while !rest.is_empty() && text.len() <= LONGEST.min(self.budget) {
            let length = piece(rest);
            let (part, behind) = rest.split_at(length);
            rest = behind;
            let inner = |part: &str| {
                let mut chars = part.chars();
                chars.next();
                chars.next_back();
                chars.as_str().to_owned()
            };
            match part.chars().next() {
                _ if depth == 0 => text.push_str(part),
                Some('\\') => text.push_str(part[1..].trim_start_matches(['\n', '\r'])),
                Some('\'' | '"') if part.len() > 1 => {
                    text += &self.expand_within(&inner(part), depth - 1);
                }
                Some('`') => text += &self.substituted(&inner(part), depth - 1),
                Some('$') if part.starts_with("$((") && part.ends_with("))") => {
                    let expression = &part[3..part.len() - 2];
                    text += &self.calculated(expression, depth - 1);
                }
                Some('$') if part.starts_with("$(") && part.ends_with(')') => {
                    text += &self.substituted(&part[2..part.len() - 1], depth - 1);
                }
                Some('$') if part.starts_with("${") && part.ends_with('}') => {
                    text += &self.parameter(&part[2..part.len() - 1], depth - 1);
                }
                Some('$') => {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    let mut length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                    if rest.starts_with(|c: char| c.is_ascii_digit() || "#@*?".contains(c)) {
                        length = 1;
                    }
                    let (name, behind) = rest.split_at(length);
                    rest = behind;
                    match name {
                        "" => text.push('$'),
                        _ => text += &self.variable(name),
                    }
                }
                _ => text.push_str(part),
            }
        }
        text
    }

    fn variable(&self, name: &str) -> String {
        self.value(name).map_or_else(|| open(name), str::to_owned)
    }

    /// The value of `${...}`.
    fn parameter(&mut self, text: &str, depth: usize) -> String {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = text.find(|c| !is_name(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at(length);
        match rest {
            _ if name.is_empty() => open(&format!("{{{text}}}")),
            "" | "[@]" | "[*]" => self.variable(name),
            _ => {
                let operator = rest.trim_start_matches(':');
                let known = self.value(name).map(str::to_owned);
                let known = known.filter(|value| !value.is_empty() || !rest.starts_with(':'));
                let other = |script: &mut Self| script.expand_within(&operator[1..], depth);
                match (operator.chars().next(), known) {
                    (Some('-' | '=' | '?'), Some(value)) => value,
                    (Some('-'), None) => other(self),
                    (Some('='), None) => {
                        let value = other(self);
                        self.values.insert(name.to_owned(), value.clone());
                        value
                    }
                    (Some('?'), None) => open(name),
                    (Some('+'), Some(_)) => other(self),
                    (Some('+'), None) => String::new(),
                    _ => open(name),
                }
            }
        }
    }

    /// The value of `$((...))`. Names need no dollar sign there.
    pub(super) fn calculated(&mut self, expression: &str, depth: usize) -> String {
        let expanded = self.expand_within(expression, depth);
        if expanded.contains(MARK) {
            return super::open_names(&expanded).map(open).collect();
        }
        let name = |name: &str| Some(self.value(name).map_or_else(|| open(name), str::to_owned));
        match arithmetic::value(&expanded, &name) {
            Ok(number) => number.to_string(),
            Err(Some(marks)) => marks,
            Err(None) => open(&format!("(({expression}))")),
        }
    }

    /// The output of a command: of `expr`, and of `echo` into `bc`.
    fn substituted(&mut self, command: &str, depth: usize) -> String {
        let trimmed = command.trim();
        let expression = trimmed.strip_prefix("expr ");
        let piped = || {
            let (echo, bc) = trimmed.split_once('|')?;
            let echo = echo.trim().strip_prefix("echo ")?;
            bc.trim().starts_with("bc").then_some(echo)
        };
        match expression.or_else(piped) {
            Some(expression) => {
                let expression = expression.replace(['\\', '"', '\''], "");
                self.calculated(&expression, depth)
            }
            None => open(&format!("({trimmed})")),
        }
    }
}
