import { isSameJson, type Json } from '../../../core/json.ts'
import type { RunDescription } from '../../../runs/describe-run.ts'
import { diffLines } from '../diff-lines.ts'
import { isFigure } from '../is-figure.ts'
import { toRunItem } from '../run-item.ts'
import type { View } from './view.ts'

/** Two runs side by side. */
export const compareRuns: View<'runs.compare'> = async ({ readRun }, { runId, other }) => {
  const [a, b] = [await readRun(runId), await readRun(other)]
  const [x, y] = [a.run.inputs, b.run.inputs]
  const names = [...new Set([...Object.keys(x), ...Object.keys(y)])]
  const [figuresA, figuresB] = [figuresOf(a.run), figuresOf(b.run)]
  const [tookA, tookB] = [durationsOf(a.run), durationsOf(b.run)]
  return {
    a: toRunItem(a.row),
    b: toRunItem(b.row),
    inputs: names.map((name) => ({
      name,
      ...given('a', x[name]),
      ...given('b', y[name]),
      same: isSameJson(x[name], y[name]),
    })),
    document: {
      same: a.submission.text === b.submission.text,
      diff: diffLines(a.submission.text, b.submission.text),
    },
    figures: [...new Set([...figuresA.keys(), ...figuresB.keys()])].map((key) => {
      const [step = '', name = ''] = key.split('\n')
      return { step, name, ...given('a', figuresA.get(key)), ...given('b', figuresB.get(key)) }
    }),
    durations: [...new Set([...tookA.keys(), ...tookB.keys()])].map((step) => ({
      step,
      ...given('a', tookA.get(step)),
      ...given('b', tookB.get(step)),
    })),
  }
}

function given<Name extends 'a' | 'b', Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value }
}

/** The numbers that steps put out, by the step and the name. */
function figuresOf({ steps }: RunDescription): ReadonlyMap<string, number> {
  return new Map(
    steps.flatMap(({ step, index, outputs }) =>
      index === undefined ? numbersIn(outputs).map(([name, value]) => [`${step}\n${name}`, value] as const) : [],
    ),
  )
}

function numbersIn(outputs: Json | undefined): [string, number][] {
  if (typeof outputs !== 'object' || outputs === null || Array.isArray(outputs)) return []
  return Object.entries(outputs).flatMap(([name, value]) =>
    isFigure(name) && (typeof value === 'number' || typeof value === 'bigint') ? [[name, Number(value)]] : [],
  )
}

function durationsOf({ steps }: RunDescription): ReadonlyMap<string, number> {
  return new Map(
    steps.flatMap(({ step, index, durationMs }) =>
      index === undefined && durationMs !== undefined ? [[step, durationMs] as const] : [],
    ),
  )
}
