import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { lineSink } from '../../src/cli/views/line-sink.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { commandLine } from '../support/command-line.ts'
import { serviceOfFile } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const service = serviceOfFile()
const CHILD = `version: 1
name: child
steps:
  - { id: ask, uses: approval.wait, with: { message: "May it go?" } }
`
const PARENT = `version: 1
name: parent
steps:
  - { id: list, uses: groups.list }
  - { id: child, uses: pipelines.run, with: { file: child.yaml }, needs: [] }
`

function project(files: Readonly<Record<string, string>>) {
  const cwd = tempFolder()
  const env = { AUDIENCE_BASE_URL: service().url, AUDIENCE_TOKEN: service().token }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  return { cwd, audience: (...args: string[]) => commandLine(args, { cwd, env }) }
}

afterEach(() => void vi.useRealTimers())

test('--no-wait ends with 6 once the run only waits for a person, says how to answer, and leaves it to be resumed', async () => {
  const { cwd, audience } = project({ 'child.yaml': CHILD })
  const { code, out, err } = await audience('run', join(cwd, 'child.yaml'), '--no-wait')
  expect([code, err]).toEqual([6, ''])
  const [, runId = ''] = /run (\S+) continues and waits:/.exec(out) ?? []
  expect(out).toContain(
    `  ask waits for an approval: audience runs approve ${runId} ask, or audience runs approve ${runId} ask --reject`,
  )
  expect(out).toContain(`it waits until \`audience start\` runs; or audience runs resume ${runId}`)
  expect((await audience('runs', 'approve', runId, 'ask')).code).toBe(0)
  expect(await audience('runs', 'resume', runId)).toMatchObject({ code: 0, out: expect.stringContaining('succeeded') })
})

test('--wait looks into the runs that a run started; --json has the same in one line', async () => {
  const { cwd, audience } = project({ 'child.yaml': CHILD, 'parent.yaml': PARENT })
  const { code, out } = await audience('run', join(cwd, 'parent.yaml'), '--wait', '0s', '--json')
  expect(code).toBe(6)
  const last = JSON.parse(out.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ event: 'run.left', continuedBy: 'nobody' })
  const [wait] = last.waits
  expect(wait).toMatchObject({ step: 'ask', reason: 'approval' })
  expect(wait.runId).not.toBe(last.runId)
  expect(wait.commands[0]).toBe(`audience runs approve ${wait.runId} ask`)
})

test('a run in the queue behind one that waits for a person is left, too, and names what that one waits for', async () => {
  const group = 'concurrency: { group: lists, onConflict: queue }\n'
  const { cwd, audience } = project({ 'child.yaml': CHILD.replace('steps:', `${group}steps:`) })
  const first = await audience('run', join(cwd, 'child.yaml'), '--no-wait', '--json')
  const { runId } = JSON.parse(first.out.trim().split('\n').at(-1) ?? '')
  const { code, out } = await audience('run', join(cwd, 'child.yaml'), '--no-wait', '--json')
  expect(code).toBe(6)
  const last = JSON.parse(out.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ event: 'run.left', waits: [{ runId, step: 'ask', reason: 'approval' }] })
  expect(last.runId).not.toBe(runId)
})

test('a run that ends, or goes on by itself, is not left', async () => {
  const steps = '  - { id: list, uses: groups.list }\n'
  const { cwd, audience } = project({ 'plain.yaml': `version: 1\nname: plain\nsteps:\n${steps}` })
  expect(await audience('run', join(cwd, 'plain.yaml'), '--no-wait')).toMatchObject({ code: 0 })
  expect(await audience('run', join(cwd, 'plain.yaml'), '--wait', 'soon')).toMatchObject({
    code: 2,
    err: expect.stringContaining('"soon" is not a duration'),
  })
  expect((await audience('run', join(cwd, 'plain.yaml'), '--wait', '5m', '--detach')).code).toBe(2)
})

test('into a pipe, a run that waits for a person says so once a minute, until somebody has answered', () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') })
  const out = new PassThrough()
  const sink = lineSink(out as unknown as NodeJS.WriteStream, systemClock)
  const at = new Date().toISOString()
  const base = { at, runId: 'run-1', step: 'ask' } as const
  const error = {
    code: 'approval',
    kind: 'failed',
    message: 'May it go?',
    hint: 'audience runs approve run-1 ask',
  } as const
  sink.event({ ...base, event: 'step.waiting', reason: 'approval', error })
  out.read()
  vi.advanceTimersByTime(120_000)
  const line = 'ask: has been waiting for an approval for'
  const next = '; audience runs approve run-1 ask\n'
  expect(String(out.read())).toBe(`${line} 1 min${next}${line} 2 min${next}`)
  sink.event({ ...base, event: 'step.decided', decision: 'approved' })
  out.read()
  vi.advanceTimersByTime(120_000)
  expect(out.read()).toBeNull()
  sink.close()
  expect(vi.getTimerCount()).toBe(0)
})
