import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { renderStatus } from '../../src/cli/views/render-status.ts'
import { writeTime } from '../../src/cli/views/write-time.ts'
import { serviceOf } from '../../src/config/choose-service.ts'
import { consoleSettings } from '../../src/config/console-config.ts'
import type { Settings } from '../../src/config/settings.ts'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import type { RunRecord } from '../../src/core/run.ts'
import { startHealthServer } from '../../src/daemon/health/start-health-server.ts'
import { acquireDaemonLock } from '../../src/daemon/lock/acquire-daemon-lock.ts'
import { writeDaemonInfo } from '../../src/daemon/lock/daemon-file.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { collectStatus } from '../../src/status/collect-status.ts'
import { around, aroundAt } from '../support/around.ts'
import { damageRecord } from '../support/damage-record.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const HOUR = 3_600_000

const DOCUMENT = `
version: 1
name: nightly
triggers:
  - id: night
    schedule: { cron: "0 2 * * *", timezone: America/New_York, exclude: { dates: [2026-11-23] } }
  - id: drop
    watch: { path: inbox, pattern: "*.csv", done: done, failed: failed }
steps:
  - id: ask
    uses: approval.wait
    with: {}
`

/** A project with a state that contains everything, and a function that shows its status at NOW. */
function project(
  documents: Readonly<Record<string, string>> = { 'nightly.yaml': DOCUMENT },
  sources: Settings['sources'] = {},
) {
  const folder = tempFolder()
  const settings: Settings = {
    profileName: 'local',
    values: { name: 'local', inputs: {}, file: undefined, known: undefined },
    profile: {},
    service: { kind: 'embedded', folder: join(folder, 'state/service') },
    state: join(folder, 'state'),
    shared: join(folder, 'state'),
    pipelines: join(folder, 'pipelines'),
    maxRuns: 1,
    policy: { ownEnv: [] },
    sources,
    lists: LIST_LIMITS,
    retention: { runsMs: 1, keep: 1, occurrencesMs: 1, auditMs: 1 },
    privacy: { suppress: [], membership: { kind: 'none' } },
    hosts: [],
    console: consoleSettings({}, '/'),
  }
  mkdirSync(settings.pipelines)
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(settings.pipelines, name), text)
  const open = () => {
    const state = openEmbeddedState({ folder: settings.state, redact: (text) => text, ...aroundAt(() => NOW) })
    onTestFinished(() => state.journal.close())
    return state
  }
  return {
    settings,
    open,
    look: () =>
      collectStatus(
        settings,
        aroundAt(() => NOW),
        { serviceFor: () => undefined, version: VERSION },
      ),
    async lines() {
      return renderStatus(
        await collectStatus(
          settings,
          aroundAt(() => NOW),
          { serviceFor: () => undefined, version: VERSION },
        ),
        (_, text) => text,
      )
    },
  }
}

/** The version of the command that shows the status. */
const VERSION = '1.2.3'

/** Records a run of `nightly`, with one record per hour, the first at NOW - 5 h. */
async function recordRun(
  { journal }: ReturnType<typeof openEmbeddedState>,
  runId: string,
  records: readonly RunRecord[],
): Promise<void> {
  const at = (seq: number) => NOW - 5 * HOUR + seq * HOUR
  const submission = { file: 'n.yaml', folder: '/', text: '', digest: '', inputs: {}, trigger: {} }
  await journal.submit({ runId, at: at(0), record: { type: 'run.submitted', pipeline: 'nightly', ...submission } })
  await journal.append(
    runId,
    records.map((record, index) => ({ seq: index + 1, at: at(index + 1), record })),
  )
}

const failed = (code: string, message: string) => ({ code, kind: 'failed', message }) as const
const started = (step: string) => ({ type: 'step.started', step, attempt: 1 }) as const

