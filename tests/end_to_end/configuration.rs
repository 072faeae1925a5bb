//! What the site's file says holds for every run, and nothing in it can keep a program from
//! running.

use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use serde_json::Value;
use std::fs;

pub(crate) fn facts() -> Vec<Fact> {
    vec![
        fact(
            "configuration::off_starts_the_launch_as_it_is_and_ends_with_its_status",
            &[],
            off,
        ),
        fact(
            "configuration::a_mistake_in_the_sites_file_ends_our_own_commands",
            &[],
            mistake,
        ),
        fact(
            "configuration::what_counts_is_shown_with_its_origin",
            &[],
            shown,
        ),
        fact(
            "configuration::a_broken_file_of_the_site_keeps_no_program_from_running",
            &[Need::Mpi(Mpi::OpenMpi)],
            broken,
        ),
        fact(
            "configuration::the_site_names_the_cache_and_defaults_of_options",
            &[Need::Mpi(Mpi::OpenMpi)],
            cache_and_options,
        ),
    ]
}

/// Runs `rankfold ARGS` with `text` as the file of the site.
fn with_site(text: &str, args: &[&str]) -> Result<Finished> {
    let scratch = tempfile::tempdir()?;
    let site = scratch.path().join("site.toml");
    fs::write(&site, text)?;
    let mut command = rankfold::command(args);
    process::run(command.env("RANKFOLD_SITE_CONFIG", &site), "")
}

fn off() -> Result<()> {
    for command in ["run", "profile"] {
        // No launcher is needed: the words are not even looked at.
        let run = with_site(
            "off = true\n",
            &[command, "--", "sh", "-c", "echo $1; exit 7", "sh", "ran"],
        )?;
        ensure!(run.status == 7 && run.stdout == "ran\n", "{run:?}");
        ensure!(
            run.stderr.lines().count() == 1 && run.stderr.contains("site.toml:1"),
            "{}",
            run.stderr
        );
    }
    let dry = with_site(
        "off = true\n",
        &["run", "--dry-run", "--", "sh", "-c", "exit 7"],
    )?;
    ensure!(
        dry.status == 0 && dry.stdout == "sh -c 'exit 7'\n",
        "{dry:?}"
    );
    let lost = with_site("off = true\n", &["run", "--", "no-such-launcher"])?;
    ensure!(
        lost.status == 2 && lost.stderr.contains("no-such-launcher"),
        "{lost:?}"
    );
    Ok(())
}

fn mistake() -> Result<()> {
    for command in [&["config"][..], &["cache", "list"], &["machine", "show"]] {
        let run = with_site("cluster = \"c\"\n\n[cache]\nlimt = 3\n", command)?;
        ensure!(run.status == 2, "{command:?}: {run:?}");
        for text in [
            "site.toml:4: there is no key cache.limt",
            "did you mean cache.limit?",
        ] {
            ensure!(run.stderr.contains(text), "{text}: {}", run.stderr);
        }
    }
    Ok(())
}

fn shown() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let json = scratch.path().join("config.json");
    let json_argument = json.display().to_string();
    let run = with_site(
        "cluster = \"from-the-site\"\n[run]\neffort = \"best\"\n",
        &["config", "--json", &json_argument],
    )?
    .success()?;
    for words in [
        ["cluster", "from-the-site", "site.toml:1"],
        ["run.effort", "best", "site.toml:3"],
    ] {
        let found = run
            .stdout
            .lines()
            .any(|line| words.iter().all(|word| line.contains(word)));
        ensure!(found, "{words:?}: {}", run.stdout);
    }
    let value: Value = serde_json::from_slice(&fs::read(&json)?)?;
    ensure!(value["format"]["name"] == "rankfold-config", "{value}");
    let settings = value["settings"].as_array().cloned().unwrap_or_default();
    let cluster = settings.iter().find(|setting| setting["name"] == "cluster");
    ensure!(
        cluster.is_some_and(|one| one["origin"]["line"] == 1),
        "{value}"
    );
    Ok(())
}

fn broken() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp").display().to_string();
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let launch = Mpi::OpenMpi.launch(2, &program, &[]);
    for text in ["off = true\n[run\n", "off = 3\n[run]\neffort = \"bst\"\n"] {
        let mut args = vec!["profile", "-o", &output, "--"];
        args.extend(launch.iter().map(String::as_str));
        let run = with_site(text, &args)?.success()?;
        let lines = run.stderr.lines().filter(|line| line.contains("site.toml"));
        ensure!(lines.count() == 1, "{}", run.stderr);
        ensure!(
            fs::metadata(&output)?.len() > 0,
            "it was not profiled: {}",
            run.stderr
        );
    }
    Ok(())
}

fn cache_and_options() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let cache = scratch.path().join("cache of the site");
    let site = format!("[cache]\ndirectory = {cache:?}\n[run]\nhow = \"renumber\"\n");
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let launch = Mpi::OpenMpi.launch(2, &program, &[]);
    let mut args = vec!["run", "--"];
    args.extend(launch.iter().map(String::as_str));
    with_site(&site, &args)?.success()?;
    ensure!(cache.join("2/maps").is_dir(), "the cache is elsewhere");
    let help = with_site(&site, &["run", "--help"])?.success()?;
    ensure!(
        help.stdout.contains("[here: renumber, by"),
        "{}",
        help.stdout
    );
    Ok(())
}
