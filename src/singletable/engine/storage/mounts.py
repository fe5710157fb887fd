"""Whether a directory is on a disk of this machine: SQLite's log needs memory that all share."""

from __future__ import annotations

import re
from pathlib import Path

from singletable.errors import StorageError

MOUNTS = Path("/proc/self/mountinfo")
# Kinds of file systems whose files other machines can change, as Linux names them.
_REMOTE = re.compile(
    r"9p|afs|beegfs|ceph|cifs|coda|davfs|drvfs|gfs2|gpfs|lustre|ncpfs|nfs4?|ocfs2|orangefs|prl_fs|"
    r"pvfs2|smb[23]|smbfs|vboxsf|vmhgfs|fuse\.(sshfs|s3fs|s3ql|gcsfuse|goofys|rclone|davfs2?|"
    r"glusterfs|ceph(-fuse)?|juicefs|moosefs|mfs|lizardfs|seaweedfs|mount-s3|blobfuse2?|smbnetfs|"
    r"curlftpfs|vmhgfs-fuse|beegfs)"
)
_ESCAPED = re.compile(r"\\([0-7]{3})")


def check_local(path: Path, folder: Path) -> None:
    """Raise StorageError if the folder is on a network drive."""
    kind = kind_of(folder, mount_table())
    if _REMOTE.fullmatch(kind):
        raise StorageError(
            f"'{path}' is on a network drive ({kind}), where machines do not see each other's "
            "locks and SQLite would lose writes. Keep the file on a disk of this machine; let "
            "others reach it through `singletable dynamodb`."
        )


def mount_table() -> str:
    """What is mounted where; nothing where the system does not tell."""
    try:
        return MOUNTS.read_text(errors="surrogateescape")
    except OSError:
        return ""


def kind_of(folder: Path, mounts: str) -> str:
    """The kind of the file system that a resolved folder is on; empty if unknown."""
    kind, deepest = "", -1
    for line in mounts.splitlines():
        place, dash, about = line.partition(" - ")
        fields = place.split(" ")
        if not dash or len(fields) < 5:
            continue
        mounted = Path(_ESCAPED.sub(lambda code: chr(int(code[1], 8)), fields[4]))
        # Of two mounts on one directory, the later hides the earlier.
        if folder.is_relative_to(mounted) and len(mounted.parts) >= deepest:
            kind, deepest = about.split(" ")[0], len(mounted.parts)
    return kind