test('without a state and without a daemon it says so, and makes nothing', async () => {
  const { settings, look, lines } = project({})
  expect(await look()).toEqual({
    at: '2026-11-21T12:00:00.000Z',
    version: VERSION,
    service: { ...serviceOf(settings), synthetic: true },
    otherServices: [],
    state: settings.state,
    pipelines: settings.pipelines,
    daemon: { state: 'stopped' },
    runs: {
      ...{ queued: 0, running: 0, waiting: 0 },
      lastDay: { succeeded: 0, succeededInPart: 0, failed: 0, cancelled: 0 },
    },
    underWay: [],
    needsYou: [],
    partnerWaits: [],
    blocked: [],
    failures: [],
    moreFailures: { unlisted: 0, acknowledged: 0 },
    schedules: {
      next: [],
      paused: [],
      ahead: [],
      due: 0,
      lastDay: { ran: 0, outcomes: {}, skipped: 0, missed: 0, failed: 0, caughtUp: 0 },
      removed: [],
    },
    after: [],
    folders: [],
    sources: [],
    notifications: { pending: 0, failed: 0, mutes: [] },
    problems: [],
  })
  expect((await lines())[0]).toBe('daemon         not running; start it with: audience start')
  expect(existsSync(settings.state)).toBe(false)
})

test('a schedule that was decided by a clock that was ahead is told of', async () => {
  const { open, look, lines } = project()
  const { occurrences } = open()
  await occurrences.note({ pipeline: 'nightly', trigger: 'night' }, { cursor: NOW + 48 * HOUR })
  await occurrences.note({ pipeline: 'gone', trigger: 'night' }, { cursor: NOW + 48 * HOUR })
  expect((await look()).schedules.ahead).toEqual([
    { pipeline: 'nightly', trigger: 'night', decidedUntil: '2026-11-23T12:00:00.000Z' },
  ])
  const until = writeTime(NOW + 48 * HOUR)
  expect(await lines()).toContain(
    `  nightly/night has already decided about its slots until ${until}: the clock was ahead then, or is behind now`,
  )
  await occurrences.rewind({ pipeline: 'nightly', trigger: 'night' }, { from: NOW + 48 * HOUR, to: NOW + 1000 })
  expect((await look()).schedules.ahead).toEqual([])
})

test('due slots of a schedule that was renamed or removed are told of, with the command that skips them', async () => {
  const { open, look, lines } = project()
  const due = (at: number) => ({ key: new Date(at).toISOString(), at, state: 'due' as const })
  const { occurrences } = open()
  for (const ref of [
    { pipeline: 'nightly', trigger: 'old' },
    { pipeline: 'nightly', trigger: 'night' },
  ])
    await occurrences.note(ref, { occurrences: [due(NOW - 48 * HOUR), due(NOW - 24 * HOUR)] })
  // A waiting file is not a slot.
  await occurrences.note({ pipeline: 'gone', trigger: 'drop' }, { occurrences: [{ key: 'f', at: NOW, state: 'due' }] })
  const message =
    '2 slots are due, but no valid document has this schedule any more; nothing runs them until a document has the schedule again'
  const command =
    'audience schedule backfill nightly/old --from 2026-11-19T12:00:00.000Z --to 2026-11-20T12:01:00.000Z --withdraw'
  expect((await look()).schedules.removed).toEqual([
    {
      ...{ pipeline: 'nightly', trigger: 'old', due: 2, message, commands: [command] },
      ...{ firstAt: '2026-11-19T12:00:00.000Z', lastAt: '2026-11-20T12:00:00.000Z' },
    },
  ])
  const told = await lines()
  expect(told.slice(told.indexOf('removed'))).toEqual(
    expect.arrayContaining([`  nightly/old: ${message}`, `    ${command}`]),
  )
})

test('a run that waits for a partner says so, and for whom', async () => {
  const { open, look, lines } = project()
  const wait = { type: 'job.status', step: 'match', jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0 } as const
  await recordRun(open(), 'r1', [started('match'), { ...wait, counterpart: 'partner 2005' }])
  const { partnerWaits, underWay } = await look()
  const since = '2026-11-21T09:00:00.000Z'
  const counterpart = 'partner 2005'
  expect(partnerWaits).toEqual([{ runId: 'r1', pipeline: 'nightly', step: 'match', counterpart, since }])
  expect(underWay).toMatchObject([{ runId: 'r1', partnerWaits: { steps: 1, partners: 1, counterpart, since } }])
  const told = await lines()
  expect(told).toContain('  r1  match waits for partner 2005, for 3 h 00 min')
  expect(told).toContainEqual(
    expect.stringMatching(/^ {2}r1 {2}nightly, for 5 h 00 min, waits for partner 2005, process /),
  )
})

