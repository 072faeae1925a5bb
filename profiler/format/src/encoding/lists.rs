//! Lists that are longer than one section: cut into pieces, and put together again.

/// Items in one section, give or take the largest list of them: about a megabyte, enough to
/// amortise, little to hold.
pub(super) const CHUNK: usize = 1 << 16;

/// Slices of `items` of at least one each and about [`CHUNK`] things inside, with the index of
/// their first.
pub(super) fn chunks<T>(
    items: &[T],
    inside: impl Fn(&T) -> usize,
) -> impl Iterator<Item = (u64, &[T])> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let rest = items.get(first..).filter(|rest| !rest.is_empty())?;
        let mut things = 0;
        let fitting = rest.iter().take(CHUNK).take_while(|item| {
            things += inside(item);
            things <= CHUNK
        });
        let count = fitting.count().max(1);
        let start = first;
        first += count;
        Some((start as u64, &rest[..count]))
    })
}

/// Puts what continues a list behind it.
pub(super) fn append<T>(
    list: &mut Vec<T>,
    first: u64,
    more: Vec<T>,
    what: &str,
) -> Result<(), String> {
    continues(first, list.len() as u64, what)?;
    list.extend(more);
    Ok(())
}

/// Whether a list that starts at `first` continues one of length `due`.
pub(super) fn continues(first: u64, due: u64, what: &str) -> Result<(), String> {
    (first == due)
        .then_some(())
        .ok_or_else(|| format!("{what} {first} where {due} is due"))
}
