import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../src/core/duration.ts'
import type { Answered, ConsoleBench, TOKENS } from '../support/console-bench.ts'

const ASK = `version: 1
name: ask
inputs: { file: { type: file, default: data.txt } }
triggers:
  - id: drop
    watch: { path: inbox, pattern: "*.csv", settle: 0s, done: inbox/done, failed: inbox/failed }
steps:
  - { id: ask, uses: approval.wait, with: { message: May it? } }
`

const PARENT = `version: 1
name: parent
steps:
  - { id: below, uses: pipelines.run, with: { file: ask.yaml } }
`

/** Dropped files are refused, because the column is missing. */
const STRICT = `version: 1
name: strict
triggers:
  - id: drop
    watch: { path: strict, pattern: "*.csv", settle: 0s, precheck: { signal: EMAIL }, done: strict/done, failed: strict/failed }
steps:
  - { id: ask, uses: approval.wait, with: { message: May it? } }
`

/** One user approves a run of this pipeline, and another user runs it again from its second step. */
const TWICE = `version: 1
name: twice
inputs: { people: { type: integer, default: 100 } }
steps:
  - { id: ask, uses: approval.wait, with: { message: "May \${{ inputs.people }}?" } }
  - { id: ask2, uses: approval.wait, with: { message: Sure? } }
`

const NIGHT = `version: 1
name: night
triggers:
  - id: night
    schedule: { cron: "30 2 * * *", timezone: UTC }
steps:
  - { id: ask, uses: approval.wait, with: { message: May it? } }
`

export const OWN_RUNS = {
  'ask.yaml': ASK,
  'parent.yaml': PARENT,
  'strict.yaml': STRICT,
  'night.yaml': NIGHT,
  'twice.yaml': TWICE,
  'data.txt': 'x\n',
}
export const NOT_BY_SUBMITTER = 'policy: { approvals: { notBy: submitter } }'

const OPERATOR = 'the operator'
const APPROVER = 'the approver'

/**
 * With the policy `approvals: { notBy: submitter }`, nobody can approve their own run, however it was started. `open`
 * starts a console with OWN_RUNS.
 */
