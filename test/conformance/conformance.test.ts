import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { allCases, isSlow } from './all-cases.ts'
import { breakages } from './breakages.ts'
import { type Breakage, startBreakingProxy } from './breaking-proxy.ts'
import type { CaseResult } from './conformance-case.ts'
import { readArguments } from './read-arguments.ts'
import { runCommand } from './run-command.ts'
import { BROKE_OFF, runSuite, type SuiteRun } from './run-suite.ts'
import { type Subject, startSubject } from './start-subject.ts'

let subject: Subject

beforeAll(async () => {
  subject = await startSubject()
})
afterAll(() => subject.close())

/** The decisions that the broken services below violate. */
const broken = new Set(breakages.map(({ decision }) => decision))

describe('our own service', () => {
  test.each([
    ['passes the cases of decisions that none breaks below', false],
    ['passes those that one breaks, behind a proxy that changes nothing', true],
  ])('%s, and keeps nothing of what the suite created', async (_, isBehind) => {
    const origin = isBehind ? await behindProxy({}) : subject.origin
    const cases = allCases.filter((each) => !isSlow(each) && broken.has(each.decision) === isBehind)
    const { results, leftBehind } = await run([...subject.argv(origin), '--concurrency', '12'], cases)
    expect(results.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
    expect(results).toHaveLength(cases.length)
    expect(leftBehind).toEqual([])
  })

  test('passes as a strict one too', async () => {
    const strict = await startSubject({ strict: true })
    onTestFinished(() => strict.close())
    const { results } = await run([...strict.argv(), '--strict', '--only', '13,46'])
    expect(results.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass'])
  })
})

describe('a case can fail', () => {
  test('every case fails where all is answered 200 {}, or where all is answered 404', async () => {
    let passed = allCases
    for (const status of [200, 404]) {
      const origin = await startSameAnswer(status)
      const argv = [...subject.argv(origin), '--control-url', origin, '--slow', '--concurrency', '12']
      const { results } = await run(argv, passed)
      expect(results.filter(brokeOff)).toEqual([])
      const failed = results.filter(({ outcome }) => outcome === 'fail').map(({ name }) => name)
      passed = passed.filter(({ name }) => !failed.includes(name))
    }
    expect(passed.map(({ name }) => name)).toEqual([])
  })
})

describe.concurrent('a service that', () => {
  test.for(breakages)('$name fails a case of decision $decision', async ({ decision, ...breakage }, test) => {
    const origin = await behindProxy(breakage, test.onTestFinished)
    const { results } = await run([...subject.argv(origin), '--only', String(decision)])
    test.expect(results.map(({ outcome }) => outcome)).toContain('fail')
    test.expect(results.filter(brokeOff)).toEqual([])
  })
})

describe.concurrent('the command', () => {
  test('prints a table and ends with 0 when nothing fails', async (test) => {
    const { code, out } = await asProcess([...subject.argv(), '--only', '23,107'])
    test
      .expect(out.split('\n'))
      .toEqual([
        'decision  outcome         statement',
        '      23  pass            the partner filter signal has no ZIPCODE',
        '     107  not applicable  a file of exactly 157,286,400 bytes is taken',
        '                          only with --slow',
        '',
        '2 cases of 2 decisions: 1 passed, 0 failed, 1 not applicable',
        '',
      ])
    test.expect(code).toBe(0)
  })

  test('prints one object per line with --json and ends with 1 when a case fails', async (test) => {
    const breakage: Partial<Breakage> = { response: (response) => ({ ...response, status: 500 }) }
    const origin = await behindProxy(breakage, test.onTestFinished)
    const { code, out } = await command([...subject.argv(origin), '--only', '23', '--json'])
    test.expect(JSON.parse(out)).toMatchObject({
      decision: 23,
      outcome: 'fail',
      reason: test.expect.stringContaining('expected GET /api/partners?signal=EMAIL to be answered 200, got 500'),
    })
    test.expect(code).toBe(1)
  })

  test('says so in one line when the service cannot be reached', async (test) => {
    const { code, out, err } = await command(['--base-url', 'http://127.0.0.1:1', '--token', 't'])
    test.expect(err).toMatch(/^http:\/\/127\.0\.0\.1:1 cannot be reached: .*\n$/)
    test.expect(out).toBe('')
    test.expect(code).toBe(1)
  })

  test.for([
    [[], '--base-url and --token are required'],
    [['--base-url', 'nowhere', '--token', 't'], '--base-url nowhere is not a URL'],
    [['--base-url', 'http://127.0.0.1:1', '--token', 't', '--only', '12'], 'no case is about decision 12'],
    [['--colour'], "Unknown option '--colour'"],
  ] as const)('ends with 2 for %j', async ([argv, message], test) => {
    const { code, err } = await command(argv)
    test.expect(err).toContain(message)
    test.expect(code).toBe(2)
  })
})

function run(argv: readonly string[], cases = allCases): Promise<SuiteRun> {
  const { options, only } = readArguments(argv, {})
  return runSuite(only === undefined ? cases : cases.filter(({ decision }) => only.includes(decision)), options)
}

function brokeOff({ reason }: CaseResult): boolean {
  return reason?.startsWith(BROKE_OFF) === true
}

async function command(argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const told = { out: '', err: '' }
  const code = await runCommand(argv, {
    env: {},
    out: (text) => {
      told.out += text
    },
    err: (text) => {
      told.err += text
    },
    interrupted: new AbortController().signal,
  })
  return { code, ...told }
}

function asProcess(argv: readonly string[]): Promise<{ code: number; out: string }> {
  const { AUDIENCE_BASE_URL: _, AUDIENCE_TOKEN: __, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, 'main.ts'), ...argv], { env }, (error, out) => {
      resolve({ code: error === null ? 0 : Number(error.code), out })
    })
  })
}

/** The origin of a proxy in front of the service that changes its answers. */
async function behindProxy(breakage: Partial<Breakage>, whenEnded = onTestFinished): Promise<string> {
  const proxy = await startBreakingProxy(subject.origin, breakage)
  whenEnded(() => proxy.close())
  return proxy.origin
}

/** A server that gives the same answer to every request. */
async function startSameAnswer(status: number): Promise<string> {
  const server = createServer((request, response) => {
    request.on('end', () => response.writeHead(status, { 'content-type': 'application/json' }).end('{}')).resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
