//! Compares the profiler's tables of MPI constants with the `mpi.h` of every MPI library, once as a
//! C compiler reads that header and once as bindgen does.

use crate::fact::{Fact, Need, under};
use Value::{AtMost, Number, Object};
use anyhow::{Context, Result, ensure};
use rankfold_tests::binding::Binding;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program};
use std::process::Command;

/// The source file that holds the tables.
const SOURCE: &str = include_str!("../../profiler/abi/src/abi.rs");

/// Names of the fields of the tables, each with the C expression of its value.
const FIELDS: &[(&str, &str)] = &[
    ("width", "sizeof(MPI_Comm)"),
    ("width", "sizeof(MPI_Request)"),
    ("width", "sizeof(MPI_Datatype)"),
    ("width", "sizeof(MPI_Win)"),
    ("width", "sizeof(MPI_Group)"),
    ("width", "sizeof(MPI_Op)"),
    ("width", "sizeof(MPI_Info)"),
    ("comm_world", "MPI_COMM_WORLD"),
    ("comm_null", "MPI_COMM_NULL"),
    ("win_null", "MPI_WIN_NULL"),
    ("datatype_null", "MPI_DATATYPE_NULL"),
    ("byte", "MPI_BYTE"),
    ("int", "MPI_INT"),
    ("sum", "MPI_SUM"),
    ("info_null", "MPI_INFO_NULL"),
    ("proc_null", "MPI_PROC_NULL"),
    ("root", "MPI_ROOT"),
    ("in_place", "MPI_IN_PLACE"),
    ("status_ignore", "MPI_STATUS_IGNORE"),
    ("comm_type_shared", "MPI_COMM_TYPE_SHARED"),
    ("any_source", "MPI_ANY_SOURCE"),
    ("err_truncate", "MPI_ERR_TRUNCATE"),
    ("no_op", "MPI_NO_OP"),
    ("cart", "MPI_CART"),
    ("graph", "MPI_GRAPH"),
    ("dist_graph", "MPI_DIST_GRAPH"),
    ("comm_self", "MPI_COMM_SELF"),
    ("tag_ub", "MPI_TAG_UB"),
    ("host", "MPI_HOST"),
    ("io", "MPI_IO"),
    ("wtime_is_global", "MPI_WTIME_IS_GLOBAL"),
    ("appnum", "MPI_APPNUM"),
    ("universe_size", "MPI_UNIVERSE_SIZE"),
    ("last_used_code", "MPI_LASTUSEDCODE"),
    ("bind_comm", "MPI_T_BIND_MPI_COMM"),
];

/// Fields of the tables that are bits of handles and of error codes. `mpi.h` names no such bits.
const NOT_IN_C: &[&str] = &["mask", "class_bits"];

/// Constants that the library expects to be the same in every MPI.
const EVERYWHERE: &[(&str, Value)] = &[
    ("MPI_SUCCESS", Number(0)),
    ("MPI_ERR_COUNT", Number(2)),
    ("MPI_UNDEFINED", Number(-32766)),
    ("MPI_MAX_LIBRARY_VERSION_STRING", AtMost(8192)),
    ("sizeof(MPI_File)", Number(8)),
    ("sizeof(MPI_Aint)", Number(8)),
    ("sizeof(MPI_Offset)", Number(8)),
    ("sizeof(MPI_Count)", Number(8)),
];

/// Constants that `mpi-sys` does not offer: they are casts in macros, which bindgen leaves out, and
/// `mpi-sys` does not repeat them in C.
const NOT_BOUND: &[&str] = &[
    "MPI_BYTE",
    "MPI_INT",
    "MPI_SUM",
    "MPI_WIN_NULL",
    "MPI_NO_OP",
    "MPI_IN_PLACE",
    "MPI_STATUS_IGNORE",
    "MPI_COMM_SELF",
    "MPI_TAG_UB",
    "MPI_HOST",
    "MPI_IO",
    "MPI_WTIME_IS_GLOBAL",
    "MPI_APPNUM",
    "MPI_UNIVERSE_SIZE",
    "MPI_LASTUSEDCODE",
    "MPI_T_BIND_MPI_COMM",
];

/// Macros that leave the function prototypes out of the headers of MPICH and Intel MPI, in the
/// words of each version. With prototypes bindgen takes several times as long.
const WITHOUT_FUNCTIONS: &str =
    "-DMPI_PROTO_H_INCLUDED -DMPICH_SUPPRESS_PROTOTYPES -DMPI_BUILD_PROFILING";

