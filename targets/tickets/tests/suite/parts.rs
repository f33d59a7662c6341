//! A database, a cache and a folder of one test's own, with a way to lose them.

use std::path::PathBuf;

use rusqlite::Connection;
use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::proxy::{Line, Proxy};

/// The parts that one test runs on.
pub struct Parts {
    folder: TempDir,
    real: Option<Real>,
}

struct Real {
    /// Past the proxies: for looking into the database ourselves.
    url: String,
    service_url: String,
    cache_url: String,
    database: Proxy,
    cache: Proxy,
}

impl Parts {
    pub fn embedded() -> Parts {
        Parts { folder: tempfile::tempdir().expect("a folder"), real: None }
    }

    /// On the servers that the environment names, each behind a proxy.
    pub fn real(name: &str) -> Parts {
        let env = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} names no server"));
        let (url, cache) = (env("DOORCLOCK_TEST_POSTGRES"), env("DOORCLOCK_TEST_REDIS"));
        let own = format!("suite_{name:.40}_{}", std::process::id());
        on_postgres(&url, async |client| {
            let fresh = format!("DROP SCHEMA IF EXISTS {own} CASCADE; CREATE SCHEMA {own}");
            client.batch_execute(&fresh).await.expect("a schema");
        });
        let (before, address, after) = split(&url);
        let database = Proxy::to(address);
        let cache_proxy = Proxy::to(cache.trim_start_matches("redis://"));
        let mark = if after.contains('?') { '&' } else { '?' };
        let options = format!("{mark}options=-csearch_path%3D{own}");
        let real = Real {
            url: format!("{url}{options}"),
            service_url: format!("{before}{}{after}{options}", database.address),
            cache_url: format!("redis://{}?prefix={own}:", cache_proxy.address),
            database,
            cache: cache_proxy,
        };
        Parts { folder: tempfile::tempdir().expect("a folder"), real: Some(real) }
    }

    /// The flags that name them.
    pub fn flags(&self) -> Vec<String> {
        let data = self.folder.path().join("data");
        let mut flags = vec!["--data".to_owned(), data.to_str().expect("a path in UTF-8").to_owned()];
        match &self.real {
            None => flags.push("--embedded".to_owned()),
            Some(Real { service_url, cache_url, .. }) => {
                flags.extend(["--database", service_url, "--cache", cache_url].map(str::to_owned));
            }
        }
        flags
    }

    pub fn is_embedded(&self) -> bool {
        self.real.is_none()
    }

    /// The one number that this query gives, asked past the service.
    pub fn number(&self, sql: &str) -> i64 {
        match &self.real {
            None => self.sqlite().query_row(sql, [], |row| row.get(0)).expect("a number"),
            Some(real) => on_postgres(&real.url, async |client| {
                client.query_one(sql, &[]).await.expect("an answer").get(0)
            }),
        }
    }

    /// Makes the database fail until what this gives is dropped: its file is
    /// locked, or the line to its server cut or held.
    pub fn lose_database(&self, line: Line) -> Loss<'_> {
        match &self.real {
            None => {
                let connection = self.sqlite();
                connection.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
                Loss { _file: Some(connection), line: None }
            }
            Some(real) => {
                real.database.set(line);
                Loss { _file: None, line: Some(&real.database) }
            }
        }
    }

    /// Makes the cache fail likewise; a cache inside the process cannot.
    pub fn lose_cache(&self) -> Option<Loss<'_>> {
        let cache = &self.real.as_ref()?.cache;
        cache.set(Line::Cut);
        Some(Loss { _file: None, line: Some(cache) })
    }

    /// How many blobs there are.
    pub fn blobs(&self) -> usize {
        let folders = std::fs::read_dir(self.folder.path().join("data/blobs")).into_iter().flatten();
        let files = folders.flatten().flat_map(|folder| {
            let files: Vec<PathBuf> = std::fs::read_dir(folder.path())
                .into_iter()
                .flatten()
                .flatten()
                .map(|file| file.path())
                .collect();
            files
        });
        files.count()
    }

    fn sqlite(&self) -> Connection {
        let path = self.folder.path().join("data/tickets.sqlite");
        let connection = Connection::open(path).expect("the database's file");
        connection.busy_timeout(std::time::Duration::from_secs(10)).expect("patience");
        connection
    }
}

/// For as long as it lives, something is lost.
pub struct Loss<'a> {
    // Closing it rolls back, and with that unlocks the file.
    _file: Option<Connection>,
    line: Option<&'a Proxy>,
}

impl Drop for Loss<'_> {
    fn drop(&mut self) {
        if let Some(proxy) = self.line {
            proxy.set(Line::Open);
        }
    }
}

/// What stands before, in and after the `HOST:PORT` of a URL.
fn split(url: &str) -> (&str, &str, &str) {
    let start = url.rfind('@').map_or_else(|| url.find("://").expect("a scheme") + 3, |at| at + 1);
    let end = url[start..].find(['/', '?']).map_or(url.len(), |at| start + at);
    (&url[..start], &url[start..end], &url[end..])
}

fn on_postgres<T>(url: &str, work: impl AsyncFnOnce(tokio_postgres::Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("the server answers");
        tokio::spawn(connection);
        work(client).await
    })
}
