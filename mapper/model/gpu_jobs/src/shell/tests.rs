//! Scripts that are followed.

use super::*;

/// The last launch in a script, with values that the user gives.
fn launch(text: &str, given: &[(&str, &str)]) -> Option<String> {
    let given: Vec<(String, String)> = given
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let script = Script::follow(text, "--layers", &given);
    script.commands.last().map(|words| words.join(" "))
}

#[track_caller]
fn assert_launches(text: &str, expected: &str) {
    assert_eq!(launch(text, &[]).as_deref(), Some(expected), "{text}");
}

#[test]
fn values_that_the_script_sets_are_those_of_the_command() {
    for text in [
        "A=8\nrun --layers $A",
        "export A=\"8\" # eight\nrun \\\n  --layers ${A}\n",
        "run --layers ${A:-8}",
        "A=\nrun --layers ${A:-$((2 * (1 + 3)))}",
        "N=2; A=$((N*4))\nrun --layers ${A:-1} > log 2>&1",
        "A=$(expr 2 \\* 4)\nrun --layers $A",
        "A=`echo \"16 / 2\" | bc`\nrun --layers $A",
        "ARGS=(\n  # how deep\n  --layers 8\n)\nrun \"${ARGS[@]}\"",
        "ARGS=\"--layers \\\n 8\"\nCMD=\"run $ARGS\"\necho $CMD\neval $CMD",
        "ARGS=\"--layers\"\nARGS+=\" 8\"\nrun $ARGS",
        "N=1 run --layers 8",
        "run\u{b}--layers\u{c}\u{a0}8\u{85}\u{2028}",
        "cat <<END > config\nrun --layers 7\nEND\nrun --layers 8",
        "#SBATCH --nodes=8 # many\nrun --layers $SLURM_NNODES",
        ": ${A:=8}\nrun --layers $A",
    ] {
        assert_launches(text, "run --layers 8");
    }
    assert_launches(
        "L=\"run --n 2\"\nsrun bash -c '$L --rank $SLURM_PROCID --layers 8' | tee log",
        "srun bash -c run --n 2 --rank \0SLURM_PROCID\0 --layers 8",
    );
}

#[test]
fn conditions_on_what_the_script_sets_choose_a_branch() {
    for text in [
        "S=7\nif [[ $S == 5 ]]; then A=1\nelif [[ ${S} == 7 ]]; then A=8; B=2\nelse A=3\nfi\nrun --layers $A",
        "S=big\ncase $S in\n  small|tiny) A=1;;\n  b*)\n    A=8\n    ;;\n  *) A=3;;\nesac\nrun --layers $A",
        "if [ -z \"$A\" ]; then\n  A=8\nfi\nrun --layers $A",
        "[ -z \"$A\" ] && A=8\nrun --layers $A",
        "N=4\nif [ $N -gt 3 ] && [ $N -lt 5 ]\nthen A=8; else A=1; fi\nrun --layers $A",
        "A=8\nif [ -f x ]; then OTHER=1; fi\nrun --layers $A",
    ] {
        assert_launches(text, "run --layers 8");
    }
}

#[test]
fn what_a_run_decides_is_open_under_the_name_to_ask_for() {
    for (text, name) in [
        ("run --layers $A", "A"),
        ("A=$(nproc)\nrun --layers $A", "A"),
        ("A=$1\nrun --layers $A", "A"),
        ("B=$((A * 2))\nrun --layers $B", "A"),
        (
            "if [ $S = 7B ]; then A=32; else A=40; fi\nrun --layers $A",
            "S",
        ),
        ("case $S in 7B) A=32;; *) A=40;; esac\nrun --layers $A", "S"),
        ("A=1\nif [ -f x ]; then A=2; fi\nrun --layers $A", "A"),
        ("for A in 1 2; do run --layers $A; done", "A"),
    ] {
        let words = launch(text, &[]).unwrap();
        let names: Vec<&str> = open_names(&words).collect();
        assert!(
            !names.is_empty() && names.iter().all(|open| *open == name),
            "{text}: {names:?}"
        );
    }
    let given = [("S", "7B")];
    let text = "if [ $S = 7B ]; then A=32; else A=40; fi\nrun --layers $A";
    assert_eq!(launch(text, &given).as_deref(), Some("run --layers 32"));
    assert_eq!(
        launch("A=1\nrun --layers $A", &[("A", "2")]).as_deref(),
        Some("run --layers 2")
    );
}

#[test]
fn options_under_open_conditions_are_left_out_and_it_is_known() {
    let text = "A=\"--layers 8\"\nif [ -f x ]; then A=\"${A} --more\"; fi\nrun $A";
    let script = Script::follow(text, "--layers", &[]);
    assert_eq!(script.commands[0].join(" "), "run --layers 8");
    assert!(script.has_left_out);
}

#[test]
fn scripts_that_would_fill_memory_or_stack_are_followed_to_an_end() {
    let doubling = format!("A=x\n{}run --layers $A", "A=$A$A$A$A\n".repeat(1000));
    assert!(launch(&doubling, &[]).is_some());
    for (open, close) in [
        ("$((", "))"),
        ("${A:-", "}"),
        ("\"", "\""),
        ("$(", ")"),
        ("(", ")"),
    ] {
        let deep = format!("run --layers {}1{}", open.repeat(9000), close.repeat(9000));
        launch(&deep, &[]);
    }
}
