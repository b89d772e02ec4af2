import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { watchPipelinesFolder } from '../../../src/daemon/documents/pipelines-folder.ts'
import { readNewPipeline } from '../../../src/daemon/documents/read-pipeline.ts'
import { GIT_ENV } from '../../support/git-env.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { turnClock } from '../../support/turn-clock.ts'

/**
 * Sleeps are counted in turns of the event loop, but the age of git's locks is measured with the clock of the machine.
 */
const clock = { ...turnClock, now: Date.now }

const document = (name: string, description = '1') =>
  `version: 1\nname: ${name}\ndescription: "${description}"\nsteps: [{ id: a, uses: groups.list }]\n`

/** Watches a folder with these documents; `live` has the last reported ones. */
async function watched(texts: Readonly<Record<string, string>>) {
  const folder = tempFolder()
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
  for (const [name, text] of Object.entries(texts)) put(name, text)
  const lines: Record<string, unknown>[] = []
  const told: string[] = []
  const describeAll = (documents: Awaited<ReturnType<typeof watch>>['documents']) =>
    [...documents()].map(([name, { pipeline }]) => `${name} ${pipeline.description}`).join(', ')
  const watch = () =>
    watchPipelinesFolder({
      folder,
      read: readNewPipeline,
      onChange: (documents) => told.push(describeAll(() => documents)),
      clock,
      log: pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) }),
    })
  const pipelines = await watch()
  onTestFinished(() => pipelines.close())
  const until = (expected: string) => expect.poll(() => told.at(-1), { interval: 20 }).toBe(expected)
  const said = (message: string) => lines.filter(({ msg }) => msg === message)
  return { folder, put, pipelines, told, until, said, now: () => describeAll(pipelines.documents) }
}

describe('the pipelines folder', () => {
  test('is read before it is watched, and its changes are told', async () => {
    const { put, folder, told, until, now, said } = await watched({ 'p.yaml': document('p'), 'q.yaml': document('q') })
    expect([now(), told]).toEqual(['p 1, q 1', []])
    put('q.yaml', document('q', '2'))
    await until('p 1, q 2')
    // As editors save: the whole text to another file, which then replaces the old one.
    put('.p.yaml.swp', document('p', '3'))
    renameSync(join(folder, '.p.yaml.swp'), join(folder, 'p.yaml'))
    await until('p 3, q 2')
    rmSync(join(folder, 'q.yaml'))
    await until('p 3')
    expect(said('a pipeline has changed')).toMatchObject([{ pipeline: 'q' }, { pipeline: 'p' }])
    expect(said('a pipeline is gone: its triggers start no more runs')).toMatchObject([{ pipeline: 'q' }])
  })

  test('keeps the last valid version of a document, says so once, and says when it is in order', async () => {
    const { put, pipelines, until, now, said, told } = await watched({ 'p.yaml': document('p') })
    put('p.yaml', 'version: 1\nname: p\n')
    await expect.poll(() => pipelines.problems()).toHaveLength(1)
    expect(now()).toBe('p 1')
    const { file, messages } = pipelines.problems()[0]!
    put('q.yaml', document('q'))
    await until('p 1, q 1')
    expect(said('not valid: the last valid version stays in use')).toMatchObject([{ file, problems: messages }])
    expect(messages[0]).toMatch(/p\.yaml:1:1 .*steps/)
    put('p.yaml', document('p', '2'))
    await until('p 2, q 1')
    expect(said('valid again')).toMatchObject([{ file }])
    expect(pipelines.problems()).toEqual([])
    expect(told).toHaveLength(2)
  })

  test('that changes in many files at once, as by a checkout, is read once it is quiet', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `p${index}`)
    const { folder, put, told, until, pipelines } = await watched(
      Object.fromEntries(names.map((name) => [`${name}.yaml`, document(name)])),
    )
    for (const name of names) rmSync(join(folder, `${name}.yaml`))
    await clock.sleep(1500)
    for (const name of names) put(`${name}.yaml`, document(name, '2'))
    const all = names.map((name) => `${name} 2`).sort()
    await until(all.join(', '))
    expect(told).toHaveLength(1)
    expect(pipelines.problems()).toEqual([])
  })

  test('that git pulls into is read whole, once git has let go of it', async () => {
    const upstream = tempFolder()
    const git = (folder: string, ...args: string[]) => execFileSync('git', ['-C', folder, ...args], { env: GIT_ENV })
    const commit = (texts: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(upstream, name), text)
      git(upstream, 'add', '--all')
      git(upstream, 'commit', '--quiet', '--message', 'pipelines')
    }
    git(upstream, 'init', '--quiet')
    commit({ 'p.yaml': document('p'), 'q.yaml': document('q'), 'r.yaml': document('r') })
    const { folder, told, until, pipelines } = await watched({})
    git(folder, 'clone', '--quiet', upstream, '.')
    await until('p 1, q 1, r 1')
    const before = pipelines.documents().get('q')
    rmSync(join(upstream, 'r.yaml'))
    commit({ 'p.yaml': document('p', '2'), 's.yaml': document('s', '2') })
    // Half a pull: git holds its lock while it writes.
    const lock = join(folder, '.git/index.lock')
    writeFileSync(lock, '')
    writeFileSync(join(folder, 's.yaml'), document('s', '2'))
    await clock.sleep(5000)
    rmSync(join(folder, 's.yaml'))
    rmSync(lock)
    git(folder, 'pull', '--quiet')
    await until('p 2, q 1, s 2')
    expect(told.filter((all) => all.includes('s 2') && all.includes('p 1'))).toEqual([])
    expect(pipelines.documents().get('q')).toBe(before)
  })

  test('keeps a document that is away for seconds', async () => {
    const { folder, put, told, until, now, pipelines } = await watched({ 'p.yaml': document('p') })
    const before = pipelines.documents().get('p')
    renameSync(join(folder, 'p.yaml'), join(folder, 'p.aside'))
    put('q.yaml', document('q'))
    await until('p 1, q 1')
    renameSync(join(folder, 'p.aside'), join(folder, 'p.yaml'))
    put('r.yaml', document('r'))
    await until('p 1, q 1, r 1')
    expect([pipelines.documents().get('p'), pipelines.problems()]).toEqual([before, []])
    rmSync(join(folder, 'p.yaml'))
    await until('q 1, r 1')
    expect([now(), told.length]).toEqual(['q 1, r 1', 3])
  })

  test('that vanishes is not taken for an empty one; it is read when it is back', async () => {
    const { folder, put, pipelines, now, until } = await watched({ 'p.yaml': document('p') })
    rmSync(folder, { recursive: true })
    await expect.poll(() => pipelines.problems()).toMatchObject([{ file: folder, keepsLast: true }])
    expect(now()).toBe('p 1')
    mkdirSync(folder)
    put('q.yaml', document('q'))
    await until('q 1')
    expect(pipelines.problems()).toEqual([])
  })

  test('has to be there at the start', async () => {
    const folder = join(tempFolder(), 'nowhere')
    const watching = watchPipelinesFolder({
      ...{ folder, read: readNewPipeline, onChange: () => undefined, clock },
      log: pino({ level: 'silent' }),
    })
    await expect(watching).rejects.toMatchObject({
      code: 'no-pipelines-folder',
      message: expect.stringContaining(folder),
    })
  })
})