test('runs that need a person come with the commands to give', async () => {
  const { open, look, lines } = project()
  const state = open()
  await recordRun(state, 'r1', [
    started('ask'),
    { type: 'step.waiting', step: 'ask', reason: 'approval', error: failed('approval-needed', 'go?') },
  ])
  await recordRun(state, 'r2', [
    { ...started('each'), index: 3 },
    { type: 'step.waiting', step: 'each', index: 3, reason: 'decision', error: failed('outcome-unknown', 'no answer') },
  ])
  const { runs, needsYou } = await look()
  expect(runs).toMatchObject({ waiting: 2, running: 0 })
  expect(needsYou).toEqual([
    {
      ...{ runId: 'r2', pipeline: 'nightly', step: 'each', index: 3, reason: 'decision', message: 'no answer' },
      startedAt: '2026-11-21T08:00:00.000Z',
      commands: ["audience runs resume r2 --step 'each[3]' --done", "audience runs resume r2 --step 'each[3]' --again"],
    },
    {
      ...{ runId: 'r1', pipeline: 'nightly', step: 'ask', reason: 'approval', message: 'go?' },
      startedAt: '2026-11-21T08:00:00.000Z',
      commands: ['audience runs approve r1 ask', 'audience runs approve r1 ask --reject'],
    },
  ])
  expect(await lines()).toEqual(expect.arrayContaining(['  r1  nightly  ask: go?', '    audience runs approve r1 ask']))
})

test('a decision that no process has acted on comes with the command that does', async () => {
  const { open, look, lines } = project()
  const state = open()
  await recordRun(state, 'r1', [
    started('ask'),
    { type: 'step.waiting', step: 'ask', reason: 'approval', error: failed('approval-needed', 'go?') },
  ])
  await state.journal.release(['r1'])
  await state.journal.send('r1', {
    kind: 'decide',
    ref: { step: 'ask' },
    decision: 'rejected',
    by: 'ann',
    comment: 'no',
  })
  expect((await look()).needsYou).toMatchObject([
    { runId: 'r1', sent: { decision: 'rejected', by: 'ann', comment: 'no' }, commands: ['audience runs resume r1'] },
  ])
  expect(await lines()).toContain('  r1  nightly  ask: rejected by ann: "no"; this waits until the run is resumed')
})

test('status lists a run with damaged records, and all other runs', async () => {
  const { settings, open, look } = project()
  const state = open()
  const asks: RunRecord = {
    type: 'step.waiting',
    step: 'ask',
    reason: 'approval',
    error: failed('approval-needed', 'go?'),
  }
  for (const runId of ['r1', 'r2', 'r3'])
    await recordRun(state, runId, [started('ask'), ...(runId === 'r3' ? [] : [asks])])
  await state.journal.release(['r1', 'r2', 'r3'])
  for (const runId of ['r2', 'r3']) damageRecord(join(settings.state, 'runs.db'), runId, 1)
  const unreadable = { reason: 'orphaned', message: 'its records cannot be read', commands: ['audience state check'] }
  expect((await look()).needsYou).toMatchObject([
    { runId: 'r3', ...unreadable },
    { runId: 'r2', ...unreadable },
    { runId: 'r1', step: 'ask', message: 'go?' },
  ])
})

test('what ended in the last day is counted, and what failed is named with its step', async () => {
  const { open, look, lines } = project()
  const state = open()
  await recordRun(state, 'good', [{ type: 'run.finished', status: 'succeeded' }])
  await recordRun(state, 'bad', [
    { type: 'run.finished', status: 'failed', error: { ...failed('rejected', 'no such group'), step: 'match' } },
  ])
  await recordRun(state, 'partly', [{ type: 'run.finished', status: 'succeeded', failures: 20, failuresOf: 20 }])
  const { runs, failures } = await look()
  expect(runs.lastDay).toEqual({ succeeded: 2, succeededInPart: 1, failed: 1, cancelled: 0 })
  const shown = await lines()
  expect(shown).toContain('last day       2 succeeded (1 with items that failed), 1 failed, 0 cancelled')
  expect(shown).toContain('    audience runs show bad')
  expect(failures).toEqual([
    {
      ...{ failures: 1, firstAt: '2026-11-21T08:00:00.000Z' },
      runId: 'bad',
      pipeline: 'nightly',
      finishedAt: '2026-11-21T08:00:00.000Z',
      step: 'match',
      message: 'no such group',
    },
  ])
})

