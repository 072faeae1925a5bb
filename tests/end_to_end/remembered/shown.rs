//! The output of a run: the table at its end, and the page of `--report`.

use super::*;

pub(super) fn reported() -> Result<()> {
    let job = Job::new()?;
    let page = job.path("run.html");
    let refused = job.run(&["--report", "/no/such/directory/run.html"])?;
    ensure!(
        refused.status == 2 && refused.stdout.is_empty(),
        "the program ran all the same: {refused:?}"
    );
    // After the first run there is one measured time, and nothing to compare with it.
    let first = job.run(&["--report", &page])?.success()?;
    must_say(&first, &["8 ranks on 8 hosts sent", "run.html"])?;
    let shown = fs::read_to_string(&page)?;
    for words in [
        "<b>Measured as launched: ",
        "The placement is not yet measured; it is predicted to be ",
        "Measured time",
        "<small>as launched</small>",
    ] {
        ensure!(shown.contains(words), "the first page lacks {words}");
    }
    let second = job.run(&["--report", &page])?.success()?;
    must_say(
        &second,
        &[
            "launcher's order     with the map     gain",
            "predicted, ",
            "measured, seconds in MPI a rank",
        ],
    )?;
    let shown = fs::read_to_string(&page)?;
    for words in [
        "<b>Measured: ",
        "Measured time",
        "id=\"machine\"",
        "torus:4x3",
    ] {
        ensure!(shown.contains(words), "the page lacks {words}");
    }
    Ok(())
}
