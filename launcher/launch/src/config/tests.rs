use super::*;
use std::fs;
use std::path::Path;

const OPTIONS: &[DefaultOption] = &[DefaultOption {
    command: "run",
    option: "effort",
}];

fn effort(_: &DefaultOption, text: &str) -> Result<(), String> {
    match text {
        "best" | "fast" => Ok(()),
        _ => Err("no effort".into()),
    }
}

/// The configuration of a user with these files and variables; `None` for a file that is not there.
fn read(site: Option<&str>, user: Option<&str>, variables: &[(&str, &str)]) -> Configuration {
    let scratch = tempfile::tempdir().unwrap();
    let write = |name: &str, text: Option<&str>| {
        let path = scratch.path().join(name);
        if let Some(text) = text {
            fs::write(&path, text).unwrap();
        }
        path
    };
    let site = write("site.toml", site);
    write("rankfold.toml", user);
    let variables = |name: &str| match name {
        "RANKFOLD_SITE_CONFIG" => Some(site.clone().into_os_string()),
        "XDG_CONFIG_HOME" => Some(scratch.path().into()),
        _ => {
            let given = variables.iter().find(|(known, _)| *known == name);
            given.map(|(_, value)| value.into())
        }
    };
    Configuration::gather(OPTIONS, effort, &variables)
}

/// The problems, with the name of the file in place of its path.
fn problems(read: &Configuration) -> Vec<String> {
    let of = |problem: &ConfigError| {
        let text = problem.to_string();
        text.rsplit_once(".toml")
            .map_or(text.clone(), |(path, rest)| {
                let name = path.rsplit('/').next().unwrap_or(path);
                format!("{name}.toml{rest}")
            })
    };
    read.problems.iter().map(of).collect()
}

#[test]
fn a_variable_comes_before_the_users_file_and_that_before_the_sites() {
    let site = "cluster = \"site\"\n[cache]\nlimit = 1\n[run]\neffort = \"fast\"\n";
    let user = "cluster = \"user\"\ncache.limit = 2\n";
    let all = read(Some(site), Some(user), &[("RANKFOLD_CLUSTER", "variable")]);
    assert_eq!(problems(&all), [""; 0]);
    assert_eq!(all.settings.cluster.as_deref(), Some("variable"));
    assert_eq!(all.settings.cache.limit, 2 << 20);
    assert_eq!(all.given["run.effort"].text, "fast");
    let origins = ["cluster", "cache.limit", "run.effort"].map(|name| {
        let text = all.given[name].origin.to_string();
        text.rsplit('/').next().unwrap_or_default().to_owned()
    });
    assert_eq!(
        origins,
        ["RANKFOLD_CLUSTER", "rankfold.toml:2", "site.toml:5"]
    );
}

#[test]
fn without_files_and_variables_the_defaults_count() {
    let none = read(None, None, &[]);
    assert_eq!(problems(&none), [""; 0]);
    assert!(none.given.is_empty() && none.settings.off.is_none());
    assert_eq!(none.settings.cache, CachePlace::default());
    assert!(none.files.iter().all(|file| !file.read) && none.files.len() == 2);
}

