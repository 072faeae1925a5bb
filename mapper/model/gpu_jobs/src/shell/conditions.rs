//! Conditions of a script, which may depend on what only a run can tell.

use super::tokens::Word;
use super::{MARK, Script, open, open_names};
use std::collections::BTreeSet;

/// Whether something holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Yes,
    No,
    /// That depends on these open variables, or on something that has no name.
    Open(BTreeSet<String>),
}

impl Truth {
    /// What depends on something without a name.
    pub(super) fn open() -> Self {
        Self::Open(BTreeSet::new())
    }

    pub(super) fn not(&self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Open(on) => Self::Open(on.clone()),
        }
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, one) | (one, Self::Yes) => one.clone(),
            (Self::Open(one), Self::Open(other)) => Self::Open(one | other),
        }
    }

    /// Whether a text fits a pattern with `*` and `?`.
    pub(super) fn fits(text: &str, pattern: &str) -> Self {
        if pattern == "*" {
            return Self::Yes;
        }
        let names = open_names(text).chain(open_names(pattern));
        let on: BTreeSet<String> = names.map(str::to_owned).collect();
        if !on.is_empty() || pattern.contains('[') {
            return Self::Open(on);
        }
        Self::from(is_like(text.as_bytes(), pattern.as_bytes()))
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

/// Whether a text fits a pattern. The last star takes as little as it can and more if need be.
fn is_like(text: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut of) = (0, 0);
    let mut star = None;
    while at < text.len() {
        match pattern.get(of) {
            Some(b'*') => {
                star = Some((at, of));
                of += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[at] => {
                at += 1;
                of += 1;
            }
            _ => {
                let Some((start, place)) = star else {
                    return false;
                };
                star = Some((start + 1, place));
                (at, of) = (start + 1, place + 1);
            }
        }
    }
    pattern[of..].iter().all(|byte| *byte == b'*')
}

impl Script {
    /// Whether the condition of an `if` holds.
    pub(super) fn condition(&mut self, words: &[Word]) -> Truth {
        let mut texts: Vec<&str> = words
            .iter()
            .map(Word::text)
            .filter(|text| !text.is_empty())
            .collect();
        let is_negated = texts.first() == Some(&"!");
        if is_negated {
            texts.remove(0);
        }
        let truth = self.test(&texts);
        if is_negated { truth.not() } else { truth }
    }

    fn test(&mut self, words: &[&str]) -> Truth {
        let words = match words {
            ["[" | "[[" | "test", rest @ ..] => rest,
            rest => rest,
        };
        let words = match words {
            [rest @ .., "]" | "]]"] => rest,
            rest => rest,
        };
        match words {
            ["true" | ":"] => Truth::Yes,
            ["false"] => Truth::No,
            ["!", rest @ ..] if !rest.is_empty() => self.test(rest).not(),
            ["-z", text] => self.is_empty(text),
            ["-n", text] => self.is_empty(text).not(),
            [one, "=" | "==", other] => self.fits(one, other),
            [one, "!=", other] => self.fits(one, other).not(),
            [one, compared, other] if compared.starts_with('-') => {
                self.compares(one, compared, other)
            }
            _ => Truth::open(),
        }
    }

    /// Whether a text is empty. Variables that the script has not set are.
    fn is_empty(&mut self, text: &str) -> Truth {
        let text = self.expand(text);
        let unset = |name: &str| self.value(name).is_none() && text == open(name);
        match open_names(&text).next() {
            None => text.is_empty().into(),
            Some(name) if unset(name) && !name.starts_with(|c: char| c.is_ascii_digit()) => {
                Truth::Yes
            }
            Some(name) => Truth::Open([name.to_owned()].into()),
        }
    }

    fn fits(&mut self, text: &str, pattern: &str) -> Truth {
        let (text, pattern) = (self.expand(text), self.expand(pattern));
        Truth::fits(&text, &pattern)
    }

    fn compares(&mut self, one: &str, compared: &str, other: &str) -> Truth {
        let (one, other) = (self.expand(one), self.expand(other));
        let both = format!("{one}{other}");
        if both.contains(MARK) {
            return Truth::Open(open_names(&both).map(str::to_owned).collect());
        }
        let (Ok(one), Ok(other)) = (one.trim().parse::<i64>(), other.trim().parse::<i64>()) else {
            return Truth::open();
        };
        match compared {
            "-eq" => (one == other).into(),
            "-ne" => (one != other).into(),
            "-lt" => (one < other).into(),
            "-le" => (one <= other).into(),
            "-gt" => (one > other).into(),
            "-ge" => (one >= other).into(),
            _ => Truth::open(),
        }
    }
}
