//! The summary of a profile that `rankfold profile` prints.

use rankfold_base::words::{counted, mpi_library};
use rankfold_wire::{CallClass, NcclRecord, Profile, Row, SizeCount, Time, env};
use std::collections::BTreeSet;

/// The lines of the summary: the traffic, and a line or a table for everything else that the
/// profile holds.
pub(super) fn lines(profile: &Profile) -> Vec<String> {
    let mut lines = vec![traffic(profile)];
    lines.extend(collectives(profile));
    lines.extend(as_sent(profile));
    lines.extend(parameters(profile));
    lines.extend(foreign(profile));
    lines.extend(others(profile));
    lines.extend(phases(profile));
    lines.extend(sizes(profile));
    lines.extend(times(profile));
    lines.extend(nccl(profile));
    lines.extend(unseen(profile));
    lines
}

fn traffic(profile: &Profile) -> String {
    let peers = || profile.rows.iter().flat_map(|row| &row.peers);
    let bytes: u128 = peers().map(|peer| u128::from(peer.bytes)).sum();
    let messages: u128 = peers().map(|peer| u128::from(peer.messages)).sum();
    let hosts = profile
        .manifest
        .hosts
        .iter()
        .filter(|host| !host.is_empty());
    format!(
        "{} on {} sent {} in {} over {}",
        counted(profile.rows.len(), "rank"),
        counted(hosts.collect::<BTreeSet<_>>().len(), "host"),
        counted(bytes, "byte"),
        counted(messages, "message"),
        counted(peers().count(), "pair")
    )
}

fn collectives(profile: &Profile) -> Option<String> {
    let calls: u128 = profile
        .collectives
        .iter()
        .map(|c| u128::from(c.calls))
        .sum();
    let used: BTreeSet<u32> = profile.collectives.iter().map(|c| c.comm).collect();
    (calls > 0).then(|| {
        format!(
            "{} on {} kept apart",
            counted(calls, "collective"),
            counted(used.len(), "communicator")
        )
    })
}

/// The line for what the MPI library sent inside collectives, if it reported that.
fn as_sent(profile: &Profile) -> Option<String> {
    let peers = || profile.as_sent.iter().flat_map(|row| &row.peers);
    let bytes: u128 = peers().map(|peer| u128::from(peer.bytes)).sum();
    (!profile.as_sent.is_empty()).then(|| {
        format!(
            "the MPI library sent {} inside collectives over {}, as its monitoring reports",
            counted(bytes, "byte"),
            counted(peers().count(), "pair")
        )
    })
}

/// Lines for what the ranks did with NCCL or c10d.
fn nccl(profile: &Profile) -> Vec<String> {
    let Some(traffic) = &profile.nccl else {
        return Vec::new();
    };
    let sum = |rows: &[Row]| {
        let peers = rows.iter().flat_map(|row| &row.peers);
        let (bytes, pairs) = peers.fold((0, 0), |(bytes, pairs), peer| {
            (bytes + u128::from(peer.bytes), pairs + 1)
        });
        (counted(bytes, "byte"), counted(pairs, "pair"))
    };
    let record = &traffic.record;
    let versions: Vec<String> = record.interfaces.iter().map(u32::to_string).collect();
    let calls: u128 = traffic
        .collectives
        .iter()
        .map(|c| u128::from(c.calls))
        .sum();
    let (sent, sent_pairs) = sum(&traffic.sent);
    let library = record.library();
    let calls = counted(calls, "collective");
    if record.is_of_c10d() {
        let groups = counted(traffic.communicators.len(), "group");
        let line = format!("c10d: {calls} on {groups}, {sent} by send over {sent_pairs}");
        return [vec![line], remarks(record, library)].concat();
    }
    let mut lines = vec![format!(
        "NCCL (profiler interface {}): {calls} on {}, {sent} by ncclSend over {sent_pairs}",
        versions.join(", "),
        counted(traffic.communicators.len(), "communicator"),
    )];
    let (network, pairs) = sum(&traffic.network);
    lines.push(if traffic.network.is_empty() {
        "NCCL's proxies sent nothing over a network".to_owned()
    } else {
        format!("NCCL's proxies sent {network} over the network, over {pairs}")
    });
    lines.extend(remarks(record, library));
    lines
}

/// Lines for what is to be known of the count besides its numbers.
fn remarks(record: &NcclRecord, library: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if !record.unfinished.is_empty() {
        let ranks: Vec<String> = record.unfinished.iter().map(u32::to_string).collect();
        lines.push(format!(
            "{library}: killed before the end, and counted until then: {} {}",
            if ranks.len() == 1 { "rank" } else { "ranks" },
            ranks.join(", ")
        ));
    }
    let lost = record.lost.iter().filter(|lost| lost.events > 0);
    lines.extend(lost.map(|lost| {
        format!(
            "{library}: {} not counted, {}",
            counted(lost.events, "event"),
            lost.loss.name()
        )
    }));
    lines.extend(record.notes.iter().map(|note| format!("{library}: {note}")));
    lines
}

/// The line for the parameters of the MPI library that were set.
fn parameters(profile: &Profile) -> Option<String> {
    let set = profile.parameters.iter();
    let set: Vec<String> = set
        .map(|set| format!("{}={}", set.name, set.value))
        .collect();
    let mpi = mpi_library(&profile.manifest.mpi);
    (!set.is_empty()).then(|| format!("parameters of {mpi}: {}", set.join(" ")))
}

