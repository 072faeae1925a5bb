//! Checks that all processes run the same program with the same arguments.

use std::fs::File;
use std::io::{Read, Result};

/// A number that differs between processes with different programs or arguments: the CRC-32 of
/// both.
///
/// # Errors
/// The program's own file cannot be read.
pub(super) fn fingerprint() -> Result<u64> {
    let mut program = File::open("/proc/self/exe")?;
    let mut of_program = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match program.read(&mut buffer)? {
            0 => break,
            read => of_program.update(&buffer[..read]),
        }
    }
    let mut of_arguments = crc32fast::Hasher::new();
    for argument in std::env::args_os().skip(1) {
        of_arguments.update(argument.as_encoded_bytes());
        of_arguments.update(&[0]);
    }
    let (program, arguments) = (of_program.finalize(), of_arguments.finalize());
    Ok(u64::from(program) << 32 | u64::from(arguments))
}
