import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { NotifyRules } from '../../src/core/notify-rule.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

let bench: NotifierBench
beforeEach(async () => {
  bench = notifierBench()
  bench.declare('nightly')
  await bench.outbox.begin()
})
afterEach(() => bench.close())

const sweep = (rules: NotifyRules = {}, channels?: readonly string[]) =>
  createSweep(bench.sweepDeps(rules, channels))(1000)
const ERROR = {
  code: 'rejected',
  kind: 'failed',
  message: 'the service refused it',
  hint: 'give a groupId',
  at: { file: 'pipelines/nightly.yaml', line: 31, column: 7 },
  step: 'match',
} as const

describe('a run of a trigger that fails', () => {
  test('is told with its step, place, error and what to do', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await bench.end('r1', 'failed', 100, ERROR)
    await sweep()
    expect(await bench.waiting()).toEqual([
      {
        key: 'failure/r1',
        event: 'failure',
        at: 100,
        pipeline: 'nightly',
        trigger: 'night',
        runId: 'r1',
        step: 'match',
        title: 'nightly failed at step "match"',
        error: ERROR,
        next: ['audience runs show r1', 'audience runs retry r1'],
      },
    ])
  })

  test('is told once, however often and from however many processes one looks', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await bench.end('r1', 'failed')
    const events = await bench.outbox.events(10)
    await Promise.all([sweep(), sweep()])
    await sweep()
    expect(await bench.waiting()).toHaveLength(1)
    expect(events).toHaveLength(1)
    expect(await bench.outbox.events(10)).toEqual([])
  })

  test('makes no notification if cancelled by a person or successful', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await bench.end('r1', 'cancelled')
    await bench.run('r2', { key: 'slot-2' })
    await bench.end('r2', 'succeeded')
    await sweep()
    expect(await bench.waiting()).toEqual([])
  })
})

describe('a run that went on although a guard warned', () => {
  const band = { low: 693, median: 866, high: 1039 }
  const warns = async (runId: string, verdict: 'warned' | 'good' = 'warned') => {
    const guards = [{ step: 'match', runs: ['n7', 'n1'], bands: [{ band }] }]
    await bench.append(
      runId,
      90,
      { type: 'last.noted', guards },
      {
        ...{ type: 'guard.measured', step: 'match', of: 'x', value: 167, verdict },
        ...(verdict === 'warned' && { breach: { limit: 'band', ...band } }),
      },
    )
    await bench.append(runId, 100, { type: 'run.finished', status: 'succeeded' })
  }

  test('is told with the value, the band and the runs that it was learned from', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await warns('r1')
    await bench.run('r2', { key: 'slot-2' })
    await warns('r2', 'good')
    await sweep()
    expect(await bench.waiting()).toEqual([
      {
        ...{
          key: 'warning/r1',
          event: 'warning',
          at: 100,
          pipeline: 'nightly',
          trigger: 'night',
          runId: 'r1',
          step: 'match',
        },
        title: 'nightly went on although a guard warned',
        error: {
          code: 'guard-warned',
          message:
            'match: 167 is outside 693 to 1,039, the band around 866 that was learned from 2 good runs, n1 to n7',
        },
        next: ['audience runs show r1'],
      },
    ])
  })

  test('is told without a trigger of a run that a program started', async () => {
    await bench.run('r1', { via: 'api' })
    await warns('r1')
    await sweep()
    expect((await bench.waiting()).map(({ key, trigger }) => [key, trigger])).toEqual([['warning/r1', undefined]])
  })

  test('is not told where a rule leaves it out, nor to who runs it by hand', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await warns('r1')
    await sweep({ on: ['failure'] })
    await bench.run('r2')
    await warns('r2')
    await sweep()
    expect(await bench.waiting()).toEqual([])
  })
})

