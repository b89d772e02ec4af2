import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { makeProgram } from '../../src/cli/program.ts'
import { type OpenTerminal, withoutSecrets } from '../../src/cli/terminal.ts'
import type { Occurrence } from '../../src/core/occurrence.ts'
import type { OccurrenceStore } from '../../src/state/occurrence-store.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { withReadableState } from '../../src/state/with-readable-state.ts'
import { around } from '../support/around.ts'
import { tempFolder } from '../support/temp-folder.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NIGHTLY = { pipeline: 'one', trigger: 'nightly' }

function document(name: string, ...triggers: string[]): string {
  return `version: 1\nname: ${name}\ntriggers:\n${triggers.join('\n')}\nsteps:\n  - { id: list, uses: groups.list }\n`
}

const trigger = (id: string, schedule: string) => `  - { id: ${id}, schedule: { ${schedule} } }`

/** A project with two pipelines: nightly and hourly in `one`, weekly in `two`. */
function project() {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  const write = (name: string, text: string) => writeFileSync(join(cwd, 'pipelines', name), text)
  write(
    'one.yaml',
    document(
      'one',
      trigger('nightly', 'cron: 30 2 * * *, timezone: America/New_York'),
      trigger('hourly', 'cron: 0 */6 * * *, jitter: 10m'),
    ),
  )
  write(
    'two.yaml',
    document('two', trigger('weekly', 'cron: 0 4 * * 0, timezone: Asia/Kathmandu, exclude: { dates: ["2026-03-15"] }')),
  )
  const schedule = async (...args: string[]) => {
    const streams = { out: new PassThrough(), err: new PassThrough() }
    const text = { out: '', err: '' }
    for (const name of ['out', 'err'] as const) streams[name].on('data', (chunk) => (text[name] += String(chunk)))
    const terminal = withoutSecrets({
      ...streams,
      env: {},
      cwd,
      surroundings: systemSurroundings,
      onInterrupt: () => () => undefined,
      whenUnread: () => undefined,
    } as unknown as OpenTerminal)
    let code = -1
    const finish = (exitCode: number) => {
      code = exitCode
    }
    const program = await makeProgram({ terminal, finish, isNeeded: (name) => name === 'schedule', output: {} })
    await program.parseAsync(['schedule', ...args], { from: 'user' })
    const json = text.out.startsWith('{')
      ? text.out
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>)
      : []
    return { code, ...text, json }
  }
  const occurrenceStore = async <T>(work: (occurrenceStore: OccurrenceStore) => Promise<T> | T): Promise<T> => {
    const { journal, occurrences: triggers } = openEmbeddedState({
      folder: join(cwd, '.audience'),
      redact: (text) => text,
      ...around,
    })
    try {
      return await work(triggers)
    } finally {
      journal.close()
    }
  }
  const slots = () =>
    occurrenceStore(async (triggers) =>
      (await triggers.list({ limit: 100 })).map(({ key, state }) => `${key.slice(0, 13)}${key.slice(24)} ${state}`),
    )
  return { cwd, write, schedule, occurrenceStore, slots }
}

const slot = (at: string, state: Occurrence['state'], more: Partial<Occurrence> = {}) => ({
  key: new Date(at).toISOString(),
  at: Date.parse(at),
  state,
  ...more,
})

