//! What a shell script would launch, without running anything.
//!
//! Assignments of texts and numbers, defaults (`${X:-8}`), arithmetic, arrays, `#SBATCH` lines and
//! conditions on such values are followed. What only a run can tell stays open: it is a mark in the
//! text that holds the name of the variable, and [`open_names`] lists the names. A value that the
//! user gives for a name holds against all assignments in the script.

mod arithmetic;
mod branches;
mod conditions;
mod expand;
mod sbatch;
mod tokens;

use branches::Branches;
use conditions::Truth;
pub(super) use sbatch::Batch;
use std::collections::BTreeMap;
use tokens::{Token, Word};

/// Stands before and after the name of an open variable in a text.
const MARK: char = '\0';

/// The longest value of a variable in bytes. Without a limit a script of a few lines that doubles a
/// variable could fill the memory. Chosen by hand; not measured.
const LONGEST: usize = 1 << 16;

/// The most bytes that all expansions of a script may have together. Chosen by hand; not measured.
const MOST_EXPANDED: usize = 1 << 26;

/// A text that stands for an open variable.
fn open(name: &str) -> String {
    format!("{MARK}{name}{MARK}")
}

/// The names of the open variables that a text depends on.
pub(super) fn open_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(MARK).skip(1).step_by(2)
}

/// What a script has set, and the commands it would run.
pub(super) struct Script {
    values: BTreeMap<String, String>,
    given: BTreeMap<String, String>,
    /// Bytes that may still be expanded.
    budget: usize,
    /// The word of the commands that are wanted.
    wanted: &'static str,
    /// What the batch system is asked for.
    pub(super) batch: Batch,
    /// The wanted commands in their order, each as words.
    pub(super) commands: Vec<Vec<String>>,
    /// Whether options were left out since only a run can tell whether they are added.
    pub(super) has_left_out: bool,
}

impl Script {
    /// Follows a script to the commands that have the word `wanted`, with the values that the user
    /// gives for variables.
    pub(super) fn follow(text: &str, wanted: &'static str, given: &[(String, String)]) -> Self {
        let batch = Batch::read(text);
        let mut script = Self {
            values: batch.variables(),
            given: given.iter().cloned().collect(),
            budget: MOST_EXPANDED,
            wanted,
            batch,
            commands: Vec::new(),
            has_left_out: false,
        };
        let mut branches = Branches::default();
        let mut command = Vec::new();
        for token in tokens::read(text)
            .into_iter()
            .chain([Token::Operator("\n")])
        {
            match token {
                Token::Word(word) => command.push(word),
                Token::Operator(operator) => {
                    branches.step(&mut script, &command, operator);
                    command.clear();
                }
            }
        }
        script
    }

    /// The text that a variable holds.
    fn value(&self, name: &str) -> Option<&str> {
        let value = self.given.get(name).or_else(|| self.values.get(name));
        value.map(String::as_str)
    }

    /// The words of all values that have options, for scripts that only set variables.
    pub(super) fn options(&self) -> Vec<String> {
        let texts = self.values.values().filter(|text| text.contains("--"));
        texts
            .flat_map(|text| text.split_whitespace())
            .map(str::to_owned)
            .collect()
    }

    /// Runs a simple command as far as it sets variables, and notes it if it is wanted.
    fn run(&mut self, words: &[Word], runs: &Truth) {
        let Some((first, behind)) = words.split_first() else {
            return;
        };
        let declares = ["export", "declare", "local", "readonly", "typeset"];
        let is_declared = declares.contains(&first.text());
        let mut rest = if is_declared { behind } else { words };
        while let Some((word, behind)) = rest.split_first() {
            if let Some((name, appends, value)) = word.assignment() {
                let value = match value {
                    Ok(text) => self.expand(text),
                    Err(elements) => {
                        let elements: Vec<_> = elements.iter().map(|e| self.expand(e)).collect();
                        elements.join(" ")
                    }
                };
                self.assign(name, appends, value, runs);
            } else if !is_declared {
                break;
            }
            rest = behind;
        }
        // A declaration ends here, and so do variables of one command.
        if rest.is_empty() || *runs == Truth::No {
            return;
        }
        let text: Vec<String> = rest.iter().map(|word| self.expand(word.text())).collect();
        let text = text.join(" ");
        let words = text.split_whitespace().map(str::to_owned);
        let words: Vec<String> = words
            .skip_while(|word| word == "eval" || word == "exec")
            .collect();
        let prints = words
            .first()
            .is_some_and(|word| ["echo", "printf"].contains(&word.as_str()));
        if words.iter().any(|word| word == self.wanted) && !prints {
            self.commands.push(words);
        }
    }

    fn assign(&mut self, name: &str, appends: bool, value: String, runs: &Truth) {
        let before = self.values.get(name);
        let value = match before {
            Some(before) if appends => format!("{before} {value}"),
            _ => value,
        };
        // What no variable names is asked for by the variable that it is assigned to.
        let is_named = |open: &str| open.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let mut outside = value.split(MARK).step_by(2);
        let has_words = outside.any(|part| part.trim().contains(char::is_whitespace));
        let is_whole = has_words || open_names(&value).all(is_named);
        let value = if is_whole && value.len() <= LONGEST {
            value
        } else {
            open(name)
        };
        let value = match (runs, before) {
            (Truth::No, _) => return,
            (Truth::Yes, _) => value,
            (Truth::Open(_), Some(before)) if value == *before => value,
            (Truth::Open(_), Some(before)) if value.starts_with(before.as_str()) => {
                self.has_left_out = true;
                return;
            }
            (Truth::Open(on), _) if on.is_empty() => open(name),
            (Truth::Open(on), _) => on.iter().map(|name| open(name)).collect(),
        };
        self.values.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests;
