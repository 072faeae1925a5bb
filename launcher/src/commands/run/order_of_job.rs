//! The order in which the launcher itself would start the ranks of a job, asked of the job.

use super::context::RunContext;
use rankfold_launch::tool;
use std::time::Duration;

/// Longest wait for the answer. Chosen by hand; not measured. A step of a job starts within a
/// second; one that waits for resources is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The host of every rank as the launcher would start it, for a job on other hosts than those of
/// the profiled run, whose order then says nothing. `None` on the same hosts, or where the launcher
/// has no way to tell it before the launch, or does not answer.
pub(super) fn on_other_hosts(
    context: &RunContext,
    same_hosts: bool,
    ranks: usize,
) -> Option<Vec<String>> {
    if same_hosts || context.args.dry_run {
        return None;
    }
    let launch = context.launch;
    let words = launch.launcher.asks_for_order(&launch.apps, ranks)?;
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let words = words?;
    let (program, arguments) = words.split_first()?;
    let answer = tool::output(program, arguments, PATIENCE).ok()??;
    hosts(&answer, ranks)
}

/// The hosts of all ranks in lines of a rank and its host; `None` where a rank is missing.
fn hosts(text: &str, ranks: usize) -> Option<Vec<String>> {
    let mut hosts = vec![None; ranks];
    for line in text.lines() {
        let (rank, host) = line.trim().split_once(' ')?;
        let rank: usize = rank.parse().ok()?;
        *hosts.get_mut(rank)? = Some(host.trim().to_owned());
    }
    hosts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_may_answer_in_any_order_but_none_may_be_missing() {
        let order = hosts("2 n0\n0 n1\n1 n1\n", 3).unwrap();
        assert_eq!(order, ["n1", "n1", "n0"]);
        for wrong in ["0 n1\n", "0 n1\n1 n1\n3 n0\n", "srun: error\n", ""] {
            assert_eq!(hosts(wrong, 3), None, "{wrong}");
        }
    }
}