fn unseen(profile: &Profile) -> Option<String> {
    let ways: Vec<&str> = profile.unseen.iter().map(|way| way.name()).collect();
    (!ways.is_empty()).then(|| {
        format!(
            "not counted, as no call of MPI tells it: {}",
            ways.join(", ")
        )
    })
}

fn foreign(profile: &Profile) -> Option<String> {
    let bytes: u128 = profile.foreign.iter().map(|p| u128::from(p.bytes)).sum();
    (!profile.foreign.is_empty()).then(|| {
        format!(
            "{} left this world, and no pair has them",
            counted(bytes, "byte")
        )
    })
}

fn others(profile: &Profile) -> Option<String> {
    let ranks = profile.others.len();
    let number: u128 = profile.others.iter().map(|p| u128::from(p.messages)).sum();
    let bytes: u128 = profile.others.iter().map(|p| u128::from(p.bytes)).sum();
    (ranks > 0).then(|| {
        format!(
            "in no pair: {number} calls and messages, {}. The counters of {} reached their bound of memory ({}).",
            counted(bytes, "byte"),
            counted(ranks as u128, "rank"),
            env::MEMORY
        )
    })
}

fn phases(profile: &Profile) -> Option<String> {
    let names: Vec<&str> = profile.phases.iter().map(|p| p.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("phases: {}", names.join(", ")))
}

/// A table of messages and bytes by message size, in powers of two.
fn sizes(profile: &Profile) -> Vec<String> {
    let messages: u128 = profile
        .sizes
        .iter()
        .map(|size| u128::from(size.messages))
        .sum();
    let bytes: u128 = profile.sizes.iter().map(|s| u128::from(s.bytes)).sum();
    let percent = |part: u64, all: u128| 100.0 * part as f64 / all.max(1) as f64;
    let label = |size: &SizeCount| format!("{}, {}", size.kind.name(), from(size.bits));
    let longest = profile.sizes.iter().map(|size| label(size).len()).max();
    let Some(wide) = longest.map(|longest| longest.max(28)) else {
        return Vec::new();
    };
    let head = format!("{:<wide$} {:>12} {:>12}", "by size", "messages", "bytes");
    let row = |size: &SizeCount| {
        format!(
            "{:<wide$} {:>11.1}% {:>11.1}%",
            label(size),
            percent(size.messages, messages),
            percent(size.bytes, bytes)
        )
    };
    let rows = profile.sizes.iter().map(row).collect();
    [vec![head], rows].concat()
}

/// The smallest size with this number of bits, in words.
fn from(bits: u32) -> String {
    let power = |log2: u32| {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let unit = units.get(log2 as usize / 10).unwrap_or(&"");
        format!("{} {unit}", 1_u64 << (log2 % 10))
    };
    match bits {
        0 => "empty".into(),
        _ => format!("from {}", power(bits - 1)),
    }
}

/// A table of the seconds inside MPI by kind of call: the mean over the ranks that measured them,
/// and the maximum.
fn times(profile: &Profile) -> Vec<String> {
    let of = |class: CallClass| {
        let seconds = |times: &Vec<Time>| {
            let spent = times.iter().find(|time| time.class == class);
            spent.map_or(0.0, Time::seconds)
        };
        // Of large jobs, a sample of the ranks measures times.
        let timed = profile.times.iter().filter(|times| !times.is_empty());
        let all: Vec<f64> = timed.map(seconds).collect();
        let most = all.iter().copied().fold(0.0, f64::max);
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        (most > 0.0).then(|| format!("{:<28} {mean:>12.6} {most:>12.6}", class.name()))
    };
    let rows: Vec<String> = CallClass::ALL.into_iter().filter_map(of).collect();
    if rows.is_empty() {
        return rows;
    }
    let head = format!(
        "{:<28} {:>12} {:>12}",
        "seconds in MPI, per rank", "mean", "most"
    );
    [vec![head], rows].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_wire::{Peer, SizeKind, Unseen};

    #[test]
    fn only_what_there_is_gets_a_line() {
        assert_eq!(lines(&Profile::default()).len(), 1);
        let wait = Time {
            class: CallClass::Wait,
            nanoseconds: 1_500_000_000,
            calls: 3,
        };
        let short = Time {
            nanoseconds: 500_000_000,
            ..wait
        };
        let profile = Profile {
            times: vec![vec![wait], vec![], vec![short]],
            foreign: vec![Peer {
                rank: 0,
                bytes: 7,
                messages: 1,
            }],
            sizes: [(0, 0, 1), (14, 36_000, 3)]
                .map(|(bits, bytes, messages)| SizeCount {
                    kind: SizeKind::Message,
                    bits,
                    bytes,
                    messages,
                })
                .into(),
            unseen: vec![Unseen::Nccl],
            ..Profile::default()
        };
        let text = lines(&profile).join("\n");
        assert!(text.contains("7 bytes left this world"), "{text}");
        assert!(text.contains("tells it: NCCL"), "{text}");
        assert!(text.contains("1.000000     1.500000"), "{text}");
        assert!(text.contains("messages, empty                     25.0%         0.0%"));
        let larger = "messages, from 8 KiB                75.0%       100.0%";
        assert!(text.contains(larger), "{text}");
    }
}
