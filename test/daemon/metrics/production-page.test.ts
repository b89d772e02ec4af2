import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { METRICS } from '../../../src/daemon/metrics/definitions.ts'
import { root } from '../../support/audience.ts'
import { metricsOf } from './support/metrics-of.ts'

const production = readFileSync(join(root, 'docs/production.md'), 'utf8')
const page = production.slice(production.indexOf('## Metrics'))
const namesIn = (text: string) => new Set([...text.matchAll(/\b(?:audience|process)_[a-z_]+/g)].map(([name]) => name))

async function metricNames(): Promise<Set<string>> {
  return new Set([...(await metricsOf().text()).matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? ''))
}

test('every metric that there is has a definition, and every definition a metric', async () => {
  expect([...(await metricNames())].toSorted()).toEqual(Object.keys(METRICS).toSorted())
})

test('its alert rules are YAML and ask for metrics that there are', async () => {
  const [, block = ''] = /```yaml\n([^`]+)```/.exec(page) ?? []
  const { groups } = parse(block) as { groups: { rules: { alert: string; expr: string }[] }[] }
  const known = await metricNames()
  const asked = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => [...namesIn(expr)]))
  expect(asked.length).toBeGreaterThan(5)
  expect(asked.filter((name) => !known.has(name.replace(/_bucket$/, '')))).toEqual([])
})
