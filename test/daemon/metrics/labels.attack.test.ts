import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../../src/steps/index.ts'
import { anyCodePoint } from '../../support/any-code-point.ts'
import { metricsOf, NO_FIGURES } from './support/metrics-of.ts'

/* Names in the text of the metrics. */

const at = '2026-11-21T02:00:00.000Z'

/**
 * The value of each label `pipeline` of a metric that is not 0, as Prometheus reads the text; throws if it could not
 * read it.
 */
function read(text: string, metric: string): Record<string, number> {
  const found: Record<string, number> = Object.create(null)
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, labels = '', value] =
      /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\[\\n"])*",?)*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined) throw new Error(`this line is none of a metric: ${JSON.stringify(line)}`)
    const written = /(?:^|,)pipeline="((?:[^"\\]|\\.)*)"/.exec(labels)?.[1]
    if (name !== metric || written === undefined || value === '0') continue
    const label = written.replace(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign))
    if (label in found) throw new Error(`this label is there twice: ${JSON.stringify(label)}`)
    found[label] = Number(value)
  }
  return found
}

const sign = fc.constantFrom('"', '\\', '\n', '\r', '{', '}', ',', '=', ' ', '#', ':', 'n', '\u2028', '\0', '\u202e')
const name = fc.oneof(
  fc.string({ unit: sign, minLength: 1, maxLength: 8 }),
  fc.string({ unit: anyCodePoint, minLength: 1 }),
  fc.constantFrom(
    ...['a"} 1\naudience_runs_total{pipeline="b"} 99', '# HELP a', '__proto__', 'constructor', 'toString'],
  ),
)

test('whatever a pipeline is called, its metrics are one line with its name and no other line', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), async (names) => {
      const metrics = metricsOf({
        readFigures: async () => ({ ...NO_FIGURES, lastSuccess: new Map(names.map((each) => [each, 1000])) }),
      })
      metrics.load(
        names.map((each) => ({ name: each, triggers: [] })),
        1000,
      )
      for (const [index, pipeline] of names.entries()) {
        const runId = String(index)
        metrics.onEvent({ at, runId, event: 'run.started', pipeline, file: 'p.yaml', digest: '', steps: [] })
        metrics.onEvent({ at, runId, event: 'run.finished', status: 'failed', outputs: {}, durationMs: 1 })
        metrics.onOccurrence({ kind: 'watch', pipeline, state: 'ran' })
      }
      const text = await metrics.text()
      const each = Object.fromEntries(names.map((one) => [one, 1]))
      for (const metric of [
        ...['audience_runs_started_total', 'audience_runs_total', 'audience_files_total'],
        ...['audience_pipeline_loaded_timestamp_seconds', 'audience_pipeline_last_success_timestamp_seconds'],
      ]) {
        expect({ ...read(text, metric) }).toEqual(each)
      }
    }),
  )
})

test.each(['a"b', 'a\\nb', 'a{b}', 'ä', 'A', 'a b', '-a', 'other"} 1', '\ud800'])(
  'and a document cannot call it %j',
  (written) => {
    const text = `version: 1\nname: ${JSON.stringify(written)}\nsteps: [{ id: a, uses: groups.list }]\n`
    const { pipeline, diagnostics } = loadPipeline({ text, file: 'p.yaml', stepTypes })
    expect([pipeline, diagnostics.length > 0]).toEqual([undefined, true])
  },
)
