//! Reports without a browser: bad input, small and large worlds, comparisons.

use super::*;

/// Writes `text` as a matrix, and runs `rankfold report` on it.
fn report(text: &str, more: &[&str]) -> Result<(process::Finished, Option<String>)> {
    let directory = tempfile::tempdir()?;
    let (input, page) = (
        directory.path().join("in.mtx"),
        directory.path().join("out.html"),
    );
    fs::write(&input, text)?;
    let mut args = vec![
        "report",
        input.to_str().context("a path")?,
        "-o",
        page.to_str().context("a path")?,
    ];
    args.extend(more);
    let finished = rankfold::run(&args)?;
    Ok((finished, fs::read_to_string(&page).ok()))
}

const TWO_PAIRS: &str =
    "%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 100\n3 4 50\n";

pub(super) fn no_machine() -> Result<()> {
    let (finished, page) = report(TWO_PAIRS, &[])?;
    finished.success()?;
    let page = page.context("no page")?;
    for words in [
        "No machine was named",
        "id=\"matrix\"",
        "4 ranks exchange 150 B over 2 pairs",
    ] {
        ensure!(page.contains(words), "the page lacks {words}");
    }
    ensure!(!page.contains("id=\"machine\""), "a machine is drawn");
    Ok(())
}

pub(super) fn measured() -> Result<()> {
    let machine = ["--machine", "torus:2x2"];
    let measured = |seconds| {
        report(
            TWO_PAIRS,
            &[&machine[..], &["--measured", seconds]].concat(),
        )
    };
    let (finished, page) = measured("12.5,5")?;
    finished.success()?;
    ensure!(
        page.context("no page")?
            .contains("Measured: 5.00 s, before 12.5 s."),
        "not shown"
    );
    for wrong in ["12.5", "12.5,0", "1,2,3"] {
        let (finished, page) = measured(wrong)?;
        ensure!(
            finished.status == 2 && finished.stderr.contains("--measured") && page.is_none(),
            "{wrong}: status {}, {}",
            finished.status,
            finished.stderr
        );
    }
    Ok(())
}

pub(super) fn no_room() -> Result<()> {
    let (finished, page) = report(TWO_PAIRS, &["--machine", "torus:3"])?;
    ensure!(finished.status == 2, "status {}", finished.status);
    ensure!(
        finished.stderr.contains("4 ranks") && finished.stderr.contains("torus:3"),
        "{}",
        finished.stderr
    );
    ensure!(page.is_none(), "a page was written");
    Ok(())
}

pub(super) fn few_ranks() -> Result<()> {
    let (finished, page) = report(
        "%%MatrixMarket matrix coordinate integer general\n1 1 0\n",
        &["--machine", "torus:2x2"],
    )?;
    finished.success()?;
    ensure!(
        page.context("no page")?
            .contains("No bytes cross the network"),
        "no verdict"
    );
    let (finished, page) = report(
        "%%MatrixMarket matrix coordinate integer general\n0 0 0\n",
        &[],
    )?;
    ensure!(
        finished.status == 2 && page.is_none(),
        "0 ranks: status {}, {}",
        finished.status,
        finished.stderr
    );
    Ok(())
}

pub(super) fn a_million() -> Result<()> {
    let text = ring_of_a_million()?;
    let (finished, page) = report(&text, &[])?;
    finished.success()?;
    let page = page.context("no page")?;
    ensure!(page.len() < 5_000_000, "{} bytes", page.len());
    let blocks = "One point is a block of 1954×1954 places";
    ensure!(page.contains(blocks), "not aggregated");
    let args = ["--machine", "torus:100x100x100"];
    let order = ["--heuristic", "round-robin", "--no-refine"];
    let (finished, page) = report(&text, &[args.as_slice(), &order].concat())?;
    finished.success()?;
    let page = page.context("no page")?;
    ensure!(page.len() < 5_000_000, "{} bytes with links", page.len());
    ensure!(page.contains("id=\"machine\""), "no machine is drawn");
    Ok(())
}

/// A ring of a million ranks, as a Matrix Market file.
fn ring_of_a_million() -> Result<String> {
    const RANKS: usize = 1_000_000;
    let mut text =
        format!("%%MatrixMarket matrix coordinate integer general\n{RANKS} {RANKS} {RANKS}\n");
    for rank in 0..RANKS {
        writeln!(text, "{} {} 1000", rank + 1, (rank + 1) % RANKS + 1)?;
    }
    Ok(text)
}

pub(super) fn mapfile() -> Result<()> {
    let (finished, page) = report(TWO_PAIRS, &["--machine", "mesh:4", "--seed", "3"])?;
    finished.success()?;
    let page = page.context("no page")?;
    for piece in ["id=\"launch\"", "rankfold map ", "--seed 3 --to nodes -o "] {
        ensure!(page.contains(piece), "the page lacks {piece}");
    }
    let saved = page.split("data:text/plain;base64,").nth(1);
    ensure!(saved.is_some(), "no mapfile can be saved");
    Ok(())
}

pub(super) fn differences() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let file = |name: &str, text: &str| -> Result<String> {
        let path = directory.path().join(name);
        fs::write(&path, text)?;
        Ok(path.to_string_lossy().into_owned())
    };
    let (a, b) = (
        file("a.mtx", TWO_PAIRS)?,
        file("b.mtx", &TWO_PAIRS.replace("3 4 50", "1 3 500"))?,
    );
    let (near, far) = (file("near", "0\n1\n2\n3\n")?, file("far", "0\n2\n1\n3\n")?);
    let page = directory.path().join("out.html");
    let page = page.to_string_lossy();
    rankfold::run(&["report", "--diff", &a, &b, "-o", &page])?.success()?;
    let expected = "a.mtx sends 150 B over 2 pairs, b.mtx 600 B over 2 pairs";
    ensure!(
        fs::read_to_string(&*page)?.contains(expected),
        "no {expected:?}"
    );
    let expected = "Calls and the facts of the job are those of b.mtx.";
    ensure!(
        fs::read_to_string(&*page)?.contains(expected),
        "no {expected:?}"
    );
    let text = fs::read_to_string(&*page)?;
    for expected in [
        "b.mtx sends 500 B more and 50 B less than a.mtx",
        "matrix of differences",
        "a.mtx sends more",
    ] {
        ensure!(
            text.replace('\u{a0}', " ").contains(expected),
            "no {expected:?}"
        );
    }
    let c = file("c.mtx", &TWO_PAIRS.replace("4 4 2", "5 5 2"))?;
    let refused = rankfold::run(&["report", "--diff", &a, &c, "-o", &page])?;
    ensure!(
        refused.status == 2 && refused.stderr.contains("4 and 5 ranks"),
        "{refused:?}"
    );
    let args = ["report", &a, "--machine", "mesh:4", "--diff", &near, &far];
    rankfold::run(&[&args[..], &["-o", &page]].concat())?.success()?;
    let expected = "Bytes travel 2.0 instead of 1.0 links";
    ensure!(
        fs::read_to_string(&*page)?.contains(expected),
        "no {expected:?}"
    );
    let refused = rankfold::run(&["report", "-o", &page])?;
    ensure!(
        refused.status == 2 && refused.stderr.contains("--diff"),
        "{refused:?}"
    );
    Ok(())
}
