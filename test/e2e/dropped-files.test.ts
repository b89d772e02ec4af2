import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../service/support/seeded-random.ts'
import type { Audience } from '../support/audience.ts'
import {
  embeddedService,
  kill,
  type Project,
  projectIn,
  spawnDaemon,
  stateRows,
  until,
  untilReady,
} from '../support/daemon.ts'
import { dropFile } from '../support/drops/drop-file.ts'
import { type Drop, dropsOf, INBOX, REPEATS } from '../support/drops/drops.ts'
import { directClient } from '../support/four-writes.ts'
import { isLong } from '../support/is-long.ts'
import { givePeople } from '../support/people.ts'
import { recordedRuns } from '../support/recorded-runs.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * An afternoon of dropped files with the real command and the real service, in real time. The daemon is killed at
 * random moments, also while it starts.
 */
const KILLS = isLong ? 8 : 3
const LISTS = isLong ? 32 : 12
const UP_FOR_MS = { from: 300, to: 2000 }
const BETWEEN_DROPS_MS = 400

test('every dropped file ends in done or failed once, whatever is killed', async () => {
  const random = seededRandom(5)
  const project = newProject()
  await givePeople(join(project.folder, 'state'))
  const drops = dropsOf(LISTS, random)
  let daemon: Audience = spawnDaemon(project.options)
  onTestFinished(() => kill(daemon).then(() => undefined))

  const killing = (async () => {
    for (let kills = 0; kills < KILLS; kills += 1) {
      await sleep(UP_FOR_MS.from + random() * (UP_FOR_MS.to - UP_FOR_MS.from))
      await kill(daemon)
      daemon = spawnDaemon(project.options)
    }
  })()
  const dropping: Promise<void>[] = []
  for (const drop of drops) {
    // Files with the same name come one after the other.
    const before = drops.slice(0, drops.indexOf(drop)).findLastIndex(({ name }) => name === drop.name)
    dropping.push((dropping[before] ?? Promise.resolve()).then(() => dropFile(project.folder, drop)))
    await sleep(random() * BETWEEN_DROPS_MS)
  }
  await Promise.all([...dropping, killing])
  await untilReady(daemon)
  await until(() => isQuiet(project, drops.length), { describe: () => whatIsLeft(project) })

  expectAllFiled(project, drops)
  expectOneRunEach(project, drops)
  await expectSegmentsOf(project)
  expect((await kill(daemon, 'SIGTERM')).code).toBe(0)
})

function newProject(): Project {
  const project = projectIn(tempFolder())
  const { folder } = project
  for (const name of ['pipelines', 'inbox', 'repeats', 'inbox/below']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'audience.yaml'), '')
  writeFileSync(join(folder, 'pipelines/inbox.yaml'), INBOX)
  writeFileSync(join(folder, 'pipelines/repeats.yaml'), REPEATS)
  writeFileSync(join(folder, 'elsewhere.csv'), 'not for us\n')
  symlinkSync(join(folder, 'elsewhere.csv'), join(folder, 'inbox/link.csv'))
  writeFileSync(join(folder, 'inbox/notes.txt'), 'not for us\n')
  writeFileSync(join(folder, 'inbox/below/list.csv'), 'not for us\n')
  return project
}

/** A link whose name matches the trigger is listed as ignored. */
const TAKEN = "key <> 'ignored link.csv'"
/** The ignored files in the watched folders. */
const IGNORED = ['below', 'link.csv', 'notes.txt']

function watched({ folder }: Project): string[] {
  return [...readdirSync(join(folder, 'inbox')), ...readdirSync(join(folder, 'repeats'))].filter(
    (name) => name !== '.taken',
  )
}

function isQuiet(project: Project, files: number): boolean {
  const [row] = stateRows(project, `SELECT count(*) AS files, total(open) AS open FROM occurrences WHERE ${TAKEN}`)
  return watched(project).length === IGNORED.length && row?.files === files && row.open === 0
}