test('the next slots are those of the schedules, without days off and paused ones', async () => {
  const { open, look, lines } = project()
  const { next } = (await look()).schedules
  expect(next.map(({ at, local }) => [at, local])).toEqual([
    ['2026-11-22T07:00:00.000Z', '2026-11-22 02:00 -05:00'],
    ['2026-11-24T07:00:00.000Z', '2026-11-24 02:00 -05:00'],
    ['2026-11-25T07:00:00.000Z', '2026-11-25 02:00 -05:00'],
    ['2026-11-26T07:00:00.000Z', '2026-11-26 02:00 -05:00'],
    ['2026-11-27T07:00:00.000Z', '2026-11-27 02:00 -05:00'],
  ])
  expect(await lines()).toContain('  2026-11-22 02:00 America/New_York  nightly/night, in 19 h 00 min')
  await open().occurrences.pause({ pipeline: 'nightly', trigger: 'night' }, NOW - HOUR)
  const { schedules } = await look()
  expect(schedules).toMatchObject({
    next: [],
    paused: [{ pipeline: 'nightly', trigger: 'night', since: '2026-11-21T11:00:00.000Z' }],
  })
})

test('a schedule that runs each minute hides no other', async () => {
  const scheduled = (name: string, cron: string) =>
    `version: 1\nname: ${name}\ntriggers: [{ id: at, schedule: { cron: "${cron}" } }]\nsteps: [{ id: a, uses: groups.list }]\n`
  const { look } = project({
    'minute.yaml': scheduled('minute', '* * * * *'),
    'nightly.yaml': scheduled('nightly', '0 2 * * *'),
    'weekly.yaml': scheduled('weekly', '0 4 * * 1'),
  })
  const { next } = (await look()).schedules
  expect(next.map(({ pipeline, at }) => [pipeline, at])).toEqual([
    ['minute', '2026-11-21T12:01:00.000Z'],
    ['minute', '2026-11-21T12:02:00.000Z'],
    ['minute', '2026-11-21T12:03:00.000Z'],
    ['nightly', '2026-11-22T02:00:00.000Z'],
    ['weekly', '2026-11-23T04:00:00.000Z'],
  ])
})

test('slots and folders are counted', async () => {
  const { settings, open, look, lines } = project()
  const { occurrences: triggers } = open()
  await triggers.note(
    { pipeline: 'nightly', trigger: 'night' },
    {
      occurrences: [
        { key: 'a', at: NOW - HOUR, state: 'missed', reason: 'down' },
        { key: 'b', at: NOW, state: 'due' },
        { key: 'c', at: NOW - 30 * HOUR, state: 'skipped', reason: 'overlap' },
      ],
    },
  )
  await triggers.note(
    { pipeline: 'nightly', trigger: 'drop' },
    {
      occurrences: [
        { key: '1', at: NOW - HOUR, state: 'ran', runId: 'r1', open: true },
        { key: '2', at: NOW - HOUR, state: 'ran', runId: 'r2' },
        { key: '3', at: NOW - HOUR, state: 'failed', reason: 'empty' },
      ],
    },
  )
  await recordRun(open(), 'r2', [{ type: 'run.finished', status: 'failed' }])
  const { schedules, folders } = await look()
  expect(schedules).toMatchObject({ due: 1, lastDay: { ran: 0, skipped: 0, missed: 1, failed: 0 } })
  const path = join(settings.pipelines, 'inbox')
  expect(folders).toEqual([
    {
      pipeline: 'nightly',
      trigger: 'drop',
      path,
      open: 1,
      ignored: [],
      lastDay: { ran: 2, runFailed: 1, outcomes: { failed: 1, ran: 1 }, skipped: 0, failed: 1 },
    },
  ])
  expect(await lines()).toContain(
    `  ${path}  nightly/drop: 1 under way; last day 1 failed, 1 ran, 1 failed without a run`,
  )
  expect(await lines()).toContain('    audience files list')
})

