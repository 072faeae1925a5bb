//! Bursts: how many messages a program has under way at once. Followed from the order of the calls
//! through the profile to the prediction of time.

use crate::fact::{Fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::rankfold::Profiled;
use rankfold_tests::{program, rankfold};
use rankfold_wire::Profile;

const PARTNERS: u64 = 4;
/// Messages in a burst of a rank that starts all its messages at once.
const ALL: f64 = PARTNERS as f64;
const ROUNDS: u64 = 3;

/// Orders of `programs/bursts.c`, each with its mean number of messages in a burst. Holds for
/// messages so small that a blocking send does not wait for the receiver.
const EAGER: &[(&str, f64)] = &[
    ("all", ALL),
    ("sends-first", ALL),
    ("blocking-sends", ALL),
    ("sendrecv", 1.0),
    ("one-by-one", 1.0),
    ("one-by-one-nonblocking", 1.0),
    ("two-by-two", 2.0),
    ("blocking-receives", ALL),
    ("sends-waited-alone", ALL),
    ("waitany", ALL),
    ("waitsome", ALL),
    ("persistent", ALL),
    ("persistent-one-by-one", 1.0),
    ("relay", 1.0),
    // Of five ranks, rank 1 sends two messages while the wave moves forward, and one while the wave
    // comes back.
    ("wavefront", 5.0 / 3.0),
    ("neighbours", ALL),
    ("threads", 1.0),
    ("testing", ALL),
];

pub(crate) fn facts() -> Vec<Fact> {
    let name = "bursts::the_order_of_calls_tells_how_many_messages_are_under_way_at_once";
    let mut facts = under(
        &Mpi::ALL,
        ("C", "how many messages are under way at once"),
        name,
        short,
    );
    let name = "bursts::a_blocking_send_is_a_wait_above_the_eager_limit_only";
    facts.extend(under(
        &Mpi::DEBIAN,
        ("C", "the eager limit of blocking sends"),
        name,
        long,
    ));
    facts
}

/// Profiles a run with messages of `bytes` bytes, in all orders or in one, where `eager` is the
/// eager limit.
fn profile(mpi: Mpi, bytes: &str, order: &[&str], eager: Option<&str>) -> Result<Profile> {
    let program = program::compile(mpi, "bursts")?;
    let (partners, rounds) = (PARTNERS.to_string(), ROUNDS.to_string());
    let ranks = PARTNERS as u32 + 1;
    let args = [&[bytes, &partners, &rounds], order].concat();
    let launch = mpi.launch(ranks, &program, &args);
    let Profiled { profile, .. } = rankfold::profile_launch(&launch, |command| match eager {
        Some(eager) => command.env("RANKFOLD_EAGER", eager),
        None => command,
    })?;
    Ok(profile)
}

/// The mean number of messages in a burst of rank 1, in one of the orders. Fails unless the bursts
/// hold all bytes of that order.
fn mean(profile: &Profile, order: &str) -> Result<f64> {
    let phase = profile.phases.iter().find(|phase| phase.name == order);
    let phase = phase.with_context(|| format!("no phase {order}"))?;
    let (row, bursts) = (&phase.rows[1], phase.bursts.get(1));
    let bursts = bursts.with_context(|| format!("{order}: no bursts"))?;
    let sent: u64 = row.peers.iter().map(|peer| peer.bytes).sum();
    ensure!(
        bursts.bytes == sent && sent > 0,
        "{order}: {sent} bytes sent, {bursts:?}"
    );
    bursts.mean().context("bytes, so a mean")
}

fn short(mpi: Mpi) -> Result<()> {
    let profile = profile(mpi, "1000", &[], None)?;
    for &(order, messages) in EAGER {
        let mean = mean(&profile, order)?;
        ensure!(
            mean == messages,
            "{order}: {mean} messages a burst, not {messages}"
        );
    }
    is_told(&profile, "all", "all at once")?;
    is_told(&profile, "two-by-two", "a few at a time (s = 0.67)")?;
    is_told(&profile, "wavefront", "mostly all at once (s = 0.48)")?;
    is_told(&profile, "sendrecv", "partner by partner")
}

/// Fails unless `rankfold analyze` prints `how` for messages in this order.
fn is_told(profile: &Profile, order: &str, how: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = scratch.path().join("run.rfp");
    profile.write(&path)?;
    let path = path.display().to_string();
    let finished = rankfold::run(&["analyze", &path, "--phase", order])?.success()?;
    ensure!(
        finished
            .stdout
            .contains(&format!("messages are started {how}\n")),
        "{order}: {}",
        finished.stdout
    );
    Ok(())
}

fn long(mpi: Mpi) -> Result<()> {
    for (order, bytes, eager, messages) in [
        ("blocking-sends", "65536", None, 4.0),
        ("blocking-sends", "65537", None, 1.0),
        ("blocking-sends", "65537", Some("100000"), 4.0),
        ("blocking-sends", "1000", Some("0"), 1.0),
        ("wavefront", "65536", None, 5.0 / 3.0),
        ("wavefront", "65537", None, 1.0),
    ] {
        let profile = profile(mpi, bytes, &[order], eager)?;
        let mean = mean(&profile, order)?;
        ensure!(
            mean == messages,
            "{order}, {bytes} bytes, limit {eager:?}: {mean} messages a burst"
        );
    }
    Ok(())
}
