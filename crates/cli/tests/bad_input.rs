//! What is asked wrongly, or cannot be: one clear error each, with what, where,
//! a hint and an exit code; nothing is sent, lost or claimed.

mod common;

use common::{
    Ended, Parrot, Program, Scorer, assert_all_ok, assert_conservation, doorclock, number, only_run,
    script_in, text,
};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

/// A URL that nothing needs to listen on: what is wrong is found before.
const ANY: &str = "http://127.0.0.1:1/";

/// Runs doorclock where a results folder would be made, and holds that none was.
#[track_caller]
fn refused(args: &[&str]) -> Ended {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("results");
    let ended = Program::start(&[args, &["--out", text(&out)]].concat()).end();
    assert!(!out.exists(), "{args:?} left a folder: {ended:#?}");
    ended
}

#[test]
fn a_command_line_that_makes_no_sense_is_told_with_its_fix() {
    let cases: [(&[&str], &str, &str); 23] = [
        (&[ANY, "-r", "0/s"], "'0/s' for '--rate <RATE>'", "must be above zero"),
        (&[ANY, "-r", "-5/s"], "'-5/s' for '--rate <RATE>'", "must be above zero"),
        (&[ANY, "-r", "500"], "'500' for '--rate <RATE>'", "has no unit: write `500/s`"),
        (&[ANY, "-r", "fast"], "'fast' for '--rate <RATE>'", ""),
        (&[ANY, "-d", "30"], "'30' for '--duration <TIME>'", "has no unit: write `30s`"),
        (&[ANY, "-d", "-3s"], "'-3s' for '--duration <TIME>'", "must not be negative"),
        (&[ANY, "--paced", "0/s:8"], "'0/s:8' for '--paced <RATE:N>'", "must be above zero"),
        (&[ANY, "--paced", "546:8"], "'546:8' for '--paced <RATE:N>'", "has no unit: write `546/s`"),
        (&[ANY, "--closed", "0"], "'0' for '--closed <N>'", "not in 1.."),
        (&[ANY, "--closed", "2", "-r", "5/s"], "--closed <N>", "cannot be used with"),
        (&[ANY, "--expect", "99"], "'99' for '--expect <STATUS>'", "not in 100..600"),
        (&[ANY, "-H", "nothing"], "'nothing' for '--header <NAME: VALUE>'", "write NAME: VALUE"),
        (&[ANY, "-H", "two words: x"], "two words", ""),
        (&[ANY, "-X", "GET IT"], "GET IT", ""),
        (&[ANY, "--data", "@/no/such/file"], "/no/such/file", "No such file"),
        (&[ANY, "--frobnicate"], "--frobnicate", "unexpected argument"),
        (&["-r", "50/s"], "no URL is given", ""),
        (&["frobnicate"], "`frobnicate` is neither a command nor a URL", ""),
        (&["ws://127.0.0.1/"], "`ws://127.0.0.1/`", "use http:// or https://"),
        (&["ftp://127.0.0.1/"], "`ftp://127.0.0.1/`", "use http:// or https://"),
        (&["http://"], "`http://`", "host is missing"),
        (&["http://127.0.0.1:99999/"], "`http://127.0.0.1:99999/`", "not a number from 1 to 65535"),
        (&["http://a b/"], "`http://a b/`", ""),
    ];
    for (args, what, why) in cases {
        refused(args).fails_with(2, &[what, why]);
    }
}

#[test]
fn other_commands_refuse_what_they_do_not_know() {
    doorclock(["demo", "--frobnicate"]).fails_with(2, &["--frobnicate"]);
    doorclock(["demo", "--seed", "many"]).fails_with(2, &["'many' for '--seed <SEED>'"]);
    doorclock(["report"]).fails_with(2, &["required arguments were not provided"]);
    doorclock(["report", ".", "--format", "pdf"]).fails_with(2, &["'pdf' for '--format <FORMAT>'"]);
    doorclock(["machine", "--over", "2"]).fails_with(2, &["'2' for '--over <TIME>'", "has no unit"]);
    doorclock(["target", "frobnicate"]).fails_with(2, &["frobnicate"]);
    doorclock(["target", "scorer", "--port", "0", "--customers", "1"])
        .fails_with(2, &["1 customers"])
        .and_hints("--customers");
}

#[test]
fn a_port_that_is_taken_is_told_by_the_service_that_wants_it() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("an address").port().to_string();
    doorclock(["target", "scorer", "--port", &port]).fails_with(4, &[&port]).and_hints("--port");
}

#[test]
fn a_service_that_is_not_there_or_speaks_no_http_is_unreachable() {
    // Let go again, the port has nobody listening.
    let free = TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a free port");
    let nobody = format!("http://{free}/");
    refused(&[&nobody])
        .fails_with(4, &[&nobody, "cannot connect", "refused"])
        .and_hints("is the service running");

    let nowhere = "http://no-such-host.invalid/";
    refused(&[nowhere])
        .fails_with(4, &[nowhere, "`no-such-host.invalid` does not resolve"])
        .and_hints("name");

    let mail = Parrot::saying("220 mail.example ESMTP ready\r\n");
    refused(&[&mail.url("/")])
        .fails_with(4, &[&mail.url("/"), "not in HTTP/1.1"])
        .and_hints("an HTTP service");
}

