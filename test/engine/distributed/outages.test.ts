import { expect, test } from 'vitest'
import { type DatabaseEvent, Outages } from '../../../src/engine/distributed/outages.ts'
import { systemClock } from '../../../src/platform/clock.ts'

test('a warning of before an outage is not told after it: the outage was why', () => {
  const told: DatabaseEvent[] = []
  const clock = {
    now: () => 0,
    steady: () => 0,
    sleep: () => Promise.reject(new Error('no waits')),
    timer: systemClock.timer,
  }
  const outages = new Outages(clock, (event) => told.push(event))
  outages.warned('old')
  outages.beaten()
  outages.warned('new')
  outages.missed(new Error('away'))
  for (let beats = 0; beats < 3; beats += 1) outages.beaten()
  expect(told.map(({ kind }) => kind)).toEqual(['away', 'back'])
})

test('an outage is one line when it begins and one when it ends, whatever DBOS warns of in between', () => {
  let steady = 0
  const told: DatabaseEvent[] = []
  const clock = {
    now: () => 1000 + steady,
    steady: () => steady,
    sleep: () => Promise.reject(new Error('no waits')),
    timer: systemClock.timer,
  }
  const outages = new Outages(clock, (event) => told.push(event))
  outages.beaten()
  outages.warned('Connection terminated')
  for (steady = 500; steady < 15_000; steady += 500) {
    outages.missed(new Error('the database db/audience cannot be reached'))
    outages.warned('connect ECONNREFUSED')
  }
  outages.beaten()
  expect(told.splice(0)).toEqual([
    { kind: 'away', reason: 'the database db/audience cannot be reached', since: 1500 },
    { kind: 'back', afterMs: 14_500 },
  ])
  outages.warned('something else')
  for (let beats = 0; beats < 3; beats += 1) outages.beaten()
  expect(told).toEqual([{ kind: 'warning', text: 'something else' }])
})
