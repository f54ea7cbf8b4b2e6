//! Hosts reached by `ssh`, as on a real cluster: a private server on this host.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;

use crate::common::emulated::{apart, text};

/// Runs a script with a server for the hosts `node1` and `node2`, which are both this one.
fn beside_a_server(directory: &Path, script: &str) -> Output {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let keys = directory.display();
    let server = format!(
        "ListenAddress 127.0.0.1:{port}\nHostKey {keys}/host\nAuthorizedKeysFile {keys}/user.pub\nStrictModes no\n\
         UsePAM no\nPidFile {keys}/pid\nPermitRootLogin prohibit-password\nMaxStartups 100\n"
    );
    let client = format!(
        "Host node1 node2\nHostName 127.0.0.1\nPort {port}\nIdentityFile {keys}/user\nIdentitiesOnly yes\n\
         StrictHostKeyChecking no\nUserKnownHostsFile {keys}/known\n"
    );
    fs::write(directory.join("server"), server).unwrap();
    fs::write(directory.join("client"), client).unwrap();
    let script = format!(
        "mount -t tmpfs none /run && mkdir /run/sshd; for key in host user; do ssh-keygen -q -t ed25519 -N '' -f $key; done; \
         $(command -v sshd) -f server; trap 'kill $(cat pid)' EXIT; \
         tries=0; until ssh -F client node1 true; do tries=$((tries + 1)); [ $tries -lt 9000 ]; sleep 0.1; done; {script}"
    );
    apart(directory, &script).output().unwrap()
}

fn config(launch: &str) -> String {
    format!(
        "schema = 1\nrepetitions = 2\ntime_limit_seconds = 20\n[tcp]\nlaunch = [\"ssh\", \"-F\", \"client\", \"-o\", \
         \"BatchMode=yes\", \"{launch}\"]\nhosts = [{{ name = \"node1\", address = \"127.0.0.1\" }}, {{ name = \"node2\", \
         address = \"127.0.0.1\" }}]\n[[measurement]]\nname = \"a\"\nalgorithms = [\"halving\"]\nK = [4]\nbytes = [\"20kB\"]\n\
         machine = \"ethernet100-switched\"\n"
    )
}

#[test]
#[ignore = "needs root, ssh and sshd of OpenSSH"]
fn ranks_are_started_by_ssh() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("c.toml"), config("{host}")).unwrap();
    let Output { status, stderr, .. } =
        beside_a_server(directory.path(), "\"$0\" measure c.toml --out m");
    assert!(status.success(), "{}", text(&stderr));
    let nodes = fs::read_to_string(directory.path().join("m/nodes.csv")).unwrap();
    for host in ["node1", "node2"] {
        assert_eq!(nodes.matches(host).count(), 2 * 2, "{nodes}");
    }
}

#[test]
#[ignore = "needs root, ssh and sshd of OpenSSH"]
fn a_host_that_ssh_does_not_reach_is_named() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("c.toml"),
        config("{host}").replace("name = \"node2\"", "name = \"node.invalid\""),
    )
    .unwrap();
    let script = "\"$0\" measure c.toml --out m || echo \"ended with $?\"";
    let Output { stdout, stderr, .. } = beside_a_server(directory.path(), script);
    let errors = text(&stderr);
    assert_eq!(text(&stdout), "ended with 10\n", "{errors}");
    assert!(
        errors.contains(" on node.invalid (process ")
            && errors.contains("Could not resolve hostname"),
        "{errors}"
    );
}