describe('a run that succeeds although items of it failed', () => {
  const items = ['seg1', { id: 'seg2' }, 3]
  const error = { code: 'rejected', kind: 'failed', message: 'it is gone' } as const
  const endsPartly = async (runId: string) => {
    await bench.append(
      runId,
      90,
      { type: 'step.expanded', step: 'each', items },
      { type: 'step.finished', step: 'each', index: 0, status: 'succeeded' },
      { type: 'step.finished', step: 'each', index: 1, status: 'failed', error },
      { type: 'step.finished', step: 'each', index: 2, status: 'failed' },
      { type: 'step.finished', step: 'each', status: 'failed', error },
    )
    await bench.append(runId, 100, { type: 'run.finished', status: 'succeeded', failures: 2, failuresOf: 3 })
  }

  test('is told with how many, which and the first error', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await endsPartly('r1')
    await sweep()
    expect(await bench.waiting()).toMatchObject([
      {
        key: 'partial/r1',
        event: 'partial',
        title: 'nightly succeeded, but 2 of 3 failed: seg2, 3',
        step: 'each[1]',
        error,
        next: ['audience runs show r1', 'audience runs retry r1'],
      },
    ])
  })

  test('is told also if none of its records names what failed', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await bench.append('r1', 100, { type: 'run.finished', status: 'succeeded', failures: 1, failuresOf: 3 })
    await sweep()
    expect((await bench.waiting()).map(({ key, step }) => [key, step])).toEqual([['partial/r1', undefined]])
  })

  test('is not told where a rule leaves it out, and is a recovery all the same', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await bench.end('r1', 'failed', 50, ERROR)
    await bench.run('r2', { key: 'slot-2' })
    await endsPartly('r2')
    await sweep({ on: ['failure', 'recovery'] })
    expect((await bench.waiting()).map(({ key }) => key)).toEqual(['failure/r1', 'recovery/r2'])
  })
})

test.each(['api', 'detached'] as const)(
  'a run that nobody watches (%s) is told as one of a trigger, and so is what runs within it',
  async (via) => {
    await bench.run('r1', { via })
    await bench.end('r1', 'failed', 100, ERROR)
    await bench.run('r2', { via })
    await bench.run('child', { pipeline: 'inner', trigger: { kind: 'run', parent: 'r2', depth: 1 } })
    await wait('child', 'ask', 'approval')
    await bench.end('r2', 'succeeded', 100)
    await sweep()
    expect((await bench.waiting()).map(({ key }) => key)).toEqual(['failure/r1', 'approval/child/ask/2', 'recovery/r2'])
  },
)

test('a run that a person started on a terminal is that person’s business', async () => {
  await bench.run('r1')
  await bench.end('r1', 'failed', 100, ERROR)
  await bench.run('r2')
  await wait('r2', 'ask', 'approval')
  await sweep()
  expect(await bench.waiting()).toEqual([])
})

describe('recovery', () => {
  const events = async () =>
    (await bench.waiting()).map(({ event, runId, pipeline }) => `${event} ${pipeline} ${runId}`)
  const ended = async (
    runId: string,
    status: 'failed' | 'succeeded',
    options: { key?: string; pipeline?: string } = {},
  ) => {
    await bench.run(runId, options)
    await bench.end(runId, status)
  }

  test.each(['in one sweep', 'in a sweep each'])(
    'is the first success after a failure, also by hand: %s',
    async (how) => {
      const look = () => (how === 'in one sweep' ? undefined : sweep())
      await ended('r1', 'failed', { key: 'slot-1' })
      await look()
      await ended('r2', 'failed')
      await ended('other', 'succeeded', { pipeline: 'weekly' })
      await look()
      await ended('r3', 'succeeded')
      await look()
      await ended('r4', 'succeeded', { key: 'slot-4' })
      await sweep()
      expect(await events()).toEqual(['failure nightly r1', 'recovery nightly r3'])
    },
  )

  test('follows an occurrence of which no run could be made', async () => {
    await bench.occur('failed', 'slot-1', { reason: 'there is no input fiel' })
    await ended('r2', 'succeeded', { key: 'slot-2' })
    await sweep()
    expect(await events()).toEqual(['failure nightly undefined', 'recovery nightly r2'])
  })

  test('is not lost where nobody wants to hear of failures', async () => {
    await ended('r1', 'failed', { key: 'slot-1' })
    await ended('r2', 'succeeded', { key: 'slot-2' })
    await sweep({ on: ['recovery'] })
    expect(await events()).toEqual(['recovery nightly r2'])
  })
})

