//! Emulated hosts for tests, isolated from other ones.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Runs the script in a separate mount namespace, because hosts of other tests or of the user may have the same names.
pub fn apart(directory: &Path, script: &str) -> Command {
    let mut command = Command::new("unshare");
    let script = format!("mkdir -p /run/netns && mount -t tmpfs none /run/netns && {script}");
    command.args(["--mount", "--", "sh", "-e", "-c", &script, env!("CARGO_BIN_EXE_castbench")]);
    command.current_dir(directory).env("NO_COLOR", "1");
    command
}

/// Whether emulated hosts can be created here; if not, prints the reason.
pub fn possible() -> bool {
    let needed = "ip netns add x && ip -n x link add veth0 type veth peer name veth1 && \
        tc -n x qdisc add dev veth0 root tbf rate 100mbit burst 4kb limit 512kb overhead 24 && nsenter --net=/run/netns/x true";
    let tried = apart(Path::new("/"), needed).output();
    let why = match &tried {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    // Written past the capture of the test runner, so that its output has the reason.
    let _ = writeln!(std::io::stderr(), "skipped: no emulated hosts here: {why}");
    false
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
