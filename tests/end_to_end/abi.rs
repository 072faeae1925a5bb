//! The profiler's tables of constants against every MPI's own `mpi.h`: a C program made from the table compares.

use crate::fact::{Fact, under};
use anyhow::{Context, Result, bail, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process;
use std::fmt::Write;
use std::fs;
use std::process::Command;

/// The tables, as they are compiled into the library.
const SOURCE: &str = include_str!("../../profiler/src/abi.rs");

/// What a field of the table is in C.
const FIELDS: &[(&str, &str)] = &[
    ("width", "sizeof(MPI_Comm)"),
    ("comm_world", "MPI_COMM_WORLD"),
    ("comm_self", "MPI_COMM_SELF"),
    ("comm_null", "MPI_COMM_NULL"),
    ("byte", "MPI_BYTE"),
    ("info_null", "MPI_INFO_NULL"),
    ("request_null", "MPI_REQUEST_NULL"),
    ("proc_null", "MPI_PROC_NULL"),
    ("root", "MPI_ROOT"),
    ("undefined", "MPI_UNDEFINED"),
    ("in_place", "MPI_IN_PLACE"),
    ("comm_type_shared", "MPI_COMM_TYPE_SHARED"),
    ("identical", "MPI_IDENT"),
    ("no_op", "MPI_NO_OP"),
    ("cart", "MPI_CART"),
    ("graph", "MPI_GRAPH"),
    ("dist_graph", "MPI_DIST_GRAPH"),
];

/// What the library takes for granted everywhere.
const EVERYWHERE: &[(&str, &str)] = &[
    ("MPI_SUCCESS", "0"),
    ("MPI_ERR_COUNT", "2"),
    ("MPI_UNDEFINED", "-32766"),
    ("MPI_MAX_LIBRARY_VERSION_STRING <= 8192", "1"),
    ("sizeof(MPI_Request)", "sizeof(MPI_Comm)"),
    ("sizeof(MPI_Datatype)", "sizeof(MPI_Comm)"),
    ("sizeof(MPI_Win)", "sizeof(MPI_Comm)"),
    ("sizeof(MPI_Group)", "sizeof(MPI_Comm)"),
    ("sizeof(MPI_Op)", "sizeof(MPI_Comm)"),
    ("sizeof(MPI_Info)", "sizeof(MPI_Comm)"),
    ("sizeof(MPI_File)", "8"),
    ("sizeof(MPI_Aint)", "8"),
    ("sizeof(MPI_Offset)", "8"),
    ("sizeof(MPI_Count)", "8"),
];

pub(crate) fn facts() -> Vec<Fact> {
    under(
        &Mpi::ALL,
        ("C", "the constants it takes for granted"),
        "abi::the_constants_are_those_of_mpi_h",
        agrees,
    )
}

fn agrees(mpi: Mpi) -> Result<()> {
    let table = match mpi {
        Mpi::OpenMpi | Mpi::OpenMpi5 => "fn open_mpi()",
        Mpi::Mpich | Mpi::Mpich5 | Mpi::Intel => "const MPICH: Abi",
        Mpi::Mpich5Abi | Mpi::IntelAbi => "const STANDARD: Abi",
    };
    let scratch = tempfile::tempdir()?;
    let source = scratch.path().join("constants.c");
    let program = scratch.path().join("constants");
    fs::write(&source, comparison(&fields(table)?)?)?;
    let compiler = mpi.compiler();
    let mut command = Command::new(&compiler.command);
    command
        .arg("-o")
        .args([&program, &source])
        .args(&compiler.flags);
    process::run(&mut command, "")?.success()?;
    let told = process::run(&mut Command::new(&program), "")?.success()?;
    ensure!(told.stdout == "compared\n", "{}", told.stdout);
    Ok(())
}

/// Names and values in the table that starts with `start`.
fn fields(start: &str) -> Result<Vec<(&'static str, &'static str)>> {
    let table = SOURCE.split_once(start).context("no such table")?.1;
    let (_, table) = table.split_once("Abi {").context("no table")?;
    let (table, _) = table.split_once('}').context("no end of the table")?;
    let fields: Vec<_> = table
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(": "))
        .collect();
    ensure!(fields.len() >= 10, "only {} fields", fields.len());
    Ok(fields)
}

/// A program that says which of `fields` differ.
fn comparison(fields: &[(&str, &str)]) -> Result<String> {
    let mut text = String::from(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n\
         #define SAME(a, b) if ((uintptr_t)(a) != (uintptr_t)(b)) \
         printf(\"%s is %lx, not %lx\\n\", #a, (long)(uintptr_t)(a), (long)(uintptr_t)(b))\n\
         int main(void) {\n",
    );
    for (field, value) in fields.iter().filter(|(field, _)| *field != "mask") {
        let known = FIELDS.iter().find(|(name, _)| name == field);
        let (_, constant) =
            known.with_context(|| format!("what is {field} in C? Add it to FIELDS"))?;
        writeln!(text, "SAME({constant}, {});", in_c(value)?)?;
    }
    for (constant, value) in EVERYWHERE {
        writeln!(text, "SAME({constant}, {value});")?;
    }
    text.push_str("puts(\"compared\");\nreturn 0;\n}\n");
    Ok(text)
}

/// A value of the table as C writes it.
fn in_c(value: &str) -> Result<String> {
    if let Some(symbol) = value.strip_prefix("address(c_name!(") {
        let symbol = symbol.trim_end_matches('?').trim_end_matches(')');
        return Ok(format!("dlsym(RTLD_DEFAULT, {symbol})"));
    }
    match value {
        "size_of::<Handle>()" => Ok("sizeof(void *)".into()),
        "Handle::MAX" | "usize::MAX" => Ok("UINTPTR_MAX".into()),
        _ => {
            let number = value.replace('_', "");
            let digits = number.trim_start_matches('-').trim_start_matches("0x");
            if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
                bail!("{value} is no number");
            }
            Ok(number)
        }
    }
}