async function wait(runId: string, step: string, reason: 'approval' | 'decision', index?: number): Promise<void> {
  const ref = { step, ...(index !== undefined && { index }) }
  const error = { code: 'x', kind: 'failed', message: 'Send it?', hint: `\`audience …\`` } as const
  await bench.append(runId, 60, { type: 'step.started', ...ref, attempt: 1 })
  await bench.append(runId, 61, { type: 'step.waiting', ...ref, reason, error })
}

describe('a run of a trigger that waits for a person', () => {
  test('tells how to approve', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await wait('r1', 'ask', 'approval')
    await sweep()
    expect(await bench.waiting()).toMatchObject([
      {
        key: 'approval/r1/ask/2',
        event: 'approval',
        step: 'ask',
        title: 'nightly waits for an approval at step "ask"',
        error: { message: 'Send it?' },
        next: ['audience runs approve r1 ask', 'audience runs approve r1 ask --reject'],
      },
    ])
  })

  test('tells who may approve, until when, and that it takes a comment', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await bench.append('r1', 60, { type: 'step.started', step: 'ask', attempt: 1 })
    const terms = { approvers: ['ann', 'bob'], needsComment: true, timeoutMs: 3_600_000 } as const
    await bench.append('r1', 61, { type: 'step.waiting', step: 'ask', reason: 'approval', error: ERROR, ...terms })
    await sweep()
    expect(await bench.waiting()).toMatchObject([
      {
        title: expect.stringMatching(/at step "ask", by ann or bob, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/),
        next: ['audience runs approve r1 ask --comment WHY', 'audience runs approve r1 ask --reject --comment WHY'],
      },
    ])
  })

  test('tells how to decide, for each step, and again when it waits again', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await wait('r1', 'each', 'decision', 3)
    await wait('r1', 'activate', 'decision')
    await sweep()
    await bench.append('r1', 70, { type: 'decision.made', step: 'activate', decision: 'again' })
    await wait('r1', 'activate', 'decision')
    await sweep()
    expect((await bench.waiting()).map(({ key }) => key)).toEqual([
      'decision/r1/each[3]/2',
      'decision/r1/activate/4',
      'decision/r1/activate/7',
    ])
    expect((await bench.waiting()).map(({ page }) => page)).toEqual([
      'runs/r1?step=each&index=3',
      ...Array(2).fill('runs/r1?step=activate'),
    ])
    expect((await bench.waiting())[0]?.next).toEqual([
      'audience runs show r1',
      "audience runs resume r1 --step 'each[3]' --done",
      "audience runs resume r1 --step 'each[3]' --again",
    ])
  })

  test('is told also when it is a run within a run', async () => {
    await bench.run('parent', { key: 'slot-1' })
    await bench.run('child', { pipeline: 'inner', trigger: { kind: 'run', parent: 'parent', depth: 1 } })
    await wait('child', 'ask', 'approval')
    await bench.end('child', 'failed')
    await sweep()
    expect(await bench.waiting()).toEqual([])
    await bench.run('child2', { pipeline: 'inner', trigger: { kind: 'run', parent: 'parent', depth: 1 } })
    await wait('child2', 'ask', 'approval')
    await sweep()
    expect(await bench.waiting()).toMatchObject([{ key: 'approval/child2/ask/2', pipeline: 'inner', trigger: 'night' }])
  })

  test('but not when somebody has decided meanwhile', async () => {
    await bench.run('r1', { key: 'slot-1' })
    await wait('r1', 'ask', 'approval')
    await bench.append('r1', 70, { type: 'decision.made', step: 'ask', decision: 'approved' })
    await sweep()
    expect(await bench.waiting()).toEqual([])
  })
})

