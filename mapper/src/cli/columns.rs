//! Tables for the terminal, with columns as wide as what they hold.

/// The rows as lines. The columns whose numbers are in `left` stand to the left, all others to the
/// right; a row may end before the last column.
#[must_use]
pub fn in_columns(rows: &[Vec<String>], left: &[usize]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let width = widths[column];
            if left.contains(&column) {
                format!("{cell:width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_end_below_the_end_of_a_long_heading() {
        let rows = [
            ["", "block order", "multisection+anneal-time+swap"],
            ["hop-bytes", "32000", "24000"],
            ["lower bound of hop-bytes", "", "24000"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let text = in_columns(&rows, &[0]);
        let ends = text.lines().map(str::len).collect::<Vec<_>>();
        assert_eq!(ends, [ends[0]; 3], "{text}");
    }

    #[test]
    fn a_row_may_end_early() {
        let rows = [vec!["a".to_owned(), "bb".into()], vec!["ccc".into()]];
        assert_eq!(in_columns(&rows, &[0]), "a    bb\nccc\n");
    }
}
