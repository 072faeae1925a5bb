//! The text of a certificate.

use super::{Certificate, Eigenvalues, read};
use std::fmt::Display;

pub(super) fn text(certificate: &Certificate) -> String {
    let (slots, proof) = (certificate.slots, &certificate.proof);
    let version = if certificate.bandwidth.is_some() {
        read::BUSIEST_LINK
    } else {
        read::HOP_BYTES
    };
    let mut lines = vec![
        format!("rankfold-certificate {version}"),
        format!("ranks {}", certificate.ranks),
        format!("slots {slots}"),
    ];
    let bandwidth = certificate.bandwidth.iter();
    lines.extend(bandwidth.map(|bandwidth| format!("bandwidth {bandwidth}")));
    lines.push(format!("pairs {}", certificate.pairs.len()));
    let pairs = certificate.pairs.iter();
    lines.extend(pairs.map(|(one, other, bytes)| format!("pair {one} {other} {bytes}")));
    let rows = certificate.hops.chunks(slots).enumerate();
    lines.extend(rows.map(|(slot, row)| listed(&format!("hops {slot}"), &row[slot + 1..])));
    lines.push(listed("placement", &certificate.placement));
    lines.push(format!("hop-bytes {}", certificate.hop_bytes));
    lines.push(format!("bound {}", certificate.bound));
    lines.push(format!("unit {}", proof.unit));
    let rows = proof.shares.chunks(slots).enumerate();
    lines.extend(rows.map(|(rank, row)| listed(&format!("share {rank}"), row)));
    lines.push(listed("diagonal", &proof.diagonal));
    lines.push(format!("triples {}", proof.triples.len()));
    lines.extend(proof.triples.iter().map(|triple| {
        let rule = if triple.is_detour {
            "detour"
        } else {
            "perimeter"
        };
        let [a, b, c] = triple.ranks;
        format!("triple {rule} {a} {b} {c} {}", triple.price)
    }));
    lines.push(listed("slot-prices", &proof.slot_prices));
    lines.extend(eigenvalues("rest", &proof.rest));
    lines.extend(eigenvalues("distances", &proof.distances));
    let mut text = lines.join("\n");
    text.push('\n');
    let checksum = read::checksum(text.as_bytes());
    text + &format!("checksum {checksum:016x}\n")
}

fn eigenvalues(of: &str, eigenvalues: &Eigenvalues) -> Vec<String> {
    let found = eigenvalues.values.iter().zip(&eigenvalues.vectors);
    let lines = found.map(|(value, vector)| listed(&format!("eigenvalue {value}"), vector));
    std::iter::once(format!("{of} {}", eigenvalues.lift))
        .chain(lines)
        .collect()
}

/// A keyword and values, with spaces between them.
fn listed(keyword: &str, values: &[impl Display]) -> String {
    values
        .iter()
        .fold(keyword.to_string(), |line, value| format!("{line} {value}"))
}