test('a file that cannot be taken is named as long as it is there', async () => {
  const { settings, open, look, lines } = project()
  const { occurrences: triggers } = open()
  const inbox = join(settings.pipelines, 'inbox')
  mkdirSync(inbox, { recursive: true })
  writeFileSync(Buffer.concat([Buffer.from(`${inbox}/caf`), Buffer.from([0xe9]), Buffer.from('.csv')]), 'x')
  const ignored = (name: string) => ({
    ...{ key: `ignored ${name}`, at: NOW - 40 * HOUR, state: 'failed', reason: 'its name is not UTF-8' },
    detail: { name, file: join(inbox, name), ignored: true },
  })
  await triggers.note(
    { pipeline: 'nightly', trigger: 'drop' },
    { occurrences: [ignored('caf\ufffd.csv'), ignored('gone\ufffd.csv')] as never },
  )
  const file = join(inbox, 'caf\ufffd.csv')
  expect((await look()).folders).toMatchObject([{ ignored: [{ file, reason: 'its name is not UTF-8' }] }])
  expect(await lines()).toContain(`    ignored: ${file}: its name is not UTF-8`)
})

test('folders whose files go round, or to one of two triggers by chance, say so', async () => {
  const watch = (name: string, path: string, pattern: string, done: string) =>
    `version: 1\nname: ${name}\ntriggers:\n  - id: drop\n    watch: { path: ${path}, pattern: "${pattern}", done: ${done}, failed: f }\nsteps:\n  - { id: list, uses: groups.list }\n`
  const { settings, open, look, lines } = project({
    'a.yaml': watch('a', 'in', '*.csv', 'two'),
    'b.yaml': watch('b', 'two', '*.csv', 'in'),
    'c.yaml': watch('c', './two', 'x*', 'three'),
    'd.yaml': watch('d', 'three', '*.csv', 'four'),
  })
  open()
  const two = join(settings.pipelines, 'two')
  const round = 'nothing is taken: files would move in a circle forever: '
  const chance = 'each file goes to one of them, by chance; give each its own folder or pattern'
  const { folders } = await look()
  expect(folders.map(({ pipeline, warnings }) => [pipeline, warnings])).toEqual([
    ['a', [`${round}a/drop → b/drop → a/drop`]],
    ['b', [`${round}b/drop → a/drop → b/drop`, `c/drop watches some of the same files of ${two}; ${chance}`]],
    ['c', [`b/drop watches some of the same files of ${two}; ${chance}`]],
    ['d', undefined],
  ])
  expect(await lines()).toContain(`    warning: ${round}a/drop → b/drop → a/drop`)
})

const fromPartner = (name: string, path: string) =>
  `version: 1\nname: ${name}\ntriggers:\n  - { id: drop, watch: { source: partner, path: "${path}", every: 1m, done: { move: done }, failed: { move: failed } } }\nsteps:\n  - { id: list, uses: groups.list }\n`

const PARTNER: Settings['sources'] = {
  partner: {
    kind: 'remote',
    at: { kind: 'sftp', host: 'sftp.example.com', user: 'acme', keyFile: '/key', knownHosts: '/known_hosts' },
  },
}

