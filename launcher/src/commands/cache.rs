//! `rankfold cache`: lists, shows and removes what earlier runs have stored.

use super::run::{CorrectedPrediction, is_enough, too_few};
use anyhow::Context;
use rankfold_base::words::counted;
use rankfold_cache::{Cache, Entry, Lookup, Predicted, State, age};
use rankfold_console::{
    outln,
    terminal::{self, INDENT, command_line, folded, printable, wrapped},
};
use rankfold_launch::config::SiteSettings;
use rankfold_launch::error::LaunchError;
use rankfold_machine::time_in_words;
use rankfold_mapper::document;
use rankfold_search::select::name_in_words;
use std::fs;
use std::io::Write;

/// `rankfold cache`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold cache list                     programs with a map, the last one used first\n  \
                   rankfold cache show stencil-1f2e3d4c    its map, what was predicted and what was measured\n  \
                   rankfold cache clear stencil-1f2e3d4c   forgets it; without a name, everything is forgotten\n  \
                   rankfold cache clear --machine big      forgets the machines of a cluster"
)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Every program and every machine that is remembered
    #[command(before_help = "Examples:\n  rankfold cache list")]
    List,
    /// All that is stored about one program
    #[command(before_help = "Examples:\n  rankfold cache show stencil-1f2e3d4c --json")]
    Show {
        /// As list tells it, or how its name begins
        name: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget one program, one machine, or everything: maps and machines
    #[command(
        before_help = "Examples:\n  rankfold cache clear stencil-1f2e3d4c\n  rankfold cache clear --machine big\n  rankfold cache clear"
    )]
    Clear {
        /// A program, as list tells it
        name: Option<String>,
        /// A machine as list tells it, or a cluster with all its machines; maps that were made of
        /// it are made anew
        #[arg(long, value_name = "NAME", conflicts_with = "name")]
        machine: Option<String>,
    },
}

pub(super) fn run(args: &Args, settings: &SiteSettings) -> anyhow::Result<u8> {
    let cache = Cache::open(&settings.cache).context("nothing is remembered")?;
    match &args.action {
        Action::List => list(&cache)?,
        Action::Show { name, json } => show(&cache, name, *json)?,
        Action::Clear {
            machine: Some(machine),
            ..
        } => {
            if cache.forget_machine(machine)? == 0 {
                return Err(unknown(machine));
            }
        }
        Action::Clear {
            name: Some(name), ..
        } => {
            if !cache.forget(name)? {
                return Err(unknown(name));
            }
        }
        Action::Clear { .. } => clear(&cache)?,
    }
    Ok(0)
}

fn unknown(name: &str) -> anyhow::Error {
    LaunchError::NotRemembered { name: name.into() }.into()
}

fn list(cache: &Cache) -> anyhow::Result<()> {
    let all = cache.all()?;
    let machines = cache.all_machines();
    if all.is_empty() && machines.is_empty() {
        terminal::note(format_args!(
            "nothing is remembered in {}",
            cache.directory().display()
        ));
    }
    let row = |line: String| outln!("{}", folded(&line, INDENT));
    for (name, entry) in all {
        row(match entry {
            Ok(entry) => format!(
                "{name}  {}, {}: {}",
                state(&entry),
                age(entry.used),
                command_line(&entry.launch)
            ),
            Err(why) => format!("{name}  cannot be used: {}", printable(&why)),
        });
    }
    for machine in machines {
        row(format!(
            "{}  machine, {}: {}",
            machine.name,
            age(machine.when),
            printable(&machine.source)
        ));
    }
    for other in cache.others() {
        outln!("{}: another version's, not used", other.display());
    }
    Ok(())
}

/// How far the map of an entry is, and what it gains.
fn state(entry: &Entry) -> String {
    match &entry.state {
        State::Profiled { .. } => "profiled, its map is still to be made".into(),
        State::Dropped { reason, .. } => format!("dropped ({reason})"),
        State::Launched(_) => "the order as launched".into(),
        State::Mapped(solution, _) => {
            let last = entry.measured.iter().rfind(|run| run.mapped);
            let both = last.map(|last| entry.both_orders(&last.circumstances));
            let measured = both.and_then(|both| {
                let gain = both.gain()?;
                let (launched, mapped) = (both.launched.len(), both.mapped.len());
                Some(if is_enough(&both) {
                    format!("measured {gain:.2} x (medians of {launched} and {mapped} runs)")
                } else {
                    too_few(launched, mapped)
                })
            });
            let measured = measured.unwrap_or("not measured yet".into());
            let corrected = corrected(entry, &solution.predicted)
                .map(|corrected| format!(", corrected {} x", corrected.gain_words()));
            format!(
                "map by {}, promised {} x, {measured}{}",
                name_in_words(&solution.heuristic),
                solution.predicted.promise().words(),
                corrected.unwrap_or_default()
            )
        }
    }
}

