//! Facts about the host of this process.

use std::fs;
use std::thread;

use super::wire::Facts;

/// Asks the system. Optional values may be missing, others empty.
#[must_use]
pub fn here() -> Facts {
    let system = rustix::system::uname();
    let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    Facts {
        name: text(system.nodename()),
        kernel: format!(
            "{} {} {}",
            text(system.sysname()),
            text(system.release()),
            text(system.machine())
        ),
        processor: processor(),
        cores: thread::available_parallelism().map_or(0, |cores| cores.get() as u64),
        tcp_congestion_control: setting("tcp_congestion_control"),
        tcp_wmem: setting("tcp_wmem"),
        tcp_rmem: setting("tcp_rmem"),
    }
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model
        .map(|(_, name)| name.trim().to_owned())
        .unwrap_or_default()
}

fn setting(name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/sys/net/ipv4/{name}")).ok()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}