describe('an occurrence without a run', () => {
  test('missed: by the clocks of its schedule, with how to catch up', async () => {
    const at = Date.UTC(2026, 10, 21, 7)
    await bench.occur('missed', 'slot-1', { at, reason: 'down' })
    await sweep()
    expect(await bench.waiting()).toMatchObject([
      {
        key: 'missed/nightly/night/slot-1',
        event: 'missed',
        title: 'nightly missed its time 2026-11-21 02:00 America/New_York',
        error: { message: expect.stringContaining('was not running then') },
      },
    ])
    // The minute of the slot, not an empty range, which the command would refuse.
    expect((await bench.waiting())[0]?.next).toEqual([
      'audience schedule backfill nightly --from 2026-11-21T07:00:00.000Z --to 2026-11-21T07:01:00.000Z --only-missing',
    ])
  })

  test('a file that is ignored where it lies: what to do with it', async () => {
    const detail = { name: 'a.csv', file: '/inbox/a.csv', ignored: true }
    await bench.occur('failed', 'ignored a.csv', { trigger: 'drop', reason: 'its name is not UTF-8', detail })
    await sweep()
    expect(await bench.waiting()).toMatchObject([
      { event: 'failure', error: { hint: expect.stringContaining('rename it') } },
    ])
  })

  test('failed: a slot with its reason, a file by its name', async () => {
    await bench.occur('failed', 'slot-1', { at: Date.UTC(2026, 10, 21, 7), reason: 'there is no input fiel' })
    await bench.occur('failed', 'abc', { trigger: 'drop', reason: 'line 7: no e-mail', detail: { name: 'a.csv' } })
    await sweep()
    expect(await bench.waiting()).toMatchObject([
      {
        event: 'failure',
        title: 'no run of nightly could be made for 2026-11-21 02:00 America/New_York',
        page: 'schedules?pipeline=nightly&trigger=night',
        error: { message: 'there is no input fiel' },
        next: ['audience validate pipelines/nightly.yaml', 'audience run pipelines/nightly.yaml'],
      },
      {
        title: 'no run of nightly could be made for the file a.csv',
        page: 'files?pipeline=nightly&trigger=drop',
        error: { message: 'line 7: no e-mail', hint: expect.stringContaining('corrected') },
        next: [],
      },
    ])
  })

  test('of a pipeline that is not there any more', async () => {
    await bench.occur('missed', 'slot-1', { pipeline: 'removed', at: Date.UTC(2026, 10, 21, 7) })
    await sweep()
    expect(await bench.waiting()).toMatchObject([{ title: 'removed missed its time 2026-11-21 07:00 UTC' }])
  })
})

test('thousands of events are dealt with in one call', async () => {
  for (let from = 0; from < 1200; from += 600) {
    const occurrences = Array.from({ length: 600 }, (_, index) => ({
      key: `${from + index}`,
      at: 1,
      state: 'missed' as const,
    }))
    await bench.occurrences.note({ pipeline: 'nightly', trigger: 'night' }, { occurrences })
  }
  await sweep()
  expect(await bench.waiting()).toHaveLength(1200)
  expect(await bench.outbox.events(1)).toEqual([])
})

