import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HumanDecision } from '../../src/core/run.ts'
import { documentAt } from '../../src/daemon/documents/document-at.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { configOf, envOf } from '../support/s3-server/config.ts'
import { type S3Server, startS3Server } from '../support/s3-server/s3-server.ts'
import { documents, type ExampleBench, folder, openExampleBench } from './support/example-bench.ts'

/** The bucket of `from-bucket.yaml`. */
let lake: S3Server
let bench: ExampleBench
/**
 * Only for an example that moves the clock of its service and makes it fail: other users of a shared service would be
 * affected.
 */
let ownBench: ExampleBench
beforeAll(async () => {
  lake = await startS3Server()
  bench = await openExampleBench({ sources: { lake: { kind: 'remote', at: configOf(lake) } }, env: envOf(lake) })
  ownBench = await openExampleBench()
})
afterAll(() => Promise.all([bench.close(), ownBench.close(), lake.stop()]))

/** Every document under pipelines/: how it is run, and what the service must have afterwards. */
const EXAMPLES: Readonly<Record<string, () => Promise<void>>> = {
  'quickstart.yaml': async () => {
    const { status, outputs, error } = await bench.run('quickstart.yaml')
    expect(status, error).toBe('succeeded')
    const { ActivationName, Status } = await bench.api.activations.get({ id: String(outputs.activationId) })
    expect({ ActivationName, Status }).toEqual({ ActivationName: 'Auto intenders', Status: 'Activated' })
  },

  'nightly.yaml': async () => {
    const first = await bench.run('nightly.yaml')
    expect(first.outputs, first.error).toMatchObject({ segment: 'created', match: 'created', activation: 'created' })
    const again = await bench.run('nightly.yaml')
    const { matchCount, activationId } = first.outputs
    const unchanged = { segment: 'unchanged', match: 'unchanged', activation: 'unchanged' }
    expect(again.outputs, again.error).toEqual({ ...unchanged, matchCount, activationId })
    const [match, ...more] = await matchesOf(
      'Auto intenders',
      ({ participantSegmentId }) => participantSegmentId === 'auto-intenders',
    )
    expect([match?.matchCount, more.length]).toEqual([matchCount, 0])

    writeFileSync(join(bench.scratch, 'one.csv'), 'email\nnobody@example.com\n')
    const lost = await bench.run('nightly.yaml', { given: ['file=one.csv'] })
    expect(lost.status).toBe('failed')
    expect(lost.error).toContain('too few to activate')
  },

  'dropped-file.yaml': async () => {
    cpSync(join(folder, 'data/travel-planners.csv'), join(bench.scratch, 'spring-list.csv'))
    const { outputs, error } = await bench.run('dropped-file.yaml', { given: ['file=spring-list.csv'] })
    expect(outputs, error).toMatchObject({ segment: 'spring-list', action: 'created' })
    const [match] = await matchesOf('spring-list')
    expect(match).toMatchObject({ participantSegmentId: 'dropped-spring-list', matchCount: outputs.matchCount })
    expect(await bench.peopleOf(match!.matchId)).toHaveLength(match!.matchCount!)

    writeFileSync(join(bench.scratch, 'empty.csv'), 'email\n')
    const empty = await bench.run('dropped-file.yaml', { given: ['file=empty.csv'] })
    expect(empty.error).toContain('empty.csv was not sent: it has a header and no rows')
  },

  'many-partners.yaml': async () => {
    const { outputs, error } = await bench.run('many-partners.yaml', {
      given: ['partners=2001,2006,2002,2003', 'minimumMatch=400'],
    })
    expect(error).toBeUndefined()
    const matches = await matchesOf('Travel planners')
    const counts = ['2001', '2002', '2003'].map((id) => matches.find((match) => match.matchApprover === id)?.matchCount)
    const [first, ...others] = counts
    expect(outputs.matchCounts, '2006 says no').toEqual([first, 0, ...others])
    const activated = await activationsNamed(/^Travel planners at /)
    const large = ['2001', '2002', '2003'].filter((_, index) => Number(counts[index]) >= 400)
    expect(large.length).toBeLessThan(3)
    expect(activated.sort()).toEqual(large.map((id) => `Travel planners at ${id}`))
  },

  'test-and-control.yaml': async () => {
    const { outputs, error } = await bench.run('test-and-control.yaml', { given: ['holdoutPercent=20'] })
    expect(outputs, error).toMatchObject({ activationStatus: 'Activated' })
    const [match] = await matchesOf('Travel planners, measured')
    const [all, control, rest] = await Promise.all([
      bench.peopleOf(match!.matchId),
      bench.peopleOf(match!.matchId, 'control'),
      bench.peopleOf(match!.matchId, 'test'),
    ])
    expect([...control, ...rest].sort()).toEqual(all)
    expect(control.length / all.length).toBeGreaterThan(0.1)
    expect(control.length / all.length).toBeLessThan(0.3)
  },

  'share.yaml': async () => {
    const { outputs, error } = await bench.run('share.yaml')
    expect(outputs, error).toEqual({ partner: 'Beacon Identity', status: 'SUCCESS' })
    const shared = await Array.fromAsync(bench.as(2008).items('segments.list', {}))
    expect(shared.map(({ segmentName }) => segmentName)).toEqual(['Travel planners, shared'])

    const refused = await bench.run('share.yaml', { given: ['partnerId=2007'] })
    expect(refused.error).toContain('Valley Out-of-Home does not accept shared segments')
  },

  'clean-up.yaml': async () => {
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    const old = Array.from({ length: 12 }, (_, index) => `clean-up-me-202001${10 + index}t020000-x7f3kq2mzp`)
    const kept = [`clean-up-me-${today}t020000-x7f3kq2mzp`, 'clean-up-me-not', 'clean-up-of-others-20200101t020000-x']
    await createSegments([...old, ...kept])
    const given = ['prefix=clean-up-me-']
    const dry = await bench.run('clean-up.yaml', { given: [...given, 'dryRun=true'] })
    expect(dry.outputs.old, dry.error).toHaveLength(12)
    expect(await identifiers('clean-up-')).toEqual([...old, ...kept].sort())
    const { status, error } = await bench.run('clean-up.yaml', { given })
    expect(status, error).toBe('succeeded')
    expect(await identifiers('clean-up-')).toEqual(kept.sort())

    const everything = await bench.run('clean-up.yaml', { given: ['prefix='] })
    expect(everything.error).toContain('a prefix of at least three characters')
  },

  'approval.yaml': async () => {
    const name = /^Travel planners, released$/
    const no = await bench.run('approval.yaml', { decide: async () => 'rejected' })
    expect([no.status, await activationsNamed(name)]).toEqual(['failed', []])
    const yes = await bench.run('approval.yaml', {
      decide: async () => {
        expect(await activationsNamed(name)).toEqual([])
        return 'approved'
      },
    })
    expect(yes.status, yes.error).toBe('succeeded')
    const waiting = yes.events.find(({ event }) => event === 'step.waiting')
    const message = `Activate ${yes.outputs.matchCount} people with group 9001?`
    expect(waiting).toMatchObject({ reason: 'approval', error: { message } })
    expect(await activationsNamed(name)).toHaveLength(1)
  },

  'from-parquet.yaml': async () => {
    const first = await bench.run('from-parquet.yaml')
    expect(first.outputs, first.error).toMatchObject({ segment: 'created', match: 'created' })
    const people = Number(first.outputs.people)
    expect(people).toBeGreaterThan(1000)
    // The next nights: the same people in another order, as Parquet and as CSV; then without a few of them.
    const sample = `read_parquet('${join(folder, 'data/customers.parquet')}')`
    const night = async (name: string, rows: string) => {
      await copyTo(join(bench.scratch, name), rows)
      return bench.run('from-parquet.yaml', { given: [`export=${name}`] })
    }
    const unchanged = { people, segment: 'unchanged', match: 'unchanged' }
    const again = await night('again.parquet', `FROM ${sample} ORDER BY since, hash(email)`)
    expect(again.outputs, again.error).toEqual(unchanged)
    const asCsv = await night(
      'again.csv',
      `SELECT since, consent, upper(email) AS email FROM ${sample} ORDER BY email DESC`,
    )
    expect(asCsv.outputs, asCsv.error).toEqual(unchanged)
    const fewer = await night('fewer.parquet', `FROM ${sample} WHERE hash(since, email) % 20 > 0`)
    expect(fewer.outputs, fewer.error).toMatchObject({ segment: 'refreshed', match: 'refreshed' })
    expect(Number(fewer.outputs.people)).toBeLessThan(people)
    const half = await night('half.parquet', `FROM ${sample} LIMIT 500`)
    expect(half.error).toContain('so the export is not complete')
  },

  'after-both.yaml': async () => {
    // Its own test, pipelines/after-both.test.yaml, has the runs that trigger it.
    const { status, error, outputs } = await bench.run('after-both.yaml', { given: ['people=1500'] })
    expect(status, error).toBe('succeeded')
    expect(outputs.people).toBe(1500)
    const few = await bench.run('after-both.yaml', { given: ['people=999'] })
    expect(few.error).toContain('only 999 customers')
  },

  'guarded.yaml': async () => {
    const [header, ...rows] = readFileSync(join(folder, 'data/auto-intenders.csv'), 'utf8').trim().split('\n')
    const strangers = Array.from({ length: 3000 }, (_, index) => `nobody${index}@example.com`)
    const held: string[] = []
    /** A night of a list whose rows have a new order. A person decides about each step that waits. */
    const night = async (list: readonly string[], decision?: HumanDecision) => {
      held.length = 0
      writeFileSync(join(bench.scratch, 'night.csv'), `${[header, ...list.toReversed()].join('\n')}\n`)
      return bench.run('guarded.yaml', {
        given: ['file=night.csv'],
        ...(decision && {
          decide: async ({ step, key, error }) => {
            held.push(`${step}${key === undefined ? '' : ` ${key}`}: ${error.message}`)
            expect(await activations(), 'nothing while it waits').toHaveLength(isLive ? 2 : 0)
            return decision
          },
        }),
      })
    }
    const activations = () => activationsNamed(/^Auto intenders, (CABLE|VOD_ACTIVE)$/)
    let isLive = false
    const first = await night(rows, 'approved')
    expect(first.status, first.error).toBe('succeeded')
    expect(held).toEqual([expect.stringMatching(/^release: Activate 3185 and 1949 people for the first time\?$/)])
    isLive = true
    expect(await activations()).toHaveLength(2)
    // After six more nights, the guards decide and nobody is asked.
    for (const count of [5200, 5200, 5150, 5150, 5150, 5150]) {
      const { status, error } = await night(rows.slice(0, count))
      expect(status, error).toBe('succeeded')
    }

    const lost = await night(rows.slice(0, 3500), 'rejected')
    expect(lost.error).toContain('step "list" was not approved')
    expect(held).toEqual([expect.stringMatching(/^list: 3,\d+ is outside 4,\d+ to 6,\d+, .* from 7 good runs, /)])
    expect(lost.events.some((event) => event.event === 'step.started' && event.step === 'upload')).toBe(false)

    const others = await night([...rows.slice(0, 2200), ...strangers], 'rejected')
    expect(others.error).toContain('was not approved: 0.2')
    // The two matches can end in any order.
    expect(held.toSorted()).toEqual([
      expect.stringMatching(/^match alliance: 0\.1\d+ is outside 0\.\d+ to 0\.4\d+, .* from 7 good runs, /),
      expect.stringMatching(/^match cable: 0\.2\d+ is outside 0\.4\d+ to 0\.7\d+, .* from 7 good runs, /),
    ])
    expect(others.events.some((event) => event.event === 'step.started' && event.step === 'activate')).toBe(false)

    // A list that is smaller on purpose: when it has been approved once, the next night passes.
    expect(await night(rows.slice(0, 3500), 'approved')).toMatchObject({ status: 'succeeded' })
    expect(held.map((one) => one.split(':')[0])).toEqual(['list'])
    expect(await night(rows.slice(0, 3550))).toMatchObject({ status: 'succeeded' })
  },

  'twenty-segments.yaml': async () => {
    const bench = ownBench
    cpSync(join(folder, 'data/segments'), join(bench.scratch, 'segments'), { recursive: true })
    const { pipeline } = loadPipeline({
      text: readFileSync(join(folder, 'twenty-segments.yaml'), 'utf8'),
      file: '',
      stepTypes,
    })
    const audiences = pipeline!.inputs.audiences!.default as unknown as { id: string; file: string; partner: bigint }[]
    const listOf = (id: string) => join(bench.scratch, 'segments', `${id}.csv`)
    const moved = audiences.map(({ id, partner }) => ({ id, file: listOf(id), partner: Number(partner) }))
    // The first night makes all twenty; the later nights use only these.
    const few = moved.filter(({ id }) => ['city-cars', 'compact-suvs', 'trade-ins', 'used-cars'].includes(id))
    /** The next night. The clock of the service advances by a day before the run. */
    const night = async (retry?: { readonly runId: string; readonly from?: string }, items = few) => {
      await bench.control('/clock/advance', { ms: 24 * 3_600_000 })
      const given = [`audiences=${JSON.stringify(items)}`]
      const run = await bench.run('twenty-segments.yaml', { given, ...(retry && { retry }) })
      const end = run.events.at(-1)
      const began = run.events.flatMap((event) => (event.event === 'step.started' ? (event.execution ?? []) : []))
      return { ...run, began, failures: end?.event === 'run.finished' ? end.failures : undefined }
    }
    /** The list of a segment with some of its rows. */
    const rows = readFileSync(listOf('used-cars'), 'utf8').trim().split('\n')
    const cut = (count: number) => writeFileSync(listOf('used-cars'), `${rows.slice(0, count + 1).join('\n')}\n`)
    const segments = async () => {
      const found = await Array.fromAsync(bench.api.items('segments.list', {}))
      return found.filter(({ participantSegmentId }) => participantSegmentId?.startsWith('twenty-'))
    }

    const first = await night(undefined, moved)
    expect(first.outputs, first.error).toMatchObject({ built: 20, failed: [] })
    expect(first.failures).toBeUndefined()
    expect(await segments()).toHaveLength(20)
    expect(await activationsNamed(/^[a-z-]+ at 200[123]$/, bench)).toHaveLength(20)

    // Nothing has changed: no job is started.
    const second = await night()
    expect(second.outputs, second.error).toMatchObject({ built: 4, failed: [] })
    expect(second.events.some(({ event }) => event === 'job.status')).toBe(false)

    // One list has changed, and the service refuses it: the others continue, and a retry repeats that one from the
    // failed step.
    cut(140)
    await bench.control('/faults', { operation: 'segments.refresh', nth: 1, action: 'status', status: 400 })
    const third = await night()
    expect([third.status, third.failures, third.outputs.built]).toEqual(['succeeded', 1, 3])
    expect(third.outputs.failed).toEqual([expect.stringMatching(/^used-cars, PUT .* 400/)])
    const retried = await night({ runId: third.runId })
    expect(retried.outputs, retried.error).toMatchObject({ built: 4, failed: [] })
    expect(retried.began).toEqual(['segment', 'match', 'activate'].map((step) => `audience[used-cars].${step}`))

    // One list has almost no people: it is compared with the same segment in the last good run, and not activated.
    cut(40)
    const fourth = await night()
    expect([fourth.status, fourth.failures]).toEqual(['succeeded', 1])
    expect(fourth.outputs.failed).toEqual([expect.stringMatching(/^used-cars, .*(lost more than half|people matched)/)])
    expect(fourth.began).not.toContain('audience[used-cars].activate')
    cut(150)
    const mended = await night({ runId: fourth.runId, from: 'audience[used-cars]' })
    expect(mended.outputs, mended.error).toEqual(second.outputs)
    expect(mended.began).toEqual(
      ['list', 'upload', 'segment', 'match', 'activate'].map((step) => `audience[used-cars].${step}`),
    )

    // Two failures are more than the pipeline allows.
    cut(0)
    writeFileSync(listOf('trade-ins'), 'email\n')
    const fifth = await night()
    expect(fifth.status).toBe('failed')
    expect(fifth.events.at(-1)).toMatchObject({ error: { step: 'audience[trade-ins].list' } })
    expect(await segments()).toHaveLength(20)
  },

  'from-bucket.yaml': async () => {
    const day = '2026-10-20'
    const none = await bench.run('from-bucket.yaml', { given: [`day=${day}`] })
    expect(none.error).toContain(`source lake has no file: no file matches for ${day}`)
    lake.bucket.put(`crm/${day}/part-1.parquet`, readFileSync(join(folder, 'data/customers.parquet')))
    const first = await bench.run('from-bucket.yaml', { given: [`day=${day}`] })
    expect(first.outputs, first.error).toMatchObject({ segment: 'created' })
    // The same people in another file are the same list.
    lake.bucket.put('crm/2026-10-21/export.parquet', readFileSync(join(folder, 'data/customers.parquet')))
    const again = await bench.run('from-bucket.yaml', { given: ['day=2026-10-21'] })
    expect(again.outputs, again.error).toEqual({ people: first.outputs.people, segment: 'unchanged' })
  },

  'from-sftp.yaml': async () => {
    const first = await bench.run('from-sftp.yaml')
    expect(first.outputs, first.error).toEqual({ buyers: 'created', lapsed: 'created' })
    const again = await bench.run('from-sftp.yaml')
    expect(again.outputs, again.error).toEqual({ buyers: 'unchanged', lapsed: 'unchanged' })
  },

  'nested.yaml': async () => {
    const { outputs, error } = await bench.run('nested.yaml')
    expect(error).toBeUndefined()
    expect(new Set(outputs.runs as string[]).size).toBe(2)
    const matches = [...(await matchesOf('auto-intenders')), ...(await matchesOf('travel-planners'))]
    expect(outputs.matchCounts).toEqual(matches.map(({ matchCount }) => matchCount))
  },
}