describe('next', () => {
  test('merges the slots of all schedules in order, over a change of clocks, without excluded days', async () => {
    const { schedule } = project()
    const { code, json, err } = await schedule('next', '-n', '9', '--after', '2026-03-07T22:20:00Z', '--json')
    expect([code, err]).toEqual([0, ''])
    expect(json.map(({ pipeline, trigger, at, local }) => [pipeline, trigger, at, local].join(' '))).toEqual([
      'one hourly 2026-03-08T00:00:00.000Z 2026-03-08T00:00:00Z',
      'one hourly 2026-03-08T06:00:00.000Z 2026-03-08T06:00:00Z',
      'one nightly 2026-03-08T07:00:00.000Z 2026-03-08T03:00:00-04:00',
      'one hourly 2026-03-08T12:00:00.000Z 2026-03-08T12:00:00Z',
      'one hourly 2026-03-08T18:00:00.000Z 2026-03-08T18:00:00Z',
      'one hourly 2026-03-09T00:00:00.000Z 2026-03-09T00:00:00Z',
      'one hourly 2026-03-09T06:00:00.000Z 2026-03-09T06:00:00Z',
      'one nightly 2026-03-09T06:30:00.000Z 2026-03-09T02:30:00-04:00',
      'one hourly 2026-03-09T12:00:00.000Z 2026-03-09T12:00:00Z',
    ])
  })

  test('of one schedule: the day that is excluded is not there, and the jitter is told', async () => {
    const { schedule } = project()
    const weekly = await schedule('next', 'two/weekly', '-n', '2', '--after', '2026-03-07', '--json')
    expect(weekly.json.map(({ local }) => local)).toEqual(['2026-03-08T04:00:00+05:45', '2026-03-22T04:00:00+05:45'])
    const hourly = await schedule('next', 'one/hourly', '-n', '1', '--after', '2026-03-07', '--json')
    const { at, startsAt } = hourly.json[0] as { at: string; startsAt: string }
    expect(Date.parse(startsAt) - Date.parse(at)).toBeGreaterThan(0)
    expect(Date.parse(startsAt) - Date.parse(at)).toBeLessThanOrEqual(600_000)
  })

  test('has a line a slot for people', async () => {
    const { schedule } = project()
    const { out } = await schedule('next', 'one/nightly', '-n', '2', '--after', '2026-03-07T22:20:00Z')
    expect(out.split('\n')).toEqual([
      expect.stringMatching(
        /^2026-03-08 03:00 America\/New_York {2}2026-03-0\d \d\d:\d\d (?:UTC|[+-]\d\d:\d\d) {2}one\/nightly$/,
      ),
      expect.stringMatching(/^2026-03-09 02:30 America\/New_York/),
      '',
    ])
  })

  test('leaves out what is paused, and says so: its slots will be skipped', async () => {
    const { schedule } = project()
    await schedule('pause', 'one/nightly')
    const { err, json } = await schedule('next', 'one', '-n', '9', '--json')
    expect(new Set(json.map(({ trigger }) => trigger))).toEqual(new Set(['hourly']))
    expect(err).toMatch(
      /^one\/nightly is left out: it has been paused since .*; audience schedule resume one\/nightly\n$/,
    )
    expect((await schedule('next', 'one/nightly')).out).toBe('no slots\n')
    expect((await schedule('list', 'one/nightly')).out).not.toContain('next')
  })

  test('leaves a document with errors out, and says so', async () => {
    const { schedule, write } = project()
    write('two.yaml', document('two', trigger('weekly', 'cron: 0 4 31 2 *')))
    const { code, err, json } = await schedule('next', '-n', '50', '--json')
    expect(code).toBe(0)
    expect(err).toMatch(/^pipelines\/two\.yaml is left out: .*there is no 31 February/)
    expect(new Set(json.map(({ pipeline }) => pipeline))).toEqual(new Set(['one']))
  })
})

