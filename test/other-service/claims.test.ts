import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Bench, openBench } from './nights.ts'
import { useTurnClock } from './turn-clock.ts'

useTurnClock()

const SEGMENT = `
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
  - id: segment
    uses: segments.ensure
    with: { segmentFileName: "\${{ steps.upload.outputs.name }}", participantSegmentId: autos, segmentName: Autos, uploadSignal: EMAIL, resultContent: BGID, providerId: 1001 }`
const MATCH = `
  - id: match
    uses: matches.ensure
    with: { segmentId: "\${{ steps.segment.outputs.segmentId }}", groupId: 9001, deliveryScopes: [CABLE], shareSegmentName: false, accessBgIds: false }`
const ACTIVATE = `
  - id: activate
    uses: activations.ensure
    with: { activationName: Autos, segmentId: "\${{ steps.segment.outputs.segmentId }}", matchJobId: "\${{ steps.match.outputs.matchJobId }}", refreshRate: 30, actionType: REQUEST }`
const document = (name: string, ...steps: string[]) =>
  `version: 1\nname: ${name}\ninputs: { file: { type: file } }\nsteps:${steps.join('')}\n`
const twice = (step: string) => step.replace('    uses:', '    forEach: { items: [1, 1], maxParallel: 2 }\n    uses:')

/** Everybody who looks has looked before the first one makes anything. */
const slowLists = ({ service }: Bench) => {
  for (const list of ['segments.list', 'matches.list', 'activations.list']) service.delay(list, () => sleep(50))
}

describe('two that look at the same moment make one', () => {
  test('runs of two pipelines', async () => {
    await using bench = await openBench()
    slowLists(bench)
    const nights = await Promise.all(
      ['one', 'two', 'three'].map((name) => bench.run(document(name, SEGMENT, MATCH, ACTIVATE))),
    )
    expect([nights.map(({ code, message }) => `${code} ${message}`), bench.counts()]).toEqual([
      ['0 ', '0 ', '0 '],
      { segments: 1, matches: 1, activations: 1 },
    ])
  })

  test('items of a forEach', async () => {
    await using bench = await openBench()
    slowLists(bench)
    const night = await bench.run(document('items', SEGMENT, MATCH, twice(ACTIVATE)))
    expect([night.message, bench.counts()]).toEqual(['', { segments: 1, matches: 1, activations: 1 }])
  })
})

test('who is in doubt keeps others from making a second one, until a person has decided', async () => {
  await using bench = await openBench()
  const first = await bench.run(document('one', SEGMENT, MATCH, ACTIVATE), {
    losses: [{ operation: 'activations.create', how: 'errorBefore' }],
  })
  expect(first.state).toBe('outcome-unknown')
  const file = join(bench.folder, 'people.csv')
  writeFileSync(join(bench.folder, 'two.yaml'), document('two', SEGMENT, MATCH, ACTIVATE))
  let hasEnded = false
  const second = bench.audience(['run', join(bench.folder, 'two.yaml'), '--json', '-i', `file=${file}`])
  void second.finally(() => {
    hasEnded = true
  })
  const activates = async () => {
    const { text } = await bench.audience(['runs', 'list', '--pipeline', 'two', '--json'])
    const [, runId = ''] = /"runId":"([^"]+)"/.exec(text) ?? []
    return (await bench.audience(['runs', 'logs', runId, '--json'])).text.includes('"activations.ensure"')
  }
  await expect.poll(activates).toBe(true)
  await sleep(200)
  expect([hasEnded, bench.counts().activations]).toEqual([false, 0])
  expect((await bench.resume(first.runId, ['--step', 'activate', '--again'])).code).toBe(0)
  const { code, text } = await second
  expect([code, bench.counts().activations]).toEqual([0, 1])
  expect(text).toContain(`"by":{"runId":"${first.runId}","step":"activate"}`)
})