test('every example is tested', () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(documents.sort())
})

test.each(documents)('there is nothing wrong with %s, not even a warning', (name) => {
  const file = join(folder, name)
  const { diagnostics } = loadPipeline({ text: readFileSync(file, 'utf8'), file, stepTypes, readDocument: documentAt })
  expect(diagnostics).toEqual([])
})

test.concurrent.each(Object.entries(EXAMPLES))('%s does what it says', (_, example) => example())

type ListedMatch = Awaited<ReturnType<ExampleBench['api']['matches']['get']>>

/** The matches of the segments with a name, in the order in which they were made. */
async function matchesOf(
  segmentName: string,
  fits: (match: ListedMatch) => boolean = () => true,
): Promise<ListedMatch[]> {
  const matches = await Array.fromAsync(bench.api.items('matches.list', { requester: true, segmentName }))
  return matches.filter(fits)
}

async function activationsNamed(pattern: RegExp, { api }: Pick<ExampleBench, 'api'> = bench): Promise<string[]> {
  const activations = await Array.fromAsync(api.items('activations.list', {}))
  return activations.map(({ ActivationName }) => ActivationName ?? '').filter((name) => pattern.test(name))
}

/** The participantSegmentIds with a prefix, sorted. */
async function identifiers(prefix: string): Promise<string[]> {
  const segments = await Array.fromAsync(bench.api.items('segments.list', {}))
  return segments
    .map(({ participantSegmentId }) => participantSegmentId ?? '')
    .filter((id) => id.startsWith(prefix))
    .sort()
}

async function createSegments(participantSegmentIds: readonly string[]): Promise<void> {
  const { api, scratch } = bench
  const file = join(scratch, 'few.csv')
  writeFileSync(file, 'email\nnobody@example.com\n')
  const signal = { uploadSignal: 'EMAIL', resultContent: 'BGID' } as const
  const { name } = await api.files.upload({ file, ...signal })
  const input = { ...signal, segmentFileName: name, segmentName: 'Old', providerId: 1001 }
  const jobs = await Promise.all(
    participantSegmentIds.map((participantSegmentId) => api.segments.create({ ...input, participantSegmentId })),
  )
  await Promise.all(jobs.map(({ id }) => api.waitForJob(id!, { timeoutMs: 240_000 })))
}

async function copyTo(file: string, query: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (${query}) TO '${file}' (FORMAT ${file.endsWith('.csv') ? 'csv' : 'parquet'})`)
  connection.closeSync()
  instance.closeSync()
}
