//! Makes `wrappers.rs` of the table of functions: one call of the macro `wrapper!` for each
//! exported function, and the names of all functions that the library knows.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const TABLE: &str = "functions.txt";
const OTHERS: &str = "others.txt";

fn main() {
    println!("cargo::rerun-if-changed={TABLE}");
    println!("cargo::rerun-if-changed={OTHERS}");
    let table = fs::read_to_string(TABLE).expect("the table of functions");
    let others = fs::read_to_string(OTHERS).expect("the list of other functions");
    let (mut wrappers, mut known) = (String::new(), Vec::new());
    let lines = table
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let Some((words, rest)) = line.split_once(" : ") else {
            panic!("{TABLE}: no colon in {line:?}");
        };
        let mut words = words.split_whitespace();
        let form = words.next().unwrap_or("");
        let (sized, names): (Vec<&str>, Vec<&str>) = words.partition(|word| is_size(word));
        for name in names {
            for (prefix, name, wide, soon) in forms(form, name) {
                let function = Function {
                    name: format!("{prefix}{name}"),
                    wide,
                    soon,
                    parameters: match form {
                        "collective" => [rest, later(&name)].join(" "),
                        _ => rest.to_owned(),
                    },
                    sized: sized.first().copied().unwrap_or("none"),
                };
                if !matches!(form, "handwritten" | "untouched") {
                    function.write(&mut wrappers);
                }
                known.push(function.name);
            }
        }
    }
    known.extend(others.split_whitespace().map(str::to_owned));
    known.sort_unstable();
    let directory = env::var_os("OUT_DIR").expect("cargo names a directory");
    let out = |name: &str, text: &str| {
        fs::write(Path::new(&directory).join(name), text).expect("a writable directory");
    };
    out("wrappers.rs", &wrappers);
    let list: String = known
        .iter()
        .map(|name| format!("    {name:?},\n"))
        .collect();
    out("known.rs", &format!("&[\n{list}]\n"));
}

fn is_size(word: &str) -> bool {
    matches!(word, "others" | "root" | "own" | "neighbours")
}

/// The functions that a name of the table stands for: prefix, name, whether counts are of type
/// `MPI_Count`, and whether MPI reads arrays after the call has returned.
fn forms(form: &str, name: &str) -> Vec<(&'static str, String, bool, bool)> {
    let soon = name.starts_with('I') && !name.starts_with("Inter");
    let plain = ("MPI_", name.to_owned(), false, soon);
    let large = ("MPI_", format!("{name}_c"), true, soon);
    match form {
        "plain" | "untouched" => vec![plain],
        "handwritten" | "large" => vec![plain, large],
        "extension" => vec![("MPIX_", name.to_owned(), false, soon)],
        "large-extension" => vec![
            ("MPIX_", name.to_owned(), false, soon),
            ("MPIX_", format!("{name}_c"), true, soon),
        ],
        "collective" => {
            let at_once = format!("I{}{}", name[..1].to_lowercase(), &name[1..]);
            let often = format!("{name}_init");
            vec![
                plain,
                large,
                ("MPI_", at_once.clone(), false, true),
                ("MPI_", format!("{at_once}_c"), true, true),
                ("MPI_", often.clone(), false, true),
                ("MPI_", format!("{often}_c"), true, true),
                ("MPIX_", often, false, true),
            ]
        }
        _ => panic!("{TABLE}: no form {form}"),
    }
}

/// The further parameters of the nonblocking and of the persistent form of a collective.
fn later(name: &str) -> &'static str {
    let plain = name.strip_suffix("_c").unwrap_or(name);
    if plain.ends_with("_init") {
        "handle address"
    } else if plain.starts_with('I') {
        "address"
    } else {
        ""
    }
}

struct Function<'a> {
    name: String,
    wide: bool,
    soon: bool,
    parameters: String,
    sized: &'a str,
}

impl Function<'_> {
    /// Writes the wrappers whose names begin with `MPI_` and with `PMPI_`.
    fn write(&self, into: &mut String) {
        let kinds: Vec<&str> = self.parameters.split_whitespace().collect();
        let parameters: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(at, kind)| format!("a{at}: {}", self.rust(kind)))
            .collect();
        let comms: Vec<String> = (0..kinds.len())
            .filter(|&at| kinds[at] == "comm")
            .map(|at| format!("a{at}"))
            .collect();
        let count = if self.wide { "i64" } else { "c_int" };
        for prefix in ["", "P"] {
            let name = format!("{prefix}{}", self.name);
            let missing = match name.strip_suffix("_c") {
                Some(plain) if self.wide && !self.name.starts_with("MPIX_") => {
                    format!("(narrowed {plain:?}, {})", self.arrays(&kinds))
                }
                _ => "absent".to_owned(),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(
                into,
                "wrapper! {{ {name:?}, {count}, {missing}, [{}], ({}) }}",
                comms.join(", "),
                parameters.join(", ")
            );
        }
    }

    fn rust(&self, kind: &str) -> &'static str {
        match kind {
            "comm" | "handle" => "Handle",
            "address" => "Address",
            "int" | "root" => "c_int",
            "offset" => "Offset",
            "wide" => "i64",
            "count" => "Count",
            "unit" => "Unit",
            "position" => "Position<Count>",
            "size" => "Size<Count>",
            "counts-out" => "Sends<Count>",
            "counts-in" => "Receives<Count>",
            "offsets-out" => "Sends<Displacement>",
            "offsets-in" => "Receives<Displacement>",
            _ => panic!("{TABLE}: no parameter {kind} of {}", self.name),
        }
    }

    /// The expression for the lengths of the arrays of counts.
    fn arrays(&self, kinds: &[&str]) -> String {
        let of = |kind: &str| {
            let at = kinds.iter().position(|other| *other == kind);
            at.map_or_else(
                || panic!("{TABLE}: {} has no {kind}", self.name),
                |at| format!("a{at}"),
            )
        };
        let arrays = match self.sized {
            "none" => "CountArrays::none()".to_owned(),
            "others" => format!("CountArrays::of_others({}, a0)", of("comm")),
            "root" => format!("CountArrays::at_root({}, {})", of("comm"), of("root")),
            "own" => format!("CountArrays::of_own({})", of("comm")),
            _ => format!("CountArrays::of_neighbours({})", of("comm")),
        };
        if self.soon {
            format!("{arrays}.kept()")
        } else {
            arrays
        }
    }
}