test('sources say what waits, and since when and why one fails, that one first', async () => {
  const { open, look, lines } = project(
    {
      'new.yaml': fromPartner('new', 'new/*.csv'),
      'nightly.yaml': fromPartner('nightly', 'incoming/*.csv'),
      'other.yaml': fromPartner('other', 'other/*.csv'),
    },
    PARTNER,
  )
  const { remote, occurrences } = open()
  const ref = (pipeline: string) => ({ pipeline, trigger: 'drop' })
  const look1 = { source: 'partner', at: NOW - 20_000, reachedAt: NOW - 20_000, waiting: 3 }
  const sets = [
    { name: '0412', since: NOW - HOUR, missing: ['b_0412.csv'], until: NOW + HOUR },
    { name: '0413', since: NOW, missing: [], until: NOW + HOUR },
  ]
  await remote.looked({ ...ref('nightly'), ...look1, path: 'incoming/*.csv', sets })
  await remote.begin({ ...ref('nightly'), ticket: '1-a', source: 'partner', path: 'incoming/a.csv', hint: '3 1' })
  const problem = {
    code: 'source-unreachable',
    message: 'the \u001b[2Jserver is gone',
    hint: 'check it',
    since: NOW - HOUR,
  }
  await remote.looked({ ...ref('other'), ...look1, path: 'other/*.csv', waiting: 0, reachedAt: NOW - HOUR, problem })
  // A look at the folder that the document used to name.
  await remote.looked({ ...ref('new'), ...look1, path: 'old/*.csv' })
  await occurrences.note(ref('nightly'), {
    occurrences: [{ key: '3', at: NOW - HOUR, state: 'failed', reason: 'empty' }],
  })
  const none = { ran: 0, runFailed: 0, outcomes: {}, skipped: 0, failed: 0 }
  const { sources } = await look()
  expect(sources.toSorted((a, b) => (a.pipeline < b.pipeline ? -1 : 1))).toEqual([
    { ...ref('new'), source: 'partner', path: 'new/*.csv', waiting: 0, open: 0, lastDay: none },
    {
      ...{ ...ref('nightly'), source: 'partner', path: 'incoming/*.csv', waiting: 3, open: 1 },
      ...{ lookedAt: '2026-11-21T11:59:40.000Z', reachedAt: '2026-11-21T11:59:40.000Z' },
      sets: [
        { name: '0412', missing: ['b_0412.csv'], until: '2026-11-21T13:00:00.000Z' },
        { name: '0413', missing: [], until: '2026-11-21T13:00:00.000Z' },
      ],
      lastDay: { ...none, failed: 1 },
    },
    {
      ...{ ...ref('other'), source: 'partner', path: 'other/*.csv', waiting: 0, open: 0, lastDay: none },
      ...{ lookedAt: '2026-11-21T11:59:40.000Z', reachedAt: '2026-11-21T11:00:00.000Z' },
      problem: { ...problem, since: '2026-11-21T11:00:00.000Z' },
    },
  ])
  const shown = await lines()
  const from = shown.indexOf('sources')
  expect(shown.slice(from)).toEqual([
    'sources',
    '  partner:other/*.csv  other/drop: 0 waiting, 0 under way, checked 20 s ago; last day none',
    `    source-unreachable since ${writeTime(NOW - HOUR)} (1 h 00 min): the \\x1b[2Jserver is gone; check it`,
    '  partner:incoming/*.csv  nightly/drop: 3 waiting, 1 under way, checked 20 s ago; last day 1 failed without a run',
    `    set 0412: b_0412.csv is missing, until ${writeTime(NOW + HOUR)}`,
    '  partner:new/*.csv  new/drop: 0 waiting, 0 under way, not checked yet; last day none',
  ])
})

test('slots that were made up for are counted beside those of the last day', async () => {
  const { open, look, lines } = project()
  const state = open()
  const occurrences = ['r1', 'r2'].map((runId, day) => ({
    key: `slot ${day}`,
    at: NOW - (5 + day) * 24 * HOUR,
    state: 'ran' as const,
    runId,
  }))
  await recordRun(state, 'r1', [])
  await recordRun(state, 'r2', [])
  await state.occurrences.note({ pipeline: 'nightly', trigger: 'night' }, { occurrences })
  expect((await look()).schedules.lastDay).toMatchObject({ ran: 0, caughtUp: 2 })
  expect((await lines()).join('\n')).toContain('last day 2 caught up from earlier days')
})

test('without a daemon, a run in the queue needs somebody too', async () => {
  const { open, look } = project()
  const { journal } = open()
  const record = {
    type: 'run.submitted',
    pipeline: 'nightly',
    file: 'n.yaml',
    folder: '/',
    text: '',
    digest: '',
  } as const
  await journal.submit({ runId: 'r1', at: NOW - HOUR, hold: true, record: { ...record, inputs: {}, trigger: {} } })
  await journal.release(['r1'])
  expect((await look()).needsYou).toMatchObject([
    { runId: 'r1', reason: 'orphaned', commands: ['audience runs resume r1'] },
  ])
})

test('a document that is not valid is named', async () => {
  const { settings, look, lines } = project({ 'bad.yaml': 'version: 1\nname: bad\nsteps: 7\n' })
  const { problems } = await look()
  expect(problems).toMatchObject([
    { file: join(settings.pipelines, 'bad.yaml'), messages: [expect.stringContaining('steps')] },
  ])
  const [line = ''] = (await lines()).filter((one) => one.includes('bad.yaml'))
  expect(line.split('bad.yaml')).toHaveLength(2)
})

