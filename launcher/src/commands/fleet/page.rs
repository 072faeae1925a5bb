//! The programs of a site as one HTML page that loads nothing.

use super::Fleet;
use rankfold_base::words::counted;
use std::fmt::Write;

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
<meta name=\"color-scheme\" content=\"light dark\"><title>rankfold: what a site would gain</title>\
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}\
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .6rem;border-bottom:1px solid #8884;text-align:right;white-space:nowrap}\
th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}th{font-size:.85em;vertical-align:bottom;white-space:normal}\
i{display:block;height:4px;background:#0a66c2;margin-left:auto}p{max-width:50rem}</style></head><body>\n";

const ABOUT: &str = "Node-hours are hours from MPI_Init to MPI_Finalize times hosts, of the runs whose files were found. \
What would be saved is measured where runs in both orders were compared, else promised by the model for whole runs.";

/// The page. The bar below a number is its share of the largest.
pub(super) fn html(fleet: &Fleet) -> String {
    let mut page = HEAD.to_owned();
    let _ = write!(
        page,
        "<h1>{}</h1><p>{ABOUT}</p><div class=\"scroll\"><table><thead><tr>",
        escaped(&fleet.summary())
    );
    for head in super::COLUMNS {
        let _ = write!(page, "<th scope=\"col\">{head}</th>");
    }
    page.push_str("</tr></thead><tbody>\n");
    let most = fleet.programs.iter().map(|usage| usage.to_gain);
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    for usage in &fleet.programs {
        page.push_str("<tr>");
        for (cell, head) in usage.cells().iter().zip(super::COLUMNS) {
            let _ = write!(page, "<td>{}", escaped(cell));
            if head == super::TO_GAIN && usage.to_gain > 0.0 {
                let _ = write!(
                    page,
                    "<i style=\"width:{:.1}%\"></i>",
                    100.0 * usage.to_gain / most
                );
            }
            page.push_str("</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>");
    if !fleet.left_out.is_empty() {
        let files = counted(fleet.left_out.len(), "file");
        let _ = write!(page, "<details><summary>{files} left out</summary><ul>");
        for line in &fleet.left_out {
            let _ = write!(page, "<li>{}</li>", escaped(line));
        }
        page.push_str("</ul></details>");
    }
    page + "</body></html>\n"
}

/// Text of users, which commands neither a browser nor a terminal.
fn escaped(text: &str) -> String {
    let whole = |letter: char| match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        letter if letter.is_control() => char::REPLACEMENT_CHARACTER.to_string(),
        letter => letter.to_string(),
    };
    text.chars().map(whole).collect()
}
