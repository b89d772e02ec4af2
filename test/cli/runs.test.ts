import { userInfo } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { fillRuns } from '../../bench/support/fill-runs.ts'
import { writeLocalTime, writeTime, zoneHere } from '../../src/cli/views/write-time.ts'
import { readRun } from '../../src/console/server/run-facts.ts'
import { CHILD_RUN } from '../../src/core/engine.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { RunRecord, RunTrigger, StoredRecord } from '../../src/core/run.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../support/around.ts'
import { commandLine } from '../support/command-line.ts'
import { damageRecord } from '../support/damage-record.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DOCUMENT = `version: 1
name: nightly
steps:
  - id: ask
    uses: approval.wait
  - id: list
    uses: groups.list
`
const MINUTE = 60_000
const YEAR = 366 * 24 * 60 * MINUTE
const NOON = new Date(2026, 10, 21, 12).getTime()
const ERROR = { code: 'rejected', kind: 'failed', message: 'the service refused it', step: 'list' } as const
const SLOT = { kind: 'schedule', id: 'night', date: '2026-11-21', time: '02:00', timezone: 'America/New_York' }

/** A state folder with the runs that are recorded here. */
function world() {
  const cwd = tempFolder()
  const folder = join(cwd, 'state')
  const open = () => openEmbeddedState({ folder, redact: (text) => text, ...around })
  return {
    ...{ folder, open },
    async record(
      runId: string,
      records: readonly RunRecord[],
      options: { trigger?: RunTrigger; inputs?: JsonObject; at?: number; pipeline?: string; text?: string } = {},
    ) {
      const { trigger = { kind: 'manual' }, inputs = {}, at = NOON, pipeline = 'nightly', text = DOCUMENT } = options
      const { journal } = open()
      const base = { pipeline, file: 'pipelines/nightly.yaml', folder: cwd, text, digest: '' }
      await journal.submit({ runId, at, record: { type: 'run.submitted', ...base, inputs, trigger } })
      await journal.append(
        runId,
        records.map((record, index): StoredRecord => ({ seq: index + 1, at: at + MINUTE, record })),
      )
      await journal.release([runId])
      journal.close()
    },
    runs: (...args: string[]) => commandLine(['runs', ...args], { cwd, env: { AUDIENCE_STATE: folder } }),
  }
}

const A = '20261121t120000-aaaaaaaaaa'
const B = '20261121t130000-abbbbbbbbb'
const C = '20261122t120000-cccccccccc'
const waits: RunRecord[] = [
  { type: 'step.started', step: 'ask', attempt: 1 },
  { type: 'step.waiting', step: 'ask', reason: 'approval', error: { ...ERROR, message: 'may it?' } },
]

describe('runs list', () => {
  test('says of each run when it started, what started it, with what, how long it took and how it ended', async () => {
    const { record, runs } = world()
    await record(A, [{ type: 'run.finished', status: 'failed', error: ERROR }], { trigger: SLOT, inputs: { min: 5 } })
    const partly = { type: 'run.finished', status: 'succeeded', failures: 2, failuresOf: 20 } as const
    const file = { kind: 'watch', id: 'drop', name: 'today.csv' }
    await record(B, [partly], { trigger: file, at: NOON + 60 * MINUTE, inputs: { min: 5, file: '/x/today.csv' } })
    await record(C, waits, { at: NOON + 24 * 60 * MINUTE, pipeline: 'other' })
    const { out } = await runs('list')
    const [head, ...lines] = out.trimEnd().split('\n')
    expect(head?.split(/ {2,}/)).toEqual([
      'run',
      `started (${zoneHere(NOON)})`,
      'pipeline',
      'started by',
      'inputs',
      'took',
      'status',
      'details',
    ])
    const cells = lines.map((line) => line.split(/ {2,}/))
    expect(cells[0]).toMatchObject([
      C,
      writeLocalTime(NOON + 24 * 60 * MINUTE),
      'other',
      'by hand',
      expect.any(String),
      'waiting',
      'ask waits for an approval',
    ])
    expect(cells[1]).toEqual([
      B,
      writeLocalTime(NOON + 60 * MINUTE),
      'nightly',
      'file today.csv',
      'file=today.csv, min=5',
      '1 min 00 s',
      'succeeded',
      '2 of 20 failed',
    ])
    expect(cells[2]).toEqual([
      A,
      writeLocalTime(NOON),
      'nightly',
      'slot 2026-11-21 02:00 of night (America/New_York)',
      'min=5',
      '1 min 00 s',
      'failed',
      'list: the service refused it',
    ])
  })

  test('says which step of which item waits, and that a decision was sent', async () => {
    const { record, runs } = world()
    const item = { step: 'release', index: 0, key: 'seg07', block: 'audience' }
    await record(A, [
      { type: 'step.started', ...item, attempt: 1 },
      { type: 'step.waiting', ...item, reason: 'approval', error: { ...ERROR, message: 'may it?' } },
    ])
    expect((await runs('list')).out).toContain('audience[seg07].release waits for an approval')
    await runs('approve', A, 'audience[seg07].release', '--by', 'ann')
    const { out } = await runs('list')
    expect(out).toContain('audience[seg07].release approved by ann; this waits until the run is resumed')
    expect(out).not.toContain('waits for an approval')
  })

  test.each([
    ['night', [A]],
    ['schedule', [A]],
    ['watch', [B]],
    ['manual', [C]],
    ['none', []],
  ])('can be narrowed to what started them: %s', async (name, expected) => {
    const { record, runs } = world()
    await record(A, [], { trigger: SLOT })
    await record(B, [], { trigger: { kind: 'watch', id: 'drop', name: 'today.csv' } })
    await record(C, [])
    const { out } = await runs('list', '--json', '--trigger', name)
    const ids = out.split('\n').filter(Boolean)
    expect(ids.map((line) => JSON.parse(line).runId)).toEqual(expected)
  })

  test('as JSON keep inputs of 64 bits as they are, beside all others', async () => {
    const { record, runs } = world()
    await record(A, [], { inputs: { groupId: 9_007_199_254_740_993n } })
    await record(C, [], { at: NOON + MINUTE, inputs: { groupId: 9001 } })
    const { code, out, err } = await runs('list', '--json')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect([...out.matchAll(/"inputs":(\{[^}]*\})/g)].map(([, inputs]) => inputs)).toEqual([
      '{"groupId":9001}',
      '{"groupId":9007199254740993}',
    ])
  })

  test('of a trigger finds runs that are further back than one look at the state goes', async () => {
    const { folder, record, runs } = world()
    fillRuns(folder, { runs: 20_001, waiting: 0, now: NOON })
    const trigger = { kind: 'watch', id: 'drop', name: 'a.csv' }
    for (const [age, runId] of [A, B].entries()) await record(runId, [], { trigger, at: NOON - (age + 2) * YEAR })
    const listed = async (...flags: string[]) => (await runs('list', '--trigger', 'drop', '--json', ...flags)).out
    expect([...(await listed()).matchAll(/"runId":"([^"]+)"/g)].map(([, id]) => id)).toEqual([A, B])
    expect((await listed('--limit', '1')).trim().split('\n')).toHaveLength(1)
  })

  test('can be narrowed to a time and to success in part, and --json has the counts of failures', async () => {
    const { record, runs } = world()
    const partly = { type: 'run.finished', status: 'succeeded', failures: 2, failuresOf: 20 } as const
    await record(A, [partly])
    await record(C, [partly], { at: NOON + 24 * 60 * MINUTE, inputs: { min: 5 } })
    const ids = async (since: string) =>
      (await runs('list', '--json', '--since', since)).out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    expect(await ids('2026-11-22')).toMatchObject([{ runId: C, inputs: { min: 5 } }])
    expect(await ids(new Date(NOON).toISOString())).toMatchObject([
      { runId: C, failures: 2, failuresOf: 20 },
      { runId: A, failures: 2, failuresOf: 20 },
    ])
    await record(B, [{ type: 'run.finished', status: 'succeeded' }])
    const inPart = (await runs('list', '--json', '--partial')).out
    expect([...inPart.matchAll(/"runId":"([^"]+)"/g)].map(([, id]) => id)).toEqual([C, A])
    const bad = await runs('list', '--since', 'yesterday')
    expect(bad).toMatchObject({ code: 2, err: expect.stringContaining('write it as 7d, 12h, 2026-03-08') })
  })
})

test('a failure is acknowledged with a comment, and those like it are listed', async () => {
  const { record, runs } = world()
  const fails = (message: string): RunRecord => ({
    type: 'run.finished',
    status: 'failed',
    error: { ...ERROR, message },
  })
  await record(A, [fails('job 7 failed')])
  await record(B, [fails('job 8 failed')])
  await record(C, [fails('no such file')])
  const like = (await runs('list', '--json', '--like', A)).out
  expect([...like.matchAll(/"runId":"([^"]+)"/g)].map(([, id]) => id)).toEqual([B, A])
  expect(await runs('acknowledge', A)).toMatchObject({ code: 2, err: expect.stringContaining('a comment is needed') })
  const seen = await runs('acknowledge', A, '--by', 'Ana', '--comment', 'the disk is full')
  expect(seen).toMatchObject({
    code: 0,
    out: expect.stringContaining('failures of nightly with the same kind of error as in'),
  })
  expect((await runs('show', B)).out).toMatch(/seen {8}.*by Ana.*the disk is full/)
  expect(JSON.parse((await runs('list', '--json', '--limit', '1')).out)).not.toHaveProperty('acknowledged')
  expect(await runs('list', '--like', 'nothing')).toMatchObject({ code: 2 })
})

test('list and show say that a run waits for a partner, and for whom', async () => {
  const { record, runs } = world()
  const asks = { type: 'job.status', jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0 } as const
  await record(A, [
    { type: 'step.expanded', step: 'each', items: ['x', 'y'] },
    { ...asks, step: 'match', index: 0, block: 'each', counterpart: 'partner 2005' },
    { ...asks, step: 'match', index: 1, block: 'each', counterpart: 'partner 2003' },
  ])
  await record(B, [
    { type: 'step.started', step: 'match', attempt: 1 },
    { ...asks, step: 'match' },
  ])
  const list = (await runs('list')).out
  expect(list).toMatch(/abbbbbbbbb .*running +waits for a partner/)
  expect(list).toMatch(/aaaaaaaaaa .*running +waits for 2 partners/)
  const shown = (await runs('show', A)).out
  expect(shown).toMatch(/running, waits for 2 partners {2}nightly/)
  expect(shown).toMatch(/each {2}running, waits for 2 partners/)
  expect(shown).toMatch(/each\[1\] .*running, waits for partner 2003/)
  const json = JSON.parse((await runs('list', '--json', '--limit', '1')).out)
  expect(json.partnerWaits).toMatchObject({ steps: 1, since: expect.stringMatching(/Z$/) })
})

test('a step that runs another pipeline says as its run does that this one waits for a partner', async () => {
  const { record, runs, open } = world()
  const child = (step: string, runId: string, index?: number): RunRecord[] => [
    { type: 'step.started', step, index, attempt: 1 },
    { type: 'effect.done', step, index, attempt: 1, name: CHILD_RUN, value: runId },
  ]
  await record(A, [
    ...child('one', B),
    { type: 'step.expanded', step: 'each', items: ['x'] },
    ...child('each', C, 0),
    ...child('other', '20261122t130000-dddddddddd'),
  ])
  const trigger = { kind: 'run', parent: A }
  const asks = { type: 'job.status', jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0 } as const
  for (const [runId, counterpart] of [
    [B, 'partner 2005'],
    [C, 'partner 2003'],
  ] as const)
    await record(runId, [{ ...asks, step: 'match', counterpart }], { trigger })
  const { out } = await runs('show', A)
  expect(out).toMatch(/running, waits for 2 partners {2}nightly/)
  expect(out).toMatch(/one {2,}running, waits for partner 2005/)
  expect(out).toMatch(/each {2,}running, waits for partner 2003/)
  expect(out).toMatch(/each\[0\] .*running, waits for partner 2003/)
  expect(out).toMatch(/other {2,}running\n|other {2,}running {2}/)
  const { runs: history, close } = open()
  const { run } = await readRun(history, A)
  await close()
  expect(run.steps.map(({ step, index, partnerWaits }) => [step, index, partnerWaits?.counterpart])).toEqual([
    ['one', undefined, 'partner 2005'],
    ['each', undefined, 'partner 2003'],
    ['each', 0, 'partner 2003'],
    ['other', undefined, undefined],
  ])
})

test('show has each input in full, on a line of its own', async () => {
  const { record, runs } = world()
  const folder = `/data/${'deep/'.repeat(20)}`
  await record(A, [], { inputs: { file: `${folder}today.csv`, min: 5, ids: ['a', 'b', 'c'] } })
  expect((await runs('show', A)).out).toContain(
    `inputs      file=${folder}today.csv\n            min=5\n            ids=["a","b","c"]\n`,
  )
})

test('runs list says when --limit leaves out older runs, and suggests the pipeline for a mistyped name', async () => {
  const { record, runs } = world()
  await record(A, [])
  await record(B, [], { at: NOON + 1 })
  const cut = await runs('list', '--limit', '1')
  expect(cut.out).not.toContain(A)
  expect(cut.err).toContain('older runs are left out: --limit 10 shows more')
  expect((await runs('list', '--limit', '2')).err).toBe('')
  expect((await runs('list', '--pipeline', 'nigtly')).err).toContain('did you mean nightly?')
})

describe('a run can be named', () => {
  test.each([
    ['latest', C],
    [C, C],
    ['20261121t12', A],
    ['abbb', B],
    ['cccc', C],
    ['bbbb', B],
  ])('by %s', async (name, runId) => {
    const { record, runs } = world()
    for (const [index, id] of [A, B, C].entries()) await record(id, [], { at: NOON + index })
    expect(JSON.parse((await runs('show', name, '--json')).out)).toMatchObject({ runId })
    expect((await runs('logs', name, '--json')).out).toContain(runId)
  })

  test('by a part that only one run has; otherwise the candidates are named', async () => {
    const { record, runs } = world()
    for (const id of [A, B, C]) await record(id, [])
    const { code, err } = await runs('show', '20261121')
    expect(code).toBe(2)
    expect(err).toContain(`"20261121" can mean more than one run: ${B}, ${A}`)
    expect(await runs('show', 'zzzz')).toMatchObject({ code: 2, err: expect.stringContaining('there is no run zzzz') })
    const { runs: empty } = world()
    expect(await empty('show', 'latest')).toMatchObject({ code: 2, err: expect.stringContaining('no run latest') })
  })
})

test('an id of fewer than 4 characters is refused, so a typo cancels no run', async () => {
  const { record, runs } = world()
  await record(A, waits)
  expect(await runs('cancel', 'aaa')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/"aaa" is too short .*at least 4 characters/s),
  })
})

test('retry and resume of a run that waits for an approval print the approve command', async () => {
  const { record, runs } = world()
  await record(A, waits)
  const approve = `audience runs approve ${A} ask, or audience runs approve ${A} ask --reject`
  expect((await runs('retry', A)).err).toContain(`ask waits for a person: ${approve}`)
  const resumed = await runs('resume', A, '--step', 'ask', '--done')
  expect(resumed).toMatchObject({ code: 2, err: expect.stringContaining(approve) })
})

test('a resumed run goes on after a doubt that a person ended earlier', async () => {
  const { record, runs } = world()
  await record(A, [
    { type: 'step.started', step: 'ask', attempt: 1 },
    { type: 'step.waiting', step: 'ask', reason: 'decision', error: ERROR },
    { type: 'decision.made', step: 'ask', decision: 'again' },
    { type: 'step.started', step: 'ask', attempt: 2 },
    { type: 'step.finished', step: 'ask', status: 'succeeded' },
    { type: 'step.started', step: 'list', attempt: 1 },
    { type: 'step.finished', step: 'list', status: 'succeeded', outputs: {} },
  ])
  const { code, out } = await runs('resume', A)
  expect({ code, last: out.trim().split('\n').at(-1) }).toMatchObject({
    code: 0,
    last: expect.stringContaining('succeeded'),
  })
})

const TWO = `version: 1
name: nightly
steps:
  - { id: ask, uses: groups.list, needs: [] }
  - { id: list, uses: groups.list, needs: [] }
  - { id: after, uses: groups.list, needs: [list] }
