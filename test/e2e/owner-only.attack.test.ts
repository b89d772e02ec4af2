import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { audience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { embeddedService, kill, projectIn, spawnDaemon, until, untilReady } from '../support/daemon.ts'
import { FOUR_WRITES } from '../support/four-writes.ts'
import { namesBelow } from '../support/names-below.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PREPARED = FOUR_WRITES.replace(
  'steps:\n',
  'steps:\n  - { id: list, uses: files.prepare, with: { from: { file: "${{ inputs.file }}" }, column: email, signal: EMAIL } }\n',
).replace('file: "${{ inputs.file }}", uploadSignal', 'file: "${{ steps.list.outputs.file }}", uploadSignal')

/**
 * What other users may do with the files below a folder: `name: 077`. Files that are removed meanwhile are left out.
 */
function openToOthers(folder: string): string[] {
  return ['', ...namesBelow(folder)].flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    const bits = stats && stats.mode & 0o077
    return bits ? [`${name}: ${bits.toString(8)}`] : []
  })
}

test('whatever the umask is, all files of the state and of the service are their owner’s alone', async () => {
  const project = projectIn(tempFolder())
  const { folder, options } = project
  const state = join(folder, 'state')
  mkdirSync(join(folder, 'pipelines'))
  const rows = Array.from({ length: 300 }, (_, at) => `p${at}@example.com`)
  writeFileSync(join(folder, 'list.csv'), `email\n${rows.join('\n')}\n`)
  writeFileSync(join(folder, 'four.yaml'), PREPARED)
  const seen = new Set<string>()
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  const daemon = spawnDaemon(options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  await untilReady(daemon)
  const inputs = ['-i', `file=${join(folder, 'list.csv')}`, '-i', 'name=own']
  expect(await commandLine(['plan', join(folder, 'four.yaml'), ...inputs], options)).toMatchObject({ code: 0 })
  let isOver = false
  const run = audience(['run', 'four.yaml', ...inputs], options).finally(() => {
    isOver = true
  })
  // Files that exist only during a run count, too.
  await until(() => {
    for (const each of openToOthers(state)) seen.add(each)
    return isOver
  })
  expect(await run).toMatchObject({ code: 0 })
  const { url, token } = embeddedService(project).control
  const taken = await fetch(`${url}/snapshots/one`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  expect(taken.status).toBe(200)
  expect(await commandLine(['backup', join(state, 'copy.db')], options)).toMatchObject({ code: 0 })
  expect([...seen, ...openToOthers(state)]).toEqual([])
  const names = namesBelow(state)
  for (const name of ['runs.db', 'copy.db', 'service/data/service.db', 'service/data/snapshots/one/service.db'])
    expect(names).toContain(name)
})
