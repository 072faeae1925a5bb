//! A page in headless Chromium, read and clicked through the browser's debugging protocol.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// The name of the program in Debian.
pub const PROGRAM: &str = "chromium";

/// Time after which a missing answer is an error.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser that shows one page.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    calls: u64,
    events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser.
    ///
    /// # Errors
    /// It does not start, or does not answer.
    pub fn start() -> Result<Self> {
        let profile = tempfile::tempdir()?;
        let child = Command::new(PROGRAM)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
            ])
            .args([
                "--remote-debugging-port=0",
                "--no-first-run",
                "--disable-extensions",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("chromium does not start")?;
        let (port, path) = address(profile.path())?;
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (socket, _) = tungstenite::client(format!("ws://127.0.0.1:{port}{path}"), stream)
            .map_err(|error| anyhow::anyhow!("no debugging protocol: {error}"))?;
        let mut browser = Self {
            child,
            socket,
            session: String::new(),
            calls: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}))?;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", &attach)?;
        browser.session = session["sessionId"].as_str().unwrap_or_default().to_owned();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), &json!({}))?;
        }
        Ok(browser)
    }

    /// Calls a method of the protocol. Returns the answer.
    ///
    /// # Errors
    /// The browser refuses it, or does not answer.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.calls += 1;
        let mut call = json!({"id": self.calls, "method": method, "params": parameters});
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(call.to_string()))?;
        loop {
            let mut answer = self.next().with_context(|| method.to_owned())?;
            if answer["id"] == call["id"] {
                ensure!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return Ok(answer["result"].take());
            }
            self.events.push(answer);
        }
    }

    fn next(&mut self) -> Result<Value> {
        loop {
            if let Message::Text(text) = self.socket.read()? {
                return Ok(serde_json::from_str(&text)?);
            }
        }
    }

    /// Opens a file in a window of `width` pixels with a colour scheme, `light` or `dark`.
    ///
    /// # Errors
    /// It does not load.
    pub fn open(&mut self, file: &Path, width: u32, scheme: &str) -> Result<()> {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let screen = json!({"media": "", "features": features});
        self.call("Emulation.setEmulatedMedia", &screen)?;
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size)?;
        self.events.clear();
        let mut url = String::from("file://");
        for byte in file.to_string_lossy().bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                    url.push(byte.into());
                }
                other => url.push_str(&format!("%{other:02X}")),
            }
        }
        self.call("Page.navigate", &json!({"url": url}))?;
        let loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        let start = Instant::now();
        while !self.events.iter().any(loaded) {
            ensure!(
                start.elapsed() < PATIENCE,
                "{} does not load",
                file.display()
            );
            let event = self.next()?;
            self.events.push(event);
        }
        Ok(())
    }

    /// Shows the open page as it is printed, in a window as wide as before.
    ///
    /// # Errors
    /// The browser does not answer.
    pub fn show_as_printed(&mut self) -> Result<()> {
        self.call("Emulation.setEmulatedMedia", &json!({"media": "print"}))?;
        Ok(())
    }

    /// Evaluates an expression in the page.
    ///
    /// # Errors
    /// It throws.
    pub fn value(&mut self, expression: &str) -> Result<Value> {
        let call = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut answer = self.call("Runtime.evaluate", &call)?;
        if !answer["exceptionDetails"].is_null() {
            bail!("{expression}: {}", answer["exceptionDetails"]);
        }
        Ok(answer["result"]["value"].take())
    }

    /// Scrolls `element`, a selector, into view, and moves the pointer to a point. The expression
    /// `point` yields its coordinates `[x, y]` in the window.
    ///
    /// # Errors
    /// There is no such element.
    pub fn point(&mut self, element: &str, point: &str) -> Result<()> {
        // Handlers of the scroll event run in the next frame.
        let scrolled = "new Promise(done=>requestAnimationFrame(()=>requestAnimationFrame(done)))";
        self.value(&format!(
            "document.querySelector({}).scrollIntoView({{block:'center'}}),{scrolled}",
            json!(element)
        ))?;
        let place = self.value(point)?;
        let (x, y) = (&place[0], &place[1]);
        ensure!(
            x.is_number() && y.is_number(),
            "{point} is no point: {place}"
        );
        self.call(
            "Input.dispatchMouseEvent",
            &json!({"type": "mouseMoved", "x": x, "y": y}),
        )?;
        Ok(())
    }

    /// Everything that went wrong since the last page was opened: errors on the console,
    /// exceptions, and requests to other addresses.
    ///
    /// # Errors
    /// The browser does not answer.
    pub fn complaints(&mut self) -> Result<Vec<String>> {
        // Events that the browser sent before the answer to a call have arrived with that answer.
        self.value("1")?;
        let complaint = |event: &Value| match event["method"].as_str()? {
            "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => {
                Some(event.to_string())
            }
            "Network.requestWillBeSent" => {
                let url = event["params"]["request"]["url"].as_str()?;
                let own = url.starts_with("file:") && event["params"]["type"] == "Document";
                (!own && !url.starts_with("data:")).then(|| format!("request: {url}"))
            }
            _ => None,
        };
        Ok(self.events.iter().filter_map(complaint).collect())
    }

    /// Prints the page. Returns a PDF in base 64.
    ///
    /// # Errors
    /// It cannot be printed.
    pub fn print(&mut self) -> Result<String> {
        let options = json!({"printBackground": true, "preferCSSPageSize": true});
        let answer = self.call("Page.printToPDF", &options)?;
        Ok(answer["data"].as_str().unwrap_or_default().to_owned())
    }

    /// Takes a picture of the whole page or of `element`. Returns a PNG in base 64.
    ///
    /// # Errors
    /// There is no such element.
    pub fn picture(&mut self, element: &str) -> Result<String> {
        let clip = self.value(&format!(
            "(()=>{{const b=document.querySelector({}).getBoundingClientRect();return {{x:b.x+scrollX,y:b.y+scrollY,width:b.width,height:b.height,scale:1}}}})()",
            json!(element)
        ))?;
        let options = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let answer = self.call("Page.captureScreenshot", &options)?;
        Ok(answer["data"].as_str().unwrap_or_default().to_owned())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The port and path on which the browser listens. The browser writes them into its directory.
fn address(profile: &Path) -> Result<(u16, String)> {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        if let Some((port, path)) = text.trim().split_once('\n') {
            return Ok((port.parse()?, path.to_owned()));
        }
        ensure!(
            start.elapsed() < PATIENCE,
            "chromium does not say where it listens"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}
