//! A heat map of the communication matrix, drawn with characters on the terminal. In colour, one
//! character shows two cells: the upper one as its foreground, the lower one as its background.
//! More bytes are brighter, on a logarithmic scale.

use super::terminal;
use anstyle::{Ansi256Color, Style};
use indicatif::DecimalBytes;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use std::io::{IsTerminal, Write, stderr};
use terminal_size::{Width, terminal_size_of};

/// Maximum number of cells along a side of a map. Chosen by hand: two such maps and the gap
/// between them need 101 columns.
const MOST_CELLS: usize = 48;
/// Minimum number of cells along a side that must fit the terminal; otherwise no map is drawn.
/// Smaller matrices are enlarged up to twice this size. Chosen by hand.
const LEAST_CELLS: usize = 16;
/// Number of empty columns between two maps.
const BETWEEN: usize = 3;
/// Width assumed for a terminal that does not report its width, in columns.
const USUAL_WIDTH: usize = 80;
/// Colour numbers of the 256-colour palette, from few bytes to many. Their brightness rises as in
/// the colour map viridis, which people with colour blindness can read. The first is for a cell
/// without bytes.
const COLOURS: [u8; 8] = [234, 54, 61, 31, 37, 72, 113, 227];
/// The same scale in shaded characters, where no colour is wanted.
const SHADES: [char; 8] = [' ', '·', '░', '░', '▒', '▒', '▓', '█'];
/// The same scale in ASCII characters.
const LETTERS: [char; 8] = [' ', '.', ':', '-', '=', '+', '*', '#'];

/// Bytes by sender and receiver. Ranks are grouped in blocks, and a cell holds the bytes from one
/// block to another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Matrix {
    side: usize,
    /// Number of ranks in a block.
    block: usize,
    cells: Vec<u128>,
}

impl Matrix {
    /// An empty matrix of `ranks` ranks with at most `most` cells a side.
    fn new(ranks: usize, most: usize) -> Self {
        let block = ranks.div_ceil(most).max(1);
        let side = ranks.div_ceil(block);
        let cells = vec![0; side * side];
        Self { side, block, cells }
    }

    fn add(&mut self, from: usize, to: usize, bytes: u64) {
        let (row, column) = (from / self.block, to / self.block);
        if row < self.side && column < self.side {
            self.cells[row * self.side + column] += u128::from(bytes);
        }
    }

    /// The same matrix with every cell repeated `times` times in both directions.
    fn enlarged(&self, times: usize) -> Self {
        let side = self.side * times;
        let cell = |at: usize| self.cells[at / side / times * self.side + at % side / times];
        Self {
            side,
            block: self.block,
            cells: (0..side * side).map(cell).collect(),
        }
    }

    fn at(&self, row: usize, column: usize) -> u128 {
        let inside = row < self.side && column < self.side;
        if inside {
            self.cells[row * self.side + column]
        } else {
            0
        }
    }
}

/// How a terminal shows cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Colours,
    Shades,
    Letters,
}

/// The fewest bytes of a cell that has any, and the most bytes of a cell.
#[derive(Clone, Copy, Debug)]
struct Scale {
    least: u128,
    most: u128,
}

impl Scale {
    fn of(matrices: &[(&str, Matrix)]) -> Self {
        let cells = matrices.iter().flat_map(|(_, matrix)| &matrix.cells);
        let some = cells.copied().filter(|&bytes| bytes > 0);
        Self {
            least: some.clone().min().unwrap_or(0),
            most: some.max().unwrap_or(0),
        }
    }

    /// The brightness of a cell: 0 for no bytes, otherwise 1 to 7.
    fn level(self, bytes: u128) -> usize {
        let steps = COLOURS.len() - 1;
        if bytes == 0 {
            return 0;
        }
        let (least, most) = ((self.least as f64).ln(), (self.most as f64).ln());
        if most <= least {
            return steps;
        }
        let share = ((bytes as f64).ln() - least) / (most - least);
        1 + ((steps - 1) as f64 * share).round() as usize
    }
}

