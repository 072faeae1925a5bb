//! `rankfold fleet`: which programs and users of a site would gain most from maps.

mod files;
mod judged;
mod page;
mod prolog;
mod usage;

use files::{Found, below};
use rankfold_base::words::counted;
use rankfold_cache::read_entry;
use rankfold_console::{output, terminal};
use rankfold_launch::config::SiteSettings;
use rankfold_launch::error::LaunchError;
use rankfold_launch::tool;
use rankfold_mapper::cli::columns::in_columns;
use rankfold_mapper::document::{self, Document};
use rankfold_mapper::error::Error;
use rankfold_mapper::members::IMPORTERS;
use rankfold_wire::Profile;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use usage::Usage;

const EXAMPLES: &str = "\
Examples:
  rankfold fleet /scratch/rankfold --machine /etc/slurm/topology.conf    profiles that a TaskProlog has left
  rankfold fleet /scratch/*/rankfold /home/*/.cache/rankfold             caches of users, as root
  rankfold fleet /scratch/rankfold --days 30 --json fleet.json -o fleet.html";

/// `rankfold fleet`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Args {
    /// Directories with profiles (.rfp) and caches of rankfold, at any depth
    #[arg(value_name = "DIR", required_unless_present = "task_prolog")]
    directories: Vec<PathBuf>,
    /// The machine of the profiles, such as Slurm's topology.conf: each is mapped on its own hosts
    /// [default: none; then only programs in caches have something to gain]
    #[arg(long, value_name = "SPEC|FILE")]
    machine: Option<String>,
    /// Only files that were changed in the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// The number of programs that are mapped, those with the most node-hours inside MPI
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Where to write the same as one HTML page
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Where to write the same as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print what a TaskProlog of Slurm prints, so that every launch leaves a profile in the
    /// directory that the site's file names as fleet
    #[arg(long, conflicts_with_all = ["directories", "machine", "days", "output", "json"])]
    task_prolog: bool,
}

/// The head of the column by which the table is sorted.
const TO_GAIN: &str = "to gain";

/// The heads of the columns; all numbers but runs, ranks, hosts and shares are node-hours.
const COLUMNS: [&str; 10] = [
    "user",
    "program",
    "runs",
    "ranks",
    "hosts",
    "node-hours",
    "in MPI",
    "saves",
    TO_GAIN,
    "gained",
];

/// What programs of a site take, and would gain. The field names are the keys of `--json`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Fleet {
    /// Node-hours of all runs that were found.
    node_hours: f64,
    /// Of these, the node-hours that maps would save.
    to_gain: f64,
    /// Node-hours that maps have saved already.
    gained: f64,
    /// The programs, the one with most to gain first.
    programs: Vec<Usage>,
    /// What could not be read or judged, one sentence each.
    left_out: Vec<String>,
}

impl Document for Fleet {
    const NAME: &'static str = "fleet";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str =
        "fleet: programs and users of a site, their node-hours, and what they would gain";
}

/// The command; returns the exit status.
pub(super) fn run(args: &Args, settings: &SiteSettings) -> anyhow::Result<u8> {
    if args.task_prolog {
        // Of settings that are wrong the others count: a task does not fail for them.
        prolog::print(settings);
        return Ok(0);
    }
    output::check_all(args.output.iter().chain(&args.json), [])?;
    // A machine that no hosts change is wrong for all profiles, or for none.
    if let Some(spec) = args
        .machine
        .as_deref()
        .filter(|it| !IMPORTERS.depends_on_job(it))
    {
        IMPORTERS.load(spec).map_err(Error::from)?;
    }
    let fleet = Fleet::gather(args)?;
    if let Some(path) = &args.json {
        output::write(path, &document::text(&fleet)?)?;
    }
    if let Some(path) = &args.output {
        output::write(path, page::html(&fleet).as_bytes())?;
    }
    let mut out = output::beside(args.json.as_deref());
    write!(out, "{}", fleet.text())?;
    fleet.left_out.iter().for_each(terminal::note);
    Ok(0)
}

