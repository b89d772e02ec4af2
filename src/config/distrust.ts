/** What `distrust` needs to know from the file system about a configuration that was found. */
export interface FoundConfig {
  /** The owner of the link, if the path is a link. */
  readonly linkUid: number | undefined
  /** The owner of the file itself, behind all links. */
  readonly uid: number
  readonly mode: number
  /** Whether its group has only this user as a member. */
  readonly isGroupPrivate: boolean
  /** Every folder above the link and above the file, up to the root. */
  readonly folders: readonly { readonly path: string; readonly mode: number }[]
}

const ROOT = 0
const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

/**
 * Why a configuration that was found, and not named by the user, may not be used; undefined if it may. The
 * configuration decides which programs run (`tokenCommand`) and which address gets the token, so only this user and
 * root may have written it.
 *
 * Git checks only the owner (CVE-2022-24765). We also refuse a file that others can write, with one exception: with a
 * umask of 002, the default on systems where each user has a group of their own, every file is writable by a group
 * without other members. A folder is refused only if everybody can write to it and it has no sticky bit: in any other
 * folder, a user who replaces the file becomes the owner of the new file, which is then refused because of its owner.
 */
export function distrust(file: FoundConfig, user: number): string | undefined {
  const isTrusted = (uid: number) => uid === user || uid === ROOT
  const { linkUid, uid, mode, folders } = file
  if (linkUid !== undefined && !isTrusted(linkUid)) return `the link belongs to another user (uid ${linkUid})`
  if (!isTrusted(uid)) return `it belongs to another user (uid ${uid})`
  if (mode & OTHERS_WRITE) return `everybody can write to it (mode ${octal(mode)})`
  if (mode & GROUP_WRITES && !file.isGroupPrivate)
    return `other users of its group can write to it (mode ${octal(mode)})`
  const open = folders.find((folder) => folder.mode & OTHERS_WRITE && !(folder.mode & STICKY))
  return open && `everybody can replace it: the folder ${open.path} has mode ${octal(open.mode)}`
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}

/**
 * Whether a group has only one user, from the contents of /etc/passwd and /etc/group. If these do not contain the group
 * or a user, there may be other members elsewhere (LDAP), so the group is not private.
 */
export function isPrivateGroup(
  gid: number,
  uid: number,
  { passwd, group }: { passwd: string; group: string },
): boolean {
  const users = rowsOf(passwd).map(([name, , id, groupId]) => ({ name, uid: Number(id), gid: Number(groupId) }))
  const me = users.find((user) => user.uid === uid)
  const row = rowsOf(group).find(([, , id]) => Number(id) === gid)
  if (!me || !row) return false
  const members = (row[3] ?? '').split(',').filter(Boolean)
  const primaries = users.filter((user) => user.gid === gid).map(({ name }) => name)
  const everybody = [...members, ...primaries]
  return everybody.length > 0 && everybody.every((name) => name === me.name)
}

function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(':').map((field) => field.trim()))
}
