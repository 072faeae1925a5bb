//! Columns of numbers on their way to Python.

use pyo3::Bound;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A column as bytes in the computer's own byte order, which `numpy.frombuffer` reads.
pub(crate) fn column<'py, const N: usize>(
    py: Python<'py>,
    values: impl ExactSizeIterator<Item = [u8; N]>,
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, N * values.len(), |bytes| {
        for (place, value) in bytes.chunks_exact_mut(N).zip(values) {
            place.copy_from_slice(&value);
        }
        Ok(())
    })
}

/// The values of a column of 64-bit integers.
pub(crate) fn values(bytes: &[u8]) -> impl ExactSizeIterator<Item = u64> + '_ {
    let (values, _) = bytes.as_chunks::<8>();
    values.iter().map(|value| u64::from_ne_bytes(*value))
}
