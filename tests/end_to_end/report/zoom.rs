//! Drawings of a thousand nodes: larger by keyboard and without a script, whole on paper.

use super::*;

/// Width of the window, and of the first enlarged drawing: what is seen, and what it holds.
const WIDTHS: &str = "(()=>{const p=document.querySelector('#machine .pan');return [p.clientWidth,p.scrollWidth]})()";

/// The largest number of `each`, an expression over one drawing `p`.
fn largest(each: &str) -> String {
    format!("Math.max(...[...document.querySelectorAll('#machine .pan')].map(p=>{each}))")
}

pub(super) fn enlarges() -> Result<()> {
    let made = stencil(32, 32, "torus:8x8x16")?;
    let mut browser = Browser::start()?;
    browser.open(&made.page, 1440, "light")?;
    let [seen, whole] = widths(&mut browser)?;
    ensure!(whole == seen, "{whole} of {seen} before any zoom");

    // One step by keyboard is twice the size, in all drawings and around their middle.
    browser.value("document.querySelector('#machine-zoom-1').focus()")?;
    for kind in ["rawKeyDown", "keyUp"] {
        let key = serde_json::json!({"type": kind, "key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39});
        browser.call("Input.dispatchKeyEvent", &key)?;
    }
    let beside = largest("Math.abs(p.scrollWidth-2*p.clientWidth)");
    becomes_less_than(&mut browser, &beside, 1.0).context("pixels beside twice the size")?;
    let off = largest("Math.abs(p.scrollLeft+p.clientWidth/2-p.scrollWidth/2)");
    becomes_less_than(&mut browser, &off, 2.0)
        .context("pixels of the middle beside a window's middle")?;

    // The drawing that the reader has scrolled last gives its position to all drawings.
    browser.value("new Promise(done=>{const [first,second]=document.querySelectorAll('#machine .pan');second.scrollLeft=100;requestAnimationFrame(()=>requestAnimationFrame(()=>{first.scrollLeft=0;done()}))})")?;
    becomes_less_than(&mut browser, &largest("p.scrollLeft"), 1.0)
        .context("pixels that one drawing stays behind the other")?;

    // The largest size names the rank of every node, in letters of a size that can be read.
    browser.value("document.querySelector('#machine-zoom-8').click()")?;
    let high = browser
        .value("document.querySelector('#machine .nd text').getBoundingClientRect().height")?;
    ensure!(high.as_f64() > Some(8.0), "names of ranks are {high} high");

    // On paper, drawings are whole, whatever the screen shows.
    browser.show_as_printed()?;
    let [seen, whole] = widths(&mut browser)?;
    ensure!(whole == seen, "{whole} of {seen} on paper");
    without_script(&mut browser, &made.page)
}

/// Waits until a number of the page is below `limit`. Handlers of the scroll event run in a later
/// frame, which comes late on a busy machine.
fn becomes_less_than(browser: &mut Browser, number: &str, limit: f64) -> Result<()> {
    let wait = format!(
        "new Promise(done=>{{const start=performance.now(),look=()=>({number})<{limit}||performance.now()-start>2e4?done({number}):requestAnimationFrame(look);look()}})"
    );
    let found = browser.value(&wait)?;
    ensure!(found.as_f64() < Some(limit), "{found} after 20 s");
    Ok(())
}

fn without_script(browser: &mut Browser, page: &Path) -> Result<()> {
    let off = |value: bool| serde_json::json!({ "value": value });
    browser.call("Emulation.setScriptExecutionDisabled", &off(true))?;
    browser.open(page, 800, "dark")?;
    let place = browser.value("(()=>{const b=document.querySelector('#machine .s4');b.scrollIntoView();const r=b.getBoundingClientRect();return [r.x+r.width/2,r.y+r.height/2]})()")?;
    for kind in ["mousePressed", "mouseReleased"] {
        let click = serde_json::json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
        browser.call("Input.dispatchMouseEvent", &click)?;
    }
    let [seen, whole] = widths(browser)?;
    browser.call("Emulation.setScriptExecutionDisabled", &off(false))?;
    ensure!(whole == 4.0 * seen, "{whole} of {seen} without a script");
    Ok(())
}

fn widths(browser: &mut Browser) -> Result<[f64; 2]> {
    let found = browser.value(WIDTHS)?;
    Ok([0, 1].map(|at| found[at].as_f64().unwrap_or(f64::NAN)))
}
