import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../../src/daemon/metrics/create-metrics.ts'
import { root } from '../../support/audience.ts'

const production = readFileSync(join(root, 'docs/production.md'), 'utf8')
const page = production.slice(production.indexOf('| metric |'))
const namesIn = (text: string) => new Set([...text.matchAll(/\b(?:audience|process)_[a-z_]+/g)].map(([name]) => name))

async function metricNames(): Promise<Set<string>> {
  const metrics = createMetrics({
    version: '1',
    load: () => ({ runs: 0, waits: 0 }),
    unattended: () => 0,
    documents: () => ({ live: 0, problems: 0 }),
    readFigures: () => {
      throw new Error('there is no state')
    },
    lookUp: async () => undefined,
  })
  return new Set([...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? ''))
}

test('the page has every metric that there is, and no other', async () => {
  const table = page.slice(0, page.indexOf('```yaml'))
  expect([...namesIn(table)].toSorted()).toEqual([...(await metricNames())].toSorted())
})

test('its alert rules are YAML and ask for metrics that there are', async () => {
  const [, block = ''] = /```yaml\n([^`]+)```/.exec(page) ?? []
  const { groups } = parse(block) as { groups: { rules: { alert: string; expr: string }[] }[] }
  const known = await metricNames()
  const asked = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => [...namesIn(expr)]))
  expect(asked.length).toBeGreaterThan(5)
  expect(asked.filter((name) => !known.has(name.replace(/_bucket$/, '')))).toEqual([])
})