describe('list', () => {
  test('shows each schedule with its next and last slot, before anything ran too', async () => {
    const { schedule, occurrenceStore } = project()
    expect((await schedule('list', '--json')).json).toMatchObject([
      { pipeline: 'one', trigger: 'hourly', cron: '0 */6 * * *', timezone: 'UTC', counts: {} },
      { pipeline: 'one', trigger: 'nightly' },
      { pipeline: 'two', trigger: 'weekly' },
    ])
    const recent = new Date(Date.now() - 2 * DAY_MS).toISOString()
    await occurrenceStore((triggers) =>
      triggers.note(NIGHTLY, {
        occurrences: [
          slot(recent, 'ran', { runId: 'run-7' }),
          slot(new Date(Date.now() - 3 * DAY_MS).toISOString(), 'missed', { reason: 'down' }),
        ],
      }),
    )
    const { json } = await schedule('list', '--json')
    expect(json[1]).toMatchObject({ last: { at: recent, state: 'ran', runId: 'run-7' }, counts: { ran: 1, missed: 1 } })
    const { out } = await schedule('list')
    expect(out).toContain('one/nightly  30 2 * * *  America/New_York\n  next  ')
    expect(out).toContain('ran, run run-7\n  30 days  1 ran, 1 missed')
  })

  test('the last slot is one that has come, also if a clock that was ahead has decided others', async () => {
    const { schedule, occurrenceStore } = project()
    const [came, ahead] = [Date.now() - 2 * DAY_MS, Date.now() + 2 * DAY_MS].map((at) => new Date(at).toISOString())
    const occurrences = [slot(came!, 'ran', { runId: 'run-7' }), slot(ahead!, 'missed', { reason: 'down' })]
    await occurrenceStore((triggers) => triggers.note(NIGHTLY, { occurrences }))
    expect((await schedule('list', '--json')).json[1]).toMatchObject({ last: { at: came } })
    expect((await schedule('list', 'one/nightly')).out).toMatch(/^ {2}last {2}.* run run-7$/m)
    expect((await schedule('list', 'one/nightly', '--json')).json.map(({ at }) => at)).toEqual([ahead, came])
  })

  test('of one schedule shows what became of its slots, newest first', async () => {
    const { schedule, occurrenceStore } = project()
    await occurrenceStore((triggers) =>
      triggers.note(NIGHTLY, {
        occurrences: [
          slot('2026-03-05T07:30Z', 'ran', { runId: 'run-1' }),
          slot('2026-03-06T07:30Z', 'skipped', { reason: 'overlap' }),
          slot('2026-03-07T07:30Z', 'missed', { reason: 'down' }),
          { ...slot('2026-03-07T07:30Z', 'due'), key: '2026-03-07T07:30:00.000Z#2' },
        ],
      }),
    )
    const { out } = await schedule('list', 'one/nightly')
    const fates = out
      .split('\n')
      .flatMap((line) => /^ {2}\d{4}-(.{11}) America\/New_York \(.*\) {2}(.*)$/.exec(line)?.slice(1).join(' ') ?? [])
    expect(fates).toEqual([
      '03-07 02:30 due  backfill #2',
      '03-07 02:30 missed: nothing was running then',
      '03-06 02:30 skipped: the previous run had not ended',
      '03-05 02:30 ran, run run-1',
    ])
    const { json } = await schedule('list', 'one/nightly', '-n', '1', '--json')
    expect(json).toEqual([
      {
        ...NIGHTLY,
        key: '2026-03-07T07:30:00.000Z#2',
        at: '2026-03-07T07:30:00.000Z',
        local: '2026-03-07T02:30:00-05:00',
        state: 'due',
        outcome: 'due',
      },
    ])
    expect((await schedule('list', 'one/nightly', '-n', '3')).out).toContain(
      'older slots are not shown: -n 30 shows more',
    )
    expect(out).not.toContain('older slots')
  })
})

