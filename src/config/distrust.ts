/** What the file system says about a configuration that was found, for `distrust`. */
export interface FoundFile {
  /** Whose the link is, where one was found in its place. */
  readonly linkUid: number | undefined
  /** The file itself, behind all links. */
  readonly uid: number
  readonly mode: number
  /** Its group has no member but this user. */
  readonly isGroupPrivate: boolean
  /** Every folder above the link and above the file, up to the root. */
  readonly folders: readonly { readonly path: string; readonly mode: number }[]
}

const ROOT = 0
const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

/**
 * Why a configuration that was found, and that nobody named, is not to be used; undefined where it can be. It decides
 * which programs run (`tokenCommand`) and which address gets the token, so only this user and root may have written it.
 *
 * Git looks at the owner alone (CVE-2022-24765). We refuse what others can write as well, with one exception: a umask of
 * 002, the default where every user has a group of their own, makes every file writable for a group without other members.
 * Of the folders only one that everybody can write without the sticky bit is refused: whoever replaces the file through
 * another kind of folder owns the new one, which is refused for that.
 */
export function distrust(file: FoundFile, user: number): string | undefined {
  const isTrusted = (uid: number) => uid === user || uid === ROOT
  const { linkUid, uid, mode, folders } = file
  if (linkUid !== undefined && !isTrusted(linkUid)) return `the link belongs to another user (uid ${linkUid})`
  if (!isTrusted(uid)) return `it belongs to another user (uid ${uid})`
  if (mode & OTHERS_WRITE) return `everybody can write it (mode ${octal(mode)})`
  if (mode & GROUP_WRITES && !file.isGroupPrivate) return `other users of its group can write it (mode ${octal(mode)})`
  const open = folders.find((folder) => folder.mode & OTHERS_WRITE && !(folder.mode & STICKY))
  return open && `everybody can replace it: the folder ${open.path} has mode ${octal(open.mode)}`
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}
