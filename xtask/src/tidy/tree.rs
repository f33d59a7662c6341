//! The project's own text files.

use crate::failure::Failure;
use std::path::Path;

/// A Rust or Markdown file.
#[derive(Debug)]
pub struct TextFile {
    /// From the project's top folder, with `/` between its parts.
    pub path: String,
    /// Its whole text.
    pub text: String,
}

/// What people run or build, rather than write.
const NOT_OURS: [&str; 2] = ["target", "results"];

/// Every `.rs` and `.md` file under `root`, and the paths alone (empty text)
/// of all others, so that links to them can be checked.
pub fn read(root: &Path) -> Result<Vec<TextFile>, Failure> {
    let mut files = Vec::new();
    walk(root, root, &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<TextFile>) -> Result<(), Failure> {
    for entry in std::fs::read_dir(folder).map_err(Failure::file("list", folder))? {
        let path = entry.map_err(Failure::file("list", folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let skipped = name == ".git" || folder == root && NOT_OURS.contains(&&*name);
        if path.is_dir() && !skipped {
            walk(root, &path, files)?;
        } else if path.is_file() {
            files.push(text_file(root, &path)?);
        }
    }
    Ok(())
}

fn text_file(root: &Path, path: &Path) -> Result<TextFile, Failure> {
    let from_top = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let is_text = path.extension().is_some_and(|end| end == "rs" || end == "md");
    let text = if is_text {
        std::fs::read_to_string(path).map_err(Failure::file("read", path))?
    } else {
        String::new()
    };
    Ok(TextFile { path: from_top, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    #[test]
    fn text_is_read_and_what_is_built_is_left_out() {
        let folder = Folder::new("test-tree").expect("a folder");
        let write = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, "words").expect("written");
        };
        for path in ["README.md", "a/target/lib.rs", "logo.svg", "target/x.rs", ".git/y.md"] {
            write(path);
        }
        let files = read(folder.path()).expect("read");
        let seen: Vec<(&str, &str)> = files.iter().map(|f| (f.path.as_str(), f.text.as_str())).collect();
        assert_eq!(seen, [("README.md", "words"), ("a/target/lib.rs", "words"), ("logo.svg", "")]);
    }
}
