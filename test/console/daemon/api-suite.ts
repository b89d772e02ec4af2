import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf } from '../../support/body-of.ts'
import { embeddedService } from '../../support/daemon.ts'
import { sql } from '../../support/sql.ts'
import { DOCUMENTS } from '../documents.ts'
import { type Answered, type ConsoleBench, TOKENS } from '../support/console-bench.ts'

/** The daemon takes a file seconds after the drop, so more frequent checks would only cost processor time. */
const SETTLES = { interval: 250 }

/** What the API of a console promises with any store. `open` starts a console with DOCUMENTS and this configuration. */
export function apiSuite(open: (config: string) => Promise<ConsoleBench>): void {
  /** The keys of the messages that people get. */
  const told: string[] = []
  const receiver = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const { notifications } = JSON.parse(String(body)) as { notifications: { key: string }[] }
    told.push(...notifications.map(({ key }) => key))
    response.end()
  })
  let bench: ConsoleBench
  /** Every answer that the tests of this file get. */
  const answers: string[] = []

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const started = await open(`notify: { channels: { ops: { webhook: { url: "${url}" } } } }`)
    const noted = async (answered: Promise<Answered>) => {
      answers.push((await answered).text)
      return answered
    }
    bench = {
      ...started,
      as: (...args) => noted(started.as(...args)),
      post: (...args) => noted(started.post(...args)),
      browse: (...args) => noted(started.browse(...args)),
    }
  })
  afterAll(async () => {
    await bench?.stop()
    receiver.close()
  })

  interface Run {
    readonly runId: string
    readonly status: string
    readonly submittedAt: string
    readonly startedBy?: string
  }

  /** Requests go to the workers in turn, and each worker reads a new document by itself. */
  const ofEach = async (ask: () => Promise<unknown>) => [await ask(), await ask()]

  async function start(inputs: object = {}, pipeline = 'ask'): Promise<string> {
    const { status, body } = await bench.post('operator', 'runs', { pipeline, inputs })
    expect([status, body.state]).toEqual([200, 'running'])
    return String(body.runId)
  }

  const runOf = async (runId: string) => (await bench.as('viewer', `runs/${runId}`)).body.run as Run
  const untilStatus = (runId: string, status: string) =>
    expect.poll(async () => (await runOf(runId)).status).toBe(status)
  const untilWaits = (runId: string, ref: string) =>
    expect
      .poll(async () =>
        ((await bench.as('viewer', `runs/${runId}`)).body.waits as { ref: string }[]).map((one) => one.ref),
      )
      .toEqual([ref])
  const acts = async (subject: string) => {
    const { body } = await bench.as('viewer', `audit?subject=${encodeURIComponent(subject)}`)
    const entries = body.entries as Record<string, unknown>[]
    return entries
      .toReversed()
      .map(({ by, role, act, detail, comment, outcome }) =>
        [by, role, act, detail, comment, outcome].filter((part) => part !== undefined).join(', '),
      )
  }
  const outcome = ({ status, body }: Answered) => `${status} ${body.code ?? ''}`

  test('a worker drains, is shown so, and takes runs again; alone it cannot', async () => {
    const list = async () => (await bench.as('viewer', 'workers')).body.workers as readonly Record<string, unknown>[]
    const post = (act: string, name: unknown) => bench.post('operator', `workers/${name}/${act}`, { reason: 'upgrade' })
    // A worker is listed a moment after its console answers.
    await expect.poll(async () => (await list()).length).toBe(bench.daemons.length)
    const [first = {}, other] = await list()
    if (!other) {
      expect(outcome(await post('drain', first.name))).toBe('409 state-is-folder')
      expect(outcome(await post('undrain', first.name))).toBe('409 state-is-folder')
      return
    }
    // Without runs, a worker of this bench would end at its next heartbeat.
    const busy = 'elsewhere:7'
    const { AUDIENCE_STATE: database } = bench.project.options.env
    await sql(
      database,
      `INSERT INTO audience.workers (executor, host, pid, version, protocol, queue, started_at, expires_at)
       SELECT 'busy', 'elsewhere', 7, version, protocol, queue, now(), now() + interval '1 hour'
       FROM audience.workers LIMIT 1`,
    )
    const draining = async () => (await list()).filter(({ drainingSince }) => drainingSince !== undefined)
    expect(outcome(await post('drain', 'nobody:1'))).toBe('404 unknown-worker')
    expect(outcome(await post('undrain', busy))).toBe('409 worker-not-draining')
    const { body } = await post('drain', busy)
    expect(body).toEqual({ name: busy, drainingSince: expect.stringMatching(/Z$/) })
    expect(await draining()).toMatchObject([{ name: busy, takes: 'all', drainingSince: body.drainingSince }])
    expect((await post('undrain', busy)).body).toEqual({ name: busy })
    expect(await draining()).toEqual([])
    await sql(database, `DELETE FROM audience.workers WHERE executor = 'busy'`)
  })

  test('mutes are made, shown and ended, and who did it is kept', async () => {
    const [pipelines, until] = ['growth_*', new Date(Date.now() + 3_600_000).toISOString()]
    const made = await bench.post('operator', 'mutes', { pipelines, until, reason: 'the partner moves' })
    expect(made.body).toEqual({ until })
    const muted = async () =>
      ((await bench.as('viewer', 'workers')).body.notifications as { mutes: readonly object[] }).mutes
    const mute = { pipelines, until, since: expect.any(String), by: 'the operator', comment: 'the partner moves' }
    expect(await muted()).toEqual([mute])
    const end = () => bench.post('operator', 'mutes/end', { pipelines })
    expect([(await end()).body, (await end()).body]).toEqual([{ ended: true }, { ended: false }])
    expect(await muted()).toEqual([])
    expect(outcome(await bench.post('operator', 'mutes', { pipelines: 'A B', until }))).toBe('400 bad-pipelines')
    expect(outcome(await bench.post('operator', 'mutes', { pipelines, until: '2026-01-01T00:00:00Z' }))).toBe(
      '400 bad-mute-end',
    )
    expect(outcome(await bench.post('operator', 'mutes', { pipelines: 'nothing', until }))).toBe('400 unknown-pipeline')
    expect((await acts(pipelines)).map((act) => act.replace(/until .* UTC/, 'until …'))).toEqual([
      'the operator, operator, notify.mute, until …, the partner moves, done',
      'the operator, operator, notify.unmute, done',
      'the operator, operator, notify.mute, bad-mute-end',
    ])
  })

  describe('a run', () => {
    test('is started once for an idempotency key of a caller, with integers to the last digit', async () => {
      const key = { 'idempotency-key': 'order-4711' }
      const asked = { pipeline: 'ask', inputs: { amount: '9007199254740993' } }
      const [first, second] = await Promise.all([
        bench.post('operator', 'runs', asked, key),
        bench.post('operator', 'runs', asked, key),
      ])
      expect([first.body.state, second.body.state].sort()).toEqual(['existing', 'running'])
      expect(first.body.runId).toBe(second.body.runId)
      const { inputs, run } = (await bench.as('viewer', `runs/${first.body.runId}`)).body as {
        inputs: object
        run: Run
      }
      expect(inputs).toMatchObject({ amount: '9007199254740993' })
      expect(run.startedBy).toBe('the operator')
      const changed = { ...asked, inputs: { amount: 2 } }
      expect(outcome(await bench.post('operator', 'runs', changed, key))).toBe('409 key-reused')
      // The same key from another caller counts as a different key.
      expect((await bench.post('approver', 'runs', changed, key)).body.state).toBe('running')
    })

    test('needs a pipeline that there is, and inputs that fit: each wrong field is named', async () => {
      expect(outcome(await bench.post('operator', 'runs', { pipeline: 'nobody' }))).toBe('404 unknown-pipeline')
      const { status, body } = await bench.post('operator', 'runs', {
        pipeline: 'ask',
        inputs: { amount: 'many', colour: 'red' },
      })
      expect([status, body.code]).toEqual([400, 'wrong-inputs'])
      expect(body.fields).toEqual({
        amount: 'the input amount must be an integer',
        colour: 'the pipeline ask has no such input',
      })
      expect(outcome(await bench.post('operator', 'runs', { pipeline: 'ask', colour: 'red' }))).toBe('400 bad-request')
      expect(outcome(await bench.post('operator', 'runs', { pipeline: 7 }))).toBe('400 bad-request')
      const text = '{"pipeline":"ask","inputs":{"__proto__":1}}'
      const headers = { 'content-type': 'application/json' }
      expect(outcome(await bench.as('operator', 'runs', { method: 'POST', text, headers }))).toBe('400 wrong-inputs')
      expect(outcome(await bench.as('viewer', 'runs?__proto__=1'))).toBe('400 bad-request')
    })

    test('takes only files of the pipelines folder and of watched folders, links followed', async () => {
      const { folder } = bench.project
      const pipelines = join(folder, 'pipelines')
      const write = (...names: string[]) => {
        const file = join(...names)
        writeFileSync(file, 'x\n')
        return file
      }
      mkdirSync(join(pipelines, '.hidden'))
      mkdirSync(join(pipelines, 'lists'))
      symlinkSync(join(folder, 'audience.yaml'), join(pipelines, 'lists/link.csv'))
      const refused = [
        join(folder, 'audience.yaml'),
        '../audience.yaml',
        'lists/link.csv',
        '/etc/passwd',
        write(pipelines, '.hidden/secret.csv'),
        join(folder, 'state/daemon.lock'),
        join(folder, 'state/console/console.key'),
      ]
      for (const file of refused) {
        const { body } = await bench.post('operator', 'runs', { pipeline: 'ask', inputs: { file } })
        expect([file, body.code, body.fields]).toEqual([
          file,
          'wrong-inputs',
          {
            file: 'the input file must name a file in the pipelines folder or in a watched folder, or one that was uploaded',
          },
        ])
      }
      const taken = [write(pipelines, 'lists/a.csv'), 'lists/a.csv', write(pipelines, 'inbox/b.txt')]
      for (const file of taken) await start({ file })
    })

    test('goes on as people decide, once for each step, and the audit log says who', async () => {
      const runId = await start()
      await untilWaits(runId, 'first')
      const decide = (step: string, decision = 'approved', reason?: string) =>
        bench.post('approver', `runs/${runId}/decisions`, { step, decision, ...(reason && { reason }) })
      expect(outcome(await decide('second'))).toBe('404 unknown-step')
      expect(outcome(await decide('first', 'done'))).toBe('409 not-waiting')
      const both = await Promise.all([
        decide('first', 'approved', 'the figures are right'),
        decide('first', 'rejected'),
      ])
      expect(both.map(outcome).sort()).toEqual(['200 ', '409 already-decided'])
      const isApproved = both[0]?.status === 200
      if (isApproved) {
        await untilWaits(runId, 'second')
        expect(outcome(await decide('first'))).toBe('409 already-decided')
        expect(outcome(await decide('second'))).toBe('400 comment-required')
        const seen = (await bench.browse(`runs/${runId}`)).body as { waits: object[] }
        expect(seen.waits).toMatchObject([{ ref: 'second', mayNotDecide: 'not-among-approvers' }])
        const byBrowser = { step: 'second', decision: 'approved', reason: 'fine' }
        expect(outcome(await bench.browse(`runs/${runId}/decisions`, { method: 'POST', json: byBrowser }))).toBe(
          '403 not-an-approver',
        )
        expect(outcome(await decide('second', 'approved', 'fine'))).toBe('200 ')
        await untilStatus(runId, 'succeeded')
        expect(outcome(await decide('second'))).toBe('409 already-decided')
      }
      const done = (await acts(runId)).filter((line) => line.endsWith('done'))
      expect(done[0]).toBe('the operator, operator, run.start, done')
      expect(done[1]).toBe(
        isApproved
          ? 'the approver, approver, run.approved, first, the figures are right, done'
          : 'the approver, approver, run.rejected, first, done',
      )
      expect((await acts(runId)).filter((line) => line.includes('already-decided'))[0]).toContain('run.decide, first')
    })

    test('is cancelled and retried once, by the operator', async () => {
      const runId = await start()
      await untilWaits(runId, 'first')
      expect(outcome(await bench.post('operator', `runs/${runId}/retry`))).toBe('409 run-not-ended')
      expect((await bench.post('operator', `runs/${runId}/cancel`, { reason: 'wrong list' })).body).toEqual({
        runId,
        jobs: [],
      })
      await untilStatus(runId, 'cancelled')
      expect(outcome(await bench.post('operator', `runs/${runId}/cancel`))).toBe('409 run-ended')
      const retry = await bench.post('operator', `runs/${runId}/retry`)
      expect(retry.body).toMatchObject({ state: 'running' })
      expect(outcome(await bench.post('operator', `runs/${runId}/retry`))).toBe('409 already-retried')
      expect(outcome(await bench.post('operator', `runs/${runId}/retry`, { from: 'nothing' }))).toBe('404 unknown-step')
      expect(await runOf(String(retry.body.runId))).toMatchObject({ seededFrom: runId, startedBy: 'the operator' })
      expect(await acts(runId)).toEqual([
        'the operator, operator, run.start, done',
        'the operator, operator, run.retry, run-not-ended',
        'the operator, operator, run.cancel, wrong list, done',
        'the operator, operator, run.cancel, run-ended',
        'the operator, operator, run.retry, already-retried',
        'the operator, operator, run.retry, unknown-step',
      ])
      expect(await acts(String(retry.body.runId))).toEqual([
        'the operator, operator, run.retry, done',
        'the operator, operator, run.retry, existing',
      ])
    })

    test('that is retried here and fails is told, although a person at a terminal watched the first one', async () => {
      const { out } = await bench.command('run', join(bench.project.folder, 'pipelines/fails.yaml'), '--json')
      const [first = ''] = out.split('\n')
      const retry = await bench.post('operator', `runs/${JSON.parse(first).runId}/retry`)
      await expect.poll(() => told, SETTLES).toContain(`failure/${retry.body.runId}`)
    })

    test('that failed says why, in lists too', async () => {
      const runId = await start({}, 'fails')
      await untilStatus(runId, 'failed')
      const error = expect.objectContaining({ step: 'look', message: expect.stringContaining('4242') })
      const { failures } = (await bench.as('viewer', 'overview')).body as { failures: object[] }
      expect(failures).toContainEqual(expect.objectContaining({ runId, error }))
      expect((await bench.as('viewer', `runs/${runId}`)).body.error).toMatchObject({ step: 'look', kind: 'failed' })
      const { runs } = (await bench.as('viewer', 'runs?status=failed&q=4242')).body as { runs: object[] }
      expect(runs[0]).toMatchObject({ runId, error, queuedMs: 0 })
    })

    test('that failed is acknowledged with a comment, and another failure shows', async () => {
      const runId = await start({}, 'fails')
      await untilStatus(runId, 'failed')
      const groups = async () => {
        const { failureGroups } = (await bench.as('viewer', 'overview')).body as {
          failureGroups: { run: { runId: string } }[]
        }
        return failureGroups.filter(({ run }) => run.runId === runId)
      }
      expect(await groups()).toEqual([
        expect.objectContaining({
          failures: expect.any(Number),
          run: expect.not.objectContaining({ acknowledged: {} }),
        }),
      ])
      const act = (body: object, id = runId) => bench.post('operator', `runs/${id}/acknowledge`, body)
      expect(outcome(await act({}))).toBe('400 bad-request')
      expect(outcome(await act({ reason: 'x' }, 'nobody'))).toBe('404 unknown-run')
      const seen = { by: 'the operator', comment: 'no such group' }
      const { run } = (await act({ reason: 'no such group' })).body as { run: { error: { key: string } } }
      expect(run).toMatchObject({ acknowledged: seen })
      expect(await groups()).toMatchObject([{ run: { acknowledged: seen } }])
      expect((await bench.as('viewer', `runs?error=${run.error.key}&pipeline=fails`)).body.runs).toContainEqual(
        expect.objectContaining({ runId }),
      )
      expect(await acts(runId)).toContain('the operator, operator, run.acknowledge, no such group, done')
      const waits = await start({})
      expect(outcome(await act({ reason: 'x' }, waits))).toBe('409 run-not-failed')
    })

    test('that succeeded in part is found as such, and does not count as a success without more', async () => {
      const runId = await start({}, 'partly')
      await untilStatus(runId, 'succeeded')
      const partly = expect.objectContaining({ runId, failures: 1, failuresOf: 2 })
      expect((await bench.as('viewer', 'runs?partial=true')).body).toEqual({ runs: [partly] })
      expect((await bench.as('viewer', 'runs?partial=true&pipeline=ask')).body).toEqual({ runs: [] })
      expect((await bench.as('viewer', 'overview')).body).toMatchObject({
        counts: { succeededInPart: 1 },
        partial: [partly],
      })
    })

    test('is read as a whole: steps, document, events, another one beside it', async () => {
      const [a, b] = [await start({ amount: 1 }), await start({ amount: 2 })]
      await untilWaits(a, 'first')
      await untilWaits(b, 'first')
      const steps = (await bench.as('viewer', `runs/${a}/steps`)).body
      expect((await bench.as('viewer', `runs/${a}`)).body.waits).toMatchObject([
        { ref: 'first', followedBy: ['second'] },
      ])
      expect(steps).toMatchObject({ total: 1, steps: [{ ref: 'first', status: 'waiting', waitsFor: 'approval' }] })
      const document = (await bench.as('viewer', `runs/${a}/document`)).body
      expect(document).toMatchObject({
        text: DOCUMENTS['ask.yaml'],
        steps: [
          { id: 'first', needs: [], line: 7 },
          { id: 'second', needs: ['first'] },
        ],
        today: { diff: [] },
      })
      const page = (await bench.as('viewer', `runs/${a}/logs?limit=1`)).body as {
        events: object[]
        last: number
        more: true
      }
      expect(page).toMatchObject({ events: [{ event: 'run.started' }], more: true })
      const rest = (await bench.as('viewer', `runs/${a}/logs?after=${page.last}`)).body as typeof page
      expect(rest.events[0]).toMatchObject({ event: 'step.started', step: 'first' })
      const { inputs, document: both } = (await bench.as('viewer', `runs/${a}/compare/${b}`)).body as Record<
        string,
        object
      >
      expect(inputs).toContainEqual({ name: 'amount', a: 1, b: 2, same: false })
      expect(both).toEqual({ same: true, diff: [] })
      expect(outcome(await bench.as('viewer', 'runs/nothing'))).toBe('404 unknown-run')
      expect(outcome(await bench.as('viewer', `runs/${a}/compare/nothing`))).toBe('404 unknown-run')
    })

    test('shows how the document has changed since', async () => {
      const runId = await start()
      const file = join(bench.project.folder, 'pipelines/ask.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('May it begin?', 'Shall it begin?'))
      const hasChanged = async () => (await bench.as('viewer', `runs/${runId}`)).body.documentChanged
      await expect.poll(() => ofEach(hasChanged)).toEqual([true, true])
      const { today } = (await bench.as('viewer', `runs/${runId}/document`)).body as { today: { diff: object[] } }
      expect(today.diff.filter((line) => 'kind' in line && line.kind !== 'same')).toEqual([
        { kind: 'removed', text: '    with: { message: May it begin? }', before: 9 },
        { kind: 'added', text: '    with: { message: Shall it begin? }', after: 9 },
      ])
    })
  })

  test('pages of runs follow on each other, filtered, whatever is added meanwhile', async () => {
    for (let count = 0; count < 3; count++) await start()
    const seen: Run[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await bench.as('viewer', `runs?limit=2&pipeline=ask&status=waiting&status=running${query}`)
      seen.push(...(body.runs as Run[]))
      cursor = body.next as string | undefined
      if (seen.length === 2) await start()
    }
    expect(new Set(seen.map(({ runId }) => runId)).size).toBe(seen.length)
    const times = seen.map(({ submittedAt }) => submittedAt)
    expect(times).toEqual(times.toSorted().toReversed())
    const [newest] = (await bench.as('viewer', 'runs?limit=1')).body.runs as Run[]
    expect((await bench.as('viewer', 'runs?limit=1')).body.lookedBackTo).toBe(newest?.submittedAt)
    expect((await bench.as('viewer', 'runs?q=nothing-is-called-so')).body).toEqual({ runs: [] })
    expect(outcome(await bench.as('viewer', 'runs?cursor=x'))).toBe('400 bad-request')
    expect(outcome(await bench.as('viewer', 'runs?status=done'))).toBe('400 bad-request')
    expect(outcome(await bench.as('viewer', 'runs?colour=red'))).toBe('400 bad-request')
    expect(outcome(await bench.as('viewer', 'runs?limit=1000'))).toBe('400 bad-request')
  })

  test('what needs a person comes first, and every list answers in its form', async () => {
    const runId = await start()
    await untilWaits(runId, 'first')
    const { needsYou, counts, next } = (await bench.as('viewer', 'overview')).body as Record<
      string,
      Record<string, unknown>[]
    >
    expect(needsYou).toContainEqual(
      expect.objectContaining({ kind: 'step', runId, step: 'first', reason: 'approval', message: 'Shall it begin?' }),
    )
    expect(counts).toMatchObject({ running: 0 })
    expect(next).toMatchObject([{ pipeline: 'nightly', trigger: 'night', timezone: 'America/New_York' }])
    const { inputs, graph } = (await bench.as('viewer', 'pipelines/ask')).body as Record<
      string,
      Record<string, unknown>[]
    >
    expect(inputs).toMatchObject([
      { name: 'amount', type: 'integer', required: false, default: 1 },
      { name: 'file', type: 'file' },
    ])
    expect(graph).toHaveLength(2)
    const period = 'from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z'
    for (const path of [
      'me',
      'pipelines',
      'pipelines/ask/figures',
      'slots',
      'files',
      'audit',
      'workers',
      `hours?${period}`,
    ])
      expect((await bench.as('viewer', path)).status, path).toBe(200)
    expect(outcome(await bench.as('viewer', `hours?${period.replace('2026-01', '2020-01')}`))).toBe('400 bad-range')
    expect(outcome(await bench.as('viewer', 'pipelines/nobody'))).toBe('404 unknown-pipeline')
  })

  test('each item of a long forEach can be read, alone or a page at a time, and a page is small', async () => {
    const items = JSON.stringify(Array.from({ length: 2000 }, (_, n) => `item ${n}`))
    const text = `version: 1
name: long
steps:
  - id: look
    forEach: { items: ${items}, as: name }
    steps:
      - id: release
        if: \${{ name == "item 7" }}
        uses: approval.wait
        with: { message: "May \${{ name }} go?" }
`
    writeFileSync(join(bench.project.folder, 'pipelines/long.yaml'), text)
    const status = async () => (await bench.as('viewer', 'pipelines/long')).status
    await expect.poll(() => ofEach(status)).toEqual([200, 200])
    const runId = await start({}, 'long')
    await untilWaits(runId, 'look[7].release')
    const read = async (query: string) => (await bench.as('viewer', `runs/${runId}/steps?step=look&${query}`)).body
    expect(await read('item=1999')).toMatchObject({ steps: [{ ref: 'look[1999]', status: 'succeeded' }], total: 1 })
    expect(await read('item=2000')).toEqual({ steps: [], total: 0 })
    const pages = await Promise.all(Array.from({ length: 20 }, (_, n) => read(`offset=${n * 100}`)))
    const refs = pages.flatMap(({ steps }) => (steps as { ref: string }[]).map(({ ref }) => ref))
    expect([refs[0], refs.length, new Set(refs).size]).toEqual(['look[7]', 2000, 2000])
    const ofPage = await Promise.all(
      ['', '/steps', '/steps?step=look', '/document'].map((path) => bench.as('viewer', `runs/${runId}${path}`)),
    )
    expect(ofPage.reduce((bytes, answer) => bytes + Buffer.byteLength(answer.text), 0)).toBeLessThanOrEqual(150_000)
  })

  test('a plan says what a run would do, and does nothing', async () => {
    const before = (await bench.as('viewer', 'runs?pipeline=nightly')).body.runs
    const { body } = await bench.post('operator', 'plan', { pipeline: 'nightly' })
    expect(body).toMatchObject({ fails: false, steps: [{ id: 'list', uses: 'groups.list' }] })
    expect((await bench.as('viewer', 'runs?pipeline=nightly')).body.runs).toEqual(before)
    expect(outcome(await bench.post('operator', 'plan', { pipeline: 'ask', inputs: { amount: true } }))).toBe(
      '400 wrong-inputs',
    )
  })

  test('due slots of a schedule whose document is gone are listed, and can be withdrawn', async () => {
    const file = join(bench.project.folder, 'pipelines/leaving.yaml')
    const schedule = 'schedule: { cron: "0 2 * * *", timezone: UTC }'
    const text = `version: 1\nname: leaving\ntriggers: [{ id: night, ${schedule} }]\nsteps: [{ id: list, uses: groups.list }]\n`
    writeFileSync(file, text)
    const ref = { pipeline: 'leaving', trigger: 'night' }
    const look = async () => {
      const { schedules, removed } = (await bench.as('viewer', 'slots?pipeline=leaving')).body as Record<
        string,
        object[]
      >
      return [schedules?.length, removed?.length]
    }
    await expect
      .poll(() => ofEach(look))
      .toEqual([
        [1, 0],
        [1, 0],
      ])
    const at = 'schedules/leaving/night'
    const period = { from: '2026-11-01T00:00:00Z', to: '2026-11-03T00:00:00Z' }
    await bench.post('operator', `${at}/pause`)
    expect((await bench.post('operator', `${at}/backfill`, period)).body).toMatchObject({ count: 2 })
    rmSync(file)
    await expect
      .poll(() => ofEach(look))
      .toEqual([
        [0, 1],
        [0, 1],
      ])
    expect((await bench.as('viewer', 'slots')).body.removed).toEqual([
      {
        ...{ ...ref, due: 2, firstAt: '2026-11-01T02:00:00.000Z', lastAt: '2026-11-02T02:00:00.000Z' },
        message:
          '2 slots are due, but no valid document has this schedule any more; nothing runs them until a document has the schedule again',
      },
    ])
    expect((await bench.as('viewer', 'slots?pipeline=nightly')).body.removed).toEqual([])
    expect(outcome(await bench.post('operator', `${at}/backfill`, period))).toBe('404 unknown-trigger')
    expect((await bench.post('operator', `${at}/withdraw`, period)).body).toMatchObject({ count: 2 })
    expect((await bench.as('viewer', 'slots')).body.removed).toEqual([])
    expect(outcome(await bench.post('operator', `${at}/withdraw`, period))).toBe('404 unknown-trigger')
  })

  test('schedules are paused, resumed and run again for a period, after a look at what that means', async () => {
    const at = 'schedules/nightly/night'
    expect(outcome(await bench.post('operator', 'schedules/nightly/none/pause'))).toBe('404 unknown-trigger')
    const { pausedSince } = (await bench.post('operator', `${at}/pause`, { reason: 'the source is late' })).body
    expect((await bench.post('operator', `${at}/pause`)).body).toEqual({ pausedSince })
    // Slots of a paused schedule will be skipped, so no page lists them.
    const { schedules, coming } = (await bench.as('viewer', 'slots')).body as { schedules: object[]; coming: object[] }
    expect(schedules).toMatchObject([{ pipeline: 'nightly', pausedSince }])
    expect([schedules[0], coming]).toEqual([expect.not.objectContaining({ next: expect.anything() }), []])
    expect((await bench.as('viewer', 'overview')).body).toMatchObject({
      next: [],
      paused: expect.arrayContaining([{ pipeline: 'nightly', trigger: 'night', since: pausedSince }]),
    })
    const { pipeline } = (await bench.as('viewer', 'pipelines/nightly')).body as { pipeline: { triggers: object[] } }
    expect(pipeline.triggers[0]).not.toHaveProperty('next')
    const period = { from: '2026-11-01T00:00:00Z', to: '2026-11-03T00:00:00Z' }
    const meant = (await bench.post('operator', `${at}/backfill`, { ...period, dryRun: true })).body as {
      slots: string[]
    }
    expect(meant).toMatchObject({
      slots: ['2026-11-01T07:30:00.000Z', '2026-11-02T07:30:00.000Z'],
      count: 2,
      waiting: 0,
    })
    expect((await bench.post('operator', `${at}/backfill`, period)).body).toEqual(meant)
    expect((await bench.post('operator', `${at}/backfill`, period)).body).toMatchObject({ count: 0, waiting: 2 })
    const { slots } = (await bench.as('viewer', `slots?pipeline=nightly&trigger=night&to=${period.to}`)).body
    expect(slots).toMatchObject([
      { state: 'due', outcome: 'due', local: '2026-11-02 02:30 -05:00' },
      { state: 'due', outcome: 'due', local: '2026-11-01 02:30 -05:00' },
    ])
    const cut = async (limit: number) =>
      (await bench.as('viewer', `slots?pipeline=nightly&trigger=night&to=${period.to}&limit=${limit}`)).body
    expect(await cut(1)).toMatchObject({ slots: [expect.anything()], hasOlder: true, hasLater: false })
    expect(await cut(2)).toMatchObject({ slots, hasOlder: false })
    const ahead = (await bench.as('viewer', 'slots?to=2027-02-01T00:00:00Z&limit=2')).body
    expect(ahead).toMatchObject({ coming: [], hasLater: false })
    const backwards = { from: period.to, to: period.from }
    expect(outcome(await bench.post('operator', `${at}/backfill`, backwards))).toBe('400 bad-range')
    const due = { slots: meant.slots.toReversed(), count: 2 }
    expect((await bench.post('operator', `${at}/withdraw`, { ...period, dryRun: true })).body).toEqual(due)
    expect((await bench.post('operator', `${at}/withdraw`, { ...period, reason: 'mistyped' })).body).toEqual(due)
    expect((await bench.post('operator', `${at}/withdraw`, { ...period, dryRun: true })).body).toEqual({
      slots: [],
      count: 0,
    })
    expect(outcome(await bench.post('operator', `${at}/withdraw`, backwards))).toBe('400 bad-range')
    const after = (await bench.as('viewer', `slots?pipeline=nightly&trigger=night&to=${period.to}`)).body.slots
    expect(after).toMatchObject([
      { state: 'skipped', reason: 'withdrawn' },
      { state: 'skipped', reason: 'withdrawn' },
    ])
    expect((await bench.post('operator', `${at}/resume`)).body).toEqual({ skipped: 0 })
    const detail = '2026-11-01T00:00:00.000Z to 2026-11-03T00:00:00.000Z, 2 slots'
    expect(await acts('nightly/night')).toEqual([
      'the operator, operator, schedule.pause, the source is late, done',
      'the operator, operator, schedule.pause, done',
      `the operator, operator, schedule.backfill, ${detail}, done`,
      'the operator, operator, schedule.backfill, bad-range',
      `the operator, operator, schedule.withdraw, ${detail}, mistyped, done`,
      'the operator, operator, schedule.withdraw, bad-range',
      'the operator, operator, schedule.resume, done',
    ])
  })

  test('a file that is uploaded is taken like one that is dropped', async () => {
    await bench.post('operator', 'schedules/nightly/drop/pause')
    const upload = (name: string, text: string) =>
      bench.as('operator', `files/nightly/drop?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        text,
        headers: { 'content-type': 'application/octet-stream' },
      })
    const { body } = await upload('today.csv', 'a,b\n')
    expect(body).toEqual({ file: join(bench.project.folder, 'pipelines/inbox/today.csv'), size: 4 })
    expect(outcome(await upload('today.csv', 'other\n'))).toBe('409 file-exists')
    expect(readFileSync(String(body.file), 'utf8')).toBe('a,b\n')
    for (const name of ['../today.csv', '.today.csv', 'a/b.csv', 'today.txt', 'a\\b.csv'])
      expect(outcome(await upload(name, 'x')), name).toBe('400 bad-request')
    await bench.post('operator', 'schedules/nightly/drop/resume')
    await expect
      .poll(async () => (await bench.as('viewer', 'files')).body.files, SETTLES)
      .toMatchObject([{ name: 'today.csv', state: 'ran', outcome: 'succeeded', size: 4 }])
    expect((await acts('nightly/drop')).slice(1, 3)).toEqual([
      'the operator, operator, file.upload, today.csv, done',
      'the operator, operator, file.upload, today.csv, file-exists',
    ])
  })

  test('a file that is uploaded for an input can be named in one, and nothing else of the state can', async () => {
    const upload = (name: string, text: string) =>
      bench.as('operator', `pipelines/form/uploads?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        text,
        headers: { 'content-type': 'application/octet-stream' },
      })
    const { body } = await upload('قائمة week 1.csv', 'a,b\n')
    expect(body).toMatchObject({ file: expect.stringMatching(/uploads\/\w+\/قائمة week 1\.csv$/), size: 4 })
    const file = String(body.file)
    expect(readFileSync(file, 'utf8')).toBe('a,b\n')
    for (const name of ['../today.csv', '.part', 'a/b.csv', 'a\\b.csv'])
      expect(outcome(await upload(name, 'x')), name).toBe('400 bad-request')
    expect(
      outcome(
        await bench.as('operator', 'pipelines/none/uploads?name=a', {
          method: 'POST',
          text: 'x',
          headers: { 'content-type': 'application/octet-stream' },
        }),
      ),
    ).toBe('404 unknown-pipeline')
    const audiences = [
      { name: 'one', file },
      { name: 'two', file: join(dirname(file), '../../daemon.lock') },
    ]
    const plan = (inputs: object) => bench.post('operator', 'plan', { pipeline: 'form', inputs })
    expect(outcome(await plan({ file, audiences: audiences.slice(0, 1) }))).toBe('200 ')
    const { body: refused } = await plan({ file, audiences })
    expect(refused.fields).toEqual({ 'audiences[1].file': expect.stringContaining('one that was uploaded') })
    expect((await acts('form')).slice(0, 2)).toEqual([
      'the operator, operator, input.upload, قائمة week 1.csv, done',
      'the operator, operator, input.upload, ../today.csv, bad-request',
    ])
  })

  test('a list of objects is described field by field', async () => {
    const { body } = await bench.as('viewer', 'pipelines/form')
    const inputs = body.inputs as readonly Record<string, unknown>[]
    expect(inputs.find(({ name }) => name === 'partners')).toMatchObject({ type: 'list', items: 'integer' })
    expect(inputs.find(({ name }) => name === 'audiences')).toEqual({
      ...{ name: 'audiences', type: 'list', required: true, description: 'One match for each.' },
      fields: [
        { name: 'name', type: 'string', required: true },
        { name: 'file', type: 'file', required: true },
        { name: 'groupId', type: 'integer', required: false, default: 9001 },
        { name: 'scope', type: 'enum', required: false, default: 'CABLE', values: ['CABLE', 'MOBILE'] },
      ],
    })
  })

  test('a file that had no run is dropped again from the folder for failed files, once', async () => {
    const folder = join(bench.project.folder, 'pipelines')
    const documentWith = (maxBytes: number) => `version: 1
name: strict
triggers:
  - id: drop
    watch: { path: strict, pattern: "*.csv", settle: 1s, done: strict/done.csv, failed: strict/failed, precheck: { maxBytes: ${maxBytes} } }
inputs: { file: { type: string, default: none } }
steps:
  - { id: list, uses: groups.list }
`
    const maxBytes = async () => {
      const { body } = await bench.as('viewer', 'pipelines/strict')
      return /maxBytes: (\d+)/.exec(String(body.text))?.[1]
    }
    const files = async () =>
      (await bench.as('viewer', 'files?pipeline=strict')).body.files as {
        key: string
        state: string
        canRetry: boolean
      }[]
    const retry = (key: string) =>
      bench.post('operator', 'files/strict/drop/retry', { key, reason: 'the limit was wrong' })
    mkdirSync(join(folder, 'strict'))
    writeFileSync(join(folder, 'strict/list.csv'), 'longer than that\n')
    writeFileSync(join(folder, 'strict.yaml'), documentWith(4))
    await expect.poll(files, SETTLES).toMatchObject([{ state: 'failed', open: false, canRetry: true }])
    const [{ key } = { key: '' }] = await files()
    writeFileSync(join(folder, 'strict.yaml'), documentWith(400))
    await expect.poll(() => ofEach(maxBytes)).toEqual(['400', '400'])
    expect((await retry(key)).body).toEqual({ file: join(folder, 'strict/list.csv') })
    expect(readdirSync(join(folder, 'strict/failed'))).toEqual([])
    expect(outcome(await retry(key))).toMatch(/^409 file-(gone|exists)/)
    await expect.poll(files, SETTLES).toMatchObject([
      { state: 'ran', open: false, canRetry: false },
      { key, state: 'failed', canRetry: false },
    ])
    const [again] = await files()
    expect(outcome(await retry(again?.key ?? ''))).toBe('409 file-has-run')
    expect(outcome(await retry('nothing'))).toBe('404 unknown-file')
    expect((await acts('strict/drop')).slice(0, 1)).toEqual([
      'the operator, operator, file.retry, list.csv, the limit was wrong, done',
    ])
    const headers = { 'content-type': 'application/octet-stream' }
    const asFolder = await bench.as('operator', 'files/strict/drop?name=done.csv', {
      method: 'POST',
      text: 'x',
      headers,
    })
    expect(asFolder.body).toMatchObject({ message: 'name: is the name of a folder to which files are moved' })
  })

  test('a file whose run failed is dropped again for another run, by the API and by the command', async () => {
    const folder = join(bench.project.folder, 'pipelines')
    const files = async () =>
      (await bench.as('viewer', 'files?pipeline=breaks')).body.files as { key: string; runId: string }[]
    mkdirSync(join(folder, 'breaks'))
    writeFileSync(join(folder, 'breaks/list.csv'), 'a\n')
    writeFileSync(
      join(folder, 'breaks.yaml'),
      `version: 1
name: breaks
triggers:
  - id: drop
    watch: { path: breaks, pattern: "*.csv", settle: 1s, done: breaks/done, failed: breaks/failed }
steps:
  - { id: stop, uses: run.fail, with: { message: "it is broken" } }
`,
    )
    const failed = { name: 'list.csv', state: 'ran', outcome: 'failed', open: false }
    await expect.poll(files, SETTLES).toMatchObject([{ ...failed, canRetry: true }])
    const [{ key, runId } = { key: '', runId: '' }] = await files()
    const command = `audience files drop-again ${runId}`
    expect((await bench.command('runs', 'show', runId)).out).toContain(`next        ${command}`)
    expect((await bench.command('files', 'list', 'breaks')).out).toContain(`in failed, run ${runId}`)
    const again = await bench.post('operator', 'files/breaks/drop/retry', { key })
    expect(again.body).toEqual({ file: join(folder, 'breaks/list.csv') })
    await expect.poll(files, SETTLES).toMatchObject([
      { ...failed, canRetry: true },
      { ...failed, key, canRetry: false },
    ])
    const [second] = await files()
    const { out } = await bench.command('files', 'drop-again', 'breaks/drop', 'list.csv', '--by', 'Ana')
    expect(out).toContain(join(folder, 'breaks/list.csv'))
    await expect.poll(async () => (await files()).length, SETTLES).toBe(3)
    expect((await files()).map((file) => file.runId)).toContain(second?.runId)
    const { err, code } = await bench.command('files', 'drop-again', runId)
    expect([code, err]).toEqual([2, expect.stringContaining(`put it into ${join(folder, 'breaks')} again`)])
    expect((await acts('breaks/drop')).slice(0, 2)).toEqual([
      'the operator, operator, file.retry, list.csv, done',
      'Ana, file.retry, list.csv, done',
    ])
  })

  test('a body that is too large, no JSON or no object is refused', async () => {
    const asked = (text: string) =>
      bench.as('operator', 'runs', { method: 'POST', text, headers: { 'content-type': 'application/json' } })
    expect(outcome(await asked('{'))).toBe('400 bad-json')
    expect(outcome(await asked('[]'))).toBe('400 bad-json')
    expect(outcome(await asked(`{"pipeline":"${'x'.repeat(1_000_000)}"}`))).toBe('413 body-too-large')
  })

  test('a session ends in its browser', async () => {
    const { headers } = await bench.browse('logout', { method: 'POST', json: {} })
    expect(headers['set-cookie']?.[0]).toMatch(/=; Max-Age=0; Path=\/; HttpOnly/)
  })

  test('the description of the API is the one in schemas/', async () => {
    const { body } = await bench.ask('api/v1/openapi.json', { headers: { authorization: `Bearer ${TOKENS.viewer}` } })
    const stored = join(import.meta.dirname, '../../../schemas/console-openapi.json')
    expect(body).toEqual(JSON.parse(readFileSync(stored, 'utf8')))
  })

  test('no answer has had a secret in it', async () => {
    const { token, control } = embeddedService(bench.project)
    const secrets = [...Object.values(TOKENS), token, control.token]
    const leaks = secrets.filter((secret) => answers.some((text) => text.includes(secret)))
    expect([leaks, answers.length > 100]).toEqual([[], true])
  })
}
