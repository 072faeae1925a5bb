//! The work of rank 0: it orders latency measurements until the structure of the network is known,
//! and then bandwidth measurements.

use super::Settings;
use super::bandwidths::{self, Bandwidths};
use super::crew::Crew;
use super::known_tree;
use super::latencies::{Minima, company_is_harmless, open_connections};
use crate::own_ranks::tell;
use crate::probe::messages::{Message, ProbedMachine};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rankfold_abi::mpi::Result;
use rankfold_mapper::members::IMPORTERS;
use rankfold_reconstruct::{
    Certainty, Latencies, MeasuredNetwork, NetworkStructure, Reconstruction, decide, machine_file,
};
use std::time::{Duration, Instant};

/// Greatest share of the time for latencies. Chosen by hand; not measured.
const SHARE_OF_LATENCIES: f64 = 0.75;

/// Orders all measurements until `end`, and sends the results to the command.
pub(super) fn lead(crew: &Crew, settings: &Settings, end: Instant) -> Result {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
    if crew.size() < 2 {
        tell(&Message::Note(
            "all ranks are on one host: there is no network to measure".into(),
        ));
        return Ok(());
    }
    tell(&Message::Progress(0.0, "opening connections".into()));
    open_connections(crew, &mut random)?;
    let together = !crew.shares_kernels && company_is_harmless(crew, &mut random)?;
    if together {
        crew.sleep_for(Duration::ZERO)?;
    } else {
        tell(&Message::Note(
            "pairs of hosts disturb each other: hosts or ranks share cores, or links are busy; one pair is measured at a time".into(),
        ));
    }
    let start = Instant::now();
    let share = end
        .saturating_duration_since(start)
        .mul_f64(SHARE_OF_LATENCIES);
    let (minima, reconstruction) = latencies(crew, settings, together, start + share, &mut random)?;
    let all = minima.all();
    warn(&minima, &reconstruction);
    tell(&Message::Progress(SHARE_OF_LATENCIES, "bandwidths".into()));
    let by_size = bandwidths::by_size(crew, &all)?;
    let measured =
        bandwidths::streams(crew, &reconstruction.structure, &all, by_size, &mut random)?;
    if let Some(contended) = measured.contended {
        tell(&Message::Note(format!(
            "random pairs at once: the slowest stream has {:.0} % of what one alone has",
            100.0 * contended
        )));
    }
    known(crew, &reconstruction, &all, minima.passes, Some(&measured));
    Ok(())
}

/// Measures the capacities of a tree of switches, and sends the results to the command.
pub(super) fn measure_known(crew: &Crew, machine: &str) -> Result {
    if !crew.shares_kernels {
        crew.sleep_for(Duration::ZERO)?;
    }
    let known = match IMPORTERS.describe(machine, &crew.hosts) {
        Ok(known) => known,
        Err(problem) => {
            tell(&Message::Note(problem.to_string()));
            return Ok(());
        }
    };
    match known_tree::measure(crew, known, |message| tell(&message))? {
        Ok(measured) => tell(&Message::Known(measured)),
        Err(problem) => tell(&Message::Note(problem)),
    }
    Ok(())
}

/// Measures latencies until the same structure is found twice in a row and is certain, or until
/// `end`.
fn latencies(
    crew: &Crew,
    settings: &Settings,
    together: bool,
    end: Instant,
    random: &mut Xoshiro256PlusPlus,
) -> Result<(Minima, Reconstruction)> {
    /// Passes before the first reconstruction. Chosen by hand; not measured.
    const FIRST: usize = 8;
    /// Passes from one reconstruction to the next. Chosen by hand; not measured.
    const STEP: usize = 4;
    let start = Instant::now();
    let mut minima = Minima::new(crew.size());
    let mut before: Option<Reconstruction> = None;
    loop {
        minima.pass(crew, together, random)?;
        let a_pass = start.elapsed() / u32::try_from(minima.passes).unwrap_or(u32::MAX);
        // The two halves need the same number of passes.
        let over = minima.passes.is_multiple_of(2) && Instant::now() + 2 * a_pass > end;
        progress(&minima, start, end, before.as_ref());
        if !over && (minima.passes < FIRST || !minima.passes.is_multiple_of(STEP)) {
            continue;
        }
        let reconstruction = decide(&minima.halves[0], &minima.halves[1], settings.seed);
        known(crew, &reconstruction, &minima.all(), minima.passes, None);
        let settled = before.as_ref().is_some_and(|before| {
            let sure = [before, &reconstruction]
                .iter()
                .all(|one| one.certainty == Certainty::Sure);
            sure && alike(&before.structure, &reconstruction.structure)
        });
        if over || settled {
            return Ok((minima, reconstruction));
        }
        before = Some(reconstruction);
    }
}

/// Whether two results are the same structure. The position of a grid's first node does not count,
/// since latencies do not show it.
fn alike(a: &NetworkStructure, b: &NetworkStructure) -> bool {
    match (a, b) {
        (
            NetworkStructure::Grid { sizes, wraps, .. },
            NetworkStructure::Grid {
                sizes: others,
                wraps: wrap,
                ..
            },
        ) => sizes == others && wraps == wrap,
        _ => a == b,
    }
}

fn progress(
    minima: &Minima,
    start: Instant,
    end: Instant,
    reconstruction: Option<&Reconstruction>,
) {
    let whole = end.saturating_duration_since(start).as_secs_f64();
    let done = SHARE_OF_LATENCIES * (start.elapsed().as_secs_f64() / whole.max(1e-3)).min(1.0);
    let q = reconstruction.map_or(String::new(), |reconstruction| {
        format!(", q {:.2}", reconstruction.q)
    });
    let text = format!("latencies, pass {}{q}", minima.passes);
    tell(&Message::Progress(done, text));
}

/// Warns the user if the measurements of the two halves differ much.
fn warn(minima: &Minima, reconstruction: &Reconstruction) {
    /// Structures of small networks are not found above this difference. The command of the
    /// measurement is not recorded.
    const MUCH: f64 = 0.1;
    let spread = minima.spread();
    if spread > MUCH || reconstruction.certainty == Certainty::HostsOnly {
        tell(&Message::Note(format!(
            "the shortest latencies of both halves of the passes differ by {:.1} % in the median, and agree in {:.2} of what tells hosts apart: links or cores are busy, or nothing does",
            100.0 * spread,
            reconstruction.ceiling
        )));
    }
}

/// Sends the machine as it is known. The machine is complete if its bandwidths are known.
fn known(
    crew: &Crew,
    reconstruction: &Reconstruction,
    latencies: &Latencies,
    passes: usize,
    bandwidths: Option<&Bandwidths>,
) {
    let none = Bandwidths::default();
    let of = bandwidths.unwrap_or(&none);
    let measured = MeasuredNetwork {
        hosts: &crew.hosts,
        reconstruction,
        latencies,
        passes,
        single: bandwidths.map(|of| of.single).filter(|&rate| rate > 0.0),
        links: &of.links,
        by_size: &of.by_size,
    };
    tell(&Message::Known(ProbedMachine {
        machine: machine_file(&measured),
        summary: measured.summary(),
        complete: bandwidths.is_some(),
    }));
}
