import type { UnfinishedStatus } from '../../core/run.ts'
import type { RemoteLedger } from '../../state/remote-ledger.ts'
import type { State } from '../../state/state.ts'
import { DEPLOYMENT_STATES, type DeploymentState, deploymentState } from '../deployment/deployment-state.ts'
import type { Families } from './families.ts'

/** The figures of the state for metrics, read at each scrape. */
export interface StateFigures {
  /** The runs that have not ended, whichever process is working on them. `waiting`: for a person. */
  readonly runs: Readonly<Record<UnfinishedStatus, number>>
  /** `failed`: messages that could not be delivered and are not sent again. */
  readonly notifications: { readonly pending: number; readonly failed: number }
  /**
   * When the latest successful run of each loaded pipeline ended, in milliseconds since 1970, by the name of the
   * pipeline.
   */
  readonly lastSuccess: ReadonlyMap<string, number>
  /** Undefined if nothing is deployed from git. */
  readonly deployment?: DeploymentState | undefined
  /** When and how triggers last checked their sources on other machines. */
  readonly sources: Awaited<ReturnType<RemoteLedger['looks']>>
}

/**
 * Metrics of the current state. Returns the function that sets them before a scrape: it gets the figures, or undefined
 * if the state could not be read.
 */
export function stateMetrics({ gauge }: Families): (figures: StateFigures | undefined) => void {
  const readable = gauge('audience_state_readable')
  const runs = gauge('audience_runs')
  const notifications = gauge('audience_notifications')
  const deployment = gauge('audience_deployment')
  const files = gauge('audience_source_files')
  const reached = gauge('audience_source_reached_timestamp_seconds')
  const failing = gauge('audience_source_failing_since_timestamp_seconds')

  return (figures) => {
    // It is better to show no figure than an old one.
    for (const one of [runs, notifications, deployment, files, reached, failing]) one.reset()
    readable.set(figures ? 1 : 0)
    if (!figures) return
    for (const [state, count] of Object.entries(figures.runs)) runs.set({ state }, count)
    for (const [state, count] of Object.entries(figures.notifications)) notifications.set({ state }, count)
    for (const [source, looks] of Map.groupBy(figures.sources, (look) => look.source)) {
      for (const state of ['waiting', 'open'] as const)
        files.set(
          { source, state },
          looks.reduce((sum, look) => sum + look[state], 0),
        )
      const times = looks.flatMap(({ reachedAt }) => reachedAt ?? [])
      if (times.length > 0) reached.set({ source }, Math.max(...times) / 1000)
      const problems = looks.flatMap(({ problem }) => problem ?? [])
      for (const [code, its] of Map.groupBy(problems, (problem) => problem.code))
        failing.set({ source, code }, Math.min(...its.map(({ since }) => since)) / 1000)
    }
    if (figures.deployment === undefined) return
    for (const state of DEPLOYMENT_STATES) deployment.set({ state }, state === figures.deployment ? 1 : 0)
  }
}

/** Reads the figures, with two small queries for each pipeline. `pipelines` are the names of the loaded pipelines. */
export async function readStateFigures(
  { runs, outbox, deployments, remote }: Pick<State, 'runs' | 'outbox' | 'deployments' | 'remote'>,
  pipelines: Iterable<string>,
): Promise<StateFigures> {
  const lastSuccess = new Map<string, number>()
  for (const pipeline of pipelines) {
    const at = (await runs.lastSuccess(pipeline))?.finishedAt
    if (at !== undefined) lastSuccess.set(pipeline, at)
  }
  const deployment = deploymentState(await deployments.standing())
  return {
    runs: await runs.counts(),
    notifications: await outbox.counts(),
    lastSuccess,
    deployment,
    sources: await remote.looks(),
  }
}
