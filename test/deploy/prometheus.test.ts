import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { METRICS, type MetricDefinition } from '../../src/daemon/metrics/definitions.ts'
import { metricsOf } from '../daemon/metrics/support/metrics-of.ts'
import { root } from '../support/audience.ts'
import { findPromtool } from '../support/find-promtool.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RULES = join(root, 'deploy/prometheus/audience.rules.yaml')
const text = readFileSync(RULES, 'utf8')
const rules = (parse(text) as { groups: { rules: { alert: string; expr: string }[] }[] }).groups.flatMap(
  (group) => group.rules,
)
const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/audience.json'), 'utf8')) as {
  templating: { list: { query: string | { query: string } }[] }
  panels: Panel[]
}
interface Panel {
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string }[]
  fieldConfig?: { overrides: { matcher: { options: string }; properties: { value: { fixedColor: string } }[] }[] }
}
const panels = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
const variables = dashboard.templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : query.query))

const promtool = findPromtool()
const testWithPromtool = test.skipIf(promtool === undefined)

/** Runs promtool; rejects with its output. */
async function runPromtool(...args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(promtool!, args)
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${stdout}${stderr}`, { cause: error })
  }
}

/** The labels of Prometheus itself, and of histograms. */
const COMMON = ['job', 'instance']
const definitions: Readonly<Record<string, MetricDefinition>> = METRICS

/** The problems of an expression: metrics and labels that do not exist, and values that a label never has. */
function problemsOf(expr: string): readonly string[] {
  const problems: string[] = []
  const allowed = new Set(COMMON)
  for (const [, name = ''] of expr.matchAll(/\b((?:audience|process)_[a-z_]+)/g)) {
    const isKnown = (each: string) => Object.hasOwn(definitions, each)
    const family = isKnown(name) ? name : name.replace(/_(bucket|count|sum)$/, '')
    if (!isKnown(family)) {
      problems.push(`there is no metric ${name}`)
      continue
    }
    for (const label of Object.keys(definitions[family]?.labels ?? {})) allowed.add(label)
    if (name.endsWith('_bucket')) allowed.add('le')
  }
  for (const [, list = ''] of expr.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g))
    for (const label of list.split(',').map((each) => each.trim()))
      if (!allowed.has(label)) problems.push(`no metric here has the label ${label}`)
  for (const [, name = '', matchers = ''] of expr.matchAll(/([a-z_]+)\{([^}]*)\}/g)) {
    const labels = definitions[name]?.labels ?? {}
    for (const [, label = '', value = ''] of matchers.matchAll(/([a-z_]+)\s*[=!]~?\s*"([^"]*)"/g)) {
      if (!COMMON.includes(label) && label !== 'le' && !Object.hasOwn(labels, label))
        problems.push(`${name} has no label ${label}`)
      const values = labels[label] ?? []
      for (const each of values.length > 0 ? value.split('|') : [])
        if (!values.includes(each)) problems.push(`${label} of ${name} is never ${each}`)
    }
  }
  return problems
}

test.each([
  ['audience_runs_total{status="fialed"} > 0', 'status of audience_runs_total is never fialed'],
  ['audience_run_total > 0', 'there is no metric audience_run_total'],
  ['sum by (pipline) (audience_runs_total)', 'no metric here has the label pipline'],
  ['audience_keeper{pipeline="p"}', 'audience_keeper has no label pipeline'],
])('the look at expressions sees what is wrong with %s', (expr, problem) => {
  expect(problemsOf(expr)).toEqual([problem])
})

test.each(rules)('the rule $alert asks for metrics, labels and values that there are', ({ expr }) => {
  expect(problemsOf(expr)).toEqual([])
})

test.each(panels)('the panel "$title" asks for metrics, labels and values that there are: $expr', ({ expr }) => {
  expect(problemsOf(expr)).toEqual([])
})

test('every family of metrics has a panel, and every panel has expressions', () => {
  const shown = new Set(
    panels.flatMap(({ expr }) =>
      [...expr.matchAll(/\b(?:audience|process)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, '')),
    ),
  )
  expect(Object.keys(METRICS).filter((name) => !shown.has(name))).toEqual([])
  expect(variables.flatMap(problemsOf)).toEqual([])
})

test('no panel lies over another one or beyond the page', () => {
  const taken = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}:${y + Math.floor(cell / w)}`),
  )
  expect(taken.length).toBe(new Set(taken).size)
  expect(dashboard.panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
})

