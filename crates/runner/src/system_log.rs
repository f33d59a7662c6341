//! How many lines the system's log gains while somebody looks. What they say is
//! read past and kept nowhere.

use rustix::io::ioctl_fionbio;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek as _, SeekFrom};

/// Where the log may lie as a file, most telling first.
const FILES: [&str; 3] = ["/var/log/kern.log", "/var/log/syslog", "/var/log/messages"];

/// The kernel's own log, for systems that keep no file. Each read gives one record.
const KERNEL: &str = "/dev/kmsg";

/// A file that grew by more than this is counted up to here.
const MOST_BYTES: u64 = 1 << 20;

/// The longest record that the kernel gives at once (`CONSOLE_EXT_LOG_MAX`).
const RECORD: usize = 8_192;

/// A log, from where its end was.
pub(crate) enum SystemLog {
    /// A file, and its length then.
    File(File, u64),
    /// The kernel's records.
    Kernel(File),
}

impl SystemLog {
    /// `None` if none can be read.
    pub(crate) fn from_now_on() -> Option<SystemLog> {
        FILES.into_iter().find_map(SystemLog::file).or_else(|| SystemLog::kernel().ok())
    }

    fn file(path: &str) -> Option<SystemLog> {
        let mut file = File::open(path).ok()?;
        let end = file.seek(SeekFrom::End(0)).ok()?;
        Some(SystemLog::File(file, end))
    }

    fn kernel() -> std::io::Result<SystemLog> {
        let mut records = File::open(KERNEL)?;
        // Otherwise reading past the last record would wait for the next one.
        ioctl_fionbio(&records, true)?;
        records.seek(SeekFrom::End(0))?;
        Ok(SystemLog::Kernel(records))
    }

    /// Lines gained; `None` if nobody can say.
    pub(crate) fn lines(self) -> Option<u64> {
        match self {
            SystemLog::File(file, from) => lines_since(file, from),
            SystemLog::Kernel(records) => records_left(records),
        }
    }
}

/// Lines of a file beyond `from`; `None` if it was cut meanwhile.
fn lines_since(file: File, from: u64) -> Option<u64> {
    if file.metadata().ok()?.len() < from {
        return None;
    }
    let mut gained = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut gained).ok()?;
    Some(gained.iter().filter(|byte| **byte == b'\n').count() as u64)
}

fn records_left(mut records: impl Read) -> Option<u64> {
    let mut buffer = [0; RECORD];
    let mut count = 0;
    loop {
        match records.read(&mut buffer) {
            Ok(0) => return Some(count),
            Ok(_) => count += 1,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Some(count),
            // Records were written over before they could be read; those left follow.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io;

    #[test]
    fn lines_of_a_file_are_counted_from_where_it_ended() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let path = file.path().to_str().expect("a path");
        let gained = |then: &str| {
            fs::write(path, "old\n").expect("written");
            let log = SystemLog::file(path).expect("a log");
            fs::write(path, then).expect("written");
            log.lines()
        };
        assert_eq!(gained("old\n"), Some(0));
        assert_eq!(gained("old\nnew\nnewer\n"), Some(2));
        assert_eq!(gained("\n"), None, "it was cut");
    }

    #[test]
    fn records_of_the_kernel_are_counted_to_the_last_also_if_some_were_written_over() {
        struct Records(Vec<io::Result<usize>>);
        impl Read for Records {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                self.0.pop().unwrap_or_else(|| Err(ErrorKind::WouldBlock.into()))
            }
        }
        let records = |last_first| records_left(Records(last_first));
        assert_eq!(records(vec![]), Some(0));
        assert_eq!(records(vec![Ok(7), Ok(90), Err(ErrorKind::BrokenPipe.into()), Ok(5)]), Some(3));
        assert_eq!(records(vec![Err(ErrorKind::PermissionDenied.into()), Ok(5)]), None);
    }
}