/// The lines of one map, all of the same width.
fn lines(matrix: &Matrix, scale: Scale, look: Look) -> Vec<String> {
    let line = |line: usize| {
        let pair = |column| {
            let level = |row| scale.level(matrix.at(row, column));
            (level(2 * line), level(2 * line + 1))
        };
        let pairs = (0..matrix.side).map(pair);
        pairs
            .map(|(upper, lower)| cell(upper, lower, look))
            .collect()
    };
    (0..matrix.side.div_ceil(2)).map(line).collect()
}

/// The character that shows an upper and a lower cell, given by their brightness.
fn cell(upper: usize, lower: usize, look: Look) -> String {
    match look {
        Look::Colours => {
            let colour = |level: usize| Some(Ansi256Color(COLOURS[level]).into());
            let style = Style::new().fg_color(colour(upper)).bg_color(colour(lower));
            format!("{style}▀{style:#}")
        }
        Look::Shades => SHADES[upper.max(lower)].to_string(),
        Look::Letters => LETTERS[upper.max(lower)].to_string(),
    }
}

/// Draws maps side by side below their titles. The last line says what brightness means.
fn side_by_side(matrices: &[(&str, Matrix)], look: Look) -> Vec<String> {
    let scale = Scale::of(matrices);
    let drawn: Vec<Vec<String>> = matrices
        .iter()
        .map(|(_, matrix)| lines(matrix, scale, look))
        .collect();
    let gap = " ".repeat(BETWEEN);
    let width = matrices.iter().map(|(_, matrix)| matrix.side).max();
    let width = width.unwrap_or(0);
    let titles: Vec<String> = matrices
        .iter()
        .map(|(title, _)| format!("{title:<width$.width$}"))
        .collect();
    let mut all = Vec::new();
    if titles.iter().any(|title| !title.trim().is_empty()) {
        all.push(titles.join(&gap).trim_end().to_owned());
    }
    for at in 0..drawn.iter().map(Vec::len).max().unwrap_or(0) {
        let row: Vec<&str> = drawn.iter().map(|lines| &*lines[at]).collect();
        all.push(row.join(&gap));
    }
    let of = match matrices.first().map_or(1, |(_, matrix)| matrix.block) {
        1 => "rank to rank".to_owned(),
        block => format!("blocks of {block} ranks"),
    };
    let bytes = |bytes: u128| DecimalBytes(u64::try_from(bytes).unwrap_or(u64::MAX));
    all.push(format!(
        "{of}, row to column, {} (dark) to {} (bright)",
        bytes(scale.least),
        bytes(scale.most)
    ));
    all
}

/// How standard error shows maps, and its width in columns; `None` where it shows no maps.
fn canvas() -> Option<(Look, usize)> {
    let wanted = anstream::AutoStream::choice(&stderr());
    let forced = anstream::ColorChoice::global() == anstream::ColorChoice::Always;
    if terminal::is_quiet() || !(stderr().is_terminal() || forced) {
        return None;
    }
    let look = match (wanted, unicode()) {
        (_, false) => Look::Letters,
        (anstream::ColorChoice::Never, true) => Look::Shades,
        (_, true) => Look::Colours,
    };
    let size = terminal_size_of(stderr());
    Some((
        look,
        size.map_or(USUAL_WIDTH, |(Width(columns), _)| columns.into()),
    ))
}

