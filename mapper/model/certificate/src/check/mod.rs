//! Verifies a certificate in exact integer arithmetic.
//!
//! No number is rounded in favour of the bound. Limits on the numbers of a certificate keep every
//! sum within 128 bits: shares, diagonal and prices of triples are below 2^48, all prices together
//! below 2^60, entries of the rest below 2^52, hops below 2^16, prices of slots below 2^92, and
//! there are at most 2^9 slots. The costs of the assignment are then below 2^97, and their sum
//! below 2^107. The last products are checked for overflow.

mod eigenvalues;

use super::{Certificate, PricedTriple, Refused};
use eigenvalues::least_product;

/// Limits of numbers.
const PART: i64 = 1 << 48;
const ALL_PRICES: i128 = 1 << 60;
const ENTRY: i64 = 1 << 52;
const SLOT_PRICE: i128 = 1 << 92;

/// Hops are multiplied by 2 to this power before their eigenvalues are taken.
const FINE_HOPS: u32 = 24;

/// Verifies that the hop-bytes of the placement are those stated.
pub(super) fn placement(certificate: &Certificate) -> Result<(), Refused> {
    let hop_bytes = hop_bytes(certificate)?;
    if hop_bytes != certificate.hop_bytes {
        let problem = match certificate.bandwidth {
            Some(_) => format!("the placement has {hop_bytes} bytes between groups"),
            None => format!("the placement has {hop_bytes} hop-bytes"),
        };
        return Err(Refused::at(certificate.lines.hop_bytes, problem));
    }
    Ok(())
}

/// The hop-bytes of the placement. Verifies that it gives every rank a slot of its own.
pub(super) fn hop_bytes(certificate: &Certificate) -> Result<u128, Refused> {
    let slots = certificate.slots;
    let mut is_taken = vec![false; slots];
    for &slot in &certificate.placement {
        if std::mem::replace(&mut is_taken[slot as usize], true) {
            let problem = format!("two ranks have slot {slot}");
            return Err(Refused::at(certificate.lines.placement, problem));
        }
    }
    let at = |rank: u32| certificate.placement[rank as usize] as usize;
    let paid = certificate.pairs.iter().map(|&(one, other, bytes)| {
        u128::from(bytes) * certificate.hops[at(one) * slots + at(other)] as u128
    });
    Ok(paid.sum())
}

/// The hop-bytes that the proof shows no placement to be below.
pub(super) fn bound(certificate: &Certificate) -> Result<u128, Refused> {
    let (slots, proof) = (certificate.slots, &certificate.proof);
    shortest_ways(certificate)?;
    if certificate.bandwidth.is_some() {
        groups(certificate)?;
    }
    limits(certificate)?;
    let rest = rest(certificate)?;
    let row_sums: Vec<i128> = certificate.hops.chunks(slots).map(sum).collect();
    let perimeter = least_perimeter(&certificate.hops, slots);
    let bonus = |triple: &PricedTriple| {
        if triple.is_detour {
            0
        } else {
            i128::from(triple.price) * perimeter
        }
    };
    let bonus: i128 = proof.triples.iter().map(bonus).sum();
    let fine: Vec<i64> = certificate
        .hops
        .iter()
        .map(|hops| hops << FINE_HOPS)
        .collect();
    let (of_rest, of_hops) = (&proof.rest, &proof.distances);
    let product = least_product(
        (&rest, of_rest, certificate.lines.rest),
        (&fine, of_hops, certificate.lines.distances),
        slots,
    )?;
    // All times 2 N² and the fineness of the hops.
    let square = (slots * slots) as i128;
    let hops: i128 = row_sums.iter().sum();
    let exact = assigned(certificate, &rest, &row_sums) - sum(&rest) * hops + 2 * square * bonus;
    let fineness = 1i128 << FINE_HOPS;
    let parts = exact.checked_mul(fineness).zip(square.checked_mul(product));
    let least = parts.and_then(|(exact, product)| exact.checked_add(product));
    let line = certificate.lines.bound;
    let least = least.ok_or_else(|| Refused::at(line, "the numbers of the proof are too large"))?;
    let units = -(-least).div_euclid(2 * square * fineness);
    Ok(bytes_of(units.max(0) as u128, proof.unit))
}

/// Units as bytes, rounded up.
fn bytes_of(units: u128, unit: i32) -> u128 {
    match unit {
        0.. => units.div_ceil(1 << unit),
        // Bytes were rounded down to units, so the bytes are at least these.
        _ => units.checked_mul(1 << unit.unsigned_abs()).unwrap_or(0),
    }
}

fn sum(row: &[i64]) -> i128 {
    row.iter().map(|&entry| i128::from(entry)).sum()
}

/// Verifies that no way by a third slot is shorter than the hops between two, which the rule of
/// detours rests on.
fn shortest_ways(certificate: &Certificate) -> Result<(), Refused> {
    let (slots, hops) = (certificate.slots, &certificate.hops);
    for from in 0..slots {
        for by in 0..slots {
            let first = hops[from * slots + by];
            for to in 0..slots {
                if hops[from * slots + to] > first + hops[by * slots + to] {
                    let problem =
                        format!("the way from slot {from} by slot {by} to slot {to} is shorter");
                    return Err(Refused::at(certificate.lines.hops + from.min(to), problem));
                }
            }
        }
    }
    Ok(())
}

