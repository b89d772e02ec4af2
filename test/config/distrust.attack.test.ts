import { describe, expect, test } from 'vitest'
import { distrust, type FoundConfig, isPrivateGroup } from '../../src/config/distrust.ts'

const ME = 1000
const MINE: FoundConfig = {
  linkUid: undefined,
  uid: ME,
  mode: 0o100644,
  isGroupPrivate: false,
  folders: [
    { path: '/tmp/project', mode: 0o40755 },
    { path: '/tmp', mode: 0o41777 },
    { path: '/', mode: 0o40755 },
  ],
}

describe('a configuration that was found', () => {
  test.each<[string, Partial<FoundConfig>, RegExp | undefined]>([
    ['of mine', {}, undefined],
    ['of root', { uid: 0 }, undefined],
    ['of another user', { uid: 1001 }, /another user \(uid 1001\)/],
    ['that everybody can write', { mode: 0o100646 }, /everybody can write to it \(mode 0646\)/],
    ['that a group of several can write', { mode: 0o100664 }, /its group can write to it \(mode 0664\)/],
    ['that a group of mine alone can write', { mode: 0o100664, isGroupPrivate: true }, undefined],
    ['through a link of mine', { linkUid: ME }, undefined],
    ['through a link of another user', { linkUid: 1001 }, /the link belongs to another user/],
    [
      'in a folder of everybody',
      { folders: [{ path: '/srv/all', mode: 0o40777 }] },
      /the folder \/srv\/all has mode 0777/,
    ],
    ['in a folder that a group can write', { folders: [{ path: '/srv/team', mode: 0o42775 }] }, undefined],
  ])('%s', (_name, facts, expected) => {
    const reason = distrust({ ...MINE, ...facts }, ME)
    if (expected) expect(reason).toMatch(expected)
    else expect(reason).toBeUndefined()
  })

  test('of a user is not for root', () => {
    expect(distrust(MINE, 0)).toMatch(/another user/)
  })
})

describe('a group', () => {
  const passwd = '# users\nroot:x:0:0::/root:/bin/sh\nme:x:1000:1000::/home/me:/bin/sh\nyou:x:1001:100::/:/bin/sh\n'
  const group = 'root:x:0:\nusers:x:100:\nme:x:1000:\nteam:x:50:me,you\nmy-own:x:51:me\nempty:x:52:\n'
  test.each([
    ['of the user by name and number', 1000, true],
    ['with the user as its one member', 51, true],
    ['with another member', 50, false],
    ['that is the first one of another user', 100, false],
    ['without members', 52, false],
    ['that is not known here', 4711, false],
  ])('%s', (_name, gid, expected) => {
    expect(isPrivateGroup(gid, 1000, { passwd, group })).toBe(expected)
  })

  test('of a user that is not known here is not private', () => {
    expect(isPrivateGroup(1000, 4711, { passwd, group })).toBe(false)
  })
})