describe('pause and resume', () => {
  test('are idempotent, of a trigger and of a whole pipeline', async () => {
    const { schedule, occurrenceStore } = project()
    expect((await schedule('pause', 'one/nightly')).out).toContain('one/nightly: paused\n')
    expect((await schedule('pause', 'one')).out).toMatch(
      /one\/hourly: paused\none\/nightly: was already paused, since /,
    )
    expect((await schedule('resume', 'one')).out).toBe('one/hourly: resumed\none/nightly: resumed\n')
    expect((await schedule('resume', 'one/nightly')).out).toBe('one/nightly: was not paused\n')
    expect(
      await occurrenceStore(async (triggers) => (await triggers.memories()).map(({ pausedAt }) => pausedAt)),
    ).toEqual([undefined, undefined])
  })

  test('and backfills are in the audit log, with the person and the reason', async () => {
    const { cwd, schedule } = project()
    await schedule('pause', 'one/nightly', '--by', 'Ana', '--comment', 'the source is late')
    await schedule('resume', 'one/nightly')
    const period = ['--from', '2026-03-05T00:00:00Z', '--to', '2026-03-06T00:00:00Z']
    await schedule('backfill', 'one/nightly', ...period, '--by', 'Bo')
    await schedule('backfill', 'one/nightly', ...period, '--by', 'Bo', '--withdraw')
    const entries = await withReadableState({ state: join(cwd, '.audience') }, around, ({ audit }) =>
      audit.list({ limit: 9 }),
    )
    const detail = '2026-03-05T00:00:00.000Z to 2026-03-06T00:00:00.000Z, 1 slot'
    expect(entries.toReversed()).toMatchObject([
      { by: 'Ana', act: 'schedule.pause', subject: 'one/nightly', comment: 'the source is late', outcome: 'done' },
      { by: userInfo().username, act: 'schedule.resume', subject: 'one/nightly' },
      { by: 'Bo', act: 'schedule.backfill', detail },
      { by: 'Bo', act: 'schedule.withdraw', detail },
    ])
  })

  test('slots of a pause that no daemon has seen are skipped, not missed', async () => {
    const { schedule, occurrenceStore, slots } = project()
    await occurrenceStore(async (triggers) => {
      await triggers.note(NIGHTLY, { cursor: Date.now() - 3 * DAY_MS })
      await triggers.pause(NIGHTLY, Date.now() - 3 * DAY_MS)
    })
    expect((await schedule('resume', 'one/nightly')).out).toMatch(
      /^one\/nightly: resumed; [34] slots skipped while nothing ran\n$/,
    )
    expect(new Set((await slots()).map((line) => line.split(' ')[1]))).toEqual(new Set(['skipped']))
    expect(await occurrenceStore(async (triggers) => (await triggers.memory(NIGHTLY))?.cursor)).toBeGreaterThan(
      Date.now() - DAY_MS,
    )
  })
})