/// The prediction as runs with the map have corrected it; `None` before the first.
fn corrected(entry: &Entry, predicted: &Predicted) -> Option<CorrectedPrediction> {
    CorrectedPrediction::new(&entry.measured, predicted).filter(|known| known.knows_the_map)
}

/// The name of the only program that begins so, or that is called so.
///
/// # Errors
/// Several begin so.
fn whole_name(cache: &Cache, beginning: &str) -> anyhow::Result<String> {
    let names = cache.all()?.into_iter().map(|(name, _)| name);
    let begun: Vec<String> = names.filter(|name| name.starts_with(beginning)).collect();
    match &begun[..] {
        [only] => Ok(only.clone()),
        several if several.len() > 1 && !several.iter().any(|name| name == beginning) => {
            Err(LaunchError::SeveralRemembered {
                name: beginning.into(),
                names: several.join(", "),
            }
            .into())
        }
        _ => Ok(beginning.into()),
    }
}

fn show(cache: &Cache, name: &str, json: bool) -> anyhow::Result<()> {
    let name = &whole_name(cache, name)?;
    let entry = match cache.find(name)? {
        Lookup::Entry(entry) => entry,
        Lookup::Nothing => return Err(unknown(name)),
        Lookup::Unusable(why) => anyhow::bail!(why),
    };
    if json {
        std::io::stdout().write_all(&document::text(&*entry)?)?;
        return Ok(());
    }
    let row = |line: String| outln!("{}", wrapped(&line));
    row(format!("{name}  {}", state(&entry)));
    row(format!("launch     {}", printable(&entry.launch)));
    let solution = entry.state.solution();
    row(format!(
        "made       {}, {} on {}",
        age(entry.made),
        counted(entry.ranks, "rank"),
        solution.map_or("", |solution| &*solution.machine)
    ));
    if let Some(predicted) = solution.map(|solution| &solution.predicted) {
        row(format!(
            "on links   {} with the map, {} as launched, by the model",
            on_links(predicted.mapped, &predicted.unit),
            on_links(predicted.launched, &predicted.unit)
        ));
        row(format!(
            "promised   communication {} times as fast, before the first run with the map",
            predicted.promise().words()
        ));
        if let Some(corrected) = CorrectedPrediction::new(&entry.measured, predicted) {
            let label = if corrected.knows_the_map {
                "corrected"
            } else {
                "predicted"
            };
            row(format!("{label}  {}", corrected.words()));
            if let Some(shares) = &corrected.shares {
                row(format!("spent      {}", shares.words("as launched")));
            }
        }
    }
    for run in &entry.measured {
        let order = if run.mapped {
            "with the map"
        } else {
            "as launched"
        };
        let ranks = match run.ranks {
            ranks if ranks == entry.ranks => String::new(),
            ranks => format!(", {}", counted(ranks, "rank")),
        };
        row(format!(
            "measured   {:.4} s inside MPI of {:.4} s, {order}{ranks}, {}: {}",
            run.seconds,
            run.run,
            age(run.when),
            printable(&run.circumstances.arguments.join(" "))
        ));
    }
    if let Some(map) = entry.state.map() {
        row(format!("map        {}", printable(&map.hosts.join(" "))));
    }
    Ok(())
}

/// A time of the model in words.
fn on_links(time: f64, unit: &str) -> String {
    match unit {
        "seconds" => time_in_words(format!("{time:.3e}").parse().unwrap_or(time)),
        _ => format!("{time:.0} {unit}"),
    }
}

fn clear(cache: &Cache) -> anyhow::Result<()> {
    let mut maps = 0;
    for (name, _) in cache.all()? {
        maps += usize::from(cache.forget(&name)?);
    }
    let machines = cache.forget_machines()?;
    for other in cache.others() {
        fs::remove_dir_all(&other).with_context(|| other.display().to_string())?;
    }
    terminal::note(format_args!(
        "forgot {} and {} of machines",
        counted(maps, "map"),
        counted(machines, "file")
    ));
    Ok(())
}
