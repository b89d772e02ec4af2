import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { type Bench, openBench } from './nights.ts'

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

/** All steps have looked before the first one makes anything. */
const slowLists = ({ service }: Bench) => {
  for (const list of ['segments.list', 'matches.list', 'activations.list']) service.delay(list, () => sleep(50))
}

describe('two steps that look at the same moment make only one', () => {
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

  test('a command ends if one item is in doubt and the other waits for it', async () => {
    await using bench = await openBench()
    slowLists(bench)
    const losses = [{ operation: 'activations.create', how: 'errorBefore' }] as const
    const night = await bench.run(document('items', SEGMENT, MATCH, twice(ACTIVATE)), { losses })
    expect([night.code, night.state === 'outcome-unknown' || night.state === 'succeeded']).toEqual([1, true])
    const shown = (await bench.audience(['runs', 'show', night.runId])).text
    expect(shown).toContain('of this run, which is working on the same thing: activation "Autos" of segment')
    const [, step = ''] = /resume \S+ --step (\S+) --again/.exec(shown) ?? []
    const again = await bench.resume(night.runId, ['--step', step.replaceAll("'", ''), '--again'])
    expect([again.state, bench.counts().activations]).toEqual(['succeeded', 1])
  })
})

test('a step in doubt keeps others from making a second one, until a person has decided', async () => {
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
  const told = async (...args: string[]) => (await bench.audience(args)).text
  const blocked = async () => /"runId":"([^"]+)"[^\n]*"blocked":\[/.exec(await told('runs', 'list', '--json'))?.[1]
  await expect.poll(blocked).toBeDefined()
  const runId = (await blocked()) ?? ''
  // The events show which run it waits for, why that run does not continue, and how to free it.
  const answer = `audience runs resume ${first.runId} --step activate --again`
  for (const args of [['runs', 'show', runId], ['runs', 'list'], ['status']]) {
    const text = await told(...args)
    expect(text).toContain(`activate waits for step activate of run ${first.runId}`)
    expect(text).toContain('that step waits for a person')
    if (args[1] !== 'list') expect(text).toContain(answer)
    expect(await told(...args, '--json')).toContain(JSON.stringify(answer))
  }
  expect(await told('runs', 'logs', runId)).toContain(`waits for step activate of run ${first.runId}`)
  expect([hasEnded, bench.counts().activations]).toEqual([false, 0])
  expect((await bench.resume(first.runId, ['--step', 'activate', '--again'])).code).toBe(0)
  const { code, text } = await second
  expect([code, bench.counts().activations]).toEqual([0, 1])
  expect(text).toContain(`"by":{"runId":"${first.runId}","step":"activate"}`)
  expect(await blocked()).toBeUndefined()
  expect(await told('status')).not.toContain('waits for step')
})