/// Whether the locale's character encoding is UTF-8.
fn unicode() -> bool {
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let mut set = variables.filter_map(|name| std::env::var(name).ok());
    let locale = set.find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// A source of messages: calls the function it is given once for every message, with sender,
/// receiver and bytes.
pub type Messages<'a> = &'a dyn Fn(&mut dyn FnMut(usize, usize, u64));

/// Whether standard error shows heat maps.
#[must_use]
pub fn is_shown() -> bool {
    canvas().is_some()
}

/// Draws the communication matrix of `ranks` ranks on standard error. Draws nothing where standard
/// error is no terminal or too narrow.
pub fn show(ranks: usize, messages: Messages<'_>) {
    show_all(ranks, &[("", messages)]);
}

/// Draws the communication matrix twice on standard error: in block order, and with the ranks
/// sorted by the slots that `placement` gives them, under the title `name`.
pub fn show_placed(graph: &CommGraph, placement: &Placement, name: &str) {
    let mut order: Vec<usize> = (0..graph.ranks()).collect();
    order.sort_by_key(|&rank| placement.slots()[rank]);
    let mut place = vec![0; order.len()];
    for (at, &rank) in order.iter().enumerate() {
        place[rank] = at;
    }
    let messages = |sink: &mut dyn FnMut(usize, usize, u64), place: &dyn Fn(usize) -> usize| {
        for message in graph.messages() {
            let (from, to) = (message.from.index(), message.to.index());
            sink(place(from), place(to), message.bytes);
        }
    };
    show_all(
        graph.ranks(),
        &[
            ("block order", &|sink| messages(sink, &|rank| rank)),
            (name, &|sink| messages(sink, &|rank| place[rank])),
        ],
    );
}

fn show_all(ranks: usize, maps: &[(&str, Messages<'_>)]) {
    let Some((look, columns)) = canvas() else {
        return;
    };
    let room = columns.saturating_sub(2 + BETWEEN * (maps.len() - 1)) / maps.len();
    let most = room.min(MOST_CELLS);
    if ranks < 2 || most < LEAST_CELLS {
        return;
    }
    let mut matrices = Vec::new();
    for (title, messages) in maps {
        let mut matrix = Matrix::new(ranks, most);
        messages(&mut |from, to, bytes| matrix.add(from, to, bytes));
        let times = (2 * LEAST_CELLS).min(most) / matrix.side;
        matrices.push((*title, matrix.enlarged(times.max(1))));
    }
    let mut out = anstream::stderr();
    for line in side_by_side(&matrices, look) {
        // A failure to draw is ignored: the picture is no result.
        let _ = writeln!(out, "  {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of a ring.
    fn ring(ranks: usize, most: usize) -> Matrix {
        let mut matrix = Matrix::new(ranks, most);
        for rank in 0..ranks {
            matrix.add(rank, (rank + 1) % ranks, 10 << (rank % 2));
        }
        matrix
    }

    #[test]
    fn a_line_holds_two_rows_and_brightness_is_bytes() {
        let ring = ring(4, 48);
        let text = side_by_side(&[("ring", ring)], Look::Letters);
        assert_eq!(text[..3], ["ring", " .# ", "#  ."]);
        assert_eq!(
            text[3],
            "rank to rank, row to column, 10 B (dark) to 20 B (bright)"
        );
    }

    #[test]
    fn many_ranks_share_cells_and_few_fill_several() {
        let matrix = ring(1000, 48);
        assert_eq!((matrix.side, matrix.block), (48, 21));
        let all: u128 = matrix.cells.iter().sum();
        assert_eq!(all, 500 * 30);
        let small = ring(2, 48).enlarged(3);
        assert_eq!(small.side, 6);
        assert_eq!(
            (small.at(0, 3), small.at(2, 5), small.at(3, 2)),
            (10, 10, 20)
        );
        assert_eq!(small.at(0, 0) + small.at(6, 0), 0);
    }

    #[test]
    fn maps_stand_side_by_side_and_colours_are_reset() {
        let maps = [("one", ring(4, 4)), ("another", ring(4, 4))];
        let text = side_by_side(&maps, Look::Colours);
        assert_eq!(text[0], "one    anot");
        assert_eq!(text[1].matches('▀').count(), 8);
        assert_eq!(text[1].matches("\u{1b}[0m").count(), 8);
        let silent = side_by_side(&[("", Matrix::new(3, 3))], Look::Shades);
        assert_eq!(silent[0], "   ");
    }
}
