//! Whole numbers as the shell calculates them.

use super::MARK;

/// Parentheses within parentheses that are followed. Chosen by hand; no script needs as many.
const DEEPEST: usize = 32;

/// No value: the marks of the open variables it depends on, or `None` where the text is no
/// expression.
type NoValue = Option<String>;

/// Operators by precedence, the weakest first.
const LEVELS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Computes the integer that a shell's arithmetic expression stands for. `name` returns the text of
/// a variable.
pub(super) fn value(text: &str, name: &dyn Fn(&str) -> Option<String>) -> Result<i128, NoValue> {
    let mut parser = Parser {
        text,
        name,
        depth: DEEPEST,
    };
    let value = parser.level(0)?;
    parser.text.trim().is_empty().then_some(value).ok_or(None)
}

struct Parser<'a> {
    text: &'a str,
    name: &'a dyn Fn(&str) -> Option<String>,
    depth: usize,
}

impl Parser<'_> {
    fn level(&mut self, level: usize) -> Result<i128, NoValue> {
        let Some(operators) = LEVELS.get(level) else {
            return self.operand();
        };
        let mut left = self.level(level + 1)?;
        loop {
            let rest = self.text.trim_start();
            let found = operators
                .iter()
                .find(|operator| rest.starts_with(**operator));
            let Some(operator) = found else {
                return Ok(left);
            };
            self.text = &rest[operator.len()..];
            let right = self.level(level + 1)?;
            left = apply(operator, left, right).ok_or(None)?;
        }
    }

    fn operand(&mut self) -> Result<i128, NoValue> {
        self.depth = self.depth.checked_sub(1).ok_or(None)?;
        let value = self.inner();
        self.depth += 1;
        value
    }

    fn inner(&mut self) -> Result<i128, NoValue> {
        let rest = self.text.trim_start();
        if let Some(behind) = rest.strip_prefix('-') {
            self.text = behind;
            return self.operand()?.checked_neg().ok_or(None);
        }
        if let Some(behind) = rest.strip_prefix('(') {
            self.text = behind;
            let value = self.level(0)?;
            self.text = self.text.trim_start().strip_prefix(')').ok_or(None)?;
            return Ok(value);
        }
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        self.text = behind;
        if let Ok(number) = word.parse::<u64>() {
            return Ok(number.into());
        }
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(None);
        }
        let text = (self.name)(word).ok_or(None)?;
        match text.trim().parse::<i64>() {
            Ok(number) => Ok(number.into()),
            Err(_) if text.contains(MARK) => Err(Some(text)),
            Err(_) => Err(None),
        }
    }
}

fn apply(operator: &str, left: i128, right: i128) -> Option<i128> {
    match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        "==" => Some((left == right).into()),
        "!=" => Some((left != right).into()),
        "<=" => Some((left <= right).into()),
        ">=" => Some((left >= right).into()),
        "<" => Some((left < right).into()),
        ">" => Some((left > right).into()),
        "&&" => Some((left != 0 && right != 0).into()),
        "||" => Some((left != 0 || right != 0).into()),
        _ => None,
    }
}