test('what failed is red, and what succeeded green', () => {
  const lines = dashboard.panels.flatMap(({ targets = [], fieldConfig }) =>
    targets
      .filter(({ legendFormat }) => /\{\{(status|outcome)\}\}$/.test(legendFormat))
      .map(({ legendFormat }) => (outcome: string) => {
        const name = legendFormat.replace(/\{\{(status|outcome)\}\}$/, outcome)
        const fits = ({ matcher }: { matcher: { options: string } }) =>
          new RegExp(matcher.options.slice(1, -1)).test(name)
        return fieldConfig?.overrides.filter(fits).map(({ properties }) => properties[0]?.value.fixedColor)
      }),
  )
  expect(lines.length).toBeGreaterThan(5)
  for (const colourOf of lines) {
    expect(colourOf('failed')).toEqual(['red'])
    expect(colourOf('succeeded')).toEqual(['green'])
    expect(colourOf('skipped')).toEqual([])
  }
})

test('docs/production.md quotes the rules as they are', () => {
  const page = readFileSync(join(root, 'docs/production.md'), 'utf8')
  const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const quotes = blocks.filter((block) => block.includes('alert: '))
  expect(quotes.length).toBeGreaterThan(0)
  const indented = (quote: string) => quote.replace(/^(?=.)/gm, '      ')
  expect(quotes.filter((quote) => !text.includes(indented(quote)))).toEqual([])
  // The table of the page names every rule.
  expect(rules.filter(({ alert }) => !page.includes(`\`${alert}\``))).toEqual([])
})

testWithPromtool('the rules fire when they should', async () => {
  await runPromtool('test', 'rules', join(root, 'deploy/prometheus/audience.rules.test.yaml'))
})

testWithPromtool('Prometheus reads every expression of the dashboard', async () => {
  const file = join(tempFolder(), 'panels.yaml')
  const read = (expr: string) =>
    expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'j').replaceAll('$pipeline', '.*')
  const recorded = panels.map(({ expr }, index) => ({ record: `panel_${index}`, expr: read(expr) }))
  writeFileSync(file, stringify({ groups: [{ name: 'panels', rules: recorded }] }))
  await runPromtool('check', 'rules', file)
})

testWithPromtool('a failure and a missed slot before the first scrape of a daemon fire', async () => {
  const now = Math.round(performance.timeOrigin)
  const metrics = metricsOf()
  metrics.load([{ name: 'nightly', triggers: [{ kind: 'schedule' } as never] }], now)
  const at = new Date(now).toISOString()
  metrics.onEvent({ at, runId: '1', event: 'run.started', pipeline: 'nightly', file: 'n.yaml', digest: '', steps: [] })
  metrics.onEvent({ at, runId: '1', event: 'run.finished', status: 'failed', outputs: {}, durationMs: 1 })
  metrics.onOccurrence({ kind: 'schedule', pipeline: 'nightly', state: 'missed' })
  const scrape = (await metrics.text()).split('\n').filter((line) => /^(audience|process)/.test(line))
  // Times of the test begin at 0: the daemon starts half a minute before its first scrape.
  const seriesOf = (line: string) => {
    const [, name = '', labels = '', value = ''] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    const shown = /time(stamp)?_seconds$/.test(name) ? '30' : value
    return {
      series: `${name}{${[labels, 'job="audience",instance="a"'].filter(Boolean).join(',')}}`,
      values: `_ ${shown} ${shown}`,
    }
  }
  const file = join(tempFolder(), 'first-scrape.yaml')
  writeFileSync(
    file,
    stringify({
      rule_files: [RULES],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: scrape.map(seriesOf),
          promql_expr_test: [
            {
              expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
              eval_time: '2m',
              exp_samples: ['AudienceMissed', 'AudienceRunFailed'].map((name) => ({
                labels: `{alertname="${name}"}`,
                value: 1,
              })),
            },
          ],
        },
      ],
    }),
  )
  await runPromtool('test', 'rules', file)
})
