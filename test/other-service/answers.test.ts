import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { type Bench, type Night, openBench } from './nights.ts'
import type { Loss, Substitute, WriteId } from './ways.ts'

/** Answers that once counted as a success or a refusal but are neither, with the real command and its engine. */

useTurnClock()

const raw = (head: string, body = '') =>
  Buffer.from(`HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`)
const PAGE = '<!doctype html><title>Sign in to the network</title>'
const answered = (when: Substitute['when'], bytes: Buffer): Substitute => ({ when, bytes: () => bytes, ending: 'end' })

const PUT_OFF = answered('after', raw('503 Service Unavailable\r\nRetry-After: 5'))
const TIMED_OUT = answered('after', raw('408 Request Timeout'))
const PORTAL = answered('before', raw('200 OK\r\nContent-Type: text/html', PAGE))

const MATCH = 'groupId: 9001, deliveryScopes: [CABLE], shareSegmentName: false, accessBgIds: false'
const ACTIVATION = 'activationName: Autos Q4, actionType: REQUEST'

/** A segment, its match and its activation; `uses` is `create` or `ensure`. */
const chain = (uses: string, activation = 'refreshRate: 30') => `version: 1
name: chain
inputs: { file: { type: file } }
steps:
  - { id: up, uses: files.upload, with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID } }
  - id: segment
    uses: segments.ensure
    with: { segmentFileName: "\${{ steps.up.outputs.name }}", participantSegmentId: autos, segmentName: Autos, uploadSignal: EMAIL, resultContent: BGID, providerId: 1001 }
  - id: match
    uses: matches.${uses}
    with: { segmentId: "\${{ steps.segment.outputs.segmentId }}", ${MATCH} }
  - id: activate
    uses: activations.${uses}
    with: { ${ACTIVATION}, ${activation}, segmentId: "\${{ steps.segment.outputs.segmentId }}", matchJobId: "\${{ steps.match.outputs.matchJobId }}" }
outputs: { segmentId: "\${{ steps.segment.outputs.segmentId }}", activationId: "\${{ steps.activate.outputs.activationId }}", name: "\${{ steps.up.outputs.name }}" }
`

const one = (step: string) =>
  `version: 1\nname: one\ninputs: { file: { type: file } }\nsteps:\n  - { id: it, ${step} }\n`

const ONE_EACH = { segments: 1, matches: 1, activations: 1 }

/** What a person does: `runs retry` while the run fails, and decisions based on what the service has. */
async function toTheEnd(bench: Bench, first: Night): Promise<Night> {
  let night = first
  for (let turn = 0; turn < 4 && night.state !== 'succeeded'; turn += 1) {
    if (night.state !== 'outcome-unknown') await bench.audience(['runs', 'retry', night.runId, '--json'])
    else night = await bench.resume(night.runId, ['--step', 'activate', '--done'])
  }
  return night
}

describe.concurrent('a write that was applied, and whose answer proves nothing', () => {
  test.each<[string, string, WriteId, Substitute]>([
    ['503 with Retry-After', 'create', 'matches.create', PUT_OFF],
    ['503 with Retry-After', 'ensure', 'matches.create', PUT_OFF],
    ['503 with Retry-After', 'create', 'activations.create', PUT_OFF],
    ['503 with Retry-After', 'ensure', 'activations.create', PUT_OFF],
    ['408', 'create', 'matches.create', TIMED_OUT],
    ['408', 'ensure', 'matches.create', TIMED_OUT],
    ['408', 'create', 'activations.create', TIMED_OUT],
    ['408', 'ensure', 'activations.create', TIMED_OUT],
  ])('%s: %s finds what %s made', async (_status, uses, operation, how) => {
    await using bench = await openBench()
    const night = await bench.run(chain(uses), { losses: [{ operation, how }] })
    expect([night.state, bench.counts()]).toEqual(['succeeded', ONE_EACH])
  })

  test('408 to an activation that no list shows yet: a person is asked, and the request is never sent again', async () => {
    await using bench = await openBench({ listedAfterMs: { segments: 0, matches: 0, activations: 40_000 } })
    const night = await bench.run(chain('create'), { losses: [{ operation: 'activations.create', how: TIMED_OUT }] })
    expect(night.state).toBe('outcome-unknown')
    await bench.audience(['runs', 'retry', night.runId, '--json'])
    await toTheEnd(bench, night)
    expect(bench.counts()).toEqual(ONE_EACH)
  })
})

const DELETES: readonly [WriteId, (outputs: Night['outputs']) => string, string][] = [
  ['activations.delete', ({ activationId }) => `id: "${activationId}"`, 'activations'],
  ['segments.delete', ({ segmentId }) => `id: "${segmentId}"`, 'segments'],
  ['files.delete', ({ name }) => `file: ${name}, uploadSignal: EMAIL, resultContent: BGID`, 'files'],
]

