import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeMessage } from '../../src/notifications/message.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const START = Date.UTC(2026, 10, 27, 2)
const MINUTE = 60_000
let bench: NotifierBench
beforeEach(async () => {
  bench = notifierBench()
  await bench.outbox.begin()
})
afterEach(() => bench.close())

/** Each belongs to a new process: only the state is kept. */
const sweep = (minute: number) => createSweep(bench.sweepDeps())(START + minute * MINUTE)
const told = async () => (await bench.waiting()).map(({ event, title }) => `${event}: ${title}`)

/** What a trigger found at its last look. */
async function found(
  code: string | undefined,
  { trigger = 'drop', source = 'partner', path = 'in/*.csv', since = 0 } = {},
): Promise<void> {
  const problem = code === undefined ? undefined : { code, message: `it is ${code}`, hint: 'ask', since: START + since }
  await bench.remote.looked({ pipeline: 'nightly', trigger, source, path, at: START, waiting: 0, problem })
}

test('a source that cannot be reached is told after 15 minutes, once for all its triggers, and when it is well', async () => {
  await found('source-unreachable')
  await found('source-unreachable', { trigger: 'other', path: 'other/*.csv', since: MINUTE })
  await sweep(14)
  expect(await told()).toEqual([])
  await sweep(15)
  await sweep(16)
  expect(await told()).toEqual(['source: the source partner cannot be reached'])
  const [first] = await bench.waiting()
  expect(writeMessage([first!])).toMatchObject({
    facts: [['Source', 'partner']],
    paragraphs: [
      'it is source-unreachable',
      'What to do: ask',
      'Since 2026-11-27T02:00:00.000Z.',
      'Triggers that use it: nightly/drop, nightly/other.',
    ],
    next: ['audience sources check partner', 'audience status'],
  })
  await found(undefined)
  await sweep(17)
  expect(await told()).toHaveLength(1)
  await found(undefined, { trigger: 'other' })
  await sweep(18)
  await sweep(19)
  expect((await told()).slice(1)).toEqual(['recovery: the source partner works again'])
  await found('source-unreachable', { since: 20 * MINUTE })
  await sweep(35)
  expect((await told()).slice(2)).toEqual(['source: the source partner cannot be reached'])
})

test.each([
  ['source-access-refused', 'the source partner refuses access'],
  ['source-host-key', 'the source partner has a host key that is not known'],
  ['source-too-many', 'the source partner has too many files'],
  ['source-read-only', 'files of the source partner cannot be moved'],
  ['source-folder-missing', 'a folder of the source partner is missing'],
  ['package-missing', 'the source partner cannot be used'],
])('%s is told at once', async (code, title) => {
  await found(code)
  await sweep(0)
  expect(await told()).toEqual([`source: ${title}`])
})

test('a trouble of a folder is told for each folder', async () => {
  await found('source-too-many')
  await found('source-too-many', { trigger: 'same' })
  await found('source-too-many', { trigger: 'other', path: 'other/*.csv' })
  await sweep(0)
  expect(await told()).toHaveLength(2)
})

test('a source that has another trouble now is not well', async () => {
  await found('source-host-key')
  await sweep(0)
  await found('source-unreachable', { since: MINUTE })
  await sweep(1)
  await sweep(16)
  await sweep(17)
  await found(undefined)
  await sweep(18)
  expect(await told()).toEqual([
    'source: the source partner has a host key that is not known',
    'source: the source partner cannot be reached',
    'recovery: the source partner works again',
  ])
})

test('a source that no trigger watches any more has no trouble', async () => {
  await found('source-host-key')
  await found('source-host-key', { trigger: 'lake', source: 'lake' })
  await sweep(0)
  await bench.remote.keepLooks([{ pipeline: 'nightly', trigger: 'lake' }])
  await sweep(1)
  expect((await told()).slice(2)).toEqual(['recovery: the source partner works again'])
})

test('a mute of all keeps it back until its end', async () => {
  await bench.mutes.mute({ pipelines: '*', since: START, until: START + 5 * MINUTE }, {})
  await found('source-host-key')
  await sweep(1)
  expect(await told()).toEqual([])
  await sweep(5)
  expect(await told()).toEqual(['source: the source partner has a host key that is not known'])
})
