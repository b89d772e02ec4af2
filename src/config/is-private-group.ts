/**
 * Whether a group has only one user, from the texts of /etc/passwd and /etc/group. If these do not contain the group or
 * a user, there may be other members elsewhere (LDAP), so the group is not private.
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
