//! Pages in a browser without a window.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::end;
use crate::report::between;

/// Says that a test is skipped, and why. Not with a macro: what those print is shown for tests that fail, and this one passes.
pub fn skipped(reason: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {reason}");
}

/// Whether there is a browser; if not, the test is skipped.
pub fn is_here() -> bool {
    let on_path = |directory: PathBuf| directory.join("chromium").is_file();
    let is_here = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(on_path);
    if !is_here {
        skipped("there is no `chromium` in PATH (Debian: apt-get install chromium)");
    }
    is_here
}

/// What a page wrote into its element `found`, and what the console said.
pub fn open(page: &Path) -> (String, String) {
    let profile = tempfile::tempdir().unwrap();
    let [dom, errors] = ["dom", "errors"].map(|name| profile.path().join(name));
    let browser = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args([
            "--allow-file-access-from-files",
            // A page compiles a program of any size at once, as a worker does.
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
    let found =
        between(&dom, "<pre id=\"found\">", "</pre>").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let errors = String::from_utf8_lossy(&fs::read(&errors).unwrap()).into_owned();
    let console: Vec<&str> = errors.lines().filter(|line| line.contains("CONSOLE")).collect();
    (found, console.join("\n"))
}