/// Whether a service that closes on a question does so on every request, only
/// the run can tell.
#[test]
fn a_port_that_takes_connections_and_says_nothing_is_void_and_no_empty_success() {
    let (mute, folder) = (Parrot::saying(""), tempfile::tempdir().expect("a folder"));
    let out = folder.path().join("results");
    let url = mute.url("/");
    let ended = doorclock([&url, "-d", "300ms", "--warm-up", "0s", "--out", text(&out)]).with_code(3);
    assert!(ended.stdout.contains("VOID"), "{ended:#?}");
    assert!(ended.stdout.contains("closed the connection"), "{ended:#?}");
}

/// 0.0.0.0 leads to this machine here, so that the port can tell whether
/// anything was sent; it is refused as every address is that is not loopback.
#[test]
fn a_host_that_is_not_named_as_ours_gets_nothing_sent() {
    let service = Parrot::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let url = format!("http://0.0.0.0:{}/", service.port());
    refused(&[&url]).fails_with(2, &[&url, "not this machine"]).and_hints("--own 0.0.0.0");
    refused(&[&url, "--own", "example.org"]).fails_with(2, &["not this machine"]);
    refused(&["http://192.0.2.1/"]).fails_with(2, &["`192.0.2.1`"]).and_hints("--own 192.0.2.1");
    assert_eq!(service.heard(), [""; 0]);

    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("results");
    doorclock([&url, "--own", "0.0.0.0", "-d", "200ms", "--warm-up", "0s", "--out", text(&out)]).with_code(0);
    assert!(service.heard().len() > 1);
}

#[test]
fn a_load_that_descriptors_cannot_carry_is_refused() {
    let few = r#"ulimit -n 128; exec "$0" "$@""#;
    script_in(&["sh"], few, &[ANY, "-r", "5000/s"])
        .fails_with(2, &["5,000/s needs up to 5000 connections", "this machine allows 64"])
        .and_hints("ulimit -Hn");
    for flags in [["--closed", "500"], ["--paced", "50/s:500"], ["--connections", "500"]] {
        script_in(&["sh"], few, &[&[ANY], &flags[..]].concat())
            .fails_with(2, &["500 connections", "this machine allows 64"])
            .and_hints("ulimit -Hn");
    }
}

#[test]
fn a_look_that_would_send_nothing_is_no_empty_success() {
    let scorer = Scorer::start();
    let url = scorer.url("/healthz");
    for flags in [["-r", "1/min", "-d", "1ms"], ["-r", "500/s", "-d", "0s"], ["--closed", "1", "-d", "0s"]] {
        refused(&[&[url.as_str(), "--seed", "1"], &flags[..]].concat())
            .fails_with(2, &["this would send nothing"])
            .and_hints("-d");
    }
}

#[test]
fn results_are_never_written_over_nor_where_nothing_can_be_written() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let file = folder.path().join("file");
    std::fs::write(&file, "mine").expect("written");
    let look = |out: &Path| doorclock([&scorer.url("/healthz"), "-d", "200ms", "--out", text(out)]);
    // Root may write anywhere, but not below a file.
    let below = file.join("results");
    look(&below).fails_with(3, &["cannot create", text(&below)]).and_hints("--out DIR");
    look(&file).fails_with(3, &["cannot create", text(&file)]).and_hints("--out DIR");
    look(folder.path()).fails_with(2, &[text(folder.path()), "not empty"]).and_hints("does not exist yet");
    doorclock(["demo", "--out", text(folder.path())]).with_code(2);
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "mine");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

/// Where results can be kept only in part: how a shell makes it so, in the
/// folder `"$2"`, and for itself alone.
struct Narrow {
    program: &'static [&'static str],
    script: &'static str,
}