describe('backfill', () => {
  const range = ['--from', '2026-03-05T00:00:00Z', '--to', '2026-03-08T07:00:00Z']
  async function history() {
    const made = project()
    await made.occurrenceStore((triggers) =>
      triggers.note(NIGHTLY, {
        occurrences: [
          slot('2026-03-05T07:30Z', 'ran', { runId: 'run-1' }),
          slot('2026-03-06T07:30Z', 'skipped', { reason: 'overlap' }),
        ],
        cursor: Date.parse('2026-03-09T00:00Z'),
      }),
    )
    return made
  }

  test('makes every slot of the time due, those that ran under another key; the end is not included', async () => {
    const { schedule, slots } = await history()
    const { code, out } = await schedule('backfill', 'one/nightly', ...range)
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.slice(0, 36))).toEqual([
      'one/nightly: 3 slots are due now',
      '  2026-03-05 02:30 America/New_York ',
      '  2026-03-06 02:30 America/New_York ',
      '  2026-03-07 02:30 America/New_York ',
      '`audience start` runs them, oldest f',
      '',
    ])
    expect(await slots()).toEqual([
      '2026-03-07T07 due',
      '2026-03-06T07#2 due',
      '2026-03-06T07 skipped',
      '2026-03-05T07#2 due',
      '2026-03-05T07 ran',
    ])
  })

  test('only what is missing; again it adds nothing', async () => {
    const { schedule, slots } = await history()
    const { out } = await schedule('backfill', 'one/nightly', ...range, '--only-missing')
    expect(out).toContain('one/nightly: 2 slots are due now, 1 has a run\n')
    expect(await slots()).toEqual([
      '2026-03-07T07 due',
      '2026-03-06T07#2 due',
      '2026-03-06T07 skipped',
      '2026-03-05T07 ran',
    ])
    const again = await schedule('backfill', 'one/nightly', ...range, '--only-missing')
    expect(again.out).toBe('one/nightly: 0 slots are due now, 2 were already due, 1 has a run\n')
    expect(await slots()).toHaveLength(4)
  })

  test('two commands at the same moment make each slot due once, and say so', async () => {
    const { schedule, slots } = await history()
    const ended = await Promise.all([1, 2].map(() => schedule('backfill', 'one/nightly', ...range)))
    const due = ended.map(({ out }) => Number(/(\d+) slots? (?:is|are) due now/.exec(out)?.[1]))
    const others = ended.map(({ out }) =>
      Number(/(?:process took (\d+) slot|(\d+) were already due)/.exec(out)?.slice(1).join('') ?? 0),
    )
    expect([due[0]! + due[1]!, others[0]! + others[1]!]).toEqual([3, 3])
    expect((await slots()).filter((line) => line.endsWith(' due'))).toHaveLength(3)
  })

  test('is taken back where it is still due; what has a run keeps it', async () => {
    const { schedule, occurrenceStore, slots } = await history()
    await schedule('backfill', 'one/nightly', ...range)
    await occurrenceStore((triggers) =>
      triggers.note(NIGHTLY, { occurrences: [slot('2026-03-07T07:30Z', 'ran', { runId: 'run-2' })] }),
    )
    const { code, out } = await schedule('backfill', 'one/nightly', ...range, '--withdraw')
    expect([code, out.split('\n').map((line) => line.slice(0, 48))]).toEqual([
      0,
      [
        'one/nightly: 2 slots that were due will not run',
        expect.stringMatching(/^ {2}2026-03-05 02:30 America\/New_York/),
        expect.stringMatching(/^ {2}2026-03-06 02:30 America\/New_York/),
        '',
      ],
    ])
    expect(await slots()).toEqual([
      '2026-03-07T07 ran',
      '2026-03-06T07#2 skipped',
      '2026-03-06T07 skipped',
      '2026-03-05T07#2 skipped',
      '2026-03-05T07 ran',
    ])
  })

  test('what ran as a backfill is not missing, and is not run under the same key again', async () => {
    const { schedule, occurrenceStore, slots } = await history()
    await occurrenceStore((triggers) =>
      triggers.note(NIGHTLY, {
        occurrences: [{ ...slot('2026-03-06T07:30Z', 'ran', { runId: 'run-2' }), key: '2026-03-06T07:30:00.000Z#2' }],
      }),
    )
    const { out } = await schedule('backfill', 'one/nightly', ...range, '--only-missing')
    expect(out).toContain('1 slot is due now, 2 have a run')
    await schedule('backfill', 'one/nightly', '--from', '2026-03-06', '--to', '2026-03-07')
    expect((await slots()).filter((line) => line.startsWith('2026-03-06'))[0]).toBe('2026-03-06T07#3 due')
  })

  describe('takes days by the clock of the schedule, not by that of this machine, and names the slots', () => {
    const night = (zone: string, exclude = '') =>
      document('late', trigger('night', `cron: 30 23 * * *, timezone: ${zone}${exclude}`))
    test.each([
      ['America/New_York', '2026-11-10', '2026-11-11', ['2026-11-11T04:30']],
      ['Asia/Tokyo', '2026-11-10', '2026-11-11', ['2026-11-10T14:30']],
      ['Pacific/Kiritimati', '2026-11-10', '2026-11-12', ['2026-11-10T09:30', '2026-11-11T09:30']],
      ['America/New_York', '2026-11-10T23:31', '2026-11-11T23:31', ['2026-11-12T04:30']],
      ['America/New_York', '2026-11-10T00:00Z', '2026-11-11T00:00:00Z', ['2026-11-10T04:30']],
      // The slot of the 30th comes after the gap, at 00:00 on the 31st.
      ['America/Nuuk', '2024-03-30', '2024-03-31', ['2024-03-31T01:00']],
      ['America/Nuuk', '2024-03-31', '2024-04-01', ['2024-04-01T00:30']],
    ])('%s from %s to %s', async (zone, from, to, expected) => {
      const { write, schedule, occurrenceStore } = project()
      write('late.yaml', night(zone))
      const { out } = await schedule('backfill', 'late/night', '--from', from, '--to', to)
      const due = await occurrenceStore((triggers) => triggers.list({ pipeline: 'late', trigger: 'night', limit: 9 }))
      expect(due.map(({ at }) => new Date(at).toISOString().slice(0, 16)).sort()).toEqual(expected)
      expect(out.match(new RegExp(`^  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d ${zone}`, 'gm'))).toHaveLength(expected.length)
      const back = await schedule('backfill', 'late/night', '--from', from, '--to', to, '--withdraw')
      expect(back.out).toContain(`${expected.length === 1 ? '1 slot that was' : '2 slots that were'} due will not run`)
    })

    test('each schedule by its own, and `next --after` too', async () => {
      const { write, schedule } = project()
      write(
        'late.yaml',
        document(
          'late',
          trigger('east', 'cron: 30 0 * * *, timezone: Asia/Tokyo'),
          trigger('west', 'cron: 30 0 * * *, timezone: America/New_York'),
        ),
      )
      const { json } = await schedule('next', 'late', '--after', '2026-11-10', '-n', '2', '--json')
      expect(json.map(({ local }) => local)).toEqual(['2026-11-10T00:30:00+09:00', '2026-11-10T00:30:00-05:00'])
      const { out } = await schedule('backfill', 'late', '--from', '2026-11-10', '--to', '2026-11-11')
      expect(out).toContain('  2026-11-10 00:30 Asia/Tokyo')
      expect(out).toContain('  2026-11-10 00:30 America/New_York')
    })

    test('a period that has not begun for one of them is refused before anything is withdrawn', async () => {
      const { write, schedule, occurrenceStore } = project()
      write(
        'late.yaml',
        document(
          'late',
          trigger('east', 'cron: 30 0 * * *, timezone: Pacific/Kiritimati'),
          trigger('west', 'cron: 30 0 * * *, timezone: Pacific/Pago_Pago'),
        ),
      )
      const EAST = { pipeline: 'late', trigger: 'east' }
      const at = Date.now() + 8 * DAY_MS
      const due = { key: new Date(at).toISOString(), at, state: 'due' as const }
      await occurrenceStore((triggers) => triggers.note(EAST, { occurrences: [due] }))
      // This local time is already past only in the east.
      const from = new Date(Date.now() + 13 * HOUR_MS).toISOString().slice(0, 16)
      const to = new Date(Date.now() + 9 * DAY_MS).toISOString().slice(0, 10)
      const withdrawn = schedule('backfill', 'late', '--from', from, '--to', to, '--withdraw')
      await expect(withdrawn).rejects.toMatchObject({ code: 'bad-range', message: '--from is in the future' })
      expect(await occurrenceStore((triggers) => triggers.list({ ...EAST, limit: 9 }))).toMatchObject([due])
    })

    test('of many slots, the first and the last are named', async () => {
      const { schedule } = project()
      const { out } = await schedule('backfill', 'one/hourly', '--from', '2026-03-01', '--to', '2026-03-31')
      expect(out).toContain('  2026-03-01 00:00 UTC')
      expect(out).toMatch(/ {2}and 101 more, the last one 2026-03-30 18:00 UTC/)
    })
  })

  test('leaves excluded days out', async () => {
    const { schedule } = project()
    const { out } = await schedule('backfill', 'two', '--from', '2026-03-07', '--to', '2026-03-28')
    expect(out).toContain('two/weekly: 2 slots are due now, 1 is on excluded days\n')
  })
})

