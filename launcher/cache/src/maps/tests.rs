//! Entries are stored, found and removed.

use super::*;
use crate::entry::tests::entry;
use crate::key::tests::ring;
use std::thread;

fn cache(limit: u64) -> (tempfile::TempDir, Cache) {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(directory.path(), limit).unwrap();
    (directory, cache)
}

#[test]
fn what_is_kept_is_found_and_can_be_replaced_and_forgotten() {
    let (_directory, cache) = cache(1 << 20);
    let profile = Profile::default();
    assert!(matches!(cache.find("a").unwrap(), Lookup::Nothing));
    cache.keep(&entry("a"), &profile).unwrap();
    let other = Entry {
        fullest: 9,
        ..entry("a")
    };
    cache.keep(&other, &profile).unwrap();
    let Lookup::Entry(found) = cache.find("a").unwrap() else {
        panic!("it is there");
    };
    assert_eq!(*found, other);
    assert_eq!(cache.profile("a").unwrap(), Profile::default());
    assert!(cache.forget("a").unwrap() && !cache.forget("a").unwrap());
    assert_eq!(cache.all().unwrap().len(), 0);
}

#[test]
fn entries_of_another_version_and_torn_ones_are_told_apart_from_none() {
    let (_directory, cache) = cache(1 << 20);
    cache.keep(&entry("a"), &Profile::default()).unwrap();
    let path = cache.maps().join("a").join(ENTRY);
    for (text, expected) in [
        (
            r#"{"version": 99, "future": []}"#,
            "version 99 of the cache",
        ),
        (r#"{"version": 2}"#, "missing field"),
        ("{", "EOF"),
    ] {
        fs::write(&path, text).unwrap();
        let Lookup::Unusable(why) = cache.find("a").unwrap() else {
            panic!("{text} is no entry");
        };
        assert!(why.contains(expected), "{why}");
        assert!(cache.change("a", |_| ()).unwrap().is_none());
        assert_eq!(cache.all().unwrap().len(), 1);
    }
}

#[test]
fn the_longest_unused_go_first_when_there_is_too_much() {
    let (_directory, cache) = cache(0);
    let profile = Profile::default();
    cache.keep(&entry("a"), &profile).unwrap();
    assert_eq!(cache.all().unwrap().len(), 0, "it alone is too much");
    let room = Cache {
        limit: 1 << 20,
        ..cache.clone()
    };
    for (name, used) in [("old", 1), ("new", 3), ("mid", 2)] {
        let entry = Entry {
            used,
            ..entry(name)
        };
        room.keep(&entry, &profile).unwrap();
    }
    let tight = Cache {
        limit: 3 * room.size("old"),
        ..cache
    };
    tight.keep(&entry("end"), &profile).unwrap();
    let names: Vec<String> = tight
        .all()
        .unwrap()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["end", "new", "mid"]);
}

#[test]
fn several_jobs_change_one_entry_and_nothing_is_lost() {
    let (_directory, cache) = cache(1 << 20);
    cache.keep(&entry("a"), &Profile::default()).unwrap();
    let jobs: Vec<_> = (0..8)
        .map(|_| {
            let cache = cache.clone();
            thread::spawn(move || {
                for _ in 0..5 {
                    cache.change("a", |entry| entry.fullest += 1).unwrap();
                }
            })
        })
        .collect();
    jobs.into_iter().for_each(|job| job.join().unwrap());
    let Lookup::Entry(found) = cache.find("a").unwrap() else {
        panic!("it is there");
    };
    assert_eq!(found.fullest, 1 + 40);
}

#[test]
fn runs_with_other_threads_find_the_same_entry() {
    let (_directory, cache) = cache(1 << 20);
    let key = ring("");
    let stored = Entry {
        key: key.json(),
        ..entry(&key.name())
    };
    cache.keep(&stored, &Profile::default()).unwrap();
    for key in [key, ring("--threads 4")] {
        let Lookup::Entry(found) = cache.find_run(&key).unwrap() else {
            panic!("it is there");
        };
        assert_eq!(*found, stored);
    }
    let other = ring("--seed 1");
    assert!(matches!(cache.find_run(&other).unwrap(), Lookup::Nothing));
}

#[test]
fn an_entry_of_another_key_with_the_same_name_is_not_taken_for_this_one() {
    let (_directory, cache) = cache(1 << 20);
    let key = ring("");
    let other = ring("--seed 1");
    let stored = Entry {
        key: other.json(),
        ..entry(&key.name())
    };
    cache.keep(&stored, &Profile::default()).unwrap();
    let found = cache.find_run(&key).unwrap();
    assert!(matches!(found, Lookup::Nothing));
}
