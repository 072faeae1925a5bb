//! The places of cores among those of a host, in the order in which hwloc counts them.

use rankfold_wire::Cores;
use std::ops::Range;

/// The number of the seat of each rank. Seats and ranks come with the number of cores that the
/// launch has chosen for them. A rank gets the first free seat with its number of cores and with
/// the places that the plan has for the rank, or else the first free seat with its number of cores.
/// The other ranks get the seats that are left, in rank order.
pub(super) fn seat_of_each(
    seats: &[(u32, Range<u32>)],
    planned: &[(u32, Option<&Range<u32>>)],
) -> Vec<usize> {
    let mut is_free = vec![true; seats.len()];
    let mut found = vec![None; planned.len()];
    for in_place in [true, false] {
        for (found, (cores, planned)) in found.iter_mut().zip(planned) {
            let is_same = |seat: &usize| {
                let (own, places) = &seats[*seat];
                let is_planned = !places.is_empty() && *planned == Some(places);
                is_free[*seat] && own == cores && (is_planned || !in_place)
            };
            if found.is_none()
                && let Some(seat) = (0..seats.len()).find(is_same)
            {
                is_free[seat] = false;
                *found = Some(seat);
            }
        }
    }
    let mut rest = (0..).filter(|seat| is_free.get(*seat) != Some(&false));
    let seat = |found: Option<usize>| found.or_else(|| rest.next()).unwrap_or(usize::MAX);
    found.into_iter().map(seat).collect()
}

/// The places of these cores in `order`, if they are a run of places; else an empty range.
pub(super) fn run_of(cores: &Cores, order: &[u32]) -> Range<u32> {
    let places: Vec<u32> = (0..)
        .zip(order)
        .filter(|(_, first)| cores.numbers().contains(first))
        .map(|(place, _)| place)
        .collect();
    match places[..] {
        [first, .., last] if last - first + 1 == places.len() as u32 => first..last + 1,
        [only] => only..only + 1,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_that_are_no_run_of_places_have_none() {
        let cores = |text: &str| text.parse::<Cores>().unwrap();
        let order = [0, 2, 1, 3];
        assert_eq!(run_of(&cores("0,2"), &order), 0..2);
        assert_eq!(run_of(&cores("1"), &order), 2..3);
        assert_eq!(run_of(&cores("0,1"), &order), 0..0);
        assert_eq!(run_of(&cores("0-1"), &[]), 0..0);
    }
}
