//! Our crates and what each names in its manifest, as cargo tells it.

use crate::failure::Failure;
use serde::Deserialize;
use std::path::Path;

/// One of our crates.
#[derive(Debug, PartialEq, Eq)]
pub struct Member {
    /// The name of its folder: `engine`, `scorer`, `xtask`.
    pub name: String,
    /// What its manifest names.
    pub uses: Vec<Use>,
    /// Where its libraries and programs begin, from the project's top folder.
    pub roots: Vec<String>,
}

/// One line of a manifest's dependencies.
#[derive(Debug, PartialEq, Eq)]
pub struct Use {
    /// The folder of one of ours, or the package of another.
    pub name: String,
    /// Whether it is one of ours.
    pub ours: bool,
    /// What for.
    pub kind: Kind,
}

/// What a dependency is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The code itself.
    Normal,
    /// Its tests.
    Tests,
    /// Its build script.
    Build,
}

/// Reads what `cargo metadata --no-deps` prints.
pub fn read(metadata: &str) -> Result<Vec<Member>, Failure> {
    let metadata: Metadata = serde_json::from_str(metadata)
        .map_err(|error| Failure::Output { command: "cargo metadata".to_owned(), what: error.to_string() })?;
    let root = metadata.workspace_root;
    Ok(metadata.packages.into_iter().map(|package| member(package, &root)).collect())
}

fn member(package: Package, root: &str) -> Member {
    let folder = Path::new(&package.manifest_path).parent().unwrap_or(Path::new(""));
    let is_root = |target: &Target| target.kind.iter().any(|kind| matches!(kind.as_str(), "lib" | "bin"));
    let from_top = |path: String| match path.strip_prefix(root) {
        Some(rest) => rest.trim_start_matches('/').to_owned(),
        None => path,
    };
    Member {
        name: last_part(folder),
        uses: package.dependencies.into_iter().map(one_use).collect(),
        roots: package.targets.into_iter().filter(is_root).map(|target| from_top(target.src_path)).collect(),
    }
}

fn one_use(dependency: Dependency) -> Use {
    let kind = match dependency.kind.as_deref() {
        Some("dev") => Kind::Tests,
        Some("build") => Kind::Build,
        _ => Kind::Normal,
    };
    match dependency.path {
        Some(path) => Use { name: last_part(Path::new(&path)), ours: true, kind },
        None => Use { name: dependency.name, ours: false, kind },
    }
}

fn last_part(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: String,
}

#[derive(Deserialize)]
struct Package {
    manifest_path: String,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
    path: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    src_path: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_go_by_their_folders_and_others_by_their_packages() {
        let metadata = r#"{ "workspace_root": "/p", "packages": [ {
            "manifest_path": "/p/targets/scorer/Cargo.toml",
            "dependencies": [
                { "name": "doorclock-model", "kind": "dev", "path": "/p/crates/model" },
                { "name": "axum", "kind": null },
                { "name": "cc", "kind": "build" } ],
            "targets": [
                { "kind": ["lib"], "src_path": "/p/targets/scorer/src/lib.rs" },
                { "kind": ["test"], "src_path": "/p/targets/scorer/tests/stalls.rs" } ] } ] }"#;
        let uses = [("model", true, Kind::Tests), ("axum", false, Kind::Normal), ("cc", false, Kind::Build)];
        let scorer = Member {
            name: "scorer".to_owned(),
            uses: uses.map(|(name, ours, kind)| Use { name: name.to_owned(), ours, kind }).into(),
            roots: vec!["targets/scorer/src/lib.rs".to_owned()],
        };
        assert_eq!(read(metadata).expect("good metadata"), [scorer]);
    }

    #[test]
    fn nonsense_from_cargo_is_an_error() {
        assert!(read("no json").is_err());
    }
}
