//! Bytes of the elements of tensors.

/// Bytes of an element of PyTorch, by the name that its `ScalarType` prints.
pub(super) fn of_torch(name: &str) -> Result<u64, String> {
    Ok(match name {
        "Byte" | "Char" | "Bool" | "QInt8" | "QUInt8" => 1,
        "Short" | "Half" | "BFloat16" | "UInt16" => 2,
        "Int" | "Float" | "UInt32" | "ComplexHalf" => 4,
        "Long" | "Double" | "UInt64" | "ComplexFloat" => 8,
        "ComplexDouble" => 16,
        _ if name.starts_with("Float8_") => 1,
        _ => {
            return Err(format!(
                "the size of the element type {name:?} is not known"
            ));
        }
    })
}

/// Bytes of an element of NCCL, by the number of its `ncclDataType_t`.
pub(super) fn of_nccl(number: u64) -> Result<u64, String> {
    Ok(match number {
        0 | 1 | 10 | 11 => 1,
        6 | 9 => 2,
        2 | 3 | 7 => 4,
        4 | 5 | 8 => 8,
        _ => {
            return Err(format!(
                "datatype {number} is none of NCCL's ncclDataType_t"
            ));
        }
    })
}
