//! A table on standard output, and its figures for the JSON file.

use serde_json::{Map, Value, json};

/// Collects the figures that are printed.
#[derive(Default)]
pub(crate) struct Report {
    figures: Map<String, Value>,
    missed: Vec<String>,
}

impl Report {
    pub(crate) fn title(&self, text: &str) {
        println!("\n{text}");
    }

    pub(crate) fn row(&self, cells: &[String]) {
        let line: Vec<String> = cells
            .iter()
            .enumerate()
            .map(|(i, cell)| match i {
                0 => format!("  {cell:<30}"),
                _ => format!("{cell:>12}"),
            })
            .collect();
        println!("{}", line.concat().trim_end());
    }

    pub(crate) fn head(&self, cells: &[&str]) {
        self.row(&cells.iter().map(ToString::to_string).collect::<Vec<_>>());
    }

    /// Records one number under a dotted name.
    pub(crate) fn figure(&mut self, name: &str, value: f64) {
        self.figures.insert(name.into(), json!(value));
    }

    /// Checks a claim. Claims that do not hold are listed at the end.
    pub(crate) fn claim(&mut self, holds: bool, what: &str) {
        if !holds {
            self.missed.push(what.into());
        }
    }

    /// Prints the claims that do not hold; returns all figures and these claims.
    pub(crate) fn finish(mut self) -> Value {
        self.title("Claims that do not hold");
        if self.missed.is_empty() {
            println!("  none");
        }
        for claim in &self.missed {
            println!("  {claim}");
        }
        self.figures.insert("missed".into(), json!(self.missed));
        Value::Object(self.figures)
    }
}

/// A number with three decimals, or a dash.
pub(crate) fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |v| format!("{v:.3}"))
}