function whatIsLeft(project: Project): string {
  const open = stateRows(project, 'SELECT * FROM occurrences LEFT JOIN runs USING (run_id) WHERE open = 1')
  return JSON.stringify({ watched: watched(project), open }, undefined, 1)
}

/** Names without the suffix that separates files of the same name. */
const plainName = (name: string) => name.replace(/\.\d{13}-[^.]*(?=\.csv)/, '')
const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex')

function expectAllFiled({ folder }: Project, drops: readonly Drop[]): void {
  for (const into of ['done', 'failed'] as const) {
    const names = readdirSync(join(folder, into)).sort()
    const files = names.filter((name) => name.endsWith('.csv'))
    const found = files.map((name) => `${plainName(name)} ${digest(readFileSync(join(folder, into, name)))}`)
    const due = drops.filter(({ ends }) => ends === into).map(({ name, content }) => `${name} ${digest(content)}`)
    expect(found.sort(), into).toEqual(due.sort())
    const letters = names.filter((name) => !files.includes(name))
    if (into === 'failed') expect(letters).toEqual(files.map((name) => `${name}.reason.txt`).sort())
    else expect(letters).toHaveLength(6)
    for (const letter of letters) expectLetter(folder, into, letter, drops)
  }
  expect(watched({ folder } as Project).sort()).toEqual(IGNORED)
  expect(readFileSync(join(folder, 'elsewhere.csv'), 'utf8')).toBe('not for us\n')
  for (const name of ['inbox', 'repeats']) {
    const taken = join(folder, name, '.taken', `${name}.drop`)
    expect(existsSync(taken) ? readdirSync(taken) : []).toEqual([])
  }
}

/** For a failed file: why it failed. For repeated content: that an earlier file had the same content. */
function expectLetter(folder: string, into: 'done' | 'failed', letter: string, drops: readonly Drop[]): void {
  const text = readFileSync(join(folder, into, letter), 'utf8')
  const name = plainName(letter.replace(/\.(reason|note)\.txt$/, ''))
  const drop = drops.find((each) => each.name === name)
  expect(text).toMatch(drop?.why ?? /an earlier file had the same content; the run of that file is /)
  expect(text).toContain(`SHA-256: `)
}

function expectOneRunEach(project: Project, drops: readonly Drop[]): void {
  const runs = recordedRuns(project)
  const inbox = drops.filter(({ into, runs: has }) => into === 'inbox' && has !== false)
  const expected = [
    ...new Set(inbox.map((drop) => runOf(drop))),
    ...drops.filter(({ into }) => into === 'repeats').map((drop) => runOf(drop)),
  ]
  const found = runs.map(({ pipeline, status, begun }) => `${pipeline} ${status} ${begun.trigger.sha256}`)
  expect(found.sort()).toEqual(expected.sort())
  // The run of a slot or a file is recorded with it, and no other run is.
  const [occurrences] = stateRows(
    project,
    `SELECT count(*) AS files, count(DISTINCT run_id) AS runs FROM occurrences WHERE state <> 'skipped' AND ${TAKEN}`,
  )
  expect(occurrences).toMatchObject({ runs: runs.length })
}

function runOf({ into, ends, content }: Drop): string {
  return `${into} ${ends === 'done' ? 'succeeded' : 'failed'} ${digest(content)}`
}

/** One segment for every run that succeeded, and no others. */
async function expectSegmentsOf(project: Project): Promise<void> {
  const names = recordedRuns(project)
    .filter(({ status }) => status === 'succeeded')
    .map(({ begun }) => begun.inputs.name)
  const api = directClient(embeddedService(project))
  try {
    const segments = await Array.fromAsync(api.items('segments.list', {}))
    expect(segments.map(({ participantSegmentId }) => participantSegmentId).sort()).toEqual(names.sort())
  } finally {
    await api.close()
  }
}
