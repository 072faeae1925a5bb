//! The flag that says how many slots ranks take.

use super::rank_list::RankList;
use crate::error::Error;
use rankfold_assess::{Case, Constraints, Rule, Sizes};
use rankfold_base::Rank;
use rankfold_graph::CommGraph;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::absolute;

/// The flag that weighs ranks.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WeightArgs {
    /// The slots that ranks take, all on one node, such as the cores for their threads: a number
    /// for all ranks; RANKS=N for some (several times; the others take one), as in 0-3=8; a file
    /// with a number a line, one for each rank; or none, where the graph has weights of vertices
    /// [default: these weights, else one each]. A launch keeps its seats: with rankfold run, ranks
    /// change places with ranks of the same weight
    #[arg(long, help_heading = "Constraints", value_name = "N|RANKS=N|FILE|none", value_parser = WeightArg::parse)]
    weights: Vec<WeightArg>,
}

/// A value of the flag.
#[derive(Clone, Debug)]
enum WeightArg {
    None,
    All(u32),
    Some(RankList, u32),
    /// The numbers of a file, with their lines, and the name of the file.
    Each(Vec<u32>, String),
}

impl WeightArg {
    fn parse(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::None);
        }
        if let Some((ranks, weight)) = text.rsplit_once('=') {
            return Ok(Self::Some(ranks.parse()?, weight_of(weight)?));
        }
        if text.bytes().all(|c| c.is_ascii_digit()) {
            return weight_of(text).map(Self::All);
        }
        let content = rankfold_base::files::read_text(text).map_err(|error| error.to_string())?;
        let lines = content
            .lines()
            .map(|line| line.split('#').next().unwrap_or("").trim());
        let lines = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
        let weights = lines.map(|(number, line)| {
            weight_of(line).map_err(|problem| format!("line {number}: {problem}"))
        });
        Ok(Self::Each(
            weights.collect::<Result<_, _>>()?,
            text.to_owned(),
        ))
    }
}

fn weight_of(text: &str) -> Result<u32, String> {
    let weight = text.trim().parse().ok().filter(|&weight| weight > 0);
    weight.ok_or_else(|| format!("{text:?} is no number of slots from 1 on"))
}

impl WeightArgs {
    /// Rank r takes `of[r]` slots.
    #[must_use]
    pub fn of(of: Vec<u32>) -> Self {
        let weights = vec![WeightArg::Each(of, "weights".into())];
        Self { weights }
    }

    /// The same as words of a command line.
    pub(super) fn words(&self) -> impl Iterator<Item = OsString> {
        let words = self.weights.iter().map(|weight| match weight {
            WeightArg::None => "none".into(),
            WeightArg::All(all) => all.to_string().into(),
            WeightArg::Some(ranks, each) => format!("{ranks}={each}").into(),
            WeightArg::Each(_, file) => absolute(file).map_or_else(|_| file.into(), OsString::from),
        });
        words.flat_map(|value| ["--weights".into(), value])
    }

    /// What placements depend on, a line each: the numbers of files, too.
    pub(super) fn key(&self) -> impl Iterator<Item = String> {
        self.weights.iter().map(|weight| match weight {
            WeightArg::None => "weights none".into(),
            WeightArg::All(all) => format!("weights {all}"),
            WeightArg::Some(ranks, each) => format!("weights {ranks}={each}"),
            WeightArg::Each(each, _) => format!("weights {each:?}"),
        })
    }

    /// The slots that the ranks of a graph take.
    ///
    /// # Errors
    /// A rank does not exist, or a file has another number of lines.
    pub fn sizes(&self, graph: &CommGraph) -> Result<Sizes, Error> {
        let ranks = graph.ranks();
        if self.weights.is_empty() {
            let origin = "weights of vertices (--weights none: one slot each)";
            return Ok(Sizes::new(graph.weights().to_vec(), origin));
        }
        let mut of = vec![1; ranks];
        let mut origins = Vec::new();
        for weight in &self.weights {
            let wrong = |value: String, problem| Error::Flag {
                flag: "--weights",
                value,
                problem,
            };
            match weight {
                WeightArg::None => of.fill(1),
                WeightArg::All(all) => {
                    of.fill(*all);
                    origins.push(all.to_string());
                }
                WeightArg::Some(some, each) => {
                    let value = format!("{some}={each}");
                    let some = some.ranks(ranks);
                    for rank in some.map_err(|problem| wrong(value.clone(), problem))? {
                        of[rank.index()] = *each;
                    }
                    origins.push(value);
                }
                WeightArg::Each(each, file) if each.len() == ranks => {
                    of.copy_from_slice(each);
                    origins.push(file.clone());
                }
                WeightArg::Each(each, file) => {
                    let problem = format!("{} numbers for {ranks} ranks", each.len());
                    return Err(wrong(file.clone(), problem));
                }
            }
        }
        Ok(Sizes::new(
            of,
            format!("--weights {}", origins.join(" --weights ")),
        ))
    }