test('a daemon that runs is asked how it is', async () => {
  const { settings, look, lines } = project()
  const lock = acquireDaemonLock(settings.state, {
    version: '1.2.3',
    now: NOW - 2 * HOUR,
    here: serviceOf(settings),
  })
  onTestFinished(() => lock.release())
  expect((await lines())[0]).toMatch(
    /^daemon {9}running since 2026-11-2\d \d\d:\d\d:\d\d \S+ \(2 h 00 min\), process \d+ on .*, version 1\.2\.3$/,
  )

  const other = renderStatus({ ...(await look()), version: '1.3.0' }, (_, text) => text)
  expect(other[1]).toBe('  restart: the daemon has version 1.2.3, but this command has version 1.3.0')

  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    health: {
      stalled: () => [],
      load: () => ({ runs: 1, waits: 40 }),
      stuck: () => ['r7'],
      checks: { service: () => 'refused' },
    },
    metrics: { contentType: 'text/plain', text: async () => '' },
    redact: (text) => text,
    clock: around.clock,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => server.close())
  lock.announce({ url: server.url })
  expect((await look()).daemon).toMatchObject({
    state: 'running',
    pid: process.pid,
    url: server.url,
    alive: true,
    notReady: [{ check: 'service', reason: 'refused' }],
    load: { runs: 1, waits: 40 },
    stuck: ['r7'],
  })
  expect((await lines()).slice(0, 2)).toEqual([
    expect.stringContaining(`${server.url}; working on 1 run, waiting for 40 jobs`),
    '  not ready: service: refused',
  ])
  await server.close()
  expect((await lines())[0]).toContain('it does not answer')
})

test('a daemon on a busy machine is waited for, and that is told', async () => {
  const { settings } = project()
  const lock = acquireDaemonLock(settings.state, { version: '1.2.3', now: NOW, here: serviceOf(settings) })
  onTestFinished(() => lock.release())
  const told = Promise.withResolvers<string>()
  const server = createServer(async (_request, response) => {
    await told.promise
    response.end('{"status":"alive","runs":1,"waits":40,"stuck":[]}')
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  lock.announce({ url })
  const { daemon } = await collectStatus(
    settings,
    aroundAt(() => NOW),
    {
      serviceFor: () => undefined,
      version: '1.2.3',
      notice: told.resolve,
    },
  )
  expect(daemon).toMatchObject({ alive: true, load: { runs: 1, waits: 40 } })
  expect(await told.promise).toBe(`waiting for audience start at ${url} to answer`)
})

test('a daemon that exited without a clean shutdown is not running', async () => {
  const { settings, open, lines } = project()
  open()
  writeDaemonInfo(settings.state, {
    pid: 4711,
    host: 'etl-1',
    startedAt: '2026-11-20T00:00:00.000Z',
    version: '1.2.3',
    ...serviceOf(settings),
  })
  expect((await lines())[0]).toContain(
    `not running: process 4711 on etl-1, started ${writeTime(Date.UTC(2026, 10, 20))}, exited without a clean shutdown`,
  )
})

test('failures of one kind are one entry, with the command that acknowledges them; then they are counted only', async () => {
  const { open, look, lines } = project()
  const state = open()
  for (const runId of ['r1', 'r2'])
    await recordRun(state, runId, [
      { type: 'run.finished', status: 'failed', error: failed('x', `job ${runId} failed`) },
    ])
  const { failures, moreFailures } = await look()
  const at = '2026-11-21T08:00:00.000Z'
  expect(failures).toEqual([
    { runId: 'r2', pipeline: 'nightly', message: 'job r2 failed', failures: 2, firstAt: at, finishedAt: at },
  ])
  expect(moreFailures).toEqual({ unlisted: 0, acknowledged: 0 })
  const told = (await lines()).join('\n')
  expect(told).toMatch(
    /r2 {2}nightly: job r2 failed\n {4}2 times, from .*\n.*\n {4}audience runs acknowledge r2 --comment …/,
  )
  await state.runs.acknowledge('r1', { by: 'Ana', comment: 'seen', at: NOW })
  expect((await look()).failures).toEqual([])
  expect((await lines()).join('\n')).toContain('1 kind of failures acknowledged: audience runs list --status failed')
})
