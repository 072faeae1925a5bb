//! Lays out the examples of a help text so that a narrow terminal breaks none of them.

/// The most letters of a line. Terminals have 80.
const WIDTH: usize = 79;

/// Letters before what follows a line that was too long.
const INDENT: &str = "      ";

/// The examples with every line that is too long in parts: the remark of a command stands below it,
/// and a command goes on behind a backslash, as shells read it.
pub(super) fn laid_out(examples: &str) -> String {
    let lines: Vec<String> = examples.lines().map(laid_out_line).collect();
    lines.join("\n")
}

fn laid_out_line(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let text = line.trim_start();
    let start = &line[..line.len() - text.len()];
    let (command, remark) = text.split_once("  ").unwrap_or((text, ""));
    let mut message = format!("{start}{}", broken(command, WIDTH - start.len()));
    if !remark.is_empty() {
        message.push_str(&format!("\n{INDENT}{}", remark.trim_start()));
    }
    message
}

/// A command in lines of at most `width` letters and the sign that it goes on.
fn broken(command: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in command.split(' ') {
        let room = if lines.len() == 1 {
            width
        } else {
            WIDTH - INDENT.len()
        };
        let last = lines.last_mut().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() + 2 > room {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join(&format!(" \\\n{INDENT}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_an_example_is_wider_than_a_terminal() {
        let long = "Examples:\n  rankfold run -- mpirun -n 64 ./app args      the first time profiled, from then on mapped\n  \
                    rankfold map app.rfp --machine site.toml --hosts $SLURM_JOB_NODELIST --to slurm -o app.map --explain";
        assert_eq!(
            laid_out(long),
            "Examples:\n  rankfold run -- mpirun -n 64 ./app args\n      the first time profiled, from then on mapped\n  \
             rankfold map app.rfp --machine site.toml --hosts $SLURM_JOB_NODELIST --to \\\n      slurm -o app.map --explain"
        );
        assert!(
            laid_out(long)
                .lines()
                .all(|line| line.chars().count() <= WIDTH)
        );
        assert_eq!(laid_out("  rankfold cache list"), "  rankfold cache list");
    }
}