#[test]
fn mistakes_name_file_and_line_and_leave_the_other_keys() {
    for (text, problem) in [
        (
            "\nclustre = \"a\"",
            "site.toml:2: there is no key clustre, did you mean cluster?",
        ),
        (
            "[cache]\nlimt = 3",
            "site.toml:2: there is no key cache.limt, did you mean cache.limit?",
        ),
        (
            "[cache]\nlimit = \"many\"",
            "site.toml:2: cache.limit: \"many\" is no number of MiB",
        ),
        ("cache = 3", "site.toml:1: cache is a table: write [cache]"),
        (
            "off = 3",
            "site.toml:1: off: \"3\" is neither true nor false",
        ),
        ("[off]\nx = 3", "site.toml:2: there is no key off.x"),
        ("topology = [3]", "site.toml:1: topology is a list of texts"),
        (
            "topology = \"t.conf\"",
            "site.toml:1: topology: t.conf is no absolute path",
        ),
        (
            "topology = [\"/a:b\"]",
            "site.toml:1: topology: \"/a:b\" has a colon",
        ),
        (
            "rule = 'x\\d+'",
            "site.toml:1: rule: a pattern needs a group",
        ),
        (
            "cache.directory = \"/s/$NOBODY\"",
            "site.toml:1: cache.directory: the variable NOBODY is not set",
        ),
        ("cluster = 2026-01-01", "site.toml:1: cluster is a text"),
        (
            "[run]\neffort = \"bst\"",
            "site.toml:2: run.effort: no effort",
        ),
    ] {
        let wrong = read(
            Some(&format!("{text}\n[probe]\n")),
            Some("cluster = \"c\""),
            &[],
        );
        let message = problems(&wrong);
        assert!(message[0].starts_with(problem), "{text}: {message:?}");
        assert_eq!(wrong.settings.cluster.as_deref(), Some("c"), "{text}");
        assert!(wrong.checked().is_err());
    }
    let wrong = read(
        None,
        None,
        &[("RANKFOLD_CACHE_LIMIT", "-1"), ("RANKFOLD_OFF", "1")],
    );
    assert_eq!(problems(&wrong).len(), 1, "{:?}", wrong.problems);
    assert!(problems(&wrong)[0].starts_with("RANKFOLD_CACHE_LIMIT: cache.limit: \"-1\""));
    assert!(wrong.settings.off.is_some(), "the other variables count");
}

#[test]
fn a_text_that_is_no_toml_and_a_file_that_cannot_be_read_say_nothing() {
    let broken = read(Some("off = true\n[run\n"), None, &[]);
    assert!(
        problems(&broken)[0].starts_with("site.toml:2: "),
        "{:?}",
        broken.problems
    );
    assert!(broken.settings.off.is_none());
    let warning = broken.warning().unwrap();
    assert!(
        warning.ends_with(": left out") && !warning.contains('\n'),
        "{warning}"
    );
    let directory = tempfile::tempdir().unwrap();
    let variables = |name: &str| {
        (name == "RANKFOLD_SITE_CONFIG").then(|| directory.path().as_os_str().to_owned())
    };
    let unreadable = Configuration::gather(OPTIONS, effort, &variables);
    let message = unreadable.problems[0].to_string();
    assert!(message.ends_with("it is no regular file"), "{message}");
}

#[test]
fn an_empty_text_in_the_users_file_takes_back_what_the_site_says() {
    let site = "topology = [\"/etc/a\", \"/etc/b\"]\ncluster = \"c\"\n";
    let paths = |read: &Configuration| read.settings.topology.0.clone();
    let alone = read(Some(site), None, &[]);
    assert_eq!(paths(&alone), ["/etc/a", "/etc/b"].map(Path::new));
    let both = read(Some(site), Some("topology = []\ncluster = \"\""), &[]);
    assert!(paths(&both).is_empty() && both.settings.cluster.is_none());
    assert_eq!(problems(&both), [""; 0]);
}

#[test]
fn variables_in_paths_are_replaced() {
    let user = &[("USER", "ada")];
    let place = |text: &str| {
        let text = format!("[cache]\ndirectory = \"{text}\"");
        let read = read(Some(&text), None, user);
        read.settings
            .cache
            .directory
            .map(|path| path.display().to_string())
    };
    assert_eq!(place("/s/$USER/r").as_deref(), Some("/s/ada/r"));
    assert_eq!(place("/s/${USER}x").as_deref(), Some("/s/adax"));
    assert_eq!(place("/s/$"), None);
}

#[test]
fn no_variable_of_a_key_is_one_that_the_preload_libraries_read() {
    use rankfold_wire::env;
    let theirs = [
        env::PROFILE,
        env::SEATS,
        env::RUN,
        env::TIME,
        env::UNTIL,
        env::JOURNALS,
        env::PATIENCE,
        env::BUDGET,
        env::EAGER,
        env::SOLVE,
        env::REORDER,
    ];
    for setting in SETTINGS {
        assert!(!theirs.contains(&variable_of(setting.name).as_str()));
    }
}
