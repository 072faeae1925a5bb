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
        "The placement is not yet measured; it is promised to be ",
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
        "<b>Measured once each, too few: ",
        "; promised to be ",
        ", corrected since to ",
        "Communication is promised to be ",
        "id=\"launch\"",
        "Measured time",
        "id=\"machine\"",
        "torus:4x3",
    ] {
        ensure!(shown.contains(words), "the page lacks {words}");
    }
    Ok(())
}

/// What rankfold has said of a run that is not asked for every step.
fn told_briefly(job: &Job, options: &[&str]) -> Result<Vec<String>> {
    let site = job.path("site.toml");
    let variables = [("RANKFOLD_TOPOLOGY", &*site), ("RANKFOLD_VERBOSE", "")];
    let run = job.run_with(&variables, options)?.success()?;
    let lines = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("rankfold: "));
    // Rank 0 tells this itself, inside of MPI_Init.
    let lines = lines.filter(|line| !line.contains("where standard input arrives"));
    Ok(lines.map(str::to_owned).collect())
}

/// What rules the run, what the map gains, whether it is verified, and the next command.
pub(super) fn four_lines() -> Result<()> {
    let job = Job::new()?;
    let phrases = [told_briefly(&job, &[])?, told_briefly(&job, &[])?];
    for (lines, words) in phrases.iter().zip([
        [
            " rules this run: | rule this run: ",
            "promised with the map: ",
            "rankfold cache show stencil2d.",
        ],
        [
            "placement verified 8/8",
            "measured once each: too few",
            "rankfold run --compare 4 -- mpirun",
        ],
    ]) {
        ensure!(lines.len() <= 4, "{lines:#?}");
        ensure!(
            lines.iter().all(|line| line.chars().count() <= 100),
            "{lines:#?}"
        );
        for words in words {
            let mut any = words.split('|');
            ensure!(
                any.any(|words| lines.iter().any(|line| line.contains(words))),
                "no {words}: {lines:#?}"
            );
        }
    }
    let (doctor, cache) = (["doctor"], ["cache", "list"]);
    let binary = rankfold::binary().display().to_string();
    for words in [&doctor[..], &cache, &["cache", "show", "stencil2d"]] {
        let mut command = job.cluster.command(&[&[&*binary], words].concat());
        let shown = process::run(command.env("RANKFOLD_VERBOSE", ""), "")?;
        let shown = shown.success()?.stdout;
        ensure!(
            shown.lines().all(|line| line.chars().count() <= 100),
            "{words:?}: {shown}"
        );
    }
    Ok(())
}

/// All ranks reach `MPI_Finalize` before the program ends with a status.
pub(super) fn failed_after_all() -> Result<()> {
    let job = Job::new()?;
    let script = format!("{} \"$@\"\nexit 3\n", job.program.display());
    let job = super::partial::as_script(job, &script)?;
    let failed = job.run(&[])?;
    ensure!(failed.status == 3, "{failed:?}");
    super::must_say(&failed, &["ended with status 3;", "rankfold cache show "])?;
    super::must_say(&job.run(&[])?, &["placement verified 8/8"])
}

/// All messages come before the loop of a program that ends with a status: no order saves a
/// hundredth of the run, and one line says so.
pub(super) fn early() -> Result<()> {
    let job = Job {
        program: program::compile(Mpi::OpenMpi, "early")?,
        arguments: ["1500", "3"].map(str::to_owned).into(),
        ..Job::new()?
    };
    let failed = job.run(&[])?;
    ensure!(failed.status == 3, "{failed:?}");
    let named = [
        "ended with status 3;",
        "the launcher's order stays",
        "hundredth",
    ];
    super::must_say(&failed, &named)?;
    super::must_say(&job.run(&[])?, &["the order as launched is used"])
}

/// A cold start takes far longer than the run with the map: the program runs a third time, and what
/// is known after that is told once.
pub(super) fn told_once() -> Result<()> {
    let job = Job::new()?;
    let (warm, inner) = (job.path("warm"), job.program.display().to_string());
    let script = format!(
        "[ -e {warm} ] && exec {inner} \"$@\"\n{inner} 2 4 100000 400 || exit\ntouch {warm}\n"
    );
    let job = super::partial::as_script(job, &script)?;
    let machine = job.path("site.toml");
    let text = told_briefly(&job, &["--machine", &machine])?;
    for words in [
        "not as promised: it runs once more",
        " as launched: ",
        " x in communication",
        "measured once each: too few",
        "rankfold run --compare 4",
    ] {
        let lines = text.iter().filter(|line| line.contains(words));
        ensure!(lines.count() == 1, "not once {words}: {text:#?}");
    }
    Ok(())
}

/// Nothing is gained where every host is as far from every other, and nothing that could be told
/// where links carry next to nothing: the program runs once.
pub(super) fn not_again() -> Result<()> {
    let job = Job {
        arguments: ["2", "4", "9", "3"].map(str::to_owned).into(),
        ..Job::new()?
    };
    let machine = job.path("fast.toml");
    let site = fs::read_to_string(job.path("site.toml"))?;
    fs::write(&machine, site.replace("4x3", "4x3@10GB/s"))?;
    let run = job.run_with(&[], &["--machine", &machine])?.success()?;
    let runs = run.stdout.matches("stencil2d ranks=8").count();
    ensure!(runs == 1, "{} {}", run.stdout, run.stderr);
    must_say(&run, &["the launcher's order stays: no other order"])?;
    let job = Job::new()?;
    let machine = job.path("flat.toml");
    let hosts = job.cluster.hosts()?;
    fs::write(
        &machine,
        format!("network = \"tree:{}\"\nhosts = {hosts:?}\n", hosts.len()),
    )?;
    let run = job.run_with(&[], &["--machine", &machine])?.success()?;
    let runs = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("stencil2d ranks=8"));
    ensure!(runs.count() == 1, "{}", run.stdout);
    must_say(&run, &["the launcher's order stays: no other order"])?;
    let job = Job::new()?;
    fs::write(job.path("site.toml"), fs::read(&machine)?)?;
    let compared = job.run(&["--compare", "2"])?.success()?;
    must_say(
        &compared,
        &[
            "no map is known: the program runs once more before",
            "nothing is compared: there is no map",
        ],
    )
}