#[derive(Clone, Copy, Debug)]
enum Value {
    Number(i64),
    AtMost(i64),
    /// The address of the object that has this symbol.
    Object(&'static str),
}

pub(crate) fn facts() -> Vec<Fact> {
    let compiled = under(
        &Mpi::ALL,
        ("C", "the constants it takes for granted"),
        "abi::the_constants_are_those_of_mpi_h",
        |mpi| agrees(mpi, &compiled(mpi)?, &[]),
    );
    let bound = under(
        &Mpi::ALL,
        ("Rust", "the constants it takes for granted, by `mpi-sys`"),
        "abi::the_constants_are_those_mpi_sys_binds",
        |mpi| agrees(mpi, &bound(mpi)?, NOT_BOUND),
    );
    let bound = bound
        .into_iter()
        .map(|fact| fact.needing(Need::Tool("clang")));
    compiled.into_iter().chain(bound).collect()
}

/// Fails unless the constants in `text`, one `NAME VALUE` in each line, are those that the library
/// expects. Constants in `untold` may be missing.
fn agrees(mpi: Mpi, text: &str, untold: &[&str]) -> Result<()> {
    let text = |name| {
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.find_map(|(known, value)| (known == name).then_some(value))
    };
    let differs = |(name, value): (&'static str, Value)| match text(name) {
        None => (!untold.contains(&name)).then(|| format!("nothing is told of {name}")),
        Some(text) => (!value.is(text)).then(|| format!("{name} is {text}, not {value:?}")),
    };
    let differences: Vec<String> = granted(mpi)?.into_iter().filter_map(differs).collect();
    ensure!(differences.is_empty(), "{}", differences.join("\n"));
    Ok(())
}

/// The constants as a C compiler reads them.
fn compiled(mpi: Mpi) -> Result<String> {
    let scratch = tempfile::tempdir()?;
    let program = scratch.path().join("constants");
    let source = program::sources().join("constants.c");
    let compiler = mpi.compiler();
    let mut command = Command::new(&compiler.command);
    command
        .arg("-o")
        .args([&program, &source])
        .args(&compiler.flags);
    process::run(&mut command, "")?.success()?;
    Ok(process::run(&mut Command::new(&program), "")?
        .success()?
        .stdout)
}

/// The constants as bindgen reads them, printed by the program in `tests/abi`.
fn bound(mpi: Mpi) -> Result<String> {
    Binding::of("abi", "abi")?.cargo(mpi, &["run"], |command| {
        if let Some(environment) = mpi.environment() {
            command.env("LD_LIBRARY_PATH", environment.join("lib"));
        }
        match standard(mpi) {
            Some(flags) => command
                .env("CFLAGS", &flags)
                .env("BINDGEN_EXTRA_CLANG_ARGS", flags),
            None => command.env("BINDGEN_EXTRA_CLANG_ARGS", WITHOUT_FUNCTIONS),
        };
    })
}

/// Compiler flags that turn `mpi.h` into the header of the standard ABI; `None` for an MPI library
/// with its own ABI. The standard ABI has no Fortran handles. `mpi-sys` converts them all the same,
/// in functions that nobody calls, and MPICH does not even declare their type.
fn standard(mpi: Mpi) -> Option<String> {
    let defined = match mpi {
        Mpi::Mpich5Abi => "-DMPI_ABI -DMPI_Fint=int",
        Mpi::IntelAbi => "-DMPI_ABI",
        _ => return None,
    };
    let undeclared = "-Wno-error=implicit-function-declaration -Wno-error=int-conversion";
    Some(format!("{defined} {undeclared}"))
}

/// All constants that the library expects of `mpi`, by their names in C.
fn granted(mpi: Mpi) -> Result<Vec<(&'static str, Value)>> {
    let table = match mpi {
        Mpi::OpenMpi | Mpi::OpenMpi5 => "fn open_mpi()",
        Mpi::Mpich | Mpi::Mpich5 | Mpi::Intel => "const MPICH: Abi",
        Mpi::Mpich5Abi | Mpi::IntelAbi => "const STANDARD: Abi",
    };
    let own: Vec<_> = match mpi {
        Mpi::IntelAbi => fields("const INTEL_STANDARD: Abi")?.collect(),
        _ => Vec::new(),
    };
    let mut granted = EVERYWHERE.to_vec();
    for (field, value) in fields(table)?.filter(|(field, _)| !NOT_IN_C.contains(field)) {
        let before = granted.len();
        let other = own.iter().find(|(known, _)| *known == field);
        let value = Value::of(other.map_or(value, |(_, value)| value))?;
        let names = FIELDS.iter().filter(|(known, _)| *known == field);
        granted.extend(names.map(|(_, name)| (*name, value)));
        ensure!(
            granted.len() > before,
            "what is {field} in C? Add it to FIELDS"
        );
    }
    ensure!(
        granted.len() == EVERYWHERE.len() + FIELDS.len(),
        "a field of FIELDS is not in the table"
    );
    Ok(granted)
}

/// Names and values of the fields of the table that follows the text `start`.
fn fields(start: &str) -> Result<impl Iterator<Item = (&'static str, &'static str)>> {
    let table = SOURCE.split_once(start).context("no such table")?.1;
    let (_, table) = table.split_once("Abi {").context("no table")?;
    let (table, _) = table.split_once('}').context("no end of the table")?;
    let lines = table.lines().map(|line| line.trim().trim_end_matches(','));
    Ok(lines.filter_map(|line| line.split_once(": ")))
}

impl Value {
    /// Reads the Rust expression of a value.
    fn of(text: &'static str) -> Result<Self> {
        if let Some(symbol) = text.strip_prefix("address(c_name!(\"") {
            return Ok(Object(symbol.trim_end_matches("\"))?")));
        }
        let digits = text.replace('_', "");
        let number = match (text, digits.strip_prefix("0x")) {
            ("size_of::<Handle>()", _) => Ok(8),
            ("usize::MAX", _) => Ok(-1),
            (_, Some(digits)) => i64::from_str_radix(digits, 16),
            (_, None) => digits.parse(),
        };
        Ok(Number(
            number.with_context(|| format!("{text} is no number"))?,
        ))
    }

    /// Whether this value is the printed value `text`.
    fn is(self, text: &str) -> bool {
        match self {
            Object(symbol) => text == symbol,
            Number(number) => text.parse() == Ok(number),
            AtMost(limit) => text.parse::<i64>().is_ok_and(|text| text <= limit),
        }
    }
}
