//! Expands host lists in the syntax of Slurm: `n[0-3,07],gpu1,r[1-2]c[0-1]`.

/// Limit on the hosts of a list. No cluster has as many, and without a limit a list of a few bytes
/// could expand to any number of hosts. Chosen by hand.
const MOST_HOSTS: usize = 1 << 18;

/// The longest name of a host in POSIX.
const LONGEST_NAME: usize = 255;

/// More digits than any number in a name has.
const MOST_DIGITS: usize = 20;

/// All names of a list, in order.
///
/// # Errors
/// A message that says what is wrong with the list.
pub fn expand(list: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for item in items(list)? {
        let mut expanded = vec![String::new()];
        let mut rest = item;
        while let Some((before, after)) = rest.split_once('[') {
            let (ranges, after) = after.split_once(']').ok_or("a [ is never closed")?;
            check_length(&expanded, before)?;
            let numbers = numbers(ranges)?;
            if numbers.len().saturating_mul(expanded.len()) > MOST_HOSTS {
                return Err(format!("{item} names more than {MOST_HOSTS} hosts"));
            }
            expanded = expanded
                .iter()
                .flat_map(|name| numbers.iter().map(move |n| format!("{name}{before}{n}")))
                .collect();
            rest = after;
        }
        check_length(&expanded, rest)?;
        names.extend(expanded.into_iter().map(|name| name + rest));
        if names.len() > MOST_HOSTS {
            return Err(format!("the list names more than {MOST_HOSTS} hosts"));
        }
    }
    Ok(names)
}

/// Checks that names stay short enough with more letters behind them.
fn check_length(names: &[String], more: &str) -> Result<(), String> {
    match names.first() {
        Some(name) if name.len() + more.len() > LONGEST_NAME => {
            Err(format!("a name has more than {LONGEST_NAME} letters"))
        }
        _ => Ok(()),
    }
}

/// The items of a list.
fn items(list: &str) -> Result<Vec<&str>, String> {
    let items = outside(list, &[',']);
    if items.contains(&"") {
        return Err(format!("{list:?} lacks a name"));
    }
    Ok(items)
}

/// Splits a text at separators outside of brackets.
pub(super) fn outside<'a>(text: &'a str, separators: &[char]) -> Vec<&'a str> {
    let mut inside = false;
    text.split(|c| {
        inside = (inside || c == '[') && c != ']';
        !inside && separators.contains(&c)
    })
    .collect()
}

/// Expands `0-3,07` to texts. The numbers of a range have as many digits as its lower end. A step
/// may follow, as in `0-8/2`.
fn numbers(ranges: &str) -> Result<Vec<String>, String> {
    let mut numbers = Vec::new();
    for range in ranges.split(',') {
        let (range, step) = range.split_once('/').unwrap_or((range, "1"));
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let value = |text: &str| {
            text.parse::<usize>()
                .map_err(|_| format!("[{ranges}] is not a list of numbers and ranges"))
        };
        let (first, last, step) = (value(low)?, value(high)?, value(step)?.max(1));
        let width = low.len();
        if last < first || last - first >= MOST_HOSTS || width > MOST_DIGITS {
            return Err(format!("the range {range} is empty or too long"));
        }
        numbers.extend((first..=last).step_by(step).map(|n| format!("{n:0width$}")));
        if numbers.len() > MOST_HOSTS {
            return Err(format!("[{ranges}] has more than {MOST_HOSTS} numbers"));
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn ranges_keep_their_padding_and_brackets_multiply() {
        let names = expand("n[08-10],gpu1,r[1-2]c[0,3]x").unwrap();
        let expected = [
            "n08", "n09", "n10", "gpu1", "r1c0x", "r1c3x", "r2c0x", "r2c3x",
        ];
        assert_eq!(names, expected);
        assert_eq!(expand("n[0-8/4]").unwrap(), ["n0", "n4", "n8"]);
    }

    #[test]
    fn broken_lists_are_explained() {
        for (list, problem) in [
            ("n[0-", "never closed"),
            ("n[3-1]", "empty or too long"),
            ("n[a]", "not a list of numbers"),
            ("n[0-9999999]", "empty or too long"),
            ("n[0-9999][0-9999]", "more than"),
            ("n[4-93]a[4-93]a[4-93]", "more than"),
            (
                &*format!("n[{}1-2]", "0".repeat(70_000)),
                "empty or too long",
            ),
            (&*format!("n[{}0]", "0-200000,".repeat(9)), "numbers"),
            (&*format!("{}[0-9]", "n".repeat(300)), "255 letters"),
            ("a,,b", "lacks a name"),
            ("", "lacks a name"),
        ] {
            let error = expand(list).unwrap_err();
            assert!(error.contains(problem), "{list}: {error}");
        }
    }
}
