import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS } from '../../src/core/duration.ts'
import { AudienceError } from '../../src/core/errors.ts'
import type { OptOutTrouble } from '../../src/daemon/watch-opt-outs.ts'
import { writeMessage } from '../../src/notifications/message.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const START = Date.UTC(2026, 10, 27, 2)
let bench: NotifierBench
let troubles: readonly OptOutTrouble[] | undefined
beforeEach(async () => {
  bench = notifierBench()
  bench.declare('nightly')
  await bench.outbox.begin()
})
afterEach(() => bench.close())

/** Each belongs to a new process: only the state is kept. */
const look = (at: number) => createSweep({ ...bench.sweepDeps(), optOuts: () => troubles })(at)
const told = async () => (await bench.waiting()).map(({ event, title, error }) => [event, error?.message ?? title])
const trouble = (file: string): OptOutTrouble => ({
  file,
  error: new AudienceError({ code: 'opt-outs-unusable', kind: 'failed', message: `${file} is bad`, hint: 'mend it' }),
})

test('each opt-out list that cannot be used is told once, also after a restart, and that all can be used again', async () => {
  troubles = [trouble('/a.csv')]
  await look(START)
  await look(START + DAY_MS)
  // A process that has just started has not checked them.
  troubles = undefined
  await look(START + DAY_MS)
  troubles = [trouble('/a.csv'), trouble('/b.csv')]
  await look(START + 2 * DAY_MS)
  const both = [
    ['optOuts', '/a.csv is bad'],
    ['optOuts', '/b.csv is bad'],
  ]
  expect(await told()).toEqual(both)
  troubles = [trouble('/b.csv')]
  await look(START + 3 * DAY_MS)
  expect(await told()).toEqual(both)
  troubles = []
  await look(START + 4 * DAY_MS)
  await look(START + 5 * DAY_MS)
  expect((await told()).slice(2)).toEqual([['recovery', 'the opt-out lists can be used again']])
  troubles = [trouble('/a.csv')]
  await look(START + 6 * DAY_MS)
  expect((await told()).slice(3)).toEqual([['optOuts', '/a.csv is bad']])
})

test('a mute of all keeps it back until its end; one of a pipeline does not', async () => {
  troubles = [trouble('/a.csv')]
  const until = START + DAY_MS
  await bench.mutes.mute({ pipelines: '*', since: START, until }, {})
  await look(START + 1)
  expect(await told()).toEqual([])
  await bench.mutes.mute({ pipelines: 'nightly', since: START, until: until + DAY_MS }, {})
  await look(until)
  expect(await told()).toEqual([['optOuts', '/a.csv is bad']])
})

test('one message leads to the first page of the console, and several are one', async () => {
  troubles = [trouble('/a.csv'), trouble('/b.csv')]
  await look(START)
  const [first, second] = await bench.waiting()
  if (!first || !second) throw new Error('nothing was told')
  const console = 'https://audience.example.com/'
  expect(writeMessage([first], console)).toMatchObject({
    link: console,
    facts: [],
    next: ['audience validate', 'audience status'],
  })
  expect(writeMessage([first, second], console)).toMatchObject({
    link: console,
    title: '2 opt-out lists cannot be used',
  })
})
