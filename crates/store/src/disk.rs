//! Where files are made: the one seam through which everything is written, so
//! that a test can have a full disk after so many bytes. Reading needs no seam.

use crate::StoreError;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What a file's name ends with until it is whole.
pub(crate) const PART: &str = ".part";

/// Bytes read at once where a whole file is summed up.
const CHUNK: usize = 1 << 18;

/// Makes files.
pub trait Disk: Send + Sync {
    /// Makes an empty file at `path`, in place of one that may be there.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>>;
}

/// A file that grows at its end.
pub trait Sink: Write + Send {
    /// Cuts the file back to its first `bytes`; what is written next follows them.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;

    /// Returns once everything written would survive a loss of power.
    fn sync(&mut self) -> io::Result<()>;
}

/// The machine's own file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalDisk;

impl Disk for LocalDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        // In append mode each write goes to the end, also after a cut.
        let file = File::options().append(true).create(true).open(path)?;
        file.set_len(0)?;
        Ok(Box::new(file))
    }
}

impl Sink for File {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// Writes a whole file or nothing: a reader finds the old one or the new one.
pub(crate) fn write_whole(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let part = part_of(path);
    let written = disk.create(&part).and_then(|mut sink| {
        sink.write_all(bytes)?;
        sink.sync()
    });
    match written {
        Ok(()) => put_in_place(&part, path),
        Err(source) => {
            discard(&part);
            Err(StoreError::io("write", path, source))
        }
    }
}

/// Gives a finished file its name, and makes the name last.
pub(crate) fn put_in_place(part: &Path, path: &Path) -> Result<(), StoreError> {
    fs::rename(part, path).map_err(StoreError::on("write", path))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::on("write", folder))
}

/// The name that a file has until it is whole.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PART);
    PathBuf::from(name)
}

/// Removes a file that never became whole. Should even that fail, the
/// error that led here is the one worth telling.
pub(crate) fn discard(part: &Path) {
    let _ = fs::remove_file(part);
}

/// Hands a file's bytes to `each`, chunk by chunk, and returns its length.
pub(crate) fn each_chunk(path: &Path, mut each: impl FnMut(&[u8])) -> Result<u64, StoreError> {
    let mut file = File::open(path).map_err(StoreError::on("read", path))?;
    let mut chunk = vec![0; CHUNK];
    let mut bytes = 0;
    loop {
        match file.read(&mut chunk).map_err(StoreError::on("read", path))? {
            0 => return Ok(bytes),
            read => {
                each(&chunk[..read]);
                bytes += read as u64;
            }
        }
    }
}
