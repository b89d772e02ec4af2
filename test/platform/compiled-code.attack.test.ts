import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOwnFolder } from '../../src/platform/compiled-code-folder.ts'
import { audience, root } from '../support/audience.ts'
import { namesBelow } from '../support/names-below.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * The attacker is another user of the host who may write to the folder for temporary files. Node runs compiled code
 * from there without a check, so a file there would run as every user, even as root.
 */

const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/** A folder for temporary files like /tmp, and a home for the user who starts the command. */
function host() {
  const top = tempFolder()
  chmodSync(top, 0o755)
  const [temporary, home] = [join(top, 'tmp'), join(top, 'home')]
  mkdirSync(temporary)
  chmodSync(temporary, 0o1777)
  mkdirSync(home, { mode: 0o700 })
  const env = { TMPDIR: temporary, HOME: home, NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: '' }
  return { top, temporary, home, env, own: join(home, '.cache', 'audience-pipelines') }
}

/**
 * The attacker's folder, at the place where Node looks by default. It is open to everybody. If the test runs as root,
 * the attacker owns it.
 */
function prepared(temporary: string): string {
  const folder = join(temporary, 'node-compile-cache')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  return folder
}

const filesBelow = (folder: string) => (existsSync(folder) ? namesBelow(folder) : [])

test('compiled code comes from a folder of the user, and not from the shared one for temporary files', async () => {
  const { temporary, env, own } = host()
  const trap = prepared(temporary)
  expect(await audience(['--help'], { env })).toMatchObject({ code: 0 })
  expect(filesBelow(trap)).toEqual([])
  expect(filesBelow(own)).not.toEqual([])
  expect(statSync(own).mode & 0o777).toBe(0o700)
  // The trap works: the command once did this.
  const asBefore = "require('node:module').enableCompileCache(); require('yaml')"
  spawnSync(process.execPath, ['-e', asBefore], { cwd: root, env: { ...process.env, ...env } })
  expect(filesBelow(trap)).not.toEqual([])
})

test('a user without a home, and one whose home cannot be written, start without compiled code', async () => {
  const { top, temporary, env } = host()
  const trap = prepared(temporary)
  for (const HOME of [join(top, 'missing'), '/proc'])
    expect(await audience(['--help'], { env: { ...env, HOME } })).toMatchObject({ code: 0 })
  expect([filesBelow(trap), existsSync(join(top, 'missing'))]).toEqual([[], false])
})

test.each<[string, (own: string) => void]>([
  ['that others may enter', (own) => chmodSync(own, 0o755)],
  ['that others may write', (own) => chmodSync(own, 0o777)],
  ['in a folder that others may write', (own) => chmodSync(dirname(own), 0o777)],
])('a folder %s is left alone', async (_name, open) => {
  const { env, own } = host()
  mkdirSync(own, { recursive: true, mode: 0o700 })
  open(own)
  expect(await audience(['--help'], { env })).toMatchObject({ code: 0 })
  expect(readdirSync(own)).toEqual([])
})

test.runIf(isRoot)('nor does a folder that another user made first, or a link to it, give any', async () => {
  const { top, temporary, env } = host()
  const theirs = join(temporary, 'audience-pipelines')
  mkdirSync(theirs, { mode: 0o700 })
  chownSync(theirs, NOBODY, NOBODY)
  const caches = join(top, 'caches')
  mkdirSync(caches)
  symlinkSync(theirs, join(caches, 'audience-pipelines'))
  for (const XDG_CACHE_HOME of [temporary, caches])
    expect(await audience(['--help'], { env: { ...env, XDG_CACHE_HOME } })).toMatchObject({ code: 0 })
  expect(readdirSync(theirs)).toEqual([])
})

describe('a folder and those above it', () => {
  const ME = 1000
  const own = { uid: ME, mode: 0o40700 }
  const root = { uid: 0, mode: 0o40755 }
  test.each<[string, Parameters<typeof isOwnFolder>[0], boolean]>([
    ['mine alone', [own, root], true],
    ['below the shared folder', [own, { uid: 0, mode: 0o41777 }, root], true],
    ['below my folder of a group', [own, { uid: ME, mode: 0o40775 }, root], false],
    ['below a folder of another user', [own, { uid: 1001, mode: 0o40755 }, root], false],
    ['below a sticky folder of another user', [own, { uid: 1001, mode: 0o41777 }, root], false],
    ['of another user', [{ uid: 1001, mode: 0o40700 }, root], false],
    ['of root', [{ uid: 0, mode: 0o40700 }, root], false],
    ['that others can enter', [{ uid: ME, mode: 0o40711 }, root], false],
    ['that a group can write', [{ uid: ME, mode: 0o40770 }, root], false],
  ])('%s', (_name, way, expected) => expect(isOwnFolder(way, ME)).toBe(expected))
})