export function ownRunsSuite(open: () => Promise<ConsoleBench>): void {
  let bench: ConsoleBench
  beforeAll(async () => {
    bench = await open()
    // The daemon notices it some seconds later.
    const day = Math.floor(Date.now() / DAY_MS) * DAY_MS
    const period = { from: new Date(day - DAY_MS).toISOString(), to: new Date(day).toISOString() }
    await bench.post('approver', 'schedules/night/night/backfill', period)
  })
  afterAll(() => bench?.stop())

  const outcome = ({ status, body }: Answered) => `${status} ${String(body.code ?? '')}`.trim()
  const decideAs = (role: keyof typeof TOKENS, runId: string, decision = 'approved') =>
    bench.post(role, `runs/${runId}/decisions`, { step: 'ask', decision })
  /** Signed in with a link, as the operating system's user. */
  const decideAsUser = (runId: string, decision = 'approved') =>
    bench.browse(`runs/${runId}/decisions`, { method: 'POST', json: { step: 'ask', decision } })
  const noted = ({ body }: Answered) => {
    known.add(String(body.runId))
    return String(body.runId)
  }
  const notBy = async (runId: string) => {
    const detail = async () => (await bench.as('viewer', `runs/${runId}`)).body as { waits: Record<string, unknown>[] }
    await expect.poll(async () => (await detail()).waits.length).toBe(1)
    return ((await detail()).waits[0]?.approval as { notBy?: string[] } | undefined)?.notBy ?? []
  }
  const mayNotDecide = async (shown: Promise<Answered>) =>
    ((await shown).body as { waits: { mayNotDecide?: string }[] }).waits[0]?.mayNotDecide
  const startAs = async (role: keyof typeof TOKENS, json: object = { pipeline: 'ask' }) =>
    noted(await bench.post(role, 'runs', json))
  const known = new Set<string>()
  /** The only run that waits now and did not before. */
  const waitingRun = async (pipeline = 'ask') => {
    let fresh: string[] = []
    await expect
      .poll(
        async () => {
          const { body } = await bench.as('viewer', `runs?pipeline=${pipeline}`)
          const ids = (body.runs as { runId: string }[]).map(({ runId }) => runId)
          fresh = ids.filter((runId) => !known.has(runId))
          return fresh.length
        },
        { interval: 250 },
      )
      .toBe(1)
    const [runId = ''] = fresh
    known.add(runId)
    return runId
  }

  test('who started a run can neither approve nor reject it, and the audit log has the try', async () => {
    const runId = await startAs('approver')
    expect(await notBy(runId)).toEqual([APPROVER])
    expect([
      await mayNotDecide(bench.as('viewer', `runs/${runId}`)),
      await mayNotDecide(bench.as('approver', `runs/${runId}`)),
      await mayNotDecide(bench.browse(`runs/${runId}`)),
    ]).toEqual(['not-an-approver', 'own-run', undefined])
    const refused = await decideAs('approver', runId)
    expect(outcome(refused)).toBe('403 own-run')
    expect(refused.body.message).toBe(
      'the approver may not decide about step "ask": nobody who had a part in starting the run may decide',
    )
    expect(outcome(await decideAs('approver', runId, 'rejected'))).toBe('403 own-run')
    const { entries } = (await bench.as('viewer', `audit?subject=${runId}`)).body as { entries: object[] }
    expect(entries[0]).toMatchObject({ by: APPROVER, act: 'run.decide', detail: 'ask rejected', outcome: 'own-run' })
    expect(outcome(await decideAsUser(runId))).toBe('200')
  })

  test('who retries a run has a part in it, and so has who started the first one', async () => {
    const first = await startAs('operator')
    expect(await notBy(first)).toEqual([OPERATOR])
    expect(outcome(await decideAs('approver', first, 'rejected'))).toBe('200')
    await expect
      .poll(async () => ((await bench.as('viewer', `runs/${first}`)).body.run as { status: string }).status)
      .toBe('failed')
    const retry = noted(await bench.post('approver', `runs/${first}/retry`))
    expect(await notBy(retry)).toEqual([APPROVER, OPERATOR])
    expect(outcome(await decideAs('approver', retry))).toBe('403 own-run')
    expect(outcome(await decideAsUser(retry))).toBe('200')
  })

  test('a run that another run starts is the doing of who started that one', async () => {
    await startAs('approver', { pipeline: 'parent' })
    const child = await waitingRun()
    expect(await notBy(child)).toEqual([APPROVER])
    expect(outcome(await decideAs('approver', child))).toBe('403 own-run')
    expect(outcome(await decideAsUser(child))).toBe('200')
  })

  describe('a file', () => {
    const upload = (path: string, text: string) =>
      bench.as('approver', path, { method: 'POST', text, headers: { 'content-type': 'application/octet-stream' } })

    test('that somebody uploads into a watched folder is that person’s doing', async () => {
      expect((await upload('files/ask/drop?name=a.csv', 'EMAIL\na@example.com\n')).status).toBe(200)
      const runId = await waitingRun()
      expect(await notBy(runId)).toEqual([APPROVER])
      expect(outcome(await decideAs('approver', runId))).toBe('403 own-run')
      expect(outcome(await decideAsUser(runId))).toBe('200')
    })

    test('that was uploaded for an input is the doing of who uploaded it and of who starts the run', async () => {
      const { file } = (await upload('pipelines/ask/uploads?name=list.csv', 'EMAIL\n')).body
      const runId = await startAs('operator', { pipeline: 'ask', inputs: { file } })
      expect(await notBy(runId)).toEqual([OPERATOR, APPROVER])
      expect(outcome(await decideAs('approver', runId))).toBe('403 own-run')
      expect(outcome(await decideAsUser(runId))).toBe('200')
    })

    test('that fell into the folder by itself is nobody’s doing', async () => {
      writeFileSync(join(bench.project.folder, 'pipelines/inbox/b.csv'), 'EMAIL\nb@example.com\n')
      const runId = await waitingRun()
      expect(await notBy(runId)).toEqual([])
      expect(outcome(await decideAs('approver', runId))).toBe('200')
    })

    test('that somebody puts back from the failed ones is that person’s doing', async () => {
      const folder = join(bench.project.folder, 'pipelines/strict')
      writeFileSync(join(folder, 'c.csv'), 'NAME\nc\n')
      const failed = async () => {
        const { files } = (await bench.as('viewer', 'files?pipeline=strict')).body as {
          files: { key: string; canRetry?: boolean }[]
        }
        return files.find(({ canRetry }) => canRetry)
      }
      await expect.poll(failed, { interval: 250 }).toBeDefined()
      writeFileSync(join(folder, 'failed/c.csv'), 'EMAIL\nc@example.com\n')
      const { key } = (await failed()) ?? {}
      expect((await bench.post('approver', 'files/strict/drop/retry', { key })).status).toBe(200)
      const runId = await waitingRun('strict')
      expect(await notBy(runId)).toEqual([APPROVER])
    })
  })

  test('a run that a person starts on the command line is the doing of the user of the operating system', async () => {
    const user = userInfo().username
    const { out, err } = await bench.command(
      'run',
      join(bench.project.folder, 'pipelines/ask.yaml'),
      '--detach',
      '--json',
    )
    expect(err).toBe('')
    const { runId } = JSON.parse(out) as { runId: string }
    expect(await notBy(runId)).toEqual([user])
    expect(outcome(await decideAsUser(runId))).toBe('403 own-run')
    for (const by of [[], ['--by', user.toUpperCase()], ['--by', `${user}@example.com`], ['--by', 'somebody else']]) {
      const refused = await bench.command('runs', 'approve', runId, 'ask', ...by)
      expect([by, refused.code]).toEqual([by, 2])
      expect(refused.err).toContain('may not decide about step "ask"')
    }
    const { out: audit } = await bench.command('audit', 'list', '--json')
    expect(audit).toMatch(/"by":"somebody else".*"act":"run.decide".*"outcome":"own-run"/)
    expect(outcome(await decideAs('approver', runId))).toBe('200')
  })

  test('an approval is kept for the same document and inputs only, and so is whose doing the run is', async () => {
    const user = userInfo().username
    const first = await startAs('operator', { pipeline: 'twice' })
    await notBy(first)
    expect(outcome(await decideAs('approver', first))).toBe('200')
    const waits = async (runId: string) => {
      const ask = async () =>
        ((await bench.as('viewer', `runs/${runId}`)).body.waits as { ref: string }[] | undefined)?.map(({ ref }) => ref)
      await expect.poll(async () => (await ask())?.length).toBe(1)
      return (await ask())?.[0]
    }
    await expect.poll(() => waits(first)).toBe('ask2')
    await bench.post('operator', `runs/${first}/cancel`)
    const again = async (...inputs: readonly string[]) => {
      const file = join(bench.project.folder, 'pipelines/twice.yaml')
      const more = ['--from', 'ask2', '--of', first, '--detach', '--json']
      const { out, err } = await bench.command('run', file, ...inputs, ...more)
      expect(err).toBe('')
      return (JSON.parse(out) as { runId: string }).runId
    }
    const [same, other] = [await again(), await again('-i', 'people=1000000')]
    expect([await waits(same), await waits(other)]).toEqual(['ask2', 'ask'])
    expect(await notBy(other)).toEqual([user, OPERATOR])
  })

  test('a slot that somebody makes due again is that person’s doing', async () => {
    const runId = await waitingRun('night')
    expect(await notBy(runId)).toEqual([APPROVER])
    expect(outcome(await decideAs('approver', runId))).toBe('403 own-run')
    expect(outcome(await decideAsUser(runId))).toBe('200')
  })
}
