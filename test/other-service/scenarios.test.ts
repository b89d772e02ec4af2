import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { openBench, pipelines } from './nights.ts'
import type { Ways } from './ways.ts'

useTurnClock()

const nightly = readFileSync(join(pipelines, 'nightly.yaml'), 'utf8')
const edited = (from: string, to: string) => {
  if (!nightly.includes(from)) throw new Error(`the nightly document has no ${from}`)
  return nightly.replace(from, to)
}

describe.concurrent('documents at other services', () => {
  test('a thing that stays invisible for a minute fails the run, and a retry does not make it again', async () => {
    await using bench = await openBench({ madeHiddenMs: 60_000 })
    let night = await bench.run('nightly.yaml')
    const first = night.code
    for (let tries = 0; night.code !== 0 && tries < 6; tries += 1) {
      await bench.audience(['runs', 'retry', night.runId, '--json'])
      night = await bench.run('nightly.yaml')
    }
    expect([first, night.code, bench.counts()]).toEqual([1, 0, { segments: 1, matches: 1, activations: 1 }])
  })

  test.each(['refreshRate: 60', 'brand: Acme'])(
    'an activation that is to have %s is refused, and no second one is made',
    async (field) => {
      await using bench = await openBench({ notGiven: 'absent' })
      const first = await bench.run('nightly.yaml')
      const document = field.startsWith('refreshRate')
        ? edited('refreshRate: 30', field)
        : edited('      refreshRate: 30', `      ${field}\n      refreshRate: 30`)
      const second = await bench.run(document)
      const kept = await bench.run(document.replace('      refreshRate:', '      onChange: keep\n      refreshRate:'))
      expect([first.code, second.code, kept.code, bench.counts()]).toEqual([
        0,
        1,
        0,
        { segments: 1, matches: 1, activations: 1 },
      ])
      expect(second.message).toContain(field.split(':')[0])
    },
  )

  const ownIds = { matchId: 'own', matchPath: 'jobId' } as const
  test.each<Partial<Ways>>([
    ...(['group', 'member', 'caller', 'null', 'absent'] as const).map((approver) => ({ approver })),
    { approver: 'absent', ...ownIds },
  ])('two matches of one segment, with a group (%j) and a partner, stay two', async (ways) => {
    await using bench = await openBench(ways)
    const match = nightly.slice(nightly.indexOf('  - id: match'), nightly.indexOf('    expect:'))
    const other = match.replace('id: match', 'id: other').replace(/groupId: .*/, 'partnerId: 2001')
    const document = edited('  - id: activate', `${other}\n  - id: activate`)
    const nights = [await bench.run(document), await bench.run(document)]
    expect([nights.map(({ code, message }) => `${code} ${message}`.trim()), bench.counts()]).toEqual([
      ['0', '0'],
      { segments: 1, matches: 2, activations: 1 },
    ])
  })

  test('a negative price is left to the service', async () => {
    await using bench = await openBench()
    const night = await bench.run(
      edited('      segmentName: Auto intenders', '      segmentName: Auto intenders\n      cpm: -1'),
    )
    expect(`${night.code} ${night.message}`.trim()).toBe('0')
  })

  test('a scope that a partner calls by a label', async () => {
    await using bench = await openBench()
    const named = (label: string) =>
      edited('groupId: ${{ inputs.groupId }}', 'partnerId: 2001').replace('[CABLE]', JSON.stringify([label]))
    const night = await bench.run(named('Premium homes of 2001'))
    expect([night.message, bench.counts()]).toEqual(['', { segments: 1, matches: 1, activations: 1 }])
    const unknown = await bench.run(named('Premium yachts'))
    expect([unknown.code, unknown.hint]).toEqual([1, expect.stringContaining('Premium homes of 2001')])
  })

  test('lists at other paths', async () => {
    const [groups, partners] = ['/api/groups/list', '/api/all-partners']
    await using bench = await openBench({ paths: { groups, partners } })
    const paths = { 'groups.list': groups, 'partners.list': partners }
    const profile = { baseUrl: bench.service.url, tokenEnv: 'AUDIENCE_TOKEN', paths }
    writeFileSync(join(bench.folder, 'audience.yaml'), JSON.stringify({ profiles: { other: profile } }))
    for (const operation of Object.keys(paths)) {
      const { code, text } = await bench.audience(['api', operation, '--profile', 'other'])
      expect([code, text]).toEqual([0, expect.stringMatching(/9001|2001/)])
    }
  })
})
