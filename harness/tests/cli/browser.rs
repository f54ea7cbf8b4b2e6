//! Pages in a headless browser.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::end;
use crate::report::between;

/// The text of the page's element `found`, and the messages of the console.
pub fn open(page: &Path) -> (String, String) {
    let profile = tempfile::tempdir().unwrap();
    let [dom, errors] = ["dom", "errors"].map(|name| profile.path().join(name));
    let browser = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args([
            "--allow-file-access-from-files",
            // By default a page may not compile a large WebAssembly program synchronously.
            "--enable-features=WebAssemblyUnlimitedSyncCompilation",
            "--enable-logging=stderr",
            "--virtual-time-budget=20000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .stdout(fs::File::create(&dom).unwrap())
        .stderr(fs::File::create(&errors).unwrap())
        .spawn()
        .unwrap();
    end(browser);
    let dom = fs::read_to_string(&dom).unwrap();
    let found = between(&dom, "<pre id=\"found\">", "</pre>")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let errors = String::from_utf8_lossy(&fs::read(&errors).unwrap()).into_owned();
    let console: Vec<&str> = errors
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    (found, console.join("\n"))
}
