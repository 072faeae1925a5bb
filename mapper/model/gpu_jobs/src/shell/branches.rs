//! Which commands of a script run, as far as the script alone tells.

use super::conditions::Truth;
use super::tokens::Word;
use super::{Script, open};

/// An `if` or a `case` that is not closed.
struct Fork {
    /// The text that the patterns of a `case` are compared with.
    subject: Option<String>,
    /// Whether one of the patterns before the next parenthesis fits; `None` behind it.
    patterns: Option<Truth>,
    /// The condition of the next branch.
    condition: Truth,
    /// Whether the condition is still being read, and how its next part is joined to it.
    reading: Option<&'static str>,
    /// Whether an earlier branch has been taken.
    taken: Truth,
    /// Whether the open branch runs.
    branch: Truth,
}

impl Fork {
    fn new(condition: Truth) -> Self {
        Self {
            subject: None,
            patterns: None,
            condition,
            reading: Some(""),
            taken: Truth::No,
            branch: Truth::No,
        }
    }

    /// Begins the branch of the condition.
    fn open(&mut self) {
        self.branch = self.condition.and(&self.taken.not());
        self.taken = self.taken.not().and(&self.condition.not()).not();
        self.reading = None;
    }

    /// Ends the open branch and begins the condition of another.
    fn next(&mut self, condition: Truth) {
        self.branch = Truth::No;
        self.condition = condition;
        self.reading = Some("");
    }

    /// Reads the patterns of a branch of a `case`.
    fn pattern(&mut self, script: &mut Script, words: &[Word], operator: &str) {
        let subject = self.subject.clone().unwrap_or_default();
        for word in words {
            let pattern = script.expand(word.text());
            let fits = Truth::fits(&subject, &pattern);
            let earlier = self.patterns.take().unwrap_or(Truth::No);
            self.patterns = Some(earlier.not().and(&fits.not()).not());
        }
        if operator == ")" {
            self.condition = self.patterns.take().unwrap_or(Truth::No);
            self.open();
        }
    }
}

/// The open branches of a script.
#[derive(Default)]
pub(super) struct Branches {
    forks: Vec<Fork>,
    /// Whether the next command runs, by the command before it: `[ -z "$A" ] && A=1`.
    guard: Option<Truth>,
}

impl Branches {
    /// Follows a command and the operator behind it.
    pub(super) fn step(&mut self, script: &mut Script, words: &[Word], operator: &'static str) {
        let is_end = words.first().is_some_and(|word| word.text() == "esac");
        if let Some(fork) = self
            .forks
            .last_mut()
            .filter(|fork| fork.patterns.is_some() && !is_end)
        {
            return fork.pattern(script, words, operator);
        }
        let guard = self.guard.take();
        self.command(script, words, operator, guard);
        let Some(fork) = self.forks.last_mut() else {
            return;
        };
        if fork.reading.is_some() && ["&&", "||", "|"].contains(&operator) {
            fork.reading = Some(operator);
        }
        if operator == ";;" && fork.subject.is_some() {
            fork.next(Truth::No);
            fork.patterns = Some(Truth::No);
        }
    }

    fn command(
        &mut self,
        script: &mut Script,
        words: &[Word],
        operator: &str,
        guard: Option<Truth>,
    ) {
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        let fork = self.forks.last_mut();
        match (first.text(), fork) {
            ("then", Some(fork)) => fork.open(),
            ("else", Some(fork)) => {
                fork.next(Truth::Yes);
                fork.open();
            }
            ("elif", Some(fork)) => return fork.next(script.condition(rest)),
            ("if", _) => {
                let condition = script.condition(rest);
                return self.forks.push(Fork::new(condition));
            }
            ("fi" | "esac", _) => return drop(self.forks.pop()),
            ("case", _) => {
                let mut fork = Fork::new(Truth::No);
                fork.subject = rest.first().map(|word| script.expand(word.text()));
                fork.patterns = Some(Truth::No);
                // The first patterns may follow on the same line.
                if let Some(patterns) = rest.get(2..).filter(|patterns| !patterns.is_empty()) {
                    fork.pattern(script, patterns, operator);
                }
                return self.forks.push(fork);
            }
            ("for", _) => return self.loop_over(script, rest),
            ("do" | "{" | "}" | "!" | "time" | "done" | "while" | "until" | "", _) => {}
            (_, Some(fork)) if fork.reading.is_some() => {
                let more = script.condition(words);
                fork.condition = match fork.reading {
                    Some("&&") => fork.condition.and(&more),
                    Some("||") => fork.condition.not().and(&more.not()).not(),
                    _ => Truth::open(),
                };
                return;
            }
            ("[" | "[[" | "test", _) if ["&&", "||"].contains(&operator) => {
                let condition = script.condition(words);
                let runs = if operator == "&&" {
                    condition
                } else {
                    condition.not()
                };
                self.guard = Some(runs);
                return;
            }
            _ => {
                let runs = self.runs();
                let runs = guard.map_or_else(|| runs.clone(), |guard| runs.and(&guard));
                return script.run(words, &runs);
            }
        }
        self.command(script, rest, operator, guard);
    }

    /// `for NAME in VALUES`: the body is followed once, and with several values the name is open.
    fn loop_over(&self, script: &mut Script, words: &[Word]) {
        let [name, _in, values @ ..] = words else {
            return;
        };
        let values: Vec<_> = values.iter().map(|v| script.expand(v.text())).collect();
        let value = match &values[..] {
            [one] if one.split_whitespace().count() == 1 => one.clone(),
            _ => open(name.text()),
        };
        script.assign(name.text(), false, value, &self.runs());
    }

    /// Whether a command runs here.
    fn runs(&self) -> Truth {
        let branches = self.forks.iter().map(|fork| &fork.branch);
        branches.fold(Truth::Yes, |all, one| all.and(one))
    }
}