/// Verifies that hops tell slots of one group from those of others. As no way by a third slot is
/// shorter, two slots in one group with a third are in one group.
fn groups(certificate: &Certificate) -> Result<(), Refused> {
    let rows = certificate.hops.chunks(certificate.slots);
    for (slot, row) in rows.enumerate() {
        if row.iter().any(|&hops| hops > 1) {
            let problem = "hops between groups are neither 0 nor 1";
            return Err(Refused::at(certificate.lines.hops + slot, problem));
        }
    }
    Ok(())
}

fn least_perimeter(hops: &[i64], slots: usize) -> i128 {
    let mut least = i64::MAX;
    for a in 0..slots {
        for b in 0..a {
            for c in 0..b {
                let around = hops[a * slots + b] + hops[b * slots + c] + hops[a * slots + c];
                least = least.min(around);
            }
        }
    }
    i128::from(least)
}

/// Verifies the limits of shares, diagonal and prices.
fn limits(certificate: &Certificate) -> Result<(), Refused> {
    let (slots, proof, lines) = (certificate.slots, &certificate.proof, &certificate.lines);
    let too_large = |line| Err(Refused::at(line, "a number is too large, or negative"));
    for (rank, row) in proof.shares.chunks(slots).enumerate() {
        if row.iter().any(|share| !(-PART..PART).contains(share)) {
            return too_large(lines.shares + rank);
        }
    }
    if proof
        .diagonal
        .iter()
        .any(|entry| !(-PART..PART).contains(entry))
    {
        return too_large(lines.diagonal);
    }
    for (number, triple) in proof.triples.iter().enumerate() {
        let [a, b, c] = triple.ranks;
        if !(0..PART).contains(&triple.price) {
            return too_large(lines.triples + number);
        }
        if a == b || b == c || a == c {
            let problem = "the three ranks are not different";
            return Err(Refused::at(lines.triples + number, problem));
        }
    }
    let prices: i128 = proof.triples.iter().map(|it| i128::from(it.price)).sum();
    if prices >= ALL_PRICES {
        return too_large(lines.triples);
    }
    let fits = |price: &i128| (-SLOT_PRICE..SLOT_PRICE).contains(price);
    if !proof.slot_prices.iter().all(fits) {
        return too_large(lines.slot_prices);
    }
    Ok(())
}

/// What shares and triples leave of the units between ranks.
fn rest(certificate: &Certificate) -> Result<Vec<i64>, Refused> {
    let (slots, proof) = (certificate.slots, &certificate.proof);
    let mut rest = vec![0i128; slots * slots];
    let mut add = |a: usize, b: usize, units: i128| {
        rest[a * slots + b] += units;
        rest[b * slots + a] += units;
    };
    for (number, &(one, other, bytes)) in certificate.pairs.iter().enumerate() {
        let units = match proof.unit {
            0.. => i128::from(bytes) << proof.unit,
            _ => i128::from(bytes) >> proof.unit.unsigned_abs(),
        };
        if units >= i128::from(ENTRY) {
            let problem = "the bytes are too many for the unit";
            return Err(Refused::at(certificate.lines.pairs + number, problem));
        }
        add(one as usize, other as usize, units);
    }
    for a in 0..slots {
        for b in (0..slots).filter(|&b| b != a) {
            add(a, b, -i128::from(proof.shares[a * slots + b]));
        }
    }
    for triple in &proof.triples {
        let [a, b, c] = triple.ranks.map(|rank| rank as usize);
        let price = i128::from(triple.price);
        add(a, b, -price);
        add(b, c, -price);
        add(a, c, if triple.is_detour { price } else { -price });
    }
    for (rank, &entry) in proof.diagonal.iter().enumerate() {
        rest[rank * slots + rank] = i128::from(entry);
    }
    let whole: Option<Vec<i64>> = rest
        .iter()
        .map(|&entry| {
            i64::try_from(entry)
                .ok()
                .filter(|entry| (-ENTRY..ENTRY).contains(entry))
        })
        .collect();
    let line = certificate.lines.shares;
    whole.ok_or_else(|| Refused::at(line, "the shares leave too large a rest"))
}

/// The least cost of all assignments of ranks to slots, times 2 N²: at least the prices of all
/// slots, and for every rank its least cost less the price of the slot.
fn assigned(certificate: &Certificate, rest: &[i64], row_sums: &[i128]) -> i128 {
    let (slots, proof) = (certificate.slots, &certificate.proof);
    let nearest: Vec<Vec<i64>> = (0..slots)
        .map(|slot| {
            let mut others = certificate.hops[slot * slots..][..slots].to_vec();
            others.remove(slot);
            others.sort_unstable();
            others
        })
        .collect();
    let mut total: i128 = proof.slot_prices.iter().sum();
    for rank in 0..slots {
        let mut shares = proof.shares[rank * slots..][..slots].to_vec();
        shares.remove(rank);
        shares.sort_unstable();
        let moved = sum(&rest[rank * slots..][..slots]);
        let cost = |slot: usize| {
            // The largest share at the nearest slot.
            let pairs = shares.iter().rev().zip(&nearest[slot]);
            let star: i128 = pairs
                .map(|(&share, &hops)| i128::from(share) * i128::from(hops))
                .sum();
            let square = (slots * slots) as i128;
            2 * square * star + 2 * slots as i128 * moved * row_sums[slot] - proof.slot_prices[slot]
        };
        total += (0..slots).map(cost).min().unwrap_or(0);
    }
    total
}