describe.concurrent('a page of a portal in answer to a delete', () => {
  const left = ({ service: { holdings }, counts }: Bench) => ({ ...counts(), files: holdings.files.size })
  const ALL = { ...ONE_EACH, files: 1 }

  test.each(DELETES)('%s: once, it is deleted all the same', async (operation, input, kind) => {
    await using bench = await openBench()
    const { outputs } = await bench.run(chain('create'))
    const losses: Loss[] = [{ operation, how: PORTAL }]
    const night = await bench.run(one(`uses: ${operation}, with: { ${input(outputs)} }`), { losses })
    expect([night.state, left(bench)]).toEqual(['succeeded', { ...ALL, [kind]: 0 }])
  })

  test.each(DELETES)('%s: always, it is not reported as done', async (operation, input) => {
    await using bench = await openBench()
    const { outputs } = await bench.run(chain('create'))
    const losses: Loss[] = [{ operation, how: PORTAL, times: 1000 }]
    const night = await bench.run(one(`uses: ${operation}, with: { ${input(outputs)} }`), { losses })
    expect([night.code, night.state, left(bench)]).toEqual([1, 'bad-answer', ALL])
    const { text } = await bench.audience(['runs', 'retry', night.runId, '--json'])
    expect(text).toContain('"status":"failed"')
    expect(left(bench)).toEqual(ALL)
  })

  test('the command `api` does not report it as done either', async () => {
    await using bench = await openBench()
    const { outputs } = await bench.run(chain('create'))
    bench.service.lose({ operation: 'segments.delete', how: PORTAL, times: 1000 })
    const { code, text } = await bench.audience(['api', 'segments.delete', '--id', String(outputs.segmentId)])
    expect([code, bench.counts().segments]).toEqual([1, 1])
    expect(text).toContain('the answer is not what the contract promises (no body): text/html')
  })

  test('if the answer to a delete that was done is lost, `api` finds out', async () => {
    await using bench = await openBench()
    const { outputs } = await bench.run(chain('create'))
    const how = answered('after', raw('200 OK\r\nContent-Type: text/html', PAGE))
    bench.service.lose({ operation: 'segments.delete', how, times: 1000 })
    const { code } = await bench.audience(['api', 'segments.delete', '--id', String(outputs.segmentId)])
    expect([code, bench.counts().segments]).toEqual([0, 0])
  })

  test.each([
    ['a page', PORTAL],
    ['404 from something in between', answered('before', raw('404 Not Found', 'no such route'))],
    ['400 from something in between', answered('before', raw('400 Bad Request', 'not found'))],
  ])('onChange: replace, always %s: nothing is replaced, and one is live', async (_name, how) => {
    await using bench = await openBench()
    await bench.run(chain('ensure'))
    const losses: Loss[] = [{ operation: 'activations.delete', how, times: 1000 }]
    const night = await bench.run(chain('ensure', 'refreshRate: 60, onChange: replace'), { losses })
    expect([night.code, bench.counts(), bench.service.holdings.deleted.activations]).toEqual([1, ONE_EACH, 0])
    await bench.audience(['runs', 'retry', night.runId, '--json'])
    expect(bench.counts()).toEqual(ONE_EACH)
  })

  test('onChange: replace, a page once: it is replaced', async () => {
    await using bench = await openBench()
    await bench.run(chain('ensure'))
    const losses: Loss[] = [{ operation: 'activations.delete', how: PORTAL }]
    const night = await bench.run(chain('ensure', 'refreshRate: 60, onChange: replace'), { losses })
    expect([night.state, bench.counts()]).toEqual(['succeeded', ONE_EACH])
    expect(bench.service.holdings.activations[0]?.request.refreshRate).toBe(60)
  })
})

test('a page in answer to an upload does not count as a success', async () => {
  await using bench = await openBench()
  const night = await bench.run(chain('create'), { losses: [{ operation: 'files.upload', how: PORTAL, times: 5 }] })
  expect([night.code, night.state, bench.service.holdings.files.size]).toEqual([1, 'bad-answer', 0])
})

test('an update whose answers are lost is done if the segment shows it', async () => {
  await using bench = await openBench()
  await bench.run(chain('create'))
  const how = answered('after', raw('503 Service Unavailable\r\nRetry-After: 1'))
  const renamed =
    chain('create').replace('segmentName: Autos,', 'segmentName: Renamed,').split('  - id: match')[0] ?? ''
  const night = await bench.run(renamed, { losses: [{ operation: 'segments.update', how, times: 1000 }] })
  expect([night.state, bench.service.holdings.segments[0]?.fields.segmentName]).toEqual(['succeeded', 'Renamed'])
})

test('a 403 to the second request proves nothing about the first, whose answer was lost: a retry does not start again', async () => {
  await using bench = await openBench()
  const { outputs } = await bench.run(chain('create'))
  const refused = answered('before', raw('403 Forbidden'))
  const share = (how: Substitute): Loss => ({ operation: 'segments.share', how })
  const night = await bench.run(
    one(`uses: segments.share, with: { segmentId: "${outputs.segmentId}", partnerId: 2001 }`),
    { losses: [share(TIMED_OUT), share(refused), share(TIMED_OUT)] },
  )
  expect([night.state, night.message]).toEqual([
    'access-refused',
    expect.stringContaining('an earlier request got no answer'),
  ])
  const { text } = await bench.audience(['runs', 'retry', night.runId, '--json'])
  expect(text).toContain('outcome-unknown')
  expect(bench.service.holdings.segments[0]?.shares.get('2001')).toBe(1)
})
