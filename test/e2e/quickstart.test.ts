import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { audience, eventsOf, root } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { givePeople } from '../support/people.ts'
import { tempFolder } from '../support/temp-folder.ts'

const quickstart = join(root, 'pipelines/quickstart.yaml')

test('a fresh machine takes a file to a live activation, and again right after', async () => {
  const env = { AUDIENCE_STATE: tempFolder() }
  const first = await audience(['run', quickstart, '--json'], { env })
  const second = await commandLine(['run', quickstart, '--json'], { env })
  expect([first.code, second.code], first.err + second.err).toEqual([0, 0])

  const events = eventsOf(first.out)
  expect(events[0]).toMatchObject({ event: 'run.started', pipeline: 'quickstart' })
  const { runId } = events[0] ?? {}
  for (const event of events) {
    expect(event).toMatchObject({ runId })
    expect(new Date(String(event.at)).toISOString()).toBe(event.at)
  }
  for (const step of ['upload', 'segment', 'match', 'activate']) {
    const names = events.filter((event) => event.step === step).map(({ event }) => event)
    expect(names[0]).toBe('step.started')
    expect(names.at(-1)).toBe('step.finished')
    if (step !== 'upload') expect(names).toContain('job.status')
  }
  expect(events.filter(({ event }) => event === 'step.progress').length).toBeGreaterThan(0)

  const file = readFileSync(join(root, 'pipelines/data/auto-intenders.csv'))
  const finished = events.at(-1)
  expect(finished).toMatchObject({
    event: 'run.finished',
    status: 'succeeded',
    outputs: {
      bytes: file.length,
      rows: file
        .toString()
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(1).length,
      activationStatus: 'Activated',
    },
  })
  const { matchCount } = (finished?.outputs ?? {}) as { matchCount: number }
  expect(matchCount).toBeGreaterThan(500)
  const again = eventsOf(second.out).at(-1)
  expect(again).toMatchObject({ outputs: { matchCount } })
  expect(again?.runId).not.toBe(runId)
})

test('without a terminal it prints plain lines with the figures', async () => {
  const state = tempFolder()
  await givePeople(state)
  const { code, out, err } = await commandLine(['run', quickstart], { env: { AUDIENCE_STATE: state } })
  expect(code, err).toBe(0)
  expect(err).toContain('embedded Audience Data Service')
  expect(err).toContain('set AUDIENCE_BASE_URL and AUDIENCE_TOKEN for another service')
  expect(out).not.toContain('\u001b')
  expect(out).toMatch(/upload: succeeded, [\d,]+ rows, [\d.]+ kB sent as auto-intenders-[0-9a-f]{16}\.csv, \d+\.\d s\n/)
  expect(out).toMatch(/match: succeeded, [\d,]+ people matched, \d+\.\d s\n/)
  expect(out).toMatch(/activate: succeeded, activation \d+: Activated, \d+\.\d s\n/)
  expect(out).toMatch(/succeeded in \d+\.\d s, run \S+\n/)
})