impl Fleet {
    fn gather(args: &Args) -> anyhow::Result<Self> {
        const DAY: u64 = 86_400;
        let ago = args
            .days
            .map(|days| Duration::from_secs(DAY * u64::from(days)));
        let since = ago.and_then(|ago| SystemTime::now().checked_sub(ago));
        let since = since.unwrap_or(SystemTime::UNIX_EPOCH);
        let mut fleet = Self::default();
        let mut known: BTreeMap<(String, String), Usage> = BTreeMap::new();
        let mut names = HashMap::new();
        for directory in &args.directories {
            let found = below(directory, since);
            let found = found.map_err(|error| LaunchError::Option {
                option: directory.display().to_string(),
                problem: format!("cannot be read as a directory of profiles: {error}"),
            })?;
            for file in found {
                match usage_of(&file, &mut names) {
                    Ok(usage) => {
                        let key = (usage.user.clone(), usage.program.clone());
                        let before = known.remove(&key);
                        let joined = match before {
                            Some(before) => before.joined(usage),
                            None => usage,
                        };
                        known.insert(key, joined);
                    }
                    Err(why) => fleet.left_out.push(format!("{}: {why:#}", file.name())),
                }
            }
        }
        fleet.programs = known.into_values().collect();
        fleet.judge(args);
        for usage in &mut fleet.programs {
            usage.sum_up();
            fleet.node_hours += usage.node_hours;
            fleet.to_gain += usage.to_gain;
            fleet.gained += usage.gained;
        }
        let hours = |usage: &Usage| (usage.to_gain, usage.node_hours);
        fleet.programs.sort_by(|a, b| {
            hours(b)
                .partial_cmp(&hours(a))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        Ok(fleet)
    }

    /// Maps the programs that spend most inside MPI and that no cache knows, on the machine.
    fn judge(&mut self, args: &Args) {
        let Some(spec) = &args.machine else { return };
        let open = self
            .programs
            .iter_mut()
            .filter(|usage| usage.saving.is_none());
        let mut open: Vec<&mut Usage> = open.filter(|usage| usage.largest.is_some()).collect();
        open.sort_by(|a, b| b.inside_mpi.total_cmp(&a.inside_mpi));
        for usage in open.into_iter().take(args.most) {
            let Some((_, file)) = &usage.largest else {
                continue;
            };
            match profile(file).and_then(|profile| judged::judged(&profile, spec)) {
                Ok(judged) => usage.judge(judged),
                Err(why) => self.left_out.push(format!("{}: {why:#}", file.name())),
            }
        }
    }

    /// The table for the terminal, which a line with the sums follows.
    fn text(&self) -> String {
        let head = COLUMNS.map(str::to_owned).to_vec();
        let rows = self.programs.iter().map(|usage| usage.cells().to_vec());
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
        let mut text = in_columns(&rows, &[0, 1]);
        let _ = writeln!(text, "{}", self.summary());
        text
    }

    /// The sums in one sentence.
    fn summary(&self) -> String {
        let is_known = self.programs.iter().any(|usage| usage.saving.is_some());
        let saved = if is_known {
            format!(
                "of which maps would save {}; {} were saved",
                in_hours(self.to_gain),
                in_hours(self.gained)
            )
        } else {
            "and what maps would save is not known".into()
        };
        format!(
            "{}: {} node-hours, {saved}",
            counted(self.programs.len(), "program"),
            in_hours(self.node_hours),
        )
    }
}

impl Usage {
    /// The cells of a row, for the terminal and for the page.
    fn cells(&self) -> [String; 10] {
        let hours = in_hours;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let inside = self.inside_mpi / self.node_hours;
        let saving = self
            .saving
            .map(|saving| format!("{} {}", self.basis.words(), percent(saving)));
        [
            terminal::printable(&self.user),
            terminal::printable(&self.program),
            self.runs.to_string(),
            self.ranks.to_string(),
            self.hosts.to_string(),
            hours(self.node_hours),
            if inside.is_finite() {
                percent(inside)
            } else {
                "-".into()
            },
            saving.unwrap_or_else(|| self.basis.words().into()),
            self.saving.map_or("-".into(), |_| hours(self.to_gain)),
            hours(self.gained),
        ]
    }
}

/// Node-hours, with three digits where they are few.
fn in_hours(hours: f64) -> String {
    match hours {
        none if none <= 0.0 => "0".into(),
        few if few < 10.0 => format!("{few:.2}"),
        some if some < 100.0 => format!("{some:.1}"),
        many => format!("{many:.0}"),
    }
}

/// What a file tells.
fn usage_of(file: &Found, names: &mut HashMap<u32, String>) -> anyhow::Result<Usage> {
    let opened = file.open()?;
    let (usage, said) = if file.is_entry {
        let entry = read_entry(&opened.text()?).map_err(anyhow::Error::msg)?;
        (Usage::of_entry(&entry), String::new())
    } else {
        let profile = profile_in(&opened.file)?;
        (Usage::of_profile(&profile, file), profile.user)
    };
    let name = |number: u32| {
        names
            .entry(number)
            .or_insert_with(|| login_name(number))
            .clone()
    };
    let user = usage::owner(&opened, &said, name);
    Ok(Usage { user, ..usage })
}

fn profile(file: &Found) -> anyhow::Result<Profile> {
    profile_in(&file.open()?.file)
}

/// Reads a profile of the file that is open, whatever its name stands for by now.
fn profile_in(file: &std::fs::File) -> anyhow::Result<Profile> {
    use std::os::fd::AsRawFd;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let read = Profile::read(path.as_ref());
    read.map_err(|error| anyhow::anyhow!(error.to_string().replace(&path, "the file")))
}

/// The login name of a user; the number where nothing tells the name.
fn login_name(number: u32) -> String {
    /// Longest wait for the directory of users. Chosen by hand.
    const PATIENCE: Duration = Duration::from_secs(2);
    let number = number.to_string();
    let text = tool::output("getent", &["passwd", &number], PATIENCE);
    let text = text.ok().flatten().unwrap_or_default();
    match text.split(':').next() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => number,
    }
}

#[cfg(test)]
mod tests;
