#![no_main]
//! Launch lines, one word a line.

use rankfold_launch::launch::{Exports, Launch};
use rankfold_launch::{launchers, placement};
use std::ffi::OsString;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|input: &str| {
    // Files of programs are what the fuzzer cannot make. No word of a command line holds a null
    // character.
    let words: Vec<OsString> = input.lines().filter(|line| !line.contains(['/', '\0'])).map(Into::into).collect();
    for launcher in launchers::LAUNCHERS {
        let Ok(mut launch) = Launch::parse(*launcher, &[], &words) else { continue };
        assert!(launch.apps.iter().all(|app| !app.program.is_empty()));
        let exports = Exports::new(vec![("RANKFOLD_RUN", "7".into())], "/l.so".into());
        let environment = launcher.export(&mut launch.apps, &exports);
        let hosts = vec!["n0".to_owned(); launch.ranks().ok().flatten().map_or(3, |(ranks, _)| ranks.min(64))];
        let plan = placement::PlacementPlan { hosts, rankfile: None, shares_cores: false, cores: placement::RankCores::default(), hosts_are_open: false };
        let _ = launcher.place(&mut launch.apps, &plan, Path::new("H"));
        let again = launch.words();
        let passed = again.iter().chain(environment.iter().filter_map(|(_, value)| value.as_ref()));
        assert!(passed.clone().any(|word| word.to_string_lossy().contains("/l.so")), "{:?}", passed.collect::<Vec<_>>());
    }
});