    /// The case of ranks that take so many slots.
    ///
    /// # Errors
    /// As [`sizes`](Self::sizes); and ranks do not fit.
    pub fn apply<'a>(&self, case: Case<'a>) -> Result<Case<'a>, Error> {
        self.apply_with(case, &[])
    }

    /// The same with further rules.
    ///
    /// # Errors
    /// As [`apply`](Self::apply), or no placement keeps the rules.
    pub(super) fn apply_with<'a>(&self, case: Case<'a>, more: &[Rule]) -> Result<Case<'a>, Error> {
        let sizes = self.sizes(&case.graph)?;
        if sizes.are_one() {
            return Ok(case);
        }
        let (ranks, machine) = (case.graph.ranks(), case.machine);
        machine.check_fits(ranks)?;
        let rules = [case.constraints.rules(), more].concat();
        let constraints = Constraints::sized(ranks, machine, rules, None, sizes)?;
        Ok(case.keeping(constraints))
    }
}

/// The slots that ranks take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Weights {
    /// The flags that say so, or that they are weights of vertices.
    from: String,
    /// Slots that all ranks take together.
    slots: u64,
    /// Weights, the heaviest first.
    weights: Vec<OfWeight>,
}

/// The ranks of one weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct OfWeight {
    /// Slots that each of them takes, all on one node.
    slots: u32,
    /// Number of ranks.
    ranks: usize,
}

impl Weights {
    /// `None` where every rank takes one slot.
    pub(super) fn of(sizes: &Sizes, ranks: usize) -> Option<Self> {
        let mut counts = BTreeMap::new();
        for rank in (0..ranks).map(Rank::at) {
            *counts.entry(sizes.of(rank)).or_insert(0) += 1;
        }
        let counts = counts.into_iter().rev();
        (!sizes.are_one()).then(|| Self {
            from: sizes.origin().to_owned(),
            slots: sizes.total(ranks),
            weights: counts
                .map(|(slots, ranks)| OfWeight { slots, ranks })
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_graph::samples::{graph, message};

    fn sizes(values: &[&str]) -> Result<Vec<u32>, String> {
        let weights = values.iter().map(|value| WeightArg::parse(value));
        let weights = weights.collect::<Result<_, _>>()?;
        let graph = graph(4, vec![message(0, 3, 1)]);
        let sizes = WeightArgs { weights }.sizes(&graph);
        let sizes = sizes.map_err(|error| error.to_string())?;
        Ok((0..4).map(|rank| sizes.of(Rank(rank))).collect())
    }

    #[test]
    fn ranks_take_what_the_last_flag_about_them_says() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let name = file.path().to_str().unwrap();
        std::fs::write(name, "1 # the first\n\n2\n3\n4\n").unwrap();
        assert_eq!(sizes(&[]), Ok(vec![1; 4]));
        assert_eq!(sizes(&["8"]), Ok(vec![8; 4]));
        assert_eq!(sizes(&["2", "0::2=8"]), Ok(vec![8, 2, 8, 2]));
        assert_eq!(sizes(&[name, "3=9"]), Ok(vec![1, 2, 3, 9]));
        std::fs::write(name, "1\n2\n").unwrap();
        assert!(
            sizes(&[name])
                .unwrap_err()
                .ends_with("2 numbers for 4 ranks")
        );
        std::fs::write(name, "1\n-2\n").unwrap();
        let wrong = sizes(&[name]).unwrap_err();
        assert!(
            wrong.contains("line 2: \"-2\" is no number of slots"),
            "{wrong}"
        );
        assert!(sizes(&["7=2"]).unwrap_err().contains("no rank 7"));
        assert!(sizes(&["0-1=0"]).unwrap_err().contains("from 1 on"));
        assert!(sizes(&["/nowhere/at/all"]).is_err());
    }

    #[test]
    fn the_json_tells_how_many_ranks_have_which_weight() {
        let told = |of: Vec<u32>| {
            let ranks = of.len();
            Weights::of(&Sizes::new(of, "--weights w"), ranks)
        };
        assert_eq!(told(vec![1; 4]), None);
        let json = serde_json::to_value(told(vec![1, 8, 1, 8])).unwrap();
        let weights = [(8, 2), (1, 2)]
            .map(|(slots, ranks)| serde_json::json!({"slots": slots, "ranks": ranks}));
        let expected = serde_json::json!({"from": "--weights w", "slots": 18, "weights": weights});
        assert_eq!(json, expected);
    }
}
