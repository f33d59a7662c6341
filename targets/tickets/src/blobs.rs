//! Where attachments are kept: a blob is named by the digest of its bytes, so
//! that the same bytes are kept once and a name says what it holds.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use axum::body::Bytes;
use sha2::{Digest, Sha256};

/// A store of blobs.
#[async_trait]
pub(crate) trait Blobs: Send + Sync {
    /// Keeps these bytes and gives their name. Once it has returned, they
    /// outlast the process and the machine's power.
    async fn put(&self, bytes: Bytes) -> io::Result<String>;
    /// The bytes of that name, if they are there.
    async fn get(&self, name: &str) -> io::Result<Option<Bytes>>;
    /// Removes every blob.
    async fn clear(&self) -> io::Result<()>;
}

/// Hexadecimal SHA-256.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all that is written");
        text
    })
}

/// Blobs as files in a folder.
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    /// Blobs in this folder, which is made when the first one comes.
    pub(crate) fn new(folder: PathBuf) -> Files {
        Files { folder }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        // Names come from the database; one that is no digest of ours must not
        // lead out of the folder all the same.
        let is_ours = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_ours.then(|| self.folder.join(&name[..2]).join(name))
    }
}

async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// Written beside its place and moved there when it is whole: a blob that can
/// be seen is never half of one.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Two that write the same blob at once write the same bytes, each beside.
    let thread = format!("{:?}", std::thread::current().id());
    let number: String = thread.chars().filter(char::is_ascii_digit).collect();
    let beside = path.with_extension(format!("{}-{number}", std::process::id()));
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    File::open(folder)?.sync_all()
}

fn unless_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

#[async_trait]
impl Blobs for Files {
    async fn put(&self, bytes: Bytes) -> io::Result<String> {
        let name = digest(&bytes);
        let path = self.path(&name).expect("a digest is a name of ours");
        on_a_thread(move || write(&path, &bytes)).await?;
        Ok(name)
    }

    async fn get(&self, name: &str) -> io::Result<Option<Bytes>> {
        let Some(path) = self.path(name) else { return Ok(None) };
        on_a_thread(move || Ok(unless_missing(fs::read(path))?.map(Bytes::from))).await
    }

    async fn clear(&self) -> io::Result<()> {
        let folder = self.folder.clone();
        on_a_thread(move || unless_missing(fs::remove_dir_all(folder)).map(drop)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_published_one_of_abc() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[tokio::test]
    async fn what_was_put_comes_back_until_the_store_is_cleared() {
        let folder = tempfile::tempdir().expect("a folder");
        let blobs = Files::new(folder.path().join("blobs"));
        let bytes = Bytes::from_static(b"\0\xff\r\n");
        let name = blobs.put(bytes.clone()).await.expect("kept");
        assert_eq!(blobs.put(bytes.clone()).await.expect("kept again"), name);
        assert_eq!(blobs.get(&name).await.expect("read"), Some(bytes));
        blobs.clear().await.expect("cleared");
        assert_eq!(blobs.get(&name).await.expect("read"), None);
        blobs.clear().await.expect("cleared again");
    }

    #[tokio::test]
    async fn no_name_leads_out_of_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("secret"), "x").expect("a file");
        let blobs = Files::new(folder.path().join("blobs"));
        blobs.put(Bytes::from_static(b"a")).await.expect("kept");
        for name in ["../secret", "", "..", "/etc/hostname"] {
            assert_eq!(blobs.get(name).await.expect("looked"), None, "{name}");
        }
    }
}