`

test('a run with a step in doubt ends when its other steps have, also if they began later', async () => {
  const { record, runs } = world()
  const doubt: RunRecord[] = [
    { type: 'step.started', step: 'ask', attempt: 1 },
    { type: 'step.started', step: 'list', attempt: 1 },
    { type: 'step.waiting', step: 'ask', reason: 'decision', error: ERROR },
  ]
  await record(A, doubt, { text: TWO })
  const { code, out } = await runs('resume', A)
  expect(code).toBe(1)
  expect(out).toMatch(/list: succeeded.*after: succeeded/s)
  expect(out).not.toContain('ask: succeeded')
})

test('latest is the newest run that no other run started, however many it started', async () => {
  const { record, runs } = world()
  await record(A, [])
  await record(B, [], { at: NOON + 1 })
  const child = { kind: 'run', runId: B, pipeline: 'nightly', step: 'child' } as const
  for (let n = 0; n < 60; n++) {
    const runId = `20261122t120000-${`${n}`.padStart(10, 'c')}`
    await record(runId, [], { at: NOON + 2 + n, trigger: child })
  }
  expect(JSON.parse((await runs('show', 'latest', '--json')).out)).toMatchObject({ runId: B })
})

describe('an approval', () => {
  const decided = (by: string) =>
    ({ type: 'decision.made', step: 'ask', decision: 'approved', by, comment: 'fine' }) as const

  test('says who gives it and why', async () => {
    const { record, runs } = world()
    await record(A, waits)
    const { out } = await runs('approve', 'latest', 'ask', '--comment', 'the figures are right')
    expect(out).toContain(`approved ask of ${A} by ${userInfo().username}: "the figures are right"`)
    expect(await runs('approve', A, 'ask')).toMatchObject({
      code: 2,
      err: expect.stringContaining('already has a decision about this step'),
    })
  })

  test('is taken only from an approver, and with a comment where it needs one', async () => {
    const { record, runs } = world()
    const [started, waiting] = waits
    await record(A, [
      started!,
      { ...waiting, approvers: ['ann', 'bo'], needsComment: true, timeoutMs: MINUTE } as RunRecord,
    ])
    const refused = await runs('approve', A, 'ask', '--comment', 'fine')
    expect(refused.code).toBe(2)
    expect(refused.err).toContain(`${userInfo().username} may not decide about step "ask"`)
    expect(refused.err).toContain('ask ann or bo')
    expect((await runs('approve', A, 'ask', '--by', 'ann', '--reject')).err).toContain('needs a comment')
    const waitsUntil = new Date(NOON + 2 * MINUTE).toISOString()
    expect(JSON.parse((await runs('show', A, '--json')).out)).toMatchObject({
      steps: [{ approval: { approvers: ['ann', 'bo'], needsComment: true, waitsUntil } }],
    })
    expect((await runs('approve', A, 'ask', '--by', 'bo', '--comment', 'fine')).out).toContain('by bo: "fine"')
  })

  test('is asked beside the figures of the last good run, and with the steps that follow', async () => {
    const { record, runs } = world()
    const text = `${DOCUMENT.replace('id: ask', 'id: ask\n    needs: [list]').replace('id: list', 'id: list\n    needs: []')}  - { id: send, uses: groups.list, needs: [ask] }\n`
    const counted = (matchCount: number): RunRecord[] => [
      { type: 'step.started', step: 'list', attempt: 1 },
      { type: 'step.finished', step: 'list', status: 'succeeded', outputs: { matchCount, groupId: 7 } },
    ]
    await record(C, [...counted(5201), ...waits], { at: NOON + 9 * MINUTE, text })
    const alone = await runs('show', C)
    expect(alone.out).toContain('there is no good run before it to compare with')
    await record(A, [...counted(5000), { type: 'run.finished', status: 'succeeded', outputs: {} }], { text })
    const { out } = await runs('show', C)
    expect(out).toMatch(/^then +after ask: send$/m)
    expect(out).toMatch(
      new RegExp(`^beside +the last good run ${A}\n +list.matchCount 5,201, in that run 5,000 \\(\\+4.0 %\\)$`, 'm'),
    )
    expect(out).not.toContain('groupId 7,')
    expect(JSON.parse((await runs('show', C, '--json')).out)).toMatchObject({
      followedBy: [{ step: 'ask', steps: ['send'] }],
      lastGood: { runId: A, figures: [{ step: 'list', name: 'matchCount', lastGood: 5000, thisRun: 5201 }] },
    })
    expect(JSON.parse((await runs('show', A, '--json')).out)).not.toHaveProperty('followedBy')
  })

  test('is shown with who gave it, when and why', async () => {
    const { record, runs } = world()
    await record(A, [...waits, decided('ana'), { type: 'cancel.requested', by: 'bo', comment: 'too late' }])
    const { out } = await runs('show', A)
    expect(out).toContain(`approved by ana at ${writeTime(NOON + MINUTE)}: "fine"`)
    expect(out).toContain(`${writeTime(NOON + MINUTE)} by bo: "too late"`)
    expect(JSON.parse((await runs('show', A, '--json')).out)).toMatchObject({
      steps: [{ decisions: [{ decision: 'approved', by: 'ana', comment: 'fine' }] }],
      cancelled: { by: 'bo', comment: 'too late' },
    })
  })

  test.each([
    ['a step that the run does not have', waits, 'aks', 'has no step "aks"', 'did you mean ask?'],
    [
      'a step that has not begun',
      waits,
      'list',
      'step "list" of run 20261121t120000-aaaaaaaaaa has not begun',
      'waits for an approval at ask',
    ],
    [
      'a step that does not wait',
      [{ type: 'step.started', step: 'list', attempt: 1 }],
      'list',
      'is not waiting: running',
      'runs show',
    ],
    [
      'a run that has ended',
      [{ type: 'run.finished', status: 'cancelled' }],
      'ask',
      'has ended: cancelled',
      'runs show',
    ],
    [
      'a step with its decision',
      [...waits, decided('ana')],
      'ask',
      'already has its decision: approved by ana',
      'runs show',
    ],
  ] as const)('for %s is refused with the reason', async (_, records, step, reason, hint) => {
    const { record, runs } = world()
    await record(A, records)
    const { code, err } = await runs('approve', A, step)
    expect(code).toBe(2)
    expect(err).toContain(reason)
    expect(err).toContain(hint)
  })
})

describe('a run with damaged records', () => {
  const damaged = async (seq: number) => {
    const { folder, record, runs } = world()
    await record(A, waits)
    await record(B, waits, { at: NOON + MINUTE, inputs: { min: 5 } })
    damageRecord(join(folder, 'runs.db'), B, seq)
    return runs
  }

  test.each([0, 1])('record %i: runs list has it and all others', async (seq) => {
    const runs = await damaged(seq)
    for (const flags of [[], ['--json']]) {
      const { code, out } = await runs('list', ...flags)
      expect({ code, lists: [A, B].map((runId) => out.includes(runId)) }).toEqual({ code: 0, lists: [true, true] })
    }
  })

  test('runs show and runs approve say what is wrong and what to do', async () => {
    const runs = await damaged(1)
    for (const args of [
      ['show', B],
      ['approve', B, 'ask'],
    ]) {
      const { code, err } = await runs(...args)
      expect(code).toBe(1)
      expect(err).toContain(`the records of run ${B} cannot be read`)
      expect(err).toContain('audience state check')
    }
  })
})

test('a run with a damaged message can still be approved', async () => {
  const { folder, record, runs } = world()
  await record(A, waits)
  const db = new DatabaseSync(join(folder, 'runs.db'))
  for (const data of ['{"kind":', 'null', '{"kind":"decide"}'])
    db.prepare('INSERT INTO messages (run_id, data) VALUES (?, ?)').run(A, data)
  db.close()
  expect((await runs('approve', A, 'ask')).code).toBe(0)
})

describe('runs watch', () => {
  test('shows a run until another process ends it; with --exit-status the code says how', async () => {
    const { open, record, runs } = world()
    await record(A, [{ type: 'step.started', step: 'list', attempt: 1 }])
    const watched = runs('watch', 'latest', '--exit-status')
    const { journal } = open()
    await journal.claim(A)
    const records: RunRecord[] = [
      { type: 'step.finished', step: 'list', status: 'failed', error: ERROR },
      { type: 'run.finished', status: 'failed', error: ERROR },
    ]
    await journal.append(
      A,
      records.map((one, index) => ({ seq: 2 + index, at: NOON, record: one })),
    )
    journal.close()
    const { code, out } = await watched
    expect(code).toBe(1)
    expect(out).toContain('list: failed')
    expect(out).toContain('failed in')
    expect((await runs('watch', A)).code).toBe(0)
  })
})