/// A disk of 136 KiB, in a name space of its own: it is gone with the shell.
const SMALL_DISK: Narrow =
    Narrow { program: &["unshare", "-m", "sh"], script: r#"mount -t tmpfs -o size=136k small "$2""# };

/// Files of 200 blocks of 512 bytes at most. This needs no rights.
const SMALL_FILES: Narrow = Narrow { program: &["sh"], script: "trap '' XFSZ; ulimit -f 200" };

/// A look at a service whose results do not find room, and how the folder
/// reports after that.
fn look_and_report(narrow: &Narrow, flags: &[&str]) -> (Ended, Ended) {
    const LOOK_AND_REPORT: &str = r#"
        url="$1" room="$2" said="$3"; shift 3
        "$0" "$url" "$@" --warm-up 0s --out "$room/results" >"$said/stdout" 2>"$said/stderr"
        echo $? >"$said/code"
        exec "$0" report "$room/results" --format json"#;
    let scorer = Scorer::start();
    let [room, said] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let script = [narrow.script, LOOK_AND_REPORT].join("\n");
    let url = scorer.url("/healthz");
    let args = [&[url.as_str(), text(room.path()), text(said.path())], flags].concat();
    let report = script_in(narrow.program, &script, &args);
    let read = |name: &str| std::fs::read_to_string(said.path().join(name)).expect(name);
    let code = read("code").trim().parse().ok();
    (Ended { code, stdout: read("stdout"), stderr: read("stderr") }, report)
}

fn can_mount() -> bool {
    let tried = Command::new("unshare").args(["-m", "true"]).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

#[test]
fn a_disk_that_fills_up_ends_the_run_and_what_was_kept_still_reports() {
    for narrow in [SMALL_FILES, SMALL_DISK].iter().take(1 + usize::from(can_mount())) {
        let (look, report) = look_and_report(narrow, &["-r", "1000/s", "-d", "30s"]);
        look.fails_with(3, &["could not be kept", "no room left on the disk", "samples.spool"])
            .and_hints("doorclock report");
        let summary = report.with_code(0).json();
        let run = only_run(&summary);
        assert_eq!(run["interrupted"], true, "{run:#}");
        assert_eq!(run["verdict"], "doubtful", "{run:#}");
        // A hundred KiB of samples find room, 81 bytes each: some 1,260. A batch
        // that finds none is lost whole, and on a busy machine may be of half a second.
        assert!(number(run, "/ok") >= 600, "{run:#}");
        assert_conservation(run);
    }
}

/// Samples of three seconds take 119 KiB in the spool, and no room is left to
/// put them into columns beside it.
#[test]
fn a_disk_that_fills_up_after_the_run_loses_no_sample() {
    for narrow in [SMALL_DISK].iter().filter(|_| can_mount()) {
        let flags = ["-r", "500/s", "--arrivals", "even", "-d", "3s"];
        let (look, report) = look_and_report(narrow, &flags);
        look.fails_with(3, &["could not be kept", "no room left on the disk"]).and_hints("doorclock report");
        let summary = report.with_code(0).json();
        let run = only_run(&summary);
        assert_eq!(run["interrupted"], false, "{run:#}");
        assert!(number(run, "/scheduled").abs_diff(1_500) <= 1, "{run:#}");
        assert_all_ok(run);
    }
}

#[test]
fn a_folder_that_holds_no_results_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    for format in ["text", "json", "html"] {
        let report = |folder: &Path| doorclock(["report", text(folder), "--format", format]);
        report(&missing).fails_with(2, &["there is no folder", text(&missing)]).and_hints("doorclock URL");
        report(folder.path())
            .fails_with(2, &[text(folder.path()), "is not a results folder"])
            .and_hints("doorclock URL");
    }
}

/// Changes one file of a folder.
type Change = fn(&Path);

#[test]
fn damaged_results_are_refused_with_the_files_name() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let whole = folder.path().join("whole");
    doorclock([&scorer.url("/healthz"), "-d", "300ms", "--warm-up", "0s", "--out", text(&whole)])
        .with_code(0);
    let cut: Change = |path| change(path, |bytes| bytes.truncate(bytes.len() / 2));
    let flip: Change = |path| {
        change(path, |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        });
    };
    let delete: Change = |path| std::fs::remove_file(path).expect("deleted");
    let cases = [
        ("runs/R1-open/samples.parquet", flip),
        ("runs/R1-open/samples.parquet", cut),
        ("runs/R1-open/samples.parquet", delete),
        ("runs/R1-open/run.json", flip),
        ("runs/R1-open/run.json", cut),
        ("runs/R1-open/run.json", delete),
        ("manifest.json", cut),
    ];
    for (at, (file, damage)) in cases.into_iter().enumerate() {
        let copy = folder.path().join(at.to_string());
        copy_folder(&whole, &copy);
        damage(&copy.join(file));
        doorclock(["report", text(&copy)]).fails_with(3, &[file]);
        doorclock(["report", text(&copy), "--format", "json"]).fails_with(3, &[text(&copy), file]);
    }
    // Whoever threw the list of checksums away is told by the samples' own.
    let copy = folder.path().join("unsealed");
    copy_folder(&whole, &copy);
    delete(&copy.join("manifest.json"));
    flip(&copy.join("runs/R1-open/samples.parquet"));
    doorclock(["report", text(&copy)]).fails_with(3, &["samples.parquet"]);
}

/// A summary or page that was changed is only remarked upon: it is computed anew.
#[test]
fn what_is_computed_from_the_samples_may_be_gone() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let out = folder.path().join("results");
    let look = [&scorer.url("/healthz"), "-d", "300ms", "--warm-up", "0s", "--json", "--out", text(&out)];
    let printed = doorclock(look).with_code(0).json();
    std::fs::remove_file(out.join("report.html")).expect("deleted");
    change(&out.join("summary.json"), |bytes| bytes.truncate(10));
    let again = doorclock(["report", text(&out), "--format", "json"]).with_code(0);
    assert_eq!(again.json(), printed);
    for remark in ["report.html is missing", "summary.json was changed"] {
        assert!(again.stderr.contains(remark), "{again:#?}");
    }
}

fn change(path: &Path, how: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).expect("a file");
    how(&mut bytes);
    std::fs::write(path, bytes).expect("written");
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).expect("made");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            std::fs::copy(&from, &to).expect("copied");
        }
    }
}
