//! Launch lines as centres document them, and the page that tells what is made of each.

use super::*;
use crate::launch::EarlyUse;
use crate::placement::LaunchedSeats;
use crate::placing_method::BareLaunch;
use rankfold_wire::Seat;
use std::fmt::Write;
use std::fs;

const LINES: &str = include_str!("lines.txt");
const START: &str = "<!-- the lines -->\n";
const END: &str = "<!-- end of the lines -->\n";
/// Set to write the table instead of comparing it.
const WRITE: &str = "RANKFOLD_WRITE_TABLE";

/// The number of ranks where the line leaves it to the job.
const USUAL: usize = 8;

/// A line of the file: where it is from, the launch, and its words.
fn documented() -> impl Iterator<Item = (&'static str, Launch, &'static str)> {
    let lines = LINES.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let parts: Vec<&str> = line.splitn(3, " | ").collect();
        let [from, name, line] = parts[..] else {
            panic!("no line of three parts: {line}")
        };
        let words: Vec<OsString> = shlex::split(line)
            .unwrap()
            .into_iter()
            .map(Into::into)
            .collect();
        let at = words.iter().position(|word| is_named(word)).unwrap();
        let launcher = LAUNCHERS
            .iter()
            .find(|launcher| launcher.name() == name)
            .unwrap();
        let launch = Launch::parse(*launcher, &words[..at], &words[at..]);
        (
            from,
            launch.unwrap_or_else(|error| panic!("{line}: {error}")),
            line,
        )
    })
}

/// The seats of a launch with its ranks in two equal parts on two hosts, and a map that exchanges
/// the hosts of all ranks.
fn exchanged(ranks: usize) -> (LaunchedSeats, PlacementPlan) {
    let host = |rank: usize| format!("n{}", rank * 2 / ranks.max(1));
    let seat = |rank: usize| Seat {
        host: host(rank),
        cores: [rank as u32].into_iter().collect(),
        ..Seat::default()
    };
    let seats = LaunchedSeats {
        seats: (0..ranks).map(seat).collect(),
        ..LaunchedSeats::default()
    };
    let hosts = (0..ranks).rev().map(host).collect();
    (
        seats,
        PlacementPlan {
            hosts,
            ..plan(None)
        },
    )
}

/// How a map is followed that wants the counts of ranks which the line makes.
fn followed(launch: &Launch) -> String {
    let ranks = launch.ranks().unwrap().map_or(USUAL, |(ranks, _)| ranks);
    let (seats, mut plan) = exchanged(ranks);
    // The ranks of each program change places, as with a map.
    let kinds = launch.kinds(&vec![0; ranks]);
    for kind in &kinds {
        let of_kind = (0..ranks).filter(|&rank| kinds[rank] == *kind);
        for (rank, other) in of_kind.clone().zip(of_kind.rev()) {
            plan.hosts[rank].clone_from(&seats.seats[other].host);
        }
    }
    let bare = BareLaunch {
        seats: Some(seats),
        ..BareLaunch::default()
    };
    let choice = placing_method::choose(launch, &plan, None, None, &bare).unwrap();
    match (choice.how, launch.early_use()) {
        (PlacingMethod::Renumber, Some(EarlyUse::Labels(label))) => {
            format!("renumbered, every seat kept; `{label}` shows the launcher's ranks")
        }
        (PlacingMethod::Renumber, _) => "renumbered, every seat kept".into(),
        (PlacingMethod::Native, early) => {
            let why = early.map(|early| early.to_string()).unwrap_or_default();
            format!("by the launcher, every seat kept: {why}")
        }
        (PlacingMethod::AsLaunched, _) => {
            let message = choice.to_string();
            format!(
                "as launched{}",
                message.trim_start_matches("ranks are not placed, and run as launched")
            )
        }
    }
}

#[test]
fn every_documented_line_is_understood_and_its_seats_are_kept() {
    let mut lines = 0;
    for (_, launch, line) in documented() {
        lines += 1;
        let exports = Exports::new(vec![("RANKFOLD_RUN", "7".into())], "/l.so".into());
        let mut profiled = launch.clone();
        profiled.export(&exports);
        let words = join(&profiled.words());
        assert!(
            words.contains("/l.so") && words.contains("RANKFOLD_RUN"),
            "{line}: {words}"
        );
        // Every word of the user is there, in its order.
        let mut all = profiled.words().into_iter();
        let own = launch.words();
        let kept = own.iter().all(|word| all.any(|there| there == *word));
        let sets = line.contains("-x ") || line.contains("env ");
        assert!(kept || sets, "{line}: {words}");
        assert!(!followed(&launch).is_empty());
    }
    assert!(lines > 70, "{lines}");
}

#[test]
fn the_page_shows_exactly_these() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../LINES.md");
    let text = fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(START).expect("a start of the table");
    let (shown, after) = rest.split_once(END).expect("an end of the table");
    let mut table = "| from | line | launcher | ranks | program | a map is followed |\n| --- | --- | --- | ---: | --- | --- |\n".to_owned();
    for (from, launch, line) in documented() {
        let ranks = launch.ranks().unwrap();
        let ranks = ranks.map_or("of the job".into(), |(ranks, _)| ranks.to_string());
        let programs: Vec<String> = launch
            .apps
            .iter()
            .map(|app| format!("`{}`", app.program[0].to_string_lossy()))
            .collect();
        let (name, programs) = (launch.launcher.name(), programs.join(", "));
        let (line, followed) = (line.replace('|', "\\|"), followed(&launch));
        writeln!(
            table,
            "| {from} | `{line}` | {name} | {ranks} | {programs} | {followed} |"
        )
        .unwrap();
    }
    if std::env::var_os(WRITE).is_some() {
        fs::write(path, [before, START, &table, END, after].concat()).unwrap();
        return;
    }
    assert_eq!(shown, table, "run this test once with {WRITE}=1");
}
