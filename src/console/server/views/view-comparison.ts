import { isSameJson } from '../../../core/json.ts'
import type { RunDescription } from '../../../runs/describe-run.ts'
import { figuresBeside } from '../../../runs/figures-beside.ts'
import { diffLines } from '../diff-lines.ts'
import { toRunItem } from '../run-item.ts'
import type { View } from './view.ts'

/** Two runs side by side. */
export const viewComparison: View<'runs.compare'> = async ({ readRun }, { runId, other }) => {
  const [a, b] = [await readRun(runId), await readRun(other)]
  const [x, y] = [a.run.inputs, b.run.inputs]
  const names = [...new Set([...Object.keys(x), ...Object.keys(y)])]
  const [tookA, tookB] = [durationsOf(a.run), durationsOf(b.run)]
  return {
    a: toRunItem(a.row),
    b: toRunItem(b.row),
    inputs: names.map((name) => ({ name, a: x[name], b: y[name], same: isSameJson(x[name], y[name]) })),
    document: {
      same: a.submission.text === b.submission.text,
      diff: diffLines(a.submission.text, b.submission.text),
    },
    figures: figuresBeside(a.run, b.run),
    durations: [...new Set([...tookA.keys(), ...tookB.keys()])].map((step) => ({
      step,
      a: tookA.get(step),
      b: tookB.get(step),
    })),
  }
}

function durationsOf({ steps }: RunDescription): ReadonlyMap<string, number> {
  return new Map(
    steps.flatMap(({ step, index, durationMs }) =>
      index === undefined && durationMs !== undefined ? [[step, durationMs] as const] : [],
    ),
  )
}