test.each([
  [['next', 'one/weekly'], /no document in .* has a schedule one\/weekly/],
  [['next', '--after', '2026-02-30'], /--after "2026-02-30" is not a time/],
  [['next', '--after', 'tomorrow'], /is not a time/],
  [['backfill', 'one', '--from', '2026-03-02', '--to', '2026-03-01'], /--to is not after --from/],
  [['backfill', 'one', '--from', '2999-01-01', '--to', '2999-01-02'], /--from is in the future/],
  [['backfill', 'one/hourly', '--from', '2000-01-01', '--to', '2026-01-01'], /more than 10,000 slots/],
])('%j is refused', async (args, message) => {
  const { schedule, slots } = project()
  await expect(schedule(...args)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringMatching(message) as unknown,
  })
  expect(await slots()).toEqual([])
})

describe('a schedule that no document has any more', () => {
  const OLD = { pipeline: 'one', trigger: 'old' }
  const MESSAGE =
    '2 slots are due, but no valid document has this schedule any more; nothing runs them until a document has the schedule again'
  const COMMAND =
    'audience schedule backfill one/old --from 2026-03-05T07:30:00.000Z --to 2026-03-06T07:31:00.000Z --withdraw'

  /** A project whose schedule `old` was renamed after a backfill. */
  async function renamed() {
    const made = project()
    await made.occurrenceStore((triggers) =>
      triggers.note(OLD, {
        occurrences: [
          slot('2026-03-04T07:30Z', 'ran', { runId: 'run-1' }),
          slot('2026-03-05T07:30Z', 'due'),
          slot('2026-03-06T07:30Z', 'due'),
        ],
      }),
    )
    return made
  }

  test('is listed as long as slots of it are due', async () => {
    const { schedule } = await renamed()
    expect((await schedule('list')).out).toContain(`one/old\n  ${MESSAGE}\n  ${COMMAND}\n`)
    const facts = { firstAt: '2026-03-05T07:30:00.000Z', lastAt: '2026-03-06T07:30:00.000Z' }
    expect((await schedule('list', '--json')).json).toContainEqual({
      ...{ ...OLD, due: 2, ...facts, message: MESSAGE, commands: [COMMAND] },
    })
    const { out } = await schedule('list', 'one/old')
    expect(out.split('\n').slice(0, 3)).toEqual(['one/old', `  ${MESSAGE}`, `  ${COMMAND}`])
    expect(out).toContain('run run-1')
    const { json } = await schedule('list', 'one/old', '--json')
    expect(json.map(({ at, state }) => `${at} ${state}`)).toEqual([
      '2026-03-06T07:30:00.000Z due',
      '2026-03-05T07:30:00.000Z due',
      '2026-03-04T07:30:00.000Z ran',
    ])
  })

  test('loses its due slots by the command that is shown, and is then unknown', async () => {
    const { schedule, slots } = await renamed()
    const { code, out } = await schedule(...COMMAND.split(' ').slice(2))
    expect([code, out.split('\n')[0]]).toEqual([0, 'one/old: 2 slots that were due will not run'])
    expect(await slots()).toEqual(['2026-03-06T07 skipped', '2026-03-05T07 skipped', '2026-03-04T07 ran'])
    expect((await schedule('list')).out).not.toContain('one/old')
    for (const command of [COMMAND.split(' ').slice(2), ['list', 'one/old']])
      await expect(schedule(...command)).rejects.toMatchObject({ code: 'unknown-schedule' })
  })

  test('can be named by its pipeline, with the days in UTC; a new backfill of it is refused', async () => {
    const { schedule, slots } = await renamed()
    const period = ['--from', '2026-03-06', '--to', '2026-03-07']
    await expect(schedule('backfill', 'one/old', ...period)).rejects.toMatchObject({ code: 'unknown-schedule' })
    expect((await schedule('backfill', 'one', ...period, '--withdraw')).out).toContain(
      'one/old: 1 slot that was due will not run\n',
    )
    expect((await slots()).filter((line) => line.endsWith(' due'))).toEqual(['2026-03-05T07 due'])
  })

  test('is not one that another profile runs, or that a name without slots stands for', async () => {
    const { schedule, write } = await renamed()
    write('one.yaml', document('one', '  - { id: old, profiles: [prod], schedule: { cron: 30 7 * * * } }'))
    write('../audience.yaml', 'profiles: { local: {}, prod: { baseUrl: "https://ads.example/p/1" } }\n')
    expect((await schedule('list')).out).not.toContain(MESSAGE)
    await expect(schedule('list', 'nobody')).rejects.toMatchObject({ code: 'unknown-schedule' })
  })
})
