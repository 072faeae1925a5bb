//! The placement as a mapfile inside the page, with the lines that launch with it and write it.

use super::elements::{behind, command, section};
use crate::data::EmbeddedMapfile;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};

pub(super) fn html(mapfile: &EmbeddedMapfile) -> Markup {
    let body = html! {
        @if !mapfile.launch.is_empty() { (command(&mapfile.launch)) }
        p {
            @for [name, content] in &mapfile.files {
                a download=(name) href={ "data:text/plain;base64," (STANDARD.encode(content)) } { "save " (name) }
                " "
            }
        }
        @for [name, content] in &mapfile.files {
            (behind(name, &html! { div class="cmd" {
                pre { code { (content) } }
                button type="button" class="copy" { "copy" }
            } }))
        }
        @if !mapfile.made_by.is_empty() {
            p class="sub" { "Written again by" }
            (command(&mapfile.made_by))
        }
    };
    let finding = if mapfile.launch.is_empty() {
        format!("The placement in the format {}", mapfile.format)
    } else {
        "The next launch, with the placement of this page".into()
    };
    let how = format!(
        "The mapfile is in this page, in the format {}. Save it beside your job, then launch.",
        mapfile.format
    );
    section("launch", "Launch", &finding, &how, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapfile_can_be_saved_from_the_page_byte_for_byte() {
        let mapfile = EmbeddedMapfile {
            format: "nodes".into(),
            files: vec![["app.map".into(), "3\n1\n<&\n".into()]],
            launch: "mpirun -n 2 ./app".into(),
            made_by: String::new(),
        };
        let page = html(&mapfile).into_string();
        let saved = page
            .split("base64,")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let saved = STANDARD.decode(saved.unwrap()).unwrap();
        assert_eq!(saved, b"3\n1\n<&\n");
        assert!(page.contains("mpirun -n 2 ./app"), "{page}");
        assert!(!page.contains("Written again by"), "{page}");
    }
}