describe('who is told', () => {
  const told = async (notify: string | undefined, rules: NotifyRules) => {
    bench.declare('nightly', notify === undefined ? {} : { notify })
    await bench.run('r1', { key: 'slot-1' })
    await bench.end('r1', 'failed')
    await sweep(rules, ['ops', 'mail'])
    const waiting = new Map([
      ['ops', await bench.waiting('ops')],
      ['mail', await bench.waiting('mail')],
    ])
    return [...waiting].flatMap(([channel, messages]) => (messages.length > 0 ? [channel] : []))
  }
  test.each([
    ['all channels of everything, where nobody says otherwise', undefined, {}, ['ops', 'mail']],
    ['whom audience.yaml says', undefined, { to: ['mail'] }, ['mail']],
    ['of what audience.yaml says', undefined, { on: ['late'] }, []],
    ['whom the document says instead', '{ to: [ops] }', { to: ['mail'] }, ['ops']],
    ['of what the document says instead', '{ on: [failure] }', { on: ['late'], to: ['mail'] }, ['mail']],
    ['nobody, where the document wants that', '{ on: [] }', {}, []],
    ['the channels that there are', '{ to: [mail, gone] }', {}, ['mail']],
    ['those of audience.yaml rather than nobody', '{ to: [gone] }', { to: ['mail'] }, ['mail']],
  ] as const)('%s', async (_name, notify, defaults, channels) => {
    expect(await told(notify, defaults)).toEqual(channels)
  })
})

describe('the first route that fits says where a message goes', () => {
  const routes = [
    { on: ['approval'], to: ['desk'] },
    { severity: 'critical', owner: 'growth', to: ['oncall'] },
    { pipelines: ['night*y', 'a*b*c'], severity: 'warning', to: ['mail'] },
    { severity: 'error', to: ['ops', 'gone'] },
  ] as const
  const channels = ['ops', 'mail', 'desk', 'oncall', 'rest']

  test.each([
    ['by event', '', 'approval', ['desk']],
    ['by severity and owner', 'owner: growth\nnotify: { severity: critical }', 'failure', ['oncall']],
    ['only if all of it fits', 'owner: other\nnotify: { severity: critical }', 'failure', ['rest']],
    ['by name', 'notify: { severity: warning }', 'failure', ['mail']],
    ['where error is the severity of a document that says nothing', '', 'failure', ['ops']],
    ['unless the document says it', 'notify: { severity: warning, to: [desk] }', 'failure', ['desk']],
    ['unless the document leaves the event out', 'notify: { on: [recovery] }', 'failure', []],
  ] as const)('%s', async (_name, keys, event, told) => {
    bench.declare('nightly', { keys })
    await bench.run('r1', { key: 'slot-1' })
    if (event === 'approval') await wait('r1', 'ask', 'approval')
    else await bench.end('r1', 'failed')
    await sweep({ routes, to: ['rest'] }, channels)
    const waiting = await Promise.all(
      channels.map(async (name) => ((await bench.waiting(name)).length > 0 ? [name] : [])),
    )
    expect(waiting.flat()).toEqual(told)
  })

  test.each([
    ['abc', 'mail'],
    ['a1b2c', 'mail'],
    ['ab', 'rest'],
    ['ac', 'rest'],
    ['abcd', 'rest'],
    ['nighty', 'mail'],
    ['night', 'rest'],
  ])('a star stands for any characters: %s', async (name, channel) => {
    bench.declare(name, { keys: 'notify: { severity: warning }' })
    await bench.occur('missed', 'slot-1', { pipeline: name })
    await sweep({ routes, to: ['rest'] }, channels)
    expect(await bench.waiting(channel)).toMatchObject([{ pipeline: name, severity: 'warning' }])
  })
})

test('a notification has the owner and the severity that the document says', async () => {
  bench.declare('nightly', { keys: 'owner: growth\nnotify: { severity: critical }' })
  await bench.occur('missed', 'slot-1')
  await sweep()
  expect(await bench.waiting()).toMatchObject([{ owner: 'growth', severity: 'critical' }])
})

test('what people are not told of is dealt with, too; and where nothing is new, nothing is written', async () => {
  const run = { runId: 'r9', pipeline: 'nightly', why: 'stuck', since: 70 } as const
  const deps = { ...bench.sweepDeps(), unattended: () => [run] }
  const commitBatch = vi.fn(deps.outbox.commitBatch)
  const look = createSweep({ ...deps, outbox: { ...deps.outbox, commitBatch } })
  await look(1000)
  await bench.run('r1', { key: 'slot-1' })
  await bench.end('r1', 'succeeded')
  await look(1000)
  expect(await bench.outbox.events(10)).toEqual([])
  const written = commitBatch.mock.calls.length
  await look(1000)
  await look(1000)
  expect(commitBatch).toHaveBeenCalledTimes(written)
})

