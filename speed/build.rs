//! Records what compiles the code: counts of another compiler, target or set of flags are not comparable.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    println!("cargo::rustc-env=SPEED_RUSTC={}", String::from_utf8_lossy(&version).trim());
    println!("cargo::rustc-env=SPEED_TARGET={}", env::var("TARGET").unwrap_or_default());
    // Cargo separates flags by a character that no flag contains.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\u{1f}', " ");
    println!("cargo::rustc-env=SPEED_FLAGS={flags}");
    println!("cargo::rerun-if-changed=build.rs");
}
