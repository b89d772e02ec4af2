import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { allCases } from './all-cases.ts'
import { breakages } from './breakages.ts'
import { startBreakingProxy } from './breaking-proxy.ts'
import { readArguments } from './read-arguments.ts'
import { runSuite } from './run-suite.ts'
import { type Subject, startSubject } from './start-subject.ts'

let subject: Subject

beforeAll(async () => {
  subject = await startSubject()
})
afterAll(() => subject.close())

describe('our own service', () => {
  it('passes every case, and keeps nothing of what the suite created', async () => {
    const { options } = readArguments([...subject.argv(), '--slow', '--concurrency', '12'], {})
    const { results, leftBehind } = await runSuite(allCases, options)
    expect(results.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
    expect(results).toHaveLength(allCases.length)
    expect(leftBehind).toEqual([])
  })
})

describe('a case can fail', () => {
  it('every case fails where all is answered 200 {}, or where all is answered 404', async () => {
    const failed = new Set<string>()
    for (const status of [200, 404]) {
      const origin = await startSameAnswer(status)
      const argv = [...subject.argv(origin), '--control-url', origin, '--slow', '--concurrency', '12']
      const { results } = await runSuite(allCases, readArguments(argv, {}).options)
      for (const { outcome, name } of results) if (outcome === 'fail') failed.add(name)
    }
    expect(allCases.map(({ name }) => name).filter((name) => !failed.has(name))).toEqual([])
  })
})

describe.concurrent('a service that', () => {
  it.for(breakages)(
    '$name fails a case of decision $decision',
    async ({ decision, ...breakage }, { expect, onTestFinished }) => {
      const proxy = await startBreakingProxy(subject.origin, breakage)
      onTestFinished(() => proxy.close())
      const cases = allCases.filter((each) => each.decision === decision)
      const { options } = readArguments(subject.argv(proxy.origin), {})
      const { results } = await runSuite(cases, options)
      expect(results.map(({ outcome }) => outcome)).toContain('fail')
    },
  )

  it('changes nothing behind a proxy fails none of them', async ({ expect, onTestFinished }) => {
    const proxy = await startBreakingProxy(subject.origin, {})
    onTestFinished(() => proxy.close())
    const decisions = breakages.map(({ decision }) => decision)
    const { options } = readArguments([...subject.argv(proxy.origin), '--concurrency', '12'], {})
    const { results } = await runSuite(
      allCases.filter(({ decision }) => decisions.includes(decision)),
      options,
    )
    expect(results.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  })
})

/** A server that says the same to everything. */
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
