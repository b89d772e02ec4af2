import type { Pipeline } from '../core/pipeline.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { describeRun, type RunDescription } from './describe-run.ts'
import { figuresBeside } from './figures-beside.ts'
import { graphUnlessUnreadable, stepsAfter } from './pipeline-graph.ts'

/** What a person needs to see to decide about a run that waits. */
export interface ForDecision {
  /** For each waiting step of the document, the steps that begin only after it. */
  readonly followedBy: readonly {
    readonly step: string
    /** The forEach that it is in. */
    readonly block?: string | undefined
    readonly steps: readonly string[]
  }[]
  /** Absent if there is no earlier good run. */
  readonly lastGood?:
    | {
        readonly runId: string
        /** The outputs of its steps, and of the steps of this run. */
        readonly figures: readonly {
          readonly step: string
          readonly name: string
          readonly lastGood?: number | undefined
          readonly thisRun?: number | undefined
        }[]
      }
    | undefined
}

/** Undefined if no step of the run is waiting for a person. */
export async function forDecision(
  row: RunRow,
  run: RunDescription,
  {
    runs,
    readPipeline,
  }: {
    runs: Pick<RunHistory, 'find' | 'page' | 'records'>
    readPipeline: (source: { file: string; text: string }) => Pipeline
  },
): Promise<ForDecision | undefined> {
  const waiting = run.steps.filter(({ waitsFor }) => waitsFor !== undefined)
  if (waiting.length === 0) return undefined
  const [first] = await runs.records(row.runId)
  const graph = first?.record.type === 'run.submitted' ? graphUnlessUnreadable(first.record, { readPipeline }) : []
  // The items of a forEach wait at the same step.
  const steps = new Map(waiting.map(({ step, block }) => [`${block ?? ''} ${step}`, { step, block }]))
  const good = run.lastRun === undefined ? await lastGoodBefore(row, runs) : await runs.find(run.lastRun)
  const figures = good ? figuresBeside(describeRun(good, await runs.records(good.runId)), run) : []
  return {
    followedBy: [...steps.values()].map((step) => ({ ...step, steps: stepsAfter(graph, step) })),
    lastGood: good && {
      runId: good.runId,
      figures: figures.map(({ step, name, a: lastGood, b: thisRun }) => ({ step, name, lastGood, thisRun })),
    },
  }
}

/** The maximum number of earlier runs that are searched. Runs at other services count, too. */
const LOOK = 20

/** For a run, the latest successful run of its pipeline, at the same service, that was submitted before it. */
export async function lastGoodBefore(
  { pipeline, profile, service, submittedAt, runId }: RunRow,
  runs: Pick<RunHistory, 'page'>,
): Promise<RunRow | undefined> {
  const { rows } = await runs.page({ pipeline, status: ['succeeded'], after: { submittedAt, runId }, limit: LOOK })
  return rows.find((row) => row.profile === profile && row.service === service)
}