test('a channel that is not there is told once for each pipeline', async () => {
  const warn = vi.fn()
  bench.declare('nightly', { notify: '{ to: [ops, gone] }' })
  bench.declare('weekly', { notify: '{ to: [gone] }' })
  const look = createSweep({ ...bench.sweepDeps(), log: { warn } })
  for (const [key, pipeline] of Object.entries({ a: 'nightly', b: 'nightly', c: 'weekly' })) {
    await bench.occur('missed', key, { pipeline })
    await look(1000)
  }
  expect(warn.mock.calls.map(([facts]) => facts)).toEqual([
    { pipeline: 'nightly', channel: 'gone' },
    { pipeline: 'weekly', channel: 'gone' },
  ])
})

test('of a run that no process works on people are told once, also by the next process', async () => {
  const run = { runId: 'r1', pipeline: 'nightly', why: 'stuck', since: 70 } as const
  const look = () => createSweep({ ...bench.sweepDeps(), unattended: () => [run] })
  const sweepOnce = look()
  await sweepOnce(1000)
  await sweepOnce(2000)
  await look()(3000)
  expect(await bench.waiting()).toEqual([
    {
      key: 'stuck/r1',
      event: 'stuck',
      at: 70,
      pipeline: 'nightly',
      runId: 'r1',
      title: 'no process is working on a run of nightly',
      error: { code: 'stuck', message: expect.stringContaining('tries again') },
      next: ['audience status', 'audience state check'],
    },
  ])
})

describe('a step that waits for a partner', () => {
  const HOUR = 3_600_000
  const asks = (counterpart?: string) =>
    ({ type: 'job.status', step: 'match', jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0, counterpart }) as const
  const sweepAt = (at: number, rule: NotifyRules = {}) =>
    createSweep(bench.sweepDeps({ ...rule, partnerWaitsAfterMs: HOUR }))(at)

  beforeEach(async () => {
    await bench.run('r1', { key: 'slot-1' })
    await bench.append('r1', 10, asks('partner 2005'))
  })

  test('is told once, after the time, also by another process and after a restart', async () => {
    await sweepAt(HOUR)
    expect(await bench.waiting()).toEqual([])
    await sweepAt(HOUR + 10)
    await sweepAt(HOUR + 20)
    expect(await bench.waiting()).toEqual([
      {
        ...{ key: 'partnerWaits/r1/match/10', event: 'partnerWaits', at: 10, pipeline: 'nightly', trigger: 'night' },
        ...{ runId: 'r1', step: 'match', next: ['audience runs show r1'] },
        title: 'nightly waits for partner 2005 at step "match", since 1970-01-01 00:00:00 UTC',
      },
    ])
    await bench.outbox.delivered(
      (await bench.outbox.due('ops', 10 * HOUR, 9)).map(({ id }) => id),
      HOUR,
    )
    await bench.outbox.prune(10 * HOUR)
    // The process that takes over the run finds the same.
    await bench.append('r1', 2 * HOUR, asks('partner 2005'))
    await sweepAt(20 * HOUR)
    expect(await bench.waiting()).toEqual([])
  })

  test('is not told without a time, of a run that a person started, or after it has ended', async () => {
    await createSweep(bench.sweepDeps())(9 * HOUR)
    expect(await bench.waiting()).toEqual([])
    await bench.end('r1', 'cancelled')
    await bench.run('r2')
    await bench.append('r2', 10, asks())
    await sweepAt(9 * HOUR, { on: ['partnerWaits'] })
    expect(await bench.waiting()).toEqual([])
  })
})
