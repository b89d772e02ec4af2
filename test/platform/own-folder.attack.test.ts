import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openLocalService } from '../../src/service/local/open-local-service.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../support/around.ts'
import { commandLine } from '../support/command-line.ts'
import { namesBelow } from '../support/names-below.ts'
import { mountSmallDisk } from '../support/soak/small-disk.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * The attacker is another user of the host who may write to the folder that contains the state (for example /tmp) and
 * was there first. The command would read and follow the attacker's files in the state: the token and address of a
 * service, links to any file.
 */

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const HELLO = 'version: 1\nname: hello\nsteps:\n  - { id: end, uses: run.fail, with: { message: end } }\n'

/** A folder that everybody can write and enter, like /tmp, with our project in it. */
function host() {
  const top = tempFolder()
  chmodSync(top, 0o755)
  const shared = join(top, 'tmp')
  mkdirSync(shared)
  chmodSync(shared, 0o1777)
  const project = join(top, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'hello.yaml'), HELLO)
  return { top, shared, project, state: join(shared, 'state') }
}

/** A trap in a state folder: a command that looks there for the daemon or the service reaches the attacker. */
function fill(folder: string, mode = 0o777): void {
  mkdirSync(join(folder, 'service'), { recursive: true })
  const trap = JSON.stringify({
    url: 'http://127.0.0.1:9',
    control: { url: 'http://127.0.0.1:9', token: 'the token of the attacker' },
  })
  writeFileSync(join(folder, 'service', 'endpoint.json'), trap)
  chmodSync(folder, mode)
}

/** Every way in which a command opens the state. */
const COMMANDS: readonly (readonly string[])[] = [
  ['run', 'hello.yaml'],
  ['plan', 'hello.yaml'],
  ['start'],
  ['status'],
  ['runs', 'list'],
  ['state', 'check'],
  ['state', 'compact'],
  ['backup', 'copy.db'],
  ['service', 'start'],
  ['service', 'reset'],
]

async function expectRefused(project: string, state: string, why: RegExp, commands = COMMANDS): Promise<void> {
  const before = namesBelow(state)
  for (const command of commands) {
    const args = command.map((word) => (/\./.test(word) ? join(project, word) : word))
    const ended = await commandLine(args, { cwd: project, env: { AUDIENCE_STATE: state } })
    expect([command, ended.code, ended.err]).toEqual([command, 3, expect.stringMatching(why)])
    expect(ended.err).toContain('AUDIENCE_STATE')
    expect([command, namesBelow(state)]).toEqual([command, before])
  }
}

describe.runIf(isRoot)('a state folder that another user made first', () => {
  const give = (path: string) => lchownSync(path, NOBODY, NOBODY)

  test('is refused by every command before anything is read or written', async () => {
    const { project, state } = host()
    fill(state)
    give(state)
    await expectRefused(project, state, /belongs to another user \(uid 65534\)\n.*run this as that user/)
  })

  test('is refused closed and empty, too, and as .audience of a project', async () => {
    const { project } = host()
    const state = join(project, '.audience')
    mkdirSync(state, { mode: 0o700 })
    give(state)
    const ended = await commandLine(['run', join(project, 'hello.yaml')], { cwd: project })
    expect(ended).toMatchObject({ code: 3, err: expect.stringMatching(/belongs to another user/) })
    expect(readdirSync(state)).toEqual([])
  })

  test.each(['state', 'way/state'])('is refused behind a link of theirs: %s', async (name) => {
    const { top, project, shared } = host()
    const ours = join(top, 'ours')
    mkdirSync(join(ours, 'state'), { recursive: true, mode: 0o700 })
    const link = join(shared, name.split('/')[0] as string)
    symlinkSync(name === 'state' ? join('..', 'ours', 'state') : ours, link)
    give(link)
    await expectRefused(project, join(shared, name), /the link \S+ belongs to another user \(uid 65534\)/, [['status']])
  })

  test('is refused behind links of ours', async () => {
    const { top, project, state } = host()
    fill(state, 0o700)
    give(state)
    symlinkSync('tmp/../tmp/state', join(top, 'second'))
    symlinkSync('second', join(top, 'first'))
    await expectRefused(project, join(top, 'first'), /it belongs to another user/, [['status']])
  })

  test('is noticed although it was missing a moment ago', async () => {
    const { state } = host()
    mkdirSync(state, { mode: 0o700 })
    give(state)
    const options = { folder: state, redact: (text: string) => text, ...around }
    expect(() => openEmbeddedState(options)).toThrow(expect.objectContaining({ code: 'untrusted-state' }))
    const hosted = () => Promise.reject(new Error('started'))
    await expect(openLocalService(state, hosted, around.clock)).rejects.toMatchObject({ code: 'untrusted-state' })
    expect(readdirSync(state)).toEqual([])
  })

  test('is used by its user, and so is one of root', async () => {
    const { project, top } = host()
    const state = join(top, 'of-root')
    mkdirSync(state)
    chmodSync(state, 0o755)
    const become = (user: number) => process.seteuid?.(user)
    become(NOBODY)
    onTestFinished(() => become(0))
    expect(await commandLine(['runs', 'list'], { cwd: project, env: { AUDIENCE_STATE: state } })).toMatchObject({
      code: 0,
    })
    become(0)
    chownSync(state, NOBODY, NOBODY)
    become(NOBODY)
    expect(await commandLine(['runs', 'list'], { cwd: project, env: { AUDIENCE_STATE: state } })).toMatchObject({
      code: 0,
    })
  })
})

describe('a state folder that everybody can write', () => {
  test.each([0o777, 0o1777, 0o703])('is refused: mode %o', async (mode) => {
    const { project, state } = host()
    fill(state, mode)
    await expectRefused(project, state, /everybody can write to it \(mode \d+\)\n.*chmod o-w \S+state/, [
      ['status'],
      ['run', 'hello.yaml'],
    ])
  })

  test('is refused in a folder where everybody can put another one in its place', async () => {
    const { project, shared, state } = host()
    fill(state, 0o700)
    await expectUsed(project, state)
    chmodSync(shared, 0o777)
    await expectRefused(project, state, /the folder \S+tmp has mode 0777/, [['status']])
  })

  test('is used where nobody else can get at it', async () => {
    const { top, project, state } = host()
    fill(state)
    chmodSync(top, 0o700)
    await expectUsed(project, state)
    // A link leads out of the closed folder again.
    const { state: open } = host()
    fill(open)
    symlinkSync(open, join(top, 'link'))
    await expectRefused(project, join(top, 'link'), /everybody can write to it/, [['status']])
  })

  test('is used if root mounted it there, as for a container, and not if it is one for temporary files', async (context) => {
    const { project, state } = host()
    const disk = mountSmallDisk(state, 1)
    if (!disk) return context.skip('only root may mount')
    onTestFinished(disk.remove)
    chmodSync(state, 0o2777)
    await expectUsed(project, state)
    chmodSync(state, 0o1777)
    await expectRefused(project, state, /everybody can write to it \(mode 1777\)/, [['status']])
  })
})

async function expectUsed(project: string, state: string): Promise<void> {
  const ended = await commandLine(['runs', 'list'], { cwd: project, env: { AUDIENCE_STATE: state } })
  expect(ended).toMatchObject({ code: 0, err: '' })
}
